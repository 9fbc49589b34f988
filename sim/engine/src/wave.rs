//! Waveforms: VCD by scope and by window of cycles, streamed to disk.
//!
//! Memory is bounded by the design: one value per shown signal, to write only changes, and one buffer of the file.
//! Structs become one variable a field, enums are VCD strings with the name of the variant, and all clocks are one
//! variable under several names, for there is one clock. Names are those of the exported Verilog.
//!
//! Cycle `n` lasts from `n * period` to `(n + 1) * period`. Its signals stand from the start, the values that the
//! rising edge at its end will see; the clock is high in the first half. Cycle 0 has no edge at its start.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use rust_hdl::prelude::{Atom, AtomKind, Block, TypeDescriptor, TypeKind, VCDValue};
use vcd::{IdCode, TimescaleUnit, VarType};

use crate::signals::{Position, SignalTable, canonical, is_clock, walk};
use crate::{Error, Result};

/// Name of the outermost scope in the file.
const TOP: &str = "top";

/// What to show, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveOptions {
    /// The file, overwritten if it exists.
    pub path: PathBuf,
    /// Only the block, array, interface or signal of this path (`child.sub`) and what is inside; default: everything.
    /// A leading `top.`, as viewers show it, is accepted.
    pub scope: Option<String>,
    /// First cycle shown; default: the current one.
    pub from: Option<u64>,
    /// Last cycle shown; default: the last one that runs.
    pub to: Option<u64>,
    /// Length of a cycle in picoseconds, at least 2; default: 1000 (1 GHz).
    pub period_ps: u64,
}

impl WaveOptions {
    /// Everything, from now on, at 1 GHz.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            scope: None,
            from: None,
            to: None,
            period_ps: 1000,
        }
    }
}

/// The variables of one signal.
enum Vars {
    /// Not shown.
    Hidden,
    /// A clock: drawn, not sampled.
    Clock,
    /// A number or an enum.
    One(IdCode),
    /// A struct.
    Fields(Vec<Vars>),
}

/// A waveform being written.
pub(crate) struct Wave {
    out: vcd::Writer<BufWriter<File>>,
    options: WaveOptions,
    /// By the atom's number in the order of the walk.
    vars: Vec<Vars>,
    /// Last values written, like `vars`.
    last: Vec<Option<VCDValue>>,
    clock: Option<IdCode>,
    /// Lowest cycle that may be written next: time never goes back, even if the engine does.
    next: u64,
    started: bool,
}

impl Wave {
    /// Creates the file and writes its head. Errors: [`Error::NoSuchPath`] for the scope, [`Error::EmptyWindow`],
    /// [`Error::Wave`].
    pub(crate) fn create(
        options: WaveOptions,
        signals: &SignalTable,
        design: &dyn Block,
    ) -> Result<Self> {
        let (from, to) = (options.from.unwrap_or(0), options.to.unwrap_or(u64::MAX));
        if from > to {
            return Err(Error::EmptyWindow { from, to });
        }
        let scope = options.scope.as_deref().unwrap_or_default();
        let scope = canonical(if scope == TOP {
            ""
        } else {
            scope.strip_prefix("top.").unwrap_or(scope)
        });
        if !signals
            .list()
            .iter()
            .any(|signal| inside(&scope, &canonical(&signal.path)))
        {
            return Err(Error::NoSuchPath(options.scope.unwrap_or_default()));
        }
        let failed = |source| wave_error(&options, source);
        let file = File::create(&options.path).map_err(failed)?;
        let mut out = vcd::Writer::new(BufWriter::with_capacity(1 << 16, file));
        let mut head = Head {
            out: &mut out,
            open: Vec::new(),
            vars: Vec::new(),
            clock: None,
        };
        head.write(&scope, design).map_err(failed)?;
        let Head { vars, clock, .. } = head;
        let last = vars.iter().map(|_| None).collect();
        Ok(Self {
            out,
            options,
            vars,
            last,
            clock,
            next: from,
            started: false,
        })
    }

    /// Writes the cycle `cycle` of the settled `design`, if it is in the window.
    pub(crate) fn sample(&mut self, design: &dyn Block, cycle: u64) -> Result<()> {
        if cycle < self.next || self.options.to.is_some_and(|to| cycle > to) {
            return Ok(());
        }
        let mut text = Vec::new();
        walk(design, |_, i, _, signal| {
            let seen = signal.kind() == AtomKind::Constant && self.last[i].is_some();
            if seen || matches!(self.vars[i], Vars::Hidden | Vars::Clock) {
                return;
            }
            let value = signal.vcd();
            write_change(&mut text, &self.vars[i], self.last[i].as_ref(), &value);
            self.last[i] = Some(value);
        });
        let time = cycle.saturating_mul(self.period());
        if let Some(id) = self.clock {
            text.extend(format!("{}{id}\n", u8::from(cycle > 0)).bytes());
        }
        if !self.started {
            text.splice(0..0, *b"$dumpvars\n");
            text.extend(b"$end\n");
        }
        if !text.is_empty() {
            text.splice(0..0, format!("#{time}\n").bytes());
        }
        if let (Some(id), true) = (self.clock, cycle > 0) {
            text.extend(format!("#{}\n0{id}\n", time.saturating_add(self.period() / 2)).bytes());
        }
        (self.started, self.next) = (true, cycle + 1);
        self.out
            .writer()
            .write_all(&text)
            .map_err(|source| wave_error(&self.options, source))
    }

    /// Ends the last cycle and flushes the file.
    pub(crate) fn finish(mut self) -> Result<()> {
        let end = if self.started { self.next } else { 0 }.saturating_mul(self.period());
        self.out
            .timestamp(end)
            .and_then(|()| self.out.flush())
            .map_err(|source| wave_error(&self.options, source))
    }

    fn period(&self) -> u64 {
        self.options.period_ps.max(2)
    }
}

fn wave_error(options: &WaveOptions, source: io::Error) -> Error {
    Error::Wave {
        path: options.path.display().to_string(),
        source,
    }
}

/// Whether the signal at `path` is `scope` or inside it; both [`canonical`].
fn inside(scope: &str, path: &str) -> bool {
    let rest = path.strip_prefix(scope);
    rest.is_some_and(|rest| scope.is_empty() || rest.is_empty() || rest.starts_with('$'))
}

/// Writes the declarations and remembers the variables of every signal.
struct Head<'a> {
    out: &'a mut vcd::Writer<BufWriter<File>>,
    /// Scopes opened and not yet closed.
    open: Vec<String>,
    vars: Vec<Vars>,
    clock: Option<IdCode>,
}

impl Head<'_> {
    fn write(&mut self, scope: &str, design: &dyn Block) -> io::Result<()> {
        self.out
            .version(concat!("xtq-engine ", env!("CARGO_PKG_VERSION")))?;
        self.out.timescale(1, TimescaleUnit::PS)?;
        let mut result = Ok(());
        walk(design, |position, _, name, signal| {
            if result.is_ok() && inside(scope, &canonical(&position.path(name))) {
                result = self.show(position, name, signal);
            } else {
                self.vars.push(Vars::Hidden);
            }
        });
        result?;
        self.close_to(0)?;
        self.out.enddefinitions()
    }

    fn show(&mut self, position: &Position, name: &str, signal: &dyn Atom) -> io::Result<()> {
        self.open_scopes(position)?;
        let vars = self.declare(&position.local(name), &signal.descriptor())?;
        self.vars.push(vars);
        Ok(())
    }

    /// Opens the scopes of the current block, and only those. A walk never comes back to a block it has left.
    fn open_scopes(&mut self, position: &Position) -> io::Result<()> {
        let here: Vec<&str> = [TOP]
            .into_iter()
            .chain(position.scope().iter().map(String::as_str))
            .collect();
        let common = self
            .open
            .iter()
            .zip(&here)
            .take_while(|(open, here)| open == here)
            .count();
        self.close_to(common)?;
        for name in &here[common..] {
            self.out.add_module(name)?;
            self.open.push((*name).into());
        }
        Ok(())
    }

    fn close_to(&mut self, depth: usize) -> io::Result<()> {
        while self.open.len() > depth {
            self.open.pop();
            self.out.upscope()?;
        }
        Ok(())
    }

    fn declare(&mut self, name: &str, kind: &TypeDescriptor) -> io::Result<Vars> {
        if is_clock(kind) {
            match self.clock {
                Some(id) => self.out.var_def(VarType::Wire, 1, id, name, None)?,
                None => self.clock = Some(self.out.add_wire(1, name)?),
            }
            return Ok(Vars::Clock);
        }
        Ok(match &kind.kind {
            TypeKind::Bits(width) | TypeKind::Signed(width) => {
                Vars::One(self.out.add_wire(*width as u32, name)?)
            }
            TypeKind::Enum(_) => Vars::One(self.out.add_var(VarType::String, 1, name, None)?),
            TypeKind::Composite(fields) => {
                let mut vars = Vec::new();
                for field in fields {
                    vars.push(self.declare(&format!("{name}${}", field.fieldname), &field.kind)?);
                }
                Vars::Fields(vars)
            }
        })
    }
}

/// Appends to `text` what differs between `last` and `value`.
fn write_change(text: &mut Vec<u8>, vars: &Vars, last: Option<&VCDValue>, value: &VCDValue) {
    if last == Some(value) {
        return;
    }
    match (vars, value) {
        (Vars::Fields(vars), VCDValue::Composite(values)) => {
            for (i, (vars, value)) in vars.iter().zip(values).enumerate() {
                let last = match last {
                    Some(VCDValue::Composite(last)) => last.get(i).map(Box::as_ref),
                    _ => None,
                };
                write_change(text, vars, last, value);
            }
        }
        (Vars::One(id), VCDValue::Single(bit)) => text.extend(format!("{bit}{id}\n").bytes()),
        (Vars::One(id), VCDValue::Vector(bits)) if bits.len() == 1 => {
            text.extend(format!("{}{id}\n", bits[0]).bytes())
        }
        (Vars::One(id), VCDValue::Vector(bits)) => {
            // Indexed by rust-hdl's four values, in its order; leading zeros may be left out.
            let digits = bits.iter().map(|bit| b"01xz"[*bit as usize]);
            text.push(b'b');
            let start = text.len();
            text.extend(digits.skip_while(|digit| *digit == b'0'));
            if text.len() == start {
                text.push(b'0');
            }
            text.extend(format!(" {id}\n").bytes());
        }
        (Vars::One(id), VCDValue::String(name)) => text.extend(format!("s{name} {id}\n").bytes()),
        _ => {}
    }
}
