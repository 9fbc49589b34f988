//! An instance of a body: the state, and the calls of an engine.
//!
//! **Sleep.** After a step that changed no register and wrote no memory, and as long as no input changes, every slot
//! holds what it would be computed to again: `eval` and `step` then do nothing but count. Decided by comparison, so the
//! run is the same with and without.

use std::sync::Arc;

use super::body::Body;
use super::plan;
use super::schedule::is_source;
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
}

/// What a [`Snapshot`] of these engines holds; interpreter and JIT understand each other's.
struct Saved {
    /// Of the design (`plan::shape`).
    shape: u64,
    contents: Vec<u64>,
    driven: Vec<u64>,
    cycle: u64,
}

/// Everything that changes.
pub(super) struct State {
    pub(super) buffer: Vec<u64>,
    /// Inputs as they are driven; in the buffer they are as of the last evaluation or step.
    driven: Vec<u64>,
    /// They were driven with other values since then.
    moved: bool,
    /// An input or the state changed since the last evaluation.
    stale: bool,
    /// The last evaluation's next state was taken over and was the same.
    still: bool,
    pub(super) cycle: u64,
    slept: u64,
    sleeps: bool,
}

impl Compiled {
    /// An instance at power-up, all inputs zero.
    pub fn new(body: Arc<Body>) -> Self {
        let buffer = body.buffer();
        Self {
            state: State {
                driven: vec![0; body.plan.inputs],
                moved: false,
                buffer,
                stale: true,
                still: false,
                cycle: 0,
                slept: 0,
                sleeps: true,
            },
            body,
            wave: None,
            plain: None,
        }
    }

    /// The code it shares.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// Values of all operations, in a fixed order, after [`eval`](Engine::eval): for profiles.
    pub fn values(&self) -> Vec<u64> {
        let Body { netlist, plan, .. } = &*self.body;
        let order = plan.order.iter().copied();
        let computed: Vec<_> = order
            .filter(|id| !is_source(netlist.graph.op(*id)))
            .collect();
        plan::look(netlist, plan, &self.state.buffer, &computed)
    }

    /// Switches sleep on (as it is) or off.
    pub fn set_sleep(&mut self, on: bool) {
        self.state.sleeps = on;
        self.state.still = false;
    }

    /// Whether the inputs are driven with other values than were computed with.
    fn inputs_differ(&self) -> bool {
        let State { buffer, driven, .. } = &self.state;
        self.state.moved && buffer[..driven.len()] != driven[..]
    }

    /// Computes with the inputs as they are driven, unless nothing has changed.
    pub(super) fn evaluate(&mut self) {
        if self.inputs_differ() {
            let State { buffer, driven, .. } = &mut self.state;
            buffer[..driven.len()].copy_from_slice(driven);
            self.state.stale = true;
        }
        self.state.moved = false;
        if self.state.stale {
            self.body.eval(&mut self.state.buffer);
            (self.state.stale, self.state.still) = (false, false);
        }
    }

    /// Takes the computed next state over; says whether anything changed.
    fn commit(&mut self) -> bool {
        let plan = &self.body.plan;
        let buffer = &mut self.state.buffer;
        let registers = plan.inputs..plan.inputs + plan.next.len();
        let next = plan.slots..plan.slots + plan.next.len();
        let mut changed = buffer[registers.clone()] != buffer[next.clone()];
        for write in &plan.writes {
            if buffer[write.slot] == 0 {
                continue;
            }
            let words = write.words;
            let entry = write.memory + buffer[write.slot + 1] as usize * words;
            let (data, mask) = (write.slot + 2, write.slot + 2 + words);
            for word in 0..words {
                let old = buffer[entry + word];
                let new =
                    (old & !buffer[mask + word]) | (buffer[data + word] & buffer[mask + word]);
                changed |= new != old;
                buffer[entry + word] = new;
            }
        }
        buffer.copy_within(next, registers.start);
        changed
    }

    /// Inputs, registers and memories: all that a body's code does not compute.
    pub(super) fn contents(&self) -> Vec<u64> {
        let (buffer, plan) = (&self.state.buffer, &self.body.plan);
        [&buffer[..plan.slots], &buffer[plan.memory_words()]].concat()
    }

    pub(super) fn set_contents(&mut self, contents: &[u64]) {
        let (buffer, plan) = (&mut self.state.buffer, &self.body.plan);
        let (state, memories) = contents.split_at(plan.slots);
        buffer[..plan.slots].copy_from_slice(state);
        buffer[plan.memory_words()].copy_from_slice(memories);
        (self.state.stale, self.state.still) = (true, false);
    }

    /// First word and width of the memory's entry at a [`canonical`] path, if it is one.
    fn entry(&self, wanted: &str) -> Option<(usize, usize)> {
        let (path, entry) = wanted.rsplit_once('$')?;
        let entry: usize = entry.parse().ok()?;
        let memories = self.body.netlist.memories.iter();
        let mut places = memories.zip(&self.body.plan.memories);
        let (memory, start) = places.find(|(memory, _)| canonical(&memory.path) == path)?;
        (entry < memory.depth).then_some((start + entry * memory.words, memory.width))
    }

    /// Position of the signal at `path`: number, lowest bit, width.
    fn find(&self, path: &str) -> Result<(usize, usize, usize)> {
        let wanted = canonical(path);
        let unknown = || Error::NoSuchPath(path.into());
        let mut end = wanted.len();
        loop {
            if let Some(&number) = self.body.netlist.index.get(&wanted[..end]) {
                let signal = &self.body.netlist.signals[number];
                let rest = wanted[end..].trim_start_matches('$');
                if rest.is_empty() {
                    return Ok((number, 0, signal.width));
                }
                let (offset, width) =
                    crate::signals::field(&signal.fields, rest).ok_or_else(unknown)?;
                return Ok((number, offset, width));
            }
            end = wanted[..end].rfind('$').ok_or_else(unknown)?;
        }
    }
}

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        self.body.backend.name()
    }

    fn ports(&self) -> &[Port] {
        &self.body.ports
    }

    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        let Some(place) = self.body.places.get(port.position()) else {
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
        self.state.moved = true;
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
            Direction::Out if !self.state.stale => {
                known.copy_from_slice(&self.state.buffer[range]);
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
        let known = words.len().min(driven.len());
        let mut differs = 0;
        let new = words.iter().zip(&self.body.input_masks);
        for (old, (word, mask)) in driven.iter_mut().zip(new) {
            differs |= *old ^ (word & mask);
            *old = word & mask;
        }
        for old in &mut driven[known..] {
            differs |= std::mem::take(old);
        }
        *moved |= differs != 0;
        Ok(())
    }

    fn get_outputs(&self, words: &mut [u64]) {
        let outputs = self.body.plan.output_words();
        let known = words.len().min(outputs.len());
        if !self.state.stale {
            words[..known].copy_from_slice(&self.state.buffer[outputs][..known]);
        } else {
            let Body { netlist, plan, .. } = &*self.body;
            let ids = outputs.map(|slot| plan.roots[slot - plan.slots]);
            let ids: Vec<_> = ids.take(known).collect();
            let values = plan::look(netlist, plan, &self.state.buffer, &ids);
            words[..known].copy_from_slice(&values);
        }
        words[known..].fill(0);
    }

    fn eval(&mut self) -> Result<()> {
        self.evaluate();
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.sample_wave();
        self.state.cycle += 1;
        let State {
            still,
            stale,
            sleeps,
            ..
        } = self.state;
        if still && !stale && sleeps && !self.inputs_differ() {
            self.state.slept += 1;
            return Ok(());
        }
        self.evaluate();
        let changed = self.commit();
        self.state.still = !changed;
        self.state.stale = changed || !self.state.sleeps;
        Ok(())
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
        let wanted = canonical(path);
        let registers = &self.body.netlist.registers;
        let register = registers.iter().find(|r| {
            let path = canonical(&r.name);
            path == wanted || path.strip_suffix("$q") == Some(&wanted)
        });
        let place = match register {
            Some(register) => Some((register.word as usize, register.width)),
            None => self.entry(&wanted),
        };
        let Some((first, width)) = place else {
            self.find(path)?;
            return Err(Error::Unsupported {
                engine: self.name(),
                what: format!("write '{path}': it is neither a register nor a memory's entry"),
            });
        };
        for i in 0..width.div_ceil(64) {
            let value = words.get(i).copied().unwrap_or(0);
            self.state.buffer[first + i] = value & mask(width - 64 * i);
        }
        (self.state.stale, self.state.still) = (true, false);
        Ok(())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::new(Box::new(Saved {
            shape: self.body.shape,
            contents: self.contents(),
            driven: self.state.driven.clone(),
            cycle: self.state.cycle,
        }))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        match snapshot.state().downcast_ref::<Saved>() {
            Some(saved) if saved.shape == self.body.shape => {
                self.set_contents(&saved.contents);
                self.state.driven.clone_from(&saved.driven);
                self.state.moved = true;
                self.state.cycle = saved.cycle;
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
