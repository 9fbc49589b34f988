//! The round-optimal broadcast: S blocks reach N ranks in ceil(log2 N) + S - 1 rounds, one block a rank and round,
//! which no schedule beats (Traff and Ripke, HPCC 2005).
//!
//! The schedule is that of the circulant graph (Traff, "Optimal broadcast schedules in logarithmic time", 2022). In
//! round *i* rank *r* sends to *r + skip[i mod q]*, where the skips halve from N, rounded up. Which block a rank gets
//! in each of *q* rounds is found by a search along the skips; after q rounds it is the same with block numbers that
//! are q higher.

/// A message of the broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Sender.
    pub from: usize,
    /// Receiver.
    pub to: usize,
    /// Number of the block.
    pub block: usize,
}

/// The messages of each round: rank 0 has `blocks` blocks, and all `ranks` get them.
pub fn rounds(ranks: usize, blocks: usize) -> Vec<Vec<Step>> {
    if ranks < 2 || blocks == 0 {
        return Vec::new();
    }
    let skips = skips(ranks);
    let q = skips.len() - 1;
    let receive: Vec<Vec<isize>> = (0..ranks)
        .map(|rank| receives(ranks, rank, &skips))
        .collect();
    // Rounds that would bring no block at all come first and are left out.
    let idle = (q - (blocks - 1) % q) % q;
    let mut has = vec![vec![false; blocks]; ranks];
    has[0] = vec![true; blocks];
    let mut rounds = Vec::new();
    for round in idle..blocks + q - 1 + idle {
        let (turn, k) = (round / q, round % q);
        let mut steps = Vec::new();
        for from in 0..ranks {
            let to = (from + skips[k]) % ranks;
            let block = receive[to][k] + (turn * q) as isize - idle as isize;
            let Ok(block) = usize::try_from(block) else {
                continue;
            };
            let block = block.min(blocks - 1);
            if to != 0 && !has[to][block] {
                steps.push(Step { from, to, block });
            }
        }
        for step in &steps {
            has[step.to][step.block] = true;
        }
        rounds.push(steps);
    }
    rounds
}

/// The skips: N halved until 1, rounded up; the least first.
fn skips(ranks: usize) -> Vec<usize> {
    let mut skips = vec![ranks];
    while skips[0] > 1 {
        skips.insert(0, skips[0].div_ceil(2));
    }
    skips
}

/// The search for the blocks of one rank.
struct Search<'a> {
    skips: &'a [usize],
    /// Skips not yet used.
    free: Vec<bool>,
    /// Length of the last path that was taken; the next must be shorter.
    last: usize,
    found: Vec<usize>,
}

impl Search<'_> {
    /// Looks for paths of `reach` and further skips, none above skip number `from`, that end close enough to `goal`.
    fn extend(&mut self, goal: usize, reach: usize, from: usize) {
        let q = self.skips.len() - 1;
        let near = |search: &Self, at: usize| {
            search.found.len() < q && at + search.skips[search.found.len() + 1] <= goal
        };
        if !near(self, reach) || reach >= self.last {
            return;
        }
        for number in (0..=from).rev() {
            let next = reach + self.skips[number];
            let k = self.found.len();
            if k == q {
                return;
            }
            if !self.free[number] || next + self.skips[k] > goal || next >= self.last {
                continue;
            }
            self.extend(goal, next, number);
            if !near(self, reach) {
                return;
            }
            self.last = next;
            self.found.push(number);
            self.free[number] = false;
        }
    }
}

/// The block that `rank` gets in each of the first q rounds. Numbers below 0 are blocks of q rounds before.
fn receives(ranks: usize, rank: usize, skips: &[usize]) -> Vec<isize> {
    let q = skips.len() - 1;
    let base = base(rank, skips);
    let mut search = Search {
        skips,
        free: (0..=q).map(|number| number != base).collect(),
        last: 2 * ranks,
        found: Vec::new(),
    };
    let first = (0..=q).rev().find(|number| *number != base).unwrap_or(0);
    search.extend(ranks + rank, 0, first);
    let block = |found: &usize| match *found == q {
        true => base as isize,
        false => *found as isize - q as isize,
    };
    search.found.iter().map(block).collect()
}

/// The first block that a rank gets: the least skip of its greedy path from the root; q for the root.
fn base(rank: usize, skips: &[usize]) -> usize {
    let q = skips.len() - 1;
    let mut left = rank;
    for number in (0..q).rev() {
        match skips[number] {
            skip if skip == left => return number,
            skip if skip < left => left -= skip,
            _ => {}
        }
    }
    q
}
