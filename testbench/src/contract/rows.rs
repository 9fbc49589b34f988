//! The lines of the contract: what is measured, in what, and what is wanted.

use super::commands::{Sends, command_to_header, cycles_a_message};
use super::delivery::{self, Way};
use super::{ContractError, Figure, Unit, blocks, l2, load, requests, trigger};
use crate::bus::MemoryTiming;
use crate::node::Top;

/// At least so much.
fn least(what: impl Into<String>, unit: Unit, wanted: f64, measured: f64) -> Figure {
    Figure {
        what: what.into(),
        unit,
        wanted: Some(wanted),
        at_most: false,
        measured: Some(measured),
    }
}

/// At most so much.
fn most(what: impl Into<String>, unit: Unit, wanted: f64, measured: f64) -> Figure {
    Figure {
        at_most: true,
        ..least(what, unit, wanted, measured)
    }
}

/// Stated, without a bound.
fn stated(what: impl Into<String>, unit: Unit, measured: f64) -> Figure {
    Figure {
        wanted: None,
        ..most(what, unit, 0.0, measured)
    }
}

/// The receive stream.
pub(super) fn stream() -> Result<Vec<Figure>, ContractError> {
    [
        ("full puts, aligned", Way::Buffer, 0),
        ("full puts, misaligned", Way::Buffer, 37),
        ("full puts through lists, misaligned", Way::Lists, 37),
    ]
    .into_iter()
    .map(|(what, way, start)| {
        let rate = delivery::stream_rate(Top::Nic, way, start)?;
        let what = format!("receive stream, {what}");
        Ok(least(what, Unit::EachCycle("beats"), 1.0, rate))
    })
    .collect()
}

/// Smallest XTQ messages back to back.
pub(super) fn launches() -> Result<Vec<Figure>, ContractError> {
    let mut figures = Vec::new();
    for (way, lists) in [(Way::Buffer, ""), (Way::Lists, " through lists")] {
        for (timing, after, messages) in [
            (MemoryTiming::ideal(), "1 cycle", 60),
            (MemoryTiming::fixed_write(200), "200 cycles", 200),
        ] {
            let measured = delivery::write_channel(Top::Nic, way, timing, messages)?;
            let what = format!("smallest XTQ messages{lists}, B after {after}");
            let [busy, beats] = ["W channel busy", "W beats"].map(|of| format!("{what}: {of}"));
            figures.extend([
                least(busy, Unit::Plain("of all cycles"), 0.95, measured.busy),
                most(beats, Unit::Plain("a message"), 8.0, measured.beats),
                stated(
                    format!("{what}: tasks"),
                    Unit::CyclesEach("task"),
                    measured.beats / measured.busy,
                ),
            ]);
        }
    }
    Ok(figures)
}

/// From the last beat to the doorbell.
pub(super) fn doorbells() -> Result<Vec<Figure>, ContractError> {
    let line = |what, wanted, way| -> Result<Figure, ContractError> {
        let cycles = delivery::doorbell(Top::Nic, way)?;
        let what = format!("last beat in to doorbell write out, {what}");
        Ok(most(what, Unit::Cycles, wanted, cycles))
    };
    Ok(vec![
        line("one buffer", 24.0, Way::Buffer)?,
        line("lists", 32.0, Way::Lists)?,
    ])
}

/// Commands that become messages.
pub(super) fn messages_out() -> Result<Vec<Figure>, ContractError> {
    let mut figures = Vec::new();
    for (what, sends, wanted) in [
        ("PUT out, no bytes", Sends::Put(0), 2.0),
        ("PUT out, 64 aligned bytes", Sends::Put(64), 3.0),
        ("XTQ_PUT out, 64 + 64 + 64 bytes", Sends::XtqPut, 5.0),
    ] {
        for latency in [16, 100] {
            let cycles = cycles_a_message(sends, latency)?;
            let what = format!("{what}, reads of {latency} cycles");
            figures.push(most(what, Unit::CyclesEach("message"), wanted, cycles));
        }
    }
    let gets = cycles_a_message(Sends::Get, 16)?;
    figures.extend([
        stated(
            "GET out, reads of 16 cycles",
            Unit::CyclesEach("message"),
            gets,
        ),
        most(
            "command taken to header beat out",
            Unit::Cycles,
            9.0,
            command_to_header()?,
        ),
    ]);
    Ok(figures)
}

/// Messages that a list entry takes.
pub(super) fn messages_in() -> Result<Vec<Figure>, ContractError> {
    let mut figures = Vec::new();
    for bytes in [8, 64] {
        let what = format!("tagged puts in, {bytes} bytes, first entry, event");
        let cycles = requests::tagged_puts(bytes)?;
        figures.push(most(what, Unit::CyclesEach("put"), 3.0, cycles));
    }
    let gets = requests::gets()?;
    figures.extend([
        stated(
            "GETs in, 64 bytes, first entry, replies",
            Unit::CyclesEach("GET"),
            gets.cycles,
        ),
        most(
            "GET in to first beat of its reply",
            Unit::Cycles,
            25.0,
            gets.latency,
        ),
        least(
            "bulk atomics in, sums of 64-bit integers",
            Unit::EachCycle("bytes"),
            16.0,
            requests::bulk_atomics()?,
        ),
    ]);
    Ok(figures)
}

/// Percentiles of latency.
pub(super) fn under_load() -> Result<Vec<Figure>, ContractError> {
    let mut figures = Vec::new();
    for percent in [50, 90] {
        let share = f64::from(percent) / 100.0;
        for (what, found) in [
            ("XTQ message offered to doorbell", load::xtq(share)?),
            ("tagged put offered to event", load::tagged_puts(share)?),
        ] {
            for (half, cycles) in [("median", found.median), ("99 of 100 within", found.p99)] {
                let what = format!("{what}, {percent} % load, {half}");
                figures.push(stated(what, Unit::Cycles, cycles));
            }
        }
    }
    Ok(figures)
}

/// Lookups, counters, triggers, matching, the L2, and what no simulation reports.
pub(super) fn parts() -> Result<Vec<Figure>, ContractError> {
    let lookups = blocks::lookups()?;
    let l2 = l2::hits(0)?;
    let cycle = Unit::EachCycle("");
    let list = |what, size| -> Result<Figure, ContractError> {
        let what = format!("match, long list ({what})");
        let rate = blocks::long_list(size)?;
        Ok(least(what, Unit::EachCycle("entries"), 4.0, rate))
    };
    Ok(vec![
        least("lookup cache hits", cycle, 1.0, lookups.rate),
        most(
            "lookup cache hit, latency",
            Unit::Cycles,
            2.0,
            lookups.latency,
        ),
        least("counter updates", cycle, 1.0, blocks::counter_updates()?),
        most(
            "counter update to first beat of the triggered put",
            Unit::Cycles,
            16.0,
            trigger::cycles()?,
        ),
        most(
            "match, first-entry hits",
            Unit::CyclesEach("header"),
            2.0,
            blocks::first_hits()?,
        ),
        list("64 entries", blocks::DEFAULT_LIST)?,
        list("1,024 entries, large configuration", blocks::LARGE_LIST)?,
        least("L2 bank, hits to one line", cycle, 1.0, l2.rate),
        most("L2 bank, hit, latency", Unit::Cycles, 3.0, l2.latency),
        least(
            "L2 bank, hits under 14 misses",
            cycle,
            1.0,
            l2::hits(14)?.rate,
        ),
        Figure {
            measured: None,
            ..least(
                "clock of each block of the NIC on ECP5",
                Unit::Plain("MHz"),
                125.0,
                0.0,
            )
        },
    ])
}
