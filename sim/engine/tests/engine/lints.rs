//! Every rule has a bad design that it finds, by rule, block and signal.

mod kernels;
mod source;
mod wiring;

use std::collections::BTreeSet;
use std::sync::Arc;

use kernels::*;
use rust_hdl::prelude::Block;
use wiring::*;
use xtq_engine::elaborate::elaborate;
use xtq_engine::netlist::Netlist;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_engine::{Finding, Rule};

/// A design and what must be found in it: rule, block, signal.
type Bad = (fn() -> Box<dyn Block>, Rule, &'static str, &'static str);

fn block<B: Block + Default + 'static>() -> Box<dyn Block> {
    let mut block = Box::new(B::default());
    block.connect_all();
    block
}

fn below<B: Block + Default + 'static>() -> Box<dyn Block> {
    block::<Outer<B>>()
}

const BAD: [Bad; 27] = [
    (block::<Latch>, Rule::Latch, "top", "o"),
    (block::<FieldLatch>, Rule::Latch, "top", "o"),
    (block::<BranchLatch>, Rule::Latch, "top", "o"),
    (block::<LatchBelow>, Rule::Latch, "stage", "o"),
    (block::<HalfWrittenBelow>, Rule::Latch, "stage", "t"),
    (block::<ReadFirstBelow>, Rule::ReadBeforeWrite, "stage", "t"),
    (block::<TwoDrivers>, Rule::MultipleDrivers, "stage", "o"),
    (block::<Unconnected>, Rule::Undriven, "stage", "i"),
    (block::<NoOutput>, Rule::Undriven, "top", "spare"),
    (
        block::<RingBelow>,
        Rule::CombinationalLoop,
        "ring.first",
        "o",
    ),
    (block::<FieldRing>, Rule::CombinationalLoop, "stage", "o"),
    (below::<RustConstant>, Rule::UnknownName, "inner", "LIMIT"),
    (below::<Guard>, Rule::MatchGuard, "inner", "0"),
    (below::<DefaultGuard>, Rule::MatchGuard, "inner", "default"),
    (below::<MatchBool>, Rule::MatchOnBool, "inner", "true"),
    (below::<IndexSum>, Rule::IndexArithmetic, "inner", "index"),
    (below::<SliceBeyond>, Rule::SliceOutOfRange, "inner", "a"),
    (below::<BitBeyond>, Rule::SliceOutOfRange, "inner", "a"),
    (below::<ReplaceBeyond>, Rule::SliceOutOfRange, "inner", "a"),
    (below::<WideShift>, Rule::WideShiftAmount, "inner", "by"),
    (below::<Keyword>, Rule::Keyword, "inner", "release"),
    (below::<KeywordChild>, Rule::Keyword, "inner", "table"),
    (below::<NoDefault>, Rule::MissingDefault, "inner", "state"),
    (
        below::<LooseExtension>,
        Rule::Width,
        "inner",
        "signed_bit_cast",
    ),
    (below::<Product>, Rule::Unsupported, "inner", "*"),
    (below::<Tristate>, Rule::Unsupported, "inner", "a"),
    (below::<OddRam>, Rule::Unsupported, "inner", "xtq.ram"),
];

/// Everything that is wrong with a design, from both stages.
fn findings(design: &dyn Block) -> Vec<Finding> {
    match elaborate(design) {
        Err(findings) => findings,
        Ok(design) => Netlist::new(&design).err().unwrap_or_default(),
    }
}

#[test]
fn every_bad_design_is_found_by_rule_block_and_signal() {
    for (design, rule, block, signal) in BAD {
        let found = findings(design().as_ref());
        let named =
            |f: &Finding| (f.rule, f.block.as_str(), f.signal.as_str()) == (rule, block, signal);
        assert!(
            found.iter().any(named),
            "{}: {block}: {signal} in {found:#?}",
            rule.name()
        );
        assert!(
            found.iter().all(|f| f.rule == rule),
            "only {}: {found:#?}",
            rule.name()
        );
    }
}

#[test]
fn every_rule_has_a_bad_design() {
    let tested: BTreeSet<Rule> = BAD.iter().map(|(_, rule, ..)| *rule).collect();
    assert_eq!(tested, BTreeSet::from(Rule::ALL));
    let names: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), Rule::ALL.len());
}

#[test]
fn a_number_that_does_not_fit_is_found() {
    let found = findings(below::<LargeNumber>().as_ref());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        (found[0].rule, found[0].detail.as_str()),
        (Rule::Width, "does not fit into 8 bits")
    );
}

#[test]
fn a_finding_shows_rule_block_signal_and_detail() {
    let found = findings(block::<Unconnected>().as_ref());
    assert_eq!(
        found[0].to_string(),
        "undriven: stage: i: nothing drives it"
    );
}

/// Output of a design without registers for one input.
fn output<B: Block + Default + 'static>(input: u64) -> u64 {
    let outputs = [Backend::Interp, Backend::Jit].map(|backend| {
        let body = Body::new(block::<B>().as_ref(), backend).expect("the loop is none");
        let mut engine = Compiled::new(Arc::new(body));
        let i = engine.port("i").expect("it has an input");
        engine.set(i, &[input]).expect("it is an input");
        engine.eval().expect("compiled engines always settle");
        let mut words = [0];
        engine.get(engine.port("o").expect("it has an output"), &mut words);
        words[0]
    });
    assert_eq!(outputs[0], outputs[1]);
    outputs[0]
}

#[test]
fn fields_of_one_word_that_depend_on_each_other_in_a_line_are_no_loop() {
    assert_eq!([output::<Handshake>(0), output::<Handshake>(1)], [5, 7]);
}

#[test]
fn words_of_one_signal_that_depend_on_each_other_in_a_line_are_no_loop() {
    assert_eq!(output::<Words>(41), 42);
    assert_eq!(output::<Words>(u64::MAX), 0);
}

#[test]
fn bits_of_one_word_that_depend_on_each_other_in_a_line_are_no_loop() {
    // Bit n is the inverse of bit n - 1, bit 0 that of the input.
    assert_eq!(
        [output::<Ripple>(0), output::<Ripple>(1)],
        [0b0101_0101, 0b1010_1010]
    );
}
