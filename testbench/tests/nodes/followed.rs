//! The report of several nodes: each message has its own stations.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::scenario::{File, NodesReport, NodesRun, parse_file};

fn report(text: &str) -> NodesReport {
    let Ok(File::Nodes(plan)) = parse_file("a test", text, Path::new("")) else {
        panic!("no scenario of nodes");
    };
    NodesRun::new(plan, EngineKind::default()).unwrap().finish()
}

#[test]
fn a_message_that_is_refused_has_nothing_of_the_one_that_is_sent_again() {
    for text in [
        include_str!("refused.toml"),
        include_str!("refused_long.toml"),
    ] {
        holds_what_is_its_own(&report(text));
    }
}

/// Of a report in which x4 and x5 are refused and sent again as y4 and y5.
fn holds_what_is_its_own(report: &NodesReport) {
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    let row = |name: &str| report.messages.iter().find(|row| row.name == name).unwrap();
    let status = |name: &str| row(name).status.as_str();
    assert_eq!((status("x4"), status("x5")), ("queue_full", "pt_disabled"));
    for name in ["x4", "x5"] {
        let row = row(name);
        assert_eq!(
            (row.event, row.enqueued, row.doorbell),
            (None, None, None),
            "{row:?}"
        );
        assert!(row.done.is_some() && row.acknowledged.is_some(), "{row:?}");
    }
    for name in ["x0", "x1", "x2", "x3", "y4", "y5"] {
        let row = row(name);
        assert_eq!(row.status, "ok", "{row:?}");
        let event = row.event.unwrap();
        assert!(row.admitted.unwrap() < event, "{row:?}");
        assert!(row.payload_written.unwrap() <= event, "{row:?}");
        assert!(
            row.payload_written.unwrap() > row.arrived.unwrap(),
            "{row:?}"
        );
    }
    assert!(row("x5").done.unwrap() < row("y4").event.unwrap());
}

#[test]
fn a_message_that_no_event_tells_of_has_not_that_of_one_that_ended_in_the_same_way() {
    let report = report(include_str!("told.toml"));
    assert!(report.passed, "{} {:?}", report.failure, report.differences);
    let row = |name: &str| report.messages.iter().find(|row| row.name == name).unwrap();
    let (silent, told) = (row("x4"), row("x5"));
    assert_eq!(
        (&*silent.status, &*told.status),
        ("queue_full", "queue_full")
    );
    // Both have ended before the event was there, which is the second one's.
    assert_eq!(silent.event, None, "{silent:?}");
    assert!(told.event > told.admitted, "{told:?}");
    for name in ["x0", "x1", "x2", "x3", "y"] {
        let row = row(name);
        assert_eq!(row.status, "ok", "{row:?}");
        assert!(
            row.payload_written <= row.event && row.admitted < row.event,
            "{row:?}"
        );
    }
}
