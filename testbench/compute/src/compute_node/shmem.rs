//! `Shmem`: a context of a work-group, as `cpnet_ctx_create` gives it, with the calls of the library.
//!
//! The producer's side of figure 6 of LeBeane et al., PACT 2018. Every call is one of the whole work-group and ends
//! with its barrier. Addresses are those of the symmetric heap, the same on all nodes. A buffer that a call names is of
//! whole lines, or nobody else may use its lines meanwhile: what the NIC and the L2 write at once in one line would be
//! lost.

use super::entry::{CallKind, Entry};
use super::local::{Local, Origin};
use super::port::Ended;
use super::{HEAP, HEAP_BYTES};
use std::ops::Deref;
use xtq_testbench::compnet::queue::{ENTRIES, Queue, entry_status};
use xtq_testbench::compnet::{Class, Thread};

/// Bytes of the heap's beginning that the barriers of one context use.
pub(super) const FLAGS: u64 = 16 * 64;

/// A context of a work-group.
pub struct Shmem {
    local: Local,
    pub(super) queue: Queue,
    write_index: u64,
    /// Its own copy of the read index.
    read_index: u64,
    /// Calls below this one have ended.
    quiet: u64,
    /// Barriers so far.
    barriers: u64,
    /// Maxima so far.
    pub(super) maxima: u64,
    /// Steps of rings so far.
    pub(super) steps: u64,
}

impl Deref for Shmem {
    type Target = Local;

    fn deref(&self) -> &Local {
        &self.local
    }
}

impl Shmem {
    pub(super) fn new(thread: Thread, origin: Origin, queue: Queue) -> Self {
        Self {
            local: Local { thread, origin },
            queue,
            write_index: 0,
            read_index: 0,
            quiet: 0,
            barriers: 0,
            maxima: 0,
            steps: 0,
        }
    }

    /// Another context of the same work-group, with a queue of its own.
    pub fn ctx_create(&self, queue: u64) -> Self {
        Self::new(
            self.thread.clone(),
            self.origin.clone(),
            Queue {
                number: queue,
                padding: 0,
            },
        )
    }

    /// Writes `length` bytes at `local` to `remote` of another node; ends when they are there.
    pub async fn put(&mut self, remote: u64, local: u64, length: u64, pe: usize) {
        let start = self.now();
        let index = self.begin_put(remote, local, length, pe).await;
        self.end(index, start, (CallKind::Put, pe, local, remote, length))
            .await;
    }

    /// The same, but it ends at once; [`quiet`](Self::quiet) waits for it. `local` must stay as it is until then.
    pub async fn put_nbi(&mut self, remote: u64, local: u64, length: u64, pe: usize) {
        self.begin_put(remote, local, length, pe).await;
        self.barrier().await;
    }

    /// Reads `length` bytes at `remote` of another node into `local`; ends when they are there.
    pub async fn get(&mut self, local: u64, remote: u64, length: u64, pe: usize) {
        let start = self.now();
        let index = self.begin_get(local, remote, length, pe).await;
        self.end(index, start, (CallKind::Get, pe, local, remote, length))
            .await;
    }

    /// The same, but it ends at once; [`quiet`](Self::quiet) waits for it. Nobody may use `local` until then.
    pub async fn get_nbi(&mut self, local: u64, remote: u64, length: u64, pe: usize) {
        self.begin_get(local, remote, length, pe).await;
        self.barrier().await;
    }

    /// Writes the low bytes of a value, at most seven, to `remote` of another node; ends at once.
    pub async fn p(&mut self, remote: u64, value: u64, bytes: u64, pe: usize) {
        let entry = self.entry(CallKind::Put, true, (value, remote, bytes, pe));
        self.call(entry).await;
        self.barrier().await;
    }

    /// Adds to the word at `remote` of another node; ends at once.
    pub async fn atomic_add(&mut self, remote: u64, value: u64, pe: usize) {
        let entry = self.entry(CallKind::Add, true, (value, remote, 8, pe));
        self.call(entry).await;
        self.barrier().await;
    }

    /// The same, and gives the word's old value, which comes by way of `local`, a word in a line of its own.
    pub async fn fetch_add(&mut self, local: u64, remote: u64, value: u64, pe: usize) -> u64 {
        self.thread.release().await;
        self.acquire(local, 8).await;
        let entry = Entry {
            result: local,
            ..self.entry(CallKind::FetchAdd, true, (value, remote, 8, pe))
        };
        let index = self.call(entry).await;
        self.wait(index).await;
        let old = self.load(local).await;
        self.barrier().await;
        old
    }

    /// Calls of this context that come later reach a node after those that came before. It waits for these.
    pub async fn fence(&mut self) {
        self.quiet().await;
    }

    /// Waits until all calls of this context have ended.
    pub async fn quiet(&mut self) {
        for index in self.quiet..self.write_index {
            self.wait(index).await;
        }
        self.quiet = self.write_index;
        self.barrier().await;
    }

    /// Waits until a word of the own heap has reached a value.
    pub async fn wait_until(&mut self, address: u64, at_least: u64) {
        loop {
            self.acquire(address, 8).await;
            self.thread.acquire();
            if self.load(address).await >= at_least {
                break;
            }
        }
        self.barrier().await;
    }

    /// Waits until work-groups with this context's number on all nodes are here, and all calls of them have ended: a
    /// dissemination barrier.
    pub async fn barrier_all(&mut self) {
        self.quiet().await;
        self.barriers += 1;
        let flags = HEAP + self.queue.number * FLAGS;
        let (pe, nodes) = (self.pe(), self.nodes());
        let mut distance = 1;
        for round in 0.. {
            if distance >= nodes {
                break;
            }
            let flag = flags + round * 64;
            self.p(flag, self.barriers, 7, (pe + distance) % nodes)
                .await;
            self.wait_until(flag, self.barriers).await;
            distance *= 2;
        }
    }

    fn entry(
        &self,
        operation: CallKind,
        inline: bool,
        (local, remote, length, pe): (u64, u64, u64, usize),
    ) -> Entry {
        let end = remote.checked_add(length);
        if pe >= self.origin.nodes || remote < HEAP || end.is_none_or(|end| end > HEAP + HEAP_BYTES)
        {
            let why = format!("{length} bytes at {remote:#x} of node {pe} are not in a heap");
            self.origin.port.borrow_mut().fail(why);
        }
        if operation == CallKind::Put && inline && !Entry::is_short(length) {
            let why = format!("a value of {length} bytes has no room in an entry");
            self.origin.port.borrow_mut().fail(why);
        }
        Entry {
            operation,
            inline,
            context: self.queue.number as u16,
            pe: pe as u32,
            remote,
            local,
            length,
            user: self.write_index,
            result: 0,
        }
    }

    async fn begin_put(&mut self, remote: u64, local: u64, length: u64, pe: usize) -> u64 {
        let short = Entry::is_short(length);
        let value = match short && length > 0 {
            true => self.value(local, length).await,
            false => local,
        };
        if !short {
            self.release(local, length).await;
        }
        let entry = self.entry(CallKind::Put, short, (value, remote, length, pe));
        self.call(entry).await
    }

    /// The bytes that a short put has in its entry.
    async fn value(&self, local: u64, length: u64) -> u64 {
        let mut bytes = [0; 8];
        for (byte, address) in bytes.iter_mut().zip(local..local + length) {
            let word = self.load(address & !7).await;
            *byte = (word >> (8 * (address & 7))) as u8;
        }
        u64::from_le_bytes(bytes)
    }

    async fn begin_get(&mut self, local: u64, remote: u64, length: u64, pe: usize) -> u64 {
        // Nothing of the destination may be written back over what the NIC writes, and nothing old may stay.
        self.thread.release().await;
        self.acquire(local, length).await;
        let entry = self.entry(CallKind::Get, false, (local, remote, length, pe));
        self.call(entry).await
    }

    /// Puts a call into the queue; its index. The numbers are those of the figure.
    async fn call(&mut self, entry: Entry) -> u64 {
        // 1a, 1b: full, as far as the own copy reports; then a look at the shared one.
        while self.write_index - self.read_index >= ENTRIES {
            self.thread.acquire();
            self.read_index = self.load(self.queue.read_index()).await;
        }
        // 2: all that the call needs, visible before its status is.
        let index = self.write_index;
        self.origin.port.borrow_mut().ask(entry);
        let bytes = entry.words().map(u64::to_le_bytes);
        let fields = self.queue.fields(index);
        self.thread
            .store(fields, bytes.as_flattened(), Class::Queue, true)
            .await;
        self.thread.release().await;
        // 3: the status.
        let ready = entry_status::READY.to_le_bytes();
        self.thread
            .store(self.queue.entry(index), &ready, Class::Queue, true)
            .await;
        self.thread.release().await;
        // 4.
        self.write_index += 1;
        index
    }

    /// 5: polls an entry, an acquire before each look, until it is complete.
    async fn wait(&mut self, index: u64) {
        loop {
            self.thread.acquire();
            // The service thread moves the read index over calls that have ended; their entries may be in use again.
            if index < self.read_index
                || self.load(self.queue.entry(index)).await == entry_status::COMPLETE
            {
                return;
            }
        }
    }

    async fn end(
        &mut self,
        index: u64,
        start: u64,
        (operation, pe, local, remote, length): (CallKind, usize, u64, u64, u64),
    ) {
        self.wait(index).await;
        self.barrier().await;
        let cycles = self.now() - start;
        self.origin.port.borrow_mut().ended.push(Ended {
            operation,
            pe,
            local,
            remote,
            length,
            cycles,
        });
    }
}
