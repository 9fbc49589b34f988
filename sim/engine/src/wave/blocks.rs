//! The file below an FST writer: a block is in it whole or not at all, at whatever moment the process is killed.
//!
//! The file is a list of blocks: a byte for the kind, eight for the length (of itself and the contents), the contents.
//! A reader of half a block takes the file for none, or reads values where there are none. So a block is made in memory
//! (`fst_section.rs`). While more are to come, the file ends with a mark, the head of a block of kind "skip" and length
//! 0, at which readers stop (the writer of GTKWave marks a block under way in the same way). A block is added in this
//! order:
//!
//! 1. its contents after the mark, and a mark after them: readers stop before;
//! 2. its length over that of the mark, which is first made longer than the file: a kill may come in the middle of a
//!    write, and readers stop wherever it does;
//! 3. its kind, a single byte.
//!
//! As long as the end time in the file's first block is 0, readers take it from the others; it is written when the last
//! block is there.

use std::io::{self, Seek, SeekFrom, Write};

use super::output::Target;

/// Kind and length of a block.
const HEAD: usize = 9;
/// Where readers stop: kind "skip", length 0.
const MARK: [u8; HEAD] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0];
/// The highest byte of a length that is used while a block is added: a terabyte.
const HUGE: usize = 3;
/// Bytes of the first block, the only one that changes later.
const FIRST: usize = 330;
/// Places in the first block: the end time, how many sections there are.
const END_TIME: usize = 17;
const SECTIONS: usize = 65;
/// Kind of a section.
const SECTION: u8 = 8;

/// A file of blocks.
pub(super) struct Blocks<F> {
    file: F,
    /// The file's first block.
    first: Vec<u8>,
    /// Where the next block begins.
    start: u64,
    /// How many blocks were added.
    sections: u64,
}

/// The blocks before the first section of a file: those that declare variables.
pub(super) fn head_of(mut file: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some((kind, rest)) = file.get(at..).and_then(<[u8]>::split_first)
        && *kind != SECTION
        && let Some(length) = rest.first_chunk()
    {
        at += 1 + u64::from_be_bytes(*length) as usize;
    }
    file.truncate(at);
    if let Some(count) = file.get_mut(SECTIONS..SECTIONS + 8) {
        count.fill(0);
    }
    file
}

impl<F: Write + Seek> Blocks<F> {
    /// Begins an empty file with the blocks that declare variables. Errors: they cannot be written.
    pub(super) fn begin(file: F, mut head: Vec<u8>) -> io::Result<Self> {
        let mut blocks = Self {
            file,
            first: Vec::new(),
            start: head.len() as u64,
            sections: 0,
        };
        blocks.write_at(0, &[&head, &MARK[..]].concat())?;
        head.truncate(FIRST);
        blocks.first = head;
        Ok(blocks)
    }

    /// Adds a block, and what comes after it.
    fn add_before(&mut self, block: &[u8], after: &[u8]) -> io::Result<()> {
        let Some((head, contents)) = block.split_at_checked(HEAD) else {
            return Ok(());
        };
        let place = |byte: usize| self.start + byte as u64;
        let (huge, low, body) = (place(HUGE), place(HUGE + 1), place(HEAD));
        let end = place(block.len());
        self.write_at(body, contents)?;
        self.write_at(end, after)?;
        self.write_at(huge, &[1])?;
        self.write_at(low, &head[HUGE + 1..])?;
        self.write_at(huge, &[0])?;
        self.write_at(self.start, &head[..1])?;
        (self.start, self.sections) = (end, self.sections + 1);
        Ok(())
    }

    fn write_at(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(place))?;
        self.file.write_all(bytes)
    }
}

impl<F: Write + Seek + Send + 'static> Target for Blocks<F> {
    /// Adds a block. Errors: it cannot be written, and is not in the file.
    fn add(&mut self, block: &[u8]) -> io::Result<()> {
        self.add_before(block, &MARK)
    }

    /// Adds the last block, and the changes in the first.
    fn end(&mut self, block: &[u8], time: u64) -> io::Result<()> {
        self.add_before(block, &[])?;
        let mut first = std::mem::take(&mut self.first);
        for (place, value) in [(END_TIME, time), (SECTIONS, self.sections)] {
            if let Some(old) = first.get_mut(place..place + 8) {
                old.copy_from_slice(&value.to_be_bytes());
            }
        }
        self.write_at(0, &first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fst_section::Section;
    use super::super::output::Piece;
    use super::*;
    use fst_writer::{
        FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalType, FstVarDirection,
        FstVarType,
    };
    use std::io::Cursor;
    use std::sync::{Arc, Mutex};

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
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -12,
            version: "test".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let mut head = FstHeaderWriter::new(Cursor::default(), &info).unwrap();
        head.scope("top", "", FstScopeType::Module).unwrap();
        let bits = FstSignalType::bit_vec(64);
        let direction = FstVarDirection::Implicit;
        let number = head.var("number", bits, FstVarType::Wire, direction, None);
        number.unwrap();
        head.up_scope().unwrap();
        let whole = head.finish().unwrap().finish().unwrap();
        let mut blocks = Blocks::begin(file.clone(), head_of(whole.into_inner())).unwrap();
        let head = file.0.lock().unwrap().1.len();
        let (mut section, mut piece) = (Section::new(&[64], 0), Piece::new(0));
        for time in 0..10 * sections {
            if time > 0 && time % 10 == 0 {
                section.write(&mut piece).unwrap();
                blocks.add(piece.bytes()).unwrap();
                piece.truncate(0);
            }
            section.time(time).unwrap();
            section.change(0, &[word(time)]);
        }
        section.write(&mut piece).unwrap();
        blocks.end(piece.bytes(), 10 * sections - 1).unwrap();
        head
    }

    fn word(time: u64) -> u64 {
        time.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn value(time: u64) -> String {
        format!("{:064b}", word(time))
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
