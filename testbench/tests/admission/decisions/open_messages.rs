//! Messages of several packets: their places, and how they end.

use xtq_testbench::bus::Gaps;
use xtq_types::event::status;

use super::super::hardware::{Hardware, Meanwhile};
use super::super::model::{Effect, Packet};
use super::{open_portal, packet};

#[test]
fn each_context_has_16_open_messages_of_its_own() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for source in 0..17 {
        for context in 0..4 {
            let message = Packet {
                context,
                ..packet(false, source, 5000)
            };
            let (effects, _) = hardware.packet(&message);
            let ends = effects.iter().filter_map(|effect| match effect {
                Effect::Info { status, .. } => Some(*status),
                _ => None,
            });
            let expected = match source {
                16 => status::NO_MESSAGE_SLOT,
                _ => status::OK,
            };
            assert_eq!(ends.collect::<Vec<_>>(), [expected], "{context}, {source}");
        }
    }
}

#[test]
fn the_seventeenth_open_message_is_refused_and_its_packets_are_discarded() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for source in 0..16 {
        let (effects, _) = hardware.packet(&packet(false, source, 5000));
        assert!(
            effects.iter().any(|e| matches!(
                e,
                Effect::Info {
                    status: status::OK,
                    ..
                }
            )),
            "{source}"
        );
    }
    let (effects, _) = hardware.packet(&packet(false, 16, 5000));
    assert!(effects.iter().any(|e| matches!(
        e,
        Effect::Info {
            status: status::NO_MESSAGE_SLOT,
            ..
        }
    )));
    let rest = Packet {
        first: false,
        last: true,
        packet_offset: 4096,
        body_bytes: 904,
        ..packet(false, 16, 5000)
    };
    let (effects, _) = hardware.packet(&rest);
    assert!(matches!(effects[..], [Effect::Job { discard: true, .. }]));
}

/// The second and last packet of a message of 5,000 bytes.
fn rest(source: u16) -> Packet {
    Packet {
        first: false,
        last: true,
        packet_offset: 4096,
        body_bytes: 904,
        ..packet(false, source, 5000)
    }
}

#[test]
fn a_context_that_is_disabled_loses_its_open_messages_and_no_other_does() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for source in 0..16 {
        let first = Packet {
            context: (source % 4) as u8,
            ..packet(source % 3 == 0, source, 5000)
        };
        hardware.packet(&first);
    }
    // The packet on the pins is of another context; it is not there.
    let effects = hardware.disable(1 << 2, &packet(true, 3, 200));
    let ended: Vec<(u8, bool)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Record {
                slot,
                context: 2,
                xtq,
                has_payload: true,
                status: status::OK,
                ..
            } => Some((*slot, *xtq)),
            _ => None,
        })
        .collect();
    // The first message took the highest place.
    assert_eq!(ended, [(2, false), (6, true), (10, false), (14, false)]);
    assert_eq!(effects.len(), 8, "a job and a record each");
    for source in 0..16 {
        let last = Packet {
            context: (source % 4) as u8,
            ..rest(source)
        };
        let (effects, _) = hardware.packet(&last);
        let discarded = matches!(effects[..], [Effect::Job { discard: true, .. }]);
        assert_eq!(discarded, source % 4 == 2, "{source}");
    }
}

#[test]
fn an_open_message_is_ended_in_2_cycles_and_a_context_enabled_again_has_its_places_back() {
    let mut hardware = Hardware::new(vec![open_portal(); 64], (15, 15), Gaps::none());
    for round in 0..2 {
        for source in 0..16 {
            let (effects, _) = hardware.packet(&packet(false, source, 5000));
            let accepted = |e: &Effect| {
                matches!(
                    e,
                    Effect::Info {
                        status: status::OK,
                        ..
                    }
                )
            };
            assert!(effects.iter().any(accepted), "{round}, {source}");
        }
        // Offered after that, taken when all 16 are gone.
        let disabled = Meanwhile {
            contexts: 1,
            ..Default::default()
        };
        let seen = hardware.run(&packet(false, 16, 64), true, disabled);
        assert_eq!(seen.cycles, 3 + 2 * 16 + 2);
        assert_eq!(seen.effects.len(), 2 * 16 + 4);
    }
}
