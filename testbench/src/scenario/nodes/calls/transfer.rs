//! Arguments of calls that send messages, but for [atomics](super::atomics).

use schemars::JsonSchema;
use serde::Deserialize;

use crate::scenario::message::AckRequest;

send! {
    /// Arguments of `ptl_put`.
    Put {}
}

call! {
    /// Arguments of `ptl_get`.
    Get {
        /// Memory descriptor that the data go to.
        md: String,
        /// Where the first byte goes, as offset in the descriptor.
        #[serde(default)]
        local_offset: u64,
        /// Bytes.
        length: u64,
        /// Process that is asked.
        target: String,
        /// Portal entry of that process.
        pt: String,
        /// Match bits.
        #[serde(default)]
        match_bits: u64,
        /// Offset in the matching entry, unless that keeps its own.
        #[serde(default)]
        remote_offset: u64,
    }
}

send! {
    /// Arguments of `xtq_put`; `md`, `local_offset` and `length` are the payload's.
    XtqPut {
        /// Memory descriptor of AQL packet and kernel arguments.
        command_md: String,
        /// First byte of the packet, as offset in that descriptor.
        #[serde(default)]
        command_offset: u64,
        /// Bytes of packet and arguments: 64 and more.
        command_length: u16,
    }
}
