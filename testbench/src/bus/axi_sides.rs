//! The two sides of an [`AxiMemory`](super::AxiMemory): the ready signals of its requests, its responses and their
//! pauses, and the share of the cycles in which a beat may move.

use xtq_engine::{Engine, Result};

use super::channel_names::AxiNames;
use super::gaps::Ready;
use super::memory_config::MemoryTiming;
use super::memory_reads::ReadBeat;
use super::memory_writes::Answer;
use super::{Gaps, WordSource};
use crate::saved::saved;

/// Fields of a response; those without a pin are left out.
const ANSWER_FIELDS: [&str; 3] = ["resp", "id", "user"];
const READ_FIELDS: [&str; 5] = ["resp", "id", "user", "last", "data"];

/// A response channel with its pauses.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) source: WordSource,
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
    pub(super) fn is_free(&mut self) -> bool {
        self.source.waiting() == 0 && !self.gaps.pause()
    }

    fn push(&mut self, value: impl Fn(&str) -> Vec<u64>) {
        let words: Vec<u64> = self.fields.iter().flat_map(|field| value(field)).collect();
        self.source.push(&words);
    }
}

/// A share of the cycles: `beats` in `cycles`.
#[derive(Clone, Debug)]
pub(super) struct Credit {
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

    pub(super) fn tick(&mut self) {
        self.saved = (self.saved + self.beats).min(self.most());
    }

    pub(super) fn allows(&self) -> bool {
        self.saved >= self.cycles
    }

    pub(super) fn spend(&mut self) {
        self.saved -= self.cycles;
    }

    fn most(&self) -> i64 {
        self.cycles + (self.beats - 1).max(0)
    }

    /// Whether more cycles change it.
    fn is_filling(&self) -> bool {
        self.saved < self.most() && (self.cycles > 1 || self.saved < 0)
    }
}

/// Requests to write, and their answers.
#[derive(Clone, Debug)]
pub(super) struct WriteSide {
    pub(super) aw: Ready,
    pub(super) w: Ready,
    pub(super) b: Response,
    pub(super) credit: Credit,
}

saved!(WriteSide { aw, w, b, credit });

impl WriteSide {
    /// The write channels of a port. Errors: a pin is missing.
    pub(super) fn find(
        engine: &dyn Engine,
        names: &AxiNames,
        timing: &MemoryTiming,
        gaps: &mut impl FnMut(f64) -> Gaps,
    ) -> Result<Self> {
        let stalls = timing.stalls;
        Ok(Self {
            aw: Ready::new(engine, &names.pin("aw", "ready"), gaps(stalls.aw))?,
            w: Ready::new(engine, &names.pin("w", "ready"), gaps(stalls.w))?,
            b: Response::find(engine, names, "b", &ANSWER_FIELDS, gaps(stalls.b))?,
            credit: Credit::new(timing.bandwidth),
        })
    }

    /// Whether it may do something in the next cycle that nobody asks for.
    pub(super) fn is_busy(&self) -> bool {
        self.b.source.waiting() > 0 || self.credit.is_filling()
    }

    /// Gives an answer to the channel B.
    pub(super) fn push(&mut self, answer: &Answer) {
        self.b.push(|field| answer_field(answer, field));
    }
}

/// Requests to read, and the data.
#[derive(Clone, Debug)]
pub(super) struct ReadSide {
    pub(super) ar: Ready,
    pub(super) r: Response,
    pub(super) credit: Credit,
}

saved!(ReadSide { ar, r, credit });

impl ReadSide {
    /// The read channels of a port. Errors: a pin is missing.
    pub(super) fn find(
        engine: &dyn Engine,
        names: &AxiNames,
        timing: &MemoryTiming,
        gaps: &mut impl FnMut(f64) -> Gaps,
    ) -> Result<Self> {
        let stalls = timing.stalls;
        Ok(Self {
            ar: Ready::new(engine, &names.pin("ar", "ready"), gaps(stalls.ar))?,
            r: Response::find(engine, names, "r", &READ_FIELDS, gaps(stalls.r))?,
            credit: Credit::new(timing.bandwidth),
        })
    }

    /// Whether it may do something in the next cycle that nobody asks for.
    pub(super) fn is_busy(&self) -> bool {
        self.r.source.waiting() > 0 || self.credit.is_filling()
    }

    /// Gives a beat to the channel R.
    pub(super) fn push(&mut self, beat: &ReadBeat) {
        self.r.push(|field| read_field(beat, field));
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
