//! As many acknowledgements as can wait in front of a writer: none is lost, each meets its own job.

use rust_hdl::prelude::ToBits;
use xtq_types::event::{access, status};
use xtq_types::queue::{Completion, DoorbellJob};

use super::queues::Queue;
use super::{doorbell_writer, header_writer};
use header_writer::{Given, PLAIN, push, push_acks, push_done};

#[test]
fn the_header_writer_keeps_those_of_128_jobs_and_of_the_one_in_front() {
    let mut rig = header_writer::rig(0.0, 1);
    let jobs = 129;
    let given = |number| Given {
        index: number == jobs - 1,
        ..PLAIN
    };
    for number in 0..jobs {
        push(&mut rig, number, given(number));
        push_acks(&mut rig, given(number));
    }
    rig.run(300);
    assert_eq!(rig.source("job").accepted().len() as u64, jobs - 1);
    assert_eq!(rig.source("acks").waiting(), 0);
    assert!(rig.received("header").is_empty());
    for number in 0..jobs {
        push_done(&mut rig, given(number));
    }
    rig.run_until(400, |rig| rig.received("ring_job").len() as u64 == jobs);
    for (number, job) in (0..).zip(rig.sink("ring_job").values::<DoorbellJob>()) {
        let expected = match number == jobs - 1 {
            true => (status::MEMORY_ERROR, access::INDEX),
            false => (status::OK, access::NONE),
        };
        let found = (job.status.to_u64() as u8, job.access.to_u64() as u8);
        assert_eq!((job.slot.to_u64(), found), (number, expected));
    }
}

#[test]
fn the_doorbell_writer_keeps_those_of_128_jobs_and_of_two_in_front() {
    let queues = [Queue::new(2, 5, 8), Queue::new(1, 5, 8)];
    let mut rig = doorbell_writer::rig(0.0, 0.0, (900, 900), 1);
    // 128 doorbells are under way.
    let jobs = 128 + 128 + 2;
    for number in 0..jobs {
        let queue = queues[(number % 2) as usize];
        let job = doorbell_writer::job(number, queue, number, true);
        rig.source("job").push_value(job);
        let error = number == jobs - 1;
        rig.source("headers").push(&[error.into()]);
    }
    rig.run(500);
    assert_eq!(rig.source("job").accepted().len() as u64, jobs - 2);
    assert_eq!(rig.source("headers").waiting(), 0);
    rig.run_until(5000, |rig| rig.received("completion").len() as u64 == jobs);
    for (number, done) in (0..).zip(rig.sink("completion").values::<Completion>()) {
        let expected = match number == jobs - 1 {
            true => (status::MEMORY_ERROR, access::HEADER),
            false => (status::OK, access::NONE),
        };
        let found = (done.status.to_u64() as u8, done.access.to_u64() as u8);
        assert_eq!(done.slot, (number % 256).to_bits());
        assert_eq!(found, expected, "{number}");
    }
}
