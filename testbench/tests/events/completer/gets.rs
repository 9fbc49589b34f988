//! GETs, which leave without a report and are reported when they come back, and what waits after them.

use xtq_engine::Engine;
use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::event::{Event, kind, status};
use xtq_types::memory::WriteRequest;
use xtq_types::wire_header::ni_fail;

use crate::completer::by_hand::{GET_FIELDS, Said, drive, ended, high, info, said};
use crate::completer::{engine, number};

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
                    [2 << 13 | 0x535, outcome]
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
