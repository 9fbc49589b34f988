//! A schedule as a scenario that `xtq run` plays (docs/scenario.md): a node and a process for each rank.
//!
//! A process makes counters, descriptors and entries, posts its triggered operations and one that reports the end to
//! it, waits until all is taken, and starts the schedule by counting up one counter. Then its host sleeps, or works,
//! until the end is reported, and looks at its memory. With [`Backend::Host`] the hosts do the same operations
//! themselves.
//!
//! Steps that others measure have names: `begin` (what all wait for before), `start`, and `end`; those of a schedule
//! that is used several times have the number of the use after them from the second on ([`name`]).

mod calls;
mod steps;

use crate::error::GraphError;
use crate::plan::Plan;
use crate::reuse;
use crate::schedule::{Action, Schedule};
use std::fmt::Write;
use steps::Steps;

/// Address of the first byte of a rank's memory.
pub const BASE: u64 = 0x2000_0000;

/// Bytes of memory that are given or compared as one.
const LINE: usize = 64;

/// Who carries out a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The NICs, while the hosts do something else.
    #[default]
    Offloaded,
    /// The hosts, inside calls only: what may start at once in the call that starts, the rest in the call that waits.
    Host,
}

/// When a host makes what its schedule needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posting {
    /// Before the step `begin`.
    #[default]
    Ahead,
    /// After it, so that it is part of what takes time; but for the start barrier, which the communicator has.
    InLoop,
}

/// What hosts do beside giving commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTimes {
    /// Cycles for each command that a host gives after `begin`.
    pub command: u64,
    /// More cycles for each message of [`Backend::Host`]: what a library does to send one.
    pub message: u64,
    /// Cycles of work between start and wait.
    pub work: u64,
}

/// What a scenario has beside the schedule.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Title of the scenario.
    pub title: String,
    /// The table `network`, as TOML inside braces; empty: the default.
    pub network: String,
    /// Memory of all nodes, as TOML; empty: the default.
    pub memory: String,
    /// Most cycles of the run.
    pub max_cycles: u64,
    /// Cycles that each rank starts late, by rank.
    pub late: Vec<u64>,
    /// Who carries it out.
    pub backend: Backend,
    /// When it is posted.
    pub posting: Posting,
    /// How long hosts take.
    pub times: HostTimes,
    /// Cycles between the starts of schedules that are outstanding at once.
    pub apart: u64,
    /// All hosts meet before each use, as in the loop of a benchmark. Without a start barrier they always do.
    pub meet: bool,
    /// How often it is used again after the first time, without being posted in between; only if the plan says that it
    /// can be ([`Plan::again`]).
    pub again: u64,
    /// What hosts do before each use from the second on: by use and rank.
    pub between: Vec<Vec<Between>>,
}

/// What a host does between two uses: places in the memory of its rank, and bytes.
#[derive(Clone, Debug, Default)]
pub struct Between {
    /// What the use before has left.
    pub expects: Vec<(u64, Vec<u8>)>,
    /// What it writes for the next.
    pub writes: Vec<(u64, Vec<u8>)>,
}

/// What the ranks have in memory.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// At the start, by rank.
    pub before: &'a [Vec<u8>],
    /// At the end, by rank: address in the memory, and bytes.
    pub after: &'a [Vec<(u64, Vec<u8>)>],
}

/// A step of use number `number`, from 0.
pub fn name(step: &str, number: u64) -> String {
    match number {
        0 => step.to_owned(),
        number => format!("{step} {}", number + 1),
    }
}

/// The scenario as TOML. Errors: the schedule has tasks of a GPU, whose kernels do nothing in a scenario; hosts shall
/// do what is matched when it runs (figure 6).
pub fn emit(
    schedule: &Schedule,
    plan: &Plan,
    contents: Contents,
    surroundings: &Surroundings,
) -> Result<String, GraphError> {
    if plan.tasks() > 0 {
        return Err(GraphError::NeedsGpu {
            tasks: plan.tasks(),
        });
    }
    let mut triggered = schedule.programs.iter().flat_map(|one| &one.triggered);
    let appends = triggered.any(|one| matches!(one.action, Action::Append { .. }));
    if appends && surroundings.backend == Backend::Host {
        return Err(GraphError::NoHostOrder);
    }
    let again = match surroundings.backend {
        Backend::Host => reuse::is_reusable(schedule),
        Backend::Offloaded => plan.again,
    };
    if surroundings.again > 0 && !again {
        return Err(GraphError::OnlyOnce);
    }
    let counts = reuse::counts(schedule);
    let mut text = String::new();
    let title = surroundings.title.replace(['"', '\\'], " ");
    let _ = writeln!(
        text,
        "title = \"{title}\"\nmax_cycles = {}",
        surroundings.max_cycles
    );
    if !surroundings.network.is_empty() {
        let _ = writeln!(text, "network = {{ {} }}", surroundings.network);
    }
    for (rank, program) in schedule.programs.iter().enumerate() {
        let _ = writeln!(text, "\n[[nodes]]\nname = \"n{rank}\"");
        if !surroundings.memory.is_empty() {
            let _ = writeln!(text, "memory = {}", surroundings.memory);
        }
        let _ = writeln!(
            text,
            "\n[[nodes.processes]]\nname = \"p{rank}\"\ncommands = 1024"
        );
        if let Some(before) = contents.before.get(rank) {
            list(&mut text, "data", data(before));
        }
        let steps = Steps {
            schedule,
            plan,
            program,
            rank,
            counts: &counts[rank],
            surroundings,
        };
        let mut program = steps.program();
        let after = contents.after.get(rank).into_iter().flatten();
        program.extend(memory("expect_memory", after).map(|call| format!("{{ {call} }}")));
        list(&mut text, "program", program);
    }
    Ok(text)
}

fn list(text: &mut String, key: &str, items: Vec<String>) {
    let _ = writeln!(text, "{key} = [");
    for item in items {
        let _ = writeln!(text, "  {item},");
    }
    text.push_str("]\n");
}

/// The lines that are not 0.
fn data(memory: &[u8]) -> Vec<String> {
    let lines = memory.chunks(LINE).enumerate();
    let filled = lines.filter(|(_, line)| line.iter().any(|byte| *byte != 0));
    let datum = filled.map(|(number, line)| {
        let at = BASE + (number * LINE) as u64;
        format!("{{ address = {at:#x}, bytes = \"{}\" }}", hex(line))
    });
    datum.collect()
}

/// Calls that do something with bytes of memory.
fn memory<'a>(
    call: &'a str,
    places: impl IntoIterator<Item = &'a (u64, Vec<u8>)>,
) -> impl Iterator<Item = String> {
    let places = places.into_iter().filter(|(_, bytes)| !bytes.is_empty());
    places.map(move |(at, bytes)| {
        let (address, bytes) = (BASE + at, hex(bytes));
        format!("{call} = {{ address = {address:#x}, bytes = \"{bytes}\" }}")
    })
}

fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
