//! The part of the schema that describes memory timing, network and GPU.

use super::values::Cycles;
use schemars::JsonSchema;
use serde::Deserialize;

defaults! {
    yes: bool = true;
    duration: u64 = 100;
    poll: u64 = 10;
    launch: u64 = 20;
    one_cycle: Cycles = Cycles { least: 1, most: 1 };
    full_rate: [u32; 2] = [1, 1];
}

/// How the memory times its answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Timing {
    /// Always ready; B one cycle after the last W, R one cycle after AR.
    #[default]
    Ideal,
    /// By the keys below.
    Fixed,
    /// Latencies, pauses and order drawn from `seed`; the keys below are not used.
    Random,
}

/// Memory timing. The latencies, `beats`, pauses and `reorder` count only with `timing = "fixed"`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// `"ideal"`, `"fixed"` or `"random"`.
    #[serde(default)]
    pub timing: Timing,
    /// Cycles from AR to the first R.
    #[serde(default = "one_cycle")]
    pub read_latency: Cycles,
    /// Cycles from the last W to B.
    #[serde(default = "one_cycle")]
    pub write_latency: Cycles,
    /// `[n, m]`: at most n data beats in m cycles, each way.
    #[serde(default = "full_rate")]
    pub beats: [u32; 2],
    /// Probability of a pause, each cycle, by channel.
    #[serde(default)]
    pub pauses: Pauses,
    /// Transactions of different ids overtake each other.
    #[serde(default)]
    pub reorder: bool,
    /// Seed of every random choice.
    #[serde(default)]
    pub seed: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            timing: Timing::Ideal,
            read_latency: one_cycle(),
            write_latency: one_cycle(),
            beats: full_rate(),
            pauses: Pauses::default(),
            reorder: false,
            seed: 0,
        }
    }
}

/// Probabilities of a pause, 0 to 1.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pauses {
    /// Write addresses.
    #[serde(default)]
    pub aw: f64,
    /// Write data.
    #[serde(default)]
    pub w: f64,
    /// Write responses.
    #[serde(default)]
    pub b: f64,
    /// Read addresses.
    #[serde(default)]
    pub ar: f64,
    /// Read data.
    #[serde(default)]
    pub r: f64,
}

/// The streams to and from the network.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Probability that the network pauses between beats, and that it is not ready for the NIC's.
    #[serde(default)]
    pub pauses: f64,
    /// Seed of the pauses.
    #[serde(default)]
    pub seed: u64,
}

/// The GPU's packet processor: one for each queue.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// `false`: nobody takes the packets; they stay in the ring.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Cycles from a visible doorbell to the look into the ring.
    #[serde(default = "poll")]
    pub poll: u64,
    /// Cycles from the look to the start of the task.
    #[serde(default = "launch")]
    pub launch: u64,
    /// Cycles a task runs that `tasks` does not name.
    #[serde(default = "duration")]
    pub duration: u64,
    /// Durations by kernel or function.
    #[serde(default)]
    pub tasks: Vec<Duration>,
}

impl Default for Gpu {
    fn default() -> Self {
        Self {
            enabled: true,
            poll: poll(),
            launch: launch(),
            duration: duration(),
            tasks: Vec::new(),
        }
    }
}

/// How long a kernel or function runs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Duration {
    /// `kernel` of the kernel table, or `function` of the function table.
    pub code: u64,
    /// Cycles.
    pub cycles: u64,
}
