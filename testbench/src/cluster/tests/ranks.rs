//! Ranks: what they say to each other, and what becomes of a run when one stops or is gone.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

use super::office::{Counter, Office};
use super::{Broken, Fake};
use crate::cluster::ranks::GiveUp;
use crate::cluster::{
    Cluster, ClusterError, Exchange, Lost, Mail, Ranks, Run, RunOptions, Summary,
};
use crate::network::NetworkConfig;

/// Does something as each of so many ranks, at the same time; the results by rank.
fn as_ranks<T: Send>(ranks: usize, does: impl Fn(Ranks<Counter>, usize) -> T + Sync) -> Vec<T> {
    let office = Office::new(ranks);
    thread::scope(|scope| {
        let does = &does;
        let counters = (0..ranks).map(|rank| (Arc::clone(&office), rank));
        let threads: Vec<_> = counters
            .map(|(office, rank)| {
                scope.spawn(move || does(Ranks::new(Counter(office, rank)), rank))
            })
            .collect();
        threads
            .into_iter()
            .map(|rank| rank.join().unwrap())
            .collect()
    })
}

/// Stations of a rank; node `breaks` stops in a cycle.
fn part(rank: usize, ranks: usize, breaks: Option<(u16, u64)>) -> Cluster<Fake> {
    let own = (0..4).filter(|number| usize::from(*number) % ranks == rank);
    let own = own.map(|number| {
        let mut fake = Fake::new(number, 3);
        fake.send(1, (number + 1) % 4, 200);
        fake.breaks = breaks.filter(|(node, _)| *node == number).map(|at| at.1);
        fake
    });
    Cluster::of_rank(own.collect(), &NetworkConfig::default(), 4, (rank, ranks)).unwrap()
}

#[test]
fn all_know_together_what_each_knows() {
    let all = as_ranks(3, |mut ranks, rank| {
        let own = Summary {
            next: [70, 1 << 40, u64::MAX][rank],
            over: rank != 1,
            stopped: rank == 2,
        };
        let nothing = Summary {
            next: u64::MAX,
            over: true,
            stopped: false,
        };
        [ranks.reduce(own).unwrap(), ranks.reduce(nothing).unwrap()]
    });
    for [first, second] in all {
        assert_eq!((first.next, first.over, first.stopped), (70, false, true));
        assert_eq!(
            (second.next, second.over, second.stopped),
            (u64::MAX, true, false)
        );
    }
}

#[test]
fn what_is_shared_reaches_all_and_what_is_gathered_reaches_the_first() {
    let all = as_ranks(3, |mut ranks, rank| {
        let bytes = vec![rank as u8; rank];
        let shared = ranks.share(&bytes).unwrap();
        (shared, ranks.gather(bytes).unwrap())
    });
    let wanted = vec![vec![], vec![1], vec![2, 2]];
    for (rank, (shared, gathered)) in all.into_iter().enumerate() {
        assert_eq!(shared, wanted);
        assert_eq!(gathered == wanted, rank == 0);
        assert!(rank == 0 || gathered.iter().all(Vec::is_empty));
    }
}

#[test]
fn a_node_that_stops_ends_the_run_of_all_ranks() {
    let ends = as_ranks(2, |mut ranks, rank| {
        let mut cluster = part(rank, 2, Some((3, 40)));
        cluster.run_by(&mut ranks, &RunOptions::default())
    });
    assert!(matches!(ends[0], Ok(Run::Stopped)), "{:?}", ends[0]);
    assert!(
        matches!(
            ends[1],
            Err(ClusterError::Node {
                node: 3,
                error: Broken
            })
        ),
        "{:?}",
        ends[1]
    );
}

#[test]
fn a_run_that_is_ended_on_one_rank_ends_on_all() {
    // Before the first epoch, and in the second.
    for first in [0, 51] {
        let ends = as_ranks(2, |mut ranks, rank| {
            let mut cluster = part(rank, 2, None);
            cluster.watch(Box::new(move |cycle| match rank == 1 && cycle >= first {
                true => ControlFlow::Break("enough".to_owned()),
                false => ControlFlow::Continue(()),
            }));
            let ran = cluster.run_by(&mut ranks, &RunOptions::default());
            // They still hear of each other.
            let shared = ranks.share(&[rank as u8]).unwrap();
            (ran, cluster.cycle_count(), shared)
        });
        assert!(matches!(ends[0].0, Ok(Run::Stopped)), "{:?}", ends[0]);
        assert!(matches!(&ends[1].0, Err(ClusterError::Ended(end)) if end.reason == "enough"));
        assert!(ends.iter().all(|end| end.2 == [[0], [1]]), "{ends:?}");
        if first > 0 {
            // Both have run the epoch in which it was reported.
            assert_eq!((ends[0].1, ends[1].1), (60, 60));
        }
    }
}

/// Delivers so many times, then the others are gone.
struct Gone(Counter, u32);

impl Mail for Gone {
    fn place(&self) -> (usize, usize) {
        self.0.place()
    }

    fn swap(&mut self, boxes: Vec<Vec<u8>>, give_up: &GiveUp) -> Result<Vec<Vec<u8>>, Lost> {
        match self.1.checked_sub(1) {
            None => Err(Lost(give_up().unwrap_or_default())),
            Some(left) => {
                self.1 = left;
                self.0.swap(boxes, give_up)
            }
        }
    }
}

#[test]
fn a_rank_that_hears_of_no_other_says_how_far_it_came() {
    for swaps in [4, 5] {
        let office = Office::new(1);
        let mut ranks = Ranks::new(Gone(Counter(office, 0), swaps));
        ranks.give_up_when(Box::new(|| Some("ended by a test".to_owned())));
        let mut cluster = part(0, 1, None);
        let error = cluster.run_by(&mut ranks, &RunOptions::default());
        let error = error.unwrap_err().to_string();
        // Two swaps an epoch, of 28 cycles and then of 30.
        assert_eq!(error, "cycle 90: ended by a test", "{swaps}");
        assert_eq!(cluster.cycle_count(), 90);
    }
}

/// Sends what no rank sends.
struct Babble;

impl Mail for Babble {
    fn place(&self) -> (usize, usize) {
        (0, 2)
    }

    fn swap(&mut self, boxes: Vec<Vec<u8>>, _give_up: &GiveUp) -> Result<Vec<Vec<u8>>, Lost> {
        Ok(vec![boxes[0].clone(), vec![1, 2, 3]])
    }
}

#[test]
fn bytes_that_are_none_of_a_rank_are_refused() {
    let mut ranks = Ranks::new(Babble);
    let wanted = Lost("rank 1 sent something else than expected".to_owned());
    let met = ranks.exchange(&mut [Vec::new(), Vec::new()], &mut Vec::new());
    assert_eq!(met, Err(wanted.clone()));
    let summary = Summary {
        next: 0,
        over: true,
        stopped: false,
    };
    assert_eq!(ranks.reduce(summary), Err(wanted));
}
