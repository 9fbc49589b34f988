//! `AtomicCheck`: whether there is such an atomic operation on such a datatype, and whether it is built.
//!
//! **Purpose.** For who takes commands or messages: refuse what the
//! [`AtomicAlu`](crate::atomics::atomic_alu::AtomicAlu) cannot do before anything is sent or read. The length and
//! alignment of the message are not its business; `size` and `single` are what such a test needs.
//!
//! ```text
//!                +-------------+--> invalid
//!   operation -->|             |--> unsupported
//!                | AtomicCheck |--> swap
//!   datatype  -->|             |--> single
//!                +-------------+--> size
//! ```
//!
//! **Contract.** Combinational. `invalid`: Portals 4 has no such operation, no such datatype, or not the two together.
//! `unsupported`: Portals 4 has it, this hardware has not: everything on `long double`, and swaps of DOUBLE_COMPLEX
//! with an operand, for which a message has only eight bytes. Never both. `size` means something only if neither is
//! set.
//!
//! **Internals.** Three kinds of datatype (integer, real, complex) and three kinds of operation: on all of them (SUM,
//! PROD, SWAP, CSWAP, CSWAP_NE), on what has an order (MIN, MAX, CSWAP_LE to CSWAP_GT), on integers only (logical,
//! bitwise, MSWAP).

use crate::codes::atomic_codes::AtomicCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Classifies a pair of operation and datatype.
#[block]
pub struct AtomicCheck {
    /// See [`operation`](xtq_types::atomic::operation).
    pub operation: Signal<In, Bits<8>>,
    /// See [`datatype`](xtq_types::atomic::datatype).
    pub datatype: Signal<In, Bits<8>>,
    /// Portals has no such combination.
    pub invalid: Signal<Out, Bit>,
    /// Portals has it, this hardware has not.
    pub unsupported: Signal<Out, Bit>,
    /// Belongs to PtlSwap (else to PtlAtomic and PtlFetchAtomic).
    pub swap: Signal<Out, Bit>,
    /// Works on one datum only, with an operand.
    pub single: Signal<Out, Bit>,
    /// log2 of the bytes of a datum.
    pub size: Signal<Out, Bits<3>>,
    codes: AtomicCodes,
    on_integers: Signal<Local, Bit>,
    on_built_reals: Signal<Local, Bit>,
    on_built_complex: Signal<Local, Bit>,
    needs_operand: Signal<Local, Bit>,
    on_reals: Signal<Local, Bit>,
    on_complex: Signal<Local, Bit>,
    integers_only: Signal<Local, Bit>,
    ordered: Signal<Local, Bit>,
    legal: Signal<Local, Bit>,
    built: Signal<Local, Bit>,
}

#[kernel]
impl Logic for AtomicCheck {
    fn update(&mut self) {
        self.on_integers.next = (self.datatype.val() < self.codes.float.val())
            | (self.datatype.val() == self.codes.int64.val())
            | (self.datatype.val() == self.codes.uint64.val());
        self.on_built_reals.next = (self.datatype.val() == self.codes.float.val())
            | (self.datatype.val() == self.codes.double.val());
        self.on_reals.next =
            self.on_built_reals.val() | (self.datatype.val() == self.codes.long_double.val());
        self.on_complex.next = (self.datatype.val() == self.codes.float_complex.val())
            | (self.datatype.val() == self.codes.double_complex.val())
            | (self.datatype.val() == self.codes.long_double_complex.val());

        self.integers_only.next = ((self.operation.val() >= self.codes.lor.val())
            & (self.operation.val() <= self.codes.bxor.val()))
            | (self.operation.val() == self.codes.mswap.val());
        self.ordered.next = (self.operation.val() <= self.codes.max.val())
            | ((self.operation.val() >= self.codes.cswap_le.val())
                & (self.operation.val() <= self.codes.cswap_gt.val()));
        self.legal.next = (self.operation.val() <= self.codes.mswap.val())
            & (self.on_integers.val()
                | (self.on_reals.val() & !self.integers_only.val())
                | (self.on_complex.val() & !self.integers_only.val() & !self.ordered.val()));
        self.needs_operand.next = (self.operation.val() == self.codes.cswap.val())
            | (self.operation.val() == self.codes.cswap_ne.val());
        self.on_built_complex.next = (self.datatype.val() == self.codes.float_complex.val())
            | ((self.datatype.val() == self.codes.double_complex.val())
                & !self.needs_operand.val());
        self.built.next =
            self.on_integers.val() | self.on_built_reals.val() | self.on_built_complex.val();
        self.invalid.next = !self.legal.val();
        self.unsupported.next = self.legal.val() & !self.built.val();

        self.swap.next = (self.operation.val() >= self.codes.swap.val())
            & (self.operation.val() <= self.codes.mswap.val());
        self.single.next = (self.operation.val() > self.codes.swap.val())
            & (self.operation.val() <= self.codes.mswap.val());

        self.size.next = 3.into();
        if self.datatype.val() < self.codes.int16.val() {
            self.size.next = 0.into();
        } else if self.datatype.val() < self.codes.int32.val() {
            self.size.next = 1.into();
        } else if self.datatype.val() < self.codes.int64.val() {
            self.size.next = 2.into();
        } else if self.datatype.val() == self.codes.double_complex.val() {
            self.size.next = 4.into();
        }
    }
}
