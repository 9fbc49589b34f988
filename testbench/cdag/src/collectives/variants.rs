//! The rows of table I of the paper, a variant an entry.

use super::{Built, Parameters, barrier, blocks, reduction, tree};
use crate::error::GraphError;
use crate::topology::Tree;

/// A collective by an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The collective, as MPI names it.
    pub collective: &'static str,
    /// The algorithm.
    pub algorithm: &'static str,
    /// What it does with k and the segments, if anything.
    pub about: &'static str,
    /// Makes the graph.
    build: fn(&Parameters) -> Result<Built, GraphError>,
}

impl Variant {
    /// The graph for these parameters. Errors: no ranks, no segments, no such root; bytes that are no whole values.
    pub fn build(&self, parameters: &Parameters) -> Result<Built, GraphError> {
        if parameters.nodes == 0 || parameters.segments == 0 {
            return Err(GraphError::Stuck(
                "it has no ranks or no segments".to_owned(),
            ));
        }
        if parameters.root >= parameters.nodes {
            return Err(GraphError::NoRank {
                rank: parameters.root,
                ranks: parameters.nodes,
            });
        }
        let reduces = REDUCTIONS.contains(&self.collective);
        if reduces && !parameters.bytes.is_multiple_of(parameters.datatype.bytes()) {
            return Err(GraphError::NotWhole {
                rank: 0,
                length: parameters.bytes,
                datatype: parameters.datatype,
            });
        }
        if parameters.k < self.least_k() {
            return Err(GraphError::NoTree { k: parameters.k });
        }
        (self.build)(parameters)
    }

    /// A k-nomial tree has digits of base k, a k-ary tree may be a chain.
    fn least_k(&self) -> usize {
        match self.algorithm {
            "knomial" | "tree" => 2,
            _ => 1,
        }
    }
}

/// Collectives of which the bytes are values.
const REDUCTIONS: [&str; 5] = ["reduce", "reduce_scatter", "allreduce", "scan", "exscan"];

/// The variant with these names.
pub fn variant(collective: &str, algorithm: &str) -> Option<&'static Variant> {
    VARIANTS
        .iter()
        .find(|variant| variant.collective == collective && variant.algorithm == algorithm)
}

fn knomial(parameters: &Parameters) -> Tree {
    Tree::knomial(parameters.nodes, parameters.k)
}

fn kary(parameters: &Parameters) -> Tree {
    Tree::kary(parameters.nodes, parameters.k)
}

fn chain(parameters: &Parameters) -> Tree {
    Tree::chain(parameters.nodes)
}

/// The list: collective, algorithm, a line about it, function of the parameters.
macro_rules! variants {
    ($($collective:literal $algorithm:literal $about:literal $build:expr;)*) => {
        /// Every row and variant of table I.
        pub const VARIANTS: &[Variant] = &[$(Variant {
            collective: $collective,
            algorithm: $algorithm,
            about: $about,
            build: $build,
        }),*];
    };
}

variants! {
    "broadcast" "knomial" "k-nomial tree, in segments" |p| tree::broadcast(p, &knomial(p));
    "broadcast" "kary" "k-ary tree, in segments" |p| tree::broadcast(p, &kary(p));
    "broadcast" "linear" "chain, in segments" |p| tree::broadcast(p, &chain(p));
    "broadcast" "round-optimal" "a block a segment, in the least rounds (Traff)" tree::broadcast_round_optimal;
    "scatter" "knomial" "k-nomial tree, in segments" |p| tree::scatter(p, &knomial(p));
    "scatter" "kary" "k-ary tree, in segments" |p| tree::scatter(p, &kary(p));
    "scatter" "linear" "chain, in segments" |p| tree::scatter(p, &chain(p));
    "gather" "knomial" "k-nomial tree, in segments" |p| tree::gather(p, &knomial(p));
    "gather" "kary" "k-ary tree, in segments" |p| tree::gather(p, &kary(p));
    "gather" "linear" "chain, in segments" |p| tree::gather(p, &chain(p));
    "allgather" "ring" "each block once around" blocks::allgather_ring;
    "allgather" "butterfly" "recursive doubling" blocks::allgather_butterfly;
    "allgather" "pairwise" "each block straight to all" blocks::allgather_pairwise;
    "allgather" "dissemination" "Bruck's, without rotation" blocks::allgather_dissemination;
    "allgather" "tree" "broadcast after gather, k-nomial tree, in segments" |p| blocks::allgather_tree(p, &knomial(p));
    "barrier" "dissemination" "in round k to the rank 2^k further" barrier::dissemination;
    "barrier" "butterfly" "in round k with the rank that differs in bit k" barrier::butterfly;
    "barrier" "pairwise" "everybody tells everybody" barrier::pairwise;
    "barrier" "tree" "broadcast after reduce, k-nomial tree" |p| barrier::tree(p, &knomial(p));
    "barrier" "linear" "listing 1: all tell rank 0, rank 0 tells all" |p| barrier::tree(p, &Tree::knomial(p.nodes, p.nodes));
    "alltoall" "pairwise" "each block straight to its rank" blocks::alltoall_pairwise;
    "reduce" "knomial" "k-nomial tree, in segments" |p| reduction::reduce(p, &knomial(p));
    "reduce" "kary" "k-ary tree, in segments" |p| reduction::reduce(p, &kary(p));
    "reduce" "linear" "chain, in segments" |p| reduction::reduce(p, &chain(p));
    "reduce_scatter" "pairwise" "each block straight to its rank" reduction::reduce_scatter_pairwise;
    "reduce_scatter" "tree" "scatter after reduce, k-nomial tree, in segments" |p| reduction::reduce_scatter_tree(p, &knomial(p));
    "allreduce" "butterfly" "recursive doubling" reduction::allreduce_butterfly;
    "allreduce" "dissemination" "in round k to the rank 2^k further" reduction::allreduce_dissemination;
    "allreduce" "tree" "broadcast after reduce, k-nomial tree, in segments" |p| reduction::allreduce_tree(p, &knomial(p));
    "scan" "linear" "chain, in segments" reduction::scan;
    "exscan" "linear" "chain, in segments" reduction::exscan;
}
