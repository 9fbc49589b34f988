//! libNBC's rounds: the same results with more edges, and fewer things at a time.

use crate::common::{NODES, parameters, visible};
use crate::compiled::fault;
use xtq_cdag::arithmetic::Datatype;
use xtq_cdag::collectives::{Parameters, VARIANTS, variant};
use xtq_cdag::compile::Options;
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::Graph;
use xtq_cdag::interpret::interpret;
use xtq_cdag::rounds::in_rounds;

/// For each rank how many of its vertices wait for nothing, and the longest path through its edges.
fn shape(graph: &Graph) -> Vec<(usize, usize)> {
    let vertices = graph.vertices();
    let mut depth: Vec<usize> = vec![0; vertices.len()];
    // As often as the longest path may be.
    for _ in 0..vertices.len() {
        for (number, vertex) in vertices.iter().enumerate() {
            let before = vertex.after.iter().map(|before| depth[before.0] + 1);
            depth[number] = before.max().unwrap_or(0);
        }
    }
    let of = |rank: usize| {
        let own = || (0..vertices.len()).filter(move |number| vertices[*number].rank == rank);
        let free = own()
            .filter(|number| vertices[*number].after.is_empty())
            .count();
        (free, own().map(|number| depth[number]).max().unwrap_or(0))
    };
    (0..graph.ranks()).map(of).collect()
}

#[test]
fn every_variant_in_rounds_gives_the_same() {
    for variant in VARIANTS {
        for nodes in NODES.into_iter().filter(|nodes| *nodes <= 16) {
            let built = variant.build(&parameters(nodes)).expect("a graph");
            let graph = in_rounds(&built.graph).unwrap_or_else(|error| {
                panic!("{} {}: {error}", variant.collective, variant.algorithm)
            });
            let memory = built.memory(Datatype::Uint32, 3);
            let [wanted, found] = [&built.graph, &graph]
                .map(|graph| visible(graph, &interpret(graph, &memory, 1).expect("it ends")));
            assert_eq!(
                found, wanted,
                "{} {}, {nodes} ranks",
                variant.collective, variant.algorithm
            );
            assert_eq!(
                fault(&graph, &memory, &Options::default(), 3),
                None,
                "{} {}",
                variant.collective,
                variant.algorithm
            );
        }
    }
}

#[test]
fn listing_1_has_two_rounds_on_each_rank() {
    let linear = variant("barrier", "linear").expect("it is in the list");
    let built = linear.build(&parameters(5)).expect("a graph");
    let graph = in_rounds(&built.graph).expect("rounds");
    // The root: all receives, then all sends. The others: the send, then the receive.
    assert_eq!(shape(&graph), [(4, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
    // Without rounds the receive of the others waits for nothing.
    assert_eq!(shape(&built.graph)[1], (2, 0));
}

#[test]
fn a_pipeline_sends_one_segment_a_round_and_receives_the_next_in_it() {
    let chain = variant("broadcast", "linear").expect("it is in the list");
    let parameters = Parameters {
        segments: 4,
        ..parameters(3)
    };
    let graph = in_rounds(&chain.build(&parameters).expect("a graph").graph).expect("rounds");
    assert_eq!(shape(&graph), [(1, 3), (1, 4), (1, 3)]);
}

#[test]
fn messages_that_would_each_be_earlier_than_the_other_are_refused() {
    let mut graph = Graph::new(2).expect("two ranks");
    let bytes = [0, 1].map(|rank| graph.buffer(rank, 16).expect("memory"));
    for (rank, bytes) in bytes.iter().enumerate() {
        let send = graph
            .send(rank, bytes.part(0, 8), 1 - rank, 0)
            .expect("a send");
        let recv = graph
            .recv(rank, bytes.part(8, 8), 1 - rank, Some(0))
            .expect("a receive");
        graph.after(recv, send).expect("an edge");
    }
    match in_rounds(&graph) {
        Err(GraphError::NoRounds(_)) => {}
        other => panic!("{other:?}"),
    }
}
