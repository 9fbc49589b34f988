//! The recording: a CSV file with a row for each accumulate.

use std::collections::BTreeSet;
use std::path::Path;
use xtq_testbench::input::utf8;

/// The sample that is built in: every nineteenth accumulate of the recording, in the order of time.
const BUILT_IN: &str = include_str!("../../../../../scenarios/experiments/xtq-nwchem.csv");
/// First line of a file.
const HEAD: &str = "rank,target,bytes";
/// Largest accumulate, and most ranks.
const MOST_BYTES: u64 = 1 << 20;
const MOST_RANKS: usize = 64;

/// An accumulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accumulate {
    /// Who does it.
    pub rank: usize,
    /// To whose memory.
    pub target: usize,
    /// Bytes that it adds.
    pub bytes: u64,
}

/// Reads a file, or what is built in if there is no name; at most so many accumulates. Errors: it cannot be read; a
/// line that is none, with its number; there are none.
pub fn read(file: &str, most: usize) -> Result<Vec<Accumulate>, String> {
    let text = match file {
        "" => BUILT_IN.to_owned(),
        file => utf8::read(Path::new(file)).map_err(|error| format!("{file}: {error}"))?,
    };
    let name = if file.is_empty() {
        "the built-in trace"
    } else {
        file
    };
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return Err(format!("{name}:1: the first line is not '{HEAD}'"));
    }
    let mut accumulates = Vec::new();
    for (number, line) in (2..).zip(lines).take(most) {
        let parsed = parse(line);
        accumulates.push(parsed.map_err(|why| format!("{name}:{number}: {why}"))?);
    }
    match accumulates.is_empty() {
        true => Err(format!("{name}: there is no accumulate")),
        false => Ok(accumulates),
    }
}

fn parse(line: &str) -> Result<Accumulate, String> {
    let mut fields = line.split(',').map(|field| {
        let number = field.trim().parse::<u64>();
        number.map_err(|error| format!("'{field}': {error}"))
    });
    let mut next = |name: &str| fields.next().unwrap_or_else(|| Err(format!("no {name}")));
    let (rank, target, bytes) = (next("rank")?, next("target")?, next("bytes")?);
    if fields.next().is_some() {
        return Err("more than three fields".to_owned());
    }
    let most = MOST_RANKS as u64;
    if rank >= most || target >= most {
        return Err(format!("a rank that is not below {MOST_RANKS}"));
    }
    if !(1..=MOST_BYTES).contains(&bytes) {
        return Err(format!("{bytes} bytes: not from 1 to {MOST_BYTES}"));
    }
    Ok(Accumulate {
        rank: rank as usize,
        target: target as usize,
        bytes,
    })
}

/// How many ranks there are: one more than the largest number, at least two.
pub fn ranks(accumulates: &[Accumulate]) -> usize {
    let named = accumulates.iter().flat_map(|one| [one.rank, one.target]);
    let named: BTreeSet<usize> = named.collect();
    named.last().map_or(2, |last| (last + 1).max(2))
}
