//! Arguments of calls that register what messages launch.

use schemars::JsonSchema;
use serde::Deserialize;

call! {
    /// Arguments of `xtq_register_kernel`.
    RegisterKernel {
        /// Index in the kernel table.
        index: u16,
        /// Handle of the kernel's code, the new `kernel_object`.
        kernel: u64,
        /// Bytes of arguments; with less than 16 they are left alone.
        #[serde(default)]
        kernarg_size: u32,
        /// Offset of the two rewritten arguments, a multiple of 8.
        #[serde(default)]
        rewrite_offset: u32,
        /// Target buffer, the new first argument; 0: the argument stays as sent.
        #[serde(default)]
        buffer_pointer: u64,
        /// Signal of the process for the packet; left out: the sender's stays.
        #[serde(default)]
        completion_signal: Option<String>,
    }
}

call! {
    /// Arguments of `xtq_register_function`.
    RegisterFunction {
        /// Index in the function table.
        index: u16,
        /// Address of the function, the new `return_address`.
        function: u64,
        /// Target buffer, the new `arg0`; 0: it stays as sent.
        #[serde(default)]
        buffer_pointer: u64,
    }
}

call! {
    /// Arguments of `xtq_register_queue`.
    RegisterQueue {
        /// Index in the queue table.
        index: u16,
        /// Queue of the process.
        queue: String,
    }
}
