//! Random packets through the hardware, with pauses everywhere, and through the model: the same effects in the same
//! order.

mod open_messages;

use proptest::prelude::*;
use xtq_testbench::bus::Gaps;
use xtq_types::event::{access, status};

use super::hardware::{Hardware, Meanwhile, Seen};
use super::model::{Effect, Model, Packet, Portal};
use super::task_check::any_task;

/// Order by kind, and forget the slot of what is discarded (nobody reads it).
fn sorted(mut effects: Vec<Effect>) -> Vec<Effect> {
    for effect in &mut effects {
        if let Effect::Job {
            slot,
            discard: true,
            ..
        } = effect
        {
            *slot = 0;
        }
    }
    effects.sort_by_key(|effect| match effect {
        Effect::Info { .. } => 0,
        Effect::Lost { .. } => 1,
        Effect::Commit { .. } => 2,
        Effect::Admit { .. } => 3,
        Effect::Job { .. } => 4,
        Effect::Record { .. } => 5,
    });
    effects
}

fn any_portal() -> impl Strategy<Value = Portal> {
    let start = prop_oneof![6 => any::<u32>().prop_map(|s| u64::from(s) << 6), 1 => any::<u64>()];
    let remaining = prop_oneof![4 => 0x1_0000..u64::MAX / 2, 2 => 0..2000u64, 1 => Just(0)];
    (
        prop::bool::weighted(0.9),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        start,
        0..1_000_000u64,
        remaining,
    )
        .prop_map(
            |(enabled, flow_control, event_success, event_failure, start, offset, remaining)| {
                Portal {
                    enabled,
                    flow_control,
                    event_success,
                    event_failure,
                    start,
                    offset,
                    remaining,
                }
            },
        )
}

fn any_packet() -> impl Strategy<Value = Packet> {
    let answer = prop_oneof![
        5 => Just((status::OK, access::NONE)),
        1 => Just((status::QUEUE_FULL, access::NONE)),
        1 => Just((status::MEMORY_ERROR, access::INDEX)),
        1 => Just((status::BAD_QUEUE_SIZE, access::NONE)),
    ];
    let place = (
        0..4u8,
        prop_oneof![9 => 0..3u16, 1 => 14..20u16, 1 => any::<u16>()],
        0..20u16,
        0..2u16,
    );
    let length = prop_oneof![3 => 0..300u32, 2 => 4096..13_000u32, 1 => any::<u32>()];
    (any::<bool>(), 0..5u8, place, length, any_task(), answer).prop_map(
        |(xtq, part, (context, portal, source, message), length, task, queue_answer)| {
            let length = if xtq {
                length.max(task.command_length as u32)
            } else {
                length
            };
            // Three of five are first packets, the others anywhere in a message.
            let packets = length.div_ceil(4096).max(1);
            let number = if part < 3 {
                0
            } else {
                u32::from(part - 2).min(packets - 1)
            };
            let packet_offset = number * 4096;
            let body = (length - packet_offset).min(4096);
            Packet {
                xtq,
                first: number == 0,
                last: number == packets - 1,
                context,
                portal,
                source,
                message,
                packet_offset,
                length,
                body_bytes: body as u16,
                task,
                queue_answer,
            }
        },
    )
}

fn bits(flags: [bool; 4]) -> u64 {
    flags
        .iter()
        .enumerate()
        .map(|(i, flag)| u64::from(*flag) << i)
        .sum()
}

/// What may come of a packet while other things happen: everything that the cycles leave open.
fn outcomes(
    model: &Model,
    p: &Packet,
    meanwhile: Meanwhile,
    seen: &Seen,
) -> Vec<(Model, Vec<Effect>)> {
    let (orphans, first) = (
        model.orphans(meanwhile.contexts),
        meanwhile.contexts_in == 0,
    );
    let behind = meanwhile.contexts_in >= seen.cycles;
    let entry = usize::from(p.context) * 16 + usize::from(p.portal % 16);
    let off = meanwhile.entry_in.filter(|_| p.portal < 16);
    // Before the entry was read, after it, after the packet. It is read once more after a message that is ended.
    let reads_again = !model.continues(p) || meanwhile.contexts != 0;
    let entry_orders = match off {
        None => vec![(false, false)],
        Some(cycle) if cycle >= seen.cycles => vec![(false, false)],
        Some(_) if !seen.held => vec![(true, false)],
        Some(_) if reads_again => vec![(false, true), (true, false)],
        Some(_) => vec![(false, true)],
    };
    let mut outcomes = Vec::new();
    for (before, gone) in entry_orders {
        for order in 0..4 {
            let (mut model, mut effects) = (model.clone(), Vec::new());
            if before {
                model.portals[entry].enabled = false;
            }
            match order {
                0 if !behind => effects.extend(model.disable(&orphans)),
                // The source's own message is ended first.
                1 if !first && !behind && !model.continues(p) => {
                    effects.extend(model.abort(p));
                    effects.extend(model.disable(&orphans));
                }
                2 if !first && !behind => {}
                3 if behind => {}
                _ => continue,
            }
            effects.extend(model.packet(p, gone));
            match order {
                2 => effects.extend(model.disable(&orphans)),
                3 => {
                    let orphans = model.orphans(meanwhile.contexts);
                    effects.extend(model.disable(&orphans));
                }
                _ => {}
            }
            if off.is_some() {
                model.portals[entry].enabled = false;
            }
            outcomes.push((model, sorted(effects)));
        }
    }
    outcomes
}

fn any_meanwhile() -> impl Strategy<Value = Meanwhile> {
    let contexts = prop_oneof![5 => Just(0u64), 1 => 0..16u64];
    let contexts_in = prop_oneof![1 => Just(0u64), 2 => 1..12u64];
    let entry_in = prop::option::weighted(0.2, 0..12u64);
    (contexts, contexts_in, entry_in).prop_map(|(contexts, contexts_in, entry_in)| Meanwhile {
        contexts,
        contexts_in,
        entry_in,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_packet_has_the_effects_of_the_model(
        portals in prop::collection::vec(any_portal(), 64),
        packets in prop::collection::vec((any_packet(), any_meanwhile(), any::<[bool; 4]>(), any::<[bool; 4]>()), 1..60),
        pause in 0.0..0.7f64, seed in any::<u64>(),
    ) {
        let mut model = Model::new(portals.clone());
        let mut hardware = Hardware::new(portals, (0, 0), Gaps::random(pause, seed));
        // What MatchStage counts.
        let mut long = [0i64; 4];
        for (packet, meanwhile, room, spare) in &packets {
            model.room = *room;
            model.room_flow = std::array::from_fn(|i| room[i] || spare[i]);
            hardware.set_room((bits(model.room), bits(model.room_flow)));
            let seen = hardware.run(packet, true, *meanwhile);
            let effects = sorted(seen.effects.clone());
            let outcomes = outcomes(&model, packet, *meanwhile, &seen);
            let expected: Vec<_> = outcomes.iter().map(|(_, effects)| effects.clone()).collect();
            let Some((after, _)) = outcomes.into_iter().find(|(_, expected)| *expected == effects) else {
                return Err(TestCaseError::fail(format!("{packet:?}, {meanwhile:?}: {effects:?}, expected one of {expected:?}")));
            };
            model = after;
            for (context, long) in (0..4).zip(&mut long) {
                let enters = packet.context == context && packet.first && !packet.last;
                *long += i64::from(enters) - seen.long_ended[usize::from(context)];
                prop_assert_eq!(*long, model.open_messages(context) as i64, "{:?}, {:?}", packet, meanwhile);
            }
        }
    }
}

pub fn open_portal() -> Portal {
    Portal {
        enabled: true,
        flow_control: false,
        event_success: true,
        event_failure: true,
        start: 0x1000,
        offset: 0,
        remaining: 1 << 40,
    }
}

pub fn packet(xtq: bool, source: u16, length: u32) -> Packet {
    Packet {
        xtq,
        first: true,
        last: length <= 4096,
        context: 0,
        portal: 0,
        source,
        message: 1,
        packet_offset: 0,
        length,
        body_bytes: length.min(4096) as u16,
        task: Default::default(),
        queue_answer: (status::OK, access::NONE),
    }
}

#[test]
fn a_put_takes_2_cycles_and_an_xtq_put_with_a_warm_queue_5() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    hardware.answer_after = Some(2);
    assert_eq!(hardware.packet(&packet(false, 1, 64)).1, 2);
    assert_eq!(hardware.packet(&packet(true, 1, 200)).1, 5);
}

#[test]
fn a_message_that_exhausts_an_entry_disabled_since_it_was_read_ends_like_a_later_one() {
    let flow = Portal {
        flow_control: true,
        ..open_portal()
    };
    let full = Packet {
        queue_answer: (status::QUEUE_FULL, access::NONE),
        ..packet(true, 1, 200)
    };
    // Decided in cycle 8 of the packet; read as enabled in cycle 0.
    let entry_in = |entry_in| Meanwhile {
        entry_in,
        ..Default::default()
    };
    for disabled_in in [None, Some(1), Some(8)] {
        let mut hardware = Hardware::new(vec![flow.clone(); 64], (15, 15), Gaps::none());
        hardware.answer_after = Some(6);
        let Seen {
            effects, cycles, ..
        } = hardware.run(&full, true, entry_in(disabled_in));
        assert_eq!(cycles, 9);
        let gone = disabled_in.is_some();
        let expected = Effect::Info {
            slot: 0,
            status: if gone {
                status::PT_DISABLED
            } else {
                status::QUEUE_FULL
            },
            reserved: !gone,
            disabled: !gone,
        };
        assert!(effects.contains(&expected), "{effects:?}");
        let commits = effects
            .iter()
            .filter(|e| matches!(e, Effect::Commit { .. }));
        assert_eq!(commits.count(), usize::from(!gone));
        assert!(!effects.iter().any(|e| matches!(e, Effect::Lost { .. })));
    }
    // A message that is delivered takes its bytes of the buffer all the same.
    let mut hardware = Hardware::new(vec![flow; 64], (15, 15), Gaps::none());
    hardware.answer_after = Some(6);
    let effects = hardware
        .run(&packet(true, 1, 200), true, entry_in(Some(4)))
        .effects;
    let moved = |e: &Effect| {
        matches!(
            e,
            Effect::Commit {
                offset: 200,
                disable: false,
                ..
            }
        )
    };
    assert!(effects.iter().any(moved), "{effects:?}");
}

#[test]
fn a_message_that_goes_on_behind_its_length_has_no_more_addresses() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    hardware.packet(&packet(false, 1, 5000));
    let address = |number: u32, hardware: &mut Hardware| {
        let later = Packet {
            first: false,
            last: false,
            packet_offset: number * 4096,
            ..packet(false, 1, 20_000)
        };
        match hardware.packet(&later).0[..] {
            [Effect::Job { address, .. }] => address,
            ref effects => panic!("{effects:?}"),
        }
    };
    let addresses: Vec<u64> = (1..4)
        .map(|number| address(number, &mut hardware))
        .collect();
    assert_eq!(addresses, [0x2000; 3]);
}
