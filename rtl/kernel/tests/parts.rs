//! Parts of a kernel: the same tree, the same connections and the same values as of one piece.

use rust_hdl::core::atom::Atom;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Has both ports.
#[block]
struct Child {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    y: Signal<Out, Bit>,
}

#[kernel]
impl Logic for Child {
    fn update(&mut self) {
        self.y.next = self.rst.val();
    }
}

macro_rules! adder {
    ($name:ident) => {
        #[block]
        struct $name<const N: usize> {
            clk: Signal<In, Clock>,
            rst: Signal<In, Bit>,
            stop: Signal<In, Bit>,
            a: Signal<In, Bits<N>>,
            y: Signal<Out, Bits<N>>,
            stopped: Signal<Out, Bit>,
            child: Child,
            sum: Signal<Local, Bits<N>>,
        }
    };
}

adder!(Whole);
adder!(Parted);

#[kernel]
impl<const N: usize> Logic for Whole<N> {
    fn update(&mut self) {
        self.sum.next = self.a.val() + 1;
        if self.stop.val() {
            self.child.rst.next = self.stop.val();
            self.sum.next = 0.into();
        } else {
            self.child.rst.next = self.rst.val();
        }
        self.stopped.next = self.child.y.val();
        self.y.next = self.sum.val();
    }
}

#[kernel]
impl<const N: usize> Logic for Parted<N> {
    fn update(&mut self) {
        self.adding();
        self.y.next = self.sum.val();
    }
}

mod parts {
    use super::*;

    #[kernel]
    impl<const N: usize> Parted<N> {
        /// The sum.
        pub(super) fn adding(&mut self) {
            self.sum.next = self.a.val() + 1;
            if self.stop.val() {
                self.stopping();
            } else {
                self.child.rst.next = self.rst.val();
            }
            self.stopped.next = self.child.y.val();
        }

        /// No sum.
        fn stopping(&mut self) {
            self.child.rst.next = self.stop.val();
            self.sum.next = 0.into();
        }
    }
}

/// Signals that somebody drives.
#[derive(Default)]
struct Driven(Vec<String>);

impl Probe for Driven {
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if signal.connected() {
            self.0.push(name.into());
        }
    }
}

fn driven(mut block: impl Block) -> Vec<String> {
    block.connect_all();
    let mut driven = Driven::default();
    block.accept("top", &mut driven);
    driven.0
}

#[test]
fn parts_stand_for_their_statements() {
    let (whole, parted) = (Whole::<8>::default(), Parted::<8>::default());
    assert_eq!(
        format!("{:?}", parted.hdl()),
        format!("{:?}", whole.hdl()),
        "the pins that a part drives are not driven twice"
    );
    assert_eq!(driven(parted), driven(whole));
    let mut parted = Parted::<8>::default();
    let mut run = |a: u64, stop: bool| {
        parted.a.next = a.to_bits();
        parted.stop.next = stop;
        for _ in 0..4 {
            parted.update_all();
        }
        (parted.y.val(), parted.stopped.val())
    };
    assert_eq!(run(4, false), (bits(5), false));
    assert_eq!(run(4, true), (bits(0), true));
}
