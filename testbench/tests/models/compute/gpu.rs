//! Launches: their steps, slots, and what kernels do to memory.

use super::rig::{MEMORY_NS, floats, machine, machine_of, run, system, words};
use std::sync::Arc;
use xtq_compute::gpu::{CombineKernel, CopyKernel, FillKernel, Kernel, KernelPacket, KernelRun};
use xtq_compute::{Combine, GpuConfig, Layout, Machine, Preset, System};
use xtq_testbench::host::Datatype;

const DATA: u64 = Layout::HEAP;
const OTHER: u64 = Layout::HEAP + 0x1000_0000;
const ARGUMENTS: u64 = Layout::HEAP + 0x2000_0000;

/// Runs kernels one after the other on one node, each with its arguments and work-items; `barrier`: each after the one
/// before.
fn launch(
    machine: &mut Machine,
    kernel: Arc<dyn Kernel>,
    launches: &[([u64; 5], u32)],
    barrier: bool,
) -> Vec<KernelRun> {
    let queue = machine.create_queue(0, 0).unwrap();
    machine.add_kernel(3, kernel);
    let signal = Layout::signal(0);
    machine.write(0, signal + 8, &(launches.len() as u64).to_le_bytes());
    for (number, (arguments, _)) in launches.iter().enumerate() {
        machine.write(0, ARGUMENTS + 64 * number as u64, &words(arguments));
    }
    let items: Vec<u32> = launches.iter().map(|(_, items)| *items).collect();
    machine.start(0, "program", move |host| async move {
        for (number, work_items) in items.into_iter().enumerate() {
            let packet = KernelPacket {
                kernel: 3,
                kernarg: ARGUMENTS + 64 * number as u64,
                work_items,
                signal,
                barrier,
            };
            host.dispatch(&queue, &packet).await?;
        }
        host.wait_signal(signal, 1).await;
        Ok(())
    });
    run(machine);
    machine.kernels(0)
}

fn took(run: &KernelRun) -> f64 {
    (run.ended.unwrap() - run.started.unwrap()) as f64
}

fn sum() -> Arc<dyn Kernel> {
    Arc::new(CombineKernel(Combine::sum(Datatype::Float)))
}

#[test]
fn a_small_launch_takes_the_packet_the_arguments_the_operands_and_the_store() {
    let mut machine = machine(1);
    machine.write(0, DATA, &floats([1.5, 2.0]));
    machine.write(0, OTHER, &floats([0.25, 4.0]));
    let runs = launch(&mut machine, sum(), &[([DATA, OTHER, 2, 0, 0], 2)], false);
    assert_eq!(machine.read(0, DATA, 8), floats([1.75, 6.0]));
    let run = &runs[0];
    assert_eq!((run.read - run.rung) as f64, MEMORY_NS);
    assert_eq!(run.started, Some(run.read), "at once, as a unit is free");
    // Twelve instructions of one wavefront, one in four cycles.
    assert_eq!(took(run), 3.0 * MEMORY_NS + 12.0 * 4.0);
}

#[test]
fn the_presets_differ_in_the_launch() {
    let launched = |preset| {
        let mut system = system();
        system.gpu = GpuConfig::of(preset);
        let mut machine = machine_of(system, 1);
        let fill: Arc<dyn Kernel> = Arc::new(FillKernel);
        let runs = launch(&mut machine, fill, &[([DATA, 0, 1, 0, 7], 1)], false);
        runs[0].started.unwrap() - runs[0].read
    };
    assert_eq!(launched(Preset::Apu), 0);
    assert_eq!(launched(Preset::Discrete), 30_000);
}

#[test]
fn a_large_kernel_takes_its_bytes_at_the_memory_s_rate() {
    let mut machine = machine(1);
    let elements = 1 << 18;
    let arguments = [DATA, OTHER, elements, 0, 0];
    let runs = launch(&mut machine, sum(), &[(arguments, elements as u32)], false);
    // Two operands read, one written, at 102.4 bytes a ns; three accesses around them.
    let wanted = 3.0 * 4.0 * elements as f64 / 102.4 + 3.0 * MEMORY_NS;
    assert!(
        (took(&runs[0]) / wanted - 1.0).abs() < 0.01,
        "{} {wanted}",
        took(&runs[0])
    );
}

#[test]
fn two_kernels_side_by_side_share_the_memory_and_a_barrier_puts_them_in_order() {
    let elements = 1 << 18;
    let far = 0x400_0000;
    let both = [
        ([DATA, OTHER, elements, 0, 0], elements as u32 / 64),
        (
            [DATA + far, OTHER + far, elements, 0, 0],
            elements as u32 / 64,
        ),
    ];
    let beside = launch(&mut machine(1), sum(), &both, false);
    let after = launch(&mut machine(1), sum(), &both, true);
    assert!(beside[1].started.unwrap() < beside[0].ended.unwrap());
    assert!(after[1].started.unwrap() >= after[0].ended.unwrap());
    let slower = took(&beside[0]) / took(&after[0]);
    assert!((1.9..2.05).contains(&slower), "{slower}");
}

#[test]
fn a_kernel_that_finds_no_slot_waits_until_one_is_free() {
    let mut system: System = system();
    system.gpu.compute_units = 1;
    system.gpu.wavefronts = 2;
    let copies = [0, 1, 2].map(|number| ([DATA + 64 * number, OTHER, 8, 0, 0], 64));
    let copy: Arc<dyn Kernel> = Arc::new(CopyKernel);
    let mut machine = machine_of(system, 1);
    machine.write(0, OTHER, &words(&[77]));
    let runs = launch(&mut machine, copy, &copies, false);
    assert!(runs[1].started.unwrap() < runs[0].ended.unwrap());
    assert!(
        runs[2].started.unwrap() >= runs[0].ended.unwrap(),
        "{runs:?}"
    );
    assert_eq!(machine.read(0, DATA + 128, 8), words(&[77]));
}

#[test]
fn the_fourth_argument_moves_the_target() {
    let mut machine = machine(1);
    machine.write(0, OTHER, &floats([2.0]));
    launch(&mut machine, sum(), &[([DATA, OTHER, 1, 256, 0], 1)], false);
    assert_eq!(machine.read(0, DATA + 256, 4), floats([2.0]));
    assert_eq!(machine.read(0, DATA, 4), floats([0.0]));
}
