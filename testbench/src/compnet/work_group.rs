//! A networking work-group: the producer's side of figure 6, and what it does between calls.

use super::counts::Class;
use super::queue::{Call, ENTRIES, INLINE_BELOW, Queue, ReadIndex, entry_status, payload_words};
use super::record::Ledger;
use super::thread::Thread;
use crate::bus::LINE_BYTES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::rc::Rc;

/// What a networking work-group does, for ever.
#[derive(Clone, Debug)]
pub struct Producer {
    /// Its queue.
    pub queue: Queue,
    /// The read index that it shares with the command processor.
    pub shared: ReadIndex,
    /// Whether its stores to the queue are locked stores.
    pub locking: bool,
    /// Whether then only the store of the status is one.
    pub lock_status_only: bool,
    /// Share of its calls that block, drawn one by one.
    pub blocking: f64,
    /// Bytes of the payload of a call.
    pub payload_bytes: u64,
    /// Calls before it waits for all of them (a *quiet*); a blocking call waits anyway.
    pub batch: u64,
    /// Cycles it computes after each call: drawn from half to one and a half of it, and before the first from none to
    /// all, so that work-groups are not in step.
    pub compute_cycles: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// The program.
pub async fn run(thread: Thread, producer: Producer, ledger: Rc<RefCell<Ledger>>) {
    let mut rng = ChaCha8Rng::seed_from_u64(producer.seed);
    let mut context = Context {
        thread,
        ledger,
        write_index: 0,
        read_index: 0,
        quiet: 0,
        producer,
    };
    let (batch, cycles) = (context.producer.batch, context.producer.compute_cycles);
    context.thread.work(rng.random_range(0..=cycles)).await;
    loop {
        for _ in 0..batch {
            let blocking = rng.random_bool(context.producer.blocking);
            context.call(blocking).await;
            if blocking {
                context.wait().await;
            }
            let compute = cycles / 2 + rng.random_range(0..=cycles);
            context.thread.work(compute).await;
        }
        context.wait().await;
    }
}

/// A work-group's context, which lies in scratch-pad memory.
struct Context {
    thread: Thread,
    producer: Producer,
    ledger: Rc<RefCell<Ledger>>,
    write_index: u64,
    /// The work-group's own copy of the read index.
    read_index: u64,
    /// Calls below this one are known to be complete.
    quiet: u64,
}

impl Context {
    /// Puts a call into the queue. The numbers are those of the figure.
    async fn call(&mut self, blocking: bool) {
        let queue = self.producer.queue;
        // 1a, 1b: full, as far as the own copy reports; then a look at the shared one.
        while self.write_index - self.read_index >= ENTRIES {
            self.thread.acquire();
            self.read_index = self.producer.shared.load(&self.thread).await;
        }
        // 2: all that the call needs, visible before its status is.
        let call = self.next_call(blocking);
        store_payload(&self.thread, &call).await;
        let locked = self.producer.locking;
        let fields = locked && !self.producer.lock_status_only;
        self.store(queue.fields(self.write_index), &call.to_bytes(), fields)
            .await;
        self.thread.release().await;
        // 3: the status.
        let ready = entry_status::READY.to_le_bytes();
        let now = self.thread.now();
        self.ledger.borrow_mut().called(queue.number, call, now);
        self.store(queue.entry(self.write_index), &ready, locked)
            .await;
        self.thread.release().await;
        // 4.
        self.write_index += 1;
    }

    /// A payload names its work-group and call, so that what arrives can be checked.
    fn next_call(&self, blocking: bool) -> Call {
        let length = self.producer.payload_bytes;
        let stamp = (self.producer.queue.number + 1) << 32 | self.write_index;
        let inline = stamp & (u64::MAX >> (64 - 8 * length.clamp(1, INLINE_BELOW)));
        Call {
            blocking,
            destination: [1, stamp],
            length,
            payload: match length < INLINE_BELOW {
                true => inline,
                false => self.producer.queue.buffer(self.write_index),
            },
        }
    }

    async fn store(&self, address: u64, bytes: &[u8], locked: bool) {
        self.thread
            .store(address, bytes, Class::Queue, locked)
            .await;
    }

    /// 5: polls the entries of all calls from the read index to the write index, an acquire before each round, until
    /// all are complete.
    async fn wait(&mut self) {
        let queue = self.producer.queue;
        let mut open: Vec<u64> = (self.quiet..self.write_index).collect();
        while !open.is_empty() {
            self.thread.acquire();
            let mut left = Vec::new();
            for index in open {
                // The command processor moves the read index over calls that are complete; their entries may be in use
                // again.
                let complete = index < self.read_index || {
                    let status = self.thread.load(queue.entry(index), |_| Class::Queue);
                    status.await == entry_status::COMPLETE
                };
                match complete {
                    true => {
                        let now = self.thread.now();
                        let mut ledger = self.ledger.borrow_mut();
                        ledger.completed(queue.number, index, now);
                    }
                    false => left.push(index),
                }
            }
            open = left;
        }
        self.quiet = self.write_index;
    }
}

/// Writes the payload of a call to its buffer if it does not fit the entry, a line at a time.
pub async fn store_payload(thread: &Thread, call: &Call) {
    if call.length < INLINE_BELOW {
        return;
    }
    let mut bytes = Vec::new();
    for (_, word, length) in payload_words(call) {
        bytes.extend(&word.to_le_bytes()[..length]);
    }
    for (address, line) in (call.payload..)
        .step_by(LINE_BYTES as usize)
        .zip(bytes.chunks(LINE_BYTES as usize))
    {
        thread.store(address, line, Class::Queue, false).await;
    }
}
