//! The projection: T' = T - T_allreduce x (1 - simulated / simulated over the CPU), as section V-D has it.

use super::parameters::Sweep;
use crate::experiments::mpi_runs::Row;
use crate::mpi::Way;
use serde::Serialize;
use xtq_testbench::experiments::Table;

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
    /// Time of an allreduce with HSA, as a part of that with the CPU.
    pub hsa: f64,
    /// The same with XTQ.
    pub xtq: f64,
    /// By how much HSA is faster than the CPU, in a hundred: the times' ratio less one.
    pub hsa_over_cpu: f64,
    /// By how much XTQ is faster than HSA, in the same way.
    pub xtq_over_hsa: f64,
}

impl Projection {
    /// Of a share, and of the two ratios of times.
    pub fn new(of: &str, bytes: u64, share: f64, [hsa, xtq]: [f64; 2]) -> Self {
        let time = |part: f64| 1.0 - share * (1.0 - part);
        Self {
            of: of.to_owned(),
            profile: String::new(),
            bytes,
            share,
            hsa,
            xtq,
            hsa_over_cpu: (1.0 / time(hsa) - 1.0) * 100.0,
            xtq_over_hsa: (time(hsa) / time(xtq) - 1.0) * 100.0,
        }
    }

    /// The share with which HSA is so much faster than the CPU; `None`: no share is enough.
    pub fn share_for(&self, hsa_over_cpu: f64) -> Option<f64> {
        let share = (1.0 - 100.0 / (100.0 + hsa_over_cpu)) / (1.0 - self.hsa);
        (self.hsa < 1.0 && share <= 1.0).then_some(share)
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
                rows.iter().find(is).map(|row| row.ns.mean)
            };
            let (Some(cpu), Some(hsa), Some(xtq)) =
                (time(Way::Cpu), time(Way::Hsa), time(Way::Xtq))
            else {
                continue;
            };
            let parts = [hsa / cpu, xtq / cpu];
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
            format!("{:.3}", one.hsa),
            format!("{:.3}", one.xtq),
            format!("{:.1} %", one.hsa_over_cpu),
            format!("{:.1} %", one.xtq_over_hsa),
        ]
    };
    Table {
        head: head.map(str::to_owned).to_vec(),
        numbers: true,
        rows: projections.iter().map(row).collect(),
    }
}
