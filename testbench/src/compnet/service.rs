//! A network service thread of the command processor: the consumer's side of figure 6.

use super::counts::Class;
use super::queue::{Call, ENTRIES, INLINE_BELOW, Queue, ReadIndex, entry_status, payload_words};
use super::record::Ledger;
use super::thread::{Marker, Thread};
use crate::bus::LINE_BYTES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Where the mutex of the network library lies; 21 lines on, so that it does not share its set with first lines of
/// anything.
pub const MUTEX: u64 = 0x4000_0000 + 21 * LINE_BYTES;

/// Lines that it has under way while it begins.
const BEGINNING: usize = 128;

/// What a service thread does, for ever.
#[derive(Clone, Debug)]
pub struct Service {
    /// The queues it polls, in turn, each with the read index that it shares with the work-group.
    pub queues: Vec<(Queue, ReadIndex)>,
    /// Cycles of computing for one poll, beside its load.
    pub poll_cycles: u64,
    /// Cycles of computing for one call, hits in the L1 included.
    pub call_cycles: u64,
    /// Those of them in which it holds the network library's mutex, if it takes one.
    pub critical_cycles: Option<u64>,
    /// Rounds of polling after which blocking calls are completed.
    pub completion_rounds: u64,
    /// Cycles from a call to the network's acknowledgement.
    pub network_cycles: u64,
    /// Where the thread's private data lie; empty: it has none.
    pub private: Range<u64>,
    /// Lines of it that a call touches, drawn evenly.
    pub private_lines: usize,
    /// Share of those that are written.
    pub private_writes: f64,
    /// Misses that the core can have under way.
    pub in_flight: usize,
    /// Whether it begins with all that it polls and owns in the caches.
    pub warm_start: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// The program.
pub async fn run(thread: Thread, service: Service, ledger: Rc<RefCell<Ledger>>) {
    let mut state = State {
        rng: ChaCha8Rng::seed_from_u64(service.seed),
        read_indices: vec![0; service.queues.len()],
        unannounced: VecDeque::new(),
        blocking: VecDeque::new(),
        thread,
        service,
        ledger,
    };
    if state.service.warm_start {
        state.begin().await;
    }
    for round in 1u64.. {
        for position in 0..state.service.queues.len() {
            state.poll(position).await;
        }
        // A thread without queues has nothing to wait for.
        state.thread.work(1).await;
        if round % state.service.completion_rounds == 0 {
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
    /// Read indices that are not reported to work-groups yet: the release marker after the status of the last entry
    /// before, position, read index.
    unannounced: VecDeque<(Marker, usize, u64)>,
    /// Blocking calls under way: position, index, and when the network will have acknowledged.
    blocking: VecDeque<(usize, u64, u64)>,
}

impl State {
    /// Brings everything that it polls and owns into the caches, as the start of a network library does.
    async fn begin(&mut self) {
        let line = LINE_BYTES as usize;
        let entries = |queue: Queue| (0..ENTRIES).map(move |index| queue.entry(index));
        let queues = self.service.queues.iter();
        let entries: Vec<u64> = queues.flat_map(|(queue, _)| entries(*queue)).collect();
        let private: Vec<u64> = self.service.private.clone().step_by(line).collect();
        for (lines, class) in [(entries, Class::PollEmpty), (private, Class::Private)] {
            for some in lines.chunks(BEGINNING) {
                self.thread.load_lines(some.iter().copied(), class).await;
            }
        }
    }

    /// Looks at the next entry of a queue, and performs the call if there is one. The numbers are those of the figure.
    async fn poll(&mut self, position: usize) {
        self.announce().await;
        let (queue, index) = (self.service.queues[position].0, self.read_indices[position]);
        self.thread.work(self.service.poll_cycles).await;
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
        let payload = self.payload_is_whole(&call).await;
        self.perform().await;
        self.ledger
            .borrow_mut()
            .performed(queue.number, index, call, payload);
        self.read_indices[position] += 1;
        match call.blocking {
            // Not complete before the network has acknowledged; the thread does not wait for it.
            true => {
                let due = self.thread.now() + self.service.network_cycles;
                self.blocking.push_back((position, index, due));
            }
            false => self.complete(position, index).await,
        }
    }

    /// Reads a payload that did not fit the entry; whether it is the call's.
    async fn payload_is_whole(&self, call: &Call) -> bool {
        if call.length < INLINE_BELOW {
            return true;
        }
        let mut whole = true;
        for (offset, word, length) in payload_words(call) {
            let read = self.thread.load(call.payload + offset, |_| Class::Payload);
            whole &= read.await.to_le_bytes()[..length] == word.to_le_bytes()[..length];
        }
        whole
    }

    /// What the network library does for a call: its own data, its instructions, some of them with the mutex.
    async fn perform(&mut self) {
        let service = &self.service;
        let words = (service.private.end - service.private.start) / 8;
        if words > 0 {
            let mut draw = || {
                let word = self.rng.random_range(0..words);
                let written = self.rng.random_bool(service.private_writes);
                (service.private.start + 8 * word, written)
            };
            let accesses: Vec<_> = (0..service.private_lines).map(|_| draw()).collect();
            self.thread.touch(&accesses, service.in_flight).await;
        }
        let critical = service.critical_cycles.unwrap_or(0);
        self.thread
            .work(service.call_cycles.saturating_sub(critical))
            .await;
        if service.critical_cycles.is_some() {
            // Until it was free and nothing came between.
            let take = || self.thread.read_modify_write(MUTEX, Class::Mutex, |_| 1);
            while take().await != Some(0) {}
            self.thread.work(critical).await;
            self.thread.store(MUTEX, &[0; 8], Class::Mutex, false).await;
        }
    }

    /// 3: marks an entry as complete, with a release marker after it. It may then be reported to work-groups how far
    /// their calls are complete: up to the first that is not.
    async fn complete(&mut self, position: usize, index: u64) {
        let entry = self.service.queues[position].0.entry(index);
        let complete = entry_status::COMPLETE.to_le_bytes();
        self.thread
            .store(entry, &complete, Class::Complete, false)
            .await;
        let open = self.blocking.iter().filter(|open| open.0 == position);
        let first = open.map(|open| open.1).min();
        let read = first.unwrap_or(self.read_indices[position]);
        let marker = self.thread.mark();
        self.unannounced.push_back((marker, position, read));
    }

    /// 4: reports to work-groups the read indices whose markers are passed: the status is in the L2. The thread does
    /// not wait for those whose markers are not.
    async fn announce(&mut self) {
        while let Some(&(marker, position, read)) = self.unannounced.front()
            && self.thread.is_passed(marker)
        {
            self.unannounced.pop_front();
            let shared = &self.service.queues[position].1;
            shared.store(&self.thread, read).await;
        }
    }

    /// Waits for the network, and completes all blocking calls.
    async fn complete_blocking(&mut self) {
        while let Some((position, index, due)) = self.blocking.pop_front() {
            let now = self.thread.now();
            self.thread.work(due.saturating_sub(now)).await;
            self.complete(position, index).await;
        }
    }
}
