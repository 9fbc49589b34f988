//! The whole NIC in its surroundings on every engine: each write, each pulse of the trace port and each acknowledgement
//! in the same cycle. rust-hdl's own loop runs 1,000 to 2,000 cycles a second, so the runs are short.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::bus::{Packet, WriteRecord};
use xtq_testbench::node::Trace;
use xtq_testbench::scenario::{self, Run};

const FIGURE_6: &str = include_str!("../../../scenarios/figure6-target.toml");
const MIXED: &str = include_str!("../../../scenarios/mixed.toml");
const QUEUE_FULL: &str = include_str!("../../../scenarios/queue-full.toml");

/// What a scenario came to on an engine.
#[derive(Debug, PartialEq)]
struct Seen {
    statuses: Vec<String>,
    log: Vec<WriteRecord>,
    trace: Vec<(u64, Trace)>,
    acks: Vec<Packet>,
    cycles: u64,
}

fn run(text: &str, engine: EngineKind) -> Seen {
    let plan = scenario::parse("scenario.toml", text, Path::new(".")).unwrap();
    let mut run = Run::new(plan, engine).unwrap();
    let report = run.finish();
    assert_eq!(report.failure, "", "{}", engine.name());
    assert_eq!(report.differences, [""; 0], "{}", engine.name());
    let node = run.node();
    Seen {
        statuses: report.messages.into_iter().map(|row| row.status).collect(),
        log: node.memory.log().to_vec(),
        trace: node.trace().records().to_vec(),
        acks: node.acknowledgements().to_vec(),
        cycles: node.cycle_count(),
    }
}

/// The same on every engine; the outcomes.
fn same_on_all(text: &str) -> Vec<String> {
    let truth = run(text, EngineKind::Oracle);
    assert!(!truth.log.is_empty() && !truth.trace.is_empty());
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Aot] {
        let seen = run(text, engine);
        let name = engine.name();
        assert_eq!(seen.statuses, truth.statuses, "{name}");
        assert_eq!(seen.trace, truth.trace, "{name}");
        for (seen, truth) in seen.log.iter().zip(&truth.log) {
            assert_eq!(seen, truth, "{name}");
        }
        assert_eq!(seen, truth, "{name}");
    }
    truth.statuses
}

#[test]
fn the_papers_example_is_the_same_on_every_engine() {
    assert_eq!(same_on_all(FIGURE_6), ["ok"]);
}

#[test]
fn mixed_traffic_of_two_contexts_is_the_same_on_every_engine() {
    assert_eq!(same_on_all(MIXED), ["ok"; 6]);
}

#[test]
fn a_full_queue_is_the_same_on_every_engine() {
    let text = QUEUE_FULL.replace("poll = 3000", "poll = 300");
    let statuses = same_on_all(&text);
    assert_eq!(statuses[4..], ["queue_full", "pt_disabled", "ok", "ok"]);
}

#[test]
fn a_shared_queue_that_fails_is_the_same_on_every_engine() {
    let (setup, message) = FIGURE_6.split_once("[[messages]]").unwrap();
    let setup = setup
        .replacen("title = ", "atomics = true\ntitle = ", 1)
        .replace("[[queues]]", "[[queues]]\nshared = true");
    let messages = format!("[[messages]]{message}\n").repeat(5);
    // The second packet's header word.
    let fault = "[[faults]]\naddress = 0x3000_0040\nlength = 4\naccess = \"write\"\ncount = 1\n";
    let statuses = same_on_all(&format!("{setup}{messages}{fault}"));
    assert_eq!(statuses[..2], ["ok", "memory_error"]);
    assert_eq!(statuses[4], "bad_queue_index");
}
