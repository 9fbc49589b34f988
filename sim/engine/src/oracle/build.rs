//! From a block and closures on its fields to a checked [`Oracle`].

use std::cell::RefCell;

use rust_hdl::core::check_error::{CheckError, PathedName, check_all};
use rust_hdl::prelude::{AtomKind, Block};

use super::{Clock, Core, Drive, Oracle, Pin, Sample};
use crate::signals::SignalTable;
use crate::{Direction, Error, Port, Result};

/// Names the pins of a design. rust-hdl gives no untyped access to a signal, so each pin comes with a closure; widths
/// are taken from the design.
pub struct OracleBuilder<D> {
    design: Box<D>,
    clock: Option<Clock<D>>,
    pins: Vec<(String, Pin<D>)>,
}

impl<D: Block + Clone + Send + 'static> OracleBuilder<D> {
    pub(super) fn new(design: Box<D>) -> Self {
        Self {
            design,
            clock: None,
            pins: Vec::new(),
        }
    }

    /// The clock: `drive` sets it. A design without one is combinational and only counts cycles.
    pub fn clock(mut self, drive: impl Fn(&mut D, bool) + Send + 'static) -> Self {
        self.clock = Some(Box::new(drive));
        self
    }

    /// The input `name` (as in the exported Verilog): `drive` writes it from little-endian words.
    pub fn input(mut self, name: &str, drive: impl Fn(&mut D, &[u64]) + Send + 'static) -> Self {
        let drive: Drive<D> = Box::new(drive);
        self.pins.push((
            name.into(),
            Pin::In {
                drive,
                words: Vec::new(),
                changed: true,
            },
        ));
        self
    }

    /// The output `name` (as in the exported Verilog): `sample` fills the words, which are zero before the call.
    pub fn output(mut self, name: &str, sample: impl Fn(&D, &mut [u64]) + Send + 'static) -> Self {
        let sample: Sample<D> = Box::new(sample);
        self.pins.push((name.into(), Pin::Out(sample)));
        self
    }

    /// Connects the design, checks it and lets it settle with all inputs zero.
    ///
    /// The checks are rust-hdl's `check_all`: open inputs, inputs written from inside, and locals or outputs that a
    /// kernel reads before it writes them (rust-hdl calls the last one a logic loop; it looks into one kernel at a
    /// time, so it raises no false alarm and does not see a loop through several blocks). A loop through several
    /// blocks shows as [`Error::DoesNotSettle`] when it oscillates.
    ///
    /// Errors: [`Error::BadDesign`] for these and for an input of the top that has no pin; [`Error::NoSuchPort`] and
    /// [`Error::BadPort`] for a pin that the top does not have; [`Error::DoesNotSettle`].
    pub fn build(mut self) -> Result<Oracle<D>> {
        self.design.connect_all();
        check_all(self.design.as_ref()).map_err(describe)?;
        let signals = SignalTable::new(self.design.as_ref());
        let mut ports = Vec::new();
        let mut pins = Vec::new();
        for (name, mut pin) in self.pins {
            let signal = signals.top().iter().find(|signal| signal.name == name);
            let signal = signal.ok_or_else(|| Error::NoSuchPort(name.clone()))?;
            let width = signal.width;
            let bad = |reason: &str| Error::BadPort {
                port: name.clone(),
                reason: reason.into(),
            };
            let direction = match (&mut pin, signal.kind) {
                (Pin::In { words, .. }, AtomKind::InputParameter) => {
                    words.resize(width.div_ceil(64), 0);
                    Direction::In
                }
                (Pin::Out(_), AtomKind::OutputParameter) => Direction::Out,
                (Pin::In { .. }, _) => return Err(bad("is not an input of the top")),
                (Pin::Out(_), _) => return Err(bad("is not an output of the top")),
            };
            if ports.iter().any(|port: &Port| port.name == name) {
                return Err(bad("is given twice"));
            }
            ports.push(Port {
                name,
                width,
                direction,
            });
            pins.push(pin);
        }
        let inputs = signals
            .top()
            .iter()
            .filter(|signal| signal.kind == AtomKind::InputParameter);
        let open = inputs.filter(|s| {
            ports.iter().all(|p| p.name != s.name) && !(s.clock && self.clock.is_some())
        });
        let open: Vec<_> = open.map(|signal| signal.name.as_str()).collect();
        if !open.is_empty() {
            return Err(Error::BadDesign(format!(
                "inputs of the top without a pin: {}",
                open.join(", ")
            )));
        }
        let core = RefCell::new(Core {
            design: self.design,
            settled: false,
        });
        let mut oracle = Oracle {
            core,
            clock: self.clock,
            pins,
            ports,
            signals,
            cycle: 0,
            wave: None,
            values: Vec::new(),
        };
        crate::Engine::eval(&mut oracle)?;
        Ok(oracle)
    }
}

/// rust-hdl's verdict as an error that names every signal, in a fixed order.
fn describe(verdict: CheckError) -> Error {
    let (what, mut found): (_, Vec<PathedName>) = match verdict {
        CheckError::OpenSignal(map) => ("signals that nothing drives", map.into_values().collect()),
        CheckError::LogicLoops(list) => ("signals read before they are written", list),
        CheckError::WritesToInputs(list) => ("inputs written from inside", list),
    };
    let mut names: Vec<_> = found.drain(..).map(|s| dotted(&s)).collect();
    names.sort();
    names.dedup();
    Error::BadDesign(format!("{what}: {}", names.join(", ")))
}

/// `uut$child` and `signal` as `child.signal`.
fn dotted(signal: &PathedName) -> String {
    let scope = signal
        .path
        .strip_prefix("uut")
        .unwrap_or(&signal.path)
        .trim_start_matches('$');
    if scope.is_empty() {
        signal.name.clone()
    } else {
        format!("{}.{}", scope.replace('$', "."), signal.name)
    }
}
