//! The whole NIC as a matcher: a receive is a command in its ring, a message a packet of one beat from the network, and
//! what became of them stands in the event ring.

use super::streams::{Communicators, Numbers};
use super::{Came, Matcher, Played, Step};
use crate::host::{
    Event, EventKind, List, MatchEntry, Me, Process, ProcessConfig, Pt, Ring, me_option,
    portal_option, ptl_me_append, ptl_pt_alloc,
};
use crate::node::{Message, Node, NodeConfig, Top};
use std::collections::BTreeMap;
use xtq_engine::Error;
use xtq_mpi_trace::{Arrival, Happening, Post};

/// The portal entry with lists.
const LISTS: Pt = Pt(33);
/// Match entries of a context.
const ENTRIES: u64 = Top::LargeNic.shares().entries as u64;
/// The number of the overflow entry.
const POOL: u64 = ENTRIES - 1;
/// Its user pointer, which no step has.
const POOL_NAME: u64 = u64::MAX >> 1;
/// Places of the command ring.
const COMMANDS: u32 = 1024;
/// Places of the event ring.
const EVENTS: u32 = 4096;
/// Steps between two looks at the event ring, so that neither ring is ever full.
const TOGETHER: usize = 1000;
/// Cycles in which so many steps are done, however long the lists are.
const CYCLES: u64 = 4_000_000;

/// A NIC with a process that has a matching portal entry.
pub struct NicMatcher {
    node: Node,
    process: Process,
    entries: Numbers,
    /// Entries of the receives that wait, by the number of the post.
    posted: BTreeMap<usize, u64>,
    communicators: Communicators,
}

/// As an engine's error, which is what a matcher has.
fn failed(error: impl std::fmt::Display) -> Error {
    Error::BadDesign(format!("the NIC: {error}"))
}

impl NicMatcher {
    /// After set-up. Without `unexpected` a message without a receive is dropped. Errors: of the node.
    pub fn new(unexpected: bool) -> Result<Self, Error> {
        let config = NodeConfig {
            top: Top::LargeNic,
            ..NodeConfig::default()
        };
        let mut node = Node::new(&config).map_err(failed)?;
        let rings = ProcessConfig {
            commands: Ring {
                base: 0x1010_0000,
                size: COMMANDS,
            },
            events: Ring {
                base: 0x3800_0000,
                size: EVENTS,
            },
            ..ProcessConfig::default()
        };
        let mut process = Process::open(&mut node, 0, &rings).map_err(failed)?;
        let mut commands = vec![ptl_pt_alloc(LISTS, portal_option::MATCHING)];
        if unexpected {
            commands.push(ptl_me_append(&MatchEntry {
                me: Me(POOL as u16),
                pt_index: LISTS,
                list: List::Overflow,
                length: 1 << 20,
                options: me_option::OP_PUT | me_option::LINK_DISABLE,
                ignore_bits: u64::MAX,
                user_ptr: POOL_NAME,
                ..MatchEntry::default()
            }));
        }
        process.post_all(&mut node, &commands).map_err(failed)?;
        node.run_to_quiescence(CYCLES).map_err(failed)?;
        Ok(Self {
            node,
            process,
            entries: Numbers::below(if unexpected { POOL } else { ENTRIES }),
            posted: BTreeMap::new(),
            communicators: Communicators::default(),
        })
    }

    /// Sends a message, from the node of its rank.
    fn send(&mut self, number: usize, message: &Arrival) -> Result<(), Error> {
        let comm = self.communicators.number(message.comm)?;
        let tag = u64::from(message.tag as u32);
        self.node.send(&Message {
            source_node: message.from as u16,
            portal_index: LISTS.0,
            match_bits: comm << 48 | u64::from(message.from) << 32 | tag,
            header_data: number as u64,
            ..Message::put(number as u16, vec![])
        });
        Ok(())
    }

    /// The entry of a receive.
    fn entry(&mut self, number: usize, id: u64, post: &Post) -> Result<MatchEntry, Error> {
        let comm = self.communicators.number(post.comm)?;
        let from = u64::from(post.from.unwrap_or(0));
        let tag = u64::from(post.tag.unwrap_or(0) as u32);
        let any_source = if post.from.is_none() { 0xFFFF << 32 } else { 0 };
        let any_tag = if post.tag.is_none() { 0xFFFF_FFFF } else { 0 };
        Ok(MatchEntry {
            me: Me(id as u16),
            pt_index: LISTS,
            length: 1 << 20,
            options: me_option::OP_PUT | me_option::USE_ONCE | me_option::UNLINK_DISABLE,
            source_node: post.from.map(|from| from as u16),
            match_bits: comm << 48 | from << 32 | tag,
            ignore_bits: any_source | any_tag,
            user_ptr: number as u64,
            ..MatchEntry::default()
        })
    }

    /// Of which step an event speaks, and what it says of it.
    fn outcome(&mut self, event: &Event) -> Option<(usize, Came)> {
        let message = event.hdr_data as usize;
        let post = event.user_ptr()? as usize;
        if event.status != 0 {
            return None;
        }
        match (event.kind, event.list()) {
            (EventKind::Put, Some(List::Overflow)) => Some((message, Came::Waits)),
            (EventKind::Put, _) => {
                self.forget(post);
                Some((message, Came::Matched(post)))
            }
            (EventKind::PutOverflow, _) => {
                self.forget(post);
                Some((post, Came::Matched(message)))
            }
            (EventKind::Link, _) => Some((post, Came::Waits)),
            _ => None,
        }
    }

    /// The entry of a post is free again.
    fn forget(&mut self, post: usize) {
        if let Some(id) = self.posted.remove(&post) {
            self.entries.give(id);
        }
    }

    /// Steps of one kind; what became of them, by number, and the cycles from their packets or their doorbell to the
    /// last event.
    fn together(&mut self, steps: &[Step]) -> Result<(BTreeMap<usize, Came>, u64), Error> {
        let mut commands = vec![];
        for (number, what) in steps {
            match what {
                Happening::Arrive(message) => self.send(*number, message)?,
                Happening::Post(post) => {
                    // Without a number for it, it is refused.
                    let Some(id) = self.entries.take(*number) else {
                        continue;
                    };
                    self.posted.insert(*number, id);
                    commands.push(ptl_me_append(&self.entry(*number, id, post)?));
                }
            }
        }
        let begin = self.node.cycle_count();
        let logged = self.node.memory.log().len();
        if !commands.is_empty() {
            let posted = self.process.post_all(&mut self.node, &commands);
            posted.map_err(failed)?;
        }
        self.node.run_to_quiescence(CYCLES).map_err(failed)?;
        let log = self.node.memory.log()[logged..].iter();
        let last = log.map(|write| write.w_cycle).max().unwrap_or(begin);
        let events = self.process.events(&mut self.node).map_err(failed)?;
        let came = events.iter().filter_map(|event| self.outcome(event));
        Ok((came.collect(), last - begin))
    }
}

impl Matcher for NicMatcher {
    /// Posts and arrivals of one kind, as many as follow each other, together; those after them when they are done. So
    /// the order is that of the steps, which command ring and network alone would not keep. No more receives than there
    /// are entries are posted together: some may find a message, and their entries are free then.
    fn play(&mut self, steps: &[Step]) -> Result<Played, Error> {
        let (mut came, mut cycles) = (vec![], 0);
        let posts = |step: &Step| matches!(step.1, Happening::Post(_));
        for kind in steps.chunk_by(|one, next| posts(one) == posts(next)) {
            let mut rest = kind;
            while !rest.is_empty() {
                let most = match &rest[0].1 {
                    Happening::Post(_) => self.entries.free().clamp(1, TOGETHER),
                    Happening::Arrive(_) => TOGETHER,
                };
                let part;
                (part, rest) = rest.split_at(most.min(rest.len()));
                let (what, took) = self.together(part)?;
                let of = |step: &Step| what.get(&step.0).copied().unwrap_or(Came::Refused);
                came.extend(part.iter().map(of));
                cycles += took;
            }
        }
        Ok(Played { came, cycles })
    }
}
