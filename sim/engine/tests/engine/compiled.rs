//! Interpreter, JIT and generated Rust do what the oracle does, and what an engine has to do besides.

use std::sync::Arc;

use crate::design::{Machine, get, machine, set};
use rust_hdl::prelude::*;
use xtq_engine::lockstep::{LockstepError, LockstepOptions, lockstep};
use xtq_engine::stimulus::Stimulus;
use xtq_engine::{
    Ahead, Backend, Body, Compiled, Engine, Error, Snapshot, WaveOptions, write_ahead,
};

#[allow(clippy::all)]
mod ahead {
    include!("design/machine_ahead.rs");
}

const BACKENDS: [Backend; 3] = [Backend::Interp, Backend::Jit, Backend::Aot(&ahead::MACHINE)];

fn compiled(backend: Backend) -> Compiled {
    let body = Body::new(&Machine::default(), backend).expect("the design is sound");
    Compiled::new(Arc::new(body))
}

fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(machine())];
    engines.extend(BACKENDS.map(|backend| Box::new(compiled(backend)) as Box<dyn Engine>));
    engines
}

fn options(seed: u64) -> LockstepOptions {
    LockstepOptions {
        cycles: 2000,
        seed,
        signals_every: 1,
        inject: None,
    }
}

#[test]
fn every_signal_is_the_oracles_in_every_cycle() {
    for seed in 0..4 {
        let report = lockstep(&mut all(), &options(seed), |_| {}).unwrap();
        assert_eq!(report.engines, ["oracle", "interp", "jit", "aot"]);
        assert!(report.signals > 40, "{report:?}");
    }
}

#[test]
fn the_digest_is_that_of_the_inputs_and_not_of_the_engine() {
    let digest = |engine: Box<dyn Engine>, seed| {
        lockstep(&mut [engine], &options(seed), |_| {})
            .unwrap()
            .digest
    };
    let oracle = digest(Box::new(machine()), 1);
    assert_eq!(digest(Box::new(compiled(Backend::Jit)), 1), oracle);
    assert_ne!(digest(Box::new(compiled(Backend::Jit)), 2), oracle);
}

#[test]
fn an_injected_fault_is_found_in_its_cycle_and_signal() {
    for path in ["count_q.q", "lanes.lane$1.sum_q.q", "header_q.q"] {
        let options = LockstepOptions {
            inject: Some((777, path.into())),
            ..options(3)
        };
        // Also if hardly any signal is looked at.
        let rarely = LockstepOptions {
            signals_every: 0,
            ..options.clone()
        };
        for options in [options, rarely] {
            match lockstep(&mut all(), &options, |_| {}) {
                Err(LockstepError::Differs(found)) => {
                    assert_eq!((found.cycle, found.engine.as_str()), (777, "aot"), "{path}");
                }
                other => panic!("{path}: {other:?}"),
            }
        }
    }
}

#[test]
fn sleep_changes_nothing_and_ends_with_an_input() {
    for backend in BACKENDS {
        let (mut sleeper, mut waker) = (compiled(backend), compiled(backend));
        waker.set_sleep(false);
        for engine in [&mut sleeper, &mut waker] {
            // Held in reset nothing changes.
            set(engine, "rst", &[1]);
            (0..100).for_each(|_| engine.step().unwrap());
            set(engine, "rst", &[0]);
            (0..10).for_each(|_| engine.step().unwrap());
        }
        assert!(sleeper.slept() >= 95, "{}", sleeper.slept());
        assert_eq!(waker.slept(), 0);
        assert_eq!(sleeper.cycle(), waker.cycle());
        let count = |engine: &Compiled| engine.peek("count_q.q").unwrap();
        assert_eq!(count(&sleeper), [10]);
        assert_eq!(count(&waker), [10]);
    }
}

#[test]
fn cycles_passed_at_once_are_those_run_one_after_the_other() {
    for backend in BACKENDS {
        let (mut passer, mut stepper) = (compiled(backend), compiled(backend));
        // Nothing changes in reset, and the last cycle with another input is no such cycle.
        for (rst, cycles) in [(1, 1000), (0, 7), (1, 1), (1, 20), (0, 3)] {
            for engine in [&mut passer, &mut stepper] {
                set(engine, "rst", &[rst]);
            }
            passer.pass(cycles).unwrap();
            (0..cycles).for_each(|_| stepper.step().unwrap());
            let seen = |engine: &Compiled| {
                let count = engine.peek("count_q.q").unwrap();
                (engine.cycle(), engine.slept(), count)
            };
            assert_eq!(seen(&passer), seen(&stepper), "{backend:?}, {cycles}");
        }
        assert!(passer.slept() > 1000, "{}", passer.slept());
    }
}

#[test]
fn a_state_comes_back_from_its_words_and_from_no_others() {
    for backend in BACKENDS {
        let mut engine = compiled(backend);
        (0..5).for_each(|_| engine.step().unwrap());
        let words = engine.snapshot().words().unwrap().to_vec();
        let mut other = compiled(backend);
        other.restore(&Snapshot::of_words(words.clone())).unwrap();
        assert_eq!(
            (other.cycle(), other.snapshot().words()),
            (5, Some(&words[..]))
        );
        for wrong in [
            vec![],
            words[..words.len() - 1].to_vec(),
            vec![0; words.len()],
        ] {
            assert!(other.restore(&Snapshot::of_words(wrong)).is_err());
        }
    }
}

#[test]
fn an_instance_has_a_state_of_its_own() {
    let body = Arc::new(Body::new(&Machine::default(), Backend::Jit).unwrap());
    let mut first = Compiled::new(body.clone());
    let mut second = Compiled::new(body);
    set(&mut first, "body", &[5, 6]);
    (0..3).for_each(|_| first.step().unwrap());
    second.eval().unwrap();
    assert_eq!(second.peek("count_q.q").unwrap(), [0]);
    assert_eq!(get(&second, "mirror"), [u64::MAX, 0xffff]);
    assert_eq!(first.peek("count_q.q").unwrap(), [3]);
}

#[test]
fn outputs_after_a_step_are_those_of_the_new_state() {
    for backend in BACKENDS {
        let mut engine = compiled(backend);
        set(&mut engine, "go", &[1]);
        engine.step().unwrap();
        assert_eq!(get(&engine, "busy")[0], 1, "without a call of eval");
    }
}

#[test]
fn snapshots_restore_registers_inputs_and_cycle() {
    for backend in BACKENDS {
        let mut engine = compiled(backend);
        set(&mut engine, "go", &[1]);
        (0..5).for_each(|_| engine.step().unwrap());
        let saved = engine.snapshot();
        let seen = |engine: &Compiled| (engine.cycle(), engine.peek("count_q.q").unwrap());
        let then = seen(&engine);
        (0..5).for_each(|_| engine.step().unwrap());
        assert_ne!(seen(&engine), then);
        engine.restore(&saved).unwrap();
        assert_eq!(seen(&engine), then);
        assert!(machine().restore(&saved).is_err());
        for other in BACKENDS {
            let mut engine = compiled(other);
            engine.restore(&saved).unwrap();
            assert_eq!(seen(&engine), then, "{other:?}");
        }
    }
}

/// A register after an input.
#[derive(Clone, Default, LogicBlock)]
struct Renamed {
    clk: Signal<In, Clock>,
    other: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    held_q: DFF<Bit>,
}

impl Logic for Renamed {
    #[hdl_gen]
    fn update(&mut self) {
        self.held_q.clock.next = self.clk.val();
        self.held_q.d.next = self.other.val();
        self.y.next = self.held_q.q.val();
    }
}

/// The same with the names of [`Renamed`] changed.
#[derive(Clone, Default, LogicBlock)]
struct RenamedAgain {
    clk: Signal<In, Clock>,
    another: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    kept_q: DFF<Bit>,
}

impl Logic for RenamedAgain {
    #[hdl_gen]
    fn update(&mut self) {
        self.kept_q.clock.next = self.clk.val();
        self.kept_q.d.next = self.another.val();
        self.y.next = self.kept_q.q.val();
    }
}

#[test]
fn a_snapshot_of_another_design_is_refused_though_it_has_as_many_words() {
    let engine = |design: &dyn Block| {
        Compiled::new(Arc::new(
            Body::new(design, Backend::Interp).expect("it is sound"),
        ))
    };
    let saved = engine(&Renamed::default()).snapshot();
    assert!(engine(&Renamed::default()).restore(&saved).is_ok());
    let refused = engine(&RenamedAgain::default()).restore(&saved);
    assert!(
        matches!(refused, Err(Error::Unsupported { .. })),
        "{refused:?}"
    );
}

#[test]
fn registers_can_be_written_and_other_signals_not() {
    let mut engine = compiled(Backend::Jit);
    engine.poke("count_q.q", &[41]).unwrap();
    engine.step().unwrap();
    assert_eq!(engine.peek("count_q.q").unwrap(), [42]);
    let wire = engine.poke("header", &[1]);
    assert!(matches!(wire, Err(Error::Unsupported { .. })), "{wire:?}");
    let unknown = engine.poke("nothing.q", &[1]);
    assert!(matches!(unknown, Err(Error::NoSuchPath(_))), "{unknown:?}");
}

#[test]
fn fields_of_structs_have_paths() {
    let mut engine = compiled(Backend::Interp);
    set(&mut engine, "kind", &[9]);
    set(&mut engine, "body", &[7, 3]);
    engine.eval().unwrap();
    for path in ["header$kind", "header.kind"] {
        assert_eq!(engine.peek(path).unwrap(), [9]);
    }
    assert_eq!(engine.peek("header$body").unwrap(), [7, 3]);
    assert!(engine.peek("header$nothing").is_err());
}

#[test]
fn outputs_are_those_of_the_last_evaluation_whatever_is_driven_since() {
    for engine in &mut all() {
        set(engine.as_mut(), "body", &[1, 0]);
        engine.eval().unwrap();
        set(engine.as_mut(), "body", &[2, 0]);
        let name = engine.name();
        assert_eq!(get(engine.as_ref(), "mirror")[0], !1, "{name}");
        assert_eq!(get(engine.as_ref(), "body")[0], 2, "{name}");
        engine.eval().unwrap();
        assert_eq!(get(engine.as_ref(), "mirror")[0], !2, "{name}");
        engine.step().unwrap();
        set(engine.as_mut(), "body", &[3, 0]);
        assert_eq!(get(engine.as_ref(), "mirror")[0], !2, "{name}");
    }
}

#[test]
fn the_generated_rust_is_up_to_date() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/engine/design/machine_ahead.rs"
    );
    let text = write_ahead(&Machine::default(), "MACHINE", None).unwrap();
    if std::env::var_os("XTQ_BLESS").is_some() {
        std::fs::write(file, &text).unwrap();
    }
    let found = std::fs::read_to_string(file).unwrap();
    assert!(
        found == text,
        "XTQ_BLESS=1 cargo test -p xtq-engine --test engine compiled"
    );
}

#[test]
fn generated_rust_of_another_design_is_refused() {
    static OTHER: Ahead = Ahead {
        fingerprint: 1,
        words: 1000,
        parts: &[],
        shown: 0,
        in_place: &[],
        copies: &[],
        first: &[],
        then: &[],
    };
    let body = Body::new(&Machine::default(), Backend::Aot(&OTHER));
    assert!(matches!(body, Err(Error::Compile(_))));
}

#[test]
fn generated_rust_lets_the_jit_run_while_a_waveform_is_written() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str| folder.join(format!("{name}-{}.vcd", std::process::id()));
    let texts = [Backend::Jit, Backend::Aot(&ahead::MACHINE)].map(|backend| {
        let mut engine = compiled(backend);
        let file = file(backend.name());
        let mut stimulus = Stimulus::new(engine.ports(), 5);
        for cycle in 0..60 {
            for (name, _, words) in stimulus.values() {
                let port = engine.port(name).unwrap();
                engine.set(port, words).unwrap();
            }
            if cycle == 20 {
                engine.attach_wave(WaveOptions::new(&file)).unwrap();
                assert_eq!(engine.name(), "jit");
            }
            engine.step().unwrap();
            if cycle == 40 {
                engine.finish_wave().unwrap();
                assert_eq!(engine.name(), backend.name());
            }
            stimulus.advance();
        }
        let outputs = ["mirror", "sum", "header_len"].map(|port| get(&engine, port));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        (text, outputs)
    });
    assert!(texts[0].0.len() > 1000);
    assert_eq!(texts[0], texts[1]);
}
