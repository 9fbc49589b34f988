//! The channels of AXI, as far as the L2 has them: a line a transaction; `I` bits of id, `D` = `8 B` bits of line.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// Addresses of reads, at memory.
#[bundle(LineArOut)]
pub struct LineArIn<const I: usize> {
    /// Address is valid.
    pub valid: Signal<In, Bit>,
    /// Address is accepted.
    pub ready: Signal<Out, Bit>,
    /// Transaction.
    pub id: Signal<In, Bits<I>>,
    /// Byte address.
    pub addr: Signal<In, Bits<64>>,
}

/// Lines read, at the L2.
#[bundle(LineROut)]
pub struct LineRIn<const I: usize, const D: usize> {
    /// The line is valid.
    pub valid: Signal<In, Bit>,
    /// Always.
    pub ready: Signal<Out, Bit>,
    /// Id of the address.
    pub id: Signal<In, Bits<I>>,
    /// The line.
    pub data: Signal<In, Bits<D>>,
    /// Response.
    pub resp: Signal<In, Bits<2>>,
}

/// Addresses of writes, at memory.
#[bundle(LineAwOut)]
pub struct LineAwIn {
    /// Address is valid.
    pub valid: Signal<In, Bit>,
    /// Address is accepted.
    pub ready: Signal<Out, Bit>,
    /// Byte address.
    pub addr: Signal<In, Bits<64>>,
}

/// Lines to write, at memory.
#[bundle(LineWOut)]
pub struct LineWIn<const D: usize, const B: usize> {
    /// The line is valid.
    pub valid: Signal<In, Bit>,
    /// The line is accepted.
    pub ready: Signal<Out, Bit>,
    /// The line.
    pub data: Signal<In, Bits<D>>,
    /// Bytes of it to be written.
    pub strb: Signal<In, Bits<B>>,
}

/// Responses to writes, at the L2.
#[bundle(LineBOut)]
pub struct LineBIn {
    /// Response is valid.
    pub valid: Signal<In, Bit>,
    /// Always.
    pub ready: Signal<Out, Bit>,
    /// Response.
    pub resp: Signal<In, Bits<2>>,
}
