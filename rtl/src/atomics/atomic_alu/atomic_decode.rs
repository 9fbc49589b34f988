//! `AtomicDecode`: what an operation on a datatype asks of each datum.
//!
//! **Purpose.** The part of [`AtomicAlu`](super::AtomicAlu) that knows the codes: after it there are only bits that say
//! what to do.
//!
//! ```text
//!   operation -->+--------------+
//!                | AtomicDecode |--> rule
//!   datatype  -->+--------------+
//! ```
//!
//! **Contract.** Combinational. What [`AtomicCheck`] does not let through becomes the rule that leaves the old datum as
//! it is.
//!
//! **Internals.** Bitwise and logical operations are truth tables of source and old. SWAP is one too, and so is "leave
//! it". Products and floating point sums are computed before the word lanes see the beat and then take the place of the
//! source, so for the lanes they are a SWAP.

use crate::atomics::atomic_check::AtomicCheck;
use crate::codes::atomic_codes::AtomicCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::AtomicRule;

/// Turns codes into a rule.
#[block]
pub struct AtomicDecode {
    /// See [`operation`](xtq_types::atomic::operation).
    pub operation: Signal<In, Bits<8>>,
    /// See [`datatype`](xtq_types::atomic::datatype).
    pub datatype: Signal<In, Bits<8>>,
    /// What to do.
    pub rule: Signal<Out, AtomicRule>,
    check: AtomicCheck,
    codes: AtomicCodes,
    refused: Signal<Local, Bit>,
    complex: Signal<Local, Bit>,
    float: Signal<Local, Bit>,
    product: Signal<Local, Bit>,
    minimum: Signal<Local, Bit>,
    maximum: Signal<Local, Bit>,
    total: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    not_equal: Signal<Local, Bit>,
    less_or_equal: Signal<Local, Bit>,
    less: Signal<Local, Bit>,
    greater_or_equal: Signal<Local, Bit>,
    greater: Signal<Local, Bit>,
    conditional_swap: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicDecode {
    fn update(&mut self) {
        self.check.operation.next = self.operation.val();
        self.check.datatype.next = self.datatype.val();
        self.refused.next = self.check.invalid.val() | self.check.unsupported.val();

        self.complex.next = (self.datatype.val() == self.codes.float_complex.val())
            | (self.datatype.val() == self.codes.double_complex.val());
        self.float.next = (self.datatype.val() == self.codes.float.val())
            | (self.datatype.val() == self.codes.double.val())
            | self.complex.val();
        self.product.next = (self.operation.val() == self.codes.prod.val()) & !self.refused.val();
        self.minimum.next = self.operation.val() == self.codes.min.val();
        self.maximum.next = self.operation.val() == self.codes.max.val();
        self.total.next = self.operation.val() == self.codes.sum.val();
        self.equal.next = self.operation.val() == self.codes.cswap.val();
        self.not_equal.next = self.operation.val() == self.codes.cswap_ne.val();
        self.less_or_equal.next = self.operation.val() == self.codes.cswap_le.val();
        self.less.next = self.operation.val() == self.codes.cswap_lt.val();
        self.greater_or_equal.next = self.operation.val() == self.codes.cswap_ge.val();
        self.greater.next = self.operation.val() == self.codes.cswap_gt.val();
        self.conditional_swap.next = self.equal.val()
            | self.not_equal.val()
            | self.less_or_equal.val()
            | self.less.val()
            | self.greater_or_equal.val()
            | self.greater.val();

        self.rule.next.size = self.check.size.val().get_bits::<2>(0);
        if self.datatype.val() == self.codes.float_complex.val() {
            self.rule.next.size = 2.into();
        }
        if self.datatype.val() == self.codes.double_complex.val() {
            self.rule.next.size = 3.into();
        }
        self.rule.next.complex = self.complex.val().into();
        self.rule.next.twos_complement = ((self.datatype.val() == self.codes.int8.val())
            | (self.datatype.val() == self.codes.int16.val())
            | (self.datatype.val() == self.codes.int32.val())
            | (self.datatype.val() == self.codes.int64.val()))
        .into();
        self.rule.next.float = self.float.val().into();
        self.rule.next.product = (self.product.val() & !self.float.val()).into();
        self.rule.next.float_product = (self.product.val() & self.float.val()).into();
        self.rule.next.float_sum =
            (self.total.val() & self.float.val() & !self.refused.val()).into();
        self.rule.next.sum = (self.total.val() & !self.float.val() & !self.refused.val()).into();
        self.rule.next.logical = (((self.operation.val() == self.codes.lor.val())
            | (self.operation.val() == self.codes.land.val())
            | (self.operation.val() == self.codes.lxor.val()))
            & !self.refused.val())
        .into();
        self.rule.next.masked =
            ((self.operation.val() == self.codes.mswap.val()) & !self.refused.val()).into();

        // CSWAP...: operand against target. MIN, MAX: source against target.
        self.rule.next.conditional =
            ((self.conditional_swap.val() | self.minimum.val() | self.maximum.val())
                & !self.refused.val())
            .into();
        self.rule.next.by_operand = self.conditional_swap.val().into();
        self.rule.next.if_less = (self.minimum.val()
            | self.not_equal.val()
            | self.less_or_equal.val()
            | self.less.val())
        .into();
        self.rule.next.if_equal =
            (self.equal.val() | self.less_or_equal.val() | self.greater_or_equal.val()).into();
        self.rule.next.if_greater = (self.maximum.val()
            | self.not_equal.val()
            | self.greater_or_equal.val()
            | self.greater.val())
        .into();
        self.rule.next.if_unordered = self.not_equal.val().into();

        // The source:
        self.rule.next.truth = 0b110.into();
        if (self.operation.val() == self.codes.lor.val())
            | (self.operation.val() == self.codes.bor.val())
        {
            self.rule.next.truth = 0b111.into();
        }
        if (self.operation.val() == self.codes.land.val())
            | (self.operation.val() == self.codes.band.val())
        {
            self.rule.next.truth = 0b100.into();
        }
        if (self.operation.val() == self.codes.lxor.val())
            | (self.operation.val() == self.codes.bxor.val())
        {
            self.rule.next.truth = 0b011.into();
        }
        // The old datum:
        if self.refused.val() {
            self.rule.next.truth = 0b101.into();
        }
    }
}
