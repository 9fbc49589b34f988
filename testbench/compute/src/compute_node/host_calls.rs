//! `HostCalls`: the calls of a program of the host, for designs without queues.

use super::entry::{Entry, Operation};
use super::port::Ended;
use super::poster::Poster;
use super::service::command;
use xtq_testbench::compnet::Thread;

/// A program's way to the network.
pub struct HostCalls {
    pub(super) thread: Thread,
    pub(super) poster: Poster,
    /// Cycles of computing for one call.
    pub(super) call_cycles: u64,
    /// Cycles of computing for one look at the events.
    pub(super) poll_cycles: u64,
}

impl HostCalls {
    /// Reads `length` bytes at `remote` of another node's heap into the own one; ends when they are there.
    pub async fn get(&mut self, local: u64, remote: u64, length: u64, pe: usize) {
        let start = self.thread.now();
        let entry = Entry {
            operation: Operation::Get,
            inline: false,
            context: 0,
            pe: pe as u32,
            remote,
            local,
            length,
            user: 0,
            result: 0,
        };
        self.thread.work(self.call_cycles).await;
        let command = command(&entry, local, 0);
        self.poster.post(&self.thread, &command).await;
        while self.poster.look(&self.thread).await.is_none() {
            self.thread.work(self.poll_cycles.max(1)).await;
        }
        let cycles = self.thread.now() - start;
        self.poster.give_back(&self.thread).await;
        self.poster.port.borrow_mut().ended.push(Ended {
            operation: Operation::Get,
            pe,
            local,
            remote,
            length,
            cycles,
        });
    }
}
