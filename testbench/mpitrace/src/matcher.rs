//! The naive MPI matcher: two lists for each rank, searched from the oldest.
//!
//! It is the oracle of the matching hardware and shares no code with it. A receive matches a message if communicator,
//! source and tag are equal, or source and tag are wildcards of the receive. The oldest that matches is taken: receives
//! by their posting, messages by their arrival.

use crate::call::Receive;

/// A message as its receiver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// World rank of the sender.
    pub from: u32,
    /// Tag.
    pub tag: i32,
    /// Communicator.
    pub comm: u64,
}

/// A receive with the wildcards that only receives have.
pub type Post = Receive;

impl Post {
    /// Whether it takes this message.
    pub fn takes(&self, message: &Arrival) -> bool {
        self.comm == message.comm
            && self.from.is_none_or(|from| from == message.from)
            && self.tag.is_none_or(|tag| tag == message.tag)
    }
}

/// What a post or an arrival came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its partner, by the number given with it; `None`: it waits now.
    pub partner: Option<usize>,
    /// Entries of the list that was searched.
    pub length: usize,
    /// Entries looked at: up to and with the one that matched, or all.
    pub depth: usize,
}

#[derive(Clone, Debug, Default)]
struct Queues {
    posted: Vec<(Post, usize)>,
    unexpected: Vec<(Arrival, usize)>,
}

/// The lists of all ranks.
#[derive(Clone, Debug)]
pub struct Matcher(Vec<Queues>);

impl Matcher {
    /// Empty lists of so many ranks.
    pub fn new(ranks: u32) -> Self {
        Self(vec![Queues::default(); ranks as usize])
    }

    /// A receive is posted at `rank`: it takes the oldest unexpected message, or waits.
    pub fn post(&mut self, rank: u32, post: Post, number: usize) -> Found {
        let Queues { posted, unexpected } = &mut self.0[rank as usize];
        let at = unexpected
            .iter()
            .position(|(message, _)| post.takes(message));
        let found = found(at, unexpected);
        if found.partner.is_none() {
            posted.push((post, number));
        }
        found
    }

    /// A message arrives at `rank`: the oldest receive takes it, or it is unexpected.
    pub fn arrive(&mut self, rank: u32, message: Arrival, number: usize) -> Found {
        let Queues { posted, unexpected } = &mut self.0[rank as usize];
        let at = posted.iter().position(|(post, _)| post.takes(&message));
        let found = found(at, posted);
        if found.partner.is_none() {
            unexpected.push((message, number));
        }
        found
    }

    /// Receives that wait at a rank, oldest first.
    pub fn posted(&self, rank: u32) -> impl Iterator<Item = usize> {
        self.0[rank as usize]
            .posted
            .iter()
            .map(|(_, number)| *number)
    }

    /// Unexpected messages of a rank, oldest first.
    pub fn unexpected(&self, rank: u32) -> impl Iterator<Item = usize> {
        self.0[rank as usize]
            .unexpected
            .iter()
            .map(|(_, number)| *number)
    }
}

/// Removes what was found; the order of the rest stays.
fn found<T>(at: Option<usize>, list: &mut Vec<(T, usize)>) -> Found {
    let length = list.len();
    Found {
        partner: at.map(|at| list.remove(at).1),
        length,
        depth: at.map_or(length, |at| at + 1),
    }
}
