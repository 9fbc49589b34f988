//! The paper's statements about figure 7, and whether the runs show them.

use super::report::{Comparison, Row};
use crate::compnet::Class;
use serde::Serialize;
use std::fmt::Write;

/// "Plummets to almost zero": at most so many hits in a hundred.
const ALMOST_ZERO: f64 = 10.0;
/// "Reduced by 20% in the worst case from the baseline": at most so much, as the number is a rounded one.
const LOST_WITH_LOCKING: f64 = 25.0;
/// "Significantly improves": at least so many points.
const SIGNIFICANT: f64 = 10.0;
/// "On the order of 800ns - 1 us".
const LOCK_NS: [f64; 2] = [800.0, 1000.0];
/// What "vanishes" means: less than so much of the baseline.
const VANISHES: f64 = 2.0;

/// A statement of the paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// What it says.
    pub paper: &'static str,
    /// What came out.
    pub measured: String,
    /// Whether that is what it says.
    pub holds: bool,
    /// Where it does not: what makes the difference.
    pub because: String,
}

/// All statements that these runs can tell about.
pub fn statements(rows: &[Row], variants: &[Comparison]) -> Vec<Statement> {
    let curve = |locking| rows.iter().filter(move |row| row.load.locking == locking);
    let mut statements = Vec::new();
    if let (Some(baseline), Some(last)) = (curve(false).next(), curve(false).last()) {
        statements.push(falls(baseline, last));
    }
    if let Some(baseline) = curve(true).next() {
        let worst = curve(true).max_by(|a, b| lost(baseline, a).total_cmp(&lost(baseline, b)));
        statements.extend(worst.map(|worst| keeps(baseline, worst)));
    }
    if let (Some(without), Some(with)) = (curve(false).last(), curve(true).last()) {
        statements.push(improves(without, with));
    }
    statements.extend(curve(true).last().map(lock_times));
    // The calls are those of the sweep: only the command processor's own data are left out.
    let bare = variants
        .iter()
        .find(|variant| !variant.own_data && !variant.blocking);
    statements.extend(bare.map(|bare| shared_only(&bare.baseline, &bare.locked)));
    statements
}

/// The verdict in one line.
pub fn line(statements: &[Statement]) -> String {
    let held = statements
        .iter()
        .filter(|statement| statement.holds)
        .count();
    let mut line = format!(
        "verdict: {held} of {} statements of the paper hold",
        statements.len()
    );
    for statement in statements.iter().filter(|statement| !statement.holds) {
        let _ = write!(
            line,
            "; not \"{}\": {}",
            statement.paper, statement.measured
        );
    }
    line
}

fn falls(baseline: &Row, last: &Row) -> Statement {
    let (from, to) = (rate(baseline), rate(last));
    Statement {
        paper: "without locking the hit rate falls to almost zero",
        measured: format!("{from:.1} % without streams, {to:.1} % with the most"),
        holds: from >= 50.0 && to <= ALMOST_ZERO,
        because: hits_left(last),
    }
}

fn keeps(baseline: &Row, worst: &Row) -> Statement {
    let lost = lost(baseline, worst);
    Statement {
        paper: "with locking it is reduced by 20 % of the baseline in the worst case",
        measured: format!(
            "{:.1} % without streams, {:.1} % in the worst case, {lost:.0} % of the baseline lost",
            rate(baseline),
            rate(worst)
        ),
        holds: lost <= LOST_WITH_LOCKING,
        because: what_misses(baseline, worst),
    }
}

fn improves(without: &Row, with: &Row) -> Statement {
    let found = |row: &Row| row.found_hit_rate.unwrap_or(0.0);
    Statement {
        paper: "locking significantly improves the hit rate",
        measured: format!(
            "with the most streams {:.1} % without locking, {:.1} % with it; of the polls that find a call {:.1} % and {:.1} %",
            rate(without),
            rate(with),
            found(without),
            found(with)
        ),
        holds: rate(with) - rate(without) >= SIGNIFICANT,
        because: "a lock ends with the first access of the CP: it saves that one, and nothing that the CP polls in vain or has for itself".into(),
    }
}

fn lock_times(last: &Row) -> Statement {
    let locks = &last.locks;
    let [least, most] = LOCK_NS;
    Statement {
        paper: "a line is locked for 800 ns to 1 us",
        measured: format!(
            "with the most streams median {:.0} ns, 90 % below {:.0} ns, longest {:.0} ns",
            locks.median_ns, locks.p90_ns, locks.max_ns
        ),
        holds: locks.released > 0 && (least..=most).contains(&locks.median_ns),
        because: "a lock lasts until the service thread comes round to the queue: the time of its calls for the other queues".into(),
    }
}

fn shared_only(baseline: &Row, loaded: &Row) -> Statement {
    let lost = lost(baseline, loaded);
    Statement {
        paper: "what locking does not save is the CP's own data: without them nothing is lost",
        measured: format!(
            "{:.1} % without streams, {:.1} % with the most, {lost:.1} % lost",
            rate(baseline),
            rate(loaded)
        ),
        holds: lost <= VANISHES,
        because: what_misses(baseline, loaded),
    }
}

fn rate(row: &Row) -> f64 {
    row.hit_rate.unwrap_or(0.0)
}

/// Share of the baseline's hit rate that is gone, in a hundred.
fn lost(baseline: &Row, row: &Row) -> f64 {
    100.0 * (rate(baseline) - rate(row)) / rate(baseline).max(f64::MIN_POSITIVE)
}

/// Which classes miss more than in the baseline, the worst first.
fn what_misses(baseline: &Row, row: &Row) -> String {
    let more = |class| row.missing_points(class) - baseline.missing_points(class);
    let mut classes: Vec<_> = Class::ALL
        .into_iter()
        .map(|class| (more(class), class))
        .collect();
    classes.retain(|(points, _)| *points >= 0.5);
    classes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts = classes
        .iter()
        .map(|(points, class)| format!("{points:.1} points by \"{}\"", class.name()));
    parts.collect::<Vec<_>>().join(", ")
}

/// Which classes still hit.
fn hits_left(row: &Row) -> String {
    let all: u64 = row
        .classes
        .iter()
        .map(|class| class.hits + class.misses)
        .sum();
    let points = |hits: u64| 100.0 * hits as f64 / all.max(1) as f64;
    let classes = row.classes.iter().filter(|class| points(class.hits) >= 0.5);
    let parts = classes.map(|class| {
        format!(
            "{:.1} points by \"{}\"",
            points(class.hits),
            class.class.name()
        )
    });
    parts.collect::<Vec<_>>().join(", ")
}
