//! What the paths of an instance name.

use super::instance::Compiled;
use crate::base::canonical;
use crate::{Error, Result};

impl Compiled {
    /// First word and width of the memory's entry at a [`canonical`] path, if it is one.
    pub(super) fn entry(&self, wanted: &str) -> Option<(usize, usize)> {
        let (path, entry) = wanted.rsplit_once('$')?;
        let entry: usize = entry.parse().ok()?;
        let memories = self.body.netlist.memories.iter();
        let mut places = memories.zip(&self.body.plan.memories);
        let (memory, start) = places.find(|(memory, _)| canonical(&memory.path) == path)?;
        (entry < memory.depth).then_some((start + entry * memory.words, memory.width))
    }

    /// Position of the signal at `path`: number, lowest bit, width.
    pub(super) fn find(&self, path: &str) -> Result<(usize, usize, usize)> {
        let wanted = canonical(path);
        let unknown = || Error::NoSuchPath(path.into());
        let mut end = wanted.len();
        loop {
            if let Some(&number) = self.body.netlist.index.get(&wanted[..end]) {
                let signal = &self.body.netlist.signals[number];
                let rest = wanted[end..].trim_start_matches('$');
                if rest.is_empty() {
                    return Ok((number, 0, signal.width));
                }
                let (offset, width) =
                    crate::signals::field(&signal.fields, rest).ok_or_else(unknown)?;
                return Ok((number, offset, width));
            }
            end = wanted[..end].rfind('$').ok_or_else(unknown)?;
        }
    }

    /// The words of the register or of the memory's entry at `path`, and its width; none: it is neither.
    pub(super) fn writable(&self, path: &str) -> Option<(Vec<usize>, usize)> {
        let wanted = canonical(path);
        let registers = &self.body.netlist.registers;
        let register = registers.iter().find(|r| {
            let path = canonical(&r.name);
            path == wanted || path.strip_suffix("$q") == Some(&wanted)
        });
        match register {
            Some(register) => {
                let words = register.word as usize..;
                let places = words.take(register.width.div_ceil(64));
                let places: Vec<usize> = places.map(|word| self.body.plan.place[word]).collect();
                Some((places, register.width))
            }
            None => self.entry(&wanted).map(|(first, width)| {
                let places = (first..).take(width.div_ceil(64));
                (places.collect(), width)
            }),
        }
    }
}
