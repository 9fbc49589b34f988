//! The allreduce of work-groups with the same context on all nodes: a ring.

use super::HEAP;
use super::local::Local;
use super::shmem::{FLAGS, Shmem};
use xtq_testbench::compnet::access::Line;

/// Line of a context's flags that the ring uses; barriers and maxima have those below.
const RING: u64 = FLAGS - 64;
/// Bytes that a work-group adds at once: two words for each of its 64 work-items.
const ADDED: u64 = 1024;
/// Cycles of adding them beside loads and stores: two instructions and two addresses for each word, four cycles of a
/// wave each.
const ADD_CYCLES: u64 = 32;

impl Shmem {
    /// Adds vectors of `words` words of 64 bits at `data` of all nodes, modulo 2^64, into each of them. `scratch` is as
    /// large. Part of a vector for each node goes round, first to be added, then to be known: `words` is a multiple of
    /// 8 times the nodes, so that parts have lines of their own; else it is a fault of the node. It ends when this node
    /// has the sum.
    pub async fn allreduce(&mut self, data: u64, scratch: u64, words: u64) {
        // Nobody may need scratch of the last time any more.
        self.barrier_all().await;
        self.ring(data, scratch, words).await;
    }

    /// The same for who knows that nobody needs scratch.
    pub async fn ring(&mut self, data: u64, scratch: u64, words: u64) {
        let (pe, nodes) = (self.pe() as u64, self.nodes() as u64);
        if !words.is_multiple_of(8 * nodes) {
            let why = format!("{words} words are not a multiple of 8 for each of {nodes} nodes");
            return self.origin.port.borrow_mut().fail(why);
        }
        let bytes = words / nodes * 8;
        let part = |number: u64| number % nodes * bytes;
        for step in 0..nodes - 1 {
            let from = data + part(pe + nodes - step);
            let into = scratch + step * bytes;
            self.pass_on(into, from, bytes).await;
            self.acquire(into, bytes).await;
            self.add(data + part(pe + nodes - step - 1), into, bytes, ADD_CYCLES)
                .await;
        }
        for step in 0..nodes - 1 {
            let from = data + part(pe + 1 + nodes - step);
            self.pass_on(from, from, bytes).await;
            self.acquire(data + part(pe + nodes - step), bytes).await;
        }
    }

    /// Puts bytes to the next node, and waits until the node before has done the same.
    async fn pass_on(&mut self, remote: u64, local: u64, bytes: u64) {
        let next = (self.pe() + 1) % self.nodes();
        let flag = HEAP + self.queue.number * FLAGS + RING;
        self.steps += 1;
        self.put_nbi(remote, local, bytes, next).await;
        self.fence().await;
        self.p(flag, self.steps, 7, next).await;
        self.wait_until(flag, self.steps).await;
    }
}

impl Local {
    /// Adds words of 64 bits at `more` to those at `sum`, both of whole lines; computing for 1,024 bytes takes so many
    /// cycles.
    pub async fn add(&self, sum: u64, more: u64, bytes: u64, cycles: u64) {
        self.add_by(1, sum, more, bytes, cycles).await;
    }

    /// The same by so many cores at a time: all of their loads are under way at once, and each computes for its part.
    pub async fn add_by(&self, cores: u64, sum: u64, more: u64, bytes: u64, cycles: u64) {
        let at_once = ADDED * cores;
        for at in (0..bytes).step_by(at_once as usize) {
            let piece = at_once.min(bytes - at);
            let here = self.load_lines(sum + at, piece).await;
            let there = self.load_lines(more + at, piece).await;
            self.work(cycles * piece / at_once).await;
            for ((line, here), there) in (sum + at..).step_by(64).zip(&here).zip(&there) {
                self.store(line, &added(here, there)).await;
            }
        }
    }
}

fn added(here: &Line, there: &Line) -> Line {
    let [here, there] = [here, there].map(|line| line.as_chunks().0.iter().copied());
    let mut sum = [0; 64];
    let words = here
        .map(u64::from_le_bytes)
        .zip(there.map(u64::from_le_bytes));
    for (word, (here, there)) in sum.chunks_exact_mut(8).zip(words) {
        word.copy_from_slice(&here.wrapping_add(there).to_le_bytes());
    }
    sum
}
