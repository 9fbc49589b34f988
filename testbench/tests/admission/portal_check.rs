//! `PortalCheck` through the steps of a decision, against arithmetic on wide integers; what is not latched changes in
//! every cycle.

mod single;

use proptest::prelude::*;
use xtq_testbench::bus::Gaps;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::matching::{MatchResult, me_option, outcome};
use xtq_types::pipe::{PacketHead, PortalEntry};

use super::model::Portal;
use xtq_testbench::by_name::Hardware;

/// A message, its entry, and the cycles that each step takes.
#[derive(Clone, Debug)]
struct Case {
    xtq: bool,
    last: bool,
    context: u8,
    portal: u16,
    length: u32,
    command_length: u16,
    entry: Portal,
    open_free: bool,
    steps: [u8; 4],
}

/// What the block says of a message.
#[derive(Debug, PartialEq)]
struct Told {
    early: u8,
    usable: bool,
    wants_event: bool,
    room: bool,
    room_flow: bool,
    misaligned: bool,
}

fn check(case: &Case, noise: &mut Gaps) -> Result<(), TestCaseError> {
    let mut block = Hardware::block("portal_check");
    let head = PacketHead {
        xtq: u64::from(case.xtq).into(),
        first: 1.into(),
        last: u64::from(case.last).into(),
        context: u64::from(case.context).into(),
        portal_index: u64::from(case.portal).into(),
        message_length: u64::from(case.length).into(),
        command_length: u64::from(case.command_length).into(),
        ..Default::default()
    };
    let mut words = vec![0; 8];
    head.to_words(&mut words);
    block.set("head", &words);
    let portal = &case.entry;
    let pad = if case.xtq {
        portal.offset.wrapping_neg() % 64
    } else {
        0
    };
    let need = u64::from(case.length) + pad;
    let offset = portal.offset.wrapping_add(pad);
    let landing = portal.start.wrapping_add(offset);
    let mut rooms = (false, false);
    let mut done = 0;
    for (step, name) in ["checking", "deciding", "sending", "waiting"]
        .iter()
        .enumerate()
    {
        if step > 1 && !case.xtq {
            break;
        }
        for (other, name) in ["checking", "deciding", "sending", "waiting"]
            .iter()
            .enumerate()
        {
            block.set(name, &[(other == step).into()]);
        }
        let cycles = case.steps[step].max(1);
        for cycle in 0..cycles {
            let latched = step == 0 && cycle == cycles - 1;
            let (room, room_flow) = (noise.noise() & 15, noise.noise() & 15);
            block.set("room", &[room]);
            block.set("room_flow", &[room_flow]);
            block.set(
                "open_free",
                &[if latched {
                    case.open_free.into()
                } else {
                    noise.noise() & 1
                }],
            );
            let mut words: Vec<u64> = (0..4).map(|_| noise.noise()).collect();
            words[3] &= 15;
            if latched {
                portal.to_entry().to_words(&mut words);
            }
            block.set("entry", &words);
            block.eval();
            if step == 1 {
                rooms = (
                    room >> case.context & 1 == 1,
                    room_flow >> case.context & 1 == 1,
                );
            }
            if step > usize::from(case.xtq) {
                let wants_event = portal.event_success || portal.event_failure;
                let early = if case.portal > 15 {
                    status::NO_PORTAL
                } else if !portal.enabled {
                    status::PT_DISABLED
                } else if need > portal.remaining {
                    status::BUFFER_TOO_SMALL
                } else if portal.flow_control && wants_event && !rooms.0 {
                    status::PT_DISABLED
                } else if !case.last && !case.open_free {
                    status::NO_MESSAGE_SLOT
                } else {
                    status::OK
                };
                let expected = Told {
                    early,
                    usable: case.portal < 16 && portal.enabled,
                    wants_event,
                    room: rooms.0,
                    room_flow: rooms.1,
                    misaligned: !portal.start.is_multiple_of(64),
                };
                let word = |name| block.get(name)[0];
                let flag = |name| word(name) == 1;
                let told = Told {
                    early: word("early") as u8,
                    usable: flag("usable"),
                    wants_event: flag("wants_event"),
                    room: flag("room_now"),
                    room_flow: flag("room_flow_now"),
                    misaligned: flag("misaligned"),
                };
                prop_assert_eq!(told, expected, "{}", name);
                prop_assert_eq!(
                    PortalEntry::from_words(&block.get("kept")),
                    portal.to_entry()
                );
                prop_assert_eq!(word("offset"), offset);
                prop_assert_eq!(word("delivered_length"), u64::from(case.length));
                if need <= portal.remaining {
                    prop_assert_eq!(word("left"), portal.remaining - need);
                }
                if step == 3 || !case.xtq {
                    prop_assert_eq!(word("landing"), landing);
                }
                if step == 3 {
                    let payload = landing.wrapping_add(case.command_length.into());
                    prop_assert_eq!(word("payload_address"), payload);
                }
                done += 1;
            }
            block.step();
        }
    }
    prop_assert!(done > 0);
    Ok(())
}

fn case() -> impl Strategy<Value = Case> {
    let length = prop_oneof![0..10_000u32, any::<u32>(), (u32::MAX - 70)..=u32::MAX];
    let low = prop_oneof![Just(0u64), 1..64u64];
    (
        (
            any::<bool>(),
            any::<bool>(),
            0..4u8,
            prop_oneof![9 => 0..16u16, 1 => 16..20u16, 1 => any::<u16>()],
        ),
        (
            length,
            any::<u16>(),
            any::<[bool; 4]>(),
            prop::bool::weighted(0.9),
        ),
        (
            any::<u64>(),
            low.clone(),
            any::<u64>(),
            low,
            -70..70i64,
            any::<Option<u64>>(),
        ),
        (any::<bool>(), any::<[u8; 4]>()),
    )
        .prop_map(|(packet, size, buffer, surroundings)| {
            let [flow_control, event_success, event_failure, _] = size.2;
            // Mostly about as much room as the message needs.
            let remaining = buffer
                .5
                .unwrap_or_else(|| u64::from(size.0).saturating_add_signed(buffer.4));
            Case {
                xtq: packet.0,
                last: packet.1,
                context: packet.2,
                portal: packet.3,
                length: size.0,
                command_length: size.1,
                entry: Portal {
                    enabled: size.3,
                    flow_control,
                    event_success,
                    event_failure,
                    start: buffer.0 & !63 | buffer.1,
                    offset: buffer.2 & !63 | buffer.3,
                    remaining,
                },
                open_free: surroundings.0,
                steps: surroundings.1.map(|cycles| cycles % 3 + 1),
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_it_says_is_that_of_the_entry_and_the_event_ring_when_they_were_looked_at(case in case(), seed in any::<u64>()) {
        // An XTQ put is decided about in one cycle.
        let mut case = case;
        if case.xtq {
            case.steps[1] = 1;
        }
        check(&case, &mut Gaps::random(0.0, seed))?;
    }
}

/// A message about which the lists have decided.
#[derive(Clone, Debug)]
struct Listed {
    xtq: bool,
    last: bool,
    outcome: u8,
    options: u32,
    flow_control: bool,
    stopped: bool,
    open_free: bool,
    /// The lists have dropped it for want of a place.
    crowded: bool,
    /// It asks for an acknowledgement.
    acknowledged: bool,
    start: u64,
    offset: u64,
    /// Bytes asked for, and bytes that move.
    lengths: [u32; 2],
}

fn listed() -> impl Strategy<Value = Listed> {
    (
        (
            any::<bool>(),
            any::<bool>(),
            prop_oneof![3 => Just(0u8), 1 => 1..6u8],
            0..1u32 << 20,
        ),
        (
            any::<bool>(),
            prop::bool::weighted(0.2),
            any::<bool>(),
            any::<bool>(),
        ),
        (any::<u64>(), any::<u64>(), 0..3u64),
        (any::<u32>(), any::<u32>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(|(message, portal, place, lengths)| Listed {
            xtq: message.0,
            last: message.1,
            outcome: message.2,
            options: message.3,
            flow_control: portal.0,
            stopped: portal.1,
            open_free: portal.2,
            crowded: portal.3,
            acknowledged: lengths.3,
            start: (place.0 & !63) | (place.2 * 32),
            offset: place.1 & !31,
            lengths: [
                lengths.0,
                if lengths.2 {
                    lengths.0
                } else {
                    lengths.0 & lengths.1
                },
            ],
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn with_lists_their_answer_stands_in_the_place_of_the_entry(case in listed()) {
        let mut block = Hardware::block("portal_check");
        let head = PacketHead {
            xtq: u64::from(case.xtq).into(),
            lists: 1.into(),
            first: 1.into(),
            last: u64::from(case.last).into(),
            portal_index: 63.into(),
            ack_request: u64::from(case.acknowledged).into(),
            message_length: u64::from(case.lengths[0]).into(),
            command_length: 80.into(),
            ..Default::default()
        };
        let result = MatchResult {
            outcome: u64::from(case.outcome).into(),
            options: u64::from(case.options).into(),
            flow_control: u64::from(case.flow_control).into(),
            start: case.start.into(),
            offset: case.offset.into(),
            mlength: u64::from(case.lengths[1]).into(),
            crowded: u64::from(case.crowded).into(),
            ..Default::default()
        };
        let mut words = vec![0; 8];
        head.to_words(&mut words);
        block.set("head", &words);
        let mut words = vec![0; 5];
        result.to_words(&mut words);
        block.set("result", &words);
        block.set("open_free", &[case.open_free.into()]);
        block.set("stopped", &[case.stopped.into()]);
        for step in ["checking", "deciding", "sending", "waiting"] {
            for name in ["checking", "deciding", "sending", "waiting"] {
                block.set(name, &[(name == step).into()]);
            }
            block.eval();
            if step != "waiting" {
                block.step();
            }
        }
        let early = match case.outcome {
            outcome::NO_PORTAL => status::NO_PORTAL,
            outcome::DROPPED if case.crowded => status::NO_MESSAGE_SLOT,
            outcome::DROPPED => status::NO_MATCH,
            outcome::PT_DISABLED => status::PT_DISABLED,
            outcome::PERM_VIOLATION => status::PERM_VIOLATION,
            outcome::OP_VIOLATION => status::OP_VIOLATION,
            _ if case.stopped => status::PT_DISABLED,
            _ if case.xtq && case.lengths[0] != case.lengths[1] => status::BUFFER_TOO_SMALL,
            _ => status::OK,
        };
        let word = |name| block.get(name)[0];
        let matched = case.outcome == outcome::MATCHED;
        let landing = case.start.wrapping_add(case.offset);
        prop_assert_eq!(word("early") as u8, early);
        prop_assert_eq!(word("usable") == 1, matched);
        // Who gets no acknowledgement would not hear of a message that found no place.
        let unheard = early == status::NO_MESSAGE_SLOT && !case.acknowledged;
        let told = (matched || unheard) && case.options & me_option::COMM_DISABLE == 0;
        prop_assert_eq!(word("wants_event") == 1, told);
        prop_assert_eq!(word("offset"), case.offset);
        prop_assert_eq!(word("delivered_length"), u64::from(case.lengths[1]));
        if case.xtq {
            prop_assert_eq!(word("landing"), landing);
            prop_assert_eq!(word("misaligned") == 1, !landing.is_multiple_of(64));
            prop_assert_eq!(word("payload_address"), landing.wrapping_add(80));
        }
        let kept = PortalEntry::from_words(&block.get("kept"));
        let silent = case.options & (me_option::COMM_DISABLE | me_option::SUCCESS_DISABLE) != 0;
        prop_assert_eq!(kept.event_success == 1u64, matched && !silent);
        prop_assert_eq!(kept.flow_control == 1u64, case.flow_control);
    }
}
