//! The completer by its pins: messages of chosen fields, and what one makes it say.

use xtq_engine::Engine;
use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::event::Event;
use xtq_types::memory::WriteRequest;
use xtq_types::pipe::MessageInfo;
use xtq_types::wire_header::WireHeader;

use crate::completer::number;

/// Fields of an info by name.
pub fn info(fields: &[(&str, u64)]) -> Vec<u64> {
    let mut words = vec![0; 10];
    for (name, value) in fields {
        let field = MessageInfo::FIELDS.iter().find(|field| field.name == *name);
        let field = field.expect("there is such a field");
        for i in 0..field.width.min(64) {
            words[(field.offset + i) / 64] |= (value >> i & 1) << ((field.offset + i) % 64);
        }
    }
    words
}

/// Sets pins by name.
pub fn drive(engine: &mut dyn Engine, pins: &[(&str, &[u64])]) {
    for (name, words) in pins {
        let pin = Pin::input(engine, name).expect("is an input");
        pin.set_words(engine, words).expect("is an input");
    }
    engine.eval().expect("settles");
}

pub fn high(engine: &dyn Engine, names: &[&str]) -> Vec<bool> {
    let get = |name: &&str| Pin::output(engine, name).expect("is an output").get(engine) == 1;
    names.iter().map(get).collect()
}

pub const GET_FIELDS: [(&str, u64); 15] = [
    ("get", 1),
    ("lists", 1),
    ("matched", 1),
    ("unexpected", 1),
    ("header", 0x535),
    ("colour", 1),
    ("event_success", 1),
    ("event_failure", 1),
    ("event_reserved", 1),
    ("tells_unlink", 1),
    ("counted", 1),
    ("counter", 9),
    ("message_length", 300),
    ("delivered_length", 200),
    ("user_pointer", 77),
];

/// `ReplyOutcome` of context 2.
pub fn ended(status: u8, access: u8) -> Vec<u64> {
    vec![2 | u64::from(status) << 2 | u64::from(access) << 10]
}

/// What one message makes the completer say.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    /// Kinds of the events.
    pub events: Vec<u8>,
    pub counts: usize,
    pub acks: Vec<u8>,
    pub delivered: bool,
    pub freed: bool,
    pub counted: bool,
    /// What goes to ReplyUnit: info and outcome.
    pub passed: Option<(Vec<u64>, Vec<u64>)>,
}

/// Runs until the message is taken that `pins` offer, and what it says has left.
pub fn said(engine: &mut dyn Engine, pins: &[(&str, &[u64])], taken: &str) -> Said {
    drive(engine, pins);
    let mut said = Said::default();
    let mut left = None;
    for _ in 0..40 {
        engine.eval().expect("settles");
        let now: &dyn Engine = engine;
        let words = |name: &str| {
            let pin = Pin::output(now, name).expect("is an output");
            pin.get_words(now)
        };
        let is = |name: &str| high(now, &[name])[0];
        if is("event_write_valid") {
            let write = WriteRequest::from_words(&words("event_write"));
            let mut event = [0; 8];
            Wire::to_words(write.data, &mut event);
            said.events
                .push(number(Event::from_words(&event).kind) as u8);
        }
        if is("ack_valid") {
            let ack = WireHeader::from_words(&words("ack"));
            said.acks.push(number(ack.operation) as u8);
        }
        said.counts += usize::from(is("count_valid"));
        said.delivered |= is("delivered");
        said.freed |= is("freed_valid");
        said.counted |= is("count_ok") | is("count_failed");
        if is("get_valid") {
            said.passed = Some((words("get"), words("get_outcome")));
        }
        let ends = is(taken);
        engine.step().expect("settles");
        if ends {
            drive(
                engine,
                &[("completion_valid", &[0]), ("replied_valid", &[0])],
            );
            left = Some(4);
        }
        left = left.map(|cycles: u32| cycles - 1);
        if left == Some(0) {
            return said;
        }
    }
    panic!("is not taken: {said:?}");
}
