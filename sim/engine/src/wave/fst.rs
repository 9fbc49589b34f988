//! FST files, by crate `fst-writer`.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use fst_writer::{
    FstBodyWriter, FstFileType, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType, FstWriteError, open_fst,
};

use super::{Format, Scopes, WaveVar};

/// Bytes gathered before a section is written: what bounds the memory.
const SECTION: usize = 4 << 20;

/// A file being written.
pub(super) struct FstFile {
    out: Option<FstBodyWriter<BufWriter<File>>>,
    /// By position of the variable: its number, and the name of its value if it is an enum.
    ids: Vec<(FstSignalId, Option<FstSignalId>)>,
    clock: Option<FstSignalId>,
    digits: Vec<u8>,
}

fn failed(error: FstWriteError) -> io::Error {
    match error {
        FstWriteError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Characters of the longest name.
fn longest(var: &WaveVar) -> usize {
    var.variants.iter().map(String::len).max().unwrap_or(0)
}

impl FstFile {
    pub(super) fn create(path: &Path, vars: &[WaveVar]) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: concat!("xtq-engine ", env!("CARGO_PKG_VERSION")).into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut out = open_fst(path, &info).map_err(failed)?;
        let mut scopes = Scopes::new();
        let mut ids = Vec::new();
        let mut clock = None;
        for var in vars {
            let (here, name) = var.place();
            let (leave, enter) = scopes.enter(&here);
            (0..leave)
                .try_for_each(|_| out.up_scope())
                .map_err(failed)?;
            for name in enter {
                out.scope(name, "", FstScopeType::Module).map_err(failed)?;
            }
            let mut add = |name: &str, bits: usize, alias| {
                let bits = FstSignalType::bit_vec(bits as u32);
                let (wire, implicit) = (FstVarType::Wire, FstVarDirection::Implicit);
                out.var(name, bits, wire, implicit, alias).map_err(failed)
            };
            let id = add(name, var.width, clock.filter(|_| var.clock))?;
            if var.clock {
                clock = Some(id);
            }
            let text = match longest(var) {
                0 => None,
                letters => Some(add(&format!("{name}$text"), 8 * letters, None)?),
            };
            ids.push((id, text));
        }
        let (leave, _) = scopes.enter(&[]);
        (0..leave)
            .try_for_each(|_| out.up_scope())
            .map_err(failed)?;
        Ok(Self {
            out: Some(out.finish().map_err(failed)?),
            ids,
            clock,
            digits: Vec::new(),
        })
    }

    fn out(&mut self) -> io::Result<&mut FstBodyWriter<BufWriter<File>>> {
        let closed = || io::Error::other("the waveform is closed");
        self.out.as_mut().ok_or_else(closed)
    }

    fn write(&mut self, id: FstSignalId) -> io::Result<()> {
        let digits = std::mem::take(&mut self.digits);
        let result = self.out()?.signal_change(id, &digits).map_err(failed);
        self.digits = digits;
        result
    }
}

impl Format for FstFile {
    fn time(&mut self, time: u64) -> io::Result<()> {
        let out = self.out()?;
        if out.size() > SECTION {
            out.flush().map_err(failed)?;
        }
        out.time_change(time).map_err(failed)
    }

    fn change(&mut self, position: usize, var: &WaveVar, words: &[u64]) -> io::Result<()> {
        let (id, text) = self.ids[position];
        let bit = |i: usize| b'0' + (words[i / 64] >> (i % 64) & 1) as u8;
        self.digits.clear();
        self.digits.extend((0..var.width).rev().map(bit));
        self.write(id)?;
        let Some(text) = text else {
            return Ok(());
        };
        let number = words.first().copied().unwrap_or(0) as usize;
        let name = var.variants.get(number).map_or("", String::as_str);
        // The last character is the lowest byte; zero bytes stand before a short name.
        self.digits.clear();
        self.digits.resize(8 * (longest(var) - name.len()), b'0');
        let bits = |letter: u8| (0..8).rev().map(move |i| b'0' + (letter >> i & 1));
        self.digits.extend(name.bytes().flat_map(bits));
        self.write(text)
    }

    fn clock(&mut self, level: bool) -> io::Result<()> {
        let Some(clock) = self.clock else {
            return Ok(());
        };
        let digit = [b'0' + u8::from(level)];
        self.out()?.signal_change(clock, &digit).map_err(failed)
    }

    fn finish(&mut self, time: u64) -> io::Result<()> {
        let Some(mut out) = self.out.take() else {
            return Ok(());
        };
        out.time_change(time).map_err(failed)?;
        out.finish().map_err(failed).map(drop)
    }
}
