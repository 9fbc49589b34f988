//! A node: what it holds, the commands of its host, and what can be seen of it.

use super::command::{Command, Place, Refusal, Trigger};
use super::event::{Event, EventQueue};
use super::ids::{CounterId, EntryId, MdId, Portal, QueueId, Rank};
use super::memory::Memory;
use super::message::Request;
use super::objects::{
    Counter, Entry, Limits, MatchEntry, MemoryDescriptor, NodeConfig, PortalEntry,
};
use super::triggered::TriggerStore;
use crate::golden::Tasks;
use std::collections::BTreeMap;

/// A request of which the response has not come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outstanding {
    pub(super) place: Place,
    pub(super) md: MemoryDescriptor,
    /// The other descriptor that it names: of the source of a fetch, of the payload of an XTQ put.
    pub(super) other: Option<MdId>,
    pub(super) user_ptr: u64,
}

/// The status registers (rules 2 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Messages dropped or refused by a disabled portal.
    pub drop: u64,
    /// Messages of users who may not.
    pub permission_violations: u64,
    /// Messages of kinds that are not allowed.
    pub operation_violations: u64,
}

/// One node. A message ([`Node::receive`]), a response ([`Node::acknowledge`]) and a command ([`Node::post`]) are each
/// done with before what they set off runs, and that is done with when the call returns, unless
/// [`NodeConfig::fires_by_step`].
#[derive(Clone, Debug)]
pub struct Node {
    pub(super) rank: Rank,
    pub(super) limits: Limits,
    pub(super) memory: Memory,
    pub(super) queues: Vec<EventQueue>,
    pub(super) portals: BTreeMap<Portal, PortalEntry>,
    pub(super) entries: BTreeMap<EntryId, Entry>,
    pub(super) mds: BTreeMap<MdId, MemoryDescriptor>,
    pub(super) counters: BTreeMap<CounterId, Counter>,
    pub(super) triggers: TriggerStore,
    pub(super) status: Status,
    pub(super) outbox: Vec<Request>,
    pub(super) outstanding: BTreeMap<u64, Outstanding>,
    pub(super) next_handle: u64,
    pub(super) fires_by_step: bool,
    pub(super) aligned_atomics: bool,
    pub(super) landed: Vec<(u64, u64)>,
    pub(super) tasks: Tasks,
}

impl Node {
    /// A node with nothing in it but zeroed memory and empty queues.
    pub fn new(rank: Rank, config: &NodeConfig) -> Self {
        Self {
            rank,
            limits: config.limits,
            memory: Memory::new(&config.memory),
            queues: config
                .queues
                .iter()
                .map(|places| EventQueue::new(*places))
                .collect(),
            portals: BTreeMap::new(),
            entries: BTreeMap::new(),
            mds: BTreeMap::new(),
            counters: BTreeMap::new(),
            triggers: TriggerStore::default(),
            status: Status::default(),
            outbox: Vec::new(),
            outstanding: BTreeMap::new(),
            next_handle: 0,
            fires_by_step: config.fires_by_step,
            aligned_atomics: config.aligned_atomics,
            landed: Vec::new(),
            tasks: Tasks::new(config.limits.max_tasks.into(), &config.memory),
        }
    }

    /// Does a command now.
    pub fn post(&mut self, command: Command) -> Result<(), Refusal> {
        let result = self.execute(command);
        self.run_reached();
        result
    }

    /// Does a command when a counter reaches a threshold, which may be now (rule 7.3 of `docs/portals-model.md`). The
    /// limit is one of operations that wait: one that is reached at once does not count (7.8).
    pub fn post_triggered(&mut self, trigger: Trigger, command: Command) -> Result<(), Refusal> {
        let counter = self.counters.get(&trigger.counter).copied();
        let counter = counter.ok_or(Refusal::ArgInvalid)?;
        self.check(&command)?;
        if counter.reaches(trigger.threshold) {
            self.triggers.run(command);
            self.run_reached();
            return Ok(());
        }
        if self.triggers.pending().len() as u64 >= self.limits.max_triggered_ops {
            return Err(Refusal::NoSpace);
        }
        self.triggers.wait(trigger, command);
        Ok(())
    }

    /// Runs what is reached, and what that reaches, unless that is done by steps. Each operation fires once, so this
    /// ends.
    pub(super) fn run_reached(&mut self) {
        while !self.fires_by_step && self.fire() {}
    }

    /// Runs the operation that was reached first; whether there was one. Its result is discarded (rules 9 of
    /// `docs/portals-model.md`).
    pub(super) fn fire(&mut self) -> bool {
        self.fire_at(0)
    }

    /// The same of the one that was reached so many operations later.
    pub(super) fn fire_at(&mut self, place: usize) -> bool {
        let Some(command) = self.triggers.take_at(place) else {
            return false;
        };
        let _ = self.execute(command);
        true
    }

    fn execute(&mut self, command: Command) -> Result<(), Refusal> {
        self.check(&command)?;
        match command {
            Command::Transfer(transfer) => self.launch(transfer),
            Command::CtInc(id, by) => self.add(id, by),
            Command::CtSet(id, value) => self.set(id, value),
            Command::CtCancel(id) => self.triggers.cancel(id),
            Command::CtAlloc(id) => {
                self.counters.insert(id, Counter::default());
            }
            Command::CtFree(id) => {
                self.counters.remove(&id);
                self.triggers.cancel(id);
            }
            Command::MeAppend {
                id,
                portal,
                list,
                me,
            } => {
                let length = self.bytes_of(me.buffer(), me.length)?;
                self.append(id, portal, list, MatchEntry { length, ..me })?;
            }
            Command::MeUnlink(id) => self.unlink(id)?,
            Command::MeSearch { portal, kind, me } => {
                let length = self.bytes_of(me.buffer(), me.length)?;
                self.search(portal, kind, &MatchEntry { length, ..me });
            }
            Command::MdBind(id, md) => {
                let length = self.bytes_of(md.buffer(), md.length)?;
                self.mds.insert(id, MemoryDescriptor { length, ..md });
            }
            Command::MdRelease(id) => self.release(id)?,
            Command::PtAlloc(portal, options) => {
                let entry = PortalEntry {
                    options,
                    enabled: true,
                    priority: Vec::new(),
                    overflow: Vec::new(),
                    unexpected: Vec::new(),
                };
                self.portals.insert(portal, entry);
            }
            Command::XtqRegister(index, registration) => self.register(index, &registration),
            Command::PtEnable(portal) => self.enable(portal, true),
            Command::PtDisable(portal) => self.enable(portal, false),
        }
        Ok(())
    }

    /// The host's switch: no event either way (rules 4 of `docs/portals-model.md`).
    fn enable(&mut self, portal: Portal, enabled: bool) {
        if let Some(entry) = self.portals.get_mut(&portal) {
            entry.enabled = enabled;
        }
    }

    pub(super) fn emit(&mut self, queue: Option<QueueId>, event: Event) {
        if let Some(queue) = queue.and_then(|id| self.queues.get_mut(id.0)) {
            queue.push(event);
        }
    }

    /// The requests sent since the last call, in order.
    pub fn take_sent(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.outbox)
    }

    /// Every portal that is allocated, with its lists.
    pub fn portals(&self) -> &BTreeMap<Portal, PortalEntry> {
        &self.portals
    }

    /// Every entry that exists, linked or waiting for its headers to be taken.
    pub fn entries(&self) -> &BTreeMap<EntryId, Entry> {
        &self.entries
    }

    /// Every counter that is allocated (PtlCTGet).
    pub fn counters(&self) -> &BTreeMap<CounterId, Counter> {
        &self.counters
    }

    /// Triggered operations that have not fired.
    pub fn triggers(&self) -> &TriggerStore {
        &self.triggers
    }

    /// The status registers.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Where the last request landed, or would have: address and bytes of what lies one after the other; nothing if no
    /// entry took it.
    pub fn landed(&self) -> &[(u64, u64)] {
        &self.landed
    }

    /// Where so many bytes at a place of a descriptor lie; nothing if there is no such descriptor.
    pub fn spans(&self, place: Place, length: u64) -> Vec<(u64, u64)> {
        let md = self.mds.get(&place.md);
        let spans = md.map(|md| self.memory.spans(md.buffer(), place.offset, length));
        spans.and_then(Result::ok).unwrap_or_default()
    }

    /// Memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Memory, for the host to write.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// An event queue; none if the node was not built with it.
    pub fn queue(&self, id: QueueId) -> Option<&EventQueue> {
        self.queues.get(id.0)
    }

    /// An event queue, for the host to read from.
    pub fn queue_mut(&mut self, id: QueueId) -> Option<&mut EventQueue> {
        self.queues.get_mut(id.0)
    }
}
