//! `BytePacker`: bytes after bytes, whatever the pieces; its cycles.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_types::Wire;
use xtq_types::send::Piece;

use crate::beats::{bytes, field, words};
use crate::runs::{cycles, engine, run_until_received};

/// Bytes of a line that count.
#[derive(Clone, Debug)]
struct Part {
    line: Vec<u8>,
    start: usize,
    count: usize,
    error: bool,
}

/// A beat: bytes, last, error.
type Beat = (Vec<u8>, bool, bool);

fn part(rng: &mut ChaCha8Rng, start: usize, count: usize) -> Part {
    Part {
        line: (0..64).map(|_| rng.random()).collect(),
        start,
        count,
        error: false,
    }
}

/// The model: all bytes of the message, cut into beats; a beat has an error if one came with its bytes or before.
fn beats(message: &[Part]) -> Vec<Beat> {
    let mut bytes = Vec::new();
    let mut errors = Vec::new();
    for part in message {
        bytes.extend(&part.line[part.start..part.start + part.count]);
        let before = errors.last() == Some(&true);
        errors.resize(bytes.len(), before || part.error);
    }
    let chunks = bytes.chunks(64).zip(errors.chunks(64));
    let count = chunks.len();
    let beat = |(i, (bytes, errors)): (usize, (&[u8], &[bool]))| {
        (bytes.to_vec(), i + 1 == count, errors.ends_with(&[true]))
    };
    chunks.enumerate().map(beat).collect()
}

fn push(bench: &mut Bench, source: usize, message: &[Part]) {
    for (i, part) in message.iter().enumerate() {
        bench.sources[source].push_value(Piece {
            data: Bits::from_words(&words(&part.line)),
            start: (part.start as u64).to_bits(),
            bytes: (part.count as u64).to_bits(),
            last: u64::from(i + 1 == message.len()).to_bits(),
            error: u64::from(part.error).to_bits(),
        });
    }
}

fn received(bench: &Bench, sink: usize) -> Vec<Beat> {
    let beat = |(_, words): &(u64, Vec<u64>)| {
        let count = field(words, 512, 7) as usize;
        let (last, error) = (field(words, 519, 1) == 1, field(words, 520, 1) == 1);
        (bytes(words)[..count.min(64)].to_vec(), last, error)
    };
    bench.sinks[sink].received().iter().map(beat).collect()
}

/// Gives the block the messages, with pauses on both sides, and compares.
fn check(messages: &[Vec<Part>], pauses: (f64, f64), seed: u64) -> Result<(), TestCaseError> {
    let mut engine = engine("byte_packer");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("piece", Gaps::random(pauses.0, seed)).unwrap();
    let output = bench.sink("beat", Gaps::random(pauses.1, !seed)).unwrap();
    let mut expected = Vec::new();
    for message in messages {
        push(&mut bench, input, message);
        expected.extend(beats(message));
    }
    run_until_received(&mut bench, output, expected.len(), 100_000);
    for _ in 0..10 {
        bench.cycle().unwrap();
    }
    bench.check_ready_paths().unwrap();
    let got = received(&bench, output);
    prop_assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
        prop_assert_eq!(got, expected, "beat {}", i);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn bytes_leave_as_they_came_whatever_the_pieces(
        seed in any::<u64>(), input in prop::sample::select(vec![0.0, 0.5]), output in prop::sample::select(vec![0.0, 0.6]),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut messages = Vec::new();
        for _ in 0..60 {
            let mut message = Vec::new();
            for _ in 0..rng.random_range(1..7) {
                let start = if rng.random_bool(0.4) { 0 } else { rng.random_range(0..64) };
                let rest = 64 - start;
                let count = if rng.random_bool(0.5) { rest } else { rng.random_range(1..=rest) };
                let error = rng.random_bool(0.05);
                message.push(Part { error, ..part(&mut rng, start, count) });
            }
            messages.push(message);
        }
        check(&messages, (input, output), seed)?;
    }
}

#[test]
fn every_lane_can_go_to_every_lane() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut messages = Vec::new();
    for fill in 1..=64 {
        for start in 0..64 {
            messages.push(vec![
                part(&mut rng, 64 - fill, fill),
                part(&mut rng, start, 64 - start),
            ]);
        }
    }
    check(&messages, (0.0, 0.0), 1).unwrap();
}

#[test]
fn a_beat_follows_its_piece_by_three_cycles_one_a_cycle() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut engine = engine("byte_packer");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("piece", Gaps::none()).unwrap();
    let output = bench.sink("beat", Gaps::none()).unwrap();
    // One message of many pieces, then messages of one.
    for pieces in [20, 1, 1, 1, 5] {
        let message: Vec<Part> = (0..pieces).map(|_| part(&mut rng, 0, 64)).collect();
        push(&mut bench, input, &message);
    }
    run_until_received(&mut bench, output, 28, 100);
    let accepted = bench.sources[input].accepted().to_vec();
    assert_eq!(
        accepted,
        (accepted[0]..accepted[0] + 28).collect::<Vec<_>>()
    );
    let later: Vec<u64> = accepted.iter().map(|cycle| cycle + 3).collect();
    assert_eq!(cycles(&bench, output), later);
}

#[test]
fn what_a_last_piece_leaves_over_takes_a_cycle_and_nothing_else_does() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut engine = engine("byte_packer");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("piece", Gaps::none()).unwrap();
    let output = bench.sink("beat", Gaps::none()).unwrap();
    // 63 and 2 bytes are a beat and one byte; 63 and 1 are a beat.
    for second in [2, 64, 1, 2] {
        push(
            &mut bench,
            input,
            &[part(&mut rng, 1, 63), part(&mut rng, 0, second)],
        );
    }
    run_until_received(&mut bench, output, 7, 100);
    let first = bench.sources[input].accepted()[0];
    let relative = |cycles: &[u64]| cycles.iter().map(|c| c - first).collect::<Vec<_>>();
    assert_eq!(
        relative(bench.sources[input].accepted()),
        [0, 1, 3, 4, 6, 7, 8, 9]
    );
    assert_eq!(relative(&cycles(&bench, output)), [4, 5, 7, 8, 10, 12, 13]);
}

#[test]
fn reset_forgets_bytes_and_errors() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut engine = engine("byte_packer");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("piece", Gaps::none()).unwrap();
    // The first of two pieces of a message, and the second for nobody.
    let bad = Part {
        error: true,
        ..part(&mut rng, 3, 20)
    };
    push(&mut bench, input, &[bad.clone(), bad]);
    bench
        .run_until(|b| b.sources[input].waiting() == 1, 10)
        .unwrap();
    bench.engine.reset(1).unwrap();
    let mut bench = Bench::new(&mut *bench.engine).unwrap();
    let input = bench.source("piece", Gaps::none()).unwrap();
    let output = bench.sink("beat", Gaps::none()).unwrap();
    let message = [part(&mut rng, 0, 64)];
    push(&mut bench, input, &message);
    run_until_received(&mut bench, output, 1, 20);
    assert_eq!(received(&bench, output), beats(&message));
}
