//! `AdmissionCommit` against the rules of what a decision changes.

use proptest::prelude::*;
use xtq_types::Wire;
use xtq_types::event::status;
use xtq_types::matching::{MatchResult, me_option};
use xtq_types::pipe::PortalEntry;

use xtq_testbench::by_name::Hardware;

/// A decision and what it meets.
#[derive(Clone, Debug)]
struct Decision {
    /// `finish`, `stray` or `aborting`: at most one.
    asked: [bool; 3],
    can: bool,
    first: bool,
    status: u8,
    length: u32,
    flow: bool,
    usable: bool,
    enabled_now: bool,
    wants_event: bool,
    room: bool,
    room_flow: bool,
    /// Old offset and room, new offset and room.
    buffer: [u64; 4],
    /// What stands where lists would put their result: none have decided.
    noise: [u64; 5],
}

/// Pulses, how many events are lost, then what is reported with them (nothing: it has no meaning): offset and room;
/// outcome, place, entry disabled.
#[derive(Debug, PartialEq)]
struct Changes {
    go: bool,
    opening: bool,
    reserve: bool,
    lost: u64,
    commit: Option<[u64; 2]>,
    message: Option<(u8, bool, bool)>,
}

fn changes(d: &Decision) -> Changes {
    let exhaustion = [
        status::QUEUE_FULL,
        status::BUFFER_TOO_SMALL,
        status::NO_MESSAGE_SLOT,
        status::PT_DISABLED,
    ];
    let go = d.can && d.asked.contains(&true);
    let opening = go && d.asked[0] && d.first;
    let exhausted = d.usable && d.flow && exhaustion.contains(&d.status);
    let (outcome, place, lost, disabled) = match (exhausted, d.enabled_now) {
        (true, true) => (d.status, d.room_flow, d.wants_event && !d.room_flow, true),
        (true, false) => (status::PT_DISABLED, false, false, false),
        (false, _) => {
            let due = d.usable && d.wants_event;
            (d.status, due && d.room, due && !d.room, false)
        }
    };
    let [offset, room, new_offset, new_room] = d.buffer;
    let commit = match (d.status, disabled) {
        // A reply has no portal entry.
        (status::OK, _) if !d.usable => None,
        (status::OK, _) => Some([new_offset.wrapping_add(d.length.into()), new_room]),
        (_, true) => Some([offset, room]),
        _ => None,
    };
    Changes {
        go,
        opening,
        reserve: opening && place,
        lost: u64::from(opening && lost),
        commit: commit.filter(|_| opening),
        message: opening.then_some((outcome, place, disabled)),
    }
}

fn hardware(d: &Decision) -> Changes {
    let mut block = Hardware::block("admission_commit");
    for (name, value) in [
        ("finish", d.asked[0]),
        ("stray", d.asked[1]),
        ("aborting", d.asked[2]),
        ("can", d.can),
        ("first", d.first),
        ("enabled_now", d.enabled_now),
        ("usable", d.usable),
        ("wants_event", d.wants_event),
        ("room_now", d.room),
        ("room_flow_now", d.room_flow),
    ] {
        block.set(name, &[value.into()]);
    }
    let entry = PortalEntry {
        flow_control: u64::from(d.flow).into(),
        offset: d.buffer[0].into(),
        remaining: d.buffer[1].into(),
        ..Default::default()
    };
    let mut words = vec![0; 4];
    entry.to_words(&mut words);
    block.set("entry", &words);
    block.set("status", &[d.status.into()]);
    block.set("length", &[d.length.into()]);
    block.set("offset", &[d.buffer[2]]);
    block.set("left", &[d.buffer[3]]);
    block.set("result", &d.noise);
    block.eval();
    let word = |name| block.get(name)[0];
    let flag = |name| word(name) == 1;
    for name in [
        "tells_unlink",
        "tells_free",
        "counted",
        "give_back",
        "decided",
        "stop",
        "mark",
    ] {
        assert_eq!(word(name), 0, "{name}");
    }
    assert_eq!(flag("delivered"), d.status == status::OK);
    let opening = flag("opening");
    Changes {
        go: flag("go"),
        opening,
        reserve: flag("reserve"),
        lost: word("lost"),
        commit: flag("commit").then(|| [word("commit_offset"), word("commit_remaining")]),
        message: opening.then(|| (word("outcome") as u8, flag("place"), flag("disabling"))),
    }
}

fn decision() -> impl Strategy<Value = Decision> {
    let mostly = || prop::bool::weighted(0.8);
    let code = prop_oneof![2 => Just(status::OK), 5 => 0..16u8];
    (
        (
            prop_oneof![6 => Just(0usize), 3 => 1..4usize],
            mostly(),
            mostly(),
            code,
        ),
        (any::<u32>(), mostly(), mostly(), mostly(), mostly()),
        (
            any::<bool>(),
            any::<bool>(),
            any::<[u64; 4]>(),
            any::<[u64; 5]>(),
        ),
    )
        .prop_map(|(step, entry, surroundings)| Decision {
            asked: std::array::from_fn(|i| i == step.0),
            can: step.1,
            first: step.2,
            status: step.3,
            length: entry.0,
            flow: entry.1,
            usable: entry.2,
            enabled_now: entry.3,
            wants_event: entry.4,
            room: surroundings.0,
            room_flow: surroundings.1,
            buffer: surroundings.2,
            noise: surroundings.3,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_decision_changes_what_the_rules_say_and_nothing_else(decision in decision()) {
        prop_assert_eq!(hardware(&decision), changes(&decision));
    }
}

/// The first packet of a message that nothing stands in the way of, to an entry with flow control.
fn welcome() -> Decision {
    Decision {
        asked: [true, false, false],
        can: true,
        first: true,
        status: status::OK,
        length: 100,
        flow: true,
        usable: true,
        enabled_now: true,
        wants_event: true,
        room: true,
        room_flow: true,
        buffer: [1, 2, 3, 4],
        noise: [0; 5],
    }
}

#[test]
fn each_kind_of_exhaustion_disables_an_entry_with_flow_control() {
    for code in 0..16 {
        let refused = Decision {
            status: code,
            ..welcome()
        };
        let told = hardware(&refused);
        assert_eq!(told, changes(&refused));
        let disables = [
            status::QUEUE_FULL,
            status::BUFFER_TOO_SMALL,
            status::NO_MESSAGE_SLOT,
            status::PT_DISABLED,
        ];
        assert_eq!(told.message, Some((code, true, disables.contains(&code))));
    }
}

#[test]
fn a_result_of_lists_that_have_not_decided_changes_nothing() {
    // Everything that a result may ask for: no place given back, no event of an entry that is unlinked or free.
    let result = MatchResult {
        handle: 0xFFFFu64.into(),
        options: u64::from(0xF_FFFF & !me_option::UNLINK_DISABLE).into(),
        auto_unlink: 1u64.into(),
        auto_free: 1u64.into(),
        portal_disabled: 1u64.into(),
        ..Default::default()
    };
    let mut noise = [0; 5];
    result.to_words(&mut noise);
    for (room, code) in [
        (true, status::OK),
        (false, status::OK),
        (true, status::QUEUE_FULL),
    ] {
        let decision = Decision {
            status: code,
            room,
            noise,
            ..welcome()
        };
        let told = hardware(&decision);
        assert_eq!(told, changes(&decision));
        assert_eq!(told.lost, u64::from(!room));
    }
}

/// A decision about a message of the lists; `held`: places of the event ring that are held for it.
#[derive(Clone, Debug)]
struct Listed {
    status: u8,
    matched: bool,
    /// No entry took it, and there is an event that says so.
    unheard: bool,
    options: u32,
    flow: bool,
    stopped: bool,
    room_flow: bool,
    held: u8,
    portal_disabled: bool,
    auto_unlink: bool,
    auto_free: bool,
}

/// What follows: outcome, entry disabled; its event, unlink and free have places; counted; given back, lost, reserved;
/// stop.
type Follows = (u8, bool, [bool; 3], bool, u8, u8, bool, bool);

fn follows(l: &Listed) -> Follows {
    let exhausted = [status::QUEUE_FULL, status::NO_MESSAGE_SLOT].contains(&l.status);
    let exhausted = l.matched && l.flow && exhausted;
    let stop = exhausted && !l.stopped;
    // What was stopped before is reported already.
    let disabled = (l.portal_disabled && !l.stopped) || stop;
    let outcome = if exhausted && l.stopped {
        status::PT_DISABLED
    } else {
        l.status
    };
    let refused = outcome == status::PT_DISABLED;
    let comm = l.matched && l.options & me_option::COMM_DISABLE == 0;
    let comm = (comm || l.unheard) && !refused;
    let quiet = l.options & me_option::UNLINK_DISABLE != 0;
    let wishes = [
        comm && !disabled,
        l.matched && l.auto_unlink && !quiet,
        l.matched && l.auto_free && !quiet,
    ];
    let (mut given, mut lost) = (0, 0);
    let mut got = wishes.map(|wish| {
        let gets = wish && given < l.held;
        given += u8::from(gets);
        lost += u8::from(wish && !gets);
        gets
    });
    let silent = l.options & me_option::FLOWCTRL_DISABLE != 0;
    if disabled {
        got[0] = l.room_flow && !silent;
        lost += u8::from(!l.room_flow && !silent);
    }
    let counted = l.matched && !refused && !disabled && l.options & me_option::CT_COMM != 0;
    (
        outcome,
        disabled,
        got,
        counted,
        l.held - given,
        lost,
        disabled && l.room_flow && !silent,
        stop,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_decision_about_a_message_of_the_lists_keeps_the_places_it_needs(
        unheard in any::<bool>(),
        outcome in prop_oneof![1 => Just((status::NO_MATCH, false, false)), 1 => Just((status::NO_MESSAGE_SLOT, false, false)), 1 => Just((status::PT_DISABLED, false, false)), 1 => Just((status::PT_DISABLED, false, true)),
            4 => prop::sample::select(vec![status::OK, status::OK, status::QUEUE_FULL, status::NO_MESSAGE_SLOT, status::PT_DISABLED, status::BAD_TYPE, status::BUFFER_TOO_SMALL])
                .prop_map(|code| (code, true, false))],
        options in 0..1u32 << 20,
        flags in any::<[bool; 6]>(),
        held in 0..4u8,
    ) {
        let [flow, stopped, room_flow, auto_unlink, auto_free, room] = flags;
        let case = Listed {
            unheard: unheard && outcome.0 == status::NO_MESSAGE_SLOT && !outcome.1,
            status: outcome.0, matched: outcome.1, portal_disabled: outcome.2, options: if outcome.1 { options } else { 0 },
            flow, stopped, room_flow, held, auto_unlink: auto_unlink && outcome.1, auto_free: auto_free && outcome.1,
        };
        let result = MatchResult {
            handle: u64::from(held).into(),
            options: u64::from(case.options).into(),
            portal_disabled: u64::from(case.portal_disabled).into(),
            auto_unlink: u64::from(case.auto_unlink).into(),
            auto_free: u64::from(case.auto_free).into(),
            ..Default::default()
        };
        let mut block = Hardware::block("admission_commit");
        for name in ["finish", "can", "first", "lists"] {
            block.set(name, &[1]);
        }
        let entry = PortalEntry { flow_control: u64::from(flow).into(), ..Default::default() };
        let mut words = vec![0; 5];
        result.to_words(&mut words);
        block.set("result", &words);
        let mut words = vec![0; 4];
        entry.to_words(&mut words);
        block.set("entry", &words);
        block.set("status", &[case.status.into()]);
        block.set("usable", &[case.matched.into()]);
        block.set("wants_event", &[(case.unheard || case.matched && options & me_option::COMM_DISABLE == 0).into()]);
        block.set("enabled_now", &[(!stopped).into()]);
        block.set("room_flow_now", &[room_flow.into()]);
        // The places are held already, whatever room there is.
        block.set("room_now", &[room.into()]);
        block.eval();
        let word = |name| block.get(name)[0] as u8;
        let flag = |name| word(name) == 1;
        let told = (word("outcome"), flag("disabling"), [flag("place"), flag("tells_unlink"), flag("tells_free")], flag("counted"),
            word("give_back"), word("lost"), flag("reserve"), flag("stop"));
        prop_assert_eq!(told, follows(&case));
        prop_assert!(!flag("commit") && flag("decided"));
        prop_assert_eq!(flag("mark"), case.portal_disabled);
        // Nothing happens before everything that is needed has room.
        block.set("can", &[0]);
        block.eval();
        for name in ["give_back", "lost", "reserve", "stop", "decided", "commit"] {
            prop_assert_eq!(block.get(name)[0], 0, "{}", name);
        }
    }
}
