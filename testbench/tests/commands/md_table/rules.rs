//! The rules of the contract, one by one.

use crate::md_table::harness::{
    BAD_DESCRIPTOR, Bytes, DESCRIPTOR_OVERFLOW, Hardware, IN_USE, Inputs, OK, OVERFLOW, REFUSED,
    Says, bytes,
};

#[test]
fn a_lookup_a_cycle_is_answered_three_cycles_later() {
    let mut hardware = Hardware::new();
    hardware.bind((1, 5), bytes(0x1000, 100));
    let mut answers = Vec::new();
    for cycle in 0..20 {
        let lookup = (cycle < 16).then_some((
            (1, 5),
            Bytes {
                offset: cycle,
                length: 1,
            },
        ));
        answers.push(
            hardware
                .cycle(Inputs {
                    lookup,
                    ..Inputs::default()
                })
                .found,
        );
    }
    let expected = |cycle: u64| {
        (3..19)
            .contains(&cycle)
            .then(|| [0, 0x1000 + cycle - 3, 0, 0xA5C3, 200, 1])
    };
    assert_eq!(answers, (0..20).map(expected).collect::<Vec<_>>());
}

#[test]
fn a_lookup_right_behind_a_bind_or_release_sees_it_and_one_beside_it_does_not() {
    let mut hardware = Hardware::new();
    let lookup = Some((
        (2, 9),
        Bytes {
            offset: 4,
            length: 4,
        },
    ));
    let bind = Some(((2, 9), bytes(0x40, 8)));
    let mut found = vec![
        hardware.cycle(Inputs {
            bind,
            lookup,
            ..Inputs::default()
        }),
        hardware.cycle(Inputs {
            lookup,
            ..Inputs::default()
        }),
        hardware.cycle(Inputs {
            release: Some((2, 9)),
            lookup,
            ..Inputs::default()
        }),
        hardware.cycle(Inputs {
            lookup,
            ..Inputs::default()
        }),
    ];
    found.extend((0..3).map(|_| hardware.cycle(Inputs::default())));
    let found: Vec<_> = found[3..].iter().map(|outputs| outputs.found).collect();
    let seen = [0, 0x44, 0, 0xA5C3, 200, 1];
    assert_eq!(found, [REFUSED, seen, seen, REFUSED].map(Some));
}

#[test]
fn the_bytes_must_lie_inside_the_descriptor_without_any_wrap() {
    const MAX: u64 = u64::MAX;
    let mut hardware = Hardware::new();
    let lengths = [0, 1, 100, 1 << 63, MAX];
    for (number, length) in lengths.into_iter().enumerate() {
        assert_eq!(hardware.bind((0, number as u64), bytes(0, length)), OK);
    }
    let offsets = [0, 1, 50, 99, 100, 101, 1 << 63, MAX - 1, MAX];
    for (number, length) in lengths.into_iter().enumerate() {
        for offset in offsets {
            for asked in [0, 1, 50, 51, 100, 101, 1 << 63, MAX - 1, MAX] {
                let right = u128::from(offset) + u128::from(asked) <= u128::from(length);
                let found = hardware.lookup((0, number as u64), offset, asked);
                let expected = if right { OK } else { DESCRIPTOR_OVERFLOW };
                assert_eq!(found[0], expected, "{offset} + {asked} in {length}");
            }
        }
    }
    assert_eq!(hardware.lookup((0, 2), 100, 0)[0], OK, "nothing at the end");
    assert_eq!(
        hardware.lookup((0, 2), 101, MAX),
        OVERFLOW,
        "100 modulo 2^64"
    );
}

#[test]
fn the_address_counts_modulo_2_to_the_64() {
    let mut hardware = Hardware::new();
    hardware.bind((0, 0), bytes(u64::MAX - 9, 1 << 32));
    assert_eq!(hardware.lookup((0, 0), 9, 1)[1], u64::MAX);
    assert_eq!(hardware.lookup((0, 0), 10, 1)[1], 0);
    assert_eq!(hardware.lookup((0, 0), 0xFFFF_FFFF, 1)[1], 0xFFFF_FFF5);
}

#[test]
fn numbers_above_63_do_not_exist() {
    numbers_above_do_not_exist(Hardware::new(), 63);
}

#[test]
fn in_the_large_configuration_numbers_above_255_do_not_exist() {
    numbers_above_do_not_exist(Hardware::large(), 255);
}

fn numbers_above_do_not_exist(mut hardware: Hardware, highest: u64) {
    for context in 0..4 {
        for number in [0, highest] {
            assert_eq!(hardware.bind((context, number), bytes(64 * number, 64)), OK);
        }
    }
    for bit in highest.count_ones()..16 {
        for number in [1 << bit, highest | 1 << bit] {
            assert_eq!(hardware.bind((3, number), bytes(0, 1)), BAD_DESCRIPTOR);
            assert_eq!(hardware.lookup((3, number), 0, 0), REFUSED);
            assert_eq!(hardware.release((3, number)), BAD_DESCRIPTOR);
            // Nor do they name another one when that is free.
            assert_eq!(
                hardware.bind((1, 1 | 1 << bit), bytes(0, 1)),
                BAD_DESCRIPTOR
            );
        }
    }
    assert_eq!(hardware.lookup((1, 1), 0, 0), REFUSED);
    for context in 0..4 {
        let found = hardware.lookup((context, highest), 0, 64);
        assert_eq!(found[1], 64 * highest);
        assert_eq!(hardware.release((context, highest)), OK);
    }
}

#[test]
fn a_number_of_one_context_names_nothing_of_another() {
    let mut hardware = Hardware::new();
    for context in 0..4 {
        let says = Says {
            start: 0x1000 * context,
            length: context,
            pieces: 0,
            options: context,
            counter: context,
            counted: 1,
        };
        if context != 2 {
            assert_eq!(hardware.bind((context, 7), says), OK);
        }
    }
    assert_eq!(hardware.lookup((2, 7), 0, 0), REFUSED);
    assert_eq!(hardware.release((2, 7)), BAD_DESCRIPTOR);
    assert_eq!(hardware.lookup((3, 7), 1, 2), [0, 0x3001, 0, 3, 3, 1]);
    assert_eq!(hardware.lookup((1, 7), 0, 2), OVERFLOW);
    hardware.hold((3, 7));
    assert_eq!(hardware.release((1, 7)), OK, "only the other one is used");
    assert_eq!(hardware.release((3, 7)), IN_USE);
    assert_eq!(hardware.lookup((0, 7), 0, 0)[0], OK);
}

#[test]
fn a_descriptor_is_bound_once_and_released_once() {
    let mut hardware = Hardware::new();
    assert_eq!(hardware.release((0, 3)), BAD_DESCRIPTOR);
    assert_eq!(hardware.bind((0, 3), bytes(1, 1)), OK);
    assert_eq!(hardware.bind((0, 3), bytes(2, 2)), IN_USE);
    assert_eq!(hardware.lookup((0, 3), 0, 1)[1], 1, "the first bind counts");
    assert_eq!(hardware.release((0, 3)), OK);
    assert_eq!(hardware.release((0, 3)), BAD_DESCRIPTOR);
    assert_eq!(hardware.bind((0, 3), bytes(2, 2)), OK);
    assert_eq!(hardware.lookup((0, 3), 0, 2)[1], 2);
}

#[test]
fn a_descriptor_that_64_messages_use_is_released_behind_the_last() {
    let mut hardware = Hardware::new();
    hardware.bind((1, 0), bytes(0, 1));
    // Three rounds, so that the counts have passed 2^7.
    for round in 0..3 {
        for _ in 0..64 {
            hardware.hold((1, 0));
            assert_eq!(hardware.release((1, 0)), IN_USE, "round {round}");
        }
        for _ in 0..64 {
            assert_eq!(hardware.release((1, 0)), IN_USE, "round {round}");
            hardware.drop((1, 0));
        }
    }
    assert_eq!(hardware.release((1, 0)), OK);
}

#[test]
fn a_hold_and_a_drop_in_one_cycle_leave_the_number_of_uses() {
    let mut hardware = Hardware::new();
    hardware.bind((1, 0), bytes(0, 1));
    hardware.bind((1, 1), bytes(0, 1));
    hardware.hold((1, 0));
    let both = |hold, drop| Inputs {
        hold: Some(hold),
        drop: Some(drop),
        ..Inputs::default()
    };
    for _ in 0..200 {
        hardware.cycle(both((1, 0), (1, 0)));
    }
    assert_eq!(hardware.release((1, 0)), IN_USE);
    hardware.cycle(both((1, 1), (1, 0)));
    assert_eq!(hardware.release((1, 0)), OK);
    assert_eq!(hardware.release((1, 1)), IN_USE);
}

#[test]
fn a_bind_waits_for_a_hold_and_a_release_for_a_bind() {
    let mut hardware = Hardware::new();
    hardware.bind((0, 1), bytes(0, 1));
    let (bind, release) = (Some(((0, 2), bytes(0, 1))), Some((0, 1)));
    let waits = hardware.cycle(Inputs {
        bind,
        release,
        hold: Some((0, 1)),
        ..Inputs::default()
    });
    assert!(!waits.bind_ready && !waits.release_ready);
    let bound = hardware.cycle(Inputs {
        bind,
        release,
        drop: Some((0, 1)),
        ..Inputs::default()
    });
    assert_eq!((bound.bound, bound.released), (None, None));
    assert!(bound.bind_ready && !bound.release_ready);
    let released = hardware.cycle(Inputs {
        release,
        ..Inputs::default()
    });
    assert!(released.release_ready);
    assert_eq!((released.bound, released.released), (Some(OK), None));
    let last = hardware.cycle(Inputs::default());
    assert_eq!((last.bound, last.released), (None, Some(OK)));
}

#[test]
fn the_info_is_read_one_cycle_later_and_outlives_the_release() {
    let mut hardware = Hardware::new();
    hardware.bind(
        (3, 1),
        Says {
            options: 0x8001,
            counter: 255,
            counted: 0,
            ..Says::default()
        },
    );
    hardware.bind(
        (3, 2),
        Says {
            options: 2,
            counter: 1,
            counted: 1,
            ..Says::default()
        },
    );
    hardware.release((3, 1));
    hardware.cycle(Inputs {
        read: (3, 1),
        ..Inputs::default()
    });
    let first = hardware.cycle(Inputs {
        read: (3, 2),
        ..Inputs::default()
    });
    assert_eq!(first.read_info, [0x8001, 255, 0]);
    assert_eq!(hardware.cycle(Inputs::default()).read_info, [2, 1, 1]);
}

#[test]
fn reset_forgets_descriptors_uses_and_lookups_under_way() {
    let mut hardware = Hardware::new();
    hardware.bind((0, 4), bytes(0, 1));
    hardware.hold((0, 4));
    let lookup = Some((
        (0, 4),
        Bytes {
            offset: 0,
            length: 0,
        },
    ));
    hardware.cycle(Inputs {
        lookup,
        ..Inputs::default()
    });
    hardware.0.reset(1).expect("has rst");
    for _ in 0..4 {
        assert_eq!(hardware.cycle(Inputs::default()).found, None);
    }
    assert_eq!(hardware.lookup((0, 4), 0, 0), REFUSED);
    assert_eq!(hardware.bind((0, 4), bytes(0, 1)), OK);
    assert_eq!(hardware.release((0, 4)), OK, "nobody uses it");
}
