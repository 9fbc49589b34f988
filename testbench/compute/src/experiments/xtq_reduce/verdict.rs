//! What section V-C says of a reduction between two nodes, and whether the runs show it.

use super::parameters::{OVERLAPPED, PIPELINED, PLAIN, Sweep};
use crate::experiments::mpi_runs::Row;
use crate::experiments::variants::{fading, name_where_they_hold};
use crate::mpi::Way;
use xtq_testbench::experiments::Statement;

/// "Small to medium": payloads up to "approximately 64KB".
const MEDIUM: u64 = 64 << 10;
/// The system without the synchronisation step, as the file of parameters names it.
const UNSYNCHRONISED: &str = "no synchronisation step";
/// "Around 10-15%": at least and at most so much, in a hundred, the numbers being rounded to five.
const AROUND: [f64; 2] = [7.5, 17.5];
/// "Much better" than the CPU: so many times as fast.
const MUCH: f64 = 1.5;
/// "Significant benefits": at least as much as the lower end of "around 10-15%", in a hundred.
const SIGNIFICANT: f64 = 10.0;

/// The row of a sweep, way and size.
fn row<'a>(rows: &'a [Row], of: &str, way: Way, bytes: u64) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.of == of && row.way == way && row.bytes == bytes)
}

/// By how much XTQ is faster than HSA, in a hundred: the times' ratio less one.
pub(super) fn gain(rows: &[Row], of: &str, bytes: u64) -> Option<f64> {
    let time = |way| Some(row(rows, of, way, bytes)?.ns.mean);
    Some((time(Way::Hsa)? / time(Way::Xtq)? - 1.0) * 100.0)
}

/// Least and most, as text.
fn range(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{least:.1} to {most:.1} %")
}

/// What makes the gain: the times at a size.
fn times(rows: &[Row], of: &str, bytes: u64) -> String {
    let of_way = |way: Way| {
        let ns = row(rows, of, way, bytes).map(|row| row.ns);
        ns.map_or_else(String::new, |ns| format!("{} {ns} ns", way.name()))
    };
    let times: Vec<String> = Way::ALL
        .map(of_way)
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    format!("at {bytes} bytes {}", times.join(", "))
}

/// All statements that these rows can show: of the paper's system, then of those beside it.
pub fn statements(sweep: &Sweep, rows: &[Row]) -> Vec<Statement> {
    let mut statements = Vec::new();
    statements.extend(small(sweep, rows, PLAIN));
    statements.extend(fades(sweep, rows));
    statements.extend(large(sweep, rows));
    statements.extend(pipelining(sweep, rows, PIPELINED));
    statements.extend(frees(sweep, rows));
    statements.extend(synchronises(sweep, rows));
    statements.extend(without_altering(rows));
    let mut others: Vec<&str> = rows.iter().map(|row| row.of.as_str()).collect();
    others.dedup();
    for of in others
        .into_iter()
        .filter(|of| ![PLAIN, PIPELINED, OVERLAPPED].contains(of))
    {
        let beside = match of.starts_with(PIPELINED) {
            true => pipelining(sweep, rows, of),
            false => small(sweep, rows, of),
        };
        statements.extend(beside.map(|statement| Statement {
            beside: true,
            ..statement
        }));
    }
    name_where_they_hold(&mut statements);
    statements
}

/// The mean of all small and medium sizes of the sweep: nothing of a system that did not run with each of them.
fn small(sweep: &Sweep, rows: &[Row], of: &str) -> Option<Statement> {
    let sizes = sweep.bytes.iter().copied();
    let sizes: Vec<u64> = sizes.filter(|bytes| *bytes <= MEDIUM).collect();
    let gains = sizes.iter().map(|bytes| gain(rows, of, *bytes));
    let gains: Vec<f64> = gains.collect::<Option<_>>()?;
    let (first, last) = (gains.first()?, gains.last()?);
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    Some(Statement {
        of: format!("{of}, up to 64 KiB"),
        paper: "\"a reasonable performance improvement of around 10-15% for a two-node reduction\" over HSA".into(),
        number: "10 to 15 %".into(),
        asked: format!(
            "the mean of all {} sizes up to 64 KiB is {} to {} %",
            sizes.len(),
            AROUND[0],
            AROUND[1]
        ),
        measured: format!("{mean:.1} % on average, {}", range(&gains)),
        difference: format!("{:+.1} points from 12.5 %", mean - 12.5),
        holds: (AROUND[0]..=AROUND[1]).contains(&mean),
        because: format!(
            "{first:.1} % at the smallest size, {last:.1} % at the largest; {}; {}",
            match of {
                UNSYNCHRONISED => "here an XTQ put does not wait for its target's message, as a two-sided one up to `mpi.eager_bytes` does not",
                _ => "a two-sided message of up to `mpi.eager_bytes` goes at once, while an XTQ put first waits for its target's synchronisation message, which costs about what the launch saves; longer ones are announced and read, and also wait",
            },
            times(rows, of, *sizes.first()?)
        ),
        chart: 1,
        ..Statement::default()
    })
}

fn fades(sweep: &Sweep, rows: &[Row]) -> Option<Statement> {
    let sizes = sweep.bytes.iter();
    let gains = sizes.map(|bytes| Some((*bytes, gain(rows, PLAIN, *bytes)?)));
    let statement = fading(&gains.collect::<Option<Vec<_>>>()?)?;
    Some(Statement {
        of: PLAIN.to_owned(),
        because: times(rows, PLAIN, *sweep.bytes.last()?),
        chart: 1,
        ..statement
    })
}

fn large(sweep: &Sweep, rows: &[Row]) -> Option<Statement> {
    let bytes = *sweep.bytes.last().filter(|bytes| **bytes > MEDIUM)?;
    let time = |way| Some(row(rows, PLAIN, way, bytes)?.ns.mean);
    let [hsa, xtq] = [
        time(Way::Cpu)? / time(Way::Hsa)?,
        time(Way::Cpu)? / time(Way::Xtq)?,
    ];
    Some(Statement {
        of: format!("{PLAIN}, {bytes} bytes"),
        paper: "for sufficiently large benchmarks, GPUs perform much better than CPUs".into(),
        asked: format!("both are {MUCH} times as fast as the CPU at the largest size"),
        measured: format!("HSA {hsa:.2} times, XTQ {xtq:.2} times"),
        holds: hsa >= MUCH && xtq >= MUCH,
        because: format!(
            "{}; how fast a core sums depends on its width and misses under way, see the systems beside",
            times(rows, PLAIN, bytes)
        ),
        chart: 0,
        ..Statement::default()
    })
}

fn pipelining(sweep: &Sweep, rows: &[Row], of: &str) -> Option<Statement> {
    let bytes = *sweep
        .pipelined_bytes
        .last()
        .filter(|bytes| **bytes > MEDIUM)?;
    let (with, without) = (gain(rows, of, bytes)?, gain(rows, PLAIN, bytes)?);
    let segment = row(rows, of, Way::Xtq, bytes)?.pipeline.segment_bytes;
    Some(Statement {
        of: format!("{of}, {bytes} bytes"),
        paper: "software pipelining [...] will push the payload size back into a range where XTQ shows significant benefits, even for very large transfers".into(),
        asked: format!("XTQ is {SIGNIFICANT} % faster than HSA at the largest size, in segments"),
        measured: format!("{with:.1} % with segments of {segment} bytes, {without:.1} % without"),
        holds: with >= SIGNIFICANT,
        because: times(rows, of, bytes),
        chart: 1,
        ..Statement::default()
    })
}

fn frees(sweep: &Sweep, rows: &[Row]) -> Option<Statement> {
    let bytes = sweep.overlap_bytes;
    let of_way = |way| row(rows, OVERLAPPED, way, bytes);
    let [cpu, hsa, xtq] = [of_way(Way::Cpu)?, of_way(Way::Hsa)?, of_way(Way::Xtq)?];
    let busy = |way| row(rows, PLAIN, way, bytes).map(|row| row.busy_ns.mean);
    let alone = Way::ALL.map(|way| busy(way).map_or("-".to_owned(), |ns| format!("{ns:.0}")));
    Some(Statement {
        of: format!("{OVERLAPPED}, {bytes} bytes"),
        paper: "by freeing the CPU to do independent work, XTQ enables non-blocking variants to achieve substantial computation overlap".into(),
        asked: "with work beside it the reduction and the work are over first with XTQ".into(),
        measured: format!("CPU {} ns, HSA {} ns, XTQ {} ns", cpu.ns, hsa.ns, xtq.ns),
        holds: xtq.ns.mean < hsa.ns.mean && xtq.ns.mean < cpu.ns.mean,
        because: format!(
            "{} instructions of work; without it the root's CPU is busy for {} ns (CPU, HSA, XTQ)",
            sweep.overlap_instructions,
            alone.join(", ")
        ),
        chart: 2,
        ..Statement::default()
    })
}

fn synchronises(sweep: &Sweep, rows: &[Row]) -> Option<Statement> {
    let cost = |bytes: &u64| {
        let with = row(rows, PLAIN, Way::Xtq, *bytes)?.ns;
        let without = row(rows, UNSYNCHRONISED, Way::Xtq, *bytes)?.ns;
        let share = (1.0 - without.mean / with.mean) * 100.0;
        Some(format!(
            "{:.0} ns ({share:.0} %) at {bytes} bytes",
            with.mean - without.mean
        ))
    };
    let costs: Vec<String> = sweep.bytes.iter().filter_map(cost).collect();
    row(rows, PLAIN, Way::Xtq, *sweep.bytes.first()?)?;
    Some(Statement {
        of: PLAIN.into(),
        paper: "an explicit synchronization step [...] by issuing zero-length send/receive pairs between initiators and targets. This step guarantees that the target resources are available before any XtqPuts are issued".into(),
        number: "none: what the step costs is not said".into(),
        asked: "no landing place and no operand is overwritten in any run, and all results are those of the serial reference".into(),
        measured: match costs.is_empty() {
            true => "so in all runs; what it costs was not measured".to_owned(),
            false => format!("so in all runs; the step takes {}", costs.join(", ")),
        },
        holds: true,
        because: "each run compares operands and results, and one that differs stops the experiment; without the step a single message finds its place free here, as a barrier goes before".into(),
        ..Statement::default()
    })
}

fn without_altering(rows: &[Row]) -> Option<Statement> {
    rows.first().map(|_| Statement {
        of: "the programs of all runs".into(),
        paper: "our implementation enables library users to reap the benefits of XTQ acceleration without altering any code".into(),
        asked: "the program that calls the library is the same for CPU, HSA and XTQ".into(),
        measured: "one program for all three: the way is an option of the library's set-up".into(),
        holds: true,
        because: "the library registers kernels and queue when it is set up, and its calls choose the way".into(),
        ..Statement::default()
    })
}
