//! The paper's statements about figure 7, and whether the runs show them.

use super::findings::Point;
use super::row::{Counting, Row};
use crate::compnet::Class;
use crate::experiments::Statement;

/// "Relatively high": at least so many hits in a hundred without streams.
const HIGH: f64 = 70.0;
/// "Plummets to almost zero": at most so many hits in a hundred.
const ALMOST_ZERO: f64 = 10.0;
/// "Reduced by 20% in the worst case from the baseline".
const LOST: f64 = 20.0;
/// At most so much, the number being rounded.
const LOST_WITH_LOCKING: f64 = 25.0;
/// "Significantly improves": at least so many points, and more than chance.
const SIGNIFICANT: f64 = 10.0;
/// "On the order of 800ns - 1 us".
pub const LOCK_NS: [f64; 2] = [800.0, 1000.0];
/// "On the order of": the medians may be so many times shorter or longer.
const ORDER: f64 = 2.0;

/// The middle of the paper's lock times, as factors go.
pub fn lock_middle_ns() -> f64 {
    (LOCK_NS[0] * LOCK_NS[1]).sqrt()
}

/// Which of "falls", "improves" and "keeps" a single ratio shows, counted so.
pub fn held(point: &Point, counting: Counting) -> [bool; 3] {
    let fallen = falls(point, counting).holds;
    let kept = keeps(std::slice::from_ref(point), counting).holds;
    [fallen, improves(point, counting).holds, kept]
}

/// All statements that a sweep can show: nothing without streams.
pub fn statements(points: &[Point]) -> Vec<Statement> {
    let loaded: Vec<&Point> = points.iter().filter(|one| one.is_loaded()).collect();
    let mut statements = Vec::new();
    for counting in Counting::BOTH {
        let rate = |point: &Point| point.unlocked.rate(counting).mean;
        let lowest = loaded.iter().copied();
        let Some(lowest) = lowest.reduce(|low, point| match rate(point) < rate(low) {
            true => point,
            false => low,
        }) else {
            continue;
        };
        statements.push(falls(lowest, counting));
        statements.push(improves(lowest, counting));
        statements.push(keeps(points, counting));
    }
    if !loaded.is_empty() {
        statements.push(lock_times(&loaded));
    }
    statements
}

/// The chart of a way of counting.
fn chart(counting: Counting) -> usize {
    usize::from(counting == Counting::Loads)
}

fn percent(row: &Row, counting: Counting) -> String {
    format!("{} %", row.rate(counting))
}

/// At the ratio where the hit rate without locking is lowest.
fn falls(lowest: &Point, counting: Counting) -> Statement {
    let [from, to] = [&lowest.baseline, &lowest.unlocked].map(|row| row.rate(counting).mean);
    let last = &lowest.unlocked;
    Statement {
        of: counting.name().into(),
        paper: "without locking the hit rate plummets from relatively high to almost zero".into(),
        asked: format!("at least {HIGH} % without streams, at most {ALMOST_ZERO} % at some ratio"),
        measured: format!(
            "{} without streams, {} at {}",
            percent(&lowest.baseline, counting),
            percent(last, counting),
            lowest.ratio()
        ),
        holds: from >= HIGH && to <= ALMOST_ZERO,
        because: format!(
            "still hit: {}",
            parts(counting, |class| last.hitting_points(class, counting))
        ),
        chart: chart(counting),
        ..Statement::default()
    }
}

/// At the same ratio.
fn improves(lowest: &Point, counting: Counting) -> Statement {
    let (without, with) = (&lowest.unlocked, &lowest.locked);
    let [low, high] = [without, with].map(|row| row.rate(counting));
    let gain = high.mean - low.mean;
    Statement {
        of: counting.name().into(),
        paper: "locking significantly improves the hit rate".into(),
        asked: format!(
            "at least {SIGNIFICANT} points more there with locking, and more than the intervals"
        ),
        measured: format!(
            "at {} {} without locking, {} with it: {gain:+.1} points",
            lowest.ratio(),
            percent(without, counting),
            percent(with, counting)
        ),
        holds: gain >= SIGNIFICANT && gain > low.half + high.half,
        because: format!(
            "a lock ends with the CP's first access: polls that find a call are {:.1} of 100, and hit in {:.1} % without locking, in {:.1} % with it",
            share(without, counting),
            without.found_hit_rate.unwrap_or(0.0),
            with.found_hit_rate.unwrap_or(0.0)
        ),
        chart: chart(counting),
        ..Statement::default()
    }
}

/// At the ratio where most is lost.
fn keeps(points: &[Point], counting: Counting) -> Statement {
    let loss = |point: &Point| {
        let [from, to] = [&point.baseline, &point.locked].map(|row| row.rate(counting).mean);
        100.0 * (from - to) / from.max(f64::MIN_POSITIVE)
    };
    let worst = points
        .iter()
        .reduce(|worst, point| match loss(point) > loss(worst) {
            true => point,
            false => worst,
        });
    let lost = worst.map_or(0.0, loss);
    let more = |class| {
        worst.map_or(0.0, |point| {
            point.locked.missing_points(class, counting)
                - point.baseline.missing_points(class, counting)
        })
    };
    Statement {
        of: counting.name().into(),
        paper: "with locking it is reduced by 20 % of the baseline in the worst case".into(),
        asked: format!("at most {LOST_WITH_LOCKING} % of the rate without streams at any ratio"),
        measured: worst.map_or(String::new(), |point| {
            format!(
                "{} without streams, {} at {}: {lost:.0} % lost",
                percent(&point.baseline, counting),
                percent(&point.locked, counting),
                point.ratio()
            )
        }),
        holds: lost <= LOST_WITH_LOCKING,
        because: format!("missing: {}", parts(counting, more)),
        number: "20 % lost".into(),
        difference: format!("{:+.0} points", lost - LOST),
        chart: chart(counting),
        ..Statement::default()
    }
}

fn lock_times(loaded: &[&Point]) -> Statement {
    let [least, most] = [LOCK_NS[0] / ORDER, LOCK_NS[1] * ORDER];
    let medians = loaded.iter().map(|point| &point.locked);
    let within =
        |row: &&Row| row.locks.released > 0 && (least..=most).contains(&row.locks.median_ns);
    let inside = medians.clone().filter(within).count();
    let each = medians.clone().map(|row| match row.locks.released {
        0 => format!("none at {}", row.ratio()),
        _ => format!("{:.0} ns at {}", row.locks.median_ns, row.ratio()),
    });
    let watchdog: u64 = medians.clone().map(|row| row.locks.watchdog).sum();
    let polls = medians.map(|row| row.poll_ns);
    let shortest = polls.clone().fold(f64::INFINITY, f64::min);
    let longest = polls.fold(0.0, f64::max);
    Statement {
        of: "lock times".into(),
        paper: "a line is locked for a time on the order of 800 ns to 1 us".into(),
        asked: format!("a median of {least:.0} to {most:.0} ns at every ratio"),
        measured: format!(
            "medians: {}; the watchdog ended {watchdog}",
            each.collect::<Vec<_>>().join(", ")
        ),
        holds: inside == loaded.len(),
        because: format!(
            "a lock lasts until the service thread comes round to the queue, which it does every {shortest:.0} to {longest:.0} ns on average, calls included"
        ),
        number: format!("{:.0} to {:.0} ns", LOCK_NS[0], LOCK_NS[1]),
        chart: 2,
        ..Statement::default()
    }
}

/// Polls that found a call in a hundred accesses that count.
fn share(row: &Row, counting: Counting) -> f64 {
    let class = Class::PollFound;
    row.hitting_points(class, counting) + row.missing_points(class, counting)
}

/// The classes that count of which there is at least half a point, the most first.
fn parts(counting: Counting, points: impl Fn(Class) -> f64) -> String {
    let classes = counting.classes().iter();
    let classes = classes.map(|class| (points(*class), *class));
    let mut classes: Vec<_> = classes.filter(|(points, _)| *points >= 0.5).collect();
    classes.sort_by(|a, b| b.0.total_cmp(&a.0));
    if classes.is_empty() {
        return "nothing".into();
    }
    let parts = classes
        .iter()
        .map(|(points, class)| format!("{points:.1} points \"{}\"", class.name()));
    parts.collect::<Vec<_>>().join(", ")
}
