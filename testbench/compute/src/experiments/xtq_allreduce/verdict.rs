//! What section V-C says of allreduce, and whether the runs show it.

use super::parameters::{DIVIDED, EACH, OVERLAPPED};
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

/// Time of a reading or system, way and number of ranks, ns.
pub(super) fn time(rows: &[Row], of: &str, way: Way, nodes: usize) -> Option<f64> {
    let is = |row: &&Row| row.of == of && row.way == way && row.nodes == nodes;
    rows.iter().find(is).map(|row| row.ns.mean)
}

/// How many times as fast as the CPU.
pub(super) fn speedup(rows: &[Row], of: &str, way: Way, nodes: usize) -> Option<f64> {
    Some(time(rows, of, Way::Cpu, nodes)? / time(rows, of, way, nodes)?)
}

/// All statements that these rows can show: of both readings, then of the systems beside.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.of.as_str()).collect();
    names.dedup();
    let mut statements = Vec::new();
    for of in names {
        let chart = usize::from(of == EACH);
        let beside = ![DIVIDED, EACH].contains(&of);
        let mut nodes: Vec<usize> = rows
            .iter()
            .filter(|row| row.of == of)
            .map(|row| row.nodes)
            .collect();
        nodes.dedup();
        if of == OVERLAPPED {
            statements.extend(nodes.iter().filter_map(|nodes| overlaps(rows, *nodes)));
            continue;
        }
        let found = [
            small(rows, of, &nodes),
            inflection(rows, of, &nodes),
            only_xtq(rows, of),
        ];
        let found = found.into_iter().flatten();
        statements.extend(found.map(|statement| Statement {
            of: of.to_owned(),
            beside,
            chart,
            ..statement
        }));
    }
    name_where_they_hold(&mut statements);
    statements
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
        paper: "\"for small node counts, the size of each round's messages are large enough to benefit from GPU acceleration with or without XTQ\"".into(),
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
        paper: "\"the inflection point at approximately 12 nodes indicates the point where the overhead of sending more messages outweighs the benefits of less computation\"".into(),
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
                true => format!("XTQ takes {ns:.0} ns at {most} nodes and more with fewer: the time of the data falls faster than that of messages grows"),
                false => format!("XTQ takes {ns:.0} ns there and {:.0} ns at {most}", time(rows, of, Way::Xtq, most)?),
            },
            2 * 11
        ),
        ..Statement::default()
    })
}

fn overlaps(rows: &[Row], nodes: usize) -> Option<Statement> {
    let times = |of| Some(Way::ALL.map(|way| time(rows, of, way, nodes)));
    let [cpu, hsa, xtq] = times(OVERLAPPED)?;
    let (cpu, hsa, xtq) = (cpu?, hsa?, xtq?);
    let alone = times(DIVIDED)?.map(|ns| ns.map_or("-".to_owned(), |ns| format!("{ns:.0}")));
    Some(Statement {
        of: format!("{OVERLAPPED}, {nodes} nodes"),
        paper: "\"by freeing the CPU to do independent work, XTQ enables non-blocking variants to achieve substantial computation overlap\"".into(),
        asked: "with work beside it the allreduce and the work are over first with XTQ".into(),
        measured: format!("CPU {cpu:.0} ns, HSA {hsa:.0} ns, XTQ {xtq:.0} ns"),
        holds: xtq < hsa && xtq < cpu,
        because: format!("without work {} ns (CPU, HSA, XTQ)", alone.join(", ")),
        ..Statement::default()
    })
}

fn only_xtq(rows: &[Row], of: &str) -> Option<Statement> {
    let [hsa, xtq] = [Way::Hsa, Way::Xtq].map(|way| speedup(rows, of, way, MOST));
    let (hsa, xtq) = (hsa?, xtq?);
    Some(Statement {
        paper: "\"only XTQ-enabled GPUs are able to maintain performance improvements over a CPU reduction up to 64 nodes\"".into(),
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
