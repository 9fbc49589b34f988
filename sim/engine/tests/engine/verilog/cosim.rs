//! Icarus and Verilator as engines: in lockstep with the oracle and the interpreter, and a flipped bit is found.

use std::sync::Arc;

use xtq_engine::elaborate::elaborate;
use xtq_engine::lockstep::{LockstepError, LockstepOptions, lockstep};
use xtq_engine::{Backend, Body, Compiled, Cosim, Engine, Error, Simulator};

use crate::design::{Machine, machine};

fn options() -> LockstepOptions {
    LockstepOptions {
        cycles: 300,
        seed: 5,
        signals_every: 1,
        inject: None,
    }
}

fn cosim(simulator: Simulator) -> Cosim {
    let design = elaborate(&Machine::default()).expect("the design is sound");
    Cosim::new(&design, simulator).unwrap_or_else(|error| panic!("{error}; ./test.sh installs it"))
}

#[test]
fn foreign_simulators_agree_with_the_oracle_and_a_flipped_bit_is_found() {
    let body = Body::new(&Machine::default(), Backend::Interp).expect("the design is sound");
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(machine()),
        Box::new(Compiled::new(Arc::new(body))),
        Box::new(cosim(Simulator::Icarus)),
        Box::new(cosim(Simulator::Verilator)),
    ];
    let report = lockstep(&mut engines, &options(), |_| {}).expect("all engines agree");
    assert_eq!(report.engines, ["oracle", "interp", "icarus", "verilator"]);
    let register = engines[2].signals().iter().find(|s| s.path.ends_with(".q"));
    let register = register.expect("there are registers").path.clone();
    for simulator in Simulator::ALL {
        let mut engines: Vec<Box<dyn Engine>> =
            vec![Box::new(machine()), Box::new(cosim(simulator))];
        let inject = Some((70, register.clone()));
        let error = lockstep(
            &mut engines,
            &LockstepOptions {
                inject,
                ..options()
            },
            |_| {},
        );
        let Err(LockstepError::Differs(difference)) = error else {
            panic!("{error:?}");
        };
        assert_eq!(
            (difference.cycle, difference.engine.as_str()),
            (70, simulator.name())
        );
    }
}

#[test]
fn what_a_foreign_simulator_cannot_do_is_an_error() {
    let mut cosim = cosim(Simulator::Icarus);
    let [input, output] = [xtq_engine::Direction::In, xtq_engine::Direction::Out]
        .map(|wanted| cosim.ports().iter().position(|p| p.direction == wanted))
        .map(|at| xtq_engine::PortId::new(at.expect("the machine has both")));
    assert!(matches!(
        cosim.set(output, &[1]),
        Err(Error::BadPort { .. })
    ));
    assert!(cosim.set(input, &[1]).is_ok());
    assert!(matches!(cosim.peek("no.such"), Err(Error::NoSuchPath(_))));
    assert!(matches!(
        cosim.poke("no.such", &[1]),
        Err(Error::NoSuchPath(_))
    ));
    let snapshot = cosim.snapshot();
    assert!(matches!(
        cosim.restore(&snapshot),
        Err(Error::Unsupported { .. })
    ));
}
