//! The queue protocol on the hardware's banks: small caches that streams run over.

use xtq_testbench::compnet::access::{Cause, Requester};
use xtq_testbench::compnet::hitrate::Parameters;
use xtq_testbench::compnet::{Class, Load, Machine, RtlBank, System, Tally, body};

const PARAMETERS: &str = include_str!("../../../scenarios/experiments/compnet-hitrate.toml");

fn system() -> System {
    Parameters::parse("compnet-hitrate.toml", PARAMETERS)
        .unwrap()
        .system
}

fn run(system: &System, load: Load, cycles: u64) -> Machine<RtlBank> {
    let body = body(system.l2.sets, system.bank_bits()).unwrap();
    let bank = |number| {
        RtlBank::new(
            body.clone(),
            system.memory_timing(number, 1),
            system.limits(),
        )
        .unwrap()
    };
    let mut machine = system.machine((0..system.l2.banks as u64).map(bank).collect(), load);
    machine
        .run(cycles, cycles)
        .unwrap_or_else(|error| panic!("{load:?}: {error}"));
    machine
}

fn found(machine: &Machine<RtlBank>) -> Tally {
    let counts = machine.counts(|requester| matches!(requester, Requester::CpThread(_)));
    counts.of(Class::PollFound)
}

#[test]
fn calls_are_performed_in_order_beside_streams_and_mutexes() {
    let mut system = system();
    system.cp.threads = 2;
    system.cp.private_lines = 4;
    system.calls.batch = 2;
    for locking in [false, true] {
        let load = Load {
            networking: 6,
            streaming: 20,
            locking,
            seed: 3,
        };
        let machine = run(&system, load, 60_000);
        assert!(
            machine.phases().calls > 20,
            "{locking}: {:?}",
            machine.phases()
        );
    }
}

#[test]
fn locked_stores_keep_calls_in_the_l2_until_they_are_found() {
    let mut system = system();
    system.cp.private_bytes = 0;
    let mut machines = [false, true].map(|locking| {
        let load = Load {
            networking: 8,
            streaming: 32,
            locking,
            seed: 1,
        };
        run(&system, load, 90_000)
    });
    let [plain, locked] = [&machines[0], &machines[1]].map(found);
    assert!(plain.accesses() > 30 && locked.accesses() > 30);
    assert!(
        plain.misses * 5 > plain.accesses(),
        "streams evict: {plain:?}"
    );
    let ends = machines[1].take_lock_ends();
    let lost = ends
        .iter()
        .filter(|end| end.cause != Cause::Release)
        .count() as u64;
    let overflows: u64 = machines[1]
        .banks()
        .iter()
        .map(|bank| bank.counts().lock_overflows)
        .sum();
    // The first lines of a queue are the only ones that may be missing without a lock's end that is not a release.
    assert!(
        locked.misses <= lost + overflows,
        "{locked:?}, {lost} locks lost, {overflows} never had"
    );
    assert!(machines[0].take_lock_ends().iter().all(|end| end.rmw));
}

#[test]
fn the_hardware_counts_what_the_cores_do() {
    let load = Load {
        networking: 4,
        streaming: 8,
        locking: true,
        seed: 5,
    };
    let machine = run(&system(), load, 40_000);
    let hardware: u64 = machine
        .banks()
        .iter()
        .flat_map(|bank| bank.counts().cp)
        .sum();
    let is_cp = |requester| matches!(requester, Requester::CpThread(_));
    let model = machine.counts(is_cp).sum(&Class::ALL).accesses();
    assert!(hardware.abs_diff(model) <= machine.under_way(is_cp) && model > 100);
}
