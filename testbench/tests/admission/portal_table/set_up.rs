//! What the host sets up, and when it counts.

use xtq_engine::Engine;
use xtq_types::register_map::{portal_control, portal_word};

use super::{Hardware, Inputs};

#[test]
fn all_entries_are_disabled_after_reset_and_keep_their_words() {
    let mut hardware = Hardware::new();
    hardware.set_up(33, 0x1_0000_0040, 0x2_0000_0000, 64, 7);
    let before = hardware.lookup(33);
    assert_eq!(before.flow_portals, 1 << 10);
    assert_eq!(before.entry.remaining, 0x2_0000_0000u64 - 64);
    hardware.0.0.reset(1).expect("has rst");
    let after = hardware.lookup(33);
    assert_eq!(after.flow_portals, 0);
    assert_eq!(after.entry.enabled, 0u64);
    assert_eq!(hardware.read(33, portal_word::OPTIONS), 0);
    assert_eq!(hardware.read(33, portal_word::CONTROL), 0);
    assert_eq!(hardware.read(33, portal_word::START_HI), 1);
    assert_eq!(hardware.read(33, portal_word::LENGTH_HI), 2);
}

#[test]
fn remaining_is_zero_when_the_offset_is_behind_the_end() {
    let mut hardware = Hardware::new();
    for (length, offset, remaining) in [
        (64, 64, 0),
        (64, 65, 0),
        (0, u64::MAX, 0),
        (u64::MAX, 0, u64::MAX),
        (1 << 32, 1, u64::from(u32::MAX)),
        (0xFFFF_FFFF, 1 << 32, 0),
    ] {
        hardware.set_up(5, 0, length, offset, 0);
        let found = hardware.lookup(5).entry;
        assert_eq!(found.enabled, 1u64);
        assert_eq!(
            found.remaining, remaining,
            "length {length}, offset {offset}"
        );
    }
}

#[test]
fn an_enabled_entry_is_not_set_up_anew_and_a_disabled_one_only_after_the_decision() {
    let mut hardware = Hardware::new();
    hardware.set_up(9, 64, 128, 0, 0);
    let mut inputs = Inputs {
        lookup: 9,
        hold: true,
        ..Inputs::default()
    };
    for word in 0..7 {
        inputs.cfg = Some((9, word, 5));
        let refused = word != portal_word::OPTIONS;
        assert_eq!(hardware.cycle(&inputs).cfg, (true, refused), "word {word}");
    }
    inputs.cfg = Some((9, portal_word::CONTROL, portal_control::ENABLE));
    assert_eq!(hardware.cycle(&inputs).cfg, (true, true));
    inputs.cfg = Some((9, portal_word::CONTROL, portal_control::DISABLE));
    assert_eq!(hardware.cycle(&inputs).cfg, (true, false), "done at once");
    for _ in 0..10 {
        let waits = hardware.cycle(&inputs);
        assert!(!waits.cfg.0, "the answer waits: a message may be let in");
        assert_eq!(waits.entry.enabled, 0u64);
    }
    inputs.cfg = Some((9, portal_word::OPTIONS, 5));
    assert!(hardware.cycle(&inputs).cfg.0, "options do not wait");
    inputs.cfg = Some((9, portal_word::OFFSET_LO, 64));
    for _ in 0..10 {
        assert!(!hardware.cycle(&inputs).cfg.0, "admission may still commit");
    }
    inputs.commit = Some((9, 32, 96, false));
    assert!(!hardware.cycle(&inputs).cfg.0, "the commit goes first");
    inputs.commit = None;
    inputs.hold = false;
    assert_eq!(hardware.cycle(&inputs).cfg, (true, false));
    let found = hardware.lookup(9).entry;
    assert_eq!((found.start, found.offset), (64u64.into(), 64u64.into()));
}

#[test]
fn enabling_takes_four_cycles() {
    let mut hardware = Hardware::new();
    hardware.write(2, portal_word::LENGTH_LO, 100);
    hardware.write(2, portal_word::CONTROL, portal_control::ENABLE);
    let enabled: Vec<u64> = (0..4)
        .map(|_| hardware.lookup(2).entry.enabled.into())
        .collect();
    assert_eq!(enabled, [0, 0, 0, 1]);
    assert_eq!(
        hardware.write(2, portal_word::CONTROL, portal_control::DISABLE),
        1
    );
    assert_eq!(hardware.lookup(2).entry.enabled, 0u64);
}
