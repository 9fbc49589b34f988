//! Plays the steps of a scenario to the bank, and compares what comes back.

use super::report::{L2Counters, L2Report, L2Row, LockRow};
use super::schema::{L2Scenario, OpName, Step};
use crate::bus::MemoryTiming;
use crate::bytes::Bytes;
use crate::compnet::access::{LockEnd, Op, Request, Response, line_of};
use crate::compnet::{Bank, LockLimits, RtlBank};
use crate::scenario::values::Cycles;
use crate::watch::{Progress, Watch};
use xtq_engine::{Engine, Result};

/// Cycles that a bank runs on after its last answer, so that a waveform shows what it does then.
const REST: u64 = 16;

/// A scenario on a bank, ready to run.
pub struct L2Run {
    scenario: L2Scenario,
    bank: RtlBank,
    /// Cycle of the first step's clock: the reset is over.
    start: u64,
    rows: Vec<L2Row>,
    locks: Vec<LockRow>,
    watch: Watch,
}

/// What an entry of the bank is offered next.
#[derive(Default)]
struct Entry {
    /// Steps in order.
    waiting: std::collections::VecDeque<usize>,
    /// The step that is offered.
    offered: Option<usize>,
}

impl L2Run {
    /// The scenario on the block `l2_bank`, which this engine runs. Errors: of the engine.
    pub fn new(scenario: L2Scenario, engine: Box<dyn Engine>) -> Result<Self> {
        let Cycles { least, most } = scenario.memory_latency;
        let timing = MemoryTiming {
            read_latency: least..=most,
            write_latency: least..=most,
            ..MemoryTiming::ideal()
        };
        let limits = LockLimits {
            watchdog_cycles: scenario.watchdog_cycles,
            ways: scenario.locked_ways,
            cp_ways: 0,
        };
        let mut bank = RtlBank::on(engine, timing, limits)?;
        for contents in &scenario.memory {
            let memory = bank.memory().memory_mut(0);
            memory.write(contents.address, &contents.bytes.0);
        }
        let rows = scenario
            .steps
            .iter()
            .enumerate()
            .map(|(number, step)| L2Row::new(number, step));
        Ok(Self {
            start: bank.cycle_count(),
            rows: rows.collect(),
            locks: Vec::new(),
            watch: Watch::default(),
            scenario,
            bank,
        })
    }

    /// The engine, for waveforms.
    pub fn engine(&mut self) -> &mut dyn Engine {
        self.bank.engine()
    }

    /// From now on `progress` sees every cycle, and can end the run.
    pub fn watch(&mut self, progress: Progress) {
        self.watch.set(progress);
    }

    /// Plays all steps, and reports.
    pub fn finish(&mut self) -> L2Report {
        let failure = self.play().err().unwrap_or_default();
        let mut differences = self.differences();
        if !failure.is_empty() {
            differences.clear();
        }
        L2Report {
            title: self.scenario.title.clone(),
            engine: self.bank.engine().name().to_owned(),
            passed: failure.is_empty() && differences.is_empty(),
            failure,
            interrupted: self.watch.has_ended(),
            differences,
            steps: self.rows.clone(),
            locks: self.locks.clone(),
            counters: self.counters(),
            cycles: self.bank.cycle_count() - self.start,
        }
    }

    fn play(&mut self) -> std::result::Result<(), String> {
        let mut entries = [Entry::default(), Entry::default()];
        for (number, step) in self.scenario.steps.iter().enumerate() {
            entries[usize::from(step.op == OpName::RmwWrite)]
                .waiting
                .push_back(number);
        }
        let wanted_locks = self.scenario.locks.as_ref().map_or(0, Vec::len);
        let mut rest = REST;
        for cycle in 0..self.scenario.max_cycles {
            for (op, entry) in [Op::Load, Op::RmwWrite].into_iter().zip(&mut entries) {
                self.offer(cycle, op, entry);
            }
            let next = self.watch.check(self.bank.cycle_count());
            next.map_err(|ended| ended.to_string())?;
            let response = self.bank.cycle().map_err(|error| error.to_string())?;
            if let Some(response) = response {
                self.answered(cycle, &response);
            }
            for (op, entry) in [Op::Load, Op::RmwWrite].into_iter().zip(&mut entries) {
                if let Some(number) = entry.offered.filter(|_| self.bank.has_room(op)) {
                    self.rows[number].taken = Some(cycle);
                    entry.offered = None;
                }
            }
            let ends = self.bank.take_lock_ends();
            self.locks
                .extend(ends.iter().map(|(_, end)| LockRow::new(cycle, end)));
            let done = self.rows.iter().all(|row| row.answered.is_some())
                && self.locks.len() >= wanted_locks
                && self.bank.is_idle();
            rest = if done { rest - 1 } else { REST };
            if rest == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Offers the next step of an entry, if its cycle has come.
    fn offer(&mut self, cycle: u64, op: Op, entry: &mut Entry) {
        let Some(number) = entry.waiting.front().copied() else {
            return;
        };
        let step = &self.scenario.steps[number];
        if step.cycle <= cycle && self.bank.has_room(op) {
            self.bank.submit(request(number, step));
            entry.waiting.pop_front();
            entry.offered = Some(number);
        }
    }

    fn answered(&mut self, cycle: u64, response: &Response) {
        let Some(step) = self.scenario.steps.get(usize::from(response.tag)) else {
            return;
        };
        let row = &mut self.rows[usize::from(response.tag)];
        let first = (step.address % response.data.len() as u64) as usize;
        let length = match &step.expect.data {
            Some(data) => data.0.len(),
            None => 8.min(response.data.len() - first),
        };
        row.answered = Some(cycle);
        row.hit = Some(response.hit);
        row.uncached = Some(response.uncached);
        row.status = Some(response.status.into());
        row.data = hex::encode(&response.data[first..first + length]);
    }

    fn counters(&self) -> L2Counters {
        let counts = self.bank.counts();
        L2Counters {
            locked_lines: counts.locked_lines,
            lock_overflows: counts.lock_overflows,
            dropped_locks: counts.dropped_locks,
            watchdog_drops: counts.watchdog_drops,
            cp_hits: counts.cp[0],
            cp_misses: counts.cp[1],
            cu_hits: counts.cu[0],
            cu_misses: counts.cu[1],
        }
    }

    /// What is not as the file expects.
    fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (step, row) in self.scenario.steps.iter().zip(&self.rows) {
            let differences = self.step_differences(step, row);
            found.extend(
                differences
                    .into_iter()
                    .map(|what| format!("step {}: {what}", row.name)),
            );
        }
        if let Some(expected) = &self.scenario.locks {
            if expected.len() != self.locks.len() {
                found.push(format!(
                    "{} locks ended, expected {}",
                    self.locks.len(),
                    expected.len()
                ));
            }
            for (number, (want, have)) in expected.iter().zip(&self.locks).enumerate() {
                let same = (line_of(want.address), want.cause, want.rmw)
                    == (have.line, have.cause, have.rmw);
                if !same || want.cycles.is_some_and(|range| !holds(range, have.cycles)) {
                    found.push(format!("lock {number}: {have:?}, expected {want:?}"));
                }
            }
        }
        let (wanted, counts) = (&self.scenario.counters, self.counters());
        for (name, want, have) in [
            ("locked_lines", wanted.locked_lines, counts.locked_lines),
            (
                "lock_overflows",
                wanted.lock_overflows,
                counts.lock_overflows,
            ),
            ("dropped_locks", wanted.dropped_locks, counts.dropped_locks),
            (
                "watchdog_drops",
                wanted.watchdog_drops,
                counts.watchdog_drops,
            ),
            ("cp_hits", wanted.cp_hits, counts.cp_hits),
            ("cp_misses", wanted.cp_misses, counts.cp_misses),
            ("cu_hits", wanted.cu_hits, counts.cu_hits),
            ("cu_misses", wanted.cu_misses, counts.cu_misses),
        ] {
            if want.is_some_and(|want| want != have) {
                found.push(format!("{name} is {have}, expected {}", want.unwrap_or(0)));
            }
        }
        found
    }

    fn step_differences(&self, step: &Step, row: &L2Row) -> Vec<String> {
        let Some(answered) = row.answered else {
            return vec![format!(
                "not answered within {} cycles",
                self.scenario.max_cycles
            )];
        };
        let mut found = Vec::new();
        let mut differ = |what: &str, have: String, want: String| {
            if have != want {
                found.push(format!("{what} is {have}, expected {want}"));
            }
        };
        let expect = &step.expect;
        let text = |value: Option<bool>| value.map_or("-".to_owned(), |value| value.to_string());
        if expect.hit.is_some() {
            differ("hit", text(row.hit), text(expect.hit));
        }
        if expect.uncached.is_some() {
            differ("uncached", text(row.uncached), text(expect.uncached));
        }
        differ(
            "status",
            format!("{:?}", row.status.unwrap_or_default()),
            format!("{:?}", expect.status),
        );
        if let Some(data) = &expect.data {
            differ("data", row.data.clone(), hex::encode(&data.0));
        }
        let cycles = answered - row.taken.unwrap_or(answered);
        if let Some(range) = expect.cycles
            && !holds(range, cycles)
        {
            found.push(format!(
                "answered after {cycles} cycles, expected {} to {}",
                range.least, range.most
            ));
        }
        if let Some(after) = &expect.after {
            let other = self.rows.iter().find(|row| row.name == *after);
            if other.is_none_or(|other| other.answered.is_none_or(|other| other >= answered)) {
                found.push(format!("answered in cycle {answered}, not after {after}"));
            }
        }
        found
    }
}

fn holds(range: Cycles, cycles: u64) -> bool {
    (u64::from(range.least)..=u64::from(range.most)).contains(&cycles)
}

/// The operand of an atomic stands in the word's own lanes, as the bytes of a store do.
fn request(number: usize, step: &Step) -> Request {
    let tag = number as u8;
    Request {
        wide: step.data.0.len() != 4,
        compare: step.compare,
        ..Request::store(step.requester.0, tag, step.address, &step.data.0).with(step.op.into())
    }
}

impl LockRow {
    fn new(cycle: u64, end: &LockEnd) -> Self {
        Self {
            cycle,
            line: end.line,
            cause: end.cause.into(),
            rmw: end.rmw,
            owner: end.owner,
            cycles: end.age,
        }
    }
}
