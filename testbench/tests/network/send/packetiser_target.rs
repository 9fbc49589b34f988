//! What `ReceiveParser`, the first block of a target, makes of the packetiser's packets.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::{Bench, Gaps, WordSink, WordSource};
use xtq_types::send::SendJob;
use xtq_types::wire_header::opcode;

use crate::beats::{bytes, field};
use crate::runs::{engine, run_until_received};
use crate::send::packetiser_model::{Message, NODE, SENT, TX, bench, push};

/// A body as the target gets it: bytes, and whether its length is wrong.
type Body = (Vec<u8>, bool);

/// The beats that the packetiser makes of messages, as words.
fn sent_words(messages: &[Message]) -> Vec<Vec<u64>> {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    push(&mut bench, messages);
    run_until_received(&mut bench, SENT, messages.len(), 50_000);
    let received = bench.sinks[TX].received().iter();
    received.map(|(_, words)| words.clone()).collect()
}

/// Heads and bodies that the target's parser makes of them.
fn parsed(beats: &[Vec<u64>]) -> (usize, Vec<Body>) {
    let mut engine = engine("receive_parser");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let payload = ["rx_data", "rx_keep", "rx_last"];
    let source =
        WordSource::with_ports(bench.engine, &payload, "rx_valid", "rx_ready", Gaps::none());
    bench.sources.push(source.unwrap());
    beats.iter().for_each(|beat| bench.sources[0].push(beat));
    let head = WordSink::new(bench.engine, "head", Gaps::none()).unwrap();
    let body = WordSink::new(bench.engine, "body", Gaps::none()).unwrap();
    bench.sinks.extend([head, body]);
    bench.set("node", &[NODE.into()]).unwrap();
    bench.set("context_enabled", &[15]).unwrap();
    bench
        .run_until(|b| b.sources[0].waiting() == 0, 50_000)
        .unwrap();
    for _ in 0..20 {
        bench.cycle().unwrap();
    }
    let mut bodies: Vec<Body> = Vec::new();
    let mut body = Vec::new();
    for (_, words) in bench.sinks[1].received() {
        body.extend(&bytes(words)[..field(words, 512, 7) as usize]);
        if field(words, 519, 1) == 1 {
            bodies.push((std::mem::take(&mut body), field(words, 520, 1) == 1));
        }
    }
    (bench.sinks[0].received().len(), bodies)
}

#[test]
fn a_target_gets_all_bytes_and_finds_the_length_of_every_packet_from_an_error_on_wrong() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut messages = Vec::new();
    for length in [0, 1, 63, 64, 65, 4095, 4096, 4097, 8193, 12_289] {
        let message = Message::new(&mut rng, length);
        let job = SendJob {
            opcode: opcode::PUT.to_bits(),
            target_node: NODE.to_bits(),
            target_context: 2.into(),
            command_length: 0.into(),
            ..message.job
        };
        let message = Message { job, ..message };
        let beats = length.div_ceil(64);
        let failed = [0, 1, 62, 63, 64, 127, 128]
            .into_iter()
            .chain(beats.checked_sub(1));
        for beat in failed.filter(|beat| *beat < beats) {
            messages.push(message.clone().failing(beat));
        }
        messages.push(message);
    }
    let (heads, bodies) = parsed(&sent_words(&messages));
    let (mut packets, mut bodies) = (0, bodies.into_iter());
    for message in &messages {
        packets += message.body.len().div_ceil(4096).max(1);
        for (i, bytes) in message.body.chunks(4096).enumerate() {
            let got = bodies.next().unwrap();
            if message.failed.is_some_and(|beat| beat / 64 <= i) {
                assert!(got.1);
            } else {
                assert_eq!(got, (bytes.to_vec(), false));
            }
        }
    }
    assert_eq!(bodies.next(), None);
    assert_eq!(heads, packets);
}
