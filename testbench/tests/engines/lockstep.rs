//! Every block, and the top as it is shipped, on oracle, interpreter, JIT, generated Rust (the tops), Icarus and
//! Verilator: the same on every signal.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use xtq_engine::blocks;
use xtq_engine::design::{Design, SignalKind};
use xtq_engine::elaborate::elaborate;
use xtq_engine::lockstep::{LockstepError, LockstepOptions, lockstep};
use xtq_engine::verilog::{File, Options, kept_circles, write};
use xtq_engine::{Compiled, Engine, EngineKind, Simulator};
use xtq_testbench::node::{Node, NodeConfig};
use xtq_testbench::{node, verilog_tools};
use xtq_types::register_map::{context, context_address};

fn options(cycles: u64) -> LockstepOptions {
    LockstepOptions {
        cycles,
        seed: 7,
        signals_every: 1,
        inject: None,
    }
}

/// The block on each engine; on the compiled ones also without sleep, where every part is computed in every cycle.
fn engines(name: &str) -> Vec<Box<dyn Engine>> {
    let mut engines = Vec::new();
    for kind in blocks::kinds(name) {
        let Some(backend) = kind.backend(blocks::ahead(name, 0)).unwrap() else {
            engines.push(blocks::engine(name, kind).unwrap());
            continue;
        };
        let body = blocks::body(name, 0, backend).unwrap();
        for sleeps in [true, false] {
            let mut engine = Compiled::new(Arc::clone(&body));
            engine.set_sleep(sleeps);
            engines.push(Box::new(engine) as Box<dyn Engine>);
        }
    }
    engines
}

fn agree(name: &str, cycles: u64) {
    let report = lockstep(&mut engines(name), &options(cycles), |_| {});
    let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        report.outputs > 0 && report.signals > 0,
        "{name}: {report:?}"
    );
}

/// Blocks too large for many cycles of the oracle.
const LARGE: [&str; 9] = [
    "target_pipeline",
    "xtq_target",
    "registers",
    "nic",
    "nic_2",
    "nic_3",
    "registers_2",
    "l2",
    "l2_bank",
];

/// The names of all blocks but these.
fn names_without(some: &[&str]) -> Vec<&'static str> {
    let mut names = blocks::names();
    names.retain(|name| !some.contains(name));
    names
}

/// Cycles of a large block: the eight banks of the L2 are slow on the oracle, and one alone plays them all.
fn cycles_of_large(name: &str, others: u64) -> u64 {
    if name == "l2" { 50 } else { others }
}

/// The tops as they are shipped; `nic_2` is the large configuration, `nic_3` the small one.
const TOPS: [&str; 2] = ["xtq_target", "nic"];

#[test]
fn every_block_is_the_same_on_every_engine() {
    assert!(blocks::names().len() > 40, "{:?}", blocks::names());
    for name in names_without(&LARGE) {
        agree(name, 150);
    }
}

#[test]
fn the_large_blocks_are_the_same_on_every_engine() {
    for name in LARGE {
        agree(name, cycles_of_large(name, 200));
    }
}

#[test]
fn generated_rust_is_there_for_the_tops_only() {
    for top in TOPS {
        assert_eq!(blocks::kinds(top), EngineKind::ALL, "{top}");
    }
    assert_eq!(blocks::kinds_of("xtq_target", 1), EngineKind::ALL);
    assert!(!blocks::kinds("fifo").contains(&EngineKind::Aot));
    assert!(blocks::engine("fifo", EngineKind::Aot).is_err());
}

#[test]
fn the_tops_with_atomics_are_the_same_on_every_engine() {
    for top in [node::Top::Target, node::Top::Nic] {
        let kinds = blocks::kinds_of(top.block(), 1).into_iter();
        let engines = kinds.map(|kind| node::engine(top, kind, true).unwrap());
        let mut engines: Vec<Box<dyn Engine>> = engines.collect();
        assert!(engines.len() >= 3);
        lockstep(&mut engines, &options(200), |_| {}).unwrap();
    }
}

/// The oracle and the Verilog of a block in a simulator.
fn with_verilog(name: &str, simulator: Simulator) -> Vec<Box<dyn Engine>> {
    let cosim = blocks::cosim(name, 0, simulator);
    let cosim = cosim.unwrap_or_else(|error| panic!("{name}: {error}; ./test.sh installs tools"));
    vec![blocks::oracle(name).unwrap(), Box::new(cosim)]
}

#[test]
fn the_verilog_of_every_block_is_the_same_in_icarus() {
    for name in names_without(&LARGE) {
        let mut engines = with_verilog(name, Simulator::Icarus);
        let report = lockstep(&mut engines, &options(100), |_| {});
        report.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_verilog_of_the_large_blocks_is_the_same_in_icarus() {
    for name in LARGE {
        let mut engines = with_verilog(name, Simulator::Icarus);
        let cycles = cycles_of_large(name, 300);
        let report = lockstep(&mut engines, &options(cycles), |_| {});
        let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.signals > 100, "{name}: {report:?}");
    }
}

#[test]
fn the_verilog_of_the_tops_is_the_same_in_verilator() {
    for top in TOPS {
        let mut engines = with_verilog(top, Simulator::Verilator);
        lockstep(&mut engines, &options(300), |_| {}).unwrap();
    }
}

/// Random inputs seldom come to a command, so engines without an initiator would agree just as well.
#[test]
fn the_nic_that_is_compared_takes_commands() {
    let register = context_address(0, context::CQ_HEAD);
    for (name, takes) in [
        ("nic", true),
        ("nic_2", true),
        ("nic_3", true),
        ("xtq_target", false),
    ] {
        let engines = [
            blocks::engine(name, EngineKind::Interp).unwrap(),
            blocks::oracle(name).unwrap(),
        ];
        for engine in engines {
            let mut node = Node::with_engine(engine, &NodeConfig::default()).unwrap();
            assert_eq!(node.read_register(register).is_ok(), takes, "{name}");
        }
    }
}

/// A module around a design that holds it in reset for two cycles, then drives what comes and prints every output that
/// has an unknown bit.
fn bench(design: &Design) -> String {
    let top = design.top();
    let (mut wires, mut pins, mut drive, mut look) =
        (String::new(), String::new(), String::new(), String::new());
    for signal in &top.signals {
        let (name, high) = (&signal.name, signal.ty.width - 1);
        let pin = format!(", .{name}({name})");
        match signal.kind {
            SignalKind::Input if signal.clock || name == "rst" => {}
            SignalKind::Input => {
                wires += &format!("reg [{high}:0] {name};\n");
                drive += &format!("{name} = {{{{{}{{$random}}}}}};\n", high / 32 + 1);
                pins += &pin;
            }
            SignalKind::Output => {
                wires += &format!("wire [{high}:0] {name};\n");
                look += &format!(
                    "if (n > 1 && ^{name} === 1'bx) $display(\"%0d: {name} is %h\", n, {name});\n"
                );
                pins += &pin;
            }
            _ => {}
        }
    }
    format!(
        "`timescale 1ns/1ns\nmodule bench;\nreg clk, rst;\ninteger n;\n{wires}\
         top dut (.clk(clk), .rst(rst){pins});\ninitial begin\nclk = 1'b0;\n\
         for (n = 0; n < 2000; n = n + 1) begin\nrst = n < 2;\n{drive}#1;\n{look}\
         clk = 1'b1;\n#1;\nclk = 1'b0;\nend\n$display(\"done\");\n$finish;\nend\nendmodule\n"
    )
}

/// Its registers start unknown in the Verilog: two cycles of reset, and the contents of memories, must be enough.
#[test]
fn after_two_cycles_of_reset_the_tops_say_nothing_unknown() {
    for top in TOPS {
        let design = elaborate(blocks::design(top).unwrap().as_ref()).unwrap();
        let mut files = write(&design, &Options::default());
        let (name, text) = ("bench".into(), bench(&design));
        files.push(File { name, text });
        let printed = verilog_tools::simulate(&files).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(printed, "done\n", "{top}");
    }
}

#[test]
fn the_verilog_of_no_block_may_go_round_for_ever() {
    for name in blocks::names() {
        let design = elaborate(blocks::design(name).unwrap().as_ref()).unwrap();
        assert_eq!(kept_circles(&design), [], "{name}");
    }
}

/// What a module is, with all that is in it, whatever it is called and wherever it stands.
fn fingerprint(design: &Design, module: usize) -> u64 {
    let mut module = design.modules[module].clone();
    for child in &mut module.children {
        child.module = fingerprint(design, child.module) as usize;
    }
    let mut hasher = DefaultHasher::new();
    module.hash(&mut hasher);
    hasher.finish()
}

/// The tools read the NIC, with atomics and without, in the tests of `xtq export`, and the L2 below: with them all
/// modules in them.
#[test]
fn the_verilog_of_what_is_in_no_top_is_accepted_without_a_warning() {
    let mut read = HashSet::new();
    for (top, argument) in [("nic", 0), ("nic", 1), ("l2", 0)] {
        let design = elaborate(blocks::design_of(top, argument).unwrap().as_ref()).unwrap();
        read.extend((0..design.modules.len()).map(|module| fingerprint(&design, module)));
    }
    let mut accepted = 0;
    for name in names_without(&["nic_2", "nic_3", "xtq_target", "target_pipeline"]) {
        let design = elaborate(blocks::design(name).unwrap().as_ref()).unwrap();
        if !read.contains(&fingerprint(&design, design.top)) {
            accept(name);
            accepted += 1;
        }
    }
    assert!(accepted > 20, "{accepted} blocks are in no top");
}

#[test]
fn the_verilog_of_every_block_alone_is_accepted_without_a_warning() {
    // The NICs and the L2 are given to the tools in tests of their own.
    for name in names_without(&["nic", "nic_2", "nic_3", "l2"]) {
        accept(name);
    }
}

fn accept(name: &str) {
    let block = blocks::design(name).unwrap();
    verilog_tools::accept(name, block.as_ref()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_verilog_of_the_large_nic_is_accepted_without_a_warning() {
    accept("nic_2");
}

#[test]
fn the_verilog_of_the_l2_is_accepted_without_a_warning() {
    accept("l2");
}

#[test]
fn a_flipped_register_is_found_in_every_block_that_has_one() {
    let mut found = 0;
    for name in names_without(&LARGE) {
        let engines = [EngineKind::Interp, EngineKind::Jit];
        let mut engines = engines.map(|kind| blocks::engine(name, kind).unwrap());
        let signals = engines[1].signals();
        let register = signals.iter().find(|signal| signal.path.ends_with("_q.q"));
        let Some(path) = register.map(|signal| signal.path.clone()) else {
            continue;
        };
        let options = LockstepOptions {
            inject: Some((20, path.clone())),
            ..options(40)
        };
        match lockstep(&mut engines, &options, |_| {}) {
            Err(LockstepError::Differs(difference)) => {
                assert_eq!(difference.cycle, 20, "{name}: {path}: {difference}");
                found += 1;
            }
            other => panic!("{name}: {path}: {other:?}"),
        }
    }
    assert!(found > 20, "{found}");
}
