//! VCD files (IEEE 1364-2005, clause 18).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use vcd::{IdCode, TimescaleUnit, VarType};

use super::{Format, Scopes, WaveVar};

/// A file being written.
pub(super) struct VcdFile {
    out: vcd::Writer<BufWriter<File>>,
    /// By position of the variable; empty for clocks.
    ids: Vec<String>,
    clock: String,
    /// Changes of the current time.
    text: Vec<u8>,
    /// Nothing was written yet.
    first: bool,
}

impl VcdFile {
    pub(super) fn create(path: &Path, vars: &[WaveVar]) -> io::Result<Self> {
        let file = File::create(path)?;
        let mut out = vcd::Writer::new(BufWriter::with_capacity(1 << 16, file));
        out.version(concat!("xtq-engine ", env!("CARGO_PKG_VERSION")))?;
        out.timescale(1, TimescaleUnit::PS)?;
        let mut scopes = Scopes::new();
        let mut ids: Vec<String> = Vec::new();
        let mut clock: Option<IdCode> = None;
        for var in vars {
            let (here, name) = var.place();
            let (leave, enter) = scopes.enter(&here);
            (0..leave).try_for_each(|_| out.upscope())?;
            enter.iter().try_for_each(|name| out.add_module(name))?;
            if var.clock {
                match clock {
                    Some(id) => out.var_def(VarType::Wire, 1, id, name, None)?,
                    None => clock = Some(out.add_wire(1, name)?),
                }
                ids.push(String::new());
            } else if var.variants.is_empty() {
                ids.push(out.add_wire(var.width as u32, name)?.to_string());
            } else {
                ids.push(out.add_var(VarType::String, 1, name, None)?.to_string());
            }
        }
        let (leave, _) = scopes.enter(&[]);
        (0..leave).try_for_each(|_| out.upscope())?;
        out.enddefinitions()?;
        Ok(Self {
            out,
            ids,
            clock: clock.map_or_else(String::new, |id| id.to_string()),
            text: Vec::new(),
            first: true,
        })
    }

    /// Writes what has been gathered; the first time in a `$dumpvars` block.
    fn flush(&mut self) -> io::Result<()> {
        if self.first && !self.text.is_empty() {
            let head = self.text.iter().position(|byte| *byte == b'\n');
            self.text.extend(b"$end\n");
            let at = head.map_or(0, |at| at + 1);
            self.text.splice(at..at, *b"$dumpvars\n");
            self.first = false;
        }
        self.out.writer().write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl Format for VcdFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.flush()?;
        writeln!(self.text, "#{time}")
    }

    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let id = &self.ids[position];
        if !var.variants.is_empty() {
            let number = words.first().copied().unwrap_or(0) as usize;
            return match var.variants.get(number) {
                Some(name) => writeln!(self.text, "s{name} {id}"),
                None => writeln!(self.text, "s{number} {id}"),
            };
        }
        if var.width == 1 {
            return writeln!(self.text, "{}{id}", words[0]);
        }
        // Leading zeros may be left out.
        let top = words.iter().rposition(|word| *word != 0);
        let Some(top) = top else {
            return writeln!(self.text, "b0 {id}");
        };
        write!(self.text, "b{:b}", words[top])?;
        for word in words[..top].iter().rev() {
            write!(self.text, "{word:064b}")?;
        }
        writeln!(self.text, " {id}")
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        writeln!(self.text, "{}{}", u8::from(level), self.clock)
    }

    fn finish(&mut self, time: u64) -> io::Result<()> {
        self.flush()?;
        self.out.timestamp(time)?;
        self.out.flush()
    }
}
