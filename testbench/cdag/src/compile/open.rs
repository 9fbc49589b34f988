//! Receives from any source: the NIC that the messages come to finds their receives.
//!
//! Figure 6 of the paper appends the entries of a receive when it starts, and reports that to the sender. It can only
//! report to a rank that is known when the operation is posted, and a receive from any source knows none. (The paper's
//! receives name their source, section II.A.) So the entries of such a class are in the list before the schedule
//! starts, one for each receive, used once, in the order in which the receives start. The NIC gives a message to the
//! first that takes it. What may land early lands in a shadow buffer and is copied when its receive has started (figure
//! 7, without its matching beforehand).
//!
//! *Proof obligation: this is what MPI would match.* Let the receives of a rank start in the order of the list. When
//! each is matched on the spot, as MPI does, no message and receive are left that would both rather have each other:
//! the one an earlier message, the other an earlier receive. All messages agree on which receive is earlier, and all
//! receives on which message is, so there is one matching like that: the first receive that any message fits and the
//! first message that fits it have to be together, and so on with the rest. To offer each message the whole list when
//! it arrives gives such a matching, so it is that one. Messages of a rank arrive in the order in which they leave.
//!
//! *Rule 1, order of starts:* what a receive waits for, a later one of the list that competes for a message waits for
//! too. So they start in this order, as they did in the run that matched them. If each send of a class fits each
//! receive, no graph stops by it: the *j*-th receive waits for *j* messages, so by induction each run does all that the
//! run that matched did. In other classes the user has to see to it, as for every matching.
//!
//! *Rule 2, what stays open:* a class all of whose messages land at once or wait in shadow buffers. If one is too long
//! for that, all of it is matched beforehand: the paper's corollary, "otherwise pre-matching of messages is required".
//! So it is with `rendezvous` and `get`, and with long messages of more ranks than a context can have open, as pieces
//! would each need an entry.

use super::lower::{OPEN_MESSAGES, PACKET};
use super::net::Net;
use super::{Flaw, Options, Protocol};
use crate::choice::{Class, choices};
use crate::graph::Graph;
use crate::matching::Matching;
use std::collections::BTreeSet;

/// The classes that may stay open.
pub(super) fn classes(graph: &Graph, matching: &Matching, options: &Options) -> Vec<Class> {
    if matches!(options.protocol, Protocol::Rendezvous | Protocol::Get) {
        return Vec::new();
    }
    let is_crowd = |class: &Class| {
        let vertices = graph.vertices();
        let sends = class.sends.iter().map(|send| &vertices[send.0]);
        let long = sends.filter(|send| send.accesses().0.length > PACKET);
        long.map(|send| send.rank).collect::<BTreeSet<_>>().len() > OPEN_MESSAGES
    };
    let mut classes = choices(graph, matching);
    classes.retain(|class| !is_crowd(class));
    classes
}

/// Rule 1.
pub(super) fn order_starts(net: &mut Net, options: &Options) {
    if options.flaw == Some(Flaw::NoStartOrder) {
        return;
    }
    for class in net.open {
        for (place, later) in class.recvs.iter().enumerate() {
            for earlier in &class.recvs[..place] {
                if !class.compete(net.graph, *earlier, *later) {
                    continue;
                }
                for before in net.nodes[earlier.0].after.clone() {
                    if !net.nodes[later.0].after.contains(&before) {
                        net.nodes[later.0].after.push(before);
                    }
                }
            }
        }
    }
}
