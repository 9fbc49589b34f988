//! A service thread: takes calls from its queues, posts commands to the NIC, and ends calls when events say so.
//!
//! The consumer's side of figure 6 of LeBeane et al., PACT 2018. What it writes for the NIC it writes back, what the
//! NIC has written for it it lets the L2 forget before it looks, unless it is a thread of the host, whose memory is
//! coherent. An entry is complete when the NIC has reported the end of its command, whether or not the call blocks; so
//! a quiet waits for what it promises.

use super::config::Leaves;
use super::entry::{CallKind, Entry, VALUE, WORDS};
use super::poster::Poster;
use super::{ALL, HEAP, HEAP_CONTEXT, HEAP_PORTAL};
use std::collections::{BTreeSet, VecDeque};
use std::iter::once;
use xtq_testbench::compnet::access::Op;
use xtq_testbench::compnet::queue::{Queue, entry_status};
use xtq_testbench::compnet::{Class, Marker, Thread};
use xtq_testbench::host::{
    AckRequest, Atomic, Command, FetchAtomic, Get, ProcessId, Put, ptl_atomic, ptl_fetch_atomic,
    ptl_get, ptl_put,
};
use xtq_testbench::tables::{AtomicOp, Datatype};

/// The half of a user pointer that numbers the call; the other names the queue's position.
const LOW: u64 = u32::MAX as u64;

/// What a service thread does, for ever.
pub(super) struct Server {
    /// The queues that it polls, in turn.
    pub(super) queues: Vec<Queue>,
    /// What it gives commands to.
    pub(super) poster: Poster,
    /// Cycles of computing for one poll, beside its load.
    pub(super) poll_cycles: u64,
    /// Cycles of computing for one call.
    pub(super) call_cycles: u64,
    /// Whether entries lie below the L2, or in the host's memory.
    pub(super) queues_in_l2: bool,
    /// What it leaves out.
    pub(super) leaves: Leaves,
}

/// The calls of a queue.
#[derive(Default)]
struct Row {
    /// Index of the entry that it polls.
    next: u64,
    /// Calls that have not ended.
    open: BTreeSet<u64>,
}

struct State {
    thread: Thread,
    server: Server,
    rows: Vec<Row>,
    /// Read indices that are not reported to work-groups yet: the release marker after the status, position, read
    /// index.
    unannounced: VecDeque<(Marker, usize, u64)>,
}

/// The program.
pub(super) async fn run(thread: Thread, server: Server) {
    let rows = server.queues.iter().map(|_| Row::default()).collect();
    let mut state = State {
        thread,
        server,
        rows,
        unannounced: VecDeque::new(),
    };
    loop {
        for position in 0..state.rows.len() {
            state.announce().await;
            if state.server.poster.has_room() {
                state.poll(position).await;
            }
        }
        // A thread without queues has nothing to wait for.
        state.thread.work(1).await;
        while let Some(user) = state.server.poster.look(&state.thread).await {
            state.complete((user >> 32) as usize, user & LOW).await;
            state.server.poster.give_back(&state.thread).await;
        }
    }
}

impl State {
    /// Looks at the next entry of a queue, and posts the command if there is a call.
    async fn poll(&mut self, position: usize) {
        let (queue, index) = (self.server.queues[position], self.rows[position].next);
        self.thread.work(self.server.poll_cycles).await;
        self.thread.acquire();
        let class = |word| match word {
            entry_status::READY => Class::PollFound,
            _ => Class::PollEmpty,
        };
        if self.thread.load(queue.entry(index), class).await != entry_status::READY {
            return;
        }
        let mut words = [0; WORDS];
        for (word, address) in words.iter_mut().zip((queue.fields(index)..).step_by(8)) {
            *word = self.thread.load(address, |_| Class::PollFound).await;
        }
        let Some(entry) = Entry::of_words(words) else {
            let why = format!("call {index} of queue {} has no operation", queue.number);
            return self.server.poster.fail(why);
        };
        let port = self.server.poster.port.clone();
        port.borrow_mut().post(queue.number as u16, entry);
        self.rows[position].next += 1;
        self.rows[position].open.insert(index);
        self.thread.work(self.server.call_cycles).await;
        // The NIC takes a value out of the entry itself.
        let written_back = !self.server.leaves.write_backs;
        if entry.inline && self.server.queues_in_l2 && written_back {
            let line = once(queue.entry(index));
            self.thread.maintain(Op::WriteBack, line).await;
        }
        let source = match entry.inline {
            true => queue.entry(index) + VALUE,
            false => entry.local,
        };
        let command = command(&entry, source, position as u64);
        self.server.poster.post(&self.thread, &command).await;
    }

    /// Marks an entry as complete. It may then be reported to work-groups how far their calls are: up to the first that
    /// is not.
    async fn complete(&mut self, position: usize, low: u64) {
        let Some(row) = self.rows.get_mut(position) else {
            return;
        };
        let same = |index: &&u64| **index & LOW == low;
        let Some(index) = row.open.iter().find(same).copied() else {
            let why = format!("the NIC ended call {low} of queue {position}, which was not open");
            self.server.poster.fail(why);
            return;
        };
        row.open.remove(&index);
        let read = row.open.first().copied().unwrap_or(row.next);
        let entry = self.server.queues[position].entry(index);
        let complete = entry_status::COMPLETE.to_le_bytes();
        self.thread
            .store(entry, &complete, Class::Complete, false)
            .await;
        let marker = self.thread.mark();
        self.unannounced.push_back((marker, position, read));
    }

    /// Reports to work-groups the read indices whose statuses are visible.
    async fn announce(&mut self) {
        while let Some(&(marker, position, read)) = self.unannounced.front()
            && self.thread.is_passed(marker)
        {
            self.unannounced.pop_front();
            let address = self.server.queues[position].read_index();
            let bytes = read.to_le_bytes();
            self.thread
                .store(address, &bytes, Class::ReadIndex, false)
                .await;
        }
    }
}

/// The command of a call whose data lie at `source`; its event names the queue's position and the call.
pub(super) fn command(entry: &Entry, source: u64, position: u64) -> Command {
    let target = ProcessId {
        node: entry.pe as u16,
        context: HEAP_CONTEXT,
    };
    let user_ptr = position << 32 | entry.user & LOW;
    let remote_offset = entry.remote.wrapping_sub(HEAP);
    let put = Put {
        md: ALL,
        local_offset: source,
        length: entry.length,
        ack: AckRequest::Ack,
        target,
        pt_index: HEAP_PORTAL,
        remote_offset,
        user_ptr,
        ..Put::default()
    };
    let (operation, datatype) = (AtomicOp::Sum, Datatype::Uint64);
    match entry.operation {
        CallKind::Put => ptl_put(&put),
        CallKind::Get => ptl_get(&Get {
            md: ALL,
            local_offset: entry.local,
            length: entry.length,
            target,
            pt_index: HEAP_PORTAL,
            remote_offset,
            user_ptr,
            ..Get::default()
        }),
        CallKind::Add => ptl_atomic(&Atomic {
            put,
            operation,
            datatype,
        }),
        CallKind::FetchAdd => ptl_fetch_atomic(&FetchAtomic {
            get_md: ALL,
            local_get_offset: entry.result,
            put,
            operation,
            datatype,
        }),
    }
}
