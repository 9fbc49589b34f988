//! What an operation does to bytes: operations and datatypes of Portals 4 that collectives use (MPI 3.0, section
//! 5.9.2).
//!
//! Integers wrap. MIN and MAX keep the target unless the source is less or greater, as the NIC does. A complex number
//! is its real and then its imaginary part; each sum, difference and product of parts is rounded by itself.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// An operation that combines two values into the target: associative and commutative, but for the rounding of floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// target + source.
    Sum,
    /// target * source.
    Prod,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// Bits that both have.
    Band,
    /// Bits that one of them has.
    Bor,
    /// Bits that only one of them has.
    Bxor,
    /// What a program defines, for kernels of GPUs only.
    Own(Own),
}

/// An operation that a program defines. It must be associative and commutative, as the others are: of operations of a
/// kind into the same bytes the graph leaves the order open.
#[derive(Clone, Copy)]
pub struct Own {
    /// Its name: two with the same name are the same.
    pub name: &'static str,
    /// Combines the source into the target, which comes first: whole values of the datatype, of both equally many.
    pub combine: fn(Datatype, &mut [u8], &[u8]),
    /// Instructions of a wavefront of the GPU that combines a value a lane; 12 is what a sum takes.
    pub instructions: u64,
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Own {}

impl PartialOrd for Own {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Own {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Own {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// What bytes are, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // Their names say it.
pub enum Datatype {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float,
    Double,
    FloatComplex,
    DoubleComplex,
}

impl Operation {
    /// All that Portals 4 has.
    pub const ALL: [Self; 7] = [
        Self::Sum,
        Self::Prod,
        Self::Min,
        Self::Max,
        Self::Band,
        Self::Bor,
        Self::Bxor,
    ];

    /// As scenarios write it; of a program's own its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own(own) => own.name,
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Min => "min",
            Self::Max => "max",
            Self::Band => "band",
            Self::Bor => "bor",
            Self::Bxor => "bxor",
        }
    }

    /// Whether the NIC does it one number after the other, which is slow: products of floating point numbers.
    pub fn is_slow_in_hardware(self, datatype: Datatype) -> bool {
        self == Self::Prod && datatype.is_float()
    }

    /// Whether the NIC does it: all that is defined but a program's own.
    pub fn is_in_hardware(self, datatype: Datatype) -> bool {
        !matches!(self, Self::Own(_)) && is_defined(self, datatype)
    }
}

impl Datatype {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Int8,
        Self::Uint8,
        Self::Int16,
        Self::Uint16,
        Self::Int32,
        Self::Uint32,
        Self::Int64,
        Self::Uint64,
        Self::Float,
        Self::Double,
        Self::FloatComplex,
        Self::DoubleComplex,
    ];

    /// As scenarios write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::Float => "float",
            Self::Double => "double",
            Self::FloatComplex => "float_complex",
            Self::DoubleComplex => "double_complex",
        }
    }

    /// Bytes of a value.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double | Self::FloatComplex => 8,
            Self::DoubleComplex => 16,
        }
    }

    /// Whether it is a floating point number, or two as a complex one.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double) || self.is_complex()
    }

    /// Whether it is a complex number.
    pub fn is_complex(self) -> bool {
        matches!(self, Self::FloatComplex | Self::DoubleComplex)
    }

    /// Its bytes for the whole number `value`, wrapped to what it holds; of a complex number `value` is the real part,
    /// and one less than half of it the imaginary part.
    pub fn of_number(self, value: u64) -> Vec<u8> {
        match self {
            Self::Float => (value as f32).to_le_bytes().to_vec(),
            Self::Double => (value as f64).to_le_bytes().to_vec(),
            Self::FloatComplex => [value as f32, value as f32 / 2.0 - 1.0]
                .map(f32::to_le_bytes)
                .concat(),
            Self::DoubleComplex => [value as f64, value as f64 / 2.0 - 1.0]
                .map(f64::to_le_bytes)
                .concat(),
            _ => value.to_le_bytes()[..self.bytes() as usize].to_vec(),
        }
    }
}

macro_rules! integers {
    ($operation:expr, $target:expr, $source:expr, $type:ty) => {
        each($target, $source, |a: [u8; size_of::<$type>()], b| {
            let (a, b) = (<$type>::from_le_bytes(a), <$type>::from_le_bytes(b));
            let value = match $operation {
                Operation::Sum => a.wrapping_add(b),
                Operation::Prod => a.wrapping_mul(b),
                Operation::Min => a.min(b),
                Operation::Max => a.max(b),
                Operation::Band => a & b,
                Operation::Bor => a | b,
                Operation::Bxor => a ^ b,
                // Its own function combines.
                Operation::Own(_) => a,
            };
            value.to_le_bytes()
        })
    };
}

macro_rules! floats {
    ($operation:expr, $target:expr, $source:expr, $type:ty) => {
        each($target, $source, |a: [u8; size_of::<$type>()], b| {
            let (x, y) = (<$type>::from_le_bytes(a), <$type>::from_le_bytes(b));
            match $operation {
                Operation::Sum => (x + y).to_le_bytes(),
                Operation::Prod => (x * y).to_le_bytes(),
                Operation::Min if y < x => b,
                Operation::Max if y > x => b,
                // Bits of floats are refused when the graph is made.
                _ => a,
            }
        })
    };
}

macro_rules! complex {
    ($operation:expr, $target:expr, $source:expr, $type:ty) => {
        each($target, $source, |x: [u8; 2 * size_of::<$type>()], y| {
            let parts_of = |bytes: [u8; 2 * size_of::<$type>()]| {
                let (real, imaginary) = bytes.split_at(size_of::<$type>());
                [real, imaginary].map(|part| {
                    let mut bytes = [0; size_of::<$type>()];
                    bytes.copy_from_slice(part);
                    <$type>::from_le_bytes(bytes)
                })
            };
            let ([a, b], [c, d]) = (parts_of(x), parts_of(y));
            let result = match $operation {
                Operation::Sum => [a + c, b + d],
                Operation::Prod => [a * c - b * d, a * d + b * c],
                // Others are refused when the graph is made.
                _ => [a, b],
            };
            let mut bytes = x;
            bytes.copy_from_slice(&result.map(<$type>::to_le_bytes).concat());
            bytes
        })
    };
}

/// Does `f` to each pair of values; bytes that are no whole value stay.
fn each<const N: usize>(target: &mut [u8], source: &[u8], f: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    for (target, source) in target.chunks_exact_mut(N).zip(source.chunks_exact(N)) {
        let (mut a, mut b) = ([0; N], [0; N]);
        a.copy_from_slice(target);
        b.copy_from_slice(source);
        target.copy_from_slice(&f(a, b));
    }
}

/// Combines `source` into `target`, value by value.
pub fn apply(operation: Operation, datatype: Datatype, target: &mut [u8], source: &[u8]) {
    if let Operation::Own(own) = operation {
        return (own.combine)(datatype, target, source);
    }
    match datatype {
        Datatype::Int8 => integers!(operation, target, source, i8),
        Datatype::Uint8 => integers!(operation, target, source, u8),
        Datatype::Int16 => integers!(operation, target, source, i16),
        Datatype::Uint16 => integers!(operation, target, source, u16),
        Datatype::Int32 => integers!(operation, target, source, i32),
        Datatype::Uint32 => integers!(operation, target, source, u32),
        Datatype::Int64 => integers!(operation, target, source, i64),
        Datatype::Uint64 => integers!(operation, target, source, u64),
        Datatype::Float => floats!(operation, target, source, f32),
        Datatype::Double => floats!(operation, target, source, f64),
        Datatype::FloatComplex => complex!(operation, target, source, f32),
        Datatype::DoubleComplex => complex!(operation, target, source, f64),
    }
}

/// Whether there is such an operation on the datatype: bits of floats are not combined, and complex numbers have no
/// order.
pub fn is_defined(operation: Operation, datatype: Datatype) -> bool {
    match operation {
        Operation::Sum | Operation::Prod | Operation::Own(_) => true,
        Operation::Min | Operation::Max => !datatype.is_complex(),
        Operation::Band | Operation::Bor | Operation::Bxor => !datatype.is_float(),
    }
}
