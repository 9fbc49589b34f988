//! Random rust-hdl blocks on all six engines, signal by signal, and their Verilog without a warning.

#[path = "../../engine/tests/engine/verilog/tools.rs"]
mod tools;

use std::sync::Arc;

use rust_hdl::prelude::*;
use xtq_agreement::ahead;
use xtq_engine::design::Design;
use xtq_engine::elaborate::elaborate;
use xtq_engine::lockstep::{LockstepOptions, lockstep};
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, Oracle, Simulator, sample};
use xtq_random_blocks::{RandomTop, SEED};
use xtq_types::Wire;

/// Bytes of stack on which the blocks are built.
const STACK_BYTES: usize = 64 << 20;

/// Runs a test on a large stack.
fn with_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let ended = thread.spawn(test).expect("there is a thread").join();
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn connected() -> Box<RandomTop> {
    let mut block = Box::new(RandomTop::default());
    block.connect_all();
    block
}

fn design() -> Design {
    let design = elaborate(connected().as_ref());
    design.unwrap_or_else(|findings| panic!("seed {SEED}: {findings:#?}"))
}

fn oracle() -> Box<dyn Engine> {
    let builder = Oracle::builder(Box::new(RandomTop::default()))
        .clock(|d: &mut RandomTop, level| d.clk.next = level.into())
        .input("rst", |d, words| d.rst.next = Wire::from_words(words))
        .input("x0", |d, words| d.x0.next = Wire::from_words(words))
        .input("x1", |d, words| d.x1.next = Wire::from_words(words))
        .input("x2", |d, words| d.x2.next = Wire::from_words(words))
        .input("x3", |d, words| d.x3.next = Wire::from_words(words))
        .output("o", |d, words| sample(d.o.val(), words));
    Box::new(builder.build().expect("the blocks are sound"))
}

/// Two engines of one body: one computes what may have changed, the other everything.
fn compiled(backend: Backend) -> [Box<dyn Engine>; 2] {
    let body = Body::new(connected().as_ref(), backend);
    let body = Arc::new(body.unwrap_or_else(|error| panic!("seed {SEED}: {error}")));
    [true, false].map(|sleeps| {
        let mut engine = Compiled::new(Arc::clone(&body));
        engine.set_sleep(sleeps);
        Box::new(engine) as Box<dyn Engine>
    })
}

#[test]
fn random_blocks_are_the_same_on_all_engines() {
    with_stack(|| {
        let design = design();
        let code = ahead("random_top").expect("the build script writes it");
        assert!(code.parts.len() > 1, "a value goes from one to another");
        let mut engines = vec![oracle()];
        let backends = [Backend::Interp, Backend::Jit, Backend::Aot(code)];
        engines.extend(backends.into_iter().flat_map(compiled));
        for simulator in Simulator::ALL {
            let cosim = Cosim::new(&design, simulator);
            let cosim = cosim.unwrap_or_else(|e| panic!("{e}; ./test.sh installs tools"));
            engines.push(Box::new(cosim));
        }
        let options = LockstepOptions {
            cycles: 250,
            seed: 1,
            signals_every: 1,
            inject: None,
        };
        let report = lockstep(&mut engines, &options, |_| {});
        let report = report.unwrap_or_else(|error| panic!("seed {SEED}: {error}"));
        let names = [
            "oracle",
            "interp",
            "interp",
            "jit",
            "jit",
            "aot",
            "aot",
            "icarus",
            "verilator",
        ];
        assert_eq!(report.engines, names);
        assert!(report.signals > 1000, "{report:?}");
    });
}

#[test]
fn the_verilog_of_random_blocks_is_accepted_without_a_warning() {
    with_stack(|| {
        let design = design();
        tools::accept_drawn(&write(&design, &Options::default()), "top");
    });
}
