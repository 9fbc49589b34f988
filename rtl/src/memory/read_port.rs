//! `ReadPort`: all reads of the NIC on one AXI read channel.
//!
//! **Purpose.** The lookup cache, the queue admission and the enqueuer read host memory through one port, one beat at a time; the gather unit, the
//! command ring, the atomic unit and who needs lists of pieces read bursts of lines. An atomic write answers with the old value on the R channel too; it is handed on here.
//!
//! ```text
//!                      +----------+
//!   cache_request   -->|          |--> ar_*     AXI read address
//!   admission_request->|          |<-- r_*      AXI read data
//!   enqueue_request -->| ReadPort |
//!   gather_request  -->|          |
//!   command_request -->|          |
//!   update_request  -->|          |
//!   *_list_request  -->|          |
//!   *_result        <--|          |
//!   atomic_result   <--|          |
//!                      +----------+
//! ```
//!
//! **Contract.** Requesters are served round robin. A request accepted in cycle *n* is on the AR pins in *n + 1*, one a
//! cycle. `r_ready` is always 1; R data of cycle *n* give the requester's pulse in *n + 1*. Results of one requester come
//! in the order in which the memory answers: of `admission` and `enqueue` (one AXI id each) in the order of their
//! requests, of `cache` (an id for each tag) in any order. At most 16 reads of `admission` and of
//! `enqueue` are under way; the next waits. Of the cache each tag may be under way once, or answers of one tag come in order.
//! A burst of lines is one request; its lines come in order, `last` with the last one, whatever the other requesters do in between. Who asks for bursts keeps room for them.
//! R data with another id are ignored.
//!
//! **Internals.** A [`RoundRobin`](crate::leaf::RoundRobin), a [`Skid`](crate::leaf::Skid) in front of the pins, a register behind
//! them. The tags of `admission` and `enqueue` wait in a FIFO each; the cache's tag is in its id.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::leaf::{Delay, Fifo, QueueRoom, Reg, RoundRobin, Skid};
use xtq_types::pipe::{ReadRequest, ReadResult};
use xtq_types::send::{BurstRequest, BurstResult};

/// What the AR channel needs to know about a read.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct ReadAddress {
    id: Bits<4>,
    size: Bits<3>,
    length: Bits<8>,
    context: Bits<2>,
    address: Bits<64>,
}

/// The read side of the memory port: nine requesters, one AXI channel.
#[block]
pub struct ReadPort {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the lookup cache: reads of table entries, tags 0 to 3 (AXI ids 8 to 11).
    pub cache_request: Signal<In, ReadRequest>,
    /// `cache_request` is valid.
    pub cache_request_valid: Signal<In, Bit>,
    /// `cache_request` is taken.
    pub cache_request_ready: Signal<Out, Bit>,
    /// To the lookup cache: table entry.
    pub cache_result: Signal<Out, ReadResult>,
    /// Pulse.
    pub cache_result_valid: Signal<Out, Bit>,

    /// From the queue admission: reads of indices (AXI id 12).
    pub admission_request: Signal<In, ReadRequest>,
    /// `admission_request` is valid.
    pub admission_request_valid: Signal<In, Bit>,
    /// `admission_request` is taken.
    pub admission_request_ready: Signal<Out, Bit>,
    /// To the queue admission: index.
    pub admission_result: Signal<Out, ReadResult>,
    /// Pulse.
    pub admission_result_valid: Signal<Out, Bit>,

    /// From the enqueuer: reads of indices (AXI id 13).
    pub enqueue_request: Signal<In, ReadRequest>,
    /// `enqueue_request` is valid.
    pub enqueue_request_valid: Signal<In, Bit>,
    /// `enqueue_request` is taken.
    pub enqueue_request_ready: Signal<Out, Bit>,
    /// To the enqueuer: index.
    pub enqueue_result: Signal<Out, ReadResult>,
    /// Pulse.
    pub enqueue_result_valid: Signal<Out, Bit>,

    /// From the gather unit: bytes of messages (AXI id 14).
    pub gather_request: Signal<In, BurstRequest>,
    /// `gather_request` is valid.
    pub gather_request_valid: Signal<In, Bit>,
    /// `gather_request` is taken.
    pub gather_request_ready: Signal<Out, Bit>,
    /// To the gather unit: a line.
    pub gather_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub gather_result_valid: Signal<Out, Bit>,

    /// From the command ring: commands (AXI id 15).
    pub command_request: Signal<In, BurstRequest>,
    /// `command_request` is valid.
    pub command_request_valid: Signal<In, Bit>,
    /// `command_request` is taken.
    pub command_request_ready: Signal<Out, Bit>,
    /// To the command ring: half a command.
    pub command_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub command_result_valid: Signal<Out, Bit>,

    /// From the atomic unit: lines that it changes (AXI id 7).
    pub update_request: Signal<In, BurstRequest>,
    /// `update_request` is valid.
    pub update_request_valid: Signal<In, Bit>,
    /// `update_request` is taken.
    pub update_request_ready: Signal<Out, Bit>,
    /// To the atomic unit: a line.
    pub update_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub update_result_valid: Signal<Out, Bit>,

    /// From the command stage: lines of lists of pieces (AXI id 0).
    pub sum_list_request: Signal<In, BurstRequest>,
    /// `sum_list_request` is valid.
    pub sum_list_request_valid: Signal<In, Bit>,
    /// `sum_list_request` is taken.
    pub sum_list_request_ready: Signal<Out, Bit>,
    /// To the command stage: a line.
    pub sum_list_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub sum_list_result_valid: Signal<Out, Bit>,

    /// From the iovec gather: lines of lists of pieces (AXI id 1).
    pub gather_list_request: Signal<In, BurstRequest>,
    /// `gather_list_request` is valid.
    pub gather_list_request_valid: Signal<In, Bit>,
    /// `gather_list_request` is taken.
    pub gather_list_request_ready: Signal<Out, Bit>,
    /// To the iovec gather: a line.
    pub gather_list_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub gather_list_result_valid: Signal<Out, Bit>,

    /// From the iovec scatter: lines of lists of pieces (AXI id 2).
    pub scatter_list_request: Signal<In, BurstRequest>,
    /// `scatter_list_request` is valid.
    pub scatter_list_request_valid: Signal<In, Bit>,
    /// `scatter_list_request` is taken.
    pub scatter_list_request_ready: Signal<Out, Bit>,
    /// To the iovec scatter: a line.
    pub scatter_list_result: Signal<Out, BurstResult>,
    /// Pulse.
    pub scatter_list_result_valid: Signal<Out, Bit>,

    /// To the enqueuer: old value of an atomic write (AXI id 5), tag 0.
    pub atomic_result: Signal<Out, ReadResult>,
    /// Pulse.
    pub atomic_result_valid: Signal<Out, Bit>,

    /// AXI: byte address.
    pub ar_addr: Signal<Out, Bits<64>>,
    /// AXI: transaction id.
    pub ar_id: Signal<Out, Bits<4>>,
    /// AXI: beats less one.
    pub ar_len: Signal<Out, Bits<8>>,
    /// AXI: log2 of the bytes.
    pub ar_size: Signal<Out, Bits<3>>,
    /// AXI: INCR.
    pub ar_burst: Signal<Out, Bits<2>>,
    /// AXI: target context.
    pub ar_user: Signal<Out, Bits<4>>,
    /// AXI: address is valid.
    pub ar_valid: Signal<Out, Bit>,
    /// AXI: address is taken.
    pub ar_ready: Signal<In, Bit>,

    /// AXI: the line.
    pub r_data: Signal<In, Bits<512>>,
    /// AXI: transaction id.
    pub r_id: Signal<In, Bits<4>>,
    /// AXI: 0 OKAY, 1 EXOKAY, 2 SLVERR, 3 DECERR.
    pub r_resp: Signal<In, Bits<2>>,
    /// AXI: last beat of its burst.
    pub r_last: Signal<In, Bit>,
    /// AXI: data are valid.
    pub r_valid: Signal<In, Bit>,
    /// AXI: always taken.
    pub r_ready: Signal<Out, Bit>,

    arbiter: RoundRobin<9>,
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
    request: Signal<Local, Bits<9>>,
    grant: Signal<Local, Bits<9>>,
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
        // Requests: bit 0 cache, bit 1 admission, bit 2 enqueue, bit 3 gather, bit 4 command, bit 5 update, bits 6 to 8 lists of pieces; who has no room for its tag does not ask.
        self.request.next = 0.into();
        if self.cache_request_valid.val() {
            self.request.next = self.request.val() | 1;
        }
        if self.admission_request_valid.val() & self.admission_room.free.val() {
            self.request.next = self.request.val() | 2;
        }
        if self.enqueue_request_valid.val() & self.enqueue_room.free.val() {
            self.request.next = self.request.val() | 4;
        }
        if self.gather_request_valid.val() {
            self.request.next = self.request.val() | 8;
        }
        if self.command_request_valid.val() {
            self.request.next = self.request.val() | 16;
        }
        if self.update_request_valid.val() {
            self.request.next = self.request.val() | 32;
        }
        if self.sum_list_request_valid.val() {
            self.request.next = self.request.val() | 64;
        }
        if self.gather_list_request_valid.val() {
            self.request.next = self.request.val() | 128;
        }
        if self.scatter_list_request_valid.val() {
            self.request.next = self.request.val() | 256;
        }
        self.arbiter.request.next = self.request.val();
        self.arbiter.advance.next = self.out.write_ready.val();
        self.grant.next = self.arbiter.grant.val();

        self.chosen.next = self.cache_request.val();
        self.cache_tag.next = self.cache_request.val().tag;
        self.address.next.id = bit_cast::<4, 2>(self.cache_tag.val()) | 8;
        if self.grant.val().get_bit(1) {
            self.chosen.next = self.admission_request.val();
            self.address.next.id = 12.into();
        }
        if self.grant.val().get_bit(2) {
            self.chosen.next = self.enqueue_request.val();
            self.address.next.id = 13.into();
        }
        self.address.next.size = self.chosen.val().size;
        self.address.next.context = self.chosen.val().context;
        self.address.next.address = self.chosen.val().address;
        self.address.next.length = 0.into();
        if self.grant.val().get_bit(3) {
            self.address.next.id = 14.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.gather_request.val().context;
            self.address.next.address = self.gather_request.val().address;
            self.address.next.length = self.gather_request.val().length;
        }
        if self.grant.val().get_bit(4) {
            self.address.next.id = 15.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.command_request.val().context;
            self.address.next.address = self.command_request.val().address;
            self.address.next.length = self.command_request.val().length;
        }
        if self.grant.val().get_bit(5) {
            self.address.next.id = 7.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.update_request.val().context;
            self.address.next.address = self.update_request.val().address;
            self.address.next.length = self.update_request.val().length;
        }
        if self.grant.val().get_bit(6) {
            self.address.next.id = 0.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.sum_list_request.val().context;
            self.address.next.address = self.sum_list_request.val().address;
            self.address.next.length = self.sum_list_request.val().length;
        }
        if self.grant.val().get_bit(7) {
            self.address.next.id = 1.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.gather_list_request.val().context;
            self.address.next.address = self.gather_list_request.val().address;
            self.address.next.length = self.gather_list_request.val().length;
        }
        if self.grant.val().get_bit(8) {
            self.address.next.id = 2.into();
            self.address.next.size = 6.into();
            self.address.next.context = self.scatter_list_request.val().context;
            self.address.next.address = self.scatter_list_request.val().address;
            self.address.next.length = self.scatter_list_request.val().length;
        }
        self.out.write.next = self.address.val();
        self.out.write_valid.next = self.request.val().any();
        self.take_admission.next = self.grant.val().get_bit(1) & self.out.write_ready.val();
        self.take_enqueue.next = self.grant.val().get_bit(2) & self.out.write_ready.val();
        self.cache_request_ready.next = self.grant.val().get_bit(0) & self.out.write_ready.val();
        self.gather_request_ready.next = self.grant.val().get_bit(3) & self.out.write_ready.val();
        self.command_request_ready.next = self.grant.val().get_bit(4) & self.out.write_ready.val();
        self.update_request_ready.next = self.grant.val().get_bit(5) & self.out.write_ready.val();
        self.sum_list_request_ready.next = self.grant.val().get_bit(6) & self.out.write_ready.val();
        self.gather_list_request_ready.next =
            self.grant.val().get_bit(7) & self.out.write_ready.val();
        self.scatter_list_request_ready.next =
            self.grant.val().get_bit(8) & self.out.write_ready.val();
        self.admission_request_ready.next = self.take_admission.val();
        self.enqueue_request_ready.next = self.take_enqueue.val();
        self.admission_tags.write.next = self.admission_request.val().tag;
        self.admission_tags.write_valid.next = self.take_admission.val();
        self.enqueue_tags.write.next = self.enqueue_request.val().tag;
        self.enqueue_tags.write_valid.next = self.take_enqueue.val();

        // AXI read address: INCR.
        self.on_pins.next = self.out.read.val();
        self.ar_addr.next = self.on_pins.val().address;
        self.ar_id.next = self.on_pins.val().id;
        self.ar_len.next = self.on_pins.val().length;
        self.ar_size.next = self.on_pins.val().size;
        self.ar_burst.next = 1.into();
        self.user.next = self.on_pins.val().context;
        self.ar_user.next = bit_cast::<4, 2>(self.user.val());
        self.ar_valid.next = self.out.read_valid.val();
        self.out.read_ready.next = self.ar_ready.val();

        // AXI read data: registered, then given to who is named by the id.
        self.r_ready.next = true;
        self.data_q.d.next = self.r_data.val();
        self.data_q.en.next = self.r_valid.val();
        self.id_q.d.next = self.r_id.val();
        self.id_q.en.next = self.r_valid.val();
        self.error_q.d.next = self.r_resp.val().get_bits::<1>(1);
        self.error_q.en.next = self.r_valid.val();
        self.last_q.d.next = self.r_last.val().into();
        self.last_q.en.next = self.r_valid.val();
        self.valid_q.d.next = self.r_valid.val();

        self.id_top.next = self.id_q.q.val().get_bits::<2>(2);
        self.from_cache.next = self.valid_q.q.val() & (self.id_top.val() == 2);
        self.from_admission.next = self.valid_q.q.val() & (self.id_q.q.val() == 12);
        self.from_enqueue.next = self.valid_q.q.val() & (self.id_q.q.val() == 13);
        self.from_atomic.next = self.valid_q.q.val() & (self.id_q.q.val() == 5);
        self.admission_tags.read_ready.next = self.from_admission.val();
        self.enqueue_tags.read_ready.next = self.from_enqueue.val();
        self.admission_room.come.next = self.take_admission.val();
        self.admission_room.leave.next =
            self.from_admission.val() & self.admission_tags.read_valid.val();
        self.enqueue_room.come.next = self.take_enqueue.val();
        self.enqueue_room.leave.next = self.from_enqueue.val() & self.enqueue_tags.read_valid.val();

        self.cache_result.next.tag = self.id_q.q.val().get_bits::<2>(0);
        self.cache_result.next.error = self.error_q.q.val();
        self.cache_result.next.data = self.data_q.q.val();
        self.cache_result_valid.next = self.from_cache.val();
        self.admission_result.next.tag = self.admission_tags.read.val();
        self.admission_result.next.error = self.error_q.q.val();
        self.admission_result.next.data = self.data_q.q.val();
        self.admission_result_valid.next = self.from_admission.val();
        self.enqueue_result.next.tag = self.enqueue_tags.read.val();
        self.enqueue_result.next.error = self.error_q.q.val();
        self.enqueue_result.next.data = self.data_q.q.val();
        self.enqueue_result_valid.next = self.from_enqueue.val();
        self.gather_result.next.last = self.last_q.q.val();
        self.gather_result.next.error = self.error_q.q.val();
        self.gather_result.next.data = self.data_q.q.val();
        self.gather_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 14);
        self.command_result.next.last = self.last_q.q.val();
        self.command_result.next.error = self.error_q.q.val();
        self.command_result.next.data = self.data_q.q.val();
        self.command_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 15);
        self.update_result.next.last = self.last_q.q.val();
        self.update_result.next.error = self.error_q.q.val();
        self.update_result.next.data = self.data_q.q.val();
        self.update_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 7);
        self.sum_list_result.next.last = self.last_q.q.val();
        self.sum_list_result.next.error = self.error_q.q.val();
        self.sum_list_result.next.data = self.data_q.q.val();
        self.sum_list_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 0);
        self.gather_list_result.next.last = self.last_q.q.val();
        self.gather_list_result.next.error = self.error_q.q.val();
        self.gather_list_result.next.data = self.data_q.q.val();
        self.gather_list_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 1);
        self.scatter_list_result.next.last = self.last_q.q.val();
        self.scatter_list_result.next.error = self.error_q.q.val();
        self.scatter_list_result.next.data = self.data_q.q.val();
        self.scatter_list_result_valid.next = self.valid_q.q.val() & (self.id_q.q.val() == 2);
        self.atomic_result.next.tag = 0.into();
        self.atomic_result.next.error = self.error_q.q.val();
        self.atomic_result.next.data = self.data_q.q.val();
        self.atomic_result_valid.next = self.from_atomic.val();
    }
}
