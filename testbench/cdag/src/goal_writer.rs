//! A graph as GOAL text.

use crate::graph::{Graph, Kind};
use std::fmt::Write;

/// Writes a graph. An operation on local data, of which GOAL has none, is a `calc` of a nanosecond a byte.
pub fn write(graph: &Graph) -> String {
    let mut text = format!("num_ranks {}\n", graph.ranks());
    for rank in 0..graph.ranks() {
        let _ = writeln!(text, "\nrank {rank} {{");
        let vertices = graph
            .vertices()
            .iter()
            .enumerate()
            .filter(|(_, vertex)| vertex.rank == rank);
        for (number, vertex) in vertices {
            let what = match vertex.kind {
                Kind::Send { to, tag, bytes } => {
                    format!("send {}b to {to} tag {tag}", bytes.length)
                }
                Kind::Recv { from, tag, bytes } => {
                    let tag = tag.map_or("-1".to_owned(), |tag| tag.to_string());
                    let from = from.map_or("-1".to_owned(), |from| from.to_string());
                    format!("recv {}b from {from} tag {tag}", bytes.length)
                }
                Kind::Local { into, .. } => format!("calc {}", into.length),
                Kind::Work { cycles } => format!("calc {cycles}"),
            };
            let _ = writeln!(text, "v{number}: {what}");
        }
        let vertices = graph.vertices().iter().enumerate();
        for (number, vertex) in vertices.filter(|(_, vertex)| vertex.rank == rank) {
            for before in &vertex.after {
                let _ = writeln!(text, "v{number} requires v{}", before.0);
            }
        }
        text.push_str("}\n");
    }
    text
}
