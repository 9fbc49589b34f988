//! The projection: T' = T - T_allreduce x (1 - simulated / simulated over the CPU), as section V-D has it.

use super::parameters::Sweep;
use crate::experiments::mpi_runs::Row;
use crate::mpi::Way;
use serde::Serialize;
use xtq_testbench::experiments::{Interval, Table};

/// Times of an allreduce with HSA and with XTQ, as parts of that with the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// With HSA.
    pub hsa: f64,
    /// With XTQ.
    pub xtq: f64,
    /// Half the intervals of the times with CPU, HSA and XTQ, each as a part of its mean.
    pub chance: [f64; 3],
}

impl Parts {
    /// Of the times with CPU, HSA and XTQ.
    pub fn of([cpu, hsa, xtq]: [Interval; 3]) -> Self {
        Self {
            hsa: hsa.mean / cpu.mean,
            xtq: xtq.mean / cpu.mean,
            chance: [cpu, hsa, xtq].map(|time| time.half / time.mean),
        }
    }

    /// A figure that follows from the three times, with its interval: each time is moved to the end of its own, one
    /// after the other; squares of what that changes are added.
    fn figure(self, of: impl Fn(f64, f64) -> f64) -> Interval {
        let Self {
            hsa,
            xtq,
            chance: [cpu_half, hsa_half, xtq_half],
        } = self;
        let mean = of(hsa, xtq);
        let moved = [
            of(hsa / (1.0 + cpu_half), xtq / (1.0 + cpu_half)),
            of(hsa * (1.0 + hsa_half), xtq),
            of(hsa, xtq * (1.0 + xtq_half)),
        ];
        let squares = moved.map(|value| (value - mean).powi(2));
        Interval {
            mean,
            half: squares.iter().sum::<f64>().sqrt(),
        }
    }
}

/// What becomes of the whole time, if so much of it is in allreduce, and that takes a part of its time.
fn time(share: f64, part: f64) -> f64 {
    1.0 - share * (1.0 - part)
}

/// An application, projected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Projection {
    /// Of which system.
    pub of: String,
    /// Its name; empty for a point of the sweep.
    pub profile: String,
    /// Bytes of each allreduce.
    pub bytes: u64,
    /// Share of the time in allreduce, with CPUs that combine.
    pub share: f64,
    /// Times of an allreduce.
    pub parts: Parts,
    /// By how much HSA is faster than the CPU, in a hundred: the times' ratio less one.
    pub hsa_over_cpu: Interval,
    /// By how much XTQ is faster than HSA, in the same way.
    pub xtq_over_hsa: Interval,
}

impl Projection {
    /// Of a share, and of the times of an allreduce.
    pub fn new(of: &str, bytes: u64, share: f64, parts: Parts) -> Self {
        Self {
            of: of.to_owned(),
            profile: String::new(),
            bytes,
            share,
            parts,
            hsa_over_cpu: parts.figure(|hsa, _| (1.0 / time(share, hsa) - 1.0) * 100.0),
            xtq_over_hsa: parts
                .figure(|hsa, xtq| (time(share, hsa) / time(share, xtq) - 1.0) * 100.0),
        }
    }

    /// The share with which HSA is so much faster than the CPU, and by how much XTQ is faster than HSA then; `None`: no
    /// share is enough.
    pub fn share_for(&self, hsa_over_cpu: f64) -> Option<(Interval, Interval)> {
        let share = |hsa: f64| (1.0 - 100.0 / (100.0 + hsa_over_cpu)) / (1.0 - hsa);
        let is_one = self.parts.hsa < 1.0 && share(self.parts.hsa) <= 1.0;
        is_one.then(|| {
            let gain =
                |hsa: f64, xtq: f64| (time(share(hsa), hsa) / time(share(hsa), xtq) - 1.0) * 100.0;
            (
                self.parts.figure(|hsa, _| share(hsa)),
                self.parts.figure(gain),
            )
        })
    }
}

/// All points of the sweep, and the profiles.
pub fn project(sweep: &Sweep, rows: &[Row]) -> Vec<Projection> {
    let mut systems: Vec<&str> = rows.iter().map(|row| row.of.as_str()).collect();
    systems.dedup();
    let mut projections = Vec::new();
    for of in systems {
        for bytes in &sweep.bytes {
            let time = |way| {
                let is = |row: &&Row| row.of == of && row.way == way && row.bytes == *bytes;
                rows.iter().find(is).map(|row| row.ns)
            };
            let (Some(cpu), Some(hsa), Some(xtq)) =
                (time(Way::Cpu), time(Way::Hsa), time(Way::Xtq))
            else {
                continue;
            };
            let parts = Parts::of([cpu, hsa, xtq]);
            let shares = sweep.shares.iter();
            projections.extend(shares.map(|share| Projection::new(of, *bytes, *share, parts)));
            let own = sweep
                .profiles
                .iter()
                .filter(|profile| profile.bytes == *bytes);
            projections.extend(own.map(|profile| Projection {
                profile: profile.name.clone(),
                ..Projection::new(of, *bytes, profile.share, parts)
            }));
        }
    }
    projections
}

/// The projections as a table.
pub fn projected_table(projections: &[Projection]) -> Table {
    let head = [
        "of",
        "application",
        "bytes",
        "share in allreduce",
        "allreduce: HSA / CPU",
        "XTQ / CPU",
        "HSA over CPU",
        "XTQ over HSA",
    ];
    let row = |one: &Projection| {
        vec![
            one.of.clone(),
            one.profile.clone(),
            one.bytes.to_string(),
            format!("{:.0} %", one.share * 100.0),
            format!("{:.3}", one.parts.hsa),
            format!("{:.3}", one.parts.xtq),
            format!("{} %", one.hsa_over_cpu),
            format!("{} %", one.xtq_over_hsa),
        ]
    };
    Table {
        head: head.map(str::to_owned).to_vec(),
        numbers: true,
        rows: projections.iter().map(row).collect(),
    }
}
