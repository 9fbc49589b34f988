//! Graphs in which an order holds only by what a pass takes care of. Each was made for a condition of a pass: without
//! the condition it fails.

use crate::compiled::fault;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::compile::Options;
use xtq_cdag::graph::{Graph, Slice, VertexId};

/// Runs of each graph.
const SEEDS: u64 = 400;

/// Part `number` of a rank's memory.
fn bytes(number: u64) -> Slice {
    Slice {
        at: number * 8,
        length: 8,
    }
}

/// So many ranks with 128 bytes each, which differ.
fn ranks(count: usize) -> (Graph, Vec<Vec<u8>>) {
    let mut graph = Graph::new(count).expect("ranks");
    for rank in 0..count {
        graph.buffer(rank, 128).expect("memory");
    }
    let memory = (0..count).map(|rank| (0..128).map(|place| (rank * 16 + place) as u8).collect());
    (graph, memory.collect())
}

/// A message after something of its sender, and its receive.
fn message(
    graph: &mut Graph,
    (from, source): (usize, u64),
    (to, target): (usize, u64),
    tag: u32,
    after: &[VertexId],
) -> (VertexId, VertexId) {
    let send = graph.send(from, bytes(source), to, tag).expect("a send");
    for before in after {
        graph.after(send, *before).expect("an edge");
    }
    let recv = graph
        .recv(to, bytes(target), from, Some(tag))
        .expect("a receive");
    (send, recv)
}

/// Pass 3: what waits for two things is released through a counter of its own, so what waits for a later thing, which
/// is released directly, may leave first.
#[test]
fn a_message_that_waits_for_two_things_may_be_overtaken() {
    let (mut graph, memory) = ranks(5);
    let (_, a) = message(&mut graph, (1, 0), (0, 0), 0, &[]);
    let (_, b) = message(&mut graph, (2, 0), (0, 1), 0, &[]);
    let (_, p) = message(&mut graph, (0, 0), (4, 0), 0, &[a]);
    let (_, q) = message(&mut graph, (0, 1), (4, 1), 1, &[b]);
    let (_, c) = message(&mut graph, (4, 0), (0, 2), 0, &[p, q]);
    let (_, first) = message(&mut graph, (0, 0), (3, 0), 0, &[a, b]);
    let (_, second) = message(&mut graph, (0, 2), (3, 1), 1, &[c]);
    message(&mut graph, (3, 0), (1, 8), 5, &[first]);
    message(&mut graph, (3, 1), (2, 8), 5, &[second]);
    assert_eq!(fault(&graph, &memory, &Options::default(), SEEDS), None);
}

/// Pass 1: what waits for a receive waits for all that the receive waited for, also if that is there from the start.
#[test]
fn what_a_direct_receive_waited_for_is_not_forgotten() {
    let (mut graph, memory) = ranks(3);
    let (_, came) = message(&mut graph, (2, 0), (0, 2), 0, &[]);
    let arithmetic = (Operation::Sum, Datatype::Uint64);
    let sum = graph
        .op(0, arithmetic.0, arithmetic.1, bytes(2), bytes(1))
        .expect("an operation");
    graph.after(sum, came).expect("an edge");
    let (_, other) = message(&mut graph, (1, 0), (0, 3), 0, &[]);
    graph.after(other, sum).expect("an edge");
    message(&mut graph, (0, 1), (1, 4), 1, &[other]);
    assert_eq!(fault(&graph, &memory, &Options::default(), SEEDS), None);
}

/// Pass 5: scratch bytes that somebody else reads are not left out, though nobody else waits for the receive.
#[test]
fn scratch_bytes_that_are_sent_on_are_there() {
    let (mut graph, memory) = ranks(2);
    let scratch = graph.scratch(0, 8).expect("memory");
    graph.send(1, bytes(0), 0, 0).expect("a send");
    let recv = graph.recv(0, scratch, 1, Some(0)).expect("a receive");
    let sum = graph
        .op(0, Operation::Sum, Datatype::Uint64, scratch, bytes(1))
        .expect("an operation");
    graph.after(sum, recv).expect("an edge");
    let back = graph.send(0, scratch, 1, 1).expect("a send");
    graph.after(back, sum).expect("an edge");
    graph.recv(1, bytes(5), 0, Some(1)).expect("a receive");
    assert_eq!(fault(&graph, &memory, &Options::default(), SEEDS), None);
}
