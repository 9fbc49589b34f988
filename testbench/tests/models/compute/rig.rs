//! Machines for tests: memory without spread, so that times are exact.

use xtq_compute::{HostThread, Machine, MachineConfig, MachineError, ProgramError, System};
use xtq_testbench::cluster::RunOptions;

/// Memory's latency in these tests, ns.
pub const MEMORY_NS: f64 = 60.0;
/// A cycle of the core, ns.
pub const CYCLE_NS: f64 = 1.0 / 3.0;

/// Table I with a memory that always takes the same time.
pub fn system() -> System {
    let mut system = System::xtq_paper();
    system.memory.spread_ns = 0.0;
    system
}

/// So many nodes of a system.
pub fn machine_of(system: System, nodes: usize) -> Machine {
    Machine::new(&MachineConfig {
        system,
        nodes,
        ..MachineConfig::default()
    })
    .unwrap()
}

/// So many nodes.
pub fn machine(nodes: usize) -> Machine {
    machine_of(system(), nodes)
}

/// Runs until all programs have ended.
pub fn run(machine: &mut Machine) {
    try_run(machine).unwrap();
}

/// The same, for a millisecond at most.
pub fn try_run(machine: &mut Machine) -> Result<(), MachineError> {
    let until = machine.cycle_count() + 1_000_000;
    machine.run(&RunOptions {
        until,
        ..RunOptions::default()
    })
}

/// Busy and idle time of a program that runs alone on a node.
pub fn time<F>(
    machine: &mut Machine,
    program: impl FnOnce(HostThread) -> F + Send + 'static,
) -> [f64; 2]
where
    F: Future<Output = Result<(), ProgramError>> + Send + 'static,
{
    machine.start(0, "program", program);
    run(machine);
    let report = machine.threads(0).pop().unwrap();
    [report.busy_ns, report.idle_ns]
}

/// Whether two times are the same but for rounding.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

/// Floats as bytes.
pub fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Words as bytes.
pub fn words(values: &[u64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
