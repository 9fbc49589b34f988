//! Admission when nobody takes what it sends on, and when no slot is free: nothing is decided about and nothing is
//! lost.

use xtq_types::Wire;
use xtq_types::pipe::RewriteJob;
use xtq_types::queue::MessageRecord;

use super::decisions::{open_portal, packet};
use super::hardware::{engine, head};
use xtq_testbench::by_name::Hardware;

/// Admission with an open portal entry and room everywhere.
pub fn open() -> Hardware {
    let mut block = Hardware::new(engine());
    let mut entry = vec![0; 4];
    open_portal().to_entry().to_words(&mut entry);
    block.set("entry", &entry);
    for name in ["enabled", "room", "room_flow"] {
        block.set(name, &[15]);
    }
    block
}

/// Admission with the same plain put of one packet offered for ever.
struct Flood {
    block: Hardware,
    /// Packets taken; slots of the jobs and of the records that left.
    taken: usize,
    jobs: Vec<u64>,
    records: Vec<u64>,
}

impl Flood {
    fn new() -> Self {
        let mut block = open();
        block.set("head", &head(&packet(false, 1, 64)));
        for name in ["head_there", "head_valid"] {
            block.set(name, &[1]);
        }
        Self {
            block,
            taken: 0,
            jobs: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Runs so many cycles in which jobs and records are taken or not, and a slot becomes free in the first one or not.
    fn run(&mut self, cycles: usize, job_ready: bool, record_ready: bool, freed: Option<u64>) {
        let block = &mut self.block;
        block.set("job_ready", &[job_ready.into()]);
        block.set("record_ready", &[record_ready.into()]);
        for cycle in 0..cycles {
            let freed = freed.filter(|_| cycle == 0);
            block.set("freed", &[freed.unwrap_or(7)]);
            block.set("freed_valid", &[freed.is_some().into()]);
            block.eval();
            let pulses = ["head_ready", "commit", "write_info", "reserve"];
            let pulses = pulses.map(|name| block.get(name)[0]);
            assert!(pulses.iter().all(|pulse| *pulse == pulses[0]), "{pulses:?}");
            self.taken += pulses[0] as usize;
            if job_ready && block.get("job_valid") == [1] {
                let job = RewriteJob::from_words(&block.get("job"));
                self.jobs.push(job.slot.to_u64());
            }
            if record_ready && block.get("record_valid") == [1] {
                let record = MessageRecord::from_words(&block.get("record"));
                self.records.push(record.slot.to_u64());
            }
            block.step();
        }
    }
}

#[test]
fn four_decisions_are_kept_when_jobs_or_records_wait_and_the_fifth_is_not_made() {
    for (job_ready, record_ready) in [(false, true), (true, false), (false, false)] {
        let mut flood = Flood::new();
        flood.run(40, job_ready, record_ready, None);
        assert_eq!(flood.taken, 4, "jobs {job_ready}, records {record_ready}");
        flood.run(40, true, true, None);
        assert_eq!(flood.taken, 4 + 20);
        flood.block.set("head_there", &[0]);
        flood.block.set("head_valid", &[0]);
        flood.run(10, true, true, None);
        let slots: Vec<u64> = (0..flood.taken as u64).collect();
        assert_eq!(flood.jobs, slots);
        assert_eq!(flood.records, slots);
    }
}

#[test]
fn with_256_slots_out_a_message_waits_for_one_to_become_free() {
    let mut flood = Flood::new();
    flood.run(600, true, true, None);
    assert_eq!(flood.taken, 256);
    flood.run(20, true, true, Some(93));
    assert_eq!(flood.taken, 257);
    assert_eq!(flood.records.len(), 257);
    assert_eq!((flood.jobs[256], flood.records[256]), (93, 93));
}
