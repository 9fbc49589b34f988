//! What is around the NICs, and what chance decides in a run. A cycle is 1 ns.

use crate::system::{NetworkTimes, System};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xtq_cdag::emit::Surroundings;
use xtq_cdag::random::Random;

/// Longest time of anything, in ns.
pub const LONGEST_NS: u64 = 100_000;

/// Memory, network, and the hosts' clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Surrounds {
    /// What a memory access takes in ns: the least and the most, drawn for each.
    pub memory_ns: [u64; 2],
    /// The network.
    pub network: NetworkTimes,
    /// Most ns that a rank begins late, drawn for each.
    pub skew_ns: u64,
}

impl Surrounds {
    /// Errors: the first key with a value that cannot be, and why.
    pub fn check(&self) -> Result<(), (String, String)> {
        let fault = |key: &str, why: String| Err((key.to_owned(), why));
        let [least, most] = self.memory_ns;
        if !(1..=most).contains(&least) || most > LONGEST_NS {
            let why = format!("{least} to {most} is not from 1 upwards to {LONGEST_NS}");
            return fault("memory_ns", why);
        }
        if self.skew_ns > LONGEST_NS {
            return fault(
                "skew_ns",
                format!("{} is more than {LONGEST_NS}", self.skew_ns),
            );
        }
        let system = System {
            network: self.network.clone(),
            ..System::xtq_paper()
        };
        system.check()
    }

    /// Those of a run with this seed.
    pub fn surroundings(&self, ranks: usize, seed: u64) -> Surroundings {
        let mut random = Random::new(seed);
        let late = (0..ranks).map(|_| random.below(self.skew_ns as usize + 1) as u64);
        let network = self.network.config(seed);
        let (bytes, per) = network.link.bandwidth;
        let [least, most] = self.memory_ns;
        let latency = match least == most {
            true => least.to_string(),
            false => format!("[{least}, {most}]"),
        };
        Surroundings {
            network: format!(
                "latency = {}, bandwidth = [{bytes}, {per}], switch_latency = {}, jitter = {}, seed = {seed}",
                network.link.latency, network.switch_latency, network.jitter
            ),
            memory: format!(
                "{{ timing = \"fixed\", read_latency = {latency}, write_latency = {latency}, seed = {seed} }}"
            ),
            late: late.collect(),
            ..Surroundings::default()
        }
    }
}
