//! The order of publication, from the trace of writes, under memories as unkind as allowed.

use crate::fixture::*;
use xtq_testbench::bus::{MemoryTiming, Stalls, WriteRecord};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::node::{GpuTiming, NodeConfig};

/// A memory that answers late and out of order.
fn slow(seed: u64) -> NodeConfig {
    let timing = MemoryTiming {
        write_latency: 1..=120,
        read_latency: 1..=40,
        stalls: Stalls {
            aw: 0.1,
            w: 0.2,
            ar: 0.1,
            b: 0.3,
            r: 0.1,
        },
        reorder: true,
        ..MemoryTiming::random(seed)
    };
    NodeConfig {
        timing,
        seed,
        ..NodeConfig::default()
    }
}

fn word(record: &WriteRecord, address: u64) -> u64 {
    let at = (address - record.line) as usize;
    u64::from_le_bytes(record.data[at..at + 8].try_into().unwrap())
}

#[test]
fn header_words_follow_the_acknowledgements_and_doorbells_follow_header_words() {
    // The scoreboard checks the order of every message; here the same is read off the trace directly.
    let mut checked = checked(&slow(11));
    let packets: Vec<_> = (0..6)
        .flat_map(|id| kernel_message(id, 200).packets())
        .collect();
    checked
        .deliver(&packets, 50_000)
        .unwrap_or_else(|error| panic!("{error}"));
    let log = checked.node.memory.log();
    let queue = queue(QUEUE);
    for id in 0..6 {
        let slot = queue.base + 64 * id;
        let landing = BUFFER + id * (64 * 6);
        let header = log
            .iter()
            .find(|r| r.line == slot && r.strobes == 0xf)
            .unwrap();
        let payload = log
            .iter()
            .filter(|r| r.line >= landing && r.line < landing + 328);
        let body = log.iter().filter(|r| r.line == slot && r.strobes == !0xf);
        let index = log.iter().filter(|r| {
            r.writes(queue.write_index_address) && word(r, queue.write_index_address) == id + 1
        });
        let before: Vec<_> = payload.chain(body).chain(index).collect();
        assert!(
            before.len() >= 8,
            "payload, body and index of message {id}: {}",
            before.len()
        );
        for record in before {
            assert!(record.b_cycle < header.aw_cycle, "message {id}: {record:?}");
        }
        let doorbells = log
            .iter()
            .filter(|r| r.writes(queue.doorbell_address) && word(r, queue.doorbell_address) >= id);
        for doorbell in doorbells {
            assert!(
                header.b_cycle < doorbell.aw_cycle,
                "message {id}: {doorbell:?}"
            );
        }
    }
    let rings = log.iter().filter(|r| r.writes(queue.doorbell_address));
    assert_eq!(
        rings.map(|r| word(r, queue.doorbell_address)).max(),
        Some(5)
    );
}

#[test]
fn a_consumer_that_looks_only_after_a_doorbell_never_sees_half_a_packet() {
    for seed in [1, 2] {
        let mut checked = checked(&slow(seed));
        let gpu = GpuTiming {
            poll: 0,
            launch: 0,
            task: 3,
            ..GpuTiming::default()
        };
        checked.node.attach_gpu(0, &queue(QUEUE), gpu).unwrap();
        for first in [0, 8] {
            let messages = (first..first + 8).map(|id| kernel_message(id, 64 + usize::from(id)));
            let packets: Vec<_> = messages.flat_map(|message| message.packets()).collect();
            checked
                .deliver(&packets, 50_000)
                .unwrap_or_else(|error| panic!("{error}"));
        }
        let gpu = &checked.node.gpus()[0];
        assert_eq!(gpu.error(), None);
        assert_eq!(gpu.runs().len(), 16);
        assert!(gpu.runs().iter().all(|run| run.completed.is_some()));
        let read_index = queue(QUEUE).read_index_address;
        assert_eq!(checked.node.memory.memory(0).read_u64(read_index), 16);
    }
}
