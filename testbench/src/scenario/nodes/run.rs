//! Runs a plan of several nodes: plays the programs of all processes on one clock, until nothing happens any more.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use xtq_engine::{EngineKind, SharedWave, WaveOptions, WaveProbe};

use super::check_network::network;
use super::checkpoint::Keeper;
use super::end::{End, Failure};
use super::link_signals::{LINK_SIGNALS, link_values};
use super::meeting::Barriers;
use super::plan::NodesPlan;
use super::set_up::{Stop, node_config};
use super::site::{Site, SiteError};
use super::steps::Steps;
use crate::cluster::{Cluster, ClusterError, Exchange, Lost, Run, RunOptions, Summary};
use crate::network::Station;
use crate::node::{Digest, Node};
use crate::watch::Progress;

/// Most messages, and bytes of messages, of which each is followed if nobody says whether.
const FOLLOWED: (usize, u64) = (4096, 16 << 20);

/// Wall-clock times of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) build: Duration,
    pub(super) open: Duration,
    pub(super) run: Duration,
}

/// A scenario of several nodes, ready to run.
pub struct NodesRun {
    pub(super) plan: Arc<NodesPlan>,
    pub(super) cluster: Cluster<Site>,
    options: RunOptions,
    probe: Option<WaveProbe>,
    pub(super) times: Times,
    /// Bytes of memory that a node took when it was built.
    pub(super) node_bytes: u64,
    /// First cycle in which programs run, and what had happened at each node when they had ended.
    pub(super) began: u64,
    pub(super) digests: Vec<Digest>,
    /// Cycles that all nodes had run then; 0: no program has run.
    pub(super) reached: u64,
    /// Cycle from which on this process has run it; 0: from the beginning.
    pub(super) resumed: u64,
    pub(super) keeper: Option<Keeper>,
    pub(super) steps: Steps,
}

impl NodesRun {
    /// Builds the nodes; no process has done anything. Errors: of the engine.
    pub fn new(plan: NodesPlan, engine: EngineKind) -> Result<Self, Stop> {
        Self::with_sleep(plan, engine, true)
    }

    /// The same, of which the engines sleep or not. Errors: as of [`new`](Self::new).
    pub fn with_sleep(plan: NodesPlan, engine: EngineKind, sleeps: bool) -> Result<Self, Stop> {
        Self::of_rank(plan, engine, sleeps, (0, 1))
    }

    /// The nodes of a rank, by its number and how many there are. Errors: as of [`new`](Self::new).
    pub fn of_rank(
        plan: NodesPlan,
        engine: EngineKind,
        sleeps: bool,
        rank: (usize, usize),
    ) -> Result<Self, Stop> {
        let started = Instant::now();
        let plan = Arc::new(plan);
        let scenario = &plan.scenario;
        let network = network(&scenario.network);
        let barriers = Arc::new(Barriers::of(&plan.processes));
        let steps = Steps::of(&plan.processes);
        let count = scenario.nodes.len();
        let mut sites = Vec::new();
        let mut before = 0;
        let is_own = |number: &usize| network.worker(*number, rank.1) == rank.0;
        for number in (0..count).filter(is_own) {
            let written = &scenario.nodes[number];
            let config = node_config(scenario, written, engine, sleeps);
            let node = Node::new(&config).and_then(|mut node| {
                node.set_node_id(number as u16)?;
                Ok(node)
            });
            let node = node.map_err(|error| ClusterError::Node {
                node: number,
                error,
            })?;
            let (plan, barriers) = (plan.clone(), barriers.clone());
            let (steps, lookahead) = (steps.clone(), network.lookahead());
            sites.push(Site::new(node, number, plan, barriers, steps, lookahead));
            if sites.len() == 1 {
                // What all nodes share was made for the first.
                before = resident_bytes();
            }
        }
        let others = (sites.len() as u64).saturating_sub(1).max(1);
        let node_bytes = resident_bytes().saturating_sub(before) / others;
        let cluster =
            Cluster::of_rank(sites, &network, count, rank).map_err(|error| match error {
                ClusterError::Network(error) => ClusterError::Network(error),
                other => ClusterError::Stuck {
                    cycle: 0,
                    max_cycles: 0,
                    waiting_for: other.to_string(),
                },
            })?;
        let follows = plan.messages() <= FOLLOWED.0 && plan.message_bytes() <= FOLLOWED.1;
        let mut run = Self {
            plan,
            cluster,
            options: RunOptions::default(),
            probe: None,
            times: Times {
                build: started.elapsed(),
                ..Times::default()
            },
            node_bytes,
            began: 0,
            digests: Vec::new(),
            reached: 0,
            resumed: 0,
            keeper: None,
            steps,
        };
        run.keep_logs(follows);
        Ok(run)
    }

    /// How it is run; what comes out does not depend on it. `until` is the scenario's.
    pub fn set_options(&mut self, options: RunOptions) {
        self.options = options;
    }

    /// Whether each message is followed, which takes memory for all that crosses a link. At first it is if the programs
    /// send at most 4,096 messages and 16 MiB.
    pub fn keep_logs(&mut self, keeps: bool) {
        for site in self.cluster.nodes_mut() {
            site.node.keep_logs(keeps);
        }
        for port in self.cluster.network_mut().parts_mut().0 {
            port.keep_log(keeps);
        }
    }

    /// Whether each message is followed.
    pub fn keeps_logs(&self) -> bool {
        let mut sites = self.cluster.nodes().iter();
        sites.all(|site| site.node.keeps_logs())
    }

    /// A node; `None`: there is none, or another rank has it.
    pub fn node(&self, number: usize) -> Option<&Node> {
        let mut sites = self.cluster.nodes().iter();
        let site = sites.find(|site| site.number == number);
        site.map(|site| &site.node)
    }

    /// The same, to read its registers after the run.
    pub fn node_mut(&mut self, number: usize) -> Option<&mut Node> {
        let mut sites = self.cluster.nodes_mut().iter_mut();
        let site = sites.find(|site| site.number == number);
        site.map(|site| &mut site.node)
    }

    /// What it runs.
    pub fn plan(&self) -> &NodesPlan {
        &self.plan
    }

    /// Cycles that all nodes have run.
    pub fn cycle_count(&self) -> u64 {
        self.cluster.cycle_count()
    }

    /// How far the programs are; a copy shows it while they run.
    pub fn steps(&self) -> Steps {
        self.steps.clone()
    }

    /// From now on `progress` sees the cycles of the run, and can end it.
    pub fn watch(&mut self, progress: Progress) {
        self.cluster.watch(progress);
    }

    /// Starts a waveform of all nodes and the network, each in a scope of its own: `node0`, `node1`, ..., `network`.
    /// Then no cycle is left out. Errors: as [`attach_wave`](xtq_engine::Engine::attach_wave).
    pub fn attach_wave(&mut self, options: &WaveOptions) -> xtq_engine::Result<()> {
        let file = SharedWave::new(&options.path);
        let part = |name: String| WaveOptions {
            instance: Some(name),
            shared: Some(file.clone()),
            ..options.clone()
        };
        let mut signals = Vec::new();
        for site in self.cluster.nodes_mut() {
            let number = site.number;
            let engine = site.node.engine();
            engine.attach_wave(part(format!("node{number}")))?;
            signals
                .extend(LINK_SIGNALS.map(|(name, width)| (format!("link{number}.{name}"), width)));
        }
        self.probe = Some(WaveProbe::attach(part("network".to_owned()), &signals)?);
        file.begin(options.scope.as_deref())
    }

    /// Ends the waveform. Errors: something of the file could not be written, now or before.
    pub fn finish_wave(&mut self) -> xtq_engine::Result<()> {
        for site in self.cluster.nodes_mut() {
            site.node.engine().finish_wave()?;
        }
        self.probe.take().map_or(Ok(()), WaveProbe::finish)
    }

    /// Opens the processes and plays the programs, beside the `others` if this is one of several ranks. Gives how that
    /// ended, and what went wrong afterwards.
    pub(super) fn run(&mut self, mut others: Option<&mut dyn Exchange>) -> (End, Option<Failure>) {
        if self.resumed == 0 {
            let begin = self.cluster.cycle_count();
            let started = Instant::now();
            match self.open(&mut others) {
                Ok(cycle) => self.began = cycle,
                Err(end) => return (end, None),
            }
            self.times.open = started.elapsed();
            // The network was idle meanwhile.
            (begin..self.began).for_each(|cycle| self.sample(cycle));
        }
        let started = Instant::now();
        let end = self.play(&mut others);
        self.times.run = started.elapsed();
        self.reached = self.cluster.cycle_count();
        let sites = self.cluster.nodes().iter();
        self.digests = sites.map(|site| site.node.digest()).collect();
        // What a process did not look at may be why it waits.
        let drained = match end {
            End::Ended(_) => Ok(()),
            _ => self.each_site(Site::drain).and_then(|()| {
                let furthest = self.furthest();
                self.each_site(|site| site.level(furthest))
            }),
        };
        let last = self.cluster.cycle_count();
        self.sample(last);
        (end, drained.err())
    }

    /// Opens all processes, and lets the clocks of all nodes go to that which is furthest; gives the cycle. Errors: why
    /// programs cannot run.
    fn open(&mut self, others: &mut Option<&mut dyn Exchange>) -> Result<u64, End> {
        let opened = self.each_site(Site::open).map(|()| self.furthest());
        let furthest = meet(others, opened)?;
        let level = self.each_site(|site| site.level(furthest));
        meet(others, level.map(|()| furthest))
    }

    /// All sites do something by themselves, on as many threads as the run has, or as the system has. Errors: of the
    /// first site that has one.
    fn each_site<E: std::fmt::Display + Send>(
        &mut self,
        does: impl Fn(&mut Site) -> Result<(), E> + Sync,
    ) -> Result<(), Failure> {
        let sites = self.cluster.nodes_mut();
        let threads = self.options.threads.min(sites.len());
        let left = Mutex::new(sites.iter_mut());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            std::iter::from_fn(next).try_for_each(|site| {
                does(site).map_err(|error| Failure {
                    cycle: 0,
                    node: site.number,
                    text: format!("node {}: {error}", site.number),
                })
            })
        };
        let results: Vec<_> = thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..threads).map_while(start).collect();
            let own = work();
            let joined = others.into_iter().map(|thread| thread.join());
            let others =
                joined.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            std::iter::once(own).chain(others).collect()
        });
        let failed = results.into_iter().filter_map(Result::err);
        failed
            .min_by_key(|failure| failure.node)
            .map_or(Ok(()), Err)
    }

    /// Where the clock is that is furthest.
    fn furthest(&self) -> u64 {
        let clocks = self.cluster.nodes().iter().map(Station::clock);
        clocks.max().unwrap_or(0)
    }

    /// Runs until all programs have ended and nothing moves, or that does not happen.
    fn play(&mut self, others: &mut Option<&mut dyn Exchange>) -> End {
        let until = self.began.saturating_add(self.plan.scenario.max_cycles);
        match self.play_parts(until, others) {
            Ok(Run::Over) => End::Over,
            Ok(Run::Late) => End::Late(self.cluster.busy()),
            Ok(Run::Stopped) => End::Stopped,
            Err(end) => end,
        }
    }

    /// Runs from checkpoint to checkpoint. Errors: why it stopped, or that one cannot be kept.
    fn play_parts(
        &mut self,
        until: u64,
        others: &mut Option<&mut dyn Exchange>,
    ) -> Result<Run, End> {
        loop {
            let now = self.cluster.cycle_count();
            if now >= until {
                return Ok(Run::Late);
            }
            let keeper = self.keeper.as_ref();
            let next = keeper.map_or(until, |keeper| keeper.next(now)).min(until);
            let options = RunOptions {
                until: next,
                ..self.options
            };
            let ran = match (&self.probe, &mut *others) {
                (Some(_), others) => self.play_shown(next, others),
                (None, Some(others)) => self.cluster.run_by(*others, &options),
                (None, None) => self.cluster.run(&options),
            };
            if matches!(ran, Ok(Run::Late) | Err(ClusterError::Ended(_))) {
                let kept = self.keep_checkpoint();
                kept.map_err(|text| {
                    End::Failed(Failure {
                        cycle: now,
                        node: 0,
                        text,
                    })
                })?;
            }
            if next == until || !matches!(ran, Ok(Run::Late)) {
                return ran.map_err(|error| self.stopped(error));
            }
        }
    }

    /// Runs cycle by cycle, for the waveform.
    fn play_shown(
        &mut self,
        until: u64,
        others: &mut Option<&mut dyn Exchange>,
    ) -> Result<Run, ClusterError<SiteError>> {
        loop {
            let cycle = self.cluster.cycle_count();
            self.sample(cycle);
            if cycle >= until {
                return Ok(Run::Late);
            }
            let options = RunOptions {
                skips: false,
                until: cycle + 1,
                ..self.options
            };
            let ran = match others {
                Some(others) => self.cluster.run_by(*others, &options)?,
                None => {
                    self.cluster.cycle()?;
                    match self.cluster.is_over() {
                        true => Run::Over,
                        false => Run::Late,
                    }
                }
            };
            if ran != Run::Late {
                return Ok(ran);
            }
        }
    }

    /// Why it stopped, for people: a program is named by itself.
    fn stopped(&self, error: ClusterError<SiteError>) -> End {
        match error {
            ClusterError::Node { node, error } => {
                let mut sites = self.cluster.nodes().iter();
                let site = sites.find(|site| site.number == node);
                End::Failed(Failure {
                    cycle: site.map_or(0, Station::clock),
                    node,
                    text: match error {
                        SiteError::Program(text) => text,
                        error => format!("node {node}: {error}"),
                    },
                })
            }
            error => End::Ended(error.to_string()),
        }
    }

    /// Adds the network in `cycle` to the waveform.
    fn sample(&mut self, cycle: u64) {
        let Some(probe) = &mut self.probe else {
            return;
        };
        probe.sample(cycle, &link_values(self.cluster.network(), cycle));
    }
}

/// The greatest of what all ranks have, or the own one of a single rank. Errors: it failed here or elsewhere.
fn meet(others: &mut Option<&mut dyn Exchange>, own: Result<u64, Failure>) -> Result<u64, End> {
    let Some(others) = others else {
        return own.map_err(End::Failed);
    };
    // The least of what is left to the greatest number.
    let all = others.reduce(Summary {
        next: own.as_ref().map_or(u64::MAX, |own| u64::MAX - own),
        over: false,
        stopped: own.is_err(),
    });
    own.map_err(End::Failed)?;
    match all {
        Err(Lost(why)) => Err(End::Ended(why)),
        Ok(all) if all.stopped => Err(End::Stopped),
        Ok(all) => Ok(u64::MAX - all.next),
    }
}

/// Bytes of memory that this process has, or 0 if the system does not say.
fn resident_bytes() -> u64 {
    const PAGE: u64 = 4096;
    let statistics = std::fs::read_to_string("/proc/self/statm");
    let pages = statistics
        .ok()
        .and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE
}
