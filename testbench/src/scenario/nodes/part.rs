//! `Part`: what a rank, or the only one, knows of its nodes when a run has ended, as plain data. A report is made of
//! the parts of all ranks.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::end::{End, Failure};
use super::player::Player;
use super::program::PlannedStep;
use super::report::{NodeState, ProcessState, StepRow, event_row};
use super::run::NodesRun;
use super::seen::SiteSeen;
use super::site::Site;
use crate::bytes::Bytes;
use crate::host::HostQueue;
use crate::network::{Port, Station};
use crate::node::{Digest, Gpu, Node};
use crate::scenario::report::{QueueState, SignalState};
use crate::signals::Signals;

/// What a node was and did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SiteRecord {
    /// Cycles that its clock ran, and those in which its engine slept.
    pub(super) clock: u64,
    /// See `clock`.
    pub(super) slept: u64,
    /// What had happened when the programs had ended; `None`: they did not run.
    pub(super) digest: Option<Digest>,
    /// Bytes on its link to the network, and on that from it.
    pub(super) bytes: (u64, u64),
    /// Its row of the report; what depends on other nodes is missing.
    pub(super) state: NodeState,
    /// What is not as its programs expect.
    pub(super) differences: Vec<String>,
    /// What its packet processors found wrong: doorbell, context, error.
    pub(super) faults: Vec<(u64, u8, String)>,
    pub(super) seen: SiteSeen,
}

/// What a rank knows of its nodes when a run has ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Engine that ran the hardware; empty if the rank has no node.
    pub(super) engine: String,
    pub(super) end: End,
    /// What went wrong after the end, when what was left in rings was looked at.
    pub(super) drained: Option<Failure>,
    /// First cycle in which programs ran.
    pub(super) began: u64,
    /// Cycles that all of its nodes had run at the end; 0: no program has run.
    pub(super) reached: u64,
    /// Cycle of the checkpoint from which it went on; 0: from none.
    pub(super) resumed: u64,
    /// Wall-clock seconds of building, opening and running.
    pub(super) seconds: [f64; 3],
    /// Seconds that each worker waited for others.
    pub(super) waited: Vec<f64>,
    pub(super) node_bytes: u64,
    /// Leaf, spine, whether from leaf to spine, bytes.
    pub(super) trunks: Vec<(usize, usize, bool, u64)>,
    /// In the order of the nodes.
    pub(super) sites: Vec<SiteRecord>,
    /// Whether each message was followed.
    pub(super) followed: bool,
}

impl Part {
    /// What a run knows that has ended so.
    pub(super) fn of(run: &mut NodesRun, end: End, drained: Option<Failure>) -> Self {
        let sites = run.cluster.nodes_mut();
        let slept = sites.iter_mut().map(|site| site.node.engine().slept());
        let slept: Vec<u64> = slept.collect();
        let engine = sites.first_mut().map(|site| site.node.engine().name());
        let engine = engine.unwrap_or_default().to_owned();
        let network = run.cluster.network();
        let sites = run.cluster.nodes().iter().zip(network.ports()).zip(&slept);
        let records = sites.enumerate().map(|(at, ((site, port), slept))| {
            let digest = run.digests.get(at).copied();
            record(run, site, port, (*slept, digest))
        });
        let seconds = |time: &Duration| time.as_secs_f64();
        let times = &run.times;
        Self {
            engine,
            end,
            drained,
            began: run.began,
            reached: run.reached,
            resumed: run.resumed,
            seconds: [times.build, times.open, times.run].map(|time| seconds(&time)),
            waited: run.cluster.waited().iter().map(seconds).collect(),
            node_bytes: run.node_bytes,
            trunks: network
                .trunks()
                .iter()
                .map(|trunk| {
                    let (leaf, spine, is_up) = trunk.place();
                    (leaf, spine, is_up, trunk.bytes())
                })
                .collect(),
            sites: records.collect(),
            followed: run.keeps_logs(),
        }
    }
}

fn record(
    run: &NodesRun,
    site: &Site,
    port: &Port,
    (slept, digest): (u64, Option<Digest>),
) -> SiteRecord {
    let node = &site.node;
    let seen = SiteSeen::of(site, port, &run.plan);
    let differences = site.players.iter().flat_map(|player| &player.differences);
    let fault = |gpu: &Gpu| Some((gpu.doorbell(), gpu.context(), gpu.error()?.to_owned()));
    SiteRecord {
        clock: site.clock(),
        slept,
        digest,
        bytes: port.bytes(),
        state: node_state(run, site, port.node() as usize, &seen),
        differences: differences.cloned().collect(),
        faults: node.gpus().iter().filter_map(fault).collect(),
        seen,
    }
}

fn node_state(run: &NodesRun, site: &Site, number: usize, seen: &SiteSeen) -> NodeState {
    let node = &site.node;
    let written = &run.plan.scenario.nodes[number];
    let counts = node.memory.checker().counts();
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
    let planned = run.plan.processes_of(number).iter().enumerate();
    let processes = planned.map(|(context, planned)| {
        let player = site.players.get(context);
        let waits_for = player.and_then(|player| player.waits_for(&planned.steps));
        let events = seen.processes.get(context).map(|seen| &seen.events);
        ProcessState {
            name: planned.name.clone(),
            context: planned.id.context,
            steps: planned.steps.len(),
            done: player.map_or(0, |player| player.steps_done()),
            ended: player.and_then(|player| player.ended),
            waits_for: waits_for.unwrap_or_default(),
            timeline: timeline(&planned.steps, player, run.began),
            events: events
                .into_iter()
                .flatten()
                .filter_map(|seen| Some(event_row(seen.cycle?, &seen.event())))
                .collect(),
        }
    });
    NodeState {
        number,
        name: written.name.clone(),
        packets_sent: node.packets_sent(),
        packets_inside: node.packets_inside(),
        write_beats: counts.w,
        read_beats: counts.r,
        processes: processes.collect(),
        queues,
        signals,
        ..NodeState::default()
    }
}

fn queue_states(node: &Node, context: u8) -> Vec<QueueState> {
    let state = |(index, queue): (u16, HostQueue)| {
        let memory = node.memory.memory(context);
        let here =
            |gpu: &&Gpu| (gpu.context(), gpu.doorbell()) == (context, queue.doorbell_address);
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

/// A step begins when the one before is done, the first with the programs.
fn timeline(steps: &[PlannedStep], player: Option<&Player>, began: u64) -> Vec<StepRow> {
    let done = player.map_or(&[][..], |player| &player.done);
    let row = |(number, step): (usize, &PlannedStep)| StepRow {
        name: match step.name.as_str() {
            "" => (number + 1).to_string(),
            name => name.to_owned(),
        },
        call: step.call.to_owned(),
        begun: match number.checked_sub(1) {
            None => Some(began),
            Some(before) => done.get(before).copied(),
        },
        done: done.get(number).copied(),
    };
    steps.iter().enumerate().map(row).collect()
}
