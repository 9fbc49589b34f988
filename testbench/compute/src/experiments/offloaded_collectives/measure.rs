//! One collective by one algorithm on so many nodes.

use crate::experiments::offload::{Ended, Played, Posted, Surrounds, Task, commands};
use serde::Serialize;
use xtq_cdag::collectives::{self, Variant};
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::emit::Surroundings;
use xtq_cdag::error::GraphError;
use xtq_cdag::plan::{Limits, Needs, Plan};
use xtq_testbench::experiments::{ExperimentError, Interval};

/// The protocols, with their names.
pub(super) const PROTOCOLS: [(Protocol, &str); 4] = [
    (Protocol::Auto, "auto"),
    (Protocol::Eager, "eager"),
    (Protocol::Rendezvous, "rendezvous"),
    (Protocol::Get, "get"),
];

/// Cycles in which every rank has posted, and most cycles of a run.
const POSTED: u64 = 100_000;
const LONGEST: u64 = 10_000_000;

/// What a run costs, in awake cycles: for each rank, and for each of its messages. From runs of the parameters as they
/// ship, whose predicted and counted cycles stand in the report.
const CYCLES: [f64; 2] = [500.0, 60.0];

/// A point to measure.
#[derive(Clone, Debug)]
pub struct Point {
    /// Collective and algorithm.
    pub variant: &'static Variant,
    /// Its parameters.
    pub parameters: collectives::Parameters,
    /// Protocol of messages that may come too early.
    pub protocol: Protocol,
    /// Seeds, a run each.
    pub seeds: Vec<u64>,
}

/// What a rank needs most of, of all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Worst {
    /// Triggered operations, without the one that reports the end.
    pub triggered: usize,
    /// Counters.
    pub counters: usize,
    /// Match entries.
    pub entries: usize,
    /// Memory descriptors.
    pub descriptors: usize,
}

/// What came out of a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Collective.
    pub collective: &'static str,
    /// Algorithm.
    pub algorithm: &'static str,
    /// Protocol.
    pub protocol: &'static str,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of a vector or block.
    pub bytes: u64,
    /// Messages of all ranks.
    pub messages: usize,
    /// What the plan says.
    pub needs: Worst,
    /// Ranks of which the NIC, peeked before the start, held other numbers of waiting operations, counters, entries or
    /// descriptors.
    pub not_as_planned: usize,
    /// Commands that NICs took after the start, all ranks and runs.
    pub host_actions: u64,
    /// Events that NICs wrote beside the reports of posting and of the end.
    pub more_events: u64,
    /// Messages and events that were lost.
    pub lost: u64,
    /// Operations that waited at the end.
    pub left: usize,
    /// From the first command of a host until all of its rank's have been taken, the slowest rank, in ns.
    pub posting_ns: f64,
    /// From the start of the last rank to the end of the last, in ns.
    pub latency_ns: Interval,
    /// The same of each seed.
    pub latencies_ns: Vec<f64>,
    /// Cycles in which NICs were awake, all nodes and runs.
    pub awake_cycles: u64,
}

impl Point {
    /// Its name.
    pub fn title(&self) -> String {
        let Variant {
            collective,
            algorithm,
            ..
        } = self.variant;
        let collectives::Parameters { nodes, bytes, .. } = self.parameters;
        format!("{collective} {algorithm}, {nodes} nodes, {bytes} bytes")
    }

    /// Awake cycles that its runs will take, in millions.
    pub fn million_cycles(&self) -> f64 {
        let messages = self.compiled().map_or(0, |(_, _, plan)| messages(&plan));
        let [rank, message] = CYCLES;
        let run = rank * self.parameters.nodes as f64 + message * messages as f64;
        run * (self.seeds.len() + 1) as f64 / 1e6
    }

    /// Runs it once for each seed, and once more to look at what is posted. Errors: a run failed, or left other bytes
    /// than the interpreter.
    pub fn measure(&self, system: &Surrounds) -> Result<Row, ExperimentError> {
        let title = self.title();
        let failed = |error: GraphError| ExperimentError::Failed(format!("{title}: {error}"));
        let (built, schedule, plan) = self.compiled().map_err(failed)?;
        let memory = built.memory(self.parameters.datatype, 3);
        let task = Task {
            graph: &built.graph,
            schedule: &schedule,
            plan: &plan,
            memory: &memory,
        };
        let ranks = self.parameters.nodes;
        let surroundings = |seed: u64| Surroundings {
            title: title.clone(),
            max_cycles: LONGEST,
            meet: true,
            ..system.surroundings(ranks, seed)
        };
        let first = self.seeds.first().copied().unwrap_or(0);
        let mut held = task.play_as_far_as_it_goes(&Surroundings {
            late: vec![2 * POSTED; ranks],
            max_cycles: POSTED,
            ..surroundings(first)
        })?;
        let worst = plan.worst();
        let mut row = Row {
            collective: self.variant.collective,
            algorithm: self.variant.algorithm,
            protocol: PROTOCOLS
                .iter()
                .find(|one| one.0 == self.protocol)
                .map_or("", |one| one.1),
            nodes: ranks,
            bytes: self.parameters.bytes,
            messages: messages(&plan),
            needs: Worst {
                triggered: worst.triggered,
                counters: worst.counters,
                entries: worst.entries,
                descriptors: worst.descriptors,
            },
            not_as_planned: not_as_planned(&mut held, &plan)?,
            host_actions: 0,
            more_events: 0,
            lost: 0,
            left: 0,
            posting_ns: 0.0,
            latency_ns: Interval::default(),
            latencies_ns: Vec::new(),
            awake_cycles: held.awake(),
        };
        for seed in &self.seeds {
            let mut played = task.play(&surroundings(*seed))?;
            row.add(&mut played, &plan)?;
        }
        row.posting_ns /= self.seeds.len().max(1) as f64;
        row.latency_ns = Interval::of(&row.latencies_ns).unwrap_or_default();
        Ok(row)
    }

    fn compiled(
        &self,
    ) -> Result<(collectives::Built, xtq_cdag::schedule::Schedule, Plan), GraphError> {
        let built = self.variant.build(&self.parameters)?;
        let options = Options {
            protocol: self.protocol,
            barrier: true,
            ..Options::default()
        };
        let schedule = compile(&built.graph, &options)?;
        let plan = Plan::new(&schedule, Limits::NIC)?;
        Ok((built, schedule, plan))
    }
}

fn messages(plan: &Plan) -> usize {
    plan.needs.iter().map(|needs| needs.messages).sum()
}

/// Ranks that hold something else than the plan says, before the start.
fn not_as_planned(held: &mut Played, plan: &Plan) -> Result<usize, ExperimentError> {
    let mut differ = 0;
    for (rank, needs) in plan.needs.iter().enumerate() {
        let wanted = Posted {
            waiting: plan.first_window(rank) + 1,
            counters: needs.counters,
            entries: needs.entries,
            descriptors: needs.descriptors,
        };
        differ += usize::from(Posted::of(held, rank)? != wanted);
    }
    Ok(differ)
}

impl Row {
    /// Adds a run.
    fn add(&mut self, played: &mut Played, plan: &Plan) -> Result<(), ExperimentError> {
        let ranks = 0..self.nodes;
        let last = |step: &str| {
            let done = ranks.clone().map(|rank| played.done(rank, step));
            done.collect::<Result<Vec<u64>, _>>()
                .map(|all| all.into_iter().max().unwrap_or(0))
        };
        self.latencies_ns
            .push((last("end")? - last("start")?) as f64);
        let posting = ranks.clone().map(|rank| {
            let begun = played.begun(rank, "begin");
            begun.map(|begun| begun.saturating_sub(played.began()))
        });
        let posting = posting.collect::<Result<Vec<u64>, _>>()?;
        self.posting_ns += posting.into_iter().max().unwrap_or(0) as f64;
        self.awake_cycles += played.awake();
        for rank in ranks {
            let ended = Ended::of(played, rank)?;
            let posted = Needs {
                triggered: plan.first_window(rank),
                ..plan.needs[rank]
            };
            self.host_actions += ended.commands - commands(&posted, 2).min(ended.commands);
            // That the start barrier is posted, that all is, and the end.
            self.more_events += ended.events.saturating_sub(3);
            self.lost += ended.lost;
            self.left += ended.waiting;
        }
        Ok(())
    }
}
