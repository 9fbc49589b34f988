//! What the paper expects of NWChem, and whether the runs show it.

use super::parameters::PLAIN;
use super::run::Row;
use crate::experiments::variants::name_where_they_hold;
use crate::mpi::Way;
use xtq_testbench::experiments::Statement;

/// "Measurable": less time by more than the interval of chance, and at least so much, in a hundred.
const MEASURABLE: f64 = 1.0;

fn row<'a>(rows: &'a [Row], of: &str, way: Way, epoch: usize) -> Option<&'a Row> {
    rows.iter()
        .find(|row| row.of == of && row.way == way && row.epoch == epoch)
}

/// Time of a system, way and length of epochs, ns.
pub(super) fn time(rows: &[Row], of: &str, way: Way, epoch: usize) -> Option<f64> {
    row(rows, of, way, epoch).map(|row| row.ns.mean)
}

/// All statements that these rows can show: with epochs of one accumulate, then longer ones and other systems.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let mut points: Vec<(&str, usize)> = rows
        .iter()
        .map(|row| (row.of.as_str(), row.epoch))
        .collect();
    points.dedup();
    let first = points.first().copied();
    let mut statements = Vec::new();
    for (of, epoch) in points {
        let found = [gains(rows, of, epoch), frees(rows, of, epoch)];
        statements.extend(found.into_iter().flatten().map(|statement| Statement {
            of: format!("{of}, epochs of {epoch}"),
            beside: of != PLAIN || Some((of, epoch)) != first,
            ..statement
        }));
    }
    if !statements.is_empty() {
        statements.push(profile());
    }
    name_where_they_hold(&mut statements);
    statements
}

/// What is said of the profile of another run, which a trace cannot show.
fn profile() -> Statement {
    Statement {
        number: "58 % and 43 %".into(),
        ..Statement::not_measured(
            "tce_ozone",
            "\"the tce_ozone workload from the NWChem regression tests spends over 58% of its time in the MPI library on a 4 node cluster\", \"43% of its total execution time performing accumulate-related operations\"",
            "times of the trace serve only to order calls: another workload was recorded, on one machine, with processes that share its cores; how long it computes between calls says nothing about the paper's cluster",
        )
    }
}

fn ways<'a>(rows: &'a [Row], of: &str, epoch: usize) -> Option<[&'a Row; 3]> {
    let of_way = |way| row(rows, of, way, epoch);
    Some([of_way(Way::Cpu)?, of_way(Way::Hsa)?, of_way(Way::Xtq)?])
}

fn gains(rows: &[Row], of: &str, epoch: usize) -> Option<Statement> {
    let [cpu, hsa, xtq] = ways(rows, of, epoch)?;
    let over = |other: &Row| (other.ns.mean / xtq.ns.mean - 1.0) * 100.0;
    let apart = |other: &Row| other.ns.mean - other.ns.half > xtq.ns.mean + xtq.ns.half;
    let (over_cpu, over_hsa) = (over(cpu), over(hsa));
    Some(Statement {
        paper: "our expectation from the profiling data is that NWChem will realize measurable benefits from XTQ-based GPU acceleration".into(),
        number: "none: it could not be simulated".into(),
        asked: format!("XTQ is at least {MEASURABLE} % faster than CPU and HSA, and the intervals do not meet"),
        measured: format!("{over_cpu:.1} % faster than CPU, {over_hsa:.1} % than HSA"),
        holds: over_cpu >= MEASURABLE && over_hsa >= MEASURABLE && apart(cpu) && apart(hsa),
        because: format!(
            "CPU {} ns, HSA {} ns, XTQ {} ns for {} accumulates; {} more were to the own rank ({:.0} ns of it)",
            cpu.ns, hsa.ns, xtq.ns, xtq.remote, xtq.own, xtq.own_ns
        ),
        chart: 0,
        ..Statement::default()
    })
}

fn frees(rows: &[Row], of: &str, epoch: usize) -> Option<Statement> {
    let [cpu, hsa, xtq] = ways(rows, of, epoch)?;
    Some(Statement {
        paper: "XTQ \"frees a CPU thread from message processing\"; accumulates relieve \"the target-side MPI process from receiving data and executing the operation\"".into(),
        asked: "the application threads are busy for less time with XTQ than with CPU or HSA".into(),
        measured: format!(
            "CPU {} ns, HSA {} ns, XTQ {} ns",
            cpu.busy_ns, hsa.busy_ns, xtq.busy_ns
        ),
        holds: xtq.busy_ns.mean < cpu.busy_ns.mean && xtq.busy_ns.mean < hsa.busy_ns.mean,
        because: format!(
            "of all ranks together; the progress threads that acknowledge are busy for {:.0} ns beside them",
            xtq.progress_ns
        ),
        chart: 1,
        ..Statement::default()
    })
}
