//! Drives the block: requests in, results out, with pauses on both sides.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use xtq_testbench::by_name::{Hardware, field, pack};
use xtq_types::hash_match::{HashRequest, HashResult, hash_mode, hash_op};

/// What a request compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub context: u64,
    pub portal: u64,
    pub source_node: u64,
    pub source_context: u64,
    pub match_bits: u64,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    pub op: u8,
    pub mode: u8,
    pub number: u64,
    pub key: Key,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub op: u8,
    pub number: u64,
    pub outcome: u8,
    pub partner: u64,
}

pub fn ask(op: u8, number: u64, key: Key) -> Ask {
    Ask {
        op,
        mode: hash_mode::WAIT,
        number,
        key,
    }
}

pub fn post(number: u64, key: Key) -> Ask {
    ask(hash_op::POST, number, key)
}

pub fn arrive(number: u64, key: Key) -> Ask {
    ask(hash_op::ARRIVE, number, key)
}

impl Ask {
    pub fn take(self) -> Self {
        let mode = hash_mode::TAKE;
        Self { mode, ..self }
    }

    pub fn look(self) -> Self {
        let mode = hash_mode::LOOK;
        Self { mode, ..self }
    }

    pub fn cancel(self) -> Self {
        let mode = hash_mode::CANCEL;
        Self { mode, ..self }
    }
}

/// Opens the portal entry of this key.
pub fn open(key: Key) -> Ask {
    ask(hash_op::OPEN, 0, key)
}

/// Closes it.
pub fn close(key: Key) -> Ask {
    ask(hash_op::CLOSE, 0, key)
}

pub struct Unit {
    pub hardware: Hardware,
    pub cycle: u64,
    /// Cycles in which the last requests were taken, and in which their results came.
    pub taken: Vec<u64>,
    pub told: Vec<u64>,
}

impl Unit {
    /// After reset, when it accepts requests.
    pub fn new(block: &str) -> Self {
        let mut hardware = Hardware::block(block);
        for _ in 0..1025 {
            hardware.step();
        }
        hardware.eval();
        assert!(hardware.high("request_ready"), "{block} accepts");
        Self {
            hardware,
            cycle: 0,
            taken: vec![],
            told: vec![],
        }
    }

    /// All results, with no pauses.
    pub fn ask(&mut self, asks: &[Ask]) -> Vec<Said> {
        self.play(asks, |_| false)
    }

    /// All results; each side pauses in a cycle for which `pause` says so.
    pub fn ask_with_pauses(&mut self, asks: &[Ask], random: &mut ChaCha8Rng) -> Vec<Said> {
        let share = random.random_range(0.0..0.8);
        self.play(asks, |_| random.random_bool(share))
    }

    fn play(&mut self, asks: &[Ask], mut pause: impl FnMut(u64) -> bool) -> Vec<Said> {
        let mut said = vec![];
        let mut next = 0;
        self.taken.clear();
        self.told.clear();
        let end = self.cycle + 200 * asks.len() as u64 + 100;
        while said.len() < asks.len() {
            assert!(self.cycle < end, "result {} does not come", said.len());
            let offers = next < asks.len() && !pause(self.cycle);
            self.hardware.drive("request_valid", offers);
            if offers {
                let raw = pack(HashRequest::FIELDS, &values(&asks[next]));
                self.hardware.set("request", &raw);
            }
            let takes = !pause(self.cycle);
            self.hardware.drive("result_ready", takes);
            self.hardware.eval();
            if takes && self.hardware.high("result_valid") {
                let raw = self.hardware.get("result");
                let of = |name| field(HashResult::FIELDS, &raw, name);
                said.push(Said {
                    op: of("op") as u8,
                    number: of("number"),
                    outcome: of("outcome") as u8,
                    partner: of("partner"),
                });
                self.told.push(self.cycle);
            }
            if offers && self.hardware.high("request_ready") {
                next += 1;
                self.taken.push(self.cycle);
            }
            self.hardware.step();
            self.cycle += 1;
        }
        self.hardware.drive("request_valid", false);
        self.hardware.drive("result_ready", false);
        self.hardware.eval();
        said
    }

    pub fn keys(&self) -> u64 {
        self.hardware.word("keys")
    }
}

fn values(ask: &Ask) -> [(&'static str, u64); 8] {
    [
        ("op", ask.op.into()),
        ("mode", ask.mode.into()),
        ("number", ask.number),
        ("context", ask.key.context),
        ("portal", ask.key.portal),
        ("source_node", ask.key.source_node),
        ("source_context", ask.key.source_context),
        ("match_bits", ask.key.match_bits),
    ]
}
