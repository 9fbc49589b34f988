//! What every operation does, in Rust's own integers and floating point numbers.

use xtq_types::atomic::{datatype as d, operation as o};

/// All operations by name.
pub const OPERATIONS: [(&str, u8); 18] = [
    ("MIN", o::MIN),
    ("MAX", o::MAX),
    ("SUM", o::SUM),
    ("PROD", o::PROD),
    ("LOR", o::LOR),
    ("LAND", o::LAND),
    ("BOR", o::BOR),
    ("BAND", o::BAND),
    ("LXOR", o::LXOR),
    ("BXOR", o::BXOR),
    ("SWAP", o::SWAP),
    ("CSWAP", o::CSWAP),
    ("CSWAP_NE", o::CSWAP_NE),
    ("CSWAP_LE", o::CSWAP_LE),
    ("CSWAP_LT", o::CSWAP_LT),
    ("CSWAP_GE", o::CSWAP_GE),
    ("CSWAP_GT", o::CSWAP_GT),
    ("MSWAP", o::MSWAP),
];

/// All datatypes by name.
pub const DATATYPES: [(&str, u8); 14] = [
    ("INT8", d::INT8),
    ("UINT8", d::UINT8),
    ("INT16", d::INT16),
    ("UINT16", d::UINT16),
    ("INT32", d::INT32),
    ("UINT32", d::UINT32),
    ("FLOAT", d::FLOAT),
    ("INT64", d::INT64),
    ("UINT64", d::UINT64),
    ("DOUBLE", d::DOUBLE),
    ("FLOAT_COMPLEX", d::FLOAT_COMPLEX),
    ("DOUBLE_COMPLEX", d::DOUBLE_COMPLEX),
    ("LONG_DOUBLE", d::LONG_DOUBLE),
    ("LONG_DOUBLE_COMPLEX", d::LONG_DOUBLE_COMPLEX),
];

/// What goes in, as in [`AtomicBeat`](xtq_types::atomic::AtomicBeat).
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    pub operation: u8,
    pub datatype: u8,
    pub operand: u64,
    /// Bit *i*: byte *i* takes part.
    pub mask: u64,
    pub old: [u8; 64],
    pub source: [u8; 64],
}

/// Whether the operation on the datatype is built.
pub fn is_built(operation: u8, datatype: u8) -> bool {
    match datatype {
        d::FLOAT | d::DOUBLE => {
            operation <= o::PROD || (o::SWAP..=o::CSWAP_GT).contains(&operation)
        }
        d::FLOAT_COMPLEX => [o::SUM, o::PROD, o::SWAP, o::CSWAP, o::CSWAP_NE].contains(&operation),
        d::DOUBLE_COMPLEX => [o::SUM, o::PROD, o::SWAP].contains(&operation),
        _ => datatype < d::DOUBLE && operation <= o::MSWAP,
    }
}

/// Bytes of a datum of a built type.
pub fn size_of(datatype: u8) -> usize {
    match datatype {
        d::INT8 | d::UINT8 => 1,
        d::INT16 | d::UINT16 => 2,
        d::INT32 | d::UINT32 | d::FLOAT => 4,
        d::DOUBLE_COMPLEX => 16,
        _ => 8,
    }
}

/// Gives `fn $name(operation, source, old, operand) -> result` for an integer type.
macro_rules! integer {
    ($name:ident, $type:ty) => {
        fn $name(operation: u8, source: $type, old: $type, operand: $type) -> $type {
            let (a, b) = (source != 0, old != 0);
            let replace_if = |condition: bool| if condition { source } else { old };
            match operation {
                o::MIN => source.min(old),
                o::MAX => source.max(old),
                o::SUM => source.wrapping_add(old),
                o::PROD => source.wrapping_mul(old),
                o::LOR => (a || b).into(),
                o::LAND => (a && b).into(),
                o::BOR => source | old,
                o::BAND => source & old,
                o::LXOR => (a != b).into(),
                o::BXOR => source ^ old,
                o::SWAP => source,
                o::CSWAP => replace_if(operand == old),
                o::CSWAP_NE => replace_if(operand != old),
                o::CSWAP_LE => replace_if(operand <= old),
                o::CSWAP_LT => replace_if(operand < old),
                o::CSWAP_GE => replace_if(operand >= old),
                o::CSWAP_GT => replace_if(operand > old),
                o::MSWAP => (operand & source) | (!operand & old),
                _ => panic!("there is no operation {operation}"),
            }
        }
    };
}

integer!(int8, i8);
integer!(uint8, u8);
integer!(int16, i16);
integer!(uint16, u16);
integer!(int32, i32);
integer!(uint32, u32);
integer!(int64, i64);
integer!(uint64, u64);

/// The same for a floating point type. A sum or product that is not a number is `nan`.
macro_rules! real {
    ($name:ident, $type:ty, $nan:literal) => {
        fn $name(operation: u8, source: $type, old: $type, operand: $type) -> $type {
            let replace_if = |condition: bool| if condition { source } else { old };
            match operation {
                o::MIN => replace_if(source < old),
                o::MAX => replace_if(source > old),
                o::SUM if (source + old).is_nan() => <$type>::from_bits($nan),
                o::SUM => source + old,
                o::PROD if (source * old).is_nan() => <$type>::from_bits($nan),
                o::PROD => source * old,
                o::SWAP => source,
                o::CSWAP => replace_if(operand == old),
                o::CSWAP_NE => replace_if(operand != old),
                o::CSWAP_LE => replace_if(operand <= old),
                o::CSWAP_LT => replace_if(operand < old),
                o::CSWAP_GE => replace_if(operand >= old),
                o::CSWAP_GT => replace_if(operand > old),
                _ => panic!("operation {operation} is not built"),
            }
        }
    };
}

real!(float, f32, 0x7FC0_0000);
real!(double, f64, 0x7FF8_0000_0000_0000);

/// The same for complex numbers, as real and imaginary part.
macro_rules! complex {
    ($name:ident, $type:ty, $nan:literal) => {
        fn $name(
            operation: u8,
            source: [$type; 2],
            old: [$type; 2],
            operand: [$type; 2],
        ) -> [$type; 2] {
            let ([a, b], [c, d]) = (old, source);
            let number = |part: $type| match part.is_nan() {
                true => <$type>::from_bits($nan),
                false => part,
            };
            match operation {
                o::SUM => [a + c, b + d].map(number),
                o::PROD => [a * c - b * d, a * d + b * c].map(number),
                o::SWAP => source,
                o::CSWAP if operand == old => source,
                o::CSWAP_NE if operand != old => source,
                o::CSWAP | o::CSWAP_NE => old,
                _ => panic!("operation {operation} is not built"),
            }
        }
    };
}

complex!(float_complex, f32, 0x7FC0_0000);
complex!(double_complex, f64, 0x7FF8_0000_0000_0000);

/// One datum of any type, as bytes.
pub fn apply(operation: u8, datatype: u8, source: &[u8], old: &[u8], operand: u64) -> Vec<u8> {
    let word = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    let halves = |bytes: &[u8]| {
        let (low, high) = bytes.split_at(bytes.len() / 2);
        [word(low), word(high)]
    };
    match datatype {
        d::FLOAT_COMPLEX => {
            let parts = |bytes: &[u8]| halves(bytes).map(|bits| f32::from_bits(bits as u32));
            let operand = parts(&operand.to_le_bytes());
            let new = float_complex(operation, parts(source), parts(old), operand);
            new.map(|part| part.to_bits().to_le_bytes()).concat()
        }
        d::DOUBLE_COMPLEX => {
            let parts = |bytes: &[u8]| halves(bytes).map(f64::from_bits);
            let new = double_complex(operation, parts(source), parts(old), [0.0; 2]);
            new.map(|part| part.to_bits().to_le_bytes()).concat()
        }
        _ => {
            let new = datum(operation, datatype, word(source), word(old), operand);
            new.to_le_bytes()[..size_of(datatype)].to_vec()
        }
    }
}

/// One datum of an integer or real type, in the low bytes.
pub fn datum(operation: u8, datatype: u8, source: u64, old: u64, operand: u64) -> u64 {
    let (s, t, x) = (source, old, operand);
    match datatype {
        d::INT8 => int8(operation, s as i8, t as i8, x as i8) as u8 as u64,
        d::UINT8 => uint8(operation, s as u8, t as u8, x as u8).into(),
        d::INT16 => int16(operation, s as i16, t as i16, x as i16) as u16 as u64,
        d::UINT16 => uint16(operation, s as u16, t as u16, x as u16).into(),
        d::INT32 => int32(operation, s as i32, t as i32, x as i32) as u32 as u64,
        d::UINT32 => uint32(operation, s as u32, t as u32, x as u32).into(),
        d::INT64 => int64(operation, s as i64, t as i64, x as i64) as u64,
        d::UINT64 => uint64(operation, s, t, x),
        d::FLOAT => {
            let [s, t, x] = [s, t, x].map(|bits| f32::from_bits(bits as u32));
            float(operation, s, t, x).to_bits().into()
        }
        d::DOUBLE => {
            let [s, t, x] = [s, t, x].map(f64::from_bits);
            double(operation, s, t, x).to_bits()
        }
        _ => panic!("there is no datatype {datatype}"),
    }
}

/// The line as it becomes.
pub fn updated(beat: &Beat) -> [u8; 64] {
    let mut line = beat.old;
    if !is_built(beat.operation, beat.datatype) {
        return line;
    }
    let size = size_of(beat.datatype);
    for first in (0..64).step_by(size) {
        let datum = first..first + size;
        let (source, old) = (&beat.source[datum.clone()], &beat.old[datum]);
        let result = apply(beat.operation, beat.datatype, source, old, beat.operand);
        for i in 0..size {
            if beat.mask >> (first + i) & 1 == 1 {
                line[first + i] = result[i];
            }
        }
    }
    line
}
