//! What section V-C says of an accumulate between two nodes, and whether the runs show it.

use super::parameters::{SEGMENTED, WHOLE, in_segments};
use super::row::Row;
use crate::experiments::variants::{fading, name_where_they_hold};
use crate::mpi::Way;
use xtq_testbench::experiments::Statement;

/// "Approximately 64KB": where benefits begin to decrease.
const MEDIUM: u64 = 64 << 10;
/// "Significantly better": at least so much faster, in a hundred, at each size up to that.
const SIGNIFICANT: f64 = 10.0;
/// "Much better" than the CPU: so many times as fast.
const MUCH: f64 = 1.5;
/// The first size of the sweep that a two-sided message announces, and the system in which it does not, as the file of
/// parameters names it.
const ANNOUNCED: u64 = 8192;
const UNANNOUNCED: &str = "messages without asking up to 16 KiB";
/// "Relieved": the target's CPU is busy for at most so much of what it is busy for with HSA.
const RELIEVED: f64 = 0.5;

/// The row of a sweep, way and size.
pub(super) fn row<'a>(rows: &'a [Row], of: &str, way: Way, bytes: u64) -> Option<&'a Row> {
    let mut rows = rows.iter();
    rows.find(|row| row.of == of && row.way == way && row.bytes == bytes)
}

/// By how much XTQ is faster than HSA, in a hundred: the times' ratio less one.
pub(super) fn gain(rows: &[Row], of: &str, bytes: u64) -> Option<f64> {
    let time = |way| Some(row(rows, of, way, bytes)?.ns.mean);
    Some((time(Way::Hsa)? / time(Way::Xtq)? - 1.0) * 100.0)
}

/// The times at a size.
fn times(rows: &[Row], of: &str, bytes: u64) -> String {
    let of_way = |way: Way| {
        let row = row(rows, of, way, bytes)?;
        Some(format!("{} {} ns", way.name(), row.ns))
    };
    let times: Vec<String> = Way::ALL.into_iter().filter_map(of_way).collect();
    format!("at {bytes} bytes {}", times.join(", "))
}

/// All statements that these rows can show: of the paper's system, then of those beside it.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let own = [
        better_than_hsa(rows, WHOLE),
        better_than_cpu(rows, WHOLE),
        two_sided(rows),
        larger_is_better(rows),
        fades(rows),
        pipelining(rows, WHOLE, SEGMENTED),
        relieves(rows),
    ];
    let mut all: Vec<Statement> = own.into_iter().flatten().collect();
    let mut others: Vec<&str> = rows.iter().map(|row| &*row.of).collect();
    others.dedup();
    for of in others
        .into_iter()
        .filter(|of| ![WHOLE, SEGMENTED].contains(of) && !of.ends_with(&in_segments("")))
    {
        let beside = match of.starts_with(SEGMENTED) {
            true => [None, None, pipelining(rows, WHOLE, of)],
            false => [
                better_than_hsa(rows, of),
                better_than_cpu(rows, of),
                pipelining(rows, of, &in_segments(of)),
            ],
        };
        all.extend(beside.into_iter().flatten().map(|one| Statement {
            beside: true,
            ..one
        }));
    }
    name_where_they_hold(&mut all);
    all
}

/// The sizes of a sweep, upwards.
fn sizes(rows: &[Row], of: &str) -> Vec<u64> {
    let own = rows.iter().filter(|row| row.of == of);
    let mut sizes: Vec<u64> = own.map(|row| row.bytes).collect();
    sizes.dedup();
    sizes
}

/// The least gain of all small and medium sizes of the sweep: nothing of a system that did not run with each of them.
fn better_than_hsa(rows: &[Row], of: &str) -> Option<Statement> {
    let small: Vec<u64> = sizes(rows, WHOLE)
        .into_iter()
        .filter(|bytes| *bytes <= MEDIUM)
        .collect();
    let gains = small.iter().map(|bytes| gain(rows, of, *bytes));
    let gains: Vec<f64> = gains.collect::<Option<_>>()?;
    let (first, last) = (gains.first()?, gains.last()?);
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    Some(Statement {
        of: format!("{of}, up to 64 KiB"),
        paper: "XTQ performs significantly better than HSA".to_owned(),
        asked: format!("at least {SIGNIFICANT} % faster at each size"),
        measured: format!("{least:.1} % at least, {first:.1} % at the smallest size"),
        holds: least >= SIGNIFICANT,
        because: format!(
            "{last:.1} % at {} bytes; {}; what the NIC's launch saves is the same at all sizes, and over XTQ an epoch \
             ends with the progress thread, which fetches the signal and posts an acknowledgement",
            small.last()?,
            times(rows, of, *small.first()?)
        ),
        chart: 1,
        ..Statement::default()
    })
}

fn better_than_cpu(rows: &[Row], of: &str) -> Option<Statement> {
    let smallest = *sizes(rows, WHOLE).first()?;
    let time = |way| Some(row(rows, of, way, smallest)?.ns.mean);
    let (cpu, xtq) = (time(Way::Cpu)?, time(Way::Xtq)?);
    Some(Statement {
        of: format!("{of}, {smallest} bytes"),
        paper: "XTQ also performs better than CPU even for very small accumulate sizes".to_owned(),
        asked: "faster at the smallest size".to_owned(),
        measured: format!("CPU {cpu:.0} ns, XTQ {xtq:.0} ns"),
        difference: format!("{:+.0} ns", xtq - cpu),
        holds: xtq < cpu,
        because: "the kernel's accesses to memory and the acknowledgement of the progress thread stand against the \
                  receive, the match and the end of the epoch in the application thread"
            .to_owned(),
        ..Statement::default()
    })
}

fn larger_is_better(rows: &[Row]) -> Option<Statement> {
    let bytes = *sizes(rows, WHOLE).last().filter(|bytes| **bytes > MEDIUM)?;
    let time = |way| Some(row(rows, WHOLE, way, bytes)?.ns.mean);
    let [hsa, xtq] = [
        time(Way::Cpu)? / time(Way::Hsa)?,
        time(Way::Cpu)? / time(Way::Xtq)?,
    ];
    Some(Statement {
        of: format!("{WHOLE}, {bytes} bytes"),
        paper: "for sufficiently large benchmarks, GPUs perform much better than CPUs".to_owned(),
        asked: format!("both are {MUCH} times as fast as the CPU at the largest size"),
        measured: format!("HSA {hsa:.2} times, XTQ {xtq:.2} times"),
        holds: hsa >= MUCH && xtq >= MUCH,
        because: format!(
            "{}; a link of 100 Gbit/s alone needs {:.0} ns",
            times(rows, WHOLE, bytes),
            bytes as f64 / 12.5
        ),
        ..Statement::default()
    })
}

fn fades(rows: &[Row]) -> Option<Statement> {
    let sizes = sizes(rows, WHOLE);
    let gains = sizes
        .iter()
        .map(|bytes| Some((*bytes, gain(rows, WHOLE, *bytes)?)));
    let statement = fading(&gains.collect::<Option<Vec<_>>>()?)?;
    Some(Statement {
        of: WHOLE.to_owned(),
        because: times(rows, WHOLE, *sizes.last()?),
        chart: 1,
        ..statement
    })
}

/// What XTQ gains at the largest vector in segments, and at the same vector whole.
fn pipelining(rows: &[Row], whole: &str, segmented: &str) -> Option<Statement> {
    let bytes = *sizes(rows, segmented).last()?;
    let with = gain(rows, segmented, bytes)?;
    let without = gain(rows, whole, bytes);
    let without = without.map_or(String::new(), |gain| format!(", {gain:.1} % without"));
    let segment = row(rows, segmented, Way::Xtq, bytes)?.segment_bytes;
    Some(Statement {
        of: format!("{segmented}, {bytes} bytes"),
        paper: "software pipelining [...] will push the payload size back into a range where XTQ shows significant \
                benefits, even for very large transfers"
            .to_owned(),
        asked: format!("XTQ is {SIGNIFICANT} % faster than HSA at the largest size, in segments"),
        measured: format!("{with:.1} % with segments of {segment} bytes{without}"),
        holds: with >= SIGNIFICANT,
        because: times(rows, segmented, bytes),
        chart: 1,
        ..Statement::default()
    })
}

/// Why XTQ is faster than the CPU, as the paper believes: where two-sided messages cost more, the order must turn.
fn two_sided(rows: &[Row]) -> Option<Statement> {
    const PAPER: &str = "we believe this result occurs because CPU implements one-sided accumulates using two-sided \
                         send/recvs, while XTQ leverages one-sided puts directly through Portals 4";
    sizes(rows, WHOLE).first()?;
    let time = |of, way| Some(row(rows, of, way, ANNOUNCED)?.ns.mean);
    let times = [
        time(WHOLE, Way::Cpu),
        time(WHOLE, Way::Xtq),
        time(UNANNOUNCED, Way::Cpu),
    ];
    let [Some(cpu), Some(xtq), Some(at_once)] = times else {
        let why = format!(
            "it needs {ANNOUNCED} bytes, also in the system \"{UNANNOUNCED}\", which did not run"
        );
        return Some(Statement::not_measured(WHOLE, PAPER, &why));
    };
    Some(Statement {
        of: format!("{WHOLE}, {ANNOUNCED} bytes"),
        paper: PAPER.to_owned(),
        asked: "the CPU is slower than XTQ if its message is announced and read, and not if it goes at once".to_owned(),
        measured: format!("XTQ {xtq:.0} ns; CPU {cpu:.0} ns if announced, {at_once:.0} ns at once"),
        holds: xtq < cpu && at_once <= xtq,
        because: format!(
            "announcing and reading costs {:.0} ns, which XTQ does not need; what a message at once costs in software \
             is a receive and a match",
            cpu - at_once
        ),
        ..Statement::default()
    })
}

fn relieves(rows: &[Row]) -> Option<Statement> {
    let bytes = *sizes(rows, WHOLE).iter().rfind(|bytes| **bytes <= MEDIUM)?;
    let busy = |way| Some(row(rows, WHOLE, way, bytes)?.busy_ns.mean);
    let [cpu, hsa, xtq] = [busy(Way::Cpu)?, busy(Way::Hsa)?, busy(Way::Xtq)?];
    Some(Statement {
        of: format!("{WHOLE}, {bytes} bytes"),
        paper: "accumulates over XTQ relieve \"the target-side MPI process from receiving data and executing the \
                operation\""
            .to_owned(),
        asked: format!("the target's CPU is busy for at most {RELIEVED} of what it is with HSA"),
        measured: format!("busy in an epoch: CPU {cpu:.0} ns, HSA {hsa:.0} ns, XTQ {xtq:.0} ns"),
        holds: xtq <= RELIEVED * hsa,
        because: "over XTQ only the progress thread has something to do: it fetches the signal and posts the \
                  acknowledgement"
            .to_owned(),
        chart: 2,
        ..Statement::default()
    })
}
