//! Kernels, functions and queues that messages name by an index, as 64-byte table entries.

use super::format::{BYTES, FUNCTION_ENTRY, KERNEL_ENTRY, QUEUE_ENTRY};

/// A kernel that messages may launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// Handle of its code.
    pub kernel: u64,
    /// Bytes of its arguments; fewer than 16: none is rewritten.
    pub kernarg_size: u32,
    /// Offset in the arguments of \[buffer pointer\]\[payload address\] in bytes, a multiple of 8.
    pub rewrite_offset: u32,
    /// Target buffer given to the kernel; 0: what was sent.
    pub buffer_pointer: u64,
    /// Signal decremented at its end; 0: the sender's.
    pub completion_signal: u64,
}

/// A function that messages may call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its address.
    pub function: u64,
    /// Target buffer given to the function; 0: what was sent.
    pub buffer_pointer: u64,
}

/// A user-mode queue: what `hsa_queue_t` says, and what is not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HostQueue {
    /// Address of packet 0, 64-byte aligned.
    pub base: u64,
    /// Packets, a power of two.
    pub size: u32,
    /// Address of the 64-bit write index.
    pub write_index_address: u64,
    /// Address of the 64-bit read index.
    pub read_index_address: u64,
    /// Address of the 64-bit doorbell.
    pub doorbell_address: u64,
    /// The doorbell takes the packet id + 1.
    pub doorbell_plus_one: bool,
    /// Other producers use it too.
    pub shared: bool,
}

impl Kernel {
    /// Its table entry.
    pub fn entry(&self) -> [u8; BYTES] {
        KERNEL_ENTRY.pack(&[
            ("registered", 1),
            ("buffer_valid", (self.buffer_pointer != 0).into()),
            ("signal_valid", (self.completion_signal != 0).into()),
            ("no_rewrite", (self.kernarg_size < 16).into()),
            ("kernarg_size", self.kernarg_size.into()),
            ("rewrite_offset", self.rewrite_offset.into()),
            ("kernel", self.kernel),
            ("buffer_pointer", self.buffer_pointer),
            ("completion_signal", self.completion_signal),
        ])
    }
}

impl Function {
    /// Its table entry.
    pub fn entry(&self) -> [u8; BYTES] {
        FUNCTION_ENTRY.pack(&[
            ("registered", 1),
            ("buffer_valid", (self.buffer_pointer != 0).into()),
            ("function", self.function),
            ("buffer_pointer", self.buffer_pointer),
        ])
    }
}

impl HostQueue {
    /// Its table entry.
    pub fn entry(&self) -> [u8; BYTES] {
        QUEUE_ENTRY.pack(&[
            ("registered", 1),
            ("doorbell_plus_one", self.doorbell_plus_one.into()),
            ("shared", self.shared.into()),
            ("size", self.size.into()),
            ("ring_base", self.base),
            ("write_index_address", self.write_index_address),
            ("read_index_address", self.read_index_address),
            ("doorbell_address", self.doorbell_address),
        ])
    }
}
