//! The model beside hardware: one thing happens to a node, and there is what it caused and what is there now.
//! `docs/portals-model.md` says how the two are run together.

use super::command::{Command, Refusal, Trigger};
use super::event::Event;
use super::ids::{CounterId, Portal, QueueId};
use super::memory::Memory;
use super::message::{Request, RequestError, Response};
use super::node::{Node, Status};
use super::objects::Counter;
use super::order::only_auto_free_floats;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// One thing that happens to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A request arrives, all of it.
    Request(Request),
    /// A response arrives, all of it.
    Response(Response),
    /// A command of the host is executed; with a trigger, posted.
    Command(Option<Trigger>, Command),
    /// The triggered operation that was reached first runs; nothing if there is none. Only with
    /// [`super::NodeConfig::fires_by_step`].
    Fire,
    /// The same of the one that was reached so many operations after the first one: which of those that are reached
    /// fires first, hardware with several messages under way decides.
    FireAt(usize),
}

/// What a step caused, each part in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Why the command was not done; none if it was, and of messages.
    pub refusal: Option<Refusal>,
    /// The answer to the request.
    pub response: Option<Response>,
    /// Requests that left.
    pub sent: Vec<Request>,
    /// New events of each queue that has any; only the newest, if they were more than the queue has places.
    pub events: BTreeMap<QueueId, Vec<Event>>,
}

/// What is there between two steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Every counter.
    pub counters: BTreeMap<CounterId, Counter>,
    /// Operations that have not been reached, by counter; none is 0.
    pub pending: BTreeMap<CounterId, u64>,
    /// Lists of every portal.
    pub lists: BTreeMap<Portal, Lists>,
    /// Status registers.
    pub status: Status,
    /// All memory.
    pub memory: Memory,
}

/// The lists of a portal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// User pointers of the entries, first one first.
    pub priority: Vec<u64>,
    /// User pointers of the entries, first one first.
    pub overflow: Vec<u64>,
    /// Number of unexpected headers.
    pub unexpected: usize,
    /// Takes messages.
    pub enabled: bool,
}

impl Node {
    /// Does one thing, and all that it sets off unless that is done by steps. After an error nothing has changed.
    /// Requests that were sent before and not taken belong to this step.
    pub fn step(&mut self, action: Action) -> Result<Effects, RequestError> {
        let before: Vec<u64> = self.queues.iter().map(|queue| queue.posted()).collect();
        let mut effects = Effects::default();
        match action {
            Action::Request(request) => effects.response = self.receive(&request)?,
            Action::Response(response) => self.acknowledge(&response),
            Action::Command(None, command) => effects.refusal = self.post(command).err(),
            Action::Command(Some(trigger), command) => {
                effects.refusal = self.post_triggered(trigger, command).err();
            }
            Action::Fire => {
                self.fire();
            }
            Action::FireAt(place) => {
                self.fire_at(place);
            }
        }
        effects.sent = self.take_sent();
        for (number, (queue, before)) in self.queues.iter().zip(before).enumerate() {
            let new = queue.newest(queue.posted() - before);
            if !new.is_empty() {
                effects.events.insert(QueueId(number), new);
            }
        }
        Ok(effects)
    }

    /// What is there now.
    pub fn state(&self) -> State {
        let mut pending = BTreeMap::new();
        for (trigger, _) in self.triggers.pending() {
            *pending.entry(trigger.counter).or_default() += 1;
        }
        let user_ptrs = |list: &[_]| {
            let entries = list.iter().filter_map(|id| self.entries.get(id));
            entries.map(|entry| entry.me.user_ptr).collect()
        };
        let lists = self.portals.iter().map(|(index, portal)| {
            let lists = Lists {
                priority: user_ptrs(&portal.priority),
                overflow: user_ptrs(&portal.overflow),
                unexpected: portal.unexpected.len(),
                enabled: portal.enabled,
            };
            (*index, lists)
        });
        State {
            counters: self.counters.clone(),
            pending,
            lists: lists.collect(),
            status: self.status,
            memory: self.memory.clone(),
        }
    }
}

impl Effects {
    /// One line for each effect that is not as expected. AUTO_FREE floats, and handles of requests that were sent are
    /// the sender's own.
    pub fn differences(&self, got: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        difference(&mut lines, "refusal", &self.refusal, &got.refusal);
        difference(&mut lines, "response", &self.response, &got.response);
        let without_handles = |sent: &[Request]| -> Vec<Request> {
            let requests = sent.iter().cloned();
            requests
                .map(|request| Request {
                    handle: 0,
                    ..request
                })
                .collect()
        };
        let (expected, seen) = (without_handles(&self.sent), without_handles(&got.sent));
        lists(&mut lines, "sent", &expected, &seen);
        for queue in keys(&self.events, &got.events) {
            let of = |effects: &Self| effects.events.get(&queue).cloned().unwrap_or_default();
            let (expected, got) = (of(self), of(got));
            if !only_auto_free_floats(&expected, &got) {
                lists(&mut lines, &format!("events.{}", queue.0), &expected, &got);
            }
        }
        lines
    }
}

impl State {
    /// One line for each value that is not as expected; of memory, for each run of bytes.
    pub fn differences(&self, got: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        for id in keys(&self.counters, &got.counters) {
            let name = format!("counters.{}", id.0);
            let (expected, got) = (self.counters.get(&id), got.counters.get(&id));
            difference(&mut lines, &name, &expected, &got);
        }
        for id in keys(&self.pending, &got.pending) {
            let name = format!("pending.{}", id.0);
            let (expected, got) = (self.pending.get(&id), got.pending.get(&id));
            difference(&mut lines, &name, &expected, &got);
        }
        for id in keys(&self.lists, &got.lists) {
            let name = format!("lists.{}", id.0);
            let (expected, got) = (self.lists.get(&id), got.lists.get(&id));
            difference(&mut lines, &name, &expected, &got);
        }
        difference(&mut lines, "status", &self.status, &got.status);
        lines.extend(self.memory.differences(&got.memory));
        lines
    }
}

/// The keys of either.
fn keys<K: Copy + Ord, V>(one: &BTreeMap<K, V>, other: &BTreeMap<K, V>) -> Vec<K> {
    let mut keys: Vec<K> = one.keys().chain(other.keys()).copied().collect();
    keys.sort();
    keys.dedup();
    keys
}

fn difference<T: PartialEq + Debug>(lines: &mut Vec<String>, name: &str, expected: &T, got: &T) {
    if expected != got {
        lines.push(format!("{name}: expected {expected:?}, got {got:?}"));
    }
}

fn lists<T: PartialEq + Debug>(lines: &mut Vec<String>, name: &str, expected: &[T], got: &[T]) {
    for place in 0..expected.len().max(got.len()) {
        let name = format!("{name}[{place}]");
        difference(lines, &name, &expected.get(place), &got.get(place));
    }
}
