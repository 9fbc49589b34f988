//! Lookup-table entries: 64 bytes each, in the context's tables in host memory (XTQ paper III.C).
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

codes! {
    /// Which table an index is for.
    pub mod table_id: u8 {
        /// Kernel table, indexed by `kernel_object`.
        KERNEL = 0,
        /// Function table, indexed by `return_address`.
        FUNCTION = 1,
        /// Queue table, indexed by `reserved2`.
        QUEUE = 2,
    }
}

wire_struct! {
    /// Kernel table entry: what `XtqRegisterKernel` was given.
    pub struct KernelEntry / KernelEntryUnpack : 512 {
        /// The entry is in use.
        registered: 1,
        /// `buffer_pointer` is to be written into the arguments.
        buffer_valid: 1,
        /// `completion_signal` replaces the sender's.
        signal_valid: 1,
        /// Leave the arguments alone (needed if `kernarg_size` < 16).
        no_rewrite: 1,
        /// Reserved, 0.
        flags_reserved: 28,
        /// Size of the kernel arguments in bytes.
        kernarg_size: 32,
        /// Offset in the arguments of [buffer pointer][payload address] in bytes, a multiple of 8.
        rewrite_offset: 32,
        /// Reserved, 0.
        reserved0: 32,
        /// Handle of the kernel's code (`kernel_object`).
        kernel: 64,
        /// Target buffer given to the kernel.
        buffer_pointer: 64,
        /// Signal handle.
        completion_signal: 64,
        /// Reserved, 0.
        reserved1: 192,
    }
}

wire_struct! {
    /// Function table entry: what `XtqRegisterFunction` was given.
    pub struct FunctionEntry / FunctionEntryUnpack : 512 {
        /// The entry is in use.
        registered: 1,
        /// `buffer_pointer` is to be written into arg0.
        buffer_valid: 1,
        /// Reserved, 0.
        flags_reserved: 30,
        /// Reserved, 0.
        reserved0: 32,
        /// Address of the function.
        function: 64,
        /// Target buffer given to the function.
        buffer_pointer: 64,
        /// Reserved, 0.
        reserved1: 320,
    }
}

wire_struct! {
    /// Queue table entry: the user-mode queue (`hsa_queue_t` plus what is not in it).
    pub struct QueueEntry / QueueEntryUnpack : 512 {
        /// The entry is in use.
        registered: 1,
        /// Ring packet id + 1 (AMD doorbell types 0/1) instead of the packet id (HSA).
        doorbell_plus_one: 1,
        /// Other producers use the queue too: reserve by compare-and-swap.
        shared: 1,
        /// Reserved, 0.
        flags_reserved: 29,
        /// Size of the ring in packets, a power of two.
        size: 32,
        /// Address of packet 0, 64-byte aligned.
        ring_base: 64,
        /// Address of the 64-bit write index, 8-byte aligned.
        write_index_address: 64,
        /// Address of the 64-bit read index, 8-byte aligned.
        read_index_address: 64,
        /// Address of the 64-bit doorbell, 8-byte aligned.
        doorbell_address: 64,
        /// Reserved, 0.
        reserved1: 192,
    }
}
