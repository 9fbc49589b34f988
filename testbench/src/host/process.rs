//! `Process`: a context of a node with its command ring, its event ring and its tables.

use std::collections::VecDeque;

use thiserror::Error;
use xtq_types::command::COMMAND_BYTES;
use xtq_types::register_map::{CONTEXTS, context as reg, context_address, global};

use super::command::Command;
use super::event::{CommandError, Event};
use super::ids::Ct;
use super::port::NicPort;
use crate::bytes::Bytes;
use crate::tables::format::BYTES;

/// Most commands in a ring.
const MAX_COMMANDS: u32 = 32_768;
/// User pointers from here on are the library's own.
const OWN: u64 = 1 << 63;

/// A ring in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ring {
    /// Address of its first place.
    pub base: u64,
    /// Places, a power of two.
    pub size: u32,
}

impl Ring {
    /// Address of the place of item number `count`.
    fn place(self, count: u32, bytes: usize) -> u64 {
        let place = u64::from(count & (self.size - 1));
        self.base.wrapping_add(place * bytes as u64)
    }

    fn check(self, name: &'static str, bytes: usize, most: u32) -> Result<(), RingError> {
        let Self { base, size } = self;
        if !size.is_power_of_two() || size > most {
            Err(RingError::Size { name, size, most })
        } else if base % bytes as u64 != 0 {
            Err(RingError::Base { name, base, bytes })
        } else {
            Ok(())
        }
    }
}

/// Where the things of a process lie in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessConfig {
    /// Command ring, 128-byte aligned.
    pub commands: Ring,
    /// Event ring, 64-byte aligned.
    pub events: Ring,
    /// Kernel, function and queue table: address of entry 0 (64-byte aligned) and entries, at most 65,535.
    pub tables: [(u64, u32); 3],
    /// User id of the process.
    pub user_id: u32,
}

impl Default for ProcessConfig {
    /// 64 entries a table at 0x1000_0000 and the pages after, 64 events at 0x1000_8000, 64 commands at 0x1001_0000,
    /// user 0.
    fn default() -> Self {
        Self {
            commands: Ring {
                base: 0x1001_0000,
                size: 64,
            },
            events: Ring {
                base: 0x1000_8000,
                size: 64,
            },
            tables: [(0x1000_0000, 64), (0x1000_1000, 64), (0x1000_2000, 64)],
            user_id: 0,
        }
    }
}

/// A ring that the NIC does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RingError {
    /// Not a power of two, or too large.
    #[error("{name} ring of {size} places; it must be a power of two, at most {most}")]
    Size {
        /// Which ring.
        name: &'static str,
        /// Places.
        size: u32,
        /// Most places.
        most: u32,
    },
    /// Not aligned.
    #[error("{name} ring at {base:#x}; it must be a multiple of {bytes}")]
    Base {
        /// Which ring.
        name: &'static str,
        /// Its address.
        base: u64,
        /// What it must be a multiple of.
        bytes: usize,
    },
}

/// Why a process cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProcessError<E: std::error::Error + 'static> {
    /// There is no such context.
    #[error("there is no context {0}")]
    Context(u8),
    /// The NIC would not take a ring.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The NIC has not yet taken the commands in the ring; nothing was posted.
    #[error(
        "the command ring of {size} places has no room for {commands} commands: {waiting} wait"
    )]
    Full {
        /// Places.
        size: u32,
        /// Commands that were to be posted.
        commands: usize,
        /// Commands that the NIC has not taken.
        waiting: u32,
    },
    /// The NIC says that there are more events than the ring has places.
    #[error("the event ring of {size} places holds {unread} unread events")]
    Events {
        /// Places.
        size: u32,
        /// Unread events.
        unread: u32,
    },
    /// An event that was waited for did not come.
    #[error("no such event within {looks} looks; the last one was {last:?}")]
    NoEvent {
        /// How often the event ring was looked at.
        looks: u32,
        /// The newest event that nobody has taken.
        last: Option<Box<Event>>,
    },
    /// What was to be given back is in use.
    #[error("{0} things are in use: messages have not ended")]
    InUse(usize),
    /// A command that the library posted itself was refused.
    #[error("{0}")]
    Refused(CommandError),
    /// A counter that was waited for has not reached its value.
    #[error("counter {} is below {test} after {rounds} readings", .ct.0)]
    NotReached {
        /// Counter.
        ct: Ct,
        /// The value.
        test: u64,
        /// How often it was read.
        rounds: u32,
    },
    /// Of the node.
    #[error("{0}")]
    Port(E),
}

/// A process: what its host library keeps.
///
/// Commands go into the ring in memory, then the doorbell (the ring's tail) goes to the NIC. All commands of one
/// [`post_all`](Self::post_all) share a doorbell.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Process {
    context: u8,
    commands: Ring,
    events: Ring,
    /// Entries of the kernel, function and queue table.
    table_sizes: [u32; 3],
    /// Commands of the library itself.
    asked: u64,
    /// Running count of the commands posted.
    tail: u32,
    /// Running count of the commands that the NIC had taken when it was asked last.
    head: u32,
    /// Running count of the events copied out of the ring.
    consumed: u32,
    /// Events copied out of the ring that nobody has taken.
    ready: VecDeque<Event>,
}

/// What a call with a port of type `P` gives.
pub(super) type Outcome<T, P> = Result<T, ProcessError<<P as NicPort>::Error>>;

impl Process {
    /// Gives a context its tables and rings, empties them and enables it. Errors: a value that the NIC would not take;
    /// a register access was refused.
    pub fn open<P: NicPort>(port: &mut P, context: u8, config: &ProcessConfig) -> Outcome<Self, P> {
        if u32::from(context) >= CONTEXTS {
            return Err(ProcessError::Context(context));
        }
        config
            .commands
            .check("command", COMMAND_BYTES, MAX_COMMANDS)?;
        config.events.check("event", BYTES, 1 << 31)?;
        let process = Self {
            context,
            commands: config.commands,
            events: config.events,
            table_sizes: config.tables.map(|(_, size)| size),
            asked: 0,
            tail: 0,
            head: 0,
            consumed: 0,
            ready: VecDeque::new(),
        };
        let [kernels, functions, queues] = config.tables;
        let rings = [config.events, config.commands].map(|ring| (ring.base, ring.size));
        let windows = [
            (reg::KERNEL_BASE_LO, kernels),
            (reg::FUNCTION_BASE_LO, functions),
            (reg::QUEUE_BASE_LO, queues),
            (reg::EQ_BASE_LO, rings[0]),
            (reg::CQ_BASE_LO, rings[1]),
        ];
        for (window, (base, size)) in windows {
            // Low half, high half and size of a window follow each other.
            let words = [base as u32, (base >> 32) as u32, size];
            for (offset, word) in (window..).step_by(4).zip(words) {
                process.write(port, offset, word);
            }
        }
        port.post(process.user_id_register(), config.user_id);
        process.write(port, reg::ENABLE, 1);
        process.read(port, reg::ENABLE)?;
        Ok(process)
    }

    /// Its context.
    pub fn context(&self) -> u8 {
        self.context
    }

    /// Running count of the commands that it has posted.
    pub fn posted(&self) -> u32 {
        self.tail
    }

    /// Running count of the events that it has copied out of its ring.
    pub fn consumed(&self) -> u32 {
        self.consumed
    }

    /// Address of the register with its user id.
    pub(super) fn user_id_register(&self) -> u16 {
        (global::USER_ID + 4 * u32::from(self.context)) as u16
    }

    /// Entries of the kernel, function and queue table.
    pub(super) fn table_sizes(&self) -> [u32; 3] {
        self.table_sizes
    }

    /// Forgets the commands in the ring that were not taken, and the events that nobody has taken.
    pub(super) fn begin_anew<P: NicPort>(&mut self, port: &mut P) -> Outcome<(), P> {
        self.write(port, reg::CQ_SIZE, self.commands.size);
        (self.tail, self.head) = (0, 0);
        self.consumed = self.read(port, reg::EQ_PRODUCER)?;
        self.write(port, reg::EQ_CONSUMER, self.consumed);
        self.ready.clear();
        Ok(())
    }

    pub(super) fn write<P: NicPort>(&self, port: &mut P, offset: u32, value: u32) {
        port.post(context_address(self.context.into(), offset), value);
    }

    pub(super) fn read<P: NicPort>(&self, port: &mut P, offset: u32) -> Outcome<u32, P> {
        let address = context_address(self.context.into(), offset);
        port.read(address).map_err(ProcessError::Port)
    }

    /// Posts a command. Errors: as [`post_all`](Self::post_all).
    pub fn post<P: NicPort>(&mut self, port: &mut P, command: &Command) -> Outcome<(), P> {
        self.post_all(port, std::slice::from_ref(command))
    }

    /// Posts commands with one doorbell, all or none. Asks the NIC how far it is only if the ring may be full. Errors:
    /// the ring has no room for all; a register access was refused.
    pub fn post_all<P: NicPort>(&mut self, port: &mut P, commands: &[Command]) -> Outcome<(), P> {
        if commands.len() > self.room() {
            self.head = self.read(port, reg::CQ_HEAD)?;
        }
        if commands.len() > self.room() {
            return Err(ProcessError::Full {
                size: self.commands.size,
                commands: commands.len(),
                waiting: self.tail.wrapping_sub(self.head),
            });
        }
        for command in commands {
            let place = self.commands.place(self.tail, COMMAND_BYTES);
            port.memory_mut(self.context).write(place, command.bytes());
            self.tail = self.tail.wrapping_add(1);
        }
        self.write(port, reg::CQ_TAIL, self.tail);
        Ok(())
    }

    /// Posts a command of the library itself and waits for its end, which it gives. No other command has its user
    /// pointer, also none whose end was not waited for. Errors: as [`post`](Self::post) and
    /// [`wait_for`](Self::wait_for).
    pub(super) fn ask<P: NicPort>(
        &mut self,
        port: &mut P,
        command: Command,
        looks: u32,
    ) -> Outcome<Event, P> {
        self.asked += 1;
        let own = OWN | self.asked;
        self.post(port, &command.with_completion().with_user_ptr(own))?;
        let is_end = |event: &Event| event.result().is_some() && event.user_ptr() == Some(own);
        self.wait_for(port, is_end, looks)
    }

    /// Places of the ring that are free as far as is known.
    fn room(&self) -> usize {
        let waiting = self.tail.wrapping_sub(self.head);
        self.commands.size.saturating_sub(waiting) as usize
    }

    /// Takes the oldest event, if one is visible. Errors: a register access was refused.
    pub fn next_event<P: NicPort>(&mut self, port: &mut P) -> Outcome<Option<Event>, P> {
        if self.ready.is_empty() {
            self.fetch_events(port)?;
        }
        Ok(self.ready.pop_front())
    }

    /// Takes all visible events, oldest first. Errors: a register access was refused.
    pub fn events<P: NicPort>(&mut self, port: &mut P) -> Outcome<Vec<Event>, P> {
        self.fetch_events(port)?;
        Ok(self.ready.drain(..).collect())
    }

    /// Takes the oldest event that `is_wanted`, and leaves the others; looks into the ring until there is one, at most
    /// `looks` times. The clock runs with each look. Errors: there was none; a register access was refused.
    pub fn wait_for<P: NicPort>(
        &mut self,
        port: &mut P,
        mut is_wanted: impl FnMut(&Event) -> bool,
        looks: u32,
    ) -> Outcome<Event, P> {
        for _ in 0..looks {
            self.fetch_events(port)?;
            let found = self.ready.iter().position(&mut is_wanted);
            if let Some(event) = found.and_then(|place| self.ready.remove(place)) {
                return Ok(event);
            }
        }
        let last = self.ready.back().cloned().map(Box::new);
        Err(ProcessError::NoEvent { looks, last })
    }

    /// Copies what the NIC says is visible out of the ring and gives the places back.
    fn fetch_events<P: NicPort>(&mut self, port: &mut P) -> Outcome<(), P> {
        let producer = self.read(port, reg::EQ_PRODUCER)?;
        let (size, unread) = (self.events.size, producer.wrapping_sub(self.consumed));
        if unread == 0 {
            return Ok(());
        }
        if unread > size {
            return Err(ProcessError::Events { size, unread });
        }
        for _ in 0..unread {
            let mut bytes = [0; BYTES];
            let place = self.events.place(self.consumed, BYTES);
            port.memory(self.context).read(place, &mut bytes);
            self.ready.push_back(Event::decode(&bytes));
            self.consumed = self.consumed.wrapping_add(1);
        }
        self.write(port, reg::EQ_CONSUMER, self.consumed);
        Ok(())
    }
}
