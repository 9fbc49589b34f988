//! What surrounds the four joined blocks: admission's messages, packets, payloads, a consumer.

use std::collections::{HashMap, VecDeque};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::Gaps;
use xtq_testbench::pins;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::queue::{Completion, MessageRecord, PayloadDone};

use super::joined_block::QueueManager;
use super::memory::INVALID;
use super::queues::Queue;
use super::rig::{Rig, Slots};

/// Last word of the packets of the other producer.
pub const RIVAL: u64 = u64::MAX;

/// A message: its queue, and whether its payload arrives (nothing: all is well).
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub queue: Queue,
    /// Not an XTQ put, or refused before it came to the queue.
    pub plain: bool,
    pub payload: PayloadDone,
}

impl Message {
    pub fn to(queue: Queue) -> Self {
        let payload = PayloadDone::default();
        Self {
            queue,
            plain: false,
            payload,
        }
    }
}

/// The end of a payload.
pub fn payload_done(error: bool, bad: bool) -> PayloadDone {
    PayloadDone {
        error: u64::from(error).to_bits(),
        bad: u64::from(bad).to_bits(),
        refused: 0.into(),
    }
}

/// A message on its way.
#[derive(Clone, Debug)]
pub struct Sent {
    pub message: Message,
    pub packet: [u64; 8],
    /// Admission's answer: cycle of the question, status.
    pub asked: u64,
    pub admitted: u8,
    pub done: u64,
}

/// The joined blocks with everything around them.
pub struct Manager {
    pub rig: Rig,
    pub sent: Vec<Sent>,
    pub waiting: VecDeque<Message>,
    /// Share of cycles in which the consumer looks at a queue.
    pub appetite: f64,
    /// Longest time to packet and payload in cycles.
    pub slack: u64,
    /// Share of cycles in which another producer tries to enqueue into each shared queue.
    pub rivalry: f64,
    queues: Vec<Queue>,
    /// Newest id that another producer rang, by queue key.
    rung: HashMap<u64, u64>,
    /// Packets each consumer took, by queue key.
    pub eaten: HashMap<u64, Vec<[u64; 8]>>,
    asking: Option<Message>,
    puts: VecDeque<(u64, usize)>,
    dones: VecDeque<(u64, usize)>,
    pub cycle: u64,
    pub rng: ChaCha8Rng,
}

impl Manager {
    pub fn new(queues: &[(Queue, u64)], stall: f64, latency: (u64, u64), seed: u64) -> Self {
        let engine = pins!(QueueManager::default() => clk;
            in: rst, admit, admit_context, admit_valid, invalidate, invalidate_valid, admission_read_ready, admission_read_result, admission_read_result_valid, record, record_valid, done, done_valid, packet_there, packet, queue, enqueue_ready, enqueue_done, enqueue_error, atomic_ready, atomic_done, atomic_error, atomic_result, atomic_result_valid, enqueue_read_ready, enqueue_read_result, enqueue_read_result_valid, header_ready, header_done, header_error, repair_ready, repair_done, repair_error, doorbell_ready, doorbell_done, doorbell_error, completion_ready;
            out: admit_ready, admitted, admit_status, admit_access, invalidate_ready, admission_read, admission_read_valid, record_ready, done_ready, slot, enqueue, enqueue_valid, atomic, atomic_valid, enqueue_read, enqueue_read_valid, header, header_valid, repair, repair_valid, doorbell, doorbell_valid, completion, completion_valid);
        let mut rig = Rig::new(Box::new(engine.unwrap()), seed);
        for port in ["enqueue", "atomic", "header", "repair", "doorbell"] {
            rig.memory.writes(&*rig.engine, port, port, stall);
        }
        rig.memory.reads(&*rig.engine, "admission_read", stall);
        rig.memory.reads(&*rig.engine, "enqueue_read", stall);
        rig.memory.latency = latency;
        for (queue, start) in queues {
            rig.memory
                .set_word(queue.context, queue.write_index(), *start);
            rig.memory
                .set_word(queue.context, queue.read_index(), *start);
            let bell = queue.bell(start.wrapping_sub(1));
            rig.memory.set_word(queue.context, queue.doorbell(), bell);
            for place in 0..queue.size {
                rig.memory
                    .set_word(queue.context, queue.slot(place), INVALID.into());
            }
        }
        let gaps = |i| Gaps::random(stall, seed + i);
        rig.feeds("admit", &["admit_context"], gaps(0));
        rig.feeds("invalidate", &[], gaps(1));
        rig.feeds("record", &[], gaps(2));
        rig.feeds("done", &[], gaps(3));
        rig.takes("completion", gaps(4));
        rig.notes("admitted", &["admit_status", "admit_access"], "admitted");
        rig.slots = Some(Slots::new(&*rig.engine, seed));
        Self {
            rig,
            sent: Vec::new(),
            waiting: VecDeque::new(),
            appetite: 1.0,
            slack: 0,
            rivalry: 0.0,
            queues: queues.iter().map(|(queue, _)| *queue).collect(),
            rung: HashMap::new(),
            eaten: HashMap::new(),
            asking: None,
            puts: VecDeque::new(),
            dones: VecDeque::new(),
            cycle: 2,
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    pub fn completions(&self) -> Vec<(u64, Completion)> {
        let words = self.rig.received("completion").iter();
        words
            .map(|(cycle, words)| (*cycle, Completion::from_words(words)))
            .collect()
    }

    /// Sends the messages, runs until all are complete, and lets the memory come to rest.
    pub fn deliver(&mut self, messages: &[Message]) {
        self.waiting.extend(messages);
        for _ in 0..200_000 {
            let complete = self.rig.received("completion").len();
            let idle =
                self.waiting.is_empty() && self.asking.is_none() && complete == self.sent.len();
            if idle && self.rig.memory.quiet() {
                return;
            }
            self.cycle();
        }
        panic!(
            "{} of {} messages complete",
            self.rig.received("completion").len(),
            self.sent.len()
        );
    }

    /// One cycle of everything.
    pub fn cycle(&mut self) {
        self.admit();
        while self.puts.front().is_some_and(|&(at, _)| at <= self.cycle) {
            if let Some((_, i)) = self.puts.pop_front() {
                self.rig
                    .slots
                    .as_mut()
                    .unwrap()
                    .put(i as u64 % 256, self.sent[i].packet);
            }
        }
        while self.dones.front().is_some_and(|&(at, _)| at <= self.cycle) {
            if let Some((_, i)) = self.dones.pop_front() {
                self.rig
                    .source("done")
                    .push_value(self.sent[i].message.payload);
            }
        }
        for queue in self.queues.clone() {
            if self.rng.random_bool(self.appetite) {
                self.consume(queue);
            }
            if queue.shared && self.rng.random_bool(self.rivalry) {
                self.compete(queue);
            }
        }
        self.rig.cycle();
        self.cycle += 1;
    }

    /// Asks for the next message, or takes the answer.
    fn admit(&mut self) {
        if let Some(message) = self.asking {
            let answers = self.rig.received("admitted");
            let asked = self.sent.iter().filter(|sent| !sent.message.plain).count();
            if let Some((_, words)) = answers.get(asked) {
                let status = words[0] as u8;
                let access = words[1] as u8;
                let asked = self.rig.source("admit").accepted()[asked];
                self.asking = None;
                self.record(message, asked, status, access);
            }
            return;
        }
        let in_flight = self.sent.len() - self.rig.received("completion").len();
        if in_flight >= 250 {
            return;
        }
        let Some(message) = self.waiting.pop_front() else {
            return;
        };
        if message.plain {
            return self.record(message, 0, status::OK, 0);
        }
        let mut words = vec![0; 5];
        message.queue.info().to_words(&mut words);
        words.push(message.queue.context);
        self.rig.source("admit").push(&words);
        self.asking = Some(message);
    }

    fn record(&mut self, message: Message, asked: u64, admitted: u8, access: u8) {
        let slot = self.sent.len() as u64 % 256;
        let mut packet: [u64; 8] = std::array::from_fn(|_| self.rng.random());
        // A packet type, and a number to know it by.
        packet[0] = packet[0] & !0xFF | 2;
        packet[7] = self.sent.len() as u64;
        let latest = |queue: &VecDeque<(u64, usize)>| queue.back().map_or(0, |&(at, _)| at);
        let delivered = admitted == status::OK;
        let put = (self.cycle + self.rng.random_range(0..=self.slack)).max(latest(&self.puts));
        let done = (put + self.rng.random_range(0..=self.slack)).max(latest(&self.dones));
        self.rig
            .slots
            .as_mut()
            .unwrap()
            .open(slot, message.queue.info());
        if delivered {
            self.puts.push_back((put, self.sent.len()));
            self.dones.push_back((done, self.sent.len()));
        }
        self.rig.source("record").push_value(MessageRecord {
            slot: slot.to_bits(),
            context: message.queue.context.to_bits(),
            xtq: u64::from(!message.plain).to_bits(),
            has_payload: u64::from(delivered).to_bits(),
            status: admitted.to_bits(),
            access: access.to_bits(),
        });
        self.sent.push(Sent {
            message,
            packet,
            asked,
            admitted,
            done,
        });
    }

    /// The packet processor: takes the next packet if it is there and its doorbell was rung. The NIC's doorbells only
    /// grow, and so do the other producer's: the newer of the two is the running maximum.
    pub fn consume(&mut self, queue: Queue) {
        let memory = &mut self.rig.memory;
        let read = memory.word(queue.context, queue.read_index());
        let slot = queue.slot(read);
        let header = memory.word(queue.context, slot) as u32;
        let bell = memory.word(queue.context, queue.doorbell());
        let covers = |bell: u64| bell.wrapping_sub(queue.bell(read)) < 1 << 32;
        let rival = self.rung.get(&queue.key());
        let rung = covers(bell) || rival.is_some_and(|id| covers(queue.bell(*id)));
        if header == INVALID || !rung {
            return;
        }
        let packet = std::array::from_fn(|i| memory.word(queue.context, slot + 8 * i as u64));
        memory.set_word(
            queue.context,
            slot,
            packet[0] & !0xFFFF_FFFF | u64::from(INVALID),
        );
        memory.set_word(queue.context, queue.read_index(), read.wrapping_add(1));
        self.eaten.entry(queue.key()).or_default().push(packet);
    }

    /// Another producer enqueues a packet, if there is room; all of it at once.
    pub fn compete(&mut self, queue: Queue) {
        let memory = &mut self.rig.memory;
        let write = memory.word(queue.context, queue.write_index());
        let read = memory.word(queue.context, queue.read_index());
        if write.wrapping_sub(read) < queue.size {
            memory.set_word(queue.context, queue.write_index(), write.wrapping_add(1));
            let slot = queue.slot(write);
            memory.set_word(queue.context, slot + 56, RIVAL);
            memory.set_word(queue.context, slot, 2);
            self.rung.insert(queue.key(), write);
        }
    }

    pub fn invalidate(&mut self, queue: Queue) {
        self.rig.source("invalidate").push(&[queue.key()]);
        while self.rig.source("invalidate").waiting() > 0 {
            self.cycle();
        }
    }
}
