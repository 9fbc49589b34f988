//! FST files, by crate `fst-writer`.
//!
//! The format keeps the changes of a while, variable by variable, in a section; so they are gathered until a section is
//! full. After each, everything so far is in the file. No part of a section is there before all of it ([`Blocks`]).

use std::fs::File;
use std::io;
use std::path::Path;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};

use super::blocks::Blocks;
use super::head::{Head, declare};
use super::{Format, VERSION, digits};
use crate::Direction;
use crate::base::WaveVar;

/// Bytes of changes gathered before a section is written: what bounds the memory.
const SECTION: usize = 4 << 20;

/// Bytes of the longest name that readers take.
const NAME: usize = 511;

type Out = Blocks<File>;

/// The file while variables are declared.
struct FstHead {
    out: FstHeaderWriter<Out>,
    vars: Vec<FstVar>,
    clock: Option<FstSignalId>,
}

/// A variable's number in the file.
#[derive(Clone, Copy)]
struct FstVar {
    id: FstSignalId,
    /// Of an enum: the variable with the name of the value, and its letters.
    label: Option<(FstSignalId, usize)>,
}

/// A file being written.
pub(super) struct FstFile {
    file: Out,
    out: FstBodyWriter<Out>,
    /// By position of the variable.
    vars: Vec<FstVar>,
    clock: Option<FstSignalId>,
    digits: Vec<u8>,
    /// Size of a section at which it is written.
    full: usize,
}

fn failed(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        error => io::Error::other(error),
    }
}

fn short(name: &str) -> io::Result<&str> {
    match name.len() {
        0..=NAME => Ok(name),
        length => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("FST has no names of {length} bytes: {name}"),
        )),
    }
}

impl FstHead {
    fn add(
        &mut self,
        name: &str,
        bits: usize,
        direction: FstVarDirection,
        alias: Option<FstSignalId>,
    ) -> io::Result<FstSignalId> {
        let bits = FstSignalType::bit_vec(bits as u32);
        let added = self
            .out
            .var(short(name)?, bits, FstVarType::Wire, direction, alias);
        added.map_err(failed)
    }
}

impl Head for FstHead {
    fn enter(&mut self, name: &str) -> io::Result<()> {
        let entered = self.out.scope(short(name)?, "", FstScopeType::Module);
        entered.map_err(failed)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.out.up_scope().map_err(failed)
    }

    fn var(&mut self, name: &str, var: &WaveVar) -> io::Result<()> {
        let direction = match var.direction {
            Some(Direction::In) => FstVarDirection::Input,
            Some(Direction::Out) => FstVarDirection::Output,
            None => FstVarDirection::Implicit,
        };
        let same = var.alias.map(|first| self.vars[first]);
        let alias = match var.clock {
            true => self.clock,
            false => same.map(|same| same.id),
        };
        let id = self.add(name, var.bits(), direction, alias)?;
        if var.clock {
            self.clock = Some(id);
        }
        let label = match var.longest_label() {
            Some(letters) => {
                let alias = same.and_then(|same| same.label).map(|(id, _)| id);
                let id = self.add(&format!("{name}$text"), 8 * letters, direction, alias)?;
                Some((id, letters))
            }
            None => None,
        };
        self.vars.push(FstVar { id, label });
        Ok(())
    }
}

impl FstFile {
    pub(super) fn create(path: &Path, vars: &[WaveVar]) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: VERSION.into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let file = Blocks::new(File::create(path)?);
        let mut head = FstHead {
            out: FstHeaderWriter::new(file.clone(), &info).map_err(failed)?,
            vars: Vec::new(),
            clock: None,
        };
        declare(&mut head, vars)?;
        let out = head.out.finish().map_err(failed)?;
        file.begin()?;
        Ok(Self {
            file,
            // An empty section has a size too, by the number of variables.
            full: out.size() + SECTION,
            out,
            vars: head.vars,
            clock: head.clock,
            digits: Vec::new(),
        })
    }
}

impl Format for FstFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        if self.out.size() > self.full {
            self.out.flush().map_err(failed)?;
            self.file.add()?;
        }
        self.out.time_change(time).map_err(failed)
    }

    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let FstVar { id, label } = self.vars[position];
        self.digits.clear();
        digits(&mut self.digits, words, var.bits());
        self.out.signal_change(id, &self.digits).map_err(failed)?;
        let Some((id, letters)) = label else {
            return Ok(());
        };
        let name = var.label(words.first().copied().unwrap_or(0));
        // The last character is the lowest byte; zero bytes stand before a short name.
        self.digits.clear();
        self.digits.resize(8 * (letters - name.len()), b'0');
        let bits = |letter: u8| (0..8).rev().map(move |i| b'0' + (letter >> i & 1));
        self.digits.extend(name.bytes().flat_map(bits));
        self.out.signal_change(id, &self.digits).map_err(failed)
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        let Some(clock) = self.clock else {
            return Ok(());
        };
        let digit = [b'0' + u8::from(level)];
        self.out.signal_change(clock, &digit).map_err(failed)
    }

    fn finish(mut self: Box<Self>, time: u64) -> io::Result<()> {
        self.out.time_change(time).map_err(failed)?;
        self.out.finish().map_err(failed)?;
        self.file.end()
    }
}
