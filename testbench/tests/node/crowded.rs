//! More messages of several packets at once than a context has places for: the one that finds none is refused, and
//! somebody hears of it.

use xtq_testbench::host::{
    Event, EventKind, MatchEntry, Me, Process, ProcessConfig, Pt, Ring, me_option, portal_option,
    ptl_me_append, ptl_pt_alloc,
};
use xtq_testbench::node::{Ack, Message, Node, NodeConfig, Top};
use xtq_types::event::status;
use xtq_types::register_map::{context as reg, context_address};
use xtq_types::wire_header::{ack, ni_fail};

const LISTS: Pt = Pt(20);
/// Bytes of a message of two packets.
const LENGTH: usize = 5000;
/// Cycles in which a few packets are through.
const CYCLES: u64 = 4000;

struct Crowd {
    node: Node,
    processes: Vec<Process>,
}

impl Crowd {
    /// Such a NIC; each of so many contexts has an entry for every message, at a portal entry with these options.
    fn new(top: Top, contexts: u8, options: u32) -> Self {
        let config = NodeConfig {
            top,
            ..NodeConfig::default()
        };
        let mut node = Node::new(&config).unwrap();
        let processes = (0..contexts).map(|context| {
            let rings = ProcessConfig {
                events: Ring {
                    base: 0x3800_0000,
                    size: 1024,
                },
                ..ProcessConfig::default()
            };
            let mut process = Process::open(&mut node, context, &rings).unwrap();
            let entry = MatchEntry {
                me: Me(0),
                pt_index: LISTS,
                start: 0x5000_0000,
                length: 0x1_0000,
                options: me_option::OP_PUT | me_option::LINK_DISABLE,
                ignore_bits: u64::MAX,
                user_ptr: 7,
                ..MatchEntry::default()
            };
            let commands = [
                ptl_pt_alloc(LISTS, options | portal_option::MATCHING),
                ptl_me_append(&entry),
            ];
            process.post_all(&mut node, &commands).unwrap();
            node.run_to_quiescence(10_000).unwrap();
            process
        });
        let processes = processes.collect();
        Self { node, processes }
    }

    /// Sends packets; what is reported to the process of the context in the next cycles.
    fn send(&mut self, context: u8, packets: &[Vec<u8>]) -> Vec<Event> {
        for packet in packets {
            self.node.send_packet(packet);
        }
        let cycles = CYCLES + 200 * packets.len() as u64;
        (0..cycles).for_each(|_| self.node.cycle().unwrap());
        assert!(self.node.all_received());
        self.events(context)
    }

    fn events(&mut self, context: u8) -> Vec<Event> {
        self.processes[usize::from(context)]
            .events(&mut self.node)
            .unwrap()
    }

    fn drops(&mut self, context: u8) -> u32 {
        let address = context_address(context.into(), reg::DROP_COUNT);
        self.node.read_register(address).unwrap()
    }

    /// The acknowledgements so far: message and `ni_fail`.
    fn acknowledged(&self) -> Vec<(u16, u8)> {
        let packets = self.node.transmitted();
        let acks = packets.iter().map(|packet| Ack::decode(packet).unwrap());
        acks.map(|ack| (ack.message_id, ack.ni_fail)).collect()
    }
}

/// A message of two packets that nobody acknowledges. Its sender is the node of its number.
fn message(context: u8, number: u16) -> Message {
    Message {
        source_node: number,
        target_context: context,
        portal_index: LISTS.0,
        ..Message::put(number, vec![number as u8; LENGTH])
    }
}

/// The first packets of so many messages.
fn begun(context: u8, count: u16) -> Vec<Vec<u8>> {
    let messages = (1..=count).map(|number| message(context, number));
    messages
        .map(|message| message.packets().swap_remove(0))
        .collect()
}

/// A NIC with so many places for a context.
fn one_too_many(top: Top, places: u16) {
    let mut crowd = Crowd::new(top, 1, 0);
    assert_eq!(crowd.send(0, &begun(0, places)), []);
    // Nobody waits for an acknowledgement: it is reported to the process, and its DROP_COUNT counts.
    let told = crowd.send(0, &message(0, 300).packets());
    let told: Vec<_> = told
        .iter()
        .map(|e| (e.kind, e.status, e.ni_fail, e.initiator.node, e.mlength))
        .collect();
    let dropped = (
        EventKind::Put,
        status::NO_MESSAGE_SLOT,
        ni_fail::DROPPED,
        300,
        0,
    );
    assert_eq!(told, [dropped]);
    assert_eq!(crowd.drops(0), 1);
    assert_eq!(crowd.acknowledged(), []);
    // It is reported to the sender that waits for an acknowledgement, and not to the process.
    let acknowledged = Message {
        ack_request: ack::ACK,
        ..message(0, 301)
    };
    assert_eq!(crowd.send(0, &acknowledged.packets()), []);
    assert_eq!(crowd.acknowledged(), [(301, ni_fail::DROPPED)]);
    assert_eq!(crowd.drops(0), 2);
    // A message of one packet needs no place.
    let short = Message {
        body: vec![9; 100],
        ..message(0, 302)
    };
    assert_eq!(crowd.send(0, &short.packets()).len(), 1);
    // Those that have a place end well, and it can be had again.
    let rest: Vec<_> = (1..=places)
        .flat_map(|number| message(0, number).packets().split_off(1))
        .collect();
    let told = crowd.send(0, &rest);
    assert_eq!(told.len(), usize::from(places));
    assert!(told.iter().all(|event| event.status == status::OK));
    assert_eq!(crowd.send(0, &message(0, 303).packets()).len(), 1);
    assert_eq!(crowd.drops(0), 2);
}

#[test]
fn the_17th_message_at_once_is_dropped_and_somebody_hears_of_it() {
    one_too_many(Top::Nic, 16);
}

#[test]
fn of_a_large_nic_it_is_the_65th() {
    one_too_many(Top::LargeNic, 64);
}

#[test]
fn with_flow_control_the_portal_entry_is_disabled_instead() {
    let mut crowd = Crowd::new(Top::Nic, 1, portal_option::FLOW_CONTROL);
    assert_eq!(crowd.send(0, &begun(0, 16)), []);
    let told = crowd.send(0, &message(0, 300).packets());
    let told: Vec<_> = told.iter().map(|event| event.kind).collect();
    assert_eq!(told, [EventKind::PtDisabled]);
}

#[test]
fn contexts_have_64_places_each_and_240_together_so_that_messages_can_end() {
    let mut crowd = Crowd::new(Top::LargeNic, 4, 0);
    for (context, places) in [(0, 64), (1, 64), (2, 64), (3, 48)] {
        assert_eq!(crowd.send(context, &begun(context, places)), []);
        assert_eq!(crowd.drops(context), 0);
    }
    // The 49th of the last context finds 16 slots, which are for messages that end.
    assert_eq!(crowd.send(3, &message(3, 300).packets()).len(), 1);
    assert_eq!(crowd.drops(3), 1);
    let short = |number| Message {
        body: vec![9; 100],
        ..message(3, number)
    };
    let short: Vec<_> = (400..500)
        .flat_map(|number| short(number).packets())
        .collect();
    assert_eq!(crowd.send(3, &short).len(), 100);
    for (context, places) in [(3, 48), (2, 64), (1, 64), (0, 64)] {
        let rest: Vec<_> = (1..=places)
            .flat_map(|number| message(context, number).packets().split_off(1))
            .collect();
        let told = crowd.send(context, &rest);
        assert_eq!(told.len(), usize::from(places));
        assert!(told.iter().all(|event| event.status == status::OK));
    }
    assert_eq!(crowd.send(3, &begun(3, 64)), []);
    assert_eq!(crowd.drops(3), 1);
}
