//! What does not go as it should, on the hardware's banks: owners that die, locks that are not to be had. The others go
//! on.

use crate::compnet::rtl::{banks, system};
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use xtq_testbench::compnet::access::{Cause, Requester};
use xtq_testbench::compnet::service::MUTEX;
use xtq_testbench::compnet::{Class, Core, CoreConfig, Load, Machine, RtlBank, System};

/// Cycles without a completed call after which a run is stuck: several times the watchdog's.
const PATIENCE: u64 = 20_000;

/// A watchdog of 6,000 cycles.
fn short_watchdog() -> System {
    let mut system = system();
    system.l2.watchdog_ns = Some(4000.0);
    system
}

fn load(networking: u64, streaming: u64) -> Load {
    Load {
        networking,
        streaming,
        locking: true,
        seed: 4,
    }
}

fn cp_core(system: &System, number: u8) -> Core {
    Core::new(CoreConfig {
        requester: Requester::CpThread(number),
        numbers: 1,
        l1_bytes: system.cp.l1_bytes,
        l1_ways: system.cp.l1_ways,
        l1_cycles: 4,
        private: 0..0,
        acquire_drops_private: false,
    })
}

fn watchdog_drops(machine: &Machine<RtlBank>) -> u64 {
    let banks = machine.banks().iter();
    banks.map(|bank| bank.counts().watchdog_drops).sum()
}

fn streamed(machine: &Machine<RtlBank>) -> u64 {
    machine.counts(|_| true).of(Class::Stream).accesses()
}

#[test]
fn a_dead_service_thread_keeps_nobody_but_its_own_work_groups() {
    let system = short_watchdog();
    assert_eq!(system.cp.threads, 2);
    // The second thread never polls: its two queues fill with locked lines.
    let mut machine = system.machine_served_by(banks(&system), load(4, 8), 0..1);
    machine.run(45_000, PATIENCE).unwrap();
    let (calls, lines) = (machine.phases().calls, streamed(&machine));
    machine.run(45_000, PATIENCE).unwrap();
    assert!(machine.phases().calls > calls + 5 && streamed(&machine) > lines * 3 / 2);
    let ends = machine.take_lock_ends();
    let lost = ends.iter().filter(|end| end.cause == Cause::Watchdog);
    let lost = lost.count() as u64;
    assert_eq!(lost, watchdog_drops(&machine));
    // Two batches of calls, an entry each.
    assert_eq!(lost, 2 * system.calls.batch);
    let released = ends.iter().filter(|end| end.cause == Cause::Release);
    assert!(released.count() as u64 >= calls);
}

#[test]
fn a_thread_that_dies_between_read_and_write_keeps_the_mutex_for_one_watchdog_period() {
    let system = short_watchdog();
    let mut machine = system.machine(banks(&system), load(4, 8));
    let core = machine.add_core(cp_core(&system, 2));
    machine.start(core, |thread, _| async move {
        thread.work(30_000).await;
        // The read leaves, and nobody takes its answer.
        let mut pair = pin!(thread.read_modify_write(MUTEX, Class::Mutex, |_| 1));
        poll_fn(|context| Poll::Ready(pair.as_mut().poll(context).is_ready())).await;
    });
    machine.run(30_000, PATIENCE).unwrap();
    let (calls, lines) = (machine.phases().calls, streamed(&machine));
    machine.run(60_000, PATIENCE).unwrap();
    assert!(machine.phases().calls > calls + 10 && streamed(&machine) > lines * 3 / 2);
    let ends = machine.take_lock_ends();
    let dropped = ends
        .iter()
        .filter(|end| end.cause == Cause::Watchdog && end.rmw);
    let ages: Vec<_> = dropped.map(|end| (end.line, end.age)).collect();
    assert!(ages.len() == 1 && watchdog_drops(&machine) >= 1, "{ages:?}");
    let (line, age) = ages[0];
    assert!(
        line == MUTEX && (6000..6200).contains(&age),
        "{line:#x}: {age}"
    );
}

#[test]
fn a_read_modify_write_whose_lock_is_gone_changes_nothing_and_says_so() {
    let mut system = system();
    // Shorter than the way to the core and back.
    system.l2.watchdog_ns = Some(20.0);
    let mut machine = system.machine_served_by(banks(&system), load(0, 0), 0..0);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = seen.clone();
    let core = machine.add_core(cp_core(&system, 0));
    machine.start(core, |thread, _| async move {
        for value in [5, 6] {
            let old = thread.read_modify_write(MUTEX, Class::Mutex, |_| value);
            let old = old.await;
            log.borrow_mut().push(old);
        }
        let now = thread.load(MUTEX, |_| Class::Mutex).await;
        log.borrow_mut().push(Some(now));
    });
    machine.run(3000, 3000).unwrap();
    assert_eq!(*seen.borrow(), [None, None, Some(0)]);
    assert_eq!(watchdog_drops(&machine), 2);
}

#[test]
fn without_room_for_locks_calls_are_served_all_the_same() {
    let mut system = system();
    system.l2.locked_ways = 0;
    let mut machine = system.machine(banks(&system), load(4, 16));
    machine.run(90_000, PATIENCE).unwrap();
    let calls = machine.phases().calls;
    let banks = machine.banks().iter();
    let overflows: u64 = banks.map(|bank| bank.counts().lock_overflows).sum();
    // Two locked stores for a call.
    assert!(calls > 20 && overflows >= 2 * calls, "{calls} {overflows}");
    assert!(machine.take_lock_ends().iter().all(|end| end.rmw));
}
