//! The text itself: names, comments, shape.

use rust_hdl::prelude::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::source_info::SourceInfo;
use xtq_engine::verilog::{File, Options, write};

use crate::design::Machine;

const SOURCE: &str = include_str!("../design/mod.rs");

fn files(source: Option<&SourceInfo>) -> Vec<File> {
    let design = elaborate(&Machine::default()).expect("the design is sound");
    let options = Options {
        source,
        ..Options::default()
    };
    write(&design, &options)
}

fn source() -> SourceInfo {
    SourceInfo::new([("design.rs", SOURCE)]).expect("it compiles, so it is Rust")
}

#[test]
fn modules_are_called_after_their_structs_and_stand_once() {
    let names = |files: Vec<File>| files.into_iter().map(|f| f.name).collect::<Vec<_>>();
    let with = [
        "dff_96", "dff_2", "dff_12", "dff_8", "lane", "lanes", "machine",
    ];
    assert_eq!(names(files(Some(&source()))), with);
    let without = ["reg_96", "reg_2", "reg_12", "reg_8", "lane", "lanes", "top"];
    assert_eq!(names(files(None)), without);
}

#[test]
fn the_text_says_what_the_rust_says() {
    let files = files(Some(&source()));
    let machine = &files.last().expect("the top").text;
    for expected in [
        "// machine: `Machine` of design.rs:",
        "// The top.\n",
        "    // `body` with all bits inverted, without a register.\n    output wire [79:0] mirror,\n",
        "    // Header: kind [3:0], len [15:4], body [95:16].\n    wire [95:0] header;\n",
        "assign header[15:4] = count_q_q;  // .len\n",
        "            STATE_IDLE: ",
        "    localparam [1:0] STATE_BUSY = 2'd1;\n",
        "assign mirror = ~body;\n",
    ] {
        assert!(machine.contains(expected), "{expected}\n{machine}");
    }
    let lanes = &files[5].text;
    let expected = "    // In Rust: lane[0].\n    lane lane_0 (\n        .clk(clk),\n        .en(en),\n        .add(add),\n";
    assert!(lanes.contains(expected), "{expected}\n{lanes}");
}

#[test]
fn names_have_no_dollar_and_no_line_turns_a_tool_off() {
    for file in files(Some(&source())).iter().chain(&files(None)) {
        assert!(!file.text.contains('$'), "{}", file.text);
        assert!(!file.text.contains("lint_off"), "{}", file.text);
    }
}

/// Its output goes back into the parent's kernel: one `always` block in each would wake the other for ever.
#[derive(Clone, Default, LogicBlock)]
struct Gate {
    a: Signal<In, Bit>,
    b: Signal<In, Bit>,
    x: Signal<Out, Bit>,
    y: Signal<Out, Bit>,
}

impl Logic for Gate {
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = false;
        self.y.next = false;
        if self.a.val() {
            self.x.next = true;
        }
        if self.b.val() {
            self.x.next = self.a.val();
            self.y.next = true;
        }
    }
}

#[derive(Clone, Default, LogicBlock)]
struct Circle {
    go: Signal<In, Bit>,
    o: Signal<Out, Bits<4>>,
    /// Called as a port of its own.
    x: Gate,
    sum: Signal<Local, Bits<4>>,
}

impl Logic for Circle {
    #[hdl_gen]
    fn update(&mut self) {
        self.x.a.next = false;
        self.x.b.next = false;
        self.sum.next = 0.into();
        if self.go.val() {
            self.x.b.next = true;
            self.x.a.next = self.x.y.val();
            self.sum.next = self.sum.val() + 3;
            self.sum.next = bit_cast::<4, 1>((self.sum.val() + 1).get_bits::<1>(2));
        }
        self.o.next = self.sum.val();
        if self.x.x.val() {
            self.o.next = self.sum.val() + 1;
        }
    }
}

#[test]
fn blocks_that_feed_each_other_settle() {
    let mut oracle = xtq_engine::Oracle::builder(Circle::default())
        .input("go", |d: &mut Circle, w| d.go.next = w[0] == 1)
        .output("o", |d, w| w[0] = d.o.val().to_u64())
        .build()
        .expect("the design is sound");
    let design = elaborate(&Circle::default()).expect("the design is sound");
    super::tools::accept(&write(&design, &Options::default()), "top", 0);
    let inputs = (0..8).map(|cycle| vec![vec![(cycle % 3) & 1]]).collect();
    super::tools::simulate(&[super::record("circle", design, &mut oracle, inputs)]);
}

/// A value that depends on nothing but itself: no simulator would ever run its block.
#[derive(Clone, Default, LogicBlock)]
struct Alone {
    i: Signal<In, Bits<4>>,
    o: Signal<Out, Bits<4>>,
    total_value: Signal<Local, Bits<4>>,
    step_value: Signal<Local, Bits<4>>,
}

impl Logic for Alone {
    #[hdl_gen]
    fn update(&mut self) {
        self.total_value.next = 0.into();
        self.step_value.next = 2.into();
        self.total_value.next = self.step_value.val() + 1;
        self.step_value.next = self.total_value.val() - 5;
        if self.step_value.val().get_bit(3) {
            self.total_value.next = self.total_value.val() + self.step_value.val();
        }
        self.o.next = self.i.val() + self.total_value.val();
    }
}

#[test]
fn a_block_that_reads_nothing_runs_too() {
    let mut oracle = xtq_engine::Oracle::builder(Alone::default())
        .input("i", |d: &mut Alone, w| d.i.next = w[0].to_bits())
        .output("o", |d, w| w[0] = d.o.val().to_u64())
        .build()
        .expect("the design is sound");
    let design = elaborate(&Alone::default()).expect("the design is sound");
    super::tools::accept(&write(&design, &Options::default()), "top", 0);
    let inputs = (0..8).map(|cycle| vec![vec![cycle]]).collect();
    super::tools::simulate(&[super::record("alone", design, &mut oracle, inputs)]);
}
