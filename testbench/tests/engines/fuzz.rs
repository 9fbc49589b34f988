//! Random commands and packets: no rule of a protocol is broken, nothing hangs, nobody else notices.

mod commands;
mod counts;
mod packets;
mod records;
mod rig;

use counts::Counts;
use rig::Rig;
use xtq_testbench::node::Top;

/// Packets in the suite; `./test.sh --nightly` runs ten times as many as `XTQ_FUZZ` says.
const PACKETS: usize = 24_000;
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

/// Throws so many packets at NICs of this kind.
fn noise(top: Top, total: usize) -> Counts {
    let mut all = Counts::default();
    for seed in seed().. {
        if all.packets >= total {
            break;
        }
        println!("seed {seed}: {} packets so far", all.packets);
        let mut rig = Rig::new(top, seed);
        for _ in 0..BATCHES {
            rig.batch();
        }
        all.add(rig.finish());
    }
    println!("{all:#?}");
    all
}

#[test]
fn noise_from_two_processes_and_the_network_breaks_nothing_and_reaches_nobody_else() {
    let total = packets();
    let all = noise(Top::Nic, total);
    // A short run, of a seed that failed, need not have met everything.
    let missing = all.missing();
    assert!(total < PACKETS || missing.is_empty(), "{missing:#?}");
}

/// Of the small NIC: with so few places of each kind other things are full. A fourth of the packets, and what they met
/// is not looked at cause by cause.
#[test]
fn noise_breaks_nothing_in_the_small_nic_either() {
    let total = packets() / 4;
    let all = noise(Top::SmallNic, total);
    assert!(all.delivered > total / 20, "{}", all.delivered);
    assert!(all.taken * 10 > all.commands * 9, "{}", all.taken);
}
