//! Whether what nodes showed is what a case expects: exactly, but for what `cases.md` leaves open.
//!
//! * AUTO_FREE floats: it may come later, and earlier as far as its entry's AUTO_UNLINK and the overflow events before
//!   it.
//! * `OK` among the returned codes counts for nothing.
//! * An acknowledgement is compared in what its kind carries: an OC_ACK only in its receiver.
//! * Of a SEARCH that found nothing only kind, portal, user pointer and NO_MATCH count.
//! * Operation, type and operand of a sent atomic count if the case gives them.
//! * Any of the alternatives in `also_accept` will do; what one does not say is as in `expect`.
//! * What `expect` does not say, of a node or at all, is not compared (`complete`).

use super::expect::{AckKind, EventResult, NodeResult, Results};
use crate::cases::{NotRun, differences, to_value};
use crate::portals::{EventKind, NiFail, Placed, only_auto_free_floats};

/// One line for each value that is not as expected; empty if it is, or is as one of the alternatives.
pub(super) fn compare(
    expected: &Results,
    alternatives: &[Results],
    got: &Results,
) -> Result<Vec<String>, NotRun> {
    let wrong = compare_one(expected, got)?;
    for alternative in alternatives {
        if wrong.is_empty() || compare_one(alternative, got)?.is_empty() {
            return Ok(Vec::new());
        }
    }
    Ok(wrong)
}

fn compare_one(expected: &Results, got: &Results) -> Result<Vec<String>, NotRun> {
    let (mut expected, mut got) = (expected.clone(), got.clone());
    for (rank, node) in &mut got {
        normalise(node);
        if let Some(expected) = expected.get_mut(rank) {
            normalise(expected);
            if only_auto_free_floats(&expected.events, &node.events) {
                node.events.clone_from(&expected.events);
            }
            for (sent, expected) in node.sent.iter_mut().zip(&expected.sent) {
                sent.aop = sent.aop.filter(|_| expected.aop.is_some());
                sent.dtype = sent.dtype.filter(|_| expected.dtype.is_some());
                sent.operand = sent.operand.take().filter(|_| expected.operand.is_some());
            }
        }
    }
    Ok(differences(&to_value(&expected)?, &to_value(&got)?))
}

/// Brings what means the same to the same form.
fn normalise(node: &mut NodeResult) {
    node.returns.retain(|code| code != "OK");
    node.pending.retain(|_, count| *count != 0);
    for ack in &mut node.acks {
        let carried = match ack.kind {
            AckKind::OcAck => 0,
            AckKind::CtAck => 1,
            AckKind::Ack => 2,
            AckKind::Reply => 3,
        };
        ack.ni_fail = (carried > 0).then(|| ack.ni_fail.unwrap_or_default());
        ack.mlength = (carried > 0).then(|| ack.mlength.unwrap_or_default());
        ack.moffset = (carried > 1).then(|| ack.moffset.unwrap_or_default());
        ack.data = (carried > 2).then(|| ack.data.take().unwrap_or_default());
    }
    for event in &mut node.events {
        let ni_fail = event.ni_fail.unwrap_or_default();
        event.ni_fail = Some(ni_fail);
        if event.kind == EventKind::Search && ni_fail == NiFail::NoMatch {
            *event = EventResult {
                pt: event.pt,
                user_ptr: event.user_ptr.take(),
                ni_fail: event.ni_fail,
                ..EventResult::of_kind(event.kind)
            };
        }
    }
}

impl Placed for EventResult {
    fn kind(&self) -> EventKind {
        self.kind
    }

    fn same_entry(&self, other: &Self) -> bool {
        (self.pt, &self.user_ptr) == (other.pt, &other.user_ptr)
    }
}
