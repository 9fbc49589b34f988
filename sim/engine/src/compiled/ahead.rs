//! Generated Rust, as the program that links it sees it.

use super::plan::Plan;
use super::rust;
use crate::elaborate::elaborate;
use crate::netlist::Netlist;
use crate::{Error, Result};
use rust_hdl::prelude::Block;

/// Code of a design, written by [`write_ahead`] and compiled with the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Of the plan that it was written for.
    pub fingerprint: u64,
    /// Words of a buffer.
    pub words: usize,
    /// To be run in this order on a buffer of so many words.
    pub functions: &'static [fn(&mut [u64])],
}

impl Ahead {
    /// The code, if it is that of this plan. Errors: [`Error::Compile`].
    pub(super) fn of(&'static self, netlist: &Netlist, plan: &Plan) -> Result<&'static Self> {
        match self.fingerprint == plan.fingerprint(netlist) {
            true => Ok(self),
            false => Err(Error::Compile(
                "the generated Rust is that of another design".into(),
            )),
        }
    }

    pub(super) fn eval(&self, buffer: &mut [u64]) {
        self.functions.iter().for_each(|function| function(buffer));
    }
}

/// A design as Rust: functions and a `pub static` called `name` of type [`Ahead`], to be included in a crate that
/// depends on `xtq-engine`. `name` is a Rust identifier in capitals. Errors: [`Error::Findings`], [`Error::Compile`].
pub fn write_ahead(design: &dyn Block, name: &str) -> Result<String> {
    let design = elaborate(design).map_err(Error::Findings)?;
    let netlist = Netlist::new(&design).map_err(Error::Findings)?;
    rust::source(&netlist, &Plan::new(&netlist, &[]), name)
}
