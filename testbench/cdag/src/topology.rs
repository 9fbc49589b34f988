//! Who talks to whom: trees, and the rounds of exchanges (the topology graphs of section II.B of the paper).

/// A tree of ranks, of which rank 0 is the root. The ranks of a subtree are consecutive, its root the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Children of each rank, the one with the largest subtree first.
    pub children: Vec<Vec<usize>>,
    /// Ranks of the subtree below each rank, itself too.
    pub size: Vec<usize>,
}

impl Tree {
    /// The k-nomial tree, `k` at least 2: a rank sends to those that differ from it in one of the digits (base k) below
    /// its lowest digit that is not 0. With `k` = 2 it is the binomial tree, with `k` >= `ranks` it is flat.
    pub fn knomial(ranks: usize, k: usize) -> Self {
        let k = k.min(ranks).max(2);
        let mut children = vec![Vec::new(); ranks];
        for (rank, children) in children.iter_mut().enumerate() {
            let mut step = 1;
            while step < ranks && rank % (step * k) == 0 {
                let below = (1..k).map(|digit| rank + digit * step);
                children.extend(below.filter(|child| *child < ranks).rev());
                step *= k;
            }
            children.reverse();
        }
        Self::of(children)
    }

    /// The k-ary tree, `k` at least 1, of least depth: each rank has up to `k` children. With `k` = 1 it is a chain.
    pub fn kary(ranks: usize, k: usize) -> Self {
        let k = k.min(ranks).max(1);
        // A heap has the depth; numbered in preorder its subtrees are consecutive.
        let mut number = vec![0; ranks];
        let mut children = vec![Vec::new(); ranks];
        let mut open = vec![(0, None)];
        let mut next = 0;
        while let Some((place, parent)) = open.pop() {
            number[place] = next;
            if let Some(parent) = parent {
                let parent: usize = number[parent];
                children[parent].push(next);
            }
            next += 1;
            let below = (1..=k)
                .map(|child| place * k + child)
                .filter(|child| *child < ranks);
            open.extend(below.rev().map(|child| (child, Some(place))));
        }
        Self::of(children)
    }

    /// A chain: each rank sends to the next.
    pub fn chain(ranks: usize) -> Self {
        Self::kary(ranks, 1)
    }

    fn of(children: Vec<Vec<usize>>) -> Self {
        let mut size = vec![1; children.len()];
        for rank in (0..children.len()).rev() {
            size[rank] += children[rank]
                .iter()
                .map(|child| size[*child])
                .sum::<usize>();
        }
        Self { children, size }
    }
}

/// ceil(log2(`ranks`)): rounds in which everybody can hear of everybody. 0 for one rank.
pub fn rounds(ranks: usize) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

/// The largest power of two that is not above `ranks`. Butterflies run on so many; the other ranks hand in what they
/// have before and get the outcome after.
pub fn core(ranks: usize) -> usize {
    match ranks.is_power_of_two() {
        true => ranks,
        false => ranks.next_power_of_two() / 2,
    }
}
