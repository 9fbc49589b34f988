//! Every rule about malformed packets, by name.

use xtq_types::wire_header::{VERSION, opcode};

use crate::receive_parser::harness::*;
use crate::receive_parser::model::model;

/// A good packet, to see that it is not affected.
fn good() -> Packet {
    Header::put(100).packet()
}

/// `bad` stands between two good packets, gives nothing and is counted once under `cause`.
#[track_caller]
fn dropped_whole(bad: Packet, cause: usize) {
    let beats = 4 + bad.beats.len();
    let run = run_freely(&[good(), bad.clone(), good()]);
    let alone = run_freely(&[good(), good()]).output;
    assert_eq!(run.output.heads, alone.heads, "heads");
    assert_eq!(run.output.bodies, alone.bodies, "bodies");
    let mut pulses = [3, 0, 0, 0, 0, 0];
    pulses[cause] = 1;
    assert_eq!(run.output.pulses, pulses, "{PULSES:?}");
    let first = run.rx_cycles[0];
    let cycles: Vec<u64> = (first..).take(beats + 2).collect();
    assert_eq!(run.rx_cycles, cycles, "the stream stalled");
}

/// The body beats (bytes, last, bad) of `packet`, which stands between two good ones and is counted as damaged.
#[track_caller]
fn damaged_beats(packet: Packet) -> Vec<(usize, bool, bool)> {
    let run = run_freely(&[good(), packet, good()]);
    assert_eq!(run.output.heads.len(), 3);
    assert_eq!(run.output.pulses, [3, 0, 0, 0, 0, 1], "{PULSES:?}");
    let beats = run.output.bodies.iter();
    let beats: Vec<_> = beats.map(|(b, last, bad)| (b.len(), *last, *bad)).collect();
    let good = [(64, false, false), (36, true, false)];
    assert_eq!(beats[..2], good);
    assert_eq!(beats[beats.len() - 2..], good);
    beats[2..beats.len() - 2].to_vec()
}

#[test]
fn another_version_is_dropped() {
    for version in [0, VERSION + 1, 0xFF] {
        dropped_whole(
            Header {
                version,
                ..Header::put(100)
            }
            .packet(),
            VERSION_CAUSE,
        );
    }
}

#[test]
fn an_unknown_opcode_is_dropped() {
    for opcode in [0, opcode::ACK, 9, 0x81] {
        dropped_whole(
            Header {
                opcode,
                ..Header::put(100)
            }
            .packet(),
            OPCODE_CAUSE,
        );
    }
}

#[test]
fn a_packet_for_another_node_is_dropped() {
    for bit in 0..16 {
        let node = NODE as u16 ^ 1 << bit;
        dropped_whole(
            Header {
                node,
                ..Header::put(100)
            }
            .packet(),
            TARGET_CAUSE,
        );
    }
}

#[test]
fn a_context_that_is_not_enabled_or_does_not_exist_is_dropped() {
    for context in [2, 4, 5, 0x81, 0xFF] {
        dropped_whole(
            Header {
                context,
                ..Header::put(100)
            }
            .packet(),
            CONTEXT_CAUSE,
        );
    }
}

#[test]
fn later_packets_of_a_message_pass_though_their_context_is_not_enabled() {
    let later = Header {
        context: 2,
        packet_offset: 4096,
        ..Header::put(4196)
    };
    let run = run_freely(&[good(), later.with_body(100), good()]);
    assert_eq!(run.output.heads.len(), 3);
    assert_eq!(run.output.pulses, [3, 0, 0, 0, 0, 0], "{PULSES:?}");
}

#[test]
fn the_first_cause_counts() {
    let mut header = Header {
        packet_offset: 1,
        ..Header::put(100)
    };
    dropped_whole(header.with_body(10), LENGTH_CAUSE);
    header.context = 9;
    dropped_whole(header.with_body(10), CONTEXT_CAUSE);
    header.node = 0;
    dropped_whole(header.with_body(10), TARGET_CAUSE);
    header.opcode = 0;
    dropped_whole(header.with_body(10), OPCODE_CAUSE);
    header.version = 0;
    dropped_whole(header.with_body(10), VERSION_CAUSE);
}

#[test]
fn an_offset_that_is_no_multiple_of_the_mtu_is_dropped() {
    for packet_offset in [1, 64, 2048, 4095, 4097] {
        let header = Header {
            packet_offset,
            ..Header::put(100_000)
        };
        dropped_whole(header.with_body(100), LENGTH_CAUSE);
    }
}

#[test]
fn an_offset_at_or_behind_the_end_of_the_message_is_dropped() {
    for (packet_offset, length) in [
        (4096, 4096),
        (4096, 0),
        (8192, 4097),
        (0xFFFF_F000, 0xFFFF_F000),
    ] {
        let header = Header {
            packet_offset,
            ..Header::put(length)
        };
        dropped_whole(header.with_body(100), LENGTH_CAUSE);
    }
}

#[test]
fn the_last_packet_of_the_longest_message_passes() {
    let header = Header {
        packet_offset: 0xFFFF_F000,
        ..Header::put(0xFFFF_FFFF)
    };
    let run = run_freely(&[header.packet()]);
    let (head, _) = &run.output.heads[0];
    assert_eq!((head.body_bytes.to_u64(), head.last.any()), (4095, true));
    assert_eq!(run.output.pulses, [1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_command_shorter_than_an_aql_packet_is_dropped() {
    for command_length in [0, 1, 63] {
        dropped_whole(Header::xtq(100, command_length).packet(), LENGTH_CAUSE);
    }
}

#[test]
fn a_command_longer_than_its_message_is_dropped() {
    for (length, command_length) in [(0, 64), (63, 64), (100, 101), (100, 0xFFFF)] {
        dropped_whole(Header::xtq(length, command_length).packet(), LENGTH_CAUSE);
    }
}

#[test]
fn the_command_length_of_a_plain_put_is_ignored() {
    let header = Header {
        command_length: 0xFFFF,
        ..Header::put(10)
    };
    assert_eq!(
        run_freely(&[header.packet()]).output.pulses,
        [1, 0, 0, 0, 0, 0]
    );
}

#[test]
fn an_incomplete_header_is_dropped_whatever_it_says() {
    for length in [1, 32, 63] {
        dropped_whole(Packet::new(&Header::put(0).bytes()[..length]), LENGTH_CAUSE);
    }
    let mut empty = Header {
        version: 0,
        ..Header::put(0)
    }
    .packet();
    empty.beats[0].1 = 0;
    dropped_whole(empty, LENGTH_CAUSE);
}

#[test]
fn a_put_of_zero_bytes_gives_a_head_and_no_body() {
    let run = run_freely(&[Header::put(0).packet()]);
    assert_eq!(run.output.heads.len(), 1);
    assert_eq!(run.output.heads[0].0.last, 1);
    assert!(run.output.bodies.is_empty());
}

#[test]
fn a_put_of_zero_bytes_with_a_surplus_is_dropped() {
    dropped_whole(Header::put(0).with_body(1), LENGTH_CAUSE);
    dropped_whole(Header::put(0).with_body(200), LENGTH_CAUSE);
}

#[test]
fn a_put_that_is_only_a_header_gives_an_empty_bad_beat() {
    assert_eq!(
        damaged_beats(Header::put(300).with_body(0)),
        [(0, true, true)]
    );
}

#[test]
fn an_xtq_put_that_ends_before_its_aql_packet_is_complete_is_dropped() {
    for body in [0, 1, 63] {
        dropped_whole(Header::xtq(200, 80).with_body(body), LENGTH_CAUSE);
    }
}

#[test]
fn an_xtq_put_that_is_only_an_aql_packet_gives_an_empty_bad_beat_or_none() {
    assert_eq!(
        damaged_beats(Header::xtq(200, 80).with_body(64)),
        [(0, true, true)]
    );
    let run = run_freely(&[Header::xtq(64, 64).packet()]);
    assert_eq!((run.output.heads.len(), run.output.bodies.len()), (1, 0));
}

#[test]
fn an_aql_packet_with_a_surplus_is_dropped() {
    dropped_whole(Header::xtq(64, 64).with_body(65), LENGTH_CAUSE);
    dropped_whole(Header::xtq(64, 64).with_body(300), LENGTH_CAUSE);
}

#[test]
fn a_packet_truncated_at_any_beat_ends_there_with_a_bad_beat() {
    for full in 1..5 {
        for rest in [0, 1, 63] {
            let beats = damaged_beats(Header::put(64 * 5).with_body(64 * full + rest));
            let mut expected = vec![(64, false, false); full];
            match rest {
                0 => expected[full - 1] = (64, true, true),
                rest => expected.push((rest, true, true)),
            }
            assert_eq!(beats, expected);
        }
    }
}

#[test]
fn a_packet_truncated_in_its_last_beat_ends_there_with_a_bad_beat() {
    assert_eq!(
        damaged_beats(Header::put(128).with_body(127)),
        [(64, false, false), (63, true, true)]
    );
    assert_eq!(
        damaged_beats(Header::put(130).with_body(129)),
        [(64, false, false), (64, false, false), (1, true, true)]
    );
}

#[test]
fn a_packet_that_is_too_long_ends_where_it_should_with_a_bad_beat() {
    for surplus in [1, 20, 64, 300] {
        let beats = damaged_beats(Header::put(100).with_body(100 + surplus));
        assert_eq!(beats, [(64, false, false), (36, true, true)], "{surplus}");
    }
    let mut full = vec![(64, false, false); 64];
    full[63] = (64, true, true);
    assert_eq!(damaged_beats(Header::put(5000).with_body(4097)), full);
}

#[test]
fn keep_bits_with_a_hole_make_a_last_beat_empty() {
    let mut packet = Header::put(100).packet();
    packet.beats[2].1 = (1 << 36) - 2;
    assert_eq!(damaged_beats(packet), [(64, false, false), (0, true, true)]);
}

#[test]
fn keep_bits_before_the_last_beat_do_not_count() {
    let mut packet = Header::put(100).packet();
    packet.beats[0].1 = 0;
    packet.beats[1].1 = 5;
    let run = run_freely(&[packet]);
    assert_eq!(run.output.pulses, [1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_get_has_no_body_and_no_second_packet() {
    let get = |packet_offset| Header {
        opcode: opcode::GET,
        packet_offset,
        ..Header::put(20_000)
    };
    let run = run_freely(&[get(0).with_body(0), good()]);
    assert_eq!(run.output.pulses, [2, 0, 0, 0, 0, 0], "{PULSES:?}");
    let head = &run.output.heads[0].0;
    assert_eq!(
        (head.get, head.last, head.body_bytes),
        (1u64.into(), 1u64.into(), 0u64.into())
    );
    assert_eq!(
        (head.message_length, head.ack_request),
        (20_000u64.into(), 0u64.into())
    );
    dropped_whole(get(0).with_body(64), LENGTH_CAUSE);
    dropped_whole(get(4096).with_body(0), LENGTH_CAUSE);
}

#[test]
fn a_reply_to_a_context_that_is_not_enabled_passes() {
    let reply = Header {
        opcode: opcode::REPLY,
        context: 2,
        ..Header::put(100)
    };
    let run = run_freely(&[reply.with_body(100), good()]);
    assert_eq!(run.output.pulses, [2, 0, 0, 0, 0, 0], "{PULSES:?}");
    assert_eq!(run.output.heads[0].0.reply, 1u64);
}

#[test]
fn a_packet_of_the_other_class_is_dropped_and_gives_its_place_back() {
    for code in [
        opcode::PUT,
        opcode::GET,
        opcode::ATOMIC,
        opcode::SWAP,
        opcode::REPLY,
    ] {
        let header = Header {
            opcode: code,
            ..Header::put(if code == opcode::GET { 0 } else { 64 })
        };
        let mut packet = header.packet();
        packet.answer = !packet.answer;
        let run = run_freely(&[packet, good()]);
        assert_eq!(run.output.heads.len(), 1, "only the good one");
        assert_eq!(run.output.pulses[OPCODE_CAUSE], 1, "opcode {code}");
        // Of answers none was taken.
        assert_eq!(run.output.places, [usize::from(code == opcode::REPLY), 0]);
    }
}

/// A message with this acknowledgement asked for.
fn asking(opcode: u8, ack: u8, context: u8, offset: u32) -> Packet {
    let mut header = Header {
        opcode,
        context,
        packet_offset: offset,
        command_length: 64,
        ..Header::put(offset + 164)
    };
    header.noise[2] = ack;
    match opcode {
        opcode::GET => header.with_body(0),
        _ => header.packet(),
    }
}

#[test]
fn who_waits_for_an_answer_of_a_closed_context_gets_it_and_others_do_not() {
    let gives = |packet: Packet| {
        let run = run_freely(&[packet.clone(), good()]);
        assert_eq!(run.output, model(&[packet, good()]));
        assert_eq!(run.output.heads.len(), 1, "only the good one");
        let answers = run.output.refusals.iter();
        let answers: Vec<_> = answers
            .map(|answer| (answer.opcode.to_u64(), answer.source_context.to_u64()))
            .collect();
        answers
    };
    let [ack, reply] = [opcode::ACK, opcode::REPLY].map(u64::from);
    for context in [2, 4, 0xFF] {
        let source = u64::from(context);
        for asked in [1, 2, 3] {
            for opcode in [opcode::PUT, opcode::XTQ_PUT] {
                assert_eq!(gives(asking(opcode, asked, context, 0)), [(ack, source)]);
            }
        }
        for asked in [0, 1] {
            assert_eq!(
                gives(asking(opcode::GET, asked, context, 0)),
                [(reply, source)]
            );
        }
        assert_eq!(gives(asking(opcode::PUT, 0, context, 0)), []);
        assert_eq!(gives(asking(opcode::XTQ_PUT, 0, context, 0)), []);
    }
    // An answer is not answered, nor is the rest of a message.
    assert_eq!(gives(asking(opcode::REPLY, 1, 9, 0)), []);
    assert_eq!(gives(asking(opcode::PUT, 1, 9, 4096)), []);
}

#[test]
fn refusals_that_cannot_leave_hold_headers_up_and_lose_nothing() {
    let packets: Vec<Packet> = (0..5).map(|_| asking(opcode::GET, 0, 2, 0)).collect();
    let stuck = Pauses {
        refusal: 1.0,
        ..Pauses::default()
    };
    let run = run(&packets, stuck).unwrap();
    assert_eq!((run.rx_cycles.len(), run.output.refusals.len()), (2, 0));
    let run = run_freely(&packets);
    assert_eq!(run.output.refusals.len(), 5);
    let later: Vec<u64> = run.rx_cycles.iter().map(|cycle| cycle + 1).collect();
    assert_eq!(run.refusal_cycles, later);
}
