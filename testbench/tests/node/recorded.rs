//! Real traffic, recorded and played to every engine but the oracle and to the Verilog in Icarus and Verilator, asleep
//! or not: the same outputs.

use crate::fixture::*;
use xtq_engine::{Compiled, Engine, EngineKind, Simulator, Tape};
use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::node::{self, Message, Node, NodeConfig, Top};
use xtq_testbench::tables::HostQueue;

/// Quiet cycles after the traffic.
const QUIET: usize = 600;
const SHARED: u16 = 6;

/// A process is set up, messages of every kind come, then nothing.
fn tape(atomics: bool) -> Tape {
    let mut node = Node::new(&NodeConfig {
        atomics,
        timing: MemoryTiming::fixed_write(20),
        ..NodeConfig::default()
    })
    .unwrap();
    node.record();
    set_up(&mut node, 0);
    let shared = HostQueue {
        shared: atomics,
        ..queue(SHARED)
    };
    node.create_queue(0, &shared);
    node.register_queue(0, SHARED, shared).unwrap();
    for round in 0..2 {
        node.send(&kernel_message(10 * round + 1, 100));
        node.send(&agent_message(10 * round + 2, 3));
        node.send(&Message::put(10 * round + 3, pattern(5000, 1)));
        let mut message = kernel_message(10 * round + 4, 64);
        message.body[..64].copy_from_slice(&kernel_packet(KERNEL, SHARED.into()));
        node.send(&message);
    }
    node.run_to_quiescence(50_000).unwrap();
    for _ in 0..QUIET {
        node.cycle().unwrap();
    }
    node.take_tape().unwrap()
}

fn play(tape: &Tape, engine: &mut dyn Engine) -> u64 {
    engine.reset(2).unwrap();
    let mut player = tape.player(engine).unwrap();
    let cycles = 0..tape.cycles();
    cycles.fold(0, |digest, cycle| {
        player.cycle(engine, cycle, digest).unwrap()
    })
}

fn body(atomics: bool, kind: EngineKind) -> Compiled {
    let ahead = match atomics {
        false => &xtq_aot::XTQ_TARGET,
        true => &xtq_aot::XTQ_TARGET_ATOMICS,
    };
    let backend = kind.backend(Some(ahead)).unwrap().unwrap();
    Compiled::new(node::body(Top::Target, atomics, backend).unwrap())
}

#[test]
fn every_engine_gives_the_same_outputs_asleep_or_not() {
    for atomics in [false, true] {
        let tape = tape(atomics);
        let truth = play(&tape, &mut body(atomics, EngineKind::Interp));
        for kind in [EngineKind::Jit, EngineKind::Aot] {
            let (mut sleeper, mut waker) = (body(atomics, kind), body(atomics, kind));
            waker.set_sleep(false);
            assert_eq!(play(&tape, &mut sleeper), truth, "{}", kind.name());
            assert_eq!(play(&tape, &mut waker), truth, "{}", kind.name());
            assert!(sleeper.slept() > QUIET as u64 - 100, "{}", sleeper.slept());
            assert_eq!(waker.slept(), 0);
        }
    }
}

#[test]
fn icarus_gives_the_same_outputs() {
    simulator_gives_the_same_outputs(Simulator::Icarus);
}

#[test]
fn verilator_gives_the_same_outputs() {
    simulator_gives_the_same_outputs(Simulator::Verilator);
}

fn simulator_gives_the_same_outputs(simulator: Simulator) {
    for atomics in [false, true] {
        let tape = tape(atomics);
        let truth = play(&tape, &mut body(atomics, EngineKind::Jit));
        let mut cosim = node::cosim(Top::Target, atomics, simulator).unwrap();
        assert_eq!(play(&tape, &mut cosim), truth, "atomics {atomics}");
    }
}
