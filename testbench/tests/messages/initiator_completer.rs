//! `InitiatorCompleter`: random messages that are reported in any order, with slow takers, against a model that does
//! one thing after the other.

mod turns;

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::by_name::{Hardware, field, pack};
use xtq_types::command::{md_option, operation as op};
use xtq_types::counter::CounterCount;
use xtq_types::event::{Event, kind};
use xtq_types::pipe::ReplyEnd;
use xtq_types::send::{CommandDone, MdInfo, MessageNote, OwnEvent, SentNote};
use xtq_types::wire_header::WireHeader;

/// Message places that are used, {context 2, number 6}.
const PLACES: [u64; 5] = [0, 1, 64, 130, 255];

/// A message in its place.
#[derive(Clone, Debug)]
struct Message {
    number: u64,
    /// 0: no answer, 1: an acknowledgement; or a reply.
    ack: u64,
    replies: bool,
    two: bool,
    descriptors: [u64; 2],
    sent: bool,
    answered: bool,
}

/// What comes in.
#[derive(Clone, Copy, Debug)]
enum Item {
    Sent(usize, bool),
    /// With the generation that it names.
    Answer(usize, u64),
    Reply(usize),
    Command(u64),
}

/// What goes out.
#[derive(Clone, Debug, PartialEq)]
enum Out {
    /// Kind and user pointer.
    Event(u8, u64),
    /// Counter of the descriptor, and whether it is a failure.
    Count(u64, bool),
    Drop(u64),
    Sent(u64),
    Answered(u64),
    Stray,
}

/// Options and counter of a descriptor: any of them, from its number.
fn descriptor(number: u64) -> (u32, Option<u64>) {
    let all = [
        md_option::EVENTS,
        md_option::CT_SEND,
        md_option::CT_ACK,
        md_option::CT_REPLY,
        md_option::SEND_DISABLE,
    ];
    let chosen = all
        .iter()
        .enumerate()
        .filter(|(bit, _)| number >> bit & 1 == 1);
    let options = chosen.fold(0, |options, (_, option)| options | option);
    (options, (number >> 5 & 1 == 1).then_some(number & 15))
}

/// Messages as they are after all that was accepted.
struct Model {
    messages: Vec<Message>,
    generations: Vec<u64>,
    expected: VecDeque<Out>,
}

impl Model {
    fn end(&mut self, at: usize, out: Out) {
        let message = &self.messages[at];
        if message.sent && message.answered {
            let context = PLACES[at] >> 6;
            let held = message.descriptors[..1 + usize::from(message.two)].iter();
            self.expected
                .extend(held.map(|number| Out::Drop(context << 8 | number)));
        }
        self.expected.push_back(out);
    }

    fn accept(&mut self, item: Item) {
        match item {
            Item::Sent(at, failed) => {
                let message = &mut self.messages[at];
                message.sent = true;
                let (options, counter) = descriptor(message.descriptors[0]);
                let is_get = message.replies && !message.two;
                let silent = options & md_option::SEND_DISABLE != 0 || is_get;
                if options & md_option::EVENTS != 0 && (failed || !silent) {
                    self.expected
                        .push_back(Out::Event(kind::SEND, message.number));
                }
                let counts = options & md_option::CT_SEND != 0 && !is_get;
                if let Some(counter) = counter.filter(|_| counts) {
                    self.expected.push_back(Out::Count(counter, failed));
                }
                self.end(at, Out::Sent(PLACES[at]));
            }
            Item::Answer(at, generation) => {
                let message = &mut self.messages[at];
                if message.answered || message.replies || generation != self.generations[at] {
                    return self.expected.push_back(Out::Stray);
                }
                message.answered = true;
                let (options, counter) = descriptor(message.descriptors[0]);
                if options & md_option::EVENTS != 0 {
                    self.expected
                        .push_back(Out::Event(kind::ACK, message.number));
                }
                let counts = options & md_option::CT_ACK != 0;
                if let Some(counter) = counter.filter(|_| counts) {
                    self.expected.push_back(Out::Count(counter, false));
                }
                self.end(at, Out::Answered(PLACES[at]));
            }
            Item::Reply(at) => {
                let message = &mut self.messages[at];
                message.answered = true;
                let (options, counter) = descriptor(message.descriptors[usize::from(message.two)]);
                if options & md_option::EVENTS != 0 {
                    self.expected
                        .push_back(Out::Event(kind::REPLY, message.number));
                }
                let counts = options & md_option::CT_REPLY != 0;
                if let Some(counter) = counter.filter(|_| counts) {
                    self.expected.push_back(Out::Count(counter, false));
                }
                self.end(at, Out::Answered(PLACES[at]));
            }
            Item::Command(number) => {
                self.expected.push_back(Out::Event(kind::COMMAND, number));
            }
        }
    }
}

struct Run {
    block: Hardware,
    model: Model,
    /// The message table, as the block has reported to it.
    table: Vec<Message>,
    /// What waits: sent, answers, replies, commands.
    queues: [VecDeque<Item>; 4],
    /// Which of them are offered.
    shown: [bool; 4],
    /// What was read in the cycle before.
    note: Option<(Message, u64, usize)>,
    md: u64,
    number: u64,
    now: u64,
    accepted: Vec<u64>,
}

impl Run {
    fn new(rng: &mut ChaCha8Rng) -> Self {
        let messages: Vec<_> = (0..PLACES.len() as u64)
            .map(|n| Self::message(rng, n))
            .collect();
        let mut run = Self {
            block: Hardware::block("initiator_completer"),
            table: messages.clone(),
            model: Model {
                messages,
                generations: vec![0; PLACES.len()],
                expected: VecDeque::new(),
            },
            queues: Default::default(),
            shown: [false; 4],
            note: None,
            md: 0,
            number: 1000,
            now: 0,
            accepted: Vec::new(),
        };
        (0..PLACES.len()).for_each(|at| run.send(rng, at));
        run
    }

    fn message(rng: &mut ChaCha8Rng, number: u64) -> Message {
        let replies = rng.random_bool(0.3);
        let ack = if replies { 1 } else { rng.random_range(0..2) };
        Message {
            number,
            ack,
            replies,
            two: rng.random_bool(0.4),
            descriptors: [rng.random_range(0..64), rng.random_range(0..64)],
            sent: false,
            answered: ack == 0,
        }
    }

    /// Queues what is to be reported of a new message, and things that are not to be believed.
    fn send(&mut self, rng: &mut ChaCha8Rng, at: usize) {
        let message = &self.model.messages[at];
        self.queues[0].push_back(Item::Sent(at, rng.random_bool(0.1)));
        let generation = self.model.generations[at];
        if message.replies {
            self.queues[2].push_back(Item::Reply(at));
        } else if message.ack == 1 {
            let times = if rng.random_bool(0.3) { 2 } else { 1 };
            self.queues[1].extend(vec![Item::Answer(at, generation); times]);
        }
        if rng.random_bool(0.1) {
            self.queues[1].push_back(Item::Answer(at, generation + 1));
        }
        if rng.random_bool(0.3) {
            self.queues[3].push_back(Item::Command(self.number));
            self.number += 1;
        }
    }

    fn drive(&mut self, offers: [bool; 4], ready: [bool; 2]) {
        let block = &mut self.block;
        self.shown = std::array::from_fn(|i| offers[i] && !self.queues[i].is_empty());
        for (name, valid) in ["sent_valid", "answer_valid", "reply_valid", "done_valid"]
            .iter()
            .zip(self.shown)
        {
            block.drive(name, valid);
        }
        for queue in &self.queues {
            match queue.front().copied() {
                Some(Item::Sent(at, failed)) => {
                    let fields = [("place", PLACES[at]), ("error", failed.into())];
                    block.set("sent", &pack(SentNote::FIELDS, &fields));
                }
                Some(Item::Answer(at, generation)) => {
                    let fields = [
                        ("initiator_handle", generation << 8 | PLACES[at]),
                        ("target_context", PLACES[at] >> 6),
                    ];
                    block.set("answer", &pack(WireHeader::FIELDS, &fields));
                }
                Some(Item::Reply(at)) => {
                    let fields = [("handle", self.model.generations[at] << 8 | PLACES[at])];
                    block.set("reply", &pack(ReplyEnd::FIELDS, &fields));
                }
                Some(Item::Command(number)) => {
                    let fields = [("user_pointer", number)];
                    block.set("done", &pack(CommandDone::FIELDS, &fields));
                }
                None => {}
            }
        }
        if let Some((message, generation, at)) = &self.note {
            let operation = match message.replies && !message.two {
                true => op::GET,
                false => op::PUT,
            };
            let fields = [
                ("context", PLACES[*at] >> 6),
                ("operation", operation.into()),
                ("ack_request", message.ack),
                ("replies", message.replies.into()),
                ("descriptor", message.descriptors[0]),
                ("second_descriptor", message.descriptors[1]),
                ("two", message.two.into()),
                ("user_pointer", message.number),
            ];
            block.set("note", &pack(MessageNote::FIELDS, &fields));
            block.drive("generation", *generation);
            let ended = message.sent && message.answered;
            block.drive("note_open", !ended);
            block.drive("note_sent", message.sent);
            block.drive("note_answered", message.answered);
        }
        let (options, counter) = descriptor(self.md);
        let fields = [
            ("options", options.into()),
            ("counted", counter.is_some().into()),
            ("counter", counter.unwrap_or(0)),
        ];
        block.set("md", &pack(MdInfo::FIELDS, &fields));
        block.drive("own_ready", ready[0]);
        block.drive("count_ready", ready[1]);
        block.eval();
    }

    /// What the block says in this cycle, in the order of its contract.
    fn said(&self, ready: [bool; 2]) -> Vec<Out> {
        let block = &self.block;
        let mut said = Vec::new();
        if block.high("own_valid") && ready[0] {
            // The event begins after the context.
            let own = block.get("own");
            let at = own_offset();
            let word = |i: usize| own[i] >> at | own.get(i + 1).unwrap_or(&0) << (64 - at);
            let event: Vec<u64> = (0..8).map(word).collect();
            let get = |name| field(Event::FIELDS, &event, name);
            said.push(Out::Event(get("kind") as u8, get("packet_id")));
        }
        if block.high("count_valid") && ready[1] {
            let count = block.get("count");
            let get = |name| field(CounterCount::FIELDS, &count, name);
            assert_eq!(get("success") == 0, get("failure") == 1);
            said.push(Out::Count(get("counter"), get("failure") == 1));
        }
        if block.high("unhold_valid") {
            said.push(Out::Drop(block.word("unhold")));
        }
        if block.high("sent_place") {
            said.push(Out::Sent(block.word("place")));
        }
        if block.high("answered") {
            said.push(Out::Answered(block.word("place")));
        }
        said
    }

    fn cycle(&mut self, offers: [bool; 4], ready: [bool; 2]) {
        self.drive(offers, ready);
        let stray = self.block.high("count_stray");
        let said = self.said(ready);
        let read = PLACES
            .iter()
            .position(|place| *place == self.block.word("read"));
        let read = read.map(|at| (self.table[at].clone(), self.model.generations[at], at));
        self.md = self.block.word("read_md") & 63;
        let names = ["sent_ready", "answer_ready", "reply_ready", "done_ready"];
        let taken = (0..4).find(|&i| self.shown[i] && self.block.high(names[i]));
        // The order of what is reported is that of what was accepted; a stray one is reported beside what is before it.
        if stray {
            let first = self
                .model
                .expected
                .iter()
                .position(|out| *out == Out::Stray);
            let first = first.expect("something is stray");
            self.model.expected.remove(first);
        }
        for out in said {
            assert_eq!(
                self.model.expected.pop_front().as_ref(),
                Some(&out),
                "cycle {}",
                self.now
            );
            for (at, place) in PLACES.iter().enumerate() {
                self.table[at].sent |= out == Out::Sent(*place);
                self.table[at].answered |= out == Out::Answered(*place);
            }
        }
        self.note = read;
        if let Some(queue) = taken {
            let item = self.queues[queue].pop_front().expect("was offered");
            // What is known to wait as sent comes before the answer to it.
            if let (Item::Answer(at, _) | Item::Reply(at), true) = (item, self.shown[0]) {
                assert!(self.model.messages[at].sent, "cycle {}", self.now);
            }
            self.model.accept(item);
            self.accepted.push(self.now);
        }
        self.block.step();
        self.now += 1;
    }

    /// Places whose message has ended, and of which nothing more will be reported, get another.
    fn renew(&mut self, rng: &mut ChaCha8Rng) {
        for at in 0..PLACES.len() {
            let named = |item: &Item| match *item {
                Item::Sent(place, _) | Item::Answer(place, _) | Item::Reply(place) => place == at,
                Item::Command(_) => false,
            };
            let ended = self.table[at].sent && self.table[at].answered;
            if !ended || self.queues.iter().flatten().any(named) || !self.model.expected.is_empty()
            {
                continue;
            }
            let message = Self::message(rng, self.number);
            self.number += 1;
            self.table[at] = message.clone();
            self.model.messages[at] = message;
            self.model.generations[at] = (self.model.generations[at] + 1) % 200;
            self.send(rng, at);
        }
    }
}

/// First bit of the event in an [`OwnEvent`].
fn own_offset() -> usize {
    let event = OwnEvent::FIELDS.iter().find(|field| field.name == "event");
    event.expect("has an event").offset
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_is_told_in_the_order_in_which_it_came(seed in any::<u64>(), offers in 0.2..1.0, takes in 0.2..1.0) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut run = Run::new(&mut rng);
        for _ in 0..1500 {
            let shown = [(); 4].map(|()| rng.random_bool(offers));
            run.cycle(shown, [(); 2].map(|()| rng.random_bool(takes)));
            run.renew(&mut rng);
        }
        for _ in 0..400 {
            run.cycle([true; 4], [true; 2]);
        }
        prop_assert!(run.queues.iter().all(VecDeque::is_empty));
        prop_assert!(run.model.expected.is_empty(), "{:?}", run.model.expected);
        prop_assert!(!run.block.high("working"));
        prop_assert!(run.accepted.len() > 40);
    }
}
