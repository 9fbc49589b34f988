//! [`Cosim`]: the Verilog of a design in Icarus Verilog or Verilator, as an engine.
//!
//! **Idea.** The design is written into a folder with a module that reads orders from standard input and prints values,
//! and the simulator runs both in a process of its own. So the foreign simulators have the surface of every engine:
//! lockstep compares their outputs, and what each block in them puts out, and a flipped bit in a register is found.
//! Meant for comparison; a run for speed takes [`Export`] and a main loop of its own.
//!
//! Orders, a line each: `0 inputs` settles, `1` is a rising edge, both answered by the outputs; `2` asks for the
//! outputs of all blocks; `3 number value` overwrites a register. Values are hexadecimal; answers start with `=`.

mod export;
mod harness;
mod process;

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::base::{Direction, canonical, mask};
use crate::design::Design;
use crate::engine::{Engine, Port, PortId, Snapshot};
use crate::signals::Signal;
use crate::{Error, Result};

pub use export::Export;
use harness::{Probe, harness, probes};
use process::{Process, Scratch, hex, words};
pub use process::{build_place, can_build};

/// The foreign simulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Simulator {
    /// Icarus Verilog: interprets, four values, built at once.
    Icarus,
    /// Verilator: compiled, two values, takes a while to build.
    Verilator,
}

impl Simulator {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Icarus, Self::Verilator];

    /// Name of the engine.
    pub fn name(self) -> &'static str {
        match self {
            Self::Icarus => "icarus",
            Self::Verilator => "verilator",
        }
    }
}

/// A design in a foreign simulator.
pub struct Cosim {
    simulator: Simulator,
    process: RefCell<Process>,
    ports: Vec<Port>,
    /// By port: what an input is driven with, what an output was at last.
    values: Vec<Vec<u64>>,
    probes: Vec<Probe>,
    /// Probe by canonical path.
    index: HashMap<String, usize>,
    signals: Vec<Signal>,
    /// Values of all probes, if they were asked for since the last change.
    seen: RefCell<Option<Vec<Vec<u64>>>>,
    cycle: u64,
    build: Duration,
    /// Where the process was built, removed after it.
    _scratch: Scratch,
}

impl Cosim {
    /// Writes the design, builds it and starts it at power-up with all inputs zero. The design must be one that
    /// [`verilog::write`](crate::verilog::write) takes.
    ///
    /// Errors: [`Error::NoTool`]; [`Error::Tool`] if it does not take the Verilog; [`Error::NotTwoState`] at power-up.
    pub fn new(design: &Design, simulator: Simulator) -> Result<Self> {
        let start = Instant::now();
        let scratch = Scratch::new()?;
        let export = Export::write(design, &Default::default(), scratch.path())?;
        let probes = probes(design, &export.names);
        let process = harness(design, &export, &probes)?.start(simulator)?;
        let ports = (design.top().signals.iter()).filter_map(Port::of);
        let ports: Vec<Port> = ports.collect();
        let zero = |port: &Port| vec![0; port.width.div_ceil(64)];
        let index = |(number, probe): (usize, &Probe)| (canonical(&probe.path), number);
        let signal = |probe: &Probe| Signal {
            path: probe.path.clone(),
            width: probe.width,
            variants: probe.variants.clone(),
        };
        let mut cosim = Self {
            simulator,
            process: RefCell::new(process),
            values: ports.iter().map(zero).collect(),
            ports,
            index: probes.iter().enumerate().map(index).collect(),
            signals: probes.iter().map(signal).collect(),
            probes,
            seen: RefCell::new(None),
            cycle: 0,
            build: start.elapsed(),
            _scratch: scratch,
        };
        cosim.eval()?;
        Ok(cosim)
    }

    /// Time it took to write, build and start.
    pub fn build_time(&self) -> Duration {
        self.build
    }

    /// Sends an order and takes the outputs it is answered by.
    fn order(&mut self, order: &str) -> Result<()> {
        *self.seen.get_mut() = None;
        let answer = self.process.get_mut().ask(order)?;
        let mut texts = answer.split_whitespace();
        for (port, value) in self.ports.iter().zip(&mut self.values) {
            if port.direction == Direction::Out {
                let text = texts.next().unwrap_or_default();
                *value = words(text, port.width)
                    .ok_or_else(|| not_two_state(self.simulator, &port.name, text))?;
            }
        }
        Ok(())
    }

    /// Values of all probes.
    fn look(&self) -> Result<Vec<Vec<u64>>> {
        if let Some(seen) = &*self.seen.borrow() {
            return Ok(seen.clone());
        }
        let answer = self.process.borrow_mut().ask("2")?;
        let mut texts = answer.split_whitespace();
        let values = self.probes.iter().map(|probe| {
            let text = texts.next().unwrap_or_default();
            words(text, probe.width).ok_or_else(|| not_two_state(self.simulator, &probe.path, text))
        });
        let values: Vec<_> = values.collect::<Result<_>>()?;
        *self.seen.borrow_mut() = Some(values.clone());
        Ok(values)
    }

    fn find(&self, path: &str) -> Result<usize> {
        let found = self.index.get(&canonical(path));
        found.copied().ok_or_else(|| Error::NoSuchPath(path.into()))
    }

    fn unsupported<T>(&self, what: String) -> Result<T> {
        Err(Error::Unsupported {
            engine: self.simulator.name(),
            what,
        })
    }
}

fn not_two_state(simulator: Simulator, signal: &str, value: &str) -> Error {
    Error::NotTwoState {
        engine: simulator.name(),
        signal: signal.into(),
        value: value.into(),
    }
}

impl Engine for Cosim {
    fn name(&self) -> &'static str {
        self.simulator.name()
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn set(&mut self, port: PortId, new: &[u64]) -> Result<()> {
        let Some(found) = self.ports.get(port.position()) else {
            return Err(Error::NoSuchPort(format!("#{}", port.position())));
        };
        if found.direction == Direction::Out {
            return Err(Error::BadPort {
                port: found.name.clone(),
                reason: "is an output and cannot be set".into(),
            });
        }
        for (i, word) in self.values[port.position()].iter_mut().enumerate() {
            let mask = mask(found.width - 64 * i);
            *word = new.get(i).copied().unwrap_or(0) & mask;
        }
        Ok(())
    }

    fn get(&self, port: PortId, words: &mut [u64]) {
        words.fill(0);
        let value = self.values.get(port.position()).into_iter().flatten();
        words.iter_mut().zip(value).for_each(|(word, v)| *word = *v);
    }

    fn eval(&mut self) -> Result<()> {
        let mut order = String::from("0");
        for (port, value) in self.ports.iter().zip(&self.values) {
            if port.direction == Direction::In {
                order += &format!(" {}", hex(value));
            }
        }
        self.order(&order)
    }

    fn step(&mut self) -> Result<()> {
        self.eval()?;
        self.order("1")?;
        self.cycle += 1;
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    /// What the blocks inside put out, registers among them.
    fn signals(&self) -> &[Signal] {
        &self.signals
    }

    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        let number = self.find(path)?;
        Ok(self.look()?.swap_remove(number))
    }

    fn peek_many(&self, paths: &[&str]) -> Result<Vec<Vec<u64>>> {
        let values = self.look()?;
        let value = |path: &&str| self.find(path).map(|number| values[number].clone());
        paths.iter().map(value).collect()
    }

    fn poke(&mut self, path: &str, words: &[u64]) -> Result<()> {
        let number = self
            .find(path)
            .or_else(|_| self.find(&format!("{path}.q")))?;
        if !self.probes[number].register {
            return self.unsupported(format!("write '{path}': it is no register"));
        }
        *self.seen.get_mut() = None;
        let order = format!("3 {number:x} {}", hex(words));
        self.process.get_mut().ask(&order).map(|_| ())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::new(Box::new(()))
    }

    fn restore(&mut self, _snapshot: &Snapshot) -> Result<()> {
        self.unsupported("go back to a snapshot".into())
    }
}
