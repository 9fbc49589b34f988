//! `FirstHit`: the first of four slots that match, when it is known late that one of them is gone.
//!
//! **Purpose.** Cuts the path from the decision about one request to that about the next one: who knows late whether
//! the slot is gone chooses between two answers.
//!
//! ```text
//!   hits, ids -->+----------+--> all_any, all_slot, all_id
//!   gone      -->| FirstHit |--> left_any, left_slot, left_id
//!                +----------+
//! ```
//!
//! **Contract.** Combinational. `all_*`: the lowest slot of `hits` and its id; `left_*`: of those not in `gone`. Slot
//! and id have no meaning unless there is one.
//!
//! **Internals.** A priority choice for each answer.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Two priority choices among four slots.
#[block]
pub struct FirstHit {
    /// Slots that match.
    pub hits: Signal<In, Bits<4>>,
    /// Their entries, slot 0 lowest.
    pub ids: Signal<In, Bits<48>>,
    /// Slots that may be gone.
    pub gone: Signal<In, Bits<4>>,
    /// There is one.
    pub all_any: Signal<Out, Bit>,
    /// The slot.
    pub all_slot: Signal<Out, Bits<2>>,
    /// Its entry.
    pub all_id: Signal<Out, Bits<12>>,
    /// There is one that is not in `gone`.
    pub left_any: Signal<Out, Bit>,
    /// The slot.
    pub left_slot: Signal<Out, Bits<2>>,
    /// Its entry.
    pub left_id: Signal<Out, Bits<12>>,
    left: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for FirstHit {
    fn update(&mut self) {
        self.left.next = self.hits.val() & !self.gone.val();
        self.all_slot.next = 3.into();
        self.all_id.next = self.ids.val().get_bits::<12>(36);
        self.left_slot.next = 3.into();
        self.left_id.next = self.ids.val().get_bits::<12>(36);
        if self.hits.val().get_bit(2) {
            self.all_slot.next = 2.into();
            self.all_id.next = self.ids.val().get_bits::<12>(24);
        }
        if self.hits.val().get_bit(1) {
            self.all_slot.next = 1.into();
            self.all_id.next = self.ids.val().get_bits::<12>(12);
        }
        if self.hits.val().get_bit(0) {
            self.all_slot.next = 0.into();
            self.all_id.next = self.ids.val().get_bits::<12>(0);
        }
        if self.left.val().get_bit(2) {
            self.left_slot.next = 2.into();
            self.left_id.next = self.ids.val().get_bits::<12>(24);
        }
        if self.left.val().get_bit(1) {
            self.left_slot.next = 1.into();
            self.left_id.next = self.ids.val().get_bits::<12>(12);
        }
        if self.left.val().get_bit(0) {
            self.left_slot.next = 0.into();
            self.left_id.next = self.ids.val().get_bits::<12>(0);
        }
        self.all_any.next = self.hits.val().any();
        self.left_any.next = self.left.val().any();
    }
}
