//! `LongMessages`: whether a context has a place for one more message of several packets.
//!
//! **Purpose.** [`OpenMessages`](crate::admission::message_tracker::open_messages::OpenMessages) follows 16 such
//! messages of each context, 64 in the large configuration, there 240 of all together. The lists must not be asked for
//! a message that finds no place there, as a match cannot be taken back; so
//! [`MatchStage`](crate::lists::match_stage::MatchStage) counts the messages that may take one before it asks.
//!
//! ```text
//!   enters, owner         -->+--------------+--> full   (same cycle)
//!   leaves, leave_context -->| LongMessages |
//!                            +--------------+
//! ```
//!
//! **Contract.** `enters` (pulse): a first packet of a message of several packets of context `owner` goes on to
//! admission; `leaves` (pulse): one of `leave_context` was refused, or has ended. Both take effect at the edge. `full`:
//! as many of `owner` as it follows, or more, are between the two, or as many of all contexts. Never more of a context
//! than `2^I - 1`.
//!
//! **Internals.** Two counts a context that go round; their difference is compared. One count of all contexts, which is
//! looked at only where there are more places than message slots.

use crate::leaf::Reg;
use crate::leaf::context_counts::ContextCounts;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Messages of several packets, by context: a fourth of `2^I` places for each.
#[block]
pub struct LongMessages<const I: usize = 6> {
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

    entered: ContextCounts<I>,
    left: ContextCounts<I>,
    all_q: Reg<Bits<9>>,
    #[value((1u64 << (I - 2)).to_bits())]
    places: Constant<Bits<I>>,
    #[value(u64::from(1 << I > 240).to_bits())]
    bounded: Constant<Bits<1>>,
    ended: Signal<Local, Bits<I>>,
    here: Signal<Local, Bits<I>>,
    crowded: Signal<Local, Bit>,
}

#[kernel]
impl<const I: usize> Logic for LongMessages<I> {
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
        self.all_q.en.next = self.enters.val() != self.leaves.val();
        self.all_q.d.next = self.all_q.q.val() + 1;
        if self.leaves.val() {
            self.all_q.d.next = self.all_q.q.val() - 1;
        }
        self.crowded.next = (self.bounded.val() == 1) & (self.all_q.q.val() >= 240);
        self.full.next = (self.here.val() >= self.places.val()) | self.crowded.val();
    }
}
