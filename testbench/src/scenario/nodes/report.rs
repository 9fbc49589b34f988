//! What a run of several nodes reports: a row a message, a block a node. The same data as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use super::message_row::MessageRow;
use super::outcome::{kind_name, outcome};
use super::program::PlannedProcess;
use super::rows::{Seen, rows};
use super::run::NodesRun;
use crate::bytes::Bytes;
use crate::host::Event;
use crate::network::Station;
use crate::node::{Digest, Gpu, Node};
use crate::scenario::report::{QueueState, SignalState};
use crate::signals::Signals;

/// Everything about a run of several nodes. Cycles count from the end of the reset, and mean the same on all nodes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodesReport {
    /// Title of the scenario.
    pub title: String,
    /// Engine that ran the hardware.
    pub engine: String,
    /// Whether all programs have ended, everything was as they expect, no command failed that they do not know of, and
    /// no rule was broken.
    pub passed: bool,
    /// Why the run stopped early: a broken protocol rule, programs that wait for ever or too long, or what interrupted
    /// it; empty if it did not.
    pub failure: String,
    /// Whether it was ended from outside before it came to rest, as by a signal: the report says how far it came.
    pub interrupted: bool,
    /// What is not as the programs expect, and commands that failed without a program that waits for that.
    pub differences: Vec<String>,
    /// The messages that the programs send, in the order in which they left.
    pub messages: Vec<MessageRow>,
    /// The nodes.
    pub nodes: Vec<NodeState>,
    /// Clock cycles up to the last event of all nodes, setup included. An event is a beat sent or taken, a write or a
    /// register access that was answered, a step of a program.
    pub cycles: u64,
    /// Clock cycles of the setup.
    pub setup_cycles: u64,
    /// Cycle from which on it went on from a checkpoint; 0: it ran from the beginning. Rates and what was asleep are of
    /// the cycles after it.
    pub resumed: u64,
    /// What happened at all nodes, as one number of 16 hexadecimal digits: two runs with the same digest did the same
    /// in the same cycles.
    pub digest: String,
    /// Share of the cycles in which the engines had nothing to compute, 0 to 1.
    pub asleep: f64,
    /// Wall-clock seconds that building the engines took.
    pub build_seconds: f64,
    /// Wall-clock seconds that opening the processes took.
    pub open_seconds: f64,
    /// Wall-clock seconds of the programs, without building and opening.
    pub seconds: f64,
    /// Cycles a second of the programs, all nodes in each.
    pub cycles_per_second: f64,
    /// The same, the cycles of each node counted.
    pub node_cycles_per_second: f64,
    /// Bytes of memory that a node took when it was built; 0 if it is not known.
    pub node_bytes: u64,
    /// Whether each message was followed. If not, there are no messages and no events here.
    pub followed: bool,
}

/// A node at the end.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NodeState {
    /// Number.
    pub number: usize,
    /// Name.
    pub name: String,
    /// What happened at it, of 16 hexadecimal digits.
    pub digest: String,
    /// Share of the programs' cycles in which its link to the network was in use, 0 to 1.
    pub sending: f64,
    /// The same of the link from the network.
    pub receiving: f64,
    /// Packets that it sent, acknowledgements and replies too.
    pub packets_sent: u64,
    /// Data beats written on the memory port.
    pub write_beats: u64,
    /// Data beats read on the memory port.
    pub read_beats: u64,
    /// Its processes.
    pub processes: Vec<ProcessState>,
    /// The queues that programs registered.
    pub queues: Vec<QueueState>,
    /// The signals.
    pub signals: Vec<SignalState>,
}

/// A process at the end.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProcessState {
    /// Name.
    pub name: String,
    /// Context.
    pub context: u8,
    /// Steps of its program.
    pub steps: usize,
    /// Steps that are done.
    pub done: usize,
    /// Cycle in which the last step was done; null if it was not.
    pub ended: Option<u64>,
    /// What it waits for; empty if it has ended.
    pub waits_for: String,
    /// All events that the NIC wrote for it.
    pub events: Vec<EventRow>,
}

/// An event.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EventRow {
    /// Cycle in which it was visible.
    pub cycle: u64,
    /// What happened.
    pub kind: String,
    /// Outcome.
    pub status: String,
    /// Bytes moved.
    pub length: u32,
    /// User pointer of the match entry or command that it is about.
    pub user_ptr: Option<u64>,
}

/// JSON Schema of the report of several nodes.
pub fn nodes_report_schema() -> serde_json::Value {
    schemars::schema_for!(NodesReport).to_value()
}

impl NodesRun {
    /// Sets everything up, plays the programs until nothing happens any more, and reports.
    pub fn finish(&mut self) -> NodesReport {
        let failure = self.run().err();
        let plan = self.plan.clone();
        let sites = self.cluster.nodes_mut().iter_mut();
        let players = sites.flat_map(|site| &mut site.players);
        for (player, planned) in players.zip(&plan.processes) {
            player.note_failures(&planned.steps);
        }
        NodesReport::of(self, failure.unwrap_or_default())
    }
}

impl NodesReport {
    /// The report of a run that ended, with `failure` or well.
    pub(super) fn of(run: &mut NodesRun, failure: String) -> Self {
        let sites = run.cluster.nodes_mut().iter_mut();
        let slept: u64 = sites.map(|site| site.node.engine().slept()).sum();
        let clocks: u64 = run.cluster.nodes().iter().map(Station::clock).sum();
        let from = run.resumed;
        let ran = clocks.saturating_sub(from * run.cluster.nodes().len() as u64);
        let engine = run.cluster.nodes_mut()[0].node.engine().name().to_owned();
        let followed = run
            .cluster
            .nodes()
            .iter()
            .all(|site| site.node.keeps_logs());
        let seen = Seen::of(run);
        let players = run.cluster.nodes().iter().flat_map(|site| &site.players);
        let mut differences: Vec<String> = players
            .flat_map(|player| player.differences.clone())
            .collect();
        for (number, site) in run.cluster.nodes().iter().enumerate() {
            for gpu in site.node.gpus() {
                let place = queue_title(run, number, gpu);
                differences.extend(gpu.error().map(|error| format!("{place}: {error}")));
            }
        }
        let cycles = run.last_event() + 1;
        let seconds = run.times.run.as_secs_f64();
        let rate = cycles.saturating_sub(run.began.max(from)) as f64 / seconds.max(1e-9);
        Self {
            title: run.plan.scenario.title.clone(),
            engine,
            passed: failure.is_empty() && differences.is_empty(),
            failure,
            interrupted: run.cluster.has_ended(),
            differences,
            messages: match followed {
                true => rows(run, &seen),
                false => Vec::new(),
            },
            nodes: (0..run.cluster.nodes().len())
                .map(|node| node_state(run, &seen, node))
                .collect(),
            cycles,
            setup_cycles: run.began,
            resumed: run.resumed,
            digest: hexadecimal(Digest::of_all(run.digests.iter().copied())),
            asleep: slept as f64 / ran.max(1) as f64,
            build_seconds: run.times.build.as_secs_f64(),
            open_seconds: run.times.open.as_secs_f64(),
            seconds,
            cycles_per_second: rate,
            node_cycles_per_second: rate * run.cluster.nodes().len() as f64,
            node_bytes: run.node_bytes,
            followed: run
                .cluster
                .nodes()
                .iter()
                .all(|site| site.node.keeps_logs()),
        }
    }
}

fn hexadecimal(digest: u64) -> String {
    format!("{digest:016x}")
}

/// The queue of a GPU, as programs name it.
fn queue_title(run: &NodesRun, node: usize, gpu: &Gpu) -> String {
    let (context, doorbell) = (gpu.context(), gpu.doorbell());
    let of = |process: &&PlannedProcess| {
        (usize::from(process.id.node), process.id.context) == (node, context)
    };
    let process = run.plan.processes.iter().find(of);
    let queue = process.and_then(|process| {
        let queues = &process.written(&run.plan.scenario).queues;
        queues
            .iter()
            .find(|queue| queue.doorbell_address == doorbell)
    });
    match (process, queue) {
        (Some(process), Some(queue)) => format!("{}, queue '{}'", process.title(), queue.name),
        _ => format!("node {node}, queue with doorbell {doorbell:#x}"),
    }
}

fn node_state(run: &NodesRun, seen: &Seen, number: usize) -> NodeState {
    let node = &run.cluster.nodes()[number].node;
    let (sent, received) = run.cluster.network().ports()[number].bytes();
    let [bytes, per] = run.plan.scenario.network.bandwidth.map(f64::from);
    let cycles = run.last_event().saturating_sub(run.began).max(1) as f64;
    let share = |sent: u64| sent as f64 * per / bytes / cycles;
    let written = &run.plan.scenario.nodes[number];
    let counts = node.memory.checker().counts();
    let of_node = |place: &usize| usize::from(run.plan.processes[*place].id.node) == number;
    let places: Vec<usize> = (0..run.plan.processes.len()).filter(of_node).collect();
    let mut queues = Vec::new();
    let mut signals = Vec::new();
    for (context, process) in written.processes.iter().enumerate() {
        let context = context as u8;
        queues.extend(queue_states(node, context));
        signals.extend(process.signals.iter().map(|signal| SignalState {
            context,
            handle: signal.handle,
            before: signal.value,
            after: node.memory.memory(context).load_signal(signal.handle),
        }));
    }
    NodeState {
        number,
        name: written.name.clone(),
        digest: hexadecimal(run.digests.get(number).map_or(0, Digest::value)),
        sending: share(sent),
        receiving: share(received),
        packets_sent: node.packets_sent(),
        write_beats: counts.w,
        read_beats: counts.r,
        processes: places
            .into_iter()
            .map(|place| process_state(run, seen, place))
            .collect(),
        queues,
        signals,
    }
}

fn process_state(run: &NodesRun, seen: &Seen, place: usize) -> ProcessState {
    let planned = &run.plan.processes[place];
    let player = run.player(place);
    let waits_for = player.and_then(|player| player.waits_for(&planned.steps));
    ProcessState {
        name: planned.name.clone(),
        context: planned.id.context,
        steps: planned.steps.len(),
        done: player.map_or(0, |player| player.steps_done()),
        ended: player.and_then(|player| player.ended),
        waits_for: waits_for.unwrap_or_default(),
        events: seen.events[place]
            .iter()
            .map(|(cycle, event)| event_row(*cycle, event))
            .collect(),
    }
}

fn event_row(cycle: u64, event: &Event) -> EventRow {
    EventRow {
        cycle,
        kind: kind_name(event.kind),
        status: outcome(event),
        length: event.mlength,
        user_ptr: event.user_ptr(),
    }
}

fn queue_states(node: &Node, context: u8) -> Vec<QueueState> {
    let state = |(index, queue): (u16, crate::host::HostQueue)| {
        let memory = node.memory.memory(context);
        let here = |gpu: &&crate::node::Gpu| {
            (gpu.context(), gpu.doorbell()) == (context, queue.doorbell_address)
        };
        let error = node.gpus().iter().find(here).and_then(|gpu| gpu.error());
        QueueState {
            context,
            index: index as u8,
            write_index: memory.read_u64(queue.write_index_address),
            read_index: memory.read_u64(queue.read_index_address),
            error: error.unwrap_or_default().to_owned(),
        }
    };
    let indices = 0..=u16::from(u8::MAX);
    let known = indices.filter_map(|index| Some((index, node.queue(context, index)?)));
    known.map(state).collect()
}
