//! `LookupStage`: gets the table entries of every message while it waits for its turn.
//!
//! **Purpose.** Stands between the parser and admission. It keeps up to eight packets in order and asks the lookup
//! cache for the entries of the XTQ messages among them ahead of time, so that a miss of one message overlaps with the
//! others. Whether an entry is registered is not looked at here.
//!
//! ```text
//!                        +-------------+
//!   head, head_aql    -->|             |--> out, out_aql and what was found
//!   result            -->| LookupStage |--> request
//!   cfg_write, _addr, -->|             |
//!   _data, halt          |             |--> empty
//!                        +-------------+
//! ```
//!
//! **Contract.**
//! * Every head leaves on `out` in order with its AQL packet. The first packet of an XTQ put of type 2 or 4 asks for
//!   its task entry (KERNEL by kernel_object, FUNCTION by return_address) and its queue entry (QUEUE by reserved2). All
//!   other packets ask for nothing and have `type_ok` and all `_found` = 0.
//! * `x_found`: the index, all 64 bits of it, is below the table's size; else nothing is read. `x_error`: the read
//!   failed. `x_entry` counts only if `x_found` and not `x_error`.
//! * Requests are in order, one a cycle. Results may come in any order; each request is answered by exactly one, never
//!   in the cycle of the request.
//! * A head accepted in cycle *n* is on `out` in *n + 1* if it asks for nothing and nothing is before it; with a cache
//!   that answers in two cycles in *n + 7*. One head a cycle, one that asks every two cycles, sustained. The window is
//!   [`LookupAddress`]'s; it must not change while messages of that context are under way. Reset forgets all packets.
//! * While `halt` is up no head is accepted; `empty` says that all that were accepted have left. Who changes a table
//!   entry does so between: then no head has the old one, or one of each.
//!
//! **Internals.** A slot is a place of the eight; a request's tag is {slot 3, 0 task or 1 queue}.
//! ```text
//!   n: accept     | n+1: pick           | n+2: locate (s1)     | n+3: request
//!   head -> slot  | task, then queue    | base + 64 * index,   | to the cache, result
//!   job -> jobs   | index of the oldest | index < size         | into the slot's memory
//! ```
//! `done_q` has a bit for each tag whose entry is there or is not needed, `found_q` whether the index was in range;
//! both are cleared when the slot is left.

use crate::bundle::{PulseIn, StreamIn, StreamOut, WindowIn};
use crate::leaf::{Delay, Fifo, LutRam, Reg};
use crate::lookup::lookup_address::LookupAddress;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::{LookupJob, LookupRequest, LookupResult, PacketHead};

/// Eight packets and their table entries.
#[block]
pub struct LookupStage {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all packets, empties all tables.
    pub rst: Signal<In, Bit>,
    /// From the parser: a packet's header.
    pub head: StreamIn<PacketHead>,
    /// Its AQL packet (first packet of an XTQ put).
    pub head_aql: Signal<In, Bits<512>>,
    /// To admission: the header. `out_valid` is also that of all that belongs to it.
    pub out: StreamOut<PacketHead>,
    /// Its AQL packet.
    pub out_aql: Signal<Out, Bits<512>>,
    /// `out` and `out_aql`, `type_ok`, `agent` and `queue_index` are those of the next head; what else belongs to it
    /// may not be there yet.
    pub out_there: Signal<Out, Bit>,
    /// The AQL type is 2 or 4.
    pub type_ok: Signal<Out, Bit>,
    /// The AQL type is 4, agent dispatch.
    pub agent: Signal<Out, Bit>,
    /// The kernel or function index is in range.
    pub task_found: Signal<Out, Bit>,
    /// Reading the task entry failed.
    pub task_error: Signal<Out, Bit>,
    /// The task entry came from the cache.
    pub task_hit: Signal<Out, Bit>,
    /// Kernel or function entry.
    pub task_entry: Signal<Out, Bits<512>>,
    /// The queue index is in range.
    pub queue_found: Signal<Out, Bit>,
    /// Reading the queue entry failed.
    pub queue_error: Signal<Out, Bit>,
    /// The queue entry came from the cache.
    pub queue_hit: Signal<Out, Bit>,
    /// Queue entry.
    pub queue_entry: Signal<Out, Bits<512>>,
    /// Lower bits of the queue index.
    pub queue_index: Signal<Out, Bits<16>>,
    /// To the lookup cache: an entry asked for.
    pub request: StreamOut<LookupRequest>,
    /// From the lookup cache: an entry.
    pub result: PulseIn<LookupResult>,
    /// Window, {context 2, table 2, word 2}: word 0 BASE_LO, 1 BASE_HI, 2 SIZE.
    pub cfg: WindowIn<6>,
    /// From the registers: accept no head.
    pub halt: Signal<In, Bit>,
    /// No head is here.
    pub empty: Signal<Out, Bit>,
    heads: LutRam<PacketHead, 3>,
    aqls: LutRam<Bits<512>, 3>,
    jobs: Fifo<LookupJob, 3, 4>,
    tasks: LutRam<LookupResult, 3>,
    queues: LutRam<LookupResult, 3>,
    locate: LookupAddress,
    first_q: Reg<Bits<4>>,
    next_q: Reg<Bits<4>>,
    done_q: Delay<Bits<16>>,
    found_q: Delay<Bits<16>>,
    queue_turn_q: Reg<Bit>,
    s1_valid_q: Reg<Bit>,
    s1_index_q: Reg<Bits<64>>,
    s1_request_q: Reg<LookupRequest>,
    request_valid_q: Reg<Bit>,
    request_q: Reg<LookupRequest>,
    #[value(1u64.to_bits())]
    one: Constant<Bits<16>>,
    #[value(3u64.to_bits())]
    three: Constant<Bits<16>>,
    used: Signal<Local, Bits<4>>,
    accept: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    head_type: Signal<Local, Bits<8>>,
    head_asks: Signal<Local, Bit>,
    job: Signal<Local, LookupJob>,
    flow: Signal<Local, Bit>,
    picked: Signal<Local, LookupRequest>,
    picked_slot: Signal<Local, Bits<4>>,
    located: Signal<Local, LookupRequest>,
    located_tag: Signal<Local, Bits<4>>,
    located_mask: Signal<Local, Bits<16>>,
    result_tag: Signal<Local, Bits<4>>,
    result_mask: Signal<Local, Bits<16>>,
    out_slot: Signal<Local, Bits<3>>,
    out_tag: Signal<Local, Bits<4>>,
    out_mask: Signal<Local, Bits<16>>,
    out_done: Signal<Local, Bits<2>>,
    out_found: Signal<Local, Bits<2>>,
    out_raw: Signal<Local, Bits<512>>,
    out_type: Signal<Local, Bits<8>>,
    out_asks: Signal<Local, Bit>,
    out_agent: Signal<Local, Bit>,
    zero: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for LookupStage {
    fn update(&mut self) {
        self.zero.next = 0.into();

        // Accept: the head takes a slot, its job waits after the others.
        self.used.next = self.next_q.q.val() - self.first_q.q.val();
        self.room.next = !self.used.val().get_bit(3) & !self.halt.val();
        self.accept.next = self.head.valid.val() & self.room.val();
        self.head.ready.next = self.room.val();
        self.empty.next = !self.used.val().any();
        self.heads.write_addr.next = self.next_q.q.val().get_bits::<3>(0);
        self.heads.write_data.next = self.head.data.val();
        self.heads.write_en.next = self.accept.val();
        self.aqls.write_addr.next = self.next_q.q.val().get_bits::<3>(0);
        self.aqls.write_data.next = self.head_aql.val();
        self.aqls.write_en.next = self.accept.val();
        self.next_q.d.next = self.next_q.q.val() + 1;
        self.next_q.en.next = self.accept.val();

        self.head_type.next = self.head_aql.val().get_bits::<8>(0);
        self.head_asks.next = self.head.data.val().xtq.any()
            & self.head.data.val().first.any()
            & ((self.head_type.val() == 2) | (self.head_type.val() == 4));
        self.job.next.place = self.next_q.q.val().get_bits::<3>(0);
        self.job.next.context = self.head.data.val().context;
        self.job.next.queue_index = self.head_aql.val().get_bits::<64>(384);
        self.job.next.agent = 0.into();
        self.job.next.task_index = self.head_aql.val().get_bits::<64>(256);
        if self.head_type.val() == 4 {
            self.job.next.agent = 1.into();
            self.job.next.task_index = self.head_aql.val().get_bits::<64>(64);
        }
        self.jobs.write.data.next = self.job.val();
        self.jobs.write.valid.next = self.accept.val() & self.head_asks.val();

        // Pick: the task of the oldest job, then its queue. The pipeline stands while a request waits.
        self.flow.next = !self.request_valid_q.q.val() | self.request.ready.val();
        self.queue_turn_q.en.next = self.flow.val() & self.jobs.read.valid.val();
        self.queue_turn_q.d.next = !self.queue_turn_q.q.val();
        self.jobs.read.ready.next = self.flow.val() & self.queue_turn_q.q.val();
        self.picked_slot.next = bit_cast::<4, 3>(self.jobs.read.data.val().place);
        self.picked.next.tag = self.picked_slot.val() << 1;
        self.picked.next.context = self.jobs.read.data.val().context;
        self.picked.next.kind = bit_cast::<2, 1>(self.jobs.read.data.val().agent);
        self.picked.next.index = 0.into();
        self.picked.next.address = self.zero.val();
        self.s1_index_q.d.next = self.jobs.read.data.val().task_index;
        if self.queue_turn_q.q.val() {
            self.picked.next.tag = (self.picked_slot.val() << 1) | 1;
            self.picked.next.kind = 2.into();
            self.s1_index_q.d.next = self.jobs.read.data.val().queue_index;
        }
        self.s1_index_q.en.next = self.flow.val();
        self.s1_request_q.d.next = self.picked.val();
        self.s1_request_q.en.next = self.flow.val();
        self.s1_valid_q.d.next = self.jobs.read.valid.val();
        self.s1_valid_q.en.next = self.flow.val();

        // Locate: address and range check.
        connect!(self.cfg => self.locate.cfg);
        self.locate.owner.next = self.s1_request_q.q.val().context;
        self.locate.kind.next = self.s1_request_q.q.val().kind;
        self.locate.index.next = self.s1_index_q.q.val();
        self.located.next = self.s1_request_q.q.val();
        self.located.next.index = self.s1_index_q.q.val().get_bits::<16>(0);
        self.located.next.address = self.locate.address.val();
        self.request_q.d.next = self.located.val();
        self.request_q.en.next = self.flow.val();
        self.request_valid_q.d.next = self.s1_valid_q.q.val() & self.locate.found.val();
        self.request_valid_q.en.next = self.flow.val();
        self.request.data.next = self.request_q.q.val();
        self.request.valid.next = self.request_valid_q.q.val();

        // Results go to their slot's memory.
        self.result_tag.next = self.result.data.val().tag;
        self.tasks.write_addr.next = self.result_tag.val().get_bits::<3>(1);
        self.tasks.write_data.next = self.result.data.val();
        self.tasks.write_en.next = self.result.valid.val() & !self.result_tag.val().get_bit(0);
        self.queues.write_addr.next = self.result_tag.val().get_bits::<3>(1);
        self.queues.write_data.next = self.result.data.val();
        self.queues.write_en.next = self.result.valid.val() & self.result_tag.val().get_bit(0);

        // Leave: the oldest head, when nothing is missing.
        self.out_slot.next = self.first_q.q.val().get_bits::<3>(0);
        self.out_tag.next = bit_cast::<4, 3>(self.out_slot.val()) << 1;
        self.heads.read_addr.next = self.out_slot.val();
        self.aqls.read_addr.next = self.out_slot.val();
        self.tasks.read_addr.next = self.out_slot.val();
        self.queues.read_addr.next = self.out_slot.val();
        self.out_done.next = self
            .done_q
            .q
            .val()
            .get_bits::<2>(self.out_tag.val().index());
        self.out_found.next = self
            .found_q
            .q
            .val()
            .get_bits::<2>(self.out_tag.val().index());
        self.out_raw.next = self.aqls.read_data.val();
        self.out_type.next = self.out_raw.val().get_bits::<8>(0);
        self.out_agent.next = self.heads.read_data.val().xtq.any()
            & self.heads.read_data.val().first.any()
            & (self.out_type.val() == 4);
        self.out_asks.next = self.heads.read_data.val().xtq.any()
            & self.heads.read_data.val().first.any()
            & ((self.out_type.val() == 2) | (self.out_type.val() == 4));
        self.out.valid.next =
            self.used.val().any() & (!self.out_asks.val() | self.out_done.val().all());
        self.out_there.next = self.used.val().any();
        self.leave.next = self.used.val().any()
            & (!self.out_asks.val() | self.out_done.val().all())
            & self.out.ready.val();
        self.first_q.d.next = self.first_q.q.val() + 1;
        self.first_q.en.next = self.leave.val();

        self.out.data.next = self.heads.read_data.val();
        self.out_aql.next = self.out_raw.val();
        self.type_ok.next = self.out_asks.val();
        self.agent.next = self.out_agent.val();
        self.task_found.next = self.out_found.val().get_bit(0);
        self.task_error.next =
            self.out_found.val().get_bit(0) & self.tasks.read_data.val().error.any();
        self.task_hit.next = self.out_found.val().get_bit(0) & self.tasks.read_data.val().hit.any();
        self.task_entry.next = self.tasks.read_data.val().entry;
        self.queue_found.next = self.out_found.val().get_bit(1);
        self.queue_error.next =
            self.out_found.val().get_bit(1) & self.queues.read_data.val().error.any();
        self.queue_hit.next =
            self.out_found.val().get_bit(1) & self.queues.read_data.val().hit.any();
        self.queue_entry.next = self.queues.read_data.val().entry;
        self.queue_index.next = self.out_raw.val().get_bits::<16>(384);

        // What each tag has.
        self.located_tag.next = self.s1_request_q.q.val().tag;
        self.located_mask.next = 0.into();
        if self.s1_valid_q.q.val() {
            // Also, to the same effect, while s1 stands: the request before it is then of this slot or of an older one.
            self.located_mask.next = self.one.val() << self.located_tag.val();
        }
        self.result_mask.next = 0.into();
        if self.result.valid.val() {
            self.result_mask.next = self.one.val() << self.result_tag.val();
        }
        self.out_mask.next = 0.into();
        if self.leave.val() {
            self.out_mask.next = self.three.val() << self.out_tag.val();
        }
        self.found_q.d.next = self.found_q.q.val() & !self.out_mask.val();
        self.done_q.d.next = (self.done_q.q.val() | self.result_mask.val()) & !self.out_mask.val();
        if self.locate.found.val() {
            self.found_q.d.next =
                (self.found_q.q.val() | self.located_mask.val()) & !self.out_mask.val();
        } else {
            self.done_q.d.next =
                (self.done_q.q.val() | self.result_mask.val() | self.located_mask.val())
                    & !self.out_mask.val();
        }
    }
}
