//! `HostCalls`: the calls of a program of the host, for designs without queues.

use super::entry::{CallKind, Entry};
use super::local::Local;
use super::port::Ended;
use super::poster::Poster;
use super::service::command;
use super::{HOST_FLAGS, HOST_HEAP};
use std::ops::Deref;

/// Values on their way at most, of a program: more than calls that may be under way.
const VALUES: u64 = 1 << 10;
/// Place of the first, after the flags of experiments and of maxima.
const FIRST_VALUE: u64 = HOST_HEAP + 64 * 2 * HOST_FLAGS;

/// A program's way to the network.
pub struct HostCalls {
    pub(super) local: Local,
    pub(super) poster: Poster,
    /// Cycles of computing for one call.
    pub(super) call_cycles: u64,
    /// Cycles of computing for one look at the events.
    pub(super) poll_cycles: u64,
    /// Values sent so far.
    pub(super) values: u64,
    /// Maxima so far.
    pub(super) maxima: u64,
}

impl Deref for HostCalls {
    type Target = Local;

    fn deref(&self) -> &Local {
        &self.local
    }
}

impl HostCalls {
    /// Reads `length` bytes at `remote` of another node's heap into the own one; ends when they are there. No other
    /// call may be under way.
    pub async fn get(&mut self, local: u64, remote: u64, length: u64, pe: usize) {
        let start = self.now();
        self.call(CallKind::Get, local, remote, length, pe).await;
        self.wait_for_event().await;
        let cycles = self.now() - start;
        self.poster.give_back(&self.local.thread).await;
        self.poster.port.borrow_mut().ended.push(Ended {
            operation: CallKind::Get,
            pe,
            local,
            remote,
            length,
            cycles,
        });
    }

    /// Writes `length` bytes at `local` to `remote` of another node; ends at once, [`quiet`](Self::quiet) waits for it.
    pub async fn put_nbi(&mut self, remote: u64, local: u64, length: u64, pe: usize) {
        self.call(CallKind::Put, local, remote, length, pe).await;
    }

    /// Writes the low bytes of a value, at most eight, to `remote` of another node; ends at once.
    pub async fn p(&mut self, remote: u64, value: u64, bytes: u64, pe: usize) {
        let own = VALUES * u64::from(self.poster.context);
        let at = FIRST_VALUE + 64 * (own + self.values % VALUES);
        self.values += 1;
        self.store(at, &value.to_le_bytes()).await;
        self.put_nbi(remote, at, bytes.min(8), pe).await;
    }

    /// Waits until all calls have ended.
    pub async fn quiet(&mut self) {
        while self.poster.under_way > 0 {
            self.wait_for_event().await;
            self.poster.give_back(&self.local.thread).await;
        }
    }

    /// Waits until a word of the host's memory has reached a value.
    pub async fn wait_until(&mut self, address: u64, at_least: u64) {
        loop {
            self.refresh();
            if self.load(address).await >= at_least {
                return;
            }
            self.work(self.poll_cycles.max(1)).await;
        }
    }

    async fn call(&mut self, operation: CallKind, local: u64, remote: u64, length: u64, pe: usize) {
        if !self.poster.has_room() {
            self.quiet().await;
        }
        let entry = Entry {
            operation,
            inline: false,
            context: 0,
            pe: pe as u32,
            remote,
            local,
            length,
            user: 0,
            result: 0,
        };
        self.work(self.call_cycles).await;
        let command = command(&entry, local, 0);
        self.poster.post(&self.local.thread, &command).await;
    }

    async fn wait_for_event(&mut self) {
        while self.poster.look(&self.local.thread).await.is_none() {
            self.work(self.poll_cycles.max(1)).await;
        }
    }
}
