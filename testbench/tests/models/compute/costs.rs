//! The counted costs, and files of them.

use xtq_compute::Costs;
use xtq_testbench::host::Datatype;

#[test]
fn the_counts_in_the_repository_are_read_and_make_sense() {
    let costs = Costs::counted();
    let calls = [
        costs.put,
        costs.event_get,
        costs.aql_dispatch,
        costs.send,
        costs.receive,
    ];
    assert!(
        calls.iter().all(|count| (10..200).contains(count)),
        "{calls:?}"
    );
    assert!(costs.event_poll < costs.event_get && costs.signal_poll < costs.event_poll);
    for datatype in [Datatype::Int32, Datatype::Double, Datatype::Float] {
        let wider = [0, 16, 32].map(|simd| costs.line(datatype, simd).unwrap());
        assert!(wider.is_sorted_by(|a, b| a > b), "{datatype:?}: {wider:?}");
    }
    assert_eq!(costs.search(100) - costs.search(0), 1300);
    assert!(costs.line(Datatype::Int8, 16).is_err());
    assert!(costs.line(Datatype::Float, 64).is_err());
}

#[test]
fn a_key_that_is_missing_or_unknown_is_named_with_its_line() {
    let text = include_str!("../../../compute/costs/costs.toml");
    assert!(Costs::parse("costs.toml", text).is_ok());
    let error = Costs::parse("costs.toml", &text.replace("put = ", "putt = "));
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("costs.toml:7:1: putt"), "{error}");
    let error = Costs::parse("costs.toml", &text.replace("\nsend = ", "\nsend = -"));
    assert!(error.unwrap_err().to_string().contains("send"));
}
