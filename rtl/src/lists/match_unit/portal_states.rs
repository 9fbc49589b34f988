//! `PortalStates`: the states of all portal entries, 64 for each of four contexts.
//!
//! **Purpose.** One entry is read and written at a time. It counts the enabled ones with flow control, because the
//! event ring keeps a place for each of them: the event that reports the disabling.
//!
//! ```text
//!   portal           -->+--------------+--> state         (same cycle)
//!   write, new_state,-->| PortalStates |--> flow_portals
//!   old_state, clear*   |              |
//!                       +--------------+
//! ```
//!
//! **Contract.** `state` is that of `portal` {index 6, context 2} at all times; with `write` it becomes `new_state` at
//! the edge; `old_state` must then be as `state`: who writes has looked before, so that counting does not wait for the
//! memory. Contents survive `rst`, the numbers do not: after a reset `clear` must be up once with each `clear_index`,
//! and `write` not meanwhile.
//!
//! **Internals.** A memory and [`ContextCounts`].

use crate::leaf::ContextCounts;
use crate::leaf::LutRam;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::match_lists::PortalState;

/// The portal entries.
#[block]
pub struct PortalStates {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Portal entry to read and write.
    pub portal: Signal<In, Bits<8>>,
    /// Its state.
    pub state: Signal<Out, PortalState>,
    /// Write it.
    pub write: Signal<In, Bit>,
    /// New state.
    pub new_state: Signal<In, PortalState>,
    /// The state before.
    pub old_state: Signal<In, PortalState>,
    /// Make a portal entry one that is not allocated, without counting.
    pub clear: Signal<In, Bit>,
    /// Which.
    pub clear_index: Signal<In, Bits<8>>,
    /// Enabled portal entries with flow control, 7 bits a context, context 0 lowest.
    pub flow_portals: Signal<Out, Bits<28>>,
    states: LutRam<PortalState, 8>,
    counts: ContextCounts<7>,
    was_open: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PortalStates {
    fn update(&mut self) {
        self.states.read_addr.next = self.portal.val();
        self.state.next = self.states.read_data.val();
        self.states.write_addr.next = self.portal.val();
        self.states.write_data.next = self.new_state.val();
        self.states.write_en.next = self.write.val();
        if self.clear.val() {
            self.states.write_addr.next = self.clear_index.val();
            self.states.write_data.next.allocated = 0.into();
            self.states.write_data.next.enabled = 0.into();
            self.states.write_data.next.flow_control = 0.into();
            self.states.write_data.next.matching = 0.into();
            self.states.write_en.next = true;
        }

        self.was_open.next = (self.old_state.val().allocated == 1)
            & (self.old_state.val().enabled == 1)
            & (self.old_state.val().flow_control == 1);
        self.is_open.next = (self.new_state.val().allocated == 1)
            & (self.new_state.val().enabled == 1)
            & (self.new_state.val().flow_control == 1);
        self.counts.owner.next = self.portal.val().get_bits::<2>(0);
        self.counts.up.next = self.write.val() & !self.was_open.val() & self.is_open.val();
        self.counts.down.next = self.write.val() & self.was_open.val() & !self.is_open.val();
        self.flow_portals.next = bit_cast::<28, 7>(self.counts.count_0.val())
            | (bit_cast::<28, 7>(self.counts.count_1.val()) << 7)
            | (bit_cast::<28, 7>(self.counts.count_2.val()) << 14)
            | (bit_cast::<28, 7>(self.counts.count_3.val()) << 21);
    }
}
