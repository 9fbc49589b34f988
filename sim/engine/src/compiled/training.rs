//! What a recorded run shows of a design, for its parts.

use std::sync::Arc;

use super::body::{Backend, Body};
use super::instance::Compiled;
use super::partition::activity::{Activity, SAMPLES, Sampler};
use crate::engine::Engine;
use crate::netlist::Netlist;
use crate::{Result, Tape};

/// Cycles of reset before the tape.
const RESET: u32 = 2;
/// Cycles at the end that are not looked at.
const END: usize = 256;

/// The activity in [`SAMPLES`] cycles near the end of the tape: not at it, for there the traffic may have ended.
/// Errors: it is that of a design with other ports.
pub(super) fn activity(netlist: &Arc<Netlist>, tape: &Tape) -> Result<Activity> {
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
