//! VCD files (IEEE 1364-2005, clause 18).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use vcd::{IdCode, TimescaleUnit, VarType};

use super::head::{Head, declare};
use super::{Format, VERSION, digits};
use crate::base::WaveVar;

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file being written.
pub(super) struct VcdFile {
    out: vcd::Writer<BufWriter<File>>,
    /// By position of the variable: its code, and that as text.
    ids: Vec<(IdCode, String)>,
    clock: Option<IdCode>,
    /// Changes of the current time.
    text: Vec<u8>,
    /// Nothing was written yet.
    first: bool,
}

impl VcdFile {
    pub(super) fn create(path: &Path, vars: &[WaveVar]) -> io::Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, File::create(path)?);
        let mut file = Self {
            out: vcd::Writer::new(file),
            ids: Vec::new(),
            clock: None,
            text: Vec::new(),
            first: true,
        };
        file.out.version(VERSION)?;
        file.out.timescale(1, TimescaleUnit::PS)?;
        declare(&mut file, vars)?;
        file.out.enddefinitions()?;
        // From now on it can be read.
        file.out.flush()?;
        Ok(file)
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

impl Head for VcdFile {
    fn enter(&mut self, name: &str) -> io::Result<()> {
        self.out.add_module(name)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.out.upscope()
    }

    fn var(&mut self, name: &str, var: &WaveVar) -> io::Result<()> {
        let known = match var.clock {
            true => self.clock,
            false => var.alias.map(|first| self.ids[first].0),
        };
        let (kind, bits) = match var.variants.is_empty() {
            true => (VarType::Wire, var.bits() as u32),
            false => (VarType::String, 1),
        };
        let id = match known {
            Some(id) => {
                self.out.var_def(kind, bits, id, name, None)?;
                id
            }
            None => self.out.add_var(kind, bits, name, None)?,
        };
        if var.clock {
            self.clock = Some(id);
        }
        self.ids.push((id, id.to_string()));
        Ok(())
    }
}

impl Format for VcdFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.flush()?;
        writeln!(self.text, "#{time}")
    }

    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let id = self.ids[position].1.as_bytes();
        let text = &mut self.text;
        if !var.variants.is_empty() {
            let number = words.first().copied().unwrap_or(0);
            text.push(b's');
            text.extend_from_slice(var.label(number).as_bytes());
            text.push(b' ');
        } else if var.bits() == 1 {
            digits(text, words, 1);
        } else {
            // Leading zeros may be left out.
            let top = words.iter().rposition(|word| *word != 0);
            let bits = top.map_or(1, |top| {
                64 * (top + 1) - words[top].leading_zeros() as usize
            });
            text.push(b'b');
            digits(text, words, bits);
            text.push(b' ');
        }
        text.extend_from_slice(id);
        text.push(b'\n');
        Ok(())
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        match self.clock {
            Some(id) => writeln!(self.text, "{}{id}", u8::from(level)),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, time: u64) -> io::Result<()> {
        self.flush()?;
        self.out.timestamp(time)?;
        self.out.flush()
    }
}
