//! `WordLane`: the operations of an atomic on one 64-bit word, in five steps.
//!
//! **Purpose.** Everything that [`AtomicAlu`](super::AtomicAlu) does but products and floating point sums:
//! eight of these lanes make a beat. It decides nothing about operations; `rule` says what to do.
//!
//! ```text
//!               +----------+
//!   en       -->|          |
//!   rule     -->|          |
//!   mask     -->| WordLane |--> updated     (five enabled cycles later)
//!   old      -->|          |
//!   source   -->|          |
//!   operand  -->|          |
//!               +----------+
//! ```
//!
//! **Contract.** A step is taken at a rising edge with `en`; five steps later `updated` holds the result. Bytes outside
//! `mask` keep their old value. One word a step.
//!
//! **Internals.** Sum ([`DatumAdder`]), order ([`DatumOrder`]), zeros and NaNs ([`DatumClass`]) and bitwise result are
//! made for every word; `rule` picks.
//!
//! ```text
//!   step 1: keys, bitwise result   2: bytes   3: data   4: replace or keep; sum or bits   5: byte by byte
//! ```

use super::datum_adder::DatumAdder;
use super::datum_class::DatumClass;
use super::datum_order::DatumOrder;
use super::datum_spread::DatumSpread;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::AtomicRule;

/// What goes along with a word.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct LaneStep {
    mask: Bits<8>,
    old: Bits<64>,
    /// Bitwise result; the source, if the rule is conditional.
    bits: Bits<64>,
}

/// After step 4.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Choice {
    old: Bits<64>,
    /// Bitwise result or sum.
    plain: Bits<64>,
    size: Bits<2>,
    /// Bytes that take part.
    mask: Bits<8>,
    /// Data that stay as they were, at their lowest bytes.
    stay: Bits<8>,
    /// The result is 0 or 1.
    logical: Bits<1>,
    /// Bytes that are 1 if `logical`.
    ones: Bits<8>,
}

/// One word of the beat.
#[block]
pub struct WordLane {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Take a step at this edge.
    pub en: Signal<In, Bit>,
    /// What to do.
    pub rule: Signal<In, AtomicRule>,
    /// Bytes that take part.
    pub mask: Signal<In, Bits<8>>,
    /// Word in memory.
    pub old: Signal<In, Bits<64>>,
    /// Word of the message.
    pub source: Signal<In, Bits<64>>,
    /// Operand, once for each datum.
    pub operand: Signal<In, Bits<64>>,
    /// The word as it becomes.
    pub updated: Signal<Out, Bits<64>>,
    adder: DatumAdder,
    order: DatumOrder,
    compared_class: DatumClass,
    old_class: DatumClass,
    stay: DatumSpread,
    rule_q: [Reg<AtomicRule>; 3],
    step_q: [Reg<LaneStep>; 3],
    choice_q: Reg<Choice>,
    updated_q: Reg<Bits<64>>,
    compared: Signal<Local, Bits<64>>,
    truth: Signal<Local, Bits<3>>,
    bits: Signal<Local, Bits<64>>,
    step: Signal<Local, LaneStep>,
    chosen: Signal<Local, AtomicRule>,
    lowest: Signal<Local, Bits<8>>,
    unordered: Signal<Local, Bits<8>>,
    less: Signal<Local, Bits<8>>,
    equal: Signal<Local, Bits<8>>,
    replace: Signal<Local, Bits<8>>,
    both: Signal<Local, Bit>,
    either: Signal<Local, Bit>,
    chosen_truth: Signal<Local, Bits<3>>,
    ones: Signal<Local, Bits<8>>,
    choice: Signal<Local, Choice>,
    choice_old: Signal<Local, Bits<64>>,
    choice_plain: Signal<Local, Bits<64>>,
    choice_keep: Signal<Local, Bits<8>>,
    choice_ones: Signal<Local, Bits<8>>,
    lane: Signal<Local, Bits<8>>,
    merged: Signal<Local, Bits<64>>,
}

#[kernel]
impl Logic for WordLane {
    fn update(&mut self) {
        self.adder.en.next = self.en.val();
        self.order.en.next = self.en.val();
        self.compared_class.en.next = self.en.val();
        self.old_class.en.next = self.en.val();
        for i in 0..3 {
            self.rule_q[i].en.next = self.en.val();
            self.step_q[i].en.next = self.en.val();
        }
        self.choice_q.en.next = self.en.val();
        self.updated_q.en.next = self.en.val();

        // Step 1.
        self.compared.next = self.source.val();
        if self.rule.val().by_operand.any() {
            self.compared.next = self.operand.val();
        }
        self.adder.size.next = self.rule.val().size;
        self.adder.a.next = self.old.val();
        self.adder.b.next = self.source.val();
        self.order.size.next = self.rule.val().size;
        self.order.twos_complement.next = self.rule.val().twos_complement.any();
        self.order.float.next = self.rule.val().float.any();
        self.order.a.next = self.compared.val();
        self.order.b.next = self.old.val();
        self.compared_class.size.next = self.rule.val().size;
        self.compared_class.float.next = self.rule.val().float.any();
        self.compared_class.word.next = self.compared.val();
        self.old_class.size.next = self.rule.val().size;
        self.old_class.float.next = self.rule.val().float.any();
        self.old_class.word.next = self.old.val();

        self.truth.next = self.rule.val().truth;
        self.bits.next = 0.into();
        if self.truth.val().get_bit(2) {
            self.bits.next = self.source.val() & self.old.val();
        }
        if self.truth.val().get_bit(1) {
            self.bits.next = self.bits.val() | (self.source.val() & !self.old.val());
        }
        if self.truth.val().get_bit(0) {
            self.bits.next = self.bits.val() | (self.old.val() & !self.source.val());
        }
        if self.rule.val().masked.any() {
            self.bits.next =
                (self.source.val() & self.operand.val()) | (self.old.val() & !self.operand.val());
        }
        self.step.next.mask = self.mask.val();
        self.step.next.old = self.old.val();
        self.step.next.bits = self.bits.val();

        // Steps 1 to 3.
        self.rule_q[0].d.next = self.rule.val();
        self.step_q[0].d.next = self.step.val();
        for i in 1..3 {
            self.rule_q[i].d.next = self.rule_q[i - 1].q.val();
            self.step_q[i].d.next = self.step_q[i - 1].q.val();
        }

        // Step 4. What is decided stands at the lowest byte of each datum; the other bytes are masked.
        self.chosen.next = self.rule_q[2].q.val();
        match self.chosen.val().size.index() {
            0 => self.lowest.next = 0xFF.into(),
            1 => self.lowest.next = 0x55.into(),
            2 => self.lowest.next = 0x11.into(),
            _ => self.lowest.next = 0x01.into(),
        }
        self.unordered.next = self.compared_class.nan.val() | self.old_class.nan.val();
        self.equal.next = self.order.equal.val();
        if self.chosen.val().float.any() {
            self.equal.next = self.order.equal.val()
                | !(self.compared_class.set.val() | self.old_class.set.val());
        }
        self.less.next = self.order.less.val() & !self.equal.val();
        self.replace.next = 0.into();
        if self.chosen.val().if_less.any() {
            self.replace.next = self.less.val();
        }
        if self.chosen.val().if_equal.any() {
            self.replace.next = self.replace.val() | self.equal.val();
        }
        if self.chosen.val().if_greater.any() {
            self.replace.next = self.replace.val() | !(self.less.val() | self.equal.val());
        }
        self.replace.next = self.replace.val() & !self.unordered.val();
        if self.chosen.val().if_unordered.any() {
            self.replace.next = self.replace.val() | self.unordered.val();
        }

        // Both parts of a complex number decide for both: CSWAP if each is equal, CSWAP_NE if one is not.
        self.both.next = self.replace.val().get_bit(0) & self.replace.val().get_bit(4);
        self.either.next = self.replace.val().get_bit(0) | self.replace.val().get_bit(4);
        if self.chosen.val().complex.any() {
            self.replace.next = 0.into();
            if self.both.val() | (self.either.val() & !self.chosen.val().if_equal.any()) {
                self.replace.next = 0x11.into();
            }
        }

        self.chosen_truth.next = self.chosen.val().truth;
        self.ones.next = 0.into();
        if self.chosen_truth.val().get_bit(2) {
            self.ones.next = self.compared_class.set.val() & self.old_class.set.val();
        }
        if self.chosen_truth.val().get_bit(1) {
            self.ones.next =
                self.ones.val() | (self.compared_class.set.val() & !self.old_class.set.val());
        }
        if self.chosen_truth.val().get_bit(0) {
            self.ones.next =
                self.ones.val() | (self.old_class.set.val() & !self.compared_class.set.val());
        }

        self.choice.next.old = self.step_q[2].q.val().old;
        self.choice.next.plain = self.step_q[2].q.val().bits;
        if self.chosen.val().sum.any() {
            self.choice.next.plain = self.adder.sum.val();
        }
        self.choice.next.size = self.chosen.val().size;
        self.choice.next.mask = self.step_q[2].q.val().mask;
        self.choice.next.stay = 0.into();
        if self.chosen.val().conditional.any() {
            self.choice.next.stay = !self.replace.val() & self.lowest.val();
        }
        self.choice.next.logical = self.chosen.val().logical;
        self.choice.next.ones = self.ones.val() & self.lowest.val();
        self.choice_q.d.next = self.choice.val();

        // Step 5.
        self.choice_old.next = self.choice_q.q.val().old;
        self.choice_plain.next = self.choice_q.q.val().plain;
        self.stay.size.next = self.choice_q.q.val().size;
        self.stay.flags.next = self.choice_q.q.val().stay;
        self.choice_keep.next = !self.choice_q.q.val().mask | self.stay.spread.val();
        self.choice_ones.next = self.choice_q.q.val().ones;
        self.merged.next = 0.into();
        for i in 0..8 {
            self.lane.next = self.choice_plain.val().get_bits::<8>(i * 8);
            if self.choice_q.q.val().logical.any() {
                self.lane.next = 0.into();
                if self.choice_ones.val().get_bit(i) {
                    self.lane.next = 1.into();
                }
            }
            if self.choice_keep.val().get_bit(i) {
                self.lane.next = self.choice_old.val().get_bits::<8>(i * 8);
            }
            // Each byte comes in at the top and moves down.
            self.merged.next =
                (self.merged.val() >> 8) | (bit_cast::<64, 8>(self.lane.val()) << 56);
        }
        self.updated_q.d.next = self.merged.val();
        self.updated.next = self.updated_q.q.val();
    }
}
