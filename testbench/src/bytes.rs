//! Byte-addressed memory as the models see it.
//!
//! Models read and write through [`Bytes`] and so do not know whether a plain [`SparseMemory`] or an AXI memory with
//! late visibility is after it. What `read` returns is what a consumer may see *now*.

use std::collections::BTreeMap;

/// A 64-bit address space of bytes. Multi-byte values are little endian; addresses wrap at 2^64.
pub trait Bytes {
    /// Copies the visible bytes at `addr ..` into `out`.
    fn read(&self, addr: u64, out: &mut [u8]);

    /// Stores `data` at `addr ..`; a later `read` through the same object sees it.
    fn write(&mut self, addr: u64, data: &[u8]);

    /// The 64-bit word at `addr` (any alignment).
    fn read_u64(&self, addr: u64) -> u64 {
        let mut word = [0; 8];
        self.read(addr, &mut word);
        u64::from_le_bytes(word)
    }

    /// Stores a 64-bit word at `addr` (any alignment).
    fn write_u64(&mut self, addr: u64, value: u64) {
        self.write(addr, &value.to_le_bytes());
    }

    /// The 16-bit word at `addr` (any alignment).
    fn read_u16(&self, addr: u64) -> u16 {
        let mut word = [0; 2];
        self.read(addr, &mut word);
        u16::from_le_bytes(word)
    }

    /// Stores a 16-bit word at `addr` (any alignment).
    fn write_u16(&mut self, addr: u64, value: u16) {
        self.write(addr, &value.to_le_bytes());
    }
}

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory that costs only the 4 KiB pages that were written. Bytes never written read 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SparseMemory {
    /// Page number (address / 4096) to contents.
    #[serde(with = "crate::saved::bytes::pages")]
    pages: BTreeMap<u64, Box<[u8; PAGE]>>,
}

impl SparseMemory {
    /// An empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The written pages in address order: (address of the first byte, contents).
    pub fn pages(&self) -> impl Iterator<Item = (u64, &[u8; PAGE])> {
        self.pages
            .iter()
            .map(|(number, page)| (number * PAGE as u64, &**page))
    }
}

/// Page number, offset in that page, and how many of `wanted` bytes lie in it.
fn locate(addr: u64, wanted: usize) -> (u64, usize, usize) {
    let offset = (addr % PAGE as u64) as usize;
    (addr / PAGE as u64, offset, wanted.min(PAGE - offset))
}

impl Bytes for SparseMemory {
    fn read(&self, addr: u64, out: &mut [u8]) {
        let (mut addr, mut rest) = (addr, out);
        while !rest.is_empty() {
            let (number, offset, count) = locate(addr, rest.len());
            let (here, after) = rest.split_at_mut(count);
            match self.pages.get(&number) {
                Some(page) => here.copy_from_slice(&page[offset..offset + count]),
                None => here.fill(0),
            }
            rest = after;
            addr = addr.wrapping_add(count as u64);
        }
    }

    fn write(&mut self, addr: u64, data: &[u8]) {
        let (mut addr, mut rest) = (addr, data);
        while !rest.is_empty() {
            let (number, offset, count) = locate(addr, rest.len());
            let (here, after) = rest.split_at(count);
            let page = self
                .pages
                .entry(number)
                .or_insert_with(|| Box::new([0; PAGE]));
            page[offset..offset + count].copy_from_slice(here);
            rest = after;
            addr = addr.wrapping_add(count as u64);
        }
    }
}
