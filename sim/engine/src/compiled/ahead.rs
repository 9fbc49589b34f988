//! Generated Rust, as the program that links it sees it.

use std::ops::Range;

use super::partition::{Needs, Partition};
use super::plan::Plan;
use crate::netlist::Id;
use crate::{Error, Result};

/// Code of a design, written by [`write_ahead`](crate::write_ahead) and compiled with the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Of the plan that it was written for.
    pub fingerprint: u64,
    /// Words of a buffer.
    pub words: usize,
    /// The operations that are computed together, by number.
    pub parts: &'static [&'static [u32]],
    /// How many parts, the first ones, give what is shown.
    pub shown: usize,
    /// State words that are written at once.
    pub in_place: &'static [usize],
    /// Operations that are copied into every part that uses them.
    pub copies: &'static [u32],
    /// What is shown; to be run in this order on a buffer of so many words.
    pub first: &'static [fn(&mut [u64])],
    /// Everything else.
    pub then: &'static [fn(&mut [u64])],
}

impl Ahead {
    /// The plan that the code was written for, if it is one of this design. Errors: [`Error::Compile`].
    pub(super) fn plan(&self, needs: &Needs) -> Result<Plan> {
        let graph = &needs.netlist.graph;
        let ids = |list: &[u32]| {
            list.iter()
                .map(|at| graph.id(*at))
                .collect::<Option<Vec<Id>>>()
        };
        let partition = || {
            let parts = self.parts.iter().map(|part| ids(part));
            Some(Partition {
                parts: parts.collect::<Option<_>>()?,
                shown: self.shown,
                in_place: self.in_place.iter().copied().collect(),
                copies: ids(self.copies)?.into_iter().collect(),
            })
        };
        let other = || Error::Compile("the generated Rust is that of another design".into());
        let plan = Plan::new(needs, partition().ok_or_else(other)?, &[]);
        let plan = plan.map_err(|_| other())?;
        let same = self.fingerprint == plan.fingerprint(needs.netlist) && self.words == plan.words;
        same.then_some(plan).ok_or_else(other)
    }

    /// Numbers of the functions that give what is shown, or of the others.
    pub(super) fn functions(&self, shown: bool) -> Range<usize> {
        let (first, then) = (self.first.len(), self.then.len());
        match shown {
            true => 0..first,
            false => first..first + then,
        }
    }

    #[inline]
    pub(super) fn run(&self, function: usize, buffer: &mut [u64]) {
        match function.checked_sub(self.first.len()) {
            Some(then) => self.then[then](buffer),
            None => self.first[function](buffer),
        }
    }
}
