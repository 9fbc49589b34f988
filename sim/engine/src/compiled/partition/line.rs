//! An order of clusters in which each comes after those it reads, kept while clusters are joined.

use super::clusters::Cluster;

/// No cluster.
const NONE: u32 = u32::MAX;

/// The order.
pub(super) struct Line {
    slots: Vec<u32>,
    /// By cluster.
    place: Vec<usize>,
    /// By cluster: the search that has come by.
    seen: Vec<u32>,
    search: u32,
}

impl Line {
    /// Clusters that can be ordered, as a graph without circles can.
    pub(super) fn new(clusters: &[Cluster]) -> Self {
        let mut missing: Vec<usize> = clusters.iter().map(|one| one.before.len()).collect();
        let ready = (0..clusters.len() as u32).filter(|at| missing[*at as usize] == 0);
        let mut slots: Vec<u32> = ready.collect();
        let mut done = 0;
        while let Some(&next) = slots.get(done) {
            done += 1;
            for &after in &clusters[next as usize].after {
                missing[after as usize] -= 1;
                if missing[after as usize] == 0 {
                    slots.push(after);
                }
            }
        }
        let mut place = vec![0; clusters.len()];
        for (at, cluster) in slots.iter().enumerate() {
            place[*cluster as usize] = at;
        }
        Self {
            slots,
            place,
            seen: vec![0; clusters.len()],
            search: 0,
        }
    }

    /// Puts two clusters into one place, where `x` stays; not if a way leads from one to the other by way of others.
    /// The clusters between them that are reached from the first go after it, the others before.
    pub(super) fn join(&mut self, clusters: &[Cluster], x: u32, y: u32) -> bool {
        let place = |cluster: u32| self.place[cluster as usize];
        let (first, last) = if place(x) < place(y) { (x, y) } else { (y, x) };
        let (from, to) = (place(first), place(last));
        self.search += 1;
        let mut stack = vec![first];
        while let Some(cluster) = stack.pop() {
            for &after in &clusters[cluster as usize].after {
                if after == last && cluster != first {
                    return false;
                }
                let seen = &mut self.seen[after as usize];
                if self.place[after as usize] < to && *seen != self.search {
                    *seen = self.search;
                    stack.push(after);
                }
            }
        }
        let between = self.slots[from + 1..to].iter().filter(|one| **one != NONE);
        let (late, early): (Vec<u32>, Vec<u32>) =
            between.partition(|one| self.seen[**one as usize] == self.search);
        let mut next = early.into_iter().chain([x]).chain(late);
        for at in from..=to {
            self.slots[at] = next.next().unwrap_or(NONE);
            if self.slots[at] != NONE {
                self.place[self.slots[at] as usize] = at;
            }
        }
        true
    }
}
