//! `Row`: all runs of a point.

use super::parameters::Parameters;
use super::point::{Point, Variant};
use super::run::{L2Use, Sample};
use crate::compnet::Side;
use crate::compnet::design::Design;
use crate::experiments::Interval;
use crate::experiments::calls::Activity;
use serde::Serialize;

/// All runs of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What is different from the parameters.
    pub variant: Variant,
    /// Where the queues lie, and who serves them.
    pub design: Design,
    /// Service threads.
    pub threads: u8,
    /// They have more cores than table 1 gives the command processor.
    pub added_cores: bool,
    /// From a call to the work-group's seeing it complete, in us.
    pub call_us: Interval,
    /// Calls in a us.
    pub calls_per_us: Interval,
    /// Energy of the service threads for a call, in nJ, with the constants as they are.
    pub nanojoules: Interval,
    /// What the threads did, of the first seed.
    pub activity: Activity,
    /// What the L2 saw of the work-groups, of the first seed.
    pub l2: L2Use,
}

impl Row {
    /// Of the samples of a point, one of each seed.
    pub(super) fn new(parameters: &Parameters, point: &Point, samples: &[Sample]) -> Self {
        let (design, threads) = (point.calls.design, point.calls.threads);
        let side = design.parts().service;
        let clock_mhz = match side {
            Side::Gpu => parameters.system.cp.clock_mhz,
            Side::Host => parameters.host.clock_mhz,
        };
        let energy = &parameters.energy;
        let mean = |of: &dyn Fn(&Sample) -> f64| {
            let values: Vec<f64> = samples.iter().map(of).collect();
            Interval::of(&values).unwrap_or_default()
        };
        let first = samples.first();
        Self {
            variant: point.variant,
            design,
            threads,
            added_cores: side == Side::Gpu && threads > parameters.sweep.cp_cores,
            call_us: mean(&|sample| sample.call_us),
            calls_per_us: mean(&|sample| sample.calls_per_us),
            nanojoules: mean(&|sample| {
                energy.nanojoules_per_call(side, clock_mhz, &sample.activity)
            }),
            activity: first.map_or_else(Activity::default, |one| one.activity),
            l2: first.map_or_else(L2Use::default, |one| one.l2),
        }
    }

    /// Tries of the mutex for a call.
    pub fn tries(&self) -> f64 {
        self.activity.tries as f64 / self.activity.calls.max(1) as f64
    }

    /// Service threads, and whether that are more than table 1 has cores.
    pub(super) fn threads(&self) -> String {
        let mark = if self.added_cores {
            " (cores added)"
        } else {
            ""
        };
        format!("{}{mark}", self.threads)
    }

    /// The cells of the table after the design.
    pub(super) fn cells(&self) -> Vec<String> {
        let did = &self.activity;
        let a_call = |number: u64| number as f64 / did.calls.max(1) as f64;
        let seen = self.l2.hits + self.l2.misses;
        let share = 100.0 * self.l2.hits as f64 / seen.max(1) as f64;
        let in_l2 = |text: String| if seen > 0 { text } else { "-".into() };
        vec![
            self.threads(),
            format!("{} a us", hundredths(self.calls_per_us)),
            format!("{} us", self.call_us),
            format!("{} nJ", self.nanojoules),
            format!("{:.0} %", 100.0 * did.computing_ns / did.thread_ns.max(1.0)),
            format!("{:.1}", a_call(did.polls)),
            format!("{:.1}", self.tries()),
            format!(
                "{:.1}, {:.1}, {:.1}",
                a_call(did.own),
                a_call(did.shared),
                a_call(did.memory)
            ),
            format!("{:.0}", a_call(did.link_bytes)),
            in_l2(format!("{share:.1} %")),
            in_l2(format!("{:.1}", a_call(self.l2.overflows))),
        ]
    }

    /// The record.
    pub(super) fn record(&self) -> Vec<String> {
        let number = |number: f64| format!("{number:.3}");
        let did = &self.activity;
        let mut cells = vec![
            self.design.parts().name.to_owned(),
            self.variant.name().to_owned(),
            self.threads.to_string(),
            self.added_cores.to_string(),
        ];
        for interval in [self.calls_per_us, self.call_us, self.nanojoules] {
            cells.extend([number(interval.mean), number(interval.half)]);
        }
        let counts = [
            did.polls,
            did.calls,
            did.tries,
            did.own,
            did.shared,
            did.memory,
            did.link_bytes,
            self.l2.hits,
            self.l2.misses,
            self.l2.overflows,
        ];
        cells.extend(counts.iter().map(u64::to_string));
        cells
    }
}

/// Heads of [`Row::cells`].
pub(super) const CELLS: [&str; 11] = [
    "service threads",
    "calls",
    "a call",
    "energy of a call",
    "computing",
    "polls for a call",
    "tries of the mutex for a call",
    "accesses for a call: own, shared, memory",
    "bytes between",
    "work-groups' hits in the L2",
    "locked stores without a lock, for a call",
];

/// Heads of [`Row::record`].
pub(super) const RECORD: [&str; 20] = [
    "design",
    "variant",
    "threads",
    "added_cores",
    "calls_per_us",
    "calls_per_us_half_interval",
    "call_us",
    "call_us_half_interval",
    "nanojoules_per_call",
    "nanojoules_per_call_half_interval",
    "polls",
    "calls",
    "tries",
    "own",
    "shared",
    "memory",
    "link_bytes",
    "l2_hits",
    "l2_misses",
    "lock_overflows",
];

/// An interval with two places.
fn hundredths(interval: Interval) -> String {
    let Interval { mean, half } = interval;
    match half >= 0.005 {
        true => format!("{mean:.2} +- {half:.2}"),
        false => format!("{mean:.2}"),
    }
}
