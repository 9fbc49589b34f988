//! `RtlBank`: the hardware's `L2Bank` on an engine, with a memory below it.

use super::access::{Cause, Line, LockEnd, Op, Request, Requester, Response, Status};
use super::bank::Bank;
use crate::bus::{
    AxiMemory, BenchError, Gaps, MemoryTiming, Model, Pin, WordSink, WordSource, run_cycle,
};
use rust_hdl::prelude::*;
use std::sync::Arc;
use xtq_engine::{Backend, Body, Compiled, Engine, Error, Result, blocks};
use xtq_types::Wire;
use xtq_types::l2 as format;

/// Blocks of banks of 16 ways of 64 bytes: their sets, the writes to memory that they have under way, their names.
pub const BANKS: [(usize, usize, &str); 7] = [
    (8, 4, "l2_bank_8_sets"),
    (16, 4, "l2_bank_16_sets"),
    (32, 4, "l2_bank_32_sets"),
    (64, 4, "l2_bank_64_sets"),
    (128, 4, "l2_bank"),
    (8, 16, "l2_bank_8_sets_16_writes"),
    (16, 16, "l2_bank_16_sets_16_writes"),
];

/// A compiled bank of 16 ways of 64 bytes with so many sets, and so many writes to memory under way; the lowest
/// `bank_bits` bits of the line number name the bank. Errors: no such bank is one of [`BANKS`]; of the compiler.
pub fn body(sets: usize, writes: usize, bank_bits: u8) -> Result<Arc<Body>> {
    let mut banks = BANKS.iter();
    let Some((_, _, block)) = banks.find(|bank| (bank.0, bank.1) == (sets, writes)) else {
        return Err(Error::BadDesign(format!(
            "no bank of the L2 has {sets} sets and {writes} writes under way"
        )));
    };
    blocks::body(block, bank_bits.into(), Backend::Jit)
}

/// The static inputs of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockLimits {
    /// Cycles after which a lock is dropped; 0: never.
    pub watchdog_cycles: u16,
    /// Ways of a set that locked stores may lock.
    pub ways: u8,
    /// Ways that only misses of the command processor fill, a bit each.
    pub cp_ways: u16,
}

/// What the bank has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BankCounts {
    /// Lines locked now.
    pub locked_lines: u64,
    /// Locked stores that got no lock.
    pub lock_overflows: u64,
    /// Locks of stores that a read-modify-write took away.
    pub dropped_locks: u64,
    /// Locks dropped by the watchdog.
    pub watchdog_drops: u64,
    /// Hits and misses of the command processor.
    pub cp: [u64; 2],
    /// Hits and misses of compute units.
    pub cu: [u64; 2],
}

/// Signals of a request or response: the format, and what travels beside it.
const REQUEST: [&str; 3] = ["request", "request_strobe", "request_data"];
const RMW_WRITE: [&str; 3] = ["rmw_write", "rmw_write_strobe", "rmw_write_data"];
const RESPONSE: [&str; 2] = ["response", "response_data"];
/// 64-bit words of the formats.
const REQUEST_WORDS: usize = 3;

/// A bank with its memory.
pub struct RtlBank {
    engine: Box<dyn Engine>,
    request: WordSource,
    rmw_write: WordSource,
    response: WordSink,
    lock_end: WordSink,
    memory: AxiMemory,
    counters: [Pin; 8],
    ends: Vec<(u64, LockEnd)>,
}

impl RtlBank {
    /// The bank of this body. Errors: of the engine.
    pub fn new(body: Arc<Body>, timing: MemoryTiming, limits: LockLimits) -> Result<Self> {
        Self::on(Box::new(Compiled::new(body)), timing, limits)
    }

    /// The bank on this engine. Errors: of the engine.
    pub fn on(
        mut engine: Box<dyn Engine>,
        timing: MemoryTiming,
        limits: LockLimits,
    ) -> Result<Self> {
        let at = &mut *engine;
        let source = |at: &dyn Engine, names: [&str; 3]| {
            let (valid, ready) = (format!("{}_valid", names[0]), format!("{}_ready", names[0]));
            WordSource::with_ports(at, &names, &valid, &ready, Gaps::none())
        };
        let counter = |name| Pin::output(at, name);
        let counters = [
            counter("locked_lines")?,
            counter("lock_overflows")?,
            counter("dropped_locks")?,
            counter("watchdog_drops")?,
            counter("cp_hits")?,
            counter("cp_misses")?,
            counter("cu_hits")?,
            counter("cu_misses")?,
        ];
        let (request, rmw_write) = (source(at, REQUEST)?, source(at, RMW_WRITE)?);
        let response = WordSink::with_ports(
            at,
            "response",
            &RESPONSE,
            "response_valid",
            "response_ready",
            Gaps::none(),
        )?;
        let lock_end = WordSink::pulse(at, &["lock_end"], "lock_end_valid")?;
        let memory = AxiMemory::new(at, "", timing)?;
        Pin::input(at, "watchdog_limit")?.set(at, limits.watchdog_cycles.into())?;
        Pin::input(at, "locked_ways_limit")?.set(at, limits.ways.into())?;
        Pin::input(at, "cp_ways")?.set(at, limits.cp_ways.into())?;
        let reset = Pin::input(at, "rst")?;
        for level in [1, 0] {
            reset.set(at, level)?;
            at.step()?;
        }
        Ok(Self {
            engine,
            request,
            rmw_write,
            response,
            lock_end,
            memory,
            counters,
            ends: Vec::new(),
        })
    }

    /// Cycles so far, the reset included.
    pub fn cycle_count(&self) -> u64 {
        self.engine.cycle()
    }

    /// The engine, for waveforms.
    pub fn engine(&mut self) -> &mut dyn Engine {
        &mut *self.engine
    }

    /// The memory below the bank.
    pub fn memory(&mut self) -> &mut AxiMemory {
        &mut self.memory
    }

    /// Whether nothing is under way at the memory and no request waits in front of the bank.
    pub fn is_idle(&self) -> bool {
        self.memory.is_idle() && self.request.waiting() + self.rmw_write.waiting() == 0
    }

    /// What the bank has counted.
    pub fn counts(&self) -> BankCounts {
        let [
            locked_lines,
            lock_overflows,
            dropped_locks,
            watchdog_drops,
            cp_hits,
            cp_misses,
            cu_hits,
            cu_misses,
        ] = self.counters.map(|pin| pin.get(&*self.engine));
        BankCounts {
            locked_lines,
            lock_overflows,
            dropped_locks,
            watchdog_drops,
            cp: [cp_hits, cp_misses],
            cu: [cu_hits, cu_misses],
        }
    }
}

impl Bank for RtlBank {
    fn has_room(&self, op: Op) -> bool {
        match op {
            Op::RmwWrite => self.rmw_write.waiting() == 0,
            _ => self.request.waiting() == 0,
        }
    }

    fn submit(&mut self, request: Request) {
        let entry = match request.op {
            Op::RmwWrite => &mut self.rmw_write,
            _ => &mut self.request,
        };
        entry.push(&request_words(&request));
    }

    fn cycle(&mut self) -> std::result::Result<Option<Response>, BenchError> {
        let mut taken = Taken {
            responses: std::slice::from_mut(&mut self.response),
            lock_end: &mut self.lock_end,
            answers: Vec::new(),
            end: None,
        };
        run_cycle(
            &mut *self.engine,
            &mut [
                &mut self.request,
                &mut self.rmw_write,
                &mut self.memory,
                &mut taken,
            ],
        )?;
        let (mut answers, end) = (taken.answers, taken.end);
        self.ends.extend(end);
        Ok(answers.pop())
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        std::mem::take(&mut self.ends)
    }
}

/// Takes what the hardware gives in one cycle, an answer of each port.
pub(super) struct Taken<'a> {
    pub(super) responses: &'a mut [WordSink],
    pub(super) lock_end: &'a mut WordSink,
    pub(super) answers: Vec<Response>,
    pub(super) end: Option<(u64, LockEnd)>,
}

impl Model for Taken<'_> {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        let mut ports = self.responses.iter_mut();
        ports.try_for_each(|port| port.drive(engine))
    }

    fn sample(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<(), crate::bus::Violation> {
        for port in &mut *self.responses {
            let words = port.take(engine, cycle)?;
            self.answers.extend(words.map(|words| response(&words)));
        }
        let words = self.lock_end.take(engine, cycle)?;
        self.end = words.map(|words| (cycle, lock_end(&words)));
        Ok(())
    }
}

/// The words of a request's three ports.
pub(super) fn request_words(request: &Request) -> Vec<u64> {
    let (cp, requester) = match request.requester {
        Requester::ComputeUnit(number) => (false, number),
        Requester::CpThread(number) => (true, number),
    };
    let packed = format::L2Request {
        op: u64::from(request.op.code()).to_bits(),
        wide: u64::from(request.wide).to_bits(),
        cp: u64::from(cp).to_bits(),
        requester: u64::from(requester & 0x1f).to_bits(),
        tag: u64::from(request.tag).to_bits(),
        address: request.address.to_bits(),
        compare: request.compare.to_bits(),
    };
    let mut words = vec![0; REQUEST_WORDS];
    packed.to_words(&mut words);
    words.push(request.strobes);
    words.extend(request.data.chunks_exact(8).map(|bytes| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte))
    }));
    words
}

/// The response in the words of its two ports.
fn response(words: &[u64]) -> Response {
    let packed = format::L2Response::from_words(&words[..1]);
    let mut data: Line = [0; 64];
    for (bytes, word) in data.chunks_exact_mut(8).zip(&words[1..]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let number = packed.requester.to_u64() as u8;
    Response {
        requester: match packed.cp.to_u64() {
            1 => Requester::CpThread(number),
            _ => Requester::ComputeUnit(number),
        },
        tag: packed.tag.to_u64() as u8,
        hit: packed.hit.to_u64() == 1,
        uncached: packed.uncached.to_u64() == 1,
        status: Status::of_code(packed.status.to_u64() as u8),
        data,
    }
}

fn lock_end(words: &[u64]) -> LockEnd {
    let packed = format::LockEnd::from_words(words);
    LockEnd {
        cause: Cause::of_code(packed.cause.to_u64() as u8),
        rmw: packed.rmw.to_u64() == 1,
        owner: packed.owner.to_u64() as u8,
        age: packed.age.to_u64(),
        line: packed.line.to_u64() << 6,
    }
}
