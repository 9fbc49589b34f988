//! What the exact matcher stores.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// A priority entry: its key, which the table has too, and what a message that it takes needs.
    pub struct ExactEntry / ExactEntryUnpack : 314 {
        /// Portal entry of the context.
        portal: 6,
        /// Source node.
        source_node: 16,
        /// Source context.
        source_context: 8,
        /// Match bits.
        match_bits: 64,
        /// Options.
        options: 20,
        /// Address of the buffer.
        start: 64,
        /// Length of the buffer in bytes.
        length: 64,
        /// Counter.
        counter: 8,
        /// User pointer.
        user_ptr: 64,
    }
}

wire_struct! {
    /// An unexpected header, without its key.
    pub struct ExactHeader / ExactHeaderUnpack : 378 {
        /// Overflow entry of the context in whose buffer the message is.
        entry: 10,
        /// Address of that buffer.
        start: 64,
        /// Offset at which the message landed.
        offset: 64,
        /// Bytes moved.
        mlength: 32,
        /// Kind of request.
        kind: 3,
        /// Sender's user id.
        user_id: 32,
        /// Length asked for.
        length: 32,
        /// Offset asked for.
        remote_offset: 64,
        /// Header data.
        header_data: 64,
        /// Name of the header.
        name: 13,
    }
}
