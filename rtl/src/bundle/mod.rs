//! Bundles: signals that belong together and are one field of a block. In the Verilog, and for everybody who asks for a
//! pin by name, they are the signals that they were made of: `own`, `own_valid`, `own_ready`.
//!
//! `connect!(self.ring.request => self.request)` in a kernel connects all members of two bundles, in either direction:
//! a child's to a child's, a child's to an own port, an own port's to a child's. It takes the place of one assignment a
//! member.

pub mod axi;
pub mod pulse;
pub mod stream;

pub use axi::{
    AxiArIn, AxiArOut, AxiAwIn, AxiAwOut, AxiBIn, AxiBOut, AxiLiteIn, AxiLiteOut, AxiRIn, AxiROut,
    AxiWIn, AxiWOut,
};
pub use pulse::{PulseIn, PulseOut};
pub use stream::{StreamIn, StreamOut};
