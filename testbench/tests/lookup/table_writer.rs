//! `TableWriter`: entry, acknowledgement, invalidate, answer, in this order.

use xtq_types::command::command_status as status;
use xtq_types::memory::WriteRequest;
use xtq_types::send::TableWrite;

use xtq_testbench::by_name::{Hardware, field, pack};

const BASE: u64 = 0x1_2345_6780_0000;

/// A writer whose function table of context 2 has 100 entries.
fn writer() -> Hardware {
    let mut hardware = Hardware::block("table_writer");
    for (word, data) in [BASE & 0xffff_ffff, BASE >> 32, 100]
        .into_iter()
        .enumerate()
    {
        hardware.set("cfg_write", &[1]);
        hardware.set("cfg_addr", &[2 << 4 | 1 << 2 | word as u64]);
        hardware.set("cfg_data", &[data]);
        hardware.step();
    }
    hardware.set("cfg_write", &[0]);
    hardware
}

fn offer(hardware: &mut Hardware, context: u64, kind: u64, index: u64) {
    let mut job = pack(
        TableWrite::FIELDS,
        &[("context", context), ("kind", kind), ("index", index)],
    );
    // The entry lies after the 20 bits of its place: every byte 0xA5.
    for bit in 20..532 {
        job[bit / 64] |= (0xA5 >> ((bit - 20) % 8) & 1) << (bit % 64);
    }
    hardware.set("job", &job);
    hardware.set("job_valid", &[1]);
    hardware.eval();
    assert!(hardware.high("job_ready"));
    hardware.step();
    hardware.set("job_valid", &[0]);
}

/// Runs a job whose write takes `wait` cycles and ends with `error`; gives the status and the cycles.
fn run(hardware: &mut Hardware, wait: u32, error: bool) -> (u64, u32) {
    let (mut written, mut forgotten, mut left) = (None, false, wait);
    for cycle in 1..200 {
        hardware.set("write_ready", &[u64::from(cycle % 3 == 0)]);
        hardware.set("invalidate_ready", &[u64::from(cycle % 2 == 0)]);
        let acknowledged = written.is_some() && !forgotten && left == 0;
        hardware.set("write_done", &[acknowledged.into()]);
        hardware.set("write_error", &[error.into()]);
        hardware.set("invalidated", &[u64::from(forgotten)]);
        hardware.eval();
        if hardware.high("done") {
            assert_eq!(written.is_some(), forgotten, "written is forgotten");
            let result = (hardware.get("status")[0], cycle);
            hardware.step();
            return result;
        }
        if hardware.high("write_valid") && cycle % 3 == 0 {
            assert!(written.is_none(), "written twice");
            written = Some(hardware.get("write"));
        } else if written.is_some() && left > 0 {
            left -= 1;
        }
        if hardware.high("invalidate_valid") {
            assert!(
                left == 0 && written.is_some(),
                "forgotten before it is in memory"
            );
            assert_eq!(hardware.get("invalidate"), [2 << 18 | 1 << 16 | 99]);
            forgotten |= cycle % 2 == 0;
        }
        hardware.step();
        if let Some(write) = &written {
            let get = |name| field(WriteRequest::FIELDS, write, name);
            assert_eq!(get("address"), BASE + 99 * 64);
            assert_eq!((get("context"), get("strobe")), (2, u64::MAX));
            assert_eq!((get("first"), get("last"), get("length")), (1, 1, 0));
            assert_eq!(get("data"), 0xA5A5_A5A5_A5A5_A5A5);
        }
    }
    panic!("the job does not end");
}

#[test]
fn an_entry_is_written_acknowledged_and_forgotten_before_it_is_told() {
    let mut hardware = writer();
    for (wait, error, told) in [
        (0, false, status::OK),
        (30, false, status::OK),
        (5, true, status::MEMORY_ERROR),
        (5, false, status::OK),
    ] {
        offer(&mut hardware, 2, 1, 99);
        assert_eq!(run(&mut hardware, wait, error).0, u64::from(told));
    }
}

#[test]
fn an_index_beyond_the_table_is_told_and_nothing_is_written() {
    let mut hardware = writer();
    for (context, kind, index) in [(2, 1, 100), (2, 1, 0xffff), (2, 0, 0), (1, 1, 0), (3, 2, 5)] {
        offer(&mut hardware, context, kind, index);
        let (told, cycles) = run(&mut hardware, 0, false);
        assert_eq!((told, cycles), (u64::from(status::BAD_INDEX), 1));
    }
    offer(&mut hardware, 2, 1, 99);
    assert_eq!(run(&mut hardware, 1, false).0, u64::from(status::OK));
}
