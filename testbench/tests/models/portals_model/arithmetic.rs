//! Atomics (rules 8 of `docs/portals-model.md`) against Rust's own integers, and against rustc_apfloat for floating and
//! complex numbers.

use crate::portals_model::setup::operation;
use proptest::prelude::*;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use xtq_testbench::portals::{AtomicOp, Datatype, OperationError};

const INTEGERS: [Datatype; 8] = [
    Datatype::Int8,
    Datatype::Uint8,
    Datatype::Int16,
    Datatype::Uint16,
    Datatype::Int32,
    Datatype::Uint32,
    Datatype::Int64,
    Datatype::Uint64,
];

const OTHERS: [Datatype; 6] = [
    Datatype::Float,
    Datatype::Double,
    Datatype::FloatComplex,
    Datatype::DoubleComplex,
    Datatype::LongDouble,
    Datatype::LongDoubleComplex,
];

macro_rules! direct {
    ($type:ty, $op:expr, $old:expr, $new:expr, $operand:expr) => {{
        let value = |bits: u64| bits as $type;
        let (old, new, operand) = (value($old), value($new), value($operand));
        let swap = |condition: bool| if condition { new } else { old };
        let truth = |condition: bool| if condition { 1 } else { 0 };
        let result: $type = match $op {
            AtomicOp::Min => old.min(new),
            AtomicOp::Max => old.max(new),
            AtomicOp::Sum => old.wrapping_add(new),
            AtomicOp::Prod => old.wrapping_mul(new),
            AtomicOp::Lor => truth(old != 0 || new != 0),
            AtomicOp::Land => truth(old != 0 && new != 0),
            AtomicOp::Lxor => truth((old != 0) ^ (new != 0)),
            AtomicOp::Bor => old | new,
            AtomicOp::Band => old & new,
            AtomicOp::Bxor => old ^ new,
            AtomicOp::Swap => new,
            AtomicOp::Cswap => swap(operand == old),
            AtomicOp::CswapNe => swap(operand != old),
            AtomicOp::CswapLe => swap(operand <= old),
            AtomicOp::CswapLt => swap(operand < old),
            AtomicOp::CswapGe => swap(operand >= old),
            AtomicOp::CswapGt => swap(operand > old),
            AtomicOp::Mswap => (operand & new) | (!operand & old),
        };
        result.to_le_bytes().to_vec()
    }};
}

fn direct(op: AtomicOp, datatype: Datatype, old: u64, new: u64, operand: u64) -> Vec<u8> {
    match datatype {
        Datatype::Int8 => direct!(i8, op, old, new, operand),
        Datatype::Uint8 => direct!(u8, op, old, new, operand),
        Datatype::Int16 => direct!(i16, op, old, new, operand),
        Datatype::Uint16 => direct!(u16, op, old, new, operand),
        Datatype::Int32 => direct!(i32, op, old, new, operand),
        Datatype::Uint32 => direct!(u32, op, old, new, operand),
        Datatype::Int64 => direct!(i64, op, old, new, operand),
        Datatype::Uint64 => direct!(u64, op, old, new, operand),
        _ => unreachable!("integers only"),
    }
}

/// Integers with the ends of every type among them, and bits that are alike.
fn integer() -> impl Strategy<Value = u64> {
    let edges = vec![
        0,
        1,
        u64::MAX,
        0x7f,
        0x80,
        0x7fff,
        0x8000,
        0x7fff_ffff,
        0x8000_0000,
        1 << 63,
        u64::MAX >> 1,
    ];
    prop_oneof![prop::sample::select(edges), any::<u64>(), 0_u64..4]
}

/// Bit patterns with every special number of `bits` bits and its neighbours among them.
fn float(infinity: u64, sign: u64) -> impl Strategy<Value = u64> {
    let special = prop::sample::select(vec![
        0,
        1,
        2,
        infinity,
        infinity - 1,
        infinity + 1,
        infinity | infinity >> 1,
        infinity >> 1,
        (infinity >> 1) + 1,
    ]);
    let all = prop_oneof![special, 0..sign];
    (all, any::<bool>()).prop_map(move |(bits, negative)| if negative { bits | sign } else { bits })
}

fn single() -> impl Strategy<Value = u64> {
    float(0x7f80_0000, 0x8000_0000)
}

fn double() -> impl Strategy<Value = u64> {
    float(0x7ff0_0000_0000_0000, 1 << 63)
}

/// The model's result on one item each.
fn model(op: AtomicOp, datatype: Datatype, old: u64, new: u64, operand: u64) -> u64 {
    let size = datatype.size();
    let item = |bits: u64| bits.to_le_bytes()[..size].to_vec();
    let result = operation(op, datatype).apply(&item(old), &item(new), &item(operand));
    let mut wide = [0; 8];
    wide[..size].copy_from_slice(&result);
    u64::from_le_bytes(wide)
}

/// The bits of a number that rustc_apfloat computed.
fn bits<F: Float>(number: F, no_number: u64) -> u64 {
    if number.is_nan() {
        no_number
    } else {
        number.to_bits() as u64
    }
}

/// What an operation on floating numbers makes, by rustc_apfloat; a number that is none by its canonical bits.
fn expected<F: Float>(op: AtomicOp, old: u64, new: u64, operand: u64, no_number: u64) -> u64 {
    let value = |bits: u64| F::from_bits(bits.into());
    let (a, b, c) = (value(old), value(new), value(operand));
    let chosen = |condition: bool| if condition { new } else { old };
    match op {
        AtomicOp::Sum => bits((a + b).value, no_number),
        AtomicOp::Prod => bits((a * b).value, no_number),
        AtomicOp::Min => chosen(b < a),
        AtomicOp::Max => chosen(b > a),
        AtomicOp::Swap => new,
        AtomicOp::Cswap => chosen(c == a),
        AtomicOp::CswapNe => chosen(c != a),
        AtomicOp::CswapLe => chosen(c <= a),
        AtomicOp::CswapLt => chosen(c < a),
        AtomicOp::CswapGe => chosen(c >= a),
        AtomicOp::CswapGt => chosen(c > a),
        _ => unreachable!("no operation on floating numbers"),
    }
}

/// What an operation on complex numbers makes, by rustc_apfloat, of and as (real, imaginary).
fn expected_complex<F: Float>(
    op: AtomicOp,
    [old, new, operand]: [[u64; 2]; 3],
    no_number: u64,
) -> [u64; 2] {
    let value = |[re, im]: [u64; 2]| (F::from_bits(re.into()), F::from_bits(im.into()));
    let ((a, b), (c, d), operand) = (value(old), value(new), value(operand));
    let product = |x: F, y: F| (x * y).value;
    let chosen = |condition: bool| if condition { new } else { old };
    match op {
        AtomicOp::Sum => [
            bits((a + c).value, no_number),
            bits((b + d).value, no_number),
        ],
        AtomicOp::Prod => [
            bits((product(a, c) - product(b, d)).value, no_number),
            bits((product(a, d) + product(b, c)).value, no_number),
        ],
        AtomicOp::Swap => new,
        AtomicOp::Cswap => chosen(operand.0 == a && operand.1 == b),
        AtomicOp::CswapNe => chosen(operand.0 != a || operand.1 != b),
        _ => unreachable!("no operation on complex numbers"),
    }
}

/// The model's result on one complex item, of and as (real, imaginary).
fn model_complex(op: AtomicOp, datatype: Datatype, numbers: [[u64; 2]; 3]) -> [u64; 2] {
    let half = datatype.size() / 2;
    let [old, new, operand] = numbers.map(|parts| {
        let part = |bits: u64| bits.to_le_bytes()[..half].to_vec();
        parts.map(part).concat()
    });
    let result = operation(op, datatype).apply(&old, &new, &operand);
    [&result[..half], &result[half..]].map(|part| {
        let mut wide = [0; 8];
        wide[..half].copy_from_slice(part);
        u64::from_le_bytes(wide)
    })
}

/// The operations that a type has.
fn ops(datatype: Datatype) -> Vec<AtomicOp> {
    let exists = |op: &AtomicOp| operation(*op, datatype).check(op.is_swap()).is_ok();
    AtomicOp::ALL.into_iter().filter(exists).collect()
}

/// Old, new and operand with parts of the operand made those of the old, so that conditions hold.
fn made_alike([old, new, operand]: [[u64; 2]; 3], alike: [bool; 2]) -> [[u64; 2]; 3] {
    let part = |place: usize| {
        if alike[place] {
            old[place]
        } else {
            operand[place]
        }
    };
    [old, new, [part(0), part(1)]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn integers_are_those_of_rust(
        op in prop::sample::select(&AtomicOp::ALL[..]), datatype in prop::sample::select(&INTEGERS[..]),
        old in integer(), new in integer(), operand in integer(), alike in 0_u8..4,
    ) {
        let operand = if alike == 0 { old } else { operand };
        let size = datatype.size();
        let item = |bits: u64| bits.to_le_bytes()[..size].to_vec();
        let got = operation(op, datatype).apply(&item(old), &item(new), &item(operand));
        prop_assert_eq!(got, direct(op, datatype, old, new, operand), "{:?} {:?}", op, datatype);
    }

    #[test]
    fn float_is_ieee_754_to_the_nearest_even(
        op in prop::sample::select(ops(Datatype::Float)), old in single(), new in single(), operand in single(), alike in any::<bool>(),
    ) {
        let operand = if alike { old } else { operand };
        let wanted = expected::<Single>(op, old, new, operand, 0x7fc0_0000);
        prop_assert_eq!(model(op, Datatype::Float, old, new, operand), wanted, "{:?}", op);
    }

    #[test]
    fn double_is_ieee_754_to_the_nearest_even(
        op in prop::sample::select(ops(Datatype::Double)), old in double(), new in double(), operand in double(), alike in any::<bool>(),
    ) {
        let operand = if alike { old } else { operand };
        let wanted = expected::<Double>(op, old, new, operand, 0x7ff8_0000_0000_0000);
        prop_assert_eq!(model(op, Datatype::Double, old, new, operand), wanted, "{:?}", op);
    }

    #[test]
    fn float_complex_is_done_part_by_part(
        op in prop::sample::select(ops(Datatype::FloatComplex)), numbers in [[single(), single()], [single(), single()], [single(), single()]],
        alike in [any::<bool>(), any::<bool>()],
    ) {
        let numbers = made_alike(numbers, alike);
        let wanted = expected_complex::<Single>(op, numbers, 0x7fc0_0000);
        prop_assert_eq!(model_complex(op, Datatype::FloatComplex, numbers), wanted, "{:?}", op);
    }

    #[test]
    fn double_complex_is_done_part_by_part(
        op in prop::sample::select(ops(Datatype::DoubleComplex)), numbers in [[double(), double()], [double(), double()], [double(), double()]],
        alike in [any::<bool>(), any::<bool>()],
    ) {
        let numbers = made_alike(numbers, alike);
        let wanted = expected_complex::<Double>(op, numbers, 0x7ff8_0000_0000_0000);
        prop_assert_eq!(model_complex(op, Datatype::DoubleComplex, numbers), wanted, "{:?}", op);
    }

    #[test]
    fn items_do_not_touch_each_other(
        old in prop::collection::vec(any::<u8>(), 0..40), new in prop::collection::vec(any::<u8>(), 40),
        datatype in prop::sample::select(&INTEGERS[..]),
    ) {
        let sum = operation(AtomicOp::Sum, datatype);
        let all = sum.apply(&old, &new[..old.len()], &[]);
        let size = datatype.size();
        for place in (0..old.len()).step_by(size) {
            let end = place + size;
            match old.get(place..end) {
                Some(item) => prop_assert_eq!(&all[place..end], sum.apply(item, &new[place..end], &[])),
                None => prop_assert_eq!(&all[place..], &old[place..], "part of an item stays"),
            }
        }
    }
}

#[test]
fn the_supported_set_is_that_of_the_table() {
    for op in AtomicOp::ALL {
        for datatype in INTEGERS.into_iter().chain(OTHERS) {
            // Portals' table of atomic operations, row by row.
            use AtomicOp::*;
            let (integer, float, complex, swap) = match op {
                Min | Max => (true, true, false, false),
                Sum | Prod => (true, true, true, false),
                Lor | Land | Lxor | Bor | Band | Bxor => (true, false, false, false),
                Swap | Cswap | CswapNe => (true, true, true, true),
                CswapLe | CswapLt | CswapGe | CswapGt => (true, true, false, true),
                Mswap => (true, false, false, true),
            };
            use Datatype::*;
            let (exists, modelled) = match datatype {
                Float | Double => (float, true),
                LongDouble => (float, false),
                FloatComplex | DoubleComplex => (complex, true),
                LongDoubleComplex => (complex, false),
                _ => (integer, true),
            };
            let asked = operation(op, datatype);
            let wanted = match (exists, modelled) {
                (false, _) => Err(OperationError::Illegal(asked)),
                (true, false) => Err(OperationError::Unsupported(asked)),
                (true, true) => Ok(()),
            };
            assert_eq!(asked.check(swap), wanted, "{op:?} {datatype:?}");
            assert_eq!(asked.check(!swap), Err(OperationError::Illegal(asked)));
        }
    }
}

#[test]
fn items_have_the_sizes_of_their_types() {
    let sizes: Vec<usize> = INTEGERS
        .iter()
        .chain(&OTHERS)
        .map(|datatype| datatype.size())
        .collect();
    assert_eq!(sizes, [1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16, 16, 32]);
}

#[test]
fn a_swap_keeps_every_bit_of_a_number_that_is_none() {
    for bits in [0x7fa0_0001_u64, 0xffc1_2345] {
        assert_eq!(model(AtomicOp::Swap, Datatype::Float, 0, bits, 0), bits);
        assert_eq!(
            model(AtomicOp::Max, Datatype::Float, bits, 0x3f80_0000, 0),
            bits,
            "the target stays"
        );
        assert_eq!(
            model(AtomicOp::Min, Datatype::Float, 0x3f80_0000, bits, 0),
            0x3f80_0000
        );
    }
}
