//! The GPU's size and the times of a launch.

use super::{LONGEST_NS, Wrong, at_most, positive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A GPU with the launch of the paper's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// On the chip of the host: "performs a read of the command packet and then immediately schedules the kernel" (XTQ,
    /// section V-A).
    Apu,
    /// A card that is reached through a driver: "around 30 us" from the call to the kernel (XTQ, section I).
    Discrete,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuConfig {
    /// Clock, MHz.
    pub clock_mhz: f64,
    /// Compute units.
    pub compute_units: u32,
    /// Wavefronts that a compute unit holds at once.
    pub wavefronts: u32,
    /// Work-items of a wavefront.
    pub lanes: u32,
    /// Cycles between two instructions of one wavefront.
    pub issue_cycles: u32,
    /// From the doorbell to the command processor's look at the queue, ns.
    pub doorbell_ns: f64,
    /// From the packet to the kernel's first instruction on a free compute unit, ns.
    pub dispatch_ns: f64,
    /// Instructions of a wavefront that combines two vectors, an element a lane: two arguments and the number, address
    /// and bounds (8 in all), two loads, the operation, a store. Assumed, from the shape of the loop.
    #[serde(default = "combine_instructions")]
    pub combine_instructions: u64,
    /// The same of one that copies or fills: with one operand less. Assumed.
    #[serde(default = "copy_instructions")]
    pub copy_instructions: u64,
}

fn combine_instructions() -> u64 {
    12
}

fn copy_instructions() -> u64 {
    10
}

impl GpuConfig {
    /// Table I of the XTQ paper with the launch of `preset`.
    pub fn of(preset: Preset) -> Self {
        Self {
            clock_mhz: 1000.0,
            compute_units: 24,
            wavefronts: 40,
            lanes: 64,
            issue_cycles: 4,
            doorbell_ns: 0.0,
            dispatch_ns: match preset {
                Preset::Apu => 0.0,
                Preset::Discrete => 30_000.0,
            },
            combine_instructions: combine_instructions(),
            copy_instructions: copy_instructions(),
        }
    }

    /// Wavefronts that all compute units hold at once.
    pub(crate) fn slots(&self) -> u64 {
        u64::from(self.compute_units) * u64::from(self.wavefronts)
    }

    /// Time that the compute units need for `instructions` of each of so many wavefronts, ns: a unit begins one
    /// instruction a cycle, a wavefront one in `issue_cycles`.
    pub(crate) fn compute_ns(&self, wavefronts: u64, instructions: u64) -> f64 {
        let per_unit = wavefronts.div_ceil(self.compute_units.into());
        let alone = u64::from(self.issue_cycles);
        per_unit.max(alone) as f64 * instructions as f64 * 1000.0 / self.clock_mhz
    }

    pub(super) fn check(&self) -> Result<(), Wrong> {
        positive("gpu.clock_mhz", self.clock_mhz, 100_000.0)?;
        positive("gpu.compute_units", self.compute_units.into(), 4096.0)?;
        positive("gpu.wavefronts", self.wavefronts.into(), 1024.0)?;
        positive("gpu.lanes", self.lanes.into(), 1024.0)?;
        positive("gpu.issue_cycles", self.issue_cycles.into(), 1024.0)?;
        for (key, instructions) in [
            ("gpu.combine_instructions", self.combine_instructions),
            ("gpu.copy_instructions", self.copy_instructions),
        ] {
            positive(key, instructions as f64, 1e6)?;
        }
        at_most("gpu.doorbell_ns", self.doorbell_ns, LONGEST_NS)?;
        at_most("gpu.dispatch_ns", self.dispatch_ns, LONGEST_NS)
    }
}
