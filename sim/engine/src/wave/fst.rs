//! FST files: what is declared by crate `fst-writer`, what changes in sections of our own.
//!
//! The format keeps the changes of a while, variable by variable, in a section ([`Section`]); they are gathered until
//! it is full. After each, everything so far is in the file. No part of a section is there before all of it
//! ([`Blocks`]).

use std::fs::File;
use std::io::{self, Cursor};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fst_writer::{
    FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};

use super::blocks::{Blocks, head_of};
use super::fst_section::Section;
use super::head::{Head, declare};
use super::output::{Output, Piece};
use super::{Format, VERSION};
use crate::Direction;
use crate::base::WaveVar;

/// Bytes of changes gathered before a section is written: what bounds the memory.
const SECTION: usize = 3 << 20;
/// Sections in memory: one is made while the other is written.
const SECTIONS: usize = 2;

/// Bytes of the longest name that readers take.
const NAME: usize = 511;

/// The file while variables are declared.
struct FstHead {
    out: FstHeaderWriter<Cursor<Vec<u8>>>,
    vars: Vec<FstVar>,
    clock: Option<Number>,
    /// Bits of each variable that is no alias.
    widths: Vec<u32>,
}

/// A variable's number in the file: that of the crate, and the place among those that are no alias.
type Number = (FstSignalId, usize);

/// A variable in the file.
struct FstVar {
    number: Number,
    /// Of an enum: the variable with the name of the value.
    label: Option<Number>,
}

/// The variable with the names of an enum's values.
struct Label {
    place: usize,
    letters: usize,
    /// The enum.
    var: WaveVar,
    /// By value.
    names: Vec<Vec<u64>>,
}

/// A file being written.
pub(super) struct FstFile {
    output: Output,
    /// Takes the next section.
    piece: Piece,
    section: Section,
    /// By position of the variable: its place, and its label's.
    vars: Vec<(usize, Option<Box<Label>>)>,
    clock: Option<usize>,
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
        alias: Option<Number>,
    ) -> io::Result<Number> {
        let kind = FstSignalType::bit_vec(bits as u32);
        let id = alias.map(|(id, _)| id);
        let added = self
            .out
            .var(short(name)?, kind, FstVarType::Wire, direction, id);
        let id = added.map_err(failed)?;
        Ok(alias.unwrap_or_else(|| {
            self.widths.push(bits as u32);
            (id, self.widths.len() - 1)
        }))
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
        let same = var.alias.map(|first| &self.vars[first]);
        let same_label = same.and_then(|same| same.label);
        let alias = match var.clock {
            true => self.clock,
            false => same.map(|same| same.number),
        };
        let number = self.add(name, var.bits(), direction, alias)?;
        if var.clock {
            self.clock = Some(number);
        }
        let label = match var.longest_label() {
            Some(letters) => {
                let name = format!("{name}$text");
                Some(self.add(&name, 8 * letters, direction, same_label)?)
            }
            None => None,
        };
        self.vars.push(FstVar { number, label });
        Ok(())
    }
}

impl Label {
    fn new(var: &WaveVar, place: usize) -> Self {
        let letters = var.longest_label().unwrap_or(0);
        let names = var.variants.iter();
        Self {
            place,
            letters,
            names: names.map(|name| ascii(name, letters)).collect(),
            var: var.clone(),
        }
    }

    /// Adds the name of a value.
    fn change(&self, value: u64, section: &mut Section) {
        let known = usize::try_from(value).ok().and_then(|n| self.names.get(n));
        match known {
            Some(name) => section.change(self.place, name),
            None => section.change(self.place, &ascii(&self.var.label(value), self.letters)),
        }
    }
}

/// A name as a number: the last character is the lowest byte; zero bytes stand before a short name.
fn ascii(name: &str, letters: usize) -> Vec<u64> {
    let mut words = vec![0; letters.div_ceil(8)];
    for (place, letter) in name.bytes().rev().take(letters).enumerate() {
        words[place / 8] |= u64::from(letter) << (8 * (place % 8));
    }
    words
}

impl FstFile {
    pub(super) fn create(
        path: &Path,
        vars: &[WaveVar],
        failed_flag: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: VERSION.into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let file = File::create(path)?;
        let out = FstHeaderWriter::new(Cursor::default(), &info);
        let mut head = FstHead {
            out: out.map_err(failed)?,
            vars: Vec::new(),
            clock: None,
            widths: Vec::new(),
        };
        declare(&mut head, vars)?;
        // The crate gives what it wrote only with a section.
        let whole = head.out.finish().and_then(|body| body.finish());
        let whole = whole.map_err(failed)?.into_inner();
        let target = Blocks::begin(file, head_of(whole))?;
        let section = Section::new(&head.widths, SECTION);
        let bits: usize = head.widths.iter().map(|bits| *bits as usize).sum();
        // Chains that cannot be compressed, the frame, places of chains.
        let room = SECTION / 4 * 5 + bits + 16 * head.widths.len();
        let (output, piece) = Output::start(target, SECTIONS, room, failed_flag)?;
        let var = |(var, own): (&WaveVar, FstVar)| {
            let label = own.label.filter(|_| var.alias.is_none());
            let label = label.map(|(_, place)| Box::new(Label::new(var, place)));
            (own.number.1, label)
        };
        Ok(Self {
            output,
            piece,
            section,
            vars: vars.iter().zip(head.vars).map(var).collect(),
            clock: head.clock.map(|(_, place)| place),
        })
    }
}

impl Format for FstFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        if self.section.size() > SECTION {
            self.section.write(&mut self.piece)?;
            self.output.add(&mut self.piece)?;
        }
        self.section.time(time)
    }

    fn change(&mut self, position: usize, words: &[u64]) -> io::Result<()> {
        let (place, label) = &self.vars[position];
        self.section.change(*place, words);
        if let Some(label) = label {
            label.change(words.first().copied().unwrap_or(0), &mut self.section);
        }
        Ok(())
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        if let Some(clock) = self.clock {
            self.section.change(clock, &[u64::from(level)]);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, time: u64) -> io::Result<()> {
        self.section.time(time)?;
        self.section.write(&mut self.piece)?;
        self.output.end(self.piece, time)
    }

    fn give_up(self: Box<Self>) -> io::Result<()> {
        self.output.give_up()
    }
}
