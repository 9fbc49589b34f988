//! `CommandRewrite`: puts addresses in the place of indices in an AQL packet.
//!
//! **Purpose.** The part of [`RewriteEngine`](super::RewriteEngine) that works on the command packet.
//!
//! ```text
//!          +----------------+
//!   job -->| CommandRewrite |--> aql
//!          +----------------+
//! ```
//!
//! **Contract.** Combinational. Kernel dispatch: `kernel_object` := target, `kernarg_address` := address + 64,
//! `reserved2` := 0, `completion_signal` := the job's if `signal_valid`. Agent dispatch: `return_address` := target,
//! `arg0` := buffer pointer if `buffer_valid`, `arg1` := payload address, `reserved2` := 0. Everything else passes.
//!
//! **Internals.** The address is 64-byte aligned, so the sum is an increment of its upper 58 bits; it is done in two
//! halves side by side, so that the carry chain is 29 bits long.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::aql::{AgentDispatch, AgentDispatchUnpack, KernelDispatch, KernelDispatchUnpack};
use xtq_types::pipe::RewriteJob;

/// Rewrites the command packet of a job.
#[block]
pub struct CommandRewrite {
    /// What to do, with the packet as received.
    pub job: Signal<In, RewriteJob>,
    /// The packet as it goes to memory.
    pub aql: Signal<Out, Bits<512>>,
    kernel_fields: KernelDispatchUnpack,
    agent_fields: AgentDispatchUnpack,
    kernel: Signal<Local, KernelDispatch>,
    agent: Signal<Local, AgentDispatch>,
    address: Signal<Local, Bits<64>>,
    low: Signal<Local, Bits<29>>,
    high: Signal<Local, Bits<29>>,
    next_low: Signal<Local, Bits<29>>,
    next_high: Signal<Local, Bits<29>>,
    kernarg: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for CommandRewrite {
    fn update(&mut self) {
        self.kernel_fields.raw.next = self.job.val().aql;
        self.agent_fields.raw.next = self.job.val().aql;

        self.address.next = self.job.val().address;
        self.low.next = self.address.val().get_bits::<29>(6);
        self.high.next = self.address.val().get_bits::<29>(35);
        self.next_low.next = self.low.val() + 1;
        self.next_high.next = self.high.val();
        if self.low.val().all() {
            self.next_high.next = self.high.val() + 1;
        }
        self.kernarg.next = (bit_cast::<64, 29>(self.next_high.val()) << 35)
            | (bit_cast::<64, 29>(self.next_low.val()) << 6);

        self.kernel.next = self.kernel_fields.fields.val();
        self.kernel.next.kernel_object = self.job.val().target;
        self.kernel.next.kernarg_address = self.kernarg.val();
        self.kernel.next.reserved2 = 0.into();
        if self.job.val().signal_valid.any() {
            self.kernel.next.completion_signal = self.job.val().completion_signal;
        }

        self.agent.next = self.agent_fields.fields.val();
        self.agent.next.return_address = self.job.val().target;
        if self.job.val().buffer_valid.any() {
            self.agent.next.arg0 = self.job.val().buffer_pointer;
        }
        self.agent.next.arg1 = self.job.val().payload_address;
        self.agent.next.reserved2 = 0.into();

        self.aql.next = self.agent.val().into();
        if self.job.val().kernel.any() {
            self.aql.next = self.kernel.val().into();
        }
    }
}
