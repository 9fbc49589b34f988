//! An untimed run of a graph in random order: what may come out, and the oracle of what the NIC must leave in memory.
//!
//! It follows section II.A of the paper to the letter and shares no code with the compiler. A vertex that may start
//! starts some time; a send is buffered some time, or read when it meets its receive; what can meet meets some time.
//! The seed draws all of it. Messages of a pair of ranks meet in the order in which they started, each the oldest
//! receive that takes it, as MPI has it; which source's message a receive from any meets is open.

use crate::arithmetic::apply;
use crate::error::GraphError;
use crate::graph::{Graph, Kind, VertexId};
use crate::random::Random;
use std::collections::BTreeMap;

/// A send under way, with its bytes once they are buffered.
struct Sending {
    vertex: usize,
    buffered: Option<Vec<u8>>,
}

struct Interpreter<'a> {
    graph: &'a Graph,
    memory: Vec<Vec<u8>>,
    random: Random,
    waits: Vec<usize>,
    dependents: Vec<Vec<usize>>,
    ready: Vec<usize>,
    /// By source and target, in the order in which they started.
    sends: BTreeMap<(usize, usize), Vec<Sending>>,
    /// By target, in the order in which they started.
    recvs: BTreeMap<usize, Vec<usize>>,
    /// Pairs of ranks of which something may meet.
    may_meet: Vec<(usize, usize)>,
    done: usize,
}

/// Runs the graph on the ranks' memories, which must have the graph's sizes, and gives what they hold at the end.
/// Errors: it cannot end, with what has not completed.
pub fn interpret(graph: &Graph, memory: &[Vec<u8>], seed: u64) -> Result<Vec<Vec<u8>>, GraphError> {
    let vertices = graph.vertices();
    let mut dependents = vec![Vec::new(); vertices.len()];
    for (number, vertex) in vertices.iter().enumerate() {
        vertex
            .after
            .iter()
            .for_each(|before| dependents[before.0].push(number));
    }
    let mut run = Interpreter {
        graph,
        memory: (0..graph.ranks())
            .map(|rank| memory.get(rank).cloned().unwrap_or_default())
            .collect(),
        random: Random::new(seed),
        waits: vertices.iter().map(|vertex| vertex.after.len()).collect(),
        dependents,
        ready: (0..vertices.len())
            .filter(|number| vertices[*number].after.is_empty())
            .collect(),
        sends: BTreeMap::new(),
        recvs: BTreeMap::new(),
        may_meet: Vec::new(),
        done: 0,
    };
    for (rank, memory) in run.memory.iter_mut().enumerate() {
        memory.resize(graph.memory(rank) as usize, 0);
    }
    while run.step() {}
    match run.done == vertices.len() {
        true => Ok(run.memory),
        false => {
            let left = (0..vertices.len()).find(|number| run.waits[*number] > 0);
            let left = left.map_or("a message has no end".to_owned(), |left| {
                graph.describe(VertexId(left))
            });
            Err(GraphError::Stuck(format!(
                "the interpreter stops before {left} (seed {seed})"
            )))
        }
    }
}

impl Interpreter<'_> {
    /// Does one thing; whether there was one.
    fn step(&mut self) -> bool {
        let all = self.ready.len() + self.may_meet.len();
        match self.random.below(all) {
            _ if all == 0 => false,
            chosen if chosen < self.ready.len() => {
                let vertex = self.ready.swap_remove(chosen);
                self.start(vertex);
                true
            }
            chosen => {
                let pair = self.may_meet.swap_remove(chosen - self.ready.len());
                self.meet(pair);
                true
            }
        }
    }

    fn start(&mut self, number: usize) {
        let vertex = &self.graph.vertices()[number];
        match vertex.kind {
            Kind::Send { to, bytes, .. } => {
                let pair = (vertex.rank, to);
                // Half of the sends are buffered at once, the others are read when they meet their receives.
                let buffered = (self.random.below(2) == 0)
                    .then(|| self.memory[vertex.rank][bytes.range()].to_vec());
                let is_done = buffered.is_some();
                self.sends.entry(pair).or_default().push(Sending {
                    vertex: number,
                    buffered,
                });
                self.may_meet.push(pair);
                if is_done {
                    self.complete(number);
                }
            }
            Kind::Recv { from, .. } => {
                let rank = vertex.rank;
                self.recvs.entry(rank).or_default().push(number);
                let sources = match from {
                    Some(from) => from..from + 1,
                    None => 0..self.graph.ranks(),
                };
                self.may_meet.extend(sources.map(|source| (source, rank)));
            }
            Kind::Local {
                arithmetic,
                from,
                into,
            } => {
                let memory = &mut self.memory[vertex.rank];
                let source = memory[from.range()].to_vec();
                let target = &mut memory[into.range()];
                match arithmetic {
                    Some((operation, datatype)) => apply(operation, datatype, target, &source),
                    None => target.copy_from_slice(&source),
                }
                self.complete(number);
            }
            Kind::Work { .. } => self.complete(number),
        }
    }

    /// Lets the oldest send of a pair that has a receive meet it.
    fn meet(&mut self, pair: (usize, usize)) {
        let vertices = self.graph.vertices();
        let (Some(sends), Some(recvs)) = (self.sends.get_mut(&pair), self.recvs.get_mut(&pair.1))
        else {
            return;
        };
        let found = sends.iter().enumerate().find_map(|(s, sending)| {
            let Kind::Send { tag, bytes, .. } = vertices[sending.vertex].kind else {
                return None;
            };
            let fits = |recv: &usize| match vertices[*recv].kind {
                Kind::Recv {
                    from,
                    tag: wanted,
                    bytes: into,
                } => {
                    from.is_none_or(|from| from == pair.0)
                        && wanted.is_none_or(|wanted| wanted == tag)
                        && into.length == bytes.length
                }
                _ => false,
            };
            Some((s, recvs.iter().position(fits)?))
        });
        let Some((s, r)) = found else {
            return;
        };
        let (sending, recv) = (sends.remove(s), recvs.remove(r));
        let (Kind::Send { bytes, .. }, Kind::Recv { bytes: into, .. }) =
            (vertices[sending.vertex].kind, vertices[recv].kind)
        else {
            return;
        };
        let was_done = sending.buffered.is_some();
        let content = sending
            .buffered
            .unwrap_or_else(|| self.memory[pair.0][bytes.range()].to_vec());
        self.memory[pair.1][into.range()].copy_from_slice(&content);
        if !was_done {
            self.complete(sending.vertex);
        }
        self.complete(recv);
        self.may_meet.push(pair);
    }

    fn complete(&mut self, number: usize) {
        self.done += 1;
        for place in 0..self.dependents[number].len() {
            let dependent = self.dependents[number][place];
            self.waits[dependent] -= 1;
            if self.waits[dependent] == 0 {
                self.ready.push(dependent);
            }
        }
    }
}
