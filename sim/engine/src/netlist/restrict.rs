//! Some bits of a node as a node of their own, without the choices that make no difference for them.
//!
//! A condition that writes one field of a struct chooses between two values of the whole word; for the other fields
//! both are the same.

use super::graph::{Graph, Id, Op};
use crate::base::QuickMap;

/// Nodes below each other that are looked at; what is deeper stays as it is.
const DEPTH: usize = 500;

/// What is known already.
#[derive(Default)]
pub(super) struct Restrict {
    done: QuickMap<(Id, u64), Id>,
}

impl Restrict {
    /// A node with these bits of `id`; what its other bits are is left open.
    pub(super) fn of(&mut self, graph: &mut Graph, id: Id, bits: u64) -> Id {
        self.below(graph, id, bits, DEPTH)
    }

    fn below(&mut self, graph: &mut Graph, id: Id, bits: u64, depth: usize) -> Id {
        if let Some(&known) = self.done.get(&(id, bits)) {
            return known;
        }
        let new = match graph.op(id) {
            _ if depth == 0 => id,
            Op::Mux(test, a, b) => {
                let a = self.below(graph, a, bits, depth - 1);
                let b = self.below(graph, b, bits, depth - 1);
                graph.add(Op::Mux(test, a, b))
            }
            Op::Or(a, b) => {
                let a = self.below(graph, a, bits, depth - 1);
                let b = self.below(graph, b, bits, depth - 1);
                graph.add(Op::Or(a, b))
            }
            _ => {
                let bits = graph.constant(bits);
                graph.add(Op::And(id, bits))
            }
        };
        self.done.insert((id, bits), new);
        // It is as small as it gets, so that looking again finds the same.
        self.done.insert((new, bits), new);
        new
    }
}
