//! The rules of triggered operations in a few lines: a list in posting order, searched at every change.

use std::collections::HashMap;

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

/// What the engine is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    pub counter: usize,
    pub context: u64,
    /// What to post and its threshold; nothing: cancel.
    pub post: Option<(u64, Command)>,
}

/// All contexts, counters and pending commands.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Owner and success + failure of the counters that have an owner.
    pub counters: HashMap<usize, (u64, u128)>,
    /// Counter, threshold, command and its context, in posting order.
    pub pending: Vec<(usize, u64, Command, u64)>,
    /// Commands and their contexts in the order in which they fire.
    pub fired: Vec<(Command, u64)>,
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
            None => self.pending.retain(|entry| entry.0 != counter),
            Some((threshold, command)) => {
                if self.counters[&counter].1 >= u128::from(threshold) {
                    self.fired.push((command, context));
                } else {
                    self.pending.push((counter, threshold, command, context));
                }
            }
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
                self.pending.retain(|entry| entry.0 != counter);
            }
            Change::Value(sum) => {
                self.counters.insert(counter, (update.context, sum));
                let reached =
                    |entry: &(usize, u64, _, _)| entry.0 == counter && u128::from(entry.1) <= sum;
                let fired = self.pending.iter().filter(|entry| reached(entry));
                self.fired.extend(fired.map(|entry| (entry.2, entry.3)));
                self.pending.retain(|entry| !reached(entry));
            }
        }
    }
}
