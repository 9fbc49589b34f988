//! `Node`: the NIC with its network, memory, host and GPU, run cycle by cycle.
//!
//! Every stream and AXI port always carries its protocol checker. The GPU reads only visible memory, and only after a
//! doorbell became visible.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use xtq_engine::{Engine, Tape};

use super::config::{NodeConfig, NodeError};
use super::decisions::{Decision, DecisionMonitor};
use super::digest::Digest;
use super::engines::engine_that_sleeps;
use super::gpu::Gpu;
use super::inside::{self, Inside, InsidePacket};
use super::still::Rest;
use super::streams::{Streams, class_of};
use super::trace::TraceMonitor;
use super::wire::Message;
use crate::bus::{AxiLiteMaster, AxiMemory, Beat, BenchError, Model, Packet, drive, sample};
use crate::network::Class;
use crate::tables::format::BYTES;
use crate::tables::{HostQueue, NicState};
use crate::watch::{Progress, Watch};

/// A message on its way into the node.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Sent {
    #[serde(with = "crate::saved::bytes")]
    pub(super) header: [u8; BYTES],
    /// Bytes 48..56 of the AQL packet, if it is one.
    pub(super) queue_index: u64,
    /// Class of its stream, and number of its header beat there.
    pub(super) class: Class,
    pub(super) beat: usize,
    /// It came from inside: cycle in which its header beat was received.
    pub(super) inside: Option<u64>,
}

/// The node.
pub struct Node {
    pub(super) engine: Box<dyn Engine>,
    /// Memory of all contexts.
    pub memory: AxiMemory,
    pub(super) streams: Streams,
    /// What it sends to itself.
    pub(super) inside: Inside,
    /// Where in a packet of each class that is.
    pub(super) places: [inside::Place; 2],
    pub(super) registers: AxiLiteMaster,
    /// Value of the register access that was answered last.
    pub(super) last_value: u32,
    pub(super) trace: TraceMonitor,
    pub(super) gpus: Vec<Gpu>,
    /// What the host has set in the NIC.
    pub state: NicState,
    /// Queues by context and index, as registered last.
    pub(super) queues: BTreeMap<(u8, u16), HostQueue>,
    pub(super) sent: Vec<Sent>,
    /// Beats queued of each class, and how many of them belong to a packet of which the last beat is not.
    pub(super) beats: [usize; 2],
    pub(super) unfinished_beats: [usize; 2],
    /// Beats received when the node was quiet last.
    pub(super) settled_beats: u64,
    pub(super) tape: Option<Tape>,
    pub(super) watch: Watch,
    /// Watches in which order it decides.
    pub(super) decisions: Option<DecisionMonitor>,
    pub(super) keeps: bool,
    pub(super) digest: Digest,
    pub(super) rest: Rest,
    /// Event rings by context: where they lie, and how many events became visible in them.
    pub(super) event_rings: BTreeMap<u8, (RangeInclusive<u64>, u64)>,
}

/// Cycles without any activity after which a node without work is quiet: longer than the pipeline, which may hold
/// nearly 300 beats of refused messages and throws away one a cycle.
const QUIET: u64 = 360;

/// Beats that the node can hold to throw them away, one a cycle, without any activity outside.
const HELD_BEATS: u64 = 300;

impl Node {
    /// A node on the engine that `config` names, out of reset. Errors: of the engine.
    pub fn new(config: &NodeConfig) -> Result<Self, NodeError> {
        let NodeConfig {
            top,
            engine,
            atomics,
            sleeps,
            ..
        } = *config;
        Self::with_engine(engine_that_sleeps(top, engine, atomics, sleeps)?, config)
    }

    /// A node on any engine that runs the top block. Errors: of the engine; a port is missing.
    pub fn with_engine(
        mut engine: Box<dyn Engine>,
        config: &NodeConfig,
    ) -> Result<Self, NodeError> {
        engine.reset(2)?;
        let ports = &*engine;
        Ok(Self {
            memory: AxiMemory::new(ports, "m_axi_", config.timing.clone())?,
            streams: Streams::new(ports, config)?,
            inside: Inside::new(ports)?,
            places: Default::default(),
            registers: AxiLiteMaster::new(ports, "s_axil_", config.register_gaps, config.seed ^ 3)?,
            last_value: 0,
            trace: TraceMonitor::new(ports)?,
            gpus: Vec::new(),
            state: NicState::default(),
            queues: BTreeMap::new(),
            sent: Vec::new(),
            beats: [0; 2],
            unfinished_beats: [0; 2],
            settled_beats: 0,
            tape: None,
            watch: Watch::default(),
            decisions: None,
            keeps: true,
            digest: Digest::default(),
            rest: Rest::of(config),
            event_rings: BTreeMap::new(),
            engine,
        })
    }

    /// Cycles so far.
    pub fn cycle_count(&self) -> u64 {
        self.engine.cycle()
    }

    /// The engine, for waveforms.
    pub fn engine(&mut self) -> &mut dyn Engine {
        &mut *self.engine
    }

    /// From now on `progress` sees every cycle, and can end the run with [`NodeError::Ended`].
    pub fn watch(&mut self, progress: Progress) {
        self.watch.set(progress);
    }

    /// Whether it was ended so.
    pub fn has_ended(&self) -> bool {
        self.watch.has_ended()
    }

    /// Records the inputs of all cycles from now on.
    pub fn record(&mut self) {
        self.tape = Some(Tape::new(&*self.engine));
    }

    /// Notes from now on in which order it decides. Errors: it is no whole NIC.
    pub fn watch_decisions(&mut self) -> Result<(), NodeError> {
        self.decisions = Some(DecisionMonitor::new(&*self.engine)?);
        Ok(())
    }

    /// What it has decided since the last call, with the cycles.
    pub fn take_decisions(&mut self) -> Vec<(u64, Decision)> {
        let decisions = self.decisions.as_mut();
        decisions.map_or_else(Vec::new, DecisionMonitor::take)
    }

    /// The inputs recorded so far; recording ends.
    pub fn take_tape(&mut self) -> Option<Tape> {
        self.tape.take()
    }

    /// Queues a message after those already queued. A node of a [`Cluster`](crate::cluster::Cluster) gets messages from
    /// the network; what is queued here as well comes between the network's packets, and the stations of
    /// [`timelines`](Self::timelines) may be mixed up.
    pub fn send(&mut self, message: &Message) {
        self.send_at(0, message);
    }

    /// Queues a message whose first beat is offered in clock cycle `cycle` at the earliest.
    pub fn send_at(&mut self, cycle: u64, message: &Message) {
        for packet in message.packets() {
            self.send_packet_at(cycle, &packet);
        }
    }

    /// Queues one packet, as it is.
    pub fn send_packet(&mut self, packet: &[u8]) {
        self.send_packet_at(0, packet);
    }

    /// Queues one packet, as it is, whose first beat is offered in clock cycle `cycle` at the earliest. It comes on the
    /// stream of its opcode's class; all comes on the one of requests if the node has no other.
    pub fn send_packet_at(&mut self, cycle: u64, packet: &[u8]) {
        self.send_packet_as(class_of(packet), cycle, packet);
    }

    /// The same on the stream of a class, whatever the opcode says.
    pub fn send_packet_as(&mut self, class: Class, cycle: u64, packet: &[u8]) {
        let class = self.streams.lane(class);
        for beat in Beat::cut(packet) {
            self.note_beat(class, &beat);
        }
        self.streams.push_at(class, cycle, packet);
    }

    /// Whether it keeps from now on what [`timelines`](Self::timelines), [`transmitted`](Self::transmitted),
    /// [`received_beats`](Self::received_beats), its [trace](Self::trace) and the log of its memory show. It does at
    /// first; what was kept until then stays.
    pub fn keep_logs(&mut self, keeps: bool) {
        self.keeps = keeps;
        self.streams.keep(keeps);
        self.inside.keep(keeps);
        self.trace.keep(keeps);
        self.memory.keep_log(keeps);
    }

    /// Whether it does.
    pub fn keeps_logs(&self) -> bool {
        self.keeps
    }

    /// What happened so far.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Packets sent to the network so far.
    pub fn packets_sent(&self) -> u64 {
        self.streams.count()
    }

    /// Packets to itself so far, which did not leave it.
    pub fn packets_inside(&self) -> u64 {
        self.inside.count()
    }

    /// These packets, in the order in which they went inside.
    pub fn inside(&self) -> &[InsidePacket] {
        self.inside.packets()
    }

    /// The packets the node has sent to the network, of both classes, in the order in which they ended.
    pub fn transmitted(&self) -> Vec<Vec<u8>> {
        let packets = self.streams.packets().iter();
        packets.map(|packet| packet.bytes.clone()).collect()
    }

    /// The same with their cycles. Those of the target side alone are acknowledgements.
    pub fn acknowledgements(&self) -> &[Packet] {
        self.streams.packets()
    }

    /// The cycle of each beat's acceptance on the stream of requests.
    pub fn received_beats(&self) -> &[u64] {
        self.streams.accepted(Class::Request)
    }

    /// Whether every packet queued was taken.
    pub fn all_received(&self) -> bool {
        self.streams.all_done()
    }

    /// The trace port.
    pub fn trace(&self) -> &TraceMonitor {
        &self.trace
    }

    /// The consumers of the queues, in the order in which they were attached.
    pub fn gpus(&self) -> &[Gpu] {
        &self.gpus
    }

    /// One clock cycle of everything. Errors: a broken rule, or the engine's; [`Ended`](NodeError::Ended).
    pub fn cycle(&mut self) -> Result<(), NodeError> {
        self.drive()?;
        self.engine.eval()?;
        self.sample()?;
        self.engine.step()?;
        self.collect()
    }

    /// The first part of a [cycle](Self::cycle): the models drive.
    pub(super) fn drive(&mut self) -> Result<(), NodeError> {
        self.watch.check(self.engine.cycle())?;
        let (engine, mut models) = self.engine_and_models();
        Ok(drive(engine, &mut models)?)
    }

    /// The part after the logic has settled: the models sample.
    pub(super) fn sample(&mut self) -> Result<(), NodeError> {
        let (engine, mut models) = self.engine_and_models();
        Ok(sample(engine, &mut models).map_err(BenchError::from)?)
    }

    fn engine_and_models(&mut self) -> (&mut dyn Engine, Vec<&mut dyn Model>) {
        let mut models: Vec<&mut dyn Model> = self.streams.models().collect();
        models.push(&mut self.inside);
        models.push(&mut self.memory);
        models.push(&mut self.registers);
        models.push(&mut self.trace);
        if let Some(tape) = &mut self.tape {
            models.push(tape);
        }
        if let Some(decisions) = &mut self.decisions {
            models.push(decisions);
        }
        (&mut *self.engine, models)
    }

    /// The last part, after the clock has risen: what follows from what was sampled.
    pub(super) fn collect(&mut self) -> Result<(), NodeError> {
        let cycle = self.engine.cycle() - 1;
        self.streams.collect();
        self.note_inside(cycle);
        let mut acted = self.memory.has_moved();
        for write in self.memory.take_watched() {
            self.note_event(&write);
            let value = write.data.iter().take(8).rev();
            let value = value.fold(0, |value, byte| value << 8 | u64::from(*byte));
            let rung =
                |gpu: &&mut Gpu| (gpu.context(), gpu.doorbell()) == (write.context, write.address);
            if let Some(gpu) = self.gpus.iter_mut().find(rung) {
                gpu.ring(write.cycle, value);
            }
        }
        for gpu in &mut self.gpus {
            let memory = self.memory.memory_mut(gpu.context());
            let did = gpu.cycle(cycle, memory);
            acted |= did.map_err(|cause| NodeError::Processor { cycle, cause })?;
        }
        self.note(cycle);
        self.note_rest(acted);
        Ok(())
    }

    /// Runs until `done` holds, tested before each cycle; gives the cycles run. Errors: as [`cycle`](Self::cycle), and
    /// [`Stuck`](NodeError::Stuck).
    pub fn run_until(
        &mut self,
        mut done: impl FnMut(&Self) -> bool,
        max_cycles: u64,
    ) -> Result<u64, NodeError> {
        for cycle in 0..=max_cycles {
            if done(self) {
                return Ok(cycle);
            }
            if cycle < max_cycles {
                self.cycle()?;
            }
        }
        let cycle = self.engine.cycle();
        let waiting_for = self.busy().unwrap_or("a condition").to_owned();
        Err(NodeError::Stuck {
            cycle,
            max_cycles,
            waiting_for,
        })
    }

    /// Runs until nothing happens any more: every packet taken, no message in the pipeline but those open in `state`,
    /// no transaction outstanding, no register access, no task running, and that for as long as the pipeline is and
    /// what it received since then takes. Gives the cycles run. Errors: as [`run_until`](Self::run_until).
    pub fn run_to_quiescence(&mut self, max_cycles: u64) -> Result<u64, NodeError> {
        let mut quiet = 0;
        let done = |node: &Self| {
            quiet = if node.busy().is_some() { 0 } else { quiet + 1 };
            quiet > node.quiet_cycles()
        };
        let cycles = self.run_until(done, max_cycles)?;
        self.settle();
        Ok(cycles)
    }

    /// Cycles in which it must not be [`busy`](Self::busy) until nothing can happen any more: as long as the pipeline
    /// is and what it received since it was quiet last takes.
    pub fn quiet_cycles(&self) -> u64 {
        let beats = self.beats_taken() - self.settled_beats;
        QUIET.max(QUIET / 2 + beats.min(HELD_BEATS))
    }

    /// Takes note that it is quiet.
    pub(super) fn settle(&mut self) {
        self.settled_beats = self.beats_taken();
    }

    /// Beats received so far, from the network and from inside.
    fn beats_taken(&self) -> u64 {
        self.streams.taken() + self.inside.received()
    }

    /// What is not idle.
    pub fn busy(&self) -> Option<&'static str> {
        let accesses = (!self.registers.is_done()).then_some("a register access is under way");
        self.works().or(accesses)
    }

    /// What is not idle but for register accesses, by which a host may only be looking.
    pub fn works(&self) -> Option<&'static str> {
        let parts = [
            (
                !self.streams.all_done(),
                "packets wait on the receive stream",
            ),
            (self.streams.is_sending(), "a packet is being sent"),
            (
                self.inside.is_busy(),
                "a packet of the node to itself is on its way",
            ),
            (!self.memory.is_idle(), "a memory transaction is under way"),
            (
                self.trace.under_way() > self.state.open.len() as u64,
                "a message is in the pipeline",
            ),
            (
                self.trace.initiator_is_busy(),
                "a command is being executed",
            ),
            (self.gpus.iter().any(|gpu| !gpu.is_idle()), "a task runs"),
        ];
        parts.iter().find(|(busy, _)| *busy).map(|(_, what)| *what)
    }
}
