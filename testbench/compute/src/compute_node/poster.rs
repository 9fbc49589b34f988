//! `Poster`: a thread's way to its context of the NIC: commands into the ring, events out of theirs.
//!
//! What a thread of the command processor writes for the NIC it writes back, and what the NIC has written for it it
//! lets the L2 forget before it looks. A thread of the host has rings in coherent memory and does neither.

use super::NO_EVENT;
use super::open::{COMMANDS, EVENTS, command_place, event_place};
use super::port::Shared;
use std::iter::once;
use xtq_testbench::compnet::access::Op;
use xtq_testbench::compnet::{Class, Thread};
use xtq_testbench::host::{Command, Event};
use xtq_types::register_map::{context as reg, context_address};

/// Event places are given back to the NIC when so many were taken.
const GIVEN_BACK: u32 = EVENTS / 4;
/// Words of an event.
const EVENT_WORDS: u64 = 8;

/// The way to a context of the NIC.
pub(super) struct Poster {
    /// The context.
    pub(super) context: u8,
    /// Whether its rings lie below the L2, or in the host's memory.
    pub(super) in_l2: bool,
    /// What the thread shares with the NIC.
    pub(super) port: Shared,
    /// Commands posted, and events taken, so far.
    pub(super) counts: [u32; 2],
    /// Commands that have not ended.
    pub(super) under_way: u32,
}

impl Poster {
    /// Whether another command has a place, and its event.
    pub(super) fn has_room(&self) -> bool {
        self.under_way < COMMANDS.min(EVENTS - GIVEN_BACK)
    }

    /// The program cannot go on.
    pub(super) fn fail(&self, why: String) {
        self.port.borrow_mut().fail(why);
    }

    /// Puts a command into the ring, and rings. Only if there is [room](Self::has_room).
    pub(super) async fn post(&mut self, thread: &Thread, command: &Command) {
        let address = command_place(self.context, self.counts[0]);
        let lines = || (address..).step_by(64);
        for (line, bytes) in lines().zip(command.bytes().chunks(64)) {
            thread.store(line, bytes, Class::Queue, false).await;
        }
        thread.release().await;
        if self.in_l2 {
            let lines = lines().take(command.bytes().len() / 64);
            thread.maintain(Op::WriteBack, lines).await;
        }
        self.counts[0] = self.counts[0].wrapping_add(1);
        self.under_way += 1;
        let register = context_address(self.context.into(), reg::CQ_TAIL);
        self.port.borrow_mut().write(register, self.counts[0]);
    }

    /// Looks for the next event if one is to come; its user pointer.
    pub(super) async fn look(&mut self, thread: &Thread) -> Option<u64> {
        if self.under_way == 0 {
            return None;
        }
        let address = event_place(self.context, self.counts[1]);
        if self.in_l2 {
            thread.maintain(Op::Invalidate, once(address)).await;
        }
        thread.acquire();
        let first = thread.load(address, |_| Class::Queue).await;
        if first.to_le_bytes()[0] == NO_EVENT {
            return None;
        }
        let mut bytes = [0; 64];
        for (word, to) in (0..EVENT_WORDS).zip(bytes.chunks_exact_mut(8)) {
            let value = thread.load(address + 8 * word, |_| Class::Queue).await;
            to.copy_from_slice(&value.to_le_bytes());
        }
        let event = Event::decode(&bytes);
        if event.status != 0 || event.dropped > 0 {
            self.fail(format!("the NIC reports {event:?}"));
        }
        self.under_way -= 1;
        event.user_ptr()
    }

    /// Frees the place of the event that [`look`](Self::look) gave last.
    pub(super) async fn give_back(&mut self, thread: &Thread) {
        let address = event_place(self.context, self.counts[1]);
        thread
            .store(address, &[NO_EVENT], Class::Queue, false)
            .await;
        thread.release().await;
        // Nothing of it may be written back after the NIC's next event there.
        if self.in_l2 {
            thread.maintain(Op::Invalidate, once(address)).await;
        }
        self.counts[1] = self.counts[1].wrapping_add(1);
        if self.counts[1].is_multiple_of(GIVEN_BACK) {
            let register = context_address(self.context.into(), reg::EQ_CONSUMER);
            self.port.borrow_mut().write(register, self.counts[1]);
        }
    }
}
