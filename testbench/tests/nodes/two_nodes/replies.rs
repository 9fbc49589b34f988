//! Replies at the edge of one NIC: only the reply that an open GET waits for is written; and GETs that cannot be
//! answered yet hold nobody up.

use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    Command, Event, EventKind, Get, List, MatchEntry, Md, Me, Process, ProcessConfig, ProcessId,
    Pt, me_option, portal_option, ptl_get, ptl_md_release, ptl_me_append, ptl_pt_alloc,
};
use xtq_testbench::node::{Node, NodeConfig};
use xtq_testbench::tables::format::WIRE;
use xtq_types::event::status;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::global;
use xtq_types::wire_header::{VERSION, ni_fail, opcode};

use super::fixture::{CYCLES, SOURCE, SOURCE_BYTES, bind, config, pattern};

/// Node 0 alone: the test is the network.
pub struct Rig {
    pub node: Node,
    process: Process,
}

impl Rig {
    pub fn new(config: &NodeConfig) -> Self {
        let mut node = Node::new(config).unwrap();
        let process = Process::open(&mut node, 0, &ProcessConfig::default()).unwrap();
        let mut rig = Self { node, process };
        rig.run(&[bind(0, SOURCE, SOURCE_BYTES)]);
        rig
    }

    pub fn run(&mut self, commands: &[Command]) -> Vec<Event> {
        self.process.post_all(&mut self.node, commands).unwrap();
        self.settle()
    }

    fn settle(&mut self) -> Vec<Event> {
        self.node.run_to_quiescence(CYCLES).unwrap();
        self.process.events(&mut self.node).unwrap()
    }

    /// A GET of `length` bytes from context 2 of node 1; its handle.
    fn get(&mut self, length: u64) -> u64 {
        let before = self.node.acknowledgements().len();
        let get = Get {
            md: Md(0),
            length,
            target: ProcessId {
                node: 1,
                context: 2,
            },
            pt_index: Pt(3),
            match_bits: 9,
            remote_offset: 11,
            user_ptr: 5,
            ..Get::default()
        };
        assert_eq!(self.run(&[ptl_get(&get)]), []);
        let sent = &self.node.acknowledgements()[before..];
        assert_eq!(sent.len(), 1);
        let packet = &sent[0].bytes;
        assert_eq!(packet.len(), 64, "no body");
        for (field, value) in [
            ("version", VERSION.into()),
            ("opcode", opcode::GET.into()),
            ("source_node", 0),
            ("target_node", 1),
            ("target_context", 2),
            ("portal_index", 3),
            ("match_bits", 9),
            ("remote_offset", 11),
            ("message_length", length),
            ("packet_offset", 0),
        ] {
            assert_eq!(WIRE.get(packet, field), value, "{field}");
        }
        WIRE.get(packet, "initiator_handle")
    }

    pub fn reply(&mut self, fields: &[(&str, u64)], body: &[u8]) -> Vec<Event> {
        self.send(fields, body);
        self.settle()
    }

    /// One packet of a reply.
    fn send(&mut self, fields: &[(&str, u64)], body: &[u8]) {
        let mut header = WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", opcode::REPLY.into()),
            ("source_node", 1),
            ("source_context", 2),
            ("message_length", body.len() as u64),
        ]);
        for (field, value) in fields {
            WIRE.set(&mut header, field, *value);
        }
        self.node.send_packet(&[&header[..], body].concat());
    }

    pub fn counter(&mut self, name: &str) -> u32 {
        let place = COUNTERS
            .iter()
            .position(|counter| counter.0 == name)
            .unwrap();
        let address = global::COUNTERS + 4 * place as u32;
        self.node.read_register(address as u16).unwrap()
    }

    fn landed(&self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.node.memory.memory(0).read(SOURCE, &mut bytes);
        bytes
    }
}

/// A GET of 200 bytes is open, and these packets come, of which the last are stray; then the right reply is taken.
fn strange(forge: impl Fn(u64) -> Vec<(Vec<(&'static str, u64)>, Vec<u8>)>) -> Rig {
    let mut rig = Rig::new(&config(None));
    let handle = rig.get(200);
    let packets = forge(handle);
    let mut strays = 0;
    for (fields, body) in packets {
        assert_eq!(rig.reply(&fields, &body), [], "{fields:?}");
        strays += 1;
    }
    assert_eq!(rig.landed(8400), [0; 8400]);
    assert_eq!(
        rig.counter("DROP_STRAY") + rig.counter("STRAY_ANSWERS"),
        strays
    );
    let right = [("initiator_handle", handle), ("remote_offset", 11)];
    let told = rig.reply(&right, &pattern(200, 1));
    assert_eq!(told.len(), 1);
    let event = &told[0];
    assert_eq!(
        (event.kind, event.status, event.mlength, event.remote_offset),
        (EventKind::Reply, status::OK, 200, 11)
    );
    assert_eq!((event.pt_index, event.user_ptr()), (Pt(3), Some(5)));
    assert_eq!(rig.landed(200), pattern(200, 1));
    rig
}

#[test]
fn a_reply_of_another_generation_writes_nothing() {
    strange(|handle| vec![(vec![("initiator_handle", handle ^ 0x100)], pattern(200, 2))]);
}

#[test]
fn a_reply_to_a_place_that_has_no_get_writes_nothing() {
    strange(|handle| vec![(vec![("initiator_handle", handle ^ 1)], pattern(200, 2))]);
}

#[test]
fn a_reply_from_somebody_else_writes_nothing() {
    strange(|handle| {
        let from = |field| (vec![("initiator_handle", handle), field], pattern(200, 2));
        vec![from(("source_node", 3)), from(("source_context", 1))]
    });
}

#[test]
fn a_reply_to_somebody_else_writes_nothing() {
    strange(|handle| {
        vec![(
            vec![("initiator_handle", handle), ("target_context", 1)],
            pattern(200, 2),
        )]
    });
}

#[test]
fn a_reply_longer_than_what_was_asked_for_writes_nothing() {
    strange(|handle| {
        let right = ("initiator_handle", handle);
        let long = vec![right, ("message_length", 4106), ("message_id", 4)];
        let mut later = long.clone();
        later.push(("packet_offset", 4096));
        vec![
            (vec![right], pattern(201, 2)),
            (long, pattern(4096, 2)),
            (later, pattern(10, 2)),
        ]
    });
}

#[test]
fn an_acknowledgement_does_not_answer_a_get() {
    strange(|handle| {
        let fields = vec![
            ("initiator_handle", handle),
            ("opcode", opcode::ACK.into()),
            ("message_length", 200),
        ];
        vec![(fields, Vec::new())]
    });
}

#[test]
fn a_reply_that_is_repeated_or_late_writes_nothing() {
    let mut rig = strange(|_| Vec::new());
    // Handles of one context begin at 0: that of the GET which was answered.
    let old = [("initiator_handle", 0)];
    assert_eq!(rig.reply(&old, &pattern(200, 7)), []);
    // Nor when its place belongs to a younger GET.
    let mut next = rig.get(200);
    while next & 255 != 0 {
        rig.reply(&[("initiator_handle", next)], &pattern(200, 1));
        next = rig.get(200);
    }
    assert_ne!(next, 0);
    assert_eq!(rig.reply(&old, &pattern(200, 7)), []);
    assert_eq!(rig.landed(200), pattern(200, 1));
    assert_eq!(rig.counter("DROP_STRAY"), 2);
}

/// The second packet does not continue the first: nothing more is written, and the GET has failed.
#[test]
fn a_reply_that_breaks_off_ends_its_get() {
    let mut rig = Rig::new(&config(None));
    let handle = rig.get(5000);
    let first = [
        ("initiator_handle", handle),
        ("message_length", 5000),
        ("message_id", 8),
    ];
    rig.send(&first, &pattern(4096, 1));
    // What names the same GET again is not admitted.
    let told = rig.reply(&[first[0], ("message_id", 9)], &pattern(60, 2));
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].status, told[0].ni_fail, told[0].mlength),
        (status::BAD_LENGTH, ni_fail::SEGV, 0)
    );
    assert_eq!(rig.counter("DROP_STRAY"), 1);
    assert_eq!(rig.landed(4096), pattern(4096, 1));
}

#[test]
fn a_get_that_failed_is_told_as_its_target_says() {
    let mut rig = Rig::new(&config(None));
    for (code, fail) in [
        (status::OP_VIOLATION, ni_fail::OP_VIOLATION),
        (status::NO_MATCH, ni_fail::DROPPED),
        (status::OK, ni_fail::UNDELIVERABLE),
    ] {
        let handle = rig.get(300);
        let fields = [
            ("initiator_handle", handle),
            ("ni_fail", fail.into()),
            ("operation", code.into()),
        ];
        let told = rig.reply(&fields, &[]);
        assert_eq!(told.len(), 1);
        assert_eq!(
            (told[0].status, told[0].ni_fail, told[0].mlength),
            (code, fail, 0)
        );
    }
}

#[test]
fn a_reply_to_a_context_that_is_not_enabled_is_not_written_and_ends_the_get() {
    let mut rig = Rig::new(&config(None));
    let handle = rig.get(100);
    rig.node.enable_context(0, false).unwrap();
    let told = rig.reply(&[("initiator_handle", handle)], &pattern(100, 1));
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].kind, told[0].status, told[0].mlength),
        (EventKind::Reply, status::BAD_LENGTH, 0)
    );
    assert_eq!(rig.landed(100), [0; 100]);
    rig.node.enable_context(0, true).unwrap();
    let told = rig.run(&[ptl_md_release(Md(0)).with_completion()]);
    assert_eq!(told[0].result(), Some(Ok(())));
}

/// Nothing leaves the node; what comes after hundreds of GETs is delivered all the same.
#[test]
fn gets_that_cannot_be_answered_hold_nobody_up() {
    let blocked = NodeConfig {
        transmit_gaps: 1.0,
        ..config(None)
    };
    let mut rig = Rig::new(&blocked);
    let entry = MatchEntry {
        me: Me(1),
        pt_index: Pt(20),
        start: SOURCE,
        length: 4096,
        options: me_option::OP_PUT
            | me_option::OP_GET
            | me_option::COMM_DISABLE
            | me_option::LINK_DISABLE,
        ..MatchEntry::default()
    };
    rig.run(&[
        ptl_pt_alloc(Pt(20), portal_option::MATCHING),
        ptl_me_append(&entry),
    ]);
    let header = |opcode: u8, length: u64| {
        WIRE.pack(&[
            ("version", VERSION.into()),
            ("opcode", opcode.into()),
            ("source_node", 1),
            ("portal_index", 20),
            ("message_length", length),
        ])
    };
    for _ in 0..900 {
        rig.node.send_packet(&header(opcode::GET, 64));
    }
    let bytes = pattern(64, 1);
    rig.node
        .send_packet(&[&header(opcode::PUT, 64)[..], &bytes].concat());
    let landed = |node: &Node| {
        let mut found = vec![0; 64];
        node.memory.memory(0).read(SOURCE, &mut found);
        found == bytes
    };
    rig.node.run_until(|node| landed(node), 60_000).unwrap();
    assert!(rig.node.acknowledgements().is_empty());
}

/// A put uses up an entry of which GETs still wait to be read: it may not be reported to the process that it has the
/// buffer back.
#[test]
fn what_uses_up_an_entry_is_told_behind_the_gets_that_read_it() {
    for (list, options) in [
        (List::Priority, 0),
        (List::Overflow, me_option::UNEXPECTED_HDR_DISABLE),
    ] {
        let mut rig = Rig::new(&config(None));
        let bytes = pattern(100_000, 3);
        rig.node.memory.memory_mut(0).write(SOURCE, &bytes);
        let entry = MatchEntry {
            me: Me(1),
            pt_index: Pt(20),
            list,
            start: SOURCE,
            length: 100_100,
            min_free: 50,
            options: options
                | me_option::OP_PUT
                | me_option::OP_GET
                | me_option::MANAGE_LOCAL
                | me_option::LINK_DISABLE,
            ..MatchEntry::default()
        };
        rig.run(&[
            ptl_pt_alloc(Pt(20), portal_option::MATCHING),
            ptl_me_append(&entry),
        ]);
        let header = |opcode: u8, length: u64| {
            WIRE.pack(&[
                ("version", VERSION.into()),
                ("opcode", opcode.into()),
                ("ack_request", 1),
                ("source_node", 1),
                ("portal_index", 20),
                ("message_length", length),
            ])
        };
        rig.node.send_packet(&header(opcode::GET, 60_000));
        rig.node.send_packet(&header(opcode::GET, 40_000));
        let put = [&header(opcode::PUT, 80)[..], &[7; 80]].concat();
        rig.node.send_packet(&put);
        let told = rig.settle();
        let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
        let mut expected = vec![
            EventKind::Put,
            EventKind::Get,
            EventKind::Get,
            EventKind::AutoUnlink,
        ];
        if list == List::Overflow {
            expected.push(EventKind::AutoFree);
        }
        assert_eq!(kinds, expected);
        assert!(told.iter().all(|event| event.status == status::OK));
        // Replies in packets of 4 KiB, then the acknowledgement.
        let sent = rig.node.acknowledgements();
        let opcodes = sent.iter().map(|sent| WIRE.get(&sent.bytes, "opcode"));
        let opcodes: Vec<u64> = opcodes.collect();
        let (last, replies) = opcodes.split_last().unwrap();
        assert_eq!(*last, u64::from(opcode::ACK));
        assert_eq!(replies, vec![u64::from(opcode::REPLY); 15 + 10]);
        let read: Vec<u8> = sent[..25]
            .iter()
            .flat_map(|sent| sent.bytes[64..].to_vec())
            .collect();
        assert_eq!(read, bytes);
    }
}

/// From the GET's beat on `s_axis_net` to the first beat of its reply on `m_axis_net`.
#[test]
fn a_get_is_answered_within_24_cycles() {
    let mut rig = Rig::new(&config(None));
    let entry = MatchEntry {
        me: Me(1),
        pt_index: Pt(20),
        start: SOURCE,
        length: 4096,
        options: me_option::OP_GET | me_option::LINK_DISABLE,
        ..MatchEntry::default()
    };
    rig.run(&[
        ptl_pt_alloc(Pt(20), portal_option::MATCHING),
        ptl_me_append(&entry),
    ]);
    let get = WIRE.pack(&[
        ("version", VERSION.into()),
        ("opcode", opcode::GET.into()),
        ("source_node", 1),
        ("portal_index", 20),
        ("message_length", 4096),
    ]);
    rig.node.send_packet(&get);
    rig.settle();
    let came = *rig.node.received_beats().last().unwrap();
    let reply = &rig.node.acknowledgements()[0];
    let cycles = reply.first_cycle - came;
    assert_eq!(reply.bytes.len(), 64 + 4096);
    assert!(cycles <= 24, "{cycles} cycles");
}
