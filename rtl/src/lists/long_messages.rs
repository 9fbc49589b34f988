//! `LongMessages`: whether a context has a place for one more message of several packets.
//!
//! **Purpose.** [`OpenMessages`](crate::admission::message_tracker::open_messages::OpenMessages) follows 16 such
//! messages of each context. The lists must not be asked for a message that finds no place there, as a match cannot be
//! taken back; so [`MatchStage`](crate::lists::match_stage::MatchStage) counts the messages that may take one before it
//! asks.
//!
//! ```text
//!   enters, owner         -->+--------------+--> full   (same cycle)
//!   leaves, leave_context -->| LongMessages |
//!                            +--------------+
//! ```
//!
//! **Contract.** `enters` (pulse): a first packet of a message of several packets of context `owner` goes on to
//! admission; `leaves` (pulse): one of `leave_context` was refused, or has ended. Both take effect at the edge. `full`:
//! 16 of `owner`, or more, are between the two; never more than 63.
//!
//! **Internals.** Two counts a context that go round; their difference is compared.

use crate::leaf::context_counts::ContextCounts;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Messages of several packets, by context.
#[block]
pub struct LongMessages {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset: there are none.
    pub rst: Signal<In, Bit>,
    /// Context that is asked about.
    pub owner: Signal<In, Bits<2>>,
    /// A message of `owner` goes on (pulse).
    pub enters: Signal<In, Bit>,
    /// A message of `leave_context` has ended (pulse).
    pub leaves: Signal<In, Bit>,
    /// Its context.
    pub leave_context: Signal<In, Bits<2>>,
    /// `owner` has no place for another.
    pub full: Signal<Out, Bit>,

    entered: ContextCounts<6>,
    left: ContextCounts<6>,
    ended: Signal<Local, Bits<6>>,
    here: Signal<Local, Bits<6>>,
}

#[kernel]
impl Logic for LongMessages {
    fn update(&mut self) {
        self.entered.owner.next = self.owner.val();
        self.entered.up.next = self.enters.val();
        self.entered.down.next = false;
        self.left.owner.next = self.leave_context.val();
        self.left.up.next = self.leaves.val();
        self.left.down.next = false;

        self.ended.next = self.left.count_0.val();
        match self.owner.val().index() {
            0 => self.ended.next = self.left.count_0.val(),
            1 => self.ended.next = self.left.count_1.val(),
            2 => self.ended.next = self.left.count_2.val(),
            _ => self.ended.next = self.left.count_3.val(),
        }
        self.here.next = self.entered.count.val() - self.ended.val();
        self.full.next = self.here.val() >= 16;
    }
}
