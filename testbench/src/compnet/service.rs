//! A network service thread of the command processor: the consumer's side of figure 6.

use super::core::Thread;
use super::counts::Class;
use super::queue::{Call, Queue, entry_status};
use super::record::Ledger;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Where the mutex of the network library lies.
const MUTEX: u64 = 0x4000_0000;

/// What a service thread does, for ever.
#[derive(Clone, Debug)]
pub struct Service {
    /// The queues it polls, in turn.
    pub queues: Vec<Queue>,
    /// Cycles of computing for one call, hits in the L1 included.
    pub call_cycles: u64,
    /// Rounds of polling after which blocking calls are completed.
    pub completion_rounds: u64,
    /// Cycles from a call to the network's acknowledgement.
    pub network_cycles: u64,
    /// Whether the network library takes a mutex for each call.
    pub mutex: bool,
    /// Where the thread's private data lie; empty: it has none.
    pub private: Range<u64>,
    /// Lines of it that a call touches, drawn evenly.
    pub private_lines: usize,
    /// Share of those that are written.
    pub private_writes: f64,
    /// Misses that the core can have under way.
    pub in_flight: usize,
    /// Seed of the draws.
    pub seed: u64,
}

/// The program.
pub async fn run(thread: Thread, service: Service, ledger: Rc<RefCell<Ledger>>) {
    let mut state = State {
        rng: ChaCha8Rng::seed_from_u64(service.seed),
        read_indices: vec![0; service.queues.len()],
        blocking: Vec::new(),
        thread,
        service,
        ledger,
    };
    for round in 1u64.. {
        for position in 0..state.service.queues.len() {
            state.poll(position).await;
        }
        // A thread without queues has nothing to wait for.
        state.thread.work(1).await;
        if round % state.service.completion_rounds.max(1) == 0 {
            state.complete_blocking().await;
        }
    }
}

struct State {
    thread: Thread,
    service: Service,
    ledger: Rc<RefCell<Ledger>>,
    rng: ChaCha8Rng,
    /// By position in the list of queues.
    read_indices: Vec<u64>,
    /// Blocking calls under way: position, index, and when the network will have acknowledged.
    blocking: Vec<(usize, u64, u64)>,
}

impl State {
    /// Looks at the next entry of a queue, and performs the call if there is one. The numbers are those of the figure.
    async fn poll(&mut self, position: usize) {
        let (queue, index) = (self.service.queues[position], self.read_indices[position]);
        // 1: an acquire, so that the status is not an old one.
        self.thread.acquire();
        let class = |word| match word {
            entry_status::READY => Class::PollFound,
            _ => Class::PollEmpty,
        };
        if self.thread.load(queue.entry(index), class).await != entry_status::READY {
            return;
        }
        let now = self.thread.now();
        self.ledger.borrow_mut().found(queue.number, index, now);
        // 2: the rest of the entry came with its line.
        let mut words = [0; 5];
        for (word, address) in words.iter_mut().zip((queue.fields(index)..).step_by(8)) {
            *word = self.thread.load(address, |_| Class::PollFound).await;
        }
        let call = Call::of_words(words);
        self.perform().await;
        self.ledger
            .borrow_mut()
            .performed(queue.number, index, call);
        self.read_indices[position] += 1;
        match call.blocking {
            // Not complete before the network has acknowledged; the thread does not wait for it.
            true => {
                let due = self.thread.now() + self.service.network_cycles;
                self.blocking.push((position, index, due));
            }
            false => self.complete(position, index).await,
        }
    }

    /// What the network library does for a call: its mutex, its own data, its instructions.
    async fn perform(&mut self) {
        let service = &self.service;
        if service.mutex {
            let take = |_| 1;
            while self
                .thread
                .read_modify_write(MUTEX, Class::Mutex, take)
                .await
                != 0
            {}
        }
        let words = (service.private.end - service.private.start) / 8;
        if words > 0 {
            let mut draw = || {
                let word = self.rng.random_range(0..words);
                let written = self.rng.random_bool(service.private_writes.clamp(0.0, 1.0));
                (service.private.start + 8 * word, written)
            };
            let accesses: Vec<_> = (0..service.private_lines).map(|_| draw()).collect();
            self.thread.touch(&accesses, service.in_flight).await;
        }
        self.thread.work(service.call_cycles).await;
        if service.mutex {
            self.thread.store(MUTEX, &[0; 8], Class::Mutex, false).await;
        }
    }

    /// 3 and 4: marks an entry as complete, and tells the work-group how far it has read.
    async fn complete(&mut self, position: usize, index: u64) {
        let queue = self.service.queues[position];
        let complete = entry_status::COMPLETE.to_le_bytes();
        self.thread
            .store(queue.entry(index), &complete, Class::Complete, false)
            .await;
        self.thread.release().await;
        let read = (index + 1).to_le_bytes();
        self.thread
            .store(queue.read_index(), &read, Class::ReadIndex, false)
            .await;
    }

    /// Waits for the network, and completes all blocking calls.
    async fn complete_blocking(&mut self) {
        for (position, index, due) in std::mem::take(&mut self.blocking) {
            self.thread
                .work(due.saturating_sub(self.thread.now()))
                .await;
            self.complete(position, index).await;
        }
    }
}
