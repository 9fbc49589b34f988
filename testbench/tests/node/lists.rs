//! The same node with the whole NIC, its messages through match lists: the performance contract, and XTQ puts that
//! entries take.

mod full_queue;

use xtq_testbench::bus::MemoryTiming;
use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    Event, EventKind, Kernel, List, MatchEntry, Me, Process, ProcessConfig, Pt, Ring, me_option,
    portal_option, ptl_me_append, ptl_me_unlink, ptl_pt_alloc, ptl_pt_free, xtq_register_kernel,
    xtq_register_queue,
};
use xtq_testbench::node::{Message, Node, NodeConfig, Top};
use xtq_testbench::tables::HostQueue;
use xtq_types::event::status;
use xtq_types::register_map::context;
use xtq_types::wire_header::ni_fail;

use crate::fixture::*;

pub(crate) const LISTS: Pt = Pt(33);
/// All of an XTQ put's match bits in the fixture.
pub(crate) const BITS: u64 = 0x1234_5678_9abc_def0;

/// A node whose process has kernel 42, queue 5, and these entries.
pub(crate) struct Listed {
    pub(crate) node: Node,
    pub(crate) process: Process,
}

pub(crate) fn managed() -> MatchEntry {
    MatchEntry {
        me: Me(7),
        pt_index: LISTS,
        start: BUFFER,
        length: BUFFER_BYTES,
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL,
        match_bits: BITS,
        user_ptr: 0x7777,
        ..MatchEntry::default()
    }
}

impl Listed {
    pub(crate) fn new(
        timing: MemoryTiming,
        queue: &HostQueue,
        options: u32,
        entries: &[MatchEntry],
    ) -> Self {
        let config = NodeConfig {
            timing,
            top: Top::Nic,
            ..NodeConfig::default()
        };
        let mut node = Node::new(&config).unwrap();
        let config = ProcessConfig {
            events: Ring {
                base: 0x3800_0000,
                size: 1024,
            },
            ..ProcessConfig::default()
        };
        let mut process = Process::open(&mut node, 0, &config).unwrap();
        node.create_queue(0, queue);
        let kernel = Kernel {
            kernel: KERNEL_OBJECT,
            kernarg_size: KERNEL_ARGUMENTS as u32,
            rewrite_offset: 0,
            buffer_pointer: TARGET_BUFFER,
            completion_signal: KERNEL_SIGNAL,
        };
        let mut commands = vec![
            xtq_register_kernel(KERNEL as u16, &kernel),
            xtq_register_queue(QUEUE, queue),
            ptl_pt_alloc(LISTS, options | portal_option::MATCHING),
        ];
        commands.extend(entries.iter().map(ptl_me_append));
        process.post_all(&mut node, &commands).unwrap();
        node.run_to_quiescence(10_000).unwrap();
        let told = process.events(&mut node).unwrap();
        assert!(
            told.iter().all(|event| event.kind == EventKind::Link),
            "{told:?}"
        );
        Self { node, process }
    }

    fn send(&mut self, message: &Message) {
        self.node.send(&Message {
            portal_index: LISTS.0,
            ..message.clone()
        });
    }

    /// DROP_COUNT of the process.
    pub(crate) fn drops(&mut self) -> u32 {
        let address = context::PAGE_BYTES + context::DROP_COUNT;
        self.node.read_register(address as u16).unwrap()
    }

    /// Appends an entry that takes all headers; what that reports of them: kind, status, `ni_fail`, bytes.
    pub(crate) fn take_headers(&mut self) -> Vec<(EventKind, u8, u8, u32)> {
        let taker = MatchEntry {
            me: Me(8),
            options: me_option::OP_PUT | me_option::LINK_DISABLE,
            ignore_bits: u64::MAX,
            ..managed()
        };
        let append = ptl_me_append(&taker);
        self.process.post(&mut self.node, &append).unwrap();
        let told = self.settle();
        let told = told.iter();
        told.map(|event| (event.kind, event.status, event.ni_fail, event.mlength))
            .collect()
    }

    pub(crate) fn settle(&mut self) -> Vec<Event> {
        self.node.run_to_quiescence(100_000).unwrap();
        self.process.events(&mut self.node).unwrap()
    }
}

pub(crate) fn large_queue() -> HostQueue {
    HostQueue {
        size: 256,
        ..queue(QUEUE)
    }
}

fn smallest(id: u16) -> Message {
    Message {
        ack_request: 0,
        ..kernel_message(id, 64)
    }
}

#[test]
fn the_doorbell_leaves_at_most_32_cycles_behind_the_last_beat() {
    // The entry is the first of its list, then the ninth, then the first of the overflow list.
    let other = |me: u16| MatchEntry {
        me: Me(me),
        match_bits: 1,
        ..managed()
    };
    let overflow = MatchEntry {
        list: List::Overflow,
        ..managed()
    };
    let ninth: Vec<MatchEntry> = (10..18).map(other).chain([managed()]).collect();
    for entries in [vec![managed()], ninth, vec![overflow]] {
        let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &entries);
        listed.send(&smallest(0));
        listed.settle();
        let writes = listed.node.memory.log().len();
        listed.send(&smallest(1));
        listed.settle();
        let last_beat = *listed.node.received_beats().last().unwrap();
        let doorbell = queue(QUEUE).doorbell_address;
        let log = &listed.node.memory.log()[writes..];
        let rung = log.iter().find(|record| record.writes(doorbell)).unwrap();
        let latency = rung.w_cycle - last_beat;
        assert!(
            latency <= 32,
            "{latency} cycles with {} entries",
            entries.len()
        );
    }
}

/// Share of the cycles in which the write channel moves data, in the middle of a run; and beats a message.
fn write_channel(timing: MemoryTiming, messages: u16) -> (f64, f64) {
    let mut listed = Listed::new(timing, &large_queue(), 0, &[managed()]);
    listed.send(&smallest(0));
    listed.settle();
    let writes = listed.node.memory.log().len();
    for id in 1..=messages {
        listed.send(&smallest(id));
    }
    listed.settle();
    let log = &listed.node.memory.log()[writes..];
    let mut cycles: Vec<u64> = log.iter().map(|record| record.w_cycle).collect();
    cycles.sort_unstable();
    let (first, last) = (cycles.len() / 3, cycles.len() * 2 / 3);
    let busy = (last - first) as f64 / (cycles[last] - cycles[first]) as f64;
    (busy, cycles.len() as f64 / f64::from(messages))
}

#[test]
fn smallest_messages_keep_the_write_channel_busy() {
    for (timing, messages) in [
        (MemoryTiming::ideal(), 60),
        (MemoryTiming::fixed_write(200), 200),
    ] {
        let (busy, beats) = write_channel(timing, messages);
        assert!(busy >= 0.95, "busy {busy:.3}");
        assert!(beats <= 8.0, "{beats:.2} beats a message");
    }
}

#[test]
fn full_puts_come_in_at_a_beat_a_cycle() {
    let silent = MatchEntry {
        options: me_option::OP_PUT | me_option::MANAGE_LOCAL | me_option::COMM_DISABLE,
        start: BUFFER + 37,
        ..managed()
    };
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[silent]);
    for id in 1..=6 {
        listed.send(&Message {
            match_bits: BITS,
            ..Message::put(id, pattern(4096, id.into()))
        });
    }
    assert_eq!(listed.settle(), []);
    let beats = listed.node.received_beats();
    assert_eq!(beats.len(), 6 * 65);
    assert_eq!(beats[beats.len() - 1] - beats[0], 6 * 65 - 1);
}

#[test]
fn an_xtq_put_that_an_entry_takes_tells_packet_id_and_user_pointer() {
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[managed()]);
    for id in 0..3 {
        listed.send(&kernel_message(id, 10));
    }
    let told = listed.settle();
    let seen: Vec<_> = told
        .iter()
        .map(|event| {
            (
                event.kind,
                event.status,
                event.packet_id(),
                event.user_ptr(),
                event.start - BUFFER,
            )
        })
        .collect();
    // Packet, arguments and payload are 138 bytes; the kept offset is rounded up to 64.
    let expected = [0, 192, 384].map(|at| {
        (
            EventKind::XtqPut,
            status::OK,
            Some(at / 192),
            Some(0x7777),
            at,
        )
    });
    assert_eq!(seen, expected);
}

#[test]
fn an_xtq_put_must_land_at_a_multiple_of_64_and_whole() {
    let short = MatchEntry {
        length: 137,
        ..managed()
    };
    let crooked = MatchEntry {
        start: BUFFER + 32,
        ..managed()
    };
    for (entry, code) in [
        (short, status::BUFFER_TOO_SMALL),
        (crooked, status::BAD_ALIGNMENT),
    ] {
        let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[entry]);
        listed.send(&kernel_message(0, 10));
        let told = listed.settle();
        assert_eq!(
            (told[0].kind, told[0].status, told[0].mlength),
            (EventKind::XtqPut, code, 0)
        );
        let memory = listed.node.memory.memory(0);
        assert_eq!(memory.read_u64(queue(QUEUE).write_index_address), 0);
    }
}

#[test]
fn an_unlink_that_waits_for_its_message_holds_up_no_other_context() {
    let mut listed = Listed::new(MemoryTiming::ideal(), &large_queue(), 0, &[managed()]);
    let node = &mut listed.node;
    let put = Message {
        portal_index: LISTS.0,
        match_bits: BITS,
        ..Message::put(1, vec![7; 5000])
    };
    let packets = put.packets();
    node.send_packet(&packets[0]);
    node.run_until(|node| node.all_received(), 1000).unwrap();
    let unlink = [ptl_me_unlink(Me(7)).with_completion()];
    listed.process.post_all(node, &unlink).unwrap();
    let mut neighbour = Process::open(node, 1, &ProcessConfig::default()).unwrap();
    let commands = [
        ptl_pt_alloc(LISTS, portal_option::MATCHING),
        ptl_me_append(&managed()),
        ptl_me_unlink(Me(7)),
        ptl_pt_free(LISTS).with_completion(),
    ];
    neighbour.post_all(node, &commands).unwrap();
    let end = node.cycle_count() + 2000;
    node.run_until(|node| node.cycle_count() == end, 2000)
        .unwrap();
    let told = neighbour.events(node).unwrap();
    let told: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
    assert_eq!(told, [EventKind::Link, EventKind::Command]);
    assert_eq!(listed.process.events(node).unwrap(), []);
    node.send_packet(&packets[1]);
    let told: Vec<EventKind> = listed.settle().iter().map(|event| event.kind).collect();
    assert_eq!(told, [EventKind::Put, EventKind::Command]);
}

/// The entry for everything that is not expected.
pub(crate) fn unexpected() -> MatchEntry {
    MatchEntry {
        list: List::Overflow,
        ..managed()
    }
}

#[test]
fn an_append_is_told_of_unexpected_messages_that_met_a_full_queue_and_they_are_counted() {
    for flow_control in [false, true] {
        let options = match flow_control {
            true => portal_option::FLOW_CONTROL,
            false => 0,
        };
        let queue = queue(QUEUE);
        let mut listed = Listed::new(MemoryTiming::ideal(), &queue, options, &[unexpected()]);
        for id in 0..14 {
            listed.send(&kernel_message(id, 10));
        }
        let told = listed.settle();
        // With flow control the first of them closes the portal entry: some of the others are refused by the lists, and
        // leave no header.
        assert_eq!(listed.drops(), 6, "{told:?}");
        let headers = listed.take_headers();
        let (good, bad) = headers.split_at(8);
        let length = (128 + 10) as u32;
        let fine = (EventKind::PutOverflow, status::OK, ni_fail::OK, length);
        assert_eq!(good, [fine; 8]);
        let full = (EventKind::PutOverflow, status::QUEUE_FULL);
        match flow_control {
            false => assert_eq!(bad, [(full.0, full.1, ni_fail::DROPPED, 0); 6]),
            true => {
                assert_eq!(bad[0], (full.0, full.1, ni_fail::PT_DISABLED, 0));
                let closed = (full.0, status::PT_DISABLED, ni_fail::PT_DISABLED, 0);
                assert!(bad[1..].iter().all(|told| *told == closed), "{bad:?}");
            }
        }
    }
}
