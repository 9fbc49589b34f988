//! The paper's statements about figure 11, and whether the projection shows them.

use super::report::Projection;
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
    let mut statements = vec![largest_step(all)];
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
            statements.push(number(
                name,
                &paper,
                one.gain,
                gain,
                std::slice::from_ref(one),
            ));
        }
    }
    let of = |name| all.iter().find(|one| one.name == name).map(|one| one.gain);
    if let [Some(lstm), Some(cifar)] = NAMED.map(|(name, _)| of(name)) {
        let ends = gains().all(|gain| gain <= lstm && gain >= cifar);
        statements.push(Statement {
            of: "all networks".into(),
            paper: "from 11% in AN4 LSTM to 2% in CIFAR: the most and the least".into(),
            asked: "AN4 LSTM gains most, CIFAR least".into(),
            measured: texts(all, |one| {
                format!("{} {:+.1} %", one.name, 100.0 * one.gain)
            }),
            holds: ends && lstm > cifar,
            because: "the order is that of the stated shares, weighted with the lead for each size"
                .into(),
            ..Statement::default()
        });
    }
    statements
}

fn texts(all: &[Projection], text: impl Fn(&Projection) -> String) -> String {
    all.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// "The biggest jump in performance occurs when switching from a CPU-based reduction to a GPU-based one."
fn largest_step(all: &[Projection]) -> Statement {
    let jump = |one: &Projection| 1.0 / one.cpu - 1.0;
    Statement {
        of: "all networks".into(),
        paper: "the biggest jump in performance occurs when switching from a CPU-based reduction to a GPU-based one".into(),
        asked: "CPU to dGPU gains more than dGPU to ComP-Net, in each".into(),
        measured: texts(all, |one| {
            format!("{}: {:+.1} %, then {:+.1} %", one.name, 100.0 * jump(one), 100.0 * one.gain)
        }),
        holds: all.iter().all(|one| jump(one) > one.gain),
        because: "here the CPU's vectors lie in its own memory, and no copy from the GPU is counted; its ring is the fastest or close to it".into(),
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
        of: of.into(),
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
