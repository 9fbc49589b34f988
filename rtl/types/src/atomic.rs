//! Atomics: operations and datatypes of Portals 4, and what goes into and comes out of the `AtomicAlu`.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    ($)
    /// `operation` values (Portals 4, `ptl_op_t`). *Target* is the datum in memory, *source* the one of the message,
    /// *operand* the one that the initiator sends beside it.
    pub mod operation: u8 as atomic_operations {
        /// The source if source < target.
        MIN = 0 => Min,
        /// The source if source > target.
        MAX = 1 => Max,
        /// Sum; integers wrap.
        SUM = 2 => Sum,
        /// Product; integers wrap.
        PROD = 3 => Prod,
        /// Logical or: 0 or 1.
        LOR = 4 => Lor,
        /// Logical and: 0 or 1.
        LAND = 5 => Land,
        /// Bitwise or.
        BOR = 6 => Bor,
        /// Bitwise and.
        BAND = 7 => Band,
        /// Logical exclusive or: 0 or 1.
        LXOR = 8 => Lxor,
        /// Bitwise exclusive or.
        BXOR = 9 => Bxor,
        /// The source.
        SWAP = 10 => Swap,
        /// The source if operand = target.
        CSWAP = 11 => Cswap,
        /// The source if operand != target.
        CSWAP_NE = 12 => CswapNe,
        /// The source if operand <= target.
        CSWAP_LE = 13 => CswapLe,
        /// The source if operand < target.
        CSWAP_LT = 14 => CswapLt,
        /// The source if operand >= target.
        CSWAP_GE = 15 => CswapGe,
        /// The source if operand > target.
        CSWAP_GT = 16 => CswapGt,
        /// The source in the bits that are set in the operand.
        MSWAP = 17 => Mswap,
    }
}

codes! {
    ($)
    /// `datatype` values (Portals 4, `ptl_datatype_t`).
    pub mod datatype: u8 as atomic_datatypes {
        /// Signed, 1 byte.
        INT8 = 0 => Int8,
        /// Unsigned, 1 byte.
        UINT8 = 1 => Uint8,
        /// Signed, 2 bytes.
        INT16 = 2 => Int16,
        /// Unsigned, 2 bytes.
        UINT16 = 3 => Uint16,
        /// Signed, 4 bytes.
        INT32 = 4 => Int32,
        /// Unsigned, 4 bytes.
        UINT32 = 5 => Uint32,
        /// IEEE 754 binary32.
        FLOAT = 6 => Float,
        /// Signed, 8 bytes.
        INT64 = 7 => Int64,
        /// Unsigned, 8 bytes.
        UINT64 = 8 => Uint64,
        /// IEEE 754 binary64.
        DOUBLE = 9 => Double,
        /// Two FLOAT, real and imaginary part.
        FLOAT_COMPLEX = 10 => FloatComplex,
        /// Two DOUBLE, real and imaginary part.
        DOUBLE_COMPLEX = 11 => DoubleComplex,
        /// The initiator's `long double`; not built.
        LONG_DOUBLE = 12 => LongDouble,
        /// Two LONG_DOUBLE; not built.
        LONG_DOUBLE_COMPLEX = 13 => LongDoubleComplex,
    }
}

wire_struct! {
    /// One memory line to the `AtomicAlu`, with the bytes that meet it.
    pub struct AtomicBeat / AtomicBeatUnpack : 1168 {
        /// What to do, see [`operation`].
        operation: 8,
        /// Of what, see [`datatype`].
        datatype: 8,
        /// CSWAP to CSWAP_GT, MSWAP: the operand, in the low bytes.
        operand: 64,
        /// Bytes of the line that take part: whole data, each at a multiple of its size.
        mask: 64,
        /// The line as it is in memory, lane 0 first.
        old: 512,
        /// The message's bytes in the lanes where they go.
        source: 512,
    }
}

wire_struct! {
    /// The line with its new bytes, from the `AtomicAlu`.
    pub struct AtomicResult / AtomicResultUnpack : 576 {
        /// The beat's: the bytes to write.
        mask: 64,
        /// The line as it becomes; bytes outside `mask` are as they were.
        updated: 512,
    }
}

wire_struct! {
    /// What an operation on a datatype means for one datum, inside the `AtomicAlu`. The *compared value* is the operand
    /// or the source.
    pub struct AtomicRule / AtomicRuleUnpack : 20 {
        /// log2 of the bytes of a datum; of a complex one of each part.
        size: 2,
        /// Real and imaginary part are one datum.
        complex: 1,
        /// Two's complement.
        twos_complement: 1,
        /// FLOAT or DOUBLE, or parts of these types.
        float: 1,
        /// Integer product.
        product: 1,
        /// Floating point sum.
        float_sum: 1,
        /// Floating point product.
        float_product: 1,
        /// Integer sum.
        sum: 1,
        /// The result is 0 or 1, by `truth` of "is not zero".
        logical: 1,
        /// The bits of the operand choose between source and old.
        masked: 1,
        /// The source replaces the old datum only if one of the next four is set and holds.
        conditional: 1,
        /// The compared value is the operand (else the source).
        by_operand: 1,
        /// Replace if the compared value is less than the old datum.
        if_less: 1,
        /// Replace if they are equal.
        if_equal: 1,
        /// Replace if it is greater.
        if_greater: 1,
        /// Replace if one of them is a NaN.
        if_unordered: 1,
        /// Bits 2, 1, 0: the result for (source, old) = (1, 1), (1, 0), (0, 1); for (0, 0) it is 0.
        truth: 3,
    }
}

wire_struct! {
    /// What goes beside the significands through the steps of a floating point addition, inside the `AtomicAlu`.
    pub struct FloatSide / FloatSideUnpack : 21 {
        /// There is an addition in this step.
        there: 1,
        /// Comes back with the sum.
        index: 4,
        /// FLOAT (else DOUBLE).
        single: 1,
        /// The signs differ.
        subtract: 1,
        /// Sign of the larger magnitude.
        sign: 1,
        /// The sum is not a number.
        nan: 1,
        /// The sum is an infinity.
        infinite: 1,
        /// Biased exponent of the significand's top bit; 0 and 1 mean the same.
        exponent: 11,
    }
}

wire_struct! {
    /// Target pipeline to `AtomicUnit`: an atomic message and the place in memory that it meets.
    pub struct AtomicJob / AtomicJobUnpack : 165 {
        /// Message slot.
        slot: 8,
        /// Context whose memory it is.
        context: 2,
        /// The old bytes are wanted (FETCH_ATOMIC, SWAP).
        fetch: 1,
        /// What to do, see [`operation`].
        operation: 8,
        /// Of what, see [`datatype`].
        datatype: 8,
        /// Address of the first byte.
        address: 64,
        /// Bytes in memory that the message meets, 0 to 512: what is delivered of it (`mlength`).
        length: 10,
        /// CSWAP to CSWAP_GT, MSWAP: the operand, in the low bytes.
        operand: 64,
    }
}

wire_struct! {
    /// `AtomicUnit` to target pipeline, one a message, in order. Without a flag the new bytes are in memory.
    pub struct AtomicDone / AtomicDoneUnpack : 11 {
        /// The job's.
        slot: 8,
        /// There is no such operation on such a datatype, or the address is no multiple of its size. Nothing was read
        /// or written.
        refused: 1,
        /// The packet had the wrong length. Nothing was written.
        bad: 1,
        /// A read failed, and nothing was written; or a write failed.
        error: 1,
    }
}
