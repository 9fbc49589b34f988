//! The queue protocol of section 4.2.1, on a naive memory: every call is performed once, in order, as it was made, or
//! the machine stops with an error.

use crate::compnet::naive::Naive;
use xtq_testbench::compnet::access::{Cause, LockEnd, Op, Requester};
use xtq_testbench::compnet::queue::Queue;
use xtq_testbench::compnet::{
    Calls, Class, Cp, Gpu, L2, Load, Machine, MachineError, Memory, Streams, System,
};

const PATIENCE: u64 = 20_000;

fn system() -> System {
    System {
        gpu: Gpu {
            clock_mhz: 1500.0,
            units: 1,
            work_groups: 40,
            l1_bytes: 16384,
            l1_ways: 16,
            l1_cycles: 12,
            vector_bytes: 256,
            vectors_in_flight: 1,
            array_bytes: 1 << 16,
            streams: Streams::Copy,
        },
        l2: L2 {
            banks: 1,
            sets: 8,
            cycles: 40,
            writes: 4,
            locked_ways: 12,
            cp_ways: 0,
            watchdog_ns: None,
        },
        memory: Memory {
            latency_ns: [10.0, 10.0],
            gigabytes_per_second: 10.0,
        },
        cp: Cp {
            clock_mhz: 2000.0,
            threads: 1,
            l1_bytes: 32768,
            l1_ways: 8,
            l1_cycles: 4,
            in_flight: 4,
            poll_ns: 0.0,
            call_ns: 20.0,
            critical_ns: 10.0,
            mutex: true,
            private_bytes: 0,
            private_lines: 8,
            private_writes: 0.3,
            warm_start: true,
            acquire_drops_private: false,
            completion_rounds: 2,
            network_ns: 200.0,
            read_index_on_host: false,
            host_ns: 500.0,
        },
        calls: Calls {
            blocking: 0.0,
            payload_bytes: 4,
            batch: 1,
            compute_ns: 0.0,
            lock_status_only: false,
            padding: 0,
        },
    }
}

fn load(networking: u64, streaming: u64) -> Load {
    Load {
        networking,
        streaming,
        locking: true,
        seed: 1,
    }
}

fn machine(system: &System, load: Load) -> Machine<Naive> {
    system.check().unwrap();
    system.machine(vec![Naive::default()], load)
}

fn run(system: &System, load: Load, cycles: u64) -> Machine<Naive> {
    let mut machine = machine(system, load);
    machine.run(cycles, PATIENCE).unwrap();
    machine
}

/// What the CP did.
fn cp(machine: &Machine<Naive>, class: Class) -> u64 {
    let counts = machine.counts(|requester| matches!(requester, Requester::CpThread(_)));
    counts.of(class).accesses()
}

#[test]
fn every_call_is_performed_once_and_in_order() {
    for blocking in [0.0, 0.5, 1.0] {
        for payload_bytes in [1, 4, 7, 8, 200] {
            let mut system = system();
            system.calls.blocking = blocking;
            system.calls.payload_bytes = payload_bytes;
            let machine = run(&system, load(3, 0), 150_000);
            let calls = machine.phases().calls;
            // More than the queue has entries.
            assert!(calls > 3 * 64, "{blocking} {payload_bytes}: {calls} calls");
            let found = cp(&machine, Class::PollFound);
            assert!((calls..=calls + 3).contains(&found), "{calls} {found}");
            let marked = cp(&machine, Class::Complete);
            assert!((calls..=calls + 3).contains(&marked), "{calls} {marked}");
        }
    }
}

#[test]
fn a_blocking_call_completes_after_the_network_and_the_rounds() {
    let mut system = system();
    let mut served = |blocking, rounds, network_ns| {
        system.calls.blocking = blocking;
        system.cp.completion_rounds = rounds;
        system.cp.network_ns = network_ns;
        let phases = run(&system, load(1, 0), 60_000).phases();
        phases.served / phases.calls
    };
    let at_once = served(0.0, 1, 2000.0);
    assert!(served(1.0, 1, 2000.0) >= at_once + 2900);
    assert!(served(1.0, 100, 200.0) > served(1.0, 2, 200.0) + 1000);
}

#[test]
fn a_service_thread_serves_others_while_a_blocking_call_is_under_way() {
    let mut system = system();
    system.calls.blocking = 1.0;
    system.cp.completion_rounds = 8;
    system.cp.network_ns = 3000.0;
    let alone = run(&system, load(1, 0), 200_000).phases().calls;
    let four = run(&system, load(4, 0), 200_000).phases().calls;
    assert!(four > 3 * alone, "{alone} calls of one, {four} of four");
}

#[test]
fn the_shared_read_index_is_read_only_when_the_queue_looks_full() {
    let queue = Queue {
        number: 0,
        padding: 0,
    };
    for (batch, refreshes) in [(1, 1), (16, 1), (200, 2)] {
        let mut system = system();
        system.calls.batch = batch;
        let mut machine = machine(&system, load(1, 0));
        while machine.phases().calls < 65 {
            machine.cycle().unwrap();
        }
        let bank = &machine.banks()[0];
        let reads = bank
            .seen
            .iter()
            .filter(|request| request.op == Op::Load && request.address == queue.read_index());
        // A batch of 200 finds the queue full before it is served, and looks until it is not.
        let reads = reads.count();
        match batch {
            200 => assert!(reads >= refreshes, "{batch}: {reads}"),
            _ => assert_eq!(reads, refreshes, "{batch}"),
        }
    }
}

/// Queues that are never empty: the thread has always a store under way when it looks whether it may report the read
/// index.
#[test]
fn a_service_thread_that_always_works_tells_the_read_index_for_every_call() {
    let mut system = system();
    system.calls.batch = 200;
    system.cp.call_ns = 200.0;
    let mut machine = machine(&system, load(4, 0));
    machine.run(400_000, 400_000).unwrap();
    let calls = cp(&machine, Class::PollFound);
    // Before it begins it looks at every entry of its queues.
    let empty = cp(&machine, Class::PollEmpty) - 4 * 64;
    assert!(
        calls > 500 && empty < calls / 20,
        "{calls}, {empty} empty polls"
    );
    let told = cp(&machine, Class::ReadIndex);
    assert!((calls - 3..=calls).contains(&told), "{calls}, {told} told");
}

/// The read index is not reported before the status of every call below it has been to the L2 and back.
#[test]
fn the_read_index_follows_the_status() {
    for blocking in [0.0, 0.5] {
        let mut system = system();
        system.calls.blocking = blocking;
        let machine = run(&system, load(2, 0), 100_000);
        let (bank, queue) = (
            &machine.banks()[0],
            Queue {
                number: 0,
                padding: 0,
            },
        );
        // When each entry was last stored as complete, and the read index reported.
        let (mut complete, mut told) = ([0; 64], 0);
        for (request, at) in bank.seen.iter().zip(&bank.seen_at) {
            let is_cp = matches!(request.requester, Requester::CpThread(_));
            if !is_cp || request.op != Op::Store {
                continue;
            }
            let word = u64::from_le_bytes(request.data[..8].try_into().unwrap());
            if let Some(index) = (0..64).find(|index| request.address == queue.entry(*index)) {
                complete[index as usize] = *at;
            } else if request.address == queue.read_index() {
                assert!(word >= told, "{word} behind {told}");
                for index in told..word {
                    let status = complete[index as usize % 64];
                    let back = status + system.l2.cycles - 4;
                    assert!(status > 0 && *at >= back, "{index}: {status}, told {at}");
                }
                told = word;
            }
        }
        assert!(told > 100, "{told}");
    }
}

#[test]
fn payloads_below_8_bytes_travel_in_the_entry() {
    let stores = |payload_bytes| {
        let mut system = system();
        system.calls.payload_bytes = payload_bytes;
        let machine = run(&system, load(1, 0), 20_000);
        let buffers = Queue {
            number: 0,
            padding: 0,
        }
        .buffer(0)..Queue {
            number: 1,
            padding: 0,
        }
        .buffer(0);
        let bank = &machine.banks()[0];
        let stores = bank
            .seen
            .iter()
            .filter(|request| buffers.contains(&request.address));
        (stores.count() as u64, machine.phases().calls)
    };
    let (inline, calls) = stores(7);
    assert!(inline == 0 && calls > 20);
    let (pointed, calls) = stores(8);
    assert!(pointed >= calls && calls > 20);
}

#[test]
fn the_status_is_stored_when_the_call_and_its_payload_are_in_the_l2() {
    let mut system = system();
    system.calls.payload_bytes = 200;
    let machine = run(&system, load(1, 0), 20_000);
    let (bank, queue) = (
        &machine.banks()[0],
        Queue {
            number: 0,
            padding: 0,
        },
    );
    let stores = bank.seen.iter().zip(&bank.seen_at);
    let stores = stores.filter(|(request, _)| {
        request.requester == Requester::ComputeUnit(0) && request.op != Op::Load
    });
    let stores: Vec<_> = stores.collect();
    let is_status = |address| (0..64).any(|index| queue.entry(index) == address);
    let mut seen = 0;
    for pair in stores.windows(2) {
        let [(_, before), (status, at)] = pair else {
            unreachable!("windows of two")
        };
        if is_status(status.address) {
            // Back to the core, and there again.
            assert!(**at >= **before + system.l2.cycles - 4, "{before} {at}");
            seen += 1;
        }
    }
    assert!(seen > 20);
}

#[test]
fn calls_that_block_and_calls_that_do_not_share_a_queue() {
    let mut system = system();
    system.calls.blocking = 0.3;
    system.calls.batch = 16;
    system.cp.completion_rounds = 8;
    system.cp.network_ns = 3000.0;
    for on_host in [false, true] {
        system.cp.read_index_on_host = on_host;
        // Not one after the other: those after a blocking call are complete before it.
        let calls = run(&system, load(3, 0), 300_000).phases().calls;
        assert!(calls > 3 * 64, "{on_host}: {calls} calls");
    }
}

#[test]
fn a_read_index_on_the_host_is_no_access_to_the_l2() {
    let mut system = system();
    system.cp.read_index_on_host = true;
    let machine = run(&system, load(1, 0), 100_000);
    assert!(machine.phases().calls > 64);
    assert_eq!(cp(&machine, Class::ReadIndex), 0);
    let index = Queue {
        number: 0,
        padding: 0,
    }
    .read_index();
    let seen = &machine.banks()[0].seen;
    assert!(seen.iter().all(|request| request.address != index));
}

#[test]
fn locks_last_from_the_first_store_to_the_service_threads_next_poll() {
    let longest = |call_ns| {
        let mut system = system();
        system.cp.call_ns = call_ns;
        let mut machine = machine(&system, load(2, 0));
        machine.run(50_000, PATIENCE).unwrap();
        let ends = machine.take_lock_ends();
        assert!(ends.len() as u64 >= machine.phases().calls);
        let released = |end: &LockEnd| end.cause == Cause::Release && !end.rmw;
        assert!(ends.iter().all(released));
        ends.iter().map(|end| end.age).max().unwrap()
    };
    // There and back for the second store, and then a poll of each of two queues, at the most with a call between.
    assert!((40..1000).contains(&longest(20.0)));
    // 2 us are 3,000 cycles: the call of the other queue comes first.
    assert!((2500..4500).contains(&longest(2000.0)));
    let mut plain = load(2, 0);
    plain.locking = false;
    let mut machine = machine(&system(), plain);
    machine.run(50_000, PATIENCE).unwrap();
    assert_eq!(machine.take_lock_ends(), []);
    assert!(machine.phases().calls > 100);
}

#[test]
fn several_service_threads_share_the_queues_and_a_mutex() {
    let mut system = system();
    system.cp.call_ns = 400.0;
    let calls = |threads, critical_ns| {
        let mut system = system.clone();
        system.cp.threads = threads;
        system.cp.critical_ns = critical_ns;
        run(&system, load(8, 0), 150_000).phases().calls
    };
    let (one, two, exclusive) = (calls(1, 20.0), calls(2, 20.0), calls(2, 400.0));
    assert!(
        two * 10 > one * 17,
        "{one} calls of one thread, {two} of two"
    );
    // With the mutex held over the whole call, the second thread helps little.
    assert!(exclusive * 10 < one * 15, "{one} and {exclusive}");
}

#[test]
fn private_data_reach_the_l2_only_if_they_do_not_fit_the_l1() {
    let mut system = system();
    let mut private = |bytes| {
        system.cp.private_bytes = bytes;
        let mut machine = machine(&system, load(1, 0));
        machine.run(100_000, PATIENCE).unwrap();
        let before = cp(&machine, Class::Private);
        let calls = machine.phases().calls;
        machine.run(50_000, PATIENCE).unwrap();
        let calls = machine.phases().calls - calls;
        (cp(&machine, Class::Private) - before) as f64 / calls as f64
    };
    assert_eq!(private(0), 0.0);
    assert!(private(16 << 10) < 0.2, "fits");
    let spilled = private(48 << 10);
    // 8 lines a call, a third of them not there; and some that were written go back.
    assert!((2.0..5.0).contains(&spilled), "{spilled}");
}

#[test]
fn streams_go_on_beside_the_calls() {
    let machine = run(&system(), load(2, 8), 60_000);
    let counts = machine.counts(|requester| requester == Requester::ComputeUnit(0));
    assert!(counts.of(Class::Stream).accesses() > 20_000);
    assert!(machine.phases().calls > 50);
}

#[test]
fn a_run_without_completions_stops_and_says_so() {
    let mut system = system();
    system.cp.call_ns = 1e6;
    let mut machine = machine(&system, load(1, 0));
    let error = machine.run(100_000, PATIENCE).unwrap_err();
    assert!(matches!(error, MachineError::Stuck { .. }), "{error}");
}
