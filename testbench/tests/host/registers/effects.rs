//! What registers do: the pulses they count, the errors and interrupts of each context, the values that go to other
//! blocks.

use xtq_testbench::bus::Pin;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::{CONTEXTS, context, error_cause, global, irq_cause, response};

use super::rig::{Rig, at};

/// The pulses that are counted, in the order of the counters.
const PULSES: [&str; 15] = [
    "count_packet",
    "drop_version",
    "drop_opcode",
    "drop_target",
    "drop_context",
    "drop_length",
    "count_hit",
    "count_miss",
    "count_ok",
    "count_failed",
    "count_doorbell",
    "event_lost_valid",
    "memory_failed_valid",
    "drop_stray",
    "count_stray",
];

#[test]
fn node_and_enable_bits_reach_the_pipeline() {
    let mut rig = Rig::new(0.0, 1);
    rig.write(global::NODE as u16, 0xFFFF_1234);
    rig.write(at(0, context::ENABLE), 1);
    rig.write(at(3, context::ENABLE), 0xFFFF_FFFF);
    assert_eq!(
        (rig.get("node"), rig.get("context_enabled")),
        (0x1234, 0b1001)
    );
    rig.write(at(0, context::ENABLE), 0xFFFF_FFFE);
    assert_eq!(rig.get("context_enabled"), 0b1000);
}

#[test]
fn every_counter_counts_its_pulse_and_is_cleared() {
    let mut rig = Rig::new(0.0, 1);
    for (i, name) in PULSES.iter().enumerate() {
        rig.set(name, 1);
        for _ in 0..=i {
            rig.cycle();
        }
        rig.set(name, 0);
    }
    let counter = |i: usize| (global::COUNTERS + 4 * i as u32) as u16;
    for (i, (name, _)) in COUNTERS.iter().enumerate() {
        assert_eq!(
            rig.read(counter(i)),
            (response::OKAY, i as u32 + 1),
            "{name}"
        );
    }
    assert_eq!(rig.write(counter(0), 7), response::SLVERR);
    rig.write(global::COUNTERS_CLEAR as u16, 0);
    for i in 0..COUNTERS.len() {
        assert_eq!(rig.read(counter(i)).1, 0);
    }
}

#[test]
fn errors_and_interrupts_belong_to_one_context() {
    for (pulse, cause, status) in [
        ("event_visible", 0, irq_cause::EVENT),
        ("event_failed", error_cause::EVENT_FAILED, irq_cause::ERROR),
        ("event_lost", error_cause::EVENT_LOST, irq_cause::ERROR),
        ("memory_failed", error_cause::MEMORY_ERROR, irq_cause::ERROR),
        ("gather_failed", error_cause::MEMORY_ERROR, irq_cause::ERROR),
        ("bad_tail", error_cause::BAD_TAIL, irq_cause::ERROR),
    ] {
        let mut rig = Rig::new(0.0, 1);
        for page in 0..CONTEXTS {
            rig.write(at(page, context::IRQ_MASK), 3 & !status);
        }
        rig.pulse(pulse, 2, 1);
        for page in 0..CONTEXTS {
            let expected = if page == 2 { (cause, status) } else { (0, 0) };
            let got = (
                rig.read(at(page, context::ERROR_CAUSE)).1,
                rig.read(at(page, context::IRQ_STATUS)).1,
            );
            assert_eq!(got, expected, "{pulse}, context {page}");
        }
        assert_eq!(rig.get("irq"), 0, "masked");
        rig.write(at(2, context::IRQ_MASK), status);
        rig.cycle();
        assert_eq!(rig.get("irq"), 1);
        rig.write(at(2, context::IRQ_STATUS), 3 & !status);
        assert_eq!(rig.get("irq"), 1, "only a 1 clears");
        rig.write(at(2, context::IRQ_STATUS), status);
        rig.cycle();
        assert_eq!(rig.get("irq"), 0);
        rig.write(at(2, context::ERROR_CAUSE), 15);
        assert_eq!(rig.read(at(2, context::ERROR_CAUSE)).1, 0);
    }
}

#[test]
fn user_ids_reach_the_initiator_each_in_its_place() {
    let mut rig = Rig::new(0.0, 1);
    for page in 0..CONTEXTS {
        let address = (global::USER_ID + 4 * page) as u16;
        rig.write(address, 0x1111_0000 + page);
        assert_eq!(rig.read(address), (response::OKAY, 0x1111_0000 + page));
    }
    let pin = Pin::output(&*rig.engine, "user_ids").expect("is an output");
    let expected = [0x1111_0001_1111_0000, 0x1111_0003_1111_0002];
    assert_eq!(pin.get_words(&*rig.engine), expected);
}

#[test]
fn the_time_limit_of_messages_is_none_after_reset_and_has_5_bits() {
    let mut rig = Rig::new(0.0, 1);
    let address = global::MESSAGE_TIMEOUT as u16;
    assert_eq!(rig.read(address), (response::OKAY, 0));
    for (written, limit) in [(31, 31), (7, 7), (0xFFFF_FFE0 | 9, 9), (0, 0)] {
        rig.write(address, written);
        assert_eq!(rig.read(address), (response::OKAY, limit));
        assert_eq!(rig.get("message_timeout"), u64::from(limit));
    }
}

#[test]
fn the_message_limit_is_64_after_reset_and_has_7_bits() {
    let mut rig = Rig::new(0.0, 1);
    let address = global::MESSAGE_LIMIT as u16;
    assert_eq!(rig.read(address), (response::OKAY, 64));
    assert_eq!(rig.get("message_limit"), 64);
    for limit in [0, 1, 63, 64, 65, 127] {
        rig.write(address, limit);
        assert_eq!(rig.read(address), (response::OKAY, limit));
        assert_eq!(rig.get("message_limit"), u64::from(limit));
    }
    rig.write(address, 0xFFFF_FF80 | 9);
    assert_eq!(rig.read(address), (response::OKAY, 9));
}

#[test]
fn size_limits_belong_to_one_context_and_an_atomic_has_512_bytes_at_most() {
    let mut rig = Rig::new(0.0, 1);
    let read = |rig: &mut Rig, page| {
        let message = rig.read(at(page, context::MAX_MESSAGE_SIZE));
        let atomic = rig.read(at(page, context::MAX_ATOMIC_SIZE));
        assert_eq!((message.0, atomic.0), (response::OKAY, response::OKAY));
        (message.1, atomic.1)
    };
    let mut expected = [(u32::MAX, 512); 4];
    for (page, message, atomic) in [
        (1, 0, 0),
        (3, 0x1234_5678, 511),
        (0, 1, 512),
        (2, 4096, 513),
        (1, u32::MAX, 1024),
        (3, 77, u32::MAX),
        (0, 0x8000_0000, 1),
    ] {
        rig.write(at(page, context::MAX_MESSAGE_SIZE), message);
        rig.write(at(page, context::MAX_ATOMIC_SIZE), atomic);
        expected[page as usize] = (message, atomic.min(512));
        for page in 0..CONTEXTS {
            assert_eq!(read(&mut rig, page), expected[page as usize], "{page}");
        }
        let atomics = (0..4).map(|page| u64::from(expected[page].1) << (10 * page));
        assert_eq!(rig.get("max_atomic_sizes"), atomics.sum::<u64>());
        let messages =
            [0, 2].map(|page| u64::from(expected[page].0) | u64::from(expected[page + 1].0) << 32);
        assert_eq!(rig.words("max_message_sizes"), messages);
    }
    rig.engine.reset(1).expect("has rst");
    assert_eq!(read(&mut rig, 3), (u32::MAX, 512));
    let beyond = at(0, context::MAX_ATOMIC_SIZE + 4);
    assert_eq!(rig.write(beyond, 1), response::DECERR);
}

#[test]
fn status_counts_are_those_of_the_context_and_cannot_be_written() {
    let mut rig = Rig::new(0.0, 1);
    let counters = [
        ("count_drop", context::DROP_COUNT),
        ("count_permission", context::PERMISSION_VIOLATIONS),
        ("count_operation", context::OPERATION_VIOLATIONS),
    ];
    for page in 0..CONTEXTS {
        for (number, (name, _)) in counters.iter().enumerate() {
            for _ in 0..4 * page as usize + number + 1 {
                rig.set("count_context", page.into());
                rig.set(name, 1);
                rig.cycle();
                rig.set(name, 0);
            }
        }
    }
    for page in 0..CONTEXTS {
        for (number, (_, offset)) in counters.iter().enumerate() {
            let count = 4 * page + number as u32 + 1;
            assert_eq!(rig.read(at(page, *offset)), (response::OKAY, count));
            assert_eq!(rig.write(at(page, *offset), 0), response::SLVERR);
            assert_eq!(rig.read(at(page, *offset)), (response::OKAY, count));
        }
    }
}

#[test]
fn what_is_dropped_behind_the_lists_counts_too_also_in_the_same_cycle() {
    let mut rig = Rig::new(0.0, 1);
    for (early, late) in [(1, 1), (2, 1), (3, 0)] {
        rig.set("count_context", early);
        rig.set("late_context", late);
        rig.set("count_drop", 1);
        rig.set("count_late_drop", 1);
        rig.cycle();
        rig.set("count_drop", 0);
        rig.set("count_late_drop", 0);
    }
    for (page, count) in [(0, 1), (1, 3), (2, 1), (3, 1)] {
        assert_eq!(rig.read(at(page, context::DROP_COUNT)).1, count);
        assert_eq!(rig.read(at(page, context::PERMISSION_VIOLATIONS)).1, 0);
    }
}
