//! `NumberPool`, `PacketStore`, `OpenMessages` against sets and maps.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_rtl::leaf::NumberPool;
use xtq_testbench::bus::Pin;
use xtq_testbench::by_name::Hardware;
use xtq_testbench::pins;

fn open_messages() -> Hardware {
    let block = blocks::engine("open_messages", EngineKind::Jit);
    Hardware::new(block.expect("the ports are complete"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_number_is_never_given_twice_and_all_256_can_be_out(
        run in prop::collection::vec((0..4u8, any::<prop::sample::Index>()), 300..900), hold in any::<bool>(),
    ) {
        let mut pool = Hardware::new(pins!(NumberPool::<8, 9>::default() => clk;
            in: rst, take, freed.data, freed.valid; out: number.data, number.valid).unwrap());
        let mut out = BTreeSet::new();
        // What came back in the cycle before is not yet to be had.
        let mut late = 0;
        for (action, pick) in run {
            let take = action != 0 || hold;
            let free = (action < 2 && !out.is_empty() && !(hold && out.len() < 256))
                .then(|| *out.iter().nth(pick.index(out.len())).expect("not empty"));
            pool.set("take", &[take.into()]);
            pool.set("freed", &[free.unwrap_or(0)]);
            pool.set("freed_valid", &[free.is_some().into()]);
            pool.eval();
            let valid = pool.get("number_valid") == [1];
            prop_assert!(valid || out.len() + late == 256, "{} numbers out and none left", out.len());
            if take && valid {
                let number = pool.get("number")[0];
                prop_assert!(out.insert(number), "{} given twice", number);
            }
            if let Some(number) = free {
                out.remove(&number);
            }
            late = usize::from(free.is_some());
            pool.step();
        }
    }

    #[test]
    fn a_packet_is_there_from_its_write_to_its_release(
        run in prop::collection::vec((0..6u64, 0..6u64, 0..3u8, any::<u64>()), 1..200),
    ) {
        let mut store = Hardware::block("packet_store");
        let mut model: BTreeMap<u64, u64> = BTreeMap::new();
        let mut last_read = None;
        for (write, read, action, data) in run {
            // Slots at both ends of the memory.
            let (write, read) = (write * 51, read * 51);
            store.set("write", &[data; 8]);
            store.set("write_slot", &[write]);
            store.set("write_valid", &[(action == 1).into()]);
            store.set("freed", &[write]);
            store.set("freed_valid", &[(action == 2).into()]);
            store.set("slot", &[read]);
            store.eval();
            prop_assert_eq!(store.get("there"), [u64::from(model.contains_key(&read))]);
            if let Some(Some(expected)) = last_read {
                prop_assert_eq!(store.get("packet"), [expected; 8]);
            }
            last_read = Some(model.get(&read).copied());
            store.step();
            match action {
                1 => drop(model.insert(write, data)),
                2 => drop(model.remove(&write)),
                _ => {}
            }
        }
    }

    #[test]
    fn the_highest_bit_is_found(
        words in prop::collection::vec((any::<u64>(), 0..64u32), 1..200),
    ) {
        let mut block = blocks::engine("highest", EngineKind::Jit).unwrap();
        let [bits, some, index] = ["bits", "some", "index"].map(|name| Pin::any(&block, name).expect("is a port"));
        for (word, shift) in words {
            for word in [word >> shift, 1 << shift, 0] {
                bits.set(&mut block, word).expect("is an input");
                block.eval().expect("settles");
                prop_assert_eq!(some.get(&block), u64::from(word != 0));
                if let Some(highest) = word.checked_ilog2() {
                    prop_assert_eq!(index.get(&block), u64::from(highest));
                }
            }
        }
    }

    #[test]
    fn open_messages_are_found_by_their_source_only(
        run in prop::collection::vec((0..24u64, prop::bool::weighted(0.7), 0..3u8, any::<u64>(), prop::option::weighted(0.1, 0..4u32)), 1..400),
    ) {
        let mut open = open_messages();
        let mut model: BTreeMap<u64, u64> = BTreeMap::new();
        // Place of each message, and what is stored there; the place that was found in the cycle before.
        let mut places: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let (mut stored, mut found) = (BTreeMap::new(), None);
        // Cycle in which the context of a message was disabled.
        let mut orphans: BTreeMap<u64, usize> = BTreeMap::new();
        // One and two cycles ago: which one was named, whether a message was closed.
        let (mut named, mut closed) = ([None; 2], [false; 2]);
        for (cycle, (source, first, action, data, disabled)) in run.into_iter().enumerate() {
            // Sources that differ in any part, the highest bit included.
            // Most are of context 0, which so gets more than it has places for.
            let key = source << 21 | if first { 0 } else { source & 3 };
            open.set("enabled", &[15 & !disabled.map_or(0, |context| 1 << context)]);
            open.set("source", &[key]);
            open.set("store", &[0]);
            open.set("close", &[0]);
            open.eval();
            let known = model.get(&key).copied();
            prop_assert_eq!(open.get("hit"), [u64::from(known.is_some())]);
            let here = model.keys().filter(|other| *other & 3 == key & 3).count();
            prop_assert_eq!(open.get("free"), [u64::from(here < 16)]);
            if let Some(place) = &found {
                prop_assert_eq!(&open.get("kept_index"), place);
                prop_assert_eq!(open.get("kept")[0], stored[place]);
            }
            found = known.map(|_| places[&key].clone());
            prop_assert_eq!(open.get("pending"), [u64::from(!orphans.is_empty())]);
            let now = (open.get("orphan") == [1]).then(|| open.get("orphan_source")[0]);
            let due = |key: &u64| orphans.get(key).is_some_and(|since| since + 3 <= cycle);
            prop_assert!(now.as_ref().is_none_or(due));
            match named {
                [Some(last), _] if orphans.contains_key(&last) => prop_assert_eq!(now, Some(last)),
                // It was closed, the next one was found after it.
                [Some(last), Some(before)] if last == before && !closed[1] => {
                    prop_assert_eq!(now.is_some(), orphans.keys().any(due));
                }
                _ if closed == [false; 2] => prop_assert_eq!(now.is_some(), orphans.keys().any(due)),
                _ => {}
            }
            named = [now, named[0]];
            closed = [false, closed[0]];
            if action == 1 && (known.is_some() || here < 16) {
                let place = found.clone().unwrap_or_else(|| open.get("free_index"));
                open.set("store", &[1]);
                open.set("store_index", &place);
                open.set("store_source", &[key]);
                open.set("new_message", &[data]);
                model.insert(key, data);
                places.insert(key, place.clone());
                stored.insert(place, data);
            } else if action == 2 && known.is_some() {
                open.set("close", &[1]);
                closed[0] = true;
                model.remove(&key);
                orphans.remove(&key);
            }
            // Also the one that is stored at this edge.
            for key in model.keys().filter(|key| disabled.is_some_and(|context| *key & 3 == u64::from(context))) {
                orphans.entry(*key).or_insert(cycle);
            }
            open.step();
        }
    }
}

#[test]
fn the_256th_number_is_given_and_a_257th_only_two_cycles_after_one_has_come_back() {
    let mut pool = Hardware::new(
        pins!(NumberPool::<8, 9>::default() => clk;
            in: rst, take, freed.data, freed.valid; out: number.data, number.valid)
        .unwrap(),
    );
    pool.set("freed_valid", &[0]);
    pool.set("take", &[1]);
    let mut out = BTreeSet::new();
    for number in 0..256 {
        pool.eval();
        assert_eq!(pool.get("number_valid"), [1], "the {number}th");
        assert!(out.insert(pool.get("number")[0]));
        pool.step();
    }
    pool.eval();
    assert_eq!(pool.get("number_valid"), [0]);
    pool.set("freed", &[77]);
    pool.set("freed_valid", &[1]);
    pool.step();
    pool.set("freed_valid", &[0]);
    pool.eval();
    assert_eq!(pool.get("number_valid"), [0]);
    pool.step();
    pool.eval();
    assert_eq!(
        (pool.get("number_valid"), pool.get("number")),
        (vec![1], vec![77])
    );
}

#[test]
fn a_message_that_does_not_go_on_in_time_is_an_orphan() {
    for phase in 0..40 {
        let mut open = open_messages();
        open.set("enabled", &[15]);
        open.set("timeout", &[4]);
        let (steady, late) = (5, 9 << 2);
        // The cycle in which the message was stored last, and the one in which it became an orphan.
        let (mut stored, mut orphan) = (0, None);
        let mut places = BTreeMap::new();
        for cycle in 0..200 {
            let source = if cycle % 8 == 0 { steady } else { late };
            open.set("source", &[source]);
            open.eval();
            let free = open.get("free_index");
            let is_open = open.get("hit") == [1];
            let place = if is_open { &places[&source] } else { &free }.clone();
            let begins = cycle == phase + 1 + u64::from(phase % 8 == 7);
            open.set("store", &[u64::from(source == steady || begins)]);
            open.set("store_index", &place);
            open.set("store_source", &[source]);
            open.set("close", &[0]);
            if source == steady || begins {
                places.insert(source, place);
            }
            stored = if begins { cycle } else { stored };
            if open.get("orphan") == [1] {
                assert_eq!(open.get("orphan_source"), [late]);
                orphan = orphan.or(Some(cycle));
            }
            open.step();
        }
        let after = orphan.expect("nothing came for it") - stored;
        assert!((16..36).contains(&after), "{after} cycles in phase {phase}");
    }
}

#[test]
fn without_a_time_limit_messages_wait_for_ever() {
    let mut open = open_messages();
    open.set("enabled", &[15]);
    open.set("store", &[1]);
    open.step();
    open.set("store", &[0]);
    for _ in 0..1000 {
        open.eval();
        assert_eq!(open.get("pending"), [0]);
        open.step();
    }
}

#[test]
fn a_tick_comes_each_period_and_never_at_rest() {
    let mut timer = Hardware::block("message_timer");
    for period in [1, 2, 5, 9] {
        timer.set("period", &[0]);
        timer.set("running", &[1]);
        for _ in 0..100 {
            timer.eval();
            assert_eq!(timer.get("tick"), [0]);
            timer.step();
        }
        timer.set("period", &[period]);
        // One may come from the change.
        timer.step();
        timer.step();
        let mut ticks = Vec::new();
        for cycle in 0..5u64 << period {
            // A cycle counts, another does not.
            for running in [1, 0] {
                timer.set("running", &[running]);
                timer.eval();
                if timer.get("tick") == [1] {
                    ticks.push(cycle);
                }
                timer.step();
            }
        }
        // The first may come from the change.
        let apart: Vec<u64> = ticks[1..]
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect();
        assert!(
            apart.len() >= 3 && apart.iter().all(|cycles| *cycles == 1 << period),
            "{ticks:?}"
        );
    }
}
