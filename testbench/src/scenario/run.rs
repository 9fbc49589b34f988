//! Runs a plan on a node, phase by phase, and compares each phase with the golden model.

use super::fault_order::is_ordered;
use super::plan::{Plan, PlannedMessage};
use super::report::{Lookup, QueueState, Report, Row, SignalState, status_name};
use super::schema::{HostVerb, Queue};
use super::set_up::{fault, host_queue, node_config, set_up};
use crate::bytes::Bytes;
use crate::golden::{Delivery, Faults, Phase};
use crate::node::{Node, NodeError, Timeline};
use crate::signals::Signals;
use crate::tables::format::{BYTES, WIRE};
use std::time::{Duration, Instant};
use xtq_engine::EngineKind;
use xtq_types::wire_header::MTU;

/// A scenario on a node, ready to run.
pub struct Run {
    plan: Plan,
    node: Node,
    /// What is left of the faults.
    faults: Faults,
    /// Time that building the node took, and of the run.
    built: Duration,
    ran: Duration,
    differences: Vec<String>,
    dropped: u64,
}

impl Run {
    /// Builds the node; the host has done nothing yet. Errors: of the engine.
    pub fn new(plan: Plan, engine: EngineKind) -> Result<Self, NodeError> {
        let started = Instant::now();
        let node = Node::new(&node_config(&plan.scenario, engine))?;
        let built = started.elapsed();
        let faults = plan.scenario.faults.iter().map(fault).collect();
        Ok(Self {
            plan,
            node,
            faults,
            built,
            ran: Duration::ZERO,
            differences: Vec::new(),
            dropped: 0,
        })
    }

    /// The node: for waveforms before the run, for its memory after it.
    pub fn node(&mut self) -> &mut Node {
        &mut self.node
    }

    /// Sets everything up, runs every phase until it has come to rest, and reports.
    pub fn finish(&mut self) -> Report {
        let started = Instant::now();
        let failure = self.run_phases().err();
        self.ran = started.elapsed();
        let engine = self.node.engine().name().to_owned();
        self.report(
            engine,
            failure.map_or_else(String::new, |error| error.to_string()),
        )
    }

    fn run_phases(&mut self) -> Result<(), NodeError> {
        set_up(&mut self.node, &self.plan.scenario)?;
        for written in &self.plan.scenario.faults {
            self.node.memory.inject(fault(written));
        }
        let messages = self.plan.messages.iter().map(|message| message.phase);
        let actions = self
            .plan
            .scenario
            .host
            .iter()
            .map(|action| action.before_phase);
        let last = messages.chain(actions).max().unwrap_or(0);
        for phase in 0..=last {
            self.act(phase)?;
            self.run_phase(phase)?;
        }
        Ok(())
    }

    /// What the host does before a phase.
    fn act(&mut self, phase: u32) -> Result<(), NodeError> {
        let actions = self.plan.scenario.host.clone();
        for action in actions.iter().filter(|action| action.before_phase == phase) {
            match action.action {
                // The hardware refuses to enable what is enabled.
                HostVerb::EnablePortal => {
                    let (context, portal) = (action.context, action.portal);
                    let known = &self.node.state.contexts[usize::from(context)].portals;
                    if !known[usize::from(portal)].enabled {
                        self.node.enable_portal(context, portal)?;
                    }
                }
                HostVerb::DisablePortal => {
                    self.node.disable_portal(action.context, action.portal)?
                }
                HostVerb::RegisterQueue => {
                    let queues = self.plan.scenario.queues.iter();
                    let mut known =
                        queues.filter(|q| (q.context, q.index) == (action.context, action.queue));
                    if let Some(queue) = known.next() {
                        let (context, index) = (queue.context, queue.index.into());
                        self.node
                            .register_queue(context, index, host_queue(queue))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn run_phase(&mut self, phase: u32) -> Result<(), NodeError> {
        let start = self.node.cycle_count();
        let (faults, atomics) = (self.faults.clone(), self.plan.scenario.atomics);
        let comparison = Phase::begin(&self.node, faults, atomics);
        let mut packets = Vec::new();
        for message in self
            .plan
            .messages
            .iter()
            .filter(|message| message.phase == phase)
        {
            for packet in &message.packets {
                self.node
                    .send_packet_at(start.saturating_add(message.at), packet);
                packets.push(packet.clone());
            }
        }
        let mut act = |golden: &mut Delivery| {
            packets.iter().for_each(|packet| golden.packet(packet));
        };
        self.node.state.open = comparison.foresee(&mut act);
        self.node.run_to_quiescence(self.plan.scenario.max_cycles)?;
        let (golden, found) = comparison.finish(&mut self.node, &mut act, false)?;
        if self.is_compared() {
            self.differences
                .extend(found.iter().map(ToString::to_string));
        }
        self.faults = golden.faults;
        self.dropped += golden.dropped;
        Ok(())
    }

    /// Whether the golden model knows which accesses the faults strike.
    fn is_compared(&self) -> bool {
        let scenario = &self.plan.scenario;
        let mut faults = scenario.faults.iter();
        faults.all(|fault| is_ordered(scenario, fault))
    }

    fn report(&mut self, engine: String, failure: String) -> Report {
        let slept = self.node.engine().slept();
        let (node, scenario) = (&self.node, &self.plan.scenario);
        let messages = self.rows();
        let first = messages.iter().filter_map(|row| row.arrived).min();
        let last = node.memory.log().iter().map(|write| write.w_cycle).max();
        let active = last
            .zip(first)
            .map(|(last, first)| (last + 1).saturating_sub(first));
        let active = active.unwrap_or(0);
        let counts = node.memory.checker().counts();
        let (cycles, seconds) = (node.cycle_count(), self.ran.as_secs_f64());
        let compared = self.is_compared();
        Report {
            title: scenario.title.clone(),
            engine,
            passed: compared && failure.is_empty() && self.differences.is_empty(),
            failure,
            interrupted: node.has_ended(),
            compared,
            differences: self.differences.clone(),
            messages,
            queues: scenario
                .queues
                .iter()
                .map(|queue| self.queue_state(queue))
                .collect(),
            signals: self.signals(),
            cycles,
            asleep: slept as f64 / cycles.max(1) as f64,
            build_seconds: self.built.as_secs_f64(),
            seconds,
            cycles_per_second: cycles as f64 / seconds.max(1e-9),
            write_utilisation: counts.w as f64 / active.max(1) as f64,
            write_beats: counts.w,
            read_beats: counts.r,
            active_cycles: active,
            dropped_packets: self.dropped,
        }
    }

    fn queue_state(&self, queue: &Queue) -> QueueState {
        let memory = self.node.memory.memory(queue.context);
        let here = |gpu: &&crate::node::Gpu| {
            (gpu.context(), gpu.doorbell()) == (queue.context, queue.doorbell_address)
        };
        let error = self
            .node
            .gpus()
            .iter()
            .find(here)
            .and_then(|gpu| gpu.error());
        QueueState {
            context: queue.context,
            index: queue.index,
            write_index: memory.read_u64(queue.write_index_address),
            read_index: memory.read_u64(queue.read_index_address),
            error: error.unwrap_or_default().to_owned(),
        }
    }

    fn signals(&self) -> Vec<SignalState> {
        let states = self.plan.scenario.signals.iter().map(|signal| SignalState {
            context: signal.context,
            handle: signal.handle,
            before: signal.value,
            after: self
                .node
                .memory
                .memory(signal.context)
                .load_signal(signal.handle),
        });
        states.collect()
    }

    /// A row for each message. A packet that has no header beat, or is not the first of a message, has no timeline.
    fn rows(&self) -> Vec<Row> {
        let mut timelines = self.node.timelines().into_iter();
        let mut rows = Vec::new();
        for (number, message) in self.plan.messages.iter().enumerate() {
            let firsts = message
                .packets
                .iter()
                .filter(|packet| starts_message(packet));
            let lines: Vec<Timeline> = firsts.filter_map(|_| timelines.next()).collect();
            rows.push(row(number, message, lines.into_iter().next()));
        }
        rows
    }
}

/// Whether the node counts this packet as the first of a message.
fn starts_message(packet: &[u8]) -> bool {
    packet.len() >= BYTES && WIRE.get(packet, "packet_offset") == 0
}

fn row(number: usize, message: &PlannedMessage, line: Option<Timeline>) -> Row {
    let line = line.unwrap_or_default();
    let xtq = message
        .message
        .as_ref()
        .is_some_and(crate::node::Message::is_xtq);
    let looked_up = xtq && line.admitted.is_some();
    let lookup = |hit| looked_up.then_some(if hit { Lookup::Hit } else { Lookup::Miss });
    let status = match (line.status, line.parsed) {
        (Some(status), _) => status_name(status),
        (None, Some(_)) => "unfinished".to_owned(),
        (None, None) => "dropped".to_owned(),
    };
    let packet = line.packet.filter(|_| line.status == Some(0));
    Row {
        name: match message.name.as_str() {
            "" => number.to_string(),
            name => name.to_owned(),
        },
        phase: message.phase,
        source_node: line.source_node,
        message_id: line.message_id,
        context: line.context,
        length: message
            .packets
            .iter()
            .map(|packet| packet.len().saturating_sub(64).min(MTU) as u64)
            .sum(),
        arrived: line.arrived,
        parsed: line.parsed,
        task_lookup: lookup(line.task_hit),
        queue_lookup: lookup(line.queue_hit),
        admitted: line.admitted,
        rewritten: line.rewritten,
        payload_written: line.payload_visible,
        enqueued: line.enqueued,
        doorbell: line.doorbell,
        launched: line.launched,
        signal: line.completed,
        done: line.done,
        status,
        queue: packet.map(|(queue, _)| queue),
        packet_id: packet.map(|(_, id)| id),
    }
}
