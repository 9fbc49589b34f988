//! The allreduce of work-groups with the same context on all nodes: a ring.

use super::HEAP;
use super::shmem::{FLAGS, Shmem};

/// Line of a context's flags that the ring uses; the barrier has those below.
const RING: u64 = FLAGS - 64;

impl Shmem {
    /// Adds vectors of `words` words of 64 bits at `data` of all nodes, modulo 2^64, into each of them. `scratch` is as
    /// large. Part of a vector for each node goes round, first to be added, then to be known: `words` is a multiple of
    /// 8 times the nodes, so that parts have lines of their own; else it is a fault of the node. It ends when this node
    /// has the sum.
    pub async fn allreduce(&mut self, data: u64, scratch: u64, words: u64) {
        let (pe, nodes) = (self.pe() as u64, self.nodes() as u64);
        if !words.is_multiple_of(8 * nodes) {
            let why = format!("{words} words are not a multiple of 8 for each of {nodes} nodes");
            return self.origin.port.borrow_mut().fail(why);
        }
        // Nobody may need scratch of the last time any more.
        self.barrier_all().await;
        let bytes = words / nodes * 8;
        let part = |number: u64| number % nodes * bytes;
        for step in 0..nodes - 1 {
            let from = data + part(pe + nodes - step);
            let into = scratch + step * bytes;
            self.pass_on(into, from, bytes).await;
            self.acquire(into, bytes).await;
            let sum = data + part(pe + nodes - step - 1);
            for at in (0..bytes).step_by(8) {
                let [here, there] = [self.load(sum + at).await, self.load(into + at).await];
                let word = here.wrapping_add(there);
                self.store(sum + at, &word.to_le_bytes()).await;
            }
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
