//! Right uses: each passes, and each change of it fails, so what the call does is seen.

use std::collections::BTreeSet;

use xtq_testbench::scenario::NodesReport;
use xtq_testbench::scenario::nodes::calls::Step;

use crate::scenario_calls::arguments::RIGHT;
use crate::scenario_calls::fixture::{complaints, file, run};
use crate::scenario_calls::{messages, objects, waits};

/// A use of a call.
pub struct Use {
    pub call: &'static str,
    /// The steps; after the step that is meant stands [`HERE`].
    pub steps: &'static str,
    /// Texts that are replaced, by which, and what the run then complains of. Without any: [`LEFT_OUT`].
    pub changes: &'static [(&'static str, &'static str, &'static str)],
}

/// After the call that is meant.
const HERE: &str = " HERE";
/// In its place: the call waits for a counter that never counts, so it is never done.
const LEFT_OUT: &str = ", trigger = { ct = \"never\", threshold = 1 }";

/// What every program of a use begins with: the counters that it may need, a portal entry, descriptors of the data, and
/// a barrier by which all that is done.
const BEFORE: &str = r#"  { ptl_ct_alloc = { ct = "never" } },
  { ptl_ct_alloc = { ct = "ct" } },
  { ptl_pt_alloc = { pt = "pt" } },
  { ptl_md_bind = { md = "data", start = 0x1000, length = 8, options = ["events", "send_disable"] } },
  { ptl_md_bind = { md = "place", start = 0x5000, length = 64, options = ["events"] } },
"#;

/// Runs steps on a node of its own.
pub fn run_steps(steps: &str) -> NodesReport {
    run(&file(&format!("{BEFORE}{steps}")))
}

/// Each use passes, and does not with one of its changes.
pub fn check(uses: &[Use]) {
    for one in uses {
        assert!(one.steps.contains(one.call), "{}: {}", one.call, one.steps);
        let report = run_steps(&one.steps.replace(HERE, ""));
        assert!(report.passed, "{}: {}", one.call, complaints(&report));
        assert!(
            one.steps.contains(HERE) || !one.changes.is_empty(),
            "{}",
            one.call
        );
        if one.steps.contains(HERE) {
            let report = run_steps(&one.steps.replace(HERE, LEFT_OUT));
            assert!(
                !report.passed,
                "{} is left out, and nobody notices",
                one.call
            );
        }
        for (from, to, part) in one.changes {
            assert!(one.steps.contains(from), "{}: {from}", one.call);
            let report = run_steps(&one.steps.replacen(from, to, 1).replace(HERE, ""));
            let told = complaints(&report);
            assert!(
                !report.passed && told.contains(part),
                "{}: {to}: {told}",
                one.call
            );
        }
    }
}

/// All uses.
fn all() -> impl Iterator<Item = &'static Use> {
    let lists = [
        objects::USES,
        messages::USES,
        messages::ATOMICS,
        messages::TASKS,
        waits::USES,
    ];
    lists.into_iter().flatten()
}

#[test]
fn every_call_has_a_use() {
    let used: BTreeSet<&str> = all().map(|one| one.call).collect();
    let own: BTreeSet<&str> = waits::OWN_TESTS.iter().copied().collect();
    let all: BTreeSet<&str> = Step::NAMES.iter().copied().collect();
    let tested: BTreeSet<&str> = used.union(&own).copied().collect();
    assert_eq!(tested, all);
}

/// Arguments that name something: without the right one there is no call (`wrong_values.rs`).
const NAMES: [&str; 7] = [
    "command_md",
    "from",
    "me",
    "name",
    "queue",
    "signal",
    "source",
];

#[test]
fn every_argument_is_changed_in_a_use() {
    let changes = all().flat_map(|one| one.changes);
    let text: String = changes
        .map(|(from, to, _)| format!("{from} {to} "))
        .collect();
    let words: BTreeSet<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect();
    for (call, arguments) in RIGHT.iter() {
        for (argument, _) in *arguments {
            assert!(
                words.contains(argument) || NAMES.contains(argument),
                "no use shows what {call}.{argument} does"
            );
        }
    }
}
