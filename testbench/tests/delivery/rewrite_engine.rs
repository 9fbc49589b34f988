//! `RewriteEngine`: its contract, corner cases by name, and equivalence with the rules on random jobs.
#![allow(missing_docs)]

mod harness;

use harness::*;
use proptest::prelude::*;

/// Runs without pauses and compares with the rules.
#[track_caller]
fn run_freely(jobs: &[Job]) -> Run {
    let run = run(jobs, Pauses::default()).expect("no rule is broken");
    assert_eq!(run.output, model(jobs));
    run
}

/// The 64-bit word at `offset` of the argument bytes that were written.
fn argument(output: &Output, offset: usize) -> u64 {
    let beats = output.beats.iter().skip(1);
    let bytes: Vec<u8> = beats.flat_map(|beat| beat.bytes.clone()).collect();
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("8 bytes"))
}

#[test]
fn beats_follow_by_one_cycle_without_bubbles_between_jobs() {
    let jobs = [
        Job::command(true, 100),
        Job::put(0x1001, 64),
        Job::put(0x2002, 4096),
        Job {
            discard: true,
            ..Job::command(false, 130)
        },
        Job::command(false, 0),
        Job::put(0x3003, 0),
        Job {
            discard: true,
            ..Job::put(0, 0)
        },
        Job::command(true, 4032),
    ];
    let run = run_freely(&jobs);
    let (mut cycle, mut job_cycles, mut beat_cycles, mut packet_cycles) =
        (START, vec![], vec![], vec![]);
    for job in &jobs {
        let (begin, end) = (cycle, cycle + job.cycles());
        job_cycles.push(end - 1);
        let writes = !job.discard;
        if writes {
            beat_cycles.extend(begin + 1..end + 1);
        }
        if writes && job.command {
            packet_cycles.push(begin + 1);
        }
        cycle = end;
    }
    assert_eq!(run.job_cycles, job_cycles);
    assert_eq!(run.beat_cycles, beat_cycles);
    assert_eq!(run.packet_cycles, packet_cycles);
}

#[test]
fn a_body_that_waits_for_its_job_leaves_in_the_cycle_behind_it() {
    let pauses = Pauses {
        late_jobs: 10,
        ..Pauses::default()
    };
    let run = run(&[Job::put(0x40, 100)], pauses).unwrap();
    assert_eq!(run.beat_cycles, [START + 11, START + 12]);
}

#[test]
fn a_command_leaves_before_its_body_is_there() {
    let pauses = Pauses {
        late_bodies: 10,
        ..Pauses::default()
    };
    let run = run(&[Job::command(true, 100)], pauses).unwrap();
    assert_eq!(run.beat_cycles, [START + 1, START + 11, START + 12]);
    assert_eq!(run.packet_cycles, [START + 1]);
}

#[test]
fn a_reader_that_stalls_stops_the_block_after_two_beats() {
    let pauses = Pauses {
        beat: 1.0,
        ..Pauses::default()
    };
    let run = run(&[Job::put(0x40, 640)], pauses).unwrap();
    assert_eq!((run.body_cycles.len(), run.job_cycles.len()), (2, 0));
}

#[test]
fn a_discarded_packet_needs_no_room_and_leaves_no_trace() {
    let pauses = Pauses {
        beat: 1.0,
        ..Pauses::default()
    };
    let discarded = Job {
        discard: true,
        ..Job::command(true, 640)
    };
    let run = run(&[discarded.clone(), discarded], pauses).unwrap();
    assert_eq!((run.body_cycles.len(), run.job_cycles.len()), (20, 2));
    assert_eq!(run.output, Output::default());
}

#[test]
fn a_job_without_body_and_command_ends_a_broken_message_with_one_bad_beat() {
    let run = run_freely(&[Job::put(0x40, 0), Job::put(0x80, 0)]);
    assert_eq!(run.job_cycles, [START, START + 1]);
    let beats = run.output.beats.iter();
    let marks: Vec<_> = beats.map(|b| (b.first, b.last, b.bytes.len())).collect();
    let bad = Some(true);
    assert_eq!(marks, [(Some(0x40), bad, 0), (Some(0x80), bad, 0)]);
}

#[test]
fn a_command_without_body_is_one_beat() {
    let run = run_freely(&[Job::command(true, 0)]);
    let beat = &run.output.beats[0];
    assert_eq!(
        (beat.first, beat.last, beat.bytes.len()),
        (Some(0x0123_4567_89AB_CD00), Some(false), 64)
    );
    assert_eq!(run.output.packets, [(0x5A, beat.bytes.clone())]);
}

#[test]
fn a_kernel_dispatch_packet_gets_four_fields() {
    let run = run_freely(&[Job::command(true, 0)]);
    let mut expected: Vec<u8> = (0..64).map(|i| 0x80 + i).collect();
    expected[32..40].copy_from_slice(&0x5555_6666_7777_8888u64.to_le_bytes());
    expected[40..48].copy_from_slice(&0x0123_4567_89AB_CD40u64.to_le_bytes());
    expected[48..56].fill(0);
    expected[56..64].copy_from_slice(&0xDDDD_EEEE_FFFF_0123u64.to_le_bytes());
    assert_eq!(run.output.beats[0].bytes, expected);
}

#[test]
fn an_agent_dispatch_packet_gets_four_fields() {
    let run = run_freely(&[Job::command(false, 0)]);
    let mut expected: Vec<u8> = (0..64).map(|i| 0x80 + i).collect();
    expected[8..16].copy_from_slice(&0x5555_6666_7777_8888u64.to_le_bytes());
    expected[16..24].copy_from_slice(&0x9999_AAAA_BBBB_CCCCu64.to_le_bytes());
    expected[24..32].copy_from_slice(&0x1111_2222_3333_4444u64.to_le_bytes());
    expected[48..56].fill(0);
    assert_eq!(run.output.beats[0].bytes, expected);
}

#[test]
fn what_is_not_valid_in_the_table_stays_as_sent() {
    for kernel in [true, false] {
        let job = Job {
            buffer_valid: false,
            signal_valid: false,
            ..Job::command(kernel, 64)
        };
        let run = run_freely(std::slice::from_ref(&job));
        let aql = &run.output.beats[0].bytes;
        assert_eq!(aql[56..64], job.aql[56..64]);
        if kernel {
            assert_eq!(run.output.beats[1].bytes[..8], job.body[..8]);
        } else {
            assert_eq!(aql[16..24], job.aql[16..24]);
        }
    }
}

#[test]
fn the_argument_address_carries_into_every_bit() {
    let jobs = [0u64, 0xFC0, (1 << 35) - 64, (1 << 63) - 64, u64::MAX - 63];
    let jobs = jobs.map(|address| Job {
        address,
        ..Job::command(true, 0)
    });
    run_freely(&jobs);
}

#[test]
fn the_pair_is_patched_at_every_word() {
    let at = |word: u16| Job {
        rewrite_offset: 8 * word,
        ..Job::command(true, 512)
    };
    let jobs: Vec<Job> = (0..63).map(at).collect();
    run_freely(&jobs);
}

#[test]
fn the_pair_may_end_a_full_packet() {
    let job = Job {
        rewrite_offset: 4016,
        ..Job::command(true, 4032)
    };
    let run = run_freely(&[job]);
    assert_eq!(argument(&run.output, 4016), 0x9999_AAAA_BBBB_CCCC);
    assert_eq!(argument(&run.output, 4024), 0x1111_2222_3333_4444);
}

#[test]
fn a_pair_may_straddle_two_beats() {
    for rewrite_offset in [0, 8, 16, 24, 32, 40, 48, 56, 64, 120, 128] {
        let job = Job {
            rewrite_offset,
            ..Job::command(true, 200)
        };
        let run = run_freely(&[job]);
        let offset = usize::from(rewrite_offset);
        assert_eq!(argument(&run.output, offset), 0x9999_AAAA_BBBB_CCCC);
        assert_eq!(argument(&run.output, offset + 8), 0x1111_2222_3333_4444);
    }
}

#[test]
fn a_pair_behind_the_end_of_a_truncated_packet_changes_nothing() {
    for (rewrite_offset, bytes) in [(0xFFF8, 100), (104, 100), (56, 60), (56, 64), (4032, 4032)] {
        run_freely(&[Job {
            rewrite_offset,
            bad: true,
            ..Job::command(true, bytes)
        }]);
    }
}

#[test]
fn without_patch_the_arguments_pass() {
    let job = Job {
        patch: false,
        ..Job::command(true, 200)
    };
    let run = run_freely(std::slice::from_ref(&job));
    let bytes: Vec<u8> = run.output.beats[1..]
        .iter()
        .flat_map(|b| b.bytes.clone())
        .collect();
    assert_eq!(bytes, job.body);
}

#[test]
fn later_packets_of_a_message_pass_untouched() {
    let later = Job {
        command: false,
        patch: true,
        ..Job::command(true, 4096)
    };
    let first = Job {
        message_last: false,
        ..Job::command(true, 4032)
    };
    let run = run_freely(&[first, later.clone()]);
    let bytes: Vec<u8> = run.output.beats[64..]
        .iter()
        .flat_map(|b| b.bytes.clone())
        .collect();
    assert_eq!(bytes, later.body);
    assert_eq!(run.output.packets.len(), 1);
}

#[test]
fn a_packet_of_the_wrong_length_is_passed_on_as_bad() {
    let empty = |job: Job| Job {
        has_body: true,
        bad: true,
        ..job
    };
    let jobs = [
        empty(Job::put(0x40, 0)),
        empty(Job::command(true, 0)),
        empty(Job::command(false, 30)),
        Job::put(0x80, 10),
    ];
    let run = run_freely(&jobs);
    let marks = run
        .output
        .beats
        .iter()
        .map(|beat| (beat.bytes.len(), beat.last));
    let expected = [
        (0, Some(true)),
        (64, None),
        (0, Some(true)),
        (64, None),
        (30, Some(true)),
        (10, Some(false)),
    ];
    assert_eq!(marks.collect::<Vec<_>>(), expected);
}

fn jobs() -> impl Strategy<Value = Job> {
    let flags = any::<[bool; 7]>();
    let kind = prop_oneof![3 => Just((true, true)), 2 => Just((true, false)), 2 => Just((false, false)), 1 => Just((false, true))];
    let discard = prop_oneof![5 => Just(false), 1 => Just(true)];
    let sizes = prop_oneof![2 => Just(0usize), 6 => 1usize..300, 1 => 0usize..4097];
    let offsets = prop_oneof![6 => 0u16..40, 1 => 0u16..8192];
    let body = any::<u8>();
    (
        any::<[u8; 2]>(),
        flags,
        kind,
        discard,
        sizes,
        offsets,
        any::<[u64; 5]>(),
        proptest::collection::vec(any::<u8>(), 64),
        body,
    )
        .prop_map(
            |(
                [slot, context],
                flags,
                (command, kernel),
                discard,
                size,
                word,
                values,
                aql,
                seed,
            )| {
                let [
                    empty_body,
                    message_last,
                    patch,
                    buffer_valid,
                    signal_valid,
                    bad,
                    round,
                ] = flags;
                let size = if command { size.min(4032) } else { size };
                Job {
                    slot,
                    context: context & 3,
                    discard,
                    has_body: size > 0 || empty_body,
                    message_last,
                    command,
                    kernel,
                    patch,
                    buffer_valid,
                    signal_valid,
                    rewrite_offset: 8 * word,
                    address: if command || round {
                        values[0] & !63
                    } else {
                        values[0]
                    },
                    payload_address: values[1],
                    target: values[2],
                    buffer_pointer: values[3],
                    completion_signal: values[4],
                    aql,
                    body: (0..size)
                        .map(|i| (i as u8).wrapping_mul(7) ^ seed)
                        .collect(),
                    bad: bad || size == 0,
                }
            },
        )
}

fn pauses() -> impl Strategy<Value = Pauses> {
    let share = || prop_oneof![Just(0.0), 0.0..0.6];
    (share(), share(), share(), any::<u64>()).prop_map(|(job, body, beat, seed)| Pauses {
        job,
        body,
        beat,
        seed,
        ..Pauses::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_jobs_come_out_as_the_rules_say(
        jobs in proptest::collection::vec(jobs(), 1..12),
        pauses in pauses(),
    ) {
        let run = run(&jobs, pauses).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(run.output, model(&jobs));
        prop_assert_eq!(run.job_cycles.len(), jobs.len(), "jobs are left");
        let beats: usize = jobs.iter().map(|job| job.beats().len()).sum();
        prop_assert_eq!(run.body_cycles.len(), beats, "body beats are left");
    }
}
