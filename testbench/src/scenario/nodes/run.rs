//! Runs a plan of several nodes: plays the programs of all processes on one clock, until nothing happens any more.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use xtq_engine::{EngineKind, SharedWave, WaveOptions, WaveProbe};

use super::check::network;
use super::meeting::Barriers;
use super::plan::NodesPlan;
use super::player::Player;
use super::set_up::{Stop, node_config};
use super::site::{Site, SiteError};
use crate::cluster::{Cluster, ClusterError, Run, RunOptions};
use crate::network::{Class, Station};
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
}

impl NodesRun {
    /// Builds the nodes; no process has done anything. Errors: of the engine.
    pub fn new(plan: NodesPlan, engine: EngineKind) -> Result<Self, Stop> {
        Self::with_sleep(plan, engine, true)
    }

    /// The same, of which the engines sleep or not. Errors: as of [`new`](Self::new).
    pub fn with_sleep(plan: NodesPlan, engine: EngineKind, sleeps: bool) -> Result<Self, Stop> {
        let started = Instant::now();
        let plan = Arc::new(plan);
        let scenario = &plan.scenario;
        let network = network(&scenario.network);
        let barriers = Arc::new(Barriers::of(&plan.processes));
        let count = scenario.nodes.len();
        let mut sites = Vec::new();
        let mut before = 0;
        for (number, written) in scenario.nodes.iter().enumerate() {
            let config = node_config(written, scenario.atomics, engine, sleeps);
            let node = Node::new(&config).and_then(|mut node| {
                node.set_node_id(number as u16)?;
                Ok(node)
            });
            let node = node.map_err(|error| ClusterError::Node {
                node: number,
                error,
            })?;
            let (plan, barriers) = (plan.clone(), barriers.clone());
            sites.push(Site::new(node, number, plan, barriers, network.lookahead()));
            if number == 0 {
                // What all nodes share was made for the first.
                before = resident_bytes();
            }
        }
        let others = (count as u64).saturating_sub(1).max(1);
        let node_bytes = resident_bytes().saturating_sub(before) / others;
        let cluster = Cluster::of_stations(sites, &network).map_err(|error| match error {
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
        for port in self.cluster.network_mut().ports_mut() {
            port.keep_log(keeps);
        }
    }

    /// A node.
    pub fn node(&self, number: usize) -> Option<&Node> {
        self.cluster.nodes().get(number).map(|site| &site.node)
    }

    /// The same, to read its registers after the run.
    pub fn node_mut(&mut self, number: usize) -> Option<&mut Node> {
        self.cluster
            .nodes_mut()
            .get_mut(number)
            .map(|site| &mut site.node)
    }

    /// Cycles that all nodes have run.
    pub fn cycle_count(&self) -> u64 {
        self.cluster.cycle_count()
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
        for (number, site) in self.cluster.nodes_mut().iter_mut().enumerate() {
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

    pub(super) fn run(&mut self) -> Result<(), String> {
        let begin = self.cluster.cycle_count();
        let started = Instant::now();
        self.each_site(Site::open)?;
        self.level()?;
        self.times.open = started.elapsed();
        self.began = self.cluster.cycle_count();
        // The network was idle meanwhile.
        (begin..self.began).for_each(|cycle| self.sample(cycle));
        let started = Instant::now();
        let played = self.play();
        self.times.run = started.elapsed();
        let sites = self.cluster.nodes().iter();
        self.digests = sites.map(|site| site.node.digest()).collect();
        // What a process did not look at may be why it waits.
        let drained = match self.cluster.has_ended() {
            true => Ok(()),
            false => self.each_site(Site::drain).and_then(|()| self.level()),
        };
        let end = self.cluster.cycle_count();
        self.sample(end);
        played.and(drained)
    }

    /// All sites do something by themselves, on as many threads as the run has. Errors: of the first site that has one.
    fn each_site<E: std::fmt::Display + Send>(
        &mut self,
        does: impl Fn(&mut Site) -> Result<(), E> + Sync,
    ) -> Result<(), String> {
        let sites = self.cluster.nodes_mut();
        let share = sites.len().div_ceil(self.options.threads.max(1)).max(1);
        let does = &does;
        let of_share = move |(first, sites): (usize, &mut [Site])| {
            for (number, site) in (first..).zip(sites) {
                does(site).map_err(|error| format!("node {number}: {error}"))?;
            }
            Ok::<_, String>(())
        };
        let shares = sites.chunks_mut(share).enumerate();
        let shares = shares.map(|(number, sites)| (number * share, sites));
        thread::scope(|scope| {
            let threads: Vec<_> = shares
                .map(|share| scope.spawn(move || of_share(share)))
                .collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            let mut results =
                joined.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            results.try_for_each(|result| result)
        })
    }

    /// All clocks go to that of the node which is furthest. Errors: of a node.
    fn level(&mut self) -> Result<(), String> {
        let furthest = self.cluster.nodes().iter().map(Station::clock).max();
        let furthest = furthest.unwrap_or(0);
        self.each_site(|site| site.level(furthest))
    }

    /// Runs until all programs have ended and nothing moves. Errors: that does not happen; a node stopped.
    fn play(&mut self) -> Result<(), String> {
        let max_cycles = self.plan.scenario.max_cycles;
        let until = self.began.saturating_add(max_cycles);
        let ran = match self.probe {
            Some(_) => self.play_shown(until),
            None => self.cluster.run(&RunOptions {
                until,
                ..self.options
            }),
        };
        let waiting = self.waiting();
        match ran.map_err(told)? {
            Run::Over if waiting.is_empty() => Ok(()),
            Run::Over => Err(format!(
                "cycle {}: nothing happens any more, but {waiting}",
                self.last_event() + 1
            )),
            Run::Late => {
                let busy = || self.cluster.busy().unwrap_or_default();
                let waiting = if waiting.is_empty() { busy() } else { waiting };
                Err(format!(
                    "cycle {until}: not done after {max_cycles} cycles ({waiting})"
                ))
            }
        }
    }

    /// Runs cycle by cycle, for the waveform.
    fn play_shown(&mut self, until: u64) -> Result<Run, ClusterError<SiteError>> {
        loop {
            let cycle = self.cluster.cycle_count();
            self.sample(cycle);
            if cycle >= until {
                return Ok(Run::Late);
            }
            self.cluster.cycle()?;
            if self.cluster.is_over() {
                return Ok(Run::Over);
            }
        }
    }

    /// Cycle of the last event of all nodes.
    pub(super) fn last_event(&self) -> u64 {
        let sites = self.cluster.nodes().iter();
        let last = match self.digests.is_empty() {
            true => sites.filter_map(|site| site.node.digest().last()).max(),
            false => self.digests.iter().filter_map(Digest::last).max(),
        };
        last.unwrap_or(0)
    }

    /// The process at a place among all.
    pub(super) fn player(&self, place: usize) -> Option<&Player> {
        let id = self.plan.processes.get(place)?.id;
        let site = self.cluster.nodes().get(usize::from(id.node))?;
        site.players.get(usize::from(id.context))
    }

    /// What the processes wait for that have not ended.
    fn waiting(&self) -> String {
        let players = self.cluster.nodes().iter().flat_map(|site| &site.players);
        let waiting: Vec<String> = players
            .zip(&self.plan.processes)
            .filter_map(|(player, planned)| player.waits_for(&planned.steps))
            .collect();
        waiting.join("; ")
    }

    /// Adds the network in `cycle` to the waveform.
    fn sample(&mut self, cycle: u64) {
        let Some(probe) = &mut self.probe else {
            return;
        };
        let network = self.cluster.network();
        let values: Vec<u64> = (0..network.nodes())
            .flat_map(|node| {
                let ready = network.ready(cycle, node);
                let offers = Class::ALL.map(|class| network.offers(cycle, node, class));
                [
                    ready[0].into(),
                    ready[1].into(),
                    network.on_the_way(node) as u64,
                    offers[0].into(),
                    offers[1].into(),
                ]
            })
            .collect();
        probe.sample(cycle, &values);
    }
}

/// Why a run stopped, for people: a program is named by itself.
fn told(error: ClusterError<SiteError>) -> String {
    match error {
        ClusterError::Node {
            error: SiteError::Program(text),
            ..
        } => text,
        error => error.to_string(),
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

/// What the waveform shows of each node's links, with its width: the network takes a request's beat of the node, or an
/// answer's; beats of the node that hold a place in the switch; a request's beat for the node is at the end of its
/// link, or an answer's.
const LINK_SIGNALS: [(&str, usize); 5] = [
    ("ready", 1),
    ("ready_answer", 1),
    ("beats_on_the_way", 32),
    ("offers", 1),
    ("offers_answer", 1),
];
