//! `CommandCheck`: what a command is, and what is wrong with it as it stands.
//!
//! **Purpose.** The part of [`CommandStage`](crate::commands::command_stage::CommandStage) that depends on the command
//! alone.
//!
//! ```text
//!               +--------------+--> kind
//!   command  -->| CommandCheck |--> status
//!   unread   -->|              |--> total, xtq, get, fetch, single, two, which_table, act, list_op, iovec,
//!               |              |    rearms
//!               +--------------+
//! ```
//!
//! **Contract.** Combinational. `status` is the first that applies: MEMORY_ERROR (it could not be read), BAD_OPERATION,
//! BAD_ARGUMENT (ack request above 3; target context above 3; command length of an XTQ_PUT below 64; an atomic
//! operation that is not one of the command's on the datatype; `list` of an ME_APPEND or ME_SEARCH above 1; REARM
//! without TRIGGERED, or with a period of 0),
//! BAD_COUNTER (CT_*, or MD_BIND, ME_APPEND or ME_SEARCH with a counter that the context has not), BAD_ARGUMENT (the
//! list of an MD_BIND, ME_APPEND or ME_SEARCH with IOVEC does not begin at a multiple of 8), TOO_MANY_PIECES (it has
//! more than 1,024), UNSUPPORTED (an atomic operation on a datatype that is not built), TOO_LONG (a message of more
//! than 2^32 - 1 bytes, an atomic of more than 512), BAD_ARGUMENT (an atomic that is not whole data, or not one datum
//! where it must be), BAD_COUNTER (TRIGGERED by one that the context has not), OK. `kind` of a TRIGGERED command is
//! `Wait`, whatever it does when it fires; its arguments are judged all the same. The other outputs mean nothing unless
//! it is OK.
//!
//! **Internals.** One comparison for each operation, and an [`AtomicCheck`].

use crate::atomics::atomic_check::AtomicCheck;
use crate::codes::command_codes::CommandCodes;
use crate::codes::counter_codes::CounterOperationCodes;
use crate::codes::match_codes::MatchCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::command::Command;

/// What is to be done.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CommandKind {
    /// Nothing, or the command is wrong.
    Nothing,
    /// A message is sent.
    Send,
    /// Wait for the messages before it.
    Fence,
    /// A descriptor is made.
    Bind,
    /// A descriptor is given back.
    Release,
    /// An entry of a lookup table is written.
    Register,
    /// Something is done to a counter.
    Count,
    /// What waits for a counter is removed.
    Cancel,
    /// Something is done to match entries, unexpected headers or a portal entry.
    List,
    /// The command waits for a counter.
    Wait,
}

/// Judges a command, of a NIC with `2^A` counters, a fourth of them for each context.
#[block]
pub struct CommandCheck<const A: usize = 8> {
    /// The command.
    pub command: Signal<In, Command>,
    /// It could not be read.
    pub unread: Signal<In, Bit>,
    /// What it is.
    pub kind: Signal<Out, CommandKind>,
    /// Whether it is right, see [`command_status`](xtq_types::command::command_status).
    pub status: Signal<Out, Bits<8>>,
    /// Send: bytes of the whole message.
    pub total: Signal<Out, Bits<32>>,
    /// Send: it is an XTQ put.
    pub xtq: Signal<Out, Bit>,
    /// Send: it is a GET.
    pub get: Signal<Out, Bit>,
    /// Send: it is a FETCH_ATOMIC or a SWAP.
    pub fetch: Signal<Out, Bit>,
    /// Send: the operand goes with one datum.
    pub single: Signal<Out, Bit>,
    /// Send: the second descriptor is used too, by the payload or by the reply.
    pub two: Signal<Out, Bit>,
    /// Register: which table.
    pub which_table: Signal<Out, Bits<2>>,
    /// Count: what, see [`counter_operation`](xtq_types::counter::counter_operation).
    pub act: Signal<Out, Bits<3>>,
    /// List: what, see [`match_op`](xtq_types::matching::match_op).
    pub list_op: Signal<Out, Bits<4>>,
    /// Bind, List: the command names a list of pieces.
    pub iovec: Signal<Out, Bit>,
    /// Wait: it waits again when it has left.
    pub rearms: Signal<Out, Bit>,

    codes: CommandCodes,
    acts: CounterOperationCodes,
    ops: MatchCodes,
    atomics: AtomicCheck,
    flags: Signal<Local, Bits<8>>,
    ack_request: Signal<Local, Bits<8>>,
    target_context: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<64>>,
    long: Signal<Local, Bits<32>>,
    short: Signal<Local, Bits<32>>,
    command_length: Signal<Local, Bits<16>>,
    counter: Signal<Local, Bits<16>>,
    low_sum: Signal<Local, Bits<17>>,
    overflows: Signal<Local, Bit>,
    /// Bits that the number of a counter has not.
    #[value((0xFFFFu64 << (A - 2) & 0xFFFF).to_bits())]
    too_high: Constant<Bits<16>>,
    no_such: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    is_xtq: Signal<Local, Bit>,
    is_get: Signal<Local, Bit>,
    is_swap: Signal<Local, Bit>,
    is_fetch: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    fraction: Signal<Local, Bits<4>>,
    datum: Signal<Local, Bits<64>>,
    uneven: Signal<Local, Bit>,
    above_512: Signal<Local, Bit>,
    above_1024: Signal<Local, Bit>,
    bad_counter: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    trigger: Signal<Local, Bits<16>>,
    threshold: Signal<Local, Bits<64>>,
    list: Signal<Local, Bits<8>>,
    options: Signal<Local, Bits<32>>,
    start: Signal<Local, Bits<64>>,
    list_status: Signal<Local, Bits<8>>,
    appends: Signal<Local, Bit>,
    searches: Signal<Local, Bit>,
    lists: Signal<Local, Bit>,
}

#[kernel]
impl<const A: usize> Logic for CommandCheck<A> {
    fn update(&mut self) {
        self.flags.next = self.command.val().flags;
        self.ack_request.next = self.command.val().ack_request;
        self.target_context.next = self.command.val().context;
        self.length.next = self.command.val().length;
        self.command_length.next = self.command.val().command_length;
        self.counter.next = self.command.val().counter;
        self.short.next = self.length.val().get_bits::<32>(0);
        self.long.next = self.length.val().get_bits::<32>(32);
        self.is_xtq.next = self.command.val().operation == self.codes.xtq_put.val();
        self.is_get.next = self.command.val().operation == self.codes.get.val();
        self.is_swap.next = self.command.val().operation == self.codes.swap.val();
        self.is_fetch.next =
            self.is_swap.val() | (self.command.val().operation == self.codes.fetch_atomic.val());
        self.is_atomic.next =
            self.is_fetch.val() | (self.command.val().operation == self.codes.atomic.val());
        self.sends.next = self.is_xtq.val()
            | self.is_get.val()
            | self.is_atomic.val()
            | (self.command.val().operation == self.codes.put.val());
        self.total.next = self.short.val();
        if self.is_xtq.val() {
            self.total.next = self.short.val() + bit_cast::<32, 16>(self.command_length.val());
        }
        self.xtq.next = self.is_xtq.val();
        self.get.next = self.is_get.val();
        self.fetch.next = self.is_fetch.val();
        self.two.next = (self.is_xtq.val() & self.short.val().any()) | self.is_fetch.val();

        // By bits: a comparison with a number is a carry chain. `total` has no more than 32 bits if the lower 16 give
        // no carry, or there is a place for it.
        self.low_sum.next = bit_cast::<17, 16>(self.short.val().get_bits::<16>(0))
            + bit_cast::<17, 16>(self.command_length.val());
        self.overflows.next = self.is_xtq.val()
            & self.low_sum.val().get_bit(16)
            & self.short.val().get_bits::<16>(16).all();
        self.no_such.next = (self.counter.val() & self.too_high.val()).any();
        self.above_512.next = self.length.val().get_bits::<54>(10).any()
            | (self.length.val().get_bit(9) & self.length.val().get_bits::<9>(0).any());
        self.above_1024.next = self.length.val().get_bits::<53>(11).any()
            | (self.length.val().get_bit(10) & self.length.val().get_bits::<10>(0).any());

        // Atomics: whole data, or one.
        self.atomics.operation.next = self.command.val().atomic;
        self.atomics.datatype.next = self.command.val().datatype;
        self.single.next = self.is_atomic.val() & self.atomics.single.val();
        self.fraction.next = 0.into();
        self.datum.next = 1.into();
        if self.atomics.size.val() == 1 {
            self.fraction.next = self.length.val().get_bits::<4>(0) & 1;
            self.datum.next = 2.into();
        }
        if self.atomics.size.val() == 2 {
            self.fraction.next = self.length.val().get_bits::<4>(0) & 3;
            self.datum.next = 4.into();
        }
        if self.atomics.size.val() == 3 {
            self.fraction.next = self.length.val().get_bits::<4>(0) & 7;
            self.datum.next = 8.into();
        }
        if self.atomics.size.val() == 4 {
            self.fraction.next = self.length.val().get_bits::<4>(0);
            self.datum.next = 16.into();
        }
        self.uneven.next = self.fraction.val().any()
            | (self.atomics.single.val() & (self.length.val() != self.datum.val()));

        self.kind.next = CommandKind::Nothing;
        self.status.next = self.codes.bad_operation.val();
        self.which_table.next = 0.into();
        if self.command.val().operation == self.codes.nop.val() {
            self.status.next = self.codes.ok.val();
        }
        if self.sends.val() {
            self.kind.next = CommandKind::Send;
            self.status.next = self.codes.ok.val();
            if self.long.val().any() | self.overflows.val() {
                self.status.next = self.codes.too_long.val();
            }
            if self.is_atomic.val() {
                if self.uneven.val() {
                    self.status.next = self.codes.bad_argument.val();
                }
                if self.above_512.val() {
                    self.status.next = self.codes.too_long.val();
                }
                if self.atomics.unsupported.val() {
                    self.status.next = self.codes.unsupported.val();
                }
            }
            if self.ack_request.val().get_bits::<6>(2).any()
                | self.target_context.val().get_bits::<6>(2).any()
                | (self.is_atomic.val()
                    & (self.atomics.invalid.val()
                        | (self.atomics.swap.val() != self.is_swap.val())))
                | (self.is_xtq.val() & !self.command_length.val().get_bits::<10>(6).any())
            {
                self.status.next = self.codes.bad_argument.val();
            }
        }
        if self.command.val().operation == self.codes.fence.val() {
            self.kind.next = CommandKind::Fence;
            self.status.next = self.codes.ok.val();
        }
        if self.command.val().operation == self.codes.md_release.val() {
            self.kind.next = CommandKind::Release;
            self.status.next = self.codes.ok.val();
        }
        // Lists of pieces.
        self.options.next = self.command.val().options;
        self.start.next = self.command.val().start;
        self.appends.next = self.command.val().operation == self.codes.me_append.val();
        self.searches.next = self.command.val().operation == self.codes.me_search.val();
        self.iovec.next = self.options.val().get_bit(0)
            & (self.appends.val()
                | self.searches.val()
                | (self.command.val().operation == self.codes.md_bind.val()));
        self.list_status.next = self.codes.ok.val();
        if self.above_1024.val() {
            self.list_status.next = self.codes.too_many_pieces.val();
        }
        if self.start.val().get_bits::<3>(0).any() {
            self.list_status.next = self.codes.bad_argument.val();
        }
        self.bad_counter.next = self.no_such.val() & !self.counter.val().all();
        if self.command.val().operation == self.codes.md_bind.val() {
            self.kind.next = CommandKind::Bind;
            self.status.next = self.codes.ok.val();
            if self.iovec.val() {
                self.status.next = self.list_status.val();
            }
            if self.bad_counter.val() {
                self.status.next = self.codes.bad_counter.val();
            }
        }
        self.act.next = self.acts.get.val();
        self.counts.next = false;
        if self.command.val().operation == self.codes.ct_get.val() {
            self.counts.next = true;
        }
        if self.command.val().operation == self.codes.ct_inc.val() {
            self.counts.next = true;
            self.act.next = self.acts.inc.val();
        }
        if self.command.val().operation == self.codes.ct_set.val() {
            self.counts.next = true;
            self.act.next = self.acts.set.val();
        }
        if self.command.val().operation == self.codes.ct_alloc.val() {
            self.counts.next = true;
            self.act.next = self.acts.alloc.val();
        }
        if self.command.val().operation == self.codes.ct_free.val() {
            self.counts.next = true;
            self.act.next = self.acts.free.val();
        }
        if self.counts.val() {
            self.kind.next = CommandKind::Count;
            self.status.next = self.codes.ok.val();
        }
        if self.command.val().operation == self.codes.ct_cancel.val() {
            self.counts.next = true;
            self.kind.next = CommandKind::Cancel;
            self.status.next = self.codes.ok.val();
        }
        if self.counts.val() & self.no_such.val() {
            self.status.next = self.codes.bad_counter.val();
        }
        if self.command.val().operation == self.codes.register_kernel.val() {
            self.kind.next = CommandKind::Register;
            self.status.next = self.codes.ok.val();
        }
        if self.command.val().operation == self.codes.register_function.val() {
            self.kind.next = CommandKind::Register;
            self.status.next = self.codes.ok.val();
            self.which_table.next = 1.into();
        }
        if self.command.val().operation == self.codes.register_queue.val() {
            self.kind.next = CommandKind::Register;
            self.status.next = self.codes.ok.val();
            self.which_table.next = 2.into();
        }
        // Lists and portal entries.
        self.list.next = self.command.val().list;
        self.lists.next = self.appends.val() | self.searches.val();
        self.list_op.next = self.ops.me_append.val();
        if self.searches.val() {
            self.list_op.next = self.ops.me_search_only.val();
            if self.list.val().get_bit(0) {
                self.list_op.next = self.ops.me_search_delete.val();
            }
        }
        if self.command.val().operation == self.codes.me_unlink.val() {
            self.lists.next = true;
            self.list_op.next = self.ops.me_unlink.val();
        }
        if self.command.val().operation == self.codes.pt_alloc.val() {
            self.lists.next = true;
            self.list_op.next = self.ops.pt_alloc.val();
        }
        if self.command.val().operation == self.codes.pt_free.val() {
            self.lists.next = true;
            self.list_op.next = self.ops.pt_free.val();
        }
        if self.command.val().operation == self.codes.pt_enable.val() {
            self.lists.next = true;
            self.list_op.next = self.ops.pt_enable.val();
        }
        if self.command.val().operation == self.codes.pt_disable.val() {
            self.lists.next = true;
            self.list_op.next = self.ops.pt_disable.val();
        }
        if self.lists.val() {
            self.kind.next = CommandKind::List;
            self.status.next = self.codes.ok.val();
        }
        if self.appends.val() | self.searches.val() {
            if self.iovec.val() {
                self.status.next = self.list_status.val();
            }
            if self.bad_counter.val() {
                self.status.next = self.codes.bad_counter.val();
            }
            if self.list.val() > 1 {
                self.status.next = self.codes.bad_argument.val();
            }
        }
        // How it waits.
        self.threshold.next = self.command.val().threshold;
        self.rearms.next = self.flags.val().get_bit(2);
        if self.flags.val().get_bit(2)
            & (!self.flags.val().get_bit(0) | !self.threshold.val().get_bits::<16>(48).any())
            & (self.status.val() != self.codes.bad_operation.val())
        {
            self.status.next = self.codes.bad_argument.val();
        }
        self.trigger.next = self.command.val().trigger_counter;
        if self.flags.val().get_bit(0) {
            if (self.trigger.val() & self.too_high.val()).any()
                & (self.status.val() == self.codes.ok.val())
            {
                self.status.next = self.codes.bad_counter.val();
            }
            self.kind.next = CommandKind::Wait;
        }
        if self.unread.val() {
            self.status.next = self.codes.memory_error.val();
        }
    }
}
