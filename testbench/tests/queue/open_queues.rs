//! `OpenQueues`: stands for the queue admission before a block that asks whether a queue is open.

use std::collections::HashMap;

use xtq_engine::Engine;
use xtq_testbench::bus::{Model, Pin, Violation};

/// Answers `queue` on `queue_open`; closes what the block itself says has failed, and what the test does.
pub struct OpenQueues {
    queue: Pin,
    open: Pin,
    /// Valid and queue of the block's fail pulses.
    fails: Vec<(Pin, Pin)>,
    /// First cycle in which a queue is not open.
    closed: HashMap<u64, u64>,
    /// A stream of which the first cycles of each word are noted.
    valid: Pin,
    ready: Pin,
    waits: bool,
    /// First cycle of each word of that stream.
    pub offers: Vec<u64>,
    asked: u64,
}

impl OpenQueues {
    pub fn new(engine: &dyn Engine, fails: &[&str], stream: &str) -> Self {
        let pin = |name: &str| Pin::any(engine, name).unwrap();
        Self {
            queue: pin("queue"),
            open: pin("queue_open"),
            fails: fails
                .iter()
                .map(|name| (pin(&format!("{name}_valid")), pin(name)))
                .collect(),
            closed: HashMap::new(),
            valid: pin(&format!("{stream}_valid")),
            ready: pin(&format!("{stream}_ready")),
            waits: false,
            offers: Vec::new(),
            asked: 0,
        }
    }

    /// The queue is not open from `cycle` on.
    pub fn close(&mut self, key: u64, cycle: u64) {
        let closed = self.closed.entry(key).or_insert(cycle);
        *closed = cycle.min(*closed);
    }

    /// The queue is open again.
    pub fn reopen(&mut self, key: u64) {
        self.closed.remove(&key);
    }

    /// First cycle in which the queue is not open; the largest number if it still is.
    pub fn closed_since(&self, key: u64) -> u64 {
        self.closed.get(&key).copied().unwrap_or(u64::MAX)
    }
}

impl Model for OpenQueues {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.asked = self.queue.get(engine);
        let open = engine.cycle() < self.closed_since(self.asked);
        self.open.set(engine, open.into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let asked = self.queue.get(engine);
        assert_eq!(asked, self.asked, "`queue` follows an input of the cycle");
        if self.valid.is_high(engine) && !self.waits {
            self.offers.push(cycle);
        }
        self.waits = self.valid.is_high(engine) && !self.ready.is_high(engine);
        for (valid, queue) in self.fails.clone() {
            if valid.is_high(engine) {
                self.close(queue.get(engine), cycle + 1);
            }
        }
        Ok(())
    }
}
