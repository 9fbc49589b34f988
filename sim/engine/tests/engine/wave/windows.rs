//! Windows of cycles, and times.

use proptest::prelude::*;
use xtq_engine::{Engine, Error, WaveOptions};

use crate::design::machine;
use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, leaves, run};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_window_shows_its_cycles_and_no_other(seed: u64, from in 0..20u64, length in 0..9u64) {
        for format in FORMATS {
            for mut engine in engines() {
                let file = Scratch::new("window", format);
                let options = WaveOptions { from: Some(from), to: Some(from + length), ..file.options() };
                engine.attach_wave(options).unwrap();
                let seen = run(engine.as_mut(), seed, 30);
                engine.finish_wave().unwrap();
                let trace = Trace::read(&file.0);
                let who = format!("{format} of {}", engine.name());
                prop_assert_eq!(trace.window, (1000 * from, 1000 * (from + length + 1)), "{}", &who);
                for cycle in from..=from + length {
                    // Every variable has a value from the first cycle on, even if it does not change.
                    for (path, value) in leaves(engine.as_ref()).iter().zip(&seen[cycle as usize]) {
                        let found = trace.at(&format!("top.{path}"), 1000 * cycle);
                        prop_assert_eq!(found, Some(value.as_str()), "{} in {}, {}", path, cycle, &who);
                    }
                }
                let times = trace.vars.values().flat_map(|var| &var.changes).map(|change| change.0);
                prop_assert!(times.max() <= Some(1000 * (from + length) + 500), "{}", &who);
            }
        }
    }
}

#[test]
fn a_window_that_ends_before_it_begins_is_an_error() {
    for format in FORMATS {
        let options = WaveOptions {
            from: Some(5),
            to: Some(4),
            ..Scratch::new("empty", format).options()
        };
        let attached = machine().attach_wave(options);
        assert!(matches!(
            attached,
            Err(Error::EmptyWindow { from: 5, to: 4 })
        ));
    }
}

#[test]
fn a_window_that_is_never_reached_leaves_a_file_with_variables_and_no_values() {
    for format in FORMATS {
        for (from, to) in [(100, 200), (0, 2)] {
            let file = Scratch::new("unreached", format);
            let mut engine = machine();
            run(&mut engine, 1, 5);
            let (from, to) = (Some(from), Some(to));
            let options = WaveOptions {
                from,
                to,
                ..file.options()
            };
            engine.attach_wave(options).unwrap();
            run(&mut engine, 1, 5);
            engine.finish_wave().unwrap();
            let trace = Trace::read(&file.0);
            assert!(trace.order.contains(&"top.sum".into()), "{format}");
            assert!(
                trace.vars.values().all(|var| var.changes.is_empty()),
                "{format}: {trace:?}"
            );
            assert!(trace.window.1 <= 1, "{format}: {:?}", trace.window);
        }
    }
}

#[test]
fn the_clock_rises_at_the_start_of_every_cycle_but_the_first() {
    for format in FORMATS {
        for period_ps in [500, 3, 4000] {
            let file = Scratch::new("clock", format);
            let mut engine = machine();
            let options = WaveOptions {
                period_ps,
                ..file.options()
            };
            engine.attach_wave(options).unwrap();
            run(&mut engine, 1, 2);
            engine.finish_wave().unwrap();
            let trace = Trace::read(&file.0);
            let edges = trace.vars["top.clk"].changes.iter();
            let edges: Vec<_> = edges.map(|(t, v)| (*t, v.as_str())).collect();
            let (p, half) = (period_ps, period_ps / 2);
            let expected = [
                (0, "0"),
                (p, "1"),
                (p + half, "0"),
                (2 * p, "1"),
                (2 * p + half, "0"),
            ];
            assert_eq!(edges, expected, "{format}");
            assert_eq!(trace.window, (0, 3 * p), "{format}");
        }
    }
}

#[test]
fn going_back_to_a_snapshot_never_turns_time_back() {
    for format in FORMATS {
        let file = Scratch::new("back", format);
        let mut engine = machine();
        let start = engine.snapshot();
        engine.attach_wave(file.options()).unwrap();
        (0..5).for_each(|_| engine.step().unwrap());
        engine.restore(&start).unwrap();
        (0..8).for_each(|_| engine.step().unwrap());
        engine.finish_wave().unwrap();
        let trace = Trace::read(&file.0);
        assert_eq!(trace.window, (0, 9000), "{format}");
        assert_eq!(
            trace.at("top.count_q.q", 8000),
            Some("000000001000"),
            "{format}"
        );
    }
}

#[test]
fn a_cycle_too_late_for_a_time_is_an_error() {
    for format in FORMATS {
        let file = Scratch::new("late", format);
        let mut engine = machine();
        let period_ps = u64::MAX / 2;
        let options = WaveOptions {
            period_ps,
            ..file.options()
        };
        engine.attach_wave(options).unwrap();
        (0..4).for_each(|_| engine.step().unwrap());
        let error = engine.finish_wave().unwrap_err();
        assert!(
            error.to_string().contains("cycle 2 is later than"),
            "{error}"
        );
        // What could be written is there.
        assert_eq!(Trace::read(&file.0).window, (0, 2 * period_ps), "{format}");
    }
}
