//! What stops a run, and what is reported.

use super::rig::{machine, machine_of, system, try_run, words};
use std::sync::Arc;
use xtq_compute::gpu::{CopyKernel, KernelPacket, Plan, Span, custom};
use xtq_compute::{Combine, Layout, Machine, MachineConfig, ProgramError};
use xtq_testbench::host::{Ct, Datatype, ptl_ct_free};

const DATA: u64 = Layout::HEAP;
const ARGUMENTS: u64 = Layout::HEAP + 0x2000_0000;

/// What is reported of a run in which the host launches one kernel and overwrites its source a while later.
fn told(machine: &mut Machine, bytes: u64, overwrites: bool) -> String {
    let queue = machine.create_queue(0, 0).unwrap();
    let signal = Layout::signal(0);
    machine.write(0, signal + 8, &1u64.to_le_bytes());
    machine.write(0, ARGUMENTS, &words(&[DATA, DATA + 0x1000_0000, bytes, 0]));
    machine.start(0, "program", move |host| async move {
        let packet = KernelPacket {
            kernel: 3,
            kernarg: ARGUMENTS,
            work_items: 64,
            signal,
            ..KernelPacket::default()
        };
        host.dispatch(&queue, &packet).await?;
        host.pause(400).await;
        if overwrites {
            host.store(DATA + 0x1000_0040, &[1]).await?;
        }
        host.wait_signal(signal, 1).await;
        Ok(())
    });
    try_run(machine).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
}

#[test]
fn an_operand_that_is_overwritten_while_its_kernel_runs_is_found() {
    let mut machine = machine(1);
    machine.add_kernel(3, Arc::new(CopyKernel));
    let text = told(&mut machine, 1 << 20, true);
    assert!(
        text.contains("'Copy', packet 0: its operand at 0x110000040 was overwritten"),
        "{text}"
    );
    let mut machine = super::rig::machine(1);
    machine.add_kernel(3, Arc::new(CopyKernel));
    assert_eq!(told(&mut machine, 1 << 20, false), "fine");
}

#[test]
fn kernels_that_nobody_knows_or_that_cannot_do_it_are_named() {
    let text = told(&mut machine(1), 64, false);
    assert!(text.contains("no kernel has the handle 0x3"), "{text}");
    let mut machine = machine(1);
    machine.add_kernel(3, Arc::new(CopyKernel));
    let text = told(&mut machine, u64::MAX, false);
    assert!(
        text.contains("kernel 'Copy', packet 0: Copy: 184467"),
        "{text}"
    );
    let short = custom("short", |launch| {
        let span = Span {
            address: launch.argument(0),
            bytes: 64,
        };
        Ok(Plan {
            reads: vec![span],
            writes: vec![span],
            instructions: 1,
            effect: Box::new(|_| Ok(vec![vec![0; 63]])),
        })
    });
    let mut machine = super::rig::machine(1);
    machine.add_kernel(3, short);
    let text = told(&mut machine, 64, false);
    assert!(
        text.contains("it made 63 bytes for a buffer of 64"),
        "{text}"
    );
}

#[test]
fn a_program_that_waits_for_ever_is_named_with_what_it_waits_for() {
    let mut machine = machine(2);
    machine.start(1, "sleeper", |host| async move {
        host.event().await.map(|_| ())
    });
    let text = try_run(&mut machine).unwrap_err().to_string();
    assert!(
        text.contains("nothing happens any more, but node 1: program 'sleeper' waits for an event"),
        "{text}"
    );
}

#[test]
fn errors_of_programs_commands_and_systems_say_where() {
    let mut machine = machine(1);
    machine.start(0, "fails", |host| async move {
        host.work(1000).await;
        Err(ProgramError::new("it is broken"))
    });
    let text = try_run(&mut machine).unwrap_err().to_string();
    assert!(text.starts_with("node 0: cycle "), "{text}");
    assert!(text.ends_with("program 'fails': it is broken"), "{text}");

    let mut machine = super::rig::machine(1);
    let text = machine.set_up(0, &[ptl_ct_free(Ct(5))]).unwrap_err();
    assert!(
        text.to_string().starts_with("node 0: command 0: "),
        "{text}"
    );

    let mut system = system();
    system.cpu.ipc = 5.0;
    let error = Machine::new(&MachineConfig {
        system,
        ..MachineConfig::default()
    });
    let text = error.err().unwrap().to_string();
    assert_eq!(text, "cpu.ipc: 5 is not above 0 and at most 4");
}

#[test]
fn a_host_that_has_no_core_left_or_a_vector_too_long_is_told() {
    let mut machine = machine(1);
    for _ in 0..9 {
        machine.start(0, "worker", |_| async move { Ok(()) });
    }
    let text = try_run(&mut machine).unwrap_err().to_string();
    assert_eq!(text, "node 0: program 'worker' has no core: there are 8");

    let mut machine = machine_of(system(), 1);
    machine.start(0, "long", |host| async move {
        let how = Combine::sum(Datatype::Double);
        host.combine(how, 0, 1 << 40, u64::MAX).await
    });
    let text = try_run(&mut machine).unwrap_err().to_string();
    assert!(text.contains("268435456 are the most"), "{text}");
}
