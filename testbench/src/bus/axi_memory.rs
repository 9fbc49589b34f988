//! `AxiMemory`: a memory at an AXI4 master port of the design.
//!
//! It is as unkind as the protocol allows: written data become visible at a random time between the last W and B, each
//! beat at its own. Transactions of different ids overtake each other; a read looks at the memory at a random time
//! between AR and its first R; lanes nobody asked for hold noise. Transactions of one id answer in order, and writes of
//! one id to one 64-byte line become visible in order. Each context has an address space of its own. A read and a write
//! that are under way at the same time are not ordered.
//!
//! The host's side is [`memory`](AxiMemory::memory), which holds what is visible *now*.

use std::ops::RangeInclusive;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use xtq_engine::{Engine, Result};

use super::axi_sides::{ReadSide, WriteSide};
use super::channel_names::AxiNames;
use super::gaps::SEED_STEP;
use super::memory_config::{Access, Fault, FaultMap, MemoryTiming, WatchedWrite, WriteRecord};
use super::memory_reads::Reads;
use super::memory_writes::{Applied, Writes, runs};
use super::{AxiChecker, Gaps, Model, Violation};
use crate::bytes::SparseMemory;
use crate::saved::saved;

/// A memory with its own protocol checker.
#[derive(Clone, Debug)]
pub struct AxiMemory {
    checker: AxiChecker,
    timing: MemoryTiming,
    rng: ChaCha8Rng,
    write_side: Option<WriteSide>,
    read_side: Option<ReadSide>,
    writes: Writes,
    reads: Reads,
    faults: FaultMap,
    /// Visible bytes by context.
    memories: Vec<SparseMemory>,
    /// Reads and writes together have the bandwidth.
    shares: bool,
    watches: Vec<(u8, RangeInclusive<u64>)>,
    watched: Vec<WatchedWrite>,
    log: Vec<WriteRecord>,
    /// Whether the log goes back further than the cycle sampled last.
    keeps: bool,
    /// Beats at the end of the log that were answered in the cycle sampled last.
    fresh: usize,
    /// Something became visible in the last cycle.
    moved: bool,
    /// Lines that became visible since they were taken, with their contexts; `None`: nobody wants to know.
    lines: Option<Vec<(u8, u64)>>,
    /// Whether data may move.
    open: bool,
    /// Data beats so far.
    beats: u64,
}

saved!(AxiMemory {
    checker, rng, writes, reads, faults, memories, watches, watched, log, keeps, fresh, moved,
    lines, open, beats;
    each write_side, read_side;
    keeps timing, shares
});

impl AxiMemory {
    /// A memory for the port with this prefix, which may lack the write or the read channels. Errors: a pin is missing
    /// or has a wrong width or direction.
    pub fn new(engine: &dyn Engine, prefix: &str, timing: MemoryTiming) -> Result<Self> {
        let checker = AxiChecker::new(engine, prefix)?;
        let names = AxiNames::find(engine, prefix);
        let mut seed = timing.seed;
        let mut gaps = |probability| {
            seed = seed.wrapping_add(SEED_STEP);
            Gaps::random(probability, seed)
        };
        let channels = checker.channels();
        let write_side = channels
            .can_write()
            .then(|| WriteSide::find(engine, &names, &timing, &mut gaps))
            .transpose()?;
        let read_side = channels
            .can_read()
            .then(|| ReadSide::find(engine, &names, &timing, &mut gaps))
            .transpose()?;
        Ok(Self {
            checker,
            rng: ChaCha8Rng::seed_from_u64(timing.seed),
            timing,
            write_side,
            read_side,
            writes: Writes::default(),
            reads: Reads::default(),
            faults: FaultMap::default(),
            memories: vec![SparseMemory::new(); 256],
            shares: false,
            watches: Vec::new(),
            watched: Vec::new(),
            log: Vec::new(),
            keeps: true,
            fresh: 0,
            moved: false,
            lines: None,
            open: true,
            beats: 0,
        })
    }

    /// The visible bytes of a context.
    pub fn memory(&self, context: u8) -> &SparseMemory {
        &self.memories[usize::from(context)]
    }

    /// The visible bytes of a context, for a host that writes: at once.
    pub fn memory_mut(&mut self, context: u8) -> &mut SparseMemory {
        &mut self.memories[usize::from(context)]
    }

    /// Injects a fault; of several that fit, the one injected first counts.
    pub fn inject(&mut self, fault: Fault) {
        self.inject_after(fault, 0);
    }

    /// Injects a fault that spares the first `spared` bursts it would hit.
    pub fn inject_after(&mut self, fault: Fault, spared: u32) {
        self.faults.faults.push((fault, spared));
    }

    /// Takes all injected faults back.
    pub fn clear_faults(&mut self) {
        self.faults.faults.clear();
    }

    /// Maps addresses of a context (or of all). Once something is mapped, a burst that is not inside one mapped range
    /// gets DECERR with fault code 1.
    pub fn map(&mut self, context: Option<u8>, addresses: RangeInclusive<u64>) {
        self.faults.mapped.push((context, addresses));
    }

    /// Lets every write to these addresses take `cycles` cycles, from its last W to B.
    pub fn slow_writes(&mut self, addresses: RangeInclusive<u64>, cycles: u32) {
        self.writes.slow.push((addresses, cycles));
    }

    /// Lets every write become visible so many cycles after its last W, or when it is answered if that is earlier: the
    /// memory is at the end of a link, and the answer comes back over it.
    pub fn set_way(&mut self, cycles: u64) {
        self.writes.way = Some(cycles);
    }

    /// Lets reads and writes together have the bandwidth of its timing, which else each of them has.
    pub fn share_bandwidth(&mut self) {
        self.shares = true;
    }

    /// Watches addresses of a context, as a doorbell is watched.
    pub fn watch(&mut self, context: u8, addresses: RangeInclusive<u64>) {
        self.watches.push((context, addresses));
    }

    /// The writes to watched addresses that became visible since the last call, in that order.
    pub fn take_watched(&mut self) -> Vec<WatchedWrite> {
        std::mem::take(&mut self.watched)
    }

    /// The beats of all answered writes, in the order of B.
    pub fn log(&self) -> &[WriteRecord] {
        &self.log
    }

    /// Empties the log, for long runs.
    pub fn take_log(&mut self) -> Vec<WriteRecord> {
        std::mem::take(&mut self.log)
    }

    /// Whether the log keeps all that is answered from now on, as it does at first.
    pub fn keep_log(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// The beats that were answered in the cycle sampled last.
    pub fn answered(&self) -> &[WriteRecord] {
        &self.log[self.log.len() - self.fresh.min(self.log.len())..]
    }

    /// Whether bytes became visible in the cycle driven last.
    pub fn has_moved(&self) -> bool {
        self.moved
    }

    /// Whether it takes note from now on of which lines are written.
    pub fn note_lines(&mut self, notes: bool) {
        self.lines = notes.then(Vec::new);
    }

    /// The 64-byte lines of which bytes became visible since the last call, with their contexts, in that order; none if
    /// they are not [noted](Self::note_lines).
    pub fn take_lines(&mut self) -> Vec<(u8, u64)> {
        self.lines.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Whether data may move from now on, as they may at first: what they share a channel with may need all of it.
    pub fn set_open(&mut self, open: bool) {
        self.open = open;
    }

    /// Data beats that have crossed the port, read and written.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// First cycle, from `now` on, in which it may do something that it has not done in the cycle before; `u64::MAX`:
    /// nothing, unless the design asks. A memory that pauses at random may do so in any cycle.
    pub fn next_event(&self, now: u64) -> u64 {
        let stalls = self.timing.stalls;
        let pauses = [stalls.aw, stalls.w, stalls.ar, stalls.b, stalls.r];
        let write = self.write_side.as_ref().is_some_and(WriteSide::is_busy);
        let read = self.read_side.as_ref().is_some_and(ReadSide::is_busy);
        if write || read || pauses.iter().any(|pause| *pause > 0.0) {
            return now;
        }
        let due = self.writes.next_event().min(self.reads.next_event());
        due.max(now)
    }

    /// The checker of the port: counts of handshakes, and the rule for the end of a run.
    pub fn checker(&self) -> &AxiChecker {
        &self.checker
    }

    /// Whether no transaction is under way.
    pub fn is_idle(&self) -> bool {
        self.checker.is_idle() && self.writes.is_empty() && self.reads.is_empty()
    }

    /// Makes visible what is due, and takes note of what happened at watched addresses.
    fn apply(&mut self, cycle: u64) {
        let Applied { records, atomics } = self.writes.apply(cycle, &mut self.memories);
        self.moved = !records.is_empty();
        for result in atomics {
            self.reads
                .accept_atomic(cycle, result, &self.timing, &mut self.rng);
        }
        for record in records {
            if let Some(lines) = &mut self.lines {
                lines.push((record.context, record.line));
            }
            for (address, bytes) in runs(&record) {
                let last = address + (bytes.len() as u64 - 1);
                let hit = self.watches.iter().any(|(context, addresses)| {
                    *context == record.context
                        && *addresses.start() <= last
                        && address <= *addresses.end()
                });
                if hit {
                    self.watched.push(WatchedWrite {
                        cycle,
                        context: record.context,
                        address,
                        data: bytes.to_vec(),
                    });
                }
            }
        }
        self.reads.sample(cycle, &self.memories, &mut self.rng);
    }
}

impl Model for AxiMemory {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        let cycle = engine.cycle();
        self.apply(cycle);
        if let Some(side) = &mut self.write_side {
            side.credit.tick();
            side.aw.drive(engine, true)?;
            side.w.drive(engine, self.open && side.credit.allows())?;
            if side.b.is_free()
                && let Some(answer) = self
                    .writes
                    .answer(cycle, self.timing.reorder, &mut self.rng)
            {
                side.push(&answer);
            }
            side.b.source.drive(engine)?;
        }
        if let Some(side) = &mut self.read_side {
            side.credit.tick();
            side.ar.drive(engine, true)?;
            if self.open
                && side.credit.allows()
                && side.r.is_free()
                && let Some(beat) = self
                    .reads
                    .next_beat(cycle, self.timing.reorder, &mut self.rng)
            {
                side.credit.spend();
                if self.shares
                    && let Some(writes) = &mut self.write_side
                {
                    writes.credit.spend();
                }
                self.beats += 1;
                side.push(&beat);
            }
            side.r.source.drive(engine)?;
        }
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let seen = self.checker.observe(engine, cycle)?;
        self.fresh = 0;
        if !self.keeps {
            self.log.clear();
        }
        if let Some(side) = &mut self.write_side {
            if let Some(address) = seen.aw {
                let failure = self.faults.check(&address, Access::Write);
                self.writes.accept_address(cycle, address, failure);
            }
            if let Some(data) = seen.w {
                side.credit.spend();
                if self.shares
                    && let Some(reads) = &mut self.read_side
                {
                    reads.credit.spend();
                }
                self.beats += 1;
                self.writes.accept_data(cycle, data);
            }
            self.writes.assemble(cycle, &self.timing, &mut self.rng);
            side.b.source.sample(engine, cycle)?;
            if seen.b.is_some() {
                let before = self.log.len();
                self.log.extend(self.writes.answered(cycle));
                self.fresh = self.log.len() - before;
            }
        }
        if let Some(side) = &mut self.read_side {
            if let Some(address) = seen.ar {
                let failure = self.faults.check(&address, Access::Read);
                self.reads
                    .accept(cycle, address, failure, &self.timing, &mut self.rng);
            }
            side.r.source.sample(engine, cycle)?;
        }
        Ok(())
    }
}
