//! How long messages take when others come too: percentiles under a share of the load that memory can take.
//!
//! Messages are offered at random times, a geometric distribution with a fixed seed, whether the NIC has room or not,
//! and counted from the cycle in which they are offered. Full load is a write beat in every cycle, as the write channel
//! is the narrowest place for both kinds.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::delivery::{Target, Way, smallest};
use super::requests::Lists;
use super::{ContractError, unexpected};
use crate::bus::MemoryTiming;
use crate::node::Top;

/// Messages of each measurement.
const MESSAGES: u16 = 2000;
/// Write beats of a smallest XTQ message, and of a tagged put of one line with its event.
const XTQ_BEATS: f64 = 8.0;
const PUT_BEATS: f64 = 2.0;
/// Seed of the times.
const SEED: u64 = 1;

/// Percentiles of cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Percentiles {
    /// Half of the messages take at most so many.
    pub median: f64,
    /// 99 in a hundred do.
    pub p99: f64,
}

impl Percentiles {
    /// Of some cycles; zero of none.
    fn of(mut cycles: Vec<u64>) -> Self {
        cycles.sort_unstable();
        let at = |share: f64| {
            let place = (share * cycles.len() as f64).ceil() as usize;
            cycles.get(place.saturating_sub(1)).copied().unwrap_or(0) as f64
        };
        Self {
            median: at(0.5),
            p99: at(0.99),
        }
    }
}

/// The cycles at which messages of so many write beats are offered from `start` on, to fill this share of all cycles.
fn times(start: u64, beats: f64, share: f64) -> Vec<u64> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let (mut cycle, each) = (start, share / beats);
    let next = |_| {
        while !rng.random_bool(each) {
            cycle += 1;
        }
        cycle += 1;
        cycle
    };
    (0..MESSAGES).map(next).collect()
}

/// From the offer of a smallest XTQ message for one buffer to the data of its doorbell. Errors: of the node; a doorbell
/// does not ring.
pub(super) fn xtq(share: f64) -> Result<Percentiles, ContractError> {
    let mut target = Target::new(Top::Nic, Way::Buffer, MemoryTiming::ideal(), 0, false)?;
    // The first one fills the caches.
    target.send(&smallest(0));
    target.settle()?;
    let writes = target.node.memory.log().len();
    let offered = times(target.node.cycle_count() + 1, XTQ_BEATS, share);
    for (id, cycle) in (1..).zip(&offered) {
        target.send_at(*cycle, &smallest(id));
    }
    target.settle()?;
    // A doorbell says the number of the last packet that it covers.
    let rung: Vec<(u64, u64)> = target.doorbells(writes);
    let covers = |packet: u64| rung.iter().find(|(_, last)| *last >= packet);
    let latencies = (1..).zip(&offered);
    let latencies = latencies.map(|(packet, cycle)| Some(covers(packet)?.0 - cycle));
    match latencies.collect::<Option<Vec<u64>>>() {
        Some(cycles) => Ok(Percentiles::of(cycles)),
        None => unexpected("XTQ messages under load", "one without a doorbell"),
    }
}

/// From the offer of a put of 64 bytes for the first entry of a list to the data of its event. Errors: of the node; one
/// is not reported.
pub(super) fn tagged_puts(share: f64) -> Result<Percentiles, ContractError> {
    let mut lists = Lists::new(false)?;
    let before = lists.events(0).len() as u64;
    let offered = times(lists.node.cycle_count() + 1, PUT_BEATS, share);
    for (id, cycle) in (0..).zip(&offered) {
        lists.put(*cycle, id, 64);
    }
    lists.settle()?;
    let events = lists.events(before);
    match events.len() == offered.len() {
        true => {
            let cycles = events.iter().zip(&offered);
            Ok(Percentiles::of(
                cycles.map(|(event, cycle)| event - cycle).collect(),
            ))
        }
        false => unexpected("tagged puts under load", format!("{} events", events.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_cycles() {
        let all = Percentiles::of((1..=200).rev().collect());
        assert_eq!((all.median, all.p99), (100.0, 198.0));
        let one = Percentiles::of(vec![7]);
        assert_eq!((one.median, one.p99), (7.0, 7.0));
        assert_eq!(Percentiles::of(Vec::new()).p99, 0.0);
    }

    #[test]
    fn offers_fill_the_share_and_never_two_in_one_cycle() {
        for (beats, share) in [(XTQ_BEATS, 0.5), (PUT_BEATS, 0.9)] {
            let times = times(100, beats, share);
            assert!(times[0] > 100 && times.windows(2).all(|pair| pair[0] < pair[1]));
            let filled = f64::from(MESSAGES) * beats / (times[times.len() - 1] - 100) as f64;
            assert!((filled - share).abs() < 0.05, "{filled} of {share}");
        }
    }
}
