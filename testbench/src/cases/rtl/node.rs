//! `RtlNode`: a real NIC and the one process on it.

use super::events::{Told, told};
use super::message::Message;
use super::numbers::Numbers;
use super::refuse::{is_of_posting, refusal};
use super::{node_number, own_number};
use crate::bytes::{Bytes, SparseMemory};
use crate::cases::NotRun;
use crate::host::{self, CommandError, Me, Process, ProcessConfig, Ring};
use crate::node::{self, Node, Stores, Top};
use crate::portals::{
    Command, Event, Limits, MdOption, MemoryDescriptor, NodeConfig, Rank, Refusal, Request,
    Response, Trigger,
};
use crate::tables::Shares;
use crate::tables::format::{BYTES, COMMAND, WIRE};
use std::collections::BTreeSet;
use xtq_types::command::operation;

/// The context of the process.
pub(super) const CONTEXT: u8 = 0;
/// Cycles in which a node must be quiet again after anything.
pub(super) const QUIET_CYCLES: u64 = 200_000;
/// Where the rings lie: beyond any memory of a case.
const RINGS: u64 = 1 << 40;
/// Places of the command ring.
const COMMANDS: u32 = 64;
/// Commands that are posted together at most.
pub(super) const AT_ONCE: usize = 32;
/// Places of the event ring: more events than one step causes.
const EVENTS: u32 = 4096;
/// Bytes of both.
const RING_BYTES: u64 = 1 << 20;
/// Bytes of a table of kernels, functions or queues at most.
const TABLE_BYTES: u64 = 1 << 22;
/// Granularity of memory that exists.
pub(super) const LINE: u64 = 64;

/// How a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// User pointer of the command.
    pub user_ptr: Option<u64>,
    /// How.
    pub result: Result<(), CommandError>,
}

impl Ended {
    /// What is reported to its caller. Errors: it is reported to no caller.
    pub fn refusal(&self) -> Result<Option<Refusal>, NotRun> {
        self.result.err().map_or(Ok(None), refusal)
    }
}

/// A node.
pub struct RtlNode {
    rank: Rank,
    /// The node.
    pub node: Node,
    pub(super) process: Process,
    pub(super) stores: Stores,
    pub(super) limits: Limits,
    pub(super) shares: Shares,
    /// What the hardware refuses for its address is what the case wants.
    pub(super) aligned_atomics: bool,
    pub(super) numbers: Numbers,
    /// Bytes of memory, from address 0 on.
    pub(super) memory: usize,
    /// What the first step needs was done.
    pub(super) begun: bool,
    /// Events of its portal entries.
    pub events: Vec<Event>,
    /// Events of its messages.
    pub transfers: Vec<Event>,
    /// Requests that it sent.
    pub(super) sent: Vec<Request>,
    /// Responses that it sent.
    pub(super) responses: Vec<Response>,
    /// Packets that were taken from the link.
    taken: usize,
}

impl RtlNode {
    pub(super) fn open(
        rank: Rank,
        config: &NodeConfig,
        seed: Option<u64>,
        top: Top,
    ) -> Result<Self, NotRun> {
        let failed = |why: String| NotRun::Failed(format!("node {}: {why}", rank.0));
        let number = node_number(rank)?;
        let surroundings = match seed {
            Some(seed) => node::NodeConfig {
                register_gaps: 0.0,
                // Odd seeds play the code that computes everything in every cycle.
                sleeps: seed % 2 == 0,
                ..node::NodeConfig::random(seed)
            },
            None => node::NodeConfig::default(),
        };
        let mut node = Node::new(&node::NodeConfig {
            top,
            ..surroundings
        })
        .map_err(|why| failed(why.to_string()))?;
        node.set_node_id(number)
            .map_err(|why| failed(why.to_string()))?;
        let ring = |at, size| Ring {
            base: RINGS + at,
            size,
        };
        let process = ProcessConfig {
            commands: ring(0, COMMANDS),
            events: ring(RING_BYTES / 2, EVENTS),
            tables: [0, 1, 2].map(|table| {
                let base = RINGS + RING_BYTES + table * TABLE_BYTES;
                (base, config.limits.max_tasks.into())
            }),
            user_id: rank.0,
        };
        let memory = config.memory.first().map_or(0, |(_, length)| *length);
        node.memory.map(
            Some(CONTEXT),
            RINGS..=RINGS + RING_BYTES + 3 * TABLE_BYTES - 1,
        );
        if memory > 0 {
            let end = (memory as u64).next_multiple_of(LINE);
            node.memory.map(Some(CONTEXT), 0..=end - 1);
        }
        let process =
            Process::open(&mut node, CONTEXT, &process).map_err(|why| failed(why.to_string()))?;
        let stores = Stores::find(node.engine()).map_err(|why| failed(why.to_string()))?;
        let shares = top.shares();
        Ok(Self {
            rank,
            node,
            process,
            stores,
            limits: config.limits,
            shares,
            aligned_atomics: config.aligned_atomics,
            numbers: Numbers::new(rank, shares),
            memory,
            begun: false,
            events: Vec::new(),
            transfers: Vec::new(),
            sent: Vec::new(),
            responses: Vec::new(),
            taken: 0,
        })
    }

    /// Its rank.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// A failure of the hardware, with the node.
    pub fn failed(&self, why: impl std::fmt::Display) -> NotRun {
        NotRun::Failed(format!("node {}: {why}", self.rank.0))
    }

    /// Runs until nothing moves, and takes the events; those of commands are given back.
    pub(super) fn settle(&mut self) -> Result<Vec<Result<(), CommandError>>, NotRun> {
        let quiet = self.node.run_to_quiescence(QUIET_CYCLES);
        quiet.map_err(|why| self.failed(why))?;
        let ended = self.take_events()?.into_iter();
        Ok(ended.map(|ended| ended.result).collect())
    }

    /// Takes the events that are there; those of commands are given back.
    pub fn take_events(&mut self) -> Result<Vec<Ended>, NotRun> {
        let events = self.process.events(&mut self.node);
        let mut ended = Vec::new();
        for event in events.map_err(|why| self.failed(why))? {
            if event.dropped > 0 {
                return Err(self.failed(format!("events are lost before {event:?}")));
            }
            match told(&event, self.rank).map_err(|why| self.failed(why))? {
                Told::Command(user_ptr, result) => ended.push(Ended { user_ptr, result }),
                Told::Initiator(event) => self.transfers.push(event),
                Told::Portal(event) => self.events.push(event),
            }
        }
        Ok(ended)
    }

    /// Puts what the process calls into the ring and does not wait; `Err` if the library refuses it. Its user pointer
    /// comes back in its [`Ended`]. It must neither make a counter nor need a number that another call gives back.
    pub fn issue(
        &mut self,
        when: Option<Trigger>,
        command: &Command,
        user_ptr: u64,
    ) -> Result<Result<host::Command, Refusal>, NotRun> {
        if let Err(refusal) = self.check(when, command) {
            return Ok(Err(refusal));
        }
        // A counter that the command names and that is not there is named to the hardware, which refuses it, and stays
        // unknown.
        let known = self.numbers.known_counters();
        let encoded = self.numbers.command(command);
        self.numbers.restore_counters(known);
        let encoded = encoded?.with_user_ptr(user_ptr);
        let encoded = match when {
            None => encoded.with_completion(),
            Some(Trigger { counter, threshold }) => encoded.triggered(host::Trigger {
                counter: self.numbers.counter(counter)?,
                threshold,
            }),
        };
        let posted = self.process.post(&mut self.node, &encoded);
        posted.map_err(|why| self.failed(why))?;
        Ok(Ok(encoded))
    }

    /// What the library refuses.
    fn check(&self, when: Option<Trigger>, command: &Command) -> Result<(), Refusal> {
        self.numbers.check(&self.limits, command, when.is_some())?;
        match when {
            Some(when) if !self.numbers.has_counter(when.counter) => Err(Refusal::ArgInvalid),
            _ => Ok(()),
        }
    }

    /// Posts commands and waits until nothing moves.
    pub(super) fn run(
        &mut self,
        commands: &[host::Command],
    ) -> Result<Vec<Result<(), CommandError>>, NotRun> {
        let posted = self.process.post_all(&mut self.node, commands);
        posted.map_err(|why| self.failed(why))?;
        self.settle()
    }

    /// What the process calls, at once or triggered.
    pub fn post(
        &mut self,
        when: Option<Trigger>,
        command: &Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        if !matches!(
            command,
            Command::PtAlloc(..) | Command::CtAlloc(_) | Command::MdBind(..)
        ) {
            self.begin()?;
        }
        let checked = self.check(when, command);
        if let Err(refusal) = checked {
            return Ok(Err(refusal));
        }
        self.sends_atomic(command)?;
        // Without a portal entry the hardware refuses it, however many entries there are.
        if let Command::MeAppend {
            portal, list, me, ..
        } = command
            && self.numbers.portals.contains_key(portal)
        {
            let room = match self.make_room()? {
                // Its pieces come first, and are the hardware's to refuse.
                Ok(()) if self.has_pieces(me) => self.list_has_room(when, *portal, *list)?,
                room => room,
            };
            if let Err(refusal) = room {
                return Ok(Err(refusal));
            }
        }
        let counters = self.numbers.known_counters();
        let encoded = self.numbers.command(command)?;
        let result = match when {
            None => {
                let ended = self.run(&[encoded.with_completion()])?;
                // The first one is this command's; others are of what it triggered.
                ended.into_iter().next()
            }
            Some(Trigger { counter, threshold }) => {
                let waits = host::Trigger {
                    counter: self.numbers.counter(counter)?,
                    threshold,
                };
                // A posting that is refused is reported before the command after it ends.
                let posted = [encoded.triggered(waits), host::nop().with_completion()];
                let mut ended = self.run(&posted)?.into_iter();
                ended.find(|result| result.is_ok() || result.is_err_and(is_of_posting))
            }
        };
        let Some(result) = result else {
            return Err(self.failed(format!("{command:?} does not end")));
        };
        if when.is_some() && result == Err(CommandError::NoSpace) {
            self.may_refuse_triggered()?;
        }
        let refused = match result {
            Ok(()) => None,
            Err(error) => refusal(error)?,
        };
        match refused {
            None => self.note(when, command),
            // A counter that the command named and that is not there has no number.
            Some(_) => self.numbers.restore_counters(counters),
        }
        Ok(refused.map_or(Ok(()), Err))
    }

    /// Keeps in mind what a command that was done has made or removed.
    fn note(&mut self, when: Option<Trigger>, command: &Command) {
        let numbers = &mut self.numbers;
        match command {
            _ if when.is_some() => {}
            Command::PtAlloc(portal, options) => {
                numbers.portals.insert(*portal, *options);
            }
            Command::MdBind(id, md) => {
                let length = match md.options.has(MdOption::Iovec) {
                    true => bytes_of_list(self.node.memory.memory(0), md.start, md.length),
                    false => md.length,
                };
                numbers.mds.insert(*id, MemoryDescriptor { length, ..*md });
            }
            Command::MdRelease(id) => {
                numbers.mds.remove(id);
            }
            Command::CtFree(id) => numbers.free_counter(*id),
            _ => {}
        }
    }

    /// Makes sure that there is a number for one more match entry. Those that are linked, that headers need, and that
    /// commands that wait will append count.
    fn make_room(&mut self) -> Result<Result<(), Refusal>, NotRun> {
        let rank = self.rank;
        let failed = |why: xtq_engine::Error| NotRun::Failed(format!("node {}: {why}", rank.0));
        let (stores, numbers) = (&self.stores, &mut self.numbers);
        let engine: &dyn xtq_engine::Engine = self.node.engine();
        // What waits will append these, and unlink those, which must keep their numbers.
        let (mut appended, mut unlinked) = (BTreeSet::new(), BTreeSet::new());
        for (_, ct) in numbers.counters() {
            for command in stores.commands(engine, CONTEXT, ct.0).map_err(failed)? {
                let numbers = match command[0] {
                    operation::ME_APPEND => &mut appended,
                    operation::ME_UNLINK => &mut unlinked,
                    _ => continue,
                };
                numbers.insert(Me(COMMAND.get(&command, "entry") as u16));
            }
        }
        let mut left = 0;
        numbers.forget_entries(|me| {
            let used = stores.is_used(engine, CONTEXT, me.0).map_err(failed)?;
            let counts = used || appended.contains(&me);
            left += usize::from(counts);
            Ok(counts || unlinked.contains(&me))
        })?;
        let share = u64::from(self.shares.entries);
        let full = left as u64 >= self.limits.max_entries.min(share);
        match full && self.limits.max_entries > share {
            true => Err(self.numbers.too_many_entries()),
            false if full => Ok(Err(Refusal::NoSpace)),
            false => Ok(Ok(())),
        }
    }

    /// Takes a message from the link.
    pub(super) fn take(&mut self, message: &Message) -> Result<(), NotRun> {
        self.offer(message);
        self.settle().map(|_| ())
    }

    /// Puts a message on the link.
    pub(super) fn offer(&mut self, message: &Message) {
        for packet in message.packets() {
            self.node.send_packet(&self.comes(packet));
        }
    }

    /// A packet of the network as it comes to the node: from itself by another number.
    pub fn comes(&self, packet: &[u8]) -> Vec<u8> {
        self.exchange(packet, "source_node", |number| (number, own_number(number)))
    }

    /// A packet that left the node as the network has it.
    pub fn leaves(&self, packet: &[u8]) -> Vec<u8> {
        self.exchange(packet, "target_node", |number| (own_number(number), number))
    }

    /// The packet with another number in `field`, where the first of the two that `names` gives stands there.
    fn exchange(&self, packet: &[u8], field: &str, names: fn(u16) -> (u16, u16)) -> Vec<u8> {
        let mut packet = packet.to_vec();
        if let Ok(number) = node_number(self.rank)
            && let Some(header) = packet.first_chunk_mut::<BYTES>()
        {
            let (from, to) = names(number);
            if WIRE.get(header, field) == u64::from(from) {
                WIRE.set(header, field, to.into());
            }
        }
        packet
    }

    /// The messages that it has sent since the last call.
    pub fn take_sent(&mut self) -> Result<Vec<Message>, NotRun> {
        let packets = &self.node.acknowledgements()[self.taken..];
        self.taken += packets.len();
        if let Some(short) = packets.iter().find(|packet| packet.bytes.len() < 64) {
            return Err(self.failed(format!("a packet of {} bytes", short.bytes.len())));
        }
        let packets: Vec<_> = packets
            .iter()
            .map(|packet| self.leaves(&packet.bytes))
            .collect();
        Ok(Message::of_packets(packets.iter().map(Vec::as_slice)))
    }

    pub(super) fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        let end = address.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.memory as u64) {
            return Err(NotRun::Malformed(format!("{address}: outside memory")));
        }
        self.node.memory.memory_mut(CONTEXT).write(address, bytes);
        Ok(())
    }
}

/// Bytes of the pieces of a list.
fn bytes_of_list(memory: &SparseMemory, list: u64, pieces: u64) -> u64 {
    let length = |number| memory.read_u64(list.wrapping_add(16 * number + 8));
    (0..pieces).map(length).fold(0, u64::wrapping_add)
}
