//! Pass 3, *count sharing*: messages from one rank to another that arrive in a known order share a counter, with
//! thresholds 1, 2, and so on.
//!
//! *Proof obligation:* the messages of a stream leave in its order. What leaves in an order arrives and is counted in
//! it: a context's commands are executed as they fired, one message leaves after the other, the network keeps the order
//! of a pair, and completions are in order (`docs/network.md`, `docs/initiator.md`). Message x leaves after y if
//!
//! 1. both wait for the same, and y is posted before x; or
//! 2. x waits for something that comes after y has left; or
//! 3. y waits for one thing, which a counter reports directly, and x waits for that too or for something that implies
//!    it. With more than one thing, y would be released through another counter, and x might overtake it meanwhile.
//!
//! A rank with one stream from one other rank counts it on its start counter. The first message of another rank is as
//! good as the start: it proves that all ranks have started. So a threshold of 1 is the start, and with n more at least
//! n messages have come.
//!
//! A message whose receive the NIC finds is a stream of its own, as another may have come in its place.
//!
//! Work of a host and tasks of a GPU are in no stream: each counts on a counter of its own, as a send does.

use super::net::{Net, What};
use super::{Flaw, Options};
use crate::order::Order;
use std::collections::BTreeMap;

/// Something that a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// The schedule has started on this rank.
    Start,
    /// The message of a receive, or of a local operation, has landed.
    Arrived(usize),
    /// All bytes of a send have been read, or what is fetched is there: its own descriptor counts it. Or a host has
    /// worked or a GPU has combined: they count.
    Sent(usize),
    /// A send without bytes may leave: that is also its end.
    Begun(usize),
}

impl Event {
    /// The node.
    fn node(self) -> Option<usize> {
        match self {
            Self::Start => None,
            Self::Arrived(node) | Self::Sent(node) | Self::Begun(node) => Some(node),
        }
    }
}

/// Messages to a rank that arrive in order.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// The rank that they come to.
    pub(super) rank: usize,
    /// The node that sends the last of them.
    last: usize,
    /// Messages, pieces counted one by one.
    pub(super) total: u64,
    /// Its message has an entry of its own.
    pub(super) alone: bool,
}

/// What every node waits for, and the streams.
pub(super) struct Streams {
    /// By node; empty for receives.
    pub(super) waits: Vec<Vec<Event>>,
    /// What the end of a rank waits for.
    pub(super) done: Vec<Vec<Event>>,
    pub(super) streams: Vec<Stream>,
    /// Of a receive or a local operation: its stream, and how many messages of it have come when it is complete.
    pub(super) place: Vec<Option<(usize, u64)>>,
    /// The stream that is counted with the start of a rank.
    pub(super) with_start: Vec<Option<usize>>,
}

/// Finds the streams of all ranks. `pieces` says how many messages a node's is.
pub(super) fn find(
    net: &Net,
    sorted: &[usize],
    orders: &[Order],
    pieces: &[u64],
    options: &Options,
) -> Streams {
    let mut waits = vec![Vec::new(); net.nodes.len()];
    let mut of_rank = vec![Vec::new(); net.ranks()];
    for number in sorted {
        let node = &net.nodes[*number];
        of_rank[node.rank].push(*number);
        if !node.is_passive() {
            waits[*number] = events(net, &orders[node.rank], &node.after);
        }
    }
    let done = of_rank.iter().enumerate();
    let done = done
        .map(|(rank, all)| events(net, &orders[rank], all))
        .collect();
    let mut may_share = sources(net)
        .into_iter()
        .map(|sources| sources.len() == 1)
        .collect::<Vec<_>>();
    loop {
        let mut finder = Finder {
            net,
            orders,
            waits: &waits,
            may_share: &may_share,
            streams: Vec::new(),
            place: vec![None; net.nodes.len()],
            of_pair: BTreeMap::new(),
            with_start: vec![None; net.ranks()],
        };
        match sorted
            .iter()
            .find_map(|number| finder.add(*number, pieces, options))
        {
            // A second stream: what was concluded from there being one is void.
            Some(rank) => may_share[rank] = false,
            None => {
                let Finder {
                    streams,
                    place,
                    with_start,
                    ..
                } = finder;
                return Streams {
                    waits,
                    done,
                    streams,
                    place,
                    with_start,
                };
            }
        }
    }
}

/// The other ranks that send to each rank.
fn sources(net: &Net) -> Vec<Vec<usize>> {
    let mut sources = vec![Vec::new(); net.ranks()];
    for node in &net.nodes {
        if let What::Send { to, .. } = node.what {
            let target = net.nodes[to].rank;
            if !sources[target].contains(&node.rank) {
                sources[target].push(node.rank);
            }
        }
    }
    sources
}

/// What waiting for these nodes of a rank means, without what the rest implies. Waiting for nothing is the start.
fn events(net: &Net, order: &Order, after: &[usize]) -> Vec<Event> {
    let implied = |node: &usize| {
        after
            .iter()
            .any(|other| other != node && order.before_end(*node, *other))
    };
    let left = after.iter().filter(|node| !implied(node));
    let mut events: Vec<Event> = left.map(|node| event(net, *node)).collect();
    if events.is_empty() {
        events.push(Event::Start);
    }
    events.sort_unstable();
    events.dedup();
    events
}

fn event(net: &Net, node: usize) -> Event {
    match net.nodes[node].what {
        What::Send { from, .. } | What::Cast { from, .. } if from.length > 0 => Event::Sent(node),
        What::Send { .. } | What::Cast { .. } => Event::Begun(node),
        What::Fetch { .. } | What::Work { .. } | What::Task { .. } => Event::Sent(node),
        _ => Event::Arrived(node),
    }
}

struct Finder<'a> {
    net: &'a Net<'a>,
    orders: &'a [Order],
    waits: &'a [Vec<Event>],
    may_share: &'a [bool],
    streams: Vec<Stream>,
    place: Vec<Option<(usize, u64)>>,
    of_pair: BTreeMap<(usize, usize), Vec<usize>>,
    with_start: Vec<Option<usize>>,
}

impl Finder<'_> {
    /// Puts the message of a sender into a stream. Gives the target's rank if that makes a second stream of a rank that
    /// shall have one.
    fn add(&mut self, sender: usize, pieces: &[u64], options: &Options) -> Option<usize> {
        let lands = match self.net.nodes[sender].what {
            What::Send { to, .. } => to,
            What::Local { .. } => sender,
            What::Fetch { serve, .. } => serve,
            What::Catch { .. } => {
                self.place[sender] = Some((self.streams.len(), 1));
                self.streams.push(Stream {
                    rank: self.net.nodes[sender].rank,
                    last: sender,
                    total: 1,
                    alone: true,
                });
                return None;
            }
            What::Recv { .. }
            | What::Cast { .. }
            | What::Serve { .. }
            | What::Work { .. }
            | What::Task { .. }
            | What::Gone => return None,
        };
        let (source, rank) = (self.net.nodes[sender].rank, self.net.nodes[lands].rank);
        let asks = matches!(self.net.nodes[sender].what, What::Fetch { .. });
        let of_pair = self.of_pair.entry((source, rank)).or_default().clone();
        let follows = |stream: &usize| {
            options.flaw == Some(Flaw::OneStream)
                || self.leaves_after(sender, self.streams[*stream].last)
        };
        let found = of_pair.iter().copied().find(follows);
        // A GET is counted when its bytes have been given, so it keeps no order with puts.
        let found = found.filter(|_| !asks);
        let stream = found.unwrap_or(self.streams.len());
        if found.is_none() {
            self.streams.push(Stream {
                rank,
                last: sender,
                total: 0,
                alone: false,
            });
            if !asks {
                self.of_pair.entry((source, rank)).or_default().push(stream);
            }
            if source != rank
                && !asks
                && self.may_share[rank]
                && self.with_start[rank].replace(stream).is_some()
            {
                return Some(rank);
            }
        }
        let stream_state = &mut self.streams[stream];
        stream_state.last = sender;
        stream_state.total += pieces[lands];
        self.place[lands] = Some((stream, stream_state.total));
        None
    }

    /// Whether `second` leaves after `first`, both of one rank.
    fn leaves_after(&self, second: usize, first: usize) -> bool {
        let (before, after) = (&self.waits[first], &self.waits[second]);
        let order = &self.orders[self.net.nodes[first].rank];
        let has_left = |event: &Event| match *event {
            Event::Start => false,
            Event::Begun(node) => node == first || order.before_begin(first, node),
            Event::Arrived(node) | Event::Sent(node) => {
                node == first || order.before_end(first, node)
            }
        };
        let told_directly = match before[..] {
            [one] => after
                .iter()
                .any(|event| self.implies(*event, one, after.len() == 1)),
            _ => false,
        };
        before == after || after.iter().any(has_left) || told_directly
    }

    /// Whether `event` comes after `other`, which its rank's counters report directly. `alone`: nothing else is waited
    /// for beside `event`, so a stream that is counted with the start is counted there.
    fn implies(&self, event: Event, other: Event, alone: bool) -> bool {
        if event == other {
            return !matches!(other, Event::Begun(_));
        }
        let Some(node) = event.node() else {
            return false;
        };
        let rank = self.net.nodes[node].rank;
        let order = &self.orders[rank];
        let place = match event {
            Event::Arrived(node) => self.place[node],
            _ => None,
        };
        match other {
            Event::Start => {
                let with_start = self.with_start[rank];
                let shares = place.is_some_and(|(stream, _)| with_start == Some(stream));
                order.start_before_end(node) || alone && shares
            }
            Event::Arrived(earlier) => {
                let same_stream = match (self.place[earlier], place) {
                    (Some((one, before)), Some((other, after))) => one == other && before <= after,
                    _ => false,
                };
                order.before_end(earlier, node) || same_stream
            }
            // Its count may come later than what it allows.
            Event::Sent(_) | Event::Begun(_) => false,
        }
    }
}
