//! Atomic operations on bytes (rules 8 of `docs/portals-model.md`), item by item, little endian.
//!
//! Integers are computed as `i128`, which holds every operand, and cut to their size; floating and complex numbers are
//! in `floating.rs`. LONG_DOUBLE exists in Portals and not here, as its bits are those of a host:
//! [`OperationError::Unsupported`].

use super::floating::{complex, condition, real};
use crate::tables::{AtomicOp, Datatype};
use thiserror::Error;

/// An operation on items of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is done.
    pub op: AtomicOp,
    /// To items of which type.
    pub datatype: Datatype,
}

/// An operation that cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OperationError {
    /// It is in Portals' table of atomic operations, but not modelled.
    #[error("unsupported: {:?} on {:?} is not modelled", .0.op, .0.datatype)]
    Unsupported(Operation),
    /// It is not in the table.
    #[error("there is no {:?} on {:?} in this kind of request", .0.op, .0.datatype)]
    Illegal(Operation),
}

/// Columns of Portals' table of atomic operations.
enum Class {
    Integer,
    Float,
    Complex,
}

impl Operation {
    /// Whether Portals' table of atomic operations has it, for PtlSwap or for the others, and whether it is modelled.
    pub fn check(self, swap: bool) -> Result<(), OperationError> {
        use AtomicOp::{Cswap, CswapNe, Max, Min, Mswap, Prod, Sum, Swap};
        let class = match self.datatype {
            Datatype::Float | Datatype::Double | Datatype::LongDouble => Class::Float,
            Datatype::FloatComplex | Datatype::DoubleComplex | Datatype::LongDoubleComplex => {
                Class::Complex
            }
            _ => Class::Integer,
        };
        let exists = match (self.op, class) {
            (_, Class::Integer) => true,
            (Min | Max, Class::Float) => true,
            (Sum | Prod | Swap | Cswap | CswapNe, _) => true,
            (Mswap, _) => false,
            (op, Class::Float) => op.is_swap(),
            (_, Class::Complex) => false,
        };
        if !exists || self.op.is_swap() != swap {
            return Err(OperationError::Illegal(self));
        }
        match self.datatype {
            Datatype::LongDouble | Datatype::LongDoubleComplex => {
                Err(OperationError::Unsupported(self))
            }
            _ => Ok(()),
        }
    }

    /// Whether it needs an operand: conditional and masked swaps do, and they move one item only.
    pub fn uses_operand(self) -> bool {
        self.op.is_swap() && self.op != AtomicOp::Swap
    }

    /// New contents of the target. Bytes after the last whole item stay. The operation must have passed
    /// [`Operation::check`], else nothing changes.
    pub fn apply(self, target: &[u8], source: &[u8], operand: &[u8]) -> Vec<u8> {
        let size = self.datatype.size();
        let mut new = target.to_vec();
        for (item, source) in new.chunks_exact_mut(size).zip(source.chunks_exact(size)) {
            let result = match self.datatype {
                Datatype::Float => real::<f32>(self.op, item, source, operand),
                Datatype::Double => real::<f64>(self.op, item, source, operand),
                Datatype::FloatComplex => complex::<f32>(self.op, item, source, operand),
                Datatype::DoubleComplex => complex::<f64>(self.op, item, source, operand),
                _ => integer(self, item, source, operand),
            };
            item.copy_from_slice(&result);
        }
        new
    }
}

impl AtomicOp {
    /// Whether it belongs to PtlSwap.
    pub fn is_swap(self) -> bool {
        use AtomicOp::*;
        matches!(
            self,
            Swap | Cswap | CswapNe | CswapLe | CswapLt | CswapGe | CswapGt | Mswap
        )
    }
}

fn integer(operation: Operation, target: &[u8], source: &[u8], operand: &[u8]) -> Vec<u8> {
    use AtomicOp::*;
    let value = |bytes: &[u8]| -> i128 {
        let signed = matches!(
            operation.datatype,
            Datatype::Int8 | Datatype::Int16 | Datatype::Int32 | Datatype::Int64
        );
        let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut wide = if negative { [0xff; 16] } else { [0; 16] };
        wide[..bytes.len()].copy_from_slice(bytes);
        i128::from_le_bytes(wide)
    };
    let (old, new, operand) = (value(target), value(source), value(operand));
    let result = match operation.op {
        Min => old.min(new),
        Max => old.max(new),
        Sum => old.wrapping_add(new),
        Prod => old.wrapping_mul(new),
        Lor => i128::from(old != 0 || new != 0),
        Land => i128::from(old != 0 && new != 0),
        Lxor => i128::from((old != 0) != (new != 0)),
        Bor => old | new,
        Band => old & new,
        Bxor => old ^ new,
        Swap => new,
        Mswap => (operand & new) | (!operand & old),
        op if condition(op, operand, old) => new,
        _ => old,
    };
    result.to_le_bytes()[..target.len()].to_vec()
}
