//! The calls of a process, as a scenario writes them.

use super::BASE;
use crate::graph::Slice;
use crate::schedule::{Action, Descriptor, Entry, Gate, Triggered};

pub(super) fn counter(number: usize) -> String {
    format!("ptl_ct_alloc = {{ ct = \"c{number}\" }}")
}

/// It covers all memory of the rank, `length` bytes.
pub(super) fn descriptor(number: usize, descriptor: &Descriptor, length: u64) -> String {
    let what = match descriptor.replies {
        true => "ct_reply",
        false => "ct_send",
    };
    let counts = descriptor.counter.map_or(String::new(), |counter| {
        format!(", ct = \"c{counter}\", options = [\"{what}\"]")
    });
    format!("ptl_md_bind = {{ md = \"m{number}\", start = {BASE:#x}, length = {length}{counts} }}")
}

/// It covers all memory of the rank, `length` bytes, or what it says.
pub(super) fn entry(name: &str, entry: &Entry, length: u64) -> String {
    let all = Slice { at: 0, length };
    let Slice { at, length } = entry.into.unwrap_or(all);
    let start = BASE + at;
    let ignore = match entry.ignore {
        0 => String::new(),
        ignore => format!(", ignore_bits = {ignore:#x}"),
    };
    let source = entry
        .source
        .map_or(String::new(), |source| format!(", source = \"p{source}\""));
    let bits = entry.bits;
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
    format!(
        "ptl_me_append = {{ me = \"{name}\", pt = \"lists\", start = {start:#x}, length = {length}, match_bits = {bits:#x}{ignore}{source}{counts}, options = [\"op_put\"{gives}{count}{once}, \"comm_disable\", \"link_disable\", \"unlink_disable\"] }}"
    )
}

/// `None`: a host or a GPU does it.
pub(super) fn triggered(triggered: &Triggered, every: Option<u64>) -> Option<String> {
    let call = call(triggered.action)?;
    Some(format!("{call}, {}", trigger(triggered.gate, every)))
}

/// An event of this name reports a gate to the host.
pub(super) fn report(name: &str, gate: Gate, every: Option<u64>) -> String {
    let gate = trigger(gate, every);
    format!("name = \"{name}\", nop = {{}}, completion = true, {gate}")
}

/// With a period it waits again each time.
fn trigger(gate: Gate, every: Option<u64>) -> String {
    let Gate { counter, threshold } = gate;
    let every = every.map_or(String::new(), |period| format!(", every = {period}"));
    format!("trigger = {{ ct = \"c{counter}\", threshold = {threshold}{every} }}")
}

/// Counts a counter up by 1.
pub(super) fn count(counter: usize) -> String {
    format!("ptl_ct_inc = {{ ct = \"c{counter}\", success = 1 }}")
}

pub(super) fn wait(gate: Gate) -> String {
    let Gate { counter, threshold } = gate;
    format!("ptl_ct_wait = {{ ct = \"c{counter}\", threshold = {threshold} }}")
}

pub(super) fn delay(cycles: u64) -> String {
    format!("delay = {{ cycles = {cycles} }}")
}

pub(super) fn barrier(name: &str) -> String {
    format!("barrier = {{ name = \"{name}\" }}")
}

/// The event that the command `of` has ended.
pub(super) fn ended(of: &str) -> String {
    format!("wait_event = {{ kind = \"command\", of = \"{of}\" }}")
}

/// `None`: a host or a GPU does it.
pub(super) fn call(action: Action) -> Option<String> {
    match action {
        Action::Count { counter } => Some(count(counter)),
        Action::Append {
            number,
            entry: appended,
        } => Some(entry(&format!("a{number}"), &appended, 0)),
        Action::Unlink { number } => Some(format!("ptl_me_unlink = {{ me = \"a{number}\" }}")),
        Action::Work { .. } | Action::Task { .. } => None,
        Action::Get {
            descriptor,
            into,
            target,
            bits,
            at,
        } => Some(message("ptl_get", descriptor, into, target, bits, at, "")),
        Action::Send {
            descriptor,
            from,
            target,
            bits,
            at,
            arithmetic,
        } => {
            let (call, more) = match arithmetic {
                None => ("ptl_put", String::new()),
                Some((operation, datatype)) => {
                    let (operation, datatype) = (operation.name(), datatype.name());
                    let more = format!(", operation = \"{operation}\", datatype = \"{datatype}\"");
                    ("ptl_atomic", more)
                }
            };
            Some(message(call, descriptor, from, target, bits, at, &more))
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
