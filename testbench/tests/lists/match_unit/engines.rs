//! The same traffic on the other engines and in the Verilog: the same outputs.

use xtq_engine::blocks;
use xtq_engine::{Engine, EngineKind, Simulator, Tape};

use super::random;
use super::unit::{Gaps, Size, Unit};

const SIZE: Size = Size::Tiny;

/// Requests and commands of all kinds, with pauses on all streams.
fn tape() -> Tape {
    let mut unit = Unit::recorded(SIZE, Gaps([0.1; 4]), 1);
    random::drive(&mut unit, 1, 400, 0.5);
    unit.tape()
}

/// Digest of the outputs.
fn play(tape: &Tape, engine: &mut dyn Engine) -> u64 {
    engine.reset(2).expect("has rst");
    let mut player = tape.player(engine).expect("the same ports");
    let cycles = 0..tape.cycles();
    cycles.fold(0, |digest, cycle| {
        let digest = player.cycle(engine, cycle, digest);
        digest.expect("settles")
    })
}

fn truth(tape: &Tape) -> u64 {
    let jit = blocks::engine(SIZE.block(), EngineKind::Jit);
    play(tape, jit.expect("it is there").as_mut())
}

#[test]
fn the_interpreter_does_the_same() {
    let tape = tape();
    let interpreter = blocks::engine(SIZE.block(), EngineKind::Interp);
    assert_eq!(
        play(&tape, interpreter.expect("it is there").as_mut()),
        truth(&tape)
    );
}

#[test]
fn its_verilog_does_the_same_in_icarus() {
    simulator_does_the_same(Simulator::Icarus);
}

#[test]
fn its_verilog_does_the_same_in_verilator() {
    simulator_does_the_same(Simulator::Verilator);
}

fn simulator_does_the_same(simulator: Simulator) {
    let tape = tape();
    let mut verilog = blocks::cosim(SIZE.block(), 0, simulator).expect("./test.sh installs tools");
    assert_eq!(play(&tape, &mut verilog), truth(&tape));
}
