//! Edges by data: a communication is written down statement by statement, as if one after the other, and the edges
//! follow from the bytes that the statements of a rank read and write.
//!
//! This is the dataflow half of section II.B of the paper; a [topology](crate::topology) says between which ranks. Two
//! statements of a rank are ordered if they use the same bytes and one writes them. The same operation on the same
//! bytes twice is not ordered. Messages without bytes carry no data, so their order is given with [`Flow::after`].

use crate::arithmetic::{Datatype, Operation};
use crate::check::conflict;
use crate::error::GraphError;
use crate::graph::{Graph, Kind, Slice, VertexId};
use std::collections::BTreeMap;

/// A graph that grows by statements.
#[derive(Clone, Debug)]
pub struct Flow {
    graph: Graph,
    /// What each rank has done so far.
    done: Vec<Vec<VertexId>>,
    /// Messages of each pair of ranks; each has a tag of its own.
    messages: BTreeMap<(usize, usize), u32>,
}

impl Flow {
    /// Of so many ranks, without memory. Errors: none.
    pub fn new(ranks: usize) -> Result<Self, GraphError> {
        Ok(Self {
            graph: Graph::new(ranks)?,
            done: vec![Vec::new(); ranks],
            messages: BTreeMap::new(),
        })
    }

    /// The graph.
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    /// New memory on each rank, at the same place if all calls are of this kind. Errors: too much.
    pub fn buffers(&mut self, length: u64) -> Result<Vec<Slice>, GraphError> {
        (0..self.graph.ranks())
            .map(|rank| self.graph.buffer(rank, length))
            .collect()
    }

    /// New memory of a rank that holds nothing afterwards. Errors: too much.
    pub fn scratch(&mut self, rank: usize, length: u64) -> Result<Slice, GraphError> {
        self.graph.scratch(rank, length)
    }

    /// A message: bytes of one rank go to bytes of another. Gives its send and its receive. Errors: as of the graph.
    pub fn message(
        &mut self,
        from: (usize, Slice),
        to: (usize, Slice),
    ) -> Result<(VertexId, VertexId), GraphError> {
        let tag = self.messages.entry((from.0, to.0)).or_default();
        let number = *tag;
        *tag += 1;
        let send = self.graph.send(from.0, from.1, to.0, number)?;
        self.order(send)?;
        let recv = self.graph.recv(to.0, to.1, from.0, Some(number))?;
        self.order(recv)?;
        Ok((send, recv))
    }

    /// A message without bytes, sent after `after`. Errors: as of the graph.
    pub fn token(
        &mut self,
        from: usize,
        to: usize,
        after: &[VertexId],
    ) -> Result<(VertexId, VertexId), GraphError> {
        let none = Slice::default();
        let (send, recv) = self.message((from, none), (to, none))?;
        after
            .iter()
            .try_for_each(|before| self.graph.after(send, *before))?;
        Ok((send, recv))
    }

    /// A rank combines bytes into others. Errors: as of the graph.
    pub fn op(
        &mut self,
        rank: usize,
        arithmetic: (Operation, Datatype),
        from: Slice,
        into: Slice,
    ) -> Result<VertexId, GraphError> {
        let vertex = self
            .graph
            .op(rank, arithmetic.0, arithmetic.1, from, into)?;
        self.order(vertex)?;
        Ok(vertex)
    }

    /// As [`Graph::after`].
    pub fn after(&mut self, vertex: VertexId, before: VertexId) -> Result<(), GraphError> {
        self.graph.after(vertex, before)
    }

    /// Puts a new vertex after all that it must follow.
    fn order(&mut self, vertex: VertexId) -> Result<(), GraphError> {
        let vertices = self.graph.vertices();
        let rank = vertices[vertex.0].rank;
        let kind: Kind = vertices[vertex.0].kind;
        let conflicts = |before: &&VertexId| conflict(&vertices[before.0].kind, &kind);
        let before: Vec<VertexId> = self.done[rank].iter().filter(conflicts).copied().collect();
        before
            .into_iter()
            .try_for_each(|before| self.graph.after(vertex, before))?;
        self.done[rank].push(vertex);
        Ok(())
    }
}
