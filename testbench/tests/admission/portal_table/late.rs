//! A queue that is found full late disables its portal entry.

use xtq_types::register_map::{portal_control, portal_options, portal_word};

use super::{Hardware, Inputs};

/// An enabled entry with flow control, and a cycle of the completer that disables it.
fn late(entry: usize) -> (Hardware, Inputs) {
    let mut hardware = Hardware::new();
    hardware.set_up(entry, 0, 4096, 0, portal_options::FLOW_CONTROL);
    let inputs = Inputs {
        lookup: entry,
        late: (entry, true),
        ..Inputs::default()
    };
    (hardware, inputs)
}

#[test]
fn a_late_disable_keeps_the_offset_and_a_commit_may_follow_it() {
    let (mut hardware, mut inputs) = late(7);
    inputs.hold = true;
    assert_eq!(hardware.cycle(&inputs).late, (true, true, true));
    let found = hardware.lookup(7);
    assert_eq!(found.entry.enabled, 0u64);
    assert_eq!(found.flow_portals, 0);
    // Admission had read the entry as enabled; until it commits the host waits.
    inputs.late.1 = false;
    inputs.cfg = Some((7, portal_word::CONTROL, portal_control::ENABLE));
    assert_eq!(hardware.cycle(&inputs).cfg, (false, false));
    inputs.commit = Some((7, 64, 4032, false));
    hardware.cycle(&inputs);
    assert_eq!(hardware.lookup(7).entry.offset, 64u64);
    assert_eq!(hardware.lookup(7).entry.enabled, 0u64);
}

#[test]
fn of_two_that_disable_an_entry_in_one_cycle_the_commit_does() {
    let (mut hardware, mut inputs) = late(7);
    inputs.commit = Some((7, 64, 4032, true));
    assert_eq!(hardware.cycle(&inputs).late, (true, true, false));
    inputs.commit = None;
    inputs.late.1 = false;
    let after = hardware.cycle(&inputs);
    assert_eq!(after.late, (true, false, true), "the completer sees it");
    assert_eq!(after.flow_portals, 0, "counted once");
}

#[test]
fn a_host_that_enables_in_the_same_cycle_comes_behind_a_late_disable() {
    // The last step of enabling entry 8 meets the disabling of entry 7: both happen, one after the other.
    let (mut hardware, inputs) = late(7);
    hardware.write(8, portal_word::OPTIONS, portal_options::FLOW_CONTROL);
    hardware.write(8, portal_word::CONTROL, portal_control::ENABLE);
    hardware.lookup(8);
    hardware.lookup(8);
    assert_eq!(hardware.cycle(&inputs).late, (true, true, true));
    assert_eq!(hardware.lookup(8).entry.enabled, 0u64);
    let after = hardware.lookup(8);
    assert_eq!((after.entry.enabled, after.flow_portals), (1u64.into(), 1));
    // CONTROL = 1 on the entry itself is refused while it is enabled, and works when it is not.
    let (mut hardware, mut inputs) = late(7);
    inputs.cfg = Some((7, portal_word::CONTROL, portal_control::ENABLE));
    assert_eq!(hardware.cycle(&inputs).cfg, (false, true));
    inputs.late.1 = false;
    assert_eq!(hardware.cycle(&inputs).cfg, (true, false));
    for _ in 0..3 {
        hardware.lookup(7);
    }
    assert_eq!(hardware.lookup(7).late, (false, false, true));
    assert_eq!(hardware.lookup(7).entry.enabled, 1u64);
}
