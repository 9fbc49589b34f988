//! Queue lengths and search depths, by the method of section 4.3.3: the lists of each rank are rebuilt at every post
//! and arrival, and the list that is searched is measured.

use crate::matcher::{Found, Matcher};
use crate::replay::{Event, Happening};

/// Values with their quartiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// How many values.
    pub count: usize,
    /// Smallest, first quartile, median, third quartile, largest; all 0 without values.
    pub quartiles: [usize; 5],
    /// Mean; 0 without values.
    pub mean: f64,
}

impl Distribution {
    /// Of these values.
    pub fn of(mut values: Vec<usize>) -> Self {
        values.sort_unstable();
        let count = values.len();
        if count == 0 {
            return Self::default();
        }
        let at = |quarter: usize| values[(count - 1) * quarter / 4];
        Self {
            count,
            quartiles: [0, 1, 2, 3, 4].map(at),
            mean: values.iter().sum::<usize>() as f64 / count as f64,
        }
    }

    /// The median.
    pub fn median(&self) -> usize {
        self.quartiles[2]
    }
}

/// What the lists of a trace look like.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueStatistics {
    /// Posts.
    pub posts: usize,
    /// Arrivals.
    pub arrivals: usize,
    /// Arrivals that found no receive.
    pub unexpected: usize,
    /// Pairs.
    pub matches: usize,
    /// Receives without a message at the end.
    pub receives_left: usize,
    /// Messages without a receive at the end.
    pub messages_left: usize,
    /// Posted receives when a message arrives.
    pub posted_length: Distribution,
    /// Of them, looked at.
    pub posted_depth: Distribution,
    /// Unexpected messages when a receive is posted.
    pub unexpected_length: Distribution,
    /// Of them, looked at.
    pub unexpected_depth: Distribution,
}

impl QueueStatistics {
    /// Of these posts and arrivals of `ranks` ranks. With `busy_only`, searches of empty lists are not measured:
    /// section 4.3.3 notes that they pull the figures down.
    pub fn of(ranks: u32, events: &[Event], busy_only: bool) -> Self {
        let mut matcher = Matcher::new(ranks);
        let mut searched: [Vec<Found>; 2] = [vec![], vec![]];
        let mut unexpected = 0;
        for (number, event) in events.iter().enumerate() {
            match event.what {
                Happening::Post(post) => {
                    searched[1].push(matcher.post(event.rank, post, number));
                }
                Happening::Arrive(message) => {
                    let found = matcher.arrive(event.rank, message, number);
                    unexpected += usize::from(found.partner.is_none());
                    searched[0].push(found);
                }
            }
        }
        let measured = |list: usize, of: fn(&Found) -> usize| {
            let some = searched[list].iter();
            let some = some.filter(|found| !busy_only || found.length > 0);
            Distribution::of(some.map(of).collect())
        };
        let partners = searched.iter().flatten();
        Self {
            posts: searched[1].len(),
            arrivals: searched[0].len(),
            unexpected,
            matches: partners.filter(|found| found.partner.is_some()).count(),
            receives_left: (0..ranks).map(|rank| matcher.posted(rank).count()).sum(),
            messages_left: (0..ranks)
                .map(|rank| matcher.unexpected(rank).count())
                .sum(),
            posted_length: measured(0, |found| found.length),
            posted_depth: measured(0, |found| found.depth),
            unexpected_length: measured(1, |found| found.length),
            unexpected_depth: measured(1, |found| found.depth),
        }
    }

    /// Share of the messages that were unexpected, from 0 to 1; 0 without messages.
    pub fn unexpected_share(&self) -> f64 {
        self.unexpected as f64 / self.arrivals.max(1) as f64
    }
}
