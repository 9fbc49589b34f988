//! `PayloadWriter` with a `WritePort` against a byte-level model, its contract in cycles, and its Verilog.

mod packet;
mod path;

use std::collections::BTreeMap;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::Engine;
use xtq_testbench::bus::{
    Access, AxiMemory, Bench, ErrorResponse, Fault, Gaps, MemoryTiming, Model, Stalls, WordSink,
    run_cycle,
};
use xtq_testbench::bytes::{Bytes, SparseMemory};

use crate::payload_writer::packet::Packet;
use crate::payload_writer::path::{Harness, engine, harness};

/// Where the port's errors are: the page after this address, one line in four.
const FAULTY: u64 = 0x7_0000;

fn random_packets(rng: &mut ChaCha8Rng) -> Vec<Packet> {
    let slots = [17, 2, 255, 3];
    let mut packets = Vec::new();
    for number in 0..10u64 {
        let length = match rng.random_range(0..5) {
            0 => 0,
            1 => rng.random_range(1..64),
            2 => 64 * rng.random_range(1..4),
            3 => rng.random_range(1..1000),
            _ => rng.random_range(3900..=4096),
        };
        let page = if rng.random_bool(0.2) {
            FAULTY
        } else {
            0x10_0000 + number * 0x4000
        };
        let offset = rng.random_range(0..4096);
        let offset = if rng.random_bool(0.3) {
            offset & !63
        } else {
            offset
        };
        let slot: u8 = slots[rng.random_range(0..slots.len())];
        let packet = Packet {
            context: slot % 4,
            message_last: rng.random_bool(0.6),
            bad: rng.random_bool(0.1),
            lost: rng.random_bool(0.05),
            ..Packet::whole(slot, page + offset, length)
        };
        packets.push(packet);
    }
    packets
}

/// The model: bytes one by one into a map; and what each message comes to.
fn expected(packets: &[Packet]) -> (Vec<SparseMemory>, Vec<(bool, bool)>) {
    let mut memories = vec![SparseMemory::new(); 4];
    let mut open: BTreeMap<u8, (bool, bool)> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for packet in packets {
        let faulty = (FAULTY..FAULTY + 0x4000).contains(&packet.address);
        let outcome = open.entry(packet.slot).or_default();
        outcome.0 |= faulty || packet.lost;
        outcome.1 |= packet.bad;
        if !faulty {
            for (i, byte) in packet.bytes.iter().enumerate() {
                memories[usize::from(packet.context)].write(packet.address + i as u64, &[*byte]);
            }
        }
        if packet.message_last {
            outcomes.push(open.remove(&packet.slot).unwrap_or_default());
        }
    }
    (memories, outcomes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn memory_and_outcomes_are_those_of_bytes_written_one_by_one(
        seed in any::<u32>(),
        input in prop::sample::select(vec![0.0, 0.5]),
        output in prop::sample::select(vec![0.0, 0.9]),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let packets = random_packets(&mut rng);
        let mut harness = harness([input, output], seed.into(), MemoryTiming::random(seed.into()));
        harness.memory.inject(Fault {
            context: None,
            addresses: FAULTY..=FAULTY + 0x3fff,
            access: Access::Write,
            response: ErrorResponse::SlaveError,
            code: 2,
            count: None,
        });
        packets.iter().for_each(|packet| harness.push(packet));
        let (memories, outcomes) = expected(&packets);
        let lines: usize = packets.iter().map(Packet::lines).sum();
        for _ in 0..40_000 {
            if harness.done.received().len() == outcomes.len() && harness.memory.log().len() == lines {
                break;
            }
            harness.cycle()?;
        }
        prop_assert_eq!(harness.outcomes(), outcomes);
        for (context, expected) in memories.iter().enumerate() {
            prop_assert_eq!(harness.memory.memory(context as u8), expected, "context {}", context);
        }
        prop_assert_eq!(harness.counts().w as usize, lines);
        harness.memory.checker().finish(0)?;
    }
}

/// Writes one packet at each of the 64 lane offsets and compares memory, guard bytes and line count.
fn write_at_every_offset(lengths: &[usize]) {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    let mut packets = Vec::new();
    for offset in 0..64 {
        for (number, length) in lengths.iter().enumerate() {
            // Ends of the packets lie near 4 KiB borders; between two packets there are guard bytes.
            let place = (64 * number as u64 + offset) * 0x3000 + 0x1000 - 2 * 64;
            packets.push(Packet::whole(offset as u8, place + offset, *length));
        }
    }
    let mut image = SparseMemory::new();
    for packet in &packets {
        harness.push(packet);
        let first = packet.address - 80;
        let guard = vec![0x5a; packet.bytes.len() + 160];
        harness.memory.memory_mut(0).write(first, &guard);
        image.write(first, &guard);
        image.write(packet.address, &packet.bytes);
    }
    let lines: usize = packets.iter().map(Packet::lines).sum();
    harness
        .run_until_done(packets.len(), 2 * lines as u64 + 300)
        .unwrap();
    assert!(harness.memory.memory(0) == &image);
    assert_eq!(harness.counts().w as usize, lines);
    assert!(harness.outcomes().iter().all(|o| *o == (false, false)));
}

#[test]
fn short_packets_at_every_offset_touch_only_their_bytes() {
    write_at_every_offset(&[0, 1, 63, 64, 65, 127, 128]);
}

#[test]
fn packets_of_one_byte_less_than_4_kib_at_every_offset_touch_only_their_bytes() {
    write_at_every_offset(&[4095]);
}

#[test]
fn packets_of_4_kib_at_every_offset_touch_only_their_bytes() {
    write_at_every_offset(&[4096]);
}

/// Lets the block clear the memory of all slots.
fn settle(harness: &mut Harness<impl Engine>) {
    for _ in 0..260 {
        harness.cycle().unwrap();
    }
}

#[test]
fn an_aligned_beat_is_on_the_pins_four_cycles_later_and_its_message_done_one_after_the_response() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    settle(&mut harness);
    harness.push(&Packet::whole(200, 0x4000, 64));
    harness.run_until_done(1, 20).unwrap();
    let accepted = harness.beats.accepted()[0];
    let record = &harness.memory.log()[0];
    assert_eq!(
        (record.aw_cycle, record.w_cycle),
        (accepted + 4, accepted + 4)
    );
    // B in n, payload_done and done in n + 1.
    assert_eq!(harness.done.received()[0].0, record.b_cycle + 1);
}

#[test]
fn aligned_packets_back_to_back_write_a_line_every_cycle_also_with_late_responses() {
    for latency in [1, 200] {
        let mut harness = harness([0.0, 0.0], 0, MemoryTiming::fixed_write(latency));
        for number in 0..6 {
            harness.push(&Packet::whole(number, u64::from(number) << 16, 4096));
        }
        harness.run_until_done(6, 1000).unwrap();
        let accepted = harness.beats.accepted();
        assert_eq!(accepted.last().unwrap() - accepted[0], 6 * 64 - 1);
        let written = harness.written();
        let cycles = written.last().unwrap().w_cycle - written[0].w_cycle;
        assert_eq!((written.len(), cycles), (6 * 64, 6 * 64 - 1));
    }
}

#[test]
fn misaligned_packets_of_4_kib_take_65_cycles_each_for_64_beats() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::fixed_write(200));
    for number in 0..6 {
        harness.push(&Packet::whole(number, (u64::from(number) << 16) + 13, 4096));
    }
    harness.run_until_done(6, 1000).unwrap();
    let accepted = harness.beats.accepted();
    for packet in accepted.chunks(64) {
        assert_eq!(packet[63] - packet[0], 63);
    }
    assert_eq!(accepted.last().unwrap() - accepted[0], 6 * 65 - 2);
    let written = harness.written();
    let cycles = written.last().unwrap().w_cycle - written[0].w_cycle;
    assert_eq!((written.len(), cycles), (6 * 65, 6 * 65 - 1));
}

/// So many cycles in which the memory takes neither AW nor W.
fn stall(harness: &mut Harness<impl Engine>, cycles: usize) {
    let stalled = MemoryTiming {
        stalls: Stalls {
            aw: 1.0,
            w: 1.0,
            ..Stalls::default()
        },
        ..MemoryTiming::ideal()
    };
    let mut stall = AxiMemory::new(&harness.engine, "", stalled).unwrap();
    for _ in 0..cycles {
        let models: &mut [&mut dyn Model] =
            &mut [&mut harness.beats, &mut harness.done, &mut stall];
        run_cycle(&mut harness.engine, models).unwrap();
    }
}

#[test]
fn lines_that_wait_go_out_as_one_burst_up_to_the_packet_end() {
    // Nothing is taken at first: one line in the port's buffer per burst of one, then what waits.
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    harness.push(&Packet::whole(0, 0x1_0000, 4096));
    harness.push(&Packet::whole(1, 0x2_0000, 128));
    stall(&mut harness, 100);
    harness.run_until_done(2, 200).unwrap();
    let mut bursts: BTreeMap<u64, usize> = BTreeMap::new();
    for record in harness.memory.log() {
        *bursts.entry(record.burst).or_default() += 1;
    }
    // Two lines sit in the port; the third was offered while it was alone, or with what had come by then.
    let lengths: Vec<usize> = bursts.into_values().collect();
    assert_eq!(lengths.iter().sum::<usize>(), 66);
    assert_eq!(lengths[..2], [1, 1]);
    assert_eq!(
        lengths.last(),
        Some(&2),
        "the second packet is one burst: {lengths:?}"
    );
    assert!(lengths.len() <= 5, "{lengths:?}");
}

#[test]
fn lines_behind_a_full_ring_wait_outside_and_none_is_lost() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    let mut image = SparseMemory::new();
    for number in 0..3u8 {
        let packet = Packet::whole(number, (u64::from(number) << 16) + 29, 4096);
        image.write(packet.address, &packet.bytes);
        harness.push(&packet);
    }
    stall(&mut harness, 300);
    // The ring has room for 64 lines, and three are on the way to it; the rest are not taken.
    let taken = harness.beats.accepted().len();
    assert_eq!(taken, 67);
    harness.run_until_done(3, 300).unwrap();
    assert!(harness.memory.memory(0) == &image);
    assert_eq!(harness.counts().w, 3 * 65);
    assert_eq!(harness.outcomes(), [(false, false); 3]);
}

#[test]
fn no_more_than_256_bursts_are_unacknowledged_and_the_257th_follows_the_first_response() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::fixed_write(400));
    settle(&mut harness);
    for number in 0..270u64 {
        // Few messages, so that only the bursts count.
        harness.push(&Packet {
            message_last: number % 27 == 26,
            ..Packet::whole(5, number << 12, 8)
        });
    }
    harness.run_until_done(10, 1200).unwrap();
    let written = harness.written();
    let first = written[0].w_cycle;
    assert_eq!(written[255].w_cycle, first + 255);
    // B on the pins in n, acknowledged in n + 1, room in n + 2, on the pins in n + 3.
    let response = written[0].b_cycle;
    assert_eq!(response, first + 400);
    assert_eq!(written[256].w_cycle, response + 3);
}

#[test]
fn no_done_is_lost_while_the_enqueuer_takes_none() {
    let mut harness = harness([0.0, 1.0], 0, MemoryTiming::ideal());
    for number in 0..300u64 {
        harness.push(&Packet::whole(number as u8, number << 12, 8));
    }
    for _ in 0..700 {
        harness.cycle().unwrap();
    }
    assert_eq!(harness.counts().w, 256);
    harness.done = WordSink::new(&harness.engine, "done", Gaps::none()).unwrap();
    harness.run_until_done(300, 700).unwrap();
    assert_eq!(harness.outcomes(), [(false, false); 300]);
}

#[test]
fn an_error_belongs_to_its_message_and_is_forgotten_with_it() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    harness.memory.inject(Fault {
        context: None,
        addresses: 0x5000..=0x503f,
        access: Access::Write,
        response: ErrorResponse::DecodeError,
        code: 1,
        count: None,
    });
    let part = |slot, address, length, message_last, bad| Packet {
        message_last,
        bad,
        ..Packet::whole(slot, address, length)
    };
    for packet in [
        part(1, 0x5000, 64, false, false),
        part(2, 0x6000, 64, false, true),
        part(3, 0x7000, 64, true, false),
        part(1, 0x8000, 64, false, false),
        part(2, 0x9000, 64, true, false),
        part(1, 0xa000, 0, true, false),
        part(1, 0xb000, 64, true, false),
        part(2, 0xc000, 64, true, false),
    ] {
        harness.push(&packet);
    }
    harness.run_until_done(5, 200).unwrap();
    let good = (false, false);
    assert_eq!(
        harness.outcomes(),
        [good, (false, true), (true, false), good, good]
    );
}

#[test]
fn a_reset_forgets_errors_of_messages_that_were_under_way() {
    let mut harness = harness([0.0, 0.0], 0, MemoryTiming::ideal());
    harness.memory.inject(Fault {
        context: None,
        addresses: 0..=63,
        access: Access::Write,
        response: ErrorResponse::SlaveError,
        code: 1,
        count: Some(1),
    });
    harness.push(&Packet {
        message_last: false,
        ..Packet::whole(9, 0, 64)
    });
    for _ in 0..40 {
        harness.cycle().unwrap();
    }
    assert_eq!(harness.counts().b, 1);
    harness.engine.reset(1).unwrap();
    harness.push(&Packet::whole(9, 0x1000, 64));
    harness.run_until_done(1, 40).unwrap();
    assert_eq!(harness.outcomes(), [(false, false)]);
}

#[test]
fn no_valid_follows_a_ready_within_the_cycle() {
    let mut engine = engine();
    let mut memory = AxiMemory::new(&engine, "", MemoryTiming::random(7)).unwrap();
    let mut bench = Bench::new(&mut engine).unwrap();
    bench.sink("done", Gaps::random(0.5, 1)).unwrap();
    let source = bench.source("beat", Gaps::random(0.2, 2)).unwrap();
    for number in 0..8u8 {
        for beat in Packet::whole(number, u64::from(number) * 0x1011, 777).beats() {
            bench.sources[source].push_value(beat);
        }
    }
    bench.models.push(&mut memory);
    for _ in 0..150 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
}
