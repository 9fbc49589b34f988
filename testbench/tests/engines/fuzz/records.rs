//! What the records of the trace port say: what was done, and what is under way.

use crate::fuzz::counts::Counts;
use std::collections::{BTreeMap, BTreeSet};
use xtq_testbench::node::Trace;
use xtq_types::event::status;

/// Pulses with their cycles.
pub type Records<'a> = &'a [(u64, Trace)];
/// Source node and number of messages.
pub type Names = BTreeSet<(u16, u16)>;

/// Counts what was done; `right` are the messages that the parser must take, `atomics` those of them that are atomics.
pub fn tally(counts: &mut Counts, records: Records, right: &Names, atomics: &Names) {
    // Whether the message in a slot is an atomic, and the right ones that the parser gave on.
    let (mut slots, mut parsed) = (BTreeMap::new(), BTreeSet::new());
    for (_, record) in records {
        match *record {
            Trace::Parsed {
                source_node,
                message_id,
            } => {
                let name = (source_node, message_id);
                if right.contains(&name) && parsed.insert(name) {
                    counts.right_parsed += 1;
                }
            }
            Trace::Admitted {
                slot,
                source_node,
                message_id,
                status,
                ..
            } => {
                let name = (source_node, message_id);
                counts.right_taken += usize::from(right.contains(&name) && status == status::OK);
                slots.insert(slot, atomics.contains(&name));
            }
            Trace::Done { slot, status, .. } => {
                let atomic = slots.remove(&slot).unwrap_or(false);
                match status {
                    status::OK => {
                        counts.delivered += 1;
                        counts.atomics += usize::from(atomic);
                    }
                    _ => *counts.refused.entry(status).or_default() += 1,
                }
            }
            Trace::Taken { .. } => counts.taken += 1,
            Trace::Rewritten { .. } | Trace::Told { .. } | Trace::Opened { .. } => {}
        }
    }
}

/// The messages that were decided about and are not done with, and the command that was taken last.
pub fn under_way(records: Records) -> String {
    let (mut slots, mut command) = (BTreeMap::new(), None);
    for (cycle, record) in records {
        match record {
            Trace::Admitted { slot, .. } => {
                slots.insert(*slot, (*cycle, *record));
            }
            Trace::Done { slot, .. } => {
                slots.remove(slot);
            }
            Trace::Taken { .. } => command = Some((*cycle, *record)),
            _ => {}
        }
    }
    let messages: Vec<_> = slots.values().collect();
    format!("the last command: {command:?}; in the pipeline: {messages:#?}")
}
