//! `MatchCommands`: executes the commands that change lists and portal entries, one at a time, while no request is
//! under way.
//!
//! **Purpose.** Append with its search of the unexpected headers, search, unlink, and the commands of portal entries. A
//! command is one atomic step against requests, because it begins when the last one accepted is decided, and none is
//! accepted until it ends.
//!
//! ```text
//!   command*   -->+---------------+--> response*
//!   asked      -->|               |--> hold, commanding    (requests)
//!   idle       -->|               |
//!   portal     -->| MatchCommands |--> write_portal, new_portal, old_portal
//!   facts, hold-->|               |--> e_*, new_*          (entry store)
//!   some, ...  -->|               |--> chunk, slot, h_*    (header store)
//!   clearing   -->+---------------+
//! ```
//!
//! **Contract.** Commands are executed in order. Each has any number of HIT responses, each followed by AUTO_FREE if it
//! was the last header of its entry, then one FINAL. Nothing is accepted while `clearing`. Between two commands a
//! request that waits is accepted.
//!
//! **Internals.** A state machine (`steps`). `commanding` gives it the ports of the stores.
//! ```text
//!   Open -> Drain -> Read -> Check -+-> LinkLook -> Link -------------+-> Finish -> Open
//!                             |     +-> UnlinkLook -> Unlink ---------+
//!                             |     +-> FreeLists -> FreeHeaders -----+
//!                             +-> Head -> Fetch -> Compare -> Hits -> Judge -> (next chunk: Fetch; none: link or finish)
//!                                         ^                            | hit
//!                                         +---- Freed <- Hit <- Look <-+
//! ```
//! What a command needs of its portal entry is read once (`Read`) and kept; so are the entry and the length of a header
//! that is found (`Look`); the hold of that entry is read and written in `Hit`. A chunk without a hit costs four
//! cycles, so headers are searched one a cycle; a hit costs six more, or seven if it frees a buffer.

mod answer;
mod steps;

use super::append_fill::AppendFill;
use super::command_decode::CommandDecode;
use crate::bundle::{StreamIn, StreamOut};
use crate::codes::match_codes::MatchCodes;
use crate::leaf::{Delay, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{
    EntryFacts, EntryFill, EntryHold, EntryKey, HeaderKey, HeaderRecord, PortalState,
};
use xtq_types::matching::{MatchCommand, MatchResponse};

/// What it is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Open,
    Drain,
    Read,
    Check,
    FreeLists,
    FreeHeaders,
    Head,
    Fetch,
    Compare,
    Hits,
    Judge,
    Look,
    Hit,
    Freed,
    LinkLook,
    Link,
    UnlinkLook,
    Unlink,
    Finish,
}

/// The commands of a unit of `2^E` entries and `2^H` headers.
#[block]
pub struct MatchCommands<const E: usize, const H: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From the command processor: a command. It is taken when it is done.
    pub command: StreamIn<MatchCommand>,
    /// To the command processor: what it did.
    pub response: StreamOut<MatchResponse>,

    /// A request is offered.
    pub asked: Signal<In, Bit>,
    /// Accept no requests.
    pub hold_requests: Signal<Out, Bit>,
    /// There is no request under way.
    pub idle: Signal<In, Bit>,
    /// The stores belong to the commands.
    pub commanding: Signal<Out, Bit>,
    /// The stores are not empty yet.
    pub clearing: Signal<In, Bit>,

    /// Portal entry to read and write.
    pub portal_of: Signal<Out, Bits<8>>,
    /// Its state.
    pub portal: Signal<In, PortalState>,
    /// The state that it has when it is written.
    pub old_portal: Signal<Out, PortalState>,
    /// Write it.
    pub write_portal: Signal<Out, Bit>,
    /// New state.
    pub new_portal: Signal<Out, PortalState>,

    /// Entry to read.
    pub entry: Signal<Out, Bits<12>>,
    /// Its facts, a cycle later.
    pub facts: Signal<In, EntryFacts>,
    /// Entry whose hold is wanted.
    pub hold_of: Signal<Out, Bits<12>>,
    /// The hold.
    pub hold: Signal<In, EntryHold>,
    /// Prepare a change of an entry list.
    pub e_look: Signal<Out, Bit>,
    /// The list, {list 1, portal 8}; also that whose emptiness is asked for.
    pub e_list: Signal<Out, Bits<9>>,
    /// It is not empty.
    pub linked: Signal<In, Bit>,
    /// Append the entry.
    pub e_append: Signal<Out, Bit>,
    /// Remove it.
    pub e_remove: Signal<Out, Bit>,
    /// Write the hold of `hold_of`.
    pub e_write_hold: Signal<Out, Bit>,
    /// New hold.
    pub new_hold: Signal<Out, EntryHold>,
    /// New key; the headers are compared with it, too.
    pub new_key: Signal<Out, EntryKey>,
    /// New facts.
    pub new_facts: Signal<Out, EntryFacts>,
    /// New fill; the headers are compared with its room, too.
    pub new_fill: Signal<Out, EntryFill>,

    /// First chunk of the portal entry's headers.
    pub head: Signal<In, Bits<H>>,
    /// There are headers.
    pub some: Signal<In, Bit>,
    /// Chunk of headers that is looked at.
    pub chunk: Signal<Out, Bits<H>>,
    /// Chunk after it.
    pub behind: Signal<In, Bits<H>>,
    /// There is one.
    pub more: Signal<In, Bit>,
    /// Its slots in use.
    pub slots: Signal<In, Bits<4>>,
    /// Its slots that match.
    pub hits: Signal<In, Bits<4>>,
    /// Slot that is looked at.
    pub slot: Signal<Out, Bits<2>>,
    /// Its key.
    pub found: Signal<In, HeaderKey>,
    /// The rest of that header.
    pub record: Signal<In, HeaderRecord>,
    /// Prepare its removal.
    pub h_look: Signal<Out, Bit>,
    /// Remove it.
    pub h_remove: Signal<Out, Bit>,

    decode: CommandDecode<E>,
    fill: AppendFill,
    codes: MatchCodes,
    state_q: Reg<State>,
    /// A request was accepted, or none waited, since the last command.
    fair_q: Reg<Bit>,
    code_q: Reg<Bits<4>>,
    chunk_q: Reg<Bits<H>>,
    skip_q: Reg<Bits<4>>,
    hits_q: Reg<Bits<4>>,
    slot_q: Reg<Bits<2>>,
    /// Entry whose hold is wanted: that of the command, or of the header that is looked at.
    entry_q: Delay<Bits<12>>,
    /// State of the portal entry.
    portal_q: Reg<PortalState>,
    /// Length that the message of the header that is looked at had.
    taken_q: Delay<Bits<32>>,
    /// A header was found.
    any_q: Reg<Bit>,
    portal_index: Signal<Local, Bits<16>>,
    given_id: Signal<Local, Bits<16>>,
    given: Signal<Local, Bits<20>>,
    busy: Signal<Local, Bit>,
    mine: Signal<Local, Bit>,
    counts_headers: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    searching: Signal<Local, Bit>,
    slot_one: Signal<Local, Bits<4>>,
    slot_now: Signal<Local, Bits<2>>,
    one_less: Signal<Local, Bits<11>>,
    is_last: Signal<Local, Bit>,
    owner_list: Signal<Local, Bits<9>>,
    overflow_bit: Signal<Local, Bits<9>>,
    overflow_id: Signal<Local, Bits<12>>,
    told: Signal<Local, MatchResponse>,
}

#[kernel]
impl<const E: usize, const H: usize> Logic for MatchCommands<E, H> {
    fn update(&mut self) {
        // The command.
        self.decode.command.next = self.command.data.val();
        self.decode.state.next = self.portal_q.q.val();
        self.given.next = self.command.data.val().options;
        self.busy.next = (self.hold.val().linked == 1) | (self.hold.val().lingering == 1);
        self.mine.next = !self.decode.no_entry.val() & self.busy.val();
        self.new_key.next = self.decode.key.val();
        self.new_facts.next = self.decode.facts.val();

        // Its fill: at first, and after a header taken if it counts.
        self.counts_headers.next = self.decode.is_append.val() & self.decode.counts_headers.val();
        self.fill.length.next = self.command.data.val().length;
        self.fill.min_free.next = self.command.data.val().min_free;
        self.fill.has_min_free.next = self.decode.has_min_free.val();
        self.fill.start.next = false;
        self.fill.take.next = false;
        self.taken_q.d.next = self.found.val().length;
        self.fill.taken.next = self.taken_q.q.val();
        self.new_fill.next = self.fill.fill.val();
        self.ends.next = self.decode.options.val().get_bit(3)
            | (self.counts_headers.val() & self.fill.spent.val());

        // The oldest header of the chunk that matches, and the entry that it is in.
        self.chunk.next = self.chunk_q.q.val();
        self.slot_one.next = 1.into();
        self.slot_now.next = 3.into();
        if self.hits_q.q.val().get_bit(2) {
            self.slot_now.next = 2.into();
        }
        if self.hits_q.q.val().get_bit(1) {
            self.slot_now.next = 1.into();
        }
        if self.hits_q.q.val().get_bit(0) {
            self.slot_now.next = 0.into();
        }
        self.slot.next = self.slot_q.q.val();
        self.one_less.next = self.hold.val().headers - 1;
        self.is_last.next = !self.decode.is_only.val()
            & (self.hold.val().lingering == 1)
            & (self.hold.val().headers == 1);

        // Defaults.
        self.hold_requests.next = true;
        self.commanding.next = true;
        self.fair_q.d.next = self.asked.val();
        self.fair_q.en.next = false;
        self.code_q.d.next = self.codes.ok.val();
        self.code_q.en.next = false;
        self.chunk_q.d.next = self.behind.val();
        self.chunk_q.en.next = false;
        self.skip_q.d.next = 0.into();
        self.skip_q.en.next = false;
        self.hits_q.d.next = self.hits.val() & self.slots.val() & !self.skip_q.q.val();
        self.hits_q.en.next = false;
        self.slot_q.d.next = self.slot_now.val();
        self.slot_q.en.next = false;
        self.entry_q.d.next = self.decode.id.val();
        self.any_q.d.next = true;
        self.any_q.en.next = false;
        self.portal_of.next = self.decode.portal.val();
        self.old_portal.next = self.portal_q.q.val();
        self.write_portal.next = false;
        self.portal_q.d.next = self.portal.val();
        self.portal_q.en.next = false;
        self.new_portal.next.allocated = 1.into();
        self.new_portal.next.enabled = self.portal_q.q.val().enabled;
        self.new_portal.next.flow_control = self.portal_q.q.val().flow_control;
        self.new_portal.next.matching = self.portal_q.q.val().matching;
        self.overflow_bit.next = 256.into();
        self.owner_list.next = bit_cast::<9, 8>(self.facts.val().portal);
        if self.facts.val().list == 1 {
            self.owner_list.next =
                bit_cast::<9, 8>(self.facts.val().portal) | self.overflow_bit.val();
        }
        self.entry.next = self.decode.id.val();
        self.hold_of.next = self.entry_q.q.val();
        self.e_look.next = false;
        self.e_list.next = self.decode.list.val();
        self.e_append.next = false;
        self.e_remove.next = false;
        self.e_write_hold.next = false;
        self.new_hold.next.linked = 0.into();
        self.new_hold.next.lingering = 0.into();
        self.new_hold.next.headers = 0.into();
        self.h_look.next = false;
        self.h_remove.next = false;
        self.command.ready.next = false;
        self.response.valid.next = false;
        self.searching.next = false;

        self.answer();
        self.steps();
        // No header left to look at.
        if self.searching.val() {
            self.state_q.d.next = State::Finish;
            self.code_q.d.next = self.codes.not_found.val();
            if self.any_q.q.val() {
                self.code_q.d.next = self.codes.found.val();
            }
            self.code_q.en.next = true;
            if self.decode.is_append.val() {
                self.state_q.d.next = State::LinkLook;
            }
        }
        if self.write_portal.val() {
            self.portal_q.d.next = self.new_portal.val();
            self.portal_q.en.next = true;
        }
        self.response.data.next = self.told.val();
    }
}
