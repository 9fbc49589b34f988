//! An instance of a body: the state, and the calls of an engine.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::body::{Body, latest};
use super::plan;
use super::sampler::Sampler;
use crate::base::{Direction, canonical, mask, slice};
use crate::engine::{Engine, Port, PortId, Snapshot};
use crate::signals::Signal;
use crate::wave::{Wave, WaveOptions};
use crate::{Error, Result};

/// An instance of a body.
pub struct Compiled {
    pub(super) body: Arc<Body>,
    pub(super) state: State,
    pub(super) wave: Option<Wave>,
    /// The body to go back to when the waveform ends.
    pub(super) plain: Option<Arc<Body>>,
    /// It looks at the run for better parts.
    pub(super) looking: Option<Looking>,
    /// Awake cycles with bodies that may have better ones.
    pub(super) awake: u64,
}

/// Everything that changes.
pub(super) struct State {
    pub(super) buffer: Vec<u64>,
    /// Inputs as they are driven; in the buffer they are as of the last evaluation or step.
    pub(super) driven: Vec<u64>,
    /// A bit for each of them that may have been driven with another value since then.
    pub(super) moved: Vec<u64>,
    /// A flag is set, or was since the last step.
    pub(super) awake: bool,
    pub(super) cycle: u64,
    pub(super) slept: u64,
    pub(super) sleeps: bool,
    /// Evaluations after which an output may have had another value than before.
    pub(super) outputs: u64,
    /// Operations, where they are counted.
    pub(super) operations: u64,
    /// What a waveform is shown.
    pub(super) observed: Vec<u64>,
    /// The groups of it that may have changed.
    pub(super) touched: Vec<u64>,
}

/// An instance that looks at a run for its body.
pub(super) struct Looking {
    pub(super) body: Arc<Body>,
    pub(super) sampler: Option<Sampler>,
}

impl Drop for Looking {
    /// If it has not seen enough, another one may look.
    fn drop(&mut self) {
        if let (Some(_), Some(tuning)) = (&self.sampler, &self.body.tuning) {
            tuning.taken.store(false, Relaxed);
        }
    }
}

impl Compiled {
    /// An instance at power-up, all inputs zero.
    pub fn new(body: Arc<Body>) -> Self {
        let body = latest(body);
        Self {
            state: State {
                driven: vec![0; body.plan.inputs],
                moved: vec![0; body.plan.inputs.div_ceil(64)],
                buffer: body.plan.buffer(&body.netlist),
                awake: true,
                cycle: 0,
                slept: 0,
                sleeps: true,
                outputs: 0,
                operations: 0,
                observed: Vec::new(),
                touched: Vec::new(),
            },
            body,
            wave: None,
            plain: None,
            looking: None,
            awake: 0,
        }
    }

    /// The code it shares.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// Values of all operations, in a fixed order, after [`eval`](Engine::eval): for profiles.
    pub fn values(&self) -> Vec<u64> {
        let body = &*self.body;
        plan::look(
            &body.netlist,
            &body.plan,
            &self.state.buffer,
            &body.operations,
        )
    }

    /// Operations computed so far; only the interpreter counts them.
    pub fn operations(&self) -> u64 {
        self.state.operations
    }

    /// Adds the cycle to a sample, after [`eval`](Engine::eval); says whether more are wanted.
    pub(super) fn sample_activity(&self, sampler: &mut Sampler) -> bool {
        sampler.sample(&self.body.netlist, &self.body.plan, &self.state.buffer)
    }

    /// Switches sleep on (as it is) or off; without, every part is computed in every cycle.
    pub fn set_sleep(&mut self, on: bool) {
        self.state.sleeps = on;
        self.wake();
    }
}

impl Engine for Compiled {
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn name(&self) -> &'static str {
        self.body.backend.name()
    }

    fn ports(&self) -> &[Port] {
        &self.body.ports
    }

    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        let Some(&place) = self.body.places.get(port.position()) else {
            return Err(Error::NoSuchPort(format!("#{}", port.position())));
        };
        if place.direction == Direction::Out {
            return Err(Error::BadPort {
                port: self.body.ports[port.position()].name.clone(),
                reason: "is an output and cannot be set".into(),
            });
        }
        let driven = &mut self.state.driven[place.first..place.first + place.words];
        let given = words.len().min(driven.len());
        driven[..given].copy_from_slice(&words[..given]);
        driven[given..].fill(0);
        if let Some(last) = driven.last_mut() {
            *last &= place.last;
        }
        self.moved(place.first..place.first + place.words);
        Ok(())
    }

    fn get(&self, port: PortId, words: &mut [u64]) {
        let Some(place) = self.body.places.get(port.position()) else {
            return words.fill(0);
        };
        let count = place.words.min(words.len());
        let (known, rest) = words.split_at_mut(count);
        rest.fill(0);
        let range = place.first..place.first + count;
        match place.direction {
            Direction::In => known.copy_from_slice(&self.state.driven[range]),
            Direction::Out if !self.body.plan.is_stale(&self.state.buffer) => {
                let words = &self.body.plan.output_words[range];
                for (value, word) in known.iter_mut().zip(words) {
                    *value = self.state.buffer[*word];
                }
            }
            Direction::Out => {
                let netlist = &self.body.netlist;
                let ids = &netlist.outputs[port.position() - netlist.inputs.len()].2;
                let values = plan::look(netlist, &self.body.plan, &self.state.buffer, ids);
                known.copy_from_slice(&values[..count]);
            }
        }
    }

    fn set_inputs(&mut self, words: &[u64]) -> Result<()> {
        let State { driven, moved, .. } = &mut self.state;
        let words = words.iter().copied().chain(std::iter::repeat(0));
        let mut new = words.zip(&self.body.input_masks);
        for (old, moved) in driven.chunks_mut(64).zip(moved) {
            for (bit, (old, (word, mask))) in old.iter_mut().zip(&mut new).enumerate() {
                let new = word & mask;
                *moved |= u64::from(*old != new) << bit;
                *old = new;
            }
        }
        Ok(())
    }

    fn get_outputs(&self, words: &mut [u64]) {
        let Body { netlist, plan, .. } = &*self.body;
        let buffer = &self.state.buffer;
        let known = words.len().min(plan.output_words.len());
        let (known, rest) = words.split_at_mut(known);
        if plan.is_stale(buffer) {
            let ids = netlist.outputs.iter().flat_map(|(_, _, words)| words);
            let ids: Vec<_> = ids.copied().take(known.len()).collect();
            known.copy_from_slice(&plan::look(netlist, plan, buffer, &ids));
        } else {
            for (value, word) in known.iter_mut().zip(&plan.output_words) {
                *value = buffer[*word];
            }
        }
        rest.fill(0);
    }

    fn eval(&mut self) -> Result<()> {
        self.evaluate();
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.sample_wave();
        self.cycle_once();
        Ok(())
    }

    fn pass(&mut self, cycles: u64) -> Result<()> {
        for left in (1..=cycles).rev() {
            if self.wave.is_none() && self.is_still() {
                self.sleep(left);
                break;
            }
            self.step()?;
        }
        Ok(())
    }

    fn outputs_changed(&self) -> Option<u64> {
        Some(self.state.outputs)
    }

    fn cycle(&self) -> u64 {
        self.state.cycle
    }

    fn slept(&self) -> u64 {
        self.state.slept
    }

    fn signals(&self) -> &[Signal] {
        &self.body.signals
    }

    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        if let Some((first, width)) = self.entry(&canonical(path)) {
            return Ok(self.state.buffer[first..first + width.div_ceil(64)].to_vec());
        }
        let (number, offset, width) = self.find(path)?;
        let signal = &self.body.netlist.signals[number];
        let (netlist, plan) = (&self.body.netlist, &self.body.plan);
        let words = plan::look(netlist, plan, &self.state.buffer, &signal.words);
        Ok(slice(&words, offset, width))
    }

    fn peek_many(&self, paths: &[&str]) -> Result<Vec<Vec<u64>>> {
        let (netlist, plan) = (&self.body.netlist, &self.body.plan);
        let places: Vec<_> = paths.iter().map(|p| self.find(p)).collect::<Result<_>>()?;
        let signals = places.iter().map(|(number, ..)| &netlist.signals[*number]);
        let ids: Vec<_> = signals
            .clone()
            .flat_map(|s| s.words.iter().copied())
            .collect();
        let values = plan::look(netlist, plan, &self.state.buffer, &ids);
        let mut rest = values.as_slice();
        let pieces = signals.zip(&places).map(|(signal, (_, offset, width))| {
            let (words, after) = rest.split_at(signal.words.len());
            rest = after;
            slice(words, *offset, *width)
        });
        Ok(pieces.collect())
    }

    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()> {
        let Some((places, width)) = self.writable(path) else {
            self.find(path)?;
            return Err(Error::Unsupported {
                engine: self.name(),
                what: format!("write '{path}': it is neither a register nor a memory's entry"),
            });
        };
        for (i, place) in places.into_iter().enumerate() {
            let value = words.get(i).copied().unwrap_or(0);
            self.state.buffer[place] = value & mask(width - 64 * i);
        }
        self.wake();
        Ok(())
    }

    /// As words: shape of the design (`plan::shape`), cycle, inputs, and what the code does not compute. Interpreter
    /// and JIT understand each other's.
    fn snapshot(&self) -> Snapshot {
        let mut words = vec![self.body.shape, self.state.cycle];
        words.extend(&self.state.driven);
        words.extend(self.contents());
        Snapshot::of_words(words)
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let inputs = self.state.driven.len();
        match snapshot.words() {
            Some([shape, cycle, words @ ..])
                if *shape == self.body.shape && words.len() == inputs + self.contents_words() =>
            {
                let (driven, contents) = words.split_at(inputs);
                self.set_contents(contents);
                self.state.driven.copy_from_slice(driven);
                self.moved(0..inputs);
                self.state.cycle = *cycle;
                Ok(())
            }
            _ => Err(Error::Unsupported {
                engine: self.name(),
                what: "restore a snapshot of another design".into(),
            }),
        }
    }

    fn attach_wave(&mut self, options: WaveOptions) -> Result<()> {
        self.finish_wave()?;
        self.watch(options)
    }

    fn finish_wave(&mut self) -> Result<()> {
        self.sample_wave();
        let finished = self.wave.take().map_or(Ok(()), Wave::finish);
        self.go_back();
        finished
    }
}
