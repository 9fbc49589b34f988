//! What waits for what, and how long things take.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Bench, Gaps, MemoryTiming};
use xtq_types::atomic::{datatype as d, operation as o};

use super::message::Message;
use super::path::Harness;
use super::random::data;

/// A message of context 0 to an aligned address.
fn message(operation: u8, datatype: u8, length: usize, fetch: bool) -> Message {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    Message {
        slot: 9,
        context: 0,
        fetch,
        operation,
        datatype,
        address: 0x4000,
        length,
        operand: 0,
        body: data(&mut random, datatype, length),
        bad: false,
    }
}

/// Cycles from a job to its `done` and to the last beat of its reply, with a memory that answers after one cycle.
fn pace(message: &Message) -> (u64, u64) {
    let mut harness = Harness::new(MemoryTiming::ideal(), [0.0; 5], 1);
    harness.push(message);
    harness.run(1);
    let begin = harness.jobs.accepted()[0];
    let reply = harness.reply.received().last();
    let reply = reply.map_or(0, |(cycle, _)| cycle - begin);
    (harness.done.received()[0].0 - begin, reply)
}

#[test]
fn a_message_takes_the_promised_time() {
    assert_eq!(pace(&message(o::SUM, d::INT64, 8, false)), (22, 0));
    assert_eq!(pace(&message(o::SUM, d::INT64, 8, true)), (22, 27));
    // Seven lines more are read, then computed, written, and sent in the reply.
    assert_eq!(
        pace(&message(o::SUM, d::INT64, 512, true)),
        (22 + 14, 27 + 21)
    );
    // What the ALU needs more for a floating point sum and for a product.
    assert_eq!(pace(&message(o::SUM, d::DOUBLE, 8, false)), (22 + 18, 0));
    assert_eq!(pace(&message(o::PROD, d::INT64, 8, false)), (22 + 25, 0));
}

#[test]
fn messages_to_one_address_follow_each_other() {
    let mut harness = Harness::new(MemoryTiming::ideal(), [0.0; 5], 1);
    for _ in 0..10 {
        harness.push(&message(o::SUM, d::INT64, 8, false));
    }
    harness.run(10);
    let steps = harness.jobs.accepted().windows(2);
    assert!(steps.map(|pair| pair[1] - pair[0]).all(|step| step == 23));
}

/// The unit by itself, with everything it could do standing at its door.
fn waiting(bench: &mut Bench, message: &Message) {
    let job = bench.source("job", Gaps::none()).unwrap();
    bench.sources[job].push_value(message.job());
    let beat = bench.source("beat", Gaps::none()).unwrap();
    for value in message.beats() {
        bench.sources[beat].push_value(value);
    }
    for name in ["write_ready", "done_ready", "reply_ready"] {
        bench.set(name, &[1]).unwrap();
    }
}

#[test]
fn nothing_is_read_before_the_writes_of_earlier_messages_are_settled() {
    let mut engine = blocks::engine("atomic_unit", EngineKind::Jit).unwrap();
    let mut bench = Bench::new(&mut *engine).unwrap();
    waiting(&mut bench, &message(o::SUM, d::INT64, 8, false));
    let request = bench.sink("request", Gaps::none()).unwrap();
    bench.set("settled", &[0]).unwrap();
    for _ in 0..100 {
        bench.cycle().unwrap();
    }
    assert!(bench.sinks[request].received().is_empty());
    assert_eq!(bench.get("busy").unwrap(), [1]);
    // One cycle is enough.
    bench.set("settled", &[1]).unwrap();
    bench.cycle().unwrap();
    bench.set("settled", &[0]).unwrap();
    bench.cycle().unwrap();
    assert_eq!(bench.sinks[request].received().len(), 1);
}

#[test]
fn nothing_is_written_before_the_last_beat() {
    let mut engine = blocks::engine("atomic_unit", EngineKind::Jit).unwrap();
    let mut bench = Bench::new(&mut *engine).unwrap();
    let message = message(o::SUM, d::INT64, 128, false);
    let job = bench.source("job", Gaps::none()).unwrap();
    bench.sources[job].push_value(message.job());
    let beat = bench.source("beat", Gaps::none()).unwrap();
    let beats = message.beats();
    bench.sources[beat].push_value(beats[0]);
    bench.set("settled", &[1]).unwrap();
    bench.set("request_ready", &[1]).unwrap();
    let write = bench.sink("write", Gaps::none()).unwrap();
    for cycle in 0..60 {
        bench
            .set("result_valid", &[u64::from(cycle == 10 || cycle == 11)])
            .unwrap();
        bench.cycle().unwrap();
    }
    assert!(bench.sinks[write].received().is_empty());
    bench.sources[beat].push_value(beats[1]);
    bench
        .run_until(|bench| bench.sinks[write].received().len() == 2, 30)
        .unwrap();
}

#[test]
fn no_valid_follows_a_ready_in_the_same_cycle() {
    let mut engine = blocks::engine("atomic_unit", EngineKind::Jit).unwrap();
    let mut bench = Bench::new(&mut *engine).unwrap();
    let message = message(o::SUM, d::INT64, 128, true);
    let job = bench.source("job", Gaps::none()).unwrap();
    let beat = bench.source("beat", Gaps::none()).unwrap();
    for _ in 0..2 {
        bench.sources[job].push_value(message.job());
        for value in message.beats() {
            bench.sources[beat].push_value(value);
        }
    }
    bench.set("settled", &[1]).unwrap();
    let sinks = ["request", "write", "done", "reply"];
    let [request, write, done, _] =
        sinks.map(|name| bench.sink(name, Gaps::random(0.5, 3)).unwrap());
    let (mut lines, mut acknowledged) = (0, 0);
    for _ in 0..300 {
        // A line of what is asked for in each cycle; an acknowledgement of what is written.
        let line = lines < 2 * bench.sinks[request].received().len();
        let acknowledgement = acknowledged < bench.sinks[write].received().len();
        lines += usize::from(line);
        acknowledged += usize::from(acknowledgement);
        bench.set("result_valid", &[line.into()]).unwrap();
        bench.set("write_done", &[acknowledgement.into()]).unwrap();
        bench.cycle().unwrap();
        bench.check_ready_paths().unwrap();
    }
    assert_eq!(bench.sinks[done].received().len(), 2);
}
