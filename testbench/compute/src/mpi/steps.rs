//! Collectives as lists of steps, as LibNBC has them, on which the paper builds.
//!
//! Reduce is a binomial tree. Allreduce is a reduce-scatter and an allgather (Thakur, Rabenseifner, Gropp 2005, as the
//! paper cites it): of a power of two of ranks recursive halving and doubling, of other numbers pairwise exchange and a
//! ring. Parts of an allgather are plain puts into the window: whoever sends one has received what was there before,
//! so the place is free.

use super::Mpi;
use super::exchange::Part;
use crate::ProgramError;

/// Tags of the parts of an allgather begin here.
const GATHER: u32 = 0x8000;

/// A step of a collective.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A part goes to a rank; what comes from another is combined with a part.
    Exchange {
        tag: u32,
        out: Option<(usize, Part)>,
        into: Option<(usize, Part)>,
    },
    /// A part goes into the same place of another rank's window.
    Put { to: usize, tag: u32, part: Part },
    /// Such a part has come from a rank.
    Come { from: usize, tag: u32 },
}

impl Mpi {
    /// A reduction of a part of the windows to a rank; it counts as begun.
    pub(super) fn reduce_steps(&mut self, root: usize, part: Part) -> Vec<Step> {
        self.collectives += 1;
        let ranks = self.ranks();
        // The root is number 0 of the tree.
        let number = (self.rank() + ranks - root) % ranks;
        let real = |number: usize| (number + root) % ranks;
        let mut steps = Vec::new();
        let mut distance = 1;
        while distance < ranks {
            let tag = self.own_tag(distance as u32);
            if number & distance != 0 {
                let out = Some((real(number - distance), part));
                let into = None;
                steps.push(Step::Exchange { tag, out, into });
                break;
            }
            if number + distance < ranks {
                let into = Some((real(number + distance), part));
                let out = None;
                steps.push(Step::Exchange { tag, out, into });
            }
            distance *= 2;
        }
        steps
    }

    /// An allreduce of a part of the windows; it counts as begun. Errors: there are no vectors of the datatype.
    pub(super) fn allreduce_steps(&mut self, part: Part) -> Result<Vec<Step>, ProgramError> {
        self.collectives += 1;
        match self.ranks() {
            1 => Ok(Vec::new()),
            ranks if ranks.is_power_of_two() => self.halve_and_double(part),
            _ => self.pairwise_and_ring(part),
        }
    }

    fn halve_and_double(&self, part: Part) -> Result<Vec<Step>, ProgramError> {
        let (rank, ranks) = (self.rank(), self.ranks());
        // The blocks that this rank still combines: their number halves.
        let (mut first, mut count) = (0, ranks);
        let (mut steps, mut halves) = (Vec::new(), Vec::new());
        while count > 1 {
            count /= 2;
            let partner = rank ^ count;
            let (lower, upper) = (first, first + count);
            let (kept, given) = match rank & count {
                0 => (lower, upper),
                _ => (upper, lower),
            };
            steps.push(Step::Exchange {
                tag: self.own_tag(count as u32),
                out: Some((partner, self.blocks(part, given, count)?)),
                into: Some((partner, self.blocks(part, kept, count)?)),
            });
            halves.push((partner, kept, given, count));
            first = kept;
        }
        for (partner, kept, given, count) in halves.into_iter().rev() {
            steps.push(Step::Put {
                to: partner,
                tag: self.own_tag(GATHER | kept as u32),
                part: self.blocks(part, kept, count)?,
            });
            let tag = self.own_tag(GATHER | given as u32);
            steps.push(Step::Come { from: partner, tag });
        }
        Ok(steps)
    }

    fn pairwise_and_ring(&self, part: Part) -> Result<Vec<Step>, ProgramError> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let own = self.blocks(part, rank, 1)?;
        let mut steps = Vec::new();
        for step in 1..ranks {
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            steps.push(Step::Exchange {
                tag: self.own_tag(step as u32),
                out: Some((to, self.blocks(part, to, 1)?)),
                into: Some((from, own)),
            });
        }
        let (right, left) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        for step in 0..ranks - 1 {
            let block = (rank + ranks - step) % ranks;
            steps.push(Step::Put {
                to: right,
                tag: self.own_tag(GATHER | block as u32),
                part: self.blocks(part, block, 1)?,
            });
            let came = (left + ranks - step) % ranks;
            let tag = self.own_tag(GATHER | came as u32);
            steps.push(Step::Come { from: left, tag });
        }
        Ok(steps)
    }

    /// Consecutive blocks of a part, of which there is one for each rank. Errors: there are no vectors of the datatype.
    fn blocks(
        &self,
        Part { offset, bytes }: Part,
        first: usize,
        count: usize,
    ) -> Result<Part, ProgramError> {
        let (element, ranks) = (self.element()?, self.ranks() as u64);
        let elements = bytes / element;
        let edge = |block: usize| elements * block as u64 / ranks * element;
        Ok(Part {
            offset: offset + edge(first),
            bytes: edge(first + count) - edge(first),
        })
    }
}
