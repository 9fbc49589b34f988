//! The end of a kernel counts at the NIC: chains of tasks without a program at the target.

use super::rig::{machine, run, words};
use std::sync::Arc;
use xtq_compute::gpu::{CombineKernel, KernelPacket};
use xtq_compute::{Combine, Layout, Machine};
use xtq_testbench::host::{
    Command, Ct, Datatype, EventKind, Kernel, MatchEntry, Md, MemoryDescriptor, ProcessId, Pt, Put,
    Trigger, XtqPut, me_option, portal_option, ptl_ct_alloc, ptl_md_bind, ptl_me_append,
    ptl_pt_alloc, ptl_triggered_put, xtq_put, xtq_register_kernel, xtq_register_queue,
};
use xtq_types::register_map::{context as reg, context_address};

const DATA: u64 = Layout::HEAP;
const BUFFER: u64 = Layout::HEAP + 0x1000_0000;
const COUNTER: u32 = 9;

fn md(md: u16, start: u64, length: u64) -> Command {
    ptl_md_bind(&MemoryDescriptor {
        md: Md(md),
        start,
        length,
        ..MemoryDescriptor::default()
    })
}

fn entry(start: u64, length: u64, options: u32) -> Command {
    ptl_me_append(&MatchEntry {
        start,
        length,
        options: options | me_option::OP_PUT | me_option::LINK_DISABLE,
        ..MatchEntry::default()
    })
}

fn list() -> Command {
    ptl_pt_alloc(Pt(0), portal_option::MATCHING)
}

fn to(node: u16) -> ProcessId {
    ProcessId { node, context: 0 }
}

/// Node 1: a kernel, a signal whose mailbox is CT_INC, and an answer that waits for the counter.
fn set_up_target(machine: &mut Machine, signal: u64) {
    let queue = machine.create_queue(1, 0).unwrap();
    machine.add_kernel(3, Arc::new(CombineKernel(Combine::sum(Datatype::Uint64))));
    let mailbox = Layout::register(context_address(0, reg::CT_INC));
    machine.write(
        1,
        signal,
        &words(&[0, 1, mailbox, u64::from(COUNTER << 24 | 1)]),
    );
    let kernel = Kernel {
        kernel: 3,
        kernarg_size: 32,
        buffer_pointer: BUFFER,
        completion_signal: signal,
        ..Kernel::default()
    };
    let answer = Put {
        md: Md(0),
        length: 8,
        target: to(0),
        ..Put::default()
    };
    let counter = Ct(COUNTER as u16);
    let trigger = Trigger {
        counter,
        threshold: 1,
    };
    let landing = me_option::MANAGE_LOCAL | me_option::SUCCESS_DISABLE;
    let commands = [
        list(),
        entry(DATA, 4096, landing),
        md(0, BUFFER, 8),
        ptl_ct_alloc(counter),
        xtq_register_kernel(7, &kernel),
        xtq_register_queue(0, &queue),
        ptl_triggered_put(&answer, trigger),
    ];
    machine.set_up(1, &commands).unwrap();
}

#[test]
fn the_end_of_a_kernel_fires_an_answer_while_every_cpu_of_the_target_sleeps() {
    let mut machine = machine(2);
    set_up_target(&mut machine, Layout::signal(0));
    machine.write(1, BUFFER, &words(&[40]));
    machine.write(0, DATA, &KernelPacket::xtq(7, 0, 1, false));
    machine.write(0, DATA + 64, &words(&[0, 0, 1, 0]));
    machine.write(0, DATA + 0x1000, &words(&[2]));
    let commands = [
        md(0, DATA, 96),
        md(1, DATA + 0x1000, 8),
        list(),
        entry(BUFFER, 8, 0),
    ];
    machine.set_up(0, &commands).unwrap();
    machine.start(0, "program", |host| async move {
        let payload = Put {
            md: Md(1),
            length: 8,
            target: to(1),
            ..Put::default()
        };
        let put = XtqPut {
            command_md: Md(0),
            command_offset: 0,
            command_length: 96,
            payload,
        };
        host.post(&[xtq_put(&put)]).await?;
        let event = host.event().await?;
        assert_eq!((event.kind, event.mlength), (EventKind::Put, 8));
        Ok(())
    });
    run(&mut machine);
    assert!(machine.threads(1).is_empty());
    assert_eq!(machine.read(0, BUFFER, 8), words(&[42]));
    assert_eq!(machine.read(1, Layout::signal(0) + 8, 8), words(&[0]));
}

#[test]
fn a_mailbox_in_memory_gets_the_event() {
    let mut machine = machine(1);
    let queue = machine.create_queue(0, 0).unwrap();
    machine.add_kernel(3, Arc::new(CombineKernel(Combine::sum(Datatype::Uint64))));
    let signal = Layout::signal(0);
    machine.write(0, signal, &words(&[0, 1, BUFFER, 77]));
    machine.start(0, "program", move |host| async move {
        let packet = KernelPacket {
            kernel: 3,
            kernarg: DATA,
            work_items: 1,
            signal,
            ..KernelPacket::default()
        };
        host.dispatch(&queue, &packet).await?;
        host.wait_signal(signal, 1).await;
        assert_eq!(host.load(BUFFER, 8).await?, words(&[77]));
        Ok(())
    });
    run(&mut machine);
}
