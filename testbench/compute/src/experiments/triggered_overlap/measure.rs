//! NBCBench's loop: one way, on so many nodes, in one size.

use super::{Host, Mode};
use crate::experiments::offload::{Played, Surrounds, Task};
use serde::Serialize;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::{Parameters, variant};
use xtq_cdag::compile::compile;
use xtq_cdag::emit::{HostTimes, Surroundings, name};
use xtq_cdag::error::GraphError;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::rounds::in_rounds;
use xtq_testbench::experiments::{ExperimentError, Interval};

/// Most cycles of a run.
const LONGEST: u64 = 20_000_000;

/// What a run costs each rank, in awake cycles: at all, for each use, for each segment of a use but one, and for each
/// byte that a rank receives. From runs of the parameters as they ship, whose predicted and counted cycles stand in the
/// report.
const CYCLES: [f64; 4] = [350.0, 400.0, 80.0, 0.153];

/// A point to measure.
#[derive(Clone, Debug)]
pub struct Point {
    /// What is different from the sweep; empty: nothing.
    pub variant: String,
    /// The way.
    pub mode: Mode,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of the broadcast.
    pub bytes: u64,
    /// Children of a node of the tree.
    pub k: usize,
    /// Segments of the broadcast.
    pub segments: u64,
    /// What hosts take.
    pub host: Host,
    /// Seeds, two runs each.
    pub seeds: Vec<u64>,
}

/// What came out of a point. Times are those of the slowest rank, from when it begins to when it has waited, in ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// What is different from the sweep; empty: nothing.
    pub variant: String,
    /// The way.
    pub mode: Mode,
    /// Nodes.
    pub nodes: usize,
    /// Bytes of the broadcast.
    pub bytes: u64,
    /// What hosts take.
    pub host: Host,
    /// From when a rank begins until it has started the broadcast: what cannot be overlapped.
    pub set_up_ns: Interval,
    /// The broadcast without work.
    pub alone_ns: Interval,
    /// The work: what the broadcast takes without it, on average.
    pub work_ns: u64,
    /// Both together.
    pub both_ns: Interval,
    /// Share of the broadcast that the work hides, in percent.
    pub overlap: Interval,
    /// What the work does not hide.
    pub rest_ns: Interval,
    /// Cycles in which NICs were awake, all nodes and runs.
    pub awake_cycles: u64,
}

/// Times of one run.
#[derive(Clone, Copy, Debug)]
struct Times {
    set_up: f64,
    all: f64,
}

impl Point {
    /// Awake cycles that its runs will take, in millions.
    pub fn million_cycles(&self) -> f64 {
        let [run, each, segment, byte] = CYCLES;
        let received = self.bytes as f64 * (1.0 - 1.0 / self.nodes as f64);
        let of_use = each + segment * (self.segments - 1) as f64 + byte * received;
        let run = run + self.mode.uses() as f64 * of_use;
        run * (2 * self.nodes * self.seeds.len()) as f64 / 1e6
    }

    /// Runs it twice for each seed: without work, and with as much. Errors: a run failed, or left other bytes than the
    /// interpreter.
    pub fn measure(&self, system: &Surrounds) -> Result<Row, ExperimentError> {
        let title = format!(
            "{}, {} nodes, {} bytes",
            self.mode.name(),
            self.nodes,
            self.bytes
        );
        let failed = |error: GraphError| ExperimentError::Failed(format!("{title}: {error}"));
        let parameters = Parameters {
            nodes: self.nodes,
            root: 0,
            bytes: self.bytes,
            k: self.k,
            segments: self.segments,
            operation: Operation::Sum,
            datatype: Datatype::Uint8,
        };
        let tree = variant("broadcast", "knomial");
        let tree =
            tree.ok_or_else(|| ExperimentError::Failed("there is no such tree".to_owned()))?;
        let built = tree.build(&parameters).map_err(failed)?;
        let graph = match self.mode {
            Mode::Rounds => in_rounds(&built.graph).map_err(failed)?,
            _ => built.graph.clone(),
        };
        let schedule = compile(&graph, &self.mode.options()).map_err(failed)?;
        let plan = Plan::new(&schedule, Limits::NIC).map_err(failed)?;
        let memory = built.memory(parameters.datatype, 3);
        let task = Task {
            graph: &graph,
            schedule: &schedule,
            plan: &plan,
            memory: &memory,
        };
        let mut awake = 0;
        let mut run = |seed: u64, work: u64| {
            let surroundings = Surroundings {
                title: title.clone(),
                max_cycles: LONGEST,
                backend: self.mode.backend(),
                posting: self.mode.posting(),
                times: HostTimes {
                    command: self.host.command_ns,
                    message: self.host.message_ns,
                    work,
                },
                meet: self.mode == Mode::Reused,
                again: self.mode.uses() - 1,
                ..system.surroundings(self.nodes, seed)
            };
            let played = task.play(&surroundings)?;
            awake += played.awake();
            self.times(&played, &surroundings.late)
        };
        let mut all = |work: u64| {
            let times = self.seeds.iter().map(|seed| run(*seed, work));
            times.collect::<Result<Vec<Times>, ExperimentError>>()
        };
        let alone = all(0)?;
        let interval = |values: Vec<f64>| Interval::of(&values).unwrap_or_default();
        let alone_ns = interval(alone.iter().map(|times| times.all).collect());
        let work_ns = alone_ns.mean.round() as u64;
        let both = all(work_ns)?;
        let pairs = || {
            alone
                .iter()
                .zip(&both)
                .map(|(alone, both)| (alone.all, both.all - work_ns as f64))
        };
        Ok(Row {
            variant: self.variant.clone(),
            mode: self.mode,
            nodes: self.nodes,
            bytes: self.bytes,
            host: self.host,
            set_up_ns: interval(alone.iter().map(|times| times.set_up).collect()),
            alone_ns,
            work_ns,
            both_ns: interval(both.iter().map(|times| times.all).collect()),
            overlap: interval(
                pairs()
                    .map(|(alone, rest)| 100.0 * (alone - rest) / alone.max(1.0))
                    .collect(),
            ),
            rest_ns: interval(pairs().map(|(_, rest)| rest).collect()),
            awake_cycles: awake,
        })
    }

    /// Times of a run: of the last use, from the step `begin`, but for what a rank begins late.
    fn times(&self, played: &Played, late: &[u64]) -> Result<Times, ExperimentError> {
        let use_ = self.mode.uses() - 1;
        let (mut set_up, mut all) = (0, 0);
        for (rank, late) in late.iter().enumerate() {
            let begin = played.done(rank, &name("begin", use_))? + late;
            let since = |step: &str| {
                let done = played.done(rank, &name(step, use_))?;
                Ok::<u64, ExperimentError>(done.saturating_sub(begin))
            };
            set_up = since("start")?.max(set_up);
            all = since("end")?.max(all);
        }
        Ok(Times {
            set_up: set_up as f64,
            all: all as f64,
        })
    }
}
