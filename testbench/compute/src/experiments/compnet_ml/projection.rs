//! A network that learns, projected from times of allreduces.

use super::parameters::{Network, Sweep};
use crate::experiments::compnet_allreduce::{DESIGNS, Row, Times};
use serde::Serialize;

/// A network, projected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Projection {
    /// Its name.
    pub name: String,
    /// Bytes of its gradients.
    pub bytes: u64,
    /// It has more bytes than any vector that ran.
    pub extrapolated: bool,
    /// Share of allreduce with dGPU.
    pub share: f64,
    /// Time of an allreduce in us by the line: CPU, Inter-Kernel, APU, dGPU, ComP-Net.
    pub us: [f64; 5],
    /// By how much ComP-Net's allreduce is faster than dGPU's.
    pub lead: f64,
    /// By how much all of it is faster with ComP-Net than with dGPU.
    pub gain: f64,
    /// Speed with the CPU's allreduce, with Inter-Kernel's and with the APU's, dGPU's as 1.
    pub cpu: f64,
    /// See above.
    pub inter_kernel: f64,
    /// See above.
    pub apu: f64,
}

/// Speed with another allreduce that takes so many times dGPU's.
pub(super) fn speed(share: f64, times: f64) -> f64 {
    1.0 / (1.0 - share + share * times)
}

impl Projection {
    /// A network on these nodes, from the lines through what was measured; `None`: a design has none.
    pub fn of(network: &Network, rows: &[Row], sweep: &Sweep) -> Option<Self> {
        let time = |design| Times::of(rows, design).at(sweep.nodes, network.bytes, &sweep.bytes);
        let times: Option<Vec<f64>> = DESIGNS.into_iter().map(time).collect();
        let us: [f64; 5] = times?.try_into().ok()?;
        let [cpu, inter_kernel, apu, dgpu, comp_net] = us;
        let speed_of = |us: f64| speed(network.share, us / dgpu);
        Some(Self {
            name: network.name.clone(),
            bytes: network.bytes,
            extrapolated: sweep.bytes.iter().all(|bytes| *bytes < network.bytes),
            share: network.share,
            us,
            lead: dgpu / comp_net - 1.0,
            gain: speed_of(comp_net) - 1.0,
            cpu: speed_of(cpu),
            inter_kernel: speed_of(inter_kernel),
            apu: speed_of(apu),
        })
    }

    /// Its name, marked if its allreduce is extrapolated.
    pub fn name(&self) -> String {
        format!("{}{}", self.name, if self.extrapolated { "*" } else { "" })
    }

    /// Speeds with all designs, dGPU's as 1.
    pub(super) fn speeds(&self) -> [f64; 5] {
        [self.cpu, self.inter_kernel, self.apu, 1.0, 1.0 + self.gain]
    }
}
