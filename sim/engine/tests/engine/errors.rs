//! Faulty designs and faulty pins are errors that name the block and the signal.

use rust_hdl::prelude::*;
use xtq_engine::{Engine, Error, Oracle, Result};

fn fault<D>(result: Result<Oracle<D>>) -> String {
    match result {
        Ok(_) => panic!("the design was accepted"),
        Err(error) => error.to_string(),
    }
}

/// Inverts while enabled.
#[derive(Clone, Default, LogicBlock)]
struct Gate {
    en: Signal<In, Bit>,
    a: Signal<In, Bit>,
    y: Signal<Out, Bit>,
}

impl Logic for Gate {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !(self.a.val() & self.en.val());
    }
}

/// An inverter that feeds itself through another block.
#[derive(Clone, Default, LogicBlock)]
struct Ring {
    en: Signal<In, Bit>,
    y: Signal<Out, Bit>,
    gate: Gate,
}

impl Logic for Ring {
    #[hdl_gen]
    fn update(&mut self) {
        self.gate.en.next = self.en.val();
        self.gate.a.next = self.gate.y.val();
        self.y.next = self.gate.y.val();
    }
}

#[test]
fn a_loop_that_oscillates_is_reported_with_its_cycle_by_eval_and_step() {
    let builder =
        Oracle::builder(Ring::default()).input("en", |d: &mut Ring, w| d.en.next = w[0] == 1);
    let mut engine = builder
        .output("y", |d, w| w[0] = d.y.val().into())
        .build()
        .unwrap();
    engine.step().unwrap();
    crate::design::set(&mut engine, "en", &[1]);
    assert!(matches!(
        engine.eval(),
        Err(Error::DoesNotSettle { cycle: 1, .. })
    ));
    assert!(matches!(
        engine.step(),
        Err(Error::DoesNotSettle { cycle: 1, .. })
    ));
    crate::design::get(&engine, "y");
    assert!(engine.peek("gate.y").is_err());
    crate::design::set(&mut engine, "en", &[0]);
    engine.eval().unwrap();
    assert_eq!(crate::design::get(&engine, "y")[0], 1);
}

/// Leaves the input of a child open.
#[derive(Clone, Default, LogicBlock)]
struct Open {
    y: Signal<Out, Bit>,
    gate: Gate,
}

impl Logic for Open {
    #[hdl_gen]
    fn update(&mut self) {
        self.gate.en.next = true;
        self.y.next = self.gate.y.val();
    }
}

#[test]
fn an_open_input_of_a_child_is_named() {
    let builder =
        Oracle::builder(Open::default()).output("y", |d: &Open, w| w[0] = d.y.val().into());
    assert_eq!(
        fault(builder.build()),
        "design: signals that nothing drives: gate.a"
    );
}

/// Reads a local before it writes it.
#[derive(Clone, Default, LogicBlock)]
struct Early {
    y: Signal<Out, Bit>,
    t: Signal<Local, Bit>,
}

impl Logic for Early {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.t.val();
        self.t.next = !self.y.val();
    }
}

#[test]
fn a_local_read_before_it_is_written_is_named() {
    let builder =
        Oracle::builder(Early::default()).output("y", |d: &Early, w| w[0] = d.y.val().into());
    assert_eq!(
        fault(builder.build()),
        "design: signals read before they are written: t"
    );
}

/// Writes its own input.
#[derive(Clone, Default, LogicBlock)]
struct Backwards {
    a: Signal<In, Bit>,
}

impl Logic for Backwards {
    #[hdl_gen]
    fn update(&mut self) {
        self.a.next = true;
    }
}

#[test]
fn an_input_written_from_inside_is_named() {
    let builder = Oracle::builder(Backwards::default())
        .input("a", |d: &mut Backwards, w| d.a.next = w[0] == 1);
    assert_eq!(
        fault(builder.build()),
        "design: inputs written from inside: a"
    );
}

#[test]
fn an_input_of_the_top_without_a_pin_is_named() {
    assert_eq!(
        fault(crate::design::machine_without_body()),
        "design: inputs of the top without a pin: body"
    );
    let clockless = Oracle::builder(crate::design::Lane::default())
        .input("en", |d: &mut crate::design::Lane, w| d.en.next = w[0] == 1)
        .input("add", |d, w| d.add.next = w[0].to_bits());
    assert_eq!(
        fault(clockless.build()),
        "design: inputs of the top without a pin: clk"
    );
}

#[test]
fn a_pin_that_the_top_does_not_have_is_named() {
    let gate =
        || Oracle::builder(Gate::default()).input("en", |d: &mut Gate, w| d.en.next = w[0] == 1);
    let drive = |d: &mut Gate, w: &[u64]| d.a.next = w[0] == 1;
    let sample = |d: &Gate, w: &mut [u64]| w[0] = d.y.val().into();
    assert_eq!(
        fault(gate().input("b", drive).build()),
        "the top has no port 'b'"
    );
    assert_eq!(
        fault(gate().output("a", sample).build()),
        "port 'a': is not an output of the top"
    );
    assert_eq!(
        fault(gate().input("y", drive).build()),
        "port 'y': is not an input of the top"
    );
    assert_eq!(
        fault(gate().input("a", drive).input("a", drive).build()),
        "port 'a': is given twice"
    );
}

#[test]
fn a_design_without_rst_cannot_be_reset() {
    let gate = Oracle::builder(Gate::default())
        .input("en", |d: &mut Gate, w| d.en.next = w[0] == 1)
        .input("a", |d, w| d.a.next = w[0] == 1);
    assert!(
        matches!(gate.build().unwrap().reset(1), Err(Error::NoSuchPort(name)) if name == "rst")
    );
}

#[test]
fn a_handle_from_a_larger_engine_is_an_error_and_reads_as_zero() {
    let big = crate::design::machine().port("body").unwrap();
    let builder = Oracle::builder(One::default()).output("y", |d: &One, w| w[0] = d.y.val().into());
    let mut engine = builder.build().unwrap();
    assert!(engine.set(big, &[1]).is_err());
    let mut words = [7];
    engine.get(big, &mut words);
    assert_eq!(words, [0]);
}

/// A constant output.
#[derive(Clone, Default, LogicBlock)]
struct One {
    y: Signal<Out, Bit>,
}

impl Logic for One {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = true;
    }
}
