//! Tables, records and charts.

use super::report::Report;
use super::row::{Calls, Queues, Run, Spread};
use crate::experiments::{Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement};

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let mut parts = vec![];
        let mut add = |text: &str, table: Table| {
            parts.push(Part::Line(text.into()));
            parts.push(Part::Table(table));
        };
        add(
            "What was called (the last row is table 4.2 of the dissertation):",
            self.calls(),
        );
        add(
            "Queues, where there is anything in them: first quartile / median / third quartile / longest (the last row \
             is figure 4.7):",
            self.queues(),
        );
        add(
            "Through the matchers, each rank in one of its own:",
            self.runs(),
        );
        for calls in &self.calls {
            let left: Vec<String> = calls
                .left_out
                .iter()
                .map(|(count, why)| format!("{count} {why}"))
                .collect();
            let left = if left.is_empty() {
                "none".into()
            } else {
                left.join(", ")
            };
            parts.push(Part::Line(format!(
                "{} ({}): not in the trace: {}. Ranks without calls: {}. Sends and receives left out: {left}.",
                calls.load,
                calls.format,
                calls.not_in_the_trace.join("; "),
                calls.missing_ranks,
            )));
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let mut records = vec![strings([
            "load",
            "unexpected_messages",
            "matcher",
            "events",
            "wildcard_events",
            "pairs",
            "equal",
            "different",
            "refused",
            "cycles",
        ])];
        records.extend(self.runs.iter().map(|run| {
            let with = if run.expected_only {
                "forbidden"
            } else {
                "allowed"
            };
            let mut record = vec![run.load.clone(), with.into(), run.matcher.into()];
            record.extend([
                run.events.to_string(),
                run.wildcard_events.to_string(),
                run.pairs.to_string(),
                run.equal.to_string(),
                run.different.to_string(),
                run.refused.to_string(),
                run.cycles.to_string(),
            ]);
            record
        }));
        records
    }

    fn plot(&self) -> Vec<Chart> {
        let places: Vec<String> = self
            .queues
            .iter()
            .map(|queues| queues.load.clone())
            .collect();
        let mut curves = vec![];
        for matcher in ["list", "partitioned", "hash", "NIC"] {
            for only in [false, true] {
                let of = |run: &&Run| run.matcher == matcher && run.expected_only == only;
                let points = self.runs.iter().filter(of).filter_map(|run| {
                    let place = places.iter().position(|place| *place == run.load)?;
                    (run.refused == 0).then_some((place as f64, run.cycles_each()))
                });
                curves.push(Curve {
                    name: format!("{matcher}{}", if only { ", none unexpected" } else { "" }),
                    points: points.collect(),
                    colour: Colour::of_matcher(matcher),
                    main: !only,
                });
            }
        }
        let most = curves
            .iter()
            .flat_map(|curve| &curve.points)
            .map(|point| point.1);
        let top = most.fold(1.0, f64::max).ceil();
        vec![Chart {
            title: "Posts and arrivals through the matchers".into(),
            tenths: 10,
            below: "trace".into(),
            beside: "cycles each".into(),
            kind: Kind::Curves {
                places,
                top,
                curves,
            },
        }]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(String::from).to_vec()
}

fn quartiles(spread: &Spread) -> String {
    let [_, first, median, third, largest] = spread.quartiles;
    format!("{first} / {median} / {third} / {largest}")
}

impl Report {
    fn calls(&self) -> Table {
        let row = |calls: &Calls| {
            vec![
                calls.load.clone(),
                calls.ranks.to_string(),
                format!("{:.0} / {:.0}", calls.isend_percent, calls.irecv_percent),
                calls.wildcards.to_string(),
                format!("{:.1}", calls.peers),
                quartiles(&calls.bytes),
                format!("{:.0}", calls.message_bytes_percent),
                calls.collectives.values().sum::<usize>().to_string(),
            ]
        };
        let mut rows: Vec<Vec<String>> = self.calls.iter().map(row).collect();
        rows.push(strings([
            "17 applications",
            "10 to 13,824",
            "-",
            "-",
            "23",
            "-",
            "-",
            "-",
        ]));
        Table {
            head: strings([
                "trace",
                "ranks",
                "non-blocking send / receive, %",
                "wildcards",
                "peers",
                "bytes of a message",
                "bytes in messages, %",
                "collectives",
            ]),
            numbers: true,
            rows,
        }
    }

    fn queues(&self) -> Table {
        let row = |queues: &Queues| {
            let name = if queues.synthetic {
                format!("{} (made up)", queues.load)
            } else {
                queues.load.clone()
            };
            vec![
                name,
                queues.posts.to_string(),
                queues.arrivals.to_string(),
                format!("{:.0}", queues.unexpected_percent),
                quartiles(&queues.posted_length),
                quartiles(&queues.posted_depth),
                quartiles(&queues.unexpected_length),
                quartiles(&queues.unexpected_depth),
                format!("{} / {}", queues.left[0], queues.left[1]),
            ]
        };
        let mut rows: Vec<Vec<String>> = self.queues.iter().map(row).collect();
        rows.push(strings([
            "17 applications",
            "-",
            "-",
            "36",
            "- / 128 / 512 / -",
            "-",
            "- / 128 / 512 / -",
            "as the length",
            "-",
        ]));
        Table {
            head: strings([
                "trace",
                "posts",
                "arrivals",
                "unexpected, %",
                "posted: length",
                "depth",
                "unexpected: length",
                "depth",
                "left",
            ]),
            numbers: true,
            rows,
        }
    }

    fn runs(&self) -> Table {
        let row = |run: &Run| {
            let with = if run.expected_only {
                "forbidden"
            } else {
                "allowed"
            };
            vec![
                run.load.clone(),
                with.into(),
                run.matcher.into(),
                run.events.to_string(),
                run.wildcard_events.to_string(),
                run.pairs.to_string(),
                run.equal.to_string(),
                run.refused.to_string(),
                format!("{:.2}", run.cycles_each()),
            ]
        };
        Table {
            head: strings([
                "trace",
                "unexpected messages",
                "matcher",
                "posts and arrivals",
                "not played: wildcards",
                "pairs",
                "as the naive matcher",
                "refused",
                "cycles each",
            ]),
            numbers: true,
            rows: self.runs.iter().map(row).collect(),
        }
    }
}
