//! The expression cases as generated Rust: as the interpreter, which the engine's own tests compare with the oracle.

#[path = "../../engine/tests/engine/expressions/cases.rs"]
mod cases;

use std::sync::Arc;

use xtq_agreement::ahead;
use xtq_engine::lockstep::{LockstepOptions, lockstep};
use xtq_engine::{Backend, Body, Compiled, Engine};

#[test]
fn every_expression_is_the_same_in_generated_rust() {
    let cases = cases::all().into_iter().chain(cases::more());
    let mut compared = 0;
    for case in cases.filter(|case| case.refused.is_none()) {
        let code = ahead(case.name).expect("the build script writes all cases");
        let mut engines = [Backend::Interp, Backend::Aot(code)].map(|backend| {
            let body = Body::new((case.block)().as_ref(), backend);
            let body = body.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            Box::new(Compiled::new(Arc::new(body))) as Box<dyn Engine>
        });
        let options = LockstepOptions {
            cycles: 2000,
            seed: 1,
            signals_every: 1,
            inject: None,
        };
        let report = lockstep(&mut engines, &options, |_| {});
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(report.outputs, 1);
        compared += 1;
    }
    assert_eq!(compared, 51);
}
