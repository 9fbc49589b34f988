//! HSA AQL packets (HSA Runtime Programmer's Reference, "Queues and AQL packets"; `hsa.h`), large machine model.

#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;

wire_struct! {
    /// AQL kernel dispatch packet, 64 bytes. In an XTQ message three fields hold indices instead of addresses.
    pub struct KernelDispatch / KernelDispatchUnpack : 512 {
        /// Packet header: type (7:0), barrier (8), acquire scope (10:9), release scope (12:11).
        header: 16,
        /// Number of dimensions (1:0).
        setup: 16,
        /// Work-group size, x, in work-items.
        workgroup_size_x: 16,
        /// Work-group size, y, in work-items.
        workgroup_size_y: 16,
        /// Work-group size, z, in work-items.
        workgroup_size_z: 16,
        /// Reserved, 0.
        reserved0: 16,
        /// Grid size, x, in work-items.
        grid_size_x: 32,
        /// Grid size, y, in work-items.
        grid_size_y: 32,
        /// Grid size, z, in work-items.
        grid_size_z: 32,
        /// Private memory per work-item in bytes.
        private_segment_size: 32,
        /// Group memory per work-group in bytes.
        group_segment_size: 32,
        /// Handle of the kernel's code; in an XTQ message the index into the kernel table.
        kernel_object: 64,
        /// Address of the kernel arguments; written by the target NIC.
        kernarg_address: 64,
        /// Reserved, 0; in an XTQ message the index into the queue table.
        reserved2: 64,
        /// Handle of the signal that is decremented at completion, 0 for none.
        completion_signal: 64,
    }
}

wire_struct! {
    /// AQL agent dispatch packet, 64 bytes. In an XTQ message two fields hold indices instead of addresses.
    pub struct AgentDispatch / AgentDispatchUnpack : 512 {
        /// Packet header, as in [`KernelDispatch`].
        header: 16,
        /// Application-defined function code (`type` in `hsa.h`).
        function_type: 16,
        /// Reserved, 0.
        reserved0: 32,
        /// Address of the result; in an XTQ message the index into the function table, then the function pointer.
        return_address: 64,
        /// Argument 0; the buffer pointer after the rewrite.
        arg0: 64,
        /// Argument 1; the payload address after the rewrite.
        arg1: 64,
        /// Argument 2.
        arg2: 64,
        /// Argument 3.
        arg3: 64,
        /// Reserved, 0; in an XTQ message the index into the queue table.
        reserved2: 64,
        /// Handle of the signal that is decremented at completion, 0 for none.
        completion_signal: 64,
    }
}
