//! What section V-C says of an accumulate between two nodes, and whether the runs show it.

use super::parameters::{Sweep, WHOLE, in_segments};
use super::row::Row;
use crate::experiments::variants::name_where_they_hold;
use crate::mpi::Way;
use xtq_testbench::experiments::Statement;

/// "Approximately 64KB": where benefits begin to decrease.
const MEDIUM: u64 = 64 << 10;
/// "Significantly better": at least so much faster, in a hundred, at each size up to that.
const SIGNIFICANT: f64 = 10.0;
/// "Much better" than the CPU: so many times as fast.
const MUCH: f64 = 1.5;
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
pub fn statements(sweep: &Sweep, rows: &[Row]) -> Vec<Statement> {
    let own = [
        better_than_hsa(rows, WHOLE),
        better_than_cpu(rows, WHOLE),
        larger_is_better(rows),
        fades(rows),
        pipelining(sweep, rows, WHOLE),
        relieves(rows),
    ];
    let mut all: Vec<Statement> = own.into_iter().flatten().collect();
    let mut others: Vec<&str> = rows.iter().map(|row| &*row.of).collect();
    others.dedup();
    for of in others
        .into_iter()
        .filter(|of| *of != WHOLE && !of.ends_with(&in_segments("")))
    {
        let beside = [
            better_than_hsa(rows, of),
            better_than_cpu(rows, of),
            pipelining(sweep, rows, of),
        ];
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

fn better_than_hsa(rows: &[Row], of: &str) -> Option<Statement> {
    let small: Vec<u64> = sizes(rows, of)
        .into_iter()
        .filter(|bytes| *bytes <= MEDIUM)
        .collect();
    let gains = small.iter().filter_map(|bytes| gain(rows, of, *bytes));
    let gains: Vec<f64> = gains.collect();
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
    let smallest = *sizes(rows, of).first()?;
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
    let large: Vec<u64> = sizes(rows, WHOLE)
        .into_iter()
        .filter(|bytes| *bytes >= MEDIUM)
        .collect();
    let gains: Vec<f64> = large
        .iter()
        .filter_map(|bytes| gain(rows, WHOLE, *bytes))
        .collect();
    let (first, last) = (gains.first()?, gains.last()?);
    if gains.len() < 2 {
        return None;
    }
    Some(Statement {
        of: format!("{WHOLE}, from 64 KiB"),
        paper:
            "the benefits of XTQ over HSA decrease as the payload increases over approximately 64KB"
                .to_owned(),
        asked: "each larger size gains less than the one before".to_owned(),
        measured: format!(
            "{first:.1} % at 64 KiB, {last:.1} % at {} bytes",
            large.last()?
        ),
        holds: gains.is_sorted_by(|a, b| a > b),
        because: times(rows, WHOLE, *large.last()?),
        chart: 1,
        ..Statement::default()
    })
}

fn pipelining(sweep: &Sweep, rows: &[Row], of: &str) -> Option<Statement> {
    let segmented = in_segments(of);
    let bytes = *sizes(rows, &segmented).last()?;
    let with = gain(rows, &segmented, bytes)?;
    let without = gain(rows, of, bytes);
    let without = without.map_or(String::new(), |gain| format!(", {gain:.1} % without"));
    Some(Statement {
        of: format!("{segmented}, {bytes} bytes"),
        paper: "software pipelining [...] will push the payload size back into a range where XTQ shows significant \
                benefits, even for very large transfers"
            .to_owned(),
        asked: format!("XTQ is {SIGNIFICANT} % faster than HSA at the largest size, in segments"),
        measured: format!(
            "{with:.1} % with segments of {} bytes{without}",
            sweep.segment_bytes
        ),
        holds: with >= SIGNIFICANT,
        because: times(rows, &segmented, bytes),
        chart: 1,
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
