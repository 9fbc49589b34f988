//! `Registers`: the AXI4-Lite slave through which hosts set up the NIC.
//!
//! **Purpose.** Decodes addresses and hands accesses to their owners: windows of the pipeline, flags of a context, counters. The map is
//! [`register_map`](crate::types::register_map); a context's page is all that its process needs to see.
//!
//! ```text
//!                 +-----------+--> node, context_enabled, irq
//!   s_axil_* <--->| Registers |--> *_cfg_*, *_status_addr, *_invalidate
//!                 |           |<-- *_status_data, count_*, drop_*, event_*
//!                 +-----------+
//! ```
//!
//! **Contract.** One access at a time, reads and writes in turn when both wait. Words only: an address that is not a multiple of 4 or a write with missing strobes is
//! answered with SLVERR, as is a write to a read-only and a read of a write-only register, and a change of a portal entry that is enabled; an address without
//! register with DECERR. A refused write changes nothing. A write of TABLE_INVALIDATE is answered when the lookup cache, and for a queue the queue admission, has taken it.
//!
//! **Internals.** `Idle` takes an access, `Act` performs it, `Portal`, `Cache` and `Queue` wait for the owner, `Fetch` waits one cycle for what is read from memories, `Answer` waits for the
//! host. What was written to windows is kept in a shadow memory for reading back.

use crate::context_flags::ContextFlags;
use crate::leaf::{Ram, Reg};
use crate::pulse_counter::PulseCounter;
use crate::register_addresses::RegisterAddresses;
use rust_hdl::prelude::*;

/// States of [`Registers`].
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RegistersState {
    /// Take an access.
    Idle,
    /// Perform it.
    Act,
    /// Wait for the portal table.
    Portal,
    /// Wait for the lookup cache.
    Cache,
    /// Wait for the queue admission.
    Queue,
    /// Wait for the word that is read.
    Fetch,
    /// Wait for the host.
    Answer,
}

/// The register interface.
#[derive(Clone, Debug, LogicBlock)]
pub struct Registers {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Write address.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address taken.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Bytes to write; all or the write is refused.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data taken.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Write response taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address taken.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data taken.
    pub s_axil_rready: Signal<In, Bit>,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
    /// This node.
    pub node: Signal<Out, Bits<16>>,
    /// A bit a context: takes messages.
    pub context_enabled: Signal<Out, Bits<4>>,
    /// Window of the lookup stage: write.
    pub table_cfg_write: Signal<Out, Bit>,
    /// Window of the lookup stage: word.
    pub table_cfg_addr: Signal<Out, Bits<6>>,
    /// Window of the lookup stage: data.
    pub table_cfg_data: Signal<Out, Bits<32>>,
    /// Window of the portal table: write.
    pub portal_cfg_write: Signal<Out, Bit>,
    /// Window of the portal table: word.
    pub portal_cfg_addr: Signal<Out, Bits<9>>,
    /// Window of the portal table: data.
    pub portal_cfg_data: Signal<Out, Bits<32>>,
    /// Window of the event rings: write.
    pub ring_cfg_write: Signal<Out, Bit>,
    /// Window of the event rings: word.
    pub ring_cfg_addr: Signal<Out, Bits<4>>,
    /// Window of the event rings: data.
    pub ring_cfg_data: Signal<Out, Bits<32>>,
    /// The portal table takes the write.
    pub portal_cfg_ready: Signal<In, Bit>,
    /// With it: refuses it.
    pub portal_cfg_refused: Signal<In, Bit>,
    /// Portal table word to read.
    pub portal_status_addr: Signal<Out, Bits<9>>,
    /// The word, one cycle later.
    pub portal_status_data: Signal<In, Bits<32>>,
    /// Event ring word to read.
    pub ring_status_addr: Signal<Out, Bits<5>>,
    /// The word, one cycle later.
    pub ring_status_data: Signal<In, Bits<32>>,
    /// Table entry that changed: {context, kind, index}.
    pub cache_invalidate: Signal<Out, Bits<20>>,
    /// `cache_invalidate` is valid.
    pub cache_invalidate_valid: Signal<Out, Bit>,
    /// It was taken.
    pub cache_invalidate_ready: Signal<In, Bit>,
    /// Queue that changed: {context, index}.
    pub queue_invalidate: Signal<Out, Bits<8>>,
    /// `queue_invalidate` is valid.
    pub queue_invalidate_valid: Signal<Out, Bit>,
    /// It was taken.
    pub queue_invalidate_ready: Signal<In, Bit>,
    /// Count (pulse).
    pub count_packet: Signal<In, Bit>,
    /// Count (pulse).
    pub drop_version: Signal<In, Bit>,
    /// Count (pulse).
    pub drop_opcode: Signal<In, Bit>,
    /// Count (pulse).
    pub drop_target: Signal<In, Bit>,
    /// Count (pulse).
    pub drop_context: Signal<In, Bit>,
    /// Count (pulse).
    pub drop_length: Signal<In, Bit>,
    /// Count (pulse).
    pub count_hit: Signal<In, Bit>,
    /// Count (pulse).
    pub count_miss: Signal<In, Bit>,
    /// Count (pulse).
    pub count_ok: Signal<In, Bit>,
    /// Count (pulse).
    pub count_failed: Signal<In, Bit>,
    /// Count (pulse).
    pub count_doorbell: Signal<In, Bit>,
    /// An event became visible: context.
    pub event_visible: Signal<In, Bits<2>>,
    /// `event_visible` is valid (pulse).
    pub event_visible_valid: Signal<In, Bit>,
    /// An event could not be written: context.
    pub event_failed: Signal<In, Bits<2>>,
    /// `event_failed` is valid (pulse).
    pub event_failed_valid: Signal<In, Bit>,
    /// An event was lost: context.
    pub event_lost: Signal<In, Bits<2>>,
    /// `event_lost` is valid (pulse).
    pub event_lost_valid: Signal<In, Bit>,
    /// A message failed with a memory error: context.
    pub memory_failed: Signal<In, Bits<2>>,
    /// `memory_failed` is valid (pulse).
    pub memory_failed_valid: Signal<In, Bit>,

    state_q: Reg<RegistersState>,
    write_q: Reg<Bit>,
    addr_q: Reg<Bits<16>>,
    data_q: Reg<Bits<32>>,
    whole_q: Reg<Bit>,
    resp_q: Reg<Bits<2>>,
    answer_q: Reg<Bits<32>>,
    read_last_q: Reg<Bit>,
    node_q: Reg<Bits<16>>,
    flags: Vec<ContextFlags>,
    counters: Vec<PulseCounter>,
    number: Vec<Constant<Bits<4>>>,
    shadow: Ram<Bits<32>, 10>,
    at: RegisterAddresses,
    page: Signal<Local, Bits<4>>,
    offset: Signal<Local, Bits<12>>,
    owner: Signal<Local, Bits<2>>,
    page_index: Signal<Local, Bits<4>>,
    high: Signal<Local, Bits<3>>,
    is_global: Signal<Local, Bit>,
    is_context: Signal<Local, Bit>,
    is_portal: Signal<Local, Bit>,
    is_ring: Signal<Local, Bit>,
    is_ring_status: Signal<Local, Bit>,
    is_table: Signal<Local, Bit>,
    is_counter: Signal<Local, Bit>,
    is_portal_status: Signal<Local, Bit>,
    is_flag: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    writable: Signal<Local, Bit>,
    readable: Signal<Local, Bit>,
    act_write: Signal<Local, Bit>,
    word4: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<2>>,
    counter: Signal<Local, Bits<4>>,
    row: Signal<Local, Bits<4>>,
    column: Signal<Local, Bits<2>>,
    portal_word: Signal<Local, Bits<3>>,
    ring_word: Signal<Local, Bits<3>>,
    kind: Signal<Local, Bits<2>>,
    index: Signal<Local, Bits<16>>,
    index_low: Signal<Local, Bits<6>>,
    both: Signal<Local, Bit>,
    take_write: Signal<Local, Bit>,
    take_read: Signal<Local, Bit>,
    simple: Signal<Local, Bits<32>>,
    enabled: Signal<Local, Bits<4>>,
    irqs: Signal<Local, Bits<4>>,
    mine: Signal<Local, Bit>,
    error: Signal<Local, Bits<3>>,
    build: Constant<Bits<32>>,
    invalidated: Signal<Local, Bits<2>>,
    owner4: Signal<Local, Bits<4>>,
    event_visible_in: Signal<Local, Bits<4>>,
    event_failed_in: Signal<Local, Bits<4>>,
    event_lost_in: Signal<Local, Bits<4>>,
    memory_failed_in: Signal<Local, Bits<4>>,
    portal_at: Signal<Local, Bits<7>>,
    shadow_at: Signal<Local, Bits<8>>,
}

impl Registers {
    /// Registers of hardware with (`atomics`) or without AXI5 atomics.
    pub fn new(atomics: bool) -> Self {
        Self {
            clk: Signal::default(),
            rst: Signal::default(),
            s_axil_awaddr: Signal::default(),
            s_axil_awvalid: Signal::default(),
            s_axil_awready: Signal::default(),
            s_axil_wdata: Signal::default(),
            s_axil_wstrb: Signal::default(),
            s_axil_wvalid: Signal::default(),
            s_axil_wready: Signal::default(),
            s_axil_bresp: Signal::default(),
            s_axil_bvalid: Signal::default(),
            s_axil_bready: Signal::default(),
            s_axil_araddr: Signal::default(),
            s_axil_arvalid: Signal::default(),
            s_axil_arready: Signal::default(),
            s_axil_rdata: Signal::default(),
            s_axil_rresp: Signal::default(),
            s_axil_rvalid: Signal::default(),
            s_axil_rready: Signal::default(),
            irq: Signal::default(),
            node: Signal::default(),
            context_enabled: Signal::default(),
            table_cfg_write: Signal::default(),
            table_cfg_addr: Signal::default(),
            table_cfg_data: Signal::default(),
            portal_cfg_write: Signal::default(),
            portal_cfg_addr: Signal::default(),
            portal_cfg_data: Signal::default(),
            ring_cfg_write: Signal::default(),
            ring_cfg_addr: Signal::default(),
            ring_cfg_data: Signal::default(),
            portal_cfg_ready: Signal::default(),
            portal_cfg_refused: Signal::default(),
            portal_status_addr: Signal::default(),
            portal_status_data: Signal::default(),
            ring_status_addr: Signal::default(),
            ring_status_data: Signal::default(),
            cache_invalidate: Signal::default(),
            cache_invalidate_valid: Signal::default(),
            cache_invalidate_ready: Signal::default(),
            queue_invalidate: Signal::default(),
            queue_invalidate_valid: Signal::default(),
            queue_invalidate_ready: Signal::default(),
            count_packet: Signal::default(),
            drop_version: Signal::default(),
            drop_opcode: Signal::default(),
            drop_target: Signal::default(),
            drop_context: Signal::default(),
            drop_length: Signal::default(),
            count_hit: Signal::default(),
            count_miss: Signal::default(),
            count_ok: Signal::default(),
            count_failed: Signal::default(),
            count_doorbell: Signal::default(),
            event_visible: Signal::default(),
            event_visible_valid: Signal::default(),
            event_failed: Signal::default(),
            event_failed_valid: Signal::default(),
            event_lost: Signal::default(),
            event_lost_valid: Signal::default(),
            memory_failed: Signal::default(),
            memory_failed_valid: Signal::default(),
            state_q: Reg::default(),
            write_q: Reg::default(),
            addr_q: Reg::default(),
            data_q: Reg::default(),
            whole_q: Reg::default(),
            resp_q: Reg::default(),
            answer_q: Reg::default(),
            read_last_q: Reg::default(),
            node_q: Reg::default(),
            flags: vec![ContextFlags::default(); 4],
            counters: vec![PulseCounter::default(); 13],
            number: (0..13u64).map(|i| Constant::new(i.to_bits())).collect(),
            shadow: Ram::default(),
            at: RegisterAddresses::default(),
            page: Signal::default(),
            offset: Signal::default(),
            owner: Signal::default(),
            page_index: Signal::default(),
            high: Signal::default(),
            is_global: Signal::default(),
            is_context: Signal::default(),
            is_portal: Signal::default(),
            is_ring: Signal::default(),
            is_ring_status: Signal::default(),
            is_table: Signal::default(),
            is_counter: Signal::default(),
            is_portal_status: Signal::default(),
            is_flag: Signal::default(),
            known: Signal::default(),
            writable: Signal::default(),
            readable: Signal::default(),
            act_write: Signal::default(),
            word4: Signal::default(),
            low: Signal::default(),
            counter: Signal::default(),
            row: Signal::default(),
            column: Signal::default(),
            portal_word: Signal::default(),
            ring_word: Signal::default(),
            kind: Signal::default(),
            index: Signal::default(),
            index_low: Signal::default(),
            both: Signal::default(),
            take_write: Signal::default(),
            take_read: Signal::default(),
            simple: Signal::default(),
            enabled: Signal::default(),
            irqs: Signal::default(),
            mine: Signal::default(),
            error: Signal::default(),
            invalidated: Signal::default(),
            owner4: Signal::default(),
            event_visible_in: Signal::default(),
            event_failed_in: Signal::default(),
            event_lost_in: Signal::default(),
            memory_failed_in: Signal::default(),
            portal_at: Signal::default(),
            shadow_at: Signal::default(),
            build: Constant::new((0x0040_1004 | u32::from(atomics) << 24).to_bits()),
        }
    }
}

impl Default for Registers {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        self.state_q.clk.next = self.clk.val();
        self.state_q.rst.next = self.rst.val();
        self.state_q.en.next = false;
        self.state_q.d.next = self.state_q.q.val();
        self.write_q.clk.next = self.clk.val();
        self.write_q.rst.next = self.rst.val();
        self.write_q.en.next = false;
        self.write_q.d.next = self.write_q.q.val();
        self.addr_q.clk.next = self.clk.val();
        self.addr_q.rst.next = self.rst.val();
        self.addr_q.en.next = false;
        self.addr_q.d.next = self.addr_q.q.val();
        self.data_q.clk.next = self.clk.val();
        self.data_q.rst.next = self.rst.val();
        self.data_q.en.next = false;
        self.data_q.d.next = self.data_q.q.val();
        self.whole_q.clk.next = self.clk.val();
        self.whole_q.rst.next = self.rst.val();
        self.whole_q.en.next = false;
        self.whole_q.d.next = self.whole_q.q.val();
        self.resp_q.clk.next = self.clk.val();
        self.resp_q.rst.next = self.rst.val();
        self.resp_q.en.next = false;
        self.resp_q.d.next = self.resp_q.q.val();
        self.answer_q.clk.next = self.clk.val();
        self.answer_q.rst.next = self.rst.val();
        self.answer_q.en.next = false;
        self.answer_q.d.next = self.answer_q.q.val();
        self.read_last_q.clk.next = self.clk.val();
        self.read_last_q.rst.next = self.rst.val();
        self.read_last_q.en.next = false;
        self.read_last_q.d.next = self.read_last_q.q.val();
        self.node_q.clk.next = self.clk.val();
        self.node_q.rst.next = self.rst.val();
        self.node_q.en.next = false;
        self.node_q.d.next = self.node_q.q.val();
        self.shadow.clk.next = self.clk.val();

        // What the address names.
        self.page.next = self.addr_q.q.val().get_bits::<4>(12);
        self.offset.next = self.addr_q.q.val().get_bits::<12>(0);
        self.low.next = self.offset.val().get_bits::<2>(0);
        self.high.next = self.offset.val().get_bits::<3>(9);
        self.row.next = self.offset.val().get_bits::<4>(4);
        self.column.next = self.offset.val().get_bits::<2>(2);
        self.page_index.next = self.page.val() - 1;
        self.owner.next = self.page_index.val().get_bits::<2>(0);
        self.is_global.next = self.page.val() == 0;
        self.is_context.next = self.page_index.val() < 4;
        self.portal_word.next = self.offset.val().get_bits::<3>(2);
        self.is_portal.next = self.is_context.val() & (self.high.val() == 1);
        self.is_portal_status.next = self.is_portal.val() & (self.portal_word.val() >= 5);
        self.is_flag.next = false;
        self.is_ring.next = false;
        self.is_ring_status.next = false;
        self.is_table.next = false;
        if self.is_context.val() & !self.offset.val().get_bits::<4>(8).any() {
            self.is_flag.next = self.row.val() == 0;
            self.is_ring.next = self.row.val() == 1;
            self.is_ring_status.next = (self.row.val() == 2) & (self.column.val() < 2);
            self.is_table.next =
                (self.row.val() >= 4) & (self.row.val() <= 6) & (self.column.val() < 3);
        }
        self.word4.next = (self.row.val() << 2) | bit_cast::<4, 2>(self.column.val());
        self.counter.next = self.word4.val();
        self.is_counter.next = self.is_global.val()
            & !self.offset.val().get_bits::<5>(7).any()
            & self.offset.val().get_bit(6)
            & (self.counter.val() < 13);
        self.known.next = self.is_portal.val()
            | self.is_flag.val()
            | self.is_ring.val()
            | self.is_ring_status.val()
            | self.is_table.val()
            | self.is_counter.val();
        self.writable.next =
            self.is_portal.val() | self.is_flag.val() | self.is_ring.val() | self.is_table.val();
        self.readable.next = self.known.val();
        if self.is_context.val() & (self.offset.val() == self.at.table_invalidate.val()) {
            self.known.next = true;
            self.writable.next = true;
            self.readable.next = false;
        }
        if self.is_global.val() {
            if (self.offset.val() == self.at.version.val())
                | (self.offset.val() == self.at.build.val())
                | (self.offset.val() == self.at.link_checked.val())
            {
                self.known.next = true;
                self.readable.next = true;
            }
            if self.offset.val() == self.at.node.val() {
                self.known.next = true;
                self.readable.next = true;
                self.writable.next = true;
            }
            if self.offset.val() == self.at.counters_clear.val() {
                self.known.next = true;
                self.writable.next = true;
            }
        }
        self.act_write.next = (self.state_q.q.val() == RegistersState::Act)
            & self.write_q.q.val()
            & self.known.val()
            & self.writable.val()
            & self.whole_q.q.val();

        // Windows.
        self.table_cfg_write.next = self.act_write.val() & self.is_table.val();
        self.kind.next = self.row.val().get_bits::<2>(0);
        self.table_cfg_addr.next = (bit_cast::<6, 2>(self.owner.val()) << 4)
            | (bit_cast::<6, 2>(self.kind.val()) << 2)
            | bit_cast::<6, 2>(self.column.val());
        self.table_cfg_data.next = self.data_q.q.val();
        self.ring_cfg_write.next = self.act_write.val() & self.is_ring.val();
        self.ring_cfg_addr.next =
            (bit_cast::<4, 2>(self.owner.val()) << 2) | bit_cast::<4, 2>(self.column.val());
        self.ring_cfg_data.next = self.data_q.q.val();
        self.portal_at.next = self.offset.val().get_bits::<7>(2);
        self.portal_cfg_write.next = self.state_q.q.val() == RegistersState::Portal;
        self.portal_cfg_addr.next =
            (bit_cast::<9, 2>(self.owner.val()) << 7) | bit_cast::<9, 7>(self.portal_at.val());
        self.portal_cfg_data.next = self.data_q.q.val();
        self.portal_status_addr.next = self.portal_cfg_addr.val();
        self.ring_word.next = bit_cast::<3, 2>(self.column.val());
        self.ring_word.next = self.ring_word.val() | 4;
        self.ring_status_addr.next =
            (bit_cast::<5, 2>(self.owner.val()) << 3) | bit_cast::<5, 3>(self.ring_word.val());
        self.index.next = self.data_q.q.val().get_bits::<16>(0);
        self.index_low.next = self.data_q.q.val().get_bits::<6>(0);
        self.invalidated.next = self.data_q.q.val().get_bits::<2>(16);
        self.cache_invalidate.next = (bit_cast::<20, 2>(self.owner.val()) << 18)
            | (bit_cast::<20, 2>(self.invalidated.val()) << 16)
            | bit_cast::<20, 16>(self.index.val());
        self.cache_invalidate_valid.next = self.state_q.q.val() == RegistersState::Cache;
        self.queue_invalidate.next =
            (bit_cast::<8, 2>(self.owner.val()) << 6) | bit_cast::<8, 6>(self.index_low.val());
        self.queue_invalidate_valid.next = self.state_q.q.val() == RegistersState::Queue;

        // What is read back.
        self.shadow_at.next = self.offset.val().get_bits::<8>(2);
        self.shadow.write_addr.next =
            (bit_cast::<10, 2>(self.owner.val()) << 8) | bit_cast::<10, 8>(self.shadow_at.val());
        self.shadow.write_data.next = self.data_q.q.val();
        self.shadow.write_en.next =
            self.act_write.val() & (self.is_table.val() | self.is_ring.val());
        if (self.state_q.q.val() == RegistersState::Portal)
            & self.portal_cfg_ready.val()
            & !self.portal_cfg_refused.val()
        {
            self.shadow.write_en.next = true;
        }
        self.shadow.read_addr.next = self.shadow.write_addr.val();

        // Flags of the contexts.
        self.owner4.next = bit_cast::<4, 2>(self.owner.val());
        self.event_visible_in.next = bit_cast::<4, 2>(self.event_visible.val());
        self.event_failed_in.next = bit_cast::<4, 2>(self.event_failed.val());
        self.event_lost_in.next = bit_cast::<4, 2>(self.event_lost.val());
        self.memory_failed_in.next = bit_cast::<4, 2>(self.memory_failed.val());
        self.enabled.next = 0.into();
        self.irqs.next = 0.into();
        self.simple.next = 0.into();
        for i in 0..4 {
            self.mine.next = self.owner4.val() == self.number[i].val();
            self.flags[i].clk.next = self.clk.val();
            self.flags[i].rst.next = self.rst.val();
            self.flags[i].data.next = self.data_q.q.val();
            self.flags[i].column.next = self.column.val();
            self.flags[i].write.next = self.act_write.val() & self.is_flag.val() & self.mine.val();
            self.flags[i].event_visible.next = self.event_visible_valid.val()
                & (self.event_visible_in.val() == self.number[i].val());
            self.error.next = 0.into();
            if self.event_failed_valid.val() & (self.event_failed_in.val() == self.number[i].val())
            {
                self.error.next = self.error.val() | 1;
            }
            if self.event_lost_valid.val() & (self.event_lost_in.val() == self.number[i].val()) {
                self.error.next = self.error.val() | 2;
            }
            if self.memory_failed_valid.val()
                & (self.memory_failed_in.val() == self.number[i].val())
            {
                self.error.next = self.error.val() | 4;
            }
            self.flags[i].error.next = self.error.val();
            if self.flags[i].enable.val() {
                self.enabled.next = self.enabled.val() | (bits::<4>(1) << self.number[i].val());
            }
            if self.flags[i].irq.val() {
                self.irqs.next = self.irqs.val() | (bits::<4>(1) << self.number[i].val());
            }
            if self.mine.val() {
                self.simple.next = self.flags[i].word.val();
            }
        }
        self.context_enabled.next = self.enabled.val();
        self.irq.next = self.irqs.val().any();

        // Counters.
        for i in 0..13 {
            self.counters[i].clk.next = self.clk.val();
            self.counters[i].rst.next = self.rst.val();
            self.counters[i].clear.next = self.act_write.val()
                & self.is_global.val()
                & (self.offset.val() == self.at.counters_clear.val());
        }
        self.counters[0].pulse.next = self.count_packet.val();
        self.counters[1].pulse.next = self.drop_version.val();
        self.counters[2].pulse.next = self.drop_opcode.val();
        self.counters[3].pulse.next = self.drop_target.val();
        self.counters[4].pulse.next = self.drop_context.val();
        self.counters[5].pulse.next = self.drop_length.val();
        self.counters[6].pulse.next = self.count_hit.val();
        self.counters[7].pulse.next = self.count_miss.val();
        self.counters[8].pulse.next = self.count_ok.val();
        self.counters[9].pulse.next = self.count_failed.val();
        self.counters[10].pulse.next = self.count_doorbell.val();
        self.counters[11].pulse.next = self.event_lost_valid.val();
        self.counters[12].pulse.next = self.memory_failed_valid.val();
        if self.is_global.val() {
            self.simple.next = 0.into();
            if self.offset.val() == self.at.version.val() {
                self.simple.next = 1.into();
            }
            if self.offset.val() == self.at.build.val() {
                self.simple.next = self.build.val();
            }
            if self.offset.val() == self.at.node.val() {
                self.simple.next = bit_cast::<32, 16>(self.node_q.q.val());
            }
            if self.offset.val() == self.at.link_checked.val() {
                self.simple.next = 1.into();
            }
        }
        for i in 0..13 {
            if self.is_counter.val() & (self.counter.val() == self.number[i].val()) {
                self.simple.next = self.counters[i].count.val();
            }
        }
        self.node.next = self.node_q.q.val();
        self.node_q.d.next = self.data_q.q.val().get_bits::<16>(0);
        self.node_q.en.next =
            self.act_write.val() & self.is_global.val() & (self.offset.val() == self.at.node.val());

        // The bus.
        self.both.next = self.s_axil_awvalid.val() & self.s_axil_wvalid.val();
        self.take_write.next =
            self.both.val() & (self.read_last_q.q.val() | !self.s_axil_arvalid.val());
        self.take_read.next = self.s_axil_arvalid.val() & !self.take_write.val();
        self.s_axil_awready.next = false;
        self.s_axil_wready.next = false;
        self.s_axil_arready.next = false;
        self.s_axil_bvalid.next = false;
        self.s_axil_rvalid.next = false;
        self.s_axil_bresp.next = self.resp_q.q.val();
        self.s_axil_rresp.next = self.resp_q.q.val();
        self.s_axil_rdata.next = self.answer_q.q.val();
        match self.state_q.q.val() {
            RegistersState::Idle => {
                self.s_axil_awready.next = self.take_write.val();
                self.s_axil_wready.next = self.take_write.val();
                self.s_axil_arready.next = self.take_read.val();
                self.state_q.en.next = self.take_write.val() | self.take_read.val();
                self.state_q.d.next = RegistersState::Act;
                self.write_q.en.next = true;
                self.write_q.d.next = self.take_write.val();
                self.addr_q.en.next = self.take_write.val() | self.take_read.val();
                self.addr_q.d.next = self.s_axil_araddr.val();
                if self.take_write.val() {
                    self.addr_q.d.next = self.s_axil_awaddr.val();
                }
                self.data_q.en.next = true;
                self.data_q.d.next = self.s_axil_wdata.val();
                self.whole_q.en.next = true;
                self.whole_q.d.next = self.s_axil_wstrb.val().all();
                self.read_last_q.en.next = self.take_write.val() | self.take_read.val();
                self.read_last_q.d.next = self.take_read.val();
            }
            RegistersState::Act => {
                self.resp_q.en.next = true;
                self.resp_q.d.next = 0.into();
                self.answer_q.en.next = true;
                self.answer_q.d.next = 0.into();
                self.state_q.en.next = true;
                self.state_q.d.next = RegistersState::Answer;
                if !self.known.val() {
                    self.resp_q.d.next = 3.into();
                } else if self.low.val().any() {
                    self.resp_q.d.next = 2.into();
                } else if self.write_q.q.val() {
                    if !self.writable.val() | !self.whole_q.q.val() {
                        self.resp_q.d.next = 2.into();
                    } else if self.is_portal.val() {
                        self.state_q.d.next = RegistersState::Portal;
                    } else if self.is_context.val()
                        & (self.offset.val() == self.at.table_invalidate.val())
                    {
                        self.state_q.d.next = RegistersState::Cache;
                    }
                } else if self.readable.val() {
                    self.answer_q.d.next = self.simple.val();
                    if self.is_portal.val()
                        | self.is_ring.val()
                        | self.is_ring_status.val()
                        | self.is_table.val()
                    {
                        self.state_q.d.next = RegistersState::Fetch;
                    }
                } else {
                    self.resp_q.d.next = 2.into();
                }
            }
            RegistersState::Portal => {
                self.resp_q.en.next = self.portal_cfg_ready.val() & self.portal_cfg_refused.val();
                self.resp_q.d.next = 2.into();
                self.state_q.en.next = self.portal_cfg_ready.val();
                self.state_q.d.next = RegistersState::Answer;
            }
            RegistersState::Cache => {
                self.state_q.en.next = self.cache_invalidate_ready.val();
                self.state_q.d.next = RegistersState::Answer;
                if (self.invalidated.val() == 2) & (self.index.val() < 64) {
                    self.state_q.d.next = RegistersState::Queue;
                }
            }
            RegistersState::Queue => {
                self.state_q.en.next = self.queue_invalidate_ready.val();
                self.state_q.d.next = RegistersState::Answer;
            }
            RegistersState::Fetch => {
                self.answer_q.en.next = true;
                self.answer_q.d.next = self.shadow.read_data.val();
                if self.is_portal_status.val() {
                    self.answer_q.d.next = self.portal_status_data.val();
                }
                if self.is_ring_status.val() {
                    self.answer_q.d.next = self.ring_status_data.val();
                }
                self.state_q.en.next = true;
                self.state_q.d.next = RegistersState::Answer;
            }
            RegistersState::Answer => {
                self.s_axil_bvalid.next = self.write_q.q.val();
                self.s_axil_rvalid.next = !self.write_q.q.val();
                self.state_q.d.next = RegistersState::Idle;
                self.state_q.en.next = self.s_axil_rready.val();
                if self.write_q.q.val() {
                    self.state_q.en.next = self.s_axil_bready.val();
                }
            }
            _ => {}
        }
    }
}
