//! What `xtq run` plays: a target side, several nodes, or a bank of the L2. One run of each kind, in the same steps.

use crate::Verdict;
use crate::trace::{self, Trace};
use crate::viewers::View;
use crate::{table, table_l2, table_nodes};
use serde::Serialize;
use xtq_engine::{Result, WaveOptions};
use xtq_testbench::node::Node;
use xtq_testbench::scenario::nodes::Steps;
use xtq_testbench::scenario::{L2Report, L2Run, NodesReport, NodesRun, Report, Run};
use xtq_testbench::watch::Progress;

/// A scenario on hardware that is built and out of reset.
pub trait Played {
    /// What is reported about it.
    type Report: Reported;

    /// The cycle that comes next, as waveforms count.
    fn cycle(&mut self) -> u64;
    /// Starts a waveform. Errors: there is no such scope, the window is empty, the file cannot be written.
    fn attach_wave(&mut self, options: &WaveOptions) -> Result<()>;
    /// Ends the waveform. Errors: something of the file could not be written, now or before.
    fn finish_wave(&mut self) -> Result<()>;
    /// From now on `progress` sees every cycle, and can end the run.
    fn watch(&mut self, progress: Progress);
    /// How far its programs are, if it has any.
    fn steps(&self) -> Option<Steps> {
        None
    }
    /// Runs it to its end.
    fn finish(&mut self) -> Self::Report;
    /// A node, of which memory is saved.
    fn node(&mut self, number: usize) -> Option<&Node>;
}

/// A report of a run.
pub trait Reported: Serialize {
    /// The table for people.
    fn render(&self, verbose: bool) -> String;
    /// What viewers show of a run that began in cycle `start` of the waveform.
    fn view(&self, start: u64, period_ps: u64) -> View;
    /// The run as tracks, slices and flows.
    fn trace(&self) -> Trace;
    /// The engine that ran.
    fn engine(&self) -> &str;
    /// Whether it was ended from outside.
    fn is_interrupted(&self) -> bool;
    /// Whether the hardware did as it should.
    fn verdict(&self) -> Verdict;
}

/// What every report has, and its table.
macro_rules! reported {
    ($table:ident) => {
        fn render(&self, verbose: bool) -> String {
            $table::render(self, verbose)
        }

        fn engine(&self) -> &str {
            &self.engine
        }

        fn is_interrupted(&self) -> bool {
            self.interrupted
        }
    };
}

impl Played for Run {
    type Report = Report;

    fn cycle(&mut self) -> u64 {
        self.node().cycle_count()
    }

    fn attach_wave(&mut self, options: &WaveOptions) -> Result<()> {
        self.node().engine().attach_wave(options.clone())
    }

    fn finish_wave(&mut self) -> Result<()> {
        self.node().engine().finish_wave()
    }

    fn watch(&mut self, progress: Progress) {
        self.node().watch(progress);
    }

    fn finish(&mut self) -> Report {
        Run::finish(self)
    }

    fn node(&mut self, _number: usize) -> Option<&Node> {
        Some(Run::node(self))
    }
}

impl Reported for Report {
    reported!(table);

    fn view(&self, _start: u64, period_ps: u64) -> View {
        View::of_target(self, period_ps)
    }

    fn trace(&self) -> Trace {
        trace::of_target(self)
    }

    fn verdict(&self) -> Verdict {
        match self.passed {
            true => Verdict::Good,
            false if self.failure.is_empty() && !self.compared => Verdict::Unknown,
            false => Verdict::Bad,
        }
    }
}

impl Played for NodesRun {
    type Report = NodesReport;

    fn cycle(&mut self) -> u64 {
        NodesRun::cycle_count(self)
    }

    fn attach_wave(&mut self, options: &WaveOptions) -> Result<()> {
        NodesRun::attach_wave(self, options)
    }

    fn finish_wave(&mut self) -> Result<()> {
        NodesRun::finish_wave(self)
    }

    fn watch(&mut self, progress: Progress) {
        NodesRun::watch(self, progress);
    }

    fn steps(&self) -> Option<Steps> {
        Some(NodesRun::steps(self)).filter(|steps| steps.all() > 0)
    }

    fn finish(&mut self) -> NodesReport {
        NodesRun::finish(self)
    }

    fn node(&mut self, number: usize) -> Option<&Node> {
        NodesRun::node(self, number)
    }
}

impl Reported for NodesReport {
    reported!(table_nodes);

    fn view(&self, _start: u64, period_ps: u64) -> View {
        View::of_nodes(self, period_ps)
    }

    fn trace(&self) -> Trace {
        trace::of_nodes(self)
    }

    fn verdict(&self) -> Verdict {
        Verdict::from(self.passed)
    }
}

impl Played for L2Run {
    type Report = L2Report;

    fn cycle(&mut self) -> u64 {
        self.engine().cycle()
    }

    fn attach_wave(&mut self, options: &WaveOptions) -> Result<()> {
        self.engine().attach_wave(options.clone())
    }

    fn finish_wave(&mut self) -> Result<()> {
        self.engine().finish_wave()
    }

    fn watch(&mut self, progress: Progress) {
        L2Run::watch(self, progress);
    }

    fn finish(&mut self) -> L2Report {
        L2Run::finish(self)
    }

    fn node(&mut self, _number: usize) -> Option<&Node> {
        None
    }
}

impl Reported for L2Report {
    reported!(table_l2);

    fn view(&self, start: u64, period_ps: u64) -> View {
        View::of_l2(self, start, period_ps)
    }

    fn trace(&self) -> Trace {
        trace::of_l2(self)
    }

    fn verdict(&self) -> Verdict {
        Verdict::from(self.passed)
    }
}
