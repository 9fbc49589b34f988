//! `SendArbiter`: the two jobs of a message stay beside each other.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::send::{GatherJob, SendJob};

use xtq_testbench::by_name::{Hardware, field, pack};

/// What a source offers: number of its message, whether it has bytes, and which of its jobs were taken.
#[derive(Clone, Copy, Debug)]
struct Message {
    number: u64,
    bytes: bool,
    sent: bool,
    gathered: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bytes_come_in_the_order_of_their_headers_and_no_source_starves(
        seed: u64,
        pauses in prop::array::uniform4(prop::sample::select(vec![0.0, 0.5, 0.9])),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("send_arbiter");
        let names = [["first_send", "first_gather"], ["second_send", "second_gather"]];
        let mut waiting: [VecDeque<Message>; 2] = [0u64, 1].map(|source| {
            (0..80)
                .map(|i| Message { number: 1000 * (source + 1) + i, bytes: rng.random_bool(0.6), sent: false, gathered: false })
                .collect()
        });
        let mut offered = [false; 2];
        let (mut sends, mut gathers) = (Vec::new(), Vec::new());
        let with_bytes: Vec<u64> = waiting.iter().flatten().filter(|m| m.bytes).map(|m| m.number).collect();
        for _ in 0..8000 {
            for source in 0..2 {
                offered[source] = !waiting[source].is_empty() && (offered[source] || !rng.random_bool(pauses[source]));
                let front = waiting[source].front().copied();
                let message = front.unwrap_or(Message { number: 0, bytes: false, sent: true, gathered: true });
                let [send, gather] = names[source];
                hardware.set(send, &pack(SendJob::FIELDS, &[("match_bits", message.number)]));
                hardware.set(gather, &pack(GatherJob::FIELDS, &[("first_address", message.number)]));
                hardware.set(&format!("{send}_valid"), &[(offered[source] && !message.sent).into()]);
                hardware.set(&format!("{gather}_valid"), &[(offered[source] && message.bytes && !message.gathered).into()]);
            }
            let ready = [!rng.random_bool(pauses[2]), !rng.random_bool(pauses[3])];
            hardware.set("send_ready", &[ready[0].into()]);
            hardware.set("gather_ready", &[ready[1].into()]);
            hardware.eval();
            if hardware.high("send_valid") && ready[0] {
                sends.push(field(SendJob::FIELDS, &hardware.get("send"), "match_bits"));
            }
            if hardware.high("gather_valid") && ready[1] {
                gathers.push(field(GatherJob::FIELDS, &hardware.get("gather"), "first_address"));
            }
            for source in 0..2 {
                let [send, gather] = names[source];
                let taken = |name: &str| hardware.high(&format!("{name}_ready"));
                if !offered[source] {
                    continue;
                }
                if let Some(message) = waiting[source].front_mut() {
                    message.sent |= taken(send);
                    message.gathered |= !message.bytes || taken(gather);
                    if message.sent && message.gathered {
                        waiting[source].pop_front();
                        offered[source] = false;
                    }
                }
            }
            hardware.step();
        }
        prop_assert_eq!(sends.len(), 160);
        let expected: Vec<u64> = sends.iter().copied().filter(|number| with_bytes.contains(number)).collect();
        prop_assert_eq!(gathers, expected);
        for source in [1000, 2000] {
            let own: Vec<u64> = sends.iter().copied().filter(|number| number / 1000 == source / 1000).collect();
            prop_assert!(own.is_sorted());
        }
        // Both always offer: they take turns.
        if pauses[..2] == [0.0, 0.0] {
            let turns = sends[..100].windows(2).filter(|pair| pair[0] / 1000 != pair[1] / 1000).count();
            prop_assert_eq!(turns, 99);
        }
    }
}
