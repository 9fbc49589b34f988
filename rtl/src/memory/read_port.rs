//! `ReadPort`: all reads of the NIC on one AXI read channel.
//!
//! **Purpose.** The lookup cache, the queue admission and the enqueuer read host memory through one port, one beat at a
//! time; the gather units, the command ring, the atomic unit and who needs lists of pieces read bursts of lines. An
//! atomic write answers with the old value on the R channel too; it is handed on here.
//!
//! ```text
//!                      +----------+
//!   cache_request   -->|          |--> ar_*     AXI read address
//!   admission_request->|          |<-- r_*      AXI read data
//!   enqueue_request -->| ReadPort |
//!   *gather_request -->|          |
//!   command_request -->|          |
//!   update_request  -->|          |
//!   *_list_request  -->|          |
//!   *_result        <--|          |
//!   atomic_result   <--|          |
//!                      +----------+
//! ```
//!
//! **Contract.** Requesters are served round robin. A request accepted in cycle *n* is on the AR pins in *n + 1*, one a
//! cycle. `r_ready` is always 1; R data of cycle *n* give the requester's pulse in *n + 1*. Results of one requester
//! come in the order in which the memory answers: of `admission` and `enqueue` (one AXI id each) in the order of their
//! requests, of `cache` (an id for each tag) in any order. At most 16 reads of `admission` and of `enqueue` are under
//! way; the next waits. Of the cache each tag may be under way once, or answers of one tag come in order. A burst of
//! lines is one request; its lines come in order, `last` with the last one, whatever the other requesters do in
//! between. Who asks for bursts keeps room for them. R data with another id are ignored.
//!
//! **Internals.** A [`RoundRobin`](crate::leaf::RoundRobin), a [`Skid`](crate::leaf::Skid) in front of the pins, a
//! register after them. The tags of `admission` and `enqueue` wait in a FIFO each; the cache's tag is in its id.

use crate::bundle::{AxiArOut, AxiRIn, PulseOut, StreamIn};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::{Delay, Fifo, QueueRoom, Reg, RoundRobin, Skid};
use xtq_types::memory::{BurstRequest, BurstResult, ReadRequest, ReadResult};

/// What the AR channel needs to know about a read.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct ReadAddress {
    id: Bits<4>,
    size: Bits<3>,
    length: Bits<8>,
    context: Bits<2>,
    address: Bits<64>,
}

/// The read side of the memory port: eleven requesters, one AXI channel.
#[block]
pub struct ReadPort {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the lookup cache: reads of table entries, tags 0 to 3 (AXI ids 8 to 11).
    pub cache_request: StreamIn<ReadRequest>,
    /// To the lookup cache: table entry.
    pub cache_result: PulseOut<ReadResult>,

    /// From the queue admission: reads of indices (AXI id 12).
    pub admission_request: StreamIn<ReadRequest>,
    /// To the queue admission: index.
    pub admission_result: PulseOut<ReadResult>,

    /// From the enqueuer: reads of indices (AXI id 13).
    pub enqueue_request: StreamIn<ReadRequest>,
    /// To the enqueuer: index.
    pub enqueue_result: PulseOut<ReadResult>,

    /// From the gather unit of messages: their bytes (AXI id 14).
    pub gather_request: StreamIn<BurstRequest>,
    /// To the gather unit: a line.
    pub gather_result: PulseOut<BurstResult>,

    /// From the command ring: commands (AXI id 15).
    pub command_request: StreamIn<BurstRequest>,
    /// To the command ring: half a command.
    pub command_result: PulseOut<BurstResult>,

    /// From the atomic unit: lines that it changes (AXI id 7).
    pub update_request: StreamIn<BurstRequest>,
    /// To the atomic unit: a line.
    pub update_result: PulseOut<BurstResult>,

    /// From the command stage: lines of lists of pieces (AXI id 0).
    pub sum_list_request: StreamIn<BurstRequest>,
    /// To the command stage: a line.
    pub sum_list_result: PulseOut<BurstResult>,

    /// From the gather unit of replies: their bytes (AXI id 3).
    pub reply_gather_request: StreamIn<BurstRequest>,
    /// To the gather unit of replies: a line.
    pub reply_gather_result: PulseOut<BurstResult>,

    /// From the iovec gather of messages: lines of lists of pieces (AXI id 1).
    pub gather_list_request: StreamIn<BurstRequest>,
    /// To the iovec gather: a line.
    pub gather_list_result: PulseOut<BurstResult>,

    /// From the iovec gather of replies: lines of lists of pieces (AXI id 4).
    pub reply_list_request: StreamIn<BurstRequest>,
    /// To the iovec gather of replies: a line.
    pub reply_list_result: PulseOut<BurstResult>,

    /// From the iovec scatter: lines of lists of pieces (AXI id 2).
    pub scatter_list_request: StreamIn<BurstRequest>,
    /// To the iovec scatter: a line.
    pub scatter_list_result: PulseOut<BurstResult>,

    /// To the enqueuer: old value of an atomic write (AXI id 5), tag 0.
    pub atomic_result: PulseOut<ReadResult>,

    /// AXI, addresses of reads.
    pub ar: AxiArOut,

    /// AXI, data read.
    pub r: AxiRIn,

    arbiter: RoundRobin<11>,
    out: Skid<ReadAddress>,
    admission_tags: Fifo<Bits<2>, 4, 5>,
    enqueue_tags: Fifo<Bits<2>, 4, 5>,
    admission_room: QueueRoom<5>,
    enqueue_room: QueueRoom<5>,
    data_q: Reg<Bits<512>>,
    id_q: Reg<Bits<4>>,
    error_q: Reg<Bits<1>>,
    valid_q: Delay<Bit>,
    last_q: Reg<Bits<1>>,
    request: Signal<Local, Bits<11>>,
    grant: Signal<Local, Bits<11>>,
    take_admission: Signal<Local, Bit>,
    take_enqueue: Signal<Local, Bit>,
    chosen: Signal<Local, ReadRequest>,
    cache_tag: Signal<Local, Bits<2>>,
    address: Signal<Local, ReadAddress>,
    on_pins: Signal<Local, ReadAddress>,
    user: Signal<Local, Bits<2>>,
    id_top: Signal<Local, Bits<2>>,
    from_cache: Signal<Local, Bit>,
    from_admission: Signal<Local, Bit>,
    from_enqueue: Signal<Local, Bit>,
    from_atomic: Signal<Local, Bit>,
}

#[kernel]
impl Logic for ReadPort {
    fn update(&mut self) {
        // Requests: bit 0 cache, bit 1 admission, bit 2 enqueue, bit 3 gather, bit 4 command, bit 5 update, bits 6 to 8
        // lists of pieces, bits 9 and 10 bytes and lists of replies; who has no room for its tag does not ask.
        self.request.next = 0.into();
        if self.cache_request.valid.val() {
            self.request.next = self.request.val() | 1;
        }
        if self.admission_request.valid.val() & self.admission_room.free.val() {
            self.request.next = self.request.val() | 2;
        }
        if self.enqueue_request.valid.val() & self.enqueue_room.free.val() {
            self.request.next = self.request.val() | 4;
        }
        if self.gather_request.valid.val() {
            self.request.next = self.request.val() | 8;
        }
        if self.command_request.valid.val() {
            self.request.next = self.request.val() | 16;
        }
        if self.update_request.valid.val() {
            self.request.next = self.request.val() | 32;
        }
        if self.sum_list_request.valid.val() {
            self.request.next = self.request.val() | 64;
        }
        if self.gather_list_request.valid.val() {
            self.request.next = self.request.val() | 128;
        }
        if self.scatter_list_request.valid.val() {
            self.request.next = self.request.val() | 256;
        }
        if self.reply_gather_request.valid.val() {
            self.request.next = self.request.val() | 512;
        }
        if self.reply_list_request.valid.val() {
            self.request.next = self.request.val() | 1024;
        }
        self.arbiter.request.next = self.request.val();
        self.arbiter.advance.next = self.out.write.ready.val();
        self.grant.next = self.arbiter.grant.val();

        self.chosen.next = self.cache_request.data.val();
        self.cache_tag.next = self.cache_request.data.val().tag;
        self.address.next.id = bit_cast::<4, 2>(self.cache_tag.val()) | 8;
        if self.grant.val().get_bit(1) {
            self.chosen.next = self.admission_request.data.val();
            self.address.next.id = 12.into();
        }
        if self.grant.val().get_bit(2) {
            self.chosen.next = self.enqueue_request.data.val();
            self.address.next.id = 13.into();
        }
        self.address.next.size = self.chosen.val().size;
        self.address.next.context = self.chosen.val().context;
        self.address.next.address = self.chosen.val().address;
        self.address.next.length = 0.into();
        if self.grant.val().get_bit(3) {
            self.address.next.id = 14.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.gather_request.data.val().context;
            self.address.next.address = self.gather_request.data.val().address;
            self.address.next.length = self.gather_request.data.val().length;
        }
        if self.grant.val().get_bit(4) {
            self.address.next.id = 15.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.command_request.data.val().context;
            self.address.next.address = self.command_request.data.val().address;
            self.address.next.length = self.command_request.data.val().length;
        }
        if self.grant.val().get_bit(5) {
            self.address.next.id = 7.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.update_request.data.val().context;
            self.address.next.address = self.update_request.data.val().address;
            self.address.next.length = self.update_request.data.val().length;
        }
        if self.grant.val().get_bit(6) {
            self.address.next.id = 0.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.sum_list_request.data.val().context;
            self.address.next.address = self.sum_list_request.data.val().address;
            self.address.next.length = self.sum_list_request.data.val().length;
        }
        if self.grant.val().get_bit(7) {
            self.address.next.id = 1.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.gather_list_request.data.val().context;
            self.address.next.address = self.gather_list_request.data.val().address;
            self.address.next.length = self.gather_list_request.data.val().length;
        }
        if self.grant.val().get_bit(8) {
            self.address.next.id = 2.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.scatter_list_request.data.val().context;
            self.address.next.address = self.scatter_list_request.data.val().address;
            self.address.next.length = self.scatter_list_request.data.val().length;
        }
        if self.grant.val().get_bit(9) {
            self.address.next.id = 3.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.reply_gather_request.data.val().context;
            self.address.next.address = self.reply_gather_request.data.val().address;
            self.address.next.length = self.reply_gather_request.data.val().length;
        }
        if self.grant.val().get_bit(10) {
            self.address.next.id = 4.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.reply_list_request.data.val().context;
            self.address.next.address = self.reply_list_request.data.val().address;
            self.address.next.length = self.reply_list_request.data.val().length;
        }
        self.out.write.data.next = self.address.val();
        self.out.write.valid.next = self.request.val().any();
        self.take_admission.next = self.grant.val().get_bit(1) & self.out.write.ready.val();
        self.take_enqueue.next = self.grant.val().get_bit(2) & self.out.write.ready.val();
        self.cache_request.ready.next = self.grant.val().get_bit(0) & self.out.write.ready.val();
        self.gather_request.ready.next = self.grant.val().get_bit(3) & self.out.write.ready.val();
        self.command_request.ready.next = self.grant.val().get_bit(4) & self.out.write.ready.val();
        self.update_request.ready.next = self.grant.val().get_bit(5) & self.out.write.ready.val();
        self.sum_list_request.ready.next = self.grant.val().get_bit(6) & self.out.write.ready.val();
        self.gather_list_request.ready.next =
            self.grant.val().get_bit(7) & self.out.write.ready.val();
        self.scatter_list_request.ready.next =
            self.grant.val().get_bit(8) & self.out.write.ready.val();
        self.reply_gather_request.ready.next =
            self.grant.val().get_bit(9) & self.out.write.ready.val();
        self.reply_list_request.ready.next =
            self.grant.val().get_bit(10) & self.out.write.ready.val();
        self.admission_request.ready.next = self.take_admission.val();
        self.enqueue_request.ready.next = self.take_enqueue.val();
        self.admission_tags.write.data.next = self.admission_request.data.val().tag;
        self.admission_tags.write.valid.next = self.take_admission.val();
        self.enqueue_tags.write.data.next = self.enqueue_request.data.val().tag;
        self.enqueue_tags.write.valid.next = self.take_enqueue.val();

        // AXI read address: INCR.
        self.on_pins.next = self.out.read.data.val();
        self.ar.addr.next = self.on_pins.val().address;
        self.ar.id.next = self.on_pins.val().id;
        self.ar.len.next = self.on_pins.val().length;
        self.ar.size.next = self.on_pins.val().size;
        self.ar.burst.next = 1.into();
        self.user.next = self.on_pins.val().context;
        self.ar.user.next = bit_cast::<4, 2>(self.user.val());
        self.ar.valid.next = self.out.read.valid.val();
        self.out.read.ready.next = self.ar.ready.val();

        // AXI read data: registered, then given to who is named by the id.
        self.r.ready.next = true;
        self.data_q.d.next = self.r.data.val();
        self.data_q.en.next = self.r.valid.val();
        self.id_q.d.next = self.r.id.val();
        self.id_q.en.next = self.r.valid.val();
        self.error_q.d.next = self.r.resp.val().get_bits::<1>(1);
        self.error_q.en.next = self.r.valid.val();
        self.last_q.d.next = self.r.last.val().into();
        self.last_q.en.next = self.r.valid.val();
        self.valid_q.d.next = self.r.valid.val();

        self.id_top.next = self.id_q.q.val().get_bits::<2>(2);
        self.from_cache.next = self.valid_q.q.val() & (self.id_top.val() == 2);
        self.from_admission.next = self.valid_q.q.val() & (self.id_q.q.val() == 12);
        self.from_enqueue.next = self.valid_q.q.val() & (self.id_q.q.val() == 13);
        self.from_atomic.next = self.valid_q.q.val() & (self.id_q.q.val() == 5);
        self.admission_tags.read.ready.next = self.from_admission.val();
        self.enqueue_tags.read.ready.next = self.from_enqueue.val();
        self.admission_room.come.next = self.take_admission.val();
        self.admission_room.leave.next =
            self.from_admission.val() & self.admission_tags.read.valid.val();
        self.enqueue_room.come.next = self.take_enqueue.val();
        self.enqueue_room.leave.next = self.from_enqueue.val() & self.enqueue_tags.read.valid.val();

        self.cache_result.data.next.tag = self.id_q.q.val().get_bits::<2>(0);
        self.cache_result.data.next.error = self.error_q.q.val();
        self.cache_result.data.next.data = self.data_q.q.val();
        self.cache_result.valid.next = self.from_cache.val();
        self.admission_result.data.next.tag = self.admission_tags.read.data.val();
        self.admission_result.data.next.error = self.error_q.q.val();
        self.admission_result.data.next.data = self.data_q.q.val();
        self.admission_result.valid.next = self.from_admission.val();
        self.enqueue_result.data.next.tag = self.enqueue_tags.read.data.val();
        self.enqueue_result.data.next.error = self.error_q.q.val();
        self.enqueue_result.data.next.data = self.data_q.q.val();
        self.enqueue_result.valid.next = self.from_enqueue.val();
        self.gather_result.data.next.last = self.last_q.q.val();
        self.gather_result.data.next.error = self.error_q.q.val();
        self.gather_result.data.next.data = self.data_q.q.val();
        self.gather_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 14);
        self.command_result.data.next.last = self.last_q.q.val();
        self.command_result.data.next.error = self.error_q.q.val();
        self.command_result.data.next.data = self.data_q.q.val();
        self.command_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 15);
        self.update_result.data.next.last = self.last_q.q.val();
        self.update_result.data.next.error = self.error_q.q.val();
        self.update_result.data.next.data = self.data_q.q.val();
        self.update_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 7);
        self.sum_list_result.data.next.last = self.last_q.q.val();
        self.sum_list_result.data.next.error = self.error_q.q.val();
        self.sum_list_result.data.next.data = self.data_q.q.val();
        self.sum_list_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 0);
        self.gather_list_result.data.next.last = self.last_q.q.val();
        self.gather_list_result.data.next.error = self.error_q.q.val();
        self.gather_list_result.data.next.data = self.data_q.q.val();
        self.gather_list_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 1);
        self.scatter_list_result.data.next.last = self.last_q.q.val();
        self.scatter_list_result.data.next.error = self.error_q.q.val();
        self.scatter_list_result.data.next.data = self.data_q.q.val();
        self.scatter_list_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 2);
        self.reply_gather_result.data.next.last = self.last_q.q.val();
        self.reply_gather_result.data.next.error = self.error_q.q.val();
        self.reply_gather_result.data.next.data = self.data_q.q.val();
        self.reply_gather_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 3);
        self.reply_list_result.data.next.last = self.last_q.q.val();
        self.reply_list_result.data.next.error = self.error_q.q.val();
        self.reply_list_result.data.next.data = self.data_q.q.val();
        self.reply_list_result.valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 4);
        self.atomic_result.data.next.tag = 0.into();
        self.atomic_result.data.next.error = self.error_q.q.val();
        self.atomic_result.data.next.data = self.data_q.q.val();
        self.atomic_result.valid.next = self.from_atomic.val();
    }
}
