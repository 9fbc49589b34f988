//! Waiting for others: a loop that polls, in closed form.
//!
//! A waiting core goes round its conditions: some instructions and a hit in its first-level cache each. When another
//! device writes one of the lines, the core loses it; the next look at it, at a multiple of the loop's time after the
//! start, fetches the line from memory. So nothing has to be computed until something changes.

use super::{HostThread, ProgramError};
use crate::place::{Spent, World};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::Event;
use xtq_testbench::signals::Signals;
use xtq_types::register_map::{context as reg, context_address};

use crate::cores::CONTEXT;
use crate::layout::Layout;

/// Event places are given back to the NIC when so many were taken.
const GIVEN_BACK: u32 = Layout::EVENTS / 4;

/// What a program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// An event in the ring.
    Event,
    /// An HSA signal with a value below this.
    Signal {
        /// Handle.
        handle: u64,
        /// Its value must be less.
        below: i64,
    },
    /// A 64-bit word that counts.
    Word {
        /// Address.
        address: u64,
        /// It must have reached this.
        at_least: u64,
    },
    /// A cycle.
    At(u64),
}

impl Wait {
    fn holds(self, world: &World) -> bool {
        match self {
            Self::Event => world.has_event(),
            Self::Signal { handle, below } => world.memory().load_signal(handle) < below,
            Self::Word { address, at_least } => world.memory().read_u64(address) >= at_least,
            Self::At(cycle) => world.now() >= cycle,
        }
    }

    /// What is polled; `None`: the core's own clock.
    fn address(self, world: &World) -> Option<u64> {
        match self {
            Self::Event => Some(world.next_event_place()),
            Self::Signal { handle, .. } => Some(handle.wrapping_add(8)),
            Self::Word { address, .. } => Some(address),
            Self::At(_) => None,
        }
    }

    /// Time of a look that finds nothing new, ns.
    fn look_ns(self, world: &World) -> f64 {
        let cpu = &world.system.cpu;
        let instructions = match self {
            Self::Event => world.costs.event_poll,
            _ => world.costs.signal_poll,
        };
        cpu.instructions_ns(instructions) + f64::from(cpu.l1.cycles) * cpu.cycle_ns()
    }

    fn text(self) -> String {
        match self {
            Self::Event => "an event".to_owned(),
            Self::Signal { handle, below } => format!("signal {handle:#x} below {below}"),
            Self::Word { address, at_least } => format!("word {address:#x} to reach {at_least}"),
            Self::At(cycle) => format!("cycle {cycle}"),
        }
    }
}

impl HostThread {
    /// Waits until one of these holds: its place in the list. Of an empty list it is 0, at once.
    pub async fn wait(&self, any: &[Wait]) -> usize {
        let (start, round) = self.with(|world| {
            let texts: Vec<String> = any.iter().map(|wait| wait.text()).collect();
            let thread = &mut world.threads[self.id];
            thread.waits_for = texts.join(" or ");
            let start = thread.clock;
            (
                start,
                any.iter().map(|wait| wait.look_ns(world)).sum::<f64>(),
            )
        });
        let cycles = any.iter().filter_map(|wait| match wait {
            Wait::At(cycle) => Some(*cycle),
            _ => None,
        });
        let due = cycles.min().unwrap_or(u64::MAX);
        let holds = |world: &mut World| match any.is_empty() {
            true => Some(0),
            false => any.iter().position(|wait| wait.holds(world)),
        };
        let place = self.until(due, holds).await;
        let (idle, busy) = self.with(|world| {
            let now = world.now() as f64;
            let rounds = match round > 0.0 && now > start {
                true => ((now - start) / round).ceil(),
                false => 0.0,
            };
            let looks = any.iter().take(place).map(|wait| wait.look_ns(world));
            let idle = rounds * round + looks.sum::<f64>();
            let wait = any.get(place);
            let busy = match wait.and_then(|wait| wait.address(world)) {
                Some(address) => world.access(self.id, address, 8, false),
                None => 0.0,
            };
            // Idle time runs from the start of the wait.
            world.threads[self.id].clock = start;
            (idle, busy)
        });
        self.spend(idle, Spent::Idle).await;
        self.spend(busy, Spent::Busy).await;
        place
    }

    /// Waits until an HSA signal is below a value.
    pub async fn wait_signal(&self, handle: u64, below: i64) {
        self.wait(&[Wait::Signal { handle, below }]).await;
    }

    /// Waits for the next event, and takes it. Errors: events were lost.
    pub async fn event(&self) -> Result<Event, ProgramError> {
        loop {
            self.wait(&[Wait::Event]).await;
            // Another thread of the node may have taken it meanwhile.
            if let Some(event) = self.take_event().await? {
                return Ok(event);
            }
        }
    }

    /// Looks for an event once, and takes it. Errors: events were lost.
    pub async fn try_event(&self) -> Result<Option<Event>, ProgramError> {
        let ns = self.with(|world| {
            let instructions = world.costs.event_poll;
            world.threads[self.id].report.instructions += instructions;
            let address = world.next_event_place();
            world.system.cpu.instructions_ns(instructions)
                + world.access(self.id, address, 8, false)
        });
        self.spend(ns, Spent::Busy).await;
        self.take_event().await
    }

    async fn take_event(&self) -> Result<Option<Event>, ProgramError> {
        let Some((event, taken)) = self.with(|world| world.take_event()) else {
            return Ok(None);
        };
        if event.dropped > 0 {
            let lost = event.dropped;
            return Err(ProgramError::new(format!("{lost} events were lost")));
        }
        let instructions = self.with(|world| world.costs.event_get);
        self.work(instructions).await;
        if taken.is_multiple_of(GIVEN_BACK) {
            let consumer = context_address(CONTEXT.into(), reg::EQ_CONSUMER);
            self.mmio_write(consumer, taken).await;
        }
        Ok(Some(event))
    }
}
