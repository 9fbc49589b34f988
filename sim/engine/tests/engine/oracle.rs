//! The oracle runs a sound design as rust-hdl's own loop does.

use crate::design::{Inputs, Machine, body_from, dump, get, inputs, machine, set};
use proptest::prelude::*;
use rust_hdl::prelude::{Block, simulate};
use xtq_engine::{Direction, Engine, Error};

/// One cycle as in a textbook: settle the inputs, the rising edge, the falling edge, each on its own.
fn textbook_inputs(design: &mut Machine, inputs: &Inputs) {
    design.rst.next = inputs.rst;
    design.go.next = inputs.go;
    design.kind.next = u64::from(inputs.kind).into();
    design.body.next = body_from(&[inputs.body as u64, (inputs.body >> 64) as u64 & 0xffff]);
    assert!(simulate(design, 100));
}

fn textbook_clock(design: &mut Machine) {
    for level in [true, false] {
        design.clk.next = level.into();
        assert!(simulate(design, 100));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_signal_is_as_in_the_loop_that_settles_three_times(
        run in prop::collection::vec((inputs(), 0..4u8), 1..60)
    ) {
        let mut engine = machine();
        let mut truth = Machine::default();
        truth.connect_all();
        assert!(simulate(&mut truth, 100));
        for (inputs, habit) in run {
            // What stands after the edge, before the new inputs, is exact too.
            if habit == 1 {
                prop_assert_eq!(engine.with_design(|d| dump(d)).unwrap(), dump(&truth));
            }
            inputs.drive(&mut engine);
            textbook_inputs(&mut truth, &inputs);
            if habit != 2 {
                engine.eval().unwrap();
                prop_assert_eq!(engine.with_design(|d| dump(d)).unwrap(), dump(&truth));
            }
            engine.step().unwrap();
            textbook_clock(&mut truth);
            if habit == 3 {
                prop_assert_eq!(get(&engine, "sum")[0], truth.sum.val().to_u64());
            }
        }
        engine.eval().unwrap();
        prop_assert_eq!(engine.with_design(|d| dump(d)).unwrap(), dump(&truth));
    }

    #[test]
    fn a_restored_snapshot_continues_in_the_same_way(
        before in prop::collection::vec(inputs(), 0..20),
        after in prop::collection::vec(inputs(), 1..20),
        pending in any::<bool>(),
    ) {
        let mut engine = machine();
        for inputs in &before {
            inputs.drive(&mut engine);
            engine.step().unwrap();
        }
        if pending {
            set(&mut engine, "go", &[1]);
        }
        let snapshot = engine.snapshot();
        let cycle = engine.cycle();
        let continuation = |engine: &mut xtq_engine::Oracle<Machine>| {
            let mut seen = Vec::new();
            engine.step().unwrap();
            for inputs in &after {
                seen.push(engine.with_design(|d| dump(d)).unwrap());
                inputs.drive(engine);
                engine.step().unwrap();
            }
            (seen, engine.cycle())
        };
        let first = continuation(&mut engine);
        engine.restore(&snapshot).unwrap();
        prop_assert_eq!(engine.cycle(), cycle);
        prop_assert_eq!(continuation(&mut engine), first);
    }
}

#[test]
fn ports_have_the_names_widths_and_directions_of_the_design() {
    let engine = machine();
    let found: Vec<_> = engine
        .ports()
        .iter()
        .map(|p| (p.name.as_str(), p.width, p.direction))
        .collect();
    let (i, o) = (Direction::In, Direction::Out);
    let inputs = [("rst", 1, i), ("go", 1, i), ("kind", 4, i)];
    let outputs = [
        ("mirror", 80, o),
        ("busy", 1, o),
        ("sum", 8, o),
        ("header_len", 12, o),
        ("body", 80, i),
    ];
    assert_eq!(found, [inputs.as_slice(), &outputs].concat());
    assert_eq!(engine.name(), "oracle");
}

#[test]
fn eval_carries_an_input_to_an_output_without_a_clock_edge() {
    let mut engine = machine();
    set(&mut engine, "body", &[0x1234, 0xfff0]);
    assert_eq!(
        get(&engine, "mirror"),
        [u64::MAX, 0xffff],
        "an output is as of the last eval"
    );
    engine.eval().unwrap();
    assert_eq!(get(&engine, "mirror"), [!0x1234, 0x000f]);
    assert_eq!(engine.cycle(), 0);
}

#[test]
fn bits_above_the_width_of_an_input_are_ignored_and_missing_words_are_zero() {
    let mut engine = machine();
    set(&mut engine, "body", &[1, u64::MAX, u64::MAX]);
    assert_eq!(get(&engine, "body"), [1, 0xffff]);
    set(&mut engine, "body", &[7]);
    assert_eq!(get(&engine, "body"), [7, 0]);
}

#[test]
fn step_counts_and_shows_the_registers_after_the_edge() {
    let mut engine = machine();
    for cycle in 1..=5 {
        engine.step().unwrap();
        assert_eq!(engine.cycle(), cycle);
        assert_eq!(engine.peek("count_q.q").unwrap(), [cycle]);
    }
}

#[test]
fn reset_holds_rst_for_the_cycles_asked_for_and_releases_it() {
    let mut engine = machine();
    for _ in 0..5 {
        engine.step().unwrap();
    }
    engine.reset(2).unwrap();
    assert_eq!(engine.cycle(), 7);
    assert_eq!(get(&engine, "rst")[0], 0);
    assert_eq!(engine.peek("count_q.q").unwrap(), [0]);
    engine.step().unwrap();
    assert_eq!(engine.peek("count_q.q").unwrap(), [1]);
}

#[test]
fn peek_reads_children_arrays_structs_fields_and_enums() {
    let mut engine = machine();
    set(&mut engine, "go", &[1]);
    set(&mut engine, "kind", &[9]);
    set(&mut engine, "body", &[0xabcd_ef01_2345_6789, 0x8001]);
    engine.step().unwrap();
    engine.step().unwrap();
    engine.step().unwrap();
    assert_eq!(engine.peek("state_q.q").unwrap(), [1]);
    assert_eq!(engine.peek("header_q.q.kind").unwrap(), [9]);
    assert_eq!(
        engine.peek("header_q.q$body").unwrap(),
        [0xabcd_ef01_2345_6789, 0x8001]
    );
    // The whole struct: 4 bits of kind, 12 of length (0), 80 of body.
    let whole = engine.peek("header_q.q").unwrap();
    assert_eq!(whole, [0xef01_2345_6789_0009, 0x8001_abcd]);
    let lane = engine.peek("lanes.lane[0].sum_q.q").unwrap();
    assert_eq!(lane, [3], "1 + 2, counted in two busy cycles");
    assert_eq!(engine.peek("lanes.lane$0.sum_q.q").unwrap(), lane);
    assert_eq!(engine.peek("lanes$lane$0$sum_q$q").unwrap(), lane);
}

#[test]
fn every_listed_signal_can_be_peeked_and_has_its_width() {
    let engine = machine();
    for signal in engine.signals() {
        let words = engine.peek(&signal.path).unwrap();
        assert_eq!(words.len(), signal.width.div_ceil(64), "{}", signal.path);
    }
    let find = |path: &str| engine.signals().iter().find(|s| s.path == path).cloned();
    assert_eq!(
        find("state_q.q").unwrap().variants,
        ["Idle", "Busy", "Done"]
    );
    assert_eq!(find("header_q.q$len").unwrap().width, 12);
    assert_eq!(find("lanes.lane$1.sum").unwrap().width, 8);
}

#[test]
fn what_is_not_there_is_an_error_that_names_it() {
    let mut engine = machine();
    assert_eq!(
        engine.port("nonsense").unwrap_err().to_string(),
        "the top has no port 'nonsense'"
    );
    let error = engine.peek("lanes.lane[2].sum").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no block or signal at path 'lanes.lane[2].sum'"
    );
    assert!(
        matches!(engine.poke("nonsense", &[0]), Err(Error::NoSuchPath(path)) if path == "nonsense")
    );
    assert!(matches!(
        engine.poke("count_q.q", &[0]),
        Err(Error::Unsupported {
            engine: "oracle",
            ..
        })
    ));
    let output = engine.port("sum").unwrap();
    let error = engine.set(output, &[0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "port 'sum': is an output and cannot be set"
    );
}

#[test]
fn a_snapshot_of_another_engine_is_refused() {
    let mut engine = machine();
    let foreign = xtq_engine::Snapshot::new(Box::new(0u8));
    assert!(matches!(
        engine.restore(&foreign),
        Err(Error::Unsupported { .. })
    ));
}
