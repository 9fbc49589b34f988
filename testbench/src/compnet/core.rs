//! `Core`: what shares one [`L1`], in front of the L2.
//!
//! A compute unit with its work-groups, or a core of the command processor with its thread; [`Thread`](super::Thread)
//! is what a program holds of it. Each request under way has a slot, which names it at the L2. One request a cycle
//! leaves.
//!
//! Stores go through to the L2 and allocate nothing, except those to the core's private data, which stay in its L1
//! until their line has to go; then the whole line is written back.

use super::access::{Request, Requester, Response, Status};
use super::counts::{Class, Counts};
use super::l1::{Evicted, L1};
use std::cell::Cell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Requests under way that one number at the L2 distinguishes: tags are 8 bits.
pub(super) const TAGS: usize = 256;
/// Slots that only synchronisation may take, so that streams never keep it from the cache.
pub(super) const RESERVED: usize = 16;

/// What a core is like.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// Its name at the L2.
    pub requester: Requester,
    /// Numbers at the L2 that it has, its own and those that follow: 256 requests may be under way for each.
    pub numbers: u8,
    /// Bytes of its L1.
    pub l1_bytes: u64,
    /// Ways of its L1.
    pub l1_ways: usize,
    /// Cycles of a hit in its L1.
    pub l1_cycles: u64,
    /// Addresses that only this core uses.
    pub private: Range<u64>,
    /// Whether an acquire drops private lines too.
    pub acquire_drops_private: bool,
}

/// What a request under way is for.
pub(super) enum Purpose {
    /// A load; `keep` if the line may go into the L1. The answer waits here until the program takes it.
    Load {
        keep: bool,
        answer: Option<Response>,
    },
    /// The second half of a read-modify-write: the only request that the L2 may refuse, if the watchdog came between.
    RmwWrite { answer: Option<Response> },
    /// A store; the thread that counts it.
    Store { class: Class, left: Rc<Cell<u64>> },
    /// A line that had to go.
    WriteBack,
}

/// A request under way.
pub(super) struct Slot {
    line: u64,
    purpose: Purpose,
    /// When the program asked.
    since: u64,
}

/// What shares one L1.
pub struct Core {
    pub(super) config: CoreConfig,
    pub(super) l1: L1,
    pub(super) now: u64,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    outbox: VecDeque<Request>,
    /// Lines that wait for a slot; they go before any other request.
    evicted: VecDeque<Evicted>,
    pub(super) counts: Counts,
    failure: Option<String>,
}

impl Core {
    /// A core with an empty L1.
    pub fn new(config: CoreConfig) -> Self {
        Self {
            l1: L1::new(config.l1_bytes, config.l1_ways),
            now: 0,
            slots: (0..TAGS * usize::from(config.numbers))
                .map(|_| None)
                .collect(),
            free: (0..TAGS * usize::from(config.numbers)).rev().collect(),
            config,
            outbox: VecDeque::new(),
            evicted: VecDeque::new(),
            counts: Counts::default(),
            failure: None,
        }
    }

    /// Its name at the L2.
    pub fn requester(&self) -> Requester {
        self.config.requester
    }

    /// Which of its numbers this is, if it is one of them.
    pub fn number_of(&self, requester: Requester) -> Option<u8> {
        let (first, number) = match (self.config.requester, requester) {
            (Requester::ComputeUnit(first), Requester::ComputeUnit(number)) => (first, number),
            (Requester::CpThread(first), Requester::CpThread(number)) => (first, number),
            _ => return None,
        };
        let number = number.checked_sub(first)?;
        (number < self.config.numbers).then_some(number)
    }

    /// The number and the tag by which the L2 knows the request in this slot.
    pub(super) fn label(&self, slot: usize) -> (Requester, u8) {
        let number = (slot / TAGS) as u8;
        let requester = match self.config.requester {
            Requester::ComputeUnit(first) => Requester::ComputeUnit(first + number),
            Requester::CpThread(first) => Requester::CpThread(first + number),
        };
        (requester, (slot % TAGS) as u8)
    }

    /// Hits and misses in the L2 so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Requests that are not answered, or whose answer no program has taken.
    pub fn under_way(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    /// What the L2 refused or could not fetch, if anything: a program never asks for such a thing.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Begins a cycle: the clock is set, and lines that had to go get slots.
    pub fn begin_cycle(&mut self, now: u64) {
        self.now = now;
        while let (Some(line), Some(slot)) = (self.evicted.front(), self.free.last().copied()) {
            let (requester, tag) = self.label(slot);
            let request = Request::store(requester, tag, line.address, &line.data);
            self.free.pop();
            self.evicted.pop_front();
            self.ask(slot, request, Purpose::WriteBack);
        }
    }

    /// Puts a request into the outbox, and what it is for into its slot.
    pub(super) fn ask(&mut self, slot: usize, request: Request, purpose: Purpose) {
        self.slots[slot] = Some(Slot {
            line: super::access::line_of(request.address),
            purpose,
            since: self.now,
        });
        self.outbox.push_back(request);
    }

    /// The request that leaves in this cycle: one a cycle.
    pub fn send(&mut self) -> Option<Request> {
        self.outbox.pop_front()
    }

    /// Takes a response.
    pub fn deliver(&mut self, response: Response) {
        let number = self.number_of(response.requester).unwrap_or(0);
        let place = usize::from(number) * TAGS + usize::from(response.tag);
        let Some(slot) = &mut self.slots[place] else {
            self.failure = Some(format!(
                "an answer with tag {}, which is not in use",
                response.tag
            ));
            return;
        };
        let refusable = matches!(slot.purpose, Purpose::RmwWrite { .. });
        if response.status != Status::Ok && !(refusable && response.status == Status::Refused) {
            self.failure = Some(format!(
                "line {:#x}: the L2 answered {:?}",
                slot.line, response.status
            ));
        }
        let (line, cycles) = (slot.line, self.now - slot.since);
        match &mut slot.purpose {
            Purpose::RmwWrite { answer } => *answer = Some(response),
            Purpose::Load { keep, answer } => {
                let fill = keep.then_some(response.data);
                *answer = Some(response);
                if let Some(data) = fill {
                    self.evicted.extend(self.l1.fill(line, data));
                }
            }
            Purpose::Store { class, left } => {
                left.set(left.get().saturating_sub(1));
                self.counts.add(*class, response.hit, cycles);
                self.retire(place);
            }
            Purpose::WriteBack => {
                self.counts.add(Class::WriteBack, response.hit, cycles);
                self.retire(place);
            }
        }
    }

    fn retire(&mut self, slot: usize) {
        self.slots[slot] = None;
        self.free.push(slot);
    }

    pub(super) fn is_private(&self, address: u64) -> bool {
        self.config.private.contains(&address)
    }

    /// A slot, if one is free for a request of this class.
    pub(super) fn take_slot(&mut self, class: Class) -> Option<usize> {
        let kept = if class == Class::Stream { RESERVED } else { 0 };
        if !self.evicted.is_empty() || self.free.len() <= kept {
            return None;
        }
        self.free.pop()
    }

    /// The answer to the request in this slot, if it is there, and the cycles that it took.
    pub(super) fn take_answer(&mut self, place: usize) -> Option<(Response, u64)> {
        let slot = self.slots[place].as_mut()?;
        let (Purpose::Load { answer, .. } | Purpose::RmwWrite { answer }) = &mut slot.purpose
        else {
            return None;
        };
        let (answer, since) = (answer.take()?, slot.since);
        self.retire(place);
        Some((answer, self.now - since))
    }

    /// Loads of this line that are under way must not fill the L1: what they bring is older than something this core
    /// has done since.
    pub(super) fn outdate(&mut self, lines: impl Fn(u64) -> bool) {
        for slot in self.slots.iter_mut().flatten() {
            if let Purpose::Load { keep, .. } = &mut slot.purpose
                && lines(slot.line)
            {
                *keep = false;
            }
        }
    }
}
