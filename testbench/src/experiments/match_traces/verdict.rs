//! What the dissertation says about queues of applications, and what our traces show.

use super::row::{Calls, Queues, Run};
use crate::experiments::Statement;

/// Shares of unexpected messages of table 4.2, in per cent: the smallest and the largest.
const UNEXPECTED: [f64; 2] = [21.0, 48.0];
/// Median length of the queues, and what is near it: between half and twice as much.
const LENGTH: usize = 128;
/// "Nearly to the end": at least so much of the queue.
const NEARLY: f64 = 0.75;
/// Bytes that two thirds of the messages stay below.
const BYTES: usize = 40_000;

/// All that these loads can show.
pub fn statements(calls: &[Calls], queues: &[Queues], runs: &[Run]) -> Vec<Statement> {
    let recorded = || queues.iter().filter(|queues| !queues.synthetic);
    let mut all = vec![];
    all.extend(recorded().map(unexpected));
    all.extend(recorded().map(|queues| length(queues, calls)));
    all.extend(recorded().filter_map(depth));
    all.extend(calls.iter().map(wildcards));
    all.extend(calls.iter().map(bytes));
    all.push(as_the_naive_matcher(runs));
    all
}

fn unexpected(queues: &Queues) -> Statement {
    let share = queues.unexpected_percent;
    let [least, most] = UNEXPECTED;
    Statement {
        of: queues.load.clone(),
        beside: true,
        paper: "21 to 48 % of the messages are unexpected (table 4.2)".into(),
        number: format!("{least:.0} to {most:.0} %"),
        asked: "in this range".into(),
        measured: format!("{share:.0} %"),
        difference: match share {
            _ if share < least => format!("{:+.0} points", share - least),
            _ if share > most => format!("{:+.0} points", share - most),
            _ => "none".into(),
        },
        holds: (least..=most).contains(&share),
        because: "a send counts as the arrival of its message, which in truth came later".into(),
        ..Statement::default()
    }
}

fn length(queues: &Queues, calls: &[Calls]) -> Statement {
    let own = calls.iter().find(|calls| calls.load == queues.load);
    let median = queues.posted_length.quartiles[2];
    Statement {
        of: queues.load.clone(),
        beside: true,
        paper: "the median length of the queues is 128 (4.3.3, figure 4.7)".into(),
        number: LENGTH.to_string(),
        asked: "between half and twice as many".into(),
        measured: format!("{median} posted receives"),
        difference: format!("{:+}", median as i64 - LENGTH as i64),
        holds: (LENGTH / 2..=2 * LENGTH).contains(&median),
        because: own.map_or_else(String::new, |calls| {
            format!(
                "{} ranks, each with {:.1} peers; the applications have up to 13,824 ranks, and 23 peers",
                calls.ranks, calls.peers
            )
        }),
        ..Statement::default()
    }
}

/// Nothing if no message had to wait.
fn depth(queues: &Queues) -> Option<Statement> {
    let (length, depth) = (queues.unexpected_length.mean, queues.unexpected_depth.mean);
    (length > 0.0).then(|| Statement {
        of: queues.load.clone(),
        beside: true,
        paper:
            "unexpected messages are searched nearly to the end of their queue (4.3.3, figure 4.7b)"
                .into(),
        asked: format!("at least {:.0} % of the length, on average", 100.0 * NEARLY),
        measured: format!("{depth:.1} of {length:.1}"),
        holds: depth >= NEARLY * length,
        because: format!(
            "half of these queues have {} or fewer; a receive that finds nothing looks at all",
            queues.unexpected_length.quartiles[2]
        ),
        ..Statement::default()
    })
}

fn wildcards(calls: &Calls) -> Statement {
    Statement {
        of: calls.load.clone(),
        beside: true,
        paper: "almost none of the applications uses wildcards (7.2.3)".into(),
        asked: "no receive with one".into(),
        measured: format!("{} receives with one", calls.wildcards),
        holds: calls.wildcards == 0,
        because: "counted over all receives of the trace".into(),
        ..Statement::default()
    }
}

fn bytes(calls: &Calls) -> Statement {
    let largest = calls.bytes.quartiles[3];
    Statement {
        of: calls.load.clone(),
        beside: true,
        paper: "two thirds of the messages have less than 5,000 elements, some 40 KB (4.2.3, figure 4.2)".into(),
        number: format!("{BYTES} bytes"),
        asked: "three quarters have at most as many".into(),
        measured: format!("three quarters have at most {largest} bytes"),
        difference: format!("{:+} bytes", largest as i64 - BYTES as i64),
        holds: largest <= BYTES,
        because: "third quartile of the column 'bytes of a message'".into(),
        ..Statement::default()
    }
}

fn as_the_naive_matcher(runs: &[Run]) -> Statement {
    let played: Vec<&Run> = runs.iter().filter(|run| run.refused == 0).collect();
    let sum = |of: fn(&Run) -> usize| played.iter().map(|run| of(run)).sum::<usize>();
    let (pairs, equal, different) = (
        sum(|run| run.pairs),
        sum(|run| run.equal),
        sum(|run| run.different),
    );
    Statement {
        of: "all loads".into(),
        paper: "of all that match, the one that has waited longest is taken (3.2.1)".into(),
        number: format!("{pairs} pairs"),
        asked: "all pairs of the naive matcher, and no other".into(),
        measured: format!("{equal} in {} runs with room for all", played.len()),
        difference: format!("{}", pairs - equal),
        holds: pairs == equal && different == 0,
        because: format!(
            "{} runs in which a matcher refused something for want of room are not judged",
            runs.len() - played.len()
        ),
        ..Statement::default()
    }
}
