//! `ListWaits`: whether a response of the match unit speaks of messages that must be delivered before it is reported.
//!
//! **Purpose.** The match unit decides about a message before its data are written. What speaks of those data, or gives
//! a buffer back, has to wait for them; a command that only adds something has not.
//!
//! ```text
//!                 +-----------+
//!   response   -->| ListWaits |--> waits
//!                 +-----------+
//! ```
//!
//! **Contract.** Combinational. HIT and AUTO_FREE wait; so does FINAL that reports an entry that is gone (CONSUMED,
//! UNLINKED, NOT_LINKED) or of a portal entry (OK). LINKED, the end of a search and refusals do not.
//!
//! **Internals.** Comparisons.

use crate::codes::match_codes::MatchCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::matching::MatchResponse;

/// Says which responses wait.
#[block]
pub struct ListWaits {
    /// From MatchUnit.
    pub response: Signal<In, MatchResponse>,
    /// It waits.
    pub waits: Signal<Out, Bit>,
    codes: MatchCodes,
    kind: Signal<Local, Bits<4>>,
    code: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for ListWaits {
    fn update(&mut self) {
        self.kind.next = bit_cast::<4, 2>(self.response.val().kind);
        self.code.next = self.response.val().code;
        self.waits.next = (self.kind.val() != self.codes.last.val())
            | (self.code.val() == self.codes.consumed.val())
            | (self.code.val() == self.codes.unlinked.val())
            | (self.code.val() == self.codes.not_linked.val())
            | (self.code.val() == self.codes.ok.val());
    }
}
