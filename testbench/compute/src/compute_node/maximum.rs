//! The maximum of a number over all nodes, by dissemination: whoever has heard of a number twice has the same maximum.
//!
//! A message is the number and a count of maxima, seven bytes: it travels in the entry of its call. Two sets of flags
//! take turns, because a neighbour may be one maximum ahead, never two.

use super::shmem::{FLAGS, Shmem};
use super::{HEAP, HOST_FLAGS, HOST_HEAP, HostCalls};

/// First line of a context's flags that maxima use; barriers have those below.
const FIRST: u64 = 5;
/// Counts wrap after so many bits.
const COUNT_BITS: u32 = 24;

/// Number of the flag of a round.
fn flag(count: u64, round: u64) -> u64 {
    2 * round + count % 2
}

/// Distances of the rounds.
fn distances(nodes: usize) -> impl Iterator<Item = (u64, usize)> {
    (0..)
        .map(|round| (round, 1usize << round))
        .take_while(move |(_, distance)| *distance < nodes)
}

fn message(count: u64, value: u32) -> u64 {
    (count & ((1 << COUNT_BITS) - 1)) << 32 | u64::from(value)
}

impl Shmem {
    /// The largest value that work-groups with this context's number have on any node; all have to ask.
    pub async fn maximum(&mut self, value: u32) -> u32 {
        self.maxima += 1;
        let (count, mut most) = (self.maxima, value);
        let flags = HEAP + self.queue.number * FLAGS + 64 * FIRST;
        for (round, distance) in distances(self.nodes()) {
            let at = flags + 64 * flag(count, round);
            let to = (self.pe() + distance) % self.nodes();
            self.p(at, message(count, most), 7, to).await;
            self.wait_until(at, message(count, 0)).await;
            most = most.max(self.load(at).await as u32);
        }
        most
    }
}

impl HostCalls {
    /// The largest value that programs of the hosts have on any node; one of each node asks.
    pub async fn maximum(&mut self, value: u32) -> u32 {
        self.maxima += 1;
        let (count, mut most) = (self.maxima, value);
        let flags = HOST_HEAP + 64 * HOST_FLAGS;
        for (round, distance) in distances(self.nodes()) {
            let at = flags + 64 * flag(count, round);
            let to = (self.pe() + distance) % self.nodes();
            self.p(at, message(count, most), 7, to).await;
            self.wait_until(at, message(count, 0)).await;
            most = most.max(self.load(at).await as u32);
        }
        most
    }
}
