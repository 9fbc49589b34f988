//! Binary GOAL, as LogGOPSim and its successors read it: the same graph as [GOAL text](crate::goal), into which it is
//! turned here.
//!
//! Little endian and packed: `u64` 4223, `u32` ranks, `u8` processors, `u8` interfaces, and for each rank where its
//! part begins and ends (`u64` each, from byte 8 on). A part: `u32` tasks, `u32` roots, the roots, the tasks (39 bytes
//! each, or 38 without the interface), and the appendix, `u32` each, in which tasks have the numbers of those that
//! depend on them.

use crate::order::in_order;
use std::fmt::Write;
use thiserror::Error;

/// What every file begins with.
const MAGIC: u64 = 4223;

/// Most ranks, as of the text.
const MOST_RANKS: u64 = 65_536;

/// Where parts are counted from.
const BASE: u64 = 8;

/// Any tag, or any source.
const ANY: u64 = u32::MAX as u64;

/// What a task of a file names; the file does not say which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Its processor and its interface: 39 bytes.
    #[default]
    WithInterface,
    /// Its processor: 38 bytes.
    WithoutInterface,
}

impl Layout {
    /// Bytes of a task.
    fn bytes(self) -> u64 {
        match self {
            Self::WithInterface => 39,
            Self::WithoutInterface => 38,
        }
    }
}

/// What is wrong with a binary file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("byte {byte}: {what}")]
pub struct BinaryError {
    /// The byte, from 0.
    pub byte: u64,
    /// What is wrong there.
    pub what: String,
}

/// Whether a file is binary GOAL.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// The same graph as text, its tasks in an order in which each stands after those it requires. Errors: the file ends
/// too early, has numbers that cannot be, parts that are one, or tasks that require each other in a circle.
pub fn text(bytes: &[u8], layout: Layout) -> Result<String, BinaryError> {
    let mut file = Reader { bytes, at: 0 };
    if file.number(8)? != MAGIC {
        return Err(file.fault(0, "it does not begin with 4223"));
    }
    let ranks = file.number(4)?;
    if ranks == 0 || ranks > MOST_RANKS {
        return Err(file.fault(8, format!("{ranks} ranks are not from 1 to {MOST_RANKS}")));
    }
    let (_processors, _interfaces) = (file.number(1)?, file.number(1)?);
    let mut text = format!("num_ranks {ranks}\n");
    let mut left = bytes.len() as u64;
    for rank in 0..ranks {
        let (from, end) = (file.number(8)?, file.number(8)?);
        let (from, end) = (from.saturating_add(BASE), end.saturating_add(BASE));
        if from > end || end > bytes.len() as u64 {
            let what = format!(
                "rank {rank} has bytes {from} to {end}, the file {}",
                bytes.len()
            );
            return Err(file.fault(file.at, what));
        }
        left = left.checked_sub(end - from).ok_or_else(|| {
            let what = format!("the parts up to rank {rank} are longer than the file");
            file.fault(file.at, what)
        })?;
        let mut part = Reader {
            bytes: &bytes[..end as usize],
            at: from,
        };
        let _ = writeln!(text, "rank {rank} {{");
        put_rank(&mut text, &mut part, layout)?;
        text.push_str("}\n");
    }
    Ok(text)
}

/// A task as it is written.
#[derive(Default)]
struct Task {
    /// Send, receive or calc, as text.
    what: String,
    /// What it requires, and what only must have started.
    requires: Vec<usize>,
    starts_after: Vec<usize>,
}

fn put_rank(text: &mut String, part: &mut Reader, layout: Layout) -> Result<(), BinaryError> {
    let (count, roots) = (part.number(4)?, part.number(4)?);
    let first = part.at.saturating_add(roots.saturating_mul(4));
    let appendix = first.saturating_add(count.saturating_mul(layout.bytes()));
    if appendix > part.bytes.len() as u64 {
        return Err(part.fault(
            part.at,
            format!("{count} tasks and {roots} roots are too many"),
        ));
    }
    part.at = first;
    // Each number of the appendix is of one task.
    let mut left = (part.bytes.len() as u64 - appendix) / 4;
    let mut tasks: Vec<Task> = (0..count).map(|_| Task::default()).collect();
    for number in 0..tasks.len() {
        let at = part.at;
        let _waits = part.number(4)?;
        let (kind, peer, size, tag) = (
            part.number(1)?,
            part.number(4)?,
            part.number(8)?,
            part.number(4)?,
        );
        let _processor = part.number(1)?;
        if layout == Layout::WithInterface {
            let _interface = part.number(1)?;
        }
        let or_any = |number: u64| {
            if number == ANY {
                "-1".to_owned()
            } else {
                number.to_string()
            }
        };
        tasks[number].what = match kind {
            1 => format!("send {size}b to {peer} tag {tag}"),
            2 => format!("recv {size}b from {} tag {}", or_any(peer), or_any(tag)),
            3 => format!("calc {size}"),
            other => {
                return Err(part.fault(
                    at + 4,
                    format!("{other} is not 1 (send), 2 (recv) or 3 (calc)"),
                ));
            }
        };
        for starts in [false, true] {
            let (dependents, place) = (part.number(4)?, part.number(4)?);
            left = left.checked_sub(dependents).ok_or_else(|| {
                part.fault(
                    at,
                    format!("task {number} has more dependents than there are"),
                )
            })?;
            let mut list = Reader {
                bytes: part.bytes,
                at: appendix.saturating_add(place.saturating_mul(4)),
            };
            for _ in 0..dependents {
                let at = list.at;
                let dependent = list.number(4)? as usize;
                let Some(task) = tasks.get_mut(dependent) else {
                    return Err(list.fault(at, format!("there is no task {dependent} of {count}")));
                };
                match starts {
                    true => task.starts_after.push(number),
                    false => task.requires.push(number),
                }
            }
        }
    }
    put_tasks(text, &tasks).map_err(|stuck| {
        part.fault(
            first + layout.bytes() * stuck as u64,
            format!("task {stuck} waits for itself"),
        )
    })
}

/// Writes tasks in order. Errors: one that waits for itself.
fn put_tasks(text: &mut String, tasks: &[Task]) -> Result<(), usize> {
    let before: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| [&task.requires[..], &task.starts_after[..]].concat())
        .collect();
    for number in in_order(&before)? {
        let task = &tasks[number];
        let _ = writeln!(text, "t{number}: {}", task.what);
        for earlier in &task.requires {
            let _ = writeln!(text, "t{number} requires t{earlier}");
        }
        for earlier in &task.starts_after {
            let _ = writeln!(text, "t{number} irequires t{earlier}");
        }
    }
    Ok(())
}

/// Reads numbers one after the other.
struct Reader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl Reader<'_> {
    /// A number of so many bytes, at most 8. Errors: the bytes end before.
    fn number(&mut self, bytes: u64) -> Result<u64, BinaryError> {
        let end = self.at.saturating_add(bytes);
        let found = usize::try_from(self.at).ok().zip(usize::try_from(end).ok());
        let found = found.and_then(|(from, end)| self.bytes.get(from..end));
        let Some(found) = found else {
            return Err(self.fault(self.at, "the file, or the part of the rank, ends here"));
        };
        self.at = end;
        let shifted = found
            .iter()
            .enumerate()
            .map(|(place, byte)| u64::from(*byte) << (8 * place));
        Ok(shifted.sum())
    }

    fn fault(&self, byte: u64, what: impl Into<String>) -> BinaryError {
        BinaryError {
            byte,
            what: what.into(),
        }
    }
}
