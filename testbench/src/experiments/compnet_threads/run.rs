//! One run: a full GPU that calls, until the service threads have found so many calls.
//!
//! It is not of a set time. A blocking call is complete at the end of a round of the thread that serves it, so a time
//! that is no whole number of rounds counts one completion of all queues too many or too few; and how long a round
//! takes is what the run finds out.

use super::parameters::Parameters;
use super::point::Point;
use crate::compnet::design::{machine, served_by};
use crate::compnet::{Class, Load, Machine, Place};
use crate::experiments::ExperimentError;
use crate::experiments::calls::{Activity, Snapshot, activity, is_service};
use serde::Serialize;
use std::sync::Arc;
use xtq_engine::Body;

/// Cycles between two looks at what was found.
const STEP: u64 = 64;
/// A run in which no call is found for so many cycles is given up.
const PATIENCE: u64 = 1_000_000;

/// What the L2 saw of the work-groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct L2Use {
    /// Accesses of work-groups that found their line.
    pub hits: u64,
    /// Those that did not.
    pub misses: u64,
    /// Locked stores that got no lock.
    pub overflows: u64,
}

impl L2Use {
    fn of(machine: &Machine<Place>) -> Self {
        let mut sum = Self::default();
        for place in machine.banks() {
            if let Place::L2(bank) = place {
                let counts = bank.counts();
                sum.hits += counts.cu[0];
                sum.misses += counts.cu[1];
                sum.overflows += counts.lock_overflows;
            }
        }
        sum
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
            overflows: self.overflows - earlier.overflows,
        }
    }
}

/// What a run measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// From a call to the work-group's seeing it complete, on average, in us.
    pub call_us: f64,
    /// Calls in a us.
    pub calls_per_us: f64,
    /// What the service threads did.
    pub activity: Activity,
    /// What the L2 saw.
    pub l2: L2Use,
}

/// One run. Errors: of the machine; no call was found for long, or none was complete.
pub fn measure(
    parameters: &Parameters,
    point: &Point,
    seed: u64,
    bank: &Arc<Body>,
) -> Result<Sample, ExperimentError> {
    let calls = &point.calls;
    let system = point.variant.of(&parameters.system);
    let system = served_by(&system, &parameters.host, calls.design, calls.threads);
    let load = Load {
        networking: calls.work_groups,
        streaming: 0,
        locking: true,
        seed,
    };
    let mut machine = machine(&system, &parameters.host, calls.design, bank, load)?;
    let failed = |why: String| {
        let (name, threads) = (calls.design.parts().name, calls.threads);
        let what = point.variant.name();
        ExperimentError::Failed(format!(
            "{name} {what}, {threads} threads, seed {seed}: {why}"
        ))
    };
    let goals = parameters.sweep.calls();
    until_found(&mut machine, goals[0]).map_err(failed)?;
    let (before, l2_before, start) = (Snapshot::of(&machine), L2Use::of(&machine), machine.now());
    until_found(&mut machine, goals[0] + goals[1]).map_err(failed)?;
    let after = Snapshot::of(&machine);
    let phases = after.phases.since(before.phases);
    if phases.calls == 0 {
        return Err(failed("no call was complete in the window".into()));
    }
    let window_ns = system.ns(machine.now() - start);
    let activity = activity(&system, &before, &after, window_ns);
    let cycles = phases.waited + phases.served;
    Ok(Sample {
        call_us: system.ns(cycles) / 1000.0 / phases.calls as f64,
        calls_per_us: 1000.0 * activity.calls as f64 / window_ns,
        activity,
        l2: L2Use::of(&machine).since(l2_before),
    })
}

/// Runs until the service threads have found so many calls. Errors: of the machine; none is found for long.
fn until_found(machine: &mut Machine<Place>, calls: u64) -> Result<(), String> {
    let found = |machine: &Machine<Place>| {
        let counts = machine.counts(is_service);
        counts.of(Class::PollFound).accesses()
    };
    let (mut last, mut since) = (found(machine), machine.now());
    while last < calls {
        let ran = machine.run(STEP, PATIENCE);
        ran.map_err(|error| error.to_string())?;
        let now = found(machine);
        if now != last {
            (last, since) = (now, machine.now());
        }
        if machine.now() - since > PATIENCE {
            return Err(format!("no call was found for {PATIENCE} cycles"));
        }
    }
    Ok(())
}
