//! `MessagePipeline`: random messages, spans that are not found and slow takers, against the list of what must come.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::by_name::{Hardware, field, pack};
use xtq_types::command::{Command, command_status as status, flag, operation as op};
use xtq_types::send::{CommandDone, GatherJob, MdFound, MessageFacts, MessageNote, SendJob};

/// A message that enters.
#[derive(Clone, Debug)]
struct Message {
    number: u64,
    owner: u64,
    total: u64,
    get: bool,
    two: bool,
    /// Whether each span is found.
    found: [bool; 2],
    completion: bool,
}

impl Message {
    fn random(rng: &mut ChaCha8Rng, number: u64) -> Self {
        let get = rng.random_bool(0.2);
        Self {
            number,
            owner: rng.random_range(0..4),
            total: [0, rng.random_range(1..5000)][rng.random_range(0..2usize)],
            get,
            two: !get && rng.random_bool(0.4),
            found: [rng.random_bool(0.9), rng.random_bool(0.9)],
            completion: rng.random_bool(0.3),
        }
    }

    fn spans(&self) -> usize {
        1 + usize::from(self.two)
    }

    fn is_good(&self) -> bool {
        self.found[..self.spans()].iter().all(|found| *found)
    }

    fn has_body(&self) -> bool {
        self.total > 0 && !self.get
    }

    /// Descriptors {context, number} in the order in which they are held.
    fn holds(&self) -> Vec<u64> {
        let [first, second] = [self.number % 200, (self.number + 7) % 200];
        let numbers = match (self.get, self.two) {
            (true, _) => vec![second],
            (_, true) => vec![first, second],
            _ => vec![first],
        };
        numbers.iter().map(|n| self.owner << 8 | n).collect()
    }

    fn command(&self) -> Vec<u64> {
        let operation = if self.get { op::GET } else { op::PUT };
        let flags = if self.completion { flag::COMPLETION } else { 0 };
        let fields = [
            ("operation", operation.into()),
            ("flags", flags.into()),
            ("descriptor", self.number % 200),
            ("second_descriptor", (self.number + 7) % 200),
            ("match_bits", self.number),
            ("user_pointer", self.number),
        ];
        pack(Command::FIELDS, &fields)
    }

    fn facts(&self) -> Vec<u64> {
        let fields = [
            ("owner", self.owner),
            ("total", self.total),
            ("get", self.get.into()),
            ("two", self.two.into()),
        ];
        pack(MessageFacts::FIELDS, &fields)
    }

    fn found(&self, span: usize) -> Vec<u64> {
        let status = match self.found[span] {
            true => status::OK,
            false => status::DESCRIPTOR_OVERFLOW,
        };
        let address = self.number * 1000 + span as u64;
        let fields = [("status", status.into()), ("address", address)];
        pack(MdFound::FIELDS, &fields)
    }
}

struct Run {
    block: Hardware,
    now: u64,
    /// Spans that are looked up: the cycle in which they are found.
    founds: VecDeque<(u64, Vec<u64>)>,
    /// Entered and not over, the oldest first; whether headers and bytes of the oldest are taken.
    under_way: VecDeque<Message>,
    sent: bool,
    gathered: bool,
    /// The message that is opened in this cycle, those that are not yet known to the message table.
    opens: Option<Message>,
    unknown: Vec<(u64, u64)>,
    holds: VecDeque<(u64, u64)>,
    /// Ends that must come.
    ends: VecDeque<Message>,
    /// Cycle in which each job was first offered, and each message entered.
    offered: Vec<u64>,
    entered: Vec<u64>,
    opened: u64,
    /// The next lookup may begin in this cycle.
    free: u64,
}

impl Run {
    fn new() -> Self {
        Self {
            block: Hardware::block("message_pipeline"),
            now: 0,
            founds: VecDeque::new(),
            under_way: VecDeque::new(),
            sent: false,
            gathered: false,
            opens: None,
            unknown: Vec::new(),
            holds: VecDeque::new(),
            ends: VecDeque::new(),
            offered: Vec::new(),
            entered: Vec::new(),
            opened: 0,
            free: 0,
        }
    }

    fn room(&mut self) -> bool {
        self.block.high("room") && self.free <= self.now
    }

    /// A cycle in which a message may enter; takers are ready or not: gather, send, done.
    fn cycle(&mut self, enters: Option<Message>, ready: [bool; 3]) {
        let block = &mut self.block;
        block.drive("enter", enters.is_some());
        if let Some(message) = &enters {
            block.set("command", &message.command());
            block.set("facts", &message.facts());
        }
        let found = self.founds.front().filter(|found| found.0 == self.now);
        block.drive("found_valid", found.is_some());
        if let Some((_, found)) = found.cloned() {
            block.set("found", &found);
            self.founds.pop_front();
        }
        for (name, ready) in ["gather_ready", "send_ready", "done_ready"]
            .iter()
            .zip(ready)
        {
            block.drive(name, ready);
        }
        block.drive("open_handle", self.opened);
        block.eval();
        self.check(ready);
        if let Some(message) = enters {
            for span in 0..message.spans() {
                let at = self.now + 3 + span as u64;
                self.founds.push_back((at, message.found(span)));
            }
            self.free = self.now + message.spans() as u64;
            self.unknown.push((message.number, message.owner));
            self.entered.push(self.now);
            self.under_way.push_back(message);
        }
        self.block.step();
        self.now += 1;
    }

    fn check(&mut self, ready: [bool; 3]) {
        let block = &self.block;
        // What must be reported of the message that was taken in the cycle before.
        assert_eq!(block.high("open_valid"), self.opens.is_some());
        for (_, owner) in &self.unknown {
            assert_eq!(block.word("under_way") >> owner & 1, 1);
        }
        let busy = !self.under_way.is_empty() || !self.ends.is_empty() || self.opens.is_some();
        assert!(!(busy && block.high("empty")), "cycle {}", self.now);
        if let Some(message) = self.opens.take() {
            let note = block.get("open");
            let get = |name| field(MessageNote::FIELDS, &note, name);
            assert_eq!(get("user_pointer"), message.number);
            assert_eq!(get("context"), message.owner);
            self.unknown.retain(|(number, _)| *number != message.number);
            self.opened += 1;
        }
        let holds = self.holds.front().filter(|hold| hold.0 == self.now);
        assert_eq!(block.high("hold_valid"), holds.is_some());
        if let Some((_, hold)) = holds.copied() {
            assert_eq!(block.word("hold"), hold);
            self.holds.pop_front();
        }
        if block.high("done_valid") {
            let done = block.get("done");
            let get = |name| field(CommandDone::FIELDS, &done, name);
            let message = self.ends.front().expect("something has ended");
            assert_eq!(get("user_pointer"), message.number);
            let good = get("status") == u64::from(status::OK);
            assert_eq!(good, message.is_good());
            if ready[2] {
                self.ends.pop_front();
            }
        }

        // Messages that are not sent leave without a word to those who send.
        while self
            .under_way
            .front()
            .is_some_and(|message| !message.is_good())
        {
            let message = self.under_way.pop_front().expect("is there");
            self.unknown.retain(|(number, _)| *number != message.number);
            self.ends.push_back(message);
        }
        let (sends, gathers) = (block.high("send_valid"), block.high("gather_valid"));
        if !sends && !gathers {
            return;
        }
        let message = self
            .under_way
            .front()
            .expect("a message is under way")
            .clone();
        if self.offered.len() < self.entered.len() && !self.sent && !self.gathered {
            self.offered.push(self.now);
        }
        if sends {
            assert!(!self.sent, "sent twice");
            let job = block.get("send");
            let get = |name| field(SendJob::FIELDS, &job, name);
            assert_eq!(get("match_bits"), message.number);
            assert_eq!(get("context"), message.owner);
            assert_eq!(get("initiator_handle"), self.opened & 0xFFFF);
            assert_eq!(get("has_body"), u64::from(message.has_body()));
            if ready[1] {
                self.sent = true;
                self.opens = Some(message.clone());
                let due = message.holds().into_iter().enumerate();
                let due = due.map(|(place, hold)| (self.now + 1 + place as u64, hold));
                self.holds.extend(due);
            }
        }
        if gathers {
            assert!(message.has_body() && !self.gathered);
            let job = block.get("gather");
            let get = |name| field(GatherJob::FIELDS, &job, name);
            assert_eq!(get("first_address"), message.number * 1000);
            if message.two {
                assert_eq!(get("second_address"), message.number * 1000 + 1);
            }
            assert_eq!(get("first_length"), message.total);
            self.gathered |= ready[0];
        }
        if self.sent && (self.gathered || !message.has_body()) {
            self.under_way.pop_front();
            (self.sent, self.gathered) = (false, false);
            if message.completion {
                self.ends.push_back(message);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn messages_leave_in_order_and_each_is_told_once(seed in any::<u64>(), enters in 0.1..1.0, takes in 0.1..1.0) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut run = Run::new();
        let mut number = 0;
        for _ in 0..600 {
            let enters = rng.random_bool(enters) && run.room();
            let message = enters.then(|| Message::random(&mut rng, number));
            number += u64::from(enters);
            run.cycle(message, [(); 3].map(|()| rng.random_bool(takes)));
        }
        for _ in 0..60 {
            run.cycle(None, [true; 3]);
        }
        prop_assert!(run.under_way.is_empty() && run.ends.is_empty() && run.holds.is_empty());
        prop_assert!(run.block.high("empty"));
        prop_assert_eq!(run.block.word("under_way"), 0);
    }
}

/// Messages with so many spans, one after the other as soon as may be.
fn cycles(two: bool) -> (u64, Vec<u64>) {
    let mut run = Run::new();
    for number in 0..40 {
        while !run.room() {
            run.cycle(None, [true; 3]);
        }
        let message = Message {
            number,
            owner: 0,
            total: 64,
            get: false,
            two,
            found: [true; 2],
            completion: true,
        };
        run.cycle(Some(message), [true; 3]);
    }
    for _ in 0..40 {
        run.cycle(None, [true; 3]);
    }
    let gaps = run.offered.windows(2).map(|pair| pair[1] - pair[0]);
    (run.offered[0] - run.entered[0], gaps.collect())
}

#[test]
fn a_message_every_two_cycles_and_with_two_spans_every_three() {
    assert_eq!(cycles(false), (5, vec![2; 39]));
    assert_eq!(cycles(true), (6, vec![3; 39]));
}
