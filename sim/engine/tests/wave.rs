//! The VCD file says what the ports and signals said, in its scope and window, and grows while it is written.

mod design;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use design::{Inputs, inputs, machine};
use proptest::prelude::*;
use vcd::{Command, IdCode, Parser, ScopeItem, Value};
use xtq_engine::{Engine, Error, Oracle, WaveOptions};

/// A file of its own for every test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(
            PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("{name}-{}.vcd", std::process::id())),
        )
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A parsed file: values by path at every time something changes.
struct Trace {
    paths: BTreeMap<String, IdCode>,
    /// Per variable the changes: time, and text (a number in decimal or a name).
    changes: HashMap<IdCode, Vec<(u64, String)>>,
    first: Option<u64>,
    end: u64,
}

impl Trace {
    fn read(path: &Path) -> Self {
        let mut parser = Parser::new(BufReader::new(File::open(path).unwrap()));
        let header = parser.parse_header().unwrap();
        let mut trace = Self {
            paths: BTreeMap::new(),
            changes: HashMap::new(),
            first: None,
            end: 0,
        };
        trace.collect("", &header.items);
        let number = |bits: &mut dyn Iterator<Item = Value>| {
            bits.fold(0u128, |n, bit| n << 1 | u128::from(bit == Value::V1))
                .to_string()
        };
        for command in parser {
            let (id, text) = match command.unwrap() {
                Command::Timestamp(time) => {
                    assert!(time >= trace.end, "time goes back to {time}");
                    trace.first.get_or_insert(time);
                    trace.end = time;
                    continue;
                }
                Command::ChangeScalar(id, bit) => (id, number(&mut std::iter::once(bit))),
                Command::ChangeVector(id, bits) => (id, number(&mut bits.iter())),
                Command::ChangeString(id, name) => (id, name),
                _ => continue,
            };
            trace.changes.entry(id).or_default().push((trace.end, text));
        }
        trace
    }

    fn collect(&mut self, prefix: &str, items: &[ScopeItem]) {
        for item in items {
            match item {
                ScopeItem::Var(var) => {
                    let old = self
                        .paths
                        .insert(format!("{prefix}{}", var.reference), var.code);
                    assert!(old.is_none(), "{prefix}{} is declared twice", var.reference);
                }
                ScopeItem::Scope(scope) => {
                    self.collect(&format!("{prefix}{}.", scope.identifier), &scope.items)
                }
                _ => {}
            }
        }
    }

    fn at(&self, path: &str, time: u64) -> Option<&str> {
        let changes = self.changes.get(self.paths.get(path)?)?;
        changes
            .iter()
            .take_while(|(t, _)| *t <= time)
            .last()
            .map(|(_, text)| text.as_str())
    }
}

/// Leaf signals (no structs, no clocks) with their values in the notation of [`Trace`].
fn values(engine: &Oracle<design::Machine>) -> Vec<(String, String)> {
    let all = engine.signals();
    let is_struct = |path: &str| all.iter().any(|s| s.path.starts_with(&format!("{path}$")));
    let leaf = |path: &str| !is_struct(path) && !path.ends_with("clk") && !path.ends_with("clock");
    let shown = all.iter().filter(|s| leaf(&s.path));
    let text = |signal: &xtq_engine::Signal| {
        let words = engine.peek(&signal.path).unwrap();
        match signal.variants.get(words[0] as usize) {
            Some(name) => name.clone(),
            None => {
                (u128::from(words[0]) | u128::from(*words.get(1).unwrap_or(&0)) << 64).to_string()
            }
        }
    };
    shown
        .map(|s| (format!("top.{}", s.path), text(s)))
        .collect()
}

fn run(engine: &mut Oracle<design::Machine>, inputs: &[Inputs]) -> Vec<Vec<(String, String)>> {
    let mut seen = Vec::new();
    for inputs in inputs {
        inputs.drive(engine);
        engine.eval().unwrap();
        seen.push(values(engine));
        engine.step().unwrap();
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_file_says_what_every_signal_said_in_every_cycle(stimulus in prop::collection::vec(inputs(), 1..40)) {
        let file = Scratch::new("all");
        let mut engine = machine();
        engine.attach_wave(WaveOptions::new(&file.0)).unwrap();
        let mut seen = run(&mut engine, &stimulus);
        seen.push(values(&engine));
        engine.finish_wave().unwrap();
        let trace = Trace::read(&file.0);
        for (cycle, values) in seen.iter().enumerate() {
            for (path, value) in values {
                prop_assert_eq!(trace.at(path, 1000 * cycle as u64), Some(value.as_str()), "{} in {}", path, cycle);
            }
        }
        prop_assert_eq!(trace.end, 1000 * seen.len() as u64);
    }

    #[test]
    fn only_changes_are_written(stimulus in prop::collection::vec(inputs(), 1..20)) {
        let file = Scratch::new("changes");
        let mut engine = machine();
        engine.attach_wave(WaveOptions::new(&file.0)).unwrap();
        run(&mut engine, &stimulus);
        engine.finish_wave().unwrap();
        let trace = Trace::read(&file.0);
        let clock = trace.paths["top.clk"];
        for (id, changes) in trace.changes.iter().filter(|(id, _)| **id != clock) {
            prop_assert!(changes.windows(2).all(|w| w[0].1 != w[1].1), "{:?}: {:?}", id, changes);
        }
    }

    #[test]
    fn a_window_shows_its_cycles_and_no_other(
        stimulus in prop::collection::vec(inputs(), 30),
        (from, length) in (0..20u64, 0..9u64),
    ) {
        let file = Scratch::new("window");
        let mut engine = machine();
        let options = WaveOptions { from: Some(from), to: Some(from + length), ..WaveOptions::new(&file.0) };
        engine.attach_wave(options).unwrap();
        let seen = run(&mut engine, &stimulus);
        engine.finish_wave().unwrap();
        let trace = Trace::read(&file.0);
        prop_assert_eq!((trace.first, trace.end), (Some(1000 * from), 1000 * (from + length + 1)));
        for cycle in from..=from + length {
            for (path, value) in &seen[cycle as usize] {
                prop_assert_eq!(trace.at(path, 1000 * cycle), Some(value.as_str()), "{} in {}", path, cycle);
            }
        }
    }
}

/// Runs five cycles with `scope` and gives the paths in the file.
fn paths_in(scope: &str, name: &str) -> Vec<String> {
    let file = Scratch::new(name);
    let mut engine = machine();
    engine
        .attach_wave(WaveOptions {
            scope: Some(scope.into()),
            ..WaveOptions::new(&file.0)
        })
        .unwrap();
    for _ in 0..5 {
        engine.step().unwrap();
    }
    engine.finish_wave().unwrap();
    Trace::read(&file.0).paths.into_keys().collect()
}

#[test]
fn a_scope_shows_a_block_and_what_is_inside() {
    let lane = |i| {
        [
            "add",
            "clk",
            "en",
            "sum",
            "sum_q.clock",
            "sum_q.d",
            "sum_q.q",
        ]
        .map(|s| format!("top.lanes.lane${i}.{s}"))
    };
    assert_eq!(paths_in("lanes.lane[1]", "one"), lane(1));
    assert_eq!(paths_in("top.lanes.lane$1", "dollar"), lane(1));
    assert_eq!(paths_in("lanes.lane", "both"), [lane(0), lane(1)].concat());
}

#[test]
fn a_scope_may_be_one_signal_and_a_struct_has_a_variable_for_each_field() {
    assert_eq!(paths_in("count_q.q", "signal"), ["top.count_q.q"]);
    assert_eq!(
        paths_in("header_q.q", "struct"),
        [
            "top.header_q.q$body",
            "top.header_q.q$kind",
            "top.header_q.q$len"
        ]
    );
}

#[test]
fn the_scope_top_is_everything() {
    let all = paths_in("top", "top");
    assert!(all.contains(&"top.sum".into()) && all.contains(&"top.lanes.lane$0.sum_q.q".into()));
}

#[test]
fn a_scope_that_is_not_there_is_named_and_writes_no_file() {
    let file = Scratch::new("missing");
    let options = WaveOptions {
        scope: Some("lanes.lan".into()),
        ..WaveOptions::new(&file.0)
    };
    let error = machine().attach_wave(options).unwrap_err();
    assert_eq!(error.to_string(), "no block or signal at path 'lanes.lan'");
    assert!(!file.0.exists());
}

#[test]
fn a_window_that_ends_before_it_begins_is_an_error() {
    let options = WaveOptions {
        from: Some(5),
        to: Some(4),
        ..WaveOptions::new(Scratch::new("empty").0.clone())
    };
    assert!(matches!(
        machine().attach_wave(options),
        Err(Error::EmptyWindow { from: 5, to: 4 })
    ));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no such folder/x.vcd");
    let error = machine().attach_wave(WaveOptions::new(&path)).unwrap_err();
    assert!(
        error.to_string().contains("no such folder/x.vcd"),
        "{error}"
    );
}

#[test]
fn the_clock_rises_at_the_start_of_every_cycle_but_the_first() {
    let file = Scratch::new("clock");
    let mut engine = machine();
    engine
        .attach_wave(WaveOptions {
            period_ps: 500,
            ..WaveOptions::new(&file.0)
        })
        .unwrap();
    for _ in 0..2 {
        engine.step().unwrap();
    }
    engine.finish_wave().unwrap();
    let trace = Trace::read(&file.0);
    let edges: Vec<_> = trace.changes[&trace.paths["top.clk"]]
        .iter()
        .map(|(t, v)| (*t, v.as_str()))
        .collect();
    assert_eq!(
        edges,
        [(0, "0"), (500, "1"), (750, "0"), (1000, "1"), (1250, "0")]
    );
    assert_eq!(
        trace.paths["top.lanes.lane$0.sum_q.clock"], trace.paths["top.clk"],
        "one clock, one variable"
    );
}

#[test]
fn the_file_grows_while_the_design_runs() {
    let file = Scratch::new("grows");
    let mut engine = machine();
    engine.attach_wave(WaveOptions::new(&file.0)).unwrap();
    let length = || std::fs::metadata(&file.0).unwrap().len();
    let mut last = 0;
    for _ in 0..4 {
        // A cycle writes about 30 bytes of changes at least; the buffer holds 64 KiB.
        for _ in 0..3000 {
            engine.step().unwrap();
        }
        assert!(length() > last, "nothing written after {last} bytes");
        last = length();
    }
    engine.finish_wave().unwrap();
}

#[test]
fn going_back_to_a_snapshot_never_turns_time_back() {
    let file = Scratch::new("back");
    let mut engine = machine();
    let start = engine.snapshot();
    engine.attach_wave(WaveOptions::new(&file.0)).unwrap();
    for _ in 0..5 {
        engine.step().unwrap();
    }
    engine.restore(&start).unwrap();
    for _ in 0..8 {
        engine.step().unwrap();
    }
    engine.finish_wave().unwrap();
    let trace = Trace::read(&file.0);
    assert_eq!(trace.end, 9000);
    assert_eq!(trace.at("top.count_q.q", 8000), Some("8"));
}

#[test]
fn attaching_again_finishes_the_first_file() {
    let (first, second) = (Scratch::new("first"), Scratch::new("second"));
    let mut engine = machine();
    engine.attach_wave(WaveOptions::new(&first.0)).unwrap();
    engine.step().unwrap();
    engine.attach_wave(WaveOptions::new(&second.0)).unwrap();
    engine.step().unwrap();
    engine.finish_wave().unwrap();
    engine.finish_wave().unwrap();
    assert_eq!(Trace::read(&first.0).end, 2000);
    let trace = Trace::read(&second.0);
    assert_eq!((trace.first, trace.end), (Some(1000), 3000));
}
