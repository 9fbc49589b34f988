//! The way from the simulating thread to the encoder's: blocks of changes, used again and again.
//!
//! There are [`BLOCKS`] of them, so memory is bounded, and the simulation waits when encoder and disk are slower. A
//! block holds pieces of moments: a head (how many words of entries follow, flags), the time, the entries. A moment
//! with more entries than a block can hold goes over several. What is in the blocks, and so in the file, never depends
//! on how fast a thread is.
//!
//! A thread that fails sets a flag, which the next moment sees, and ends; then the channels to it are closed and nobody
//! waits for it. The error is what the thread gives when it is joined.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::detect::fitting;
use super::encode::Encoder;
use super::output::join;
use super::{Moment, Sink};

/// Words in a block: 256 KiB.
const BLOCK: usize = 1 << 15;
/// How many there are.
const BLOCKS: usize = 8;
/// Words of a piece before its entries.
const HEAD: usize = 2;

/// Flags in a head: the moment begins; its clock; its last entries; the end of the file.
const BEGIN: u64 = 1 << 32;
const CLOCKED: u64 = 1 << 33;
const HIGH: u64 = 1 << 34;
const LAST: u64 = 1 << 35;
const END: u64 = 1 << 36;

/// The simulating thread's end.
pub(super) struct Ring {
    block: Vec<u64>,
    full: Option<SyncSender<Vec<u64>>>,
    empty: Receiver<Vec<u64>>,
    encoder: Option<JoinHandle<io::Result<()>>>,
    failed: Arc<AtomicBool>,
}

impl Ring {
    /// Starts the encoder's thread. `failed` is set when it, or a thread that it feeds, has failed. Errors: the
    /// system has no thread left.
    pub(super) fn start(encoder: Encoder, failed: Arc<AtomicBool>) -> io::Result<Self> {
        let (full, blocks) = sync_channel(BLOCKS);
        let (back, empty) = sync_channel(BLOCKS);
        // There is room for all, so neither of these waits.
        (1..BLOCKS).for_each(|_| drop(back.send(Vec::with_capacity(BLOCK))));
        let flag = Arc::clone(&failed);
        let work = move || {
            let encoded = encode(encoder, &blocks, &back);
            flag.fetch_or(encoded.is_err(), Relaxed);
            encoded
        };
        Ok(Self {
            block: Vec::with_capacity(BLOCK),
            full: Some(full),
            empty,
            encoder: Some(Builder::new().name("wave encoder".into()).spawn(work)?),
            failed,
        })
    }

    fn add(&mut self, mut flags: u64, time: u64, mut entries: &[u64]) -> io::Result<()> {
        loop {
            if !self.block.is_empty() && self.block.len() + HEAD + entries.len() > BLOCK {
                self.send()?;
            }
            let count = match entries.len() <= BLOCK - HEAD {
                true => entries.len(),
                false => fitting(entries, BLOCK - HEAD),
            };
            let (now, rest) = entries.split_at(count);
            let last = if rest.is_empty() { LAST } else { 0 };
            self.block.extend([now.len() as u64 | flags | last, time]);
            self.block.extend_from_slice(now);
            if rest.is_empty() {
                return Ok(());
            }
            (flags, entries) = (0, rest);
        }
    }

    /// Hands the block over; waits for an empty one.
    fn send(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        let sent = self.full.as_ref().map(|full| full.send(block));
        match (sent, self.empty.recv()) {
            (Some(Ok(())), Ok(next)) => self.block = next,
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    /// Why the threads take nothing any more.
    fn broken(&mut self) -> io::Error {
        let gone = || io::Error::other("the waveform was ended before");
        self.join().err().unwrap_or_else(gone)
    }

    fn join(&mut self) -> io::Result<()> {
        self.full = None;
        join(self.encoder.take())
    }
}

impl Sink for Ring {
    fn moment(&mut self, moment: Moment, entries: &[u64]) -> io::Result<()> {
        if self.failed.load(Relaxed) {
            return Err(self.broken());
        }
        let clock = match moment.clock {
            None => 0,
            Some(level) => CLOCKED | if level { HIGH } else { 0 },
        };
        let begin = if moment.again { 0 } else { BEGIN };
        self.add(begin | clock, moment.time, entries)
    }

    fn finish(mut self: Box<Self>, time: u64) -> io::Result<()> {
        self.add(END, time, &[])?;
        let block = std::mem::take(&mut self.block);
        if let Some(full) = &self.full {
            // If it cannot be sent, the thread has failed, and says why.
            let _ = full.send(block);
        }
        self.join()
    }
}

impl Drop for Ring {
    /// Without an end what was not written yet is lost.
    fn drop(&mut self) {
        let _ = self.join();
    }
}

/// What the encoder's thread does. Errors: of the format, of the disk.
fn encode(
    mut encoder: Encoder,
    blocks: &Receiver<Vec<u64>>,
    back: &SyncSender<Vec<u64>>,
) -> io::Result<()> {
    for mut block in blocks {
        let mut rest = block.as_slice();
        while let [head, time, after @ ..] = rest {
            if head & END != 0 {
                return encoder.finish(*time);
            }
            if head & BEGIN != 0 {
                encoder.time(*time)?;
            }
            if head & CLOCKED != 0 {
                encoder.clock(head & HIGH != 0)?;
            }
            let (entries, after) = after.split_at((*head as u32 as usize).min(after.len()));
            encoder.take(entries);
            if head & LAST != 0 {
                encoder.give()?;
            }
            rest = after;
        }
        block.clear();
        // Nobody wants it if the simulation has ended.
        let _ = back.send(block);
    }
    // The simulation may have seen the writer's failure before this thread did.
    encoder.give_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wave::Format;

    /// A format whose writer has failed, which nothing but the end of the file finds out.
    struct Failed;

    impl Format for Failed {
        fn time(&mut self, _: u64) -> io::Result<()> {
            Ok(())
        }
        fn change(&mut self, _: usize, _: &[u64]) -> io::Result<()> {
            Ok(())
        }
        fn clock(&mut self, _: bool) -> io::Result<()> {
            Ok(())
        }
        fn finish(self: Box<Self>, _: u64) -> io::Result<()> {
            self.give_up()
        }
        fn give_up(self: Box<Self>) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_failure_that_the_simulation_sees_first_keeps_its_reason() {
        let encoder = Encoder::new(&[], vec![], Box::new(Failed));
        let mut ring = Ring::start(encoder, Arc::new(AtomicBool::new(true))).unwrap();
        let moment = Moment {
            time: 0,
            clock: None,
            again: false,
        };
        let error = ring.moment(moment, &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
