//! What the dissertation says about matching rates, and what came out.

use super::row::{Order, Row, Series, Side};
use crate::experiments::Statement;

/// In millions a second: a CPU's best case, its average with 256 and with 1,024 entries, and a GPU's hash tables.
const CPU_BEST: f64 = 25.0;
const CPU_AVERAGE: [(usize, f64); 2] = [(256, 10.0), (1024, 2.0)];
const GPU_HASH: f64 = 128.0;
/// A GPU's queues by sender, at most.
const GPU_PARTITIONED: f64 = 60.0;
/// "Scales linearly": with four senders at least so many times the rate of one.
const LINEAR: (usize, f64) = (4, 3.6);
/// Equal messages, in per cent, above which a chain of equal keys is long.
const MANY_EQUAL: u32 = 12;
/// Why the best case is not faster.
const BEST: &str =
    "the first entry matches; the slowest is the shortest queue, which does not fill the pipeline";
/// "Do not lose rate": at least so much of it.
const KEPT: f64 = 0.99;

/// A comparison with a number in millions a second; at least that much is asked.
fn at_least(of: &str, paper: &str, number: f64, found: f64) -> Statement {
    let percent = 100.0 * (found / number - 1.0);
    Statement {
        of: of.into(),
        paper: paper.into(),
        number: format!("{number:.0} M/s"),
        asked: "at least as many at 1 GHz".into(),
        measured: format!("{found:.1} M/s"),
        difference: format!("{:+.1} M/s ({percent:+.0} %)", found - number),
        holds: found >= number,
        ..Statement::default()
    }
}

/// Queues by sender: how fast with most senders, and by how much four are faster than one.
fn partitioned(rows: &[Row], side: Side) -> Vec<Statement> {
    let runs = rows.iter().filter(|row| {
        (row.series, row.matcher, row.side) == (Series::Sources, "partitioned", side)
    });
    let with = |senders| runs.clone().find(|row| row.sources == senders);
    let (one, four) = (with(1), with(LINEAR.0));
    let most = runs.clone().max_by_key(|row| row.sources);
    let mut all = vec![];
    all.extend(most.map(|row| Statement {
        because: match side {
            Side::Messages => "commands come one at a time, each searches the list of its part only",
            Side::Receives => "the parts search side by side",
        }
        .into(),
        chart: 1,
        ..at_least(
            &format!(
                "partitioned, {}, {} senders, {} entries",
                side.name(),
                row.sources,
                row.length
            ),
            "a GPU's queues by sender match up to 60 M/s with 1,024 entries (6.3.2.3, figure 6.16)",
            GPU_PARTITIONED,
            row.at_1_ghz(),
        )
    }));
    if let (Some(one), Some(four)) = (one, four) {
        let times = four.at_1_ghz() / one.at_1_ghz();
        let (senders, least) = LINEAR;
        all.push(Statement {
            of: format!("partitioned, {}", side.name()),
            paper: "matching scales linearly for up to four queues (6.3.2.3, figure 6.16)".into(),
            number: format!("{senders} times"),
            asked: format!("{senders} senders at least {least} times as fast as one"),
            measured: format!("{times:.1} times"),
            difference: format!("{:+.1} times", times - senders as f64),
            holds: times >= least,
            because: format!(
                "{:.0} cycles each with one sender, {:.0} with {senders}: {}",
                1000.0 / one.at_1_ghz(),
                1000.0 / four.at_1_ghz(),
                match side {
                    Side::Messages => "lists are a fourth, but what a command costs besides is not",
                    Side::Receives => "lists are a fourth, and four are searched at a time",
                }
            ),
            chart: 1,
            ..Statement::default()
        });
    }
    all
}

/// All that these runs can show.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let find = |matcher: &str, order: Order, length: usize| {
        rows.iter().find(|row| {
            (row.series, row.side) == (Series::Length, Side::Messages)
                && (row.matcher, row.order, row.length) == (matcher, order, length)
        })
    };
    let mut all = vec![];
    for matcher in ["list", "NIC"] {
        let best = rows.iter().filter(|row| {
            (row.series, row.side) == (Series::Length, Side::Messages)
                && (row.matcher, row.order) == (matcher, Order::Best)
        });
        let slowest = best.map(Row::at_1_ghz).reduce(f64::min);
        all.extend(slowest.map(|rate| Statement {
            because: BEST.into(),
            ..at_least(
                &format!("{matcher}, in order"),
                "a CPU's best case is 25 M/s, whatever the length (4.3.2, figure 4.6a)",
                CPU_BEST,
                rate,
            )
        }));
        for (length, number) in CPU_AVERAGE {
            all.extend(find(matcher, Order::Average, length).map(|row| Statement {
                because: format!(
                    "a receive searches the messages that wait one a cycle: {:.0} cycles each",
                    1000.0 / row.at_1_ghz()
                ),
                ..at_least(
                    &format!("{matcher}, random order, {length} entries"),
                    &format!("a CPU's average case is below {number:.0} M/s (4.3.2, figure 4.6b)"),
                    number,
                    row.at_1_ghz(),
                )
            }));
        }
    }
    for side in Side::ALL {
        all.extend(partitioned(rows, side));
    }
    for matcher in ["hash", "exact"] {
        all.extend(constant_time(rows, matcher));
    }
    all
}

/// What is said of hash tables, of one of the matchers that are.
fn constant_time(rows: &[Row], matcher: &str) -> Vec<Statement> {
    let find = |order: Order, length: usize| {
        rows.iter().find(|row| {
            (row.series, row.side) == (Series::Length, Side::Messages)
                && (row.matcher, row.order, row.length) == (matcher, order, length)
        })
    };
    let mut all = vec![];
    all.extend(find(Order::Average, 1024).map(|row| Statement {
        because: format!(
            "{:.1} cycles for a message and its receive; both sides are counted, as in the dissertation",
            1000.0 / row.both_at_1_ghz()
        ),
        ..at_least(
            &format!("{matcher}, random order, 1024 entries"),
            "a GPU's hash tables match 128 to 512 M/s, best with at most 1,024 entries (6.3.2.4)",
            GPU_HASH,
            row.both_at_1_ghz(),
        )
    }));
    let ends = [64, 1024].map(|length| find(Order::Worst, length));
    if let [Some(short), Some(long)] = ends {
        let (short, long) = (short.at_1_ghz(), long.at_1_ghz());
        all.push(Statement {
            of: format!("{matcher}, reversed order"),
            paper: "hash tables insert and search in constant time (6.3.2.4)".into(),
            asked: "with 1,024 entries at least the rate of 64".into(),
            measured: format!("{short:.0} M/s with 64 entries, {long:.0} M/s with 1,024"),
            holds: long >= short,
            because: "a look-up reads one bucket, however many entries wait".into(),
            ..Statement::default()
        });
    }
    let equal = rows.iter().filter(|row| {
        (row.series, row.matcher, row.side) == (Series::Multiplicity, matcher, Side::Messages)
    });
    let (few, many): (Vec<&Row>, Vec<&Row>) = equal.partition(|row| row.multiplicity <= MANY_EQUAL);
    let least = many.iter().map(|row| row.at_1_ghz()).reduce(f64::min);
    if let (Some(first), Some(least)) = (few.first().map(|row| row.at_1_ghz()), least) {
        all.push(Statement {
            of: format!("{matcher}, equal messages"),
            paper: "above 12 % of equal messages, chains of equal keys do not lose rate (6.3.2.4, figure 6.18)"
                .into(),
            asked: format!("at least {:.0} % of the rate without", 100.0 * KEPT),
            measured: format!("{first:.0} M/s without, at least {least:.0} M/s with equal ones"),
            holds: least >= KEPT * first,
            because: "equal keys stand in one queue, of which the first is taken".into(),
            chart: 2,
            ..Statement::default()
        });
    }
    all
}
