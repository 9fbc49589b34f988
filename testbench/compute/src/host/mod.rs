//! `HostThread`: what a program holds of its core.
//!
//! A program is an `async fn`; before each cycle of its node it does what it can. Each call takes the time that a core
//! would need: instructions at the core's rate, accesses as caches and memory give them. Time is kept in fractions of a
//! ns; what others can see happens in whole cycles.

mod access;
mod agent;
mod dispatch;
mod post;
mod vectors;
mod wait;

pub use agent::AgentTask;
pub use wait::Wait;

use crate::costs::Costs;
use crate::place::{ProgramError, Spent, World, lock};
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

/// A thread of a node's host.
#[derive(Clone)]
pub struct HostThread {
    world: Arc<Mutex<World>>,
    /// Its number at the node.
    id: usize,
}

impl HostThread {
    pub(crate) fn new(world: Arc<Mutex<World>>, id: usize) -> Self {
        Self { world, id }
    }

    /// Does something at the node, at this instant.
    fn with<T>(&self, does: impl FnOnce(&mut World) -> T) -> T {
        does(&mut lock(&self.world))
    }

    /// Waits until `ready` gives something; it is asked in every cycle in which something may have changed, and in
    /// cycle `due`.
    async fn until<T>(&self, due: u64, mut ready: impl FnMut(&mut World) -> Option<T>) -> T {
        poll_fn(|_| {
            self.with(|world| match ready(world) {
                Some(value) => {
                    let now = world.now() as f64;
                    let thread = &mut world.threads[self.id];
                    thread.clock = thread.clock.max(now);
                    thread.waits_for.clear();
                    Poll::Ready(value)
                }
                None => {
                    // If it has passed, only a change helps.
                    let passed = due <= world.now();
                    world.threads[self.id].due = if passed { u64::MAX } else { due };
                    Poll::Pending
                }
            })
        })
        .await
    }

    /// Waits for a cycle.
    async fn until_cycle(&self, due: u64) {
        poll_fn(|_| {
            self.with(|world| match world.now() >= due {
                true => Poll::Ready(()),
                false => {
                    world.threads[self.id].due = due;
                    Poll::Pending
                }
            })
        })
        .await
    }

    /// Waits for the cycle in which it starts.
    pub(crate) async fn begin(&self) {
        let start = self.with(|world| world.threads[self.id].report.started);
        self.until_cycle(start).await;
    }

    async fn spend(&self, ns: f64, spent: Spent) {
        let due = self.with(|world| world.threads[self.id].spend(ns, spent));
        self.until_cycle(due).await;
    }

    /// Number of its node.
    pub fn node(&self) -> usize {
        self.with(|world| usize::from(world.node.state.node))
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.with(|world| world.nodes)
    }

    /// The cycle that runs next.
    pub fn now(&self) -> u64 {
        self.with(|world| world.now())
    }

    /// Instruction counts of the library's functions.
    pub fn costs(&self) -> Arc<Costs> {
        self.with(|world| world.costs.clone())
    }

    /// Time in which it has computed or waited for its own accesses so far, ns.
    pub fn busy_ns(&self) -> f64 {
        self.with(|world| world.threads[self.id].report.busy_ns)
    }

    /// Takes note of the cycle under a name. Takes no time.
    pub fn mark(&self, name: &str) {
        self.with(|world| {
            let now = world.now();
            world.threads[self.id]
                .report
                .marks
                .push((name.to_owned(), now));
        });
    }

    /// Executes so many instructions that do not wait for memory.
    pub async fn work(&self, instructions: u64) {
        let ns = self.with(|world| {
            world.threads[self.id].report.instructions += instructions;
            world.system.cpu.instructions_ns(instructions)
        });
        self.spend(ns, Spent::Busy).await;
    }

    /// Does nothing for a while.
    pub async fn pause(&self, ns: u64) {
        self.spend(ns as f64, Spent::Idle).await;
    }
}
