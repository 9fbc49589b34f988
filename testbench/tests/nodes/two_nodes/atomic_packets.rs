//! Atomics at the edge of one NIC: what is on the wire, packets that no NIC sends, and the cycles of a fetch.

use xtq_testbench::bytes::Bytes;
use xtq_testbench::host::{
    AtomicOp, Command, Datatype, Event, EventKind, FetchAtomic, MatchEntry, Md, Me, Process,
    ProcessConfig, ProcessId, Pt, Put, Swap, me_option, portal_option, ptl_fetch_atomic,
    ptl_me_append, ptl_pt_alloc, ptl_swap,
};
use xtq_testbench::node::Node;
use xtq_testbench::tables::format::WIRE;
use xtq_types::atomic::{datatype as d, operation as o};
use xtq_types::event::status;
use xtq_types::register_list::COUNTERS;
use xtq_types::register_map::global;
use xtq_types::wire_header::{VERSION, ni_fail, opcode};

use super::fixture::{CYCLES, SOURCE, SOURCE_BYTES, bind, config};

const LISTS: Pt = Pt(20);
const SHARED: u64 = 0x5000_0000;

/// Node 0 alone, with 4 KiB after match bits 5 of portal entry 20: the test is the network.
struct Rig {
    node: Node,
    process: Process,
}

impl Rig {
    fn new() -> Self {
        let mut node = Node::new(&config(None)).unwrap();
        let process = Process::open(&mut node, 0, &ProcessConfig::default()).unwrap();
        let mut rig = Self { node, process };
        let entry = MatchEntry {
            me: Me(1),
            pt_index: LISTS,
            start: SHARED,
            length: 4096,
            options: me_option::OP_PUT | me_option::OP_GET | me_option::LINK_DISABLE,
            match_bits: 5,
            ..MatchEntry::default()
        };
        let commands = [
            bind(0, SOURCE, SOURCE_BYTES),
            ptl_pt_alloc(LISTS, portal_option::MATCHING),
            ptl_me_append(&entry),
        ];
        assert_eq!(rig.run(&commands), []);
        rig
    }

    fn run(&mut self, commands: &[Command]) -> Vec<Event> {
        self.process.post_all(&mut self.node, commands).unwrap();
        self.settle()
    }

    fn settle(&mut self) -> Vec<Event> {
        self.node.run_to_quiescence(CYCLES).unwrap();
        self.process.events(&mut self.node).unwrap()
    }

    /// A packet of node 3: what is reported to the process, and the packets that go back.
    fn packet(&mut self, fields: &[(&str, u64)], body: &[u8]) -> (Vec<Event>, Vec<Vec<u8>>) {
        let before = self.node.acknowledgements().len();
        self.node.send_packet(&[&header(fields)[..], body].concat());
        let told = self.settle();
        let sent = &self.node.acknowledgements()[before..];
        (
            told,
            sent.iter().map(|packet| packet.bytes.clone()).collect(),
        )
    }

    fn counter(&mut self, name: &str) -> u32 {
        let place = COUNTERS.iter().position(|counter| counter.0 == name);
        let address = global::COUNTERS + 4 * place.expect("a counter") as u32;
        self.node.read_register(address as u16).unwrap()
    }

    fn shared(&mut self) -> u64 {
        self.node.memory.memory(0).read_u64(SHARED)
    }

    fn set_shared(&mut self, value: u64) {
        let memory = self.node.memory.memory_mut(0);
        memory.write(SHARED, &value.to_le_bytes());
    }
}

fn header(fields: &[(&str, u64)]) -> Vec<u8> {
    let mut header = WIRE.pack(&[
        ("version", VERSION.into()),
        ("source_node", 3),
        ("source_context", 2),
        ("portal_index", LISTS.0.into()),
        ("match_bits", 5),
        ("initiator_handle", 0x1234),
        ("message_length", 8),
        ("datatype", d::UINT64.into()),
    ]);
    for (field, value) in fields {
        WIRE.set(&mut header, field, *value);
    }
    header.to_vec()
}

/// Opcode and operation, of eight bytes.
fn of(code: u8, operation: u8) -> Vec<(&'static str, u64)> {
    vec![("opcode", code.into()), ("operation", operation.into())]
}

fn pair(datum: u64, operand: u64) -> Vec<u8> {
    [datum.to_le_bytes(), operand.to_le_bytes()].concat()
}

#[test]
fn what_is_sent_is_what_the_format_says() {
    let mut rig = Rig::new();
    let memory = rig.node.memory.memory_mut(0);
    memory.write(SOURCE, &[0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]);
    let put = Put {
        md: Md(0),
        length: 2,
        target: ProcessId {
            node: 7,
            context: 1,
        },
        pt_index: Pt(3),
        match_bits: 9,
        remote_offset: 11,
        hdr_data: 0xABCD,
        ..Put::default()
    };
    let fetch = FetchAtomic {
        get_md: Md(0),
        local_get_offset: 64,
        put,
        operation: AtomicOp::Cswap,
        datatype: Datatype::Uint16,
    };
    let swap = ptl_swap(&Swap {
        fetch,
        operand: 0x0102_0304_0506_0708,
    });
    let bits = ptl_fetch_atomic(&FetchAtomic {
        operation: AtomicOp::Bor,
        ..fetch
    });
    assert_eq!(rig.run(&[swap, bits]).len(), 2);
    let sent: Vec<Vec<u8>> = rig
        .node
        .acknowledgements()
        .iter()
        .map(|p| p.bytes.clone())
        .collect();
    assert_eq!(sent.len(), 2);
    for (packet, code, operation) in [
        (&sent[0], opcode::SWAP, o::CSWAP),
        (&sent[1], opcode::FETCH_ATOMIC, o::BOR),
    ] {
        for (field, value) in [
            ("version", VERSION.into()),
            ("opcode", code.into()),
            ("ack_request", 0),
            ("target_node", 7),
            ("target_context", 1),
            ("portal_index", 3),
            ("match_bits", 9),
            ("remote_offset", 11),
            ("header_data", 0xABCD),
            ("message_length", 2),
            ("packet_offset", 0),
            ("command_length", 0),
            ("operation", operation.into()),
            ("datatype", d::UINT16.into()),
        ] {
            assert_eq!(WIRE.get(packet, field), value, "{field}");
        }
    }
    // What lies after the datum does not leave the node.
    let body = [0x11, 0x22, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1];
    assert_eq!(sent[0][64..], body);
    assert_eq!(sent[1][64..], [0x11, 0x22]);
}

#[test]
fn an_operation_of_another_opcode_is_refused() {
    let mut rig = Rig::new();
    rig.set_shared(7);
    for (code, operation, body) in [
        (opcode::ATOMIC, o::SWAP, pair(9, 7)[..8].to_vec()),
        (opcode::ATOMIC, o::CSWAP, pair(9, 7)),
        (opcode::FETCH_ATOMIC, o::MSWAP, pair(9, 7)),
        (opcode::SWAP, o::SUM, pair(9, 7)[..8].to_vec()),
        (opcode::SWAP, 18, pair(9, 7)[..8].to_vec()),
        (opcode::ATOMIC, 255, pair(9, 7)[..8].to_vec()),
    ] {
        let ack = [("ack_request", 1)];
        let (told, sent) = rig.packet(&[of(code, operation), ack.to_vec()].concat(), &body);
        assert_eq!(told.len(), 1, "{code}, {operation}");
        assert_eq!((told[0].status, told[0].mlength), (status::OP_VIOLATION, 0));
        assert_eq!(sent.len(), 1);
        assert_eq!(
            WIRE.get(&sent[0], "ni_fail"),
            u64::from(ni_fail::OP_VIOLATION)
        );
        assert_eq!((sent[0].len(), rig.shared()), (64, 7));
    }
}

#[test]
fn bodies_and_lengths_that_cannot_be_are_bad() {
    let mut rig = Rig::new();
    rig.set_shared(7);
    // An operand that is not there, a datum too much, a byte too little.
    for (code, operation, body) in [
        (opcode::SWAP, o::CSWAP, &pair(9, 7)[..8]),
        (opcode::SWAP, o::CSWAP, &pair(9, 7)[..15]),
        (opcode::SWAP, o::CSWAP, &[pair(9, 7), vec![1]].concat()),
        (opcode::ATOMIC, o::SUM, &pair(9, 7)),
        (opcode::FETCH_ATOMIC, o::SUM, &pair(9, 7)[..7]),
        (opcode::FETCH_ATOMIC, o::SUM, &[]),
    ] {
        let (told, sent) = rig.packet(&of(code, operation), body);
        assert_eq!(told.len(), 1, "{code}, {operation}, {}", body.len());
        assert_eq!((told[0].status, rig.shared()), (status::BAD_LENGTH, 7));
        // Who waits for a reply gets one.
        assert_eq!(sent.len(), usize::from(code != opcode::ATOMIC));
    }
    let before = rig.counter("DROP_LENGTH");
    for fields in [
        [("message_length", 4097)],
        [("message_length", 8192)],
        [("packet_offset", 4096)],
    ] {
        let fields = [of(opcode::ATOMIC, o::SUM), fields.to_vec()].concat();
        assert_eq!(rig.packet(&fields, &[1; 600]), (vec![], vec![]));
    }
    assert_eq!((rig.counter("DROP_LENGTH"), rig.shared()), (before + 3, 7));
}

/// What is after the 512th byte of an atomic does not count, and its bytes are let go.
#[test]
fn a_long_atomic_is_cut() {
    let mut rig = Rig::new();
    for length in [513, 520, 1000, 4095, 4096] {
        rig.set_shared(7);
        let fields = |code| [of(code, o::SUM), vec![("message_length", length)]].concat();
        for code in [opcode::ATOMIC, opcode::FETCH_ATOMIC] {
            let (told, sent) = rig.packet(&fields(code), &vec![1; length as usize]);
            let told: Vec<_> = told
                .iter()
                .map(|e| (e.status, e.rlength, e.mlength))
                .collect();
            assert_eq!(told, [(status::OK, length as u32, 512)]);
            assert_eq!(sent.len(), usize::from(code == opcode::FETCH_ATOMIC));
            assert!(sent.iter().all(|reply| reply.len() == 64 + 512));
        }
        assert_eq!(rig.shared(), 7 + 2 * 0x0101_0101_0101_0101);
        // A byte too little is BAD_LENGTH, and nothing is done.
        let (told, _) = rig.packet(&fields(opcode::ATOMIC), &vec![1; length as usize - 1]);
        assert_eq!(told[0].status, status::BAD_LENGTH, "{length}");
        assert_eq!(rig.shared(), 7 + 2 * 0x0101_0101_0101_0101);
    }
}

/// A header that asks for more than one datum where there is one operand.
#[test]
fn one_datum_is_done_whatever_the_header_asks_for() {
    let mut rig = Rig::new();
    for length in [8, 9, 400, 512, 513, 4096] {
        rig.set_shared(7);
        let fields = [of(opcode::SWAP, o::CSWAP), vec![("message_length", length)]].concat();
        let (told, sent) = rig.packet(&fields, &pair(9, 7));
        assert_eq!(
            (told[0].kind, told[0].status),
            (EventKind::FetchAtomic, status::OK)
        );
        assert_eq!((u64::from(told[0].rlength), told[0].mlength), (length, 8));
        assert_eq!(rig.shared(), 9);
        assert_eq!(WIRE.get(&sent[0], "message_length"), 8);
        assert_eq!(sent[0][64..], 7u64.to_le_bytes());
    }
    // Less than a datum changes nothing.
    let fields = [of(opcode::SWAP, o::CSWAP), vec![("message_length", 3)]].concat();
    let (told, sent) = rig.packet(&fields, &pair(1, 9));
    assert_eq!(
        (told[0].status, told[0].mlength, rig.shared()),
        (status::OK, 3, 9)
    );
    assert_eq!(sent[0][64..], [9, 0, 0]);
}

/// Cycles from the header's beat on `s_axis_net` to the first beat of the answer on `m_axis_net`, with one entry in the
/// list and a memory that answers in one cycle.
#[test]
fn a_fetch_takes_the_promised_time() {
    let time = |operation: Vec<(&'static str, u64)>, body: &[u8]| {
        let mut rig = Rig::new();
        let cycle = rig.node.cycle_count() + 10;
        let packet = [&header(&operation)[..], body].concat();
        rig.node.send_packet_at(cycle, &packet);
        rig.settle();
        let begun = rig.node.received_beats()[0];
        rig.node.acknowledgements()[0].first_cycle - begun
    };
    let sum = of(opcode::FETCH_ATOMIC, o::SUM);
    let compare = of(opcode::SWAP, o::CSWAP);
    let add = [of(opcode::ATOMIC, o::SUM), vec![("ack_request", 1)]].concat();
    let times = [
        time(sum, &[1; 8]),
        time(compare, &pair(1, 0)),
        time(add, &[1; 8]),
    ];
    assert_eq!(times, [42; 3]);
}
