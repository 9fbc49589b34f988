//! Readers of the formats, each line by line.

mod allprof;
mod csv;
mod dumpi;
mod names;

pub(crate) use allprof::Allprof;
pub(crate) use csv::Csv;
pub(crate) use dumpi::Dumpi;

use crate::call::{Call, Format, LeftOut, MOST_RANKS, Op, Place};
use std::collections::BTreeMap;
use std::str::FromStr;

/// A reader of one file.
pub(crate) trait Lines {
    /// Its format.
    fn format(&self) -> Format;
    /// The rank of the file, or of the last line.
    fn rank(&self) -> Option<u32>;
    /// Reads a line that is not empty. Errors: what is wrong with it.
    fn line(&mut self, line: &str, sink: &mut Sink) -> Result<(), String>;
    /// The file ends here. Errors: something is not complete.
    fn end(&mut self, sink: &mut Sink) -> Result<(), String>;
}

/// What the readers have found.
#[derive(Default)]
pub(crate) struct Sink {
    /// Where the line stands that is being read.
    pub(crate) place: Place,
    pub(crate) calls: Vec<Call>,
    pub(crate) highest: Option<u32>,
    pub(crate) others: BTreeMap<String, u64>,
    pub(crate) left_out: BTreeMap<LeftOut, u64>,
}

impl Sink {
    pub(crate) fn call(&mut self, time_ns: u64, rank: u32, op: Op) {
        self.name(rank);
        match op {
            Op::Send(message) => self.name(message.to),
            Op::Receive(receive) => receive.from.into_iter().for_each(|from| self.name(from)),
            Op::Wait(_) | Op::Collective(..) | Op::OneSided(..) => {}
        }
        let place = self.place;
        self.calls.push(Call {
            time_ns,
            rank,
            op,
            place,
        });
    }

    pub(crate) fn leave_out(&mut self, why: LeftOut) {
        *self.left_out.entry(why).or_default() += 1;
    }

    pub(crate) fn other(&mut self, name: &str) {
        *self.others.entry(name.into()).or_default() += 1;
    }

    /// A rank that exists.
    pub(crate) fn name(&mut self, rank: u32) {
        self.highest = self.highest.max(Some(rank));
    }
}

/// The format whose first line that is not empty this is.
pub(crate) fn detect(line: &str) -> Option<Format> {
    if line.starts_with("version=") || line.contains(" entering at walltime ") {
        return Some(Format::Dumpi);
    }
    if line.starts_with('#') || line.starts_with("MPI_") && line.contains(':') {
        return Some(Format::Allprof);
    }
    (line.split(',').count() == csv::COLUMNS.len()).then_some(Format::Csv)
}

/// A number of a field. Errors: what the field is, and what stands there.
pub(crate) fn number<T: FromStr>(what: &str, text: &str) -> Result<T, String> {
    let text = text.trim();
    text.parse()
        .map_err(|_| format!("{what} is {:?}, not a number that can be", shortened(text)))
}

/// A rank. Errors: it is none.
pub(crate) fn rank(what: &str, value: i64) -> Result<u32, String> {
    let rank = u32::try_from(value).ok();
    rank.filter(|rank| *rank < MOST_RANKS)
        .ok_or_else(|| format!("{what} {value}: ranks go from 0 to {}", MOST_RANKS - 1))
}

/// The other rank of a message; negative ones are MPI_PROC_NULL (`None`).
pub(crate) fn peer(what: &str, value: i64) -> Result<Option<u32>, String> {
    if value < 0 {
        return Ok(None);
    }
    rank(what, value).map(Some)
}

/// The beginning of a text that may be long.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
