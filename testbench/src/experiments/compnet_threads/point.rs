//! The points of the sweep: designs, service threads, and what is different from the parameters.

use super::parameters::Parameters;
use crate::compnet::System;
use crate::compnet::design::Design;
use crate::experiments::calls;
use serde::Serialize;

/// What is different from the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Nothing.
    Base,
    /// Queues lie one after the other.
    Dense,
    /// The network library has no mutex: each service thread has a context of the NIC.
    NoMutex,
}

impl Variant {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "",
            Self::Dense => "queues one after the other",
            Self::NoMutex => "no mutex",
        }
    }

    /// The system with it.
    pub fn of(self, system: &System) -> System {
        let mut system = system.clone();
        match self {
            Self::Base => {}
            Self::Dense => system.calls.padding = 0,
            Self::NoMutex => system.cp.mutex = false,
        }
        system
    }
}

/// A point: all its runs differ in their seed only.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What is different.
    pub variant: Variant,
    /// The rest.
    pub calls: calls::Point,
}

const DESIGNS: [Design; 4] = [
    Design::DgpuGpuQueue,
    Design::Dgpu,
    Design::Apu,
    Design::CompNet,
];

impl Parameters {
    /// All points.
    pub(super) fn points(&self) -> Vec<Point> {
        let sweep = &self.sweep;
        let mut points = Vec::new();
        for (variant, designs, threads) in [
            (Variant::Base, &DESIGNS[..], &sweep.threads),
            (Variant::Dense, &DESIGNS[3..], &sweep.dense_threads),
            (Variant::NoMutex, &DESIGNS[..], &sweep.no_mutex_threads),
        ] {
            for design in designs {
                points.extend(threads.iter().map(|threads| Point {
                    variant,
                    calls: calls::Point {
                        design: *design,
                        work_groups: sweep.work_groups,
                        threads: *threads,
                    },
                }));
            }
        }
        points
    }
}
