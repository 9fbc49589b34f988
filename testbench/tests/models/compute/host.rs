//! Registers, polls, events, dispatch and sums of a host program.

use super::rig::{
    CYCLE_NS, MEMORY_NS, floats, machine, machine_of, run, same, system, time, words,
};
use std::sync::Arc;
use xtq_compute::gpu::{CombineKernel, KernelPacket};
use xtq_compute::{Combine, Costs, Layout, Operation, Wait};
use xtq_testbench::host::{
    CounterValue, Ct, Datatype, EventKind, MatchEntry, Md, Me, MemoryDescriptor, ProcessId, Pt,
    Put, me_option, portal_option, ptl_ct_alloc, ptl_ct_get, ptl_ct_inc, ptl_md_bind,
    ptl_me_append, ptl_pt_alloc, ptl_put,
};
use xtq_types::register_map::{context as reg, context_address};

const DATA: u64 = Layout::HEAP;

#[test]
fn a_posted_store_of_a_register_costs_an_instruction_and_a_load_waits_for_it() {
    let mut machine = machine(1);
    let [busy, idle] = time(&mut machine, |host| async move {
        host.mmio_write(0x1c, 0).await;
        Ok(())
    });
    assert!(same(busy, 0.25 * CYCLE_NS) && idle == 0.0, "{busy}, {idle}");
    let mut machine = super::rig::machine(1);
    let [busy, _] = time(&mut machine, |host| async move {
        assert_eq!(host.mmio_read(0).await, host.mmio_read(0).await);
        // A load comes after the stores before it.
        for value in 1..4 {
            let mask = context_address(0, reg::IRQ_MASK);
            host.mmio_write(mask, value).await;
            assert_eq!(host.mmio_read(mask).await, value);
        }
        Ok(())
    });
    assert!(busy >= 500.0, "five loads of 100 ns each and more: {busy}");
}

#[test]
fn a_poll_sees_a_change_at_the_next_look_and_fetches_the_line() {
    let (word, costs) = (DATA, Costs::counted());
    let mut machine = machine(1);
    machine.start(0, "waiter", move |host| async move {
        host.wait(&[Wait::Word {
            address: word,
            at_least: 5,
        }])
        .await;
        host.mark("seen");
        Ok(())
    });
    machine.start(0, "writer", move |host| async move {
        host.pause(1000).await;
        host.store(word, &words(&[4])).await?;
        host.pause(1000).await;
        host.store(word, &words(&[5])).await?;
        host.mark("written");
        Ok(())
    });
    run(&mut machine);
    let threads = machine.threads(0);
    let (seen, written) = (threads[0].mark("seen"), threads[1].mark("written"));
    let late = (seen.unwrap() - written.unwrap()) as f64;
    // A look, the third level, and a cycle each for the word and for the program.
    let look = costs.signal_poll as f64 / 4.0 * CYCLE_NS + 2.0 * CYCLE_NS;
    assert!(late <= look + 20.0 * CYCLE_NS + 3.0, "{late}");
    assert!(threads[0].busy_ns < MEMORY_NS, "{}", threads[0].busy_ns);
    assert!(threads[0].idle_ns > 1900.0, "{}", threads[0].idle_ns);
}

#[test]
fn of_several_conditions_the_one_that_holds_is_named() {
    let mut machine = machine(1);
    let signal = Layout::signal(3);
    machine.write(0, signal + 8, &2u64.to_le_bytes());
    time(&mut machine, move |host| async move {
        let until = host.now() + 300;
        let never = Wait::Signal {
            handle: signal,
            below: 2,
        };
        assert_eq!(host.wait(&[Wait::Event, never, Wait::At(until)]).await, 2);
        assert!(host.now() >= until);
        let at_once = Wait::Signal {
            handle: signal,
            below: 3,
        };
        assert_eq!(host.wait(&[Wait::Event, at_once]).await, 1);
        assert_eq!(host.wait(&[]).await, 0);
        Ok(())
    });
}

#[test]
fn events_come_in_order_through_a_ring_that_wraps_and_commands_through_one_that_is_full() {
    let mut machine = machine(1);
    machine.set_up(0, &[ptl_ct_alloc(Ct(0))]).unwrap();
    let rounds = 3 * u64::from(Layout::COMMANDS);
    time(&mut machine, move |host| async move {
        for round in 0..rounds {
            let one = CounterValue {
                success: 1,
                failure: 0,
            };
            let get = ptl_ct_get(Ct(0)).with_completion().with_user_ptr(round);
            host.post(&[ptl_ct_inc(Ct(0), one), get]).await?;
        }
        assert!(host.now() > 3000, "faster than the NIC takes commands");
        for round in 0..rounds {
            let event = host.event().await?;
            assert_eq!(event.user_ptr(), Some(round));
            assert_eq!(event.counter().success, round + 1);
        }
        assert_eq!(host.try_event().await?, None);
        Ok(())
    });
}

#[test]
fn who_posts_more_than_the_command_ring_holds_waits_for_the_nic() {
    let mut machine = machine(1);
    machine.set_up(0, &[ptl_ct_alloc(Ct(0))]).unwrap();
    let [_, idle] = time(&mut machine, |host| async move {
        let one = CounterValue {
            success: 1,
            failure: 0,
        };
        let full = vec![ptl_ct_inc(Ct(0), one); Layout::COMMANDS as usize];
        host.post(&full).await?;
        host.post(&full).await?;
        host.post(&[ptl_ct_get(Ct(0)).with_completion()]).await?;
        let wanted = 2 * u64::from(Layout::COMMANDS);
        assert_eq!(host.event().await?.counter().success, wanted);
        let more = [&full[..], &full[..1]].concat();
        assert!(host.post(&more).await.is_err());
        Ok(())
    });
    assert!(idle > 1000.0, "{idle}");
}

#[test]
fn a_put_reaches_the_other_node_s_program() {
    let mut machine = machine(2);
    machine.write(0, DATA, b"hello");
    let md = ptl_md_bind(&MemoryDescriptor {
        md: Md(0),
        start: DATA,
        length: 5,
        ..MemoryDescriptor::default()
    });
    machine.set_up(0, &[md]).unwrap();
    let entry = ptl_me_append(&MatchEntry {
        me: Me(0),
        start: DATA,
        length: 64,
        options: me_option::OP_PUT,
        ..MatchEntry::default()
    });
    let list = ptl_pt_alloc(Pt(0), portal_option::MATCHING);
    machine.set_up(1, &[list, entry]).unwrap();
    machine.start(0, "sender", |host| async move {
        let put = Put {
            length: 5,
            target: ProcessId {
                node: 1,
                context: 0,
            },
            ..Put::default()
        };
        host.post(&[ptl_put(&put)]).await
    });
    machine.start(1, "receiver", |host| async move {
        let event = host.event().await?;
        assert_eq!((event.kind, event.mlength), (EventKind::Put, 5));
        assert_eq!(host.load(event.start, 5).await?, b"hello");
        Ok(())
    });
    run(&mut machine);
    let receiver = &machine.threads(1)[0];
    // Doorbell, command, payload, network, payload, event, event: seven steps of 50 ns and more.
    let took = receiver.ended.unwrap() - receiver.started;
    assert!((350..1000).contains(&took), "{took}");
    assert!(receiver.idle_ns > 2.0 * receiver.busy_ns);
}

/// A vector of `elements` summed by the host: busy time.
fn sum_ns(change: impl FnOnce(&mut xtq_compute::System), elements: u64) -> f64 {
    let mut system = system();
    change(&mut system);
    let mut machine = machine_of(system, 1);
    let target = floats((0..elements).map(|i| (i % 100) as f32));
    let source = floats((0..elements).map(|i| (i % 7) as f32));
    let other = DATA + 0x1000_0000;
    machine.write(0, DATA, &target);
    machine.write(0, other, &source);
    let [busy, _] = time(&mut machine, move |host| async move {
        let how = Combine::sum(Datatype::Float);
        host.combine(how, DATA, other, elements).await
    });
    let wanted = floats((0..elements).map(|i| (i % 100) as f32 + (i % 7) as f32));
    assert_eq!(machine.read(0, DATA, target.len()), wanted);
    busy
}

#[test]
fn a_sum_takes_what_instructions_and_misses_take_and_gives_the_sum() {
    let lines = 1 << 14;
    let elements = lines * 16;
    // 32,768 lines from memory, 10 at a time.
    let misses = sum_ns(|_| (), elements);
    let wanted = 2.0 * lines as f64 / 10.0 * MEMORY_NS;
    assert!(
        (misses / wanted - 1.0).abs() < 0.01,
        "{misses}, not {wanted}"
    );
    let more = sum_ns(|system| system.cpu.misses = 20, elements);
    assert!((more / misses - 0.5).abs() < 0.01, "{more} of {misses}");
    let cores = sum_ns(|system| system.cpu.sum_cores = 4, elements);
    assert!((cores / misses - 0.25).abs() < 0.01, "{cores} of {misses}");
    let scalar = sum_ns(
        |system| {
            system.cpu.simd_bytes = 0;
            system.cpu.ipc = 1.0;
            system.cpu.misses = 100;
        },
        elements,
    );
    let counted = Costs::counted().float.simd_0 * lines as f64 * CYCLE_NS;
    assert!(
        (scalar / counted - 1.0).abs() < 0.01,
        "{scalar}, not {counted}"
    );
}

#[test]
fn all_operations_and_datatypes_give_what_a_plain_loop_gives() {
    let values: [(i64, i64); 4] = [(5, 3), (-7, 2), (i64::MAX, 1), (0, -9)];
    let plain = |operation, a: i64, b: i64| match operation {
        Operation::Sum => a.wrapping_add(b),
        Operation::Prod => a.wrapping_mul(b),
        Operation::Min => a.min(b),
        Operation::Max => a.max(b),
    };
    for operation in [
        Operation::Sum,
        Operation::Prod,
        Operation::Min,
        Operation::Max,
    ] {
        for (a, b) in values {
            let how = |datatype| Combine {
                operation,
                datatype,
            };
            let mut long = a.to_le_bytes();
            how(Datatype::Int64)
                .apply(&mut long, &b.to_le_bytes())
                .unwrap();
            assert_eq!(i64::from_le_bytes(long), plain(operation, a, b));
            let (x, y) = (a as f32, b as f32);
            let mut float = x.to_le_bytes();
            how(Datatype::Float)
                .apply(&mut float, &y.to_le_bytes())
                .unwrap();
            let wanted = match operation {
                Operation::Sum => x + y,
                Operation::Prod => x * y,
                Operation::Min => x.min(y),
                Operation::Max => x.max(y),
            };
            assert_eq!(f32::from_le_bytes(float), wanted);
        }
    }
    let mut none = [0; 16];
    let none = Combine::sum(Datatype::LongDouble).apply(&mut none, &[0; 16]);
    assert!(none.unwrap_err().to_string().contains("LongDouble"));
}

#[test]
fn a_full_queue_lets_the_host_wait_until_the_gpu_has_given_slots_back() {
    let mut machine = machine(1);
    let queue = machine.create_queue(0, 0).unwrap();
    machine.add_kernel(1, Arc::new(CombineKernel(Combine::sum(Datatype::Uint64))));
    let (arguments, signal) = (DATA + 0x1000, Layout::signal(0));
    machine.write(0, arguments, &words(&[DATA, DATA + 64, 1, 0]));
    machine.write(0, DATA + 64, &words(&[1]));
    let kernels = 2 * u64::from(Layout::PACKETS);
    machine.write(0, signal + 8, &kernels.to_le_bytes());
    time(&mut machine, move |host| async move {
        for number in 0..kernels {
            let packet = KernelPacket {
                kernel: 1,
                kernarg: arguments,
                work_items: 1,
                signal,
                barrier: true,
            };
            assert_eq!(host.dispatch(&queue, &packet).await?, number);
        }
        host.wait_signal(signal, 1).await;
        Ok(())
    });
    assert_eq!(machine.read(0, DATA, 8), words(&[kernels]));
}
