//! Puts through match lists that are refused, or reported to nobody.

use xtq_testbench::host::{
    AckRequest, Command, CommandError, Ct, Event, EventKind, List, MatchEntry, Md, Me,
    MemoryDescriptor, Pt, Put, Trigger, fence, md_option, me_option, portal_option, ptl_ct_alloc,
    ptl_ct_get, ptl_md_bind, ptl_me_append, ptl_me_unlink, ptl_pt_alloc, ptl_pt_enable, ptl_put,
};
use xtq_types::wire_header::ni_fail;

use super::fixture::{SOURCE, TARGET, World, kinds};
use super::lists::{LISTS, entry, put, send, with};

#[test]
fn flow_control_closes_the_portal_once_until_it_is_enabled() {
    let mut world = with(portal_option::FLOW_CONTROL, &[entry(1, 5, 4096)]);
    assert_eq!(
        send(&mut world, &[put(5, 1), put(6, 2), put(5, 3)]),
        [(0, 1), (ni_fail::PT_DISABLED, 0), (ni_fail::PT_DISABLED, 0)]
    );
    assert_eq!(
        kinds(&world.events(1)),
        [EventKind::Put, EventKind::PtDisabled]
    );
    assert_eq!(world.status_counts(1), [2, 0, 0]);
    world.post(1, &[ptl_pt_enable(LISTS)]);
    world.settle();
    assert_eq!(send(&mut world, &[put(5, 3)]), [(0, 3)]);
}

#[test]
fn commands_that_are_wrong_are_named_and_the_next_ones_run() {
    let mut world = with(0, &[entry(1, 5, 4096)]);
    let iovec = MatchEntry {
        options: me_option::OP_PUT | me_option::IOVEC,
        ..entry(2, 5, 1025)
    };
    let commands: Vec<Command> = [
        ptl_me_append(&entry(1, 5, 1)),
        ptl_me_append(&entry(64, 5, 1)),
        ptl_me_append(&MatchEntry {
            pt_index: Pt(63),
            ..entry(2, 5, 1)
        }),
        ptl_pt_alloc(LISTS, 0),
        ptl_pt_alloc(Pt(64), 0),
        ptl_me_append(&iovec),
        ptl_me_unlink(Me(1)),
    ]
    .into_iter()
    .map(Command::with_completion)
    .collect();
    world.post(1, &commands);
    world.settle();
    let told = world.events(1);
    let results: Vec<_> = told.iter().filter_map(Event::result).collect();
    assert_eq!(
        results,
        [
            Err(CommandError::BadEntry),
            Err(CommandError::BadEntry),
            Err(CommandError::BadPortal),
            Err(CommandError::InUse),
            Err(CommandError::BadPortal),
            Err(CommandError::TooManyPieces),
            Ok(()),
        ]
    );
}

#[test]
fn ack_disable_tells_nobody_and_keeps_no_place() {
    let silent = MatchEntry {
        options: me_option::OP_PUT | me_option::ACK_DISABLE | me_option::COMM_DISABLE,
        ..entry(1, 5, 4096)
    };
    let mut world = with(0, &[silent]);
    // Counted acknowledgements would show on counter 0.
    let counting = MemoryDescriptor {
        md: Md(2),
        start: SOURCE,
        length: 4096,
        options: md_option::EVENTS | md_option::SEND_DISABLE | md_option::CT_ACK,
        counter: Some(Ct(0)),
    };
    world.post(0, &[ptl_ct_alloc(Ct(0)), ptl_md_bind(&counting)]);
    let from = |match_bits| {
        ptl_put(&Put {
            md: Md(2),
            length: 8,
            ack: AckRequest::Ack,
            target: TARGET,
            pt_index: LISTS,
            match_bits,
            ..Put::default()
        })
    };
    // More than a context has places for messages that are not answered.
    for _ in 0..10 {
        world.post(0, &vec![from(5); 10]);
        world.settle();
    }
    world.post(0, &[fence().with_completion()]);
    world.settle();
    assert_eq!(
        kinds(&world.events(0)),
        [EventKind::Command],
        "the fence has ended"
    );
    // What is refused is reported all the same.
    world.post(0, &[from(6), ptl_ct_get(Ct(0)).with_completion()]);
    world.settle();
    world.post(0, &[ptl_ct_get(Ct(0)).with_completion()]);
    world.settle();
    let told = world.events(0);
    let refused = told.iter().find(|event| event.kind == EventKind::Ack);
    assert_eq!(refused.map(|ack| ack.ni_fail), Some(ni_fail::DROPPED));
    let counter = told.last().unwrap().counter();
    assert_eq!((counter.success, counter.failure), (0, 1));
}

#[test]
fn an_event_of_a_message_that_no_entry_took_tells_of_none() {
    // Entries of another portal entry, so that there is something to report by mistake.
    let elsewhere: Vec<MatchEntry> = (1..9)
        .map(|me| MatchEntry {
            pt_index: Pt(7),
            ..entry(me, 5, 4096)
        })
        .collect();
    let mut world = with(portal_option::FLOW_CONTROL, &[]);
    world.post(1, &[ptl_pt_alloc(Pt(7), portal_option::MATCHING)]);
    let appends: Vec<Command> = elsewhere.iter().map(ptl_me_append).collect();
    world.post(1, &appends);
    world.settle();
    world.events(1);
    assert_eq!(send(&mut world, &[put(5, 8)]), [(ni_fail::PT_DISABLED, 0)]);
    let told = world.events(1);
    assert_eq!(kinds(&told), [EventKind::PtDisabled]);
    assert_eq!(
        (told[0].user_ptr(), told[0].start, told[0].queue_index),
        (Some(0), 0, 0)
    );
}

#[test]
fn flowctrl_disable_of_the_entry_that_matched_takes_the_event_away() {
    // Every header is in use, so the 33rd message finds none.
    let overflow = MatchEntry {
        list: List::Overflow,
        options: me_option::OP_PUT | me_option::COMM_DISABLE | me_option::FLOWCTRL_DISABLE,
        ..entry(1, 5, 4096)
    };
    let mut world = with(portal_option::FLOW_CONTROL, &[overflow]);
    for _ in 0..4 {
        assert_eq!(send(&mut world, &vec![put(5, 1); 8]), [(0, 1); 8]);
    }
    assert_eq!(
        send(&mut world, &[put(5, 1), put(5, 1)]),
        [(ni_fail::PT_DISABLED, 0); 2]
    );
    assert_eq!(kinds(&world.events(1)), []);
}

#[test]
fn a_single_buffer_gets_no_lists_and_keeps_its_messages() {
    let mut world = World::two();
    let alloc = |index| ptl_pt_alloc(Pt(index), portal_option::MATCHING).with_completion();
    // Entry 0 is a single buffer, 1 and 16 are not, whose numbers end like others of context 0.
    world.post(1, &[alloc(0), alloc(1), alloc(16)]);
    world.settle();
    let results = |events: &[Event]| events.iter().filter_map(Event::result).collect::<Vec<_>>();
    let told = results(&world.events(1));
    assert_eq!(told, [Err(CommandError::InUse), Ok(()), Ok(())]);
    let into_buffer = |length| {
        ptl_put(&Put {
            length,
            ack: AckRequest::Ack,
            target: TARGET,
            ..Put::default()
        })
    };
    assert_eq!(send(&mut world, &[into_buffer(100)]), [(ni_fail::OK, 100)]);
    world.events(1);
    // Its own host closes it: it stays one.
    world.cluster.nodes_mut()[1].disable_portal(0, 0).unwrap();
    let at_once = Trigger {
        counter: Ct(0),
        threshold: 0,
    };
    let commands = [
        ptl_ct_alloc(Ct(0)),
        alloc(0),
        alloc(0).triggered(at_once),
        alloc(2),
    ];
    world.post(1, &commands);
    world.settle();
    let told = results(&world.events(1));
    let refused = Err(CommandError::InUse);
    assert_eq!(told, [refused, refused, Ok(())]);
}
