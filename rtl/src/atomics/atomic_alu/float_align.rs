//! `FloatAlign`: steps 4 and 5 of a floating point addition: moves the smaller significand under the larger.
//!
//! **Purpose.** The part of [`FloatAdder`](super::FloatAdder) that shifts right and keeps what rounding needs of the
//! bits that fall off.
//!
//! ```text
//!   side            -->+------------+--> side_out
//!   larger, smaller -->| FloatAlign |--> larger_out      (two cycles later)
//!   shift           -->+------------+--> smaller_out
//! ```
//!
//! **Contract.** Both significands get three bits below. Of `smaller`, shifted, the lowest of them (the sticky bit) is
//! set if the bit there or any bit below it is: enough to round any sum or difference as if all bits were there.
//!
//! **Internals.** First by bytes, then by bits, so that no path has more than one 8:1 choice.

use crate::leaf::Delay;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::FloatSide;

/// After step 4.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Coarse {
    smaller: Bits<56>,
    lost: Bit,
    fine: Bits<3>,
}

/// Aligns significands.
#[block]
pub struct FloatAlign {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// What goes along.
    pub side: Signal<In, FloatSide>,
    /// Significand of the larger magnitude.
    pub larger: Signal<In, Bits<53>>,
    /// Significand of the smaller.
    pub smaller: Signal<In, Bits<53>>,
    /// Places by which `smaller` is too high.
    pub shift: Signal<In, Bits<6>>,
    /// What goes along.
    pub side_out: Signal<Out, FloatSide>,
    /// The larger, with three zeros.
    pub larger_out: Signal<Out, Bits<56>>,
    /// The smaller, in its place.
    pub smaller_out: Signal<Out, Bits<56>>,
    side_1_q: Delay<FloatSide>,
    side_2_q: Delay<FloatSide>,
    larger_1_q: Delay<Bits<53>>,
    larger_2_q: Delay<Bits<53>>,
    coarse_q: Delay<Coarse>,
    smaller_q: Delay<Bits<56>>,
    wide: Signal<Local, Bits<56>>,
    by_bytes: Signal<Local, Bits<3>>,
    coarse: Signal<Local, Coarse>,
    first: Signal<Local, Bits<56>>,
    lost: Signal<Local, Bit>,
    moved: Signal<Local, Bits<56>>,
}

#[kernel]
impl Logic for FloatAlign {
    fn update(&mut self) {
        self.side_1_q.d.next = self.side.val();
        self.side_2_q.d.next = self.side_1_q.q.val();
        self.larger_1_q.d.next = self.larger.val();
        self.larger_2_q.d.next = self.larger_1_q.q.val();

        // Step 4: by bytes.
        self.wide.next = bit_cast::<56, 53>(self.smaller.val()) << 3;
        self.coarse.next.smaller = self.wide.val();
        self.coarse.next.lost = false;
        self.coarse.next.fine = self.shift.val().get_bits::<3>(0);
        self.by_bytes.next = self.shift.val().get_bits::<3>(3);
        match self.by_bytes.val().index() {
            0 => {}
            1 => {
                self.coarse.next.smaller = self.wide.val() >> 8;
                self.coarse.next.lost = self.wide.val().get_bits::<8>(0).any();
            }
            2 => {
                self.coarse.next.smaller = self.wide.val() >> 16;
                self.coarse.next.lost = self.wide.val().get_bits::<16>(0).any();
            }
            3 => {
                self.coarse.next.smaller = self.wide.val() >> 24;
                self.coarse.next.lost = self.wide.val().get_bits::<24>(0).any();
            }
            4 => {
                self.coarse.next.smaller = self.wide.val() >> 32;
                self.coarse.next.lost = self.wide.val().get_bits::<32>(0).any();
            }
            5 => {
                self.coarse.next.smaller = self.wide.val() >> 40;
                self.coarse.next.lost = self.wide.val().get_bits::<40>(0).any();
            }
            6 => {
                self.coarse.next.smaller = self.wide.val() >> 48;
                self.coarse.next.lost = self.wide.val().get_bits::<48>(0).any();
            }
            _ => {
                self.coarse.next.smaller = 0.into();
                self.coarse.next.lost = self.wide.val().any();
            }
        }
        self.coarse_q.d.next = self.coarse.val();

        // Step 5: by bits.
        self.first.next = self.coarse_q.q.val().smaller;
        self.moved.next = self.first.val();
        self.lost.next = self.coarse_q.q.val().lost;
        match self.coarse_q.q.val().fine.index() {
            0 => {}
            1 => {
                self.moved.next = self.first.val() >> 1;
                self.lost.next = self.lost.val() | self.first.val().get_bit(0);
            }
            2 => {
                self.moved.next = self.first.val() >> 2;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<2>(0).any();
            }
            3 => {
                self.moved.next = self.first.val() >> 3;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<3>(0).any();
            }
            4 => {
                self.moved.next = self.first.val() >> 4;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<4>(0).any();
            }
            5 => {
                self.moved.next = self.first.val() >> 5;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<5>(0).any();
            }
            6 => {
                self.moved.next = self.first.val() >> 6;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<6>(0).any();
            }
            _ => {
                self.moved.next = self.first.val() >> 7;
                self.lost.next = self.lost.val() | self.first.val().get_bits::<7>(0).any();
            }
        }
        self.smaller_q.d.next = self.moved.val();
        if self.lost.val() {
            self.smaller_q.d.next = self.moved.val() | 1;
        }

        self.side_out.next = self.side_2_q.q.val();
        self.larger_out.next = bit_cast::<56, 53>(self.larger_2_q.q.val()) << 3;
        self.smaller_out.next = self.smaller_q.q.val();
    }
}
