//! Full queues and disabled entries, a ring that cannot be written, and exact cycles.

use rust_hdl::prelude::ToBits;
use xtq_engine::Engine;
use xtq_testbench::bus::{Bench, Gaps, Pin};
use xtq_types::Wire;
use xtq_types::event::{Event, kind, status};
use xtq_types::memory::WriteRequest;
use xtq_types::wire_header::ni_fail;

use crate::completer::message::{plain, with_slots};
use crate::completer::surroundings::{Surroundings, check, run};
use crate::completer::{engine, number};

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

/// What a message to a shared queue that is found full says, with its portal entry in this state: kind, status and
/// `ni_fail` of the event, operation and `ni_fail` of the acknowledgement; and the entries disabled.
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
