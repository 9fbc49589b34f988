//! `World`: all of a node that its programs can reach.

use super::error::PlaceError;
use super::registers::{Ask, InstantPort, Registers};
use super::thread_state::ThreadState;
use crate::channel::Channel;
use crate::cores::{CONTEXT, Cores, Line};
use crate::costs::Costs;
use crate::gpu::{Gpu, Surroundings};
use crate::layout::Layout;
use crate::system::System;
use std::collections::VecDeque;
use std::sync::Arc;
use xtq_testbench::bus::Beat;
use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_testbench::host::{Command, Event, Process, ProcessError};
use xtq_testbench::network::Station;
use xtq_testbench::node::{Node, NodeError};
use xtq_types::command::flag;

/// First byte of an event place that holds no event: no kind has this number.
const NO_EVENT: u8 = 0xff;
/// Bytes of an event.
const EVENT_BYTES: usize = 64;

/// Bytes of a command in its ring.
pub(crate) const COMMAND_BYTES: u64 = 128;

/// A node and the models around its NIC.
pub(crate) struct World {
    pub(crate) node: Node,
    /// How many nodes there are.
    pub(crate) nodes: usize,
    pub(crate) system: Arc<System>,
    pub(crate) costs: Arc<Costs>,
    pub(crate) gpu: Gpu,
    pub(crate) channel: Channel,
    pub(crate) cores: Cores,
    pub(crate) registers: Registers,
    pub(crate) threads: Vec<ThreadState>,
    /// A program changed memory in this cycle: others see it in the next one.
    pub(crate) changed: bool,
    process: Process,
    /// Programs have run.
    began: bool,
    /// Events that the programs have taken.
    consumed: u32,
    /// Doorbells of the host on their way: time of arrival in ns, queue, value.
    rings: VecDeque<(f64, usize, u64)>,
    /// Beats that the NIC's port had moved at the end of the last cycle.
    beats: u64,
}

impl World {
    /// The models around a node of which the process is open.
    pub(crate) fn new(
        node: Node,
        process: Process,
        nodes: usize,
        system: &Arc<System>,
        costs: &Arc<Costs>,
        seed: u64,
    ) -> Self {
        Self {
            node,
            nodes,
            gpu: Gpu::new(&system.gpu),
            channel: Channel::new(system.memory.gigabytes_per_second),
            cores: Cores::new(&system.cpu, &system.memory, seed),
            system: system.clone(),
            costs: costs.clone(),
            registers: Registers::default(),
            threads: Vec::new(),
            changed: false,
            process,
            began: false,
            consumed: 0,
            rings: VecDeque::new(),
            beats: 0,
        }
    }

    /// The cycle that runs next.
    pub(crate) fn now(&self) -> u64 {
        self.node.cycle_count()
    }

    pub(crate) fn memory(&self) -> &SparseMemory {
        self.node.memory.memory(CONTEXT)
    }

    pub(crate) fn memory_mut(&mut self) -> &mut SparseMemory {
        self.node.memory.memory_mut(CONTEXT)
    }

    /// Runs commands alone, before programs have run; triggered ones wait for their counters. Errors: programs have; a
    /// command was refused, with its number.
    pub(crate) fn set_up(&mut self, commands: &[Command]) -> Result<(), String> {
        if self.began {
            return Err("programs have run: only they post commands now".to_owned());
        }
        for (number, command) in commands.iter().enumerate() {
            if command.get("flags") & u64::from(flag::TRIGGERED) != 0 {
                // It ends when its counter has been reached.
                let posted = self.process.post(&mut self.node, command);
                posted.map_err(|error| format!("command {number}: {error}"))?;
                continue;
            }
            // Its user pointer is the program's: events of a match entry have it.
            let command = command.clone().with_completion();
            let ended = self.process.post(&mut self.node, &command).and_then(|()| {
                let is_end = |event: &Event| event.result().is_some();
                self.process.wait_for(&mut self.node, is_end, 100_000)
            });
            let ended = ended.map_err(|error| format!("command {number}: {error}"))?;
            if let Some(Err(why)) = ended.result() {
                return Err(format!("command {number}: {why}"));
            }
        }
        let rest = self.process.events(&mut self.node);
        let rest = rest.map_err(|error| error.to_string())?;
        match rest.iter().find_map(|event| event.result()?.err()) {
            None => Ok(()),
            Some(why) => Err(format!("a triggered command: {why}")),
        }
    }

    /// Runs the node alone to `cycle`, in which its programs begin: the event ring is empty, and every write from then
    /// on is noted. Errors: of the node.
    pub(crate) fn begin_at(&mut self, cycle: u64) -> Result<(), NodeError> {
        while self.now() < cycle {
            self.node.cycle()?;
        }
        for thread in &mut self.threads {
            if thread.report.ended.is_none() && thread.report.started == 0 {
                thread.due += cycle;
                thread.report.started = thread.due;
                thread.clock = thread.due as f64;
            }
        }
        if self.began {
            return Ok(());
        }
        self.warm();
        self.began = true;
        self.consumed = self.process.consumed();
        for place in 0..Layout::EVENTS {
            let address = self.event_place(place);
            self.memory_mut().write(address, &[NO_EVENT]);
        }
        self.node.memory.note_lines(true);
        self.node.memory.take_lines();
        self.beats = self.node.memory.beats();
        self.channel.advance(cycle as f64);
        Ok(())
    }

    /// The rings lie in the caches of the core that has written them last: the first program's, at the start. Packets
    /// of queues do not: in the long run the GPU has written each last, when it gave its slot back.
    fn warm(&mut self) {
        let Some(thread) = self.threads.first() else {
            return;
        };
        let core = thread.core;
        for bytes in [Layout::commands(), Layout::events()] {
            let lines = Line::all(CONTEXT, bytes.start, bytes.end - bytes.start);
            self.cores.touch(core, lines);
        }
    }

    fn event_place(&self, count: u32) -> u64 {
        let ring = Layout::process().events;
        ring.base + u64::from(count % ring.size) * EVENT_BYTES as u64
    }

    /// Address of the next event.
    pub(crate) fn next_event_place(&self) -> u64 {
        self.event_place(self.consumed)
    }

    /// Whether there is an event.
    pub(crate) fn has_event(&self) -> bool {
        let mut kind = [0];
        self.memory().read(self.next_event_place(), &mut kind);
        kind[0] != NO_EVENT
    }

    /// Address of a command's place, so many after the next.
    pub(crate) fn next_command_place(&self, after: u64) -> u64 {
        let ring = Layout::process().commands;
        let count = u64::from(self.process.posted()).wrapping_add(after);
        ring.base + count % u64::from(ring.size) * COMMAND_BYTES
    }

    /// Takes the next event out of the ring, and how many were taken so far.
    pub(crate) fn take_event(&mut self) -> Option<(Event, u32)> {
        if !self.has_event() {
            return None;
        }
        let address = self.next_event_place();
        let mut bytes = [0; EVENT_BYTES];
        self.memory().read(address, &mut bytes);
        self.memory_mut().write(address, &[NO_EVENT]);
        self.consumed = self.consumed.wrapping_add(1);
        Some((Event::decode(&bytes), self.consumed))
    }

    /// Commands that the NIC has taken from the ring.
    pub(crate) fn commands_taken(&self) -> u64 {
        self.node.trace().taken(CONTEXT)
    }

    /// Puts commands into the ring, with one doorbell that arrives at `due`, ns. Errors: the ring is full; a register
    /// must be read first.
    pub(crate) fn post(
        &mut self,
        due: f64,
        commands: &[Command],
        answer: Option<(u16, u32)>,
    ) -> Result<(), ProcessError<Ask>> {
        let mut port = InstantPort {
            memory: self.node.memory.memory_mut(CONTEXT),
            answer,
            posted: Vec::new(),
        };
        let result = self.process.post_all(&mut port, commands);
        for (address, value) in port.posted {
            self.registers.write(due, address, value);
        }
        result
    }

    /// A store to the doorbell of a queue of the GPU that arrives at `due`, ns.
    pub(crate) fn ring(&mut self, due: f64, queue: usize, value: u64) {
        let due = self.rings.back().map_or(due, |(last, _, _)| last.max(due));
        self.rings.push_back((due, queue, value));
    }

    /// Time of an access of a thread to some bytes, ns.
    pub(crate) fn access(&mut self, thread: usize, address: u64, bytes: u64, writes: bool) -> f64 {
        let core = self.threads[thread].core;
        let found = self.cores.touch(core, Line::all(CONTEXT, address, bytes));
        if writes {
            Line::all(CONTEXT, address, bytes).for_each(|line| self.cores.own(core, line));
        }
        self.channel.owe(found.memory);
        self.cores.access_ns(found)
    }

    /// Before the NIC's cycle: what is due at the GPU and at the registers. Errors: of the GPU; the NIC refused a
    /// register access.
    pub(super) fn before(&mut self) -> Result<(), PlaceError> {
        let now = self.now();
        self.changed = false;
        self.channel.advance(now as f64);
        while let Some((due, queue, value)) = self.rings.front().copied()
            && due <= now as f64
        {
            self.rings.pop_front();
            self.gpu.ring(queue, now, value, &mut self.cores);
        }
        let mut around = Surroundings {
            memory: self.node.memory.memory_mut(CONTEXT),
            channel: &mut self.channel,
            cores: &mut self.cores,
            mail: Vec::new(),
        };
        self.gpu.step(now, &mut around)?;
        for (address, value) in around.mail {
            self.deliver(address, value);
        }
        Ok(self.registers.serve(now, &mut self.node)?)
    }

    /// A store of the GPU to the mailbox of a signal: to a register of the NIC, posted, or to memory.
    fn deliver(&mut self, address: u64, value: u32) {
        let now = self.now() as f64;
        match Layout::register_at(address) {
            Some(register) => {
                let due = now + self.system.cpu.mmio_write_ns;
                self.registers.write(due, register, value);
            }
            None => {
                self.memory_mut().write_u64(address, value.into());
                Line::all(CONTEXT, address, 8).for_each(|line| self.cores.outdate(line));
            }
        }
    }

    /// The first part of the NIC's cycle. Errors: of the node.
    pub(super) fn drive(&mut self, ready: [bool; 2]) -> Result<(), PlaceError> {
        self.node.memory.set_open(self.channel.is_open());
        Ok(Station::drive(&mut self.node, ready)?)
    }

    /// The last part; the beats that it sent, by class. Errors: of the node.
    pub(super) fn collect(&mut self) -> Result<[Option<Beat>; 2], PlaceError> {
        let now = self.now() - 1;
        let sent = Station::collect(&mut self.node)?;
        for (context, line) in self.node.memory.take_lines() {
            if context != CONTEXT {
                continue;
            }
            self.cores.outdate(Line::of(context, line));
            let rung = self
                .gpu
                .doorbells()
                .find(|address| address / 64 * 64 == line);
            if let Some(address) = rung
                && let Some(queue) = self.gpu.queue_of(address)
            {
                let value = self.memory().read_u64(address);
                self.gpu.ring(queue, now, value, &mut self.cores);
            }
        }
        let beats = self.node.memory.beats();
        self.channel.take(beats - self.beats);
        self.beats = beats;
        Ok(sent)
    }

    /// First cycle, from `now` on, in which something may happen although nothing reaches the node.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        if self.changed {
            return now;
        }
        let threads = self.threads.iter().map(|thread| thread.due);
        let ring = self.rings.front();
        let models = [
            self.node.next_event(now),
            self.gpu.next_event(),
            self.channel.next_end(),
            self.registers.next_event(),
            ring.map_or(u64::MAX, |(due, _, _)| due.ceil() as u64),
        ];
        let next = threads.chain(models).min().unwrap_or(u64::MAX);
        next.max(now)
    }

    /// What is not idle.
    pub(super) fn busy(&self) -> Option<&'static str> {
        let parts = [
            (!self.gpu.is_idle(), "a kernel is under way"),
            (!self.registers.is_idle(), "a register access is under way"),
            (!self.rings.is_empty(), "a doorbell is under way"),
            (
                self.threads.iter().any(|thread| thread.due != u64::MAX),
                "a program runs",
            ),
        ];
        let found = parts.iter().find(|(busy, _)| *busy).map(|(_, what)| *what);
        found.or_else(|| self.node.busy())
    }

    /// Whether nothing will happen any more if nothing reaches the node.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let models = self.gpu.is_idle() && self.registers.is_idle() && self.rings.is_empty();
        let threads = self.threads.iter().all(|thread| thread.due == u64::MAX);
        let streams = self.channel.next_end() == u64::MAX;
        models && threads && streams && !self.changed && self.node.is_over(now)
    }
}
