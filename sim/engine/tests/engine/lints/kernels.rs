//! Kernels that break one rule each; [`Outer`] puts them one level down.

// The kernels are bad on purpose.
#![allow(clippy::match_bool, clippy::match_single_binding, clippy::single_match)]

use rust_hdl::core::timing::TimingInfo;
use rust_hdl::prelude::*;

/// A parent that drives nothing: what elaboration finds is found before.
#[derive(Clone, Default, LogicBlock)]
pub struct Outer<B: Block + Default> {
    pub inner: B,
}

impl<B: Block + Default> Logic for Outer<B> {
    #[hdl_gen]
    fn update(&mut self) {}
}

/// The enum of some of them.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    Idle,
    Busy,
}

const LIMIT: LiteralType = 3;

/// A block with these signals and one kernel; attribute and `self` come from the caller (hygiene).
macro_rules! blocks {
    ($hash:tt $gen:tt $this:ident: $(
        $(#[$doc:meta])*
        $name:ident { $($signal:ident: $direction:ident $ty:ty),* $(,)? } { $($body:tt)* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Default, LogicBlock)]
        pub struct $name {
            $(pub $signal: Signal<$direction, $ty>,)*
        }

        impl Logic for $name {
            $hash $gen
            fn update(&mut $this) { $($body)* }
        }
    )*};
}

blocks! { #[hdl_gen] self:
    /// A constant of Rust.
    RustConstant { a: In Bits<8>, o: Out Bits<8> } {
        self.o.next = self.a.val() + LIMIT;
    }
    /// The guard is lost; what follows `_` shows it.
    Guard { a: In Bits<2>, c: In Bit, o: Out Bits<2> } {
        self.o.next = self.a.val();
        match self.a.val().index() {
            0 if self.c.val() => {
                self.o.next = 1.into();
            }
            0 => {
                self.o.next = 2.into();
            }
            _ => {}
        }
    }
    /// Two arms `_`, the first with a guard.
    DefaultGuard { a: In Bits<2>, c: In Bit, o: Out Bits<2> } {
        self.o.next = self.a.val();
        match self.a.val().index() {
            0 => {
                self.o.next = 1.into();
            }
            _ if self.c.val() => {
                self.o.next = 3.into();
            }
            _ => {}
        }
    }
    MatchBool { c: In Bit, o: Out Bits<2> } {
        self.o.next = 0.into();
        match self.c.val() {
            true => {
                self.o.next = 1.into();
            }
            _ => {}
        }
    }
    IndexSum { a: In Bits<3>, w: In Bits<64>, o: Out Bits<8> } {
        self.o.next = self.w.val().get_bits::<8>(self.a.val().index() + 1);
    }
    SliceBeyond { a: In Bits<8>, o: Out Bits<4> } {
        self.o.next = self.a.val().get_bits::<4>(5);
    }
    BitBeyond { a: In Bits<8>, o: Out Bit } {
        self.o.next = self.a.val().get_bit(8);
    }
    ReplaceBeyond { a: In Bits<8>, o: Out Bits<8> } {
        self.o.next = self.a.val().replace_bit(8, true);
    }
    WideShift { a: In Bits<8>, by: In Bits<65>, o: Out Bits<8> } {
        self.o.next = self.a.val() << self.by.val();
    }
    Keyword { release: In Bit, o: Out Bit } {
        self.o.next = self.release.val();
    }
    NoDefault { state: In State, o: Out State } {
        match self.state.val() {
            State::Idle => {
                self.o.next = State::Busy;
            }
            State::Busy => {
                self.o.next = State::Idle;
            }
        }
    }
    LooseExtension { a: In Signed<8>, b: In Signed<8>, o: Out Bit } {
        self.o.next = signed_bit_cast::<16, 8>(self.a.val()) < signed_bit_cast::<16, 8>(self.b.val());
    }
    LargeNumber { a: In Bits<8>, o: Out Bit } {
        self.o.next = self.a.val() == 256;
    }
    Product { a: In Bits<16>, b: In Bits<16>, o: Out Bits<32> } {
        self.o.next = self.a.val() * self.b.val();
    }
    Tristate { a: InOut Bit, o: Out Bit } {
        self.o.next = self.a.val();
    }
}

/// A child with a keyword for a name.
#[derive(Clone, Default, LogicBlock)]
pub struct KeywordChild {
    pub i: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
    pub table: Outer<Empty>,
}

impl Logic for KeywordChild {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.i.val();
    }
}

/// Nothing.
#[derive(Clone, Default, LogicBlock)]
pub struct Empty {
    pub unused: Signal<In, Bit>,
}

impl Logic for Empty {
    #[hdl_gen]
    fn update(&mut self) {}
}

/// Calls itself a memory, but reads with another address than it writes.
#[derive(Clone, Default, LogicBlock)]
pub struct OddRam {
    pub write_addr: Signal<In, Bits<4>>,
    pub write_data: Signal<In, Bits<8>>,
    pub write_en: Signal<In, Bit>,
    pub read_addr: Signal<In, Bits<5>>,
    pub read_data: Signal<Out, Bits<8>>,
}

impl Logic for OddRam {
    fn update(&mut self) {}

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "xtq.ram".into(),
            clock: String::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }]
    }
}
