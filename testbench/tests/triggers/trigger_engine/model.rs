//! The rules of triggered operations in a few lines: a list in posting order, searched at every change.

use std::collections::{HashMap, VecDeque};

use xtq_types::counter::counter_status;

/// A command as the tests name it; its 128 bytes are made from the number.
pub type Command = u64;

/// What happens to a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Success + failure has this value.
    Value(u128),
    Alloc,
    Free,
}

/// A change on its way to the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    pub counter: usize,
    pub context: u64,
    pub change: Change,
}

/// What is posted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Post {
    pub threshold: u64,
    /// Added to the threshold each time that it has left; 0: it fires once.
    pub period: u64,
    pub command: Command,
}

impl Post {
    /// It fires once.
    pub fn once(threshold: u64, command: Command) -> Self {
        Self {
            threshold,
            period: 0,
            command,
        }
    }
}

/// What the engine is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    pub counter: usize,
    pub context: u64,
    /// Nothing: cancel.
    pub post: Option<Post>,
}

/// An operation that waits, has fired, or has left and is to wait again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operation {
    pub counter: usize,
    pub context: u64,
    pub post: Post,
    /// Its counter was cancelled, freed or allocated after it was posted.
    pub over: bool,
}

/// All contexts, counters and operations.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Owner and success + failure of the counters that have an owner.
    pub counters: HashMap<usize, (u64, u128)>,
    /// In posting order.
    pub pending: Vec<Operation>,
    /// Those that have fired and not left, in the order in which they fired.
    pub fired: Vec<Operation>,
    /// Those that have left and are to wait again, in the order in which they left.
    pub left: VecDeque<Operation>,
}

impl Model {
    /// Why a request is refused, whatever the room; or that it is not.
    pub fn judge(&self, request: &Request) -> u8 {
        match self.counters.get(&request.counter) {
            None => counter_status::NOT_ALLOCATED,
            Some((owner, _)) if *owner != request.context => counter_status::NOT_OWNER,
            Some(_) => counter_status::OK,
        }
    }

    /// Carries out a request that is not refused.
    pub fn request(&mut self, request: &Request) {
        let Request {
            counter, context, ..
        } = *request;
        match request.post {
            None => self.end(counter),
            Some(post) => self.post(Operation {
                counter,
                context,
                post,
                over: false,
            }),
        }
    }

    fn post(&mut self, operation: Operation) {
        let sum = self.counters[&operation.counter].1;
        if sum >= u128::from(operation.post.threshold) {
            self.fired.push(operation);
        } else {
            self.pending.push(operation);
        }
    }

    /// Nothing waits for the counter any more, now or later.
    fn end(&mut self, counter: usize) {
        self.pending
            .retain(|operation| operation.counter != counter);
        let known = self.fired.iter_mut().chain(&mut self.left);
        for operation in known.filter(|operation| operation.counter == counter) {
            operation.over = true;
        }
    }

    /// The oldest command of a context that has fired leaves.
    pub fn leave(&mut self, context: u64) {
        let oldest = self.fired.iter().position(|one| one.context == context);
        let operation = self.fired.remove(oldest.expect("it has fired"));
        if operation.post.period > 0 {
            self.left.push_back(operation);
        }
    }

    /// What has left first is posted again, or ends.
    pub fn rearm(&mut self) {
        let mut operation = self.left.pop_front().expect("it has left");
        let next = operation.post.threshold.checked_add(operation.post.period);
        if let Some(threshold) = next.filter(|_| !operation.over) {
            operation.post.threshold = threshold;
            self.post(operation);
        }
    }

    /// A counter changes.
    pub fn update(&mut self, update: &Update) {
        let counter = update.counter;
        match update.change {
            Change::Alloc => {
                self.counters.insert(counter, (update.context, 0));
            }
            Change::Free => {
                self.counters.remove(&counter);
                self.end(counter);
            }
            Change::Value(sum) => {
                self.counters.insert(counter, (update.context, sum));
                let reached = |operation: &Operation| {
                    operation.counter == counter && u128::from(operation.post.threshold) <= sum
                };
                let fired = self.pending.iter().filter(|one| reached(one)).copied();
                self.fired.extend(fired);
                self.pending.retain(|operation| !reached(operation));
            }
        }
    }
}
