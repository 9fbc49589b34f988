//! What holds in every history, without a second model.

use crate::packet_processor::setup::READ_INDEX;
use crate::packet_processor::steps::{Entry, any_history, play};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use xtq_testbench::bytes::Bytes;

/// The ids of all log lines that start with `what`.
fn ids(entries: &[Entry], what: &str) -> Vec<u64> {
    let id = |entry: &Entry| match entry {
        Entry::Log(line) => line.strip_prefix(what)?.split(' ').nth(1)?.parse().ok(),
        _ => None,
    };
    entries.iter().filter_map(id).collect()
}

proptest! {
    #[test]
    fn launches_are_in_order_announced_and_end_at_an_error(history in any_history()) {
        let (_, entries) = play(&history);
        let launched = ids(&entries, "launch");
        prop_assert!(launched.is_sorted_by(|a, b| a < b), "{:?}", launched);
        let mut announced = None;
        let mut failed = false;
        for entry in &entries {
            match entry {
                Entry::Doorbell(id) => announced = announced.max(Some(*id)),
                Entry::Log(line) if line.starts_with("launch") => {
                    let id = ids(std::slice::from_ref(entry), "launch")[0];
                    prop_assert!(Some(id) <= announced && !failed, "{}", line);
                }
                Entry::Log(line) if line.starts_with("error") => failed = true,
                _ => {}
            }
        }
        prop_assert!(ids(&entries, "error").len() <= 1);
    }

    #[test]
    fn packets_complete_once_and_retire_without_gaps(history in any_history()) {
        let (queue, entries) = play(&history);
        let mut complete = ids(&entries, "complete");
        complete.sort_unstable();
        prop_assert!(complete.is_sorted_by(|a, b| a < b), "twice: {:?}", complete);
        let first = history.config.first_id;
        let retired = (first..).zip(&complete).take_while(|(id, c)| id == *c).count() as u64;
        prop_assert_eq!(queue.processor.read_index(), first + retired);
        if retired > 0 {
            prop_assert_eq!(queue.memory.read_u64(READ_INDEX), first + retired);
        }
        prop_assert!(queue.processor.next_id() - queue.processor.read_index() <= queue.size);
    }
}

#[test]
fn random_histories_reach_every_kind_of_event_and_wrap_the_ring() {
    let mut runner = TestRunner::deterministic();
    let (mut launches, mut barriers, mut errors, mut out_of_order, mut wraps) = (0, 0, 0, 0, 0);
    for _ in 0..300 {
        let tree = any_history()
            .new_tree(&mut runner)
            .expect("nothing is filtered");
        let (queue, entries) = play(&tree.current());
        let (launched, complete) = (ids(&entries, "launch"), ids(&entries, "complete"));
        launches += launched.len();
        barriers += complete.iter().filter(|id| !launched.contains(id)).count();
        errors += ids(&entries, "error").len();
        out_of_order += usize::from(!complete.is_sorted());
        let first = tree.current().config.first_id;
        wraps += usize::from(queue.processor.next_id() - first > 2 * queue.size);
    }
    let reached = [launches, barriers, errors, out_of_order, wraps];
    let wanted = [600, 200, 10, 60, 50];
    assert!(
        reached.iter().zip(wanted).all(|(r, w)| *r >= w),
        "{reached:?}"
    );
}
