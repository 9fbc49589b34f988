//! The paper's statements about figure 10, and whether the runs show them.

use super::fit::{Times, wire_us};
use super::parameters::{DESIGNS, Energy, Sweep};
use super::point::Variant;
use super::row::Row;
use crate::experiments::SIMILAR;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Statement;

/// "50% more energy efficient".
const HALF: f64 = 0.5;
/// So many times more or less still counts as it, as in `compnet-threads`.
const NEAR: f64 = 1.5;
/// A line is good if it is off by this part at most.
const OFF: f64 = 0.01;
/// Designs with a GPU.
const GPU: [Design; 4] = [
    Design::InterKernel,
    Design::Apu,
    Design::Dgpu,
    Design::CompNet,
];

/// Times of the figure's vector on a number of nodes, all by a line.
struct Size {
    nodes: usize,
    bytes: u64,
    /// Nothing ran on so many nodes.
    by_steps: bool,
    times: Vec<(Design, f64)>,
}

impl Size {
    fn us(&self, design: Design) -> f64 {
        let mut times = self.times.iter();
        let time = times.find(|one| one.0 == design);
        time.map_or(f64::NAN, |one| one.1)
    }

    fn lead(&self, other: Design) -> f64 {
        self.us(other) / self.us(Design::CompNet) - 1.0
    }

    fn name(&self) -> String {
        let mark = if self.by_steps { ", by steps" } else { "" };
        format!("{} nodes{mark}", self.nodes)
    }

    fn text(&self, designs: &[Design]) -> String {
        let texts = designs.iter();
        let texts =
            texts.map(|design| format!("{} {:.0} us", design.parts().name, self.us(*design)));
        texts.collect::<Vec<_>>().join(", ")
    }
}

/// By which part the line of a design is off a row.
pub(super) fn off(rows: &[Row], design: Design, row: &Row, sizes: &[u64]) -> Option<f64> {
    let times = Times::of(rows, design);
    let measured = times.measured(row.nodes, row.bytes)?;
    Some(times.at(row.nodes, row.bytes, sizes)? / measured - 1.0)
}

/// All statements that these rows can show, about the vector of the figure.
pub fn statements(rows: &[Row], sweep: &Sweep, energy: &Energy) -> Vec<Statement> {
    let bytes = sweep.extrapolated_bytes;
    let time = |design, nodes| Times::of(rows, design).at(nodes, bytes, &sweep.bytes);
    let mut numbers = sweep.nodes.clone();
    numbers.extend(&sweep.extrapolated_nodes);
    numbers.sort_unstable();
    numbers.dedup();
    let (mut all, mut without) = (Vec::new(), Vec::new());
    for nodes in numbers {
        let times = DESIGNS.map(|design| time(design, nodes).map(|us| (design, us)));
        let missing = DESIGNS.into_iter().zip(times).filter(|one| one.1.is_none());
        without.extend(missing.map(|(design, _)| format!("{} on {nodes}", design.parts().name)));
        let times: Option<Vec<_>> = times.into_iter().collect();
        all.extend(times.map(|times| Size {
            nodes,
            bytes,
            by_steps: !sweep.nodes.contains(&nodes),
            times,
        }));
    }
    let mut statements = Vec::new();
    let measured: Vec<&Size> = all.iter().filter(|size| !size.by_steps).collect();
    let every: Vec<&Size> = all.iter().collect();
    if let [fewest, ..] = every[..] {
        let small = "the GPU results all look similar for a small number of nodes";
        statements.push(similar(fewest, small, &GPU));
    }
    if let [_, .., most] = every[..] {
        for other in [Design::Dgpu, Design::InterKernel] {
            statements.push(grows(&every, other));
        }
        let except = "the benefits of ComP-Net are over competing approaches (except APU)";
        statements.push(similar(most, except, &[Design::Apu, Design::CompNet]));
        statements.push(cpu_best(&every));
    }
    if let Some(size) = measured.last() {
        for other in [Design::Dgpu, Design::Apu] {
            statements.push(saves(size, other, energy));
        }
    }
    let beside = |one| Statement {
        beside: true,
        ..one
    };
    if measured.len() < every.len()
        && let [_, .., most] = measured[..]
    {
        let alone = "the benefits of ComP-Net are over competing approaches (except APU)";
        let judged = [
            grows(&measured, Design::Dgpu),
            grows(&measured, Design::InterKernel),
            similar(most, alone, &[Design::Apu, Design::CompNet]),
            cpu_best(&measured),
        ];
        statements.extend(judged.map(|one| Statement {
            of: format!("{}; only numbers of nodes that ran", one.of),
            ..beside(one)
        }));
    }
    for one in &mut statements {
        one.of = format!("{bytes} bytes, extrapolated, {}", one.of);
    }
    statements.extend(line(rows, sweep).map(beside));
    // With one size nobody asked for a line.
    if !without.is_empty() && sweep.bytes.len() > 1 && !rows.is_empty() {
        statements.push(beside(Statement {
            of: format!("{bytes} bytes"),
            paper: "a time for every number of nodes".into(),
            asked: "a line that is not flatter than the wire".into(),
            measured: format!("not extrapolated: {}", without.join(", ")),
            because: "these vectors are too small: latencies hide their bytes".into(),
            ..Statement::default()
        }));
    }
    statements
}

fn similar(size: &Size, paper: &str, designs: &[Design]) -> Statement {
    let times = || designs.iter().map(|design| size.us(*design));
    let least = times().fold(f64::INFINITY, f64::min);
    let apart = times().fold(0.0, f64::max) / least - 1.0;
    let wire = wire_us(size.nodes, size.bytes);
    let texts = designs.iter().map(|design| {
        let rest = size.us(*design) - wire;
        format!("{} {rest:.0} us", design.parts().name)
    });
    let texts = texts.collect::<Vec<_>>().join(", ");
    Statement {
        of: size.name(),
        paper: paper.into(),
        asked: format!("at most {:.0} % apart", 100.0 * SIMILAR),
        measured: format!("{}: {:.1} % apart", size.text(designs), 100.0 * apart),
        holds: apart <= SIMILAR,
        because: format!(
            "the wire takes {wire:.0} us of each; the rest, {texts}, is what the steps in a row of each ring, its calls and its adding cost"
        ),
        ..Statement::default()
    }
}

fn grows(all: &[&Size], other: Design) -> Statement {
    let leads: Vec<f64> = all.iter().map(|size| size.lead(other)).collect();
    let texts = all.iter().zip(&leads);
    let texts = texts.map(|(size, lead)| format!("{:+.1} % on {}", 100.0 * lead, size.name()));
    let texts: Vec<String> = texts.collect();
    let name = other.parts().name;
    let last = leads.last().copied().unwrap_or(0.0);
    let holds = last > 0.0 && leads.is_sorted_by(|a, b| a < b);
    let apart = all.last().map_or(0.0, |size| {
        let steps = 2.0 * (size.nodes as f64 - 1.0);
        (size.us(other) - size.us(Design::CompNet)) / steps
    });
    let reason = match (other, holds) {
        (Design::InterKernel, true) => "each step that adds has a kernel boundary",
        (Design::InterKernel, false) => {
            "each step that adds has a kernel boundary, but a step's bytes count more"
        }
        (_, true) => "a step has two calls from the other side of PCIe",
        (_, false) => {
            "a step has two calls from the other side of PCIe, but a core of the host computes a call faster than the command processor, and most of a step is the wire and the NIC's PCIe, which both have"
        }
    };
    Statement {
        of: "all numbers of nodes".into(),
        paper: format!(
            "the benefits of ComP-Net over {name} become more pronounced as the number of nodes increases"
        ),
        asked: "ahead at the end, and more so with each number of nodes".into(),
        measured: texts.join(", "),
        holds,
        because: format!(
            "{reason}; at the end a step of {name} takes {apart:+.2} us more than one of ComP-Net"
        ),
        ..Statement::default()
    }
}

fn cpu_best(all: &[&Size]) -> Statement {
    let least = |size: &Size| {
        let times = GPU.iter().map(|design| size.us(*design));
        times.fold(f64::INFINITY, f64::min)
    };
    let wins = |size: &Size| size.us(Design::Cpu) < least(size);
    let texts = all.iter().map(|size| {
        let (cpu, gpu) = (size.us(Design::Cpu), least(size));
        format!("CPU {cpu:.0}, best GPU {gpu:.0} us on {}", size.name())
    });
    let texts: Vec<String> = texts.collect();
    let (first, last) = (all.first(), all.last());
    let [few, many] = [first, last].map(|size| size.is_some_and(|size| wins(size)));
    Statement {
        of: "all numbers of nodes".into(),
        paper: "eventually the reduction is optimally calculated on the CPU".into(),
        asked: "not the CPU on the fewest nodes, the CPU on the most".into(),
        measured: texts.join(", "),
        holds: !few && many,
        because: match (few, many) {
            (false, true) => "bytes decide on few nodes, steps on many: a step is shortest on the CPU, whose queue and flags are in its own caches",
            (true, true) => "the CPU is best everywhere: its cores add as fast as bytes come, and its steps are shortest",
            (_, false) => "its steps are shortest, but one ring does not hide adding behind the wire as several do, and this many nodes do not make up for it",
        }
        .into(),
        ..Statement::default()
    }
}

fn saves(size: &Size, other: Design, energy: &Energy) -> Statement {
    let times = size.us(Design::CompNet) / size.us(other);
    let ratio = times * energy.cp_watts / energy.host_watts;
    let name = other.parts().name;
    // Each of the two may be off by the factor, in opposite directions.
    let factor = energy.factor * energy.factor;
    Statement {
        of: size.name(),
        paper: format!("ComP-Net is 50% more energy efficient than {name} (service threads only)"),
        number: "50 %".into(),
        asked: format!(
            "{HALF} of its energy within a factor {NEAR}, with the constants as they are"
        ),
        measured: format!(
            "{ratio:.2} of its energy; {:.2} to {:.2} if each power is off by a factor {}",
            ratio / factor,
            ratio * factor,
            energy.factor
        ),
        difference: format!("{:.2} times", ratio / HALF),
        holds: (HALF / NEAR..=HALF * NEAR).contains(&ratio),
        because: format!(
            "threads poll all the time, so the powers decide, {} W against {} W; the runs only say that times are {times:.2} of each other",
            energy.cp_watts, energy.host_watts
        ),
        chart: 1,
        ..Statement::default()
    }
}

/// How good the lines are, where a size ran that they are not made of.
fn line(rows: &[Row], sweep: &Sweep) -> Option<Statement> {
    let ends = [sweep.bytes.first(), sweep.bytes.last()];
    let others = rows.iter().filter(|row| row.variant == Variant::Base);
    let others = others.filter(|row| !ends.contains(&Some(&row.bytes)));
    let all = others.map(|row| (row, off(rows, row.design, row, &sweep.bytes)));
    let all: Vec<_> = all.collect();
    let worst = all.iter().max_by(|a, b| {
        let of = |one: Option<f64>| one.map_or(f64::INFINITY, f64::abs);
        of(a.1).total_cmp(&of(b.1))
    })?;
    let worst_off = worst.1.unwrap_or(f64::NAN);
    let good = all
        .iter()
        .filter(|one| one.1.is_some_and(|off| off.abs() <= OFF));
    let name = worst.0.design.parts().name;
    let worst_text = format!(
        "{:+.1} % at worst, {name} with {} bytes on {} nodes",
        100.0 * worst_off,
        worst.0.bytes,
        worst.0.nodes
    );
    Some(Statement {
        of: format!("the lines, {} sizes that they are not made of", all.len()),
        paper: "(not the paper's) a time is a + b bytes".into(),
        asked: format!("all within {:.0} %", 100.0 * OFF),
        measured: format!("{worst_text}; {} within it", good.count()),
        holds: worst_off.abs() <= OFF,
        because: "differences between designs that are smaller than this say nothing".into(),
        ..Statement::default()
    })
}
