//! `RegisterDecoder`: which register an address names.
//!
//! **Purpose.** The only block that knows addresses; it takes them from [`register_map`](xtq_types::register_map).
//!
//! ```text
//!              +-----------------+--> kind, owner
//!   address -->| RegisterDecoder |--> ring_word
//! initiator -->|                 |
//!  contexts -->|                 |
//!              +-----------------+--> readable, writable
//! ```
//!
//! **Contract.** Combinational. An address that no register has is `Undefined`. One that is not a multiple of 4 names
//! the register it lies in, but neither `readable` nor `writable`. `owner` is the context; it counts for registers of a
//! context's page and for user ids. A context that is not there has no registers.
//!
//! **Internals.** Single registers are compared whole, groups by the upper bits of their offset.

use crate::host::register_addresses::RegisterAddresses;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// A register or a group of registers.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RegisterKind {
    /// No register.
    Undefined,
    /// VERSION.
    Version,
    /// BUILD.
    Build,
    /// NODE.
    Node,
    /// MESSAGE_TIMEOUT.
    MessageTimeout,
    /// LINK_CHECKED.
    LinkChecked,
    /// COUNTERS_CLEAR.
    CountersClear,
    /// A counter.
    Counter,
    /// ENABLE, ERROR_CAUSE, IRQ_MASK or IRQ_STATUS.
    Flag,
    /// A word of the event ring.
    EventRing,
    /// A word of the command ring.
    CommandRing,
    /// MESSAGE_LIMIT.
    MessageLimit,
    /// A USER_ID.
    UserId,
    /// MAX_MESSAGE_SIZE or MAX_ATOMIC_SIZE.
    SizeLimit,
    /// DROP_COUNT, PERMISSION_VIOLATIONS or OPERATION_VIOLATIONS.
    StatusCount,
    /// A word of a lookup table's window.
    LookupTable,
    /// TABLE_INVALIDATE.
    TableInvalidate,
    /// CT_INC.
    Increment,
    /// A word of a portal entry.
    Portal,
}

/// Decodes addresses of registers.
#[block]
pub struct RegisterDecoder {
    /// Address in bytes.
    pub address: Signal<In, Bits<16>>,
    /// The NIC has an initiator.
    pub initiator: Signal<In, Bit>,
    /// Contexts that there are, 2 or 4.
    pub contexts: Signal<In, Bits<3>>,
    /// What it names.
    pub kind: Signal<Out, RegisterKind>,
    /// Context of the page, or of the user id.
    pub owner: Signal<Out, Bits<2>>,
    /// With `EventRing`: see [`event_word`](xtq_types::register_map::event_word); with `CommandRing`: see
    /// [`command_word`](xtq_types::register_map::command_word).
    pub ring_word: Signal<Out, Bits<3>>,
    /// A read is allowed.
    pub readable: Signal<Out, Bit>,
    /// A write is allowed.
    pub writable: Signal<Out, Bit>,
    at: RegisterAddresses,
    page: Signal<Local, Bits<4>>,
    context_page: Signal<Local, Bits<4>>,
    word: Signal<Local, Bits<12>>,
    group512: Signal<Local, Bits<3>>,
    group64: Signal<Local, Bits<6>>,
    group16: Signal<Local, Bits<8>>,
    portal_group: Signal<Local, Bits<3>>,
    counters_group: Signal<Local, Bits<6>>,
    tables_group: Signal<Local, Bits<6>>,
    flags_group: Signal<Local, Bits<8>>,
    ring_group: Signal<Local, Bits<8>>,
    command_group: Signal<Local, Bits<8>>,
    limits_group: Signal<Local, Bits<8>>,
    status_group: Signal<Local, Bits<8>>,
    user_ids_group: Signal<Local, Bits<8>>,
    counter: Signal<Local, Bits<4>>,
    which_table: Signal<Local, Bits<2>>,
    table_word: Signal<Local, Bits<2>>,
    aligned: Signal<Local, Bit>,
    below: Signal<Local, Bits<3>>,
    there: Signal<Local, Bits<2>>,
    user: Signal<Local, Bits<3>>,
}

#[kernel]
impl Logic for RegisterDecoder {
    fn update(&mut self) {
        self.page.next = self.address.val().get_bits::<4>(12);
        self.context_page.next = self.page.val() - 1;
        self.below.next = self.contexts.val() - 1;
        self.there.next = self.below.val().get_bits::<2>(0);
        self.owner.next = self.context_page.val().get_bits::<2>(0) & self.there.val();
        self.word.next = bit_cast::<12, 10>(self.address.val().get_bits::<10>(2)) << 2;
        self.group512.next = self.word.val().get_bits::<3>(9);
        self.group64.next = self.word.val().get_bits::<6>(6);
        self.group16.next = self.word.val().get_bits::<8>(4);
        self.portal_group.next = self.at.portal.val().get_bits::<3>(9);
        self.counters_group.next = self.at.counters.val().get_bits::<6>(6);
        self.tables_group.next = self.at.tables.val().get_bits::<6>(6);
        self.flags_group.next = self.at.flags.val().get_bits::<8>(4);
        self.ring_group.next = self.at.ring.val().get_bits::<8>(4);
        self.command_group.next = self.at.command_ring.val().get_bits::<8>(4);
        self.limits_group.next = self.at.size_limits.val().get_bits::<8>(4);
        self.status_group.next = self.at.status_counts.val().get_bits::<8>(4);
        self.user_ids_group.next = self.at.user_ids.val().get_bits::<8>(4);
        self.counter.next = self.word.val().get_bits::<4>(2);
        self.which_table.next = self.word.val().get_bits::<2>(4);
        self.table_word.next = self.word.val().get_bits::<2>(2);
        self.user.next = bit_cast::<3, 2>(self.table_word.val());
        self.ring_word.next = bit_cast::<3, 2>(self.table_word.val());
        self.aligned.next = !self.address.val().get_bits::<2>(0).any();
        self.readable.next = self.aligned.val();
        self.writable.next = self.aligned.val();

        self.kind.next = RegisterKind::Undefined;
        if self.page.val() == 0 {
            if self.word.val() == self.at.version.val() {
                self.kind.next = RegisterKind::Version;
                self.writable.next = false;
            }
            if self.word.val() == self.at.build.val() {
                self.kind.next = RegisterKind::Build;
                self.writable.next = false;
            }
            if self.word.val() == self.at.node.val() {
                self.kind.next = RegisterKind::Node;
            }
            if self.word.val() == self.at.message_timeout.val() {
                self.kind.next = RegisterKind::MessageTimeout;
            }
            if self.word.val() == self.at.link_checked.val() {
                self.kind.next = RegisterKind::LinkChecked;
                self.writable.next = false;
            }
            if self.word.val() == self.at.counters_clear.val() {
                self.kind.next = RegisterKind::CountersClear;
                self.readable.next = false;
            }
            if self.initiator.val() {
                if self.word.val() == self.at.message_limit.val() {
                    self.kind.next = RegisterKind::MessageLimit;
                }
                if (self.group16.val() == self.user_ids_group.val())
                    & (self.user.val() < self.contexts.val())
                {
                    self.kind.next = RegisterKind::UserId;
                    self.owner.next = self.table_word.val() & self.there.val();
                }
            }
            if (self.group64.val() == self.counters_group.val()) & (self.counter.val() < 15) {
                self.kind.next = RegisterKind::Counter;
                self.writable.next = false;
            }
        } else if self.context_page.val() < bit_cast::<4, 3>(self.contexts.val()) {
            if self.group16.val() == self.flags_group.val() {
                self.kind.next = RegisterKind::Flag;
            }
            if self.group16.val() == self.ring_group.val() {
                self.kind.next = RegisterKind::EventRing;
            }
            if self.word.val() == self.at.producer.val() {
                self.kind.next = RegisterKind::EventRing;
                self.ring_word.next = 4.into();
                self.writable.next = false;
            }
            if self.word.val() == self.at.dropped.val() {
                self.kind.next = RegisterKind::EventRing;
                self.ring_word.next = 5.into();
                self.writable.next = false;
            }
            if self.initiator.val() {
                if self.group16.val() == self.command_group.val() {
                    self.kind.next = RegisterKind::CommandRing;
                }
                if self.word.val() == self.at.command_head.val() {
                    self.kind.next = RegisterKind::CommandRing;
                    self.ring_word.next = 4.into();
                    self.writable.next = false;
                }
                if (self.group16.val() == self.limits_group.val()) & (self.table_word.val() < 2) {
                    self.kind.next = RegisterKind::SizeLimit;
                }
                if (self.group16.val() == self.status_group.val()) & (self.table_word.val() != 3) {
                    self.kind.next = RegisterKind::StatusCount;
                    self.writable.next = false;
                }
                if self.word.val() == self.at.increment.val() {
                    self.kind.next = RegisterKind::Increment;
                    self.readable.next = false;
                }
            }
            if (self.group64.val() == self.tables_group.val())
                & (self.which_table.val() != 3)
                & (self.table_word.val() != 3)
            {
                self.kind.next = RegisterKind::LookupTable;
            }
            if self.word.val() == self.at.table_invalidate.val() {
                self.kind.next = RegisterKind::TableInvalidate;
                self.readable.next = false;
            }
            if self.group512.val() == self.portal_group.val() {
                self.kind.next = RegisterKind::Portal;
            }
        }
    }
}
