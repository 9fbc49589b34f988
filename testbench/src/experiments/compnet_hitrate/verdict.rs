//! The paper's statements about figure 7, and whether the runs show them.

use super::findings::{Comparison, Findings};
use super::row::Row;
use crate::compnet::Class;
use crate::experiments::Statement;

/// "Relatively high": at least so many hits in a hundred without streams.
const HIGH: f64 = 70.0;
/// "Plummets to almost zero": at most so many hits in a hundred.
const ALMOST_ZERO: f64 = 10.0;
/// "Reduced by 20% in the worst case from the baseline": at most so much, the number being rounded.
const LOST_WITH_LOCKING: f64 = 25.0;
/// "Significantly improves": at least so many points.
const SIGNIFICANT: f64 = 10.0;
/// "On the order of 800ns - 1 us".
const LOCK_NS: [f64; 2] = [800.0, 1000.0];
/// What "vanishes" means: less than so much of the baseline.
const VANISHES: f64 = 2.0;

/// All statements that these runs can tell about.
pub fn statements(findings: &Findings) -> Vec<Statement> {
    let mut statements = Vec::new();
    for size in findings.sizes() {
        let of = format!("{size} KiB");
        let curve = |locking| findings.curve(size, locking).collect::<Vec<_>>();
        let (without, with) = (curve(false), curve(true));
        if let ([first, .., last], [baseline, .., most]) = (&*without, &*with) {
            let curves = [
                falls(&of, first, last),
                keeps(&of, baseline, &with),
                improves(&of, last, most),
                lock_times(&of, &with),
            ];
            statements.extend(curves.map(|of_sweep| Statement {
                beside: false,
                ..of_sweep
            }));
        }
    }
    for other in findings.other_loads() {
        let (of, with) = (&other.name, [&other.baseline, &other.locked]);
        statements.push(falls(of, &other.baseline, &other.unlocked));
        statements.push(keeps(of, &other.baseline, &with));
        statements.push(improves(of, &other.unlocked, &other.locked));
        statements.push(lock_times(of, &with));
    }
    let bare = findings.variants.iter().filter(|variant| variant.bare);
    statements.extend(bare.map(shared_only));
    statements
}

fn falls(of: &str, baseline: &Row, last: &Row) -> Statement {
    let (from, to) = (rate(baseline), rate(last));
    Statement {
        of: of.into(),
        beside: true,
        paper: "without locking the hit rate falls from relatively high to almost zero".to_owned(),
        measured: format!("{from:.1} % without streams, {to:.1} % with the most"),
        holds: from >= HIGH && to <= ALMOST_ZERO,
        because: format!("still hit: {}", parts(|class| last.hitting_points(class))),
        ..Statement::default()
    }
}

fn keeps(of: &str, baseline: &Row, with: &[&Row]) -> Statement {
    let worst = with
        .iter()
        .fold(baseline, |worst, row| match rate(row) < rate(worst) {
            true => row,
            false => worst,
        });
    let lost = lost(baseline, worst);
    Statement {
        of: of.into(),
        beside: true,
        paper: "with locking it is reduced by 20 % of the baseline in the worst case (here: at most about)".to_owned(),
        measured: format!(
            "{:.1} % without streams, {:.1} % in the worst case: {lost:.0} % of the baseline lost",
            rate(baseline),
            rate(worst)
        ),
        holds: lost <= LOST_WITH_LOCKING,
        because: what_misses(baseline, worst),
        ..Statement::default()
    }
}

fn improves(of: &str, without: &Row, with: &Row) -> Statement {
    let found = |row: &Row| row.found_hit_rate.unwrap_or(0.0);
    let bound = without.missing_points(Class::PollFound);
    Statement {
        of: of.into(),
        beside: true,
        paper: "locking significantly improves the hit rate".to_owned(),
        measured: format!(
            "with the most streams {:.1} % without locking, {:.1} % with it; of the polls that find a call {:.1} % and {:.1} %",
            rate(without),
            rate(with),
            found(without),
            found(with)
        ),
        holds: rate(with) - rate(without) >= SIGNIFICANT,
        because: format!(
            "a lock ends with the first access of the CP, so it saves polls that find a call; those that miss without locking are {bound:.1} in a hundred accesses, with it (the watchdog ended {} of {} locks) {:.1}, and the gain was {:.1} points",
            with.locks.watchdog,
            with.locks.watchdog + with.locks.released,
            with.missing_points(Class::PollFound),
            rate(with) - rate(without)
        ),
        ..Statement::default()
    }
}

fn lock_times(of: &str, with: &[&Row]) -> Statement {
    let measured = with.iter().filter(|row| row.locks.released > 0);
    let medians = || measured.clone().map(|row| row.locks.median_ns);
    let watchdog: u64 = with.iter().map(|row| row.locks.watchdog).sum();
    let ended: u64 = with.iter().map(|row| row.locks.released).sum::<u64>() + watchdog;
    let shortest = medians().fold(f64::INFINITY, f64::min);
    let longest = medians().fold(0.0, f64::max);
    let polls = with.iter().map(|row| row.poll_ns);
    let (least, most) = (
        polls.clone().fold(f64::INFINITY, f64::min),
        polls.fold(0.0, f64::max),
    );
    let in_range = |ns: f64| (LOCK_NS[0]..=LOCK_NS[1]).contains(&ns);
    Statement {
        of: of.into(),
        beside: true,
        paper: "a line is locked for 800 ns to 1 us".to_owned(),
        measured: match shortest <= longest {
            true => format!(
                "medians of {shortest:.0} to {longest:.0} ns; the watchdog ended {watchdog} of {ended}"
            ),
            false => format!("no access ended a lock, the watchdog {watchdog}"),
        },
        holds: with
            .iter()
            .all(|row| row.locks.released > 0 && in_range(row.locks.median_ns)),
        because: format!(
            "a lock lasts until the service thread comes round to the queue, which it does every {least:.0} to {most:.0} ns on average, calls included, or until the watchdog ends it"
        ),
        ..Statement::default()
    }
}

fn shared_only(bare: &Comparison) -> Statement {
    let (baseline, loaded) = (&bare.baseline, &bare.locked);
    let lost = lost(baseline, loaded);
    Statement {
        of: bare.name.clone(),
        beside: true,
        paper: "what locking does not save is the CP's own data: without them nothing is lost"
            .to_owned(),
        measured: format!(
            "{:.1} % without streams, {:.1} % with the most: {lost:.1} % lost",
            rate(baseline),
            rate(loaded)
        ),
        holds: lost <= VANISHES,
        because: what_misses(baseline, loaded),
        ..Statement::default()
    }
}

fn rate(row: &Row) -> f64 {
    row.hit_rate.unwrap_or(0.0)
}

/// Share of the baseline's hit rate that is gone, in a hundred.
fn lost(baseline: &Row, row: &Row) -> f64 {
    100.0 * (rate(baseline) - rate(row)) / rate(baseline).max(f64::MIN_POSITIVE)
}

/// Which classes miss more than in the baseline.
fn what_misses(baseline: &Row, row: &Row) -> String {
    let more = |class| row.missing_points(class) - baseline.missing_points(class);
    format!("missing: {}", parts(more))
}

/// The classes of which there is at least half a point, the most first.
fn parts(points: impl Fn(Class) -> f64) -> String {
    let mut classes: Vec<_> = Class::ALL
        .into_iter()
        .map(|class| (points(class), class))
        .filter(|(points, _)| *points >= 0.5)
        .collect();
    classes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts = classes
        .iter()
        .map(|(points, class)| format!("{points:.1} points \"{}\"", class.name()));
    parts.collect::<Vec<_>>().join(", ")
}
