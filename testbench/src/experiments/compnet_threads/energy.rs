//! Energy of service threads from what they did: `E = t p + sum of n e`, in joules.
//!
//! `t` is the time of all threads, which never sleep, `p` the static power of a core. The rest are events:
//! instructions, accesses to the shared cache and to memory, bytes over the link. The constants are of cores that were
//! built, each with its source in the parameter file; `factor` is how far each core's total may be off, up or down.

use crate::compnet::Side;
use crate::experiments::calls::Activity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Energy of a core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoreEnergy {
    /// Instructions in a cycle while it computes.
    pub instructions_per_cycle: f64,
    /// Power while it does nothing, in W.
    pub static_watts: f64,
    /// An instruction, its L1 accesses included, in pJ.
    pub instruction_pj: f64,
}

/// Energy of service threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Energy {
    /// A core of the command processor.
    pub cp: CoreEnergy,
    /// A core of the host.
    pub host: CoreEnergy,
    /// An access to a line of the cache that is shared: the GPU's L2, the host's L3; in pJ.
    pub shared_pj: f64,
    /// A line from memory, in pJ.
    pub memory_pj: f64,
    /// A byte between GPU and host, in pJ.
    pub link_byte_pj: f64,
    /// Each design's energy lies between so many times less and so many times more.
    pub factor: f64,
}

impl Energy {
    /// What makes no sense: the key, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value, least) in [
            (
                "cp.instructions_per_cycle",
                self.cp.instructions_per_cycle,
                0.01,
            ),
            ("cp.static_watts", self.cp.static_watts, 0.0),
            ("cp.instruction_pj", self.cp.instruction_pj, 0.0),
            (
                "host.instructions_per_cycle",
                self.host.instructions_per_cycle,
                0.01,
            ),
            ("host.static_watts", self.host.static_watts, 0.0),
            ("host.instruction_pj", self.host.instruction_pj, 0.0),
            ("shared_pj", self.shared_pj, 0.0),
            ("memory_pj", self.memory_pj, 0.0),
            ("link_byte_pj", self.link_byte_pj, 0.0),
            ("factor", self.factor, 1.0),
        ] {
            if !(least..=1e9).contains(&value) {
                return Err((key, format!("{value:?} is not from {least:?} to 1e9")));
            }
        }
        Ok(())
    }

    /// nJ for a call of threads on this side, at this clock.
    pub fn nanojoules_per_call(&self, side: Side, clock_mhz: f64, did: &Activity) -> f64 {
        let core = match side {
            Side::Gpu => &self.cp,
            Side::Host => &self.host,
        };
        let cycles = did.computing_ns * clock_mhz / 1000.0;
        let picojoules = did.thread_ns * core.static_watts * 1000.0
            + cycles * core.instructions_per_cycle * core.instruction_pj
            + did.shared as f64 * self.shared_pj
            + did.memory as f64 * self.memory_pj
            + did.link_bytes as f64 * self.link_byte_pj;
        picojoules / 1000.0 / did.calls.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_time_and_events() {
        let core = |static_watts, instruction_pj| CoreEnergy {
            instructions_per_cycle: 2.0,
            static_watts,
            instruction_pj,
        };
        let energy = Energy {
            cp: core(0.5, 100.0),
            host: core(4.0, 1000.0),
            shared_pj: 10.0,
            memory_pj: 1000.0,
            link_byte_pj: 5.0,
            factor: 2.0,
        };
        let did = Activity {
            thread_ns: 100.0,
            computing_ns: 10.0,
            calls: 2,
            shared: 3,
            memory: 4,
            link_bytes: 6,
            ..Activity::default()
        };
        // 50 nJ static; 20 cycles of 2 instructions; 30 + 4,000 + 30 pJ.
        let cp = (50_000.0 + 40.0 * 100.0 + 4060.0) / 1000.0 / 2.0;
        let of = |side| energy.nanojoules_per_call(side, 2000.0, &did);
        assert!((of(Side::Gpu) - cp).abs() < 1e-9);
        let host = (400_000.0 + 40.0 * 1000.0 + 4060.0) / 1000.0 / 2.0;
        assert!((of(Side::Host) - host).abs() < 1e-9);
    }
}
