//! What a recorded run shows of a design, for its parts.

use std::sync::Arc;
use std::time::Instant;

use super::body::{Backend, Body};
use super::instance::Compiled;
use super::partition::activity::{Activity, SAMPLES};
use super::partition::{Needs, Partition};
use super::plan::Plan;
use super::rust;
use super::sampler::Sampler;
use crate::elaborate::elaborate;
use crate::engine::Engine;
use crate::netlist::Netlist;
use crate::{Error, Result, Tape};
use rust_hdl::prelude::Block;

/// Cycles of reset before the tape.
const RESET: u32 = 2;
/// Cycles at the end that are not looked at.
const END: usize = 256;

/// The activity in [`SAMPLES`] cycles near the end of the tape: not at it, for there the traffic may have ended.
/// Errors: it is that of a design with other ports.
fn activity(netlist: &Arc<Netlist>, tape: &Tape) -> Result<Activity> {
    let body = Body::of_netlist(netlist.clone(), Backend::Interp)?;
    let mut engine = Compiled::new(Arc::new(body));
    tape.player(&engine)?;
    engine.reset(RESET)?;
    let mut sampler = Sampler::new(netlist);
    let start = tape.cycles().saturating_sub(SAMPLES + END);
    for cycle in 0..tape.cycles().min(start + SAMPLES) {
        engine.set_inputs(tape.inputs(cycle))?;
        engine.eval()?;
        if cycle >= start {
            engine.sample_activity(&mut sampler);
        }
        engine.step()?;
    }
    Ok(sampler.activity())
}

impl Body {
    /// As [`new`](Self::new), with parts for the inputs of `tape`, as generated Rust has that was written with it;
    /// generated Rust has the parts that it has. Errors: as [`new`](Self::new); the tape is that of a design with other
    /// ports.
    pub fn trained(design: &dyn Block, backend: Backend, tape: &Tape) -> Result<Self> {
        let start = Instant::now();
        let design = elaborate(design).map_err(Error::Findings)?;
        let netlist = Arc::new(Netlist::new(&design).map_err(Error::Findings)?);
        let activity = Arc::new(activity(&netlist, tape)?);
        Self::compile(netlist, backend, &[], Some(activity), start)
    }
}

/// A design as Rust: functions and a `pub static` called `name` of type [`Ahead`], to be included in a crate that
/// depends on `xtq-engine`. `name` is a Rust identifier in capitals; the parts are chosen for the inputs of `training`.
/// Errors: [`Error::Findings`], [`Error::Compile`]; the tape is that of a design with other ports.
pub fn write_ahead(design: &dyn Block, name: &str, training: Option<&Tape>) -> Result<String> {
    let design = elaborate(design).map_err(Error::Findings)?;
    let netlist = Arc::new(Netlist::new(&design).map_err(Error::Findings)?);
    let needs = Needs::new(&netlist, &[]);
    let activity: Option<Activity> = training.map(|tape| activity(&netlist, tape)).transpose()?;
    let partition = Partition::new(&needs, activity.as_ref());
    let plan = Plan::new(&needs, partition, &[])?;
    rust::source(&netlist, &plan, name)
}
