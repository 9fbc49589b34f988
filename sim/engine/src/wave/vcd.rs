//! VCD files (IEEE 1364-2005, clause 18).

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use vcd::{IdCode, TimescaleUnit, VarType};

use super::digits::{digits, length};
use super::head::{Head, declare};
use super::output::{Output, Piece, Target};
use super::{Format, VERSION};
use crate::base::WaveVar;

/// Bytes gathered before they are written, up to the next moment.
const PIECE: usize = 1 << 18;
/// How many such pieces there are.
const PIECES: usize = 4;

/// The file as its head declares it.
struct VcdHead {
    out: vcd::Writer<Vec<u8>>,
    /// By position of the variable.
    ids: Vec<IdCode>,
    clock: Option<IdCode>,
}

/// How a variable's changes are spelt.
struct VcdVar {
    /// Its code, after a blank unless it is a bit, and a line feed.
    end: Box<[u8]>,
    kind: Kind,
}

enum Kind {
    Bit,
    Bits,
    /// The variable, for the names of its values.
    Enum(Box<WaveVar>),
}

/// A file being written.
pub(super) struct VcdFile {
    output: Output,
    text: Piece,
    vars: Vec<VcdVar>,
    clock: Option<IdCode>,
    /// Nothing was written yet; then the first moment, which ends with a line of its own.
    moments: Moments,
}

enum Moments {
    None,
    First,
    More,
}

impl Head for VcdHead {
    fn enter(&mut self, name: &str) -> io::Result<()> {
        self.out.add_module(name)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.out.upscope()
    }

    fn var(&mut self, name: &str, var: &WaveVar) -> io::Result<()> {
        let known = match var.clock {
            true => self.clock,
            false => var.alias.map(|first| self.ids[first]),
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
        self.ids.push(id);
        Ok(())
    }
}

impl VcdVar {
    fn new(var: &WaveVar, id: IdCode) -> Self {
        let kind = match (var.variants.is_empty(), var.bits()) {
            (false, _) => Kind::Enum(Box::new(var.clone())),
            (true, 1) => Kind::Bit,
            (true, _) => Kind::Bits,
        };
        let end = match kind {
            Kind::Bit => format!("{id}\n"),
            _ => format!(" {id}\n"),
        };
        Self {
            end: end.into_bytes().into(),
            kind,
        }
    }

    /// Adds the line of a change.
    fn write(&self, words: &[u64], text: &mut Piece) {
        match &self.kind {
            Kind::Bit => digits(text.more(1), words),
            Kind::Bits => {
                text.add(b"b");
                // Leading zeros may be left out.
                digits(text.more(length(words)), words);
            }
            Kind::Enum(var) => {
                text.add(b"s");
                let number = words.first().copied().unwrap_or(0);
                text.add(var.label(number).as_bytes());
            }
        }
        text.add(&self.end);
    }
}

/// Bytes of a variable's longest line, with its share of the lines that are no variable's.
fn longest_line(var: &WaveVar) -> usize {
    64 + var.longest_label().unwrap_or(var.bits())
}

impl VcdFile {
    pub(super) fn create(
        path: &Path,
        vars: &[WaveVar],
        failed: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let mut file = File::create(path)?;
        let mut head = VcdHead {
            out: vcd::Writer::new(Vec::new()),
            ids: Vec::new(),
            clock: None,
        };
        head.out.version(VERSION)?;
        head.out.timescale(1, TimescaleUnit::PS)?;
        declare(&mut head, vars)?;
        head.out.enddefinitions()?;
        // From now on it can be read.
        let head_text = head.out.writer();
        file.write_all(head_text)?;
        let length = head_text.len();
        // A moment more fits, so a piece never grows.
        let room = PIECE + vars.iter().map(longest_line).sum::<usize>();
        let (output, text) = Output::start(Lines { file, length }, PIECES, room, failed)?;
        let ids = head.ids.iter().copied();
        Ok(Self {
            output,
            text,
            vars: vars
                .iter()
                .zip(ids)
                .map(|(v, id)| VcdVar::new(v, id))
                .collect(),
            clock: head.clock,
            moments: Moments::None,
        })
    }

    /// Ends the current time. What has been gathered ends there too: it may be the last that reaches the file.
    fn end_time(&mut self) -> io::Result<()> {
        if let Moments::First = self.moments {
            self.text.add(b"$end\n");
            self.moments = Moments::More;
        }
        match self.text.bytes().len() {
            0..PIECE => Ok(()),
            _ => self.output.add(&mut self.text),
        }
    }
}

impl Format for VcdFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.end_time()?;
        writeln!(self.text, "#{time}")?;
        if let Moments::None = self.moments {
            self.text.add(b"$dumpvars\n");
            self.moments = Moments::First;
        }
        Ok(())
    }

    fn change(&mut self, position: usize, words: &[u64]) -> io::Result<()> {
        self.vars[position].write(words, &mut self.text);
        Ok(())
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        match self.clock {
            Some(id) => writeln!(self.text, "{}{id}", u8::from(level)),
            None => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>, time: u64) -> io::Result<()> {
        self.end_time()?;
        writeln!(self.text, "#{time}")?;
        self.output.end(self.text, time)
    }

    fn give_up(self: Box<Self>) -> io::Result<()> {
        self.output.give_up()
    }
}

/// Bytes that the system writes whole, if they are of one page, even when the process is killed meanwhile.
const PAGE: usize = 4096;

/// A file of lines.
struct Lines {
    file: File,
    /// Bytes in it.
    length: usize,
}

impl Lines {
    /// Writes whole lines at a time, as far as they end in the same page: so that a file that is cut off by a kill ends
    /// with a whole line. A line that crosses pages is written alone, and could still be cut.
    fn write(&mut self, mut text: &[u8]) -> io::Result<()> {
        while !text.is_empty() {
            let room = PAGE - self.length % PAGE;
            let (first, rest) = text.split_at(whole_lines(text, room));
            self.file.write_all(first)?;
            self.length += first.len();
            text = rest;
        }
        Ok(())
    }
}

/// Bytes of the lines that end within the first `room` bytes; if none does, of the first line.
fn whole_lines(text: &[u8], room: usize) -> usize {
    let newline = |byte: &u8| *byte == b'\n';
    let near = &text[..room.min(text.len())];
    let end = near.iter().rposition(newline);
    let end = end.or_else(|| text.iter().position(newline));
    end.map_or(text.len(), |place| place + 1)
}

impl Target for Lines {
    fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.write(piece)
    }

    fn end(&mut self, piece: &[u8], _time: u64) -> io::Result<()> {
        self.write(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_cut_where_a_page_ends_and_long_ones_stay_whole() {
        let text = b"one\ntwo\nthree and more\nfour\n";
        for (room, bytes) in [(4, 4), (7, 4), (8, 8), (22, 8), (23, 23), (100, 28), (3, 4)] {
            assert_eq!(whole_lines(text, room), bytes, "{room}");
        }
        assert_eq!(whole_lines(b"no end", 3), 6);
    }

    fn var(width: usize, variants: &[&str]) -> WaveVar {
        WaveVar {
            path: "v".into(),
            width,
            variants: variants.iter().map(|name| name.to_string()).collect(),
            clock: false,
            direction: None,
            words: (0, width.div_ceil(64)),
            offset: 0,
            alias: None,
        }
    }

    /// The line, one character after the other.
    fn naive(var: &WaveVar, id: IdCode, bits: &[bool]) -> String {
        let text: String = bits
            .iter()
            .rev()
            .map(|bit| if *bit { '1' } else { '0' })
            .collect();
        match (var.width, text.trim_start_matches('0')) {
            (1, _) => format!("{text}{id}\n"),
            (_, "") => format!("b0 {id}\n"),
            (_, short) => format!("b{short} {id}\n"),
        }
    }

    proptest! {
        #[test]
        fn a_line_is_that_of_a_naive_formatter(
            bits in prop::collection::vec(any::<bool>(), 1..=200),
            zeros in 0..200usize,
            number in 0..100_000u64,
        ) {
            let mut bits = bits;
            // Values are often much smaller than their width.
            let from = bits.len().saturating_sub(zeros);
            bits[from..].fill(false);
            let mut words = vec![0; bits.len().div_ceil(64)];
            for (i, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
                words[i / 64] |= 1 << (i % 64);
            }
            let (var, id) = (var(bits.len(), &[]), IdCode::from(number));
            let mut text = Piece::new(0);
            VcdVar::new(&var, id).write(&words, &mut text);
            let written = String::from_utf8_lossy(text.bytes());
            prop_assert_eq!(written, naive(&var, id, &bits));
        }
    }

    #[test]
    fn an_enum_is_its_name_or_its_number() {
        let var = VcdVar::new(&var(2, &["Idle", "Busy"]), IdCode::FIRST);
        let mut text = Piece::new(0);
        [0, 1, 3]
            .iter()
            .for_each(|value| var.write(&[*value], &mut text));
        assert_eq!(text.bytes(), b"sIdle !\nsBusy !\ns3 !\n");
    }
}
