//! Random commands and packets: no rule of a protocol is broken, nothing hangs, nobody else notices.

mod commands;
mod packets;
mod rig;

use rig::{Counts, Rig};

/// Packets in the suite; `./test.sh --nightly` runs ten times as many as `XTQ_FUZZ` says.
const PACKETS: usize = 30_000;
/// Batches of one NIC, then comes one with other latencies and pauses.
const BATCHES: usize = 20;

fn packets() -> usize {
    match std::env::var("XTQ_FUZZ") {
        Ok(text) => text.parse().expect("XTQ_FUZZ is a number"),
        Err(_) => PACKETS,
    }
}

/// Another one in every repetition of the nightly profile; `XTQ_FUZZ_SEED` for one that failed.
fn seed() -> u64 {
    if let Ok(text) = std::env::var("XTQ_FUZZ_SEED") {
        return text.parse().expect("XTQ_FUZZ_SEED is a number");
    }
    let repetition = std::env::var("NEXTEST_STRESS_CURRENT").ok();
    let repetition: u64 = repetition.and_then(|text| text.parse().ok()).unwrap_or(0);
    1_000_000 * repetition
}

#[test]
fn noise_from_two_processes_and_the_network_breaks_nothing_and_reaches_nobody_else() {
    let (total, first) = (packets(), seed());
    let mut all = Counts::default();
    for seed in first.. {
        if all.packets >= total {
            break;
        }
        println!("seed {seed}: {all:?}");
        let mut rig = Rig::new(seed);
        for _ in 0..BATCHES {
            rig.batch();
        }
        let one = rig.finish();
        all = Counts {
            packets: all.packets + one.packets,
            right: all.right + one.right,
            parsed: all.parsed + one.parsed,
            commands: all.commands + one.commands,
            taken: all.taken + one.taken,
            cycles: all.cycles + one.cycles,
            delivered: all.delivered + one.delivered,
            sent: all.sent + one.sent,
            atomics: all.atomics + one.atomics,
        };
    }
    println!("{all:?}");
    let share = |part: usize, of: usize| part as f64 / of as f64;
    assert!(
        share(all.right, all.packets) > 0.45,
        "too few packets are right: {all:?}"
    );
    assert!(
        share(all.parsed, all.packets) > 0.45,
        "too few packets get past the parser: {all:?}"
    );
    assert!(
        share(all.taken, all.commands) > 0.9,
        "too few commands are executed: {all:?}"
    );
    assert!(
        share(all.delivered, all.packets) > 0.02,
        "too few messages are delivered: {all:?}"
    );
    assert!(
        all.atomics > all.packets / 1500,
        "too few atomics are done: {all:?}"
    );
    assert!(
        all.sent > all.packets / 100,
        "too few messages leave: {all:?}"
    );
}
