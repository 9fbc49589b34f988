//! `Packetiser` against packets written byte by byte.

use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_types::send::SendJob;
use xtq_types::wire_header::opcode;

use crate::runs::{engine, run_until_received};
use crate::send::packetiser_model::{Message, bench, check, push};

/// Lengths on both sides of every border.
const LENGTHS: [usize; 18] = [
    0, 1, 2, 63, 64, 65, 127, 128, 129, 4032, 4095, 4096, 4097, 4160, 8191, 8192, 8193, 12_289,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn packets_and_notes_are_those_of_the_rules(
        seed in any::<u64>(),
        pauses in prop::sample::select(vec![
            [0.0; 4], [0.9, 0.0, 0.0, 0.0], [0.0, 0.6, 0.0, 0.0], [0.0, 0.0, 0.6, 0.0], [0.0, 0.0, 0.0, 0.97], [0.3, 0.3, 0.3, 0.3],
        ]),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut messages = Vec::new();
        for _ in 0..40 {
            let length = match rng.random_range(0..4) {
                0 => *LENGTHS.choose(&mut rng).unwrap_or(&0),
                1 => rng.random_range(0..2000),
                _ => rng.random_range(0..130),
            };
            let message = Message::new(&mut rng, length);
            messages.push(match rng.random_range(0..8) {
                0 => Message::bare(&mut rng, length),
                5 | 6 => message.kept(),
                7 => {
                    let size = 1 << rng.random_range(0..4);
                    let single = Message::single(&mut rng, size);
                    match rng.random_range(0..5) {
                        0 => single.failing(0),
                        _ => single,
                    }
                }
                1 if length > 0 => message.failing(rng.random_range(0..length.div_ceil(64))),
                _ => message,
            });
        }
        check(&messages, pauses, seed);
    }
}

#[test]
fn every_length_at_a_border() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let messages: Vec<Message> = LENGTHS
        .iter()
        .map(|length| Message::new(&mut rng, *length))
        .collect();
    check(&messages, [0.0; 4], 0);
}

#[test]
fn a_message_without_a_body_is_one_header_whatever_its_length() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let lengths = [0, 1, 4096, 4097, 0xFFFF_FFFF];
    let mut messages: Vec<Message> = lengths
        .iter()
        .map(|length| Message::bare(&mut rng, *length))
        .collect();
    messages.push(Message::new(&mut rng, 0));
    messages.push(Message::new(&mut rng, 70));
    check(&messages, [0.0; 4], 0);
}

#[test]
fn an_error_in_any_beat_makes_its_packet_wrong_and_leaves_headers_of_the_others() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut messages = Vec::new();
    for length in [1, 2, 64, 65, 128, 4096, 4097, 8192, 8193, 12_290, 12_289] {
        let beats = usize::div_ceil(length, 64);
        for failed in [0, 1, 2, 62, 63, 64, 65, 127, 128, 129, 191, 192] {
            if failed < beats {
                messages.push(Message::new(&mut rng, length).failing(failed));
                messages.push(Message::new(&mut rng, 100));
            }
        }
    }
    check(&messages, [0.0; 4], 0);
    check(&messages, [0.0, 0.2, 0.4, 0.0], 1);
}

/// What a target sees of a packet: bytes that its header says, and bytes that came.
fn said_and_came(message: &Message) -> Vec<(usize, usize)> {
    let mut packets: Vec<(usize, usize)> = Vec::new();
    let mut begins = true;
    for (bytes, last) in message.packets(0) {
        if begins {
            packets.push((
                message.body.len().min(4096 * packets.len() + 4096) - 4096 * packets.len(),
                0,
            ));
        } else if let Some(packet) = packets.last_mut() {
            packet.1 += bytes.len();
        }
        begins = last;
    }
    packets
}

/// The model itself: what it makes of an error cannot be taken for a whole packet.
#[test]
fn no_packet_from_the_error_on_has_the_length_that_its_header_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for length in [1, 2, 64, 65, 4096, 4097, 8192, 8193, 12_289] {
        for failed in 0..usize::div_ceil(length, 64) {
            let mut message = Message::new(&mut rng, length).failing(failed);
            message.job.command_length = 0.into();
            let packets = said_and_came(&message);
            assert_eq!(packets.len(), length.div_ceil(4096));
            for (i, (said, came)) in packets.into_iter().enumerate() {
                assert_eq!(said == came, i < failed / 64, "{length} {failed} {i}");
            }
        }
    }
}

#[test]
fn message_ids_count_through_15_bits_and_the_highest_says_reply() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let message = Message::bare(&mut rng, 0);
    let mut messages = vec![message; 32_770];
    for (number, message) in messages.iter_mut().enumerate() {
        let code = [opcode::GET, opcode::REPLY][number % 2];
        message.job.opcode = u64::from(code).to_bits();
    }
    check(&messages, [0.0; 4], 0);
}

#[test]
fn a_packet_offset_goes_up_to_the_end_of_4_gib() {
    // The bytes of such a message are too many: its second beat fails, the third ends it, and a header is left of each
    // of the other packets.
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let message = Message::new(&mut rng, 192).failing(1);
    let job = SendJob {
        length: 0xFFFF_FFFF_u64.to_bits(),
        ..message.job
    };
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    push(&mut bench, &[Message { job, ..message }]);
    run_until_received(&mut bench, 0, 3 + (1 << 20) - 1, 1 << 21);
    run_until_received(&mut bench, 1, 1, 10);
    let last = &bench.sinks[0].received().last().unwrap().1;
    assert_eq!(last[5] >> 32, 0xFFFF_F000);
    assert_eq!(bench.sinks[0].received().len(), 3 + (1 << 20) - 1);
}
