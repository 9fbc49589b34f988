//! The streams of the whole: order, latency, rates, back-pressure, reset; and its Verilog.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_types::atomic::{datatype as d, operation as o};

use crate::draw;
use crate::hardware::{Line, Pauses, alu, check, words};
use crate::model::{Beat, is_built};

/// Beats of one operation on whole lines.
fn beats(operation: u8, datatype: u8, mask: u64, count: u16) -> Vec<Beat> {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(operation) << 8 | u64::from(datatype));
    let beat = |_| Beat {
        mask,
        ..draw::beat(&mut random, operation, datatype)
    };
    (0..count).map(beat).collect()
}

/// Cycles from one result to the next of beats without pauses, and from the first handshake to the first result.
fn pace(operation: u8, datatype: u8, mask: u64) -> (u64, u64) {
    let run = check(&beats(operation, datatype, mask, 20), Pauses::default());
    let steps: Vec<u64> = run.given.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.windows(2).all(|pair| pair[0] == pair[1]), "{steps:?}");
    (steps[0], run.given[0] - run.accepted[0])
}

#[test]
fn lines_without_product_and_floating_point_sum_go_one_a_cycle() {
    for operation in o::MIN..=o::MSWAP {
        for datatype in d::INT8..=d::DOUBLE_COMPLEX {
            let float = datatype == d::FLOAT || datatype >= d::DOUBLE;
            let serial = operation == o::PROD || (operation == o::SUM && float);
            if is_built(operation, datatype) && !serial {
                assert_eq!(pace(operation, datatype, u64::MAX), (1, 7));
            }
        }
    }
}

#[test]
fn floating_point_sums_take_a_cycle_a_datum_and_eighteen() {
    for data in 1..=8u64 {
        let mask = u64::MAX >> (64 - 8 * data);
        assert_eq!(pace(o::SUM, d::DOUBLE, mask), (data + 18, data + 24));
        assert_eq!(pace(o::SUM, d::FLOAT, mask), (2 * data + 18, 2 * data + 24));
    }
}

#[test]
fn products_take_two_cycles_a_byte_of_the_datum_and_eight_for_each_word() {
    for (datatype, bytes) in [(d::INT8, 1), (d::UINT16, 2), (d::INT32, 4), (d::UINT64, 8)] {
        for words in 1..=8u64 {
            let cycles = words * (2 * bytes + 8) + 2;
            let mask = u64::MAX << (64 - 8 * words);
            assert_eq!(pace(o::PROD, datatype, mask), (cycles, cycles + 6));
        }
    }
}

/// A mask without bytes is no work.
/// Of numbers whose product needs no move, or one; of a complex number each part is two products and a sum.
#[test]
fn products_of_floating_point_numbers_take_the_promised_time() {
    let mut numbers = [0; 64];
    for word in numbers.chunks_exact_mut(8) {
        word.copy_from_slice(&1.0f64.to_le_bytes());
    }
    let pace = |datatype, parts: u64| {
        let beat = Beat {
            operation: o::PROD,
            datatype,
            operand: 0,
            mask: u64::MAX >> (64 - 8 * parts),
            old: numbers,
            source: numbers,
        };
        let run = check(&vec![beat; 5], Pauses::default());
        run.given[2] - run.given[1]
    };
    for parts in [2, 4, 6, 8] {
        assert_eq!(pace(d::DOUBLE, parts), parts * 24 + 2);
        assert_eq!(pace(d::DOUBLE_COMPLEX, parts), parts * 61 + 2);
    }
}

#[test]
fn an_empty_mask_passes_the_line() {
    let (cycles, _) = pace(o::SUM, d::DOUBLE, 0);
    assert_eq!(cycles, 2);
}

/// The parts that compute serially hold up what is after them and nothing is overtaken: [`check`] compares in order.
#[test]
fn slow_and_fast_operations_stay_in_order_under_back_pressure() {
    let mut mixture = Vec::new();
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..300 {
        let (operation, datatype) = [
            (o::SUM, d::FLOAT),
            (o::PROD, d::INT8),
            (o::MAX, d::DOUBLE),
            (o::SUM, d::INT64),
            (o::CSWAP, d::UINT32),
        ][random.random_range(0..5)];
        mixture.push(draw::beat(&mut random, operation, datatype));
    }
    for (number, (beat, result)) in [(0.0, 0.9), (0.9, 0.0), (0.5, 0.5)].into_iter().enumerate() {
        let seed = number as u64;
        check(&mixture, Pauses { beat, result, seed });
    }
}

#[test]
fn a_closed_sink_stops_the_source_and_loses_nothing() {
    let mut engine = alu();
    let mut bench = Bench::new(&mut engine).unwrap();
    let source = bench.source("beat", Gaps::none()).unwrap();
    let beats = beats(o::SWAP, d::UINT64, u64::MAX, 40);
    for beat in &beats {
        bench.sources[source].push(&words(beat));
    }
    bench.set("result_ready", &[0]).unwrap();
    for _ in 0..60 {
        bench.cycle().unwrap();
        bench.check_ready_paths().unwrap();
        bench.set("result_ready", &[0]).unwrap();
    }
    // Head, five steps, two in the skid.
    assert_eq!(bench.sources[source].accepted().len(), 8);
    let sink = bench.sink("result", Gaps::none()).unwrap();
    bench
        .run_until(|bench| bench.sinks[sink].received().len() == 40, 200)
        .unwrap();
    let received = bench.sinks[sink].received().iter();
    for (beat, (_, words)) in beats.iter().zip(received) {
        assert_eq!(Line::from_words(words), Line::expected(beat));
    }
}

#[test]
fn reset_forgets_what_is_inside() {
    let before = beats(o::SUM, d::FLOAT, u64::MAX, 2);
    let behind = &beats(o::SUM, d::DOUBLE, 0xFF, 1)[0];
    for cycles in [3, 5, 9, 15, 25, 45] {
        let mut engine = alu();
        let mut bench = Bench::new(&mut engine).unwrap();
        let source = bench.source("beat", Gaps::none()).unwrap();
        for beat in &before {
            bench.sources[source].push(&words(beat));
        }
        for _ in 0..cycles {
            bench.cycle().unwrap();
        }
        bench.set("beat_valid", &[0]).unwrap();
        // Resets.
        let mut bench = Bench::new(bench.engine).unwrap();
        let sink = bench.sink("result", Gaps::none()).unwrap();
        for _ in 0..60 {
            bench.cycle().unwrap();
        }
        assert!(bench.sinks[sink].received().is_empty());
        let source = bench.source("beat", Gaps::none()).unwrap();
        bench.sources[source].push(&words(behind));
        bench
            .run_until(|bench| bench.sinks[sink].received().len() == 1, 100)
            .unwrap();
        let (_, words) = &bench.sinks[sink].received()[0];
        assert_eq!(Line::from_words(words), Line::expected(behind));
    }
}
