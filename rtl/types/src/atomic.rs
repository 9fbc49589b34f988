//! Atomics: operations and datatypes of Portals 4, and what goes into and comes out of the `AtomicAlu`.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

/// `operation` values (Portals 4, `ptl_op_t`). *Target* is the datum in memory, *source* the one of the message, *operand* the one that the
/// initiator sends beside it.
pub mod operation {
    /// The source if source < target.
    pub const MIN: u8 = 0;
    /// The source if source > target.
    pub const MAX: u8 = 1;
    /// Sum; integers wrap.
    pub const SUM: u8 = 2;
    /// Product; integers wrap.
    pub const PROD: u8 = 3;
    /// Logical or: 0 or 1.
    pub const LOR: u8 = 4;
    /// Logical and: 0 or 1.
    pub const LAND: u8 = 5;
    /// Bitwise or.
    pub const BOR: u8 = 6;
    /// Bitwise and.
    pub const BAND: u8 = 7;
    /// Logical exclusive or: 0 or 1.
    pub const LXOR: u8 = 8;
    /// Bitwise exclusive or.
    pub const BXOR: u8 = 9;
    /// The source.
    pub const SWAP: u8 = 10;
    /// The source if operand = target.
    pub const CSWAP: u8 = 11;
    /// The source if operand != target.
    pub const CSWAP_NE: u8 = 12;
    /// The source if operand <= target.
    pub const CSWAP_LE: u8 = 13;
    /// The source if operand < target.
    pub const CSWAP_LT: u8 = 14;
    /// The source if operand >= target.
    pub const CSWAP_GE: u8 = 15;
    /// The source if operand > target.
    pub const CSWAP_GT: u8 = 16;
    /// The source in the bits that are set in the operand.
    pub const MSWAP: u8 = 17;
}

/// `datatype` values (Portals 4, `ptl_datatype_t`).
pub mod datatype {
    /// Signed, 1 byte.
    pub const INT8: u8 = 0;
    /// Unsigned, 1 byte.
    pub const UINT8: u8 = 1;
    /// Signed, 2 bytes.
    pub const INT16: u8 = 2;
    /// Unsigned, 2 bytes.
    pub const UINT16: u8 = 3;
    /// Signed, 4 bytes.
    pub const INT32: u8 = 4;
    /// Unsigned, 4 bytes.
    pub const UINT32: u8 = 5;
    /// IEEE 754 binary32.
    pub const FLOAT: u8 = 6;
    /// Signed, 8 bytes.
    pub const INT64: u8 = 7;
    /// Unsigned, 8 bytes.
    pub const UINT64: u8 = 8;
    /// IEEE 754 binary64.
    pub const DOUBLE: u8 = 9;
    /// Two FLOAT; not built.
    pub const FLOAT_COMPLEX: u8 = 10;
    /// Two DOUBLE; not built.
    pub const DOUBLE_COMPLEX: u8 = 11;
    /// The initiator's `long double`; not built.
    pub const LONG_DOUBLE: u8 = 12;
    /// Two LONG_DOUBLE; not built.
    pub const LONG_DOUBLE_COMPLEX: u8 = 13;
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
    /// What an operation on a datatype means for one datum, inside the `AtomicAlu`. The *compared value* is the operand or the source.
    pub struct AtomicRule / AtomicRuleUnpack : 18 {
        /// log2 of the bytes of a datum.
        size: 2,
        /// Two's complement.
        twos_complement: 1,
        /// FLOAT or DOUBLE.
        float: 1,
        /// Integer product.
        product: 1,
        /// Floating point sum.
        float_sum: 1,
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
        /// There is no such operation on such a datatype, or the address is no multiple of its size. Nothing was read or written.
        refused: 1,
        /// The packet had the wrong length. Nothing was written.
        bad: 1,
        /// A read failed, and nothing was written; or a write failed.
        error: 1,
    }
}
