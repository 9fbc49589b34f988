//! `Level`: a cache that knows which lines it holds, and nothing of their data.

use crate::system::{Cache, LINE};
use std::collections::HashMap;

/// A line: context and address divided by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line(u64);

impl Line {
    /// The line of a byte in the memory of a context.
    pub(crate) fn of(context: u8, address: u64) -> Self {
        Self((u64::from(context) << 58) | (address / LINE))
    }

    /// The lines of some bytes.
    pub(crate) fn all(context: u8, address: u64, bytes: u64) -> impl Iterator<Item = Self> {
        let last = address.saturating_add(bytes.saturating_sub(1)) / LINE;
        (address / LINE..=last).map(move |line| Self::of(context, line * LINE))
    }
}

/// Sets of lines, of which the one used longest ago makes room.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    sets: u64,
    ways: usize,
    /// By set, used last first.
    lines: HashMap<u64, Vec<Line>>,
}

impl Level {
    pub(crate) fn new(cache: &Cache) -> Self {
        Self {
            sets: (cache.bytes / LINE / u64::from(cache.ways)).max(1),
            ways: cache.ways as usize,
            lines: HashMap::new(),
        }
    }

    /// Uses a line, which it holds from then on; whether it did before.
    pub(crate) fn touch(&mut self, line: Line) -> bool {
        let ways = self.ways;
        let set = self.lines.entry(line.0 % self.sets).or_default();
        match set.iter().position(|known| *known == line) {
            Some(place) => {
                set[..=place].rotate_right(1);
                true
            }
            None => {
                set.truncate(ways - 1);
                set.insert(0, line);
                false
            }
        }
    }

    /// Gives a line up.
    pub(crate) fn drop_line(&mut self, line: Line) {
        if let Some(set) = self.lines.get_mut(&(line.0 % self.sets)) {
            set.retain(|known| *known != line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_full_set_the_line_used_longest_ago_goes() {
        let mut level = Level::new(&Cache {
            bytes: 2 * 4 * LINE,
            ways: 2,
            cycles: 1,
        });
        // Four sets: lines 0, 4 and 8 are of one.
        let line = |number: u64| Line::of(0, number * LINE);
        assert!(!level.touch(line(0)) && !level.touch(line(4)));
        assert!(level.touch(line(0)));
        assert!(!level.touch(line(8)), "it makes line 4 go");
        assert!(level.touch(line(0)) && !level.touch(line(4)));
        level.drop_line(line(4));
        assert!(!level.touch(line(4)));
        assert!(!level.touch(Line::of(1, 0)), "another context's");
    }

    #[test]
    fn bytes_that_cross_a_boundary_are_of_both_lines() {
        assert_eq!(Line::all(0, 60, 8).count(), 2);
        assert_eq!(Line::all(0, 64, 64).count(), 1);
        assert_eq!(Line::all(0, 64, 65).count(), 2);
    }
}
