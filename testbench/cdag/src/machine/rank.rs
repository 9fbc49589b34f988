//! What a rank of the untimed NIC holds, and what it does by itself.

use crate::arithmetic::apply;
use crate::schedule::{Action, Entry, Gate, Program, Triggered};
use std::collections::VecDeque;

/// A rank: its host, its NIC and its GPU.
pub(super) struct Rank<'a> {
    pub(super) program: &'a Program,
    /// The operations, with the thresholds that they wait for or have waited for last; how often each has been done;
    /// and when each use is complete.
    pub(super) triggered: Vec<Triggered>,
    pub(super) times: Vec<usize>,
    pub(super) done: Vec<Gate>,
    /// How often each counter counts in one use: what is added to thresholds.
    counts: Vec<u64>,
    /// What its host writes before each use, and what memory held after each.
    pub(super) before: Vec<Vec<u8>>,
    pub(super) after: Vec<Vec<u8>>,
    pub(super) memory: Vec<u8>,
    pub(super) counters: Vec<u64>,
    /// What waits for each counter, in the order in which it began to.
    pub(super) waiting: Vec<Vec<usize>>,
    pub(super) fired: VecDeque<usize>,
    /// What has been done and is to wait again, in this order.
    pub(super) left: VecDeque<usize>,
    /// Entries that wait for messages, in the order of the list; appended ones with their number.
    pub(super) list: Vec<(Option<usize>, Entry)>,
    /// Tasks of the GPU, in the order of its queue, and the result of the one that it does.
    pub(super) tasks: VecDeque<usize>,
    pub(super) result: Vec<u8>,
    /// Starts of its host, several a use if several schedules are outstanding at once, and uses that it has started or
    /// is about to.
    pub(super) starts: u64,
    pub(super) asked: usize,
    /// Starts of one use.
    pub(super) of_use: u64,
}

impl<'a> Rank<'a> {
    pub(super) fn new(
        program: &'a Program,
        before: Vec<Vec<u8>>,
        counts: &[u64],
        of_use: u64,
    ) -> Self {
        let done = (0..before.len() as u64).map(|number| Gate {
            threshold: program.done.threshold + number * counts[program.done.counter],
            ..program.done
        });
        let triggered = program.triggered.clone();
        let mut waiting = vec![Vec::new(); program.counters];
        for (number, triggered) in triggered.iter().enumerate() {
            waiting[triggered.gate.counter].push(number);
        }
        Self {
            program,
            times: vec![0; triggered.len()],
            triggered,
            done: done.collect(),
            counts: counts.to_vec(),
            memory: before.first().cloned().unwrap_or_default(),
            before,
            after: Vec::new(),
            counters: vec![0; program.counters],
            waiting,
            fired: VecDeque::new(),
            left: VecDeque::new(),
            list: program.entries.iter().map(|entry| (None, *entry)).collect(),
            tasks: VecDeque::new(),
            result: Vec::new(),
            starts: 0,
            asked: 1,
            of_use,
        }
    }

    /// The host takes the results of the use before and writes the data of the next, which it is about to start.
    pub(super) fn write_next(&mut self) {
        let data = self.before.get(self.asked).cloned().unwrap_or_default();
        self.after.push(std::mem::replace(&mut self.memory, data));
        self.asked += 1;
    }

    pub(super) fn count(&mut self, counter: usize) {
        self.counters[counter] += 1;
        let count = self.counters[counter];
        let (fires, waits) = std::mem::take(&mut self.waiting[counter])
            .into_iter()
            .partition(|number| self.triggered[*number].gate.threshold <= count);
        self.waiting[counter] = waits;
        self.fired.extend::<Vec<usize>>(fires);
    }

    /// An operation has been done; whether it is to wait again.
    pub(super) fn leave(&mut self, operation: usize) -> bool {
        self.times[operation] += 1;
        let again = self.before.len() > 1;
        if again {
            self.left.push_back(operation);
        }
        again
    }

    /// What has been done first of those that are to wait again does so; it may fire at once.
    pub(super) fn rearm(&mut self) {
        if let Some(operation) = self.left.pop_front() {
            let gate = &mut self.triggered[operation].gate;
            gate.threshold += self.counts[gate.counter];
            match gate.threshold <= self.counters[gate.counter] {
                true => self.fired.push_back(operation),
                false => self.waiting[gate.counter].push(operation),
            }
        }
    }

    /// How many operations have not been done in each use, and no more often.
    pub(super) fn not_done(&self) -> usize {
        let uses = self.before.len();
        self.times.iter().filter(|times| **times != uses).count()
    }

    /// The GPU begins the task at the front: it has read both operands.
    pub(super) fn begin_task(&mut self) {
        if let Some(Action::Task {
            from,
            into,
            arithmetic: (operation, datatype),
            ..
        }) = self.task()
        {
            let source = self.memory[from.range()].to_vec();
            self.result = self.memory[into.range()].to_vec();
            apply(operation, datatype, &mut self.result, &source);
        }
    }

    /// It ends it: the result is there, and counted.
    pub(super) fn end_task(&mut self) {
        if let Some(Action::Task { into, counter, .. }) = self.task() {
            self.memory[into.range()].copy_from_slice(&self.result);
            self.tasks.pop_front();
            if let Some(counter) = counter {
                self.count(counter);
            }
        }
    }

    /// The task at the front of the queue.
    pub(super) fn task(&self) -> Option<Action> {
        let front = self.tasks.front();
        front.map(|operation| self.triggered[*operation].action)
    }

    /// Uses of which its host has made all starts.
    pub(super) fn started(&self) -> usize {
        (self.starts / self.of_use) as usize
    }

    /// Whether it has made the first start of use number `number`, from 0.
    pub(super) fn begun(&self, number: usize) -> bool {
        self.starts > number as u64 * self.of_use
    }

    /// Uses that its host has seen complete.
    pub(super) fn uses_ended(&self) -> usize {
        self.uses_done().min(self.started())
    }

    /// Uses that are complete.
    pub(super) fn uses_done(&self) -> usize {
        let is_done = |gate: &&Gate| self.counters[gate.counter] >= gate.threshold;
        self.done.iter().take_while(is_done).count()
    }
}
