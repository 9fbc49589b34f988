//! Tables, records and charts.

use super::measure::PROTOCOLS;
use super::{Report, Row};
use crate::experiments::offload::size;
use xtq_cdag::collectives::VARIANTS;
use xtq_testbench::experiments::{
    Chart, Colour, Curve, Kind, Part, Shown, Statement, Table, statement,
};

/// What the first chart shows, with colours; the first two of a collective's algorithms share one.
const SHOWN: [(&str, &str, Colour); 6] = [
    ("barrier", "dissemination", Colour::Black),
    ("barrier", "linear", Colour::Cyan),
    ("broadcast", "knomial", Colour::Blue),
    ("allreduce", "butterfly", Colour::Red),
    ("allgather", "ring", Colour::Magenta),
    ("scan", "linear", Colour::Black),
];

/// Colours of the protocols.
const COLOURS: [Colour; 4] = [Colour::Black, Colour::Blue, Colour::Red, Colour::Magenta];

impl Shown for Report {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn table(&self) -> Vec<Part> {
        vec![
            Part::Line(format!(
                "Latency in ns (95 % of {} seeds), and what the rank that needs most needs on {} nodes:",
                self.sweep.seeds.len(),
                self.sweep.nodes.last().copied().unwrap_or(0)
            )),
            Part::Table(self.by_variant()),
            Part::Line(format!(
                "{} {} on {} nodes, latency in ns:",
                self.protocols.collective, self.protocols.algorithm, self.protocols.nodes
            )),
            Part::Table(self.by_protocol()),
            Part::Line(format!(
                "Awake cycles of all nodes: {:.1} million, predicted {:.1} million.",
                self.million_cycles, self.predicted_million_cycles
            )),
            Part::Table(statement::table(&self.statements)),
        ]
    }

    fn csv(&self) -> Vec<Vec<String>> {
        let head = [
            "collective",
            "algorithm",
            "protocol",
            "nodes",
            "bytes",
            "messages",
            "triggered",
            "counters",
            "entries",
            "descriptors",
            "not_as_planned",
            "host_actions",
            "more_events",
            "lost",
            "left",
            "posting_ns",
            "latency_ns",
            "latency_half_ns",
            "latencies_ns",
        ];
        let head = head.map(str::to_owned).to_vec();
        let rows = self.rows.iter().chain(&self.by_protocol).map(record);
        std::iter::once(head).chain(rows).collect()
    }

    fn plot(&self) -> Vec<Chart> {
        vec![self.scaling(), self.protocols()]
    }

    fn statements(&self) -> &[Statement] {
        &self.statements
    }
}

fn record(row: &Row) -> Vec<String> {
    let each: Vec<String> = row
        .latencies_ns
        .iter()
        .map(|ns| format!("{ns:.0}"))
        .collect();
    let names = [row.collective, row.algorithm, row.protocol].map(str::to_owned);
    let counts = [
        row.nodes as u64,
        row.bytes,
        row.messages as u64,
        row.needs.triggered as u64,
        row.needs.counters as u64,
        row.needs.entries as u64,
        row.needs.descriptors as u64,
        row.not_as_planned as u64,
        row.host_actions,
        row.more_events,
        row.lost,
        row.left as u64,
    ];
    let times = [row.posting_ns, row.latency_ns.mean, row.latency_ns.half];
    names
        .into_iter()
        .chain(counts.map(|count| count.to_string()))
        .chain(times.map(|ns| format!("{ns:.1}")))
        .chain([each.join(";")])
        .collect()
}

impl Report {
    fn row(&self, collective: &str, algorithm: &str, nodes: usize) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| {
            (row.collective, row.algorithm, row.nodes) == (collective, algorithm, nodes)
        })
    }

    /// A row for each variant, a column for each number of nodes.
    fn by_variant(&self) -> Table {
        let nodes = &self.sweep.nodes;
        let head = ["collective".to_owned()].into_iter();
        let head = head.chain(nodes.iter().map(|nodes| format!("{nodes} nodes")));
        let head = head.chain(
            [
                "operations",
                "counters",
                "entries",
                "descriptors",
                "messages",
                "posting, ns",
            ]
            .map(str::to_owned),
        );
        let rows = VARIANTS.iter().map(|variant| {
            let row = |nodes: &usize| self.row(variant.collective, variant.algorithm, *nodes);
            let times = nodes
                .iter()
                .map(|nodes| row(nodes).map_or(String::new(), |row| row.latency_ns.to_string()));
            let name = format!("{} {}", variant.collective, variant.algorithm);
            let largest = nodes.last().and_then(row);
            let needs = largest.map(|row| {
                let needs = row.needs;
                let counts = [
                    needs.triggered,
                    needs.counters,
                    needs.entries,
                    needs.descriptors,
                    row.messages,
                ];
                counts
                    .map(|count| count.to_string())
                    .into_iter()
                    .chain([format!("{:.0}", row.posting_ns)])
            });
            [name]
                .into_iter()
                .chain(times)
                .chain(needs.into_iter().flatten())
                .collect()
        });
        Table {
            head: head.collect(),
            numbers: true,
            rows: rows.collect(),
        }
    }

    /// A row for each size, a column for each protocol.
    fn by_protocol(&self) -> Table {
        let head = ["bytes".to_owned()].into_iter();
        let rows = self.protocols.bytes.iter().map(|bytes| {
            let cells = PROTOCOLS.map(|(_, protocol)| {
                let mut rows = self.by_protocol.iter();
                let row = rows.find(|row| row.protocol == protocol && row.bytes == *bytes);
                row.map_or(String::new(), |row| row.latency_ns.to_string())
            });
            [size(*bytes)].into_iter().chain(cells).collect()
        });
        Table {
            head: head
                .chain(PROTOCOLS.map(|(_, name)| name.to_owned()))
                .collect(),
            numbers: true,
            rows: rows.collect(),
        }
    }

    fn scaling(&self) -> Chart {
        let curves = SHOWN.map(|(collective, algorithm, colour)| {
            let places = self.sweep.nodes.iter().enumerate();
            let points = places.filter_map(|(place, nodes)| {
                let row = self.row(collective, algorithm, *nodes)?;
                Some((place as f64, row.latency_ns.mean / 1000.0))
            });
            Curve {
                name: format!("{collective} {algorithm}"),
                points: points.collect(),
                colour,
                main: collective != "scan",
            }
        });
        let bytes = size(self.sweep.bytes);
        chart(
            format!("Offloaded collectives, {bytes}"),
            "nodes",
            self.sweep.nodes.iter().map(usize::to_string).collect(),
            curves.to_vec(),
        )
    }

    fn protocols(&self) -> Chart {
        let curves = PROTOCOLS
            .into_iter()
            .zip(COLOURS)
            .map(|((_, protocol), colour)| {
                let rows = self
                    .by_protocol
                    .iter()
                    .filter(|row| row.protocol == protocol);
                let points = rows
                    .enumerate()
                    .map(|(place, row)| (place as f64, row.latency_ns.mean / 1000.0));
                Curve {
                    name: protocol.to_owned(),
                    points: points.collect(),
                    colour,
                    main: true,
                }
            });
        let title = format!(
            "{} {} by protocol",
            self.protocols.collective, self.protocols.algorithm
        );
        chart(
            title,
            "size",
            self.protocols
                .bytes
                .iter()
                .map(|bytes| size(*bytes))
                .collect(),
            curves.collect(),
        )
    }
}

/// Half of the picture: curves of latency.
fn chart(title: String, below: &str, places: Vec<String>, curves: Vec<Curve>) -> Chart {
    let values = curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|point| point.1);
    Chart {
        title,
        tenths: 5,
        below: below.to_owned(),
        beside: "us".to_owned(),
        kind: Kind::Curves {
            places,
            top: 1.1 * values.fold(0.1, f64::max),
            curves,
        },
    }
}
