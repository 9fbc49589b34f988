//! `AxiLiteMaster`, `AxiLiteChecker`: the register port, 32-bit data, 16-bit address.
//!
//! Pins by prefix: `s_axil_` gives `s_axil_awaddr`, `awvalid`, `awready`, `wdata`, `wstrb`, `wvalid`, `wready`,
//! `bresp`, `bvalid`, `bready`, `araddr`, `arvalid`, `arready`, `rdata`, `rresp`, `rvalid`, `rready`; with an empty
//! prefix the channels have names of their own (`aw_addr`).

use std::collections::VecDeque;

use xtq_engine::{Engine, Result};

use super::channel_names::AxiNames;
use super::gaps::{Ready, SEED_STEP};
use super::{Gaps, Model, Violation, WordChecker, WordSource};
use crate::saved::saved;

const ADDRESS: [&str; 1] = ["addr"];
const WRITE_DATA: [&str; 2] = ["data", "strb"];
const WRITE_REPLY: [&str; 1] = ["resp"];
const READ_DATA: [&str; 2] = ["resp", "data"];

/// What a register access was and what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LiteResult {
    /// Address, 16 bits.
    pub address: u16,
    /// Whether it was a write.
    pub is_write: bool,
    /// The value written or read.
    pub data: u32,
    /// `bresp` or `rresp`: 0 okay, 2 slave error, 3 decode error.
    pub resp: u8,
    /// Cycle of the response's handshake.
    pub cycle: u64,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Operation {
    Write {
        address: u16,
        data: u32,
        strobes: u8,
    },
    Read {
        address: u16,
    },
}

/// Reads and writes registers in the order in which they were queued.
///
/// By default an access starts after the one before has its response; `with_outstanding` lets several be under way.
#[derive(Clone, Debug)]
pub struct AxiLiteMaster {
    checker: AxiLiteChecker,
    aw: WordSource,
    w: WordSource,
    ar: WordSource,
    b_ready: Ready,
    r_ready: Ready,
    queue: VecDeque<Operation>,
    outstanding: usize,
    writing: VecDeque<(u16, u32)>,
    reading: VecDeque<u16>,
    results: Vec<LiteResult>,
}

saved!(AxiLiteMaster {
    checker, aw, w, ar, b_ready, r_ready, queue, writing, reading, results;
    keeps outstanding
});

impl AxiLiteMaster {
    /// A master for the port with this prefix; each channel pauses with `probability`, drawn from `seed`. Errors: a pin
    /// is missing or of the wrong direction.
    pub fn new(engine: &dyn Engine, prefix: &str, probability: f64, seed: u64) -> Result<Self> {
        let names = AxiNames::find(engine, prefix);
        let mut next = seed;
        let mut gaps = || {
            next = next.wrapping_add(SEED_STEP);
            Gaps::random(probability, next)
        };
        let source = |channel, fields: &[&str], gaps| {
            let mut source = names.channel(channel, fields).source(engine, gaps)?;
            source.keep(false);
            Ok::<_, xtq_engine::Error>(source)
        };
        Ok(Self {
            checker: AxiLiteChecker::new(engine, prefix)?,
            aw: source("aw", &ADDRESS, gaps())?,
            w: source("w", &WRITE_DATA, gaps())?,
            ar: source("ar", &ADDRESS, gaps())?,
            b_ready: Ready::new(engine, &names.pin("b", "ready"), gaps())?,
            r_ready: Ready::new(engine, &names.pin("r", "ready"), gaps())?,
            queue: VecDeque::new(),
            outstanding: 1,
            writing: VecDeque::new(),
            reading: VecDeque::new(),
            results: Vec::new(),
        })
    }

    /// The same master with up to `accesses` under way (at least 1). Reads and writes under way are not ordered.
    pub fn with_outstanding(mut self, accesses: usize) -> Self {
        self.outstanding = accesses.max(1);
        self
    }

    /// Queues a write of a whole register.
    pub fn write(&mut self, address: u16, data: u32) {
        self.write_bytes(address, data, 0xf);
    }

    /// Queues a write of the bytes of a register that `strobes` names: bit *i* is byte *i*.
    pub fn write_bytes(&mut self, address: u16, data: u32, strobes: u8) {
        self.queue.push_back(Operation::Write {
            address,
            data,
            strobes,
        });
    }

    /// Queues a read.
    pub fn read(&mut self, address: u16) {
        self.queue.push_back(Operation::Read { address });
    }

    /// The answered accesses, in the order of their responses.
    pub fn results(&self) -> &[LiteResult] {
        &self.results
    }

    /// The answered accesses since the last call, which are forgotten.
    pub fn take_results(&mut self) -> Vec<LiteResult> {
        std::mem::take(&mut self.results)
    }

    /// The accesses that were answered in `cycle`, the last one sampled: one of each kind at most.
    pub fn answered_in(&self, cycle: u64) -> impl Iterator<Item = &LiteResult> {
        let results = self.results.iter().rev();
        results.take_while(move |result| result.cycle == cycle)
    }

    /// Whether every access has its response.
    pub fn is_done(&self) -> bool {
        self.queue.is_empty() && self.under_way() == 0
    }

    fn under_way(&self) -> usize {
        self.writing.len() + self.reading.len()
    }
}

impl Model for AxiLiteMaster {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        if self.under_way() < self.outstanding
            && let Some(operation) = self.queue.pop_front()
        {
            match operation {
                Operation::Write {
                    address,
                    data,
                    strobes,
                } => {
                    self.aw.push(&[address.into()]);
                    self.w.push(&[data.into(), strobes.into()]);
                    self.writing.push_back((address, data));
                }
                Operation::Read { address } => {
                    self.ar.push(&[address.into()]);
                    self.reading.push_back(address);
                }
            }
        }
        for source in [&mut self.aw, &mut self.w, &mut self.ar] {
            source.drive(engine)?;
        }
        self.b_ready.drive(engine, true)?;
        self.r_ready.drive(engine, true)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let (written, read) = self.checker.observe(engine, cycle)?;
        for source in [&mut self.aw, &mut self.w, &mut self.ar] {
            source.sample(engine, cycle)?;
        }
        if let Some(resp) = written
            && let Some((address, data)) = self.writing.pop_front()
        {
            self.results.push(LiteResult {
                address,
                is_write: true,
                data,
                resp,
                cycle,
            });
        }
        if let Some((resp, data)) = read
            && let Some(address) = self.reading.pop_front()
        {
            self.results.push(LiteResult {
                address,
                is_write: false,
                data,
                resp,
                cycle,
            });
        }
        Ok(())
    }
}

/// Watches an AXI4-Lite port. Drives nothing.
#[derive(Clone, Debug)]
pub struct AxiLiteChecker {
    aw: WordChecker,
    w: WordChecker,
    b: WordChecker,
    ar: WordChecker,
    r: WordChecker,
    /// Handshakes of AW, W and AR that wait for a response.
    addresses: u64,
    data: u64,
    reads: u64,
}

saved!(AxiLiteChecker {
    aw,
    w,
    b,
    ar,
    r,
    addresses,
    data,
    reads
});

impl AxiLiteChecker {
    /// A write response comes after an address and its data.
    pub const WRITE_REPLY: &'static str = "B answers no write";
    /// Read data come after an address.
    pub const READ_REPLY: &'static str = "R answers no read";
    /// AXI4-Lite has no EXOKAY.
    pub const EXOKAY: &'static str = "EXOKAY on AXI4-Lite";

    /// A checker for the port with this prefix. Errors: a pin is missing.
    pub fn new(engine: &dyn Engine, prefix: &str) -> Result<Self> {
        let names = AxiNames::find(engine, prefix);
        let checker = |channel, fields: &[&str]| names.channel(channel, fields).checker(engine);
        Ok(Self {
            aw: checker("aw", &ADDRESS)?,
            w: checker("w", &WRITE_DATA)?,
            b: checker("b", &WRITE_REPLY)?,
            ar: checker("ar", &ADDRESS)?,
            r: checker("r", &READ_DATA)?,
            addresses: 0,
            data: 0,
            reads: 0,
        })
    }

    /// Checks this cycle; gives the response of a write, and the response and value of a read. Errors: a broken rule.
    fn observe(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<Responses, Violation> {
        let written = self.b.observe(engine, cycle)?.map(|words| words[0] as u8);
        if let Some(resp) = written {
            let answers = self.addresses > 0 && self.data > 0;
            check_response(&self.b, cycle, resp, answers, Self::WRITE_REPLY)?;
            self.addresses -= 1;
            self.data -= 1;
        }
        let read = self.r.observe(engine, cycle)?;
        let read = read.map(|words| (words[0] as u8, words[1] as u32));
        if let Some((resp, _)) = read {
            check_response(&self.r, cycle, resp, self.reads > 0, Self::READ_REPLY)?;
            self.reads -= 1;
        }
        self.addresses += u64::from(self.aw.observe(engine, cycle)?.is_some());
        self.data += u64::from(self.w.observe(engine, cycle)?.is_some());
        self.reads += u64::from(self.ar.observe(engine, cycle)?.is_some());
        Ok((written, read))
    }
}

/// Response of a write, response and value of a read.
type Responses = (Option<u8>, Option<(u8, u32)>);

fn check_response(
    channel: &WordChecker,
    cycle: u64,
    resp: u8,
    answers: bool,
    rule: &'static str,
) -> std::result::Result<(), Violation> {
    if !answers {
        return Err(channel.violation(cycle, rule, format!("response {resp}")));
    }
    if resp == 1 {
        return Err(channel.violation(cycle, AxiLiteChecker::EXOKAY, "response 1".into()));
    }
    Ok(())
}

impl Model for AxiLiteChecker {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.observe(engine, cycle).map(|_| ())
    }
}
