//! `BodyCut`: the bytes of packets with limits, with random pauses on both sides.

use proptest::prelude::*;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_types::pipe::WriteBeat;

/// A packet: bytes that come, bytes that may be written at most, wrong length.
#[derive(Clone, Debug)]
struct Packet {
    bytes: usize,
    limit: u16,
    bad: bool,
    last: bool,
}

/// What leaves of a packet: number, bytes of its beats, length was wrong, last of its message.
type Left = (u64, Vec<usize>, bool, bool);

fn beats(number: usize, packet: &Packet) -> Vec<WriteBeat> {
    let count = packet.bytes.div_ceil(64).max(1);
    let beat = |i: usize| WriteBeat {
        slot: (number as u64 & 255).into(),
        limit: u64::from(if i == 0 { packet.limit } else { 0x1555 }).into(),
        first: u64::from(i == 0).into(),
        last: u64::from(i + 1 == count).into(),
        message_last: u64::from(packet.last).into(),
        bad: u64::from(i + 1 == count && packet.bad).into(),
        bytes: (packet.bytes.saturating_sub(64 * i).min(64) as u64).into(),
        address: (0x1000 * number as u64).into(),
        data: (i as u64 + 1).into(),
        ..WriteBeat::default()
    };
    (0..count).map(beat).collect()
}

fn expected(number: usize, packet: &Packet) -> Left {
    let bytes = packet.bytes.min(packet.limit.into());
    let count = bytes.div_ceil(64).max(1);
    let beats = (0..count).map(|i| bytes.saturating_sub(64 * i).min(64));
    (
        number as u64 & 255,
        beats.collect(),
        packet.bad,
        packet.last,
    )
}

/// What leaves, and the cycles in which its beats do.
fn run(packets: &[Packet], gaps: [f64; 2], seed: u64) -> (Vec<Left>, Vec<u64>) {
    let mut engine = blocks::engine("body_cut", EngineKind::Jit).unwrap();
    let mut bench = Bench::new(&mut engine).unwrap();
    let source = bench.source("beat", Gaps::random(gaps[0], seed)).unwrap();
    let sink = bench.sink("cut", Gaps::random(gaps[1], seed + 1)).unwrap();
    for (number, packet) in packets.iter().enumerate() {
        for beat in beats(number, packet) {
            bench.sources[source].push_value(beat);
        }
    }
    let ends = |bench: &Bench| {
        let beats = bench.sinks[sink].values::<WriteBeat>();
        beats.iter().filter(|beat| beat.last == 1u64).count()
    };
    bench
        .run_until(|bench| ends(bench) == packets.len(), 100_000)
        .unwrap();
    let mut left: Vec<Left> = Vec::new();
    for (i, beat) in bench.sinks[sink].values::<WriteBeat>().iter().enumerate() {
        let number = beat.slot.to_u64();
        if beat.first == 1u64 {
            left.push((number, Vec::new(), false, false));
            assert_eq!(
                beat.address.to_u64() & 0xff_ffff,
                0x1000 * number,
                "beat {i}"
            );
        }
        let packet = left.last_mut().expect("the first beat says first");
        assert_eq!(
            beat.data.get_bits::<32>(0).to_u64(),
            packet.1.len() as u64 + 1
        );
        packet.1.push(beat.bytes.to_u64() as usize);
        packet.2 = beat.bad == 1u64;
        packet.3 = beat.message_last == 1u64;
    }
    let cycles = bench.sinks[sink].received().iter().map(|(cycle, _)| *cycle);
    (left, cycles.collect())
}

fn packet() -> impl Strategy<Value = Packet> {
    let length = || {
        prop_oneof![
            0..200usize,
            0..=4096usize,
            prop::sample::select(vec![0, 1, 63, 64, 65, 128, 4096])
        ]
    };
    (
        length(),
        length(),
        any::<bool>(),
        prop::bool::weighted(0.2),
        any::<bool>(),
    )
        .prop_map(|(bytes, limit, all, bad, last)| Packet {
            bytes,
            limit: if all { 4096 } else { limit as u16 },
            bad,
            last,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_packet_leaves_with_its_first_bytes(
        packets in prop::collection::vec(packet(), 1..20).prop_map(|mut packets| { packets.truncate(256); packets }),
        gaps in prop::sample::select(vec![[0.0, 0.0], [0.5, 0.0], [0.0, 0.5], [0.4, 0.4]]),
        seed in any::<u64>(),
    ) {
        let want: Vec<Left> = packets.iter().enumerate().map(|(i, packet)| expected(i, packet)).collect();
        prop_assert_eq!(run(&packets, gaps, seed).0, want);
    }
}

#[test]
fn whole_packets_pass_one_beat_a_cycle() {
    let packets = vec![
        Packet {
            bytes: 640,
            limit: 640,
            bad: false,
            last: true
        };
        20
    ];
    let (_, cycles) = run(&packets, [0.0, 0.0], 1);
    let first = cycles[0];
    assert_eq!(cycles, (first..first + 200).collect::<Vec<u64>>());
}
