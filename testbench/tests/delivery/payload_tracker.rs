//! `PayloadTracker` against a list of bursts.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use xtq_testbench::by_name::Hardware;

/// Bursts that may be unacknowledged, and messages between their last burst and `done`.
const MOST: usize = 256;

struct Burst {
    slot: usize,
    last: bool,
    bad: bool,
    /// Cycle of its last line.
    sent: u64,
}

#[test]
fn behind_reset_a_slot_is_free_as_soon_as_its_memory_is_cleared() {
    let mut part = Hardware::block("payload_tracker");
    for cycle in 0..300u64 {
        for slot in [0, cycle.saturating_sub(1), cycle, cycle + 1, 255] {
            let slot = slot.min(255);
            part.drive("slot", slot);
            part.eval();
            assert_eq!(
                part.high("room"),
                slot < cycle,
                "slot {slot} in cycle {cycle}"
            );
        }
        part.step();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_message_is_done_with_its_last_acknowledgement_and_tells_what_went_wrong_with_any_burst(
        seed: u64, errors in prop_oneof![Just(0.0), Just(0.1)], acks in prop_oneof![Just(0.3), Just(0.9)],
        takes in prop_oneof![Just(0.2), Just(1.0)], messages in prop_oneof![Just(0.3), Just(1.0)],
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut part = Hardware::block("payload_tracker");
        for _ in 0..MOST {
            part.step();
        }
        // What went wrong with each slot: a write, a length.
        let mut wrong = [(false, false); 256];
        let mut busy = [false; 256];
        // The burst whose first line was sent and whose last was not; bursts that wait for acknowledgements; messages
        // that are done.
        let mut begun: Option<usize> = None;
        let mut sent: VecDeque<Burst> = VecDeque::new();
        let mut done: VecDeque<(usize, (bool, bool))> = VecDeque::new();
        let (mut outstanding, mut unfinished, mut most) = (0, 0, (0, 0));
        for cycle in 0..6000u64 {
            // At first nothing is acknowledged, then nothing taken, then everything moves.
            let acknowledges = cycle > 700;
            let taking = cycle > 2500;
            let start: usize = rng.random_range(0..256);
            let free = (start..start + 256).map(|slot| slot % 256).find(|slot| !busy[*slot]);
            let slot = begun.or(free).unwrap_or(start);
            let room = outstanding < MOST && unfinished < MOST;
            part.drive("slot", slot as u64);
            let first = begun.is_none() && room && !busy[slot] && rng.random_bool(0.8);
            let ends = (first || begun.is_some()) && rng.random_bool(0.6);
            let (last, bad) = (rng.random_bool(messages), rng.random_bool(errors));
            part.drive("message_last", last);
            part.drive("bad", bad);
            part.drive("first_sent", first);
            part.drive("last_sent", ends);
            let acked = sent.front().is_some_and(|burst| burst.sent + 2 <= cycle) && acknowledges && rng.random_bool(acks);
            let error = rng.random_bool(errors);
            part.drive("payload_done", acked);
            part.drive("payload_error", error);
            let ready = taking && rng.random_bool(takes);
            part.drive("done_ready", ready);
            part.eval();
            prop_assert_eq!(part.high("room"), room, "cycle {}", cycle);

            if acked {
                let burst = sent.pop_front().expect("was sent");
                outstanding -= 1;
                let wrong = &mut wrong[burst.slot];
                *wrong = (wrong.0 | error, wrong.1 | burst.bad);
                if burst.last {
                    done.push_back((burst.slot, std::mem::take(wrong)));
                }
            }
            prop_assert_eq!(part.high("done_valid"), !done.is_empty(), "cycle {}", cycle);
            if let Some(&(slot, (error, bad))) = done.front() {
                let expected = u64::from(error) | u64::from(bad) << 1;
                prop_assert_eq!(part.word("done"), expected, "slot {} in cycle {}", slot, cycle);
                if ready {
                    done.pop_front();
                    unfinished -= 1;
                    busy[slot] = false;
                }
            }
            if first {
                outstanding += 1;
                begun = Some(slot);
            }
            if ends {
                begun = None;
                busy[slot] = last;
                unfinished += usize::from(last);
                sent.push_back(Burst { slot, last, bad, sent: cycle });
            }
            most = (most.0.max(outstanding), most.1.max(unfinished));
            part.step();
        }
        prop_assert_eq!(most.0, MOST);
        prop_assert!(messages < 1.0 || most.1 == MOST, "{} messages at once", most.1);
    }
}
