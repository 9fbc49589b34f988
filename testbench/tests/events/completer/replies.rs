//! Replies, which are handed to the initiator.

use xtq_engine::Engine;
use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::wire_header::ni_fail;

use crate::completer::by_hand::{drive, high, info};
use crate::completer::{engine, number};

#[test]
fn a_reply_is_handed_to_the_initiator_with_what_became_of_it() {
    use xtq_types::pipe::ReplyEnd;
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
    // Outcome of the pipeline, then status, ni_fail, bytes and offset that are reported.
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
