//! `WritePort`: all writes of the NIC on one AXI write channel.
//!
//! **Purpose.** Eight requesters write to host memory, each with an AXI id of its own, so that the acknowledgements of
//! one requester come in the order of its writes whatever the memory does with the others.
//!
//! ```text
//!                  +-----------+
//!   doorbell    -->|           |--> aw_*   AXI write address
//!   header      -->|           |--> w_*    AXI write data
//!   repair      -->|           |<-- b_*    AXI write response
//!   atomic      -->| WritePort |
//!   enqueue     -->|           |--> doorbell_done, doorbell_error, ...
//!   event_write -->|           |
//!   table_entry -->|           |
//!   payload     -->|           |
//!                  +-----------+
//! ```
//!
//! **Contract.** Priority in the order of the picture; a burst is granted as a whole. A beat accepted in cycle *n* is
//! on the pins in *n + 1*; one beat a cycle without bubbles. Up to 16 addresses wait while AW stalls, two data beats
//! while W stalls; neither channel waits for the other. A B in cycle *n* gives the requester's `done` pulse in *n + 1*,
//! with `error` for SLVERR and DECERR; `b_ready` is always 1. B of other ids are ignored. An atomic write is one
//! AtomicCompare of 16 bytes (awatop 0x31); its burst type is WRAP if the address is the upper half of them, as AXI5
//! demands. A requester that has begun a burst must bring the rest of it.
//!
//! **Internals.** The id of the requester is the name of the grant. `owner_q` holds it within a burst. The address goes
//! to a [`Fifo`](crate::leaf::Fifo), the data to a [`Skid`](crate::leaf::Skid); a first beat needs room in both.

use crate::bundle::{AxiAwOut, AxiBIn, AxiWOut, StreamIn};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::{Delay, Fifo, Reg, Skid};
use xtq_types::memory::WriteRequest;

/// What the AW channel needs to know about a burst.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct WriteAddress {
    id: Bits<3>,
    atomic: Bits<1>,
    context: Bits<2>,
    length: Bits<8>,
    address: Bits<64>,
}

/// A beat of the W channel.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct WriteData {
    last: Bits<1>,
    strobe: Bits<64>,
    data: Bits<512>,
}

/// The write side of the memory port: eight requesters, one AXI channel.
#[block]
pub struct WritePort {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the doorbell writer: doorbells (AXI id 3).
    pub doorbell: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub doorbell_done: Signal<Out, Bit>,
    /// With `doorbell_done`: it failed.
    pub doorbell_error: Signal<Out, Bit>,

    /// From the header writer: header words (AXI id 2).
    pub header: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub header_done: Signal<Out, Bit>,
    /// With `header_done`: it failed.
    pub header_error: Signal<Out, Bit>,

    /// From the header writer: slots that hold no task (AXI id 6).
    pub repair: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub repair_done: Signal<Out, Bit>,
    /// With `repair_done`: it failed.
    pub repair_error: Signal<Out, Bit>,

    /// From the enqueuer: compare-and-swap of a write index (AXI id 5).
    pub atomic: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub atomic_done: Signal<Out, Bit>,
    /// With `atomic_done`: it failed.
    pub atomic_error: Signal<Out, Bit>,

    /// From the enqueuer: slot bodies and write indices (AXI id 1).
    pub enqueue: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub enqueue_done: Signal<Out, Bit>,
    /// With `enqueue_done`: it failed.
    pub enqueue_error: Signal<Out, Bit>,

    /// From the completer: events (AXI id 4).
    pub event_write: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub event_write_done: Signal<Out, Bit>,
    /// With `event_write_done`: it failed.
    pub event_write_error: Signal<Out, Bit>,

    /// From the table writer: entries of lookup tables (AXI id 7).
    pub table_entry: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub table_entry_done: Signal<Out, Bit>,
    /// With `table_entry_done`: it failed.
    pub table_entry_error: Signal<Out, Bit>,

    /// From the payload writer: packets, arguments and payload (AXI id 0).
    pub payload: StreamIn<WriteRequest>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub payload_done: Signal<Out, Bit>,
    /// With `payload_done`: it failed.
    pub payload_error: Signal<Out, Bit>,

    /// AXI, addresses of writes.
    pub aw: AxiAwOut,

    /// AXI, data of writes.
    pub w: AxiWOut,

    /// AXI, responses to writes.
    pub b: AxiBIn,

    addresses: Fifo<WriteAddress, 4, 5>,
    beats: Skid<WriteData>,
    busy_q: Reg<Bit>,
    owner_q: Reg<Bits<3>>,
    b_valid_q: Delay<Bit>,
    b_id_q: Reg<Bits<4>>,
    b_error_q: Reg<Bit>,
    owner: Signal<Local, Bits<3>>,
    chosen: Signal<Local, WriteRequest>,
    chosen_valid: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    address: Signal<Local, WriteAddress>,
    beat: Signal<Local, WriteData>,
    address_out: Signal<Local, WriteAddress>,
    beat_out: Signal<Local, WriteData>,
    user: Signal<Local, Bits<2>>,
    id: Signal<Local, Bits<3>>,
    upper: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for WritePort {
    fn update(&mut self) {
        // Who goes on: the owner of the burst under way, else the most urgent one that asks. The name is the AXI id.
        self.owner.next = 0.into();
        if self.table_entry.valid.val() {
            self.owner.next = 7.into();
        }
        if self.event_write.valid.val() {
            self.owner.next = 4.into();
        }
        if self.enqueue.valid.val() {
            self.owner.next = 1.into();
        }
        if self.atomic.valid.val() {
            self.owner.next = 5.into();
        }
        if self.repair.valid.val() {
            self.owner.next = 6.into();
        }
        if self.header.valid.val() {
            self.owner.next = 2.into();
        }
        if self.doorbell.valid.val() {
            self.owner.next = 3.into();
        }
        if self.busy_q.q.val() {
            self.owner.next = self.owner_q.q.val();
        }
        match self.owner.val().index() {
            1 => {
                self.chosen.next = self.enqueue.data.val();
                self.chosen_valid.next = self.enqueue.valid.val();
            }
            2 => {
                self.chosen.next = self.header.data.val();
                self.chosen_valid.next = self.header.valid.val();
            }
            3 => {
                self.chosen.next = self.doorbell.data.val();
                self.chosen_valid.next = self.doorbell.valid.val();
            }
            4 => {
                self.chosen.next = self.event_write.data.val();
                self.chosen_valid.next = self.event_write.valid.val();
            }
            5 => {
                self.chosen.next = self.atomic.data.val();
                self.chosen_valid.next = self.atomic.valid.val();
            }
            6 => {
                self.chosen.next = self.repair.data.val();
                self.chosen_valid.next = self.repair.valid.val();
            }
            7 => {
                self.chosen.next = self.table_entry.data.val();
                self.chosen_valid.next = self.table_entry.valid.val();
            }
            _ => {
                self.chosen.next = self.payload.data.val();
                self.chosen_valid.next = self.payload.valid.val();
            }
        }
        self.first.next = self.chosen.val().first.any();
        self.room.next =
            self.beats.write.ready.val() & (self.addresses.write.ready.val() | !self.first.val());
        self.accept.next = self.chosen_valid.val() & self.room.val();
        self.payload.ready.next = self.room.val() & (self.owner.val() == 0);
        self.enqueue.ready.next = self.room.val() & (self.owner.val() == 1);
        self.header.ready.next = self.room.val() & (self.owner.val() == 2);
        self.doorbell.ready.next = self.room.val() & (self.owner.val() == 3);
        self.event_write.ready.next = self.room.val() & (self.owner.val() == 4);
        self.atomic.ready.next = self.room.val() & (self.owner.val() == 5);
        self.repair.ready.next = self.room.val() & (self.owner.val() == 6);
        self.table_entry.ready.next = self.room.val() & (self.owner.val() == 7);
        self.busy_q.d.next = !self.chosen.val().last.any();
        self.busy_q.en.next = self.accept.val();
        self.owner_q.d.next = self.owner.val();
        self.owner_q.en.next = self.accept.val();

        self.address.next.id = self.owner.val();
        self.address.next.atomic = self.chosen.val().atomic;
        self.address.next.context = self.chosen.val().context;
        self.address.next.length = self.chosen.val().length;
        self.address.next.address = self.chosen.val().address;
        self.addresses.write.data.next = self.address.val();
        self.addresses.write.valid.next = self.accept.val() & self.first.val();
        self.beat.next.last = self.chosen.val().last;
        self.beat.next.strobe = self.chosen.val().strobe;
        self.beat.next.data = self.chosen.val().data;
        self.beats.write.data.next = self.beat.val();
        self.beats.write.valid.next = self.accept.val();

        // AXI write address.
        self.address_out.next = self.addresses.read.data.val();
        self.upper.next = self.address_out.val().address;
        self.id.next = self.address_out.val().id;
        self.user.next = self.address_out.val().context;
        self.aw.addr.next = self.address_out.val().address;
        self.aw.id.next = bit_cast::<4, 3>(self.id.val());
        self.aw.len.next = self.address_out.val().length;
        self.aw.size.next = 6.into();
        self.aw.burst.next = 1.into();
        self.aw.user.next = bit_cast::<4, 2>(self.user.val());
        self.aw.atop.next = 0.into();
        if self.address_out.val().atomic.any() {
            self.aw.size.next = 4.into();
            self.aw.atop.next = 0x31.into();
            if self.upper.val().get_bit(3) {
                self.aw.burst.next = 2.into();
            }
        }
        self.aw.valid.next = self.addresses.read.valid.val();
        self.addresses.read.ready.next = self.aw.ready.val();

        // AXI write data.
        self.beat_out.next = self.beats.read.data.val();
        self.w.data.next = self.beat_out.val().data;
        self.w.strb.next = self.beat_out.val().strobe;
        self.w.last.next = self.beat_out.val().last.any();
        self.w.valid.next = self.beats.read.valid.val();
        self.beats.read.ready.next = self.w.ready.val();

        // AXI write response: registered, then given to who is named by the id.
        self.b.ready.next = true;
        self.b_valid_q.d.next = self.b.valid.val();
        self.b_id_q.d.next = self.b.id.val();
        self.b_id_q.en.next = self.b.valid.val();
        self.b_error_q.d.next = self.b.resp.val().get_bit(1);
        self.b_error_q.en.next = self.b.valid.val();
        self.payload_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 0);
        self.enqueue_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 1);
        self.header_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 2);
        self.doorbell_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 3);
        self.event_write_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 4);
        self.atomic_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 5);
        self.repair_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 6);
        self.table_entry_done.next = self.b_valid_q.q.val() & (self.b_id_q.q.val() == 7);
        self.table_entry_error.next = self.b_error_q.q.val();
        self.payload_error.next = self.b_error_q.q.val();
        self.enqueue_error.next = self.b_error_q.q.val();
        self.header_error.next = self.b_error_q.q.val();
        self.doorbell_error.next = self.b_error_q.q.val();
        self.event_write_error.next = self.b_error_q.q.val();
        self.atomic_error.next = self.b_error_q.q.val();
        self.repair_error.next = self.b_error_q.q.val();
    }
}
