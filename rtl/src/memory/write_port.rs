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
//! **Contract.** Priority in the order of the picture; a burst is granted as a whole. A beat accepted in cycle *n* is on the
//! pins in *n + 1*; one beat a cycle without bubbles. Up to 16 addresses wait while AW stalls, two data beats while W stalls;
//! neither channel waits for the other. A B in cycle *n* gives the requester's `done` pulse in *n + 1*, with `error` for
//! SLVERR and DECERR; `b_ready` is always 1. B of other ids are ignored. An atomic write is one AtomicCompare of 16 bytes
//! (awatop 0x31); its burst type is WRAP if the address is the upper half of them, as AXI5 demands. A requester that has begun a
//! burst must bring the rest of it.
//!
//! **Internals.** The id of the requester is the name of the grant. `owner_q` holds it within a burst. The address goes
//! to a [`Fifo`](crate::leaf::Fifo), the data to a [`Skid`](crate::leaf::Skid); a first beat needs room in both.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::{Delay, Fifo, Reg, Skid};
use xtq_types::pipe::WriteRequest;

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
    pub doorbell: Signal<In, WriteRequest>,
    /// `doorbell` is valid.
    pub doorbell_valid: Signal<In, Bit>,
    /// `doorbell` is taken.
    pub doorbell_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub doorbell_done: Signal<Out, Bit>,
    /// With `doorbell_done`: it failed.
    pub doorbell_error: Signal<Out, Bit>,

    /// From the header writer: header words (AXI id 2).
    pub header: Signal<In, WriteRequest>,
    /// `header` is valid.
    pub header_valid: Signal<In, Bit>,
    /// `header` is taken.
    pub header_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub header_done: Signal<Out, Bit>,
    /// With `header_done`: it failed.
    pub header_error: Signal<Out, Bit>,

    /// From the header writer: slots that hold no task (AXI id 6).
    pub repair: Signal<In, WriteRequest>,
    /// `repair` is valid.
    pub repair_valid: Signal<In, Bit>,
    /// `repair` is taken.
    pub repair_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub repair_done: Signal<Out, Bit>,
    /// With `repair_done`: it failed.
    pub repair_error: Signal<Out, Bit>,

    /// From the enqueuer: compare-and-swap of a write index (AXI id 5).
    pub atomic: Signal<In, WriteRequest>,
    /// `atomic` is valid.
    pub atomic_valid: Signal<In, Bit>,
    /// `atomic` is taken.
    pub atomic_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub atomic_done: Signal<Out, Bit>,
    /// With `atomic_done`: it failed.
    pub atomic_error: Signal<Out, Bit>,

    /// From the enqueuer: slot bodies and write indices (AXI id 1).
    pub enqueue: Signal<In, WriteRequest>,
    /// `enqueue` is valid.
    pub enqueue_valid: Signal<In, Bit>,
    /// `enqueue` is taken.
    pub enqueue_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub enqueue_done: Signal<Out, Bit>,
    /// With `enqueue_done`: it failed.
    pub enqueue_error: Signal<Out, Bit>,

    /// From the completer: events (AXI id 4).
    pub event_write: Signal<In, WriteRequest>,
    /// `event_write` is valid.
    pub event_write_valid: Signal<In, Bit>,
    /// `event_write` is taken.
    pub event_write_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub event_write_done: Signal<Out, Bit>,
    /// With `event_write_done`: it failed.
    pub event_write_error: Signal<Out, Bit>,

    /// From the table writer: entries of lookup tables (AXI id 7).
    pub table_entry: Signal<In, WriteRequest>,
    /// `table_entry` is valid.
    pub table_entry_valid: Signal<In, Bit>,
    /// `table_entry` is taken.
    pub table_entry_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub table_entry_done: Signal<Out, Bit>,
    /// With `table_entry_done`: it failed.
    pub table_entry_error: Signal<Out, Bit>,

    /// From the payload writer: packets, arguments and payload (AXI id 0).
    pub payload: Signal<In, WriteRequest>,
    /// `payload` is valid.
    pub payload_valid: Signal<In, Bit>,
    /// `payload` is taken.
    pub payload_ready: Signal<Out, Bit>,
    /// Pulse: the oldest burst of this requester is acknowledged.
    pub payload_done: Signal<Out, Bit>,
    /// With `payload_done`: it failed.
    pub payload_error: Signal<Out, Bit>,

    /// AXI: byte address.
    pub aw_addr: Signal<Out, Bits<64>>,
    /// AXI: transaction id.
    pub aw_id: Signal<Out, Bits<4>>,
    /// AXI: beats less one.
    pub aw_len: Signal<Out, Bits<8>>,
    /// AXI: log2 of the bytes of a beat.
    pub aw_size: Signal<Out, Bits<3>>,
    /// AXI: INCR, or WRAP for an atomic on the upper half of its 16 bytes.
    pub aw_burst: Signal<Out, Bits<2>>,
    /// AXI: target context.
    pub aw_user: Signal<Out, Bits<4>>,
    /// AXI5: 0x31 AtomicCompare, else 0.
    pub aw_atop: Signal<Out, Bits<6>>,
    /// AXI: address is valid.
    pub aw_valid: Signal<Out, Bit>,
    /// AXI: address is taken.
    pub aw_ready: Signal<In, Bit>,

    /// AXI: data, memory lanes.
    pub w_data: Signal<Out, Bits<512>>,
    /// AXI: bytes to write.
    pub w_strb: Signal<Out, Bits<64>>,
    /// AXI: last beat of the burst.
    pub w_last: Signal<Out, Bit>,
    /// AXI: data are valid.
    pub w_valid: Signal<Out, Bit>,
    /// AXI: data are taken.
    pub w_ready: Signal<In, Bit>,

    /// AXI: transaction id.
    pub b_id: Signal<In, Bits<4>>,
    /// AXI: 0 OKAY, 1 EXOKAY, 2 SLVERR, 3 DECERR.
    pub b_resp: Signal<In, Bits<2>>,
    /// AXI: response is valid.
    pub b_valid: Signal<In, Bit>,
    /// AXI: always taken.
    pub b_ready: Signal<Out, Bit>,

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
        if self.table_entry_valid.val() {
            self.owner.next = 7.into();
        }
        if self.event_write_valid.val() {
            self.owner.next = 4.into();
        }
        if self.enqueue_valid.val() {
            self.owner.next = 1.into();
        }
        if self.atomic_valid.val() {
            self.owner.next = 5.into();
        }
        if self.repair_valid.val() {
            self.owner.next = 6.into();
        }
        if self.header_valid.val() {
            self.owner.next = 2.into();
        }
        if self.doorbell_valid.val() {
            self.owner.next = 3.into();
        }
        if self.busy_q.q.val() {
            self.owner.next = self.owner_q.q.val();
        }
        match self.owner.val().index() {
            1 => {
                self.chosen.next = self.enqueue.val();
                self.chosen_valid.next = self.enqueue_valid.val();
            }
            2 => {
                self.chosen.next = self.header.val();
                self.chosen_valid.next = self.header_valid.val();
            }
            3 => {
                self.chosen.next = self.doorbell.val();
                self.chosen_valid.next = self.doorbell_valid.val();
            }
            4 => {
                self.chosen.next = self.event_write.val();
                self.chosen_valid.next = self.event_write_valid.val();
            }
            5 => {
                self.chosen.next = self.atomic.val();
                self.chosen_valid.next = self.atomic_valid.val();
            }
            6 => {
                self.chosen.next = self.repair.val();
                self.chosen_valid.next = self.repair_valid.val();
            }
            7 => {
                self.chosen.next = self.table_entry.val();
                self.chosen_valid.next = self.table_entry_valid.val();
            }
            _ => {
                self.chosen.next = self.payload.val();
                self.chosen_valid.next = self.payload_valid.val();
            }
        }
        self.first.next = self.chosen.val().first.any();
        self.room.next =
            self.beats.write_ready.val() & (self.addresses.write_ready.val() | !self.first.val());
        self.accept.next = self.chosen_valid.val() & self.room.val();
        self.payload_ready.next = self.room.val() & (self.owner.val() == 0);
        self.enqueue_ready.next = self.room.val() & (self.owner.val() == 1);
        self.header_ready.next = self.room.val() & (self.owner.val() == 2);
        self.doorbell_ready.next = self.room.val() & (self.owner.val() == 3);
        self.event_write_ready.next = self.room.val() & (self.owner.val() == 4);
        self.atomic_ready.next = self.room.val() & (self.owner.val() == 5);
        self.repair_ready.next = self.room.val() & (self.owner.val() == 6);
        self.table_entry_ready.next = self.room.val() & (self.owner.val() == 7);
        self.busy_q.d.next = !self.chosen.val().last.any();
        self.busy_q.en.next = self.accept.val();
        self.owner_q.d.next = self.owner.val();
        self.owner_q.en.next = self.accept.val();

        self.address.next.id = self.owner.val();
        self.address.next.atomic = self.chosen.val().atomic;
        self.address.next.context = self.chosen.val().context;
        self.address.next.length = self.chosen.val().length;
        self.address.next.address = self.chosen.val().address;
        self.addresses.write.next = self.address.val();
        self.addresses.write_valid.next = self.accept.val() & self.first.val();
        self.beat.next.last = self.chosen.val().last;
        self.beat.next.strobe = self.chosen.val().strobe;
        self.beat.next.data = self.chosen.val().data;
        self.beats.write.next = self.beat.val();
        self.beats.write_valid.next = self.accept.val();

        // AXI write address.
        self.address_out.next = self.addresses.read.val();
        self.upper.next = self.address_out.val().address;
        self.id.next = self.address_out.val().id;
        self.user.next = self.address_out.val().context;
        self.aw_addr.next = self.address_out.val().address;
        self.aw_id.next = bit_cast::<4, 3>(self.id.val());
        self.aw_len.next = self.address_out.val().length;
        self.aw_size.next = 6.into();
        self.aw_burst.next = 1.into();
        self.aw_user.next = bit_cast::<4, 2>(self.user.val());
        self.aw_atop.next = 0.into();
        if self.address_out.val().atomic.any() {
            self.aw_size.next = 4.into();
            self.aw_atop.next = 0x31.into();
            if self.upper.val().get_bit(3) {
                self.aw_burst.next = 2.into();
            }
        }
        self.aw_valid.next = self.addresses.read_valid.val();
        self.addresses.read_ready.next = self.aw_ready.val();

        // AXI write data.
        self.beat_out.next = self.beats.read.val();
        self.w_data.next = self.beat_out.val().data;
        self.w_strb.next = self.beat_out.val().strobe;
        self.w_last.next = self.beat_out.val().last.any();
        self.w_valid.next = self.beats.read_valid.val();
        self.beats.read_ready.next = self.w_ready.val();

        // AXI write response: registered, then given to who is named by the id.
        self.b_ready.next = true;
        self.b_valid_q.d.next = self.b_valid.val();
        self.b_id_q.d.next = self.b_id.val();
        self.b_id_q.en.next = self.b_valid.val();
        self.b_error_q.d.next = self.b_resp.val().get_bit(1);
        self.b_error_q.en.next = self.b_valid.val();
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
