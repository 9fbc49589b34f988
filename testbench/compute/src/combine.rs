//! `Combine`: element by element, what a reduction does; for cores and for GPUs.

use xtq_testbench::host::Datatype;

/// What becomes of two elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Their sum; integers wrap.
    #[default]
    Sum,
    /// Their product; integers wrap.
    Prod,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// An operation on vectors of a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combine {
    /// Operation.
    pub operation: Operation,
    /// Datatype of the elements.
    pub datatype: Datatype,
}

/// A datatype that [`Combine`] does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("vectors of {0:?} cannot be combined: only 32 and 64-bit integers, float and double")]
pub struct NoSuchVector(pub Datatype);

macro_rules! each {
    ($kind:ty, $operation:expr, $target:expr, $source:expr, $sum:expr, $product:expr) => {{
        const BYTES: usize = size_of::<$kind>();
        let pairs = $target
            .chunks_exact_mut(BYTES)
            .zip($source.chunks_exact(BYTES));
        for (target, source) in pairs {
            let mut words = [[0; BYTES]; 2];
            words[0].copy_from_slice(target);
            words[1].copy_from_slice(source);
            let [a, b] = words.map(<$kind>::from_le_bytes);
            let result = match $operation {
                Operation::Sum => $sum(a, b),
                Operation::Prod => $product(a, b),
                Operation::Min => a.min(b),
                Operation::Max => a.max(b),
            };
            target.copy_from_slice(&result.to_le_bytes());
        }
    }};
}

macro_rules! integers {
    ($kind:ty, $how:expr, $target:expr, $source:expr) => {
        each!(
            $kind,
            $how.operation,
            $target,
            $source,
            <$kind>::wrapping_add,
            <$kind>::wrapping_mul
        )
    };
}

macro_rules! floats {
    ($kind:ty, $how:expr, $target:expr, $source:expr) => {
        each!(
            $kind,
            $how.operation,
            $target,
            $source,
            |a: $kind, b: $kind| a + b,
            |a: $kind, b: $kind| a * b
        )
    };
}

impl Combine {
    /// The sum of elements of a datatype.
    pub const fn sum(datatype: Datatype) -> Self {
        Self {
            operation: Operation::Sum,
            datatype,
        }
    }

    /// Bytes of an element. Errors: there are no vectors of the datatype.
    pub fn bytes(self) -> Result<u64, NoSuchVector> {
        match self.datatype {
            Datatype::Int32 | Datatype::Uint32 | Datatype::Float => Ok(4),
            Datatype::Int64 | Datatype::Uint64 | Datatype::Double => Ok(8),
            other => Err(NoSuchVector(other)),
        }
    }

    /// `target[i] = target[i] op source[i]` for the whole elements that both have. Errors: there are no vectors of the
    /// datatype.
    pub fn apply(self, target: &mut [u8], source: &[u8]) -> Result<(), NoSuchVector> {
        match self.datatype {
            Datatype::Int32 => integers!(i32, self, target, source),
            Datatype::Uint32 => integers!(u32, self, target, source),
            Datatype::Int64 => integers!(i64, self, target, source),
            Datatype::Uint64 => integers!(u64, self, target, source),
            Datatype::Float => floats!(f32, self, target, source),
            Datatype::Double => floats!(f64, self, target, source),
            other => return Err(NoSuchVector(other)),
        }
        Ok(())
    }
}
