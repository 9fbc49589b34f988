//! Engines that compile the netlist: one [`Body`] of code, any number of [`Compiled`] instances of it.
//!
//! **Cycle.** `eval` computes next state, outputs and memory writes into slots of the instance's buffer; `step` takes them over.
//!
//! **Sleep.** After a step that changed no register and wrote no memory, and as long as no input changes, every slot holds what it would be
//! computed to again: `eval` and `step` then do nothing but count. Decided by comparison, so the run is the same with and without.

use std::sync::Arc;

use crate::design::Design;
use crate::elaborate::elaborate;
use crate::engine::{Direction, Engine, Port, PortId, Snapshot};
use crate::netlist::{Netlist, mask};
use crate::signals::{Signal, canonical};
use crate::wave::{Wave, WaveOptions, WaveVar};
use crate::{Error, Result};
use rust_hdl::prelude::Block;

mod interp;
mod jit;
mod plan;

use interp::Interpreter;
use jit::Jit;
use plan::Plan;

/// Ways to compute a body's nodes.
enum Code {
    Interpreter(Interpreter),
    Jit(Box<Jit>),
}

/// Which code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The interpreter.
    Interp,
    /// Machine code by Cranelift.
    Jit,
}

/// A design as code, shared by all its instances.
pub struct Body {
    netlist: Netlist,
    plan: Plan,
    code: Code,
    backend: Backend,
    ports: Vec<Port>,
    /// Per port: first state word of an input, position in the outputs.
    places: Vec<usize>,
    signals: Vec<Signal>,
    build: std::time::Duration,
}

impl Body {
    /// Elaborates, flattens and compiles a design. Errors: [`Error::Findings`], [`Error::Compile`].
    pub fn new(design: &dyn Block, backend: Backend) -> Result<Self> {
        let start = std::time::Instant::now();
        let design = elaborate(design).map_err(Error::Findings)?;
        Self::flattened(&design, backend, start)
    }

    /// Flattens and compiles a design that is elaborated, or was made without rust-hdl. Errors: as [`new`](Self::new).
    pub fn from_design(design: &Design, backend: Backend) -> Result<Self> {
        Self::flattened(design, backend, std::time::Instant::now())
    }

    fn flattened(design: &Design, backend: Backend, start: std::time::Instant) -> Result<Self> {
        let netlist = Netlist::new(design).map_err(Error::Findings)?;
        Self::compile(netlist, backend, &[], start)
    }

    /// The same design whose instances also keep the signals at these positions.
    fn observing(&self, observed: &[usize]) -> Result<Self> {
        let start = std::time::Instant::now();
        Self::compile(self.netlist.clone(), self.backend, observed, start)
    }

    fn compile(
        netlist: Netlist,
        backend: Backend,
        observed: &[usize],
        start: std::time::Instant,
    ) -> Result<Self> {
        let plan = Plan::new(&netlist, observed);
        let code = match backend {
            Backend::Interp => Code::Interpreter(Interpreter::new(&netlist, &plan)),
            Backend::Jit => Code::Jit(Box::new(Jit::new(&netlist, &plan)?)),
        };
        let mut ports = Vec::new();
        let mut places = Vec::new();
        for input in &netlist.inputs {
            ports.push(Port {
                name: input.name.clone(),
                width: input.width,
                direction: Direction::In,
            });
            places.push(input.word as usize);
        }
        for (position, (name, width, _)) in netlist.outputs.iter().enumerate() {
            ports.push(Port {
                name: name.clone(),
                width: *width,
                direction: Direction::Out,
            });
            places.push(position);
        }
        let mut signals = Vec::new();
        for signal in &netlist.signals {
            Signal::add(
                &mut signals,
                &signal.path,
                signal.width,
                &signal.variants,
                &signal.fields,
            );
        }
        Ok(Self {
            netlist,
            plan,
            code,
            backend,
            ports,
            places,
            signals,
            build: start.elapsed(),
        })
    }

    /// The netlist behind the code.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// Nodes that are computed every cycle.
    pub fn nodes(&self) -> usize {
        self.plan.order.len()
    }

    /// Time from block to code.
    pub fn build_time(&self) -> std::time::Duration {
        self.build
    }

    fn eval(&self, buffer: &mut [u64]) {
        match &self.code {
            Code::Interpreter(code) => code.eval(buffer),
            Code::Jit(code) => code.eval(buffer),
        }
    }

    fn buffer(&self) -> Vec<u64> {
        let mut buffer = self.plan.buffer(&self.netlist);
        if let Code::Jit(code) = &self.code {
            buffer.resize(code.words(), 0);
        }
        buffer
    }
}

/// An instance of a body.
pub struct Compiled {
    body: Arc<Body>,
    state: State,
    wave: Option<Wave>,
}

/// What a [`Snapshot`] of these engines holds; interpreter and JIT understand each other's.
struct Saved {
    contents: Vec<u64>,
    driven: Vec<u64>,
    cycle: u64,
}

/// Everything that changes.
struct State {
    buffer: Vec<u64>,
    /// Inputs as they are driven; in the buffer they are as of the last evaluation or step.
    driven: Vec<u64>,
    /// An input or the state changed since the last evaluation.
    stale: bool,
    /// The last evaluation's next state was taken over and was the same.
    still: bool,
    cycle: u64,
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
                buffer,
                stale: true,
                still: false,
                cycle: 0,
                slept: 0,
                sleeps: true,
            },
            body,
            wave: None,
        }
    }

    /// The code it shares.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// Switches sleep on (as it is) or off.
    pub fn set_sleep(&mut self, on: bool) {
        self.state.sleeps = on;
        self.state.still = false;
    }

    /// Computes with the inputs as they are driven, unless nothing has changed.
    fn evaluate(&mut self) {
        let State { buffer, driven, .. } = &mut self.state;
        if buffer[..driven.len()] != driven[..] {
            buffer[..driven.len()].copy_from_slice(driven);
            self.state.stale = true;
        }
        if self.state.stale {
            self.body.eval(&mut self.state.buffer);
            (self.state.stale, self.state.still) = (false, false);
        }
    }

    /// Takes the computed next state over; tells whether anything changed.
    fn commit(&mut self) -> bool {
        let (plan, netlist) = (&self.body.plan, &self.body.netlist);
        let buffer = &mut self.state.buffer;
        let registers = plan.inputs..plan.inputs + plan.next.len();
        let next = plan.slots..plan.slots + plan.next.len();
        let mut changed = buffer[registers.clone()] != buffer[next.clone()];
        for (write, &first) in netlist.writes.iter().zip(&plan.writes) {
            let first = plan.slots + first;
            if buffer[first] == 0 {
                continue;
            }
            let words = netlist.memories[write.memory].words;
            let entry = plan.memories[write.memory] + buffer[first + 1] as usize * words;
            for word in 0..words {
                let (data, mask) = (buffer[first + 2 + word], buffer[first + 2 + words + word]);
                let old = buffer[entry + word];
                let new = (old & !mask) | (data & mask);
                changed |= new != old;
                buffer[entry + word] = new;
            }
        }
        buffer.copy_within(next, registers.start);
        changed
    }

    /// The variables that a waveform with these options shows, and the signals they are in.
    fn shown(&self, options: &WaveOptions) -> (Vec<WaveVar>, Vec<usize>) {
        let (mut vars, mut signals, mut start) = (Vec::new(), Vec::new(), 0);
        for (number, signal) in self.body.netlist.signals.iter().enumerate() {
            let mut own = Vec::new();
            signal.vars(start, &mut own);
            own.retain(|var| options.shows(&var.path));
            if !own.is_empty() {
                vars.append(&mut own);
                signals.push(number);
                start += signal.words.len();
            }
        }
        (vars, signals)
    }

    /// Goes over to another body of the same design.
    fn change_body(&mut self, body: Body) {
        let contents = self.contents();
        self.state.buffer = body.buffer();
        self.body = Arc::new(body);
        self.set_contents(&contents);
    }

    /// Inputs, registers and memories: all that a body's code does not compute.
    fn contents(&self) -> Vec<u64> {
        let (buffer, plan) = (&self.state.buffer, &self.body.plan);
        [&buffer[..plan.slots], &buffer[plan.memory_words()]].concat()
    }

    fn set_contents(&mut self, contents: &[u64]) {
        let (buffer, plan) = (&mut self.state.buffer, &self.body.plan);
        let (state, memories) = contents.split_at(plan.slots);
        buffer[..plan.slots].copy_from_slice(state);
        buffer[plan.memory_words()].copy_from_slice(memories);
        (self.state.stale, self.state.still) = (true, false);
    }

    /// Adds the current cycle to the waveform. One that cannot be written is given up with the error.
    fn sample_wave(&mut self) -> Result<()> {
        let Some(mut wave) = self.wave.take() else {
            return Ok(());
        };
        if wave.wants(self.state.cycle) {
            self.evaluate();
            let plan = &self.body.plan;
            let values =
                &self.state.buffer[plan.slots + plan.observed..plan.slots + plan.roots.len()];
            wave.sample(values, self.state.cycle)?;
        }
        self.wave = Some(wave);
        Ok(())
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
        match self.body.backend {
            Backend::Interp => "interp",
            Backend::Jit => "jit",
        }
    }

    fn ports(&self) -> &[Port] {
        &self.body.ports
    }

    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        let Some(Port {
            name,
            width,
            direction,
        }) = self.body.ports.get(port.position())
        else {
            return Err(Error::NoSuchPort(format!("#{}", port.position())));
        };
        if *direction == Direction::Out {
            return Err(Error::BadPort {
                port: name.clone(),
                reason: "is an output and cannot be set".into(),
            });
        }
        let first = self.body.places[port.position()];
        for i in 0..width.div_ceil(64) {
            let value = words.get(i).copied().unwrap_or(0) & mask(width - 64 * i);
            self.state.driven[first + i] = value;
        }
        Ok(())
    }

    fn get(&self, port: PortId, words: &mut [u64]) {
        words.fill(0);
        let Some(port_decl) = self.body.ports.get(port.position()) else {
            return;
        };
        let plan = &self.body.plan;
        let place = self.body.places[port.position()];
        let count = port_decl.width.div_ceil(64).min(words.len());
        match port_decl.direction {
            Direction::In => {
                words[..count].copy_from_slice(&self.state.driven[place..place + count])
            }
            Direction::Out if self.state.stale => {
                let ids = &self.body.netlist.outputs[place].2;
                let values = plan::look(&self.body.netlist, plan, &self.state.buffer, ids);
                words[..count].copy_from_slice(&values[..count]);
            }
            Direction::Out => {
                let first = plan.slots + plan.outputs[place];
                words[..count].copy_from_slice(&self.state.buffer[first..first + count]);
            }
        }
    }

    fn eval(&mut self) -> Result<()> {
        self.evaluate();
        Ok(())
    }

    fn step(&mut self) -> Result<()> {
        self.sample_wave()?;
        self.state.cycle += 1;
        let same = self.state.driven[..] == self.state.buffer[..self.body.plan.inputs];
        if same && self.state.still && !self.state.stale && self.state.sleeps {
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
        let (number, offset, width) = self.find(path)?;
        let signal = &self.body.netlist.signals[number];
        let (netlist, plan) = (&self.body.netlist, &self.body.plan);
        let words = plan::look(netlist, plan, &self.state.buffer, &signal.words);
        Ok(crate::signals::slice(&words, offset, width))
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
            crate::signals::slice(words, *offset, *width)
        });
        Ok(pieces.collect())
    }

    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()> {
        let wanted = canonical(path);
        let netlist = &self.body.netlist;
        let register = netlist.registers.iter().find(|r| {
            let path = canonical(&r.name);
            path == wanted || path.strip_suffix("$q") == Some(&wanted)
        });
        let place = match register {
            Some(register) => Some((register.word as usize, register.width)),
            None => netlist
                .memories
                .iter()
                .zip(&self.body.plan.memories)
                .find_map(|(memory, &start)| {
                    let rest = wanted.strip_prefix(&canonical(&memory.path))?;
                    let entry: usize = rest.strip_prefix('$')?.parse().ok()?;
                    (entry < memory.depth).then_some((start + entry * memory.words, memory.width))
                }),
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
            contents: self.contents(),
            driven: self.state.driven.clone(),
            cycle: self.state.cycle,
        }))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let plan = &self.body.plan;
        let words = plan.slots + plan.memory_words().len();
        match snapshot.state().downcast_ref::<Saved>() {
            Some(saved) if saved.contents.len() == words => {
                self.set_contents(&saved.contents);
                self.state.driven.clone_from(&saved.driven);
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
        let (vars, signals) = self.shown(&options);
        let wave = Wave::create(options, vars)?;
        let body = self.body.observing(&signals)?;
        self.change_body(body);
        self.wave = Some(wave);
        Ok(())
    }

    fn finish_wave(&mut self) -> Result<()> {
        self.sample_wave()?;
        self.wave.take().map_or(Ok(()), Wave::finish)
    }
}
