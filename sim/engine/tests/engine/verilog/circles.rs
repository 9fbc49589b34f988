//! Circles through other blocks that no split of the text opens.

use rust_hdl::prelude::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::kept_circles;

/// Wires.
#[derive(Clone, Default, LogicBlock)]
struct Pass {
    i: Signal<In, Bits<4>>,
    o: Signal<Out, Bits<4>>,
}

impl Logic for Pass {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.i.val();
    }
}

/// `sum` goes to the child, and what the child says to `seen`; both are made of `term`, one value after the other.
#[derive(Clone, Default, LogicBlock)]
struct Together {
    a: Signal<In, Bits<4>>,
    o: Signal<Out, Bits<4>>,
    pass: Pass,
    term: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<4>>,
    seen: Signal<Local, Bits<4>>,
}

impl Logic for Together {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        self.seen.next = 0.into();
        for i in 0..3 {
            self.term.next = self.a.val() + i;
            self.sum.next = self.sum.val() + self.term.val();
            if self.pass.o.val() == self.term.val() {
                self.seen.next = self.seen.val() | 1;
            }
        }
        self.pass.i.next = self.sum.val();
        self.o.next = self.seen.val();
    }
}

/// The same, in two loops, each with terms of its own.
#[derive(Clone, Default, LogicBlock)]
struct Apart {
    a: Signal<In, Bits<4>>,
    o: Signal<Out, Bits<4>>,
    pass: Pass,
    term: Signal<Local, Bits<4>>,
    other: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<4>>,
    seen: Signal<Local, Bits<4>>,
}

impl Logic for Apart {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..3 {
            self.term.next = self.a.val() + i;
            self.sum.next = self.sum.val() + self.term.val();
        }
        self.pass.i.next = self.sum.val();
        self.seen.next = 0.into();
        for i in 0..3 {
            self.other.next = self.a.val() + i;
            if self.pass.o.val() == self.other.val() {
                self.seen.next = self.seen.val() | 1;
            }
        }
        self.o.next = self.seen.val();
    }
}

#[test]
fn what_shares_an_accumulator_in_a_circle_is_named() {
    let design = elaborate(&Together::default()).expect("the design is sound");
    let [(path, signals)] = &kept_circles(&design)[..] else {
        panic!("{:?}", kept_circles(&design));
    };
    assert_eq!(path, "");
    for name in ["term", "sum", "seen"] {
        assert!(signals.iter().any(|signal| signal == name), "{signals:?}");
    }
}

#[test]
fn what_is_made_in_loops_of_its_own_is_in_no_circle() {
    let design = elaborate(&Apart::default()).expect("the design is sound");
    assert_eq!(kept_circles(&design), []);
}
