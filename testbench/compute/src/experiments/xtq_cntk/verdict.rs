//! What section V-D says of CNTK, and whether some share and size show it.

use super::parameters::PLAIN;
use super::projection::Projection;
use crate::experiments::variants::name_where_they_hold;
use xtq_testbench::experiments::{Interval, Statement};

/// "A 23% average improvement in runtime over a baseline CPU version".
const HSA_OVER_CPU: f64 = 23.0;
/// "An additional 8% improvement over the HSA baseline": from and to, rounded to whole numbers it may be 7 to 9.
const XTQ_OVER_HSA: f64 = 8.0;
const NEAR: f64 = 1.5;
/// "AN4 LST improving by 15%".
const MOST: f64 = 15.0;
/// "Does not significantly benefit": less than so much.
const INSIGNIFICANT: f64 = 2.0;

/// All statements that these projections can show.
pub fn statements(projections: &[Projection]) -> Vec<Statement> {
    let mut systems: Vec<&str> = projections.iter().map(|one| one.of.as_str()).collect();
    systems.dedup();
    let mut statements = Vec::new();
    for of in systems {
        let own = projections
            .iter()
            .filter(|one| one.of == of && one.profile.is_empty());
        let own: Vec<&Projection> = own.collect();
        let found = [
            hsa_gains(&own),
            xtq_gains(&own),
            most(&own),
            compute_bound(&own),
        ];
        statements.extend(found.into_iter().flatten().map(|statement| Statement {
            of: of.to_owned(),
            beside: of != PLAIN,
            ..statement
        }));
    }
    name_where_they_hold(&mut statements);
    statements
}

/// One projection of each size.
fn sizes<'a>(own: &[&'a Projection]) -> Vec<&'a Projection> {
    let mut sizes = own.to_vec();
    sizes.dedup_by_key(|one| one.bytes);
    sizes
}

/// Says if a bound lies in an interval: then the runs cannot tell on which side of it the figure is.
fn crossing(of: Interval, bounds: &[f64]) -> String {
    let near = |bound: &&f64| (of.mean - **bound).abs() < of.half;
    match bounds.iter().find(near) {
        Some(bound) => format!("; the interval crosses the bound, {bound} %"),
        None => "; the interval crosses no bound".to_owned(),
    }
}

/// That some share is enough for HSA's gain.
fn hsa_gains(own: &[&Projection]) -> Option<Statement> {
    let sizes = sizes(own);
    let mut texts = Vec::new();
    let (mut found, mut open) = (0, 0);
    for one in &sizes {
        let parts = one.parts;
        match one.share_for(HSA_OVER_CPU) {
            Some((Interval { mean, half }, _)) => {
                found += 1;
                open += usize::from(mean + half > 1.0);
                texts.push(format!(
                    "{} bytes: share {:.1} +- {:.1} %",
                    one.bytes,
                    mean * 100.0,
                    half * 100.0
                ));
            }
            None => texts.push(format!(
                "{} bytes: no share, HSA takes {:.3} of the CPU's time",
                one.bytes, parts.hsa
            )),
        }
    }
    own.first().map(|_| Statement {
        paper: "utilizing GPUs for allreduce compute provides a 23% average improvement in runtime over a baseline CPU version".into(),
        number: "23 %".into(),
        asked: format!("for some size a share of at most 100 % gives HSA {HSA_OVER_CPU} %"),
        measured: texts.join("; "),
        holds: found > 0,
        because: format!(
            "the paper's profiles are not published; {} of {} sizes have such a share, {open} with an interval that crosses 100 %",
            found,
            sizes.len()
        ),
        chart: 0,
        ..Statement::default()
    })
}

/// What XTQ gains with the share that gives HSA its gain.
fn xtq_gains(own: &[&Projection]) -> Option<Statement> {
    let at_23 = |one: &&Projection| Some((one.bytes, one.share_for(HSA_OVER_CPU)?.1));
    let found: Vec<(u64, Interval)> = sizes(own).iter().filter_map(at_23).collect();
    let texts: Vec<String> = found
        .iter()
        .map(|(bytes, gain)| format!("{bytes} bytes: {gain} % more"))
        .collect();
    let distance = |gain: Interval| (gain.mean - XTQ_OVER_HSA).abs();
    let nearest = found
        .iter()
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
    let bounds = [XTQ_OVER_HSA - NEAR, XTQ_OVER_HSA + NEAR];
    own.first().map(|_| Statement {
        paper: "XTQ-enabled acceleration gives on average an additional 8% improvement over the HSA baseline".into(),
        number: "8 %".into(),
        asked: format!("for some size XTQ gains {XTQ_OVER_HSA} +- {NEAR} % more with the share of which HSA gains {HSA_OVER_CPU} %"),
        measured: match texts.is_empty() {
            true => format!("no size and share give HSA {HSA_OVER_CPU} %"),
            false => texts.join("; "),
        },
        difference: nearest.map_or_else(String::new, |(_, gain)| {
            format!("{:+.1} points from 8 %, at the nearest", gain.mean - XTQ_OVER_HSA)
        }),
        holds: nearest.is_some_and(|(_, gain)| distance(*gain) <= NEAR),
        because: format!(
            "what XTQ saves is the same for each message, so the size decides{}",
            nearest.map_or_else(String::new, |(_, gain)| crossing(*gain, &bounds))
        ),
        chart: 1,
        ..Statement::default()
    })
}

fn most(own: &[&Projection]) -> Option<Statement> {
    let best = own
        .iter()
        .max_by(|a, b| a.xtq_over_hsa.mean.total_cmp(&b.xtq_over_hsa.mean))?;
    let gain = best.xtq_over_hsa;
    Some(Statement {
        paper: "with AN4 LST improving by 15%".into(),
        number: "15 %".into(),
        asked: format!("some size and share of the sweep give at least {MOST} %"),
        measured: format!(
            "at most {gain} %, at {} bytes with a share of {:.0} %",
            best.bytes,
            best.share * 100.0
        ),
        difference: format!("{:+.1} points from 15 %", gain.mean - MOST),
        holds: gain.mean >= MOST,
        because: format!(
            "an allreduce of that size takes {:.3} of the CPU's time with HSA, {:.3} with XTQ{}",
            best.parts.hsa,
            best.parts.xtq,
            crossing(gain, &[MOST])
        ),
        chart: 1,
        ..Statement::default()
    })
}

fn compute_bound(own: &[&Projection]) -> Option<Statement> {
    let least = own.iter().map(|one| one.share).min_by(f64::total_cmp)?;
    let small = own.iter().filter(|one| one.share <= least);
    let gains = small.flat_map(|one| [one.hsa_over_cpu, one.xtq_over_hsa]);
    let most = gains.max_by(|a, b| a.mean.total_cmp(&b.mean))?;
    Some(Statement {
        paper: "CIFAR does not significantly benefit from either form of GPU allreduce acceleration, since it is more bound by the local SGD compute phase".into(),
        asked: format!("with the least share of the sweep all gains are below {INSIGNIFICANT} %"),
        measured: format!("at most {most} % with a share of {:.0} %", least * 100.0),
        holds: most.mean < INSIGNIFICANT,
        because: format!(
            "it follows from the projection's formula for any small share{}",
            crossing(most, &[INSIGNIFICANT])
        ),
        chart: 0,
        ..Statement::default()
    })
}
