//! One run: a get, or two of which the second counts.

use super::parameters::{DESIGNS, FIGURE, Parameters, Pcie};
use crate::compute_node::{ComputeCluster, ComputeError, HostCalls, Shmem};
use crate::experiments::BYTES_PER_NS;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::ExperimentError;

/// Cycles in which a run is over, beside those of its bytes.
const PATIENCE: u64 = 200_000;
/// Awake cycles of NICs that a ns of two nodes costs: 16 banks of the L2 at 1.5 GHz, a third each.
const CYCLES_PER_NS: f64 = 8.0;
/// Times of the ways over PCIe in a get: register, command, data there and here, event.
const WAYS: f64 = 8.0;

/// A run to do, with each of some seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Who serves.
    pub design: Design,
    /// Bytes of the get.
    pub bytes: u64,
    /// Ways over PCIe.
    pub pcie: Pcie,
    /// Gets before the one that counts.
    pub before: usize,
    /// Seeds: a run with each.
    pub seeds: Vec<u64>,
}

/// All points: every payload with the ways over PCIe of the file, then the smallest with others.
pub(super) fn points(parameters: &Parameters) -> Vec<Point> {
    let sweep = &parameters.sweep;
    let point = |design, bytes, pcie| {
        let repeated = bytes <= sweep.repeated_bytes;
        let seeds = if repeated { sweep.seeds.len() } else { 1 };
        Point {
            design,
            bytes,
            pcie,
            before: usize::from(repeated),
            seeds: sweep.seeds[..seeds].to_vec(),
        }
    };
    let mut points = Vec::new();
    for bytes in &sweep.bytes {
        let all = DESIGNS.iter();
        points.extend(all.map(|design| point(*design, *bytes, parameters.pcie())));
    }
    for pcie in &sweep.pcie {
        let figure = FIGURE.iter();
        points.extend(figure.map(|design| point(*design, sweep.bytes[0], *pcie)));
    }
    points
}

impl Point {
    /// What its runs cost, as [`Prepared::million_cycles`](xtq_testbench::experiments::Prepared::million_cycles)
    /// counts.
    pub(super) fn million_cycles(&self, parameters: &Parameters) -> f64 {
        let call =
            parameters.cp.call_ns + WAYS * self.pcie.nic_ns + self.bytes as f64 / BYTES_PER_NS;
        let gets = (self.before + 1) * self.seeds.len();
        gets as f64 * call * CYCLES_PER_NS / 1e6
    }

    /// A run; the time of the get in us. Errors: of a node; other bytes than those of the other node.
    pub(super) fn measure(
        &self,
        parameters: &Parameters,
        seed: u64,
    ) -> Result<f64, ExperimentError> {
        let measured = self.run(parameters, seed);
        measured.map_err(|why| {
            let Self { bytes, pcie, .. } = self;
            let name = self.design.parts().name;
            ExperimentError::Failed(format!(
                "{name}, {bytes} bytes, PCIe of {}, seed {seed}: {why}",
                pcie.name()
            ))
        })
    }

    fn run(&self, parameters: &Parameters, seed: u64) -> Result<f64, String> {
        let text = |error: ComputeError| error.to_string();
        let mut config = parameters.config(self.design, seed);
        (config.host.pcie_ns, config.nic.pcie_ns) = (self.pcie.host_ns, self.pcie.nic_ns);
        let mut cluster = ComputeCluster::new(&config).map_err(text)?;
        let (bytes, gets) = (self.bytes, self.before + 1);
        let from = cluster.shmalloc(bytes).map_err(text)?;
        let to = cluster.shmalloc(bytes).map_err(text)?;
        let expected: Vec<u8> = (0..bytes).map(|place| (place * 7 + seed) as u8).collect();
        cluster.write(1, from, &expected);
        let launched = match self.design.parts().queues {
            Some(_) => cluster.launch(0, 0, |mut shmem: Shmem| async move {
                for _ in 0..gets {
                    shmem.get(to, from, bytes, 1).await;
                }
            }),
            None => cluster.launch_host(0, |mut calls: HostCalls| async move {
                for _ in 0..gets {
                    calls.get(to, from, bytes, 1).await;
                }
            }),
        };
        launched.map_err(text)?;
        let patience = PATIENCE + (gets as f64 * bytes as f64 / BYTES_PER_NS * 2.0) as u64;
        cluster.run(patience).map_err(text)?;
        if cluster.read(0, to, bytes as usize) != expected {
            return Err("the bytes that came are not those of the other node".into());
        }
        let ended = cluster.take_ended(0);
        let last = ended.last().ok_or("no get has ended")?;
        let kernel_ns = match self.design.parts().kernel_ends {
            true => parameters.sweep.kernel_ns,
            false => 0.0,
        };
        let ns = last.cycles as f64 * 1000.0 / config.gpu.clock_mhz + kernel_ns;
        Ok(ns / 1000.0)
    }
}
