//! The open cases of the kinds `portals` and `mpi` by id, each a test of its own, played to real NICs.

use serde_json::{Value, json};
use xtq_testbench::cases::{CaseOutcome, On, Status, run_text};

/// The open cases of a kind.
pub fn of_kind(kind: &str) -> Vec<Value> {
    let text = include_str!("../../cases/portals-mpi.json");
    let document: Value = serde_json::from_str(text).expect("the open cases are JSON");
    let cases = document["cases"].as_array().expect("a list").iter();
    cases.filter(|case| case["kind"] == kind).cloned().collect()
}

/// Plays one of them.
pub fn play(kind: &str, id: &str) -> CaseOutcome {
    let mut cases = of_kind(kind);
    cases.retain(|case| case["id"] == id);
    let file = json!({"schema": "xtq-cases-1", "cases": cases}).to_string();
    let mut outcomes = run_text(id, &file, On::Rtl).expect("a case file");
    outcomes.pop().expect("an open case has this id")
}

/// It passes.
pub fn passes(kind: &str, id: &str) {
    let outcome = play(kind, id);
    assert_eq!(
        outcome.status,
        Status::Passed,
        "{id}: {:#?}",
        outcome.differences
    );
}

/// It needs something that is not built. Fails when it is: then the case is to pass.
#[allow(dead_code)] // of some kinds everything is built
pub fn needs(kind: &str, id: &str, name: &str) {
    let outcome = play(kind, id);
    let missing = outcome.missing.as_deref();
    assert_eq!(
        (outcome.status, missing),
        (Status::Unsupported, Some(name)),
        "{id}: {:#?}",
        outcome.differences
    );
}

/// A test for each case: `name: id`, or `name: id needs WHAT`; and one that no case is left out.
macro_rules! cases {
    ($kind:literal; $($name:ident: $id:literal $(needs $what:literal)?),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                cases!(@ $kind, $id $(, $what)?);
            }
        )*

        #[test]
        fn no_open_case_is_left_out() {
            let cases = crate::open_cases::of_kind($kind);
            let ids: Vec<_> = cases.iter().map(|case| case["id"].as_str().unwrap()).collect();
            assert_eq!(ids, [$($id),*]);
        }
    };
    (@ $kind:literal, $id:literal) => {
        crate::open_cases::passes($kind, $id)
    };
    (@ $kind:literal, $id:literal, $what:literal) => {
        crate::open_cases::needs($kind, $id, $what)
    };
}
pub(crate) use cases;
