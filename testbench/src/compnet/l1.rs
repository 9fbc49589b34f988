//! `L1`: a private, non-coherent cache.
//!
//! Nobody else's writes reach it: what it holds may be old until an acquire drops it. Lines carry data, so that a
//! program that forgets an acquire really reads the old value. True LRU. Bytes written but not yet sent on are marked
//! one by one, so that writing a line back does not undo what others wrote beside them.

use super::access::{Line, line_of};
use crate::bus::LINE_BYTES;

/// A line that had to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evicted {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub data: Line,
    /// Which of them were written here and not sent on: bit *i* is byte *i*; 0 for a clean line.
    pub dirty: u64,
}

/// A private cache.
#[derive(Clone, Debug)]
pub struct L1 {
    /// Lines of each set, the one used last at the end.
    sets: Vec<Vec<Evicted>>,
    ways: usize,
}

impl L1 {
    /// An empty cache of `bytes` bytes and `ways` ways; both at least one line.
    pub fn new(bytes: u64, ways: usize) -> Self {
        let ways = ways.max(1);
        let sets = (bytes / LINE_BYTES / ways as u64).max(1);
        Self {
            sets: vec![Vec::new(); sets as usize],
            ways,
        }
    }

    fn set(&mut self, address: u64) -> &mut Vec<Evicted> {
        let sets = self.sets.len() as u64;
        &mut self.sets[(address / LINE_BYTES % sets) as usize]
    }

    /// The line of `address`, if it is here; it is now the one used last.
    pub fn find(&mut self, address: u64) -> Option<&mut Evicted> {
        let wanted = line_of(address);
        let set = self.set(address);
        let position = set.iter().position(|line| line.address == wanted)?;
        let line = set.remove(position);
        set.push(line);
        set.last_mut()
    }

    /// Puts a clean line in, as it came from the L2; the line that had to go, if it has bytes to send on. A line that
    /// is already here stays as it is.
    pub fn fill(&mut self, address: u64, data: Line) -> Option<Evicted> {
        if self.find(address).is_some() {
            return None;
        }
        let ways = self.ways;
        let set = self.set(address);
        let evicted = (set.len() == ways).then(|| set.remove(0));
        set.push(Evicted {
            address: line_of(address),
            data,
            dirty: 0,
        });
        evicted.filter(|line| line.dirty != 0)
    }

    /// Writes bytes of a line, if it is here, and marks them if they are not sent on (`keep`); whether it is here.
    pub fn write(&mut self, address: u64, data: &Line, strobes: u64, keep: bool) -> bool {
        let Some(line) = self.find(address) else {
            return false;
        };
        for (i, byte) in data.iter().enumerate() {
            if strobes >> i & 1 == 1 {
                line.data[i] = *byte;
            }
        }
        if keep {
            line.dirty |= strobes;
        }
        true
    }

    /// Forgets the clean lines at which `drops` holds; a line with bytes that are not sent on stays, so that no write
    /// is lost.
    pub fn acquire(&mut self, drops: impl Fn(u64) -> bool) {
        for set in &mut self.sets {
            set.retain(|line| line.dirty != 0 || !drops(line.address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ways, two sets.
    fn small() -> L1 {
        L1::new(4 * LINE_BYTES, 2)
    }

    #[test]
    fn the_line_that_was_not_used_longest_goes() {
        let mut cache = small();
        assert_eq!(cache.fill(0, [1; 64]), None);
        assert_eq!(cache.fill(128, [2; 64]), None);
        assert_eq!(cache.fill(64, [9; 64]), None, "another set");
        assert!(cache.find(0).is_some());
        assert_eq!(cache.fill(256, [3; 64]), None, "clean lines just go");
        assert!(cache.find(128).is_none());
        assert!(cache.find(0).is_some() && cache.find(64).is_some());
    }

    #[test]
    fn written_bytes_are_kept_until_the_line_goes_and_only_those_are_marked() {
        let mut cache = small();
        let _ = cache.fill(0, [1; 64]);
        assert!(cache.write(3, &[7; 64], 0b1000, true));
        assert!(!cache.write(64, &[7; 64], 1, true), "not here");
        let _ = cache.fill(128, [0; 64]);
        let gone = cache.fill(256, [0; 64]).unwrap();
        assert_eq!((gone.address, gone.dirty, gone.data[3]), (0, 0b1000, 7));
        assert_eq!(gone.data[2], 1);
    }

    #[test]
    fn an_acquire_drops_what_it_is_for_but_loses_no_write() {
        let mut cache = small();
        let _ = cache.fill(0, [1; 64]);
        let _ = cache.fill(64, [2; 64]);
        let _ = cache.fill(128, [3; 64]);
        assert!(cache.write(0, &[7; 64], 1, true));
        cache.acquire(|address| address < 128);
        assert!(cache.find(0).is_some(), "dirty");
        assert!(cache.find(64).is_none());
        assert!(cache.find(128).is_some(), "not for this one");
    }
}
