//! Clock and reset of children: who is driven, by what, and what a kernel drives itself.

use rust_hdl::core::ast::{Verilog, VerilogStatement};
use rust_hdl::core::atom::Atom;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Has both ports.
#[block]
struct Both {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    y: Signal<Out, Bit>,
}

#[kernel]
impl Logic for Both {
    fn update(&mut self) {
        self.y.next = self.rst.val();
    }
}

/// Has a clock only, and a child that has both.
#[block]
struct OnlyClock {
    clk: Signal<In, Clock>,
    inner: Both,
    y: Signal<Out, Bit>,
}

#[kernel]
impl Logic for OnlyClock {
    fn update(&mut self) {
        self.inner.rst.next = false;
        self.y.next = self.inner.y.val();
    }
}

/// Has neither.
#[block]
struct Neither {
    #[value(5u64.to_bits())]
    five: Constant<Bits<4>>,
    y: Signal<Out, Bits<4>>,
}

#[kernel]
impl Logic for Neither {
    fn update(&mut self) {
        self.y.next = self.five.val();
    }
}

/// Children of each kind.
#[block]
#[check(N > 0, "Parent: {N} is none")]
struct Parent<const N: usize> {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    stop: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    n: Signal<Out, Bits<4>>,
    single: Both,
    own: Both,
    list: [Both; 2],
    #[value(vec![Both::default(); N])]
    own_list: Vec<Both>,
    clocked: OnlyClock,
    neither: Neither,
    _words: Vec<Bit>,
}

#[kernel]
impl<const N: usize> Logic for Parent<N> {
    fn update(&mut self) {
        self.own.rst.next = self.rst.val() | self.stop.val();
        for i in 0..N {
            self.own_list[i].rst.next = self.stop.val();
        }
        self.n.next = self.neither.y.val();
        self.y.next = self.single.y.val();
    }
}

/// The first statements of the tree, as `target = value`.
fn first(block: &impl Logic, count: usize) -> Vec<String> {
    let Verilog::Combinatorial(statements) = block.hdl() else {
        panic!("a kernel");
    };
    let text = |statement: &VerilogStatement| match statement {
        VerilogStatement::Assignment(target, value) => format!("{target:?} = {value:?}"),
        other => format!("{other:?}"),
    };
    statements.iter().take(count).map(text).collect()
}

#[test]
fn the_tree_has_the_clocks_of_all_children_and_the_resets_that_the_kernel_does_not_drive() {
    let pins = [
        ("single$clk", "clk"),
        ("single$rst", "rst"),
        ("own$clk", "clk"),
        ("list$0$clk", "clk"),
        ("list$0$rst", "rst"),
        ("list$1$clk", "clk"),
        ("list$1$rst", "rst"),
        ("own_list$0$clk", "clk"),
        ("own_list$1$clk", "clk"),
        ("own_list$2$clk", "clk"),
        ("clocked$clk", "clk"),
    ];
    let expected: Vec<String> = pins
        .iter()
        .map(|(pin, port)| format!("Signal(\"{pin}$next\") = Signal(\"{port}\")"))
        .collect();
    assert_eq!(first(&Parent::<3>::default(), pins.len()), expected);
    assert_eq!(
        first(&OnlyClock::default(), 1),
        ["Signal(\"inner$clk$next\") = Signal(\"clk\")"]
    );
}

#[test]
fn every_child_is_clocked_and_connected() {
    let mut block = Parent::<3>::default();
    block.connect_all();
    #[derive(Default)]
    struct Open(Vec<String>, Vec<String>);
    impl Probe for Open {
        fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
            self.0.push(name.into());
        }
        fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
            self.0.pop();
        }
        fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
            if self.0.len() > 1 && ["clk", "rst"].contains(&name) && !signal.connected() {
                self.1.push(format!("{}.{name}", self.0.join(".")));
            }
        }
    }
    let mut open = Open::default();
    block.accept("top", &mut open);
    assert!(open.1.is_empty(), "not connected: {:?}", open.1);

    block.clk.next = Clock { clk: true };
    block.rst.next = true;
    block.stop.next = false;
    for _ in 0..4 {
        block.update_all();
    }
    let children = [&block.single, &block.own, &block.list[0], &block.list[1]];
    for (number, child) in children.into_iter().chain(&block.own_list).enumerate() {
        assert!(child.clk.val().clk, "child {number} has no clock");
    }
    assert!(block.clocked.clk.val().clk && block.clocked.inner.clk.val().clk);
    assert!(block.single.rst.val() && block.own.rst.val() && block.list[1].rst.val());
    assert!(!block.own_list[0].rst.val() && !block.clocked.inner.rst.val());
}

#[test]
fn values_and_checks_stand_before_fields_and_struct() {
    let neither = Neither::default();
    assert_eq!(neither.five.val(), 5);
    let panic = std::panic::catch_unwind(Parent::<0>::default).expect_err("it is refused");
    let told = panic.downcast_ref::<String>().expect("a text");
    assert_eq!(told, "Parent: 0 is none");
}
