//! Who takes an end, and what an atomic waits for.

use xtq_testbench::by_name::{Hardware, pack};
use xtq_types::pipe::{AtomicNote, WriteBeat};

#[test]
fn an_end_is_gone_when_either_of_the_two_takes_it() {
    let mut fork = Hardware::block("atomic_fork");
    for bits in 0..16u64 {
        let [plain, unit, enqueuer, header] = [0, 1, 2, 3].map(|bit| bits >> bit & 1 == 1);
        fork.drive("plain_done_valid", plain);
        fork.drive("unit_done_valid", unit);
        fork.drive("enqueue_done_ready", enqueuer);
        fork.drive("header_done_ready", header);
        fork.eval();
        for taker in ["enqueue_done_valid", "header_done_valid"] {
            assert_eq!(fork.high(taker), plain || unit, "{taker} {bits:04b}");
        }
        let taken = enqueuer || header;
        assert_eq!(fork.high("plain_done_ready"), taken, "{bits:04b}");
        assert_eq!(fork.high("unit_done_ready"), taken && !plain, "{bits:04b}");
    }
}

#[test]
fn an_atomic_is_offered_when_payload_writer_and_scatter_are_quiet() {
    let mut fork = Hardware::block("atomic_fork");
    fork.set("note", &pack(AtomicNote::FIELDS, &[("atomic", 1)]));
    fork.drive("note_slot", 7u64);
    fork.drive("note_valid", true);
    fork.step();
    fork.drive("note_valid", false);
    fork.set("beat", &pack(WriteBeat::FIELDS, &[("slot", 7)]));
    fork.drive("beat_valid", true);
    for (quiet, scatter_quiet) in [(false, false), (false, true), (true, false), (true, true)] {
        fork.drive("quiet", quiet);
        fork.drive("scatter_quiet", scatter_quiet);
        fork.eval();
        assert_eq!(fork.high("job_valid"), quiet && scatter_quiet);
    }
}
