//! `RequestWindow`: the requests that are being decided about, at most four.
//!
//! **Purpose.** The walk goes ahead to later requests before it is known what becomes of an earlier one, and may have
//! to come back. So a request is kept here from its acceptance to its end.
//!
//! ```text
//!   request   -->+---------------+--> start*     (to be walked next, same cycle)
//!   hold      -->|               |<-- start_take
//!   rewind    -->| RequestWindow |<-- key_of, --> key       (same cycle)
//!   rewind_to -->|               |<-- settle_of, --> settled*, wanted (same cycle)
//!   retire    -->|               |--> idle
//!                +---------------+
//! ```
//!
//! **Contract.** Requests are named by a pointer of 3 bits that counts up; the low 2 bits are the place. `start` is the
//! oldest that was not taken by `start_take`, and may be the one that is accepted in this cycle. `rewind` makes
//! `rewind_to` the next to start, which must have been started. `retire` ends the oldest. Nothing is accepted while
//! `hold` is up.
//!
//! **Internals.** A memory of four words for each reader. Sums and minima of what came are stored, not computed again:
//! the end of the message (low half and carry; the carry is added when it is read), and the bytes that may move.

use crate::bundle::StreamIn;
use crate::leaf::{LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::MessageKey;
use xtq_types::matching::{MatchRequest, request_kind};

/// The window of requests.
#[block]
pub struct RequestWindow {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all requests.
    pub rst: Signal<In, Bit>,
    /// From the parser: a request.
    pub request: StreamIn<MatchRequest>,
    /// Accept nothing.
    pub hold: Signal<In, Bit>,
    /// There is no request in the window.
    pub idle: Signal<Out, Bit>,
    /// There is a request to start.
    pub start_valid: Signal<Out, Bit>,
    /// Its pointer.
    pub start_pointer: Signal<Out, Bits<3>>,
    /// Its portal entry, {index 6, context 2}.
    pub start_portal: Signal<Out, Bits<8>>,
    /// It is an XTQ put.
    pub start_xtq: Signal<Out, Bit>,
    /// It is started at this edge.
    pub start_take: Signal<In, Bit>,
    /// Go back.
    pub rewind: Signal<In, Bit>,
    /// To this request.
    pub rewind_to: Signal<In, Bits<3>>,
    /// Place of a request that is compared.
    pub key_of: Signal<In, Bits<2>>,
    /// Its key.
    pub key: Signal<Out, MessageKey>,
    /// Place of the request that is settled.
    pub settle_of: Signal<In, Bits<2>>,
    /// The request.
    pub settled: Signal<Out, MatchRequest>,
    /// Bytes that may move: the smaller of length and limit.
    pub wanted: Signal<Out, Bits<32>>,
    /// Its key.
    pub settled_key: Signal<Out, MessageKey>,
    /// The oldest request ends at this edge.
    pub retire: Signal<In, Bit>,
    keys: LutRam<MatchRequest, 2>,
    requests: LutRam<MatchRequest, 2>,
    /// Portal entry, and above it whether it is an XTQ put.
    starts: LutRam<Bits<9>, 2>,
    sums: LutRam<Bits<33>, 2>,
    settled_sums: LutRam<Bits<33>, 2>,
    wants: LutRam<Bits<32>, 2>,
    head_q: Reg<Bits<3>>,
    start_q: Reg<Bits<3>>,
    tail_q: Reg<Bits<3>>,
    count: Signal<Local, Bits<3>>,
    room: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    waiting: Signal<Local, Bit>,
    place: Signal<Local, Bits<2>>,
    portal_index: Signal<Local, Bits<16>>,
    offset: Signal<Local, Bits<64>>,
    low: Signal<Local, Bits<33>>,
    length: Signal<Local, Bits<33>>,
    portal: Signal<Local, Bits<9>>,
    start: Signal<Local, Bits<9>>,
    kept: Signal<Local, MatchRequest>,
    kept_offset: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<33>>,
    carry: Signal<Local, Bits<33>>,
    last: Signal<Local, MatchRequest>,
    last_offset: Signal<Local, Bits<64>>,
    last_high: Signal<Local, Bits<33>>,
    last_carry: Signal<Local, Bits<33>>,
    #[value(request_kind::XTQ_PUT.to_bits())]
    xtq_put: Constant<Bits<3>>,
    #[value(256u16.to_bits())]
    xtq_bit: Constant<Bits<9>>,
}

#[kernel]
impl Logic for RequestWindow {
    fn update(&mut self) {
        // Accept.
        self.count.next = self.tail_q.q.val() - self.head_q.q.val();
        self.room.next = self.count.val() != 4;
        self.request.ready.next = self.room.val() & !self.hold.val();
        self.accept.next = self.request.valid.val() & self.room.val() & !self.hold.val();
        self.idle.next = !self.count.val().any();
        self.tail_q.d.next = self.tail_q.q.val() + 1;
        self.tail_q.en.next = self.accept.val();
        self.head_q.d.next = self.head_q.q.val() + 1;
        self.head_q.en.next = self.retire.val();
        self.place.next = self.tail_q.q.val().get_bits::<2>(0);
        self.keys.write_addr.next = self.place.val();
        self.keys.write_data.next = self.request.data.val();
        self.keys.write_en.next = self.accept.val();
        self.requests.write_addr.next = self.place.val();
        self.requests.write_data.next = self.request.data.val();
        self.requests.write_en.next = self.accept.val();
        self.offset.next = self.request.data.val().remote_offset;
        self.low.next = bit_cast::<33, 32>(self.offset.val().get_bits::<32>(0));
        self.length.next = bit_cast::<33, 32>(self.request.data.val().length);
        self.sums.write_addr.next = self.place.val();
        self.sums.write_data.next = self.low.val() + self.length.val();
        self.sums.write_en.next = self.accept.val();
        self.settled_sums.write_addr.next = self.place.val();
        self.settled_sums.write_data.next = self.low.val() + self.length.val();
        self.settled_sums.write_en.next = self.accept.val();
        self.wants.write_addr.next = self.place.val();
        self.wants.write_data.next = self.request.data.val().length;
        if self.request.data.val().limit < self.request.data.val().length {
            self.wants.write_data.next = self.request.data.val().limit;
        }
        self.wants.write_en.next = self.accept.val();

        // Start.
        self.portal_index.next = self.request.data.val().portal_index;
        self.portal.next = (bit_cast::<9, 6>(self.portal_index.val().get_bits::<6>(0)) << 2)
            | bit_cast::<9, 2>(self.request.data.val().context);
        self.start.next = self.portal.val();
        if self.request.data.val().kind == self.xtq_put.val() {
            self.start.next = self.portal.val() | self.xtq_bit.val();
        }
        self.starts.write_addr.next = self.place.val();
        self.starts.write_data.next = self.start.val();
        self.starts.write_en.next = self.accept.val();
        self.starts.read_addr.next = self.start_q.q.val().get_bits::<2>(0);
        self.waiting.next = self.start_q.q.val() != self.tail_q.q.val();
        self.start_valid.next = self.waiting.val() | self.accept.val();
        self.start_pointer.next = self.start_q.q.val();
        self.start_portal.next = self.start.val().get_bits::<8>(0);
        self.start_xtq.next = self.start.val().get_bit(8);
        if self.waiting.val() {
            self.start_portal.next = self.starts.read_data.val().get_bits::<8>(0);
            self.start_xtq.next = self.starts.read_data.val().get_bit(8);
        }
        self.start_q.d.next = self.start_q.q.val() + 1;
        self.start_q.en.next = self.start_take.val() | self.rewind.val();
        if self.rewind.val() {
            self.start_q.d.next = self.rewind_to.val();
        }

        // Read.
        self.keys.read_addr.next = self.key_of.val();
        self.sums.read_addr.next = self.key_of.val();
        self.kept.next = self.keys.read_data.val();
        self.kept_offset.next = self.kept.val().remote_offset;
        self.high.next = bit_cast::<33, 32>(self.kept_offset.val().get_bits::<32>(32));
        self.carry.next = bit_cast::<33, 1>(self.sums.read_data.val().get_bits::<1>(32));
        self.key.next.match_bits = self.kept.val().match_bits;
        self.key.next.source_node = self.kept.val().source_node;
        self.key.next.source_context = self.kept.val().source_context;
        self.key.next.length = self.kept.val().length;
        self.key.next.end_low = self.sums.read_data.val().get_bits::<32>(0);
        self.key.next.end_high = self.high.val() + self.carry.val();
        self.requests.read_addr.next = self.settle_of.val();
        self.last.next = self.requests.read_data.val();
        self.settled.next = self.last.val();
        self.settled_sums.read_addr.next = self.settle_of.val();
        self.last_offset.next = self.last.val().remote_offset;
        self.last_high.next = bit_cast::<33, 32>(self.last_offset.val().get_bits::<32>(32));
        self.last_carry.next =
            bit_cast::<33, 1>(self.settled_sums.read_data.val().get_bits::<1>(32));
        self.settled_key.next.match_bits = self.last.val().match_bits;
        self.settled_key.next.source_node = self.last.val().source_node;
        self.settled_key.next.source_context = self.last.val().source_context;
        self.settled_key.next.length = self.last.val().length;
        self.settled_key.next.end_low = self.settled_sums.read_data.val().get_bits::<32>(0);
        self.settled_key.next.end_high = self.last_high.val() + self.last_carry.val();
        self.wants.read_addr.next = self.settle_of.val();
        self.wanted.next = self.wants.read_data.val();
    }
}
