//! `Registers`: the AXI4-Lite slave through which hosts set up the NIC.
//!
//! **Purpose.** Hands accesses to their owners: windows of the pipeline, flags of a context, counters. The map is
//! [`register_map`](xtq_types::register_map); a context's page is all that its process needs to see.
//!
//! ```text
//!                 +-----------+--> node, context_enabled, user_ids, message_limit, message_timeout, max_*_sizes, irq
//!   s_axil_* <--->| Registers |--> *_cfg_*, *_status_addr, invalidate, increment
//!                 |           |<-- *_status_data, count_*, drop_*, event_*
//!                 +-----------+
//! ```
//!
//! **Contract.** One access at a time, reads and writes in turn when both wait. Words only: an address that is not a
//! multiple of 4 or a write with missing strobes is answered with SLVERR. So is a write to a read-only and a read of a
//! write-only register, a change of a portal entry that is enabled, and TABLE_INVALIDATE of table 3. An address without
//! register with DECERR. What is refused changes nothing. A write to a portal entry is answered when the table has done
//! it and would take the next one. For CONTROL = 2 that is when no message that has read the entry as enabled is being
//! decided about any more. TABLE_INVALIDATE when the [`Invalidator`](crate::lookup::invalidator::Invalidator) has done
//! it: every message is decided about before it, or looks its entries up after it. CT_INC when the
//! [`CounterUnit`](crate::triggers::counter_unit::CounterUnit) has taken it. Writes of a window are at least
//! three cycles apart. Reads give what is in force.
//!
//! **Internals.** [`AxiLiteSlave`] holds the access, [`RegisterDecoder`] says what it is for. `Act` performs it
//! (`access`); the other states wait for an owner. Only the words of the lookup tables' windows are kept here
//! (`shadow`); SIZE reads 0 until it is written after reset.

mod access;

use crate::bundle::{AxiLiteIn, DropsIn, PulseIn, ReadBackOut, RefusalsIn, StreamOut, WindowOut};
use crate::host::axi_lite_slave::AxiLiteSlave;
use crate::host::context_bank::ContextBank;
use crate::host::register_decoder::{RegisterDecoder, RegisterKind};
use crate::host::size_limits::SizeLimits;
use crate::host::status_counts::StatusCounts;
use crate::leaf::pulse_counter::PulseCounter;
use crate::leaf::{Delay, Ram, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::counter::CounterCount;
use xtq_types::register_map::{self, response};

/// States of [`Registers`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RegistersState {
    /// Perform an access.
    Act,
    /// The portal table takes the word.
    Portal,
    /// It has done what was written.
    PortalWait,
    /// The invalidator takes an entry.
    Invalidate,
    /// It makes the NIC forget it.
    Forgetting,
    /// The counter unit takes an increment.
    Increment,
    /// The word that is read is here.
    Fetch,
}

constants! {
    /// Responses.
    pub struct RegisterCodes : 2 {
        /// [`response::OKAY`].
        okay / okay_code = response::OKAY;
        /// [`response::SLVERR`].
        refused / refused_code = response::SLVERR;
        /// [`response::DECERR`].
        unknown / unknown_code = response::DECERR;
    }
}

/// What this hardware with `C` contexts is: VERSION, BUILD, and whether it has an initiator.
#[block]
pub struct Identity<const C: usize = 4> {
    /// VERSION.
    pub version: Signal<Out, Bits<32>>,
    /// BUILD.
    pub build: Signal<Out, Bits<32>>,
    /// It has an initiator.
    pub initiator: Signal<Out, Bit>,
    /// Contexts that there are.
    pub contexts: Signal<Out, Bits<3>>,
    #[value(register_map::VERSION.to_bits())]
    version_word: Constant<Bits<32>>,
    #[value(register_map::build(C as u32, false).to_bits())]
    build_word: Constant<Bits<32>>,
    #[value(false)]
    has_initiator: Constant<Bit>,
    #[value((C as u64).to_bits())]
    contexts_word: Constant<Bits<3>>,
}

impl<const C: usize> Identity<C> {
    fn new(atomics: bool, initiator: bool) -> Self {
        Self {
            build_word: Constant::new(register_map::build(C as u32, atomics).to_bits()),
            has_initiator: Constant::new(initiator),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for Identity<C> {
    fn update(&mut self) {
        self.version.next = self.version_word.val();
        self.build.next = self.build_word.val();
        self.initiator.next = self.has_initiator.val();
        self.contexts.next = self.contexts_word.val();
    }
}

/// The register interface.
#[block]
pub struct Registers<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// AXI4-Lite, registers of the host.
    pub s_axil: AxiLiteIn,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
    /// This node.
    pub node: Signal<Out, Bits<16>>,
    /// One bit per context: takes messages.
    pub context_enabled: Signal<Out, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub message_timeout: Signal<Out, Bits<5>>,
    /// Window of the lookup stage.
    pub table_cfg: WindowOut<6>,
    /// Window of the portal table.
    pub portal_cfg: WindowOut<9>,
    /// Window of the event rings.
    pub ring_cfg: WindowOut<4>,
    /// The portal table takes the write.
    pub portal_cfg_ready: Signal<In, Bit>,
    /// With it: refuses it.
    pub portal_cfg_refused: Signal<In, Bit>,
    /// Portal table word to read.
    pub portal_status: ReadBackOut<9>,
    /// Event ring word to read.
    pub ring_status: ReadBackOut<5>,
    /// Window of the command rings.
    pub command_cfg: WindowOut<4>,
    /// Command ring word to read.
    pub command_status: ReadBackOut<5>,
    /// User ids, context 0 lowest.
    pub user_ids: Signal<Out, Bits<128>>,
    /// Messages of a context that may be under way at once.
    pub message_limit: Signal<Out, Bits<7>>,
    /// The most bytes of a message, 32 bits a context, context 0 lowest.
    pub max_message_sizes: Signal<Out, Bits<128>>,
    /// The most bytes of an atomic, 10 bits a context.
    pub max_atomic_sizes: Signal<Out, Bits<40>>,
    /// To Invalidator: table entry that changed, {context, kind, index}.
    pub invalidate: StreamOut<Bits<20>>,
    /// It is forgotten (pulse).
    pub invalidated: Signal<In, Bit>,
    /// To CounterUnit: what CT_INC counts.
    pub increment: StreamOut<CounterCount>,
    /// Packet received (pulse, as all that follow).
    pub count_packet: Signal<In, Bit>,
    /// Packets dropped by the parser (pulses).
    pub drop: DropsIn,
    /// Packet dropped: its message is not open.
    pub drop_stray: Signal<In, Bit>,
    /// Lookup served from the cache.
    pub count_hit: Signal<In, Bit>,
    /// Lookup read memory.
    pub count_miss: Signal<In, Bit>,
    /// Message delivered.
    pub count_ok: Signal<In, Bit>,
    /// Message failed.
    pub count_failed: Signal<In, Bit>,
    /// Doorbell written.
    pub count_doorbell: Signal<In, Bit>,
    /// An event became visible: context.
    pub event_visible: PulseIn<Bits<2>>,
    /// An event could not be written: context.
    pub event_failed: PulseIn<Bits<2>>,
    /// An event was lost: context.
    pub event_lost: PulseIn<Bits<2>>,
    /// A message failed with a memory error: context.
    pub memory_failed: PulseIn<Bits<2>>,
    /// What a message of this node sends could not be read: context.
    pub gather_failed: PulseIn<Bits<2>>,
    /// An acknowledgement that nobody waits for.
    pub count_stray: Signal<In, Bit>,
    /// Requests that the lists refused (pulses).
    pub count: RefusalsIn,
    /// From TargetPipeline: a request that a match entry took was dropped, or met a disabled portal entry (pulse).
    pub count_late_drop: Signal<In, Bit>,
    /// Its context.
    pub late_context: Signal<In, Bits<2>>,
    /// An impossible doorbell of a command ring: context.
    pub bad_tail: PulseIn<Bits<2>>,

    slave: AxiLiteSlave,
    decoder: RegisterDecoder,
    codes: RegisterCodes,
    identity: Identity<C>,
    contexts: ContextBank<C>,
    counters: [PulseCounter; 15],
    limits: SizeLimits,
    statuses: StatusCounts<C>,
    shadow: Ram<Bits<32>, 6>,
    /// SIZE was written since reset, a bit for each {context 2, table 2}.
    sized_q: Reg<Bits<16>>,
    node_q: Reg<Bits<16>>,
    timeout_q: Reg<Bits<5>>,
    users_q: [Reg<Bits<32>>; 4],
    /// 64 - MESSAGE_LIMIT, modulo 128: so it is 64 after reset.
    limit_q: Reg<Bits<7>>,
    state_q: Delay<RegistersState>,
    act: Signal<Local, Bit>,
    act_write: Signal<Local, Bit>,
    address: Signal<Local, Bits<16>>,
    data: Signal<Local, Bits<32>>,
    owner: Signal<Local, Bits<2>>,
    column: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<4>>,
    row: Signal<Local, Bits<2>>,
    place_one: Signal<Local, Bits<16>>,
    portal_word: Signal<Local, Bits<7>>,
    ring_column: Signal<Local, Bits<2>>,
    kind: Signal<Local, Bits<2>>,
    index: Signal<Local, Bits<16>>,
    user_write: Signal<Local, Bit>,
    user_word: Signal<Local, Bits<32>>,
    limit: Signal<Local, Bits<7>>,
    most: Signal<Local, Bits<7>>,
    owner_one: Signal<Local, Bits<4>>,
    owner_hot: Signal<Local, Bits<4>>,
    counter: Signal<Local, Bits<4>>,
    counter_one: Signal<Local, Bits<16>>,
    counter_hot: Signal<Local, Bits<16>>,
    counted: Signal<Local, Bits<32>>,
    clear: Signal<Local, Bit>,
    counts: Signal<Local, CounterCount>,
}

impl<const C: usize> Registers<C> {
    /// Registers of hardware with or without AXI5 atomics, with or without an initiator.
    pub fn new(atomics: bool, initiator: bool) -> Self {
        Self {
            identity: Identity::new(atomics, initiator),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for Registers<C> {
    fn update(&mut self) {
        // The bus.
        connect!(self.s_axil => self.slave.s_axil);

        // What the access is for.
        self.address.next = self.slave.address.val();
        self.data.next = self.slave.data.val();
        self.decoder.address.next = self.slave.address.val();
        self.decoder.initiator.next = self.identity.initiator.val();
        self.decoder.contexts.next = self.identity.contexts.val();
        self.owner.next = self.decoder.owner.val();
        self.column.next = self.address.val().get_bits::<2>(2);
        self.row.next = self.address.val().get_bits::<2>(4);
        self.act.next = self.slave.active.val() & (self.state_q.q.val() == RegistersState::Act);
        self.act_write.next = self.act.val()
            & self.slave.write.val()
            & self.slave.whole.val()
            & self.decoder.writable.val();

        // Windows.
        self.place.next =
            (bit_cast::<4, 2>(self.owner.val()) << 2) | bit_cast::<4, 2>(self.row.val());
        self.table_cfg.write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::LookupTable);
        self.table_cfg.addr.next =
            (bit_cast::<6, 4>(self.place.val()) << 2) | bit_cast::<6, 2>(self.column.val());
        self.table_cfg.data.next = self.data.val();
        self.shadow.write_en.next = self.table_cfg.write.val();
        self.shadow.write_addr.next = self.table_cfg.addr.val();
        self.shadow.write_data.next = self.data.val();
        self.shadow.read_addr.next = self.table_cfg.addr.val();
        self.place_one.next = 1.into();
        self.sized_q.d.next = self.sized_q.q.val() | (self.place_one.val() << self.place.val());
        self.sized_q.en.next = self.table_cfg.write.val() & (self.column.val() == 2);
        self.ring_cfg.write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::EventRing);
        self.ring_column.next = self.decoder.ring_word.val().get_bits::<2>(0);
        self.ring_cfg.addr.next =
            (bit_cast::<4, 2>(self.owner.val()) << 2) | bit_cast::<4, 2>(self.ring_column.val());
        self.ring_cfg.data.next = self.data.val();
        self.ring_status.addr.next = (bit_cast::<5, 2>(self.owner.val()) << 3)
            | bit_cast::<5, 3>(self.decoder.ring_word.val());
        self.portal_word.next = self.address.val().get_bits::<7>(2);
        self.portal_cfg.write.next = self.state_q.q.val() == RegistersState::Portal;
        self.portal_cfg.addr.next =
            (bit_cast::<9, 2>(self.owner.val()) << 7) | bit_cast::<9, 7>(self.portal_word.val());
        self.portal_cfg.data.next = self.data.val();
        self.portal_status.addr.next = self.portal_cfg.addr.val();
        self.kind.next = self.data.val().get_bits::<2>(16);
        self.index.next = self.data.val().get_bits::<16>(0);
        self.invalidate.valid.next = self.state_q.q.val() == RegistersState::Invalidate;
        self.invalidate.data.next = (bit_cast::<20, 2>(self.owner.val()) << 18)
            | (bit_cast::<20, 2>(self.kind.val()) << 16)
            | bit_cast::<20, 16>(self.index.val());

        // Counters of the initiator.
        self.counts.next.context = self.owner.val();
        self.counts.next.counter = self.data.val().get_bits::<8>(24);
        self.counts.next.success = bit_cast::<64, 24>(self.data.val().get_bits::<24>(0));
        self.counts.next.failure = 0.into();
        self.increment.data.next = self.counts.val();
        self.increment.valid.next = self.state_q.q.val() == RegistersState::Increment;

        // Command rings and user ids.
        self.command_cfg.write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::CommandRing);
        self.command_cfg.addr.next = self.ring_cfg.addr.val();
        self.command_cfg.data.next = self.data.val();
        self.command_status.addr.next = self.ring_status.addr.val();
        self.user_write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::UserId);
        self.owner_one.next = 1.into();
        self.owner_hot.next = self.owner_one.val() << self.owner.val();
        self.user_word.next = self.users_q[0].q.val();
        for i in 0..4 {
            self.users_q[i].d.next = self.data.val();
            self.users_q[i].en.next = self.user_write.val() & self.owner_hot.val().get_bit(i);
            if self.owner_hot.val().get_bit(i) {
                self.user_word.next = self.users_q[i].q.val();
            }
        }
        self.user_ids.next = bit_cast::<128, 32>(self.users_q[0].q.val())
            | (bit_cast::<128, 32>(self.users_q[1].q.val()) << 32)
            | (bit_cast::<128, 32>(self.users_q[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.users_q[3].q.val()) << 96);

        // How much of the initiator each may use.
        self.most.next = 64.into();
        self.limit.next = self.data.val().get_bits::<7>(0);
        self.limit_q.d.next = self.most.val() - self.limit.val();
        self.limit_q.en.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::MessageLimit);
        self.message_limit.next = self.most.val() - self.limit_q.q.val();

        // Node and contexts.
        self.node_q.d.next = self.data.val().get_bits::<16>(0);
        self.node_q.en.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::Node);
        self.node.next = self.node_q.q.val();
        self.timeout_q.d.next = self.data.val().get_bits::<5>(0);
        self.timeout_q.en.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::MessageTimeout);
        self.message_timeout.next = self.timeout_q.q.val();
        self.contexts.owner.next = self.owner.val();
        self.contexts.column.next = self.column.val();
        self.contexts.data.next = self.data.val();
        self.contexts.write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::Flag);
        connect!(self.event_visible => self.contexts.event_visible);
        connect!(self.event_failed => self.contexts.event_failed);
        connect!(self.event_lost => self.contexts.event_lost);
        connect!(self.memory_failed => self.contexts.memory_failed);
        connect!(self.gather_failed => self.contexts.gather_failed);
        connect!(self.bad_tail => self.contexts.bad_tail);
        self.context_enabled.next = self.contexts.context_enabled.val();
        self.irq.next = self.contexts.irq.val();

        // Counters, in the order of their addresses.
        self.clear.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::CountersClear);
        self.counters[0].pulse.next = self.count_packet.val();
        self.counters[1].pulse.next = self.drop.version.val();
        self.counters[2].pulse.next = self.drop.opcode.val();
        self.counters[3].pulse.next = self.drop.target.val();
        self.counters[4].pulse.next = self.drop.context.val();
        self.counters[5].pulse.next = self.drop.length.val();
        self.counters[6].pulse.next = self.count_hit.val();
        self.counters[7].pulse.next = self.count_miss.val();
        self.counters[8].pulse.next = self.count_ok.val();
        self.counters[9].pulse.next = self.count_failed.val();
        self.counters[10].pulse.next = self.count_doorbell.val();
        self.counters[11].pulse.next = self.event_lost.valid.val();
        self.counters[12].pulse.next = self.memory_failed.valid.val();
        self.counters[13].pulse.next = self.drop_stray.val();
        self.counters[14].pulse.next = self.count_stray.val();
        self.counter.next = self.address.val().get_bits::<4>(2);
        self.counter_one.next = 1.into();
        self.counter_hot.next = self.counter_one.val() << self.counter.val();
        self.counted.next = 0.into();
        for i in 0..15 {
            self.counters[i].clear.next = self.clear.val();
            if self.counter_hot.val().get_bit(i) {
                self.counted.next = self.counters[i].count.val();
            }
        }

        // How long the messages of each may be.
        self.limits.owner.next = self.owner.val();
        self.limits.atomic.next = self.column.val() == 1;
        self.limits.data.next = self.data.val();
        self.limits.write.next =
            self.act_write.val() & (self.decoder.kind.val() == RegisterKind::SizeLimit);
        self.max_message_sizes.next = self.limits.max_message_sizes.val();
        self.max_atomic_sizes.next = self.limits.max_atomic_sizes.val();

        connect!(self.count => self.statuses.count);
        self.statuses.count_late_drop.next = self.count_late_drop.val();
        self.statuses.late_context.next = self.late_context.val();
        self.statuses.owner.next = self.owner.val();
        self.statuses.which.next = self.column.val();

        self.read();
        self.perform();
    }
}
