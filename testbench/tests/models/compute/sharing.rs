//! One bucket of bandwidth for NIC, GPU and host; runs on several threads and with cycles left out.

use super::rig::{floats, machine_of, run, same, system, words};
use std::sync::Arc;
use xtq_compute::gpu::{CombineKernel, KernelPacket};
use xtq_compute::{Combine, Layout, Machine, System};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::host::{
    Datatype, MatchEntry, Md, Me, MemoryDescriptor, ProcessId, Pt, Put, me_option, portal_option,
    ptl_md_bind, ptl_me_append, ptl_pt_alloc, ptl_put,
};

const DATA: u64 = Layout::HEAP;
const OTHER: u64 = Layout::HEAP + 0x1000_0000;
const ARGUMENTS: u64 = Layout::HEAP + 0x2000_0000;

/// A node that sums a vector on the GPU, and another on the host at the same time, while node 0 puts `bytes` into its
/// memory. Times of kernel, host's sum and put, ns.
fn beside(system: System, gpu: bool, host: bool, bytes: u64) -> [f64; 3] {
    let elements = 1 << 17;
    let mut machine = machine_of(system, 2);
    let queue = machine.create_queue(1, 0).unwrap();
    machine.add_kernel(3, Arc::new(CombineKernel(Combine::sum(Datatype::Float))));
    let signal = Layout::signal(0);
    machine.write(1, signal + 8, &1u64.to_le_bytes());
    machine.write(1, ARGUMENTS, &words(&[DATA, OTHER, elements, 0]));
    puts(&mut machine, bytes);
    if gpu {
        machine.start(1, "gpu", move |host| async move {
            let packet = KernelPacket {
                kernel: 3,
                kernarg: ARGUMENTS,
                work_items: elements as u32,
                signal,
                ..KernelPacket::default()
            };
            host.dispatch(&queue, &packet).await?;
            host.wait_signal(signal, 1).await;
            Ok(())
        });
    }
    if host {
        machine.start(1, "host", move |host| async move {
            let how = Combine::sum(Datatype::Float);
            host.combine(how, DATA + 0x4000_0000, OTHER + 0x4000_0000, elements)
                .await
        });
    }
    machine.start(0, "puts", move |host| async move {
        if bytes > 0 {
            let put = Put {
                length: bytes,
                ack: xtq_testbench::host::AckRequest::Ack,
                target: ProcessId {
                    node: 1,
                    context: 0,
                },
                ..Put::default()
            };
            host.post(&[ptl_put(&put)]).await?;
            host.event().await?;
        }
        Ok(())
    });
    run(&mut machine);
    let kernel = machine.kernels(1).pop();
    let kernel = kernel.map_or(0, |run| run.ended.unwrap() - run.started.unwrap());
    let threads = machine.threads(1);
    let host = threads.iter().find(|thread| thread.name == "host");
    let put = &machine.threads(0)[0];
    [
        kernel as f64,
        host.map_or(0.0, |host| host.busy_ns),
        (put.ended.unwrap() - put.started) as f64,
    ]
}

fn puts(machine: &mut Machine, bytes: u64) {
    let md = ptl_md_bind(&MemoryDescriptor {
        md: Md(0),
        start: DATA,
        length: bytes.max(1),
        options: xtq_testbench::host::md_option::EVENTS
            | xtq_testbench::host::md_option::SEND_DISABLE,
        ..MemoryDescriptor::default()
    });
    machine.set_up(0, &[md]).unwrap();
    let entry = ptl_me_append(&MatchEntry {
        me: Me(0),
        start: DATA + 0x8000_0000,
        length: bytes.max(1),
        options: me_option::OP_PUT | me_option::SUCCESS_DISABLE,
        ..MatchEntry::default()
    });
    let list = ptl_pt_alloc(Pt(0), portal_option::MATCHING);
    machine.set_up(1, &[list, entry]).unwrap();
}

/// A memory of so many bytes a ns, with a core fast enough to want it all.
fn memory(gigabytes_per_second: f64) -> System {
    let mut system = system();
    system.memory.gigabytes_per_second = gigabytes_per_second;
    system.cpu.misses = 1000;
    system
}

#[test]
fn a_kernel_and_a_sum_of_the_host_at_the_same_time_take_as_long_as_one_after_the_other() {
    let [gpu, _, _] = beside(memory(20.0), true, false, 0);
    let [_, host, _] = beside(memory(20.0), false, true, 0);
    let [both_gpu, both_host, _] = beside(memory(20.0), true, true, 0);
    assert!(
        both_gpu > 1.5 * gpu && both_host > 1.5 * host,
        "{gpu} {host} {both_gpu} {both_host}"
    );
    let together = both_gpu.max(both_host);
    assert!(
        (together / (gpu + host) - 1.0).abs() < 0.05,
        "{together} {gpu} {host}"
    );
}

#[test]
fn what_the_nic_writes_is_taken_from_the_kernel() {
    let [alone, _, _] = beside(memory(20.0), true, false, 0);
    let [beside, _, _] = beside(memory(20.0), true, false, 1 << 18);
    let lost = (beside - alone) * 20.0 / f64::from(1 << 18);
    assert!(
        (0.95..1.3).contains(&lost),
        "{lost} of the bytes, {alone} {beside}"
    );
}

#[test]
fn a_memory_slower_than_the_link_slows_the_nic() {
    let [_, _, fast] = beside(memory(100.0), false, false, 1 << 16);
    let [_, _, slow] = beside(memory(4.0), false, false, 1 << 16);
    // The link has 12.5 bytes a ns.
    assert!((fast / (65536.0 / 12.5)) < 1.2, "{fast}");
    assert!((slow / (65536.0 / 4.0) - 1.0).abs() < 0.1, "{slow}");
}

#[test]
fn nothing_depends_on_threads_epochs_or_whether_cycles_are_left_out() {
    let outcome = |options: RunOptions| {
        let mut machine = machine_of(System::xtq_paper(), 2);
        let vector = floats((0..1000).map(|i| i as f32));
        machine.write(0, DATA, &vector);
        puts(&mut machine, 4000);
        machine.start(0, "puts", |host| async move {
            for _ in 0..3 {
                let put = Put {
                    length: 4000,
                    ack: xtq_testbench::host::AckRequest::Ack,
                    target: ProcessId {
                        node: 1,
                        context: 0,
                    },
                    ..Put::default()
                };
                host.post(&[ptl_put(&put)]).await?;
                host.event().await?;
                host.mark("answered");
                host.pause(333).await;
            }
            Ok(())
        });
        machine.start(1, "sums", |host| async move {
            let how = Combine::sum(Datatype::Float);
            for _ in 0..20 {
                host.combine(how, OTHER, ARGUMENTS, 512).await?;
                host.mark("summed");
            }
            Ok(())
        });
        machine.run(&options).unwrap();
        (machine.threads(0), machine.threads(1))
    };
    let usual = outcome(RunOptions::default());
    for options in [
        RunOptions {
            threads: 2,
            ..RunOptions::default()
        },
        RunOptions {
            skips: false,
            ..RunOptions::default()
        },
        RunOptions {
            epoch: 1,
            ..RunOptions::default()
        },
    ] {
        assert!(outcome(options) == usual, "{options:?}");
    }
    assert!(same(usual.1[0].idle_ns, 0.0));
}
