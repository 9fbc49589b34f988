//! Releases and payloads: what a service thread reads if a work-group leaves the release out.

use crate::compnet::naive::Naive;
use std::cell::Cell;
use std::rc::Rc;
use xtq_testbench::compnet::access::Requester;
use xtq_testbench::compnet::queue::{Call, Queue, ReadIndex, entry_status};
use xtq_testbench::compnet::service::{self, Service};
use xtq_testbench::compnet::work_group::store_payload;
use xtq_testbench::compnet::{Class, Core, CoreConfig, Ledger, Machine, MachineError};

fn core(requester: Requester) -> Core {
    Core::new(CoreConfig {
        requester,
        numbers: 1,
        l1_bytes: 1024,
        l1_ways: 2,
        l1_cycles: 1,
        private: 0..0,
        acquire_drops_private: true,
    })
}

/// A call with a payload of 8 bytes, whose line is in a bank that sees stores late; its entry is in one that sees them
/// at once.
fn one_call(releases: bool) -> Result<(), MachineError> {
    let mut slow = Naive::default();
    slow.store_delay = 500;
    let mut machine = Machine::new(vec![slow, Naive::default()], [3, 3], Ledger::new(1));
    let shared = ReadIndex::Host {
        value: Rc::new(Cell::new(0)),
        cycles: 1,
    };
    let queue = Queue {
        number: 0,
        padding: 0,
    };
    // Lines go round the banks: that of the second entry is odd.
    let index = 1;
    let call = Call {
        blocking: false,
        destination: [1, 0x77],
        length: 8,
        payload: queue.buffer(0),
    };
    assert_eq!((call.payload / 64 % 2, queue.entry(index) / 64 % 2), (0, 1));
    let unit = machine.add_core(core(Requester::ComputeUnit(0)));
    machine.start(unit, move |thread, ledger| async move {
        thread.work(10).await;
        // The first entry is a call without a payload.
        for (index, call) in [(0, Call::default()), (index, call)] {
            store_payload(&thread, &call).await;
            let fields = queue.fields(index);
            let bytes = call.to_bytes();
            thread.store(fields, &bytes, Class::Queue, false).await;
            if releases {
                thread.release().await;
            }
            ledger.borrow_mut().called(0, call, thread.now());
            let ready = entry_status::READY.to_le_bytes();
            let entry = queue.entry(index);
            thread.store(entry, &ready, Class::Queue, false).await;
            thread.release().await;
        }
    });
    let cp = machine.add_core(core(Requester::CpThread(0)));
    let service = Service {
        queues: vec![(queue, shared)],
        poll_cycles: 0,
        call_cycles: 1,
        critical_cycles: None,
        completion_rounds: 1,
        network_cycles: 0,
        private: 0..0,
        private_lines: 0,
        private_writes: 0.0,
        in_flight: 64,
        warm_start: true,
        seed: 1,
    };
    machine.start(cp, |thread, ledger| service::run(thread, service, ledger));
    machine.run(60_000, 60_000)?;
    let counts = machine.counts(|requester| requester == Requester::CpThread(0));
    assert_eq!(counts.of(Class::PollFound).accesses(), 2);
    assert_eq!(counts.of(Class::Payload).accesses(), 1);
    Ok(())
}

#[test]
fn with_a_release_the_payload_is_there_before_the_status() {
    one_call(true).unwrap();
}

#[test]
fn without_a_release_the_service_thread_reads_an_old_payload() {
    let error = one_call(false).unwrap_err().to_string();
    assert!(error.contains("call 1: the payload"), "{error}");
}
