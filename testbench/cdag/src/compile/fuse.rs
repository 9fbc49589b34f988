//! Pass 5: an operation on what has come in becomes an ATOMIC of the sender.
//!
//! A receive into scratch memory and an operation from there become one message that is combined where it lands;
//! without the pass the operation is an ATOMIC of the rank to itself.
//!
//! *Proof obligation:* the operation may happen as soon as the message is there. So the operation waits for the receive
//! and for nothing else, and the receive for nothing. Nobody else sees the scratch bytes: no other node touches them,
//! no other node waits for the receive. Uses of the target are ordered against the operation by the graph; they wait
//! for it, or have ended before the sender starts, since nothing else comes before it.

use super::net::{Net, What};
use super::{Flaw, Options};

/// Joins what can be joined.
pub(super) fn apply(net: &mut Net, options: &Options) {
    let dependents = net.dependents();
    let mut of_rank = vec![Vec::new(); net.ranks()];
    for (number, node) in net.nodes.iter().enumerate() {
        of_rank[node.rank].push(number);
    }
    for op in 0..net.nodes.len() {
        let What::Local {
            from,
            into,
            arithmetic: Some(arithmetic),
        } = net.nodes[op].what
        else {
            continue;
        };
        let rank = net.nodes[op].rank;
        let lands = |number: &&usize| matches!(net.nodes[**number].what, What::Recv { into, arithmetic: None, .. } if into == from);
        let Some(recv) = net.nodes[op].after.iter().find(lands).copied() else {
            continue;
        };
        let only_waits = net.nodes[op].after.len() == 1 || options.flaw == Some(Flaw::FusesAll);
        let alone = of_rank[rank]
            .iter()
            .all(|number| *number == op || *number == recv || !net.nodes[*number].touches(from));
        let unseen = net.graph.is_scratch(rank, from) && dependents[recv] == [op];
        if !(only_waits && alone && unseen && net.nodes[recv].after.is_empty()) {
            continue;
        }
        let What::Recv { send, .. } = net.nodes[recv].what else {
            continue;
        };
        net.nodes[recv].what = What::Recv {
            into,
            send,
            arithmetic: Some(arithmetic),
        };
        net.nodes[op].what = What::Gone;
        net.nodes[op].after.clear();
        for dependent in &dependents[op] {
            let after = &mut net.nodes[*dependent].after;
            after
                .iter_mut()
                .filter(|before| **before == op)
                .for_each(|before| *before = recv);
        }
    }
}
