//! `Reg`: a register with synchronous reset and enable.
//!
//! **Purpose.** Every flip-flop of the design is a `Reg`; nothing else holds a single word of state. Use
//! [`Ram`](super::Ram) for tables, [`Delay`](super::Delay) where `en` would be one.
//!
//! ```text
//!            +-------+
//!   clk   -->|       |
//!   rst   -->|  Reg  |--> q
//!   en    -->|       |
//!   d     -->|       |
//!            +-------+
//! ```
//!
//! **Contract.** At a rising edge of `clk`: `q` becomes `reset_value` if `rst`, else `d` if `en`, else it stays. In
//! simulation of the Rust `q` starts at `reset_value`; hardware needs the reset. Latency: one cycle.
//!
//! **Internals.** One `always @(posedge clk)`. The reset value is a [`Constant`] field and the behaviour is named in
//! [`Logic::timing`] (`xtq.reg`), so that an engine reads it as data and never has to recognise Verilog text.
//!
//! **Example.** A kernel gives `en` and `d` a default and overrides them where the state changes:
//!
//! ```
//! use rust_hdl::prelude::*;
//! use xtq_kernel::{block, kernel};
//! use xtq_rtl::leaf::Reg;
//!
//! #[block]
//! struct Counter {
//!     clk: Signal<In, Clock>,
//!     rst: Signal<In, Bit>,
//!     count: Signal<Out, Bits<8>>,
//!     count_q: Reg<Bits<8>>,
//! }
//!
//! #[kernel]
//! impl Logic for Counter {
//!     fn update(&mut self) {
//!         self.count_q.en.next = true;
//!         self.count_q.d.next = self.count_q.q.val() + 1;
//!         self.count.next = self.count_q.q.val();
//!     }
//! }
//! ```

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;
use xtq_kernel::block;

/// A register of type `T` with synchronous reset (active high) and enable.
#[block]
pub struct Reg<T: Synth> {
    /// Clock; state changes at the rising edge.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; wins over `en`.
    pub rst: Signal<In, Bit>,
    /// Take `d` at this edge.
    pub en: Signal<In, Bit>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value held.
    pub q: Signal<Out, T>,
    /// Value after reset.
    #[value(T::default())]
    pub reset_value: Constant<T>,
}

impl<T: Synth> Reg<T> {
    /// A register that resets to `reset_value`.
    pub fn new(reset_value: T) -> Self {
        Self {
            q: Signal::new_with_default(reset_value),
            reset_value: Constant::new(reset_value),
            ..Self::default()
        }
    }
}

impl<T: Synth> Logic for Reg<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            if self.rst.val() {
                self.q.next = self.reset_value.val();
            } else if self.en.val() {
                self.q.next = self.d.val();
            }
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "xtq.reg".into(),
            clock: "clk".into(),
            inputs: vec!["rst".into(), "en".into(), "d".into()],
            outputs: vec!["q".into()],
        }]
    }
}
