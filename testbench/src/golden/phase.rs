//! One comparison of a node with the golden model: from a node at rest to the same node at rest again.

use std::collections::BTreeMap;

use super::delivery::Delivery;
use super::difference::{Difference, Observed};
use super::faults::Faults;
use super::scoreboard::compare;
use super::witness::Witness;
use crate::bus::BenchError;
use crate::bytes::SparseMemory;
use crate::node::{Node, NodeError};
use crate::tables::{CONTEXTS, OpenMessage, Source};

/// A node as it was before the network or the host did something.
pub struct Phase {
    start: Delivery,
    log: usize,
    acks: usize,
    trace: usize,
}

impl Phase {
    /// The node is at rest.
    pub fn begin(node: &Node, faults: Faults, atomics: bool) -> Self {
        let before: [SparseMemory; CONTEXTS] =
            std::array::from_fn(|context| node.memory.memory(context as u8).clone());
        let mut start = Delivery::new(node.state.clone(), before);
        start.faults = faults;
        start.atomics = atomics;
        Self {
            start,
            log: node.memory.log().len(),
            acks: node.acknowledgements().len(),
            trace: node.trace().records().len(),
        }
    }

    /// The messages that will be open once the node has done what `act` says to the model, if their queues do not fail
    /// around them: a node at rest may still hold those.
    pub fn foresee(&self, act: &mut dyn FnMut(&mut Delivery)) -> BTreeMap<Source, OpenMessage> {
        let mut golden = self.start.clone();
        act(&mut golden);
        golden.state.open
    }

    /// The node has come to rest again: compares everything with what `act` lets the model do. The host looks at the
    /// events, and takes them unless it `leaves` them. The node's state is the model's from here on. Errors: a
    /// transaction is outstanding, a register access is refused.
    pub fn finish(
        self,
        node: &mut Node,
        act: &mut dyn FnMut(&mut Delivery),
        leaves: bool,
    ) -> Result<(Delivery, Vec<Difference>), NodeError> {
        node.memory
            .checker()
            .finish(node.cycle_count())
            .map_err(BenchError::from)?;
        let before = self.start.memories.clone();
        let rings = self.start.state.contexts.each_ref().map(|c| c.events);
        let mut golden = self.start;
        let log = &node.memory.log()[self.log..];
        golden.witness = Some(Witness::new(&node.trace().records()[self.trace..], log));
        act(&mut golden);
        let mut events: [Vec<[u8; 64]>; CONTEXTS] = Default::default();
        for (context, (taken, ring)) in events.iter_mut().zip(rings).enumerate() {
            if ring.size > 0 {
                *taken = match leaves {
                    true => node.unread_events(context as u8)?,
                    false => node.take_events(context as u8)?,
                };
                let known = ring.produced.wrapping_sub(ring.consumed) as usize;
                taken.drain(..known.min(taken.len()));
            }
        }
        let observed = Observed {
            before: &before,
            log: &node.memory.log()[self.log..],
            events: &events,
            acks: &node.acknowledgements()[self.acks..],
        };
        let mut differences = golden.finish();
        differences.extend(compare(&golden, &observed));
        for (model, host) in golden.state.contexts.iter_mut().zip(&node.state.contexts) {
            model.events.consumed = host.events.consumed;
        }
        node.state.clone_from(&golden.state);
        Ok((golden, differences))
    }
}
