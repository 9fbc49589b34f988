//! Every block, and the top as it is shipped, on oracle, interpreter, JIT, generated Rust (the tops), Icarus and Verilator: the same on every signal.

use xtq_engine::lockstep::{LockstepError, LockstepOptions, lockstep};
use xtq_engine::{Engine, EngineKind, Simulator};
use xtq_testbench::{blocks, node, verilog_tools};

fn options(cycles: u64) -> LockstepOptions {
    LockstepOptions {
        cycles,
        seed: 7,
        signals_every: 1,
        inject: None,
    }
}

fn agree(name: &str, cycles: u64) {
    let engines = blocks::kinds(name).into_iter();
    let engines = engines.map(|kind| blocks::engine(name, kind).unwrap());
    let report = lockstep(&mut engines.collect::<Vec<_>>(), &options(cycles), |_| {});
    let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        report.outputs > 0 && report.signals > 0,
        "{name}: {report:?}"
    );
}

/// Blocks too large for many cycles of the oracle.
const LARGE: [&str; 3] = ["target_pipeline", "xtq_target", "registers"];

#[test]
fn every_block_is_the_same_on_every_engine() {
    assert!(blocks::NAMES.len() > 40, "{:?}", blocks::NAMES);
    for name in blocks::NAMES.iter().filter(|name| !LARGE.contains(name)) {
        agree(name, 150);
    }
}

#[test]
fn the_large_blocks_are_the_same_on_every_engine() {
    for name in LARGE {
        agree(name, 200);
    }
}

#[test]
fn generated_rust_is_there_for_the_tops_only() {
    assert_eq!(blocks::kinds("xtq_target"), EngineKind::ALL);
    assert!(!blocks::kinds("fifo").contains(&EngineKind::Aot));
    assert!(blocks::engine("fifo", EngineKind::Aot).is_err());
}

#[test]
fn the_top_with_atomics_is_the_same_on_every_engine() {
    let mut engines: Vec<Box<dyn Engine>> = EngineKind::ALL
        .iter()
        .map(|kind| node::engine(*kind, true).unwrap())
        .collect();
    lockstep(&mut engines, &options(200), |_| {}).unwrap();
}

/// The oracle and the Verilog of a block in a simulator.
fn with_verilog(name: &str, simulator: Simulator) -> Vec<Box<dyn Engine>> {
    let cosim = blocks::cosim(name, simulator);
    let cosim = cosim.unwrap_or_else(|error| panic!("{name}: {error}; ./test.sh installs tools"));
    vec![blocks::oracle(name).unwrap(), cosim]
}

#[test]
fn the_verilog_of_every_block_is_the_same_in_icarus() {
    for name in blocks::NAMES.iter().filter(|name| !LARGE.contains(name)) {
        let mut engines = with_verilog(name, Simulator::Icarus);
        let report = lockstep(&mut engines, &options(100), |_| {});
        report.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_verilog_of_the_whole_nic_is_the_same_in_icarus() {
    let mut engines = with_verilog("xtq_target", Simulator::Icarus);
    let report = lockstep(&mut engines, &options(300), |_| {}).unwrap();
    assert!(report.signals > 1000, "{report:?}");
}

#[test]
fn the_verilog_of_the_whole_nic_is_the_same_in_verilator() {
    let mut engines = with_verilog("xtq_target", Simulator::Verilator);
    lockstep(&mut engines, &options(300), |_| {}).unwrap();
}

#[test]
fn the_verilog_of_every_block_is_accepted_without_a_warning() {
    for name in blocks::NAMES {
        let block = blocks::design(name).unwrap();
        verilog_tools::accept(name, block.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_flipped_register_is_found_in_every_block_that_has_one() {
    let mut found = 0;
    for name in blocks::NAMES.iter().filter(|name| !LARGE.contains(name)) {
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
