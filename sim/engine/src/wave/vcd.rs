//! VCD files (IEEE 1364-2005, clause 18).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use vcd::{IdCode, TimescaleUnit, VarType};

use super::head::{Head, WaveVar, declare};
use super::{Format, VERSION};

/// Bytes gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file being written.
pub(super) struct VcdFile {
    out: vcd::Writer<BufWriter<File>>,
    /// By position of the variable.
    ids: Vec<String>,
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
        let id = match self.clock {
            Some(id) if var.clock => {
                self.out.var_def(VarType::Wire, 1, id, name, None)?;
                id
            }
            _ if var.variants.is_empty() => self.out.add_wire(var.bits() as u32, name)?,
            _ => self.out.add_var(VarType::String, 1, name, None)?,
        };
        if var.clock {
            self.clock = Some(id);
        }
        self.ids.push(id.to_string());
        Ok(())
    }
}

/// Adds the lowest `count` bits of a word; many times faster than `{:b}`, and wide signals are most of a file.
fn bits(text: &mut Vec<u8>, word: u64, count: u32) {
    text.extend((0..count).rev().map(|bit| b'0' + (word >> bit & 1) as u8));
}

impl Format for VcdFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.flush()?;
        writeln!(self.text, "#{time}")
    }

    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let id = &self.ids[position];
        if !var.variants.is_empty() {
            let number = words.first().copied().unwrap_or(0);
            return writeln!(self.text, "s{} {id}", var.label(number));
        }
        if var.bits() == 1 {
            let bit = words.first().copied().unwrap_or(0);
            return writeln!(self.text, "{bit}{id}");
        }
        // Leading zeros may be left out.
        let top = words.iter().rposition(|word| *word != 0);
        let Some(top) = top else {
            return writeln!(self.text, "b0 {id}");
        };
        self.text.push(b'b');
        bits(&mut self.text, words[top], 64 - words[top].leading_zeros());
        for word in words[..top].iter().rev() {
            bits(&mut self.text, *word, 64);
        }
        writeln!(self.text, " {id}")
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
