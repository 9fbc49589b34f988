//! Random communications: whatever a program of messages, operations and copies does, its schedule does.

use crate::compiled::fault;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::compile::{GpuTasks, Options, Protocol};
use xtq_cdag::flow::Flow;
use xtq_cdag::graph::{Graph, Slice, VertexId};
use xtq_cdag::random::Random;

/// Graphs that a test draws.
const GRAPHS: u64 = 150;

/// A program of random statements. Messages and operations use few bytes, so that they often use the same.
pub fn draw(seed: u64) -> (Graph, Vec<Vec<u8>>) {
    let mut random = Random::new(seed);
    let ranks = 2 + random.below(4);
    let mut flow = Flow::new(ranks).expect("ranks");
    let data = flow.buffers(64).expect("memory");
    let part = |random: &mut Random, bytes: Slice| bytes.part(random.below(4) as u64 * 16, 16);
    for _ in 0..4 + random.below(24) {
        let from = random.below(ranks);
        let to = (from + 1 + random.below(ranks - 1)) % ranks;
        let source = part(&mut random, data[from]);
        match random.below(6) {
            0 | 1 => {
                let into = part(&mut random, data[to]);
                flow.message((from, source), (to, into)).expect("a message");
            }
            2 => {
                flow.token(from, to, &[]).expect("a message");
            }
            3 => {
                let into = part(&mut random, data[from]);
                if !into.overlaps(source) {
                    let arithmetic = (Operation::Sum, Datatype::Uint16);
                    flow.op(from, arithmetic, source, into)
                        .expect("an operation");
                }
            }
            _ => {
                let scratch = flow.scratch(to, 16).expect("memory");
                flow.message((from, source), (to, scratch))
                    .expect("a message");
                let into = part(&mut random, data[to]);
                let operation = [Operation::Sum, Operation::Bxor][random.below(2)];
                flow.op(to, (operation, Datatype::Uint16), scratch, into)
                    .expect("an operation");
            }
        }
    }
    let memory = |rank| (0..64).map(|place| (rank * 64 + place) as u8).collect();
    let mut graph = flow.into_graph();
    add_work(&mut graph, &mut random);
    (graph, (0..ranks).map(memory).collect())
}

/// Puts work between vertices of a rank: after one, and before a later one. Statements come in an order in which they
/// can be done, so nothing waits in a circle.
fn add_work(graph: &mut Graph, random: &mut Random) {
    let vertices = graph.vertices().len();
    for _ in 0..random.below(4) {
        let [before, after] = [(); 2].map(|()| random.below(vertices));
        let rank = graph.vertices()[before].rank;
        let work = graph.work(rank, 5).expect("work");
        graph.after(work, VertexId(before)).expect("an edge");
        if before < after && graph.vertices()[after].rank == rank {
            graph.after(VertexId(after), work).expect("an edge");
        }
    }
}

#[test]
fn random_communications_give_what_the_interpreter_gives_with_every_protocol() {
    for seed in 0..GRAPHS {
        let (graph, memory) = draw(seed);
        for protocol in [
            Protocol::Auto,
            Protocol::Eager,
            Protocol::Rendezvous,
            Protocol::Get,
            Protocol::Unmatched,
            Protocol::Literal,
        ] {
            for eager in [0, 4096] {
                let options = Options {
                    protocol,
                    eager,
                    barrier: seed.is_multiple_of(2),
                    gpu: seed.is_multiple_of(3).then_some(GpuTasks {
                        from: 0,
                        knows: |operation, _| operation == Operation::Sum,
                    }),
                    ..Options::default()
                };
                let fault = fault(&graph, &memory, &options, 6);
                assert_eq!(fault, None, "graph {seed}, {options:?}");
            }
        }
    }
}
