//! What has happened when: for each vertex of a rank, which vertices of the rank have completed before it begins and
//! before it completes.
//!
//! Happens-before is made of three rules. A vertex starts after those of its edges have completed. A receive completes
//! after its send has started. And when it completes the send's bytes have been read, so the send has completed too, in
//! the sense of the paper: its buffer may change. If one of several sends may be a receive's, what holds for each of
//! them holds; of one that stands after the receive nothing is known.

use std::collections::BTreeSet;

/// A vertex, as far as order is concerned.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Its rank.
    pub rank: usize,
    /// Vertices that it waits for.
    pub after: &'a [usize],
    /// The send of a receive, or those of which one is.
    pub sends: &'a [usize],
    /// What it answers: it completes after that has begun.
    pub asked: Option<usize>,
    /// Whether its rank must have started before it begins: everything but a receive, which may be posted before.
    pub needs_start: bool,
}

/// The order of the vertices of one rank.
#[derive(Clone, Debug)]
pub struct Order {
    words: usize,
    /// Place of a vertex among those of the rank, by vertex; the start of the rank is place 0.
    place: Vec<Option<usize>>,
    /// Before a vertex begins, and before it completes: a set of places for each vertex of all ranks.
    begin: Vec<u64>,
    end: Vec<u64>,
    /// Vertices whose sets are there.
    known: Vec<bool>,
}

impl Order {
    /// The order of the vertices of `rank`. `sorted` has each vertex after those that it waits for, and each receive
    /// after its send, or one of those that may be.
    pub fn of(rank: usize, steps: &[Step], sorted: &[usize]) -> Self {
        let mut place = vec![None; steps.len()];
        let mut places: usize = 1;
        for number in sorted {
            if steps[*number].rank == rank {
                place[*number] = Some(places);
                places += 1;
            }
        }
        let words = places.div_ceil(64);
        let mut order = Self {
            words,
            place,
            begin: vec![0; words * steps.len()],
            end: vec![0; words * steps.len()],
            known: vec![false; steps.len()],
        };
        for number in sorted {
            order.add(rank, *number, &steps[*number]);
        }
        order
    }

    fn add(&mut self, rank: usize, number: usize, step: &Step) {
        let mut set = vec![0; self.words];
        for before in step.after {
            self.join(&mut set, *before);
        }
        if step.rank == rank && step.after.is_empty() && step.needs_start {
            set[0] |= 1;
        }
        let row = number * self.words;
        self.begin[row..row + self.words].copy_from_slice(&set);
        self.join_each(&mut set, step.sends);
        if let Some(asked) = step.asked {
            let asked = asked * self.words;
            let begin = &self.begin[asked..asked + self.words];
            set.iter_mut()
                .zip(begin)
                .for_each(|(word, begin)| *word |= begin);
        }
        self.end[row..row + self.words].copy_from_slice(&set);
        self.known[number] = true;
    }

    /// Adds a vertex that has completed, and what completed before it.
    fn join(&self, set: &mut [u64], before: usize) {
        let row = before * self.words;
        let end = &self.end[row..row + self.words];
        set.iter_mut().zip(end).for_each(|(word, end)| *word |= end);
        if let Some(place) = self.place[before] {
            set[place / 64] |= 1 << (place % 64);
        }
    }

    /// Adds what completed before each of these sends, of which one has completed.
    fn join_each(&self, set: &mut [u64], sends: &[usize]) {
        let mut common: Option<Vec<u64>> = None;
        for send in sends {
            let mut own = vec![0; self.words];
            if self.known[*send] {
                self.join(&mut own, *send);
            }
            match &mut common {
                None => common = Some(own),
                Some(common) => common
                    .iter_mut()
                    .zip(own)
                    .for_each(|(word, own)| *word &= own),
            }
        }
        let common = common.into_iter().flatten();
        set.iter_mut()
            .zip(common)
            .for_each(|(word, common)| *word |= common);
    }

    /// Whether `first`, of this rank, has completed before `second`, of any rank, begins.
    pub fn before_begin(&self, first: usize, second: usize) -> bool {
        self.place[first].is_some_and(|place| self.has(&self.begin, second, place))
    }

    /// Whether `first`, of this rank, has completed before `second`, of any rank, completes.
    pub fn before_end(&self, first: usize, second: usize) -> bool {
        self.place[first].is_some_and(|place| self.has(&self.end, second, place))
    }

    /// Whether this rank has started before `second`, of any rank, completes.
    pub fn start_before_end(&self, second: usize) -> bool {
        self.has(&self.end, second, 0)
    }

    fn has(&self, sets: &[u64], number: usize, place: usize) -> bool {
        sets[number * self.words + place / 64] >> (place % 64) & 1 == 1
    }
}

/// Numbers of things, each after those before it, as early as its place allows. Errors: one that waits for itself.
pub(crate) fn in_order(before: &[Vec<usize>]) -> Result<Vec<usize>, usize> {
    let mut later = vec![Vec::new(); before.len()];
    let mut waits: Vec<usize> = before.iter().map(Vec::len).collect();
    for (number, before) in before.iter().enumerate() {
        before
            .iter()
            .for_each(|earlier| later[*earlier].push(number));
    }
    let free = (0..before.len()).filter(|number| waits[*number] == 0);
    let mut ready: BTreeSet<usize> = free.collect();
    let mut order = Vec::new();
    while let Some(number) = ready.pop_first() {
        order.push(number);
        for after in &later[number] {
            waits[*after] -= 1;
            if waits[*after] == 0 {
                ready.insert(*after);
            }
        }
    }
    match order.len() == before.len() {
        true => Ok(order),
        false => Err(circle(before, &waits)),
    }
}

/// A member of a circle among the things that still wait.
fn circle(before: &[Vec<usize>], waits: &[usize]) -> usize {
    let stuck = |number: &usize| waits[*number] > 0;
    let mut number = (0..waits.len()).find(stuck).unwrap_or(0);
    // From each there is one before it that is stuck too, so after so many steps it is in the circle.
    for _ in waits {
        number = before[number].iter().copied().find(stuck).unwrap_or(number);
    }
    number
}
