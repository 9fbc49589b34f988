//! Runs all points: messages and receives of the benchmark through each matcher.

use super::parameters::Parameters;
use super::report::Report;
use super::row::{Order, Row, Series, Side};
use crate::experiments::{ExperimentError, Progress};
use crate::matchers::{Kind, Step};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;
use xtq_engine::Body;
use xtq_mpi_trace::{Arrival, Happening, Receive};

/// A point of the experiment.
#[derive(Clone, Copy)]
struct Point {
    series: Series,
    kind: Kind,
    side: Side,
    order: Order,
    length: usize,
    sources: usize,
    multiplicity: u32,
}

/// All points; a matcher has none that its queues cannot hold.
fn points(parameters: &Parameters) -> Vec<Point> {
    let sweep = &parameters.sweep;
    let mut points = vec![];
    for kind in Kind::ALL {
        for side in Side::ALL {
            let point = Point {
                series: Series::Length,
                kind,
                side,
                order: Order::Average,
                length: sweep.length,
                sources: 1,
                multiplicity: 0,
            };
            for length in &sweep.lengths {
                points.extend(Order::ALL.map(|order| Point {
                    order,
                    length: *length,
                    ..point
                }));
            }
            points.extend(sweep.sources.iter().map(|sources| Point {
                series: Series::Sources,
                sources: *sources,
                ..point
            }));
            points.extend(sweep.multiplicity.iter().map(|multiplicity| Point {
                series: Series::Multiplicity,
                multiplicity: *multiplicity,
                ..point
            }));
        }
    }
    points.retain(|point| point.length <= point.kind.room());
    points
}

/// How many runs there are.
pub fn runs(parameters: &Parameters) -> usize {
    points(parameters).len()
}

/// Millions of cycles of matchers, each counted as one of a NIC. The list's are those measured: 12 for each entry, and
/// half a cycle for each entry that is searched; the hash matcher has a few for each, the NIC a thousand to start with.
pub fn predicted(parameters: &Parameters) -> f64 {
    let cycles = |point: &Point| {
        let length = point.length as f64;
        let one = match point.kind {
            Kind::List | Kind::Partitioned => length * (12.0 + length / 2.0),
            Kind::Hash => 4.0 * length,
            Kind::Exact => 12.0 * length,
            Kind::Nic => 1000.0 + length * (20.0 + length / 2.0),
        };
        one * point.seeds(parameters).len() as f64
    };
    points(parameters).iter().map(cycles).sum::<f64>() / 1e6
}

/// Runs everything. Errors: the first run that failed, or in which a message did not find its receive.
pub fn run(parameters: &Parameters, progress: &Progress) -> Result<Report, ExperimentError> {
    let mut bodies = BTreeMap::new();
    for kind in Kind::ALL {
        bodies.insert(kind, kind.body()?);
    }
    let mut rows = vec![];
    for point in points(parameters) {
        rows.push(point.run(&bodies[&point.kind], parameters)?);
        progress(rows.len());
    }
    Ok(Report::new(parameters, rows))
}

impl Point {
    /// The tags in the order of the messages, and the places of the receives.
    fn tags(&self, seed: u64) -> (Vec<i32>, Vec<usize>) {
        let equal = self.length * self.multiplicity as usize / 100;
        // Equal ones are dealt out evenly, so that they stand among the others.
        let is_equal = |at: usize| (at + 1) * equal / self.length > at * equal / self.length;
        let tags = (0..self.length).map(|at| if is_equal(at) { 0 } else { at as i32 + 1 });
        let mut order: Vec<usize> = (0..self.length).collect();
        match self.order {
            Order::Best => {}
            Order::Worst => order.reverse(),
            Order::Average => order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed)),
        }
        (tags.collect(), order)
    }

    /// One seed where nothing is random.
    fn seeds(self, parameters: &Parameters) -> &[u64] {
        let seeds = &parameters.sweep.seeds;
        match self.order {
            Order::Average => seeds,
            Order::Best | Order::Worst => &seeds[..1],
        }
    }

    fn run(self, body: &Arc<Body>, parameters: &Parameters) -> Result<Row, ExperimentError> {
        let (mut fill_cycles, mut match_cycles) = (vec![], vec![]);
        for seed in self.seeds(parameters) {
            let [fill, matched] = self.cycles(body, *seed)?;
            fill_cycles.push(fill);
            match_cycles.push(matched);
        }
        Ok(Row {
            series: self.series,
            matcher: self.kind.name(),
            side: self.side,
            order: self.order,
            length: self.length,
            sources: self.sources,
            multiplicity: self.multiplicity,
            fill_cycles,
            match_cycles,
            placed_mhz: parameters.placed_mhz.of(self.kind),
        })
    }

    /// Cycles of the first and of the second side.
    fn cycles(self, body: &Arc<Body>, seed: u64) -> Result<[u64; 2], ExperimentError> {
        let (tags, order) = self.tags(seed);
        let from = |at: usize| (at % self.sources) as u32;
        let message = |at: usize| {
            let arrival = Arrival {
                from: from(at),
                tag: tags[at],
                comm: 0,
            };
            (at, Happening::Arrive(arrival))
        };
        let receive = |at: usize| {
            let receive = Receive {
                from: Some(from(at)),
                tag: Some(tags[at]),
                comm: 0,
                blocking: false,
            };
            (self.length + at, Happening::Post(receive))
        };
        let all = |of: &dyn Fn(usize) -> Step, order: &[usize]| -> Vec<Step> {
            order.iter().map(|at| of(*at)).collect()
        };
        let in_order: Vec<usize> = (0..self.length).collect();
        let (first, second) = match self.side {
            Side::Messages => (all(&message, &in_order), all(&receive, &order)),
            Side::Receives => (all(&receive, &in_order), all(&message, &order)),
        };
        let mut matcher = self.kind.build(body, self.side == Side::Messages)?;
        let filled = matcher.play(&first)?;
        let matched = matcher.play(&second)?;
        if filled.refused() > 0 || matched.matches() != self.length {
            return Err(ExperimentError::Failed(format!(
                "{}: of {} messages {} were refused and {} found their receive",
                self.kind.name(),
                self.length,
                filled.refused(),
                matched.matches()
            )));
        }
        Ok([filled.cycles, matched.cycles])
    }
}
