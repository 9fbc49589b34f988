//! What came out, as data, tables, records and charts.

use super::parameters::{Network, Parameters, Sweep};
use super::verdict;
use crate::experiments::compnet_allreduce::{DESIGNS, Row, Times};
use serde::Serialize;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::{
    Bar, Chart, Kind, Part, Shown, Stack, Statement, Table, statement,
};

/// A network, projected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Projection {
    /// Its name.
    pub name: String,
    /// Bytes of its gradients.
    pub bytes: u64,
    /// Share of allreduce with dGPU.
    pub share: f64,
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
fn speed(share: f64, times: f64) -> f64 {
    1.0 / (1.0 - share + share * times)
}

impl Projection {
    /// A network on these nodes, from the lines through what was measured; `None`: a design was not.
    pub fn of(network: &Network, rows: &[Row], sweep: &Sweep) -> Option<Self> {
        let time = |design| Times::of(rows, design).at(sweep.nodes, network.bytes, &sweep.bytes);
        let dgpu = time(Design::Dgpu)?;
        let speed_of = |design| Some(speed(network.share, time(design)? / dgpu));
        Some(Self {
            name: network.name.clone(),
            bytes: network.bytes,
            share: network.share,
            lead: dgpu / time(Design::CompNet)? - 1.0,
            gain: speed_of(Design::CompNet)? - 1.0,
            cpu: speed_of(Design::Cpu)?,
            inter_kernel: speed_of(Design::InterKernel)?,
            apu: speed_of(Design::Apu)?,
        })
    }
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What was swept.
    pub sweep: Sweep,
    /// What was measured.
    pub rows: Vec<Row>,
    /// What follows for each network.
    pub projections: Vec<Projection>,
    /// The paper's statements, and whether they did.
    pub statements: Vec<Statement>,
}

impl Report {
    pub(super) fn new(parameters: &Parameters, rows: Vec<Row>) -> Self {
        let sweep = parameters.sweep.clone();
        let networks = sweep.networks.iter();
        let projections = networks.filter_map(|network| Projection::of(network, &rows, &sweep));
        let projections: Vec<_> = projections.collect();
        Self {
            statements: verdict::statements(&projections),
            sweep,
            rows,
            projections,
        }
    }

    fn measured(&self) -> Table {
        let names = DESIGNS.map(|design| design.parts().name.to_owned());
        let row = |bytes: &u64| {
            let times = DESIGNS.map(|design| {
                let us = Times::of(&self.rows, design).measured(self.sweep.nodes, *bytes);
                us.map_or_else(|| "-".into(), |us| format!("{us:.1} us"))
            });
            std::iter::once(bytes.to_string()).chain(times).collect()
        };
        Table {
            head: std::iter::once("bytes".to_owned()).chain(names).collect(),
            numbers: true,
            rows: self.sweep.bytes.iter().map(row).collect(),
        }
    }

    fn projected(&self) -> Table {
        let head = [
            "network",
            "bytes of gradients (stated)",
            "share of allreduce with dGPU (stated)",
            "CPU",
            "Inter-Kernel",
            "APU",
            "ComP-Net",
        ];
        let row = |one: &Projection| {
            let speeds = [one.cpu, one.inter_kernel, one.apu, 1.0 + one.gain];
            let cells = speeds.map(|speed| format!("{speed:.3}"));
            let first = [
                one.name.clone(),
                one.bytes.to_string(),
                format!("{:.2}", one.share),
            ];
            first.into_iter().chain(cells).collect()
        };
        Table {
            head: head.map(str::to_owned).to_vec(),
            numbers: true,
            rows: self.projections.iter().map(row).collect(),
        }
    }

    /// Gains with other shares.
    fn shares(&self) -> Table {
        let names = self.projections.iter().map(|one| one.name.clone());
        let row = |share: &f64| {
            let gains = self.projections.iter().map(|one| {
                let gain = speed(*share, 1.0 / (1.0 + one.lead)) - 1.0;
                format!("{:+.1} %", 100.0 * gain)
            });
            std::iter::once(format!("{share:.2}"))
                .chain(gains)
                .collect()
        };
        Table {
            head: std::iter::once("share".to_owned()).chain(names).collect(),
            numbers: true,
            rows: self.sweep.shares.iter().map(row).collect(),
        }
    }
}

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Line(format!(
                "An allreduce on {} nodes, measured:",
                self.sweep.nodes
            )),
            Part::Table(self.measured()),
            Part::Line("Speed of training over dGPU's, projected; no network has run:".into()),
            Part::Table(self.projected()),
            Part::Line("Gain of ComP-Net over dGPU with other shares:".into()),
            Part::Table(self.shares()),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = ["design", "nodes", "bytes", "us"];
        let record = |row: &Row| {
            vec![
                row.design.parts().name.to_owned(),
                row.nodes.to_string(),
                row.bytes.to_string(),
                format!("{:.3}", row.us),
            ]
        };
        let head = std::iter::once(head.map(str::to_owned).to_vec());
        head.chain(self.rows.iter().map(record)).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        let bar = |one: &Projection| Bar {
            name: one.name.clone(),
            parts: vec![100.0 * one.gain.max(0.0)],
        };
        vec![Chart {
            title: format!("training on {} nodes, projected", self.sweep.nodes),
            tenths: 10,
            below: "network".into(),
            beside: "gain of ComP-Net over dGPU in %".into(),
            kind: Kind::Stacks(Stack {
                parts: vec!["gain".into()],
                bars: self.projections.iter().map(bar).collect(),
            }),
        }]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
