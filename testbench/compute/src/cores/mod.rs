//! `Cores`: the caches of a node's host, and what an access costs.
//!
//! **Recency.** A core finds a line where it used it last, unless others have taken the place: table I's sizes and
//! ways, the line used longest ago goes. What another core of the host wrote last is in the third level. What another
//! *device* wrote last is in memory only: devices share no cache (XTQ, section V-A).
//!
//! **Cost.** Lines of one access come side by side, as many as the core has under way at once, level after level.

mod level;

use level::Level;
pub(crate) use level::Line;

use crate::system::{Cpu, Memory};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Context of the one process of a node.
pub(crate) const CONTEXT: u8 = 0;

/// Where lines were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) l1: u64,
    pub(crate) l2: u64,
    pub(crate) l3: u64,
    pub(crate) memory: u64,
}

/// The host's caches.
#[derive(Clone, Debug)]
pub(crate) struct Cores {
    cpu: Cpu,
    memory: Memory,
    own: Vec<[Level; 2]>,
    /// Whether each core has a program.
    taken: Vec<bool>,
    shared: Level,
    rng: ChaCha8Rng,
}

impl Cores {
    pub(crate) fn new(cpu: &Cpu, memory: &Memory, seed: u64) -> Self {
        Self {
            cpu: cpu.clone(),
            memory: memory.clone(),
            own: Vec::new(),
            taken: Vec::new(),
            shared: Level::new(&cpu.l3),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Gives a program a core: its number. `None`: all have one.
    pub(crate) fn begin(&mut self) -> Option<usize> {
        if let Some(core) = self.taken.iter().position(|taken| !taken) {
            self.taken[core] = true;
            return Some(core);
        }
        if self.own.len() as u64 >= u64::from(self.cpu.cores) {
            return None;
        }
        let levels = [Level::new(&self.cpu.l1), Level::new(&self.cpu.l2)];
        self.own.push(levels);
        self.taken.push(true);
        Some(self.own.len() - 1)
    }

    /// The program of a core has ended.
    pub(crate) fn end(&mut self, core: usize) {
        self.taken[core] = false;
    }

    /// A core uses lines, which it has in its caches from then on.
    pub(crate) fn touch(&mut self, core: usize, lines: impl Iterator<Item = Line>) -> Found {
        let mut found = Found::default();
        let [l1, l2] = &mut self.own[core];
        for line in lines {
            // All levels take note.
            let here = [l1.touch(line), l2.touch(line), self.shared.touch(line)];
            let count = match here {
                [true, _, _] => &mut found.l1,
                [_, true, _] => &mut found.l2,
                [_, _, true] => &mut found.l3,
                _ => &mut found.memory,
            };
            *count += 1;
        }
        found
    }

    /// A core has written a line: the others must fetch it again.
    pub(crate) fn own(&mut self, core: usize, line: Line) {
        let others = self.own.iter_mut().enumerate();
        for (_, levels) in others.filter(|(number, _)| *number != core) {
            levels.iter_mut().for_each(|level| level.drop_line(line));
        }
    }

    /// Another device has written a line.
    pub(crate) fn outdate(&mut self, line: Line) {
        self.own
            .iter_mut()
            .flatten()
            .for_each(|level| level.drop_line(line));
        self.shared.drop_line(line);
    }

    /// An access to memory on average, ns.
    pub(crate) fn memory_latency_ns(&self) -> f64 {
        self.memory.latency_ns
    }

    /// An access to memory, ns: drawn.
    pub(crate) fn memory_ns(&mut self) -> f64 {
        let Memory {
            latency_ns,
            spread_ns,
            ..
        } = self.memory;
        latency_ns + self.rng.random_range(-1.0..=1.0) * spread_ns
    }

    /// Time of an access to these lines, ns, without what memory's bandwidth adds.
    pub(crate) fn access_ns(&mut self, found: Found) -> f64 {
        let misses = u64::from(self.cpu.misses);
        let rounds = |lines: u64| lines.div_ceil(misses) as f64;
        let Cpu { l1, l2, l3, .. } = &self.cpu;
        let cycles = rounds(found.l1) * f64::from(l1.cycles)
            + rounds(found.l2) * f64::from(l2.cycles)
            + rounds(found.l3) * f64::from(l3.cycles);
        let memory = match found.memory {
            0 => 0.0,
            lines => rounds(lines) * self.memory_ns(),
        };
        cycles * self.cpu.cycle_ns() + memory
    }

    /// Bytes a ns that `cores` of them get from memory with all their misses under way.
    pub(crate) fn stream_rate(&self, cores: u32) -> f64 {
        let under_way = f64::from(self.cpu.misses) * f64::from(cores);
        under_way * 64.0 / self.memory.latency_ns
    }
}
