//! Waveforms show what the signals were, in their scope and window, in both formats and from every engine.

mod endings;
mod errors;
mod formats;
mod names;
mod reference;
mod scopes;
mod shared;
mod threads;
pub mod tower;
pub mod trace;
mod windows;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use xtq_engine::stimulus::Stimulus;
use xtq_engine::{Engine, WaveOptions};

/// Extensions of the formats.
const FORMATS: [&str; 2] = ["vcd", "fst"];

/// A file of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, format: &str) -> Self {
        // Tests run at once, as threads or as processes.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!("{name}-{}-{number}.{format}", std::process::id());
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    /// Everything, into this file.
    fn options(&self) -> WaveOptions {
        WaveOptions::new(&self.0)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Signals with values of their own, by path: no clocks, and no structs, for these are shown by field.
fn leaves(engine: &dyn Engine) -> Vec<String> {
    let all = engine.signals();
    let is_struct = |path: &str| all.iter().any(|s| s.path.starts_with(&format!("{path}$")));
    let paths = all.iter().map(|signal| signal.path.clone());
    paths
        .filter(|path| !is_struct(path) && !path.ends_with("clk") && !path.ends_with("clock"))
        .collect()
}

/// Values of signals as [`trace::Trace`] has them.
fn values(engine: &dyn Engine, paths: &[String]) -> Vec<String> {
    let names: Vec<&str> = paths.iter().map(String::as_str).collect();
    let words = engine.peek_many(&names).expect("all paths exist");
    let signals = engine.signals().iter();
    let by_path: std::collections::HashMap<_, _> = signals.map(|s| (s.path.as_str(), s)).collect();
    let text = |(path, words): (&&str, Vec<u64>)| {
        let signal = by_path[path];
        match signal.variants.get(words[0] as usize) {
            Some(name) => name.clone(),
            None => {
                let bit = |i: usize| char::from(b'0' + (words[i / 64] >> (i % 64) & 1) as u8);
                (0..signal.width).rev().map(bit).collect()
            }
        }
    };
    names.iter().zip(words).map(text).collect()
}

/// Runs with inputs from a seed; gives the values of all leaves in every cycle, also in the one after the last.
fn run(engine: &mut dyn Engine, seed: u64, cycles: usize) -> Vec<Vec<String>> {
    let paths = leaves(engine);
    let mut seen = Vec::new();
    run_and_look(engine, seed, cycles, |engine| {
        seen.push(values(engine, &paths))
    });
    seen
}

/// Runs with inputs from a seed, the same for the same ports in any order; looks at every settled cycle, also at the
/// one after the last.
fn run_and_look<E: Engine + ?Sized>(
    engine: &mut E,
    seed: u64,
    cycles: usize,
    mut look: impl FnMut(&E),
) {
    let mut ports = engine.ports().to_vec();
    ports.sort_by(|a, b| a.name.cmp(&b.name));
    let mut stimulus = Stimulus::new(&ports, seed);
    for cycle in 0..=cycles {
        for (name, _, words) in stimulus.values() {
            let port = engine.port(name).expect("the port exists");
            engine.set(port, words).expect("it is an input");
        }
        engine.eval().expect("the design settles");
        look(engine);
        if cycle < cycles {
            engine.step().expect("the design settles");
        }
        stimulus.advance();
    }
}
