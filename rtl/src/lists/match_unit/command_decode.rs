//! `CommandDecode`: what a command of the match unit asks for, and the entry that it describes.
//!
//! **Purpose.** Everything about a command that follows from its fields and the state of its portal entry alone.
//!
//! ```text
//!                +---------------+--> is_*, beyond, owned, no_entry
//!   command   -->| CommandDecode |--> portal, list, overflow_list, id
//!   state     -->|               |--> options, counts_headers, has_min_free
//!                +---------------+--> key, facts
//! ```
//!
//! **Contract.** Combinational. Numbers carry the command's context in their low two bits, so that a context can only
//! name what is its own.
//!
//! **Internals.** Of an entry in a portal entry that does not match, the options about offset and length are taken away
//! and the key is made one that everything matches; so nothing else has to know about such portal entries.

use crate::codes::match_codes::MatchCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::{EntryFacts, EntryKey, PortalState};
use xtq_types::matching::MatchCommand;
use xtq_types::matching::me_option::{LOCAL_INC_UH_RLENGTH, MANAGE_LOCAL, NO_TRUNCATE};

/// The decoder of a unit of `2^E` entries.
#[block]
pub struct CommandDecode<const E: usize> {
    /// The command.
    pub command: Signal<In, MatchCommand>,
    /// State of its portal entry.
    pub state: Signal<In, PortalState>,
    /// It is ME_APPEND.
    pub is_append: Signal<Out, Bit>,
    /// It is ME_UNLINK.
    pub is_unlink: Signal<Out, Bit>,
    /// It is ME_SEARCH_ONLY.
    pub is_only: Signal<Out, Bit>,
    /// It is ME_SEARCH_DELETE.
    pub is_delete: Signal<Out, Bit>,
    /// It is PT_ALLOC.
    pub is_alloc: Signal<Out, Bit>,
    /// It is PT_FREE.
    pub is_free: Signal<Out, Bit>,
    /// It is PT_ENABLE.
    pub is_enable: Signal<Out, Bit>,
    /// It is PT_DISABLE.
    pub is_close: Signal<Out, Bit>,
    /// The portal table ends below its portal entry.
    pub beyond: Signal<Out, Bit>,
    /// Its portal entry is allocated.
    pub owned: Signal<Out, Bit>,
    /// The context's share of entries ends below its entry.
    pub no_entry: Signal<Out, Bit>,
    /// Portal entry.
    pub portal: Signal<Out, Bits<8>>,
    /// List of entries that it names.
    pub list: Signal<Out, Bits<9>>,
    /// Overflow list of the portal entry.
    pub overflow_list: Signal<Out, Bits<9>>,
    /// Entry.
    pub id: Signal<Out, Bits<12>>,
    /// Options that have an effect.
    pub options: Signal<Out, Bits<20>>,
    /// Headers that are taken move the offset.
    pub counts_headers: Signal<Out, Bit>,
    /// The entry is unlinked when too little is left.
    pub has_min_free: Signal<Out, Bit>,
    /// Key of the entry.
    pub key: Signal<Out, EntryKey>,
    /// Facts of the entry, without its place.
    pub facts: Signal<Out, EntryFacts>,
    codes: MatchCodes,
    op: Signal<Local, Bits<4>>,
    index: Signal<Local, Bits<16>>,
    wide_portal: Signal<Local, Bits<9>>,
    overflow_bit: Signal<Local, Bits<9>>,
    given_id: Signal<Local, Bits<16>>,
    given: Signal<Local, Bits<20>>,
    kept: Signal<Local, Bits<20>>,
    is_local: Signal<Local, Bit>,
    limited: Signal<Local, Bit>,
    number: Signal<Local, Bits<12>>,
    /// All options but those that need a match.
    #[value(u64::from(!(MANAGE_LOCAL | NO_TRUNCATE | LOCAL_INC_UH_RLENGTH) & 0xF_FFFF).to_bits())]
    first_options: Constant<Bits<20>>,
    /// Bits of an id that are beyond the context's share.
    #[value(((!0u64 << (E - 2)) & 0xFFFF).to_bits())]
    high_ids: Constant<Bits<16>>,
}

#[kernel]
impl<const E: usize> Logic for CommandDecode<E> {
    fn update(&mut self) {
        self.op.next = self.command.val().op;
        self.is_append.next = self.op.val() == self.codes.me_append.val();
        self.is_unlink.next = self.op.val() == self.codes.me_unlink.val();
        self.is_only.next = self.op.val() == self.codes.me_search_only.val();
        self.is_delete.next = self.op.val() == self.codes.me_search_delete.val();
        self.is_alloc.next = self.op.val() == self.codes.pt_alloc.val();
        self.is_free.next = self.op.val() == self.codes.pt_free.val();
        self.is_enable.next = self.op.val() == self.codes.pt_enable.val();
        self.is_close.next = self.op.val() == self.codes.pt_disable.val();

        // Numbers.
        self.index.next = self.command.val().portal_index;
        self.beyond.next = self.index.val().get_bits::<10>(6).any();
        self.owned.next =
            !self.index.val().get_bits::<10>(6).any() & (self.state.val().allocated == 1);
        self.wide_portal.next = (bit_cast::<9, 6>(self.index.val().get_bits::<6>(0)) << 2)
            | bit_cast::<9, 2>(self.command.val().context);
        self.portal.next = self.wide_portal.val().get_bits::<8>(0);
        self.overflow_bit.next = 256.into();
        self.overflow_list.next = self.wide_portal.val() | self.overflow_bit.val();
        self.list.next = self.wide_portal.val();
        if self.command.val().list == 1 {
            self.list.next = self.wide_portal.val() | self.overflow_bit.val();
        }
        self.given_id.next = self.command.val().id;
        self.number.next = (bit_cast::<12, 10>(self.given_id.val().get_bits::<10>(0)) << 2)
            | bit_cast::<12, 2>(self.command.val().context);
        self.id.next = self.number.val();
        self.no_entry.next = (self.given_id.val() & self.high_ids.val()).any();

        // The entry.
        self.given.next = self.command.val().options;
        self.kept.next = self.given.val();
        if self.state.val().matching == 0 {
            self.kept.next = self.given.val() & self.first_options.val();
        }
        self.options.next = self.kept.val();
        self.is_local.next = self.kept.val().get_bit(16);
        self.counts_headers.next = self.is_local.val() & self.kept.val().get_bit(19);
        self.limited.next = self.is_local.val() & self.command.val().min_free.any();
        self.has_min_free.next = self.limited.val();
        self.key.next.match_bits = self.command.val().match_bits;
        self.key.next.ignore_bits = self.command.val().ignore_bits;
        self.key.next.source_node = self.command.val().source_node;
        self.key.next.source_context = self.command.val().source_context;
        self.key.next.any_node = self.command.val().any_node;
        self.key.next.any_context = self.command.val().any_context;
        if self.state.val().matching == 0 {
            self.key.next.ignore_bits = 0xFFFF_FFFF_FFFF_FFFF_u64.into();
            self.key.next.any_node = 1.into();
            self.key.next.any_context = 1.into();
        }
        self.key.next.no_truncate = self.kept.val().get_bits::<1>(17);
        self.key.next.manage_local = self.kept.val().get_bits::<1>(16);
        self.key.next.id = self.number.val();
        self.facts.next.portal = self.wide_portal.val().get_bits::<8>(0);
        self.facts.next.list = self.command.val().list;
        self.facts.next.options = self.kept.val();
        self.facts.next.has_min_free = self.limited.val().into();
        self.facts.next.any_user = self.command.val().any_user;
        self.facts.next.user_id = self.command.val().user_id;
        self.facts.next.start = self.command.val().start;
        self.facts.next.length = self.command.val().length;
        self.facts.next.pieces = self.command.val().pieces;
        self.facts.next.counter = self.command.val().counter;
        self.facts.next.user_ptr = self.command.val().user_ptr;
        self.facts.next.chunk = 0.into();
        self.facts.next.slot = 0.into();
    }
}
