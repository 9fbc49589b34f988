//! The waveforms of random designs, in both formats, say what `peek` says.

use std::path::PathBuf;

use proptest::prelude::*;
use xtq_engine::design::{Design, SignalKind};
use xtq_engine::{Backend, Compiled, Engine, WaveOptions};

use crate::random::tape::tape;
use crate::random::{CYCLES, Random, build, engine, set};
use crate::wave::trace::Trace;

/// Path, width and value by cycle of every signal.
type Seen = Vec<(String, usize, Vec<Vec<u64>>)>;

/// Runs with random inputs, some of which stay as they are.
fn run(engine: &mut Compiled, design: &Design, seed: u64) -> Seen {
    let mut random = Random::new(seed);
    // Clocks have a wave of their own.
    let is_clock = |path: &str| path == "clk" || path.ends_with(".clk");
    let signals = engine.signals().iter().filter(|s| !is_clock(&s.path));
    let mut seen: Seen = signals
        .map(|s| (s.path.clone(), s.width, Vec::new()))
        .collect();
    for _ in 0..CYCLES {
        for signal in &design.top().signals {
            if signal.kind == SignalKind::Input && !signal.clock && random.0.below(3) != 0 {
                let value = random.number(signal.ty.width);
                set(engine, &signal.name, &value);
            }
        }
        engine.eval().expect("compiled engines always settle");
        for (path, _, values) in &mut seen {
            values.push(engine.peek(path).expect("the path exists"));
        }
        engine.step().expect("compiled engines always settle");
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn waveforms_of_random_designs_say_what_the_signals_say(mut tape in tape(900), seed: u64) {
        let design = build::design(&mut tape);
        let mut traces = Vec::new();
        for backend in [Backend::Interp, Backend::Jit] {
            for format in ["vcd", "fst"] {
                let name = format!("random-{}.{format}", std::process::id());
                let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
                let mut engine = engine(&design, backend);
                engine.attach_wave(WaveOptions::new(&path)).expect("the file can be created");
                let seen = run(&mut engine, &design, seed);
                // The cycle after the last is not shown.
                drop(engine);
                let trace = Trace::read(&path);
                std::fs::remove_file(&path).expect("it was there");
                prop_assert!(trace.vars.len() > seen.len(), "{:#?}", &design);
                for (path, width, values) in seen {
                    for (cycle, words) in values.iter().enumerate() {
                        let bit = |i: usize| char::from(b'0' + (words[i / 64] >> (i % 64) & 1) as u8);
                        let expected: String = (0..width).rev().map(bit).collect();
                        let found = trace.at(&format!("top.{path}"), 1000 * cycle as u64);
                        prop_assert_eq!(
                            found, Some(expected.as_str()),
                            "{:?}, {}, cycle {}: {} in {:#?}", backend, format, cycle, path, &design
                        );
                    }
                }
                traces.push(trace);
            }
        }
        prop_assert!(traces.windows(2).all(|pair| pair[0] == pair[1]), "{:#?}", &design);
    }
}
