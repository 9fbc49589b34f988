//! What a load costs: by recency, by who wrote last, side by side.

use super::rig::{CYCLE_NS, MEMORY_NS, machine, machine_of, run, same, system, time, words};
use std::sync::Arc;
use xtq_compute::gpu::{FillKernel, KernelPacket};
use xtq_compute::{Layout, Wait};

const DATA: u64 = Layout::HEAP;

#[test]
fn a_load_costs_memory_at_first_and_the_first_level_after_that() {
    let mut machine = machine(1);
    let [busy, idle] = time(&mut machine, |host| async move {
        host.load(DATA, 8).await?;
        host.load(DATA + 8, 8).await?;
        Ok(())
    });
    assert!(same(busy, MEMORY_NS + 2.0 * CYCLE_NS), "{busy}");
    assert_eq!(idle, 0.0);
}

#[test]
fn a_line_that_others_drove_out_is_found_one_level_further() {
    // Lines of one set of the first level (512 sets, 2 ways), then of one set of the second (4096 sets, 8 ways).
    for (stride, lines, cycles) in [(512, 3, 4.0), (4096, 9, 20.0)] {
        let mut machine = machine(1);
        let [busy, _] = time(&mut machine, move |host| async move {
            for line in 0..lines {
                host.load(DATA + line * stride * 64, 8).await?;
            }
            host.load(DATA, 8).await?;
            Ok(())
        });
        let wanted = lines as f64 * MEMORY_NS + cycles * CYCLE_NS;
        assert!(same(busy, wanted), "{busy}, not {wanted}");
    }
}

#[test]
fn lines_of_one_access_come_side_by_side_as_many_as_misses_go() {
    let mut machine = machine(1);
    let [busy, _] = time(&mut machine, |host| async move {
        host.load(DATA, 25 * 64).await?;
        Ok(())
    });
    // 10 at a time.
    assert!(same(busy, 3.0 * MEMORY_NS), "{busy}");
}

#[test]
fn what_another_core_wrote_last_is_in_the_third_level() {
    let mut machine = machine(1);
    machine.start(0, "writer", |host| async move {
        host.store(DATA, &[1]).await?;
        host.store(DATA + 64, &[1]).await
    });
    machine.start(0, "reader", |host| async move {
        host.load(DATA, 8).await?;
        host.wait(&[Wait::At(host.now() + 500)]).await;
        host.load(DATA + 64, 8).await?;
        Ok(())
    });
    run(&mut machine);
    let reader = &machine.threads(0)[1];
    let wanted = 2.0 * 20.0 * CYCLE_NS;
    assert!(same(reader.busy_ns, wanted), "{}", reader.busy_ns);
}

#[test]
fn a_line_that_the_gpu_wrote_last_costs_memory_again() {
    let mut machine = machine(1);
    let queue = machine.create_queue(0, 0).unwrap();
    machine.add_kernel(7, Arc::new(FillKernel));
    let (arguments, signal) = (DATA + 0x1000, Layout::signal(0));
    machine.write(0, arguments, &words(&[DATA, 0, 1, 0, 99]));
    machine.write(0, signal + 8, &1u64.to_le_bytes());
    machine.start(0, "program", move |host| async move {
        host.load(DATA, 8).await?;
        host.mark("before");
        host.load(DATA, 8).await?;
        host.mark("hit");
        let packet = KernelPacket {
            kernel: 7,
            kernarg: arguments,
            work_items: 1,
            signal,
            ..KernelPacket::default()
        };
        host.dispatch(&queue, &packet).await?;
        host.wait_signal(signal, 1).await;
        host.mark("filled");
        assert_eq!(host.load(DATA, 8).await?[0], 99);
        host.mark("missed");
        Ok(())
    });
    run(&mut machine);
    let report = machine.threads(0).pop().unwrap();
    let at = |name| report.mark(name).unwrap();
    assert!(at("hit") - at("before") <= 1);
    assert_eq!(at("missed") - at("filled"), MEMORY_NS as u64);
}

#[test]
fn a_slower_core_takes_longer_for_the_same_instructions() {
    let times = [4.0, 2.0, 1.0].map(|ipc| {
        let mut system = system();
        system.cpu.ipc = ipc;
        time(&mut machine_of(system, 1), |host| async move {
            host.work(1200).await;
            Ok(())
        })[0]
    });
    assert_eq!(times, [100.0, 200.0, 400.0]);
}
