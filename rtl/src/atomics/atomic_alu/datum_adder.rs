//! `DatumAdder`: adds the data of two 64-bit words, each datum for itself, in three steps.
//!
//! **Purpose.** The sum of integers of 1, 2, 4 or 8 bytes; it wraps, so signed and unsigned are the same.
//!
//! ```text
//!            +------------+
//!   en    -->|            |
//!   size  -->|            |
//!   a     -->| DatumAdder |--> sum   (three enabled cycles later)
//!   b     -->|            |
//!            +------------+
//! ```
//!
//! **Contract.** At a rising edge with `en` a step is taken; three steps later `sum` holds the result. Without `en`
//! nothing changes. One pair of words a step.
//!
//! **Internals.** The words are added without the top bits of their data, so that no carry leaves a datum; the top
//! bits, whose carry is lost anyway, are added to the result without carry (exclusive or). The addition is cut in
//! halves of 32 bits, as a carry through 64 bits would be the longest path.
//!
//! ```text
//!   step 1: split off the top bits   step 2: low half, carry   step 3: high half, top bits
//! ```

use super::datum_tops::DatumTops;
use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// After step 1.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Split {
    a: Bits<64>,
    b: Bits<64>,
    tops: Bits<64>,
}

/// After step 2.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct DatumHalf {
    low: Bits<33>,
    a: Bits<32>,
    b: Bits<32>,
    tops: Bits<64>,
}

/// Adds in lanes of 1, 2, 4 or 8 bytes.
#[block]
pub struct DatumAdder {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Take a step at this edge.
    pub en: Signal<In, Bit>,
    /// log2 of the bytes of a datum.
    pub size: Signal<In, Bits<2>>,
    /// First summands.
    pub a: Signal<In, Bits<64>>,
    /// Second summands.
    pub b: Signal<In, Bits<64>>,
    /// Sums of the pair taken three steps ago.
    pub sum: Signal<Out, Bits<64>>,
    datum: DatumTops,
    split_q: Reg<Split>,
    half_q: Reg<DatumHalf>,
    sum_q: Reg<Bits<64>>,
    split: Signal<Local, Split>,
    a_1: Signal<Local, Bits<64>>,
    b_1: Signal<Local, Bits<64>>,
    low_a: Signal<Local, Bits<32>>,
    low_b: Signal<Local, Bits<32>>,
    half: Signal<Local, DatumHalf>,
    low: Signal<Local, Bits<33>>,
    low_bits: Signal<Local, Bits<32>>,
    carry: Signal<Local, Bits<1>>,
    high: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for DatumAdder {
    fn update(&mut self) {
        self.split_q.en.next = self.en.val();
        self.half_q.en.next = self.en.val();
        self.sum_q.en.next = self.en.val();

        self.datum.size.next = self.size.val();
        self.split.next.a = self.a.val() & !self.datum.tops.val();
        self.split.next.b = self.b.val() & !self.datum.tops.val();
        self.split.next.tops = (self.a.val() ^ self.b.val()) & self.datum.tops.val();
        self.split_q.d.next = self.split.val();

        self.a_1.next = self.split_q.q.val().a;
        self.b_1.next = self.split_q.q.val().b;
        self.low_a.next = self.a_1.val().get_bits::<32>(0);
        self.low_b.next = self.b_1.val().get_bits::<32>(0);
        self.half.next.low =
            bit_cast::<33, 32>(self.low_a.val()) + bit_cast::<33, 32>(self.low_b.val());
        self.half.next.a = self.a_1.val().get_bits::<32>(32);
        self.half.next.b = self.b_1.val().get_bits::<32>(32);
        self.half.next.tops = self.split_q.q.val().tops;
        self.half_q.d.next = self.half.val();

        self.low.next = self.half_q.q.val().low;
        self.low_bits.next = self.low.val().get_bits::<32>(0);
        self.carry.next = self.low.val().get_bits::<1>(32);
        self.high.next =
            self.half_q.q.val().a + self.half_q.q.val().b + bit_cast::<32, 1>(self.carry.val());
        self.sum_q.d.next = ((bit_cast::<64, 32>(self.high.val()) << 32)
            | bit_cast::<64, 32>(self.low_bits.val()))
            ^ self.half_q.q.val().tops;
        self.sum.next = self.sum_q.q.val();
    }
}
