//! The matchers of the hardware, each alone, and the one in the NIC: receives and messages go in, partners come out,
//! with the cycles it took.
//!
//! A [`Matcher`] is one block on the JIT, in one context with one portal entry. It keeps the order of what goes in, so
//! what comes out can be compared with the naive [`xtq_mpi_trace::Matcher`] one by one.

mod hash;
mod list;
mod nic;
mod streams;

pub use hash::HashMatcher;
pub use list::ListMatcher;
pub use nic::NicMatcher;

use crate::node::Top;
use std::sync::Arc;
use xtq_engine::{Backend, Body, Error, blocks};
use xtq_mpi_trace::{Happening, Post};

/// What became of a post or an arrival, when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It has found its partner, by the number given with that.
    Matched(usize),
    /// It waits.
    Waits,
    /// The matcher had no place for it.
    Refused,
}

/// What became of some posts and arrivals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Each of them, in order.
    pub came: Vec<Came>,
    /// Cycles from the first to the last outcome.
    pub cycles: u64,
}

impl Played {
    /// How many have found their partner.
    pub fn matches(&self) -> usize {
        let matched = |came: &&Came| matches!(came, Came::Matched(_));
        self.came.iter().filter(matched).count()
    }

    /// How many were refused.
    pub fn refused(&self) -> usize {
        self.came
            .iter()
            .filter(|came| **came == Came::Refused)
            .count()
    }
}

/// A post or an arrival with the number by which its partner knows it.
pub type Step = (usize, Happening);

/// A matcher of the hardware.
pub trait Matcher {
    /// Posts and arrivals, one after the other, each as soon as the matcher takes it. Errors: of the engine, or nothing
    /// comes out any more.
    fn play(&mut self, steps: &[Step]) -> Result<Played, Error>;

    /// The oldest message that waits and that this receive would take; with `take` it is gone. Errors: as of
    /// [`play`](Self::play); the matcher does not [search](Kind::searches).
    fn search(&mut self, wanted: &Post, take: bool) -> Result<Option<usize>, Error> {
        let _ = (wanted, take);
        Err(no_search())
    }

    /// Cancels the receive of this number; whether it still waited. Errors: as of [`search`](Self::search).
    fn cancel(&mut self, number: usize) -> Result<bool, Error> {
        let _ = number;
        Err(no_search())
    }
}

fn no_search() -> Error {
    Error::BadDesign("this matcher neither searches nor cancels".into())
}

/// The kinds of matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `MatchUnit`: lists, with all of MPI's rules.
    List,
    /// `PartitionedMatch`: four lists, among which the senders are shared out, without receives from any sender.
    Partitioned,
    /// `HashMatch`: a hash table, without wildcards, in any order of different keys. It holds numbers only.
    Hash,
    /// `ExactMatch`: the table with the entries, headers and commands of a match unit.
    Exact,
    /// The whole NIC in the large configuration, which has a `MatchUnit`.
    Nic,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::List,
        Self::Partitioned,
        Self::Hash,
        Self::Exact,
        Self::Nic,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Partitioned => "partitioned",
            Self::Hash => "hash",
            Self::Exact => "exact",
            Self::Nic => "NIC",
        }
    }

    /// Block whose size is measured.
    pub fn block(self) -> &'static str {
        match self {
            Self::List => "match_unit_2",
            Self::Partitioned => "partitioned_match",
            Self::Hash => "hash_match",
            Self::Exact => "exact_match",
            Self::Nic => Top::LargeNic.block(),
        }
    }

    /// Receives that a context can have posted, and messages of one sender that can wait. With `unexpected` all but the
    /// hash matcher have one receive less.
    pub fn room(self) -> usize {
        Top::LargeNic.shares().entries.into()
    }

    /// Whether messages can be searched for, and receives be cancelled; in the NIC they are by other commands.
    pub fn searches(self) -> bool {
        self != Self::Nic
    }

    /// Whether it takes this receive.
    pub fn takes(self, post: &Post) -> bool {
        match self {
            Self::List | Self::Nic => true,
            Self::Partitioned => post.from.is_some(),
            Self::Hash | Self::Exact => post.from.is_some() && post.tag.is_some(),
        }
    }

    /// Its code, for any number of [`build`](Self::build). Errors: the program does not have the block.
    pub fn body(self) -> Result<Arc<Body>, Error> {
        blocks::body(self.block(), 0, Backend::Jit)
    }

    /// One with nothing in it; `unexpected`: messages without a receive wait, else all but the hash matcher refuse
    /// them. Errors: of the engine.
    pub fn build(self, body: &Arc<Body>, unexpected: bool) -> Result<Box<dyn Matcher>, Error> {
        Ok(match self {
            Self::List | Self::Partitioned | Self::Exact => {
                Box::new(ListMatcher::new(body, unexpected)?)
            }
            Self::Hash => Box::new(HashMatcher::new(body)?),
            Self::Nic => Box::new(NicMatcher::new(unexpected)?),
        })
    }
}
