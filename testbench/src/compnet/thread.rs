//! `Thread`: what a program holds of its core.
//!
//! A program is an `async fn` that calls [`Thread::load`], [`store`](Thread::store), [`acquire`](Thread::acquire) and
//! so on and waits for each; every clock cycle the machine resumes all programs once. So the programs of
//! [`work_group`](super::work_group) and [`service`](super::service) read like the paper's figure 6.
//!
//! A release waits for the thread's own stores, or leaves a [`Marker`] that says later that they are through; an
//! acquire drops the L1's lines, but (as far as the configuration says so) private ones.

use super::access::{Line, Op, Request, Response, Status, line_of, line_with, strobes_of};
use super::core::{Core, Purpose};
use super::counts::Class;
use crate::bus::LINE_BYTES;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// Lines of one [`Thread::maintain`] that are under way at once: fewer than a core has places for.
const MAINTAINED: usize = 192;

/// A thread of a core: what a program holds.
#[derive(Clone)]
pub struct Thread {
    core: Rc<RefCell<Core>>,
    stores: Rc<RefCell<Stores>>,
}

/// A release that a thread does not wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker(u64);

/// A thread's stores that the L2 has not acknowledged, parted by its markers.
#[derive(Default)]
struct Stores {
    /// How many before each marker and after the one before it; the last: after all.
    parts: VecDeque<Rc<Cell<u64>>>,
    /// Markers that were passed.
    passed: u64,
}

impl Stores {
    /// Counts the stores after the last marker.
    fn last(&mut self) -> Rc<Cell<u64>> {
        match self.parts.back() {
            Some(last) => last.clone(),
            None => self.begin_part(),
        }
    }

    fn begin_part(&mut self) -> Rc<Cell<u64>> {
        let part = Rc::default();
        self.parts.push_back(Rc::clone(&part));
        part
    }

    fn mark(&mut self) -> Marker {
        self.last();
        self.begin_part();
        Marker(self.passed + self.parts.len() as u64 - 1)
    }

    fn is_passed(&mut self, marker: Marker) -> bool {
        while self.parts.len() > 1 && self.parts[0].get() == 0 {
            self.parts.pop_front();
            self.passed += 1;
        }
        self.passed >= marker.0
    }
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
        let class = |line: &Line| class(word(line, address));
        word(&self.counted(slot, class).await.data, address)
    }

    /// Loads whole lines into the L1, all under way at once, and waits for them.
    pub async fn load_lines(&self, lines: impl Iterator<Item = u64>, class: Class) {
        let mut slots = Vec::new();
        for address in lines {
            slots.push(self.request(Op::Load, address, class).await);
        }
        for slot in slots {
            self.counted(slot, |_| class).await;
        }
    }

    /// The same, and gives them; a line that the L1 has takes its latency.
    pub async fn fetch_lines(&self, lines: impl Iterator<Item = u64>, class: Class) -> Vec<Line> {
        let mut fetched = Vec::new();
        let mut slots = Vec::new();
        for address in lines {
            let own = self
                .core
                .borrow_mut()
                .l1
                .find(address)
                .map(|line| line.data);
            match own {
                Some(line) => fetched.push(line),
                None => {
                    slots.push((fetched.len(), self.request(Op::Load, address, class).await));
                    fetched.push([0; LINE_BYTES as usize]);
                }
            }
        }
        if slots.is_empty() {
            let cycles = self.core.borrow().config.l1_cycles;
            self.work(cycles).await;
        }
        for (place, slot) in slots {
            fetched[place] = self.counted(slot, |_| class).await.data;
        }
        fetched
    }

    /// Touches private data: reads each word and writes it back if the list says so. At most `in_flight` misses are
    /// under way at once; hits are part of the program's work.
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
        self.counted(slot, |_| Class::Private).await;
        self.write_private(address, write).await;
    }

    async fn write_private(&self, address: u64, write: bool) {
        if write {
            let time = self.now().to_le_bytes();
            self.store(address, &time, Class::Private, false).await;
        }
    }

    /// Stores `bytes`, which lie in one line, and goes on as soon as the store is on its way. A `locked` store keeps
    /// the line in the L2.
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
        let left = self.stores.borrow_mut().last();
        left.set(left.get() + 1);
        let (requester, tag) = core.label(slot);
        let request = Request::store(requester, tag, address, bytes).with(op);
        core.ask(slot, request, Purpose::Store { class, left });
    }

    /// Enqueues a release marker after all stores so far, and goes on.
    pub fn mark(&self) -> Marker {
        self.stores.borrow_mut().mark()
    }

    /// Whether all stores before the marker are visible to everybody who reads through the L2.
    pub fn is_passed(&self, marker: Marker) -> bool {
        self.stores.borrow_mut().is_passed(marker)
    }

    /// Waits until all stores of this thread are visible to everybody who reads through the L2.
    pub async fn release(&self) {
        let marker = self.mark();
        self.until(|_| self.is_passed(marker).then_some(())).await;
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

    /// Reads a word, and writes what `change` makes of it, so that nobody comes between; the word as it was. Bypasses
    /// the L1. Nothing if the write was refused, because the watchdog took the line away in between; then nothing has
    /// changed.
    pub async fn read_modify_write(
        &self,
        address: u64,
        class: Class,
        change: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        let slot = self.request(Op::RmwRead, address, class).await;
        self.core
            .borrow_mut()
            .outdate(|line| line == line_of(address));
        let old = word(&self.counted(slot, |_| class).await.data, address);
        let slot = self.until(|core| core.take_slot(class)).await;
        {
            let core = &mut *self.core.borrow_mut();
            let bytes = change(old).to_le_bytes();
            let (requester, tag) = core.label(slot);
            let request = Request::store(requester, tag, address, &bytes).with(Op::RmwWrite);
            core.ask(slot, request, Purpose::RmwWrite { answer: None });
        }
        let (answer, _) = self.until(|core| core.take_answer(slot)).await;
        (answer.status == Status::Ok).then_some(old)
    }

    /// Lets the L2 write lines back ([`Op::WriteBack`]) or write them back and forget them ([`Op::Invalidate`]), many
    /// under way at once, and waits for its answers. What this core's L1 has of forgotten lines is dropped. After it,
    /// memory has what the L2 had: synchronisation at system scope.
    pub async fn maintain(&self, op: Op, lines: impl Iterator<Item = u64>) {
        let mut slots = VecDeque::new();
        for line in lines {
            if slots.len() >= MAINTAINED
                && let Some(oldest) = slots.pop_front()
            {
                self.until(|core| core.take_answer(oldest)).await;
            }
            slots.push_back(self.request(op, line, Class::Queue).await);
        }
        for slot in slots {
            self.until(|core| core.take_answer(slot)).await;
        }
        if op == Op::Invalidate {
            self.acquire();
        }
    }

    /// Sends a request that reads; its slot.
    async fn request(&self, op: Op, address: u64, class: Class) -> usize {
        let slot = self.until(|core| core.take_slot(class)).await;
        let core = &mut *self.core.borrow_mut();
        let (requester, tag) = core.label(slot);
        let keep = op == Op::Load;
        let purpose = Purpose::Load { keep, answer: None };
        core.ask(
            slot,
            Request::load(requester, tag, address).with(op),
            purpose,
        );
        slot
    }

    /// Waits for the answer to a request that reads, and counts it as what `class` says of the line.
    async fn counted(&self, slot: usize, class: impl Fn(&Line) -> Class) -> Response {
        let (answer, cycles) = self.until(|core| core.take_answer(slot)).await;
        let class = class(&answer.data);
        let counts = &mut self.core.borrow_mut().counts;
        counts.add(class, answer.hit, cycles);
        answer
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
