//! The file below an FST writer: a block is in it whole or not at all, at whatever moment the process is killed.
//!
//! The file is a list of blocks: a byte for the kind, eight for the length (of itself and the contents), the contents.
//! Crate `fst-writer` writes a block piece by piece and its length last; a reader of half a block takes the file for
//! none, or reads values where there are none. So a block is made in memory. While more are to come, the file ends with
//! a mark, the head of a block of kind "skip" and length 0, at which readers stop (the writer of GTKWave marks a block
//! under way in the same way). A block is added in this order:
//!
//! 1. its contents after the mark, and a mark after them: readers stop before;
//! 2. its length over that of the mark, which is first made longer than the file: a kill may come in the middle of a
//!    write, and readers stop wherever it does;
//! 3. its kind, a single byte.
//!
//! As long as the end time in the file's first block is 0, readers take it from the others; it is written when the last
//! block is there.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Kind and length of a block.
const HEAD: usize = 9;
/// Where readers stop: kind "skip", length 0.
const MARK: [u8; HEAD] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0];
/// The highest byte of a length that is used while a block is added: a terabyte.
const HUGE: usize = 3;
/// Bytes of the first block, the only one that changes later.
const FIRST: usize = 330;

/// A file of blocks. A clone is the same file: one is for `fst-writer`, which gives its own away only at the end.
pub(super) struct Blocks<F>(Arc<Mutex<State<F>>>);

struct State<F> {
    file: F,
    /// The file's first block.
    first: Vec<u8>,
    /// What comes next, and is not in the file.
    block: Vec<u8>,
    /// Where that begins.
    start: u64,
    /// Where the next byte is written.
    at: u64,
}

impl<F> Clone for Blocks<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F: Write + Seek> Blocks<F> {
    /// An empty file.
    pub(super) fn new(file: F) -> Self {
        Self(Arc::new(Mutex::new(State {
            file,
            first: Vec::new(),
            block: Vec::new(),
            start: 0,
            at: 0,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the file with what was written so far, the blocks that declare variables. Errors: it cannot be written.
    pub(super) fn begin(&self) -> io::Result<()> {
        let mut state = self.lock();
        let block = std::mem::take(&mut state.block);
        state.write_at(0, &[&block, &MARK[..]].concat())?;
        state.start = block.len() as u64;
        state.first = block;
        state.first.truncate(FIRST);
        Ok(())
    }

    /// Adds what was written since the last block; more are to come. Errors: it cannot be written, and is not in the
    /// file.
    pub(super) fn add(&self) -> io::Result<()> {
        self.lock().add(&MARK)
    }

    /// Adds the last block, and the changes in the first. Errors: they cannot be written.
    pub(super) fn end(&self) -> io::Result<()> {
        let mut state = self.lock();
        state.add(&[])?;
        let first = std::mem::take(&mut state.first);
        state.write_at(0, &first)
    }
}

impl<F: Write + Seek> State<F> {
    fn add(&mut self, after: &[u8]) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        let Some((head, contents)) = block.split_at_checked(HEAD) else {
            return Ok(());
        };
        let place = |byte: usize| self.start + byte as u64;
        let (huge, low, body) = (place(HUGE), place(HUGE + 1), place(HEAD));
        self.write_at(body, &[contents, after].concat())?;
        self.write_at(huge, &[1])?;
        self.write_at(low, &head[HUGE + 1..])?;
        self.write_at(huge, &[0])?;
        self.write_at(self.start, &head[..1])?;
        self.start += block.len() as u64;
        Ok(())
    }

    fn write_at(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(place))?;
        self.file.write_all(bytes)
    }
}

impl<F: Write + Seek> Write for Blocks<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let state = &mut *self.lock();
        let (buffer, from) = match state.at.checked_sub(state.start) {
            Some(from) => (&mut state.block, from as usize),
            None => (&mut state.first, state.at as usize),
        };
        let end = from + bytes.len();
        if state.at < state.start && end > buffer.len() {
            return Err(io::Error::other("only an FST file's first block changes"));
        }
        if end > buffer.len() {
            buffer.resize(end, 0);
        }
        buffer[from..end].copy_from_slice(bytes);
        state.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    /// Bytes reach the file block by block.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<F: Write + Seek> Seek for Blocks<F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let state = &mut *self.lock();
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => state.at.checked_add_signed(by),
            SeekFrom::End(by) => (state.start + state.block.len() as u64).checked_add_signed(by),
        };
        state.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(state.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fst_writer::{
        FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalType, FstVarDirection,
        FstVarType,
    };
    use std::io::Cursor;

    /// Where a byte is written, and which.
    type Written = Vec<(u64, u8)>;

    /// A file that remembers which byte was written where, in order.
    #[derive(Clone, Default)]
    struct Recorder(Arc<Mutex<(u64, Written)>>);

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (at, written) = &mut *self.0.lock().unwrap();
            written.extend((*at..).zip(bytes.iter().copied()));
            *at += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Recorder {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            let SeekFrom::Start(place) = to else {
                panic!("blocks are written at places from the start");
            };
            self.0.lock().unwrap().0 = place;
            Ok(place)
        }
    }

    /// Writes a file of so many sections of ten times each; how many bytes were written before the first.
    fn write(file: &Recorder, sections: u64) -> usize {
        let blocks = Blocks::new(file.clone());
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: "test".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut head = FstHeaderWriter::new(blocks.clone(), &info).unwrap();
        head.scope("top", "", FstScopeType::Module).unwrap();
        let bits = FstSignalType::bit_vec(64);
        let direction = FstVarDirection::Implicit;
        let number = head.var("number", bits, FstVarType::Wire, direction, None);
        let number = number.unwrap();
        head.up_scope().unwrap();
        let mut body = head.finish().unwrap();
        blocks.begin().unwrap();
        let head = file.0.lock().unwrap().1.len();
        for time in 0..10 * sections {
            if time > 0 && time % 10 == 0 {
                body.flush().unwrap();
                blocks.add().unwrap();
            }
            body.time_change(time).unwrap();
            body.signal_change(number, value(time).as_bytes()).unwrap();
        }
        body.finish().unwrap();
        blocks.end().unwrap();
        head
    }

    fn value(time: u64) -> String {
        format!("{:064b}", time.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Times and values, as wellen reads them.
    fn read(file: &[u8]) -> Vec<(u64, String)> {
        let file = Cursor::new(file.to_vec());
        let mut wave = wellen::simple::read_from_reader(file).unwrap();
        // Without a section wellen opens the file, but loads nothing.
        if wave.time_table().is_empty() {
            return Vec::new();
        }
        let number = wave.hierarchy().iter_vars().next().unwrap().signal_ref();
        wave.load_signals(&[number]);
        let changes = wave.get_signal(number).unwrap().iter_changes();
        let times = wave.time_table();
        let changes = changes.map(|(index, value)| {
            let value = value.to_bit_string().unwrap();
            (times[index as usize], value)
        });
        changes.collect()
    }

    // verilator/verilator#5498
    #[test]
    fn after_any_byte_written_the_file_has_whole_sections_and_can_be_read() {
        let recorder = Recorder::default();
        let head = write(&recorder, 4);
        let written = std::mem::take(&mut recorder.0.lock().unwrap().1);
        let (mut file, mut found) = (Vec::new(), vec![0]);
        for (number, &(place, byte)) in written.iter().enumerate() {
            let place = place as usize;
            file.resize(file.len().max(place + 1), 0);
            file[place] = byte;
            if number + 1 < head {
                continue;
            }
            let changes = read(&file);
            let expected = (0..changes.len() as u64).map(|time| (time, value(time)));
            assert!(changes.iter().cloned().eq(expected), "{changes:?}");
            if found.last() != Some(&changes.len()) {
                found.push(changes.len());
            }
        }
        assert_eq!(found, [0, 10, 20, 30, 40]);
    }
}
