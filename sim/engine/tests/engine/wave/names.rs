//! Names as formats and viewers take them; designs that were not made with rust-hdl may have any.

use std::sync::Arc;

use rust_hdl::prelude::*;
use xtq_engine::design::{
    Body as Kernel, Design, Expr, ExprKind, Module, Name, SignalDecl, SignalKind, Stmt, Ty,
};
use xtq_engine::elaborate::elaborate;
use xtq_engine::verilog::Options;
use xtq_engine::{Backend, Body, Compiled, Engine, Export, Oracle};

use crate::wave::trace::Trace;
use crate::wave::{FORMATS, Scratch};

/// A block whose output is its input, called so, with names for the values if there are any.
fn wire(input: &str, output: &str, width: usize, variants: &[&str]) -> Compiled {
    let ty = Ty::bits(width);
    let signal = |name: &str, kind| SignalDecl {
        type_name: String::new(),
        name: name.into(),
        ty,
        kind,
        clock: false,
        variants: variants.iter().map(|name| name.to_string()).collect(),
        fields: Vec::new(),
    };
    let value = Expr {
        kind: ExprKind::Signal(Name::Own(0)),
        ty,
    };
    let module = Module {
        signals: vec![
            signal(input, SignalKind::Input),
            signal(output, SignalKind::Output),
        ],
        children: Vec::new(),
        body: Kernel::Logic(vec![Stmt::Assign {
            target: Name::Own(1),
            offset: 0,
            value,
        }]),
    };
    let design = Design {
        first_path: vec![String::new()],
        modules: vec![module],
        top: 0,
    };
    let body = Body::from_design(&design, Backend::Interp).expect("the design is complete");
    Compiled::new(Arc::new(body))
}

/// Drives the only input with these values, and gives the files.
fn traces(make: impl Fn() -> Compiled, values: &[u64]) -> [Trace; 2] {
    FORMATS.map(|format| {
        let file = Scratch::new("names", format);
        let mut engine = make();
        engine.attach_wave(file.options()).unwrap();
        let port = xtq_engine::PortId::new(0);
        for value in values {
            engine.set(port, &[*value]).unwrap();
            engine.step().unwrap();
        }
        drop(engine);
        Trace::read(&file.0)
    })
}

#[test]
fn blanks_brackets_and_signs_become_underscores_and_letters_stay() {
    for (name, shown) in [
        ("a b[3]:\n#", "a_b_3____"),
        ("größe", "größe"),
        ("", "_"),
        ("r#type", "r_type"),
        ("a$end_b", "a$_end_b"),
    ] {
        for trace in traces(|| wire(name, "o", 8, &[]), &[5, 6]) {
            assert_eq!(trace.order, [format!("top.{shown}"), "top.o".into()]);
            assert_eq!(trace.at("top.o", 1000), Some("00000110"));
        }
    }
}

#[test]
fn a_value_without_a_name_is_its_number_and_odd_names_are_readable() {
    let labels = ["a", "b c"];
    for trace in traces(|| wire("i", "o", 4, &labels), &[0, 1, 2, 15]) {
        let changes = trace.vars["top.o"].changes.iter();
        let seen: Vec<_> = changes.map(|(_, text)| text.as_str()).collect();
        assert_eq!(seen, ["a", "b_c", "2", "15"]);
    }
}

#[test]
fn a_name_that_fst_has_no_room_for_is_an_error() {
    let longest = "x".repeat(511);
    for trace in traces(|| wire(&longest, "o", 1, &[]), &[1]) {
        assert_eq!(trace.order[0], format!("top.{longest}"));
    }
    let file = Scratch::new("long", "fst");
    let mut engine = wire(&"x".repeat(512), "o", 1, &[]);
    let error = engine.attach_wave(file.options()).unwrap_err();
    assert!(
        error.to_string().contains("no names of 512 bytes"),
        "{error}"
    );
}

#[test]
fn one_two_and_many_bits_on_word_borders() {
    for width in [1, 2, 63, 64] {
        let ones = u64::MAX >> (64 - width);
        for trace in traces(|| wire("i", "o", width, &[]), &[0, ones, 1, ones >> 1]) {
            let expected: Vec<_> = [0, ones, 1, ones >> 1]
                .map(|n| format!("{n:0width$b}"))
                .into();
            let found: Vec<_> = (0..4)
                .map(|t| trace.at("top.o", 1000 * t).unwrap())
                .collect();
            assert_eq!(found, expected);
        }
    }
}

/// An enum of one variant has no bits.
#[test]
fn a_signal_without_bits_has_a_name_only() {
    #[derive(Copy, Clone, Debug, PartialEq, LogicState)]
    enum Only {
        One,
    }
    #[derive(Clone, Default, LogicBlock)]
    struct Lone {
        clk: Signal<In, Clock>,
        state: DFF<Only>,
        count: DFF<Bits<3>>,
    }
    impl Logic for Lone {
        #[hdl_gen]
        fn update(&mut self) {
            self.state.clock.next = self.clk.val();
            self.count.clock.next = self.clk.val();
            self.state.d.next = Only::One;
            self.count.d.next = self.count.q.val() + 1;
        }
    }
    let oracle = || {
        let builder = Oracle::builder(Lone::default());
        let builder = builder.clock(|d: &mut Lone, level| d.clk.next = level.into());
        builder.build().expect("the design is sound")
    };
    let compiled = |backend| {
        let body = Body::new(&Lone::default(), backend).expect("the design is sound");
        Compiled::new(Arc::new(body))
    };
    // Verilog has no such signal.
    let design = elaborate(&Lone::default()).expect("the design is sound");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let refused = Export::write(&design, &Options::default(), folder).unwrap_err();
    assert!(refused.to_string().contains("has no bits"), "{refused}");
    for format in FORMATS {
        let engines: [Box<dyn Engine>; 3] = [
            Box::new(oracle()),
            Box::new(compiled(Backend::Interp)),
            Box::new(compiled(Backend::Jit)),
        ];
        for mut engine in engines {
            let file = Scratch::new("bitless", format);
            engine.attach_wave(file.options()).unwrap();
            (0..4).for_each(|_| engine.step().unwrap());
            engine.finish_wave().unwrap();
            let trace = Trace::read(&file.0);
            let state = &trace.vars["top.state.q"];
            assert_eq!(state.changes, [(0, "One".to_string())], "{format}");
            assert_eq!(trace.vars["top.count.q"].changes.len(), 5, "{format}");
        }
    }
}
