//! The trait [`Engine`]: about ten calls, the same for every engine.

use std::any::Any;

use crate::base::Direction;
use crate::{Error, Result, Signal, WaveOptions};

/// A port of the top block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name as in the exported Verilog.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Direction.
    pub direction: Direction,
}

/// Handle of a port, valid for the engine that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortId(pub(crate) usize);

impl PortId {
    /// Handle of the port at `position` of [`Engine::ports`]; for those who implement an engine.
    pub fn new(position: usize) -> Self {
        Self(position)
    }

    /// Position in [`Engine::ports`].
    pub fn position(self) -> usize {
        self.0
    }
}

/// The whole state of a design at one cycle, valid for the engine that gave it.
pub struct Snapshot(pub(crate) Box<dyn std::any::Any + Send>);

impl Snapshot {
    /// Wraps the state of an engine; for those who implement one.
    pub fn new(state: Box<dyn std::any::Any + Send>) -> Self {
        Self(state)
    }

    /// The wrapped state.
    pub fn state(&self) -> &(dyn std::any::Any + Send) {
        self.0.as_ref()
    }

    /// A state that was in a file: what [`words`](Self::words) gave. An engine refuses another design's.
    pub fn of_words(words: Vec<u64>) -> Self {
        Self(Box::new(words))
    }

    /// The state as words, to be kept in a file; `None`: the engine's states cannot leave the process.
    pub fn words(&self) -> Option<&[u64]> {
        let words = self.0.downcast_ref::<Vec<u64>>();
        words.map(Vec::as_slice)
    }
}

/// The engines by the names that `--engine` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EngineKind {
    /// rust-hdl's own update loop: slow, and the truth.
    Oracle,
    /// The compiled netlist, interpreted.
    Interp,
    /// The compiled netlist as machine code.
    #[default]
    Jit,
    /// The compiled netlist as Rust that was compiled with the program; for the tops it was generated for.
    Aot,
}

impl EngineKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Oracle, Self::Interp, Self::Jit, Self::Aot];

    /// Name, as `--engine` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oracle => "oracle",
            Self::Interp => "interp",
            Self::Jit => "jit",
            Self::Aot => "aot",
        }
    }
}

impl std::str::FromStr for EngineKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| Error::NoSuchEngine(name.into()))
    }
}

/// A design that can be run cycle by cycle; on any thread, one after the other.
pub trait Engine: Send {
    /// Name of the engine, as `--engine` takes it.
    fn name(&self) -> &'static str;
    /// The ports of the top, `clk` excepted; [`PortId`] is the position in this list.
    fn ports(&self) -> &[Port];
    /// Handle of the port called `name`. Errors: [`NoSuchPort`](crate::Error::NoSuchPort).
    fn port(&self, name: &str) -> Result<PortId> {
        let found = self.ports().iter().position(|port| port.name == name);
        found
            .map(PortId)
            .ok_or_else(|| Error::NoSuchPort(name.into()))
    }
    /// Drives an input until it is driven again. Bits above the width are ignored. Errors: the port is an output.
    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()>;
    /// Samples a port into `words` (all are overwritten): an output as of the last [`eval`](Engine::eval) or
    /// [`step`](Engine::step), so that the order in which models sample and drive does not matter; an input as it is
    /// driven.
    fn get(&self, port: PortId, words: &mut [u64]);
    /// Drives all inputs: their words one after the other, in the order of the ports, each port from a word of its own
    /// on. Missing words are zero. Errors: of the engine.
    fn set_inputs(&mut self, words: &[u64]) -> Result<()> {
        let mut rest = words;
        for position in 0..self.ports().len() {
            let port = &self.ports()[position];
            if port.direction == Direction::In {
                let own = port.width.div_ceil(64).min(rest.len());
                self.set(PortId(position), &rest[..own])?;
                rest = &rest[own..];
            }
        }
        Ok(())
    }
    /// Samples all outputs, laid out as inputs are in [`set_inputs`](Engine::set_inputs), as far as there is room in
    /// `words`.
    fn get_outputs(&self, words: &mut [u64]) {
        let mut rest = words;
        for (position, port) in self.ports().iter().enumerate() {
            if port.direction == Direction::Out {
                let own = port.width.div_ceil(64).min(rest.len());
                let (value, after) = rest.split_at_mut(own);
                self.get(PortId(position), value);
                rest = after;
            }
        }
    }
    /// A count that grows with each [`eval`](Engine::eval) after which an output may have another value than after the
    /// one before: who has seen the outputs need not look again as long as it stays. `None`: not known.
    fn outputs_changed(&self) -> Option<u64> {
        None
    }
    /// Lets the combinational logic settle with the clock low. Errors: it does not settle.
    fn eval(&mut self) -> Result<()>;
    /// One clock cycle: settles if an input changed, then the rising edge. Errors: it does not settle.
    fn step(&mut self) -> Result<()>;
    /// As many [`step`](Engine::step)s, the inputs as they are driven. An engine that sleeps does all of them at once.
    /// Errors: it does not settle.
    fn pass(&mut self, cycles: u64) -> Result<()> {
        (0..cycles).try_for_each(|_| self.step())
    }
    /// Holds `rst` for `cycles` cycles, then releases it. Errors: there is no port `rst`.
    fn reset(&mut self, cycles: u32) -> Result<()> {
        let rst = self.port("rst")?;
        self.set(rst, &[1])?;
        for _ in 0..cycles {
            self.step()?;
        }
        self.set(rst, &[0])
    }
    /// What it is, if it can be computed [together](crate::eval_all) with others of its type.
    fn as_any(&mut self) -> Option<&mut dyn Any> {
        None
    }
    /// Rising edges so far.
    fn cycle(&self) -> u64;
    /// Cycles in which nothing had to be computed; 0 of an engine that always computes.
    fn slept(&self) -> u64 {
        0
    }
    /// The signals that [`peek`](Engine::peek) can name, in the order of the design.
    fn signals(&self) -> &[Signal] {
        &[]
    }
    /// Value of the signal at `path` (`block.child.signal`, `block.array[0].signal`) as words, as of the last
    /// [`eval`](Engine::eval) or [`step`](Engine::step); engines that compile the design also show a memory's entry
    /// (`block.ram[3]`). Errors: there is none.
    fn peek(&self, path: &str) -> Result<Vec<u64>>;
    /// Values of several signals at once, in this order. Errors: as [`peek`](Engine::peek).
    fn peek_many(&self, paths: &[&str]) -> Result<Vec<Vec<u64>>> {
        paths.iter().map(|path| self.peek(path)).collect()
    }
    /// Overwrites the register or memory word at `path`. Errors: there is none, or the engine cannot.
    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()>;
    /// Copies the whole state.
    fn snapshot(&self) -> Snapshot;
    /// Goes back to a state that [`snapshot`](Engine::snapshot) gave. Errors: it is another engine's.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<()>;
    /// Starts a waveform, from the current cycle on; one that is being written is finished first. Errors: there is no
    /// such scope, the window is empty, the file cannot be written, the engine cannot.
    fn attach_wave(&mut self, options: WaveOptions) -> Result<()> {
        let what = format!("write the waveform {}", options.path.display());
        Err(Error::Unsupported {
            engine: self.name(),
            what,
        })
    }
    /// Adds the current cycle to the waveform and closes it; without one, nothing happens. Errors: something of the
    /// file could not be written, now or in an earlier step; the steps after it ran without the waveform.
    fn finish_wave(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A boxed engine is the engine in it.
impl<E: Engine + ?Sized> Engine for Box<E> {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn ports(&self) -> &[Port] {
        (**self).ports()
    }
    fn port(&self, name: &str) -> Result<PortId> {
        (**self).port(name)
    }
    fn set(&mut self, port: PortId, words: &[u64]) -> Result<()> {
        (**self).set(port, words)
    }
    fn get(&self, port: PortId, words: &mut [u64]) {
        (**self).get(port, words);
    }
    fn set_inputs(&mut self, words: &[u64]) -> Result<()> {
        (**self).set_inputs(words)
    }
    fn get_outputs(&self, words: &mut [u64]) {
        (**self).get_outputs(words);
    }
    fn outputs_changed(&self) -> Option<u64> {
        (**self).outputs_changed()
    }
    fn eval(&mut self) -> Result<()> {
        (**self).eval()
    }
    fn step(&mut self) -> Result<()> {
        (**self).step()
    }
    fn pass(&mut self, cycles: u64) -> Result<()> {
        (**self).pass(cycles)
    }
    fn reset(&mut self, cycles: u32) -> Result<()> {
        (**self).reset(cycles)
    }
    fn cycle(&self) -> u64 {
        (**self).cycle()
    }
    fn slept(&self) -> u64 {
        (**self).slept()
    }
    fn signals(&self) -> &[Signal] {
        (**self).signals()
    }
    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        (**self).peek(path)
    }
    fn peek_many(&self, paths: &[&str]) -> Result<Vec<Vec<u64>>> {
        (**self).peek_many(paths)
    }
    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()> {
        (**self).poke(path, words)
    }
    fn snapshot(&self) -> Snapshot {
        (**self).snapshot()
    }
    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        (**self).restore(snapshot)
    }
    fn attach_wave(&mut self, options: WaveOptions) -> Result<()> {
        (**self).attach_wave(options)
    }
    fn finish_wave(&mut self) -> Result<()> {
        (**self).finish_wave()
    }
}
