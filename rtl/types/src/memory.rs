//! What goes to and comes from the read port and the write port, the way to host memory.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// Any block to the read port: one beat.
    pub struct ReadRequest / ReadRequestUnpack : 71 {
        /// Byte address, aligned to the size.
        address: 64,
        /// Target context.
        context: 2,
        /// log2 of the bytes read: 3 (an index) or 6 (a table entry).
        size: 3,
        /// Returned with the data.
        tag: 2,
    }
}

wire_struct! {
    /// Read port to the block that asked.
    pub struct ReadResult / ReadResultUnpack : 515 {
        /// The request's.
        tag: 2,
        /// SLVERR or DECERR.
        error: 1,
        /// The 64-byte line; an 8-byte read has its data in the lanes of its address.
        data: 512,
    }
}

wire_struct! {
    /// Any block to the write port: one data beat; the first of a burst brings the address.
    pub struct WriteRequest / WriteRequestUnpack : 653 {
        /// First beat of a burst.
        first: 1,
        /// Last beat of a burst.
        last: 1,
        /// AtomicCompare (AXI5) of 8 bytes: compare value in the lanes of `address`, new value in the other half of the
        /// 16 bytes.
        atomic: 1,
        /// Target context.
        context: 2,
        /// Beats of the burst less one.
        length: 8,
        /// Address of the first byte; bursts are 64-byte aligned and stay within 4 KiB.
        address: 64,
        /// Bytes to write.
        strobe: 64,
        /// Data, memory lanes.
        data: 512,
    }
}

wire_struct! {
    /// Any block to the read port: a burst of 64-byte lines.
    pub struct BurstRequest / BurstRequestUnpack : 74 {
        /// Address of the first line, 64-byte aligned; the burst stays within 4 KiB.
        address: 64,
        /// Context whose memory it is.
        context: 2,
        /// Lines less one.
        length: 8,
    }
}

wire_struct! {
    /// Read port to the block that asked: one line of a burst.
    pub struct BurstResult / BurstResultUnpack : 514 {
        /// Last line of its burst.
        last: 1,
        /// SLVERR or DECERR.
        error: 1,
        /// The line.
        data: 512,
    }
}
