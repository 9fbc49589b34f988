//! `Checkpoint`: a run of several nodes as a file, from which another process goes on.
//!
//! ```text
//! xtq checkpoint 2                              what it is, and the version of this format
//! {"program":"0.1.0","scenario":"5e...", ...}   the head, in one line of JSON
//! ....                                          states: four bytes of length, LZ4; the run, the network, each node
//! ........                                      a check value over all before
//! ```
//!
//! It holds what changes while cycles run. What does not is built from the scenario again, so a checkpoint goes with
//! the scenario and the program of which it is.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::schema::NodesScenario;
use crate::node::Digest;
use crate::saved::{Damaged, Reader, Writer};

/// Begins the first line of a file; the version of the format follows.
pub const MARK: &str = "xtq checkpoint ";
/// Version of the format.
const FORMAT: u32 = 2;
/// The program's.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the check value, and of a length.
const CHECK: usize = 8;
const LENGTH: usize = 4;
/// LZ4 makes at most so many bytes of one.
const LARGEST_RATIO: usize = 256;

/// Why a run cannot go on from a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The first line is another.
    #[error("it is no checkpoint")]
    NoCheckpoint,
    /// The format has another version.
    #[error("it is a checkpoint of version {0}; this program reads version {FORMAT}")]
    Format(String),
    /// It was written by another version of the program.
    #[error("it is of version {0} of the program; this is version {PROGRAM}")]
    Program(String),
    /// The scenario differs in more than title and `max_cycles`.
    #[error("it is of another scenario, '{title}' with {nodes} nodes")]
    Scenario {
        /// Title of that scenario.
        title: String,
        /// Nodes of that scenario.
        nodes: usize,
    },
    /// The engine keeps its state to itself.
    #[error("the engine cannot save its state")]
    Engine,
    /// The bytes are not those that were written.
    #[error("it is damaged, or of another build of the program")]
    Damaged,
}

impl From<Damaged> for CheckpointError {
    fn from(Damaged: Damaged) -> Self {
        Self::Damaged
    }
}

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the program.
    program: String,
    /// Digest of the scenario, 16 hexadecimal digits.
    scenario: String,
    /// Its title.
    title: String,
    /// Its nodes.
    nodes: usize,
    /// The cycle that comes next.
    pub cycle: u64,
}

impl Head {
    /// That of a run of this scenario.
    pub(super) fn of(scenario: &NodesScenario, cycle: u64) -> Self {
        let NodesScenario {
            title,
            max_cycles: _,
            atomics,
            nic,
            network,
            nodes,
        } = scenario;
        let written = format!("{atomics:?} {nic:?} {network:?} {nodes:?}");
        Self {
            program: PROGRAM.to_owned(),
            scenario: format!("{:016x}", Digest::of_bytes(written.as_bytes())),
            title: title.clone(),
            nodes: nodes.len(),
            cycle,
        }
    }

    /// Errors: a run of `scenario` cannot go on from it.
    pub(super) fn check(&self, scenario: &NodesScenario) -> Result<(), CheckpointError> {
        let wanted = Self::of(scenario, self.cycle);
        if (&self.scenario, self.nodes) == (&wanted.scenario, wanted.nodes) {
            return Ok(());
        }
        Err(CheckpointError::Scenario {
            title: self.title.clone(),
            nodes: self.nodes,
        })
    }
}

/// What a run is besides its nodes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct RunState {
    /// First cycle in which programs run.
    pub(super) began: u64,
}

/// What is done with each checkpoint of a run. Errors: it cannot be kept, in words; the run ends.
pub type Keep = Box<dyn FnMut(&Checkpoint) -> Result<(), String> + Send>;

/// Who keeps the checkpoints of a run.
pub(super) struct Keeper {
    /// Cycles between two, at least 1.
    pub(super) every: u64,
    pub(super) keep: Keep,
}

impl Keeper {
    /// Cycle of the next one after `now`.
    pub(super) fn next(&self, now: u64) -> u64 {
        (now / self.every + 1).saturating_mul(self.every)
    }
}

/// A run at the border of two cycles.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    head: Head,
    /// Of the run, of the network, of each node.
    states: Vec<Vec<u8>>,
}

impl Checkpoint {
    /// Errors: `run` cannot be saved.
    pub(super) fn new(head: Head, run: RunState, cluster: Vec<Vec<u8>>) -> Result<Self, Damaged> {
        let mut writer = Writer::default();
        writer.value(&run);
        let states = std::iter::once(writer.finish()?).chain(cluster).collect();
        Ok(Self { head, states })
    }

    /// What it is of.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How far the run is, and the states of its cluster. Errors: they are damaged.
    pub(super) fn parts(&self) -> Result<(RunState, &[Vec<u8>]), Damaged> {
        let (run, cluster) = self.states.split_first().ok_or(Damaged)?;
        let mut reader = Reader::new(run);
        let run = reader.value()?;
        reader.finish()?;
        Ok((run, cluster))
    }

    /// The file. Errors: a state has more than 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Damaged> {
        let head = serde_json::to_string(&self.head).map_err(|_| Damaged)?;
        let mut bytes = format!("{MARK}{FORMAT}\n{head}\n").into_bytes();
        for state in &self.states {
            let packed = lz4_flex::compress_prepend_size(state);
            let length = u32::try_from(packed.len()).map_err(|_| Damaged)?;
            bytes.extend(length.to_le_bytes());
            bytes.extend(packed);
        }
        bytes.extend(Digest::of_bytes(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads a file. Errors: it is none of this program.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let (first, rest) = line(bytes).ok_or(CheckpointError::NoCheckpoint)?;
        let format = first
            .strip_prefix(MARK)
            .ok_or(CheckpointError::NoCheckpoint)?;
        if format != FORMAT.to_string() {
            return Err(CheckpointError::Format(format.to_owned()));
        }
        let (head, rest) = line(rest).ok_or(Damaged)?;
        let head: Head = serde_json::from_str(head).map_err(|_| Damaged)?;
        if head.program != PROGRAM {
            return Err(CheckpointError::Program(head.program));
        }
        let (all, check) = bytes.split_last_chunk::<CHECK>().ok_or(Damaged)?;
        let mut rest = rest.strip_suffix(check).ok_or(Damaged)?;
        if Digest::of_bytes(all).to_le_bytes() != *check {
            return Err(CheckpointError::Damaged);
        }
        let mut states = Vec::new();
        while let Some((length, after)) = rest.split_first_chunk::<LENGTH>() {
            let length = u32::from_le_bytes(*length) as usize;
            let (packed, after) = after.split_at_checked(length).ok_or(Damaged)?;
            states.push(unpacked(packed)?);
            rest = after;
        }
        match rest {
            [] => Ok(Self { head, states }),
            _ => Err(CheckpointError::Damaged),
        }
    }
}

/// The first line of text, and what comes after it; `None`: no text or no line.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    Some((text, &bytes[end + 1..]))
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, Damaged> {
    let (size, _) = packed.split_first_chunk::<LENGTH>().ok_or(Damaged)?;
    let size = u32::from_le_bytes(*size) as usize;
    match size <= packed.len().saturating_mul(LARGEST_RATIO) {
        true => lz4_flex::decompress_size_prepended(packed).map_err(|_| Damaged),
        false => Err(Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, CheckpointError, Head, RunState};

    fn checkpoint() -> Checkpoint {
        let head = Head {
            program: super::PROGRAM.to_owned(),
            scenario: "0123456789abcdef".to_owned(),
            title: "two\nlines".to_owned(),
            nodes: 2,
            cycle: 77,
        };
        let states = vec![vec![], vec![0; 100_000], (0..=255).collect()];
        Checkpoint::new(head, RunState { began: 5 }, states).unwrap()
    }

    #[test]
    fn a_file_holds_what_was_put_into_it() {
        let written = checkpoint();
        let bytes = written.to_bytes().unwrap();
        assert!(bytes.len() < 2000, "{} bytes", bytes.len());
        let read = Checkpoint::of_bytes(&bytes).unwrap();
        assert_eq!(read.head, written.head);
        let (run, states) = read.parts().unwrap();
        assert_eq!(run.began, 5);
        assert_eq!(states, &written.states[1..]);
    }

    #[test]
    fn no_changed_byte_and_no_missing_end_goes_unnoticed() {
        let bytes = checkpoint().to_bytes().unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(Checkpoint::of_bytes(&changed).is_err(), "byte {place}");
            let cut = Checkpoint::of_bytes(&bytes[..place]);
            assert!(cut.is_err(), "{place} bytes");
        }
    }

    #[test]
    fn another_format_and_another_program_are_named() {
        let text = |first: &str, program: &str| {
            let head = r#"{"program":"P","scenario":"","title":"","nodes":1,"cycle":2}"#;
            format!("{first}\n{}\n", head.replace('P', program)).into_bytes()
        };
        let of = |bytes: Vec<u8>| Checkpoint::of_bytes(&bytes).err();
        let none = CheckpointError::NoCheckpoint;
        assert_eq!(of(text("title = 1", super::PROGRAM)), Some(none));
        let format = CheckpointError::Format("1".to_owned());
        assert_eq!(of(text("xtq checkpoint 1", super::PROGRAM)), Some(format));
        let program = CheckpointError::Program("0.0.9".to_owned());
        assert_eq!(of(text("xtq checkpoint 2", "0.0.9")), Some(program));
    }
}
