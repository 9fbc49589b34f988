//! One run: an allreduce on all nodes, whose sums must be those of one processor.

use super::parameters::Parameters;
use super::programs::{self, Adds, Kernel, Told};
use crate::compute_node::{ComputeCluster, ComputeError};
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::ExperimentError;

/// NIC cycles in which a step of the ring is over, beside its bytes.
const PATIENCE: u64 = 100_000;
/// Bytes a ns of the network (table 1: 100 Gb/s).
const BYTES_PER_NS: f64 = 12.5;
/// Awake cycles of NICs that a ns of a node costs: 8 banks of the L2 at 1.5 GHz, a third each.
const CYCLES_PER_NS: f64 = 4.0;
/// Words are a multiple of so many for each node and ring: a line.
const LINE_WORDS: u64 = 8;

/// Where a vector lies, the same on all nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    pub(super) data: u64,
    pub(super) scratch: u64,
    pub(super) words: u64,
}

/// A run to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Who calls.
    pub design: Design,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of a node's vector.
    pub bytes: u64,
    /// One way over PCIe.
    pub pcie_ns: f64,
    /// From the end of a kernel to the start of the next.
    pub kernel_ns: f64,
}

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
    pub(super) fn fits(bytes: u64, nodes: usize, rings: u64) -> bool {
        bytes > 0 && bytes.is_multiple_of(8 * LINE_WORDS * nodes as u64 * rings)
    }

    /// What it costs, as [`Prepared::million_cycles`](xtq_testbench::experiments::Prepared::million_cycles) counts.
    pub fn million_cycles(&self) -> f64 {
        let step = match self.design {
            Design::Cpu => 5_000.0,
            Design::InterKernel => 6_000.0 + self.kernel_ns / 2.0,
            Design::Dgpu => 13_000.0,
            _ => 9_000.0,
        };
        let steps = 2.0 * (self.nodes as f64 - 1.0);
        let bytes = steps * self.bytes as f64 / self.nodes as f64 / BYTES_PER_NS;
        (steps * step + 1.5 * bytes) * self.nodes as f64 * CYCLES_PER_NS / 1e6
    }

    /// A run; the time of the allreduce in us, from the last node that begins to the last that ends. Errors: of a node;
    /// other sums than those of one processor.
    pub fn measure(&self, parameters: &Parameters, seed: u64) -> Result<f64, ExperimentError> {
        let measured = self
            .run(parameters, seed)
            .map_err(|error| error.to_string());
        let checked = measured.and_then(|(us, found)| {
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
            let Self { nodes, bytes, .. } = self;
            let name = self.design.parts().name;
            ExperimentError::Failed(format!(
                "{name}, {nodes} nodes, {bytes} bytes, seed {seed}: {why}"
            ))
        })
    }

    /// A run: its time in us, and the vectors of all nodes after it. Errors: of a node.
    pub fn run(
        &self,
        parameters: &Parameters,
        seed: u64,
    ) -> Result<(f64, Vec<Vec<u64>>), ComputeError> {
        let mut config = parameters.config(self.design, self.nodes, seed);
        (config.host.pcie_ns, config.nic.pcie_ns) = (self.pcie_ns, self.pcie_ns);
        let mut cluster = ComputeCluster::new(&config)?;
        let whole = Vector {
            data: cluster.shmalloc(self.bytes)?,
            scratch: cluster.shmalloc(self.bytes)?,
            words: self.bytes / 8,
        };
        let told = Told::default();
        let kernel_cycles = (self.kernel_ns * config.gpu.clock_mhz / 1000.0).round() as u64;
        for pe in 0..self.nodes {
            let words = (0..whole.words).map(|place| word(pe, place, seed).to_le_bytes());
            let bytes: Vec<u8> = words.flatten().collect();
            cluster.write(pe, whole.data, &bytes);
            self.launch(
                &mut cluster,
                pe,
                whole,
                (parameters.sweep.rings, kernel_cycles),
                &told,
            )?;
        }
        let steps = 2 * (self.nodes as u64 - 1);
        cluster.run(steps * PATIENCE + (4.0 * self.bytes as f64 / BYTES_PER_NS) as u64)?;
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
        (rings, kernel_cycles): (u64, u64),
        told: &Told,
    ) -> Result<(), ComputeError> {
        let parts = self.design.parts();
        if parts.queues.is_some() {
            for ring in 0..rings {
                let words = whole.words / rings;
                let vector = Vector {
                    data: whole.data + 8 * words * ring,
                    scratch: whole.scratch + 8 * words * ring,
                    words,
                };
                let told = told.clone();
                cluster.launch(pe, ring, |shmem| programs::ring(shmem, vector, told))?;
            }
            return Ok(());
        }
        let adds = match parts.kernel_ends {
            false => Adds::Host,
            true => {
                let (kernel, kernels) = (Kernel::default(), self.nodes as u64 - 1);
                let share = self.bytes / self.nodes as u64 / rings;
                for group in 0..rings {
                    let kernel = kernel.clone();
                    cluster.launch_local(pe, |local| {
                        programs::add(local, kernel, kernels, [group * share, share])
                    })?;
                }
                Adds::Kernel {
                    kernel,
                    groups: rings,
                    cycles: kernel_cycles,
                }
            }
        };
        let told = told.clone();
        cluster.launch_host(pe, |calls| programs::host(calls, whole, adds, told))
    }
}
