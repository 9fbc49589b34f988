//! `MessageTracker`: to which message a packet belongs, and where its body goes.
//!
//! **Purpose.** A message of several packets is decided about at its first packet; the later ones find here what was
//! decided.
//!
//! ```text
//!   checking, orphaning-->+----------------+--> open_hit, continues, open_free
//!   head               -->|                |--> owner, slot, xtq, address
//!   new_slot, landing, -->| MessageTracker |--> left, writes, orphan, pending
//!   new_left              |                |
//!   go, finish,        -->|                |--> ended
//!   delivered, aborting   |                |
//!   enabled, timeout   -->+----------------+
//! ```
//!
//! **Contract.** The outputs are those of the packet from the cycle after `checking` on. `open_hit`: its source (class,
//! node, context, target context) has an open message; `continues`, from one cycle later on: the packet is the next one
//! of it. `owner`, `slot`, `xtq` and `address` are the new message's (with `new_slot` and `landing`) for a first
//! packet, else, and with `aborting`, the open one's. So are `left`, the bytes of the message that are written from
//! this packet on (`new_left` for a first packet), and `writes`, whether any of it are. Where nothing is left the
//! address stays that of the last packet of which something is written. `orphan`: there is an open message whose
//! context was disabled, or that did not go on in time (`timeout`); while it is up, `checking` finds that one instead
//! of the packet's, and so does `orphaning`. `pending`: there are some, also one that `orphan` does not name yet, or a
//! message that was opened or advanced is being stored (one cycle, in which `orphan` is down), so the packet has to
//! wait. At an edge with `go` the open message is opened or advanced (`finish`, `delivered`, more to come), closed
//! (`finish`, last packet) or ended (`aborting`). `ended`, once for each first packet of a message of several packets:
//! in the cycle in which it was refused, or was closed or ended later.
//!
//! The packet stays the same from the last cycle with `checking` to the edge with `go`, and so does an orphan.
//!
//! **Internals.** [`OpenMessages`], a bit for whether one was found, and a register for what is to be stored
//! (`store_q`). Whether a message is opened is known late in the cycle, so it is stored in the next one, and only there
//! taken a packet further. What is known of the message found is read after a register with its place (`kept`), as the
//! search takes a cycle; that register needs no enable, as the source stays.

pub mod highest;
pub mod message_timer;
pub mod open_messages;
pub mod open_places;
pub mod orphan_messages;

use crate::admission::message_tracker::open_messages::OpenMessages;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::{OpenMessage, PacketHead};

/// The messages of several packets, as admission sees them; the sizes are those of [`OpenMessages`].
#[block]
pub struct MessageTracker<
    const C: usize = 4,
    const P: usize = 4,
    const N: usize = 16,
    const I: usize = 6,
    const T: usize = 64,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Look for the open message.
    pub checking: Signal<In, Bit>,
    /// With `aborting`: the message to end is the orphan.
    pub orphaning: Signal<In, Bit>,
    /// One bit per context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// Packet.
    pub head: Signal<In, PacketHead>,
    /// Slot for a new message.
    pub new_slot: Signal<In, Bits<8>>,
    /// Landing address of a new message.
    pub landing: Signal<In, Bits<64>>,
    /// Bytes of a new message that are written.
    pub new_left: Signal<In, Bits<32>>,
    /// What was decided happens at this edge.
    pub go: Signal<In, Bit>,
    /// The packet is decided about.
    pub finish: Signal<In, Bit>,
    /// With `finish`: its message goes on.
    pub delivered: Signal<In, Bit>,
    /// The open message is ended.
    pub aborting: Signal<In, Bit>,
    /// The source has an open message.
    pub open_hit: Signal<Out, Bit>,
    /// The packet is the next one of it.
    pub continues: Signal<Out, Bit>,
    /// There is room for another open message, same cycle.
    pub open_free: Signal<Out, Bit>,
    /// A message's context was disabled, or it did not go on in time: it has to be ended.
    pub orphan: Signal<Out, Bit>,
    /// There are such messages, or one is being stored.
    pub pending: Signal<Out, Bit>,
    /// A message of several packets, of context `owner`, was refused or has ended (pulse).
    pub ended: Signal<Out, Bit>,
    /// Context of the message.
    pub owner: Signal<Out, Bits<2>>,
    /// Slot of the message.
    pub slot: Signal<Out, Bits<8>>,
    /// It is an XTQ put.
    pub xtq: Signal<Out, Bit>,
    /// Where the packet's body goes.
    pub address: Signal<Out, Bits<64>>,
    /// Bytes of the message that are written from this packet on.
    pub left: Signal<Out, Bits<32>>,
    /// Bytes of the message are written.
    pub writes: Signal<Out, Bit>,

    open: OpenMessages<C, P, N, I, T>,
    hit_q: Reg<Bit>,
    continues_q: Delay<Bit>,
    store_q: Delay<Bit>,
    store_index_q: Delay<Bits<I>>,
    store_source_q: Delay<Bits<27>>,
    new_message_q: Delay<OpenMessage>,
    first: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    source_node: Signal<Local, Bits<16>>,
    source_context: Signal<Local, Bits<8>>,
    head_context: Signal<Local, Bits<2>>,
    is_reply: Signal<Local, Bits<1>>,
    source: Signal<Local, Bits<27>>,
    expected_here: Signal<Local, Bit>,
    same_message: Signal<Local, Bit>,
    now_left: Signal<Local, Bits<32>>,
    more_left: Signal<Local, Bit>,
    new_message: Signal<Local, OpenMessage>,
    last_expected: Signal<Local, Bits<32>>,
    last_address: Signal<Local, Bits<64>>,
    last_left: Signal<Local, Bits<32>>,
    stored: Signal<Local, OpenMessage>,
}

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize> Logic
    for MessageTracker<C, P, N, I, T>
{
    fn update(&mut self) {
        // Who sends.
        self.first.next = self.head.val().first == 1;
        self.last.next = self.head.val().last == 1;
        self.source_node.next = self.head.val().source_node;
        self.source_context.next = self.head.val().source_context;
        self.head_context.next = self.head.val().context;
        // Packets of replies and of puts come in no order to each other.
        self.is_reply.next = self.head.val().reply;
        self.source.next = (bit_cast::<27, 1>(self.is_reply.val()) << 26)
            | (bit_cast::<27, 16>(self.source_node.val()) << 10)
            | (bit_cast::<27, 8>(self.source_context.val()) << 2)
            | bit_cast::<27, 2>(self.head_context.val());
        self.orphan.next = self.open.orphan.val() & !self.store_q.q.val();
        self.pending.next = self.open.pending.val() | self.store_q.q.val();
        if self.open.orphan.val() & (self.checking.val() | self.orphaning.val()) {
            self.source.next = self.open.orphan_source.val();
        }
        self.open.source.next = self.source.val();
        self.open.enabled.next = self.enabled.val();
        self.open.timeout.next = self.timeout.val();
        self.owner.next = self.source.val().get_bits::<2>(0);

        // What is known of its open message.
        self.hit_q.en.next = self.checking.val();
        self.hit_q.d.next = self.open.hit.val();
        self.expected_here.next = self.open.kept.val().expected == self.head.val().packet_offset;
        self.same_message.next = self.open.kept.val().message_id == self.head.val().message_id;
        self.open_hit.next = self.hit_q.q.val();
        self.continues_q.d.next =
            self.hit_q.q.val() & self.expected_here.val() & self.same_message.val();
        self.continues.next = self.continues_q.q.val();
        self.open_free.next = self.open.free.val();

        // The open message: opened, advanced (both are stored in the next cycle), closed or ended.
        self.opens.next = self.finish.val() & self.delivered.val() & !self.last.val();
        self.closes.next =
            (self.finish.val() & !self.first.val() & self.last.val()) | self.aborting.val();
        self.store_q.d.next = self.go.val() & self.opens.val();
        self.store_source_q.d.next = self.source.val();
        self.open.close.next = self.go.val() & self.closes.val();
        self.ended.next = self.go.val()
            & (self.closes.val() | (self.first.val() & !self.last.val() & !self.opens.val()));
        self.store_index_q.d.next = self.open.kept_index.val();
        self.slot.next = self.open.kept.val().slot;
        self.xtq.next = self.open.kept.val().xtq == 1;
        self.address.next = self.open.kept.val().address;
        self.now_left.next = self.open.kept.val().left;
        self.writes.next = self.open.kept.val().writes == 1;
        if self.first.val() & !self.aborting.val() {
            self.store_index_q.d.next = self.open.free_index.val();
            self.slot.next = self.new_slot.val();
            self.xtq.next = self.head.val().xtq == 1;
            self.address.next = self.landing.val();
            self.now_left.next = self.new_left.val();
            self.writes.next = self.new_left.val().any();
        }
        self.left.next = self.now_left.val();
        self.new_message.next.slot = self.slot.val();
        self.new_message.next.xtq = self.xtq.val().into();
        self.new_message.next.message_id = self.head.val().message_id;
        self.new_message.next.expected = self.head.val().packet_offset;
        self.new_message.next.writes = self.writes.val().into();
        self.new_message.next.address = self.address.val();
        self.new_message.next.left = self.now_left.val();
        self.new_message_q.d.next = self.new_message.val();
        // A packet further.
        self.last_expected.next = self.new_message_q.q.val().expected;
        self.last_address.next = self.new_message_q.q.val().address;
        self.last_left.next = self.new_message_q.q.val().left;
        self.more_left.next = self.last_left.val() > 4096;
        self.stored.next = self.new_message_q.q.val();
        self.stored.next.expected = self.last_expected.val() + 4096;
        self.stored.next.left = 0.into();
        if self.more_left.val() {
            self.stored.next.address = self.last_address.val() + 4096;
            self.stored.next.left = self.last_left.val() - 4096;
        }
        self.open.store.next = self.store_q.q.val();
        self.open.store_index.next = self.store_index_q.q.val();
        self.open.store_source.next = self.store_source_q.q.val();
        self.open.new_message.next = self.stored.val();
    }
}
