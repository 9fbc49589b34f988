//! A tape plays the same inputs to every engine, and its digest shows outputs that differ.

use std::sync::Arc;

use crate::design::{Machine, machine};
use xtq_engine::stimulus::{Random, Stimulus};
use xtq_engine::{Backend, Body, Compiled, Direction, Engine, Error, PortId, Tape};

const CYCLES: usize = 300;

fn compiled(backend: Backend) -> Compiled {
    let body = Body::new(&Machine::default(), backend).expect("the design is sound");
    Compiled::new(Arc::new(body))
}

fn engines() -> [Box<dyn Engine>; 3] {
    [
        Box::new(machine()),
        Box::new(compiled(Backend::Interp)),
        Box::new(compiled(Backend::Jit)),
    ]
}

/// Random inputs, each held for five cycles.
fn tape(seed: u64) -> Tape {
    let mut engine = compiled(Backend::Jit);
    let mut stimulus = Stimulus::new(engine.ports(), seed);
    let mut tape = Tape::new(&engine);
    for cycle in 0..CYCLES {
        if cycle % 5 == 0 {
            stimulus.advance();
        }
        for (name, _, words) in stimulus.values() {
            let port = engine.port(name).unwrap();
            engine.set(port, words).unwrap();
        }
        tape.record(&engine);
        engine.step().unwrap();
    }
    tape
}

fn play(tape: &Tape, engine: &mut dyn Engine) -> u64 {
    let mut player = tape.player(engine).unwrap();
    (0..tape.cycles()).fold(0, |digest, cycle| {
        player.cycle(engine, cycle, digest).unwrap()
    })
}

#[test]
fn every_engine_gives_the_same_digest_asleep_or_not() {
    for seed in 0..4 {
        let tape = tape(seed);
        assert_eq!(tape.cycles(), CYCLES);
        let digests = engines().map(|mut engine| play(&tape, engine.as_mut()));
        let mut sleepless = compiled(Backend::Jit);
        sleepless.set_sleep(false);
        assert_eq!(digests, [play(&tape, &mut sleepless); 3], "seed {seed}");
        assert_ne!(
            digests[0],
            play(&self::tape(seed + 100), &mut compiled(Backend::Jit))
        );
    }
}

#[test]
fn a_flipped_register_changes_the_digest() {
    let tape = tape(1);
    let truth = play(&tape, &mut compiled(Backend::Jit));
    let mut engine = compiled(Backend::Jit);
    let mut player = tape.player(&engine).unwrap();
    let mut digest = 0;
    for cycle in 0..tape.cycles() {
        if cycle == 200 {
            let old = engine.peek("count_q.q").unwrap()[0];
            engine.poke("count_q.q", &[old ^ 1]).unwrap();
        }
        digest = player.cycle(&mut engine, cycle, digest).unwrap();
    }
    assert_ne!(digest, truth);
}

#[test]
fn all_inputs_and_outputs_at_once_are_the_ports_one_by_one() {
    let mut random = Random::new(5);
    for mut engine in engines() {
        let ports = engine.ports().to_vec();
        let words = |direction| {
            let of = ports.iter().filter(|port| port.direction == direction);
            of.map(|port| port.width.div_ceil(64)).sum::<usize>()
        };
        let inputs = words(Direction::In);
        for given in [inputs, 0, inputs - 1, inputs, inputs + 1] {
            let values: Vec<u64> = (0..given).map(|_| random.word()).collect();
            engine.set_inputs(&values).unwrap();
            for settled in [false, true] {
                if settled {
                    engine.eval().unwrap();
                }
                let mut all = vec![u64::MAX; words(Direction::Out)];
                engine.get_outputs(&mut all);
                let (mut input, mut output) = (values.iter().copied(), all.iter().copied());
                for (position, port) in ports.iter().enumerate() {
                    let count = port.width.div_ceil(64);
                    let mut value = vec![0; count];
                    engine.get(PortId::new(position), &mut value);
                    for (i, word) in value.into_iter().enumerate() {
                        let expected = match port.direction {
                            Direction::Out => output.next().unwrap(),
                            Direction::In => {
                                input.next().unwrap_or(0) & xtq_engine::mask(port.width - 64 * i)
                            }
                        };
                        assert_eq!(word, expected, "{} of {}", port.name, engine.name());
                    }
                }
            }
            engine.step().unwrap();
        }
    }
}

#[test]
fn a_design_with_other_ports_is_refused() {
    let engine = compiled(Backend::Jit);
    let other = Body::new(&crate::design::Lane::default(), Backend::Jit).unwrap();
    let other = Compiled::new(Arc::new(other));
    let refused = tape(1).player(&other).err();
    assert!(
        matches!(refused, Some(Error::Unsupported { .. })),
        "{refused:?}"
    );
    let refused = Tape::new(&other).player(&engine).err();
    assert!(refused.is_some());
}
