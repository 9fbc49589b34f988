//! `Core` and `Thread`: who executes programs in front of the L2.
//!
//! A core is what shares one [`L1`]: a compute unit with its work-groups, or a core of the command processor with its thread. A program is an `async fn` that calls
//! [`Thread::load`], [`store`](Thread::store), [`acquire`](Thread::acquire) and so on and waits for each; every clock cycle the machine resumes all programs once. So
//! the programs of [`work_group`](super::work_group) and [`service`](super::service) read like the paper's figure 6.
//!
//! Stores go through to the L2 and allocate nothing, except those to the core's private data, which stay in its L1 until their line has to go. A release waits for the
//! thread's own stores; an acquire drops the L1's lines, but (as far as the configuration says so) private ones.

use super::access::{
    Line, Op, Request, Requester, Response, Status, line_of, line_with, strobes_of,
};
use super::counts::{Class, Counts};
use super::l1::{Evicted, L1};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::ops::Range;
use std::rc::Rc;
use std::task::Poll;

/// Requests under way that one number at the L2 tells apart: tags are 8 bits.
const TAGS: usize = 256;
/// Slots that only synchronisation may take, so that streams never keep it from the cache.
const RESERVED: usize = 16;

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
enum Purpose {
    /// A load; `keep` if the line may go into the L1. The answer waits here until the program takes it.
    Load {
        keep: bool,
        answer: Option<Response>,
    },
    /// A store; the thread that counts it.
    Store { class: Class, left: Rc<Cell<u64>> },
    /// A line that had to go.
    WriteBack,
}

/// A request under way.
struct Slot {
    line: u64,
    purpose: Purpose,
}

/// What shares one L1.
pub struct Core {
    config: CoreConfig,
    l1: L1,
    now: u64,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    outbox: VecDeque<Request>,
    /// Lines that wait for a slot; they go before any other request.
    evicted: VecDeque<Evicted>,
    counts: Counts,
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
    fn label(&self, slot: usize) -> (Requester, u8) {
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

    /// Begins a cycle: the clock is told, and lines that had to go get slots.
    pub fn begin_cycle(&mut self, now: u64) {
        self.now = now;
        while let (Some(line), Some(slot)) = (self.evicted.front(), self.free.last().copied()) {
            let (requester, label) = self.label(slot);
            let request = Request {
                strobes: line.dirty,
                data: line.data,
                ..Request::store(requester, label, line.address, &[])
            };
            let address = line.address;
            self.free.pop();
            self.slots[slot] = Some(Slot {
                line: address,
                purpose: Purpose::WriteBack,
            });
            self.outbox.push_back(request);
            self.evicted.pop_front();
        }
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
        if response.status != Status::Ok {
            self.failure = Some(format!(
                "line {:#x}: the L2 answered {:?}",
                slot.line, response.status
            ));
        }
        let line = slot.line;
        match &mut slot.purpose {
            Purpose::Load { keep, answer } => {
                let fill = keep.then_some(response.data);
                *answer = Some(response);
                if let Some(data) = fill {
                    self.evicted.extend(self.l1.fill(line, data));
                }
            }
            Purpose::Store { class, left } => {
                left.set(left.get().saturating_sub(1));
                self.counts.add(*class, response.hit);
                self.retire(place);
            }
            Purpose::WriteBack => {
                self.counts.add(Class::Private, response.hit);
                self.retire(place);
            }
        }
    }

    fn retire(&mut self, slot: usize) {
        self.slots[slot] = None;
        self.free.push(slot);
    }

    fn is_private(&self, address: u64) -> bool {
        self.config.private.contains(&address)
    }

    /// A slot, if one is free for a request of this class.
    fn take_slot(&mut self, class: Class) -> Option<usize> {
        let kept = if class == Class::Stream { RESERVED } else { 0 };
        if !self.evicted.is_empty() || self.free.len() <= kept {
            return None;
        }
        self.free.pop()
    }

    /// The answer to the load in this slot, if it is there.
    fn take_answer(&mut self, slot: usize) -> Option<Response> {
        let Purpose::Load { answer, .. } = &mut self.slots[slot].as_mut()?.purpose else {
            return None;
        };
        let answer = answer.take()?;
        self.retire(slot);
        Some(answer)
    }

    /// Loads of this line that are under way must not fill the L1: what they bring is older than something this core has done since.
    fn outdate(&mut self, lines: impl Fn(u64) -> bool) {
        for slot in self.slots.iter_mut().flatten() {
            if let Purpose::Load { keep, .. } = &mut slot.purpose
                && lines(slot.line)
            {
                *keep = false;
            }
        }
    }
}

/// A thread of a core: what a program holds.
#[derive(Clone)]
pub struct Thread {
    core: Rc<RefCell<Core>>,
    /// Stores that the L2 has not acknowledged.
    stores: Rc<Cell<u64>>,
}

impl Thread {
    /// A thread of this core.
    pub fn new(core: Rc<RefCell<Core>>) -> Self {
        Self {
            core,
            stores: Rc::default(),
        }
    }

    /// The clock.
    pub fn now(&self) -> u64 {
        self.core.borrow().now
    }

    /// Waits until `ready` gives something; it is asked once a cycle.
    async fn until<T>(&self, mut ready: impl FnMut(&mut Core) -> Option<T>) -> T {
        poll_fn(|_| match ready(&mut self.core.borrow_mut()) {
            Some(value) => Poll::Ready(value),
            None => Poll::Pending,
        })
        .await
    }

    /// Computes for so many cycles.
    pub async fn work(&self, cycles: u64) {
        let due = self.now().saturating_add(cycles);
        self.until(|core| (core.now >= due).then_some(())).await;
    }

    /// The 64-bit word at `address`; if the L2 is asked, the access counts as what `class` says of the word.
    pub async fn load(&self, address: u64, class: impl Fn(u64) -> Class) -> u64 {
        let own = self
            .core
            .borrow_mut()
            .l1
            .find(address)
            .map(|line| line.data);
        if let Some(line) = own {
            let cycles = self.core.borrow().config.l1_cycles;
            self.work(cycles).await;
            return word(&line, address);
        }
        // Before its word is known, the class matters only to streams.
        let slot = self.request(Op::Load, address, Class::Queue).await;
        let answer = self.answer(slot).await;
        let word = word(&answer.data, address);
        self.count(class(word), answer.hit);
        word
    }

    /// Loads whole lines into the L1, all under way at once, and waits for them.
    pub async fn load_lines(&self, lines: impl Iterator<Item = u64>, class: Class) {
        let mut slots = Vec::new();
        for address in lines {
            slots.push(self.request(Op::Load, address, class).await);
        }
        for slot in slots {
            let answer = self.answer(slot).await;
            self.count(class, answer.hit);
        }
    }

    /// Touches private data: reads each word and writes it back if the list says so. At most `in_flight` misses are under way at once; hits are part of the
    /// program's work.
    pub async fn touch(&self, accesses: &[(u64, bool)], in_flight: usize) {
        let mut under_way = VecDeque::new();
        for &(address, write) in accesses {
            if self.core.borrow_mut().l1.find(address).is_some() {
                self.write_private(address, write).await;
                continue;
            }
            if under_way.len() >= in_flight.max(1)
                && let Some(oldest) = under_way.pop_front()
            {
                self.touched(oldest).await;
            }
            let slot = self.request(Op::Load, address, Class::Private).await;
            under_way.push_back((slot, address, write));
        }
        for access in under_way {
            self.touched(access).await;
        }
    }

    async fn touched(&self, (slot, address, write): (usize, u64, bool)) {
        let answer = self.answer(slot).await;
        self.count(Class::Private, answer.hit);
        self.write_private(address, write).await;
    }

    async fn write_private(&self, address: u64, write: bool) {
        if write {
            let time = self.now().to_le_bytes();
            self.store(address, &time, Class::Private, false).await;
        }
    }

    /// Stores `bytes`, which lie in one line, and goes on as soon as the store is on its way. A `locked` store keeps the line in the L2.
    pub async fn store(&self, address: u64, bytes: &[u8], class: Class, locked: bool) {
        let (data, strobes) = (line_with(address, bytes), strobes_of(address, bytes.len()));
        let kept = {
            let core = &mut *self.core.borrow_mut();
            let private = core.is_private(address);
            core.outdate(|line| line == line_of(address));
            core.l1.write(address, &data, strobes, private) && private
        };
        if kept {
            return;
        }
        let op = if locked { Op::LockedStore } else { Op::Store };
        let slot = self.until(|core| core.take_slot(class)).await;
        let core = &mut *self.core.borrow_mut();
        self.stores.set(self.stores.get() + 1);
        core.slots[slot] = Some(Slot {
            line: line_of(address),
            purpose: Purpose::Store {
                class,
                left: self.stores.clone(),
            },
        });
        let (requester, tag) = core.label(slot);
        let request = Request::store(requester, tag, address, bytes);
        core.outbox.push_back(request.with(op));
    }

    /// Waits until all stores of this thread are visible to everybody behind the L2.
    pub async fn release(&self) {
        self.until(|_| (self.stores.get() == 0).then_some(())).await;
    }

    /// Makes sure that no later load of this core sees an old value.
    pub fn acquire(&self) {
        let core = &mut *self.core.borrow_mut();
        let private = match core.config.acquire_drops_private {
            true => 0..0,
            false => core.config.private.clone(),
        };
        let drops = |address: u64| !private.contains(&address);
        core.l1.acquire(drops);
        core.outdate(drops);
    }

    /// Reads a word, and writes what `change` makes of it, so that nobody comes between; the word as it was. Bypasses the L1.
    pub async fn read_modify_write(
        &self,
        address: u64,
        class: Class,
        change: impl Fn(u64) -> u64,
    ) -> u64 {
        let slot = self.request(Op::RmwRead, address, class).await;
        self.core
            .borrow_mut()
            .outdate(|line| line == line_of(address));
        let answer = self.answer(slot).await;
        self.count(class, answer.hit);
        let old = word(&answer.data, address);
        let slot = self.until(|core| core.take_slot(class)).await;
        {
            let core = &mut *self.core.borrow_mut();
            core.slots[slot] = Some(Slot {
                line: line_of(address),
                purpose: Purpose::Load {
                    keep: false,
                    answer: None,
                },
            });
            let bytes = change(old).to_le_bytes();
            let (requester, tag) = core.label(slot);
            let request = Request::store(requester, tag, address, &bytes);
            core.outbox.push_back(request.with(Op::RmwWrite));
        }
        self.answer(slot).await;
        old
    }

    /// Sends a request that reads; its slot.
    async fn request(&self, op: Op, address: u64, class: Class) -> usize {
        let slot = self.until(|core| core.take_slot(class)).await;
        let core = &mut *self.core.borrow_mut();
        core.slots[slot] = Some(Slot {
            line: line_of(address),
            purpose: Purpose::Load {
                keep: op == Op::Load,
                answer: None,
            },
        });
        let (requester, tag) = core.label(slot);
        let request = Request::load(requester, tag, address);
        core.outbox.push_back(request.with(op));
        slot
    }

    async fn answer(&self, slot: usize) -> Response {
        self.until(|core| core.take_answer(slot)).await
    }

    fn count(&self, class: Class, hit: bool) {
        self.core.borrow_mut().counts.add(class, hit);
    }
}

/// The 64-bit word of a line at `address`, which is a multiple of 8.
fn word(line: &Line, address: u64) -> u64 {
    let first = (address % line.len() as u64) as usize / 8 * 8;
    line[first..first + 8]
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}
