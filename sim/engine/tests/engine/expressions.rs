//! The 55 expression cases on every engine: equal, or refused by the rule they name.

pub mod cases;

use std::sync::Arc;

use cases::Case;
use proptest::prelude::*;
use xtq_engine::{Backend, Body, Compiled, Engine, Error};

/// Values of bytes, and of the bytes of wider inputs, that find wrong carries, signs and masks.
const CORNERS: [u8; 9] = [0, 1, 3, 0x0f, 0x7f, 0x80, 0xf0, 0xfe, 0xff];

/// Random vectors for each case.
const VECTORS: usize = 200;

fn engines(case: &Case) -> Vec<Box<dyn Engine>> {
    let compiled = [Backend::Interp, Backend::Jit].map(|backend| {
        let body = Body::new((case.block)().as_ref(), backend);
        let body = body.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        Box::new(Compiled::new(Arc::new(body))) as Box<dyn Engine>
    });
    let oracle = (case.oracle)().unwrap_or_else(|error| panic!("{}: {error}", case.name));
    [oracle].into_iter().chain(compiled).collect()
}

/// The output for inputs in the order of [`Case::inputs`].
fn output(engine: &mut dyn Engine, case: &Case, values: &[[u64; 8]]) -> Vec<u64> {
    for (name, value) in case.inputs.iter().zip(values) {
        let port = engine.port(name).expect("the case has this input");
        engine.set(port, value).expect("it is an input");
    }
    engine.eval().expect("a kernel without loops settles");
    let mut words = vec![0; 8];
    engine.get(engine.port("o").expect("all cases have it"), &mut words);
    words
}

fn compare(engines: &mut [Box<dyn Engine>], case: &Case, values: &[[u64; 8]]) {
    let hangs = |(name, value): (&&str, &[u64; 8])| {
        *name == "sa" && case.never.is_some_and(|byte| value[0] as u8 == byte)
    };
    if case.inputs.iter().zip(values).any(hangs) {
        return;
    }
    let (oracle, others) = engines.split_first_mut().expect("three engines");
    let expected = output(oracle.as_mut(), case, values);
    for engine in others {
        let found = output(engine.as_mut(), case, values);
        let (name, who) = (case.name, engine.name());
        assert_eq!(
            found, expected,
            "{name}, {who}, {:?} = {values:x?}",
            case.inputs
        );
    }
}

fn accepted() -> impl Iterator<Item = Case> {
    (cases::all().into_iter().chain(cases::more())).filter(|case| case.refused.is_none())
}

#[test]
fn the_catalogue_is_complete() {
    let cases = cases::all();
    let refused: Vec<_> = cases.iter().filter(|c| c.refused.is_some()).collect();
    assert_eq!((cases.len(), refused.len()), (55, 6));
}

#[test]
fn refused_cases_name_their_rule_and_no_other() {
    for case in cases::all() {
        let Some(rule) = case.refused else {
            continue;
        };
        let body = Body::new((case.block)().as_ref(), Backend::Interp);
        let Some(Error::Findings(findings)) = body.err() else {
            panic!("{} is accepted", case.name);
        };
        assert!(findings.iter().all(|f| f.rule == rule && f.block == "top"));
    }
}

/// Wide inputs consist of the corner byte, or have it at one end: carries and borrows go through all words.
const SHAPES: [fn(u8) -> [u64; 8]; 3] = [
    |byte| [u64::from_le_bytes([byte; 8]); 8],
    |byte| [byte.into(), 0, 0, 0, 0, 0, 0, 0],
    |byte| [0, 0, 0, 0, 0, 0, 0, u64::from(byte) << 56],
];

#[test]
fn all_engines_agree_on_all_pairs_of_corner_values() {
    for case in accepted() {
        let mut engines = engines(&case);
        for (first, second) in CORNERS.iter().flat_map(|a| CORNERS.map(|b| (*a, b))) {
            for (even, odd) in SHAPES.iter().flat_map(|a| SHAPES.map(|b| (*a, b))) {
                let values = (0..case.inputs.len()).map(|i| match i % 2 {
                    0 => even(first),
                    _ => odd(second),
                });
                compare(&mut engines, &case, &values.collect::<Vec<_>>());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_agree_on_random_values(
        vectors in proptest::collection::vec(any::<[[u64; 8]; 4]>(), VECTORS)
    ) {
        for case in accepted() {
            let mut engines = engines(&case);
            for values in &vectors {
                compare(&mut engines, &case, &values[..case.inputs.len()]);
            }
        }
    }
}
