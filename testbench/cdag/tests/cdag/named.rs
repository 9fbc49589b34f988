//! Graphs whose messages have names, so that memory at the end shows which receive had which, and runs of them.

use std::collections::BTreeSet;
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::{Graph, Kind, Slice, VertexId};
use xtq_cdag::interpret::interpret;
use xtq_cdag::legal;
use xtq_cdag::machine::play;

/// All protocols.
pub const PROTOCOLS: [Protocol; 6] = [
    Protocol::Auto,
    Protocol::Eager,
    Protocol::Rendezvous,
    Protocol::Get,
    Protocol::Unmatched,
    Protocol::Literal,
];

/// Bytes of each message; they name it.
pub const NAME: u64 = 8;

/// A graph whose messages are named by their bytes: each send reads its own, each receive writes its own.
pub struct Named {
    pub graph: Graph,
    /// Bytes of the messages that are added.
    pub length: u64,
}

impl Named {
    pub fn new(ranks: usize) -> Self {
        let graph = Graph::new(ranks).expect("ranks");
        Self {
            graph,
            length: NAME,
        }
    }

    pub fn send(&mut self, rank: usize, to: usize, tag: u32, after: &[VertexId]) -> VertexId {
        let bytes = self.graph.buffer(rank, self.length).expect("memory");
        let id = self.graph.send(rank, bytes, to, tag).expect("a send");
        self.after(id, after)
    }

    pub fn recv(
        &mut self,
        rank: usize,
        from: Option<usize>,
        tag: Option<u32>,
        after: &[VertexId],
    ) -> VertexId {
        let bytes = self.graph.buffer(rank, self.length).expect("memory");
        let id = match from {
            Some(from) => self.graph.recv(rank, bytes, from, tag),
            None => self.graph.recv_from_any(rank, bytes, tag),
        };
        self.after(id.expect("a receive"), after)
    }

    pub fn after(&mut self, id: VertexId, after: &[VertexId]) -> VertexId {
        let mut edges = after.iter();
        edges
            .try_for_each(|before| self.graph.after(id, *before))
            .expect("edges");
        id
    }

    /// Memory in which the bytes of each send are its number, from 1.
    fn memory(&self) -> Vec<Vec<u8>> {
        let sizes = (0..self.graph.ranks()).map(|rank| self.graph.memory(rank) as usize);
        let mut memory: Vec<Vec<u8>> = sizes.map(|size| vec![0; size]).collect();
        for (number, vertex) in self.graph.vertices().iter().enumerate() {
            if let Kind::Send { bytes, .. } = vertex.kind {
                let name = number as u64 + 1;
                let name = name.to_le_bytes();
                memory[vertex.rank][first(bytes)].copy_from_slice(&name);
            }
        }
        memory
    }

    /// Which message came to which receive.
    fn partners(&self, end: &[Vec<u8>]) -> Vec<Option<VertexId>> {
        let vertices = self.graph.vertices();
        let mut partner = vec![None; vertices.len()];
        for (number, vertex) in vertices.iter().enumerate() {
            if let Kind::Recv { bytes, .. } = vertex.kind {
                let found = &end[vertex.rank][first(bytes)];
                let name = u64::from_le_bytes(found.try_into().expect("8 bytes"));
                let send = (name as usize)
                    .checked_sub(1)
                    .filter(|send| *send < vertices.len());
                if let Some(send) = send {
                    partner[number] = Some(VertexId(send));
                    partner[send] = Some(VertexId(number));
                }
            }
        }
        partner
    }

    /// The matchings of so many runs of the interpreter, each of which is checked too.
    pub fn possible(&self, seeds: u64) -> Result<BTreeSet<Vec<Option<VertexId>>>, GraphError> {
        let memory = self.memory();
        let run = |seed| interpret(&self.graph, &memory, seed).map(|end| self.partners(&end));
        let all = (0..seeds).map(run).collect::<Result<BTreeSet<_>, _>>()?;
        for partner in &all {
            assert_eq!(legal::fault(&self.graph, partner), None, "the interpreter");
        }
        Ok(all)
    }

    /// What is wrong in one of so many runs, or the matchings of all.
    pub fn played(
        &self,
        options: &Options,
        seeds: u64,
    ) -> Result<BTreeSet<Vec<Option<VertexId>>>, String> {
        let memory = self.memory();
        let schedule = compile(&self.graph, options).map_err(|error| error.to_string())?;
        let mut all = BTreeSet::new();
        for seed in 0..seeds {
            let end = play(&schedule, &memory, seed).map_err(|failure| failure.to_string())?;
            let partner = self.partners(&end);
            match legal::fault(&self.graph, &partner) {
                None => _ = all.insert(partner),
                Some(fault) => return Err(format!("seed {seed}: {fault}")),
            }
        }
        Ok(all)
    }
}

/// Where the name of a message is.
fn first(bytes: Slice) -> std::ops::Range<usize> {
    bytes.at as usize..(bytes.at + NAME) as usize
}

pub fn options(protocol: Protocol, eager: u64) -> Options {
    Options {
        protocol,
        eager,
        ..Options::default()
    }
}
