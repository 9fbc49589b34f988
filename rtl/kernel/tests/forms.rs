//! The forms of the dialect give the syntax tree, and the connections, that `#[hdl_gen]` gives. What is refused is in
//! `rtl/macros`.

// A form that the dialect has is tried also where Rust has a shorter one.
#![allow(unused_braces, clippy::nonminimal_bool, clippy::collapsible_match)]

use rust_hdl::prelude::*;
use xtq_kernel::{Clocked, block, kernel};

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    Idle,
    Busy,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Pair {
    low: Bits<4>,
    high: Bits<8>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Sender"]
struct Receiver {
    data: Signal<In, Bits<8>>,
    ready: Signal<Out, Bit>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Receiver"]
struct Sender {
    data: Signal<Out, Bits<8>>,
    ready: Signal<In, Bit>,
}

impl Clocked for Receiver {}
impl Clocked for Sender {}

#[block]
struct Child {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    port: Receiver,
}

impl Logic for Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val();
        self.port.ready.next = true;
    }
}

/// The same block twice: by `#[kernel]` and by `#[hdl_gen]`; the test compares the trees. The attributes come from
/// where the kernel is written, as `self` does.
macro_rules! both {
    ($test:ident: $(<const $n:ident: usize = $value:literal>)? { $($field:ident: $type:ty),* $(,)? } [$($own:tt)*] [$($theirs:tt)*] $($update:tt)*) => {
        mod $test {
            use super::*;

            #[block]
            struct Own $(<const $n: usize>)? { $($field: $type),* }

            $($own)*
            impl $(<const $n: usize>)? Logic for Own $(<$n>)? {
                $($update)*
            }

            #[derive(LogicBlock, Clone, Debug, Default)]
            struct Theirs $(<const $n: usize>)? { $($field: $type),* }

            impl $(<const $n: usize>)? Logic for Theirs $(<$n>)? {
                $($theirs)*
                $($update)*
            }

            #[test]
            fn the_tree_is_that_of_hdl_gen() {
                let (mut own, mut theirs) = (Own $(::<$value>)? ::default(), Theirs $(::<$value>)? ::default());
                own.connect_all();
                theirs.connect_all();
                assert_eq!(format!("{:?}", own.hdl()), format!("{:?}", theirs.hdl()));
                let connected = |block: &dyn Block| block.is_connected_as_text();
                assert_eq!(connected(&own), connected(&theirs));
            }
        }
    };
}

/// What is connected, by path.
trait Connections {
    fn is_connected_as_text(&self) -> String;
}

impl Connections for dyn Block + '_ {
    fn is_connected_as_text(&self) -> String {
        #[derive(Default)]
        struct Atoms(String);
        impl Probe for Atoms {
            fn visit_atom(&mut self, name: &str, signal: &dyn rust_hdl::core::atom::Atom) {
                self.0 += &format!("{name} {}\n", signal.connected());
            }
        }
        let mut atoms = Atoms::default();
        self.accept("top", &mut atoms);
        atoms.0
    }
}

both! { operators: {
    a: Signal<In, Bits<8>>, b: Signal<In, Bits<8>>, c: Signal<In, Bit>,
    x: Signal<Out, Bits<8>>, y: Signal<Out, Bit>, s: Signal<In, Signed<8>>, t: Signal<Out, Bit>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.x.next = ((self.a.val() + self.b.val()) ^ (self.a.val() - 1)) | (!self.b.val() & 0x0f);
    self.x.next = (self.a.val() << 3) >> self.b.val();
    self.y.next = self.c.val() & !(self.a.val() == self.b.val()) | (self.a.val() < 3) ^ (self.a.val() >= 7);
    self.y.next = self.a.val().any() | self.a.val().all() | self.a.val().xor() | self.a.val().get_bit(2);
    self.y.next = self.c.val() && (self.a.val() != 4) || (self.a.val() > 1) && (self.a.val() <= 200);
    self.t.next = self.s.val() < (self.s.val() + self.s.val());
    self.x.next = self.a.val().replace_bit(3, self.c.val());
    self.y.next = true;
} }

both! { casts: <const N: usize = 6> {
    a: Signal<In, Bits<8>>, n: Signal<In, Bits<N>>, x: Signal<Out, Bits<16>>, m: Signal<Out, Bits<N>>, z: Signal<Out, Signed<8>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.x.next = bit_cast::<16, 8>(self.a.val()) << 4 | bits::<16>(0x1234);
    self.x.next = bit_cast::<16, N>(self.n.val()) + bit_cast::<16, 4>(self.a.val().get_bits::<4>(2));
    self.m.next = bit_cast::<N, 8>(self.a.val());
    self.m.next = self.a.val().get_bits::<N>(1);
    self.z.next = signed_bit_cast::<8, 8>(signed_cast(self.a.val()));
} }

both! { choices: {
    a: Signal<In, Bits<8>>, c: Signal<In, Bit>, step: Signal<In, Step>, x: Signal<Out, Bits<8>>, next_step: Signal<Out, Step>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.next_step.next = self.step.val();
    self.x.next = 0.into();
    if self.c.val() {
        self.x.next = 1.into();
    } else if self.a.val() == 2 {
        self.x.next = 2.into();
        if self.c.val() { self.x.next = 3.into(); }
    } else {
        self.x.next = 4.into();
    }
    match self.step.val() {
        Step::Idle => { self.next_step.next = Step::Busy; }
        Step::Busy => if self.c.val() { self.next_step.next = Step::Idle; },
        _ => {}
    }
    match self.a.val().index() {
        0 => { self.x.next = 7.into(); }
        5 => self.x.next = 8_u64.into(),
        _ => { self.x.next = self.a.val(); }
    }
} }

both! { once: {
    c: Signal<In, Bit>, step: Signal<In, Step>, in_then: Signal<Out, Bit>, in_else_if: Signal<Out, Bit>, in_else: Signal<Out, Bit>, in_arm: Signal<Out, Bit>, in_bare_arm: Signal<Out, Bit>, nowhere: Signal<Out, Bit>, of_struct: Signal<Out, Pair>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    if self.c.val() {
        self.in_then.next = true;
    } else if self.c.val() {
        self.in_else_if.next = true;
    } else {
        self.in_else.next = true;
    }
    match self.step.val() {
        Step::Idle => { self.in_arm.next = true; self.of_struct.next.low = 3.into(); }
        Step::Busy => self.in_bare_arm.next = true,
        _ => {}
    }
} }

both! { structs: {
    p: Signal<In, Pair>, q: Signal<Out, Pair>, w: Signal<Local, Pair>, x: Signal<Out, Bits<8>>, y: Signal<Out, Bits<12>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.w.next = self.p.val();
    self.w.next.low = self.p.val().high.get_bits::<4>(4);
    self.q.next.low = self.w.val().low;
    self.q.next.high = self.p.val().high + 1;
    self.x.next = self.p.val().high;
    self.y.next = self.w.val().into();
} }

both! { loops: <const N: usize = 3> {
    a: Signal<In, Bits<8>>, d: [Signal<In, Bits<8>>; 4], any: Signal<Local, Bits<8>>, x: Signal<Out, Bits<8>>, e: [Signal<Out, Bits<8>>; 4], k: Signal<In, Bits<N>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.any.next = self.a.val();
    for i in 0..4 {
        self.any.next = self.any.val() | self.d[i].val();
        self.e[i].next = self.d[i].val();
    }
    for i in 0..(N - 1) {
        if self.k.val().get_bit(i) { self.any.next = self.d[i + 1].val(); }
    }
    self.x.next = self.any.val();
} }

both! { children: {
    a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, child: Child, out: Sender, inner: Receiver, end: Sender,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.child.a.next = self.a.val();
    self.y.next = self.child.y.val();
    Receiver::link(&mut self.inner, &mut self.child.port);
    self.out.data.next = self.a.val();
    self.end.data.next = self.a.val();
} }

both! { numbers: <const N: usize = 6> {
    a: Signal<In, Bits<8>>, w: Signal<In, Bits<64>>, n: Signal<In, Bits<N>>, x: Signal<Out, Bits<8>>, y: Signal<Out, Bits<64>>, z: Signal<Out, Bits<4>>, s_in: Signal<In, Signed<8>>, s: Signal<Out, Bits<8>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.x.next = 0xff.into();
    self.x.next = 5_u8.to_bits();
    self.x.next = bits::<8>(7) + self.a.val();
    self.x.next = bit_cast::<8, N>(self.n.val()) ^ bit_cast::<8, N>(self.n.val());
    self.y.next = 0xffff_ffff_ffff_u64.into();
    self.y.next = self.w.val() + 0x1_0000_0000_u64;
    self.z.next = self.a.val().get_bits::<{ 2 + 2 }>(1);
    self.s.next = unsigned_cast(self.s_in.val());
    if self.a.val() == 1 { self.x.next = 2.into(); } else if self.a.val() == 3 { self.x.next = 4.into(); }
} }

both! { nested: {
    d: [Signal<In, Bits<8>>; 3], q: [Signal<Out, Bits<8>>; 3], any: Signal<Out, Bit>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.any.next = false;
    for i in 0..3 {
        self.q[i].next = self.d[i].val();
        for j in 0..3usize {
            if self.d[j].val() == 7 { self.q[i].next = self.d[j].val(); self.any.next = true; }
        }
    }
} }

both! { joins: {
    first: Sender, second: Receiver, third: Receiver, fourth: Sender, child: Child, other: Child, a: Signal<In, Bits<8>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.child.a.next = self.a.val();
    self.other.a.next = self.a.val();
    Receiver::link(&mut self.second, &mut self.child.port);
    Receiver::link(&mut self.third, &mut self.other.port);
    self.first.data.next = self.a.val();
    self.fourth.data.next = self.a.val();
} }

#[block]
struct Source {
    port: Sender,
}

impl Logic for Source {
    #[hdl_gen]
    fn update(&mut self) {
        self.port.data.next = 7.into();
    }
}

both! { neighbours: {
    source: Source, sink: Child, next_source: Source, next_sink: Child, a: Signal<In, Bits<8>>,
} [#[kernel]] [#[hdl_gen]] fn update(&mut self) {
    self.sink.a.next = self.a.val();
    self.next_sink.a.next = self.a.val();
    Sender::join(&mut self.source.port, &mut self.sink.port);
    Sender::join(&mut self.next_source.port, &mut self.next_sink.port);
} }
