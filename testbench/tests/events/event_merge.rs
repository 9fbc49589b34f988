//! `EventMerge`: events of both sides in the order of their places, none lost while there is room.

use std::collections::VecDeque;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xtq_types::event::Event;
use xtq_types::memory::WriteRequest;
use xtq_types::send::OwnEvent;

use xtq_testbench::by_name::{Hardware, field, pack};

/// A ring as the event rings count it: the next place, and the places that are neither filled nor reserved.
#[derive(Default)]
struct Ring {
    next: u64,
    free: u64,
    dropped: u64,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_writes_of_a_ring_leave_in_the_order_of_its_places(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hardware = Hardware::block("event_merge");
        let mut rings: [Ring; 4] = Default::default();
        // Writes that left: context, place, whether own. Those not acknowledged are in `under_way`.
        let (mut left, mut under_way) = (Vec::new(), VecDeque::new());
        let mut visible = Vec::new();
        let (mut number, mut own_lost, mut own_posted, mut held_posted) = (0, 0, 0, 0);
        let mut own: Option<(u64, u64)> = None;
        let mut held: Option<(u64, u64)> = None;
        let mut held_contexts = VecDeque::new();
        let crowded = rng.random_bool(0.5);
        for _ in 0..4000 {
            for ring in &mut rings {
                ring.free += u64::from(rng.random_bool(if crowded { 0.02 } else { 0.5 }));
            }
            if own.is_none() && rng.random_bool(0.4) {
                own = Some((rng.random_range(0..4), number));
                number += 1;
            }
            let (own_context, token) = own.unwrap_or((rng.random_range(0..4), 0));
            let event = pack(Event::FIELDS, &[("packet_id", token), ("kind", 9)]);
            let mut words = pack(OwnEvent::FIELDS, &[("context", own_context)]);
            for bit in 0..512 {
                words[(bit + 2) / 64] |= (event[bit / 64] >> (bit % 64) & 1) << ((bit + 2) % 64);
            }
            hardware.set("own", &words);
            hardware.set("own_valid", &[own.is_some().into()]);
            // The completer posts into a place that it holds; its write follows in the next cycle.
            let post = held.is_none() && held_contexts.len() < 60 && rng.random_bool(0.3);
            let held_context: u64 = rng.random_range(0..4);
            hardware.set("held_context", &[held_context]);
            hardware.set("held_post", &[post.into()]);
            let write = held;
            let (context, place) = write.unwrap_or((0, 0));
            hardware.set("held_write", &pack(WriteRequest::FIELDS, &[
                ("first", 1), ("last", 1), ("context", context), ("address", place),
            ]));
            hardware.set("held_write_valid", &[write.is_some().into()]);
            let (reserving, losing) = (rng.random_bool(0.3), rng.random_bool(0.2));
            hardware.set("reserving", &[reserving.into()]);
            hardware.set("losing", &[losing.into()]);
            let undecided = rng.random_range(0..16u64) & rng.random_range(0..16u64);
            hardware.set("undecided", &[undecided]);
            let room = (0..4).filter(|c| rings[*c].free > 0).fold(0, |bits, c| bits | 1 << c);
            hardware.set("room", &[room]);
            let ready = rng.random_bool(0.6);
            hardware.set("event_write_ready", &[ready.into()]);
            let done = !under_way.is_empty() && rng.random_bool(0.3);
            let error = rng.random_bool(0.1);
            hardware.set("event_write_done", &[done.into()]);
            hardware.set("event_write_error", &[error.into()]);
            // The completer says in the same cycle which of its contexts that is.
            let first: Option<(u64, u64, bool)> = under_way.front().copied();
            let held_done = done && first.is_some_and(|f| !f.2);
            hardware.set("held_visible", &[held_contexts.front().copied().unwrap_or(0)]);
            hardware.set("held_visible_valid", &[held_done.into()]);
            hardware.eval();
            let post_context = hardware.get("post_context")[0] as usize;
            hardware.set("post_address", &[rings[post_context].next]);
            hardware.set("post_dropped", &[rings[post_context].dropped]);
            hardware.eval();

            prop_assert_eq!(hardware.high("held_done"), held_done);
            if done {
                let (context, place, is_own) = under_way.pop_front().unwrap();
                prop_assert!(hardware.high("visible_valid"));
                prop_assert_eq!(hardware.get("visible"), [context]);
                prop_assert_eq!(hardware.high("own_failed"), is_own && error);
                visible.push((context, place));
                if !is_own {
                    held_contexts.pop_front();
                }
            } else {
                prop_assert!(!hardware.high("visible_valid") && !hardware.high("own_failed"));
            }
            let claimed = hardware.high("claim");
            let lost = hardware.high("lost");
            prop_assert!(!(claimed && (post || reserving)), "two places at once");
            prop_assert!(!(lost && losing));
            prop_assert!(!lost || undecided >> own_context & 1 == 0, "places may still be given back");
            prop_assert_eq!(hardware.high("post"), claimed || post);
            if claimed || lost {
                prop_assert!(own.is_some() && hardware.high("own_ready"));
                prop_assert_eq!(hardware.get("own_context"), [own_context]);
                prop_assert_eq!(claimed, room >> own_context & 1 == 1);
            }
            prop_assert_eq!(hardware.high("own_ready") && own.is_some(), claimed || lost);
            if hardware.high("event_write_valid") && ready {
                let words = hardware.get("event_write");
                let get = |name| field(WriteRequest::FIELDS, &words, name);
                let is_own = field(WriteRequest::FIELDS, &words, "strobe") == u64::MAX;
                left.push((get("context"), get("address")));
                under_way.push_back((get("context"), get("address"), is_own));
                if !is_own {
                    prop_assert!(hardware.high("held_write_ready"));
                    held = None;
                }
            }
            if post {
                let ring = &mut rings[held_context as usize];
                held = Some((held_context, ring.next));
                held_contexts.push_back(held_context);
                ring.next += 64;
                ring.dropped = 0;
                held_posted += 1;
            }
            if claimed {
                let ring = &mut rings[own_context as usize];
                ring.next += 64;
                ring.free -= 1;
                ring.dropped = 0;
                own = None;
                own_posted += 1;
            }
            if lost {
                rings[own_context as usize].dropped += 1;
                own = None;
                own_lost += 1;
            }
            hardware.step();
        }
        for context in 0..4 {
            let places = |log: &[(u64, u64)]| -> Vec<u64> {
                log.iter().filter(|w| w.0 == context).map(|w| w.1).collect()
            };
            let expected: Vec<u64> = (0..places(&left).len() as u64).map(|i| 64 * i).collect();
            prop_assert_eq!(places(&left), expected.clone(), "context {}", context);
            prop_assert_eq!(places(&visible), &expected[..places(&visible).len()]);
        }
        prop_assert!(own_posted > 20 && held_posted > 100, "{} {}", own_posted, held_posted);
        prop_assert!(!crowded || own_lost > 100, "{}", own_lost);
    }
}
