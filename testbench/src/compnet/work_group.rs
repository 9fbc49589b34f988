//! A networking work-group: the producer's side of figure 6, and what it does between calls.

use super::core::Thread;
use super::counts::Class;
use super::queue::{Call, ENTRIES, INLINE_BELOW, Queue, entry_status};
use super::record::Ledger;
use std::cell::RefCell;
use std::rc::Rc;

/// What a networking work-group does, for ever.
#[derive(Clone, Debug)]
pub struct Producer {
    /// Its queue.
    pub queue: Queue,
    /// Whether its stores to the queue are locked stores.
    pub locking: bool,
    /// Whether its calls block.
    pub blocking: bool,
    /// Bytes of the payload of a call.
    pub payload_bytes: u64,
    /// Calls before it waits for all of them (a *quiet*); a blocking call waits anyway.
    pub batch: u64,
    /// Cycles it computes after each call.
    pub compute_cycles: u64,
}

/// The program.
pub async fn run(thread: Thread, producer: Producer, ledger: Rc<RefCell<Ledger>>) {
    let mut context = Context::new(thread, producer, ledger);
    loop {
        let mut first = context.write_index;
        for _ in 0..context.producer.batch.max(1) {
            let index = context.write_index;
            context.call().await;
            context.thread.work(context.producer.compute_cycles).await;
            if context.producer.blocking {
                context.wait_for(index..index + 1).await;
                first = index + 1;
            }
        }
        context.wait_for(first..context.write_index).await;
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
}

impl Context {
    fn new(thread: Thread, producer: Producer, ledger: Rc<RefCell<Ledger>>) -> Self {
        Self {
            thread,
            producer,
            ledger,
            write_index: 0,
            read_index: 0,
        }
    }

    /// Puts a call into the queue. The numbers are those of the figure.
    async fn call(&mut self) {
        let queue = self.producer.queue;
        // 1a, 1b: full, as far as the own copy tells; then a look at the shared one.
        while self.write_index - self.read_index >= ENTRIES {
            self.thread.acquire();
            let shared = self.thread.load(queue.read_index(), |_| Class::Queue);
            self.read_index = shared.await;
        }
        // 2: all that the call needs, visible before its status is.
        let call = self.next_call();
        self.store_payload(&call).await;
        self.store(queue.fields(self.write_index), &call.to_bytes())
            .await;
        self.thread.release().await;
        // 3: the status.
        let ready = entry_status::READY.to_le_bytes();
        let now = self.thread.now();
        self.ledger.borrow_mut().called(queue.number, call, now);
        self.store(queue.entry(self.write_index), &ready).await;
        self.thread.release().await;
        // 4.
        self.write_index += 1;
    }

    /// A payload names its work-group and call, so that what arrives can be checked.
    fn next_call(&self) -> Call {
        let length = self.producer.payload_bytes;
        let stamp = (self.producer.queue.number + 1) << 32 | self.write_index;
        let inline = stamp & (u64::MAX >> (64 - 8 * length.clamp(1, INLINE_BELOW)));
        Call {
            blocking: self.producer.blocking,
            destination: [1, stamp],
            length,
            payload: match length < INLINE_BELOW {
                true => inline,
                false => self.producer.queue.buffer(self.write_index),
            },
        }
    }

    /// Writes the payload to its buffer if it does not fit the entry.
    async fn store_payload(&self, call: &Call) {
        if call.length < INLINE_BELOW {
            return;
        }
        let bytes = [call.destination[1] as u8; 64];
        let mut written = 0;
        while written < call.length {
            let length = (call.length - written).min(64) as usize;
            let address = call.payload + written;
            self.thread
                .store(address, &bytes[..length], Class::Queue, false)
                .await;
            written += length as u64;
        }
    }

    async fn store(&self, address: u64, bytes: &[u8]) {
        let locking = self.producer.locking;
        self.thread
            .store(address, bytes, Class::Queue, locking)
            .await;
    }

    /// 5: polls the entries of these calls until all are complete, an acquire before each round.
    async fn wait_for(&self, calls: std::ops::Range<u64>) {
        for index in calls {
            let status = self.producer.queue.entry(index);
            loop {
                self.thread.acquire();
                let seen = self.thread.load(status, |_| Class::Queue).await;
                if seen == entry_status::COMPLETE {
                    break;
                }
            }
            let now = self.thread.now();
            let queue = self.producer.queue.number;
            self.ledger.borrow_mut().completed(queue, index, now);
        }
    }
}
