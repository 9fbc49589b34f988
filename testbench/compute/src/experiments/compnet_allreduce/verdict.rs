//! The paper's statements about figure 10, and whether the runs show them.

use super::fit::Times;
use super::parameters::{DESIGNS, Energy, Sweep};
use super::report::Row;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Statement;

/// "All look similar": apart by at most this part of the shortest time.
const SIMILAR: f64 = 0.1;
/// "50% more energy efficient".
const HALF: f64 = 0.5;
/// Designs with a GPU.
const GPU: [Design; 4] = [
    Design::InterKernel,
    Design::Apu,
    Design::Dgpu,
    Design::CompNet,
];

/// All statements that these rows can show, about the vector of the figure.
pub fn statements(rows: &[Row], sweep: &Sweep, energy: &Energy) -> Vec<Statement> {
    let time =
        |design, nodes| Times::of(rows, design).at(nodes, sweep.extrapolated_bytes, &sweep.bytes);
    let mut numbers = sweep.nodes.clone();
    numbers.extend(&sweep.extrapolated_nodes);
    numbers.sort_unstable();
    numbers.dedup();
    let of = |nodes| DESIGNS.map(|design| time(design, nodes).map(|us| (design, us)));
    let mut all: Vec<(usize, Vec<(Design, f64)>)> = Vec::new();
    for nodes in numbers {
        let times: Option<Vec<_>> = of(nodes).into_iter().collect();
        all.extend(times.map(|times| (nodes, times)));
    }
    let (Some(fewest), Some(most)) = (all.first(), all.last()) else {
        return Vec::new();
    };
    let mut statements = vec![similar(
        fewest,
        "the GPU results all look similar for a small number of nodes",
        &GPU,
    )];
    if fewest.0 < most.0 {
        for other in [Design::Dgpu, Design::InterKernel] {
            statements.push(grows(&all, other));
        }
        let except = "the benefits of ComP-Net are over competing approaches (except APU)";
        statements.push(similar(most, except, &[Design::Apu, Design::CompNet]));
        statements.push(cpu_best(&all));
    }
    let largest = sweep
        .nodes
        .iter()
        .max()
        .and_then(|nodes| all.iter().find(|size| size.0 == *nodes));
    if let Some(size) = largest {
        for other in [Design::Dgpu, Design::Apu] {
            statements.push(saves(size, other, energy));
        }
    }
    let name = format!("{} bytes, extrapolated, ", sweep.extrapolated_bytes);
    statements
        .into_iter()
        .map(|one| Statement {
            of: name.clone() + &one.of,
            ..one
        })
        .collect()
}

fn us(size: &(usize, Vec<(Design, f64)>), design: Design) -> f64 {
    let mut times = size.1.iter();
    times
        .find(|one| one.0 == design)
        .map_or(f64::NAN, |one| one.1)
}

fn text(size: &(usize, Vec<(Design, f64)>), designs: &[Design]) -> String {
    let texts = designs
        .iter()
        .map(|design| format!("{} {:.0} us", design.parts().name, us(size, *design)));
    texts.collect::<Vec<_>>().join(", ")
}

fn similar(size: &(usize, Vec<(Design, f64)>), paper: &str, designs: &[Design]) -> Statement {
    let times = || designs.iter().map(|design| us(size, *design));
    let least = times().fold(f64::INFINITY, f64::min);
    let apart = times().fold(0.0, f64::max) / least - 1.0;
    Statement {
        of: format!("{} nodes", size.0),
        paper: paper.into(),
        asked: format!("at most {:.0} % apart", 100.0 * SIMILAR),
        measured: format!("{}: {:.1} % apart", text(size, designs), 100.0 * apart),
        holds: apart <= SIMILAR,
        because: "most of the time is that of bytes: on the wire, over PCIe to the NIC, and through whoever adds".into(),
        ..Statement::default()
    }
}

fn grows(all: &[(usize, Vec<(Design, f64)>)], other: Design) -> Statement {
    let leads: Vec<f64> = all
        .iter()
        .map(|size| us(size, other) / us(size, Design::CompNet) - 1.0)
        .collect();
    let texts = all
        .iter()
        .zip(&leads)
        .map(|(size, lead)| format!("{:+.1} % on {}", 100.0 * lead, size.0));
    let texts: Vec<String> = texts.collect();
    let name = other.parts().name;
    let last = leads.last().copied().unwrap_or(0.0);
    Statement {
        of: "all numbers of nodes".into(),
        paper: format!("the benefits of ComP-Net over {name} become more pronounced as the number of nodes increases"),
        asked: "ahead at the end, and more so with each number of nodes".into(),
        measured: texts.join(", "),
        holds: last > 0.0 && leads.is_sorted_by(|a, b| a < b),
        because: match other {
            Design::InterKernel => "a kernel boundary of 10 us in each step that adds, more of them with more nodes".into(),
            _ => "a step has two calls whose queue is on the other side of PCIe, more steps with more nodes".into(),
        },
        ..Statement::default()
    }
}

fn cpu_best(all: &[(usize, Vec<(Design, f64)>)]) -> Statement {
    let wins = |size: &(usize, Vec<(Design, f64)>)| {
        let cpu = us(size, Design::Cpu);
        GPU.iter().all(|design| cpu < us(size, *design))
    };
    let texts = all.iter().map(|size| {
        let best = if wins(size) { "CPU" } else { "a GPU" };
        format!("{best} on {}", size.0)
    });
    let texts: Vec<String> = texts.collect();
    let last = all.last();
    Statement {
        of: "all numbers of nodes".into(),
        paper: "eventually the reduction is optimally calculated on the CPU".into(),
        asked: "not the CPU on the fewest nodes, the CPU on the most".into(),
        measured: texts.join(", "),
        holds: all.first().is_some_and(|size| !wins(size)) && last.is_some_and(wins),
        because: "a step is shortest on the CPU, whose queue and flags are in its own caches; one core adds as fast as it loads lines".into(),
        ..Statement::default()
    }
}

fn saves(size: &(usize, Vec<(Design, f64)>), other: Design, energy: &Energy) -> Statement {
    let ratio = us(size, Design::CompNet) * energy.cp_watts / (us(size, other) * energy.host_watts);
    let name = other.parts().name;
    let [least, most] = [ratio / energy.factor, ratio * energy.factor];
    Statement {
        of: format!("{} nodes", size.0),
        paper: format!("ComP-Net is 50% more energy efficient than {name} (service threads only)"),
        number: "50 %".into(),
        asked: format!(
            "at most {HALF} of its energy, with constants {} times off too",
            energy.factor
        ),
        measured: format!("{ratio:.2} of its energy, {least:.2} to {most:.2}"),
        difference: format!("{:+.2}", ratio - HALF),
        holds: most <= HALF,
        because: format!(
            "threads poll all the time, {} W against {} W; times are {:.2} of each other",
            energy.cp_watts,
            energy.host_watts,
            us(size, Design::CompNet) / us(size, other)
        ),
        chart: 1,
        ..Statement::default()
    }
}
