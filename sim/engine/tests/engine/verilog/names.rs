//! Names that Rust allows and a tool takes for something else.

use std::sync::Arc;

use rust_hdl::prelude::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::lockstep::{LockstepOptions, lockstep};
use xtq_engine::verilog::{Options, is_identifier, write};
use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, Simulator};

use super::tools::accept;

/// Its ports are words of C++, which Verilator writes, and the name of the top; `part_0` is the name of an instance
/// around it.
#[derive(Clone, Default, LogicBlock)]
struct Words {
    clk: Signal<In, Clock>,
    queue: Signal<In, Bits<8>>,
    list: Signal<Out, Bits<8>>,
    top: Signal<Local, Bits<8>>,
    part_0: Signal<Local, Bits<8>>,
    storage: DFF<Bits<8>>,
}

impl Logic for Words {
    #[hdl_gen]
    fn update(&mut self) {
        self.storage.clock.next = self.clk.val();
        self.top.next = self.queue.val() + 1;
        self.part_0.next = self.top.val() ^ self.storage.q.val();
        self.storage.d.next = self.part_0.val();
        self.list.next = self.storage.q.val();
    }
}

/// A port that is called like a built-in class, and one like a package.
#[derive(Clone, Default, LogicBlock)]
struct Classes {
    process: Signal<In, Bits<8>>,
    std: Signal<Out, Bits<8>>,
}

impl Logic for Classes {
    #[hdl_gen]
    fn update(&mut self) {
        self.std.next = self.process.val() + 1;
    }
}

/// Without the source its module is called `part_2`, and so is the last of its instances.
#[derive(Clone, Default, LogicBlock)]
struct Parts {
    clk: Signal<In, Clock>,
    queue: Signal<In, Bits<8>>,
    list: Signal<Out, Bits<8>>,
    part: [Words; 3],
}

impl Logic for Parts {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..3 {
            self.part[i].clk.next = self.clk.val();
            self.part[i].queue.next = self.queue.val();
        }
        self.list.next =
            self.part[0].list.val() - self.part[1].list.val() - self.part[2].list.val();
    }
}

#[derive(Clone, Default, LogicBlock)]
struct Top {
    clk: Signal<In, Clock>,
    queue: Signal<In, Bits<8>>,
    top: Signal<Out, Bits<8>>,
    part: Parts,
}

impl Logic for Top {
    #[hdl_gen]
    fn update(&mut self) {
        self.part.clk.next = self.clk.val();
        self.part.queue.next = self.queue.val();
        self.top.next = self.part.list.val();
    }
}

#[test]
fn no_name_says_something_else_to_a_tool() {
    let design = elaborate(&Top::default()).expect("the design is sound");
    let files = write(&design, &Options::default());
    let modules: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(modules, ["reg_8", "part", "part_2", "top"]);
    assert!(
        files[2].text.contains("part part_2_2 ("),
        "{}",
        files[2].text
    );
    accept(&files, "top", 0);

    let body = Body::new(&Top::default(), Backend::Interp).expect("the design is sound");
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Compiled::new(Arc::new(body)))];
    for simulator in Simulator::ALL {
        let cosim = Cosim::new(&design, simulator);
        engines.push(Box::new(cosim.unwrap_or_else(|error| panic!("{error}"))));
    }
    let options = LockstepOptions {
        cycles: 100,
        seed: 1,
        signals_every: 1,
        inject: None,
    };
    let report = lockstep(&mut engines, &options, |_| {}).expect("all agree");
    // An output of each of the four blocks, and of the three registers.
    assert_eq!(report.signals, 7);
}

// verilator/verilator#3206
#[test]
fn a_port_that_is_called_like_a_built_in_class_gets_another_name() {
    let design = elaborate(&Classes::default()).expect("the design is sound");
    let options = Options {
        top: Some("process"),
        ..Options::default()
    };
    // The second top has the port's name, which would be reason enough.
    for (options, top) in [(Options::default(), "top"), (options, "process")] {
        let files = write(&design, &options);
        assert!(files[0].text.contains("] process_2"), "{}", files[0].text);
        assert!(files[0].text.contains("] std_"), "{}", files[0].text);
        accept(&files, top, 0);
    }
}

#[test]
fn a_top_may_be_called_what_tools_take_as_it_is() {
    for name in ["top", "my_nic2", "_x", "process"] {
        assert!(is_identifier(name), "{name}");
    }
    for name in [
        "",
        "2nic",
        "my-nic",
        "é",
        "module",
        "always_ff",
        "queue",
        "std",
        "wreal",
    ] {
        assert!(!is_identifier(name), "{name}");
    }
}

// verilator/verilator#3206
#[test]
fn a_top_has_as_many_letters_as_verilator_keeps_with_a_prefix() {
    // Two `_` are written as six letters, also if one is that of the prefix.
    for (letters, most) in [("a", 122), ("a_", 122), ("_", 40), ("a__", 53)] {
        let long = |count: usize| letters.chars().cycle().take(count).collect::<String>();
        assert!(is_identifier(&long(most)), "{letters}");
        assert!(!is_identifier(&long(most + 1)), "{letters}");
    }
}
