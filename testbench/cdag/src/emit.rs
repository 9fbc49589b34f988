//! A schedule as a scenario that `xtq run` plays (docs/scenario.md): a node and a process for each rank.
//!
//! A process makes counters, descriptors and entries, posts its triggered operations and one that tells it of the end,
//! waits until all is taken, and starts the schedule by counting up one counter. Then its host sleeps until the end is
//! told, and looks at its memory. With [`Backend::Host`] the hosts do the same operations themselves, one after the
//! other: each waits for the counter and then gives the command.

use crate::graph::Slice;
use crate::plan::Plan;
use crate::schedule::{Action, Gate, Program, Schedule, Triggered};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Address of the first byte of a rank's memory.
pub const BASE: u64 = 0x2000_0000;

/// Bytes of memory that are given or compared as one.
const LINE: usize = 64;

/// Who carries out a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The NICs, while the hosts sleep.
    #[default]
    Offloaded,
    /// The hosts, each operation in a call.
    Host,
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
}

/// What the ranks have in memory.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// At the start, by rank.
    pub before: &'a [Vec<u8>],
    /// At the end, by rank: address in the memory, and bytes.
    pub after: &'a [Vec<(u64, Vec<u8>)>],
}

/// The scenario as TOML.
pub fn emit(
    schedule: &Schedule,
    plan: &Plan,
    contents: Contents,
    surroundings: &Surroundings,
) -> String {
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
            program,
            rank,
            surroundings,
        };
        let mut program = steps.program(plan);
        let after = contents
            .after
            .get(rank)
            .into_iter()
            .flatten()
            .filter(|(_, bytes)| !bytes.is_empty());
        program.extend(after.map(|(at, bytes)| {
            format!(
                "{{ expect_memory = {{ address = {:#x}, bytes = \"{}\" }} }}",
                BASE + at,
                hex(bytes)
            )
        }));
        list(&mut text, "program", program);
    }
    text
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

fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The steps of a process.
struct Steps<'a> {
    schedule: &'a Schedule,
    program: &'a Program,
    rank: usize,
    surroundings: &'a Surroundings,
}

impl Steps<'_> {
    fn program(&self, plan: &Plan) -> Vec<String> {
        let mut steps = self.objects(true);
        if self.schedule.barrier {
            steps.extend(taken("made"));
            steps.push("{ barrier = { name = \"communicator\" } }".to_owned());
        }
        steps.extend(self.objects(false));
        let host = self.surroundings.backend == Backend::Host;
        let triggered = &self.program.triggered;
        let first = match host {
            true => 0,
            false => plan.first_window(self.rank),
        };
        steps.extend(
            triggered[..first]
                .iter()
                .map(|triggered| self.triggered(triggered)),
        );
        let Gate { counter, threshold } = self.program.done;
        if !host {
            steps.push(format!(
                "{{ name = \"done\", nop = {{}}, completion = true, trigger = {{ ct = \"c{counter}\", threshold = {threshold} }} }}"
            ));
        }
        steps.extend(taken("posted"));
        if !self.schedule.barrier {
            steps.push("{ barrier = { name = \"all have posted\" } }".to_owned());
        }
        if let Some(cycles) = self
            .surroundings
            .late
            .get(self.rank)
            .filter(|cycles| **cycles > 0)
        {
            steps.push(format!("{{ delay = {{ cycles = {cycles} }} }}"));
        }
        let start = self.program.start;
        steps.push(format!(
            "{{ name = \"start\", ptl_ct_inc = {{ ct = \"c{start}\", success = 1 }} }}"
        ));
        if host {
            self.by_hand(&mut steps);
            steps.push(wait(counter, threshold));
        } else {
            self.windows(plan.window, first, &mut steps);
            steps.push("{ wait_event = { kind = \"command\", of = \"done\" } }".to_owned());
        }
        steps
    }

    /// Counters, descriptors and entries; first those that schedules share.
    fn objects(&self, early: bool) -> Vec<String> {
        let length = self.schedule.memory[self.rank];
        let mut steps = Vec::new();
        if early {
            steps.push("{ ptl_pt_alloc = { pt = \"lists\" } }".to_owned());
            let counters = 0..self.program.counters;
            steps.extend(
                counters.map(|counter| format!("{{ ptl_ct_alloc = {{ ct = \"c{counter}\" }} }}")),
            );
            for (number, descriptor) in self.program.descriptors.iter().enumerate() {
                let what = if descriptor.replies {
                    "ct_reply"
                } else {
                    "ct_send"
                };
                let counts = descriptor.counter.map_or(String::new(), |counter| {
                    format!(", ct = \"c{counter}\", options = [\"{what}\"]")
                });
                steps.push(format!(
                    "{{ ptl_md_bind = {{ md = \"m{number}\", start = {BASE:#x}, length = {length}{counts} }} }}"
                ));
            }
        }
        for (number, entry) in self
            .program
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.early == early)
        {
            let counts = entry
                .counter
                .map_or(String::new(), |counter| format!(", ct = \"c{counter}\""));
            let gives = if entry.gives { ", \"op_get\"" } else { "" };
            let once = if entry.once { ", \"use_once\"" } else { "" };
            let count = if entry.counter.is_some() {
                ", \"ct_comm\""
            } else {
                ""
            };
            steps.push(format!(
                "{{ ptl_me_append = {{ me = \"e{number}\", pt = \"lists\", start = {BASE:#x}, length = {length}, match_bits = {:#x}{counts}, options = [\"op_put\"{gives}{count}{once}, \"comm_disable\", \"link_disable\", \"unlink_disable\"] }} }}",
                entry.bits
            ));
        }
        steps
    }

    fn triggered(&self, triggered: &Triggered) -> String {
        let Gate { counter, threshold } = triggered.gate;
        let call = self.call(triggered.action);
        format!("{{ {call}, trigger = {{ ct = \"c{counter}\", threshold = {threshold} }} }}")
    }

    fn call(&self, action: Action) -> String {
        match action {
            Action::Count { counter } => {
                format!("ptl_ct_inc = {{ ct = \"c{counter}\", success = 1 }}")
            }
            Action::Get {
                descriptor,
                into,
                target,
                bits,
                at,
            } => message("ptl_get", descriptor, into, target, bits, at, ""),
            Action::Send {
                descriptor,
                from,
                target,
                bits,
                at,
                arithmetic: None,
            } => message("ptl_put", descriptor, from, target, bits, at, ""),
            Action::Send {
                descriptor,
                from,
                target,
                bits,
                at,
                arithmetic: Some((operation, datatype)),
            } => {
                let (operation, datatype) = (operation.name(), datatype.name());
                let more = format!(", operation = \"{operation}\", datatype = \"{datatype}\"");
                message("ptl_atomic", descriptor, from, target, bits, at, &more)
            }
        }
    }

    /// What does not fit is posted when everything before it has been done.
    fn windows(&self, window: usize, first: usize, steps: &mut Vec<String>) {
        let mut before = &self.program.triggered[..first];
        for posted in self.program.triggered[first..].chunks(window.max(1)) {
            let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
            for Triggered { gate, .. } in before {
                let threshold = reached.entry(gate.counter).or_default();
                *threshold = gate.threshold.max(*threshold);
            }
            steps.extend(
                reached
                    .into_iter()
                    .map(|(counter, threshold)| wait(counter, threshold)),
            );
            steps.extend(posted.iter().map(|triggered| self.triggered(triggered)));
            before = posted;
        }
    }

    /// The host waits for each gate and gives the command.
    fn by_hand(&self, steps: &mut Vec<String>) {
        let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
        for Triggered { gate, action } in &self.program.triggered {
            let known = reached.entry(gate.counter).or_default();
            if gate.threshold > *known {
                *known = gate.threshold;
                steps.push(wait(gate.counter, gate.threshold));
            }
            steps.push(format!("{{ {} }}", self.call(*action)));
        }
    }
}

/// A call that sends; `here` are the bytes of the rank itself.
fn message(
    call: &str,
    descriptor: usize,
    here: Slice,
    target: usize,
    bits: u64,
    at: u64,
    more: &str,
) -> String {
    format!(
        "{call} = {{ md = \"m{descriptor}\", local_offset = {}, length = {}, target = \"p{target}\", pt = \"lists\", match_bits = {bits:#x}, remote_offset = {at}{more} }}",
        here.at, here.length
    )
}

fn wait(counter: usize, threshold: u64) -> String {
    format!("{{ ptl_ct_wait = {{ ct = \"c{counter}\", threshold = {threshold} }} }}")
}

/// All commands before have been taken.
fn taken(name: &str) -> [String; 2] {
    [
        format!("{{ name = \"{name}\", nop = {{}}, completion = true }}"),
        format!("{{ wait_event = {{ kind = \"command\", of = \"{name}\" }} }}"),
    ]
}
