//! `MatchUnit`: which match entry takes a message: the portal table, match lists and unexpected headers of a NIC with
//! four contexts.
//!
//! **Purpose.** Everything about lists that Portals 4 asks of a target: steps 1 to 8 for a request, append with its
//! atomic search, search, unlink, flow control. It reports what becomes of a message; it moves no data, counts nothing
//! and makes no event: blocks after it do, from its results and responses.
//!
//! ```text
//!                 +-----------+
//!   request    -->|           |--> result     what becomes of a message
//!   command    -->| MatchUnit |--> response   what a command did, headers found
//!                 |           |--> count_drop, count_permission, count_operation, count_context
//!                 |           |--> flow_portals
//!                 +-----------+
//! ```
//!
//! **Contract.** Results come in the order of the requests, responses in that of the commands. A command is one atomic
//! step against requests: those accepted before it began see nothing of it, those after all of it. Each context has 64
//! portal entries and a fourth of the entries and headers; it can name and use up nothing else. `event_room` of a
//! request says what its event ring can take; it counts only for portal entries with flow control. A response speaks of
//! messages whose results came before it: who acts on it waits until those are delivered. After reset nothing is
//! accepted for as many cycles as there are entries (at least 512).
//!
//! **Cost model.** A request whose first entry matches: result 6 cycles after it was accepted, one every 2 cycles, an
//! XTQ put every 3. A list is read a chunk of four entries a cycle: 6 + *n* / 4 cycles for *n* entries before the one
//! that matches, and about 4 more if the next request was begun speculatively. Slots that were unlinked from a chunk
//! that is not empty cost as if they were in use. An entry that keeps the offset, does not truncate and turns out too
//! small costs 6. A command waits for the requests under way, and takes 5 to 8 cycles, a cycle for each header that it
//! searches and six for each that it finds. Memories: 232 bits a slot, four slots for each entry, so that holes never
//! cost room; 494 bits an entry; 198 bits a slot, four slots for each header; 275 bits a header.
//!
//! **Internals.**
//! ```text
//!   request --> RequestWindow --> MatchWalk --> MatchSettle --> result
//!                                  |    ^          |   ^
//!   command --> MatchCommands      v    |          v   |
//!     |  ^                     EntryStore, HeaderStore, PortalStates
//!     v  +-------------------------^
//!   response
//! ```
//! Requests and commands never work at the same time, so they share the ports of the stores; `commanding` says whose
//! they are. Inside, the context is the low two bits of every number of an entry or portal entry.

pub mod append_fill;
pub mod chunk_banks;
pub mod chunk_links;
pub mod command_decode;
pub mod entry_store;
pub mod first_hit;
pub mod header_store;
pub mod landing;
pub mod match_commands;
pub mod match_settle;
pub mod match_walk;
pub mod portal_states;
pub mod request_window;
pub mod slot_compare;
pub mod store_clear;

use crate::bundle::{RefusalsOut, StreamIn, StreamOut};
use crate::leaf::{Fifo, QueueRoom};
use entry_store::EntryStore;
use header_store::HeaderStore;
use match_commands::MatchCommands;
use match_settle::MatchSettle;
use match_walk::MatchWalk;
use portal_states::PortalStates;
use request_window::RequestWindow;
use rust_hdl::prelude::*;
use store_clear::StoreClear;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::PortalState;
use xtq_types::matching::{MatchCommand, MatchRequest, MatchResponse, MatchResult};

/// The default configuration: 256 entries and 128 headers, 64 and 32 for each context.
pub type SmallMatchUnit = MatchUnit<8, 9, 7, 8>;

/// The large configuration: 4,096 entries and 4,096 headers, 1,024 each for each context.
pub type LargeMatchUnit = MatchUnit<12, 13, 12, 13>;

/// A match unit of `2^E` entries and `2^H` unexpected headers (4 to 4,096 each), a fourth of them for each context;
/// `EN` = `E + 1`, `HN` = `H + 1`.
#[block]
#[check(
    (2..=12).contains(&E) && (2..=12).contains(&H),
    "MatchUnit: 2^{E} entries and 2^{H} headers, must be 4 to 4,096 each"
)]
#[check(
    EN == E + 1 && HN == H + 1,
    "MatchUnit: pointers of {EN} and {HN} bits, must be {} and {}",
    E + 1,
    H + 1
)]
pub struct MatchUnit<const E: usize, const EN: usize, const H: usize, const HN: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; forgets all entries, headers and portal entries.
    pub rst: Signal<In, Bit>,

    /// From the parser: a message's header.
    pub request: StreamIn<MatchRequest>,
    /// To deliver: what becomes of it.
    pub result: StreamOut<MatchResult>,

    /// From the command processor: a command. It is taken when it is done.
    pub command: StreamIn<MatchCommand>,
    /// To the command processor: what it did.
    pub response: StreamOut<MatchResponse>,

    /// Requests that were refused (pulses).
    pub count: RefusalsOut,
    /// Enabled portal entries with flow control, 7 bits a context, context 0 lowest: each has a place in the event ring
    /// reserved for PT_DISABLED.
    pub flow_portals: Signal<Out, Bits<28>>,

    window: RequestWindow,
    walk: MatchWalk<E>,
    settle: MatchSettle,
    commands: MatchCommands<E, H>,
    clear: StoreClear<E>,
    entries: EntryStore<E, EN>,
    headers: HeaderStore<H, HN>,
    portals: PortalStates,
    results: Fifo<MatchResult, 2, 3>,
    results_room: QueueRoom<3>,
    responses: Fifo<MatchResponse, 1, 2>,
    responses_room: QueueRoom<2>,
    commanding: Signal<Local, Bit>,
    portal: Signal<Local, PortalState>,
    last_list: Signal<Local, Bits<9>>,
    overflow_bit: Signal<Local, Bits<9>>,
}

#[kernel]
impl<const E: usize, const EN: usize, const H: usize, const HN: usize> Logic
    for MatchUnit<E, EN, H, HN>
{
    fn update(&mut self) {
        self.commanding.next = self.commands.commanding.val();

        // Portal entries: one is disabled by flow control, or written by a command.
        self.portals.clear.next = self.clear.clearing.val();
        self.portals.clear_index.next = self.clear.index.val().get_bits::<8>(0);
        self.portals.portal.next = self.settle.last.val().portal;
        self.portal.next = self.portals.state.val();
        self.portals.new_state.next.allocated = self.portal.val().allocated;
        self.portals.new_state.next.enabled = 0.into();
        self.portals.new_state.next.flow_control = self.portal.val().flow_control;
        self.portals.new_state.next.matching = self.portal.val().matching;
        self.portals.write.next = self.settle.close.val();
        // Only an enabled portal entry with flow control is disabled by it.
        self.portals.old_state.next.allocated = 1.into();
        self.portals.old_state.next.enabled = 1.into();
        self.portals.old_state.next.flow_control = 1.into();
        self.portals.old_state.next.matching = self.portal.val().matching;
        if self.commanding.val() {
            self.portals.portal.next = self.commands.portal_of.val();
            self.portals.new_state.next = self.commands.new_portal.val();
            self.portals.old_state.next = self.commands.old_portal.val();
            self.portals.write.next = self.commands.write_portal.val();
        }
        self.flow_portals.next = self.portals.flow_portals.val();

        // Requests.
        connect!(self.request => self.window.request);
        self.window.hold.next = self.commands.hold_requests.val();
        self.window.start_take.next = self.walk.start_take.val();
        self.window.rewind.next = self.walk.rewind.val();
        self.window.rewind_to.next = self.walk.rewind_to.val();
        self.window.key_of.next = self.walk.key_of.val();
        self.window.settle_of.next = self.settle.settle_of.val();
        self.window.retire.next = self.settle.retire.val();
        self.walk.start_valid.next = self.window.start_valid.val();
        self.walk.start_pointer.next = self.window.start_pointer.val();
        self.walk.start_portal.next = self.window.start_portal.val();
        self.walk.start_xtq.next = self.window.start_xtq.val();
        self.walk.head.next = self.entries.head.val();
        self.walk.some.next = self.entries.some.val();
        self.walk.other_head.next = self.entries.other_head.val();
        self.walk.other_some.next = self.entries.other_some.val();
        self.walk.behind.next = self.entries.behind.val();
        self.walk.more.next = self.entries.more.val();
        self.walk.ids.next = self.entries.ids.val();
        self.walk.hits.next = self.entries.hits.val();
        self.walk.slots.next = self.entries.slots.val();
        self.walk.free.next = self.settle.free.val();
        self.walk.stall.next = self.settle.stall.val();
        self.walk.consume.next = self.settle.consume.val();
        self.walk.retry.next = self.settle.retry.val();
        self.walk.last.next = self.settle.last.val();
        connect!(self.walk.found => self.settle.found);
        self.settle.request.next = self.window.settled.val();
        self.settle.wanted.next = self.window.wanted.val();
        self.settle.portal.next = self.portal.val();
        self.settle.facts.next = self.entries.facts.val();
        self.settle.fill.next = self.entries.fill.val();
        self.settle.hold.next = self.entries.hold.val();
        self.settle.header_valid.next = self.headers.free.val();
        self.settle.new_header.next = self.headers.new_id.val();
        self.results.write.data.next = self.settle.result.data.val();
        self.results.write.valid.next = self.settle.result.valid.val();
        self.results_room.come.next = self.settle.result.valid.val();
        self.results_room.leave.next = self.results.read.valid.val() & self.result.ready.val();
        self.settle.result.ready.next = self.results_room.free.val();
        connect!(self.results.read => self.result);
        connect!(self.settle.count => self.count);

        // Commands.
        connect!(self.command => self.commands.command);
        self.commands.clearing.next = self.clear.clearing.val();
        self.commands.asked.next = self.request.valid.val();
        self.commands.idle.next = self.window.idle.val();
        self.commands.portal.next = self.portal.val();
        self.commands.linked.next = self.entries.listed.val();
        self.commands.facts.next = self.entries.facts.val();
        self.commands.hold.next = self.entries.hold.val();
        self.commands.head.next = self.headers.head.val();
        self.commands.some.next = self.headers.some.val();
        self.commands.behind.next = self.headers.behind.val();
        self.commands.more.next = self.headers.more.val();
        self.commands.slots.next = self.headers.slots.val();
        self.commands.hits.next = self.headers.hits.val();
        self.commands.found.next = self.headers.found.val();
        self.commands.record.next = self.headers.record.val();
        self.responses.write.data.next = self.commands.response.data.val();
        self.responses.write.valid.next = self.commands.response.valid.val();
        self.responses_room.come.next = self.commands.response.valid.val();
        self.responses_room.leave.next =
            self.responses.read.valid.val() & self.response.ready.val();
        self.commands.response.ready.next = self.responses_room.free.val();
        connect!(self.responses.read => self.response);

        // Entries.
        self.overflow_bit.next = 256.into();
        self.last_list.next = bit_cast::<9, 8>(self.settle.last.val().portal);
        if self.settle.last.val().list == 1 {
            self.last_list.next =
                bit_cast::<9, 8>(self.settle.last.val().portal) | self.overflow_bit.val();
        }
        self.entries.clear.next = self.clear.clearing.val();
        self.entries.clear_index.next = self.clear.index.val();
        self.entries.head_of.next = self.walk.head_of.val();
        self.entries.other_of.next = self.walk.other_of.val();
        self.entries.next_of.next = self.walk.next_of.val();
        self.entries.chunk.next = self.walk.chunk.val();
        self.entries.key.next = self.window.key.val();
        self.entries.slots_of.next = self.walk.slots_of.val();
        self.entries.entry.next = self.settle.last.val().id;
        // Free, it needs no entry until it is given one; so this does not wait for what is found.
        if self.settle.free.val() {
            self.entries.entry.next = self.walk.found.data.val().id;
        }
        self.entries.hold_of.next = self.settle.last.val().id;
        self.entries.look.next = self.settle.test.val();
        self.entries.list.next = self.last_list.val();
        self.entries.at_chunk.next = self.settle.last.val().chunk;
        self.entries.at_slot.next = self.settle.last.val().slot;
        self.entries.append.next = self.commands.e_append.val();
        self.entries.remove.next = self.settle.unlink.val();
        self.entries.write_id.next = self.settle.last.val().id;
        self.entries.new_key.next = self.commands.new_key.val();
        self.entries.new_facts.next = self.commands.new_facts.val();
        self.entries.write_fill.next = self.settle.new_fill.valid.val();
        self.entries.new_fill.next = self.settle.new_fill.data.val();
        self.entries.write_hold.next = self.settle.new_hold.valid.val();
        self.entries.new_hold.next = self.settle.new_hold.data.val();
        if self.commanding.val() {
            self.entries.entry.next = self.commands.entry.val();
            self.entries.hold_of.next = self.commands.hold_of.val();
            self.entries.look.next = self.commands.e_look.val();
            self.entries.list.next = self.commands.e_list.val();
            self.entries.at_chunk.next = self.entries.facts.val().chunk;
            self.entries.at_slot.next = self.entries.facts.val().slot;
            self.entries.remove.next = self.commands.e_remove.val();
            self.entries.write_id.next = self.commands.hold_of.val();
            self.entries.new_fill.next = self.commands.new_fill.val();
            self.entries.write_hold.next = self.commands.e_write_hold.val();
            self.entries.new_hold.next = self.commands.new_hold.val();
        }

        // Headers.
        self.headers.clear.next = self.clear.clearing.val();
        self.headers.clear_index.next = self.clear.index.val().get_bits::<8>(0);
        self.headers.head_of.next = self.commands.portal_of.val();
        self.headers.chunk.next = self.commands.chunk.val();
        self.headers.entry.next = self.commands.new_key.val();
        self.headers.room.next = self.commands.new_fill.val().room;
        self.headers.slot.next = self.commands.slot.val();
        self.headers.owner.next = self.window.settled.val().context;
        self.headers.look.next = self.settle.test.val();
        self.headers.list.next = self.settle.last.val().portal;
        if self.commanding.val() {
            self.headers.owner.next = self.command.data.val().context;
            self.headers.look.next = self.commands.h_look.val();
            self.headers.list.next = self.commands.portal_of.val();
        }
        self.headers.at_slot.next = self.commands.slot.val();
        self.headers.remove.next = self.commands.h_remove.val();
        self.headers.append.next = self.settle.keep.val();
        self.headers.new_message.next = self.window.settled_key.val();
        self.headers.new_record.next.kind = self.window.settled.val().kind;
        self.headers.new_record.next.user_id = self.window.settled.val().user_id;
        self.headers.new_record.next.mlength = self.settle.mlength.val();
        self.headers.new_record.next.remote_offset = self.window.settled.val().remote_offset;
        self.headers.new_record.next.header_data = self.window.settled.val().header_data;
        self.headers.new_record.next.offset = self.settle.offset.val();
        self.headers.new_record.next.entry = self.settle.last.val().id;
    }
}
