//! Graphs by hand: what is refused, and with which words; which matchings are possible.

use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::check::check;
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::{ANY_TAG, Graph, Slice};
use xtq_cdag::interpret::interpret;

fn two() -> (Graph, Slice) {
    let mut graph = Graph::new(2).expect("two ranks");
    let bytes = graph.buffer(0, 64).expect("memory");
    graph.buffer(1, 64).expect("memory");
    (graph, bytes)
}

fn refused(result: Result<impl std::fmt::Debug, GraphError>, words: &str) {
    let error = result.expect_err(words).to_string();
    assert!(error.contains(words), "{error}");
}

#[test]
fn a_graph_has_ranks_and_vertices_are_within_them() {
    let (mut graph, bytes) = two();
    refused(Graph::new(0), "it has no ranks");
    refused(
        graph.send(2, bytes, 0, 0),
        "rank 2 does not exist: the graph has ranks 0 to 1",
    );
    refused(graph.send(0, bytes, 9, 0), "rank 9 does not exist");
    refused(graph.recv(1, bytes, 1, ANY_TAG), "a receive with itself");
    refused(
        graph.send(0, bytes.part(32, 64), 1, 0),
        "bytes 32 to 96 are outside the 64 bytes of rank 0",
    );
    refused(graph.send(0, bytes.part(u64::MAX, 64), 1, 0), "outside");
    refused(graph.buffer(0, u64::MAX), "a buffer");
}

#[test]
fn operations_have_types_and_lengths_that_fit() {
    let (mut graph, bytes) = two();
    let half = |number| bytes.cut(2, number, 1);
    let mut op = |operation, datatype, from, into| graph.op(0, operation, datatype, from, into);
    refused(
        op(Operation::Bor, Datatype::Float, half(0), half(1)),
        "there is no bor of float values",
    );
    refused(
        op(
            Operation::Sum,
            Datatype::Double,
            half(0).part(0, 12),
            half(1).part(0, 12),
        ),
        "12 bytes are no whole number",
    );
    refused(
        op(
            Operation::Sum,
            Datatype::Int32,
            half(0),
            half(1).part(0, 16),
        ),
        "have 32 and 16 bytes",
    );
    refused(
        op(Operation::Sum, Datatype::Int32, half(0), bytes.part(16, 32)),
        "overlap",
    );
    refused(
        op(
            Operation::Sum,
            Datatype::Int32,
            half(0).part(0, 4),
            bytes.part(34, 4),
        ),
        "at 34 is at no multiple",
    );
    refused(graph.copy(0, bytes, bytes), "overlap");
}

#[test]
fn edges_are_within_a_rank() {
    let (mut graph, bytes) = two();
    let send = graph.send(0, bytes, 1, 0).expect("a send");
    let recv = graph.recv(1, bytes, 0, Some(0)).expect("a receive");
    refused(graph.after(recv, send), "of different ranks");
    refused(
        graph.after(send, xtq_cdag::graph::VertexId(9)),
        "from vertex 9 to vertex 0, of which one does not exist",
    );
}

#[test]
fn a_cycle_is_named() {
    let (mut graph, bytes) = two();
    let send = graph.send(0, bytes, 1, 0).expect("a send");
    let recv = graph.recv(0, bytes, 1, Some(0)).expect("a receive");
    let other_send = graph.send(1, bytes, 0, 0).expect("a send");
    let other_recv = graph.recv(1, bytes, 0, Some(0)).expect("a receive");
    graph.after(send, recv).expect("an edge");
    graph.after(other_send, other_recv).expect("an edge");
    refused(
        check(&graph),
        "vertex 0 of rank 0 (send of 64 bytes to rank 1, tag 0) never starts",
    );
}

#[test]
fn a_message_has_both_ends_of_one_length() {
    let (mut graph, bytes) = two();
    graph.send(0, bytes, 1, 3).expect("a send");
    refused(check(&graph), "no receive takes vertex 0 of rank 0");
    graph
        .recv(1, bytes.part(0, 8), 0, Some(3))
        .expect("a receive");
    refused(check(&graph), "match, but not in their lengths");
    refused(interpret(&graph, &[vec![], vec![]], 1), "seed 1");
}

#[test]
fn bytes_that_are_used_again_too_early_are_named() {
    let (mut graph, bytes) = two();
    let send = graph.send(0, bytes, 1, 0).expect("a send");
    let recv = graph.recv(0, bytes, 1, Some(0)).expect("a receive");
    graph.recv(1, bytes, 0, Some(0)).expect("a receive");
    let other = graph.buffer(1, 64).expect("memory");
    graph.send(1, other, 0, 0).expect("a send");
    refused(check(&graph), "use the same bytes");
    graph.after(recv, send).expect("an edge");
    check(&graph).expect("ordered by the edge");
}

#[test]
fn the_other_rank_may_order_two_uses() {
    let (mut graph, bytes) = two();
    graph.send(0, bytes, 1, 0).expect("a send");
    graph.recv(0, bytes, 1, Some(0)).expect("a receive");
    let recv = graph.recv(1, bytes, 0, Some(0)).expect("a receive");
    let back = graph.send(1, bytes, 0, 0).expect("a send");
    graph.after(back, recv).expect("an edge");
    check(&graph).expect("what comes back was sent when the first message had come");
}

/// Figure 1 of the paper: two sends that nothing orders, and two receives.
#[test]
fn without_an_order_both_matchings_of_figure_1_are_possible() {
    let mut graph = Graph::new(2).expect("two ranks");
    let from = graph.buffer(0, 2).expect("memory");
    let into = graph.buffer(1, 2).expect("memory");
    for number in 0..2 {
        graph
            .send(0, from.part(number, 1), 1, number as u32)
            .expect("a send");
        graph
            .recv(1, into.part(number, 1), 0, ANY_TAG)
            .expect("a receive");
    }
    check(&graph).expect("one of the matchings");
    let runs =
        (0..64).map(|seed| interpret(&graph, &[vec![1, 2], vec![0, 0]], seed).expect("it ends"));
    let mut outcomes: Vec<Vec<u8>> = runs.map(|memory| memory[1].clone()).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    assert_eq!(outcomes, [[1, 2], [2, 1]]);
}
