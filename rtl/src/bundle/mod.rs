//! Room `bundle`: signals that belong together, as one field of a block.
//!
//! In the Verilog, and for everybody who asks for a pin by name, a bundle is its signals: `own`, `own_valid`,
//! `own_ready`.
//! `connect!(self.ring.request => self.request)` in a kernel connects all members of two bundles: a child's to another
//! child's, a child's to an own port, an own port's to a child's. It stands for one assignment a member.

pub mod axi;
pub mod pulse;
pub mod stream;

pub use axi::{
    AxiArIn, AxiArOut, AxiAwIn, AxiAwOut, AxiBIn, AxiBOut, AxiLiteIn, AxiLiteOut, AxiRIn, AxiROut,
    AxiWIn, AxiWOut,
};
pub use pulse::{PulseIn, PulseOut};
pub use stream::{StreamIn, StreamOut};
