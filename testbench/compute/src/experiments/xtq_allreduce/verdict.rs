//! What section V-C says of allreduce, and whether the runs show it.

use super::parameters::{DIVIDED, EACH, OVERLAPPED, PIPELINED};
use crate::experiments::mpi_runs::Row;
use crate::experiments::variants::name_where_they_hold;
use crate::mpi::Way;
use xtq_testbench::experiments::Statement;

/// "Approximately 12 nodes": from and to.
const APPROXIMATELY_12: [usize; 2] = [8, 16];
/// "Small node counts".
const SMALL: usize = 4;
/// "Up to 64 nodes".
const MOST: usize = 64;
/// "Significant benefits": at least the lower end of "around 10-15%", in a hundred.
const SIGNIFICANT: f64 = 10.0;

/// What the paper says of the curve.
const INFLECTION: &str = "the inflection point at approximately 12 nodes indicates the point where the overhead of sending more messages outweighs the benefits of less computation";
const ONLY_XTQ: &str = "only XTQ-enabled GPUs are able to maintain performance improvements over a CPU reduction up to 64 nodes";
const AMORTIZES: &str = "for larger node counts, non-XTQ-enabled GPUs are unable to amortize the high launch latency over the execution of smaller messages";

/// Time of a reading or system, way and number of ranks, ns.
pub(super) fn time(rows: &[Row], of: &str, way: Way, nodes: usize) -> Option<f64> {
    let is = |row: &&Row| row.of == of && row.way == way && row.nodes == nodes;
    rows.iter().find(is).map(|row| row.ns.mean)
}

/// How many times as fast as the CPU.
pub(super) fn speedup(rows: &[Row], of: &str, way: Way, nodes: usize) -> Option<f64> {
    Some(time(rows, of, Way::Cpu, nodes)? / time(rows, of, way, nodes)?)
}

/// All statements that these rows can show: of both readings, then of the systems beside. The application's work in
/// runs that overlap it takes `work_ns`.
pub fn statements(rows: &[Row], work_ns: f64) -> Vec<Statement> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.of.as_str()).collect();
    names.dedup();
    let mut statements = Vec::new();
    for of in names {
        let mut nodes: Vec<usize> = rows
            .iter()
            .filter(|row| row.of == of)
            .map(|row| row.nodes)
            .collect();
        nodes.dedup();
        if of == OVERLAPPED {
            let overlaps = |nodes: &usize| overlaps(rows, *nodes, work_ns);
            statements.extend(nodes.iter().filter_map(overlaps));
            continue;
        }
        let is_reading = [DIVIDED, EACH].contains(&of);
        let found = match of.starts_with(PIPELINED) {
            true => nodes
                .iter()
                .filter_map(|nodes| pipelining(rows, of, *nodes))
                .collect(),
            false => shape(rows, of, &nodes, is_reading),
        };
        statements.extend(found.into_iter().map(|statement| Statement {
            of: match statement.of.is_empty() {
                true => of.to_owned(),
                false => statement.of.clone(),
            },
            // Of other segments than the first, too.
            beside: !is_reading && !of.starts_with(PIPELINED),
            chart: usize::from(of == EACH),
            ..statement
        }));
    }
    name_where_they_hold(&mut statements);
    statements
}

/// What is asked of the curve over the nodes. Of a reading that did not run with enough nodes it says so.
fn shape(rows: &[Row], of: &str, nodes: &[usize], is_reading: bool) -> Vec<Statement> {
    let most = nodes.last().copied().unwrap_or_default();
    let why = match of {
        EACH => "; 64 take 16 minutes more",
        _ => "",
    };
    let ran = format!("it ran on up to {most} nodes{why}");
    let or_not = |found: Option<Statement>, paper: &str| {
        found.or_else(|| is_reading.then(|| Statement::not_measured(of, paper, &ran)))
    };
    let found = [
        small(rows, of, nodes),
        or_not(inflection(rows, of, nodes), INFLECTION),
        or_not(amortizes(rows, of, nodes), AMORTIZES),
        or_not(only_xtq(rows, of), ONLY_XTQ),
        is_reading.then(|| trade(rows, of, nodes)).flatten(),
    ];
    found.into_iter().flatten().collect()
}

fn small(rows: &[Row], of: &str, nodes: &[usize]) -> Option<Statement> {
    let few: Vec<usize> = nodes
        .iter()
        .copied()
        .filter(|nodes| *nodes <= SMALL)
        .collect();
    let of_way = |way| -> Vec<f64> {
        few.iter()
            .filter_map(|nodes| speedup(rows, of, way, *nodes))
            .collect()
    };
    let (hsa, xtq) = (of_way(Way::Hsa), of_way(Way::Xtq));
    let text = |speeds: &[f64]| {
        let texts: Vec<String> = speeds.iter().map(|speed| format!("{speed:.2}")).collect();
        texts.join(", ")
    };
    let times = few.iter().filter_map(|nodes| {
        let time = |way| time(rows, of, way, *nodes);
        let [cpu, hsa, xtq] = [time(Way::Cpu)?, time(Way::Hsa)?, time(Way::Xtq)?];
        Some(format!(
            "{nodes} nodes: CPU {cpu:.0} ns, HSA {hsa:.0} ns, XTQ {xtq:.0} ns"
        ))
    });
    (!hsa.is_empty() && !xtq.is_empty()).then(|| Statement {
        paper: "for small node counts, the size of each round's messages are large enough to benefit from GPU acceleration with or without XTQ".into(),
        asked: format!("up to {SMALL} nodes HSA and XTQ are both faster than the CPU"),
        measured: format!("times as fast: HSA {}, XTQ {}", text(&hsa), text(&xtq)),
        holds: hsa.iter().chain(&xtq).all(|speed| *speed > 1.0),
        because: times.collect::<Vec<_>>().join("; "),
        ..Statement::default()
    })
}

fn inflection(rows: &[Row], of: &str, nodes: &[usize]) -> Option<Statement> {
    let around = APPROXIMATELY_12[0]..=APPROXIMATELY_12[1];
    let most = *nodes.last().filter(|most| **most > *around.end())?;
    if !nodes.iter().any(|nodes| around.contains(nodes)) {
        return None;
    }
    let least = |way| {
        let times = nodes
            .iter()
            .filter_map(|nodes| Some((time(rows, of, way, *nodes)?, *nodes)));
        times.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let [(_, cpu), (_, hsa), (ns, xtq)] = [least(Way::Cpu)?, least(Way::Hsa)?, least(Way::Xtq)?];
    Some(Statement {
        paper: INFLECTION.into(),
        number: "12 nodes".into(),
        asked: format!(
            "XTQ takes least time at {} to {} nodes of those swept",
            APPROXIMATELY_12[0], APPROXIMATELY_12[1]
        ),
        measured: format!("least time at {xtq} nodes (XTQ), {hsa} (HSA), {cpu} (CPU)"),
        difference: format!("{:+} nodes from 12", xtq as i64 - 12),
        holds: around.contains(&xtq),
        because: format!(
            "{}; numbers that are no power of two exchange pairwise, {} messages a rank at 12 nodes instead of 8 at 16",
            match xtq == most {
                true => format!(
                    "XTQ takes {ns:.0} ns at {most} nodes and more with fewer: the time of the data falls faster than that of messages grows"
                ),
                false => format!(
                    "XTQ takes {ns:.0} ns there and {:.0} ns at {most}",
                    time(rows, of, Way::Xtq, most)?
                ),
            },
            2 * 11
        ),
        ..Statement::default()
    })
}

/// Whether HSA is slower than the CPU with more nodes than at the inflection.
fn amortizes(rows: &[Row], of: &str, nodes: &[usize]) -> Option<Statement> {
    let many = nodes.iter().filter(|nodes| **nodes > APPROXIMATELY_12[1]);
    let speeds = many.map(|nodes| {
        let of_way = |way| speedup(rows, of, way, *nodes);
        Some((*nodes, of_way(Way::Hsa)?, of_way(Way::Xtq)?))
    });
    let speeds: Vec<(usize, f64, f64)> = speeds.collect::<Option<_>>()?;
    let texts = speeds
        .iter()
        .map(|(nodes, hsa, xtq)| format!("{nodes} nodes: HSA {hsa:.2}, XTQ {xtq:.2}"));
    (!speeds.is_empty()).then(|| Statement {
        paper: AMORTIZES.into(),
        asked: format!("with more than {} nodes HSA is never faster than the CPU", APPROXIMATELY_12[1]),
        measured: format!("times as fast as the CPU: {}", texts.collect::<Vec<_>>().join("; ")),
        holds: speeds.iter().all(|(_, hsa, _)| *hsa <= 1.0),
        because: "what launches cost stands against what one core needs to add; the systems beside change both".into(),
        ..Statement::default()
    })
}

/// Messages of all ranks together: of reduce-scatter and allgather.
fn messages(nodes: usize) -> usize {
    match nodes.is_power_of_two() {
        true => 2 * nodes * nodes.ilog2() as usize,
        false => 2 * nodes * (nodes - 1),
    }
}

/// Less computation for each node, more messages: of the fewest nodes and the most.
fn trade(rows: &[Row], of: &str, nodes: &[usize]) -> Option<Statement> {
    let (few, most) = (*nodes.first()?, *nodes.last()?);
    let busy = |nodes| {
        let is = |row: &&Row| row.of == of && row.way == Way::Cpu && row.nodes == nodes;
        rows.iter().find(is).map(|row| row.busy_ns.mean)
    };
    let (first, last) = (busy(few)?, busy(most)?);
    (few < most).then(|| Statement {
        paper: "with a fixed-size data set, increasing the number of nodes decreases the computation per node while increasing the total number of messages required to complete the reduction".into(),
        asked: "a CPU that combines is busy for less time with the most nodes than with the fewest, and there are more messages".into(),
        measured: format!(
            "rank 0 is busy for {first:.0} ns on {few} nodes, {last:.0} ns on {most}; {} and {} messages",
            messages(few),
            messages(most)
        ),
        holds: last < first && messages(most) > messages(few),
        because: format!(
            "busy time is measured; messages are those of the algorithm, without announcements and synchronisation; a rank combines (N - 1) / N of its vector, which is {}",
            match of {
                EACH => "as long with any number of nodes",
                _ => "shorter with more nodes",
            }
        ),
        ..Statement::default()
    })
}

fn pipelining(rows: &[Row], of: &str, nodes: usize) -> Option<Statement> {
    let gain = |of| {
        let time = |way| time(rows, of, way, nodes);
        Some((time(Way::Hsa)? / time(Way::Xtq)? - 1.0) * 100.0)
    };
    let (with, without) = (gain(of)?, gain(DIVIDED)?);
    let times = Way::ALL.map(|way| {
        let ns = time(rows, of, way, nodes);
        ns.map_or("-".to_owned(), |ns| format!("{ns:.0}"))
    });
    Some(Statement {
        of: format!("{of}, {nodes} nodes"),
        paper: "all of these algorithms, however, are amenable to software pipelining, which will push the payload size back into a range where XTQ shows significant benefits, even for very large transfers".into(),
        asked: format!("in segments XTQ is {SIGNIFICANT} % faster than HSA"),
        measured: format!("{with:.1} % with segments, {without:.1} % without"),
        holds: with >= SIGNIFICANT,
        because: format!("{} ns (CPU, HSA, XTQ)", times.join(", ")),
        ..Statement::default()
    })
}

fn overlaps(rows: &[Row], nodes: usize, work_ns: f64) -> Option<Statement> {
    let times = |of| Some(Way::ALL.map(|way| time(rows, of, way, nodes)));
    let [cpu, hsa, xtq] = times(OVERLAPPED)?;
    let (cpu, hsa, xtq) = (cpu?, hsa?, xtq?);
    let alone = times(DIVIDED)?;
    let texts = alone.map(|ns| ns.map_or("-".to_owned(), |ns| format!("{ns:.0}")));
    // Of the time of the allreduce alone, the part in which the work was done too.
    let parts = alone.into_iter().zip([cpu, hsa, xtq]).map(|(alone, both)| {
        alone.map_or("-".to_owned(), |alone| {
            let part = (alone + work_ns - both) / alone * 100.0;
            format!("{part:.0} %")
        })
    });
    Some(Statement {
        of: format!("{OVERLAPPED}, {nodes} nodes"),
        paper: "by freeing the CPU to do independent work, XTQ enables non-blocking variants to achieve substantial computation overlap".into(),
        asked: "with work beside it the allreduce and the work are over first with XTQ".into(),
        measured: format!(
            "CPU {cpu:.0} ns, HSA {hsa:.0} ns, XTQ {xtq:.0} ns; overlap (alone + work - both) / alone: {}",
            parts.collect::<Vec<_>>().join(", ")
        ),
        holds: xtq < hsa && xtq < cpu,
        because: format!(
            "without work {} ns (CPU, HSA, XTQ), the work alone {work_ns:.0} ns",
            texts.join(", ")
        ),
        ..Statement::default()
    })
}

fn only_xtq(rows: &[Row], of: &str) -> Option<Statement> {
    let [hsa, xtq] = [Way::Hsa, Way::Xtq].map(|way| speedup(rows, of, way, MOST));
    let (hsa, xtq) = (hsa?, xtq?);
    Some(Statement {
        paper: ONLY_XTQ.into(),
        number: "64 nodes".into(),
        asked: format!("at {MOST} nodes XTQ is faster than the CPU and HSA is not"),
        measured: format!("HSA {hsa:.3} times as fast, XTQ {xtq:.3} times"),
        holds: xtq > 1.0 && hsa <= 1.0,
        because: format!(
            "CPU {:.0} ns, HSA {:.0} ns, XTQ {:.0} ns",
            time(rows, of, Way::Cpu, MOST)?,
            time(rows, of, Way::Hsa, MOST)?,
            time(rows, of, Way::Xtq, MOST)?
        ),
        ..Statement::default()
    })
}
