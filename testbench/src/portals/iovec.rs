//! Lists of pieces as buffers, the option IOVEC (rules 1 of `docs/portals-model.md`): 16 bytes a piece, its address and
//! its length.

use super::memory::{Memory, NoMemory};

/// Bytes of a piece in its list.
const PIECE_BYTES: u64 = 16;

/// A buffer: one place, or the pieces of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    /// Address, of the list if it is one.
    pub(super) start: u64,
    /// It is a list.
    pub(super) iovec: bool,
}

impl Memory {
    /// A piece of a list: address and length.
    fn piece(&self, list: u64, number: u64) -> Result<(u64, u64), NoMemory> {
        let at = number.checked_mul(PIECE_BYTES).ok_or(NoMemory)?;
        let at = list.checked_add(at).ok_or(NoMemory)?;
        let bytes = self.read(at, PIECE_BYTES)?;
        let word = |from: usize| {
            let word = bytes[from..from + 8].iter().rev();
            word.fold(0, |all, byte| all << 8 | u64::from(*byte))
        };
        Ok((word(0), word(8)))
    }

    /// Bytes of all pieces of a list together; none if it cannot be read, or they are 2^64 or more.
    pub(super) fn bytes_of_list(&self, list: u64, pieces: u64) -> Option<u64> {
        (0..pieces).try_fold(0_u64, |sum, number| {
            let (_, length) = self.piece(list, number).ok()?;
            sum.checked_add(length)
        })
    }

    /// Address and length of what lies one after the other, of `length` bytes after the first `offset` of a buffer.
    pub(super) fn spans(
        &self,
        buffer: Buffer,
        mut offset: u64,
        mut length: u64,
    ) -> Result<Vec<(u64, u64)>, NoMemory> {
        if !buffer.iovec {
            return Ok(vec![(buffer.start.wrapping_add(offset), length)]);
        }
        let mut spans = Vec::new();
        let mut number = 0;
        while length > 0 {
            let (start, bytes) = self.piece(buffer.start, number)?;
            number += 1;
            if offset >= bytes {
                offset -= bytes;
                continue;
            }
            let some = (bytes - offset).min(length);
            spans.push((start.wrapping_add(offset), some));
            offset = 0;
            length -= some;
        }
        Ok(spans)
    }

    /// Bytes of a buffer.
    pub(super) fn gather(
        &self,
        buffer: Buffer,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, NoMemory> {
        let mut bytes = Vec::new();
        for (address, length) in self.spans(buffer, offset, length)? {
            bytes.extend_from_slice(self.read(address, length)?);
        }
        Ok(bytes)
    }

    /// Stores bytes in a buffer, one after the other; all or none.
    pub(super) fn scatter(
        &mut self,
        buffer: Buffer,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), NoMemory> {
        let spans = self.spans(buffer, offset, bytes.len() as u64)?;
        for (address, length) in &spans {
            self.read(*address, *length)?;
        }
        let mut left = bytes;
        for (address, length) in spans {
            let (these, behind) = left.split_at(length as usize);
            self.write(address, these)?;
            left = behind;
        }
        Ok(())
    }
}
