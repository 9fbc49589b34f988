//! What the dissertation says about queues of applications, and what our traces show.

use super::row::{Calls, Queues, Run};
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
    /// Whether that is what it says.
    pub holds: bool,
}

/// Shares of unexpected messages of table 4.2, in per cent: the smallest and the largest.
const UNEXPECTED: [f64; 2] = [21.0, 48.0];

/// All that these loads can tell about.
pub fn statements(calls: &[Calls], queues: &[Queues], runs: &[Run]) -> Vec<Statement> {
    let recorded: Vec<&Queues> = queues.iter().filter(|queues| !queues.synthetic).collect();
    let mut all = vec![];
    for queues in &recorded {
        let share = queues.unexpected_percent;
        all.push(Statement {
            place: "table 4.2",
            text: "21 to 48 % of the messages are unexpected",
            measured: format!("{}: {share:.0} %", queues.load),
            holds: (UNEXPECTED[0]..=UNEXPECTED[1]).contains(&share),
        });
    }
    for queues in &recorded {
        let median = queues.posted_length.quartiles[2];
        all.push(Statement {
            place: "4.3.3, figure 4.7",
            text: "the median length of the queues is 128",
            measured: format!("{}: {median} posted receives", queues.load),
            holds: (64..=256).contains(&median),
        });
    }
    for queues in &recorded {
        let (length, depth) = (queues.unexpected_length.mean, queues.unexpected_depth.mean);
        if length == 0.0 {
            continue;
        }
        all.push(Statement {
            place: "4.3.3, figure 4.7b",
            text: "unexpected messages are searched nearly to the end of their queue",
            measured: format!("{}: {depth:.1} of {length:.1}", queues.load),
            holds: depth >= 0.75 * length,
        });
    }
    for calls in calls {
        all.push(Statement {
            place: "7.2.3",
            text: "almost none of the applications uses wildcards",
            measured: format!("{}: {} receives with one", calls.load, calls.wildcards),
            holds: calls.wildcards == 0,
        });
    }
    for calls in calls {
        let largest = calls.bytes.quartiles[3];
        all.push(Statement {
            place: "4.2.3, figure 4.2",
            text: "two thirds of the messages have less than 5,000 elements, some 40 KB",
            measured: format!(
                "{}: three quarters have at most {largest} bytes",
                calls.load
            ),
            holds: largest <= 40_000,
        });
    }
    let played: Vec<&Run> = runs.iter().filter(|run| run.refused == 0).collect();
    let (pairs, equal): (usize, usize) = played.iter().fold((0, 0), |(pairs, equal), run| {
        (pairs + run.pairs, equal + run.equal)
    });
    let different: usize = played.iter().map(|run| run.different).sum();
    all.push(Statement {
        place: "3.2.1",
        text: "every match is the one of the naive matcher",
        measured: format!(
            "{equal} of {pairs} pairs in {} runs with room for all",
            played.len()
        ),
        holds: pairs == equal && different == 0,
    });
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
