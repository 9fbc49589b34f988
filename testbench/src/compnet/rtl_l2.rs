//! `RtlL2`: the hardware's whole [`L2`](xtq_rtl::l2::L2), eight banks with two ports, with an AXI memory.
//!
//! To the models it is one bank: what a core asks for goes to the port of its class, and the hardware finds the bank.

use super::access::{LockEnd, Op, Request, Requester, Response};
use super::bank::Bank;
use super::rtl_bank::{LockLimits, Taken, request_words};
use crate::bus::{AxiMemory, BenchError, Gaps, MemoryTiming, Pin, WordSink, WordSource, run_cycle};
use std::collections::VecDeque;
use std::sync::Arc;
use xtq_engine::{Backend, Body, Compiled, Engine, Result, blocks};

/// The entries: of compute units, of the command processor, and of writes of its read-modify-writes.
const ENTRIES: [&str; 3] = ["cu_request", "cp_request", "rmw_write"];
/// The ports of answers.
const ANSWERS: [&str; 2] = ["cu_response", "cp_response"];

/// The L2 with its memory.
pub struct RtlL2 {
    engine: Box<dyn Engine>,
    entries: [WordSource; 3],
    responses: [WordSink; 2],
    lock_end: WordSink,
    memory: AxiMemory,
    /// Answers that came, of which one is given in a cycle.
    answers: VecDeque<Response>,
    ends: Vec<(u64, LockEnd)>,
}

impl RtlL2 {
    /// The hardware, compiled; only once in a process. Errors: of the engine.
    pub fn body() -> Result<Arc<Body>> {
        blocks::body("l2", 0, Backend::Jit)
    }

    /// An L2 out of reset. Errors: of the engine.
    pub fn new(body: Arc<Body>, timing: MemoryTiming, limits: LockLimits) -> Result<Self> {
        let mut engine: Box<dyn Engine> = Box::new(Compiled::new(body));
        let at = &mut *engine;
        let source = |at: &dyn Engine, name: &str| {
            let names = [
                name.to_owned(),
                format!("{name}_strobe"),
                format!("{name}_data"),
            ];
            let names = names.each_ref().map(String::as_str);
            let [valid, ready] = ["valid", "ready"].map(|end| format!("{name}_{end}"));
            WordSource::with_ports(at, &names, &valid, &ready, Gaps::none())
        };
        let sink = |at: &dyn Engine, name: &str| {
            let names = [name.to_owned(), format!("{name}_data")];
            let names = names.each_ref().map(String::as_str);
            let [valid, ready] = ["valid", "ready"].map(|end| format!("{name}_{end}"));
            WordSink::with_ports(at, name, &names, &valid, &ready, Gaps::none())
        };
        let [units, processor, writes] = ENTRIES.map(|name| source(&*at, name));
        let [to_units, to_processor] = ANSWERS.map(|name| sink(&*at, name));
        let entries = [units?, processor?, writes?];
        let responses = [to_units?, to_processor?];
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
            entries,
            responses,
            lock_end,
            memory,
            answers: VecDeque::new(),
            ends: Vec::new(),
        })
    }

    /// The memory below it.
    pub fn memory(&mut self) -> &mut AxiMemory {
        &mut self.memory
    }
}

impl Bank for RtlL2 {
    fn has_room(&self, op: Op) -> bool {
        let [units, processor, writes] = &self.entries;
        match op {
            Op::RmwWrite => writes.waiting() == 0,
            _ => units.waiting() + processor.waiting() == 0,
        }
    }

    fn submit(&mut self, request: Request) {
        let entry = match (request.op, request.requester) {
            (Op::RmwWrite, _) => 2,
            (_, Requester::CpThread(_)) => 1,
            (_, Requester::ComputeUnit(_)) => 0,
        };
        self.entries[entry].push(&request_words(&request));
    }

    fn cycle(&mut self) -> std::result::Result<Option<Response>, BenchError> {
        let mut taken = Taken {
            responses: &mut self.responses,
            lock_end: &mut self.lock_end,
            answers: Vec::new(),
            end: None,
        };
        let [units, processor, writes] = &mut self.entries;
        run_cycle(
            &mut *self.engine,
            &mut [units, processor, writes, &mut self.memory, &mut taken],
        )?;
        let (answers, end) = (taken.answers, taken.end);
        self.answers.extend(answers);
        self.ends.extend(end);
        Ok(self.answers.pop_front())
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        std::mem::take(&mut self.ends)
    }
}
