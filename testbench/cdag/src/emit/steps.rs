//! What the process of a rank does, step by step.

use super::{Backend, Posting, Surroundings, calls, memory, name};
use crate::plan::Plan;
use crate::reuse;
use crate::schedule::{Action, Gate, Program, Schedule, Triggered};
use std::collections::{BTreeMap, BTreeSet};

/// The steps of a process.
pub(super) struct Steps<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) plan: &'a Plan,
    pub(super) program: &'a Program,
    pub(super) rank: usize,
    /// How often each of its counters counts in one use.
    pub(super) counts: &'a [u64],
    pub(super) surroundings: &'a Surroundings,
}

/// Steps that are added one by one.
#[derive(Default)]
struct Written {
    steps: Vec<String>,
    /// Cycles that the host takes for a command.
    command: u64,
}

impl Written {
    fn add(&mut self, call: String) {
        self.steps.push(format!("{{ {call} }}"));
    }

    fn add_named(&mut self, name: &str, call: String) {
        self.add(format!("name = \"{name}\", {call}"));
    }

    /// A command of the host, which takes its time; none for what is no command of the NIC.
    fn give(&mut self, call: impl Into<Option<String>>) {
        if let Some(call) = call.into() {
            self.pause(self.command);
            self.add(call);
        }
    }

    /// An event of this name reports a gate to the host.
    fn report(&mut self, name: &str, gate: Gate, every: Option<u64>) {
        self.give(calls::report(name, gate, every));
    }

    fn pause(&mut self, cycles: u64) {
        if cycles > 0 {
            self.add(calls::delay(cycles));
        }
    }

    /// All commands before have been taken.
    fn taken(&mut self, name: &str) {
        self.give(format!("name = \"{name}\", nop = {{}}, completion = true"));
        self.add(calls::ended(name));
    }
}

impl Steps<'_> {
    pub(super) fn program(&self) -> Vec<String> {
        let Surroundings {
            posting,
            times,
            meet,
            ..
        } = *self.surroundings;
        let barrier = self.schedule.barrier;
        let mut written = Written::default();
        written.add("ptl_pt_alloc = { pt = \"lists\" }".to_owned());
        self.objects(&mut written, true);
        let loops = posting == Posting::InLoop;
        if barrier {
            written.taken("made");
            let step = calls::barrier("communicator");
            match loops {
                true => written.add_named("begin", step),
                false => written.add(step),
            }
        }
        if loops {
            self.late(&mut written);
            written.command = times.command;
        }
        self.objects(&mut written, false);
        let uses: Vec<(Vec<Triggered>, Gate)> = (0..=self.surroundings.again)
            .map(|number| reuse::posts(self.program, number, self.counts))
            .collect();
        self.post(&mut written, &uses);
        if !loops || !barrier {
            written.taken("posted");
        }
        written.command = times.command;
        for (number, (triggered, done)) in (0..).zip(&uses) {
            self.between(&mut written, number);
            if !barrier || meet {
                let all = name("all have posted", number);
                written.add_named(&name("begin", number), calls::barrier(&all));
            }
            if !loops {
                self.late(&mut written);
            }
            written.pause(written.command);
            written.add_named(&name("start", number), calls::count(self.program.start));
            for _ in 1..self.schedule.starts {
                written.pause(self.surroundings.apart + written.command);
                written.add(calls::count(self.program.start));
            }
            match self.surroundings.backend {
                Backend::Host => self.by_hand(&mut written, number, triggered, *done),
                Backend::Offloaded => {
                    written.pause(times.work);
                    // Its reports are those of the first use, which re-arm.
                    self.windows(&mut written, triggered);
                    written.add_named(&name("end", number), calls::ended("done"));
                }
            }
        }
        written.steps
    }

    /// What its host does with memory before use number `number`.
    fn between(&self, written: &mut Written, number: u64) {
        let before = number.checked_sub(1).map(|before| before as usize);
        let of_use = before.and_then(|before| self.surroundings.between.get(before));
        if let Some(between) = of_use.and_then(|ranks| ranks.get(self.rank)) {
            let expects = memory("expect_memory", &between.expects);
            for call in expects.chain(memory("write_memory", &between.writes)) {
                written.add(call);
            }
        }
    }

    /// The rank starts late.
    fn late(&self, written: &mut Written) {
        let late = self.surroundings.late.get(self.rank);
        written.pause(late.copied().unwrap_or(0));
    }

    /// Counters, descriptors and entries: those that the communicator has, or the others.
    fn objects(&self, written: &mut Written, early: bool) {
        let length = self.schedule.memory[self.rank];
        let Program {
            counters,
            descriptors,
            entries,
            start,
            ..
        } = self.program;
        let ahead = self.surroundings.posting == Posting::Ahead;
        let barrier = entries.iter().filter(|entry| entry.early);
        let mut of_barrier: BTreeSet<usize> = barrier.filter_map(|entry| entry.counter).collect();
        if self.schedule.barrier {
            of_barrier.insert(*start);
        }
        for number in 0..*counters {
            if (ahead || of_barrier.contains(&number)) == early {
                written.give(calls::counter(number));
            }
        }
        if ahead == early {
            for (number, descriptor) in descriptors.iter().enumerate() {
                written.give(calls::descriptor(number, descriptor, length));
            }
        }
        for (number, entry) in entries.iter().enumerate() {
            if entry.early == early {
                written.give(calls::entry(&format!("e{number}"), entry, length));
            }
        }
    }

    /// Posts the operations, as far as they fit, and what reports the end to the host. If there are more uses all wait
    /// again.
    fn post(&self, written: &mut Written, uses: &[(Vec<Triggered>, Gate)]) {
        if self.surroundings.backend == Backend::Host {
            return self.post_reports(written, uses);
        }
        let first = self.plan.first_window(self.rank);
        self.post_some(written, &self.program.triggered[..first], 0);
        written.report("done", self.program.done, self.every(self.program.done));
    }

    /// Period of an operation with this gate.
    fn every(&self, gate: Gate) -> Option<u64> {
        (self.surroundings.again > 0).then(|| self.counts[gate.counter])
    }

    /// Posts operations of which the first is operation `from`: work is what is reported to the host.
    fn post_some(&self, written: &mut Written, some: &[Triggered], from: usize) {
        for (place, triggered) in (from..).zip(some) {
            let every = self.every(triggered.gate);
            match triggered.action {
                Action::Work { .. } => written.report(&work(place), triggered.gate, every),
                _ => written.give(calls::triggered(triggered, every)),
            }
        }
    }

    /// The host does the work of these operations, in their order, which is one of the graph: each when it is reported.
    fn do_works(&self, written: &mut Written, some: &[Triggered], from: usize) {
        for (place, triggered) in (from..).zip(some) {
            if let Action::Work { .. } = triggered.action {
                written.add(calls::ended(&work(place)));
                self.act(written, triggered.action);
            }
        }
    }

    /// Posts what reports each gate to a host that does it by hand, as far as that fits.
    fn post_reports(&self, written: &mut Written, uses: &[(Vec<Triggered>, Gate)]) {
        let mut places = self.plan.one_posting;
        for (number, (triggered, done)) in (0..).zip(uses) {
            let gates = self.gates(triggered, *done, number).into_iter();
            for (place, gate) in gates.enumerate().take(places) {
                written.report(&name(&format!("gate {place}"), number), gate, None);
                places -= 1;
            }
        }
    }

    /// The gates that a host waits at in use `number`, in order; the last is that of the end.
    fn gates(&self, triggered: &[Triggered], done: Gate, number: u64) -> Vec<Gate> {
        let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
        let later = triggered
            .iter()
            .map(|one| one.gate)
            .filter(|gate| !self.is_start(*gate, number));
        let is_new = |gate: &Gate| {
            let known = reached.entry(gate.counter).or_default();
            gate.threshold > std::mem::replace(known, gate.threshold.max(*known))
        };
        let mut gates: Vec<Gate> = later.filter(is_new).collect();
        gates.push(done);
        gates
    }

    /// What does not fit is posted when everything before it has been done; work is done between.
    fn windows(&self, written: &mut Written, triggered: &[Triggered]) {
        for window in self.plan.windows(self.rank) {
            let (from, to) = (window.start, window.end);
            let before = &triggered[window];
            if from > 0 {
                self.post_some(written, before, from);
            }
            self.do_works(written, before, from);
            if to == triggered.len() {
                return;
            }
            let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
            for Triggered { gate, .. } in before {
                let threshold = reached.entry(gate.counter).or_default();
                *threshold = gate.threshold.max(*threshold);
            }
            for (counter, threshold) in reached {
                written.give(calls::wait(Gate { counter, threshold }));
            }
        }
    }

    /// The host gives what may start at once, works, and then waits at each gate and gives the rest.
    fn by_hand(&self, written: &mut Written, number: u64, triggered: &[Triggered], done: Gate) {
        let times = self.surroundings.times;
        let at_once = |triggered: &&Triggered| self.is_start(triggered.gate, number);
        for triggered in triggered.iter().filter(at_once) {
            self.act(written, triggered.action);
        }
        written.pause(times.work);
        let gates = self.gates(triggered, done, number);
        let mut waited = 0;
        for Triggered { gate, action } in triggered.iter().filter(|one| !at_once(one)) {
            if waited + 1 < gates.len() && gates[waited] == *gate {
                written.add(self.wait(number, waited, *gate));
                waited += 1;
            }
            self.act(written, *action);
        }
        written.add_named(&name("end", number), self.wait(number, waited, done));
    }

    /// Waits at a gate of use `number`: for its report, or, where none was posted, for the counter.
    fn wait(&self, number: u64, place: usize, gate: Gate) -> String {
        match number as usize * self.gates_of_a_use() + place < self.plan.one_posting {
            true => calls::ended(&name(&format!("gate {place}"), number)),
            false => calls::wait(gate),
        }
    }

    /// How many gates a host waits at in each use.
    fn gates_of_a_use(&self) -> usize {
        self.gates(&self.program.triggered, self.program.done, 0)
            .len()
    }

    /// Whether it is there as soon as use `number` has been started.
    fn is_start(&self, gate: Gate, number: u64) -> bool {
        let start = self.program.start;
        let before = number * self.counts[start];
        gate == Gate {
            counter: start,
            threshold: before + 1,
        }
    }

    /// A host does an operation of its schedule; to send takes a library more than to count.
    fn act(&self, written: &mut Written, action: Action) {
        if let Action::Work { cycles, counter } = action {
            written.pause(cycles);
            written.give(counter.map(calls::count));
        }
        if matches!(action, Action::Send { .. } | Action::Get { .. }) {
            written.pause(self.surroundings.times.message);
        }
        written.give(calls::call(action));
    }
}

/// Name of the report that wakes the host for operation `place`.
fn work(place: usize) -> String {
    format!("work {place}")
}
