//! What programs see through private caches: old values without an acquire, new ones with it.

use crate::compnet::naive::Naive;
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;
use xtq_testbench::compnet::access::Requester;
use xtq_testbench::compnet::{Class, Core, CoreConfig, Ledger, Machine, Thread};

/// A private range of core 0.
const PRIVATE: std::ops::Range<u64> = 0x1000..0x3000;

fn machine(cores: u8) -> Machine<Naive> {
    let mut machine = Machine::new(vec![Naive::default()], [3, 3], Ledger::new(0));
    for core in 0..cores {
        machine.add_core(Core::new(CoreConfig {
            requester: Requester::CpThread(core),
            numbers: 1,
            l1_bytes: 1024,
            l1_ways: 2,
            l1_cycles: 1,
            private: PRIVATE,
            acquire_drops_private: false,
        }));
    }
    machine
}

/// Runs programs, one a core, for so many cycles.
fn run<F: Future<Output = ()> + 'static>(
    cycles: u64,
    programs: Vec<Box<dyn FnOnce(Thread) -> F>>,
) -> Machine<Naive> {
    let mut machine = machine(programs.len() as u8);
    for (core, program) in programs.into_iter().enumerate() {
        machine.start(core, |thread, _| program(thread));
    }
    machine.run(cycles, cycles).unwrap();
    machine
}

async fn load(thread: &Thread, address: u64) -> u64 {
    thread.load(address, |_| Class::Queue).await
}

async fn store(thread: &Thread, address: u64, value: u64) {
    let bytes = value.to_le_bytes();
    thread.store(address, &bytes, Class::Queue, false).await;
}

#[test]
fn a_load_sees_anothers_store_only_after_an_acquire() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = seen.clone();
    let mut machine = machine(2);
    machine.start(0, |thread, _| async move {
        let seen = load(&thread, 0).await;
        log.borrow_mut().push(seen);
        thread.work(200).await;
        let seen = load(&thread, 0).await;
        log.borrow_mut().push(seen);
        thread.acquire();
        let seen = load(&thread, 0).await;
        log.borrow_mut().push(seen);
    });
    machine.start(1, |thread, _| async move {
        thread.work(100).await;
        store(&thread, 0, 7).await;
    });
    machine.run(400, 400).unwrap();
    assert_eq!(*seen.borrow(), [0, 0, 7]);
}

#[test]
fn a_line_on_its_way_at_an_acquire_does_not_stay() {
    let seen = Rc::new(RefCell::new(0));
    let log = seen.clone();
    let mut machine = machine(2);
    let shared = Rc::new(RefCell::new(None));
    let other = shared.clone();
    // Two threads of one core: one loads, the other acquires while the line is on its way, and the line changes after
    // it has left the L2.
    machine.start(0, |thread, _| async move {
        *shared.borrow_mut() = Some(thread.clone());
        load(&thread, 0).await;
        thread.work(100).await;
        let seen = load(&thread, 0).await;
        *log.borrow_mut() = seen;
    });
    machine.start(0, |thread, _| async move {
        thread.work(8).await;
        if let Some(thread) = other.borrow().as_ref() {
            thread.acquire();
        }
    });
    machine.start(1, |thread, _| async move {
        thread.work(30).await;
        store(&thread, 0, 9).await;
    });
    machine.run(300, 300).unwrap();
    assert_eq!(*seen.borrow(), 9);
}

#[test]
fn after_a_release_a_store_is_in_the_l2() {
    let machine = run(
        200,
        vec![Box::new(|thread: Thread| async move {
            store(&thread, 0x40, 1).await;
            thread.release().await;
            store(&thread, 0x80, thread.now()).await;
        })],
    );
    let bank = &machine.banks()[0];
    assert_eq!(bank.lines[&0x40][0], 1);
    // There and back, and the bank: not before.
    assert!(bank.lines[&0x80][0] >= 9, "{}", bank.lines[&0x80][0]);
}

#[test]
fn a_core_sees_its_own_store_through_a_line_that_was_on_its_way() {
    let seen = Rc::new(RefCell::new(0));
    let log = seen.clone();
    let mut machine = machine(1);
    machine.start(0, |thread, _| async move {
        load(&thread, 0x40).await;
        thread.work(60).await;
        let seen = load(&thread, 0x40).await;
        *log.borrow_mut() = seen;
    });
    machine.start(0, |thread, _| async move {
        thread.work(2).await;
        store(&thread, 0x40, 5).await;
    });
    machine.run(200, 200).unwrap();
    assert_eq!(*seen.borrow(), 5);
}

#[test]
fn private_stores_stay_until_their_line_has_to_go_and_are_not_lost() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = seen.clone();
    let mut machine = machine(1);
    // The L1 has 8 sets of 2 ways: lines 512 bytes apart are of one set.
    machine.start(0, |thread, _| async move {
        load(&thread, 0x1000).await;
        thread.store(0x1000, &[1; 8], Class::Private, false).await;
        thread.acquire();
        let seen = load(&thread, 0x1000).await;
        log.borrow_mut().push(seen);
        for line in 1..=2 {
            load(&thread, 0x1000 + 0x200 * line).await;
        }
        thread.work(100).await;
        let seen = load(&thread, 0x1000).await;
        log.borrow_mut().push(seen);
    });
    machine.run(16, 60).unwrap();
    let line = machine.banks()[0].lines[&0x1000];
    assert_eq!(line[0], 0, "not sent on yet");
    machine.run(400, 400).unwrap();
    assert_eq!(machine.banks()[0].lines[&0x1000][..8], [1; 8]);
    assert_eq!(*seen.borrow(), [0x0101_0101_0101_0101; 2]);
}

#[test]
fn read_modify_writes_of_two_threads_lose_nothing() {
    let increments = |thread: Thread| async move {
        for _ in 0..50 {
            thread
                .read_modify_write(0, Class::Mutex, |old| old + 1)
                .await;
        }
    };
    let machine = run(4000, vec![Box::new(increments), Box::new(increments)]);
    assert_eq!(machine.banks()[0].lines[&0][0], 100);
}
