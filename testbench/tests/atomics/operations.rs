//! Every operation on every datatype.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_engine::Simulator;
use xtq_engine::blocks;
use xtq_testbench::portals::Operation;
use xtq_types::atomic::{datatype as d, operation as o};

use crate::draw;
use crate::hardware::{Line, Pauses, alu, check, check_on, run};
use crate::model::{Beat, DATATYPES, OPERATIONS, apply, datum, is_built, size_of};

/// All built pairs of operation and datatype.
fn built() -> impl Iterator<Item = (u8, u8)> {
    let pairs = OPERATIONS.iter().flat_map(|(_, operation)| {
        let datatypes = DATATYPES.iter();
        datatypes.map(move |(_, datatype)| (*operation, *datatype))
    });
    pairs.filter(|(operation, datatype)| is_built(*operation, *datatype))
}

#[test]
fn every_operation_on_every_datatype_is_as_in_rust() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut beats = Vec::new();
    for (operation, datatype) in built() {
        let beat = |_| draw::beat(&mut random, operation, datatype);
        beats.extend((0..60).map(beat));
    }
    assert_eq!(beats.len(), 60 * 174);
    check(&beats, Pauses::default());
}

/// The random inputs of lockstep seldom hit a code that exists, so here are beats that do, on rust-hdl itself and on
/// the Verilog.
#[test]
fn rust_hdl_and_the_verilog_compute_the_same() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut beat = |(operation, datatype)| draw::beat(&mut random, operation, datatype);
    let beats: Vec<Beat> = built().map(&mut beat).collect();
    let mut oracle = blocks::oracle("atomic_alu").unwrap();
    check_on(&mut *oracle, &beats, Pauses::default());
    let beats: Vec<Beat> = (0..5).flat_map(|_| built()).map(beat).collect();
    let mut icarus = blocks::cosim("atomic_alu", 0, Simulator::Icarus).unwrap();
    check_on(&mut icarus, &beats, Pauses::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Different operations one after the other, with pauses on both sides.
    #[test]
    fn any_mixture_is_as_in_rust(seed in any::<u64>(), beat in 0..3u8, result in 0..3u8, count in 1..60usize) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let pairs: Vec<(u8, u8)> = built().collect();
        let beats: Vec<Beat> = (0..count)
            .map(|_| {
                let (operation, datatype) = pairs[random.random_range(0..pairs.len())];
                draw::beat(&mut random, operation, datatype)
            })
            .collect();
        let share = |step: u8| [0.0, 0.3, 0.7][usize::from(step)];
        check(&beats, Pauses { beat: share(beat), result: share(result), seed });
    }
}

/// Every pair of bytes meets in every operation; for those with an operand, every pair of operand and byte.
#[test]
fn all_pairs_of_bytes_meet_in_every_operation() {
    let mut beats = Vec::new();
    for datatype in [d::INT8, d::UINT8] {
        for operation in o::MIN..=o::MSWAP {
            for byte in 0..=255u8 {
                for quarter in 0..4u8 {
                    beats.push(Beat {
                        operation,
                        datatype,
                        operand: byte.into(),
                        mask: u64::MAX,
                        old: std::array::from_fn(|i| 64 * quarter + i as u8),
                        source: [if operation > o::SWAP {
                            !byte ^ 0x5A
                        } else {
                            byte
                        }; 64],
                    });
                }
            }
        }
    }
    assert_eq!(beats.len(), 2 * 18 * 1024);
    check(&beats, Pauses::default());
}

/// What [`AtomicCheck`](xtq_rtl::atomics::atomic_check::AtomicCheck) refuses, and codes that do not exist.
#[test]
fn what_is_refused_leaves_the_line_as_it_was() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut beats = Vec::new();
    for operation in (0..20).chain([128, 255]) {
        for datatype in (0..16).chain([128, 255]) {
            if !is_built(operation, datatype) {
                beats.push(Beat {
                    operation,
                    datatype,
                    ..draw::beat(&mut random, o::SUM, d::UINT64)
                });
            }
        }
    }
    let found = run(&mut alu(), &beats, Pauses::default());
    for (beat, line) in beats.iter().zip(found.lines) {
        assert_eq!(line.updated, beat.old, "{beat:?}");
        assert_eq!(line, Line::expected(beat));
    }
}

/// The operand stands in the low bytes and meets the one datum that the mask names, wherever that is.
#[test]
fn a_conditional_swap_works_on_any_place_of_the_line() {
    let mut beats = Vec::new();
    for (operation, datatype) in built().filter(|(operation, _)| *operation > o::SWAP) {
        let size = size_of(datatype);
        for place in 0..64 / size {
            let old: [u8; 64] = std::array::from_fn(|i| 3 * (i / size) as u8 + 1);
            let mut operand = [0; 8];
            operand[..size].copy_from_slice(&old[place * size..][..size]);
            beats.push(Beat {
                operation,
                datatype,
                operand: u64::from_le_bytes(operand),
                mask: (u64::MAX >> (64 - size)) << (place * size),
                old,
                source: [0xC3; 64],
            });
        }
    }
    check(&beats, Pauses::default());
}

/// The functional model of Portals was written from the same table by itself. What it computes and the hardware does
/// not: swaps of complex numbers of 16 bytes with an operand.
#[test]
fn the_model_is_that_of_the_functional_model() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut built, mut not_built) = (0, 0);
    for (operation_name, operation) in OPERATIONS {
        for (datatype_name, datatype) in DATATYPES {
            let functional = Operation {
                op: serde_json::from_value(operation_name.into()).unwrap(),
                datatype: serde_json::from_value(datatype_name.into()).unwrap(),
            };
            let is_modelled = functional.check(functional.op.is_swap()).is_ok();
            if !is_built(operation, datatype) {
                not_built += usize::from(is_modelled);
                continue;
            }
            assert!(is_modelled);
            assert_eq!(functional.uses_operand(), operation > o::SWAP);
            built += 1;
            for _ in 0..2_000 {
                let [source, old, other] = [0; 3].map(|_: u8| draw::datum(&mut random, datatype));
                let operand = if random.random_bool(0.3) { old } else { other };
                let bytes = |value: u128| value.to_le_bytes()[..size_of(datatype)].to_vec();
                let expected = functional.apply(&bytes(old), &bytes(source), &bytes(operand));
                let (source, old) = (bytes(source), bytes(old));
                let found = apply(operation, datatype, &source, &old, operand as u64);
                assert_eq!(
                    found, expected,
                    "{operation_name} {datatype_name}: source {source:x?}, old {old:x?}, operand {operand:#x}"
                );
            }
        }
    }
    assert_eq!((built, not_built), (174, 2));
}

/// The examples of the specification's text, by hand.
#[test]
fn the_model_itself_is_right_by_hand() {
    // Operand OP target: LE replaces if operand <= target.
    assert_eq!(datum(o::CSWAP_LE, d::UINT64, 50, 41, 42), 41);
    assert_eq!(datum(o::CSWAP_LE, d::UINT64, 51, 41, 41), 51);
    assert_eq!(datum(o::CSWAP_GT, d::INT8, 1, 0xFF, 0), 1);
    assert_eq!(datum(o::CSWAP_GT, d::UINT8, 1, 0xFF, 0), 0xFF);
    assert_eq!(datum(o::MSWAP, d::UINT16, 0xFFFF, 0x0051, 0x0F0F), 0x0F5F);
    assert_eq!(datum(o::SUM, d::INT16, 1, 0x7FFF, 0), 0x8000);
    assert_eq!(datum(o::PROD, d::INT32, 0xFFFF_FFFF, 5, 0), 0xFFFF_FFFB);
    assert_eq!(datum(o::LXOR, d::UINT32, 7, 9, 0), 0);
    assert_eq!(datum(o::LAND, d::UINT32, 7, 8, 0), 1);
    assert_eq!(
        datum(o::SUM, d::FLOAT, 0x3F80_0000, 0x4000_0000, 0),
        0x4040_0000
    );
    assert_eq!(
        datum(o::PROD, d::FLOAT, 0x4000_0000, 0xC040_0000, 0),
        0xC0C0_0000
    );
    // (1 + 2i) (3 + 4i) = -5 + 10i
    let complex = |re: f32, im: f32| [re.to_le_bytes(), im.to_le_bytes()].concat();
    let (old, source) = (complex(1.0, 2.0), complex(3.0, 4.0));
    assert_eq!(
        apply(o::PROD, d::FLOAT_COMPLEX, &source, &old, 0),
        complex(-5.0, 10.0)
    );
    // -0.0 equals 0.0; a NaN equals nothing, not even itself, and is neither less nor greater.
    assert_eq!(datum(o::CSWAP, d::FLOAT, 9, 0, 0x8000_0000), 9);
    assert_eq!(
        datum(o::CSWAP, d::FLOAT, 9, 0x7FC0_0000, 0x7FC0_0000),
        0x7FC0_0000
    );
    assert_eq!(datum(o::CSWAP_NE, d::FLOAT, 9, 0x7FC0_0000, 0x7FC0_0000), 9);
    assert_eq!(
        datum(o::MIN, d::FLOAT, 0x3F80_0000, 0x7FC0_1234, 0),
        0x7FC0_1234
    );
    assert_eq!(
        datum(o::MIN, d::FLOAT, 0x7FC0_1234, 0x3F80_0000, 0),
        0x3F80_0000
    );
    assert_eq!(datum(o::MAX, d::FLOAT, 0, 0x8000_0000, 0), 0x8000_0000);
}
