//! `ByteAligner` against a byte-level model, its contract, and its Verilog.

use proptest::prelude::*;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_engine::{Engine, PortId};

type Beat = [u8; 64];

/// What is driven in one cycle.
#[derive(Clone, Debug)]
struct Cycle {
    en: bool,
    keep: bool,
    offset: usize,
    data: Beat,
}

/// A beat whose bytes differ from each other and from those of other `number`s.
fn beat(number: u8) -> Beat {
    std::array::from_fn(|lane| number.wrapping_mul(67) ^ (lane as u8).wrapping_mul(37))
}

/// The model: bytes laid out one after the other.
#[derive(Default)]
struct Model {
    before: Vec<u8>,
    results: Vec<Beat>,
}

impl Model {
    fn step(&mut self, cycle: &Cycle) {
        let mut bytes = self.before.clone();
        bytes.resize(64, 0);
        bytes.extend(cycle.data);
        let first = 64 - cycle.offset;
        self.results
            .push(std::array::from_fn(|lane| bytes[first + lane]));
        if cycle.keep {
            self.before = cycle.data.to_vec();
        }
    }

    /// The line on the output after the steps so far, if it has a meaning.
    fn line(&self) -> Option<&Beat> {
        self.results.iter().rev().nth(1)
    }
}

struct Dut<E> {
    engine: E,
    en: PortId,
    keep: PortId,
    data: PortId,
    offset: PortId,
    line: PortId,
}

fn words(bytes: &Beat) -> Vec<u64> {
    let words = bytes.chunks_exact(8);
    words
        .map(|word| {
            word.iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte))
        })
        .collect()
}

fn dut() -> Dut<impl Engine> {
    let mut engine = blocks::engine("byte_aligner", EngineKind::Jit).unwrap();
    engine.reset(1).unwrap();
    let [en, keep, data, offset, line] =
        ["en", "keep", "data", "offset", "line"].map(|name| engine.port(name).unwrap());
    Dut {
        engine,
        en,
        keep,
        data,
        offset,
        line,
    }
}

impl<E: Engine> Dut<E> {
    /// One cycle; gives the line seen before the edge.
    fn cycle(&mut self, cycle: &Cycle) -> Vec<u64> {
        let engine = &mut self.engine;
        engine.set(self.en, &[cycle.en.into()]).unwrap();
        engine.set(self.keep, &[cycle.keep.into()]).unwrap();
        engine.set(self.data, &words(&cycle.data)).unwrap();
        engine.set(self.offset, &[cycle.offset as u64]).unwrap();
        engine.eval().unwrap();
        let mut line = vec![0; 8];
        engine.get(self.line, &mut line);
        engine.step().unwrap();
        line
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_line_holds_the_bytes_of_the_model(
        run in prop::collection::vec((prop::bool::weighted(0.7), any::<bool>(), 0..64usize, any::<u8>()), 1..60)
    ) {
        let (mut dut, mut model) = (dut(), Model::default());
        for (number, (en, keep, offset, data)) in run.into_iter().enumerate() {
            let cycle = Cycle { en, keep, offset, data: beat(data) };
            let line = dut.cycle(&cycle);
            if let Some(expected) = model.line() {
                prop_assert_eq!(line, words(expected), "cycle {}", number);
            }
            if en {
                model.step(&cycle);
            }
        }
    }
}

#[test]
fn a_stream_moved_by_any_offset_stays_whole_and_takes_two_cycles() {
    let stream: Vec<u8> = (0..4).flat_map(beat).collect();
    for offset in 0..64 {
        let mut dut = dut();
        let mut written = Vec::new();
        for cycle in 0..6 {
            let mut data = beat(99);
            if let Some(bytes) = stream.get(64 * cycle..64 * cycle + 64) {
                data.copy_from_slice(bytes);
            }
            let line = dut.cycle(&Cycle {
                en: true,
                keep: true,
                offset,
                data,
            });
            if cycle >= 2 {
                written.extend(line.iter().flat_map(|word| word.to_le_bytes()));
            }
        }
        assert_eq!(written[offset..], stream[..256 - offset], "offset {offset}");
    }
}

#[test]
fn nothing_moves_without_enable() {
    let mut dut = dut();
    let drive = |en, number| Cycle {
        en,
        keep: true,
        offset: 5,
        data: beat(number),
    };
    for number in 0..3 {
        dut.cycle(&drive(true, number));
    }
    let held = dut.cycle(&drive(false, 3));
    for number in 4..8 {
        assert_eq!(dut.cycle(&drive(false, number)), held);
    }
}
