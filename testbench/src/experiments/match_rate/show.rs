//! Tables, records and charts.

use super::report::Report;
use super::row::{Order, Row, Series, Side};
use crate::experiments::{Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement};

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        let mut parts = vec![Part::Line(
            "Matches in millions a second, of the side that comes second; at 1 GHz, in brackets at the placed clock \
             where the block was placed. Matchers alone, and the list in the NIC, from packets or commands to events; \
             one context. Random orders: mean of the seeds, with its interval of 95 %. `-`: a context has fewer entries."
                .into(),
        )];
        for side in Side::ALL {
            parts.push(Part::Line(format!("Length of the queue, {}:", side.name())));
            parts.push(Part::Table(self.lengths(side)));
        }
        let other = [
            (Series::Sources, "senders", "Senders"),
            (Series::Multiplicity, "equal, %", "Equal messages"),
        ];
        for (series, head, title) in other {
            let length = self.parameters.sweep.length;
            parts.push(Part::Line(format!(
                "{title}, {length} entries, random order:"
            )));
            parts.push(Part::Table(self.sweep(series, head)));
        }
        parts.push(Part::Table(statement::table(&self.statements)));
        parts
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "series",
            "matcher",
            "side",
            "order",
            "length",
            "sources",
            "multiplicity_percent",
            "fill_cycles",
            "match_cycles",
            "mega_matches_at_1_ghz",
            "half_interval",
            "mega_matches_placed",
            "placed_mhz",
        ];
        let mut records = vec![head.map(String::from).to_vec()];
        records.extend(self.rows.iter().map(|row| {
            vec![
                format!("{:?}", row.series).to_lowercase(),
                row.matcher.into(),
                row.side.name().into(),
                row.order.name().into(),
                row.length.to_string(),
                row.sources.to_string(),
                row.multiplicity.to_string(),
                each(&row.fill_cycles),
                each(&row.match_cycles),
                format!("{:.3}", row.at_1_ghz()),
                format!("{:.3}", row.interval().half),
                row.at_placed()
                    .map_or("-".into(), |rate| format!("{rate:.3}")),
                row.placed_mhz.map_or("-".into(), |clock| clock.to_string()),
            ]
        }));
        records
    }

    fn plot(&self) -> Vec<Chart> {
        let lengths = &self.parameters.sweep.lengths;
        let (sources, equal) = (
            &self.parameters.sweep.sources,
            &self.parameters.sweep.multiplicity,
        );
        vec![
            self.chart(
                Series::Length,
                "Queue length, random order",
                "entries",
                lengths.iter().map(usize::to_string).collect(),
                |row| lengths.iter().position(|length| *length == row.length),
            ),
            self.chart(
                Series::Sources,
                "Senders",
                "senders",
                sources.iter().map(usize::to_string).collect(),
                |row| sources.iter().position(|many| *many == row.sources),
            ),
            self.chart(
                Series::Multiplicity,
                "Equal messages",
                "%",
                equal.iter().map(u32::to_string).collect(),
                |row| equal.iter().position(|share| *share == row.multiplicity),
            ),
        ]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}

fn cell(row: Option<&Row>) -> String {
    row.map_or("-".into(), |row| {
        let placed = row.at_placed().map(|rate| format!(" ({rate:.2})"));
        let mut rate = row.interval();
        // Less than the last digit that is printed.
        if rate.half < 0.05 {
            rate.half = 0.0;
        }
        format!("{rate}{}", placed.unwrap_or_default())
    })
}

/// Cycles of the runs, one beside the other.
fn each(cycles: &[u64]) -> String {
    let cycles: Vec<String> = cycles.iter().map(u64::to_string).collect();
    cycles.join(" ")
}

impl Report {
    fn matchers(&self) -> Vec<&'static str> {
        let mut matchers: Vec<&str> = self.rows.iter().map(|row| row.matcher).collect();
        matchers.dedup();
        matchers
    }

    fn lengths(&self, side: Side) -> Table {
        let mut head = vec!["entries".to_owned()];
        for matcher in self.matchers() {
            head.extend(Order::ALL.map(|order| format!("{matcher}, {}", order.name())));
        }
        let rows = self.parameters.sweep.lengths.iter().map(|length| {
            let mut cells = vec![length.to_string()];
            for matcher in self.matchers() {
                cells.extend(Order::ALL.map(|order| {
                    cell(self.of(Series::Length, side).find(|row| {
                        (row.matcher, row.order, row.length) == (matcher, order, *length)
                    }))
                }));
            }
            cells
        });
        Table {
            rows: rows.collect(),
            head,
            numbers: true,
        }
    }

    fn sweep(&self, series: Series, head: &str) -> Table {
        let value = |row: &Row| match series {
            Series::Multiplicity => row.multiplicity as usize,
            _ => row.sources,
        };
        let mut values: Vec<usize> = self
            .rows
            .iter()
            .filter(|row| row.series == series)
            .map(value)
            .collect();
        values.sort_unstable();
        values.dedup();
        let mut heads = vec![head.to_owned()];
        for matcher in self.matchers() {
            heads.extend(Side::ALL.map(|side| format!("{matcher}, {}", side.name())));
        }
        let rows = values.into_iter().map(|at| {
            let mut cells = vec![at.to_string()];
            for matcher in self.matchers() {
                cells.extend(Side::ALL.map(|side| {
                    cell(
                        self.of(series, side)
                            .find(|row| row.matcher == matcher && value(row) == at),
                    )
                }));
            }
            cells
        });
        Table {
            rows: rows.collect(),
            head: heads,
            numbers: true,
        }
    }

    fn chart(
        &self,
        series: Series,
        title: &str,
        below: &str,
        places: Vec<String>,
        at: impl Fn(&Row) -> Option<usize>,
    ) -> Chart {
        let mut curves = vec![];
        for matcher in self.matchers() {
            for side in Side::ALL {
                let rows = self.of(series, side);
                let rows = rows.filter(|row| row.matcher == matcher && row.order == Order::Average);
                curves.push(Curve {
                    name: format!("{matcher}, {}", side.name()),
                    points: rows
                        .filter_map(|row| Some((at(row)? as f64, row.at_1_ghz())))
                        .collect(),
                    colour: Colour::of_matcher(matcher),
                    main: side == Side::Messages,
                });
            }
        }
        Chart {
            title: title.into(),
            tenths: match series {
                Series::Length => 4,
                Series::Sources | Series::Multiplicity => 3,
            },
            below: below.into(),
            beside: "M matches/s at 1 GHz".into(),
            kind: Kind::Curves {
                places,
                top: 1000.0,
                curves,
            },
        }
    }
}
