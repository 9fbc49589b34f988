//! The queue protocol on the hardware's banks: small caches that streams run over.

use xtq_testbench::compnet::access::{Cause, Requester};
use xtq_testbench::compnet::{Class, Load, Machine, RtlBank, System, Tally, body};
use xtq_testbench::experiments::compnet_hitrate::Parameters;

const PARAMETERS: &str = include_str!("../../../../scenarios/experiments/compnet-hitrate.toml");

/// The experiment's system, with more calls in a short time.
pub fn system() -> System {
    let parameters = Parameters::parse("compnet-hitrate.toml", PARAMETERS);
    let mut system = parameters.unwrap().system;
    system.l2.sets = 8;
    system.calls.batch = 2;
    system.calls.compute_ns = 1000.0;
    // A large library, so that there is all that a service thread can do.
    let cp = &mut system.cp;
    (cp.call_ns, cp.mutex, cp.read_index_on_host) = (300.0, true, false);
    (cp.private_bytes, cp.private_lines) = (49_152, 16);
    system
}

/// Cycles without a completed call after which a run is stuck.
const PATIENCE: u64 = 40_000;

/// The banks of a system.
pub fn banks(system: &System) -> Vec<RtlBank> {
    let body = body(system.l2.sets, system.l2.writes, system.bank_bits()).unwrap();
    system.banks(&body, 1).unwrap()
}

fn run(system: &System, load: Load, cycles: u64) -> Machine<RtlBank> {
    let mut machine = system.machine(banks(system), load);
    machine
        .run(cycles, PATIENCE)
        .unwrap_or_else(|error| panic!("{load:?}: {error}"));
    machine
}

fn is_cp(requester: Requester) -> bool {
    matches!(requester, Requester::CpThread(_))
}

fn found(machine: &Machine<RtlBank>) -> Tally {
    let counts = machine.counts(is_cp);
    counts.of(Class::PollFound)
}

#[test]
fn calls_are_performed_in_order_beside_streams_and_mutexes() {
    let mut system = system();
    system.cp.private_lines = 4;
    system.calls.blocking = 0.3;
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
    // So that calls wait for others, streams pass meanwhile, and work-groups seldom look.
    system.cp.call_ns = 500.0;
    system.calls.batch = 8;
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
        plain.misses * 3 > plain.accesses(),
        "streams evict: {plain:?}"
    );
    let ends = machines[1].take_lock_ends();
    let released = ends.iter().filter(|end| end.cause == Cause::Release);
    let released = released.count() as u64;
    let lost = ends.len() as u64 - released;
    let overflows: u64 = machines[1]
        .banks()
        .iter()
        .map(|bank| bank.counts().lock_overflows)
        .sum();
    // A poll between the two stores of a call ends its first lock: the line may be gone before the second.
    let between = released.saturating_sub(locked.accesses());
    assert!(
        locked.misses <= lost + overflows + between && locked.misses * 20 < locked.accesses(),
        "{locked:?}, {lost} locks lost, {overflows} never had, {between} ended between two stores"
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
    let mut hardware = [0; 2];
    for bank in machine.banks() {
        let [hits, misses] = bank.counts().cp;
        hardware = [hardware[0] + hits, hardware[1] + misses];
    }
    let model = machine.counts(is_cp).sum(&Class::ALL);
    let under_way = machine.under_way(is_cp);
    assert!(hardware[0].abs_diff(model.hits) <= under_way && model.hits > 100);
    assert!(hardware[1].abs_diff(model.misses) <= under_way && model.misses > 100);
}

#[test]
fn the_hit_rate_falls_with_the_streams_and_less_with_locking() {
    let mut system = system();
    system.cp.private_bytes = 0;
    // So that calls wait for others, and streams pass meanwhile.
    system.cp.call_ns = 1000.0;
    let rate = |streaming, locking| {
        let load = Load {
            networking: 4,
            streaming,
            locking,
            seed: 2,
        };
        let mut machine = system.machine(banks(&system), load);
        machine.run(40_000, PATIENCE).unwrap();
        let before = machine.counts(is_cp);
        machine.run(60_000, PATIENCE).unwrap();
        let counts = machine.counts(is_cp).since(&before);
        counts.sum(&Class::ALL).rate().unwrap()
    };
    let plain = [0, 12, 36].map(|streaming| rate(streaming, false));
    assert!(
        plain[0] > 95.0 && plain[0] > plain[1] && plain[1] > plain[2],
        "{plain:?}"
    );
    let locked = rate(36, true);
    assert!(
        locked > plain[2] + 2.0 && locked < plain[0],
        "{plain:?} {locked}"
    );
}
