//! `Player`: a process that does the steps of its program, one after the other, while the clock runs.
//!
//! The [host library](crate::host) waits for the answer of a register read; here the clocks of all nodes must go on
//! meanwhile. So a player gets a port that answers only what has been read before; anything else stops the call, which
//! has done nothing yet, with the address. The runner reads it, and the player calls again.

use thiserror::Error;
use xtq_types::register_map::context;

use super::meeting::Meeting;
use super::outcome::{OK, kind_name, outcome};
use super::program::{Op, PlannedProcess, PlannedStep, Wanted};
use crate::bytes::{Bytes, SparseMemory};
use crate::host::{Event, EventKind, NicPort, Process, ProcessError};
use crate::network::Post;
use crate::node::Node;
use crate::signals::Signals;

/// A waiting process looks at its event ring in cycles that are a multiple of this, if there is something new in it.
const LOOK: u64 = 16;

/// The register with this address must be read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("register {0:#06x} must be read first")]
pub(super) struct Ask(pub(super) u16);

/// A node's memory and registers for a call that must not wait.
pub(super) struct AskingPort<'a> {
    pub(super) node: &'a mut Node,
    /// A register that has just been read.
    pub(super) answer: Option<(u16, u32)>,
}

impl NicPort for AskingPort<'_> {
    type Error = Ask;

    fn memory(&self, context: u8) -> &SparseMemory {
        self.node.memory.memory(context)
    }

    fn memory_mut(&mut self, context: u8) -> &mut SparseMemory {
        self.node.memory.memory_mut(context)
    }

    fn post(&mut self, address: u16, value: u32) {
        self.node.post_register(address, value);
    }

    fn read(&mut self, address: u16) -> Result<u32, Ask> {
        match self.answer.take() {
            Some((read, value)) if read == address => Ok(value),
            _ => Err(Ask(address)),
        }
    }
}

/// What a player did when it had the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing: it waits, or has ended.
    Waits,
    /// Something; it may go on when its register accesses are done.
    Acted,
    /// It needs a register.
    Asks(u16),
}

/// A process at work.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Player {
    title: String,
    process: Process,
    step: usize,
    op: usize,
    /// Events that it has seen and not taken.
    pub(super) inbox: Vec<Event>,
    /// End of a delay.
    delay_end: Option<u64>,
    /// It is at the barrier of its step.
    at_barrier: bool,
    /// What it has to say to those at barriers.
    pub(super) posts: Vec<Post>,
    /// Commands of the process that the NIC had taken when it was asked how many, and when the ring was found full.
    asked: u64,
    full: Option<u64>,
    /// Step of each command, in the order of the ring.
    pub(super) posted: Vec<usize>,
    /// Cycle in which each step was done, as far as they are.
    pub(super) done: Vec<u64>,
    /// Cycle in which the last step was done.
    pub(super) ended: Option<u64>,
    pub(super) differences: Vec<String>,
}

impl Player {
    pub(super) fn new(planned: &PlannedProcess, process: Process) -> Self {
        Self {
            title: planned.title(),
            process,
            step: 0,
            op: 0,
            inbox: Vec::new(),
            delay_end: None,
            at_barrier: false,
            posts: Vec::new(),
            asked: 0,
            full: None,
            posted: Vec::new(),
            done: Vec::new(),
            ended: None,
            differences: Vec::new(),
        }
    }

    /// How many steps are done.
    pub(super) fn steps_done(&self) -> usize {
        self.step
    }

    /// Step, and place in it.
    pub(super) fn place(&self) -> [u64; 2] {
        [self.step as u64, self.op as u64]
    }

    /// Whether there is something in the event ring that it has not taken.
    fn has_unseen(&self, node: &Node) -> bool {
        let visible = node.events_visible(self.process.context()) as u32;
        visible != self.process.consumed()
    }

    /// Commands of the process that the NIC has taken.
    fn taken(&self, node: &Node) -> u64 {
        node.trace().taken(self.process.context())
    }

    /// First cycle, from `now` on, in which it may do something although nothing changes at its node; `u64::MAX`:
    /// never.
    pub(super) fn next_event(
        &self,
        steps: &[PlannedStep],
        node: &Node,
        now: u64,
        meeting: &Meeting,
    ) -> u64 {
        let Some(step) = steps.get(self.step) else {
            return if self.ended.is_some() { u64::MAX } else { now };
        };
        match step.ops.get(self.op) {
            Some(Op::Post(_)) if self.full == Some(self.taken(node)) => u64::MAX,
            Some(Op::Await(wanted)) if !self.has(wanted) => match self.has_unseen(node) {
                true => now.next_multiple_of(LOOK),
                false => u64::MAX,
            },
            // What they wait for is seen in the cycle after it has changed.
            Some(Op::WaitMemory { .. } | Op::WaitSignal { .. }) => u64::MAX,
            Some(Op::Barrier(name)) if self.at_barrier => {
                meeting.opens(name).map_or(u64::MAX, |cycle| cycle.max(now))
            }
            Some(Op::Delay(_)) => self.delay_end.map_or(now, |end| end.max(now)),
            _ => now,
        }
    }

    /// Does what it can in `cycle`. Errors: the NIC does not keep to its rules.
    pub(super) fn turn(
        &mut self,
        steps: &[PlannedStep],
        port: &mut AskingPort,
        cycle: u64,
        meeting: &Meeting,
    ) -> Result<Turn, ProcessError<Ask>> {
        let context = self.process.context();
        let mut acted = false;
        loop {
            let Some(step) = steps.get(self.step) else {
                self.ended.get_or_insert(cycle);
                break;
            };
            let Some(op) = step.ops.get(self.op) else {
                (self.step, self.op) = (self.step + 1, 0);
                self.done.push(cycle);
                continue;
            };
            let done = match op {
                Op::Post(_) if self.full == Some(self.taken(port.node)) => false,
                Op::Post(command) => match self.process.post(port, command) {
                    Ok(()) => {
                        self.full = None;
                        self.posted.push(self.step);
                        self.op += 1;
                        return Ok(Turn::Acted);
                    }
                    Err(ProcessError::Full { .. }) => {
                        self.full = Some(self.asked);
                        false
                    }
                    Err(ProcessError::Port(Ask(address))) => {
                        self.asked = self.taken(port.node);
                        return Ok(Turn::Asks(address));
                    }
                    Err(error) => return Err(error),
                },
                Op::Await(wanted) => {
                    let looks = cycle.is_multiple_of(LOOK) && self.has_unseen(port.node);
                    if !self.has(wanted) && (looks || port.answer.is_some()) {
                        match self.process.events(port) {
                            Ok(events) => self.note(events),
                            Err(ProcessError::Port(Ask(address))) => {
                                return Ok(Turn::Asks(address));
                            }
                            Err(error) => return Err(error),
                        }
                    }
                    self.take(wanted, step)
                }
                Op::Write { address, bytes } => {
                    port.memory_mut(context).write(*address, bytes);
                    true
                }
                Op::WaitMemory { address, bytes } => {
                    read(port.memory(context), *address, bytes.len()) == *bytes
                }
                Op::Expect { address, bytes } => {
                    let found = read(port.memory(context), *address, bytes.len());
                    if let Some(difference) = memory_difference(*address, &found, bytes) {
                        self.differ(step, &difference);
                    }
                    true
                }
                Op::WaitSignal { handle, value, .. } => {
                    port.memory(context).load_signal(*handle) == *value
                }
                Op::Barrier(name) => {
                    if !std::mem::replace(&mut self.at_barrier, true) {
                        let (topic, _) = meeting.topic(name);
                        self.posts.push(Post { topic, cycle });
                    }
                    let opens = meeting.opens(name).is_some_and(|opens| opens <= cycle);
                    self.at_barrier = !opens;
                    opens
                }
                Op::Delay(cycles) => {
                    let end = *self.delay_end.get_or_insert(cycle.saturating_add(*cycles));
                    if cycle >= end {
                        self.delay_end = None;
                    }
                    cycle >= end
                }
            };
            if !done {
                break;
            }
            (self.op, acted) = (self.op + 1, true);
        }
        Ok(if acted { Turn::Acted } else { Turn::Waits })
    }

    /// Takes the events that are left in the ring, and asks how many were lost after the last one. Errors: a register
    /// access was refused.
    pub(super) fn drain<P: NicPort>(&mut self, port: &mut P) -> Result<(), ProcessError<P::Error>> {
        let events = self.process.events(port)?;
        self.note(events);
        let page = (1 + u32::from(self.process.context())) * context::PAGE_BYTES;
        let lost = port.read((page + context::EQ_DROPPED) as u16);
        self.note_lost(lost.map_err(ProcessError::Port)?);
        Ok(())
    }

    fn note(&mut self, events: Vec<Event>) {
        for event in events {
            self.note_lost(event.dropped.into());
            self.inbox.push(event);
        }
    }

    fn note_lost(&mut self, events: u32) {
        if events > 0 {
            let title = &self.title;
            self.differences.push(format!(
                "{title}: {events} events were lost: the event ring was full"
            ));
        }
    }

    fn has(&self, wanted: &Wanted) -> bool {
        self.inbox.iter().any(|event| is_wanted(wanted, event))
    }

    /// Takes the oldest event that is wanted; whether there was one.
    fn take(&mut self, wanted: &Wanted, step: &PlannedStep) -> bool {
        let place = self.inbox.iter().position(|event| is_wanted(wanted, event));
        let Some(place) = place else {
            return false;
        };
        let event = self.inbox.remove(place);
        for difference in differences(wanted, &event) {
            self.differ(step, &difference);
        }
        true
    }

    fn differ(&mut self, step: &PlannedStep, difference: &str) {
        let place = place(&self.title, self.step, step);
        self.differences.push(format!("{place}: {difference}"));
    }

    /// Adds what failed without that anybody took the event: commands, and messages at either end. A search that finds
    /// nothing has not failed.
    pub(super) fn note_failures(&mut self, steps: &[PlannedStep]) {
        for event in &self.inbox {
            if event.kind != EventKind::Search && outcome(event) != OK {
                let found = steps
                    .iter()
                    .enumerate()
                    .find(|(_, step)| Some(step.user_ptr) == event.user_ptr());
                let place = match found {
                    Some((number, step)) => place(&self.title, number, step),
                    None => self.title.clone(),
                };
                let what = match event.kind {
                    EventKind::Command => "the command".to_owned(),
                    kind => format!("an event '{}' that nobody took", kind_name(kind)),
                };
                let failed = format!("{place}: {what} ended with '{}'", outcome(event));
                self.differences.push(failed);
            }
        }
    }

    /// What it waits for; `None`: it has ended.
    pub(super) fn waits_for(&self, steps: &[PlannedStep]) -> Option<String> {
        let step = steps.get(self.step)?;
        let what = match step.ops.get(self.op)? {
            Op::Post(_) => "room in the command ring".to_owned(),
            Op::Await(wanted) => wanted.what.clone(),
            Op::WaitMemory { address, .. } => format!("bytes at {address:#x}"),
            Op::WaitSignal { name, value, .. } => format!("signal '{name}' to be {value}"),
            Op::Barrier(name) => format!("others at barrier '{name}'"),
            Op::Delay(cycles) => format!("{cycles} cycles"),
            Op::Write { .. } | Op::Expect { .. } => "its turn".to_owned(),
        };
        let place = place(&self.title, self.step, step);
        Some(format!("{place} waits for {what}"))
    }
}

/// A step as reports name it: process, number, name, call, line.
fn place(title: &str, number: usize, step: &PlannedStep) -> String {
    let name = match step.name.as_str() {
        "" => String::new(),
        name => format!(" '{name}'"),
    };
    let PlannedStep { call, line, .. } = step;
    format!("{title}, step {}{name} ({call}, line {line})", number + 1)
}

fn read(memory: &SparseMemory, address: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    memory.read(address, &mut bytes);
    bytes
}

fn memory_difference(address: u64, found: &[u8], wanted: &[u8]) -> Option<String> {
    let at = found.iter().zip(wanted).position(|(a, b)| a != b)?;
    let count = found.iter().zip(wanted).filter(|(a, b)| a != b).count();
    Some(format!(
        "{count} of {} bytes differ, the first at {:#x}: {:#04x}, not {:#04x}",
        wanted.len(),
        address.wrapping_add(at as u64),
        found[at],
        wanted[at]
    ))
}

fn is_wanted(wanted: &Wanted, event: &Event) -> bool {
    let about = |pointer| event.user_ptr() == Some(pointer);
    event.kind == wanted.kind && wanted.user_ptr.is_none_or(about)
}

/// What is not as expected.
fn differences(wanted: &Wanted, event: &Event) -> Vec<String> {
    let status = outcome(event);
    if status != wanted.status {
        return vec![format!("status is '{status}', not '{}'", wanted.status)];
    }
    let number = |name: &str, found: u64, wanted: Option<u64>| {
        let wanted = wanted.filter(|wanted| *wanted != found)?;
        Some(format!("{name} is {found:#x}, not {wanted:#x}"))
    };
    let mut differences: Vec<String> = [
        number("length", event.mlength.into(), wanted.length),
        number("match_bits", event.match_bits, wanted.match_bits),
        number("hdr_data", event.hdr_data, wanted.hdr_data),
        number("start", event.start, wanted.start),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some((_, name)) = wanted
        .from
        .as_ref()
        .filter(|(id, _)| *id != event.initiator)
    {
        let found = event.initiator;
        differences.push(format!(
            "it is from context {} of node {}, not from '{name}'",
            found.context, found.node
        ));
    }
    if event.kind == EventKind::Command {
        let counter = event.counter();
        let found = [("success", counter.success), ("failure", counter.failure)];
        for ((name, found), wanted) in found.into_iter().zip(wanted.counter) {
            if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
                differences.push(format!("{name} is {found}, not {wanted}"));
            }
        }
    }
    differences
}
