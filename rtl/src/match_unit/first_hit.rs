//! `FirstHit`: the first of four slots that match, when it is known late that one of them is gone.
//!
//! **Purpose.** Cuts the path from the decision about one request to that about the next one.
//!
//! ```text
//!   hits, ids -->+----------+--> any
//!   gone      -->| FirstHit |--> slot
//!   late      -->+----------+--> id
//! ```
//!
//! **Contract.** Combinational. The lowest slot of `hits`, or, if `late`, of those not in `gone`; its id. `slot` and `id` have no meaning unless `any`.
//!
//! **Internals.** Both answers are made; `late` only chooses.

use rust_hdl::prelude::*;

/// A priority choice among four slots.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct FirstHit {
    /// Slots that match.
    pub hits: Signal<In, Bits<4>>,
    /// Their entries, slot 0 lowest.
    pub ids: Signal<In, Bits<40>>,
    /// Slots that are gone if `late`.
    pub gone: Signal<In, Bits<4>>,
    /// They are.
    pub late: Signal<In, Bit>,
    /// There is one.
    pub any: Signal<Out, Bit>,
    /// The slot.
    pub slot: Signal<Out, Bits<2>>,
    /// Its entry.
    pub id: Signal<Out, Bits<10>>,
    left: Signal<Local, Bits<4>>,
    all_slot: Signal<Local, Bits<2>>,
    left_slot: Signal<Local, Bits<2>>,
    all_id: Signal<Local, Bits<10>>,
    left_id: Signal<Local, Bits<10>>,
}

impl Logic for FirstHit {
    #[hdl_gen]
    fn update(&mut self) {
        self.left.next = self.hits.val() & !self.gone.val();
        self.all_slot.next = 3.into();
        self.all_id.next = self.ids.val().get_bits::<10>(30);
        self.left_slot.next = 3.into();
        self.left_id.next = self.ids.val().get_bits::<10>(30);
        if self.hits.val().get_bit(2) {
            self.all_slot.next = 2.into();
            self.all_id.next = self.ids.val().get_bits::<10>(20);
        }
        if self.hits.val().get_bit(1) {
            self.all_slot.next = 1.into();
            self.all_id.next = self.ids.val().get_bits::<10>(10);
        }
        if self.hits.val().get_bit(0) {
            self.all_slot.next = 0.into();
            self.all_id.next = self.ids.val().get_bits::<10>(0);
        }
        if self.left.val().get_bit(2) {
            self.left_slot.next = 2.into();
            self.left_id.next = self.ids.val().get_bits::<10>(20);
        }
        if self.left.val().get_bit(1) {
            self.left_slot.next = 1.into();
            self.left_id.next = self.ids.val().get_bits::<10>(10);
        }
        if self.left.val().get_bit(0) {
            self.left_slot.next = 0.into();
            self.left_id.next = self.ids.val().get_bits::<10>(0);
        }
        self.any.next = self.hits.val().any();
        self.slot.next = self.all_slot.val();
        self.id.next = self.all_id.val();
        if self.late.val() {
            self.any.next = self.left.val().any();
            self.slot.next = self.left_slot.val();
            self.id.next = self.left_id.val();
        }
    }
}
