//! `AtomicAlu`: the arithmetic of Portals 4 atomics, on a memory line and the bytes of a message that meet it.
//!
//! **Purpose.** Computes; it neither reads nor writes memory, and it does not make anything atomic: that one line is
//! not in it twice is the business of who uses it. Ask [`AtomicCheck`](crate::atomics::atomic_check::AtomicCheck)
//! first: what that refuses leaves the line as it was.
//!
//! ```text
//!                  +-----------+--> result        (AtomicResult)
//!   beat        -->|           |--> result_valid
//!   beat_valid  -->| AtomicAlu |<-- result_ready
//!   beat_ready  <--|           |
//!                  +-----------+
//! ```
//!
//! **Contract.** Results leave in the order of the beats. Each datum that `mask` covers becomes *operation(source,
//! old)*, the other bytes stay. Whole data are to be covered, each at a multiple of its size; what is covered in part
//! is computed whole and written in part. The operand of a conditional or masked swap serves every datum covered
//! (Portals has one). A beat accepted in cycle *n* is on `result` in cycle *n + 7*, one a cycle, unless it is a
//! product or a floating point sum: these take a beat of their own and hold up those after. Valid does not wait
//! for ready.
//!
//! **Internals.** The head register holds a beat with its rule. [`SerialUnit`] computes products and floating point
//! sums there, also of complex numbers, and its result takes the place of the source. Then eight [`WordLane`]s do
//! everything else; the pipeline stands still while the [`Skid`] after it is full.
//!
//! ```text
//!   beat -> AtomicDecode -> head -+---------------------+-> WordLane x 8 (5 steps) -> Skid -> result
//!                                 +-> SerialUnit -------+
//! ```

mod atomic_decode;
mod datum_adder;
mod datum_class;
mod datum_order;
mod datum_spread;
mod datum_tops;
mod float_adder;
mod float_align;
mod float_multiplier;
mod float_normalise;
mod float_order;
mod float_round;
mod float_sum;
mod float_unpack;
mod half_picker;
mod multiplier;
mod operand_copies;
mod order_key;
mod product_row;
mod row_digits;
mod serial_unit;
mod significand_row;
mod word_lane;

pub use datum_adder::DatumAdder;
pub use datum_class::DatumClass;
pub use datum_order::DatumOrder;
pub use float_adder::FloatAdder;
pub use float_multiplier::FloatMultiplier;
pub use multiplier::Multiplier;
pub use serial_unit::SerialUnit;
pub use word_lane::WordLane;

use crate::bundle::{StreamIn, StreamOut};
use crate::leaf::{Reg, Skid};
use atomic_decode::AtomicDecode;
use operand_copies::OperandCopies;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::{AtomicBeat, AtomicResult, AtomicRule};

/// Atomic operations on memory lines.
#[block]
pub struct AtomicAlu {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; what is inside is lost.
    pub rst: Signal<In, Bit>,
    /// A line, the message's bytes, and what to do with them.
    pub beat: StreamIn<AtomicBeat>,
    /// The line as it becomes.
    pub result: StreamOut<AtomicResult>,
    decode: AtomicDecode,
    copies: OperandCopies,
    serial: SerialUnit,
    lane: [WordLane; 8],
    results: Skid<AtomicResult>,
    head_q: Reg<AtomicBeat>,
    head_valid_q: Reg<Bit>,
    rule_q: Reg<AtomicRule>,
    operand_q: Reg<Bits<64>>,
    there_q: Reg<Bits<5>>,
    mask_q: [Reg<Bits<64>>; 5],
    step: Signal<Local, Bit>,
    needs_serial: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    there: Signal<Local, Bits<5>>,
    old: Signal<Local, Bits<512>>,
    mask: Signal<Local, Bits<64>>,
    source: Signal<Local, Bits<512>>,
    updated_word: Signal<Local, Bits<64>>,
    updated_line: Signal<Local, Bits<512>>,
    out: Signal<Local, AtomicResult>,
}

#[kernel]
impl Logic for AtomicAlu {
    fn update(&mut self) {
        // The pipeline takes a step whenever there is room after it.
        self.step.next = self.results.write.ready.val();
        self.needs_serial.next = self.head_valid_q.q.val()
            & (self.rule_q.q.val().product.any()
                | self.rule_q.q.val().float_product.any()
                | self.rule_q.q.val().float_sum.any());
        self.leave.next = self.head_valid_q.q.val()
            & self.step.val()
            & (!self.needs_serial.val() | self.serial.done.val());
        self.beat.ready.next = !self.head_valid_q.q.val() | self.leave.val();
        self.accept.next = self.beat.valid.val() & self.beat.ready.val();

        // Head.
        self.decode.operation.next = self.beat.data.val().operation;
        self.decode.datatype.next = self.beat.data.val().datatype;
        self.copies.size.next = self.decode.rule.val().size;
        if self.decode.rule.val().complex.any() {
            self.copies.size.next = 3.into();
        }
        self.copies.operand.next = self.beat.data.val().operand;
        self.head_q.en.next = self.accept.val();
        self.head_q.d.next = self.beat.data.val();
        self.rule_q.en.next = self.accept.val();
        self.rule_q.d.next = self.decode.rule.val();
        self.operand_q.en.next = self.accept.val();
        self.operand_q.d.next = self.copies.copies.val();
        self.head_valid_q.en.next = self.accept.val() | self.leave.val();
        self.head_valid_q.d.next = self.accept.val();

        self.old.next = self.head_q.q.val().old;
        self.mask.next = self.head_q.q.val().mask;
        self.serial.request.next = self.needs_serial.val();
        self.serial.taken.next = self.leave.val();
        self.serial.product.next = self.rule_q.q.val().product.any();
        self.serial.float_product.next = self.rule_q.q.val().float_product.any();
        self.serial.complex.next = self.rule_q.q.val().complex.any();
        self.serial.size.next = self.rule_q.q.val().size;
        self.serial.mask.next = self.mask.val();
        self.serial.old.next = self.old.val();
        self.serial.source.next = self.head_q.q.val().source;
        self.source.next = self.head_q.q.val().source;
        if self.needs_serial.val() {
            self.source.next = self.serial.result.val();
        }

        // Lanes.
        self.updated_line.next = 0.into();
        for i in 0..8 {
            self.lane[i].en.next = self.step.val();
            self.lane[i].rule.next = self.rule_q.q.val();
            self.lane[i].operand.next = self.operand_q.q.val();
            self.lane[i].mask.next = self.mask.val().get_bits::<8>(i * 8);
            self.lane[i].old.next = self.old.val().get_bits::<64>(i * 64);
            self.lane[i].source.next = self.source.val().get_bits::<64>(i * 64);
            // Each word comes in at the top and moves down.
            self.updated_word.next = self.lane[i].updated.val();
            self.updated_line.next = (self.updated_line.val() >> 64)
                | (bit_cast::<512, 64>(self.updated_word.val()) << 448);
        }

        // What goes beside them.
        self.there.next = self.there_q.q.val() << 1;
        if self.leave.val() {
            self.there.next = (self.there_q.q.val() << 1) | 1;
        }
        self.there_q.en.next = self.step.val();
        self.there_q.d.next = self.there.val();
        self.mask_q[0].d.next = self.mask.val();
        for i in 1..5 {
            self.mask_q[i].d.next = self.mask_q[i - 1].q.val();
        }
        for i in 0..5 {
            self.mask_q[i].en.next = self.step.val();
        }

        self.out.next.mask = self.mask_q[4].q.val();
        self.out.next.updated = self.updated_line.val();
        self.results.write.data.next = self.out.val();
        self.results.write.valid.next = self.there_q.q.val().get_bit(4);
        connect!(self.results.read => self.result);
    }
}
