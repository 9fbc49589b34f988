//! A run's inputs, recorded, to be run again on any engine or simulator.

use crate::{Direction, Engine, Error, Port, PortId, Result};

mod packed;

/// The inputs of every cycle of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tape {
    ports: Vec<Port>,
    /// Words of a cycle: the inputs one after the other, in the order of the ports.
    stride: usize,
    words: Vec<u64>,
}

/// The next link of a tape's digest, which chains the outputs of every cycle in which one changes, after the cycle's
/// number: cheap enough to be part of a measured run, and easy to write in C++.
fn link(digest: u64, word: u64) -> u64 {
    // For a given word no two digests, for a given digest no two words have the same link.
    (digest ^ word)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

impl Tape {
    /// An empty tape for designs with the ports of this engine.
    pub fn new(engine: &dyn Engine) -> Self {
        Self::of_ports(engine.ports().to_vec())
    }

    fn of_ports(ports: Vec<Port>) -> Self {
        let inputs = ports.iter().filter(|port| port.direction == Direction::In);
        Self {
            stride: inputs.map(|port| port.width.div_ceil(64)).sum(),
            ports,
            words: Vec::new(),
        }
    }

    /// Adds a cycle: the inputs as they are driven now. To be called before [`Engine::step`].
    pub fn record(&mut self, engine: &dyn Engine) {
        let start = self.words.len();
        self.words.resize(start + self.stride, 0);
        let mut rest = &mut self.words[start..];
        for (position, port) in self.ports.iter().enumerate() {
            if port.direction == Direction::In {
                let (words, after) = rest.split_at_mut(port.width.div_ceil(64));
                engine.get(PortId::new(position), words);
                rest = after;
            }
        }
    }

    /// Ports of the design.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Cycles recorded.
    pub fn cycles(&self) -> usize {
        self.words.len() / self.stride.max(1)
    }

    /// The inputs of a cycle, one after the other in the order of the ports.
    pub fn inputs(&self, cycle: usize) -> &[u64] {
        &self.words[cycle * self.stride..][..self.stride]
    }

    /// All inputs of all cycles as bytes, words little-endian.
    pub fn bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// Something that plays the tape to engines like this one. Errors: it has other ports.
    pub fn player(&self, engine: &dyn Engine) -> Result<Player<'_>> {
        // Engines list inputs and outputs in the order of the design; not all list inputs first.
        let of = |ports: &[Port], direction| {
            let of = ports.iter().filter(|port| port.direction == direction);
            of.cloned().collect::<Vec<_>>()
        };
        for direction in [Direction::In, Direction::Out] {
            if of(&self.ports, direction) != of(engine.ports(), direction) {
                return Err(Error::Unsupported {
                    engine: engine.name(),
                    what: "play a tape of a design with other ports".into(),
                });
            }
        }
        let outputs = of(&self.ports, Direction::Out);
        let words = outputs.iter().map(|port| port.width.div_ceil(64)).sum();
        Ok(Player {
            tape: self,
            outputs: vec![0; words],
            last: Vec::new(),
            seen: None,
        })
    }
}

/// Plays a tape to one engine.
#[derive(Debug)]
pub struct Player<'a> {
    tape: &'a Tape,
    outputs: Vec<u64>,
    /// Outputs of the cycle before; none at first.
    last: Vec<u64>,
    /// What the engine reported of them.
    seen: Option<u64>,
}

impl Player<'_> {
    /// One cycle of the tape; gives `digest` (0 at first) chained with the outputs, if they are others than in the
    /// cycle before. Errors: of the engine.
    pub fn cycle(&mut self, engine: &mut dyn Engine, cycle: usize, digest: u64) -> Result<u64> {
        self.drive(engine, cycle)?;
        engine.eval()?;
        let digest = self.sample(engine, cycle, digest);
        engine.step()?;
        Ok(digest)
    }

    /// The first part of a cycle: the inputs. Errors: of the engine.
    pub fn drive(&self, engine: &mut dyn Engine, cycle: usize) -> Result<()> {
        engine.set_inputs(self.tape.inputs(cycle))
    }

    /// The part of a cycle after [`Engine::eval`]: the digest chained with the outputs, as [`cycle`](Self::cycle) does.
    pub fn sample(&mut self, engine: &dyn Engine, cycle: usize, mut digest: u64) -> u64 {
        let seen = engine.outputs_changed();
        if seen.is_some() && seen == self.seen {
            return digest;
        }
        self.seen = seen;
        engine.get_outputs(&mut self.outputs);
        if self.outputs != self.last {
            let words = self.outputs.iter();
            digest = words.fold(link(digest, cycle as u64), |digest, word| {
                link(digest, *word)
            });
            self.last.clone_from(&self.outputs);
        }
        digest
    }
}
