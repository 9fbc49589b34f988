//! What holds for every packet: order, latency, throughput, back-pressure, fields.

use std::collections::BTreeSet;
use xtq_engine::Engine;
use xtq_rtl::network::receive_parser::KeepBytes;
use xtq_testbench::pins;
use xtq_types::Field;
use xtq_types::pipe::PacketHead;
use xtq_types::wire_header::WireHeader;

use crate::receive_parser::harness::*;
use crate::receive_parser::model::model;

#[test]
fn keep_bits_are_counted_and_compared_and_holes_give_none() {
    let mut engine =
        pins!(KeepBytes::default(); in: keep, wanted; out: bytes, exact, more).unwrap();
    let port = |name| engine.port(name).unwrap();
    let (keep, wanted) = (port("keep"), port("wanted"));
    let outputs = ["bytes", "exact", "more"].map(port);
    let mut count = |value: u64, want: u64| {
        engine.set(keep, &[value]).unwrap();
        engine.set(wanted, &[want]).unwrap();
        engine.eval().unwrap();
        outputs.map(|output| {
            let mut words = [0];
            engine.get(output, &mut words);
            words[0]
        })
    };
    for want in 0..=64 {
        let mut is = |value: u64, bytes: u64| {
            let expected = [bytes, u64::from(bytes == want), u64::from(bytes > want)];
            assert_eq!(count(value, want), expected, "{value:#x}, wanted {want}");
        };
        for n in 0..64 {
            is((1 << n) - 1, n);
        }
        is(u64::MAX, 64);
        for lane in 0..63 {
            // A hole, and a byte above nothing.
            is(!(1 << lane), 0);
            is(2 << lane, 0);
        }
    }
}

#[test]
fn heads_and_bodies_follow_their_beats_by_one_cycle_without_bubbles() {
    // Per packet: beat that completes the head, beats that are body.
    let shapes = [
        (Header::put(0), 0, vec![]),
        (Header::put(64), 0, vec![1]),
        (Header::xtq(64, 64), 1, vec![]),
        (Header::xtq(80, 80), 1, vec![2]),
        (Header::put(200), 0, vec![1, 2, 3, 4]),
        (Header::xtq(4096, 128), 1, (2..65).collect()),
        (Header::put(4096), 0, (1..65).collect()),
    ];
    let packets: Vec<Packet> = shapes.iter().map(|(header, ..)| header.packet()).collect();
    let run = run_freely(&packets);
    let first = run.rx_cycles[0];
    let beats: usize = packets.iter().map(|packet| packet.beats.len()).sum();
    assert_eq!(
        run.rx_cycles,
        (first..first + beats as u64).collect::<Vec<_>>()
    );
    let (mut heads, mut bodies, mut packet_starts, mut start) = (vec![], vec![], vec![], first);
    for ((_, head, body), packet) in shapes.iter().zip(&packets) {
        packet_starts.push(start + 1);
        heads.push(start + head + 1);
        bodies.extend(body.iter().map(|beat| start + beat + 1));
        start += packet.beats.len() as u64;
    }
    assert_eq!(run.head_cycles, heads);
    assert_eq!(run.body_cycles, bodies);
    assert_eq!(run.pulse_cycles[0], packet_starts);
    assert_eq!(run.output, model(&packets));
}

#[test]
fn waiting_heads_stall_only_the_third_head() {
    let packets = vec![Header::put(640).packet(); 3];
    let pauses = Pauses {
        head: 1.0,
        ..Pauses::default()
    };
    let run = run(&packets, pauses).unwrap();
    assert_eq!(
        run.rx_cycles.len(),
        2 * 11,
        "two whole packets, then a header waits"
    );
    assert_eq!(run.body_cycles.len(), 20);
}

#[test]
fn a_waiting_body_stalls_the_stream_after_sixteen_beats_and_lets_heads_go() {
    let packets = vec![Header::put(640).packet(); 3];
    let pauses = Pauses {
        body: 1.0,
        ..Pauses::default()
    };
    let run = run(&packets, pauses).unwrap();
    assert_eq!(run.rx_cycles.len(), 2 + 16);
    assert_eq!(run.head_cycles.len(), 2);
}

#[test]
fn a_surplus_is_swallowed_without_room_for_bodies() {
    let packet = Header::put(64 * 16).with_body(64 * 26);
    let pauses = Pauses {
        body: 1.0,
        ..Pauses::default()
    };
    let run = run(&[packet], pauses).unwrap();
    assert_eq!(run.rx_cycles.len(), 1 + 26);
}

#[test]
fn every_field_of_the_head_comes_from_its_place() {
    let header = Header {
        packet_offset: 8192,
        ..Header::xtq(8192 + 65, 300)
    };
    let run = run_freely(&[header.packet()]);
    let (head, aql) = &run.output.heads[0];
    let noise = &header.noise;
    let bytes = |from: usize, to: usize| {
        let bytes = noise[from..to].iter().rev();
        bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
    };
    // Every field is named, so that a new one is not forgotten.
    let PacketHead {
        xtq,
        get,
        atomic,
        fetch,
        swap,
        reply,
        lists: _, // of the context, not of the header
        first,
        last,
        ack_request,
        context,
        body_bytes,
        source_node,
        source_context,
        portal_index,
        user_id,
        match_bits,
        remote_offset,
        header_data,
        message_length,
        packet_offset,
        message_id,
        command_length,
        initiator_handle,
        ni_fail,
        operation,
        datatype,
    } = *head;
    assert_eq!(xtq, 1);
    for other in [get, atomic, fetch, swap, reply] {
        assert_eq!(other, 0);
    }
    assert_eq!(first, 0);
    assert_eq!(last, 1);
    assert_eq!(ack_request.to_u64(), bytes(2, 3) & 3);
    assert_eq!(ni_fail.to_u64(), bytes(3, 4));
    assert_eq!(context, 1);
    assert_eq!(body_bytes, 65);
    assert_eq!(source_node.to_u64(), bytes(4, 6));
    assert_eq!(source_context.to_u64(), bytes(8, 9));
    assert_eq!(portal_index.to_u64(), bytes(10, 12));
    assert_eq!(user_id.to_u64(), bytes(12, 16));
    assert_eq!(match_bits.to_u64(), bytes(16, 24));
    assert_eq!(remote_offset.to_u64(), bytes(24, 32));
    assert_eq!(header_data.to_u64(), bytes(32, 40));
    assert_eq!(message_length, 8192 + 65);
    assert_eq!(packet_offset, 8192);
    assert_eq!(message_id.to_u64(), bytes(48, 50));
    assert_eq!(command_length, 300);
    assert_eq!(initiator_handle.to_u64(), bytes(56, 58));
    assert_eq!(operation.to_u64(), bytes(58, 59));
    assert_eq!(datatype.to_u64(), bytes(59, 60));
    assert!(
        aql.is_empty(),
        "a later packet of an XTQ put has no AQL packet"
    );
    assert_eq!(run.output.bodies.len(), 2);
}

/// Fields of the header that end in the parser, or that are always 0.
const NOT_HANDED_ON: [&str; 7] = [
    "version",
    "opcode",
    "target_node",
    "target_context",
    "sequence",
    "cumulative_ack",
    "header_crc",
];

#[test]
fn every_field_of_the_header_is_handed_on_or_known_not_to_be() {
    let names =
        |fields: &[Field]| -> BTreeSet<&str> { fields.iter().map(|field| field.name).collect() };
    let handed_on = names(PacketHead::FIELDS);
    let rest: BTreeSet<&str> = names(WireHeader::FIELDS)
        .into_iter()
        .filter(|name| !handed_on.contains(name))
        .collect();
    assert_eq!(rest, BTreeSet::from(NOT_HANDED_ON));
}

#[test]
fn a_long_message_marks_first_and_last_packet() {
    for (length, rest) in [(2 * 4096 + 10, 10), (3 * 4096, 4096)] {
        let packet = |i: u32| Header {
            packet_offset: 4096 * i,
            ..Header::xtq(length, 64)
        };
        let packets: Vec<Packet> = (0..3).map(|i| packet(i).packet()).collect();
        let run = run_freely(&packets);
        let marks = run.output.heads.iter();
        let marks: Vec<_> = marks
            .map(|(h, _)| (h.first.any(), h.last.any(), h.body_bytes.to_u64()))
            .collect();
        assert_eq!(
            marks,
            [
                (true, false, 4096),
                (false, false, 4096),
                (false, true, rest)
            ]
        );
        assert_eq!(run.output.pulses, [3, 0, 0, 0, 0, 0]);
    }
}

#[test]
fn reset_in_a_packet_makes_the_next_beat_a_header() {
    let mut engine = engine().unwrap();
    let pins = ["rx_data", "rx_keep", "rx_last", "rx_valid"].map(|name| engine.port(name).unwrap());
    let send = |engine: &mut dyn Engine, values: [&[u64]; 4]| {
        for (pin, words) in pins.iter().zip(values) {
            engine.set(*pin, words).unwrap();
        }
        engine.step().unwrap();
    };
    engine.reset(2).unwrap();
    for (name, value) in [("node", NODE), ("context_enabled", ENABLED), ("gets", 1)] {
        let pin = engine.port(name).unwrap();
        engine.set(pin, &[value]).unwrap();
    }
    let header = words(&Header::put(100).bytes());
    send(&mut engine, [&header, &[u64::MAX], &[0], &[1]]);
    send(&mut engine, [&header, &[u64::MAX], &[0], &[0]]);
    engine.reset(1).unwrap();
    engine.eval().unwrap();
    let (head_valid, drop) = (
        engine.port("head_valid").unwrap(),
        engine.port("drop_length").unwrap(),
    );
    let mut value = [0];
    engine.get(head_valid, &mut value);
    assert_eq!(value, [0], "the head is gone");
    let empty = words(&Header::put(0).bytes());
    send(&mut engine, [&empty, &[u64::MAX], &[1], &[1]]);
    send(&mut engine, [&empty, &[u64::MAX], &[1], &[0]]);
    engine.get(drop, &mut value);
    assert_eq!(value, [0]);
    engine.get(head_valid, &mut value);
    assert_eq!(value, [1]);
}
