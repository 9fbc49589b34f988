//! The channels of AXI, as far as the NIC has them; lines of 512 bits.

use rust_hdl::prelude::*;
use xtq_kernel::bundle;

/// Addresses of writes, at memory.
#[bundle(AxiAwOut)]
pub struct AxiAwIn {
    /// Address.
    pub addr: Signal<In, Bits<64>>,
    /// Transaction.
    pub id: Signal<In, Bits<4>>,
    /// Beats less one.
    pub len: Signal<In, Bits<8>>,
    /// Bytes of a beat, as a power of two.
    pub size: Signal<In, Bits<3>>,
    /// How addresses go on: 1 upwards, 2 wrapping.
    pub burst: Signal<In, Bits<2>>,
    /// Context of the message that it belongs to.
    pub user: Signal<In, Bits<4>>,
    /// Atomic operation.
    pub atop: Signal<In, Bits<6>>,
    /// The rest is valid.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Data of writes, at memory.
#[bundle(AxiWOut)]
pub struct AxiWIn {
    /// A beat.
    pub data: Signal<In, Bits<512>>,
    /// Bytes of it to be written.
    pub strb: Signal<In, Bits<64>>,
    /// Last beat.
    pub last: Signal<In, Bit>,
    /// The rest is valid.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Responses to writes, at the NIC.
#[bundle(AxiBOut)]
pub struct AxiBIn {
    /// Transaction.
    pub id: Signal<In, Bits<4>>,
    /// Response; 0 okay.
    pub resp: Signal<In, Bits<2>>,
    /// The rest is valid.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Addresses of reads, at memory.
#[bundle(AxiArOut)]
pub struct AxiArIn {
    /// Address.
    pub addr: Signal<In, Bits<64>>,
    /// Transaction.
    pub id: Signal<In, Bits<4>>,
    /// Beats less one.
    pub len: Signal<In, Bits<8>>,
    /// Bytes of a beat, as a power of two.
    pub size: Signal<In, Bits<3>>,
    /// How addresses go on: 1 upwards, 2 wrapping.
    pub burst: Signal<In, Bits<2>>,
    /// Context of the message that it belongs to.
    pub user: Signal<In, Bits<4>>,
    /// The rest is valid.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Data read, at the NIC.
#[bundle(AxiROut)]
pub struct AxiRIn {
    /// A beat.
    pub data: Signal<In, Bits<512>>,
    /// Transaction.
    pub id: Signal<In, Bits<4>>,
    /// Response; 0 okay.
    pub resp: Signal<In, Bits<2>>,
    /// Last beat.
    pub last: Signal<In, Bit>,
    /// The rest is valid.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// AXI4-Lite, all channels, at the registers.
#[bundle(AxiLiteOut)]
pub struct AxiLiteIn {
    /// Address of a write.
    pub awaddr: Signal<In, Bits<16>>,
    /// Channel AW is valid.
    pub awvalid: Signal<In, Bit>,
    /// Channel AW is taken.
    pub awready: Signal<Out, Bit>,
    /// Data of a write.
    pub wdata: Signal<In, Bits<32>>,
    /// Bytes of it to be written.
    pub wstrb: Signal<In, Bits<4>>,
    /// Channel W is valid.
    pub wvalid: Signal<In, Bit>,
    /// Channel W is taken.
    pub wready: Signal<Out, Bit>,
    /// Response to a write.
    pub bresp: Signal<Out, Bits<2>>,
    /// Channel B is valid.
    pub bvalid: Signal<Out, Bit>,
    /// Channel B is taken.
    pub bready: Signal<In, Bit>,
    /// Address of a read.
    pub araddr: Signal<In, Bits<16>>,
    /// Channel AR is valid.
    pub arvalid: Signal<In, Bit>,
    /// Channel AR is taken.
    pub arready: Signal<Out, Bit>,
    /// Data read.
    pub rdata: Signal<Out, Bits<32>>,
    /// Response to a read.
    pub rresp: Signal<Out, Bits<2>>,
    /// Channel R is valid.
    pub rvalid: Signal<Out, Bit>,
    /// Channel R is taken.
    pub rready: Signal<In, Bit>,
}
