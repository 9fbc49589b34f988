//! Runs a plan of several nodes: plays the programs of all processes on one clock, until nothing happens any more.

use std::time::{Duration, Instant};

use xtq_engine::{EngineKind, SharedWave, WaveOptions, WaveProbe};

use super::check::network;
use super::plan::NodesPlan;
use super::player::{AskingPort, Barriers, Player, Turn};
use super::set_up::{Stop, node_config, open};
use crate::cluster::Cluster;
use crate::network::Station;
use crate::node::Node;

/// Cycles in which every process that waits has looked, beyond those in which hardware shows that it is quiet.
const LAST_LOOK: u64 = 64;

/// Whose turn it is on a node: one register access after the other.
#[derive(Clone, Debug, Default)]
struct Turns {
    /// Players of the node.
    players: Vec<usize>,
    /// Who is asked first.
    next: usize,
    /// Who waits for a register.
    asking: Option<(usize, u16)>,
}

/// A scenario of several nodes, ready to run.
pub struct NodesRun {
    pub(super) plan: NodesPlan,
    pub(super) cluster: Cluster<Node>,
    pub(super) players: Vec<Player>,
    turns: Vec<Turns>,
    barriers: Barriers,
    probe: Option<WaveProbe>,
    /// Time that building took, and of the run.
    pub(super) built: Duration,
    pub(super) ran: Duration,
}

impl NodesRun {
    /// Builds the nodes; no process has done anything. Errors: of the engine.
    pub fn new(plan: NodesPlan, engine: EngineKind) -> Result<Self, Stop> {
        let started = Instant::now();
        let scenario = &plan.scenario;
        let configs: Vec<_> = scenario
            .nodes
            .iter()
            .map(|node| node_config(node, scenario.atomics, engine))
            .collect();
        let cluster = Cluster::new(&configs, &network(&scenario.network))?;
        let mut turns = vec![Turns::default(); configs.len()];
        for (number, process) in plan.processes.iter().enumerate() {
            turns[usize::from(process.id.node)].players.push(number);
        }
        Ok(Self {
            barriers: Barriers::of(&plan.processes),
            plan,
            cluster,
            players: Vec::new(),
            turns,
            probe: None,
            built: started.elapsed(),
            ran: Duration::ZERO,
        })
    }

    /// The nodes.
    pub fn cluster(&mut self) -> &mut Cluster<Node> {
        &mut self.cluster
    }

    /// Starts a waveform of all nodes and the network, each in a scope of its own: `node0`, `node1`, ..., `network`.
    /// Errors: as [`attach_wave`](xtq_engine::Engine::attach_wave).
    pub fn attach_wave(&mut self, options: &WaveOptions) -> xtq_engine::Result<()> {
        let file = SharedWave::new(&options.path);
        let part = |name: String| WaveOptions {
            instance: Some(name),
            shared: Some(file.clone()),
            ..options.clone()
        };
        let mut signals = Vec::new();
        for (number, node) in self.cluster.nodes_mut().iter_mut().enumerate() {
            node.engine().attach_wave(part(format!("node{number}")))?;
            signals
                .extend(LINK_SIGNALS.map(|(name, width)| (format!("link{number}.{name}"), width)));
        }
        self.probe = Some(WaveProbe::attach(part("network".to_owned()), &signals)?);
        file.begin(options.scope.as_deref())
    }

    /// Ends the waveform. Errors: something of the file could not be written, now or before.
    pub fn finish_wave(&mut self) -> xtq_engine::Result<()> {
        for node in self.cluster.nodes_mut() {
            node.engine().finish_wave()?;
        }
        self.probe.take().map_or(Ok(()), WaveProbe::finish)
    }

    pub(super) fn run(&mut self) -> Result<(), String> {
        let begin = self.cluster.cycle_count();
        let opened = open(&mut self.cluster, &self.plan);
        // The network was idle meanwhile.
        (begin..=self.cluster.cycle_count()).for_each(|cycle| self.sample(cycle));
        let processes = opened.map_err(|error| error.to_string())?;
        let planned = self.plan.processes.iter().zip(processes).enumerate();
        self.players = planned
            .map(|(number, (planned, process))| Player::new(number, planned, process))
            .collect();
        let played = self.play();
        // What a process did not look at may be why it waits.
        let drained = self.drain();
        played.and(drained)
    }

    fn drain(&mut self) -> Result<(), String> {
        for (player, planned) in self.players.iter_mut().zip(&self.plan.processes) {
            let node = usize::from(planned.id.node);
            let drained = player.drain(&mut self.cluster.port(node));
            drained.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Runs until all programs have ended and nothing moves. Errors: that does not happen; a node stopped.
    fn play(&mut self) -> Result<(), String> {
        let max_cycles = self.plan.scenario.max_cycles;
        let mut quiet = 0;
        for run in 0..=max_cycles {
            let mut acted = false;
            for node in 0..self.turns.len() {
                acted |= self.serve(node)?;
            }
            self.sample(self.cluster.cycle_count());
            quiet = match acted || self.works() {
                true => 0,
                false => quiet + 1,
            };
            let nodes = self.cluster.nodes().iter();
            let longest = nodes.map(Station::quiet_cycles).max().unwrap_or(0);
            if quiet > longest + LAST_LOOK {
                return match self.waiting() {
                    waiting if waiting.is_empty() => Ok(()),
                    waiting => Err(format!(
                        "cycle {}: nothing happens any more, but {waiting}",
                        self.cluster.cycle_count()
                    )),
                };
            }
            if run < max_cycles {
                self.cluster.cycle().map_err(|error| error.to_string())?;
            }
        }
        let waiting = match (self.waiting(), self.cluster.busy()) {
            (waiting, _) if !waiting.is_empty() => waiting,
            (_, busy) => busy.unwrap_or_default(),
        };
        Err(format!(
            "cycle {}: not done after {max_cycles} cycles ({waiting})",
            self.cluster.cycle_count()
        ))
    }

    /// The processes of a node do what they can; whether one did anything but look. Errors: the NIC refuses an access,
    /// or breaks a rule.
    fn serve(&mut self, node: usize) -> Result<bool, String> {
        let turns = &mut self.turns[node];
        let hardware = &mut self.cluster.nodes_mut()[node];
        if !hardware.registers_idle() {
            return Ok(false);
        }
        let mut answer = None;
        if let Some((player, address)) = turns.asking.take() {
            let value = hardware.last_answer();
            let value = value.map_err(|error| format!("node {node}: {error}"))?;
            answer = Some((player, (address, value)));
        }
        let cycle = hardware.cycle_count();
        let mut acted = false;
        let count = turns.players.len();
        let first = match answer {
            // Who has an answer uses it before it is old.
            Some((player, _)) => turns.players.iter().position(|p| *p == player),
            None => Some(turns.next),
        };
        let first = first.unwrap_or(0);
        for place in (0..count).map(|i| (first + i) % count) {
            let number = turns.players[place];
            let mut port = AskingPort {
                node: &mut *hardware,
                answer: answer.take().filter(|(p, _)| *p == number).map(|(_, a)| a),
            };
            let steps = &self.plan.processes[number].steps;
            let player = &mut self.players[number];
            let turn = player.turn(steps, &mut port, cycle, &mut self.barriers);
            let turn =
                turn.map_err(|error| format!("{}: {error}", self.plan.processes[number].title()))?;
            match turn {
                Turn::Waits => acted |= player.sleeps(),
                Turn::Acted => acted = true,
                Turn::Asks(address) => {
                    hardware.post_read(address);
                    turns.asking = Some((number, address));
                }
            }
            if !hardware.registers_idle() {
                turns.next = (place + 1) % count;
                break;
            }
        }
        Ok(acted)
    }

    /// Whether anything is not idle; a process that waits only looks now and then, which does not count.
    fn works(&self) -> bool {
        let mut nodes = self.cluster.nodes().iter();
        nodes.any(|node| node.works().is_some()) || !self.cluster.network().is_empty()
    }

    /// What the processes wait for that have not ended.
    fn waiting(&self) -> String {
        let players = self.players.iter().zip(&self.plan.processes);
        let waiting: Vec<String> = players
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
                [
                    network.ready(cycle, node).into(),
                    network.on_the_way(node) as u64,
                    network.offers(cycle, node).into(),
                ]
            })
            .collect();
        probe.sample(cycle, &values);
    }
}

/// What the waveform shows of each node's links, with its width: the network takes a beat of the node; beats of the
/// node that are on the way; a beat for the node is at the end of its link.
const LINK_SIGNALS: [(&str, usize); 3] = [("ready", 1), ("beats_on_the_way", 32), ("offers", 1)];
