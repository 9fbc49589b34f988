//! The window: what TAIL, SIZE and BASE do, and what is read back.

use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_rtl::commands::command_ring::CommandRing;
use xtq_testbench::bus::Pin;
use xtq_types::register_map::command_word::{BASE_HI, BASE_LO, HEAD, SIZE, TAIL};

use crate::command_ring::harness::{Rig, content};

#[test]
fn a_tail_beyond_the_ring_or_behind_itself_is_refused_and_told() {
    for size in [1, 2, 4, 32_768] {
        let mut rig = Rig::new();
        rig.enabled = 0;
        rig.set_up(3, 0, size);
        let mut refused = vec![size + 1, 0xFFFF_FFFF, 0x8000_0000, 0x1_0000 + size];
        for tail in &refused {
            assert_eq!(
                rig.write(3, TAIL, *tail),
                Some(3),
                "SIZE {size}, TAIL {tail}"
            );
            assert_eq!(rig.read(3, TAIL), 0);
        }
        rig.post(3, 0);
        rig.post(3, size);
        assert_eq!(rig.read(3, TAIL), size);
        refused.extend([0, size - 1]);
        for tail in &refused {
            assert_eq!(
                rig.write(3, TAIL, *tail),
                Some(3),
                "SIZE {size}, TAIL {tail}"
            );
            assert_eq!(rig.read(3, TAIL), size);
        }
        rig.post(3, size);
    }
}

#[test]
fn a_full_ring_takes_as_many_commands_as_were_taken() {
    let mut rig = Rig::new();
    rig.set_up(0, 0x100, 4);
    rig.post(0, 4);
    for taken in 1..20 {
        assert_eq!(rig.write(0, TAIL, 4 + taken), Some(0));
        assert_eq!(
            rig.take(0).0,
            content(0, (0, 0x100 + 128 * u64::from((taken - 1) % 4)))
        );
        assert_eq!(rig.read(0, HEAD), taken);
        assert_eq!(rig.write(0, TAIL, 5 + taken), Some(0));
        rig.post(0, 4 + taken);
    }
}

#[test]
fn a_refused_tail_names_its_context_and_leaves_the_others() {
    let mut rig = Rig::new();
    rig.enabled = 0;
    for context in 0..4 {
        rig.set_up(context, 0, 2 << context);
    }
    for context in 0..4 {
        assert_eq!(rig.write(context, TAIL, 17), Some(context));
    }
    for context in 0..4 {
        rig.post(context, 2 << context);
        assert_eq!(rig.read(context, TAIL), 2 << context);
    }
}

#[test]
fn a_size_that_is_no_power_of_two_or_too_large_is_no_ring() {
    let mut rig = Rig::new();
    for size in [
        0,
        3,
        6,
        32_769,
        49_152,
        65_536,
        0x8000_0000,
        0x8000_0001,
        0xFFFF_FFFF,
    ] {
        rig.set_up(1, 0x1000, 4);
        rig.set_up(1, 0x1000, size);
        assert_eq!(rig.read(1, SIZE), 0, "SIZE {size}");
        assert_eq!(rig.write(1, TAIL, 1), Some(1), "SIZE {size}");
        assert_eq!(rig.write(1, TAIL, 0), None);
    }
    rig.idle(20);
    assert_eq!(rig.requests, []);
    for size in [1, 2, 16_384, 32_768] {
        rig.set_up(1, 0x1000, size);
        assert_eq!(rig.read(1, SIZE), size);
    }
}

#[test]
fn without_a_ring_every_tail_is_refused() {
    let mut rig = Rig::new();
    for context in 0..4 {
        assert_eq!(rig.write(context, TAIL, 1), Some(context));
        assert_eq!(rig.write(context, TAIL, 0), None);
    }
    rig.idle(20);
    assert_eq!(rig.requests, []);
}

#[test]
fn the_low_seven_bits_of_the_base_do_not_count() {
    let mut rig = Rig::new();
    rig.set_up(2, 0x1234_5678_9ABC_DEFF, 2);
    assert_eq!(rig.read(2, BASE_LO), 0x9ABC_DE80);
    assert_eq!(rig.read(2, BASE_HI), 0x1234_5678);
    rig.post(2, 2);
    rig.take(2);
    rig.post(2, 3);
    rig.idle(10);
    let base = 0x1234_5678_9ABC_DE80;
    assert_eq!(rig.addresses(2), [base, base + 128, base]);
}

#[test]
fn rings_of_any_size_wrap_at_their_end() {
    for size in [1, 2, 4, 8] {
        let mut rig = Rig::new();
        rig.set_up(0, 0xFFFF_FF80, size);
        let mut expected = Vec::new();
        for number in 0..20 {
            rig.post(0, number + 1);
            let address = 0xFFFF_FF80 + 128 * u64::from(number % size);
            expected.push(address);
            assert_eq!(rig.take(0).0, content(0, (0, address)), "SIZE {size}");
        }
        assert_eq!(rig.addresses(0), expected, "SIZE {size}");
    }
}

#[test]
fn the_counts_go_on_at_2_to_the_32() {
    let first = 0u32.wrapping_sub(8);
    let mut rig = Rig::of(CommandRing::<4>::counting_from(first));
    rig.set_up(1, 0x800, 4);
    for number in 0..16 {
        let head = first.wrapping_add(number);
        assert_eq!(rig.read(1, HEAD), head);
        assert_eq!(rig.write(1, TAIL, head.wrapping_add(5)), Some(1));
        rig.post(1, head.wrapping_add(4));
        assert_eq!(rig.read(1, TAIL), head.wrapping_add(4));
        assert_eq!(
            rig.take(1).0,
            content(0, (1, 0x800 + 128 * u64::from(number % 4)))
        );
    }
}

#[test]
fn every_word_is_read_back_for_its_context_one_cycle_later() {
    let mut rig = Rig::new();
    for context in 0..4 {
        rig.set_up(context, 0x1_0000_0080 * (context + 1), 4 << context);
        rig.post(context, 3 + context as u32);
        for _ in 0..=context {
            rig.take(context);
        }
    }
    for context in 0..4u32 {
        let expected = [
            0x80 * (context + 1),
            context + 1,
            4 << context,
            3 + context,
            context + 1,
            0,
            0,
            0,
        ];
        for (word, expected) in expected.into_iter().enumerate() {
            assert_eq!(
                rig.read(context.into(), word as u32),
                expected,
                "context {context}, word {word}"
            );
        }
    }
}

#[test]
fn reset_leaves_no_ring() {
    let mut rig = Rig::new();
    for context in 0..4 {
        rig.set_up(context, 0x1000, 4);
        rig.post(context, 2);
    }
    assert_eq!(rig.idle(40).waiting, 15);
    rig.hardware.engine.reset(1).expect("has rst");
    assert_eq!(rig.idle(1).waiting, 0);
    for context in 0..4 {
        for word in 0..5 {
            assert_eq!(rig.read(context, word), 0);
        }
        assert_eq!(rig.write(context, TAIL, 1), Some(context));
    }
}

#[test]
fn a_ring_of_32768_commands_is_gone_through_to_its_end() {
    const COMMANDS: u64 = 32_768;
    let mut engine =
        blocks::engine("command_pointers", EngineKind::Jit).expect("the ports are complete");
    engine.reset(1).expect("has rst");
    let input = |engine: &dyn Engine, name: &str| Pin::input(engine, name).expect("is an input");
    let [write, word, data, enabled] =
        ["cfg_write", "cfg_word", "cfg_data", "enabled"].map(|name| input(&engine, name));
    let [fetch, arrived, take] = ["fetch", "arrived", "take"].map(|name| input(&engine, name));
    let output = |name: &str| Pin::output(&engine, name).expect("is an output");
    let [wants, address] = ["wants", "address"].map(output);
    enabled.set(&mut engine, 1).expect("is an input");
    let set_up = [
        (BASE_LO, 0xFFFF_0000),
        (BASE_HI, 1),
        (SIZE, COMMANDS as u32),
        (TAIL, COMMANDS as u32),
    ];
    for (number, value) in set_up {
        word.set(&mut engine, number.into()).expect("is an input");
        data.set(&mut engine, value.into()).expect("is an input");
        for level in [1, 0] {
            write.set(&mut engine, level).expect("is an input");
            engine.step().expect("settles");
        }
    }
    // Every command is fetched, arrives in the next cycle and is taken in the one after that; in the end TAIL moves on
    // by two.
    let mut fetched = 0;
    let mut history = [0, 0];
    while fetched < COMMANDS {
        engine.eval().expect("settles");
        let fetches = wants.get(&engine);
        if fetches == 1 {
            assert_eq!(address.get(&engine), 0x1_FFFF_0000 + 128 * fetched);
            fetched += 1;
        }
        for (pin, level) in [(fetch, fetches), (arrived, history[0]), (take, history[1])] {
            pin.set(&mut engine, level).expect("is an input");
        }
        engine.step().expect("settles");
        history = [fetches, history[0]];
    }
    assert!(engine.cycle() < COMMANDS + 40, "one a cycle");
    fetch.set(&mut engine, 0).expect("is an input");
    engine.eval().expect("settles");
    assert!(!wants.is_high(&engine), "all are fetched");
    assert_eq!(
        address.get(&engine),
        0x1_FFFF_0000,
        "the first place is next"
    );
}
