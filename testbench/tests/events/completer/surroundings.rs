//! What is around the completer: the memory of message infos, the event rings and the write port; and runs of messages
//! between them.

use std::collections::VecDeque;

use xtq_engine::Engine;
use xtq_testbench::bus::{Bench, Gaps, Model, Pin, Violation};
use xtq_types::Wire;

use crate::completer::expected::{Told, expect, place};
use crate::completer::message::Message;
use crate::completer::{NODE, engine, number};

/// The memory of message infos, the event rings and the write port's acknowledgements; notes the pulses.
pub struct Surroundings<'a> {
    messages: &'a [Message],
    /// Events are the messages' of these positions, in order.
    event_messages: Vec<usize>,
    finished: usize,
    slot: usize,
    counts: [u64; 4],
    /// Earliest cycle of each acknowledgement that is due, and whether it is an error.
    due: VecDeque<(u64, bool)>,
    events: usize,
    now: u64,
    told: Told,
}

impl<'a> Surroundings<'a> {
    pub fn new(messages: &'a [Message]) -> Self {
        let events = |message: &Message| expect(std::slice::from_ref(message)).posts.len();
        let positions = messages.iter().enumerate();
        Self {
            messages,
            event_messages: positions
                .flat_map(|(position, message)| std::iter::repeat_n(position, events(message)))
                .collect(),
            finished: 0,
            slot: 0,
            counts: [0; 4],
            due: VecDeque::new(),
            events: 0,
            now: 0,
            told: Told::default(),
        }
    }

    fn acknowledges(&self) -> Option<bool> {
        let (cycle, error) = *self.due.front()?;
        (cycle <= self.now).then_some(error)
    }
}

impl Model for Surroundings<'_> {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.now = engine.cycle();
        let with_slot = |message: &&Message| number(message.completion.slot) as usize == self.slot;
        let mut info = [0; 10];
        if let Some(message) = self.messages.iter().find(with_slot) {
            message.info.to_words(&mut info);
        }
        Pin::input(engine, "info")?.set_words(engine, &info)?;
        let context = self.messages.get(self.finished);
        let context = context.map_or(0, |message| number(message.completion.context));
        let (flow, enabled) = self
            .messages
            .get(self.finished)
            .map_or((true, true), |m| m.portal);
        Pin::input(engine, "late_flow")?.set(engine, flow.into())?;
        Pin::input(engine, "late_enabled")?.set(engine, enabled.into())?;
        let (address, dropped) = place(context, self.counts[context as usize]);
        Pin::input(engine, "post_address")?.set(engine, address)?;
        Pin::input(engine, "post_dropped")?.set(engine, dropped)?;
        let done = self.acknowledges();
        Pin::input(engine, "event_write_done")?.set(engine, done.is_some().into())?;
        Pin::input(engine, "event_write_error")?.set(engine, done.unwrap_or(true).into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation> {
        let get = |name: &str| Pin::any(engine, name).expect("is a port").get(engine);
        if self.acknowledges().is_some() {
            self.due.pop_front();
        }
        if get("event_write_valid") == 1 && get("event_write_ready") == 1 {
            let message = &self.messages[self.event_messages[self.events]];
            self.events += 1;
            self.due
                .push_back((cycle + message.latency, message.event_error));
        }
        self.slot = get("slot") as usize;
        let told = &mut self.told;
        for (name, list) in [
            ("freed", &mut told.releases),
            ("unreserve", &mut told.unreserves),
            ("visible", &mut told.visible),
            ("event_failed", &mut told.event_failed),
            ("memory_error", &mut told.memory_errors),
        ] {
            if get(&format!("{name}_valid")) == 1 {
                list.push(get(name));
            }
        }
        if get("post") == 1 {
            let context = get("post_context");
            told.posts.push(context);
            self.counts[context as usize] += 1;
        }
        if get("delivered") == 1 {
            told.of_lists
                .push([get("post_context"), get("delivered_colour")]);
        }
        if get("ended_valid") == 1 {
            told.ended.push([get("ended_header"), get("ended")]);
        }
        if get("count_late_drop") == 1 {
            told.late_drops.push(get("post_context"));
        }
        told.counts.0 += get("count_ok") as usize;
        told.counts.1 += get("count_failed") as usize;
        if get("completion_valid") == 1 && get("completion_ready") == 1 {
            self.finished += 1;
        }
        Ok(())
    }
}

/// Runs the messages; gives what the completer reported and the cycles until all are taken and all events visible.
pub fn run(messages: &[Message], gaps: [f64; 3], seed: u64) -> (Told, u64) {
    let expected = expect(messages);
    let mut engine = engine();
    let mut surroundings = Surroundings::new(messages);
    let mut bench = Bench::new(&mut engine).expect("has rst");
    bench.set("node", &[NODE]).expect("is an input");
    let [completions, events, acks] = gaps;
    let source = bench.source("completion", Gaps::random(completions, seed));
    let source = source.expect("is a stream");
    let event = bench.sink("event_write", Gaps::random(events, seed + 1));
    let ack = bench.sink("ack", Gaps::random(acks, seed + 2));
    let (event, ack) = (event.expect("is a stream"), ack.expect("is a stream"));
    let late = bench.sink("late", Gaps::random(acks, seed + 3));
    let late = late.expect("is a stream");
    let count = bench.sink("count", Gaps::random(events, seed + 4));
    let count = count.expect("is a stream");
    for message in messages {
        bench.sources[source].push_value(message.completion);
    }
    bench.models.push(&mut surroundings);
    let done = |bench: &Bench| {
        bench.sources[source].waiting() == 0
            && bench.sinks[event].received().len() >= expected.events.len()
            && bench.sinks[ack].received().len() >= expected.acks.len()
    };
    let limit = 200 + 100 * messages.len() as u64;
    let mut cycles = 0;
    while !done(&bench) {
        assert!(cycles < limit, "not done after {limit} cycles");
        if cycles % 16 == 5 {
            bench.check_ready_paths().expect("no valid follows a ready");
        }
        bench.cycle().expect("keeps the protocol");
        cycles += 1;
    }
    for _ in 0..300 {
        bench.cycle().expect("keeps the protocol");
    }
    let (events, acks) = (bench.sinks[event].values(), bench.sinks[ack].values());
    let late = bench.sinks[late].received().iter();
    let late = late.map(|(_, words)| words[0]).collect();
    let amounts = bench.sinks[count].values();
    drop(bench);
    let told = Told {
        late,
        amounts,
        events,
        acks,
        ..surroundings.told
    };
    (told, cycles)
}

pub fn check(messages: &[Message], gaps: [f64; 3], seed: u64) -> u64 {
    let (told, cycles) = run(messages, gaps, seed);
    assert_eq!(told, expect(messages));
    cycles
}
