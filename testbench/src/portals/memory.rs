//! Memory of a node: pieces that exist, and nothing between them.

use std::collections::BTreeMap;

/// Memory that is not there (SEGV; rules 1 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

/// Pieces of memory by address, all zero at first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pieces: BTreeMap<u64, Vec<u8>>,
}

impl Memory {
    /// Pieces of so many bytes at these addresses.
    pub fn new(pieces: &[(u64, usize)]) -> Self {
        let pieces = pieces
            .iter()
            .map(|(start, length)| (*start, vec![0; *length]));
        Self {
            pieces: pieces.collect(),
        }
    }

    /// The pieces by address.
    pub fn pieces(&self) -> &BTreeMap<u64, Vec<u8>> {
        &self.pieces
    }

    /// The pieces by address, to be changed.
    pub(super) fn pieces_mut(&mut self) -> impl Iterator<Item = (&u64, &mut Vec<u8>)> {
        self.pieces.iter_mut()
    }

    /// Start of the piece that has these bytes, and the first one's place in it.
    fn place(&self, address: u64, length: usize) -> Option<(u64, usize)> {
        let (start, piece) = self.pieces.range(..=address).next_back()?;
        let from = usize::try_from(address - start).ok()?;
        let to = from.checked_add(length)?;
        (to <= piece.len()).then_some((*start, from))
    }

    /// The bytes there, which must lie in one piece. No bytes are everywhere.
    pub fn read(&self, address: u64, length: u64) -> Result<&[u8], NoMemory> {
        let length = usize::try_from(length).map_err(|_| NoMemory)?;
        if length == 0 {
            return Ok(&[]);
        }
        let (start, from) = self.place(address, length).ok_or(NoMemory)?;
        Ok(&self.pieces[&start][from..from + length])
    }

    /// Stores bytes; all or none.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), NoMemory> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (start, from) = self.place(address, bytes.len()).ok_or(NoMemory)?;
        let piece = self.pieces.get_mut(&start).ok_or(NoMemory)?;
        piece[from..from + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    /// One line for each run of bytes that are not as expected, and for each piece that only one of them has.
    pub(super) fn differences(&self, got: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        let shape = |memory: &Self| -> Vec<(u64, usize)> {
            let pieces = memory.pieces.iter();
            pieces.map(|(start, piece)| (*start, piece.len())).collect()
        };
        if shape(self) != shape(got) {
            let (expected, got) = (shape(self), shape(got));
            return vec![format!("memory: expected pieces {expected:?}, got {got:?}")];
        }
        for ((start, expected), got) in self.pieces.iter().zip(got.pieces.values()) {
            let mut from = 0;
            while let Some(first) = (from..got.len()).find(|at| expected[*at] != got[*at]) {
                let same = |at: &usize| expected[*at] == got[*at];
                from = (first..got.len()).find(same).unwrap_or(got.len());
                let (address, run) = (start + first as u64, first..from);
                lines.push(format!(
                    "memory[{address:#x}]: expected {:02x?}, got {:02x?}",
                    &expected[run.clone()],
                    &got[run]
                ));
            }
        }
        lines
    }
}
