//! Equivalence with the rules on random packets, malformed ones among them.

use proptest::prelude::*;
use xtq_types::wire_header::{VERSION, opcode};

use crate::receive_parser::harness::*;
use crate::receive_parser::model::model;

/// Lengths around every boundary, mostly short.
fn lengths() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0u32..260,
        2 => (0u32..6, -1i32..2).prop_map(|(beats, off)| (64 * beats).saturating_add_signed(off)),
        1 => (1u32..4, -65i32..66).prop_map(|(packets, off)| (4096 * packets).saturating_add_signed(off)),
        1 => any::<u32>(),
    ]
}

fn headers() -> impl Strategy<Value = Header> {
    let offsets = prop_oneof![
        8 => Just(0u32),
        2 => (0u32..4).prop_map(|packets| 4096 * packets),
        1 => any::<u32>(),
        1 => any::<u32>().prop_map(|offset| offset & !4095),
    ];
    let codes = (
        prop_oneof![15 => Just(VERSION), 1 => any::<u8>()],
        prop_oneof![6 => Just(opcode::PUT), 5 => opcode::ATOMIC..=opcode::SWAP, 9 => Just(opcode::XTQ_PUT), 2 => Just(opcode::GET), 4 => Just(opcode::REPLY), 1 => any::<u8>()],
        prop_oneof![15 => Just(NODE as u16), 1 => any::<u16>()],
        prop_oneof![15 => Just(0u8), 15 => Just(3), 2 => any::<u8>(), 2 => 0u8..5],
    );
    let commands = prop_oneof![2 => Just(64u16), 4 => 64u16..200, 1 => any::<u16>(), 1 => 0u16..70];
    let noise = proptest::collection::vec(any::<u8>(), 64);
    let atomic = prop::option::weighted(0.8, (0u8..19, 0u8..11));
    (codes, lengths(), offsets, commands, atomic, noise).prop_map(
        |(
            (version, opcode, node, context),
            length,
            packet_offset,
            command_length,
            atomic,
            noise,
        )| Header {
            version,
            opcode,
            node,
            context,
            message_length: length,
            packet_offset,
            command_length,
            atomic,
            noise,
        },
    )
}

fn packets() -> impl Strategy<Value = Packet> {
    let body = prop_oneof![
        6 => Just(0i32),
        1 => -70i32..70,
        1 => (-4i32..4).prop_map(|beats| 64 * beats),
        1 => -5000i32..200,
    ];
    let keep = prop_oneof![9 => Just(None), 1 => Just(Some(0)), 1 => any::<u64>().prop_map(Some)];
    let wrong = prop::bool::weighted(0.1);
    (headers(), body, keep, 0usize..63, wrong).prop_map(|(header, change, keep, cut, wrong)| {
        let mut packet = header.with_body((header.announced() as i32 + change).max(0) as usize);
        if packet.beats.len() == 1 && change < -60 {
            packet = Packet::new(&header.bytes()[..cut + 1]);
        }
        if let (Some(keep), Some(last)) = (keep, packet.beats.last_mut()) {
            last.0.resize(64, 0xEE);
            last.1 = keep;
        }
        // Now and then it comes with the other class.
        packet.answer ^= wrong;
        packet
    })
}

fn pauses() -> impl Strategy<Value = Pauses> {
    let share = || prop_oneof![Just(0.0), 0.0..0.6];
    (share(), share(), share(), share(), any::<u64>()).prop_map(
        |(rx, head, body, refusal, seed)| Pauses {
            rx,
            head,
            body,
            refusal,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_packets_come_out_as_the_rules_say(
        packets in proptest::collection::vec(packets(), 1..12),
        pauses in pauses(),
    ) {
        let run = run(&packets, pauses).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(run.output, model(&packets));
        let beats: usize = packets.iter().map(|packet| packet.beats.len()).sum();
        prop_assert_eq!(run.rx_cycles.len(), beats, "beats are left on the stream");
    }
}
