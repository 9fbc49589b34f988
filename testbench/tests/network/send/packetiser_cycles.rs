//! `Packetiser`: its cycles, and what waits.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::runs::{cycles, engine, run_until_received};
use crate::send::packetiser_model::{BEAT, JOB, Message, SENT, TX, bench, notes, push};

fn messages<const N: usize>(lengths: [usize; N]) -> Vec<Message> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    lengths
        .iter()
        .map(|length| Message::new(&mut rng, *length))
        .collect()
}

#[test]
fn a_header_goes_out_one_cycle_behind_its_job_without_waiting_for_bytes() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    let message = &messages([100])[0];
    for _ in 0..5 {
        bench.cycle().unwrap();
    }
    bench.sources[JOB].push_value(message.job);
    for _ in 0..10 {
        bench.cycle().unwrap();
    }
    let accepted = bench.sources[JOB].accepted()[0];
    assert_eq!(cycles(&bench, TX), [accepted + 1]);
    // Its bytes go out in the cycle in which they are offered; the note comes in the next.
    message
        .beats()
        .into_iter()
        .for_each(|beat| bench.sources[BEAT].push_value(beat));
    let offered = bench.engine.cycle();
    run_until_received(&mut bench, SENT, 1, 20);
    assert_eq!(cycles(&bench, TX)[1..], [offered, offered + 1]);
    assert_eq!(cycles(&bench, SENT), [offered + 2]);
}

#[test]
fn a_message_without_bytes_is_told_two_cycles_behind_its_job() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    push(&mut bench, &messages([0]));
    run_until_received(&mut bench, SENT, 1, 20);
    assert_eq!(cycles(&bench, SENT), [bench.sources[JOB].accepted()[0] + 2]);
}

#[test]
fn no_bubble_in_or_between_messages() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    push(
        &mut bench,
        &messages([4096, 8192, 0, 0, 64, 64, 1, 0, 4097, 200]),
    );
    // 65; 130; 2; 2 and 2; 2; 1; 65 and 2; 5.
    run_until_received(&mut bench, TX, 276, 400);
    let out = cycles(&bench, TX);
    assert_eq!(out, (out[0]..out[0] + 276).collect::<Vec<_>>());
}

#[test]
fn a_failed_message_takes_a_cycle_a_beat_and_a_header_for_each_other_packet() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    let [bad, good] = messages([8192 + 64, 64]).try_into().unwrap();
    push(&mut bench, &[bad.failing(3), good]);
    run_until_received(&mut bench, SENT, 2, 400);
    let out = cycles(&bench, TX);
    let relative: Vec<u64> = out.iter().map(|cycle| cycle - out[0]).collect();
    // Header, three beats, the wrong one; 125 beats swallowed; two headers; the next message.
    assert_eq!(relative, [0, 1, 2, 3, 4, 130, 131, 132, 133]);
}

#[test]
fn sixty_four_jobs_wait() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0, 0.0, 1.0, 0.0], 0);
    push(&mut bench, &messages([10; 70]));
    for _ in 0..100 {
        bench.cycle().unwrap();
    }
    assert_eq!(bench.sources[JOB].accepted().len(), 64);
}

#[test]
fn while_eight_notes_wait_no_message_begins_and_none_is_lost() {
    let mut engine = engine("packetiser");
    let mut bench = bench(&mut *engine, [0.0, 0.0, 0.0, 1.0], 0);
    let messages = messages([10; 12]);
    push(&mut bench, &messages);
    for _ in 0..60 {
        bench.cycle().unwrap();
    }
    assert_eq!(bench.sinks[TX].received().len(), 16);
    let sink = bench.sinks.remove(SENT);
    assert!(sink.received().is_empty());
    bench
        .sink("sent", xtq_testbench::bus::Gaps::none())
        .unwrap();
    run_until_received(&mut bench, SENT, 12, 60);
    assert_eq!(
        notes(&bench),
        messages.iter().map(Message::note).collect::<Vec<_>>()
    );
    assert_eq!(bench.sinks[TX].received().len(), 24);
}

#[test]
fn reset_forgets_what_waits() {
    let mut engine = engine("packetiser");
    {
        let mut bench = bench(&mut *engine, [0.0; 4], 0);
        let mut messages = messages([4200, 100]);
        messages[0].body.truncate(4160);
        push(&mut bench, &messages[..1]);
        bench.sources[JOB].push_value(messages[1].job);
        run_until_received(&mut bench, TX, 66, 100);
    }
    // In the middle of the second packet.
    let mut bench = bench(&mut *engine, [0.0; 4], 0);
    let messages = messages([100, 0]);
    push(&mut bench, &messages);
    run_until_received(&mut bench, SENT, 2, 50);
    assert_eq!(
        crate::send::packetiser_model::sent_beats(&bench),
        crate::send::packetiser_model::packets(&messages)
    );
}
