//! What the dissertation says about matching rates, and what came out.

use super::row::{Order, Row, Series, Side};
use serde::Serialize;

/// A statement, with what was measured here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// Where it stands.
    pub place: &'static str,
    /// What it says.
    pub text: &'static str,
    /// What was measured here.
    pub measured: String,
    /// Whether the hardware does as well or better, or shows the same.
    pub holds: bool,
}

/// All that these runs can tell about.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let find = |matcher: &str, order: Order, length: usize| {
        rows.iter().find(|row| {
            (row.series, row.side) == (Series::Length, Side::Messages)
                && (row.matcher, row.order, row.length) == (matcher, order, length)
        })
    };
    let mut all = vec![];
    let best = rows.iter().filter(|row| {
        (row.series, row.side) == (Series::Length, Side::Messages)
            && (row.matcher, row.order) == ("list", Order::Best)
    });
    let slowest = best.map(Row::at_1_ghz).reduce(f64::min);
    all.extend(slowest.map(|rate| Statement {
        place: "4.3.2, figure 4.6a",
        text: "a CPU's best case is 25 M/s, whatever the length",
        measured: format!("list, 1 GHz: at least {rate:.0} M/s"),
        holds: rate >= 25.0,
    }));
    all.extend(find("list", Order::Average, 256).map(|row| Statement {
        place: "4.3.2, figure 4.6b",
        text: "a CPU's average case is below 10 M/s at 256 entries",
        measured: format!("list, 1 GHz: {:.1} M/s", row.at_1_ghz()),
        holds: row.at_1_ghz() >= 10.0,
    }));
    all.extend(find("list", Order::Average, 1024).map(|row| Statement {
        place: "4.3.2, figure 4.6b",
        text: "a CPU's average case is below 2 M/s at 1,024 entries",
        measured: format!("list, 1 GHz: {:.1} M/s", row.at_1_ghz()),
        holds: row.at_1_ghz() >= 2.0,
    }));
    all.extend(find("hash", Order::Average, 1024).map(|row| Statement {
        place: "6.3.2.4",
        text: "a GPU's hash tables match 128 to 512 M/s, best with at most 1,024 entries",
        measured: format!(
            "hash, 1 GHz, both sides counted: {:.0} M/s",
            row.both_at_1_ghz()
        ),
        holds: row.both_at_1_ghz() >= 128.0,
    }));
    let ends = [64, 1024].map(|length| find("hash", Order::Worst, length));
    if let [Some(short), Some(long)] = ends {
        let (short, long) = (short.at_1_ghz(), long.at_1_ghz());
        all.push(Statement {
            place: "6.3.2.4",
            text: "hash tables insert and search in constant time",
            measured: format!(
                "hash, 1 GHz: {short:.0} M/s with 64 entries, {long:.0} M/s with 1,024"
            ),
            holds: long >= short,
        });
    }
    let equal = rows.iter().filter(|row| {
        (row.series, row.matcher, row.side) == (Series::Multiplicity, "hash", Side::Messages)
    });
    let (few, many): (Vec<&Row>, Vec<&Row>) = equal.partition(|row| row.multiplicity <= 12);
    let least = many.iter().map(|row| row.at_1_ghz()).reduce(f64::min);
    if let (Some(first), Some(least)) = (few.first().map(|row| row.at_1_ghz()), least) {
        all.push(Statement {
            place: "6.3.2.4, figure 6.18",
            text: "above 12 % of equal messages, chains of equal keys do not lose rate",
            measured: format!(
                "hash, 1 GHz: {first:.0} M/s without, at least {least:.0} M/s with equal ones"
            ),
            holds: least >= 0.99 * first,
        });
    }
    all
}

/// One line.
pub fn line(statements: &[Statement]) -> String {
    let held = statements
        .iter()
        .filter(|statement| statement.holds)
        .count();
    match statements.len() {
        0 => "verdict: the runs tell about none of the dissertation's statements".into(),
        all => {
            format!("verdict: {held} of {all} comparisons with the dissertation come out as stated")
        }
    }
}
