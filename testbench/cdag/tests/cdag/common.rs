//! What the tests of collectives share.

use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::Parameters;
use xtq_cdag::graph::Graph;

/// Sizes that the tests run.
pub const NODES: [usize; 7] = [1, 2, 3, 5, 8, 16, 64];

pub fn parameters(nodes: usize) -> Parameters {
    Parameters {
        nodes,
        root: 0,
        bytes: 48,
        k: 2,
        segments: 3,
        operation: Operation::Sum,
        datatype: Datatype::Uint32,
    }
}

/// What is asked for of all memory.
pub fn visible(graph: &Graph, memory: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let of = |(rank, memory): (usize, &Vec<u8>)| {
        let parts = graph.results(rank).into_iter();
        parts
            .flat_map(|part| memory[part.at as usize..part.end() as usize].to_vec())
            .collect()
    };
    memory.iter().enumerate().map(of).collect()
}
