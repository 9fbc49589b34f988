//! `Board`: what stations report to all others besides the network, as programs that meet at a barrier do.
//!
//! What is posted in an epoch is on the board when the next one begins. An epoch may end anywhere up to the next
//! multiple of the lookahead ([`Board::opens`]), so a reader that acts there and not before acts in the same cycle
//! whatever the epoch.

use std::collections::BTreeMap;

/// A station has come to a topic.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Post {
    /// What it is about.
    pub topic: u32,
    /// Cycle in which it was posted.
    pub cycle: u64,
}

/// What has been posted, by topic: how often, and the cycle of the last post.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Board {
    topics: BTreeMap<u32, (usize, u64)>,
}

impl Board {
    /// Adds a post. The order of posts does not matter.
    pub fn add(&mut self, post: Post) {
        let (count, last) = self.topics.entry(post.topic).or_default();
        *count += 1;
        *last = post.cycle.max(*last);
    }

    /// Cycle from which on those may go on that wait until a topic has so many posts: the first multiple of `lookahead`
    /// after the last of them. `None`: some are missing.
    ///
    /// ```
    /// use xtq_testbench::network::{Board, Post};
    ///
    /// let mut board = Board::default();
    /// board.add(Post { topic: 1, cycle: 60 });
    /// assert_eq!(board.opens(1, 2, 30), None);
    /// board.add(Post { topic: 1, cycle: 41 });
    /// assert_eq!(board.opens(1, 2, 30), Some(90));
    /// ```
    pub fn opens(&self, topic: u32, posts: usize, lookahead: u64) -> Option<u64> {
        let (count, last) = self.topics.get(&topic)?;
        (*count >= posts).then(|| (last / lookahead + 1) * lookahead)
    }
}
