//! Room `bundle`: signals that belong together, as one field of a block.
//!
//! In the Verilog, and for everybody who asks for a pin by name, a bundle is its signals: `own`, `own_valid`,
//! `own_ready`.
//! `connect!(self.ring.request => self.request)` in a kernel connects all members of two bundles: a child's to another
//! child's, a child's to an own port, an own port's to a child's. It stands for one assignment a member.

pub mod axi;
pub mod axi_stream;
pub mod line_axi;
pub mod portal_commit;
pub mod pulse;
pub mod stream;
pub mod watch;
pub mod window;

pub use axi::{
    AxiArIn, AxiArOut, AxiAwIn, AxiAwOut, AxiBIn, AxiBOut, AxiLiteIn, AxiLiteOut, AxiRIn, AxiROut,
    AxiWIn, AxiWOut,
};
pub use axi_stream::{AxiStreamIn, AxiStreamOut};
pub use line_axi::{
    LineArIn, LineArOut, LineAwIn, LineAwOut, LineBIn, LineBOut, LineRIn, LineROut, LineWIn,
    LineWOut,
};
pub use portal_commit::{PortalCommitIn, PortalCommitOut};
pub use pulse::{PulseIn, PulseOut};
pub use stream::{StreamIn, StreamOut};
pub use watch::{DropsIn, DropsOut, RefusalsIn, RefusalsOut, TraceIn, TraceOut};
pub use window::{ReadBackIn, ReadBackOut, WindowIn, WindowOut};
