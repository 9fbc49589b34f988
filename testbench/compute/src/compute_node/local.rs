//! `Local`: what a program does without the network: it computes, loads, stores and synchronises.

use super::config::Leaves;
use super::port::Shared;
use xtq_testbench::compnet::access::{Line, Op, line_of};
use xtq_testbench::compnet::{Class, Thread};

/// What a program gets when it starts.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) pe: usize,
    pub(super) nodes: usize,
    pub(super) barrier_cycles: u64,
    pub(super) leaves: Leaves,
    pub(super) port: Shared,
}

/// A work-group, or a program of the host, on its own node.
pub struct Local {
    pub(super) thread: Thread,
    pub(super) origin: Origin,
}

/// Addresses of the lines that these bytes lie in.
pub(super) fn lines(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
    (line_of(address)..address + bytes).step_by(64)
}

impl Local {
    /// Number of its node.
    pub fn pe(&self) -> usize {
        self.origin.pe
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.origin.nodes
    }

    /// The clock, in GPU cycles.
    pub fn now(&self) -> u64 {
        self.thread.now()
    }

    /// Computes for so many GPU cycles.
    pub async fn work(&self, cycles: u64) {
        self.thread.work(cycles).await;
    }

    /// Stores bytes into the own heap; other programs of the GPU or of the host see them after a
    /// [`flush`](Self::flush).
    pub async fn store(&self, address: u64, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let place = address + at as u64;
            let room = (line_of(place) + 64 - place) as usize;
            let part = &bytes[at..bytes.len().min(at + room)];
            self.thread.store(place, part, Class::Queue, false).await;
            at += part.len();
        }
    }

    /// Loads a word of the own heap, at a multiple of 8, from wherever it is.
    pub async fn load(&self, address: u64) -> u64 {
        self.thread.load(address, |_| Class::Queue).await
    }

    /// Loads the lines that these bytes lie in, all under way at once: what lanes of one instruction load, or several.
    pub async fn load_lines(&self, address: u64, bytes: u64) -> Vec<Line> {
        let lines = lines(address, bytes);
        self.thread.fetch_lines(lines, Class::Queue).await
    }

    /// Release at the scope of the device: its other programs see what this one has stored.
    pub async fn flush(&self) {
        self.thread.release().await;
    }

    /// Acquire at the scope of the device: later loads see what its other programs have flushed.
    pub fn refresh(&self) {
        self.thread.acquire();
    }

    /// Acquire at system scope: later loads of these bytes see what the NIC has written. For work-groups: the host's
    /// memory is coherent, and refuses it.
    pub async fn acquire(&self, address: u64, bytes: u64) {
        if !self.origin.leaves.invalidates {
            self.thread
                .maintain(Op::Invalidate, lines(address, bytes))
                .await;
        }
    }

    /// Release at system scope: the NIC sees what this work-group has stored into these bytes. For work-groups only.
    pub async fn release(&self, address: u64, bytes: u64) {
        self.thread.release().await;
        if !self.origin.leaves.write_backs {
            self.thread
                .maintain(Op::WriteBack, lines(address, bytes))
                .await;
        }
    }

    /// The barrier of the work-group.
    pub(super) async fn barrier(&self) {
        self.thread.work(self.origin.barrier_cycles).await;
    }
}
