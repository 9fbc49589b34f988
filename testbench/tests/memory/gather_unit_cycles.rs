//! `GatherUnit`: its cycles, and the lines it asks for at a time.

use crate::gather_unit::{Harness, Job};

/// The cycles in which beats came.
fn beat_cycles(harness: &Harness) -> Vec<u64> {
    let received = harness.beats.received().iter();
    received.map(|(cycle, _)| *cycle).collect()
}

/// The cycles in which requests were taken.
fn request_cycles(harness: &Harness) -> Vec<u64> {
    harness
        .memory
        .requests
        .iter()
        .map(|(cycle, _)| *cycle)
        .collect()
}

/// Whether each follows the one before by one.
fn without_gap(cycles: &[u64]) -> bool {
    cycles.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[test]
fn a_job_is_a_request_three_cycles_later_and_a_line_a_beat_five_cycles_later() {
    for latency in [1, 7] {
        let mut harness = Harness::new(latency..=latency, [0.0; 3], 0);
        harness.push(&[Job::one(0x1000, 64)]);
        harness.run(1, 50);
        let accepted = harness.jobs.accepted()[0];
        assert_eq!(request_cycles(&harness), [accepted + 3]);
        assert_eq!(harness.memory.lines, [accepted + 3 + latency]);
        assert_eq!(beat_cycles(&harness), [accepted + 3 + latency + 5]);
    }
}

#[test]
fn aligned_jobs_give_a_beat_every_cycle_with_a_near_and_a_far_memory() {
    for latency in [1, 200] {
        for (jobs, length) in [(10, 4096), (300, 64), (40, 640)] {
            let mut harness = Harness::new(latency..=latency, [0.0; 3], 0);
            let all: Vec<Job> = (0..jobs).map(|i| Job::one(0x10000 * i, length)).collect();
            harness.push(&all);
            let beats = (jobs * length / 64) as usize;
            harness.run(beats, 2000);
            assert!(without_gap(&harness.memory.lines), "{latency} {length}");
            assert!(without_gap(&beat_cycles(&harness)), "{latency} {length}");
        }
    }
}

#[test]
fn misaligned_jobs_take_a_cycle_a_line() {
    for latency in [1, 200] {
        let mut harness = Harness::new(latency..=latency, [0.0; 3], 0);
        let jobs: Vec<Job> = (0..8).map(|i| Job::one(0x10000 * i + 13, 4096)).collect();
        harness.push(&jobs);
        harness.run(8 * 64, 2000);
        // 65 lines for 64 beats.
        assert_eq!(harness.memory.lines.len(), 8 * 65);
        assert!(without_gap(&harness.memory.lines));
        let beats = beat_cycles(&harness);
        assert_eq!(beats.last().unwrap() - beats[0], 8 * 65 - 2, "{latency}");
    }
}

#[test]
fn what_a_last_line_leaves_over_takes_one_cycle_more() {
    let mut harness = Harness::new(1..=1, [0.0; 3], 0);
    // 54 bytes of the first line, 64 of the last: a beat and 54 bytes.
    let jobs: Vec<Job> = (0..20).map(|i| Job::one(0x10000 * i + 10, 118)).collect();
    harness.push(&jobs);
    harness.run(40, 500);
    let beats = beat_cycles(&harness);
    assert_eq!(beats.last().unwrap() - beats[0], 20 * 3 - 2);
}

#[test]
fn the_reads_of_later_jobs_do_not_wait_for_the_data_of_earlier_ones() {
    let mut harness = Harness::new(300..=300, [0.0; 3], 0);
    let jobs: Vec<Job> = (0..120)
        .map(|i| Job {
            context: i % 4,
            first: (0x1000 * i, 64),
            second: (0x100_0000 + 64 * i, 64),
        })
        .collect();
    harness.push(&jobs);
    harness.run(240, 1000);
    let requests = request_cycles(&harness);
    assert_eq!(requests.len(), 240);
    assert!(without_gap(&requests));
    assert!(without_gap(&beat_cycles(&harness)));
}

#[test]
fn ten_jobs_fit_while_nothing_is_read() {
    let mut harness = Harness::new(1..=1, [0.0, 1.0, 0.0], 0);
    let jobs: Vec<Job> = (0..20).map(|i| Job::one(0x1000 * i, 64)).collect();
    harness.push(&jobs);
    for _ in 0..50 {
        harness.cycle();
    }
    // Eight in the queue, one in each of the two stages.
    assert_eq!(harness.jobs.accepted().len(), 10);
}

#[test]
fn no_more_than_256_lines_are_asked_for_before_one_comes() {
    // Bursts of 16 lines fill all places; bursts of one stop where 16 might not fit.
    for (length, lines) in [(40_000, 256), (64, 241)] {
        let mut harness = Harness::new(2000..=2000, [0.0; 3], 0);
        let jobs: Vec<Job> = (0..300).map(|i| Job::one(0x10_0000 * i, length)).collect();
        harness.push(&jobs);
        for _ in 0..1000 {
            harness.cycle();
        }
        assert_eq!(harness.memory.asked(), lines);
    }
}

#[test]
fn lines_asked_for_and_used_in_one_cycle_are_counted_right() {
    for (length, jobs, lines) in [(40_000, 20, 256), (64, 300, 241)] {
        let mut harness = Harness::new(1..=1, [0.0; 3], 0);
        let all: Vec<Job> = (0..jobs).map(|i| Job::one(0x10_0000 * i, length)).collect();
        harness.push(&all);
        harness.run((jobs * length.div_ceil(64)) as usize, 20_000);
        let before = harness.memory.asked();
        // All are used up; so again as many fit as after reset.
        harness.memory.latency = 2000..=2000;
        harness.push(&all);
        for _ in 0..1000 {
            harness.cycle();
        }
        assert_eq!(harness.memory.asked() - before, lines);
    }
}

#[test]
fn after_a_long_stall_all_bytes_come() {
    for length in [40_000, 64, 700] {
        let jobs: Vec<Job> = (0..6 + 30_000 / length)
            .map(|i| Job::one(0x10_0000 * i + 5 * i, length))
            .collect();
        // Beats are taken in one of 50 cycles, so that lines wait in front of the packer all the time.
        let mut harness = Harness::new(1..=1, [0.0, 0.0, 0.98], length);
        harness.push(&jobs);
        for _ in 0..3000 {
            harness.cycle();
        }
        let expected: Vec<_> = jobs.iter().flat_map(Job::beats).collect();
        let got = harness.received();
        assert!(got.len() > 20);
        assert_eq!(got, expected[..got.len()]);
    }
}
