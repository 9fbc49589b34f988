//! One run: an allreduce on all nodes, whose sums must be those of one processor.

use super::fit::wire_us;
use super::parameters::Parameters;
use super::point::{Point, Variant};
use super::programs::{self, Adds, Kernel, Start, Told, Vector};
use crate::compute_node::{ComputeCluster, ComputeError};
use crate::experiments::BYTES_PER_NS;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::ExperimentError;

/// NIC cycles in which a step of the ring is over, beside its bytes, kernels, and calls.
const PATIENCE: u64 = 100_000;
/// Ways over PCIe, and calls, in a row in a step of a ring at most.
const IN_A_ROW: f64 = 40.0;
/// Awake cycles of NICs that a ns of a node costs: 8 banks of the L2 at 1.5 GHz, a third each.
const CYCLES_PER_NS: f64 = 4.0;
/// Words are a multiple of so many for each node and ring: a line.
const LINE_WORDS: u64 = 8;

/// The word at this place of a node's vector at the beginning: any bits, so that sums overflow.
pub fn word(pe: usize, place: u64, seed: u64) -> u64 {
    let mut word = (pe as u64) << 40 ^ place ^ seed << 52;
    // The last steps of splitmix64.
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

impl Point {
    /// Whether a vector has whole lines for each ring and node.
    pub(in crate::experiments) fn fits(bytes: u64, nodes: usize, rings: u64) -> bool {
        bytes > 0 && bytes.is_multiple_of(8 * LINE_WORDS * nodes as u64 * rings)
    }

    /// What it costs, as [`Prepared::million_cycles`](xtq_testbench::experiments::Prepared::million_cycles) counts.
    pub fn million_cycles(&self, parameters: &Parameters) -> f64 {
        let step = match self.design {
            Design::Cpu => 8_000.0,
            Design::InterKernel => 8_000.0 + parameters.sweep.kernel_ns / 2.0,
            Design::Apu => 9_000.0,
            _ => 12_000.0,
        };
        let steps = 2.0 * (self.nodes as f64 - 1.0);
        let bytes = steps * self.bytes as f64 / self.nodes as f64 / BYTES_PER_NS;
        (steps * step + 1.5 * bytes) * self.nodes as f64 * CYCLES_PER_NS / 1e6
    }

    /// The parameters with what is different, and the seed.
    fn set(&self, parameters: &Parameters) -> (Parameters, u64) {
        let mut set = parameters.clone();
        let mut seed = set.sweep.seed;
        match self.variant {
            Variant::Base => {}
            Variant::Threads(number) => set.sweep.threads = number,
            Variant::Rings(number) => set.sweep.rings = number,
            Variant::Cores(number) => set.adding.cores = number,
            Variant::Groups(number) => set.adding.work_groups = number,
            Variant::Seed(number) => seed = number,
        }
        (set, seed)
    }

    /// A run; the time of the allreduce in us, from the last node that begins to the last that ends. Errors: of a node;
    /// other sums than those of one processor; faster than the wire.
    pub fn measure(&self, parameters: &Parameters) -> Result<f64, ExperimentError> {
        let (parameters, seed) = &self.set(parameters);
        let seed = *seed;
        let measured = self
            .run(parameters, seed)
            .map_err(|error| error.to_string());
        let checked = measured.and_then(|(us, found)| {
            let wire = wire_us(self.nodes, self.bytes);
            if us < wire {
                return Err(format!("{us} us, but its bytes take {wire} us on the wire"));
            }
            let words = self.bytes / 8;
            let sum = |place| {
                (0..self.nodes)
                    .map(|pe| word(pe, place, seed))
                    .fold(0, u64::wrapping_add)
            };
            let sums: Vec<u64> = (0..words).map(sum).collect();
            match found.iter().position(|vector| *vector != sums) {
                None => Ok(us),
                Some(pe) => Err(format!("the vector of node {pe} is not the sum")),
            }
        });
        checked.map_err(|why| {
            let Self {
                nodes,
                bytes,
                variant,
                ..
            } = self;
            let name = self.design.parts().name;
            ExperimentError::Failed(format!(
                "{name}, {nodes} nodes, {bytes} bytes, {variant}, seed {seed}: {why}"
            ))
        })
    }

    /// A run: its time in us, and the vectors of all nodes after it. Errors: of a node.
    pub fn run(
        &self,
        parameters: &Parameters,
        seed: u64,
    ) -> Result<(f64, Vec<Vec<u64>>), ComputeError> {
        let config = parameters.config(self.design, self.nodes, seed);
        let mut cluster = ComputeCluster::new(&config)?;
        let whole = Vector {
            data: cluster.shmalloc(self.bytes)?,
            scratch: cluster.shmalloc(self.bytes)?,
            words: self.bytes / 8,
        };
        let told = Told::default();
        for pe in 0..self.nodes {
            let words = (0..whole.words).map(|place| word(pe, place, seed).to_le_bytes());
            let bytes: Vec<u8> = words.flatten().collect();
            cluster.write(pe, whole.data, &bytes);
            self.launch(&mut cluster, pe, whole, parameters, &told)?;
        }
        let steps = 2 * (self.nodes as u64 - 1);
        let call_ns = config.host.call_ns.max(config.cp.call_ns);
        let way_ns = config.host.pcie_ns + config.nic.pcie_ns + config.host.die_ns;
        let calls_ns = IN_A_ROW * parameters.sweep.rings as f64 * (call_ns + way_ns);
        let more_ns = calls_ns + parameters.sweep.kernel_ns + parameters.adding.join_ns;
        // Half of what either wire has is enough for bytes; adding is far below.
        let rate = BYTES_PER_NS.min(config.nic.gigabytes_per_second);
        let bytes_ns = 8.0 * self.bytes as f64 / rate;
        cluster.run(steps * (PATIENCE + more_ns as u64) + bytes_ns as u64)?;
        let times = told.borrow();
        let ends = times.ended.iter().max().zip(times.begun.iter().max());
        let cycles = ends.map_or(0, |(end, start)| end - start);
        let vector = |pe| {
            let bytes = cluster.read(pe, whole.data, self.bytes as usize);
            let (words, _) = bytes.as_chunks();
            words.iter().map(|word| u64::from_le_bytes(*word)).collect()
        };
        let us = cycles as f64 / config.gpu.clock_mhz;
        Ok((us, (0..self.nodes).map(vector).collect()))
    }

    fn launch(
        &self,
        cluster: &mut ComputeCluster,
        pe: usize,
        whole: Vector,
        parameters: &Parameters,
        told: &Told,
    ) -> Result<(), ComputeError> {
        let parts = self.design.parts();
        if parts.queues.is_some() {
            let (rings, start) = (parameters.sweep.rings, Start::default());
            for ring in 0..rings {
                let words = whole.words / rings;
                let vector = Vector {
                    data: whole.data + 8 * words * ring,
                    scratch: whole.scratch + 8 * words * ring,
                    words,
                };
                let (told, start) = (told.clone(), start.clone());
                cluster.launch(pe, ring, |shmem| {
                    programs::ring(shmem, vector, (ring == 0, start), told)
                })?;
            }
            return Ok(());
        }
        let adding = &parameters.adding;
        let cycles = |ns: f64| (ns * parameters.gpu.clock_mhz / 1000.0).round() as u64;
        let adds = match parts.kernel_ends {
            false => Adds::Host {
                cores: adding.cores,
                cycles: cycles(adding.core_cycles * 1000.0 / parameters.host.clock_mhz),
                join: cycles(if adding.cores > 1 {
                    adding.join_ns
                } else {
                    0.0
                }),
            },
            true => {
                let kernels = self.nodes as u64 - 1;
                let part = self.bytes / self.nodes as u64;
                let shares = programs::shares(part, adding.work_groups);
                let kernel = Kernel::of(shares.len() as u64);
                for share in shares {
                    let kernel = kernel.clone();
                    cluster.launch_local(pe, |local| {
                        programs::add(local, kernel, kernels, share, adding.group_cycles)
                    })?;
                }
                Adds::Kernel {
                    kernel,
                    cycles: cycles(parameters.sweep.kernel_ns),
                }
            }
        };
        let told = told.clone();
        cluster.launch_host(pe, |calls| programs::host(calls, whole, adds, told))
    }
}
