//! The paper's statements about figure 9, and whether the runs show them.

use super::measure::Way;
use super::report::Row;
use std::ops::RangeInclusive;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Statement;

/// "By 10-20%".
const LEAD: RangeInclusive<f64> = 0.1..=0.2;
/// "Start performing similarly": apart by at most this part of the shortest time.
const SIMILAR: f64 = 0.03;
/// Designs with a GPU.
const GPU: [Design; 4] = [
    Design::InterKernel,
    Design::Apu,
    Design::Dgpu,
    Design::CompNet,
];

/// Times of one size by the paper's system.
struct Size<'a> {
    points: u64,
    way: Way,
    rows: Vec<&'a Row>,
}

impl Size<'_> {
    fn us(&self, design: Design) -> f64 {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.design == design);
        row.map_or(f64::NAN, |row| row.step_us.mean)
    }

    /// How far the designs with a GPU are apart.
    fn apart(&self) -> f64 {
        let times = GPU.map(|design| self.us(design));
        let least = times.into_iter().fold(f64::INFINITY, f64::min);
        times.into_iter().fold(0.0, f64::max) / least - 1.0
    }

    /// By how much the first is faster than the second.
    fn lead(&self, own: Design, other: Design) -> f64 {
        self.us(other) / self.us(own) - 1.0
    }

    fn name(&self) -> String {
        let extrapolated = match self.way {
            Way::Extrapolated => ", extrapolated",
            _ => "",
        };
        format!("{} points{extrapolated}", self.points)
    }
}

/// Sizes upwards; one that is measured both ways is there once, as it crosses the L2.
fn sizes<'a>(rows: &[&'a Row]) -> Vec<Size<'a>> {
    let mut sizes: Vec<Size> = Vec::new();
    for row in rows.iter().copied() {
        match sizes.iter_mut().find(|size| size.points == row.points) {
            None => sizes.push(Size {
                points: row.points,
                way: row.way,
                rows: vec![row],
            }),
            Some(size) if size.way == row.way => size.rows.push(row),
            Some(_) => {}
        }
    }
    sizes.sort_by_key(|size| size.points);
    sizes
}

/// All statements that these rows can show; rows of the paper's system come first, with PCIe of `pcie_ns` and kernels
/// `kernel_ns` apart.
pub fn statements(rows: &[Row], pcie_ns: f64, kernel_ns: f64) -> Vec<Statement> {
    let is_own = |row: &&Row| row.pcie_ns == pcie_ns && row.kernel_ns == kernel_ns;
    let (own, others): (Vec<_>, Vec<_>) = rows.iter().partition(is_own);
    let all = sizes(&own);
    let (Some(smallest), Some(largest)) = (all.first(), all.last()) else {
        return Vec::new();
    };
    let mut statements = vec![first_region(smallest)];
    if largest.points > smallest.points {
        let region: Vec<&Size> = all
            .iter()
            .filter(|size| {
                size.us(Design::CompNet) < size.us(Design::Cpu) && size.apart() > SIMILAR
            })
            .collect();
        for design in [Design::CompNet, Design::Apu] {
            for other in [Design::Dgpu, Design::InterKernel] {
                statements.push(second_region(&region, design, other));
            }
        }
        statements.push(third_region(largest));
    }
    statements.extend(isolated(&all, &others));
    statements
}

fn first_region(size: &Size) -> Statement {
    let cpu = size.us(Design::Cpu);
    let texts: Vec<String> = size.rows.iter().map(|row| text(row)).collect();
    let least = GPU
        .map(|design| size.us(design))
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    Statement {
        of: format!("region 1, {}", size.name()),
        paper: "the CPU performs best, as the problem is much smaller than can be accelerated on the GPU".into(),
        asked: "the shortest time".into(),
        measured: texts.join(", "),
        holds: cpu < least,
        because: "its data lie beside who computes and calls; computing takes next to no time in any design".into(),
        ..Statement::default()
    }
}

fn text(row: &Row) -> String {
    format!("{} {} us", row.design.parts().name, row.step_us)
}

fn second_region(region: &[&Size], own: Design, other: Design) -> Statement {
    let [own_name, other_name] = [own, other].map(|design| design.parts().name);
    let leads: Vec<f64> = region.iter().map(|size| size.lead(own, other)).collect();
    let mean = leads.iter().sum::<f64>() / leads.len().max(1) as f64;
    let (least, most) = (LEAD.start(), LEAD.end());
    let texts = region.iter().zip(&leads);
    let texts = texts.map(|(size, lead)| format!("{:+.0} % at {}", 100.0 * lead, size.name()));
    let texts: Vec<String> = texts.collect();
    let out = match mean {
        _ if region.is_empty() => String::new(),
        mean if mean < *least => format!("{:+.0} points", 100.0 * (mean - least)),
        mean if mean > *most => format!("{:+.0} points", 100.0 * (mean - most)),
        _ => "none".into(),
    };
    Statement {
        of: "region 2: faster than the CPU, and GPUs more than 3 % apart".into(),
        paper: format!("{own_name} performs better than {other_name} by 10-20%"),
        number: "10 to 20 %".into(),
        asked: "10 to 20 % on the mean of the region's sizes".into(),
        measured: match region.is_empty() {
            true => "there is no such size".into(),
            false => format!("{:+.0} %: {}", 100.0 * mean, texts.join(", ")),
        },
        difference: out,
        holds: !region.is_empty() && LEAD.contains(&mean),
        because: match other {
            Design::InterKernel => "10 us between two kernels stand against messages that go while the kernel runs; the runs with 0 us beside say how much that is".into(),
            _ => "each call crosses PCIe between work-group and host; the runs without PCIe beside say how much that is".into(),
        },
        ..Statement::default()
    }
}

fn third_region(size: &Size) -> Statement {
    let apart = size.apart();
    let times = size.rows.iter().filter(|row| GPU.contains(&row.design));
    let texts: Vec<String> = times.map(|row| text(row)).collect();
    Statement {
        of: format!("region 3, {}", size.name()),
        paper: "all the GPU versions start performing similarly".into(),
        asked: format!("at most {:.0} % apart", 100.0 * SIMILAR),
        measured: format!("{}: {:.1} % apart", texts.join(", "), 100.0 * apart),
        holds: apart <= SIMILAR,
        because: "computing is the same in all, and takes most of the time".into(),
        ..Statement::default()
    }
}

/// The lead over dGPU without PCIe, and over Inter-Kernel without time between kernels.
fn isolated(own: &[Size], others: &[&Row]) -> Vec<Statement> {
    let time = |design, free: fn(&Row) -> bool| {
        let mut rows = others.iter().copied().filter(|row| free(row));
        rows.find(|row| row.design == design)
    };
    let no_pcie: fn(&Row) -> bool = |row| row.pcie_ns == 0.0;
    let no_kernel: fn(&Row) -> bool = |row| row.kernel_ns == 0.0;
    let mut statements = Vec::new();
    let mut add = |other: &Row, comp_net: &Row, without: &str| {
        let lead = other.step_us.mean / comp_net.step_us.mean - 1.0;
        let size = own.iter().find(|size| size.points == other.points);
        let with = size.map_or(f64::NAN, |size| size.lead(Design::CompNet, other.design));
        let name = other.design.parts().name;
        statements.push(Statement {
            of: format!("{} points, {without}", other.points),
            beside: true,
            paper: format!("ComP-Net performs better than {name} by 10-20%"),
            number: "10 to 20 %".into(),
            asked: "10 to 20 %".into(),
            measured: format!(
                "{}, {}: {:+.0} %",
                text(other),
                text(comp_net),
                100.0 * lead
            ),
            difference: format!(
                "{:+.0} points from {:+.0} % with it",
                100.0 * (lead - with),
                100.0 * with
            ),
            holds: LEAD.contains(&lead),
            because: format!("what the lead is {without}"),
            ..Statement::default()
        });
    };
    if let (Some(other), Some(own)) = (time(Design::Dgpu, no_pcie), time(Design::CompNet, no_pcie))
    {
        add(other, own, "without PCIe (0 ns)");
    }
    if let Some(other) = time(Design::InterKernel, no_kernel) {
        let size = own.iter().find(|size| size.points == other.points);
        let comp_net =
            size.and_then(|size| size.rows.iter().find(|row| row.design == Design::CompNet));
        if let Some(comp_net) = comp_net {
            add(other, comp_net, "with 0 us between kernels");
        }
    }
    statements
}
