//! `AxiMemory`: a memory behind an AXI4 master port of the design.
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

use super::channel_names::AxiNames;
use super::gaps::{Ready, SEED_STEP};
use super::memory_config::{Access, Fault, FaultMap, MemoryTiming, WatchedWrite, WriteRecord};
use super::memory_reads::{ReadBeat, Reads};
use super::memory_writes::{Answer, Applied, Writes, runs};
use super::{AxiChecker, Gaps, Model, Violation, WordSource};
use crate::bytes::SparseMemory;
use crate::saved::saved;

/// Fields of a response; those without a pin are left out.
const ANSWER_FIELDS: [&str; 3] = ["resp", "id", "user"];
const READ_FIELDS: [&str; 5] = ["resp", "id", "user", "last", "data"];

/// A response channel with its pauses.
#[derive(Clone, Debug)]
struct Response {
    source: WordSource,
    fields: Vec<&'static str>,
    gaps: Gaps,
}

saved!(Response { source, gaps; keeps fields });

impl Response {
    fn find(
        engine: &dyn Engine,
        names: &AxiNames,
        channel: &str,
        fields: &[&'static str],
        gaps: Gaps,
    ) -> Result<Self> {
        let fields = names.present(engine, channel, fields);
        let mut source = names
            .channel(channel, &fields)
            .source(engine, gaps.without_pauses())?;
        source.keep(false);
        Ok(Self {
            source,
            fields,
            gaps,
        })
    }

    /// Whether the channel can take another response in this cycle.
    fn is_free(&mut self) -> bool {
        self.source.waiting() == 0 && !self.gaps.pause()
    }

    fn push(&mut self, value: impl Fn(&str) -> Vec<u64>) {
        let words: Vec<u64> = self.fields.iter().flat_map(|field| value(field)).collect();
        self.source.push(&words);
    }
}

/// A share of the cycles: `beats` in `cycles`.
#[derive(Clone, Debug)]
struct Credit {
    beats: i64,
    cycles: i64,
    /// Below zero if reads and writes share it and both took a beat in one cycle.
    saved: i64,
}

saved!(Credit { saved; keeps beats, cycles });

impl Credit {
    fn new((beats, cycles): (u32, u32)) -> Self {
        let cycles = i64::from(cycles.max(1));
        Self {
            beats: i64::from(beats).min(cycles),
            cycles,
            saved: 0,
        }
    }

    fn tick(&mut self) {
        self.saved = (self.saved + self.beats).min(self.most());
    }

    fn allows(&self) -> bool {
        self.saved >= self.cycles
    }

    fn spend(&mut self) {
        self.saved -= self.cycles;
    }

    fn most(&self) -> i64 {
        self.cycles + (self.beats - 1).max(0)
    }

    /// Whether more cycles change nothing.
    fn is_full(&self) -> bool {
        self.saved == self.most()
    }
}

#[derive(Clone, Debug)]
struct WriteSide {
    aw: Ready,
    w: Ready,
    b: Response,
    credit: Credit,
}

saved!(WriteSide { aw, w, b, credit });

#[derive(Clone, Debug)]
struct ReadSide {
    ar: Ready,
    r: Response,
    credit: Credit,
}

saved!(ReadSide { ar, r, credit });

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
    keeps timing
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
        let ready = |channel, gaps| Ready::new(engine, &names.pin(channel, "ready"), gaps);
        let write_side = if checker.channels().can_write() {
            Some(WriteSide {
                aw: ready("aw", gaps(timing.stalls.aw))?,
                w: ready("w", gaps(timing.stalls.w))?,
                b: Response::find(engine, &names, "b", &ANSWER_FIELDS, gaps(timing.stalls.b))?,
                credit: Credit::new(timing.bandwidth),
            })
        } else {
            None
        };
        let read_side = if checker.channels().can_read() {
            Some(ReadSide {
                ar: ready("ar", gaps(timing.stalls.ar))?,
                r: Response::find(engine, &names, "r", &READ_FIELDS, gaps(timing.stalls.r))?,
                credit: Credit::new(timing.bandwidth),
            })
        } else {
            None
        };
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
        let write = self.write_side.as_ref().is_some_and(|side| {
            side.b.source.waiting() > 0 || !side.credit.is_full() && side.credit.cycles > 1
        });
        let read = self.read_side.as_ref().is_some_and(|side| {
            side.r.source.waiting() > 0 || !side.credit.is_full() && side.credit.cycles > 1
        });
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

fn answer_field(answer: &Answer, field: &str) -> Vec<u64> {
    vec![u64::from(match field {
        "id" => answer.id,
        "user" => answer.code,
        _ => answer.resp,
    })]
}

fn read_field(beat: &ReadBeat, field: &str) -> Vec<u64> {
    match field {
        "id" => vec![beat.id.into()],
        "user" => vec![beat.code.into()],
        "last" => vec![beat.last.into()],
        "resp" => vec![beat.resp.into()],
        _ => {
            let words = beat.data.chunks_exact(8);
            words
                .map(|word| {
                    word.iter()
                        .rev()
                        .fold(0, |value, byte| value << 8 | u64::from(*byte))
                })
                .collect()
        }
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
                side.b.push(|field| answer_field(&answer, field));
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
                side.r.push(|field| read_field(&beat, field));
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
