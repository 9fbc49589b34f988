//! `IovecScatter`: packets that leave, against packets parted by hand.

use proptest::prelude::*;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Bench, Gaps, WordSink, WordSource, run_cycle};
use xtq_types::Wire;
use xtq_types::pipe::{IovecNote, WriteBeat};

use crate::iovec::engine;
use crate::iovec::list::{List, TIMINGS};
use crate::iovec::memory::Memory;

/// A packet: what is written one after the other, and what is reported at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Packet {
    slot: u64,
    context: u64,
    address: u64,
    bytes: Vec<u8>,
    message_last: bool,
    bad: bool,
    lost: bool,
}

impl Packet {
    /// Whether a beat without bytes ends it: it was cut off after a whole beat.
    fn is_cut_off(&self, limit: u64) -> bool {
        let length = self.bytes.len();
        self.bad && length > 0 && length.is_multiple_of(64) && (length as u64) < limit
    }

    /// Its beats, with the number of bytes that it should have had; bytes after its end are noise.
    fn beats(&self, limit: u64) -> Vec<WriteBeat> {
        let count = self.bytes.len().div_ceil(64).max(1) + usize::from(self.is_cut_off(limit));
        let beat = |number: usize| {
            let bytes = &self.bytes[64 * number..self.bytes.len().min(64 * number + 64)];
            let mut line = [0xa5; 64];
            line[..bytes.len()].copy_from_slice(bytes);
            let words = line.chunks_exact(8);
            let words: Vec<u64> = words
                .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
                .collect();
            let last = number + 1 == count;
            WriteBeat {
                slot: self.slot.to_bits(),
                context: self.context.to_bits(),
                limit: limit.to_bits(),
                first: u64::from(number == 0).to_bits(),
                last: u64::from(last).to_bits(),
                message_last: u64::from(self.message_last).to_bits(),
                bad: u64::from(self.bad && last).to_bits(),
                lost: 0.into(),
                bytes: (bytes.len() as u64).to_bits(),
                address: if number == 0 { self.address } else { u64::MAX }.to_bits(),
                data: Bits::from_words(&words),
            }
        };
        (0..count).map(beat).collect()
    }

    /// The packets that it leaves as, if its address is an offset in a list and `limit` bytes should have come.
    fn parted(&self, list: &List, limit: u64) -> Vec<Self> {
        let mut packets: Vec<Self> = Vec::new();
        let mut left = &self.bytes[..];
        let mut lost = false;
        // The last span has no room left.
        let mut full = true;
        for span in list.spans(self.address, limit) {
            if left.is_empty() && !(full && self.is_cut_off(limit)) {
                break;
            }
            let Ok((address, length)) = span else {
                lost = true;
                break;
            };
            let (bytes, rest) = left.split_at(left.len().min(length as usize));
            full = bytes.len() as u64 == length;
            left = rest;
            packets.push(Self {
                address,
                bytes: bytes.to_vec(),
                message_last: false,
                bad: false,
                ..self.clone()
            });
        }
        if lost || packets.is_empty() {
            packets.push(Self {
                address: list.address,
                bytes: Vec::new(),
                lost,
                ..self.clone()
            });
        }
        if let Some(last) = packets.last_mut() {
            (last.message_last, last.bad) = (self.message_last, self.bad);
        }
        packets
    }
}

/// The packets of beats that came. Only the last beat of each has less than 64 bytes, and says how it ended.
fn packets(beats: &[WriteBeat]) -> Vec<Packet> {
    let mut packets: Vec<Packet> = Vec::new();
    let mut begins = true;
    for beat in beats {
        assert_eq!(beat.first.any(), begins);
        begins = beat.last.any();
        if beat.first.any() {
            packets.push(Packet {
                slot: u64::from(beat.slot),
                context: u64::from(beat.context),
                address: u64::from(beat.address),
                bytes: Vec::new(),
                message_last: false,
                bad: false,
                lost: false,
            });
        }
        let packet = packets.last_mut().expect("the first beat has first");
        let bytes = u64::from(beat.bytes) as usize;
        assert!(bytes == 64 || beat.last.any());
        let mut words = [0; 8];
        beat.data.to_words(&mut words);
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        packet.bytes.extend(&data[..bytes]);
        if beat.last.any() {
            packet.message_last = beat.message_last.any();
            packet.bad = beat.bad.any();
            packet.lost = beat.lost.any();
        }
    }
    packets
}

struct Harness {
    engine: Box<dyn Engine>,
    notes: WordSource,
    beats: WordSource,
    memory: Memory,
    placed: WordSink,
}

impl Harness {
    fn new(latency: std::ops::RangeInclusive<u64>, pauses: [f64; 3], seed: u64) -> Self {
        let engine = engine("iovec_scatter");
        let note = &["note", "note_slot"];
        Self {
            notes: WordSource::pulse(&*engine, note, "note_valid", Gaps::none()).unwrap(),
            beats: WordSource::new(&*engine, "beat", Gaps::random(pauses[0], seed)).unwrap(),
            memory: Memory::new(&*engine, latency, pauses[1], seed),
            placed: WordSink::new(&*engine, "placed", Gaps::random(pauses[2], seed + 1)).unwrap(),
            engine,
        }
    }

    /// Reports a slot; `None`: its message goes to one place.
    fn note(&mut self, slot: u64, list: Option<&List>) {
        let note = list.map_or(IovecNote::default(), |list| IovecNote {
            pieces: (list.pieces.len() as u64).to_bits(),
            list: list.address.to_bits(),
        });
        let mut words = [0; 3];
        note.to_words(&mut words[..2]);
        words[2] = slot;
        self.notes.push(&words);
    }

    fn cycle(&mut self) {
        let run = run_cycle(
            &mut *self.engine,
            &mut [
                &mut self.notes,
                &mut self.beats,
                &mut self.memory,
                &mut self.placed,
            ],
        );
        run.unwrap_or_else(|error| panic!("{error}"));
    }

    fn run(&mut self, packets: usize, max_cycles: u64) {
        let end = self.engine.cycle() + max_cycles;
        let ended = |beats: &[WriteBeat]| beats.iter().filter(|beat| beat.last.any()).count();
        let mut got = 0;
        while got < packets {
            assert!(self.engine.cycle() < end, "{got} of {packets} packets");
            self.cycle();
            if self.engine.cycle().is_multiple_of(16) {
                got = ended(&self.placed.values::<WriteBeat>());
            }
        }
        (0..60).for_each(|_| self.cycle());
    }
}

fn noise(rng: &mut ChaCha8Rng, length: u64) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    rng.fill_bytes(&mut bytes);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn packets_leave_as_they_are_parted_by_hand(seed in any::<u64>(), timing in prop::sample::select(TIMINGS.to_vec())) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (least, most, pauses) = timing;
        let mut harness = Harness::new(least..=most, pauses, seed);
        // Slots 0 to 5 go to lists, 6 and 7 do not.
        let mut lists = Vec::new();
        for slot in 0..6 {
            let mut list = List::draw(&mut rng, 0x10_0000 * (slot + 1));
            list.pieces.push((0x77_7000 - slot, 300));
            list.context = slot % 4;
            let bad = rng.random_bool(0.15);
            list.store(&mut harness.memory, bad, &mut rng);
            harness.note(slot, Some(&list));
            lists.push(list);
        }
        harness.note(6, None);
        harness.note(7, None);
        (0..12).for_each(|_| harness.cycle());
        let mut expected = Vec::new();
        // Where the message of a slot goes on.
        let mut open: [Option<u64>; 8] = [None; 8];
        for _ in 0..40 {
            let slot = if rng.random_bool(0.4) { 1 } else { rng.random_range(0..8u64) };
            let limit = [0, 1, 63, 64, 65, 200, 1000, 4096][rng.random_range(0..8)];
            let list = lists.get(slot as usize);
            let random = match list {
                // Now and then beyond the end.
                Some(list) => {
                    let beyond = u64::from(rng.random_bool(0.1));
                    rng.random_range(0..=list.length().saturating_sub(limit) + beyond)
                }
                None => rng.random::<u64>() >> 1,
            };
            let address = open[slot as usize].unwrap_or(random);
            let bad = rng.random_bool(0.1);
            let length = match rng.random_range(0..3) {
                _ if !bad => limit,
                0 => limit / 64 / 2 * 64,
                _ => rng.random_range(0..=limit),
            };
            let packet = Packet {
                slot,
                context: slot % 4,
                address,
                bytes: noise(&mut rng, length),
                message_last: rng.random_bool(0.5),
                bad,
                lost: false,
            };
            packet.beats(limit).into_iter().for_each(|beat| harness.beats.push_value(beat));
            match list {
                Some(list) => expected.extend(packet.parted(list, limit)),
                None => expected.push(packet.clone()),
            }
            open[slot as usize] = (!packet.message_last).then_some(address.wrapping_add(limit));
        }
        harness.run(expected.len(), 400_000);
        let got = packets(&harness.placed.values::<WriteBeat>());
        for (number, (got, expected)) in got.iter().zip(&expected).enumerate() {
            prop_assert_eq!(got, expected, "packet {}", number);
        }
        prop_assert_eq!(got.len(), expected.len());
        let last = harness.engine.port("quiet").unwrap();
        let mut quiet = [0];
        harness.engine.get(last, &mut quiet);
        prop_assert_eq!(quiet, [1]);
    }
}

#[test]
fn a_packet_without_list_passes_in_the_same_cycle() {
    let mut harness = Harness::new(1..=1, [0.0; 3], 1);
    harness.note(3, None);
    (0..3).for_each(|_| harness.cycle());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for address in [0x1234, 0x9000] {
        let packet = Packet {
            slot: 3,
            context: 1,
            address,
            bytes: noise(&mut rng, 4096),
            message_last: true,
            bad: false,
            lost: false,
        };
        let beats = packet.beats(4096).into_iter();
        beats.for_each(|beat| harness.beats.push_value(beat));
    }
    harness.run(2, 1000);
    let given: Vec<u64> = harness
        .placed
        .received()
        .iter()
        .map(|beat| beat.0)
        .collect();
    assert_eq!(given, harness.beats.accepted());
    assert_eq!(given[127] - given[0], 127);
}

#[test]
fn the_packets_of_a_long_message_read_its_list_once() {
    let mut harness = Harness::new(20..=20, [0.0; 3], 1);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut list = List {
        context: 0,
        address: 0x4008,
        pieces: (0..1024).map(|i| (0x10_0000 + 0x100 * i, 64)).collect(),
        broken: None,
    };
    list.store(&mut harness.memory, false, &mut rng);
    harness.note(9, Some(&list));
    (0..3).for_each(|_| harness.cycle());
    let mut expected = Vec::new();
    for number in 0..16 {
        let packet = Packet {
            slot: 9,
            context: 0,
            address: 4096 * number,
            bytes: noise(&mut rng, 4096),
            message_last: number == 15,
            bad: false,
            lost: false,
        };
        let beats = packet.beats(4096).into_iter();
        beats.for_each(|beat| harness.beats.push_value(beat));
        expected.extend(packet.parted(&list, 4096));
    }
    harness.run(expected.len(), 20_000);
    assert_eq!(packets(&harness.placed.values::<WriteBeat>()), expected);
    let lines: u64 = harness.memory.bursts.iter().map(|burst| burst.3).sum();
    assert_eq!(lines, 257);
}

#[test]
fn no_valid_follows_a_ready_in_the_same_cycle() {
    let mut engine = engine("iovec_scatter");
    let mut memory = Memory::new(&*engine, 1..=9, 0.4, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut list = List {
        context: 0,
        address: 0x4008,
        pieces: (0..100).map(|i| (0x10_0000 + 0x100 * i, i % 70)).collect(),
        broken: None,
    };
    list.store(&mut memory, false, &mut rng);
    let mut bench = Bench::new(&mut *engine).unwrap();
    let note = IovecNote {
        pieces: 100.into(),
        list: list.address.to_bits(),
    };
    let mut words = [0; 2];
    note.to_words(&mut words);
    bench.set("note", &words).unwrap();
    bench.set("note_slot", &[1]).unwrap();
    bench.set("note_valid", &[1]).unwrap();
    let input = bench.source("beat", Gaps::random(0.2, 1)).unwrap();
    bench.sink("placed", Gaps::random(0.5, 2)).unwrap();
    for number in 0..30 {
        let packet = Packet {
            slot: number % 2,
            context: 0,
            address: 37 * number,
            bytes: noise(&mut rng, 10 * number),
            message_last: true,
            bad: false,
            lost: false,
        };
        let beats = packet.beats(10 * number).into_iter();
        beats.for_each(|beat| bench.sources[input].push_value(beat));
    }
    bench.models.push(&mut memory);
    for _ in 0..4000 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
    assert_eq!(bench.sources[input].waiting(), 0);
}
