//! Arguments of calls that send atomics.

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::scenario::message::AckRequest;
use crate::tables::small_letters;

xtq_types::atomic_operations! { small_letters {
    /// Atomic operation.
    OpName => crate::tables::AtomicOp
} }

xtq_types::atomic_datatypes! { small_letters {
    /// Datatype of an atomic operation.
    TypeName => crate::tables::Datatype
} }

/// A name as files write it.
fn written(name: impl Debug) -> String {
    let mut written = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.extend(letter.to_lowercase());
    }
    written
}

impl OpName {
    /// As files write it.
    pub(in crate::scenario::nodes) fn name(self) -> String {
        written(self)
    }

    /// Whether it belongs to PtlSwap.
    pub(in crate::scenario::nodes) fn is_swap(self) -> bool {
        self as usize >= Self::Swap as usize
    }

    /// Whether it is done to one datum, with an operand.
    pub(in crate::scenario::nodes) fn is_single(self) -> bool {
        self.is_swap() && self != Self::Swap
    }

    /// Whether Portals 4 has it of this type.
    pub(in crate::scenario::nodes) fn takes(self, datatype: TypeName) -> bool {
        use OpName::{
            Cswap, CswapGe, CswapGt, CswapLe, CswapLt, CswapNe, Max, Min, Prod, Sum, Swap,
        };
        match self {
            Sum | Prod | Swap | Cswap | CswapNe => true,
            Min | Max | CswapLe | CswapLt | CswapGe | CswapGt => !datatype.is_complex(),
            _ => !datatype.is_complex() && !datatype.is_float(),
        }
    }
}

impl TypeName {
    /// As files write it.
    pub(in crate::scenario::nodes) fn name(self) -> String {
        written(self)
    }

    /// Bytes of a datum.
    pub(in crate::scenario::nodes) fn size(self) -> u64 {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float => 4,
            Self::Int64 | Self::Uint64 | Self::Double | Self::FloatComplex => 8,
            Self::DoubleComplex | Self::LongDouble => 16,
            Self::LongDoubleComplex => 32,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double | Self::LongDouble)
    }

    fn is_complex(self) -> bool {
        matches!(
            self,
            Self::FloatComplex | Self::DoubleComplex | Self::LongDoubleComplex
        )
    }
}

send! {
    /// Arguments of `ptl_atomic`.
    Atomic {
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
    }
}

send! {
    /// Arguments of `ptl_fetch_atomic`; there is always a reply, so `ack` has no meaning.
    FetchAtomic {
        /// Memory descriptor that the old values go to.
        get_md: String,
        /// Where the first byte goes, as offset in that descriptor.
        #[serde(default)]
        local_get_offset: u64,
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
    }
}

send! {
    /// Arguments of `ptl_swap`; there is always a reply, so `ack` has no meaning.
    Swap {
        /// Memory descriptor that the old values go to.
        get_md: String,
        /// Where the first byte goes, as offset in that descriptor.
        #[serde(default)]
        local_get_offset: u64,
        /// Operation.
        operation: OpName,
        /// Datatype.
        datatype: TypeName,
        /// Operand of the conditional and the masked swap: one datum; left out: 0. A plain `swap` has none.
        #[serde(default)]
        operand: Option<u64>,
    }
}
