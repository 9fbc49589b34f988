//! A schedule on real NICs.

use std::path::Path;
use xtq_cdag::emit::{Contents, Surroundings, emit};
use xtq_cdag::graph::Graph;
use xtq_cdag::interpret::interpret;
use xtq_cdag::plan::Plan;
use xtq_cdag::schedule::Schedule;
use xtq_engine::EngineKind;
use xtq_testbench::experiments::ExperimentError;
use xtq_testbench::scenario::{File, NodesReport, NodesRun, parse_file};

/// Seed of the interpreter's order; all orders of the graphs here give the same.
const ORDER: u64 = 1;

/// A graph, compiled, with what is in memory before.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Its schedule.
    pub schedule: &'a Schedule,
    /// What that needs.
    pub plan: &'a Plan,
    /// Memory of each rank at the start.
    pub memory: &'a [Vec<u8>],
}

/// A run that has ended.
pub struct Played {
    /// The nodes, to look into.
    pub run: NodesRun,
    /// What it reports.
    pub report: NodesReport,
}

impl Task<'_> {
    /// Runs it; memory at the end is compared with the interpreter's. Errors: the run did not pass, with the first
    /// reason; what cannot be run.
    pub fn play(&self, surroundings: &Surroundings) -> Result<Played, ExperimentError> {
        let played = self.play_as_far_as_it_goes(surroundings)?;
        let report = &played.report;
        let title = &surroundings.title;
        match report.passed {
            true => Ok(played),
            false => Err(ExperimentError::Failed(format!(
                "{title}: {} {}",
                report.failure,
                report.differences.first().map_or("", String::as_str)
            ))),
        }
    }

    /// The same, of which the run may also be given up at its last cycle. Errors: what cannot be run.
    pub fn play_as_far_as_it_goes(
        &self,
        surroundings: &Surroundings,
    ) -> Result<Played, ExperimentError> {
        let failed = |error: &dyn std::fmt::Display| {
            ExperimentError::Failed(format!("{}: {error}", surroundings.title))
        };
        let mut memory = self.memory.to_vec();
        for _ in 0..=surroundings.again {
            memory = interpret(self.graph, &memory, ORDER).map_err(|error| failed(&error))?;
        }
        let after: Vec<Vec<(u64, Vec<u8>)>> = (0..self.graph.ranks())
            .map(|rank| {
                let parts = self.graph.results(rank).into_iter();
                let bytes = |at: u64, end: u64| memory[rank][at as usize..end as usize].to_vec();
                parts
                    .map(|part| (part.at, bytes(part.at, part.end())))
                    .collect()
            })
            .collect();
        let contents = Contents {
            before: self.memory,
            after: &after,
        };
        let text = emit(self.schedule, self.plan, contents, surroundings)
            .map_err(|error| failed(&error))?;
        let file = parse_file("the schedule", &text, Path::new("."));
        let File::Nodes(nodes) = file.map_err(|error| failed(&error))? else {
            return Err(failed(&"the scenario has no nodes"));
        };
        let mut run =
            NodesRun::new(nodes, EngineKind::default()).map_err(|error| failed(&error))?;
        run.keep_logs(false);
        let report = run.finish();
        Ok(Played { run, report })
    }
}

impl Played {
    /// Cycle in which a rank's step of this name was done. Errors: there is none, or it was not.
    pub fn done(&self, rank: usize, step: &str) -> Result<u64, ExperimentError> {
        self.step(rank, step).map(|[_, done]| done)
    }

    /// Cycle in which it began. Errors: the same.
    pub fn begun(&self, rank: usize, step: &str) -> Result<u64, ExperimentError> {
        self.step(rank, step).map(|[begun, _]| begun)
    }

    /// Cycle in which a rank's program began.
    pub fn began(&self) -> u64 {
        self.report.setup_cycles
    }

    fn step(&self, rank: usize, step: &str) -> Result<[u64; 2], ExperimentError> {
        let processes = self.report.nodes.get(rank).map(|node| &node.processes);
        let mut steps = processes
            .into_iter()
            .flatten()
            .flat_map(|process| &process.timeline);
        let found = steps.find(|row| row.name == step);
        let cycles = found.and_then(|row| Some([row.begun?, row.done?]));
        cycles.ok_or_else(|| {
            let title = &self.report.title;
            ExperimentError::Failed(format!(
                "{title}: rank {rank} has not done its step '{step}'"
            ))
        })
    }

    /// Cycles in which NICs had something to do, all nodes together: what a run costs.
    pub fn awake(&self) -> u64 {
        let all = (self.report.cycles * self.report.nodes.len() as u64) as f64;
        (all * (1.0 - self.report.asleep)) as u64
    }
}
