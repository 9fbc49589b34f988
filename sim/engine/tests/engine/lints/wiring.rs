//! Designs whose blocks are right and whose wiring is not, and some that only look wrong.

use rust_hdl::prelude::*;

macro_rules! block {
    ($hash:tt $gen:tt $this:ident: $(
        $name:ident { $($signal:ident: $direction:ident $ty:ty,)* $(; $($child:ident: $kind:ty,)*)? } { $($body:tt)* }
    )*) => {$(
        #[derive(Clone, Default, LogicBlock)]
        pub struct $name {
            $(pub $signal: Signal<$direction, $ty>,)*
            $($(pub $child: $kind,)*)?
        }

        impl Logic for $name {
            $hash $gen
            fn update(&mut $this) { $($body)* }
        }
    )*};
}

/// Two fields of one word.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Pair {
    pub valid: Bit,
    pub data: Bits<8>,
}

block! { #[hdl_gen] self:
    Latch { c: In Bit, a: In Bits<8>, o: Out Bits<8>, } {
        if self.c.val() {
            self.o.next = self.a.val();
        }
    }
    // One field is never written.
    FieldLatch { c: In Bit, o: Out Pair, } {
        self.o.next.valid = self.c.val();
    }
    // Each branch writes another field.
    BranchLatch { c: In Bit, o: Out Pair, } {
        if self.c.val() {
            self.o.next.valid = true;
        } else {
            self.o.next.data = 1.into();
        }
    }
    // Read where only one branch has written it.
    HalfWritten { c: In Bit, a: In Bits<8>, t: Local Bits<8>, o: Out Bits<8>, } {
        if self.c.val() {
            self.t.next = self.a.val();
        }
        self.o.next = self.t.val();
        self.t.next = self.a.val();
    }
    ReadFirst { a: In Bits<8>, t: Local Bits<8>, o: Out Bits<8>, } {
        self.o.next = self.t.val();
        self.t.next = self.a.val();
    }
    LatchBelow { c: In Bit, a: In Bits<8>, o: Out Bits<8>,; stage: Latch, } {
        self.stage.c.next = self.c.val();
        self.stage.a.next = self.a.val();
        self.o.next = self.stage.o.val();
    }
    HalfWrittenBelow { c: In Bit, a: In Bits<8>, o: Out Bits<8>,; stage: HalfWritten, } {
        self.stage.c.next = self.c.val();
        self.stage.a.next = self.a.val();
        self.o.next = self.stage.o.val();
    }
    ReadFirstBelow { a: In Bits<8>, o: Out Bits<8>,; stage: ReadFirst, } {
        self.stage.a.next = self.a.val();
        self.o.next = self.stage.o.val();
    }
    Not { i: In Bits<8>, o: Out Bits<8>, } {
        self.o.next = !self.i.val();
    }
    Unconnected { o: Out Bits<8>,; stage: Not, } {
        self.o.next = self.stage.o.val();
    }
    NoOutput { i: In Bits<8>, o: Out Bits<8>, spare: Out Bit, } {
        self.o.next = self.i.val();
    }
    TwoDrivers { i: In Bits<8>, o: Out Bits<8>,; stage: Not, } {
        self.stage.i.next = self.i.val();
        self.stage.o.next = self.i.val();
        self.o.next = self.stage.o.val();
    }
    Ring { o: Out Bits<8>,; first: Not, second: Not, } {
        self.first.i.next = self.second.o.val();
        self.second.i.next = self.first.o.val();
        self.o.next = self.first.o.val();
    }
    RingBelow { o: Out Bits<8>,; ring: Ring, } {
        self.o.next = self.ring.o.val();
    }
    // A real loop through one field of a word whose other field is none.
    FieldRing { i: In Bits<8>, o: Out Bits<8>,; stage: ByField, } {
        self.stage.i.next.valid = self.i.val().any();
        self.stage.i.next.data = self.stage.o.val().get_bits::<8>(1);
        self.o.next = self.stage.o.val().get_bits::<8>(1);
    }
    // Passes fields on in another place: bit 0 is `valid`.
    ByField { i: In Pair, o: Out Bits<9>, } {
        self.o.next = bit_cast::<9, 8>(self.i.val().data) << 1
            | bit_cast::<9, 1>(self.i.val().valid.into());
    }
    // Valid goes down, the data comes back: no loop, though both share a word.
    Handshake { i: In Bit, o: Out Bits<8>,; stage: ByField, } {
        self.stage.i.next.valid = self.i.val();
        self.stage.i.next.data = 5.into();
        if self.stage.o.val().get_bit(0) {
            self.stage.i.next.data = 7.into();
        }
        self.o.next = self.stage.o.val().get_bits::<8>(1);
    }
    // The high word of 128 depends on the low one.
    Words { i: In Bits<64>, o: Out Bits<64>,; stage: Wide, } {
        self.stage.i.next = bit_cast::<128, 64>(self.i.val())
            | (bit_cast::<128, 64>(self.stage.o.val().get_bits::<64>(0) + 1) << 64);
        self.o.next = self.stage.o.val().get_bits::<64>(64);
    }
    Wide { i: In Bits<128>, o: Out Bits<128>, } {
        self.o.next = self.i.val();
    }
    // Every bit depends on the one below: no loop, bit by bit.
    Ripple { i: In Bit, o: Out Bits<8>,; stage: Not, } {
        self.stage.i.next = (self.stage.o.val() << 1) | bit_cast::<8, 1>(self.i.val().into());
        self.o.next = self.stage.o.val();
    }
}
