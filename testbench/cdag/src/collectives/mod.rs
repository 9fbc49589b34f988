//! The collectives of table I of the paper as graphs, each from a dataflow and a topology.
//!
//! Buffers are in place: a rank's contribution lies where its result will be, as with `MPI_IN_PLACE`. Where a
//! collective leaves a rank's own block with it, the host has put it there before.
//!
//! Topologies have rank 0 on top. For another root the two change places ([`Parameters::rank`]).

mod barrier;
mod blocks;
mod reduction;
mod tree;
mod variants;

pub use variants::{VARIANTS, Variant, variant};

use crate::arithmetic::{Datatype, Operation};
use crate::error::GraphError;
use crate::flow::Flow;
use crate::graph::{Graph, Slice};

/// What to build.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Ranks.
    pub nodes: usize,
    /// The rank that has, or gets, what a broadcast, scatter, gather or reduce is about; trees have it on top.
    pub root: usize,
    /// Bytes of the vector, or of the block of each rank.
    pub bytes: u64,
    /// Children of a node of k-ary and k-nomial trees.
    pub k: usize,
    /// Parts in which vectors and blocks go through trees and chains.
    pub segments: u64,
    /// What reductions do.
    pub operation: Operation,
    /// What the bytes are.
    pub datatype: Datatype,
}

/// A collective as a graph, and where its data are.
#[derive(Clone, Debug)]
pub struct Built {
    /// The graph.
    pub graph: Graph,
    /// What each rank brings.
    pub input: Vec<Slice>,
    /// What each rank has at the end.
    pub output: Vec<Slice>,
}

impl Parameters {
    /// The operation with its type.
    fn arithmetic(&self) -> (Operation, Datatype) {
        (self.operation, self.datatype)
    }

    /// Part `number` of a vector, in whole values.
    fn segment(&self, bytes: Slice, number: u64) -> Slice {
        bytes.cut(self.segments, number, self.datatype.bytes())
    }

    /// Bytes of the blocks of all ranks. Errors: too many.
    fn all(&self) -> Result<u64, GraphError> {
        let all = self.bytes.checked_mul(self.nodes as u64);
        all.ok_or(GraphError::Outside {
            what: "the blocks of all ranks",
            at: 0,
            end: u64::MAX,
            size: 1 << 32,
            rank: 0,
        })
    }

    /// The rank in a place of a topology: the root and rank 0 change places, all others have their own.
    fn rank(&self, place: usize) -> usize {
        match place {
            0 => self.root,
            place if place == self.root => 0,
            place => place,
        }
    }

    /// Only the root has one of these.
    fn only_root(&self, data: &[Slice]) -> Vec<Slice> {
        let of = |rank: usize| {
            if rank == self.root {
                data[rank]
            } else {
                Slice::default()
            }
        };
        (0..data.len()).map(of).collect()
    }

    /// The block of `rank` in a buffer of all blocks.
    fn block(&self, all: Slice, rank: usize) -> Slice {
        self.blocks(all, rank, 1)
    }

    /// The blocks of `count` ranks from `rank` on, without wrapping.
    fn blocks(&self, all: Slice, rank: usize, count: usize) -> Slice {
        all.part(rank as u64 * self.bytes, count as u64 * self.bytes)
    }
}

impl Built {
    /// A collective that began with `flow`.
    fn new(flow: Flow, input: Vec<Slice>, output: Vec<Slice>) -> Self {
        Self {
            graph: flow.into_graph(),
            input,
            output,
        }
    }

    /// Memories at the start: each rank's contribution has values that depend on rank, place and `salt` and of which
    /// sums of thousands are exact in every type but the smallest, the rest is 0.
    pub fn memory(&self, datatype: Datatype, salt: u64) -> Vec<Vec<u8>> {
        self.filled(datatype, |rank, place| {
            datatype.of_number((rank * 7 + place * 3 + salt) % 251 + 1)
        })
    }

    /// The same for an operation: of products of floats powers of two, of complex numbers such with a power of i, of
    /// which products are exact in any order.
    pub fn memory_for(&self, operation: Operation, datatype: Datatype, salt: u64) -> Vec<Vec<u8>> {
        let single = |parts: &[f32]| parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        let double = |parts: &[f64]| parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        let factors: [Vec<u8>; 3] = match (operation, datatype) {
            (Operation::Prod, Datatype::Float) => [[0.5], [1.0], [2.0]].map(|of| single(&of)),
            (Operation::Prod, Datatype::Double) => [[0.5], [1.0], [2.0]].map(|of| double(&of)),
            (Operation::Prod, Datatype::FloatComplex) => {
                [[0.5, 0.0], [0.0, 1.0], [0.0, -2.0]].map(|of| single(&of))
            }
            (Operation::Prod, Datatype::DoubleComplex) => {
                [[0.5, 0.0], [0.0, 1.0], [0.0, -2.0]].map(|of| double(&of))
            }
            _ => return self.memory(datatype, salt),
        };
        self.filled(datatype, |rank, place| {
            factors[((rank * 7 + place * 3 + salt) % 3) as usize].clone()
        })
    }

    fn filled(&self, datatype: Datatype, value_of: impl Fn(u64, u64) -> Vec<u8>) -> Vec<Vec<u8>> {
        let ranks = 0..self.graph.ranks();
        let filled = ranks.map(|rank| {
            let mut memory = vec![0; self.graph.memory(rank) as usize];
            let values = memory[self.input[rank].range()].chunks_mut(datatype.bytes() as usize);
            for (place, value) in values.enumerate() {
                let bytes = value_of(rank as u64, place as u64);
                let length = value.len();
                value.copy_from_slice(&bytes[..length]);
            }
            memory
        });
        filled.collect()
    }
}
