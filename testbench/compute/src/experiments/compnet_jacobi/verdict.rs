//! The paper's statements about figure 9, and whether the runs show them.

use super::point::{Variant, Way};
use super::row::Row;
use crate::experiments::SIMILAR;
use std::ops::RangeInclusive;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Statement;

/// "By 10-20%".
const LEAD: RangeInclusive<f64> = 0.1..=0.2;
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
    /// How those of the GPU came about.
    way: Way,
    rows: Vec<&'a Row>,
}

impl Size<'_> {
    fn row(&self, design: Design) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.design == design).copied()
    }

    fn us(&self, design: Design) -> f64 {
        self.row(design).map_or(f64::NAN, |row| row.step_us.mean)
    }

    fn compute_us(&self, design: Design) -> f64 {
        self.row(design).map_or(f64::NAN, |row| row.compute_us)
    }

    /// Whether the first is faster than the second by more than their intervals.
    fn is_ahead(&self, own: Design, other: Design) -> bool {
        let rows = self.row(own).zip(self.row(other));
        rows.is_some_and(|(own, other)| {
            own.step_us.mean + own.step_us.half < other.step_us.mean - other.step_us.half
        })
    }

    /// Shortest and longest time of the designs with a GPU.
    fn ends(&self) -> [f64; 2] {
        let times = GPU.map(|design| self.us(design));
        let least = times.into_iter().fold(f64::INFINITY, f64::min);
        [least, times.into_iter().fold(0.0, f64::max)]
    }

    /// How far the designs with a GPU are apart.
    fn apart(&self) -> f64 {
        let [least, most] = self.ends();
        most / least - 1.0
    }

    /// By how much the first is faster than the second.
    fn lead(&self, own: Design, other: Design) -> f64 {
        self.us(other) / self.us(own) - 1.0
    }

    fn name(&self) -> String {
        let mark = match self.way {
            Way::Streams => "",
            Way::Roofline => ", rows by the roofline",
            Way::Extrapolated => ", extrapolated",
        };
        format!("{} points{mark}", self.points)
    }
}

/// Sizes upwards; one that is measured both ways is there once, as it crosses the L2.
fn sizes<'a>(rows: &[&'a Row]) -> Vec<Size<'a>> {
    let mut sizes: Vec<Size> = Vec::new();
    let (cpu, gpu): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.design == Design::Cpu);
    for row in gpu {
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
    for size in &mut sizes {
        let mut rows = cpu.iter().copied();
        let own = rows.find(|row| row.points == size.points);
        size.rows.splice(0..0, own);
    }
    sizes.sort_by_key(|size| size.points);
    sizes
}

/// All statements that these rows can show.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let (own, others): (Vec<_>, Vec<_>) = rows
        .iter()
        .partition(|row: &&Row| row.variant == Variant::Base);
    let all = sizes(&own);
    let (Some(smallest), Some(largest)) = (all.first(), all.last()) else {
        return Vec::new();
    };
    let mut statements = vec![first_region(smallest)];
    if largest.points > smallest.points {
        let region: Vec<&Size> = all
            .iter()
            .filter(|size| size.is_ahead(Design::CompNet, Design::Cpu) && size.apart() > SIMILAR)
            .collect();
        for design in [Design::CompNet, Design::Apu] {
            for other in [Design::Dgpu, Design::InterKernel] {
                statements.push(second_region(&all, &region, (design, other), &others));
            }
        }
        statements.push(third_region(&all, largest));
    }
    statements
}

fn text(row: &Row) -> String {
    format!("{} {} us", row.design.parts().name, row.step_us)
}

fn first_region(size: &Size) -> Statement {
    let texts: Vec<String> = size.rows.iter().map(|row| text(row)).collect();
    let fastest = GPU
        .into_iter()
        .min_by(|a, b| size.us(*a).total_cmp(&size.us(*b)))
        .unwrap_or(Design::CompNet);
    let holds = size.is_ahead(Design::Cpu, fastest);
    let parts = |design: Design| {
        let (us, compute) = (size.us(design), size.compute_us(design));
        let name = design.parts().name;
        format!(
            "{compute:.2} us of {name} are computing, {:.1} us messages",
            us - compute
        )
    };
    let both = format!("{}; {}", parts(Design::Cpu), parts(fastest));
    Statement {
        of: format!("region 1, {}", size.name()),
        paper: "the CPU performs best, as the problem is much smaller than can be accelerated on the GPU".into(),
        asked: "the shortest time, by more than the intervals".into(),
        measured: texts.join(", "),
        holds,
        because: match holds {
            true => format!("nobody calls it from the other side of a queue: {both}"),
            false => format!("computing takes next to no time on either, so that messages decide, and the CPU's are no shorter: {both}"),
        },
        ..Statement::default()
    }
}

fn second_region(
    all: &[Size],
    region: &[&Size],
    (own, other): (Design, Design),
    beside: &[&Row],
) -> Statement {
    let [own_name, other_name] = [own, other].map(|design| design.parts().name);
    let leads: Vec<f64> = region.iter().map(|size| size.lead(own, other)).collect();
    let mean = leads.iter().sum::<f64>() / leads.len().max(1) as f64;
    let (least, most) = (LEAD.start(), LEAD.end());
    let lead_at = |size: &Size| {
        let lead = 100.0 * size.lead(own, other);
        format!("{lead:+.0} % at {}", size.name())
    };
    let texts: Vec<String> = region.iter().map(|size| lead_at(size)).collect();
    let out = match mean {
        _ if region.is_empty() => String::new(),
        mean if mean < *least => format!("{:+.0} points", 100.0 * (mean - least)),
        mean if mean > *most => format!("{:+.0} points", 100.0 * (mean - most)),
        _ => "none".into(),
    };
    let mut because = match region.last() {
        None => {
            let texts: Vec<String> = all.iter().map(lead_at).collect();
            format!(
                "the CPU is as fast or faster wherever GPUs are apart; leads there: {}",
                texts.join(", ")
            )
        }
        Some(size) => format!(
            "at {} computing is {:.1} of {:.1} us of {own_name}, and {:.1} of {:.1} us of {other_name}",
            size.name(),
            size.compute_us(own),
            size.us(own),
            size.compute_us(other),
            size.us(other)
        ),
    };
    because += &isolated(all, (own, other), beside);
    Statement {
        of: format!(
            "region 2: faster than the CPU by more than the intervals, and GPUs more than {:.0} % apart",
            100.0 * SIMILAR
        ),
        paper: format!("{own_name} performs better than {other_name} by 10-20%"),
        number: "10 to 20 %".into(),
        asked: "10 to 20 % on the mean of the region's sizes".into(),
        measured: match region.is_empty() {
            true => "there is no such size".into(),
            false => format!("{:+.0} %: {}", 100.0 * mean, texts.join(", ")),
        },
        difference: out,
        holds: !region.is_empty() && LEAD.contains(&mean),
        because,
        ..Statement::default()
    }
}

/// What the lead is worth without the reason that the paper names for it.
fn isolated(all: &[Size], (own, other): (Design, Design), beside: &[&Row]) -> String {
    let variant = match other {
        Design::InterKernel => Variant::NoBoundary,
        _ => Variant::HostOnDie,
    };
    let mut rows = beside.iter();
    let row = rows.find(|row| row.design == other && row.variant == variant);
    let Some(row) = row else {
        return String::new();
    };
    let Some(size) = all.iter().find(|size| size.points == row.points) else {
        return String::new();
    };
    format!(
        "; {} at {} points with {variant}: {:.1} instead of {:.1} us, a lead of {:+.0} instead of {:+.0} %",
        other.parts().name,
        row.points,
        row.step_us.mean,
        size.us(other),
        100.0 * (row.step_us.mean / size.us(own) - 1.0),
        100.0 * size.lead(own, other)
    )
}

fn third_region(all: &[Size], size: &Size) -> Statement {
    let apart = size.apart();
    let times = size.rows.iter().filter(|row| GPU.contains(&row.design));
    let texts: Vec<String> = times.map(|row| text(row)).collect();
    let [least, most] = size.ends();
    let after = all.iter().rev().take_while(|size| size.apart() <= SIMILAR);
    let from = match after.last() {
        Some(first) => format!("it is so from {} on", first.name()),
        None => "no size of the list is large enough".to_owned(),
    };
    let constant = match size.way {
        Way::Extrapolated => {
            "; an extrapolated time adds the same to all of them, so this part does not change, and a list that ends high enough must show it"
        }
        _ => "",
    };
    Statement {
        of: format!("region 3, {}", size.name()),
        paper: "all the GPU versions start performing similarly".into(),
        asked: format!("at most {:.0} % apart", 100.0 * SIMILAR),
        measured: format!("{}: {:.1} % apart", texts.join(", "), 100.0 * apart),
        holds: apart <= SIMILAR,
        because: format!(
            "{:.1} us of computing are the same in all, {:.1} us are what they are apart{constant}; {from}",
            size.compute_us(Design::CompNet),
            most - least
        ),
        ..Statement::default()
    }
}
