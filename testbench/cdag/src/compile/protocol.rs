//! Pass 1, and the protocols for what it does not cover (figures 5, 7 and 8 of the paper).
//!
//! A message must not land before its receive has started. Four ways lead there; messages whose receive the NIC finds
//! ([`open`](super::open)) have the first two.
//!
//! * **Direct** (pass 1, *no ready-to-receive*): the entry is there before the schedule starts; the sender waits for
//!   nothing. *Proof obligation:* nobody can notice that the bytes landed early. Each use of these bytes by the
//!   receiver either waits for the receive, or has ended before the sender starts. And what waits for the receive waits
//!   for all that the receive waited for; those edges move on.
//! * **Eager** (figure 7): the message lands in a shadow buffer of its own, which nobody else uses, so directly. A copy
//!   to the user's bytes waits for it and for all that the receive waits for.
//! * **Rendezvous** (figure 5): a message without bytes reports to the sender that the receive has started. The sender
//!   waits for it, so every earlier use of the bytes has ended before the sender starts, and the message may be direct.
//! * **Get** (figure 4, sender-initiated): a message without bytes says that the sender has started. The receiver
//!   fetches the bytes when it has started too; the send has completed when they have been given.

use super::net::{Net, What};
use super::{Flaw, Options, Protocol};
use crate::choice::Class;
use crate::error::GraphError;
use crate::graph::Slice;

/// How the message of a receive is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Direct,
    Eager,
    Rendezvous,
    Get,
}

/// An open class of the net that cannot stay open: a message of it would have to wait at its sender. Errors: none that
/// [`apply`] has not.
pub(super) fn too_long(net: &Net, options: &Options) -> Result<Option<usize>, GraphError> {
    let ways = ways(net, options)?;
    let waits = |class: &Class| {
        let mut recvs = class.recvs.iter();
        recvs.any(|recv| matches!(ways[recv.0], Some(Way::Rendezvous | Way::Get)))
    };
    Ok(net.open.iter().position(waits))
}

/// Chooses a way for each receive and rewrites the net, after which all receives are direct. Errors: with rendezvous a
/// sender waits for a receiver that waits for it.
pub(super) fn apply(net: &mut Net, options: &Options) -> Result<(), GraphError> {
    let ways = ways(net, options)?;
    let sorted = net.sorted()?;
    let literal = options.protocol.is_literal();
    for recv in sorted {
        match ways[recv] {
            None => {}
            Some(Way::Direct) => post_before(net, recv),
            Some(Way::Eager) => eager(net, recv, literal),
            Some(Way::Rendezvous) => rendezvous(net, recv, literal),
            Some(Way::Get) => get(net, recv),
        }
    }
    if options.protocol == Protocol::Unmatched {
        return all_wait(net);
    }
    net.sorted().map(|_| ())
}

/// Errors: a sender waits for a receiver that waits for it, if all messages wait at their senders.
fn all_wait(net: &Net) -> Result<(), GraphError> {
    let mut waits = net.clone();
    for recv in net.sorted()? {
        rendezvous(&mut waits, recv, false);
    }
    waits.sorted().map(|_| ())
}

fn ways(net: &Net, options: &Options) -> Result<Vec<Option<Way>>, GraphError> {
    let sorted = net.sorted()?;
    let orders = net.orders(&sorted);
    let mut of_rank = vec![Vec::new(); net.ranks()];
    sorted
        .iter()
        .for_each(|number| of_rank[net.nodes[*number].rank].push(*number));
    let mut ways = vec![None; net.nodes.len()];
    for recv in &sorted {
        let node = &net.nodes[*recv];
        let into = match node.what {
            What::Recv { into, .. } | What::Catch { into, .. } => into,
            _ => continue,
        };
        let sends = match &node.what {
            What::Recv { send, .. } => std::slice::from_ref(send),
            _ => &net.sends[node.origin.0],
        };
        let order = &orders[node.rank];
        let may_land_early = |other: &usize| {
            let is_use = *other != *recv && net.nodes[*other].touches(into);
            let waits = match net.nodes[*other].is_passive() {
                // What lands there later is sent when this one has landed.
                true => order.before_end(*recv, *other),
                false => order.before_begin(*recv, *other),
            };
            let before_all = sends.iter().all(|send| order.before_begin(*other, *send));
            !is_use || waits || before_all
        };
        let buffered = match into.length <= options.eager {
            true => Way::Eager,
            false => Way::Rendezvous,
        };
        ways[*recv] = Some(match options.protocol {
            Protocol::Rendezvous => Way::Rendezvous,
            Protocol::Eager => Way::Eager,
            Protocol::Get if into.length > 0 => Way::Get,
            Protocol::Get => Way::Direct,
            // The NICs do it (figure 6).
            Protocol::Unmatched if matches!(node.what, What::Recv { .. }) => continue,
            Protocol::Literal | Protocol::Unmatched => buffered,
            Protocol::Auto if options.flaw == Some(Flaw::AlwaysDirect) => Way::Direct,
            Protocol::Auto if of_rank[node.rank].iter().all(may_land_early) => Way::Direct,
            Protocol::Auto => buffered,
        });
    }
    Ok(ways)
}

/// The receive is there from the start; what it waited for its dependents wait for now.
fn post_before(net: &mut Net, recv: usize) {
    let after = std::mem::take(&mut net.nodes[recv].after);
    if after.is_empty() {
        return;
    }
    for node in net
        .nodes
        .iter_mut()
        .filter(|node| node.after.contains(&recv))
    {
        for before in &after {
            if !node.after.contains(before) {
                node.after.push(*before);
            }
        }
    }
}

fn eager(net: &mut Net, recv: usize, joins: bool) {
    let (into, arithmetic) = match net.nodes[recv].what {
        What::Recv {
            into, arithmetic, ..
        } => (into, arithmetic),
        What::Catch { into, .. } => (into, None),
        _ => return,
    };
    let shadow = net.allocate(net.nodes[recv].rank, into.length);
    let mut after = std::mem::take(&mut net.nodes[recv].after);
    after.push(recv);
    net.nodes[recv].what = match net.nodes[recv].what {
        What::Recv { send, .. } => What::Recv {
            into: shadow,
            send,
            arithmetic: None,
        },
        What::Catch { takes, .. } => What::Catch {
            into: shadow,
            takes,
        },
        other => other,
    };
    net.nodes[recv].joins = joins;
    let copy = What::Local {
        from: shadow,
        into,
        arithmetic,
    };
    let copy = net.add(recv, copy, after);
    for (number, node) in net.nodes.iter_mut().enumerate() {
        if number != copy {
            node.after
                .iter_mut()
                .filter(|before| **before == recv)
                .for_each(|before| *before = copy);
        }
    }
}

fn rendezvous(net: &mut Net, recv: usize, joins: bool) {
    let What::Recv { send, .. } = net.nodes[recv].what else {
        return;
    };
    let after = std::mem::take(&mut net.nodes[recv].after);
    let none = Slice::default();
    let ready = net.nodes.len();
    let to = ready + 1;
    net.add(recv, What::Send { from: none, to }, after);
    let came = What::Recv {
        into: none,
        send: ready,
        arithmetic: None,
    };
    net.add(send, came, Vec::new());
    net.nodes[to].joins = joins;
    net.nodes[send].after.push(to);
}

fn get(net: &mut Net, recv: usize) {
    let What::Recv { into, send, .. } = net.nodes[recv].what else {
        return;
    };
    let What::Send { from, .. } = net.nodes[send].what else {
        return;
    };
    let after = std::mem::take(&mut net.nodes[send].after);
    let none = Slice::default();
    let header = net.nodes.len();
    let to = header + 1;
    net.add(send, What::Send { from: none, to }, after);
    let came = What::Recv {
        into: none,
        send: header,
        arithmetic: None,
    };
    net.add(recv, came, Vec::new());
    net.nodes[send].what = What::Serve { from, fetch: recv };
    net.nodes[recv].what = What::Fetch { into, serve: send };
    net.nodes[recv].after.push(to);
}
