//! The 16 places of a context for messages of several packets, of messages that go to match lists.

use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::host::{
    Event, EventKind, MatchEntry, Me, Process, ProcessConfig, Ring, nop, ptl_me_append,
    ptl_me_unlink, ptl_pt_alloc,
};
use xtq_testbench::node::Message;
use xtq_testbench::tables::format::WIRE;
use xtq_types::event::status;
use xtq_types::matching::{me_option, portal_option};
use xtq_types::register_map::global;
use xtq_types::wire_header::{ni_fail, opcode};

use crate::lists::{BITS, LISTS, Listed, large_queue, managed, unexpected};

const PLACES: u16 = 16;

/// Runs for longer than anything takes; messages stay open. What was reported.
fn wait(listed: &mut Listed) -> Vec<Event> {
    for _ in 0..20_000 {
        listed.node.cycle().unwrap();
    }
    listed.process.events(&mut listed.node).unwrap()
}

/// A message of two packets.
fn long(source_node: u16, match_bits: u64) -> Message {
    Message {
        source_node,
        portal_index: LISTS.0,
        match_bits,
        ..Message::put(1, vec![source_node as u8; 5000])
    }
}

/// The second packets of these messages.
fn end(listed: &mut Listed, messages: &[Message]) {
    for message in messages {
        listed.node.send_packet(&message.packets()[1]);
    }
}

/// Messages of which only the first packet has come, from nodes 0 to 15.
fn fill(listed: &mut Listed) -> Vec<Message> {
    let messages: Vec<_> = (0..PLACES).map(|source| long(source, BITS)).collect();
    for message in &messages {
        listed.node.send_packet(&message.packets()[0]);
    }
    messages
}

#[test]
fn a_message_that_finds_no_place_takes_no_entry_leaves_no_header_and_is_counted() {
    let once = MatchEntry {
        me: Me(1),
        options: managed().options | me_option::USE_ONCE,
        match_bits: BITS ^ 1,
        ..managed()
    };
    let entries = [once, unexpected()];
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &entries);
    let messages = fill(&mut listed);
    assert_eq!(wait(&mut listed), []);
    let last = Message {
        source_node: PLACES,
        match_bits: BITS ^ 1,
        ..messages[0].clone()
    };
    listed.node.send(&last);
    let unexpected = Message {
        source_node: PLACES,
        ..messages[0].clone()
    };
    listed.node.send(&unexpected);
    // No sender waits for an acknowledgement, so it is reported to the process.
    let told = wait(&mut listed);
    let told: Vec<_> = told.iter().map(|e| (e.kind, e.status, e.ni_fail)).collect();
    let dropped = (EventKind::Put, status::NO_MESSAGE_SLOT, ni_fail::DROPPED);
    assert_eq!(told, [dropped; 2]);
    assert_eq!(listed.drops(), 2);
    end(&mut listed, &messages);
    wait(&mut listed);
    let fine = (EventKind::PutOverflow, status::OK, ni_fail::OK, 5000);
    assert_eq!(listed.take_headers(), [fine; PLACES as usize]);
    // A place is free again, and the entry is still there.
    listed.node.send(&last);
    let told = wait(&mut listed);
    let kinds: Vec<_> = told
        .iter()
        .map(|event| (event.kind, event.status))
        .collect();
    let expected = [
        (EventKind::Put, status::OK),
        (EventKind::AutoUnlink, status::OK),
    ];
    assert_eq!(kinds, expected, "{told:?}");
    assert_eq!(listed.drops(), 2);
}

#[test]
fn a_message_that_finds_no_place_disables_an_entry_with_flow_control() {
    let flow = portal_option::FLOW_CONTROL;
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), flow, &[managed()]);
    let messages = fill(&mut listed);
    assert_eq!(wait(&mut listed), []);
    listed.node.send(&Message {
        source_node: PLACES,
        ..messages[0].clone()
    });
    let told = wait(&mut listed);
    let kinds: Vec<_> = told.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::PtDisabled], "{told:?}");
    // Those that were admitted go on.
    end(&mut listed, &messages);
    let told = wait(&mut listed);
    assert_eq!(told.len(), usize::from(PLACES), "{told:?}");
    assert!(told.iter().all(|event| event.status == status::OK));
    assert_eq!(listed.drops(), 1);
}

#[test]
fn a_process_is_closed_although_the_rest_of_a_message_never_comes() {
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[managed()]);
    fill(&mut listed);
    wait(&mut listed);
    listed.process.close(&mut listed.node, 1000).unwrap();
    // Its places are free again for the next process.
    let config = ProcessConfig {
        events: Ring {
            base: 0x3800_0000,
            size: 1024,
        },
        ..ProcessConfig::default()
    };
    listed.process = Process::open(&mut listed.node, 0, &config).unwrap();
    let commands = [
        ptl_pt_alloc(LISTS, portal_option::MATCHING),
        ptl_me_append(&managed()),
    ];
    listed
        .process
        .post_all(&mut listed.node, &commands)
        .unwrap();
    wait(&mut listed);
    let messages = fill(&mut listed);
    end(&mut listed, &messages);
    let told = wait(&mut listed);
    assert_eq!(told.len(), usize::from(PLACES), "{told:?}");
    assert!(told.iter().all(|event| event.status == status::OK));
}

#[test]
fn a_command_does_not_wait_for_ever_for_a_message_that_never_ends() {
    for limited in [false, true] {
        let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[managed()]);
        if limited {
            let timeout = global::MESSAGE_TIMEOUT as u16;
            listed.node.write_register(timeout, 12).unwrap();
        }
        fill(&mut listed);
        for _ in 0..1000 {
            listed.node.cycle().unwrap();
        }
        let commands = [ptl_me_unlink(managed().me), nop().with_completion()];
        listed
            .process
            .post_all(&mut listed.node, &commands)
            .unwrap();
        let told = wait(&mut listed);
        let ended = told.iter().filter(|event| event.result() == Some(Ok(())));
        assert_eq!(ended.count(), usize::from(limited), "{told:?}");
        let broken = told
            .iter()
            .filter(|event| event.status == status::BAD_LENGTH);
        let broken_off = if limited { PLACES } else { 0 };
        assert_eq!(broken.count(), usize::from(broken_off), "{told:?}");
    }
}

#[test]
fn a_place_that_an_older_message_gives_back_is_there_for_the_next() {
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[managed()]);
    let messages = fill(&mut listed);
    wait(&mut listed);
    // The end of one message and the beginning of the next, without a pause; one after that to which nothing is linked.
    let nowhere = |message: &Message| Message {
        match_bits: !BITS,
        ..message.clone()
    };
    for message in &messages {
        listed.node.send_packet(&message.packets()[1]);
        listed.node.send_packet(&nowhere(message).packets()[0]);
        listed.node.send_packet(&message.packets()[0]);
    }
    end(&mut listed, &messages);
    let told = wait(&mut listed);
    assert_eq!(told.len(), 2 * usize::from(PLACES), "{told:?}");
    assert!(told.iter().all(|event| event.status == status::OK));
    assert_eq!(listed.drops(), u32::from(PLACES));
}

#[test]
fn no_place_is_lost_by_messages_that_are_refused_or_broken_off() {
    let mut listed = Listed::new(MemoryTiming::random(7), &large_queue(), 0, &[managed()]);
    for round in 0..5 {
        for source in 0..PLACES {
            // Nothing is linked; a reply that nobody waits for; a message that is begun again; one to a portal entry
            // that is not there.
            let refused = long(source, !BITS).packets();
            let mut reply = long(source, BITS).packets();
            reply
                .iter_mut()
                .for_each(|packet| WIRE.set(packet, "opcode", opcode::REPLY.into()));
            let begun = long(source, BITS).packets();
            let mut elsewhere = long(source, BITS).packets();
            let portal = u64::from(LISTS.0) + 1;
            elsewhere
                .iter_mut()
                .for_each(|packet| WIRE.set(packet, "portal_index", portal));
            for packet in [refused, reply, begun, elsewhere].iter().flatten() {
                // Rests come in one round of two.
                let is_rest = WIRE.get(packet, "packet_offset") != 0;
                if !is_rest || round % 2 == 1 {
                    listed.node.send_packet(packet);
                }
            }
        }
        wait(&mut listed);
    }
    // What is still open is broken off by the same messages, which find all places.
    let messages = fill(&mut listed);
    end(&mut listed, &messages);
    let told = wait(&mut listed);
    let fine = told
        .iter()
        .filter(|event| event.status == status::OK && event.mlength == 5000);
    assert_eq!(fine.count(), usize::from(PLACES), "{told:?}");
}
