//! Reads files into a [`Trace`]: finds the format, unpacks zstd, puts the calls of all files into one order.

use crate::call::{Format, MOST_RANKS, Place, Trace};
use crate::error::{TraceError, TraceFault};
use crate::formats::{Allprof, Csv, Dumpi, Lines, Sink, detect};
use ruzstd::decoding::StreamingDecoder;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most bytes of a line.
const MOST_LINE: u64 = 1 << 20;

/// Called now and then with the bytes of the files that were read, and those that there are.
pub type Progress<'a> = dyn Fn(u64, u64) + 'a;

/// Reads files and folders, each file of a folder. All are of one format, which is found by their first line; files
/// whose names end in `.zst` are unpacked. A file of a format that has one for each rank names its rank by the last
/// number of its name: `dumpi-0003.txt` is of rank 3.
///
/// Errors: a file cannot be read; a line is wrong, with file, line and rank; files do not belong together.
pub fn read(paths: &[PathBuf], progress: &Progress) -> Result<Trace, TraceError> {
    let files = files(paths)?;
    let sizes = files.iter().map(|file| size(file));
    let total = sizes.sum::<Result<u64, _>>()?;
    let mut sink = Sink::default();
    let mut format = None;
    let mut present = BTreeSet::new();
    let mut done = 0;
    let mut names = vec![];
    for (number, file) in files.iter().enumerate() {
        let name = file.display().to_string();
        let one = OneFile {
            name: &name,
            number: number as u32,
        };
        let input = File::open(file).map_err(|source| io_error(&name, source))?;
        let mut read_here = 0;
        let (found, rank) = one.read(input, &mut sink, &mut |bytes| {
            read_here = bytes;
            progress(done + bytes, total);
        })?;
        if format.is_some_and(|format| format != found) {
            return Err(TraceError::Files(format!(
                "{name} is {}, the files before it are not; a trace has one format",
                found.name()
            )));
        }
        format = Some(found);
        if let Some(rank) = rank
            && !present.insert(rank)
        {
            return Err(TraceError::Files(format!(
                "{name}: a second file of rank {rank}"
            )));
        }
        done += read_here;
        names.push(name);
    }
    let format = format.ok_or_else(|| TraceError::Files("no files to read".into()))?;
    progress(total, total);
    Ok(sink.finish(format, names, present))
}

/// Reads one file that is in memory, `name` with the ending of the file.
///
/// Errors: as of [`read`].
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Trace, TraceError> {
    let mut sink = Sink::default();
    let one = OneFile { name, number: 0 };
    let (format, rank) = one.read(bytes, &mut sink, &mut |_| {})?;
    let present = rank.into_iter().collect();
    Ok(sink.finish(format, vec![name.into()], present))
}

/// The files of these paths; those of a folder by name.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TraceError> {
    let mut files = vec![];
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let failed = |source| io_error(&path.display().to_string(), source);
        let mut inside = vec![];
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?.path();
            if entry.is_file() {
                inside.push(entry);
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

fn size(file: &Path) -> Result<u64, TraceError> {
    let metadata = fs::metadata(file);
    let name = file.display().to_string();
    Ok(metadata.map_err(|source| io_error(&name, source))?.len())
}

fn io_error(file: &str, source: io::Error) -> TraceError {
    let file = file.into();
    TraceError::Io { file, source }
}

/// A reader that counts.
struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + bytes as u64);
        Ok(bytes)
    }
}

struct OneFile<'a> {
    name: &'a str,
    number: u32,
}

impl OneFile<'_> {
    /// Gives the format, and the rank if the whole file is of one.
    fn read(
        &self,
        inner: impl Read,
        sink: &mut Sink,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(Format, Option<u32>), TraceError> {
        let bytes = Rc::new(Cell::new(0));
        let counted = Counted {
            inner,
            bytes: bytes.clone(),
        };
        let mut input = self.unpacked(counted)?;
        let mut reader: Option<Box<dyn Lines>> = None;
        let mut line = vec![];
        let mut number = 0;
        loop {
            line.clear();
            let mut limited = input.by_ref().take(MOST_LINE);
            let got = limited.read_until(b'\n', &mut line);
            let got = got.map_err(|source| io_error(self.name, source))?;
            if got == 0 {
                break;
            }
            number += 1;
            sink.place = Place {
                file: self.number,
                line: number,
            };
            let fault = |rank, what: String| TraceFault {
                file: self.name.into(),
                line: number,
                rank,
                what,
            };
            if got as u64 == MOST_LINE {
                return Err(fault(None, "a line of more than 1 MiB".into()).into());
            }
            let text = str::from_utf8(&line);
            let text = text.map_err(|_| fault(None, "not text (UTF-8)".into()))?;
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let reader = match &mut reader {
                Some(reader) => reader,
                None => reader.insert(self.reader(text).map_err(|what| fault(None, what))?),
            };
            let done = reader.line(text, sink);
            done.map_err(|what| fault(reader.rank(), what))?;
            if number % 4096 == 0 {
                progress(bytes.get());
            }
        }
        progress(bytes.get());
        let Some(mut reader) = reader else {
            return Err(TraceError::Files(format!(
                "{}: the file is empty",
                self.name
            )));
        };
        let rank = reader.rank();
        reader.end(sink).map_err(|what| TraceFault {
            file: self.name.into(),
            line: number,
            rank,
            what,
        })?;
        let whole = reader.format() != Format::Csv;
        Ok((reader.format(), rank.filter(|_| whole)))
    }

    fn unpacked<'i>(&self, input: impl Read + 'i) -> Result<Box<dyn BufRead + 'i>, TraceError> {
        if !self.name.ends_with(".zst") {
            return Ok(Box::new(BufReader::new(input)));
        }
        let damaged = |what: String| io_error(self.name, io::Error::other(what));
        let decoder = StreamingDecoder::new(input);
        let decoder = decoder.map_err(|error| damaged(format!("no zstd data: {error}")))?;
        Ok(Box::new(BufReader::new(decoder)))
    }

    /// The reader of the format whose first line this is.
    fn reader(&self, first: &str) -> Result<Box<dyn Lines>, String> {
        let format = detect(first).ok_or(
            "neither CSV (t_ns,rank,op,peer,tag,comm,bytes), nor DUMPI text, nor liballprof",
        )?;
        Ok(match format {
            Format::Csv => Box::new(Csv::default()),
            Format::Dumpi => Box::new(Dumpi::new(self.rank()?)),
            Format::Allprof => Box::new(Allprof::new(self.rank()?)),
        })
    }

    /// The last number of the file's name, without extensions.
    fn rank(&self) -> Result<u32, String> {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        let name = name.trim_end_matches(".zst");
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let digits = stem.rsplit(|c: char| !c.is_ascii_digit());
        let digits = digits.into_iter().find(|part| !part.is_empty());
        let rank = digits.and_then(|digits| digits.parse().ok());
        rank.filter(|rank| *rank < MOST_RANKS).ok_or_else(|| {
            format!("the name of a file of one rank ends in its number below {MOST_RANKS}, as dumpi-0003.txt")
        })
    }
}

impl Sink {
    fn finish(self, format: Format, files: Vec<String>, present: BTreeSet<u32>) -> Trace {
        let mut calls = self.calls;
        // Stable: what has the same time keeps the order of the files.
        calls.sort_by_key(|call| call.time_ns);
        let present = if present.is_empty() {
            calls.iter().map(|call| call.rank).collect()
        } else {
            present
        };
        let last = present.last().copied().into_iter();
        let ranks = last.chain(self.highest).max().map_or(0, |rank| rank + 1);
        Trace {
            format,
            files,
            ranks,
            present,
            calls,
            others: self.others,
            left_out: self.left_out,
        }
    }
}
