//! Sums and copies by the host's own cores.
//!
//! Time is the longest of three: the counted instructions of the loop, the lines that caches give, and the lines from
//! memory, with as many misses under way as the cores have and the node's bandwidth for all. The operands are read when
//! it starts and compared when it ends.

use super::{HostThread, ProgramError};
use crate::channel::Stream;
use crate::combine::Combine;
use crate::cores::{CONTEXT, Found, Line};
use crate::place::World;
use crate::system::LINE;
use xtq_testbench::bytes::Bytes;

/// Longest operand, bytes.
const LONGEST: u64 = 1 << 28;

/// A loop over vectors.
struct Loop {
    reads: [(u64, u64); 2],
    /// Instructions for each line of the target.
    per_line: f64,
    bytes: u64,
}

fn copy(world: &World, (address, bytes): (u64, u64)) -> Vec<u8> {
    let mut found = vec![0; bytes as usize];
    world.memory().read(address, &mut found);
    found
}

impl HostThread {
    /// `target[i] = target[i] op source[i]` by this core, or by as many as the system shares sums among. Errors: there
    /// are no vectors of the datatype; more than 256 MiB; an operand was overwritten meanwhile.
    pub async fn combine(
        &self,
        how: Combine,
        target: u64,
        source: u64,
        elements: u64,
    ) -> Result<(), ProgramError> {
        let size = how.bytes().map_err(ProgramError::new)?;
        let bytes = elements.saturating_mul(size);
        let per_line = self.with(|world| {
            let simd = world.system.cpu.simd_bytes;
            world.costs.line(how.datatype, simd)
        });
        let per_line = per_line.map_err(ProgramError::new)?;
        let reads = [(target, bytes), (source, bytes)];
        let [mut result, other] = self
            .run(&Loop {
                reads,
                per_line,
                bytes,
            })
            .await?;
        how.apply(&mut result, &other).map_err(ProgramError::new)?;
        self.finish(target, &result);
        Ok(())
    }

    /// Copies bytes. Errors: more than 256 MiB; the source was overwritten meanwhile.
    pub async fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), ProgramError> {
        let per_line = self.with(|world| world.costs.copy_line);
        let reads = [(to, 0), (from, bytes)];
        let [_, result] = self
            .run(&Loop {
                reads,
                per_line,
                bytes,
            })
            .await?;
        self.finish(to, &result);
        Ok(())
    }

    /// Uses the lines of a loop: when it starts, when it ends at the earliest, and its stream from memory.
    fn set_out(&self, world: &mut World, this: &Loop) -> (f64, f64, Stream) {
        let (core, start) = {
            let thread = &mut world.threads[self.id];
            thread.waits_for = "its own vectors".to_owned();
            (thread.core, thread.clock)
        };
        let spans = this.reads.iter().filter(|(_, bytes)| *bytes > 0);
        let lines = spans.flat_map(|(address, bytes)| Line::all(CONTEXT, *address, *bytes));
        let found = world.cores.touch(core, lines);
        let instructions = (this.bytes.div_ceil(LINE) as f64 * this.per_line).ceil() as u64;
        world.threads[self.id].report.instructions += instructions;
        let cpu = &world.system.cpu;
        let sharers = cpu.sum_cores;
        let compute = cpu.instructions_ns(instructions) / f64::from(sharers);
        let cached = world.cores.access_ns(Found { memory: 0, ..found }) / f64::from(sharers);
        let first = match found.memory {
            0 => 0.0,
            _ => world.cores.memory_ns(),
        };
        let now = world.now() as f64;
        let rate = world.cores.stream_rate(sharers);
        let bytes = (found.memory * LINE) as f64;
        let stream = world.channel.begin(now, bytes, rate);
        (start, start + first + compute.max(cached), stream)
    }

    fn finish(&self, target: u64, result: &[u8]) {
        self.with(|world| {
            world.memory_mut().write(target, result);
            world.changed = true;
            let core = world.threads[self.id].core;
            for line in Line::all(CONTEXT, target, result.len() as u64) {
                world.cores.touch(core, std::iter::once(line));
                world.cores.own(core, line);
            }
        });
    }

    /// Takes the time of a loop; what it has read. Errors: too long; an operand was overwritten.
    async fn run(&self, this: &Loop) -> Result<[Vec<u8>; 2], ProgramError> {
        if this.bytes > LONGEST {
            let bytes = this.bytes;
            return Err(ProgramError::new(format!(
                "a vector of {bytes} bytes; {LONGEST} are the most"
            )));
        }
        let operands = self.with(|world| this.reads.map(|span| copy(world, span)));
        let (start, end, stream) = self.with(|world| self.set_out(world, this));
        let done = |world: &mut World| {
            let over = world.now() as f64 >= end && world.channel.has_ended(stream);
            over.then_some(())
        };
        self.until(end.ceil() as u64, done).await;
        let same = self.with(|world| {
            world.channel.end(stream);
            let thread = &mut world.threads[self.id];
            thread.report.busy_ns += thread.clock - start;
            this.reads.map(|span| copy(world, span)) == operands
        });
        match same {
            true => Ok(operands),
            false => Err(ProgramError::new(format!(
                "the vectors at {:#x} and {:#x} were overwritten while they were combined",
                this.reads[0].0, this.reads[1].0
            ))),
        }
    }
}
