//! The paper's statements about figure 11, and whether the projection shows them.

use super::projection::Projection;
use xtq_testbench::experiments::Statement;

/// "5% on average", "11% in AN4 LSTM", "2% in CIFAR".
const MEAN: f64 = 0.05;
const NAMED: [(&str, f64); 2] = [("AN4 LSTM", 0.11), ("CIFAR", 0.02)];
/// A number comes out if it is within this part of the paper's.
const NEAR: f64 = 0.25;

/// All statements about these projections; the first is that of the largest gain.
pub fn statements(all: &[Projection]) -> Vec<Statement> {
    if all.is_empty() {
        return Vec::new();
    }
    let gains = || all.iter().map(|one| one.gain);
    let mean = gains().sum::<f64>() / all.len() as f64;
    let mut statements = vec![largest_step(all, "dGPU", |_| 1.0)];
    statements.push(number(
        "the mean of all",
        "improves total workload performance over a dGPU baseline by 5% on average",
        mean,
        MEAN,
        all,
    ));
    for (name, gain) in NAMED {
        if let Some(one) = all.iter().find(|one| one.name == name) {
            let paper = format!("{:.0}% in {name}", 100.0 * gain);
            let one = std::slice::from_ref(one);
            statements.push(number(name, &paper, one[0].gain, gain, one));
        }
    }
    let of = |name| all.iter().find(|one| one.name == name).map(|one| one.gain);
    if let [Some(lstm), Some(cifar)] = NAMED.map(|(name, _)| of(name)) {
        let ends = gains().all(|gain| gain <= lstm && gain >= cifar);
        statements.push(Statement {
            of: format!("all networks{}", mark(all)),
            // The shares are stated, and most and least of them are those of these two.
            beside: true,
            paper: "from 11% in AN4 LSTM to 2% in CIFAR: the most and the least".into(),
            asked: "AN4 LSTM gains most, CIFAR least".into(),
            measured: texts(all, |one| {
                format!("{} {:+.1} %", one.name, 100.0 * one.gain)
            }),
            holds: ends && lstm > cifar,
            because: format!(
                "the order is that of the stated shares, weighted with the lead for each size: {}",
                texts(all, |one| format!(
                    "{:.2} of {:+.1} %",
                    one.share,
                    100.0 * one.lead
                ))
            ),
            ..Statement::default()
        });
    }
    let first = largest_step(all, "Inter-Kernel", |one| one.inter_kernel);
    statements.push(Statement {
        of: format!("{}, Inter-Kernel as the GPU-based one", first.of),
        beside: true,
        ..first
    });
    statements
}

fn texts(all: &[Projection], text: impl Fn(&Projection) -> String) -> String {
    all.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Of how many of them the allreduce is extrapolated.
fn mark(all: &[Projection]) -> String {
    match all.iter().filter(|one| one.extrapolated).count() {
        0 => String::new(),
        some if some == all.len() => ", allreduce extrapolated".into(),
        some => format!(", allreduce of {some} extrapolated"),
    }
}

/// "The biggest jump in performance occurs when switching from a CPU-based reduction to a GPU-based one": by which of
/// the designs it is GPU-based, and its speed.
fn largest_step(all: &[Projection], name: &str, speed: fn(&Projection) -> f64) -> Statement {
    let jump = |one: &Projection| speed(one) / one.cpu - 1.0;
    let then = |one: &Projection| (1.0 + one.gain) / speed(one) - 1.0;
    let is_biggest = |one: &&Projection| jump(one) > 0.0 && jump(one) > then(one);
    let others: Vec<&str> = all
        .iter()
        .filter(|one| !is_biggest(one))
        .map(|one| one.name.as_str())
        .collect();
    Statement {
        of: format!("all networks{}", mark(all)),
        paper: "the biggest jump in performance occurs when switching from a CPU-based reduction to a GPU-based one".into(),
        asked: format!("CPU to {name} gains, and more than {name} to ComP-Net, in each"),
        measured: texts(all, |one| {
            format!("{}: {:+.1} %, then {:+.1} %", one.name(), 100.0 * jump(one), 100.0 * then(one))
        }),
        holds: others.is_empty(),
        because: match others.is_empty() {
            true => "one ring of the hosts does not hide adding behind the wire, as several rings do".into(),
            false => format!(
                "not with {}: the CPU's vectors lie in its own memory, and no copy from the GPU is counted, so that with its short steps it is about as fast or faster",
                others.join(", ")
            ),
        },
        ..Statement::default()
    }
}

fn number(of: &str, paper: &str, gain: f64, want: f64, all: &[Projection]) -> Statement {
    let lead = all.iter().map(|one| one.lead).sum::<f64>() / all.len() as f64;
    // The share at which a lead gives the gain: gain = 1 / (1 - share (1 - 1 / lead)) - 1.
    let share = (want / (1.0 + want)) / (1.0 - 1.0 / (1.0 + lead));
    let needed = match share {
        share if lead > 0.0 && share < 1.0 => format!("a share of {share:.2} would give it"),
        _ => "no share would give it".to_owned(),
    };
    Statement {
        of: format!("{of}{}", mark(all)),
        paper: paper.into(),
        number: format!("{:.0} %", 100.0 * want),
        asked: format!(
            "{:.1} to {:.1} %",
            100.0 * want * (1.0 - NEAR),
            100.0 * want * (1.0 + NEAR)
        ),
        measured: format!("{:+.1} %", 100.0 * gain),
        difference: format!("{:+.1} points", 100.0 * (gain - want)),
        holds: (gain / want - 1.0).abs() <= NEAR,
        because: format!(
            "its allreduce is {:+.1} % faster than dGPU's; {needed}",
            100.0 * lead
        ),
        ..Statement::default()
    }
}
