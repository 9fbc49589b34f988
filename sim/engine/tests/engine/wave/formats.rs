//! Both formats, from every engine: the same scopes, variables, times and values, and these are the signals'.

use std::collections::BTreeMap;

use proptest::prelude::*;
use xtq_engine::Engine;

use crate::wave::tower::engines;
use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch, leaves, run};

/// Runs every engine once for each format; gives the engine, the file, and what was seen.
fn traces(seed: u64, cycles: usize) -> Vec<(String, Trace, Vec<Vec<String>>)> {
    let mut traces = Vec::new();
    for format in FORMATS {
        for mut engine in engines() {
            let file = Scratch::new("formats", format);
            engine.attach_wave(file.options()).unwrap();
            let seen = run(engine.as_mut(), seed, cycles);
            engine.finish_wave().unwrap();
            let who = format!("{format} of {}", engine.name());
            traces.push((who, Trace::read(&file.0), seen));
        }
    }
    traces
}

/// Paths of leaves in the file.
fn paths(engine: &dyn Engine) -> Vec<String> {
    let paths = leaves(engine).into_iter();
    paths.map(|path| format!("top.{path}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_files_of_all_engines_and_formats_are_the_same_and_right(seed: u64, cycles in 1..40usize) {
        let traces = traces(seed, cycles);
        let (first, truth, seen) = &traces[0];
        for (who, trace, _) in &traces[1..] {
            prop_assert_eq!(&trace.scopes, &truth.scopes, "scopes: {} and {}", who, first);
            prop_assert_eq!(&trace.order, &truth.order, "variables: {} and {}", who, first);
            prop_assert_eq!(trace.window, truth.window, "times: {} and {}", who, first);
            for (path, var) in &trace.vars {
                prop_assert_eq!(var, &truth.vars[path], "{}: {} and {}", path, who, first);
            }
        }
        prop_assert_eq!(truth.window, (0, 1000 * seen.len() as u64));
        let paths = paths(engines()[0].as_ref());
        for (cycle, values) in seen.iter().enumerate() {
            for (path, value) in paths.iter().zip(values) {
                prop_assert_eq!(truth.at(path, 1000 * cycle as u64), Some(value.as_str()), "{} in {}", path, cycle);
            }
        }
    }
}

#[test]
fn the_hierarchy_is_that_of_the_design() {
    for (who, trace, _) in traces(1, 3) {
        let deep = ["top", "top.floor", "top.floor.room", "top.floor.room.shelf"];
        for scope in deep {
            assert!(trace.scopes.iter().any(|s| s == scope), "{who}: {scope}");
        }
        assert_eq!(trace.scopes.len(), 4 + 40 + 3, "{who}: {:?}", trace.scopes);
        let width = |path: &str| trace.vars[path].width;
        assert_eq!(width("top.go"), 1, "{who}");
        assert_eq!(width("top.depth"), 16, "{who}: signed");
        assert_eq!(width("top.floor.room.wide_q.q"), 512, "{who}");
        assert_eq!(width("top.floor.room.plate$text"), 100, "{who}: field");
        assert_eq!(width("top.floor.room.door.q"), 0, "{who}: names");
        // One clock; more signals than there are identifiers of one letter.
        let clocks = |path: &&String| path.ends_with(".clk") || path.ends_with(".clock");
        let clocks = trace.order.iter().filter(clocks).count();
        let aliases = trace.order.len() - trace.signals;
        if who.ends_with("oracle") {
            assert!(trace.signals > 94, "{who}: {}", trace.signals);
            assert_eq!(aliases, clocks - 1, "{who}");
        }
    }
}

#[test]
fn of_signals_that_are_the_same_a_compiled_engines_file_holds_one() {
    let traces = traces(1, 3);
    let signals = |who: &str| traces.iter().find(|(w, ..)| w == who).unwrap().1.signals;
    let (all, few) = (signals("vcd of oracle"), signals("vcd of jit"));
    assert!(few < 3 * all / 4, "{few} of {all}");
    assert_eq!(signals("fst of jit"), few);
    assert_eq!(signals("vcd of interp"), few);
}

#[test]
fn of_a_memory_the_ports_are_shown_and_not_the_words() {
    for (who, trace, _) in traces(2, 3) {
        let shelf = trace
            .order
            .iter()
            .filter_map(|p| p.strip_prefix("top.floor.room.shelf."));
        let ports = [
            "clk",
            "write_addr",
            "write_data",
            "write_en",
            "read_addr",
            "read_data",
        ];
        let constants = ["contents$0", "contents$1"];
        assert!(shelf.eq(ports.into_iter().chain(constants)), "{who}");
    }
}

#[test]
fn a_name_of_an_enum_stands_beside_its_number_in_fst() {
    let file = Scratch::new("number", "fst");
    let mut engine = crate::wave::tower::oracle();
    engine.attach_wave(file.options()).unwrap();
    run(&mut engine, 3, 60);
    engine.finish_wave().unwrap();
    let (plain, named) = (Trace::read_as_it_is(&file.0), Trace::read(&file.0));
    let (numbers, names) = (
        &plain.vars["top.floor.room.door.q"],
        &named.vars["top.floor.room.door.q"],
    );
    assert_eq!(numbers.width, 2);
    let of = |name: &str| match name {
        "Closed" => "00",
        "Opening" => "01",
        "Open" => "10",
        other => panic!("{other}"),
    };
    let expected = names
        .changes
        .iter()
        .map(|(time, name)| (*time, of(name).to_string()));
    assert!(numbers.changes.iter().cloned().eq(expected));
    assert!(names.changes.len() > 10, "{names:?}");
}

#[test]
fn two_readers_see_the_same_in_a_vcd_file_and_only_changes_are_in_it() {
    for mut engine in engines() {
        let file = Scratch::new("readers", "vcd");
        engine.attach_wave(file.options()).unwrap();
        run(engine.as_mut(), 4, 50);
        engine.finish_wave().unwrap();
        // Wellen drops values that are no changes, crate `vcd` does not.
        assert_eq!(
            Trace::read(&file.0),
            Trace::read_vcd(&file.0),
            "{}",
            engine.name()
        );
    }
}

#[test]
fn an_fst_file_says_which_ports_are_inputs_and_outputs() {
    use wellen::VarDirection::{self, Implicit, Input, Output};
    for mut engine in engines() {
        let file = Scratch::new("directions", "fst");
        engine.attach_wave(file.options()).unwrap();
        drop(engine);
        let wave = wellen::simple::read(&file.0).unwrap();
        let hierarchy = wave.hierarchy();
        let vars = hierarchy.iter_vars();
        let found: BTreeMap<String, VarDirection> = vars
            .map(|v| (v.full_name(hierarchy), v.direction()))
            .collect();
        for (path, expected) in [
            ("top.go", Input),
            ("top.clk", Input),
            ("top.out", Output),
            ("top.depth", Implicit),
            ("top.floor.room.wide", Input),
            ("top.floor.room.plate$text", Implicit),
            ("top.floor.room.plate_q.d$text", Input),
            ("top.floor.room.door.q", Output),
            ("top.floor.room.door.q$text", Output),
            ("top.floor.room.shelf.contents$0", Implicit),
        ] {
            assert_eq!(found[path], expected, "{path}");
        }
    }
}
