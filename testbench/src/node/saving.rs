//! The state of a node as bytes: the engine's, and that of every model around it.
//!
//! What stays as it was built: what the host has set in the NIC through calls of the node itself (`state`), and who
//! looks on.

use xtq_engine::{EngineKind, Snapshot};

use super::harness::Node;
use crate::saved::{Damaged, Loaded, Reader, Saved, Writer};

/// All that is saved besides the engine, by reference.
macro_rules! models {
    ($node:ident) => {{
        let Node {
            engine: _,
            memory,
            streams,
            inside,
            places,
            registers,
            last_value,
            trace,
            gpus,
            state: _,
            queues,
            sent,
            beats,
            unfinished_beats,
            settled_beats,
            tape: _,
            watch: _,
            decisions: _,
            keeps,
            digest,
            rest: _,
            event_rings,
        } = $node;
        [
            memory,
            streams,
            inside,
            places,
            registers,
            last_value,
            trace,
            gpus,
            queues,
            sent,
            beats,
            unfinished_beats,
            settled_beats,
            keeps,
            digest,
            event_rings,
        ]
    }};
}

impl Node {
    /// Whether its state can leave the process: rust-hdl's own loop keeps it in the blocks.
    pub(crate) fn can_be_saved(&self) -> bool {
        self.engine.name() != EngineKind::Oracle.name()
    }
}

impl Saved for Node {
    fn save(&self, to: &mut Writer) {
        to.value(&self.engine.snapshot().words());
        let models: [&dyn Saved; 16] = models!(self);
        models.iter().for_each(|model| model.save(to));
    }

    fn load(&mut self, from: &mut Reader) -> Loaded {
        let words = from.value::<Option<Vec<u64>>>()?.ok_or(Damaged)?;
        let engine = Snapshot::of_words(words);
        self.engine.restore(&engine).map_err(|_| Damaged)?;
        let models: [&mut dyn Saved; 16] = models!(self);
        models.into_iter().try_for_each(|model| model.load(from))?;
        self.rest.slept = self.engine.slept();
        self.wake();
        Ok(())
    }
}
