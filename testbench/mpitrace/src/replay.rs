//! A trace as posts and arrivals: what a matcher sees, in the recorded order.
//!
//! A send is the arrival of its message: the traces do not record when a message came.

use crate::call::{Op, Place, Receive, Trace};
use crate::matcher::{Arrival, Matcher};
use std::collections::BTreeMap;

/// A post or an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A receive is posted.
    Post(Receive),
    /// A message arrives.
    Arrive(Arrival),
}

/// What happens at a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The rank whose lists are searched.
    pub rank: u32,
    /// What happens.
    pub what: Happening,
    /// The call that causes it.
    pub place: Place,
}

impl Trace {
    /// Its posts and arrivals, in order.
    pub fn events(&self) -> Vec<Event> {
        let of = |call: &crate::call::Call| {
            let (rank, what) = match call.op {
                Op::Send(message) => {
                    let arrival = Arrival {
                        from: call.rank,
                        tag: message.tag,
                        comm: message.comm,
                    };
                    (message.to, Happening::Arrive(arrival))
                }
                Op::Receive(receive) => (call.rank, Happening::Post(receive)),
                Op::Wait(_) | Op::Collective(..) | Op::OneSided(..) => return None,
            };
            let place = call.place;
            Some(Event { rank, what, place })
        };
        self.calls.iter().filter_map(of).collect()
    }
}

/// The same posts and arrivals without unexpected messages: a message that came too early comes right after its receive
/// was posted. Messages that no receive takes are left out.
///
/// This is the program that section 6.3.2.3 of the dissertation asks for, with the same pairs.
pub fn expected_only(ranks: u32, events: &[Event]) -> Vec<Event> {
    let mut matcher = Matcher::new(ranks);
    // Of each message that came too early: the receive that takes it.
    let mut early = BTreeMap::new();
    let mut waits = vec![false; events.len()];
    for (number, event) in events.iter().enumerate() {
        match event.what {
            Happening::Post(post) => {
                if let Some(message) = matcher.post(event.rank, post, number).partner {
                    early.insert(number, message);
                }
            }
            Happening::Arrive(message) => {
                let found = matcher.arrive(event.rank, message, number);
                waits[number] = found.partner.is_none();
            }
        }
    }
    let mut result = Vec::with_capacity(events.len());
    for (number, event) in events.iter().enumerate() {
        if !waits[number] {
            result.push(*event);
        }
        if let Some(&message) = early.get(&number) {
            result.push(events[message]);
        }
    }
    result
}
