//! `TaskCheck`: may this XTQ put become a task? The tests that need only the packet and its table entries.
//!
//! **Purpose.** The fixed part of admission: type, landing alignment, table entries, command length. Not the portal's
//! state and not whether the queue has room.
//!
//! ```text
//!                    +-----------+
//!   type_ok, agent-->|           |--> status, access
//!   task_*       --->| TaskCheck |--> patch
//!   queue_*      --->|           |
//!   command_length-->|           |
//!   misaligned   --->|           |
//!                    +-----------+
//! ```
//!
//! **Contract.** Combinational. `status` is the first error in the order bad_type, bad_alignment, kernel or function
//! index, kernarg size, queue index; a failed table read takes the place of its index error as MEMORY_ERROR with access
//! TABLE. `patch` says that two words of the arguments are to be rewritten.
//!
//! * Command length is 64 for an agent dispatch and 64 + kernarg_size for a kernel dispatch.
//! * The rewritten pair needs rewrite_offset a multiple of 8, rewrite_offset + 16 <= kernarg_size, and its place in the
//!   first packet: 64 + rewrite_offset + 16 <= 4096. Otherwise BAD_KERNARG_SIZE, unless the entry says "no rewrite".
//!
//! **Internals.** Tests are written from the last to the first, each overriding the ones before it. A kernarg size of
//! 64 KiB or more has no length that fits, so the pair is only held against a smaller one.

use crate::codes::status_codes::StatusCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry};

/// Checks of an XTQ put that need no state.
#[block]
pub struct TaskCheck {
    /// The packet's type is 2 or 4.
    pub type_ok: Signal<In, Bit>,
    /// The packet's type is 4.
    pub agent: Signal<In, Bit>,
    /// The landing address is not a multiple of 64.
    pub misaligned: Signal<In, Bit>,
    /// AQL packet and arguments in bytes.
    pub command_length: Signal<In, Bits<16>>,
    /// The task index is in range.
    pub task_found: Signal<In, Bit>,
    /// The task entry could not be read.
    pub task_error: Signal<In, Bit>,
    /// The task entry as kernel entry.
    pub kernel: Signal<In, KernelEntry>,
    /// The task entry as function entry.
    pub agent_entry: Signal<In, FunctionEntry>,
    /// The queue index is in range.
    pub queue_found: Signal<In, Bit>,
    /// The queue entry could not be read.
    pub queue_error: Signal<In, Bit>,
    /// The queue index, low bits.
    pub queue_index: Signal<In, Bits<16>>,
    /// The queue entry.
    pub queue: Signal<In, QueueEntry>,
    /// Outcome.
    pub status: Signal<Out, Bits<8>>,
    /// Memory access that failed.
    pub access: Signal<Out, Bits<8>>,
    /// Rewrite two words of the arguments.
    pub patch: Signal<Out, Bit>,
    registered: Signal<Local, Bit>,
    kernarg_size: Signal<Local, Bits<32>>,
    rewrite_offset: Signal<Local, Bits<32>>,
    size_high: Signal<Local, Bits<16>>,
    size_eighths: Signal<Local, Bits<13>>,
    size_blocks: Signal<Local, Bits<10>>,
    size_low: Signal<Local, Bits<6>>,
    length_blocks: Signal<Local, Bits<10>>,
    length_low: Signal<Local, Bits<6>>,
    offset_high: Signal<Local, Bits<20>>,
    offset_eighths: Signal<Local, Bits<9>>,
    offset_low: Signal<Local, Bits<3>>,
    wanted_blocks: Signal<Local, Bits<11>>,
    pair_end: Signal<Local, Bits<13>>,
    pair_ok: Signal<Local, Bit>,
    patched: Signal<Local, Bit>,
    length_ok: Signal<Local, Bit>,
    queue_high: Signal<Local, Bits<10>>,
    codes: StatusCodes,
}

#[kernel]
impl Logic for TaskCheck {
    fn update(&mut self) {
        self.kernarg_size.next = self.kernel.val().kernarg_size;
        self.rewrite_offset.next = self.kernel.val().rewrite_offset;
        self.size_high.next = self.kernarg_size.val().get_bits::<16>(16);
        self.size_eighths.next = self.kernarg_size.val().get_bits::<13>(3);
        self.size_blocks.next = self.kernarg_size.val().get_bits::<10>(6);
        self.size_low.next = self.kernarg_size.val().get_bits::<6>(0);
        self.length_blocks.next = self.command_length.val().get_bits::<10>(6);
        self.length_low.next = self.command_length.val().get_bits::<6>(0);
        self.offset_high.next = self.rewrite_offset.val().get_bits::<20>(12);
        self.offset_eighths.next = self.rewrite_offset.val().get_bits::<9>(3);
        self.offset_low.next = self.rewrite_offset.val().get_bits::<3>(0);
        self.queue_high.next = self.queue_index.val().get_bits::<10>(6);

        // In units of 64 and of 8 bytes: what is below them must be equal or zero, and what is above the parts that are
        // added up zero.
        self.wanted_blocks.next = bit_cast::<11, 10>(self.size_blocks.val()) + 1;
        self.pair_end.next = bit_cast::<13, 9>(self.offset_eighths.val()) + 2;
        self.pair_ok.next = !self.offset_high.val().any()
            & !self.offset_low.val().any()
            & (self.pair_end.val() <= self.size_eighths.val())
            & (self.offset_eighths.val() <= 502);
        self.patched.next = !self.agent.val() & (self.kernel.val().no_rewrite == 0);
        self.length_ok.next = !self.size_high.val().any()
            & (self.size_low.val() == self.length_low.val())
            & (self.wanted_blocks.val() == bit_cast::<11, 10>(self.length_blocks.val()));
        self.registered.next = self.kernel.val().registered == 1;
        if self.agent.val() {
            self.length_ok.next = self.command_length.val() == 64;
            self.registered.next = self.agent_entry.val().registered == 1;
        }
        self.patch.next = self.patched.val();

        self.status.next = self.codes.ok.val();
        self.access.next = self.codes.none.val();
        if self.queue_error.val() {
            self.status.next = self.codes.memory_error.val();
            self.access.next = self.codes.table_access.val();
        }
        if !self.queue_found.val()
            | self.queue_high.val().any()
            | (!self.queue_error.val() & (self.queue.val().registered == 0))
        {
            self.status.next = self.codes.bad_queue_index.val();
            self.access.next = self.codes.none.val();
        }
        if !self.length_ok.val() | (self.patched.val() & !self.pair_ok.val()) {
            self.status.next = self.codes.bad_kernarg_size.val();
            self.access.next = self.codes.none.val();
        }
        if self.task_error.val() {
            self.status.next = self.codes.memory_error.val();
            self.access.next = self.codes.table_access.val();
        }
        if !self.task_found.val() | (!self.task_error.val() & !self.registered.val()) {
            self.status.next = self.codes.bad_kernel_index.val();
            self.access.next = self.codes.none.val();
            if self.agent.val() {
                self.status.next = self.codes.bad_function_index.val();
            }
        }
        if self.misaligned.val() {
            self.status.next = self.codes.bad_alignment.val();
            self.access.next = self.codes.none.val();
        }
        if !self.type_ok.val() {
            self.status.next = self.codes.bad_type.val();
            self.access.next = self.codes.none.val();
        }
    }
}
