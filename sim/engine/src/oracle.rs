//! [`Oracle`]: rust-hdl's own update loop as an engine, the truth every other engine is compared with.
//!
//! **Idea.** A pass is `update_all()`: every kernel runs once, then every signal takes its next value. Passes are
//! repeated until one changes nothing. No threads, no channels, no copies of the design.
//!
//! **One settling a cycle.** The textbook cycle settles three times: after the inputs, after the rising and after the
//! falling edge. Here the clock is high for exactly one pass and the rest of that settling is left to the next
//! [`eval`](Engine::eval), together with the new inputs. This is exact. rust-hdl moves every `In` down one level a
//! pass, so the rising edge, sent one pass ahead of everything else, stays ahead at every register, however deep, and
//! each register samples the data of the cycle that ends. It holds for one clock that goes down the tree through `In`
//! signals and for storage on the rising edge: the rules of `rtl/`. A value that is read between
//! [`step`](Engine::step) and `eval` is settled on demand with the inputs of the last `eval`.

use std::cell::RefCell;

use rust_hdl::prelude::Block;

use crate::signals::{self, SignalTable};
use crate::wave::{Wave, WaveOptions};
use crate::{Engine, Error, Port, PortId, Result, Signal, Snapshot};

mod build;
pub use build::OracleBuilder;

/// Passes after which the logic is reported not to settle. A pass moves a value one block on, so this is far above any
/// honest depth.
const MAX_PASSES: u32 = 1000;

type Clock<D> = Box<dyn Fn(&mut D, bool) + Send>;
type Drive<D> = Box<dyn Fn(&mut D, &[u64]) + Send>;
type Sample<D> = Box<dyn Fn(&D, &mut [u64]) + Send>;

/// What a port leads to.
enum Pin<D> {
    /// `words` is what the testbench asked for, `changed` says that the design has not seen it yet.
    In {
        drive: Drive<D>,
        words: Vec<u64>,
        changed: bool,
    },
    Out(Sample<D>),
}

/// The design between two calls.
#[derive(Clone)]
struct Core<D> {
    design: Box<D>,
    settled: bool,
}

/// What a [`Snapshot`] of this engine holds.
struct Saved<D> {
    core: Core<D>,
    cycle: u64,
    /// Per port; empty for outputs.
    inputs: Vec<Vec<u64>>,
}

/// rust-hdl's update loop as an engine. `D` is the top block.
///
/// ```
/// use rust_hdl::prelude::*;
/// use xtq_engine::{Engine, Oracle};
///
/// #[derive(LogicBlock, Default, Clone)]
/// struct Inverter {
///     a: Signal<In, Bit>,
///     y: Signal<Out, Bit>,
/// }
/// impl Logic for Inverter {
///     #[hdl_gen]
///     fn update(&mut self) {
///         self.y.next = !self.a.val();
///     }
/// }
///
/// let mut engine = Oracle::builder(Inverter::default())
///     .input("a", |d, words| d.a.next = words[0] & 1 == 1)
///     .output("y", |d, words| words[0] = d.y.val().into())
///     .build()?;
/// let (a, y) = (engine.port("a")?, engine.port("y")?);
/// engine.set(a, &[1])?;
/// engine.eval()?;
/// let mut words = [0];
/// engine.get(y, &mut words);
/// assert_eq!(words, [0]);
/// # Ok::<(), xtq_engine::Error>(())
/// ```
pub struct Oracle<D> {
    core: RefCell<Core<D>>,
    clock: Option<Clock<D>>,
    pins: Vec<Pin<D>>,
    ports: Vec<Port>,
    signals: SignalTable,
    cycle: u64,
    wave: Option<Wave>,
    /// Words of all signals, while a waveform is written.
    values: Vec<u64>,
}

impl<D: Block> Core<D> {
    /// Repeats passes until one changes nothing.
    fn settle(&mut self, cycle: u64) -> Result<()> {
        if self.settled {
            return Ok(());
        }
        for _ in 0..MAX_PASSES {
            self.design.update_all();
            if !self.design.has_changed() {
                self.settled = true;
                return Ok(());
            }
        }
        Err(Error::DoesNotSettle {
            cycle,
            passes: MAX_PASSES,
        })
    }
}

impl<D: Block + Clone + Send + 'static> Oracle<D> {
    /// Starts to describe the pins of `design` (the block or a box of it; large blocks should be boxed from the start).
    pub fn builder(design: impl Into<Box<D>>) -> OracleBuilder<D> {
        OracleBuilder::new(design.into())
    }

    /// The design, settled, for assertions on things that have no path.
    pub fn with_design<R>(&self, look: impl FnOnce(&D) -> R) -> Result<R> {
        let mut core = self.core.borrow_mut();
        core.settle(self.cycle)?;
        Ok(look(&core.design))
    }

    /// Adds the current cycle to the waveform. Errors: the logic does not settle.
    fn sample_wave(&mut self) -> Result<()> {
        let Some(mut wave) = self.wave.take() else {
            return Ok(());
        };
        let core = self.core.get_mut();
        core.settle(self.cycle)?;
        if wave.wants(self.cycle) {
            let design = core.design.as_ref();
            self.signals.values(design, &mut self.values);
            wave.sample(&self.values, None, self.cycle);
        }
        self.wave = Some(wave);
        Ok(())
    }
}

impl<D: Block + Clone + Send + 'static> Engine for Oracle<D> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn set(&mut self, port: PortId, new: &[u64]) -> Result<()> {
        let Some(Port { name, width, .. }) = self.ports.get(port.position()) else {
            return Err(Error::NoSuchPort(format!("#{}", port.position())));
        };
        let Pin::In { words, changed, .. } = &mut self.pins[port.position()] else {
            return Err(Error::BadPort {
                port: name.clone(),
                reason: "is an output and cannot be set".into(),
            });
        };
        for (i, word) in words.iter_mut().enumerate() {
            let used = (width - 64 * i).min(64);
            let value = new.get(i).copied().unwrap_or(0) & (u64::MAX >> (64 - used));
            *changed |= *word != value;
            *word = value;
        }
        Ok(())
    }

    fn get(&self, port: PortId, words: &mut [u64]) {
        words.fill(0);
        match self.pins.get(port.position()) {
            Some(Pin::In { words: driven, .. }) => {
                words
                    .iter_mut()
                    .zip(driven)
                    .for_each(|(word, value)| *word = *value);
            }
            Some(Pin::Out(sample)) => {
                let mut core = self.core.borrow_mut();
                // A failure is not lost: the design stays unsettled and the next `eval` reports it.
                let _ = core.settle(self.cycle);
                sample(&core.design, words);
            }
            None => {}
        }
    }

    fn eval(&mut self) -> Result<()> {
        let core = self.core.get_mut();
        for pin in &mut self.pins {
            if let Pin::In {
                drive,
                words,
                changed,
            } = pin
                && *changed
            {
                drive(&mut core.design, words);
                *changed = false;
                core.settled = false;
            }
        }
        core.settle(self.cycle)
    }

    fn step(&mut self) -> Result<()> {
        self.eval()?;
        self.sample_wave()?;
        let core = self.core.get_mut();
        if let Some(clock) = &self.clock {
            clock(&mut core.design, true);
            core.design.update_all();
            clock(&mut core.design, false);
            core.settled = false;
        }
        self.cycle += 1;
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn signals(&self) -> &[Signal] {
        self.signals.list()
    }

    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        let place = self.signals.find(path)?;
        let mut core = self.core.borrow_mut();
        core.settle(self.cycle)?;
        Ok(signals::read(core.design.as_ref(), place))
    }

    fn peek_many(&self, paths: &[&str]) -> Result<Vec<Vec<u64>>> {
        let places: Vec<_> = paths
            .iter()
            .map(|path| self.signals.find(path))
            .collect::<Result<_>>()?;
        let mut core = self.core.borrow_mut();
        core.settle(self.cycle)?;
        Ok(signals::read_many(core.design.as_ref(), &places))
    }

    fn poke(&mut self, path: &str, _words: &[u64]) -> Result<()> {
        self.signals.find(path)?;
        Err(Error::Unsupported {
            engine: self.name(),
            what: format!("write '{path}': rust-hdl gives no write access"),
        })
    }

    fn snapshot(&self) -> Snapshot {
        let inputs = self.pins.iter().map(|pin| match pin {
            Pin::In { words, .. } => words.clone(),
            Pin::Out(_) => Vec::new(),
        });
        Snapshot::new(Box::new(Saved {
            core: self.core.borrow().clone(),
            cycle: self.cycle,
            inputs: inputs.collect(),
        }))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let foreign = || Error::Unsupported {
            engine: "oracle",
            what: "restore a snapshot of another design".into(),
        };
        let saved = snapshot
            .state()
            .downcast_ref::<Saved<D>>()
            .ok_or_else(foreign)?;
        if saved.inputs.len() != self.pins.len() {
            return Err(foreign());
        }
        *self.core.get_mut() = saved.core.clone();
        self.cycle = saved.cycle;
        for (pin, saved) in self.pins.iter_mut().zip(&saved.inputs) {
            if let Pin::In { words, changed, .. } = pin {
                words.clone_from(saved);
                // Driving a value twice changes nothing, so the exact flag need not be kept.
                *changed = true;
            }
        }
        Ok(())
    }

    fn attach_wave(&mut self, options: WaveOptions) -> Result<()> {
        self.finish_wave()?;
        let shown = self.signals.vars().iter();
        let shown = shown.filter(|var| options.shows(&var.path)).cloned();
        let shown = shown.collect();
        self.wave = Some(Wave::create(options, shown)?);
        Ok(())
    }

    fn finish_wave(&mut self) -> Result<()> {
        self.sample_wave()?;
        self.wave.take().map_or(Ok(()), Wave::finish)
    }
}
