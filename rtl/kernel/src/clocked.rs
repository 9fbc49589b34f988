//! Clock and reset of children, which no kernel has to wire.

use rust_hdl::core::ast::{Verilog, VerilogExpression, VerilogStatement};
use rust_hdl::prelude::{Bit, Clock};

/// A block, or a list of blocks, whose ports `clk` and `rst` its parent's `#[kernel]` drives. `#[block]` writes it;
/// what has neither port is `impl Clocked for Block {}`.
pub trait Clocked {
    /// Drives its own ports `clk` and `rst`, those of them that there are; `None`: the parent has no such port.
    fn drive_clock(&mut self, _clk: Option<Clock>, _rst: Option<Bit>) {}

    /// Marks the ports that [`drive_clock`](Self::drive_clock) drives as connected.
    fn connect_clock(&mut self, _clk: bool, _rst: bool) {}

    /// Adds what [`drive_clock`](Self::drive_clock) assigns: for each port its name in the parent, where this block is
    /// called `name`, and its value there.
    fn clock_pins(&self, _name: &str, _pins: &mut Vec<Pin>) {}

    /// Drives clock and reset of all children. A kernel does this before anything else.
    fn drive_children(&mut self) {}

    /// Marks them as connected.
    fn connect_children(&mut self) {}

    /// Adds what [`drive_children`](Self::drive_children) assigns.
    fn children_pins(&self, _pins: &mut Vec<Pin>) {}
}

/// A port of a child that is driven for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its name in the kernel: `child$clk`.
    pub name: String,
    /// What drives it.
    pub value: Value,
}

/// What drives a port by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The parent's clock.
    Clock,
    /// The parent's reset.
    Reset,
    /// One.
    High,
}

/// The tree of a kernel with the assignments that it makes before its own statements. `own` are the pins of children
/// that it assigns itself; one of a list stands for all of its list (`lanes$rst`).
pub fn clocked(block: &impl Clocked, own: &[&str], tree: Verilog) -> Verilog {
    let Verilog::Combinatorial(statements) = tree else {
        return tree;
    };
    let mut pins = Vec::new();
    block.children_pins(&mut pins);
    pins.retain(|pin| !own.contains(&unnumbered(&pin.name).as_str()));
    let statement = |pin: Pin| {
        let value = match pin.value {
            Value::Clock => VerilogExpression::Signal("clk".into()),
            Value::Reset => VerilogExpression::Signal("rst".into()),
            Value::High => VerilogExpression::Literal(true.into()),
        };
        VerilogStatement::Assignment(VerilogExpression::Signal(pin.name + "$next"), value)
    };
    let clocking = pins.into_iter().map(statement);
    Verilog::Combinatorial(clocking.chain(statements).collect())
}

/// The name without the numbers of lists.
fn unnumbered(name: &str) -> String {
    let is_word = |part: &&str| !part.starts_with(|first: char| first.is_ascii_digit());
    name.split('$')
        .filter(is_word)
        .collect::<Vec<_>>()
        .join("$")
}

/// The methods of a list, from those of its elements.
macro_rules! list {
    ($list:ty $(, $size:ident)?) => {
        impl<B: Clocked $(, const $size: usize)?> Clocked for $list {
            fn drive_clock(&mut self, clk: Option<Clock>, rst: Option<Bit>) {
                self.iter_mut().for_each(|block| block.drive_clock(clk, rst));
            }

            fn connect_clock(&mut self, clk: bool, rst: bool) {
                self.iter_mut().for_each(|block| block.connect_clock(clk, rst));
            }

            fn clock_pins(&self, name: &str, pins: &mut Vec<Pin>) {
                for (number, block) in self.iter().enumerate() {
                    block.clock_pins(&format!("{name}${number}"), pins);
                }
            }
        }
    };
}

list!(Vec<B>);
list!([B; N], N);
