//! `Completer` against the rules of the contract, one message at a time.

use std::collections::VecDeque;

use proptest::prelude::*;
use rust_hdl::prelude::{Bits, Block, ToBits};
use xtq_engine::Engine;
use xtq_rtl::completer::Completer;
use xtq_rtl::types::Wire;
use xtq_rtl::types::event::{Event, kind, status};
use xtq_rtl::types::pipe::{Completion, MessageInfo, WriteRequest};
use xtq_rtl::types::send::CounterCount;
use xtq_rtl::types::wire_header::{self, WireHeader, ni_fail, opcode};
use xtq_testbench::bus::{Bench, Gaps, Model, Pin, Violation};
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

const NODE: u64 = 0xBEEF;

fn engine() -> impl Engine {
    let mut engine = pins!(
        Completer::default() => clk;
        in: rst, node, completion, completion_valid, info, event_write_ready, event_write_done, event_write_error, ack_ready,
            late_flow, late_enabled, late_ready, post_address, post_dropped, count_ready,
            get_ready, replied, replied_outcome, replied_valid, reply_ready;
        out: completion_ready, late, late_lists, late_flow_lists, late_valid, count, count_valid, delivered, delivered_colour, slot, event_write, event_write_valid, ack, ack_valid, freed, freed_valid, post_context, post,
            unreserve, unreserve_valid, visible, visible_valid, event_failed, event_failed_valid, memory_error,
            memory_error_valid, count_ok, count_failed, ended, ended_valid, ended_header, count_late_drop, get, get_outcome, get_valid, replied_ready, reply, reply_valid
    )
    .expect("the ports are complete");
    engine.reset(2).expect("has rst");
    let node = Pin::input(&engine, "node").expect("is an input");
    node.set(&mut engine, NODE).expect("is an input");
    let room = Pin::input(&engine, "get_ready").expect("is an input");
    room.set(&mut engine, 1).expect("is an input");
    engine
}

/// A message that ends: what the doorbell writer says, what admission noted, how its event write fares.
#[derive(Clone, Debug)]
struct Message {
    completion: Completion,
    info: MessageInfo,
    /// Its portal entry when it ends: flow control, enabled.
    portal: (bool, bool),
    event_error: bool,
    /// Cycles from the event's handshake to its acknowledgement, at least.
    latency: u64,
}

/// What the completer is to say about a message.
#[derive(Debug, Default, PartialEq)]
struct Told {
    events: Vec<WriteRequest>,
    acks: Vec<WireHeader>,
    /// Entries disabled.
    late: Vec<u64>,
    releases: Vec<u64>,
    posts: Vec<u64>,
    unreserves: Vec<u64>,
    visible: Vec<u64>,
    event_failed: Vec<u64>,
    memory_errors: Vec<u64>,
    /// Delivered, failed.
    counts: (usize, usize),
    /// On the counters of match entries.
    amounts: Vec<CounterCount>,
    /// Messages of the lists: context and colour.
    of_lists: Vec<[u64; 2]>,
    /// Of unexpected messages: context and header; status, access and `ni_fail`.
    ended: Vec<[u64; 2]>,
    /// Contexts of messages that an entry took and that were dropped.
    late_drops: Vec<u64>,
}

/// Where the n-th event of a context goes, and how many were lost before it.
fn place(context: u64, count: u64) -> (u64, u64) {
    ((context << 60) | (64 * count), (7 * count + context) % 256)
}

fn number<const N: usize>(value: Bits<N>) -> u64 {
    value.to_u64()
}

fn expect(messages: &[Message]) -> Told {
    let mut told = Told::default();
    let mut counts = [0; 4];
    for message in messages {
        let (completion, info) = (message.completion, message.info);
        let context = number(completion.context);
        let found = number(completion.status) as u8;
        let early = info.portal_disabled == 1u64;
        let (flow, enabled) = message.portal;
        let late = found == status::QUEUE_FULL && flow && !early;
        let disabled = early || (late && enabled);
        let code = if late && !enabled {
            status::PT_DISABLED
        } else {
            found
        };
        let ok = code == status::OK;
        if late && enabled {
            told.late
                .push((context << 6) | (number(info.portal_index) % 64));
        }
        let wanted = if ok {
            info.event_success
        } else {
            info.event_failure
        };
        let wanted = wanted == 1u64 || disabled;
        let fail = match code {
            status::OK => ni_fail::OK,
            _ if disabled => ni_fail::PT_DISABLED,
            status::PT_DISABLED => ni_fail::PT_DISABLED,
            status::MEMORY_ERROR => ni_fail::SEGV,
            status::PERM_VIOLATION => ni_fail::PERM_VIOLATION,
            status::OP_VIOLATION => ni_fail::OP_VIOLATION,
            _ => ni_fail::DROPPED,
        };
        let delivered = if ok {
            info.delivered_length
        } else {
            Bits::default()
        };
        told.releases.push(number(completion.slot));
        if ok {
            told.counts.0 += 1;
        } else {
            told.counts.1 += 1;
        }
        if code == status::MEMORY_ERROR {
            told.memory_errors.push(context);
        }
        let lists = info.lists == 1u64;
        if lists {
            told.of_lists.push([context, number(info.colour)]);
            if info.unexpected == 1u64 {
                let outcome = [u64::from(code), number(completion.access), fail.into()];
                let outcome = outcome[0] | outcome[1] << 8 | outcome[2] << 16;
                told.ended
                    .push([context << 11 | number(info.header), outcome]);
            }
            let dropped = [ni_fail::DROPPED, ni_fail::PT_DISABLED].contains(&fail);
            if dropped && info.matched == 1u64 {
                told.late_drops.push(context);
            }
        }
        let (offset, queue, last) = match (lists, info.xtq == 1u64) {
            (true, true) => (info.user_pointer, info.queue_index, completion.packet_id),
            (true, false) => (
                info.remote_offset,
                number(info.list).into(),
                info.user_pointer,
            ),
            _ => (info.remote_offset, info.queue_index, completion.packet_id),
        };
        let mut event = Event {
            kind: Bits::default(),
            status: code.to_bits(),
            access: completion.access,
            ni_fail: fail.to_bits(),
            source_node: info.source_node,
            portal_index: info.portal_index,
            user_id: info.user_id,
            queue_index: queue,
            source_context: info.source_context,
            dropped: Bits::default(),
            match_bits: info.match_bits,
            header_data: info.header_data,
            start: info.start,
            requested_length: info.message_length,
            delivered_length: delivered,
            remote_offset: offset,
            packet_id: last,
        };
        let mut tell = |what: u8, event: &mut Event, told: &mut Told| {
            let (address, dropped) = place(context, counts[context as usize]);
            counts[context as usize] += 1;
            event.kind = what.to_bits();
            event.dropped = dropped.into();
            told.events.push(WriteRequest {
                first: 1.into(),
                last: 1.into(),
                atomic: 0.into(),
                context: completion.context,
                length: 0.into(),
                address: address.into(),
                strobe: u64::MAX.into(),
                data: (*event).into(),
            });
            told.posts.push(context);
            told.visible.push(context);
            if message.event_error {
                told.event_failed.push(context);
            }
        };
        match (wanted, info.event_reserved == 1u64) {
            (true, true) => {
                let what = match info.xtq == 1u64 {
                    _ if disabled => kind::PT_DISABLED,
                    _ if info.atomic == 1u64 => kind::ATOMIC,
                    true => kind::XTQ_PUT,
                    false => kind::PUT,
                };
                tell(what, &mut event, &mut told);
            }
            (false, true) => told.unreserves.push(context),
            (_, false) => {}
        }
        if info.counted == 1u64 && !disabled {
            let bytes = info.counts_bytes == 1u64;
            let amount = if bytes {
                number(info.delivered_length)
            } else {
                1
            };
            told.amounts.push(CounterCount {
                context: completion.context,
                counter: info.counter,
                success: if ok { amount } else { 0 }.into(),
                failure: u64::from(!ok).into(),
            });
        }
        event = Event {
            portal_index: info.portal_index,
            packet_id: info.user_pointer,
            ..Event::default()
        };
        if info.tells_unlink == 1u64 {
            tell(kind::AUTO_UNLINK, &mut event, &mut told);
        }
        if info.tells_free == 1u64 {
            event.start = info.start - info.offset;
            tell(kind::AUTO_FREE, &mut event, &mut told);
        }
        if info.ack_request != 0u64 {
            told.acks.push(WireHeader {
                version: wire_header::VERSION.to_bits(),
                opcode: opcode::ACK.to_bits(),
                ack_request: number(info.ack_silent).into(),
                ni_fail: fail.to_bits(),
                source_node: NODE.into(),
                target_node: info.source_node,
                source_context: context.into(),
                target_context: info.source_context,
                portal_index: info.portal_index,
                // What was not delivered used no offset.
                remote_offset: if completion.status == u64::from(status::OK) {
                    info.offset
                } else {
                    0.into()
                },
                message_length: delivered,
                message_id: info.message_id,
                initiator_handle: info.initiator_handle,
                operation: code.to_bits(),
                ..WireHeader::default()
            });
        }
    }
    told
}

/// The memory of message infos, the event rings and the write port's acknowledgements; notes the pulses.
struct Surroundings<'a> {
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
    fn new(messages: &'a [Message]) -> Self {
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

/// Runs the messages; gives what the completer told and the cycles until all are taken and all events visible.
fn run(messages: &[Message], gaps: [f64; 3], seed: u64) -> (Told, u64) {
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

fn check(messages: &[Message], gaps: [f64; 3], seed: u64) -> u64 {
    let (told, cycles) = run(messages, gaps, seed);
    assert_eq!(told, expect(messages));
    cycles
}

fn message() -> impl Strategy<Value = Message> {
    let code = prop_oneof![
        3 => Just(status::OK),
        1 => Just(status::MEMORY_ERROR),
        1 => Just(status::PT_DISABLED),
        2 => Just(status::QUEUE_FULL),
        3 => 1u8..19,
    ];
    let disabled = prop::bool::weighted(0.15);
    (
        prop::array::uniform10(any::<u64>()),
        prop::array::uniform2(any::<u64>()),
        code,
        disabled,
        any::<(bool, bool)>(),
        prop::bool::weighted(0.1),
        0u64..40,
    )
        .prop_map(
            |(info, completion, code, disabled, portal, event_error, latency)| {
                let mut info = MessageInfo::from_words(&info);
                let mut completion = Completion::from_words(&completion);
                completion.status = code.to_bits();
                info.portal_disabled = u64::from(disabled).into();
                (info.get, info.fetch, info.reply) = (0.into(), 0.into(), 0.into());
                Message {
                    completion,
                    info,
                    portal,
                    event_error,
                    latency: latency + 1,
                }
            },
        )
}

/// Gives every message a slot of its own.
fn with_slots(mut messages: Vec<Message>) -> Vec<Message> {
    for (i, message) in messages.iter_mut().enumerate() {
        message.completion.slot = ((37 * i as u64) & 255).into();
    }
    messages
}

/// A delivered XTQ put that asks for everything.
fn plain(latency: u64) -> Message {
    let mut info = MessageInfo {
        xtq: 1.into(),
        event_success: 1.into(),
        event_failure: 1.into(),
        event_reserved: 1.into(),
        message_length: 100.into(),
        delivered_length: 100.into(),
        ..MessageInfo::default()
    };
    info.ack_request = 1.into();
    Message {
        completion: Completion::default(),
        info,
        portal: (true, true),
        event_error: false,
        latency,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_message_gets_its_event_acknowledgement_and_release_in_order(
        messages in prop::collection::vec(message(), 1..60),
        gaps in prop::array::uniform3(prop::sample::select(vec![0.0, 0.3, 0.8])),
        seed in any::<u32>(),
    ) {
        let messages = with_slots(messages);
        let (told, _) = run(&messages, gaps, seed.into());
        prop_assert_eq!(told, expect(&messages));
    }
}

#[test]
fn flow_control_turns_an_event_into_pt_disabled() {
    let mut message = plain(1);
    message.completion.status = status::QUEUE_FULL.to_bits();
    message.info.event_failure = 0.into();
    message.info.portal_disabled = 1.into();
    let (told, _) = run(&[message], [0.0; 3], 1);
    let mut words = [0; 8];
    Wire::to_words(told.events[0].data, &mut words);
    let event = Event::from_words(&words);
    assert_eq!(number(event.kind), u64::from(kind::PT_DISABLED));
    assert_eq!(number(event.ni_fail), u64::from(ni_fail::PT_DISABLED));
    assert_eq!(
        number(told.acks[0].ni_fail),
        u64::from(ni_fail::PT_DISABLED)
    );
    assert_eq!(number(told.acks[0].message_length), 0);
}

/// What a message to a shared queue that is found full says, with its portal entry in this state: kind, status and `ni_fail` of the
/// event, operation and `ni_fail` of the acknowledgement; and the entries disabled.
fn found_full(portal: (bool, bool)) -> ([u64; 5], Vec<u64>) {
    let mut message = plain(1);
    message.completion.status = status::QUEUE_FULL.to_bits();
    message.completion.context = 2.into();
    message.info.portal_index = 5.into();
    message.portal = portal;
    let (told, _) = run(&[message], [0.0; 3], 1);
    let mut words = [0; 8];
    Wire::to_words(told.events[0].data, &mut words);
    let event = Event::from_words(&words);
    let ack = told.acks[0];
    let words = [
        number(event.kind),
        number(event.status),
        number(event.ni_fail),
        number(ack.operation),
        number(ack.ni_fail),
    ];
    (words, told.late)
}

#[test]
fn a_shared_queue_found_full_disables_an_enabled_entry_with_flow_control_and_no_other() {
    let full = u64::from(status::QUEUE_FULL);
    let dropped = u64::from(ni_fail::DROPPED);
    let (gone, disabled) = (
        u64::from(status::PT_DISABLED),
        u64::from(ni_fail::PT_DISABLED),
    );
    let (put, event) = (u64::from(kind::XTQ_PUT), u64::from(kind::PT_DISABLED));
    assert_eq!(
        found_full((true, true)),
        ([event, full, disabled, full, disabled], vec![133])
    );
    assert_eq!(
        found_full((true, false)),
        ([put, gone, disabled, gone, disabled], vec![])
    );
    for enabled in [false, true] {
        assert_eq!(
            found_full((false, enabled)),
            ([put, full, dropped, full, dropped], vec![])
        );
    }
}

#[test]
fn a_request_to_disable_an_entry_is_withdrawn_when_a_commit_has_disabled_it() {
    let mut engine = engine();
    let mut message = plain(1);
    message.completion.status = status::QUEUE_FULL.to_bits();
    let (mut completion, mut info) = ([0; 2], [0; 8]);
    message.completion.to_words(&mut completion);
    message.info.to_words(&mut info);
    let set = |engine: &mut dyn Engine, name: &str, words: &[u64]| {
        let pin = Pin::input(engine, name).expect("is an input");
        pin.set_words(engine, words).expect("is an input");
    };
    let get =
        |engine: &dyn Engine, name: &str| Pin::any(engine, name).expect("is a port").get(engine);
    set(&mut engine, "completion", &completion);
    set(&mut engine, "info", &info);
    for name in [
        "completion_valid",
        "late_flow",
        "late_enabled",
        "event_write_ready",
        "ack_ready",
    ] {
        set(&mut engine, name, &[1]);
    }
    engine.step().expect("settles");
    // Commits go first.
    for _ in 0..5 {
        engine.eval().expect("settles");
        assert_eq!(get(&engine, "late_valid"), 1);
        assert_eq!(get(&engine, "completion_ready"), 0);
        engine.step().expect("settles");
    }
    set(&mut engine, "late_enabled", &[0]);
    engine.eval().expect("settles");
    assert_eq!(get(&engine, "late_valid"), 0);
    assert_eq!(get(&engine, "completion_ready"), 1);
    engine.step().expect("settles");
    set(&mut engine, "completion_valid", &[0]);
    engine.eval().expect("settles");
    let pin = Pin::output(&engine, "event_write").expect("is an output");
    let write = WriteRequest::from_words(&pin.get_words(&engine));
    let mut words = [0; 8];
    Wire::to_words(write.data, &mut words);
    let event = Event::from_words(&words);
    assert_eq!(number(event.kind), u64::from(kind::XTQ_PUT));
    assert_eq!(number(event.status), u64::from(status::PT_DISABLED));
}

#[test]
fn a_failed_event_write_is_reported_and_the_ring_goes_on() {
    let mut messages = vec![plain(3); 4];
    messages[1].event_error = true;
    messages[1].completion.context = 2.into();
    let messages = with_slots(messages);
    let (told, _) = run(&messages, [0.0; 3], 1);
    assert_eq!(told.visible, [0, 2, 0, 0]);
    assert_eq!(told.event_failed, [2]);
}

#[test]
fn a_message_takes_two_cycles() {
    let messages = with_slots(vec![plain(1); 100]);
    let cycles = check(&messages, [0.0; 3], 1);
    assert!(cycles <= 2 * 100 + 3, "{cycles} cycles");
}

#[test]
fn a_message_takes_at_most_four_cycles_when_events_take_200() {
    let messages = with_slots(vec![plain(200); 250]);
    let cycles = check(&messages, [0.0; 3], 1);
    assert!(cycles <= 4 * 250, "{cycles} cycles");
}

#[test]
fn not_more_than_64_events_are_under_way() {
    let messages = with_slots(vec![plain(1000); 70]);
    let mut engine = engine();
    let mut surroundings = Surroundings::new(&messages);
    let mut bench = Bench::new(&mut engine).expect("has rst");
    let source = bench.source("completion", Gaps::none());
    let source = source.expect("is a stream");
    let event = bench
        .sink("event_write", Gaps::none())
        .expect("is a stream");
    bench.sink("ack", Gaps::none()).expect("is a stream");
    for message in &messages {
        bench.sources[source].push_value(message.completion);
    }
    bench.models.push(&mut surroundings);
    for _ in 0..500 {
        bench.cycle().expect("keeps the protocol");
    }
    assert_eq!(bench.sinks[event].received().len(), 64);
    for _ in 0..700 {
        bench.cycle().expect("keeps the protocol");
    }
    assert_eq!(bench.sinks[event].received().len(), 70);
}

#[test]
fn three_tools_accept_the_verilog() {
    let mut block = Completer::default();
    block.connect_all();
    accept("Completer", &block).expect("accepted");
}

/// Fields of an info by name.
fn info(fields: &[(&str, u64)]) -> Vec<u64> {
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
fn drive(engine: &mut dyn Engine, pins: &[(&str, &[u64])]) {
    for (name, words) in pins {
        let pin = Pin::input(engine, name).expect("is an input");
        pin.set_words(engine, words).expect("is an input");
    }
    engine.eval().expect("settles");
}

fn high(engine: &dyn Engine, names: &[&str]) -> Vec<bool> {
    let get = |name: &&str| Pin::output(engine, name).expect("is an output").get(engine) == 1;
    names.iter().map(get).collect()
}

const GET_FIELDS: [(&str, u64); 15] = [
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
fn ended(status: u8, access: u8) -> Vec<u64> {
    vec![2 | u64::from(status) << 2 | u64::from(access) << 10]
}

#[test]
fn a_get_leaves_untold_and_is_told_when_it_comes_back_before_what_waits() {
    for (code, kind_of_access) in [(status::OK, 0), (status::MEMORY_ERROR, 8)] {
        let mut engine = engine();
        let completion = [5 | 2 << 8, 0];
        let out = info(&GET_FIELDS);
        drive(
            &mut engine,
            &[
                ("completion", &completion),
                ("info", &out),
                ("completion_valid", &[1]),
                ("event_write_ready", &[1]),
                ("count_ready", &[1]),
            ],
        );
        engine.step().expect("settles");
        engine.eval().expect("settles");
        let names = [
            "get_valid",
            "completion_ready",
            "freed_valid",
            "post",
            "delivered",
            "count_ok",
            "unreserve_valid",
            "ended_valid",
            "count_late_drop",
        ];
        assert_eq!(
            high(&engine, &names),
            [true, true, true, false, false, false, false, false, false]
        );
        let pin = Pin::output(&engine, "get").expect("is an output");
        assert_eq!(pin.get_words(&engine), out);
        // It comes back, while another message waits: event, count, AUTO_UNLINK.
        engine.step().expect("settles");
        drive(
            &mut engine,
            &[
                ("replied", &out),
                ("replied_outcome", &ended(code, kind_of_access)),
                ("replied_valid", &[1]),
                ("info", &[0; 10]),
            ],
        );
        let mut posts = 0;
        for cycle in 0..20 {
            engine.eval().expect("settles");
            posts += u32::from(high(&engine, &["post"])[0]);
            if high(&engine, &["replied_ready"])[0] {
                assert_eq!(
                    high(
                        &engine,
                        &[
                            "delivered",
                            "delivered_colour",
                            "ended_valid",
                            "freed_valid"
                        ]
                    ),
                    [true, true, true, false]
                );
                let get = |name| {
                    Pin::output(&engine, name)
                        .expect("is an output")
                        .get(&engine)
                };
                let fail = if code == status::OK {
                    ni_fail::OK
                } else {
                    ni_fail::SEGV
                };
                let outcome =
                    u64::from(code) | u64::from(kind_of_access) << 8 | u64::from(fail) << 16;
                assert_eq!(
                    [get("ended_header"), get("ended")],
                    [2 << 11 | 0x535, outcome]
                );
                break;
            }
            assert!(cycle < 19);
            assert!(!high(&engine, &["completion_ready"])[0], "the other waits");
            let pin = Pin::output(&engine, "event_write").expect("is an output");
            if high(&engine, &["event_write_valid"])[0] && posts == 1 {
                let write = WriteRequest::from_words(&pin.get_words(&engine));
                let mut words = [0; 8];
                Wire::to_words(write.data, &mut words);
                let event = Event::from_words(&words);
                let mlength = if code == status::OK { 200 } else { 0 };
                assert_eq!(
                    (number(event.kind), number(event.status)),
                    (kind::GET.into(), code.into())
                );
                assert_eq!(
                    (number(event.access), number(event.delivered_length)),
                    (kind_of_access.into(), mlength)
                );
                assert_eq!(
                    (number(event.requested_length), number(event.packet_id)),
                    (300, 77)
                );
            }
            engine.step().expect("settles");
        }
        assert_eq!(posts, 2, "GET and AUTO_UNLINK");
        assert_eq!(
            high(&engine, &["count_ok", "count_failed"]),
            [code == status::OK, code != status::OK]
        );
    }
}

#[test]
fn without_room_for_a_get_no_message_is_looked_at_but_those_that_come_back_are() {
    let mut engine = engine();
    let out = info(&GET_FIELDS);
    drive(
        &mut engine,
        &[
            ("get_ready", &[0]),
            ("completion_valid", &[1]),
            ("event_write_ready", &[1]),
            ("count_ready", &[1]),
        ],
    );
    for _ in 0..5 {
        engine.step().expect("settles");
        engine.eval().expect("settles");
        assert!(!high(&engine, &["completion_ready"])[0]);
    }
    drive(
        &mut engine,
        &[
            ("replied", &out),
            ("replied_outcome", &ended(status::OK, 0)),
            ("replied_valid", &[1]),
        ],
    );
    let mut cycles = 0;
    while !high(&engine, &["replied_ready"])[0] {
        engine.step().expect("settles");
        engine.eval().expect("settles");
        cycles += 1;
        assert!(cycles < 20);
    }
}

#[test]
fn a_reply_is_handed_to_the_initiator_with_what_became_of_it() {
    use xtq_rtl::types::pipe::ReplyEnd;
    let sent = [
        ("reply", 1),
        ("delivered_length", 200),
        ("remote_offset", 33),
        ("initiator_handle", 0x1234),
        ("operation", 0),
    ];
    let refused = [
        ("reply", 1),
        ("initiator_handle", 0x1234),
        ("operation", status::OP_VIOLATION.into()),
        ("ni_fail", ni_fail::OP_VIOLATION.into()),
    ];
    // Outcome of the pipeline, then status, ni_fail, bytes and offset that are told.
    for (fields, code, told) in [
        (&sent[..], status::OK, (status::OK, ni_fail::OK, 200, 33)),
        (
            &sent[..],
            status::MEMORY_ERROR,
            (status::MEMORY_ERROR, ni_fail::SEGV, 0, 0),
        ),
        (
            &sent[..],
            status::BAD_LENGTH,
            (status::BAD_LENGTH, ni_fail::SEGV, 0, 0),
        ),
        (
            &sent[..],
            status::NO_MESSAGE_SLOT,
            (status::NO_MESSAGE_SLOT, ni_fail::DROPPED, 0, 0),
        ),
        (
            &refused[..],
            status::OK,
            (status::OP_VIOLATION, ni_fail::OP_VIOLATION, 0, 0),
        ),
    ] {
        let mut engine = engine();
        drive(
            &mut engine,
            &[
                ("completion", &[5 | 1 << 8 | u64::from(code) << 10, 0]),
                ("info", &info(fields)),
                ("completion_valid", &[1]),
            ],
        );
        // The initiator is busy.
        for _ in 0..4 {
            engine.step().expect("settles");
            engine.eval().expect("settles");
            assert_eq!(
                high(&engine, &["reply_valid", "completion_ready"]),
                [true, false]
            );
        }
        drive(&mut engine, &[("reply_ready", &[1])]);
        let names = [
            "completion_ready",
            "freed_valid",
            "post",
            "count_ok",
            "count_failed",
            "delivered",
        ];
        assert_eq!(
            high(&engine, &names),
            [true, true, false, false, false, false]
        );
        let pin = Pin::output(&engine, "reply").expect("is an output");
        let end = ReplyEnd::from_words(&pin.get_words(&engine));
        let found = (
            number(end.status) as u8,
            number(end.ni_fail) as u8,
            number(end.delivered_length),
            number(end.offset),
        );
        assert_eq!((found, number(end.handle)), (told, 0x1234));
    }
}

/// What one message makes the completer say.
#[derive(Debug, Default, PartialEq)]
struct Said {
    /// Kinds of the events.
    events: Vec<u8>,
    counts: usize,
    acks: Vec<u8>,
    delivered: bool,
    freed: bool,
    counted: bool,
    /// What goes to ReplyUnit: info and outcome.
    passed: Option<(Vec<u64>, Vec<u64>)>,
}

/// Runs until the message is taken that `pins` offer, and what it says has left.
fn said(engine: &mut dyn Engine, pins: &[(&str, &[u64])], taken: &str) -> Said {
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

#[test]
fn a_message_that_uses_up_an_entry_tells_it_behind_the_gets_of_its_context() {
    let put = [
        ("lists", 1),
        ("event_success", 1),
        ("event_failure", 1),
        ("event_reserved", 1),
        ("tells_unlink", 1),
        ("tells_free", 1),
        ("counted", 1),
        ("ack_request", 1),
        ("message_length", 300),
        ("delivered_length", 200),
        ("user_pointer", 77),
    ];
    for code in [status::OK, status::MEMORY_ERROR] {
        let mut engine = engine();
        let ready: [(&str, &[u64]); 3] = [
            ("event_write_ready", &[1]),
            ("count_ready", &[1]),
            ("ack_ready", &[1]),
        ];
        drive(&mut engine, &ready);
        let mut comes = |fields: &[(&str, u64)], context: u64, code: u8| {
            let completion = [5 | context << 8 | u64::from(code) << 10, 0];
            let pins: [(&str, &[u64]); 3] = [
                ("completion", &completion),
                ("info", &info(fields)),
                ("completion_valid", &[1]),
            ];
            said(&mut engine, &pins, "completion_ready")
        };
        let whole = Said {
            events: vec![kind::PUT, kind::AUTO_UNLINK, kind::AUTO_FREE],
            counts: 1,
            acks: vec![code],
            delivered: true,
            freed: true,
            counted: true,
            passed: None,
        };
        assert_eq!(comes(&put, 2, code), whole, "no GET waits");
        let first = comes(&GET_FIELDS, 2, status::OK).passed.expect("a GET");
        assert_eq!(comes(&put, 1, code), whole, "another context");
        let second = comes(&put, 2, code);
        let rest = second.passed.clone().expect("its rest");
        let begun = Said {
            events: vec![kind::PUT],
            acks: Vec::new(),
            delivered: false,
            passed: Some(rest.clone()),
            ..whole
        };
        assert_eq!(second, begun);
        // Back comes the GET, then the rest.
        let mut back = |(info, outcome): &(Vec<u64>, Vec<u64>)| {
            let pins: [(&str, &[u64]); 4] = [
                ("replied", info),
                ("replied_outcome", outcome),
                ("replied_valid", &[1]),
                ("info", &[0; 10]),
            ];
            said(&mut engine, &pins, "replied_ready")
        };
        assert_eq!(back(&first).events, [kind::GET, kind::AUTO_UNLINK]);
        let told = Said {
            events: vec![kind::AUTO_UNLINK, kind::AUTO_FREE],
            acks: vec![code],
            delivered: true,
            ..Said::default()
        };
        assert_eq!(back(&rest), told);
        let mut comes = |fields: &[(&str, u64)]| {
            let completion = [5 | 2 << 8, 0];
            let pins: [(&str, &[u64]); 3] = [
                ("completion", &completion),
                ("info", &info(fields)),
                ("completion_valid", &[1]),
            ];
            said(&mut engine, &pins, "completion_ready")
        };
        assert_eq!(comes(&put).passed, None, "none waits any more");
    }
}
