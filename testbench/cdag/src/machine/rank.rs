//! What a rank of the untimed NIC holds, and what it does by itself.

use crate::arithmetic::apply;
use crate::reuse;
use crate::schedule::{Action, Entry, Gate, Program, Triggered};
use std::collections::VecDeque;

/// A rank: its host, its NIC and its GPU.
pub(super) struct Rank<'a> {
    pub(super) program: &'a Program,
    /// The operations of all uses, in posting order, and when each use is complete.
    pub(super) triggered: Vec<Triggered>,
    pub(super) done: Vec<Gate>,
    /// What its host writes before each use, and what memory held after each.
    pub(super) before: Vec<Vec<u8>>,
    pub(super) after: Vec<Vec<u8>>,
    pub(super) memory: Vec<u8>,
    pub(super) counters: Vec<u64>,
    /// What waits for each counter, in posting order.
    pub(super) waiting: Vec<Vec<usize>>,
    pub(super) fired: VecDeque<usize>,
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
        let uses = 0..before.len() as u64;
        let posted = uses.map(|number| reuse::posts(program, number, counts));
        let (triggered, done): (Vec<_>, Vec<_>) = posted.unzip();
        let triggered = triggered.concat();
        let mut waiting = vec![Vec::new(); program.counters];
        for (number, triggered) in triggered.iter().enumerate() {
            waiting[triggered.gate.counter].push(number);
        }
        Self {
            program,
            triggered,
            done,
            memory: before.first().cloned().unwrap_or_default(),
            before,
            after: Vec::new(),
            counters: vec![0; program.counters],
            waiting,
            fired: VecDeque::new(),
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
