//! What ranks must have in memory when a graph has ended, by its interpreter.

use xtq_cdag::check::check;
use xtq_cdag::choice::{choices, undetermined};
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::{Graph, Slice};
use xtq_cdag::interpret::interpret;

/// Seed of the interpreter's order; every order gives the same results unless the graph leaves a choice.
const SEED: u64 = 1;

/// Orders that are tried of a graph that leaves a choice: each must let it end.
const ORDERS: u64 = 16;

/// Memory at the end.
pub struct Expected {
    /// By rank.
    pub memory: Vec<Vec<u8>>,
    /// By rank, bytes that depend on which message a receive from any source gets: any are right.
    open: Vec<Vec<Slice>>,
}

impl Expected {
    /// After so many uses of the graph. Errors: of the graph; it does not end in some order.
    pub fn new(graph: &Graph, before: &[Vec<u8>], uses: u64) -> Result<Self, GraphError> {
        let matching = check(graph)?;
        if !choices(graph, &matching).is_empty() {
            for order in 0..ORDERS {
                interpret(graph, before, order)?;
            }
        }
        let mut memory = before.to_vec();
        for _ in 0..uses {
            memory = interpret(graph, &memory, SEED)?;
        }
        Ok(Self {
            memory,
            open: undetermined(graph, &matching),
        })
    }

    /// What is compared of each rank: places and bytes, without scratch memory and without what is left open.
    pub fn compared(&self, graph: &Graph) -> Vec<Vec<(u64, Vec<u8>)>> {
        let of = |(rank, memory): (usize, &Vec<u8>)| {
            let parts = graph.results(rank).into_iter();
            let parts = parts.flat_map(|part| without(part, &self.open[rank]));
            let bytes = |part: Slice| {
                let range = part.at as usize..part.end() as usize;
                (part.at, memory[range].to_vec())
            };
            parts.map(bytes).collect()
        };
        self.memory.iter().enumerate().map(of).collect()
    }

    /// Bytes of all ranks that are left open.
    pub fn open_bytes(&self, graph: &Graph) -> u64 {
        let all = (0..graph.ranks()).flat_map(|rank| graph.results(rank));
        let all: u64 = all.map(|part| part.length).sum();
        let compared = self.compared(graph);
        let compared = compared
            .iter()
            .flatten()
            .map(|(_, bytes)| bytes.len() as u64);
        all - compared.sum::<u64>()
    }
}

/// The parts of some bytes that none of the others has, in order.
fn without(bytes: Slice, others: &[Slice]) -> Vec<Slice> {
    let mut others: Vec<Slice> = others
        .iter()
        .copied()
        .filter(|other| other.overlaps(bytes))
        .collect();
    others.sort_unstable();
    let mut parts = Vec::new();
    let mut at = bytes.at;
    for other in others {
        if other.at > at {
            parts.push(bytes.part(at - bytes.at, other.at - at));
        }
        at = at.max(other.end());
    }
    if at < bytes.end() {
        parts.push(bytes.part(at - bytes.at, bytes.end() - at));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_is_not_compared() {
        let slice = |at, length| Slice { at, length };
        let open = [slice(40, 30), slice(0, 12), slice(20, 4), slice(22, 8)];
        assert_eq!(without(slice(8, 42), &open), [slice(12, 8), slice(30, 10)]);
        assert_eq!(without(slice(8, 4), &open), []);
        assert_eq!(without(slice(8, 8), &[]), [slice(8, 8)]);
    }
}
