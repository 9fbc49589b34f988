//! Designs of networking from a kernel: the statements of figures 4 and 8, judged on rows made by hand, and machines of
//! each design.

use xtq_testbench::compnet::design::{Design, Host, machine, served_by};
use xtq_testbench::compnet::{Load, System, body};
use xtq_testbench::experiments::Interval;
use xtq_testbench::experiments::compnet_queue::{self, CompnetQueue};
use xtq_testbench::experiments::compnet_threads::{self, CompnetThreads};
use xtq_testbench::experiments::{Experiment, Statement};

fn about(mean: f64) -> Interval {
    Interval { mean, half: 0.1 }
}

fn queue_row(
    figure: char,
    design: Design,
    work_groups: u64,
    threads: u8,
    us: f64,
) -> compnet_queue::Row {
    compnet_queue::Row {
        figure,
        design,
        work_groups,
        threads,
        service_us: about(us),
        calls_per_us: about(1.0),
    }
}

/// Figure 4 as the paper has it: the first and last time with queues in the host's memory, and with threads.
fn figure_4(host: [f64; 2], gpu: [f64; 2], threads: [f64; 3]) -> Vec<compnet_queue::Row> {
    let mut rows = Vec::new();
    for (design, us) in [(Design::Dgpu, host), (Design::DgpuGpuQueue, gpu)] {
        for (work_groups, us) in [1, 480].into_iter().zip(us) {
            rows.push(queue_row('a', design, work_groups, 1, us));
        }
    }
    for (number, us) in [1, 4, 16].into_iter().zip(threads) {
        rows.push(queue_row('b', Design::Dgpu, 640, number, us));
    }
    rows
}

fn holds(statements: &[Statement]) -> Vec<bool> {
    statements.iter().map(|one| one.holds).collect()
}

#[test]
fn figure_4_is_judged_by_its_numbers() {
    let judged = |rows: &[_]| holds(&compnet_queue::statements(rows));
    let threads = [80.0, 22.0, 8.0];
    let paper = figure_4([5.0, 80.0], [9.0, 300.0], threads);
    assert_eq!(judged(&paper), [true; 3]);
    let fast = figure_4([2.0, 80.0], [9.0, 300.0], threads);
    assert_eq!(judged(&fast), [false, true, true]);
    let near = figure_4([5.0, 80.0], [5.1, 300.0], threads);
    assert_eq!(judged(&near), [true, false, true], "within the intervals");
    let few = figure_4([5.0, 80.0], [9.0, 300.0], [80.0, 8.1, 8.0]);
    assert_eq!(judged(&few), [true, true, false]);
}

fn threads_row(design: Design, calls_per_us: f64, nanojoules: f64) -> compnet_threads::Row {
    compnet_threads::Row {
        design,
        threads: 2,
        added_cores: false,
        call_us: about(10.0),
        calls_per_us: about(calls_per_us),
        nanojoules,
        activity: Default::default(),
    }
}

#[test]
fn figure_8_is_judged_by_its_numbers() {
    let parameters = compnet_threads::Parameters::parse("p.toml", CompnetThreads.parameters());
    let parameters = parameters.unwrap();
    let judged = |rates: [f64; 3], energy: [f64; 3]| {
        let designs = [Design::DgpuGpuQueue, Design::Apu, Design::CompNet];
        let rows = designs.into_iter().zip(rates.into_iter().zip(energy));
        let rows = rows.map(|(design, (rate, energy))| threads_row(design, rate, energy));
        holds(&compnet_threads::statements(
            &rows.collect::<Vec<_>>(),
            &parameters,
        ))
    };
    let energy = [300.0, 200.0, 100.0];
    assert_eq!(judged([1.0, 2.0, 2.0], energy), [true; 4]);
    assert_eq!(judged([1.0, 2.0, 1.1], energy), [false, true, true, true]);
    assert_eq!(judged([1.0, 0.9, 2.0], energy), [true, false, true, true]);
    let cheap = [300.0, 200.0, 10.0];
    assert_eq!(judged([1.0, 2.0, 2.0], cheap), [true, true, false, false]);
    let host = [Design::Dgpu, Design::CompNet].map(|design| threads_row(design, 1.0, 100.0));
    let beside = compnet_threads::statements(&host, &parameters);
    assert!(beside.len() == 2 && beside.iter().all(|one| one.beside));
}

/// The experiment's GPU and host, with the smallest L2.
fn parameters() -> (System, Host) {
    let parameters = compnet_queue::Parameters::parse("p.toml", CompnetQueue.parameters());
    let compnet_queue::Parameters {
        mut system, host, ..
    } = parameters.unwrap();
    system.l2.sets = 8;
    system.l2.banks = 1;
    (system, host)
}

/// Mean time of a call of few work-groups, in ns.
fn call_ns(system: &System, host: &Host, design: Design) -> f64 {
    let system = served_by(system, host, design, 1);
    let bank = body(system.l2.sets, system.l2.writes, system.bank_bits()).unwrap();
    let load = Load {
        networking: 4,
        streaming: 0,
        locking: true,
        seed: 1,
    };
    let mut machine = machine(&system, host, design, &bank, load).unwrap();
    machine.run(30_000, 30_000).unwrap();
    let phases = machine.phases();
    assert!(phases.calls > 4, "{design:?}: {phases:?}");
    system.ns(phases.waited + phases.served) / phases.calls as f64
}

#[test]
fn every_design_serves_calls_and_none_faster_than_its_ways() {
    let (system, host) = parameters();
    for (design, least) in [
        // The status to the L2, the CP's poll, its store, the work-group's poll: four ways of half a trip each.
        (Design::CompNet, 2.0 * system.ns(system.l2.cycles)),
        (Design::Apu, 4.0 * host.die_ns),
        // The status there, the poll there and back.
        (Design::Dgpu, 3.0 * host.pcie_ns),
        (Design::DgpuGpuQueue, 3.0 * host.pcie_ns),
    ] {
        let ns = call_ns(&system, &host, design);
        assert!(ns > least, "{design:?}: {ns} ns, not more than {least}");
    }
}

#[test]
fn with_the_same_link_a_host_behind_pcie_is_an_apu() {
    let (system, mut host) = parameters();
    (host.pcie_ns, host.pcie_gigabytes_per_second) = (host.die_ns, host.die_gigabytes_per_second);
    let [apu, dgpu] = [Design::Apu, Design::Dgpu].map(|design| call_ns(&system, &host, design));
    assert_eq!(apu, dgpu);
    let (_, host) = parameters();
    assert!(call_ns(&system, &host, Design::Dgpu) > apu + 2.0 * (host.pcie_ns - host.die_ns));
}
