//! A communication as a graph: sends, receives and local operations, and edges between those of one rank (Schneider et
//! al., section II.A).
//!
//! An edge *u -> v* says that *v* does not start before *u* has completed. A send has completed when its bytes may be
//! changed; a receive or an operation when its bytes are in memory. A send and a receive match if source, target, tag
//! and length are the same; a receive may take any tag and any source. The graph of all ranks is one value; each call
//! adds to one rank only, as assembly is local in the paper.
//!
//! ```
//! use xtq_cdag::graph::Graph;
//! let mut graph = Graph::new(2)?;
//! let here = graph.buffer(0, 64)?;
//! let there = graph.buffer(1, 64)?;
//! graph.send(0, here, 1, 7)?;
//! graph.recv(1, there, 0, Some(7))?;
//! # Ok::<(), xtq_cdag::error::GraphError>(())
//! ```

use crate::arithmetic::{Datatype, Operation, is_defined};
use crate::error::GraphError;

/// Any tag: a receive with this takes the next message from its source.
pub const ANY_TAG: Option<u32> = None;

/// Buffers begin at multiples of this, in bytes: the memory's line.
const LINE: u64 = 64;

/// Bytes in the memory of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slice {
    /// First byte, from the start of the rank's memory.
    pub at: u64,
    /// Bytes.
    pub length: u64,
}

impl Slice {
    /// Bytes `from` to `from + length` of it. It may be longer than the slice: what uses it is checked.
    pub fn part(self, from: u64, length: u64) -> Self {
        Self {
            at: self.at.saturating_add(from),
            length,
        }
    }

    /// Part `number` of `parts`, which are equal but for what is left over, in whole units of `unit` bytes. Parts may
    /// be empty.
    pub fn cut(self, parts: u64, number: u64, unit: u64) -> Self {
        let units = self.length / unit;
        let bound = |number: u64| (units * number / parts) * unit;
        let end = match number + 1 == parts {
            true => self.length,
            false => bound(number + 1),
        };
        self.part(bound(number), end - bound(number))
    }

    /// The byte after the last.
    pub fn end(self) -> u64 {
        self.at.saturating_add(self.length)
    }

    /// Whether both have a byte in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.length > 0 && other.length > 0 && self.at < other.end() && other.at < self.end()
    }

    /// As a range of a slice of bytes.
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.at as usize..self.end() as usize
    }
}

/// Names a vertex of a graph, in the order in which they were added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VertexId(pub usize);

/// What a vertex does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sends bytes to a rank.
    Send {
        /// The rank.
        to: usize,
        /// Tag of the message.
        tag: u32,
        /// What is sent.
        bytes: Slice,
    },
    /// Receives from a rank.
    Recv {
        /// The rank, or any.
        from: Option<usize>,
        /// Tag of the message, or any.
        tag: Option<u32>,
        /// Where it lands.
        bytes: Slice,
    },
    /// Combines bytes of the rank into others of it; without an operation they are copied.
    Local {
        /// What is done to the target, value by value.
        arithmetic: Option<(Operation, Datatype)>,
        /// Source.
        from: Slice,
        /// Target.
        into: Slice,
    },
    /// The rank's host computes; no byte of its memory changes.
    Work {
        /// For how long.
        cycles: u64,
    },
}

/// A vertex.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The rank that does it.
    pub rank: usize,
    /// What it does.
    pub kind: Kind,
    /// It starts when all of these have completed.
    pub after: Vec<VertexId>,
}

impl Vertex {
    /// Bytes that it reads, and bytes that it writes.
    pub fn accesses(&self) -> (Slice, Slice) {
        match self.kind {
            Kind::Send { bytes, .. } => (bytes, Slice::default()),
            Kind::Recv { bytes, .. } => (Slice::default(), bytes),
            Kind::Local { from, into, .. } => (from, into),
            Kind::Work { .. } => (Slice::default(), Slice::default()),
        }
    }
}

/// A communication of several ranks.
#[derive(Clone, Debug)]
pub struct Graph {
    memory: Vec<u64>,
    /// Memory of a rank whose contents nobody asks for afterwards.
    scratch: Vec<Vec<Slice>>,
    vertices: Vec<Vertex>,
}

impl Graph {
    /// A graph of so many ranks, without memory and vertices. Errors: no ranks.
    pub fn new(ranks: usize) -> Result<Self, GraphError> {
        match ranks {
            0 => Err(GraphError::Stuck("it has no ranks".to_owned())),
            ranks => Ok(Self {
                memory: vec![0; ranks],
                scratch: vec![Vec::new(); ranks],
                vertices: Vec::new(),
            }),
        }
    }

    /// How many ranks it has.
    pub fn ranks(&self) -> usize {
        self.memory.len()
    }

    /// Bytes of memory of a rank.
    pub fn memory(&self, rank: usize) -> u64 {
        self.memory.get(rank).copied().unwrap_or(0)
    }

    /// The vertices, by number.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// New memory of a rank, at a multiple of 64. Errors: no such rank; more than a rank can have (2^32 bytes).
    pub fn buffer(&mut self, rank: usize, length: u64) -> Result<Slice, GraphError> {
        self.rank(rank)?;
        let at = self.memory[rank].div_ceil(LINE) * LINE;
        match at.checked_add(length).filter(|end| *end <= 1 << 32) {
            Some(end) => self.memory[rank] = end,
            None => {
                return Err(GraphError::Outside {
                    what: "a buffer",
                    at,
                    end: at.saturating_add(length),
                    size: 1 << 32,
                    rank,
                });
            }
        }
        Ok(Slice { at, length })
    }

    /// New memory whose contents nobody asks for when the graph has ended; else as [`buffer`](Self::buffer).
    pub fn scratch(&mut self, rank: usize, length: u64) -> Result<Slice, GraphError> {
        let bytes = self.buffer(rank, length)?;
        self.scratch[rank].push(bytes);
        Ok(bytes)
    }

    /// Whether nobody asks for these bytes of a rank when the graph has ended.
    pub fn is_scratch(&self, rank: usize, bytes: Slice) -> bool {
        let holds = |scratch: &Slice| scratch.at <= bytes.at && bytes.end() <= scratch.end();
        self.scratch
            .get(rank)
            .is_some_and(|all| all.iter().any(holds))
    }

    /// What a rank has in memory when the graph has ended, without scratch memory: the parts between, in order.
    pub fn results(&self, rank: usize) -> Vec<Slice> {
        let mut from = 0;
        let mut results = Vec::new();
        let end = Slice {
            at: self.memory(rank),
            length: 0,
        };
        for scratch in self.scratch.get(rank).into_iter().flatten().chain([&end]) {
            if scratch.at > from {
                results.push(Slice {
                    at: from,
                    length: scratch.at - from,
                });
            }
            from = scratch.end();
        }
        results
    }

    /// Adds a send of `bytes` to rank `to`. Errors: no such rank, the rank itself, bytes outside the memory.
    pub fn send(
        &mut self,
        rank: usize,
        bytes: Slice,
        to: usize,
        tag: u32,
    ) -> Result<VertexId, GraphError> {
        self.peer(rank, to, "send")?;
        self.inside(rank, bytes, "a send")?;
        Ok(self.add(rank, Kind::Send { to, tag, bytes }))
    }

    /// Adds a receive of `bytes` from rank `from`. Errors: as of a send.
    pub fn recv(
        &mut self,
        rank: usize,
        bytes: Slice,
        from: usize,
        tag: Option<u32>,
    ) -> Result<VertexId, GraphError> {
        self.peer(rank, from, "receive")?;
        self.inside(rank, bytes, "a receive")?;
        let from = Some(from);
        Ok(self.add(rank, Kind::Recv { from, tag, bytes }))
    }

    /// Adds a receive of `bytes` from whichever rank sends first; with [`ANY_TAG`] also of whichever tag. Of what may
    /// come first all must be right. Errors: no such rank, bytes outside the memory.
    pub fn recv_from_any(
        &mut self,
        rank: usize,
        bytes: Slice,
        tag: Option<u32>,
    ) -> Result<VertexId, GraphError> {
        self.rank(rank)?;
        self.inside(rank, bytes, "a receive")?;
        let from = None;
        Ok(self.add(rank, Kind::Recv { from, tag, bytes }))
    }

    /// Adds an operation: `into` = `into` op `from`. Errors: no such rank or operation; bytes outside the memory, of
    /// different lengths, overlapping, no whole values, or at no multiple of a value.
    pub fn op(
        &mut self,
        rank: usize,
        operation: Operation,
        datatype: Datatype,
        from: Slice,
        into: Slice,
    ) -> Result<VertexId, GraphError> {
        if !is_defined(operation, datatype) {
            return Err(GraphError::NoSuchOperation {
                operation,
                datatype,
            });
        }
        if !into.at.is_multiple_of(datatype.bytes()) {
            return Err(GraphError::NotAligned {
                rank,
                at: into.at,
                datatype,
            });
        }
        if !from.length.is_multiple_of(datatype.bytes()) {
            return Err(GraphError::NotWhole {
                rank,
                length: from.length,
                datatype,
            });
        }
        self.local(rank, Some((operation, datatype)), from, into)
    }

    /// Adds a copy of bytes within a rank. Errors: as of an operation.
    pub fn copy(&mut self, rank: usize, from: Slice, into: Slice) -> Result<VertexId, GraphError> {
        self.local(rank, None, from, into)
    }

    /// Adds work of a rank's host, which takes so many cycles and uses no bytes. Errors: no such rank.
    pub fn work(&mut self, rank: usize, cycles: u64) -> Result<VertexId, GraphError> {
        self.rank(rank)?;
        Ok(self.add(rank, Kind::Work { cycles }))
    }

    /// `vertex` starts when `before` has completed. Errors: they are not of one rank, or do not exist.
    pub fn after(&mut self, vertex: VertexId, before: VertexId) -> Result<(), GraphError> {
        let ranks = [vertex, before].map(|id| self.vertices.get(id.0).map(|vertex| vertex.rank));
        let [Some(rank), Some(other)] = ranks else {
            return Err(GraphError::NoVertex {
                rank: ranks[0].or(ranks[1]).unwrap_or(0),
                from: before.0,
                to: vertex.0,
            });
        };
        if rank != other {
            return Err(GraphError::EdgeAcrossRanks {
                from: self.describe(before),
                to: self.describe(vertex),
            });
        }
        let after = &mut self.vertices[vertex.0].after;
        if !after.contains(&before) {
            after.push(before);
        }
        Ok(())
    }

    /// A vertex for people: rank, number among all, what it does.
    pub fn describe(&self, id: VertexId) -> String {
        let Some(Vertex { rank, kind, .. }) = self.vertices.get(id.0) else {
            return format!("vertex {}", id.0);
        };
        let what = match kind {
            Kind::Send { to, tag, bytes } => {
                format!("send of {} bytes to rank {to}, tag {tag}", bytes.length)
            }
            Kind::Recv { from, tag, bytes } => {
                let tag = tag.map_or("any tag".to_owned(), |tag| format!("tag {tag}"));
                let from = from.map_or("any rank".to_owned(), |from| format!("rank {from}"));
                format!("receive of {} bytes from {from}, {tag}", bytes.length)
            }
            Kind::Local {
                arithmetic, into, ..
            } => {
                let name = arithmetic.map_or("copy", |(operation, _)| operation.name());
                format!("{name} of {} bytes at {}", into.length, into.at)
            }
            Kind::Work { cycles } => format!("work of {cycles} cycles"),
        };
        format!("vertex {} of rank {rank} ({what})", id.0)
    }

    fn add(&mut self, rank: usize, kind: Kind) -> VertexId {
        self.vertices.push(Vertex {
            rank,
            kind,
            after: Vec::new(),
        });
        VertexId(self.vertices.len() - 1)
    }

    fn local(
        &mut self,
        rank: usize,
        arithmetic: Option<(Operation, Datatype)>,
        from: Slice,
        into: Slice,
    ) -> Result<VertexId, GraphError> {
        self.rank(rank)?;
        self.inside(rank, from, "an operation's source")?;
        self.inside(rank, into, "an operation's target")?;
        if from.length != into.length {
            return Err(GraphError::DifferentLengths {
                rank,
                from: from.length,
                into: into.length,
            });
        }
        if from.overlaps(into) {
            return Err(GraphError::Overlaps { rank });
        }
        let kind = Kind::Local {
            arithmetic,
            from,
            into,
        };
        Ok(self.add(rank, kind))
    }

    fn rank(&self, rank: usize) -> Result<(), GraphError> {
        match rank < self.ranks() {
            true => Ok(()),
            false => Err(GraphError::NoRank {
                rank,
                ranks: self.ranks(),
            }),
        }
    }

    fn peer(&self, rank: usize, peer: usize, what: &'static str) -> Result<(), GraphError> {
        self.rank(rank)?;
        self.rank(peer)?;
        match rank == peer {
            true => Err(GraphError::ToItself { rank, what }),
            false => Ok(()),
        }
    }

    fn inside(&self, rank: usize, bytes: Slice, what: &'static str) -> Result<(), GraphError> {
        let size = self.memory[rank];
        match bytes
            .at
            .checked_add(bytes.length)
            .is_some_and(|end| end <= size)
        {
            true => Ok(()),
            false => Err(GraphError::Outside {
                what,
                at: bytes.at,
                end: bytes.end(),
                size,
                rank,
            }),
        }
    }
}
