//! Code that changes while it runs, instances that are stepped together, and what an engine says of its outputs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::design::{Machine, machine, set};
use xtq_engine::stimulus::{Random, Stimulus};
use xtq_engine::{Backend, Body, Compiled, Engine, WaveOptions, eval_all, step_all};

fn compiled(backend: Backend) -> Compiled {
    let body = Body::new(&Machine::default(), backend).expect("the design is sound");
    Compiled::new(Arc::new(body))
}

/// Drives all inputs with the same.
fn drive(engine: &mut dyn Engine, stimulus: &Stimulus) {
    for (name, _, words) in stimulus.values() {
        set(engine, name, words);
    }
}

fn outputs(engine: &dyn Engine) -> [u64; 8] {
    let mut words = [0; 8];
    engine.get_outputs(&mut words);
    words
}

#[test]
fn the_jit_goes_over_to_other_code_and_nothing_else_changes() {
    let (mut jit, mut interp) = (compiled(Backend::Jit), compiled(Backend::Interp));
    assert!(!jit.is_tuned() && interp.is_tuned());
    let mut stimulus = Stimulus::new(jit.ports(), 7);
    let (start, mut after) = (Instant::now(), 0);
    // Some cycles with the other code.
    while after < 2000 {
        assert!(start.elapsed() < Duration::from_secs(60), "it never does");
        for engine in [&mut jit, &mut interp] {
            drive(engine, &stimulus);
            engine.eval().unwrap();
        }
        assert_eq!(outputs(&jit), outputs(&interp), "cycle {}", jit.cycle());
        for engine in [&mut jit, &mut interp] {
            engine.step().unwrap();
        }
        stimulus.advance();
        after += u32::from(jit.is_tuned());
    }
    for path in ["count_q.q", "lanes.lane$1.sum_q.q", "header_q.q"] {
        assert_eq!(
            jit.peek(path).unwrap(),
            interp.peek(path).unwrap(),
            "{path}"
        );
    }
    // New instances have it from the start.
    assert!(Compiled::new(jit.body().clone()).is_tuned());
}

#[test]
fn a_waveform_is_the_same_while_the_code_changes() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut engines = [Backend::Jit, Backend::Interp].map(|backend| {
        let mut engine = compiled(backend);
        let file = folder.join(format!(
            "code-{}-{}.vcd",
            backend.name(),
            std::process::id()
        ));
        engine.attach_wave(WaveOptions::new(&file)).unwrap();
        (engine, file)
    });
    let mut stimulus = Stimulus::new(engines[0].0.ports(), 11);
    let (start, mut after) = (Instant::now(), 0);
    while after < 500 {
        assert!(start.elapsed() < Duration::from_secs(60), "it never does");
        for (engine, _) in &mut engines {
            drive(engine, &stimulus);
            engine.step().unwrap();
        }
        stimulus.advance();
        after += u32::from(engines[0].0.is_tuned());
    }
    let texts = engines.map(|(mut engine, file)| {
        engine.finish_wave().unwrap();
        let text = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        text
    });
    assert!(texts[0].len() > 100_000 && texts[0] == texts[1]);
}

#[test]
fn an_instance_that_goes_away_leaves_the_looking_to_others() {
    let body = Arc::new(Body::new(&Machine::default(), Backend::Jit).unwrap());
    let start = Instant::now();
    // None of them lives long enough to see all that is wanted.
    let mut random = Random::new(3);
    let mut tuned = false;
    while !tuned {
        assert!(start.elapsed() < Duration::from_secs(60), "nobody looks");
        let mut engine = Compiled::new(body.clone());
        let mut stimulus = Stimulus::new(engine.ports(), random.word());
        for _ in 0..1024 + random.below(2048) {
            drive(&mut engine, &stimulus);
            engine.step().unwrap();
            stimulus.advance();
        }
        tuned = engine.is_tuned();
    }
}

#[test]
fn instances_that_are_stepped_together_are_stepped_one_by_one() {
    let bodies = [Backend::Jit, Backend::Interp]
        .map(|backend| Arc::new(Body::new(&Machine::default(), backend).unwrap()));
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut pairs: Vec<[Compiled; 2]> = Vec::new();
        for at in 0..5 {
            // The third has another body than the rest.
            let body = &bodies[usize::from(at == 2)];
            let mut pair = [(); 2].map(|()| Compiled::new(body.clone()));
            let sleeps = at != 3;
            pair.iter_mut().for_each(|one| one.set_sleep(sleeps));
            pairs.push(pair);
        }
        let mut inputs: Vec<Stimulus> = (0..5)
            .map(|at| Stimulus::new(pairs[0][0].ports(), 10 * seed + at))
            .collect();
        for cycle in 0..500 {
            for (pair, stimulus) in pairs.iter_mut().zip(&mut inputs) {
                pair.iter_mut().for_each(|one| drive(one, stimulus));
                if random.below(3) == 0 {
                    stimulus.advance();
                }
            }
            let evaluated = random.below(2) == 0;
            let mut together = Vec::new();
            for [one, other] in &mut pairs {
                if evaluated {
                    one.eval().unwrap();
                }
                together.push(other);
            }
            if evaluated {
                Compiled::eval_all(&mut together).unwrap();
                for [one, other] in &pairs {
                    assert_eq!(outputs(one), outputs(other), "seed {seed}, cycle {cycle}");
                }
            }
            let mut together = Vec::new();
            for [one, other] in &mut pairs {
                one.step().unwrap();
                together.push(other);
            }
            Compiled::step_all(&mut together).unwrap();
            for [one, other] in &pairs {
                let seen = |one: &Compiled| (one.cycle(), one.slept(), outputs(one));
                assert_eq!(seen(one), seen(other), "seed {seed}, cycle {cycle}");
            }
        }
        assert!(pairs.iter().any(|pair| pair[1].slept() > 0), "seed {seed}");
    }
}

fn borrowed(engines: &mut [Box<dyn Engine>]) -> Vec<&mut dyn Engine> {
    let mut all: Vec<&mut dyn Engine> = Vec::new();
    for engine in engines {
        all.push(&mut **engine);
    }
    all
}

#[test]
fn engines_of_any_kind_are_stepped_together_as_one_by_one() {
    let body = Arc::new(Body::new(&Machine::default(), Backend::Jit).unwrap());
    let engines = || -> Vec<Box<dyn Engine>> {
        vec![
            Box::new(Compiled::new(body.clone())),
            Box::new(machine()),
            Box::new(Compiled::new(body.clone())),
            Box::new(compiled(Backend::Interp)),
        ]
    };
    let (mut alone, mut all) = (engines(), engines());
    let ports = alone[0].ports();
    let mut inputs: Vec<_> = (0..4).map(|at| Stimulus::new(ports, 50 + at)).collect();
    for cycle in 0..300 {
        for (at, stimulus) in inputs.iter_mut().enumerate() {
            drive(&mut *alone[at], stimulus);
            drive(&mut *all[at], stimulus);
            stimulus.advance();
        }
        let seen = |engines: &[Box<dyn Engine>]| -> Vec<_> {
            let engines = engines.iter();
            engines
                .map(|engine| (engine.cycle(), outputs(&**engine)))
                .collect()
        };
        eval_all(&mut borrowed(&mut all)).unwrap();
        alone.iter_mut().for_each(|one| one.eval().unwrap());
        assert_eq!(seen(&alone), seen(&all), "cycle {cycle}");
        step_all(&mut borrowed(&mut all)).unwrap();
        alone.iter_mut().for_each(|one| one.step().unwrap());
        assert_eq!(seen(&alone), seen(&all), "after cycle {cycle}");
    }
}

#[test]
fn an_output_that_changed_is_told_and_one_that_did_not_is_not() {
    for backend in [Backend::Interp, Backend::Jit] {
        for seed in 0..4 {
            let mut engine = compiled(backend);
            let mut stimulus = Stimulus::new(engine.ports(), seed);
            let mut random = Random::new(seed);
            let mut last = None;
            for cycle in 0..2000 {
                if random.below(4) == 0 {
                    stimulus.advance();
                }
                drive(&mut engine, &stimulus);
                if random.below(50) == 0 {
                    engine.poke("count_q.q", &[random.word()]).unwrap();
                }
                if random.below(3) > 0 {
                    engine.eval().unwrap();
                    let now = (engine.outputs_changed(), outputs(&engine));
                    if let Some((count, words)) = last
                        && count == now.0
                    {
                        assert_eq!(words, now.1, "seed {seed}, cycle {cycle}");
                    }
                    last = Some(now);
                }
                engine.step().unwrap();
            }
            // Held in reset, nothing changes any more.
            set(&mut engine, "rst", &[1]);
            (0..20).for_each(|_| engine.step().unwrap());
            engine.eval().unwrap();
            let count = engine.outputs_changed();
            assert!(count.is_some_and(|count| count > 100), "{count:?}");
            for _ in 0..20 {
                engine.step().unwrap();
                engine.eval().unwrap();
                assert_eq!(engine.outputs_changed(), count);
            }
        }
    }
}
