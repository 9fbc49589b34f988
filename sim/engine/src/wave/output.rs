//! The thread that writes a file, so that nobody computes while the disk is slow.
//!
//! Pieces go to it through a bounded channel and come back empty, so there are never more of them than at the start.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// What a piece of a file goes into.
pub(super) trait Target: Send + 'static {
    /// Adds a piece; more are to come.
    fn add(&mut self, piece: &[u8]) -> io::Result<()>;
    /// Adds the last piece of a file that ends at this time.
    fn end(&mut self, piece: &[u8], time: u64) -> io::Result<()>;
}

/// A piece of a file. It keeps its memory, set up once, when it is emptied.
pub(super) struct Piece {
    bytes: Vec<u8>,
    length: usize,
}

impl Piece {
    /// An empty one with room for so many bytes.
    pub(super) fn new(room: usize) -> Self {
        Self {
            bytes: vec![0; room],
            length: 0,
        }
    }

    /// What is in it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The same, to be corrected.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }

    /// So many bytes more, to be filled: they hold anything.
    #[inline]
    pub(super) fn more(&mut self, count: usize) -> &mut [u8] {
        let (from, to) = (self.length, self.length + count);
        if to > self.bytes.len() {
            self.grow(to);
        }
        self.length = to;
        &mut self.bytes[from..to]
    }

    /// Room for so many bytes and some more, but not twice as many: pieces are large.
    #[cold]
    fn grow(&mut self, length: usize) {
        let length = length.max(self.bytes.len() / 8 * 9);
        self.bytes.reserve_exact(length - self.bytes.len());
        self.bytes.resize(length, 0);
    }

    /// Adds bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.more(bytes.len()).copy_from_slice(bytes);
    }

    /// Leaves only its first bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl Write for Piece {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The way to the thread.
pub(super) struct Output {
    /// Pieces, and the end of the file with the last one.
    full: Option<SyncSender<(Piece, Option<u64>)>>,
    empty: Receiver<Piece>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Output {
    /// Starts the thread and gives the first of `pieces` pieces with room for so many bytes. It sets `failed` when the
    /// target takes no more. Errors: the system has no thread left.
    pub(super) fn start(
        mut target: impl Target,
        pieces: usize,
        room: usize,
        failed: Arc<AtomicBool>,
    ) -> io::Result<(Self, Piece)> {
        let (full, pieces_in) = sync_channel::<(Piece, Option<u64>)>(pieces);
        let (back, empty) = sync_channel(pieces);
        // There is room for all, so neither of these waits.
        (1..pieces).for_each(|_| drop(back.send(Piece::new(room))));
        let work = move || {
            let written = pieces_in.into_iter().try_for_each(|(mut piece, end)| {
                match end {
                    None => target.add(piece.bytes())?,
                    Some(time) => target.end(piece.bytes(), time)?,
                }
                piece.truncate(0);
                // At the end nobody wants it.
                let _ = back.send(piece);
                Ok(())
            });
            failed.fetch_or(written.is_err(), Relaxed);
            written
        };
        let writer = Builder::new().name("wave writer".into()).spawn(work)?;
        let output = Self {
            full: Some(full),
            empty,
            writer: Some(writer),
        };
        Ok((output, Piece::new(room)))
    }

    /// Hands a piece over and puts an empty one in its place; waits while there is none. Errors: an earlier one could
    /// not be written.
    pub(super) fn add(&mut self, piece: &mut Piece) -> io::Result<()> {
        let Ok(mut next) = self.empty.recv() else {
            return Err(self.broken());
        };
        std::mem::swap(piece, &mut next);
        self.send(next, None)
    }

    /// Hands the last piece over and waits until all is in the file. Errors: something could not be written.
    pub(super) fn end(mut self, piece: Piece, time: u64) -> io::Result<()> {
        self.send(piece, Some(time))?;
        self.join()
    }

    /// Waits until what was handed over is in the file. Errors: something could not be written.
    pub(super) fn give_up(mut self) -> io::Result<()> {
        self.join()
    }

    fn send(&mut self, piece: Piece, end: Option<u64>) -> io::Result<()> {
        let sent = self.full.as_ref().map(|full| full.send((piece, end)));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.broken()),
        }
    }

    /// Why the thread takes nothing any more.
    fn broken(&mut self) -> io::Error {
        let gone = || io::Error::other("the file was closed before");
        self.join().err().unwrap_or_else(gone)
    }

    fn join(&mut self) -> io::Result<()> {
        self.full = None;
        join(self.writer.take())
    }
}

impl Drop for Output {
    /// Nobody writes any more afterwards.
    fn drop(&mut self) {
        let _ = self.join();
    }
}

/// Waits for the end of a thread, if it has not been waited for; gives what it did.
pub(super) fn join(thread: Option<JoinHandle<io::Result<()>>>) -> io::Result<()> {
    let ended = thread.map_or(Ok(Ok(())), JoinHandle::join);
    ended.unwrap_or_else(|_| Err(io::Error::other("a thread of the waveform ended early")))
}
