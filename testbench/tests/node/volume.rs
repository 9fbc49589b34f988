//! Many messages through one node, each compared with the golden model: 100,000, more with `XTQ_MESSAGES`. Nightly
//! only, as `.config/nextest.toml` says.

use crate::fixture::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{Buffer, ContextConfig, Message, NodeConfig};
use xtq_testbench::tables::HostQueue;
use xtq_types::event::status;

/// Messages of the test by itself; `./test.sh --nightly`, which alone runs it, runs ten times a million.
const MESSAGES: u64 = 100_000;
/// Messages between two looks at everything; the queue takes as many, if it is empty.
const BATCH: u64 = 200;
/// Every so many batches the consumer does not come, so that the queue is full in the next one.
const LATE: u64 = 5;
/// Cycles in which a batch must be done.
const CYCLES: u64 = 100_000;

fn messages() -> u64 {
    match std::env::var("XTQ_MESSAGES") {
        Ok(text) => text.parse().expect("XTQ_MESSAGES is a number"),
        Err(_) => MESSAGES,
    }
}

/// Another one in every repetition of the nightly profile.
fn seed() -> u64 {
    let repetition = std::env::var("NEXTEST_STRESS_CURRENT").ok();
    20_261_121 + repetition.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A kernel, a function or a plain put, with up to 300 bytes.
fn message(random: &mut ChaCha8Rng, id: u16) -> Message {
    let length = random.random_range(0..300);
    let message = match random.random_range(0..4) {
        0 => agent_message(id, length),
        1 => Message::put(id, pattern(length, id.into())),
        _ => kernel_message(id, length),
    };
    Message {
        ack_request: random.random_range(0..2),
        ..message
    }
}

#[test]
fn a_hundred_thousand_messages_are_delivered_as_the_golden_model_says() {
    let (seed, total) = (seed(), messages());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut checked = checked(&NodeConfig {
        register_gaps: 0.0,
        ..NodeConfig::random(seed)
    });
    let queue = HostQueue {
        size: 256,
        ..queue(QUEUE)
    };
    let node = &mut checked.node;
    node.open_context(0, &ContextConfig::default()).unwrap();
    node.create_queue(0, &queue);
    node.register_queue(0, QUEUE, queue).unwrap();
    let silent = Buffer {
        event_success: false,
        event_failure: false,
        ..Buffer::new(BUFFER, BUFFER_BYTES)
    };
    assert!(total > 0, "XTQ_MESSAGES is 0");
    let (mut sent, mut tasks, mut full) = (0, 0, 0);
    while sent < total {
        // Room for the whole batch.
        checked.node.post_buffer(0, 0, &silent).unwrap();
        let batch = BATCH.min(total - sent);
        let packets = (sent..sent + batch).flat_map(|id| message(&mut random, id as u16).packets());
        let packets: Vec<_> = packets.collect();
        let outcomes = checked
            .deliver(&packets, CYCLES)
            .unwrap_or_else(|error| panic!("seed {seed}, messages {sent} and later: {error}"));
        assert_eq!(outcomes.len() as u64, batch, "seed {seed}, message {sent}");
        for outcome in &outcomes {
            let expected = [status::OK, status::QUEUE_FULL];
            assert!(
                expected.contains(&outcome.status),
                "seed {seed}: {outcome:?}"
            );
            full += u64::from(outcome.status == status::QUEUE_FULL);
        }
        tasks += outcomes.iter().filter(|o| o.task.is_some()).count() as u64;
        sent += batch;
        if !(sent / BATCH).is_multiple_of(LATE) {
            drain(&mut checked.node, 0, &queue);
        }
        // A long run needs no more memory than a short one.
        checked.node.memory.take_log();
    }
    // Of 400 messages 300 are tasks, and 256 find room.
    assert!(
        total < 2 * LATE * BATCH || full > total / 100,
        "{full} of {total}"
    );
    let memory = checked.node.memory.memory(0);
    assert_eq!(memory.read_u64(queue.write_index_address), tasks);
}
