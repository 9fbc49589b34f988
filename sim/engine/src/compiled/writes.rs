//! The writes of memories at the end of a cycle.
//!
//! Few of them are enabled in a cycle, so their enables lie side by side, where the processor looks at many at once.

use super::plan::{Plan, Write};

/// Enables that are looked at together.
const TOGETHER: usize = 16;

impl Plan {
    /// Makes all enabled writes, in the order of the design, and marks who reads a memory that has changed.
    pub(super) fn write(&self, buffer: &mut [u64]) {
        if self.enables.is_empty() {
            self.writes.iter().for_each(|write| write.make(buffer));
            return;
        }
        let (mut from, end) = (self.enables.start, self.enables.end);
        while from < end {
            let to = end.min(from + TOGETHER);
            let any = buffer[from..to].iter().fold(0, |any, enable| any | enable);
            if any != 0 {
                let first = from - self.enables.start;
                for write in &self.writes[first..first + to - from] {
                    write.make(buffer);
                }
            }
            from = to;
        }
    }
}

impl Write {
    #[inline]
    fn make(&self, buffer: &mut [u64]) {
        if buffer[self.enable] == 0 {
            return;
        }
        let entry = self.memory + (buffer[self.addr] as usize & self.last) * self.words.len();
        let mut differs = 0;
        for (word, (data, mask)) in (entry..).zip(&self.words) {
            let (old, mask) = (buffer[word], buffer[*mask]);
            let new = (old & !mask) | (buffer[*data] & mask);
            differs |= new ^ old;
            buffer[word] = new;
        }
        if differs != 0 {
            let marks = self.marks.iter();
            marks.for_each(|mark| buffer[mark.word] |= mark.bits);
        }
    }
}
