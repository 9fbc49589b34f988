//! `AckFifo` against a list; `QueueKey` over all queues.

use std::collections::VecDeque;

use proptest::prelude::*;
use xtq_rtl::queue::ack_fifo::AckFifo;
use xtq_testbench::by_name::Hardware;

fn acks() -> Hardware {
    Hardware::block("ack_fifo")
}

/// One cycle: the pulse (nothing: none) and whether it is taken. Gives the acknowledgement that was there.
fn cycle(acks: &mut Hardware, pulse: Option<bool>, take: bool) -> Option<bool> {
    acks.set("done", &[pulse.is_some().into()]);
    // Without a pulse `error` is noise.
    acks.set("error", &[pulse.unwrap_or(true).into()]);
    acks.set("take", &[take.into()]);
    acks.eval();
    let there = (acks.get("ack") == [1]).then(|| acks.get("ack_error") == [1]);
    acks.step();
    there
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_acknowledgement_is_there_from_its_pulse_until_it_is_taken(
        run in prop::collection::vec((prop::option::of(any::<bool>()), any::<bool>()), 1..200),
    ) {
        let mut acks = acks();
        let mut model = VecDeque::new();
        for (pulse, take) in run {
            // Who writes keeps room; what is taken now makes some.
            let pulse = pulse.filter(|_| model.len() < 4 || take);
            model.extend(pulse);
            prop_assert_eq!(cycle(&mut acks, pulse, take), model.front().copied());
            if take {
                model.pop_front();
            }
        }
    }
}

#[test]
fn an_acknowledgement_taken_in_the_cycle_of_its_pulse_is_gone() {
    let mut acks = acks();
    for error in [true, false, true] {
        assert_eq!(cycle(&mut acks, Some(error), true), Some(error));
        assert_eq!(cycle(&mut acks, None, true), None);
    }
}

#[test]
fn four_acknowledgements_wait_and_come_in_order() {
    let mut acks = acks();
    for error in [true, false, false, true] {
        cycle(&mut acks, Some(error), false);
    }
    for error in [true, false, false, true] {
        assert_eq!(cycle(&mut acks, None, true), Some(error));
    }
    assert_eq!(cycle(&mut acks, None, false), None);
}

#[test]
fn reset_forgets_what_waits() {
    let mut acks = acks();
    // So that no register is what it is after reset.
    for take in [false, false, true, true] {
        cycle(&mut acks, Some(true), take);
    }
    acks.0.reset(1).unwrap();
    assert_eq!(cycle(&mut acks, None, true), None);
    assert_eq!(cycle(&mut acks, Some(false), false), Some(false));
    assert_eq!(cycle(&mut acks, None, true), Some(false));
    assert_eq!(cycle(&mut acks, None, true), None);
}

#[test]
#[should_panic(expected = "AckFifo: pointers of 4 bits for 2^2 acknowledgements, must be 3")]
fn pointers_of_another_width_are_refused() {
    AckFifo::<2, 4>::default();
}

#[test]
fn every_queue_has_a_key_of_its_own() {
    let mut key = Hardware::block("queue_key");
    for owner in 0..4 {
        for index in 0..64 {
            key.set("owner", &[owner]);
            // The upper bits do not count.
            key.set("index", &[index | (owner ^ index) << 6]);
            key.eval();
            assert_eq!(key.get("key"), [64 * owner + index]);
        }
    }
}
