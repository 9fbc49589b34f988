//! Shared queues through the whole NIC: a rival producer, a queue that is found full after the payload, a rival that
//! always wins, a queue that fails.

use crate::fixture::*;
use proptest::prelude::*;
use xtq_testbench::aql::packet_type;
use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming};
use xtq_testbench::bytes::Bytes;
use xtq_testbench::golden::Checked;
use xtq_testbench::node::{Ack, Buffer, Message, Node, NodeConfig};
use xtq_testbench::tables::format::EVENT;
use xtq_testbench::tables::{HostQueue, Outcome};
use xtq_types::event::{kind, status};
use xtq_types::wire_header::ni_fail;

const SHARED: u16 = 6;
/// AXI id of the compare-and-swap.
const SWAP: u8 = 5;

fn shared() -> HostQueue {
    HostQueue {
        shared: true,
        // So that a doorbell nobody rang yet announces nothing.
        doorbell_plus_one: true,
        ..queue(SHARED)
    }
}

fn with_atomics(config: NodeConfig) -> Checked {
    let mut checked = checked(&NodeConfig {
        atomics: true,
        ..config
    });
    checked.atomics = true;
    checked.node.create_queue(0, &shared());
    checked.node.register_queue(0, SHARED, shared()).unwrap();
    checked
}

fn flow_control(checked: &mut Checked) {
    let buffer = Buffer {
        flow_control: true,
        ..Buffer::new(BUFFER, BUFFER_BYTES)
    };
    checked.node.post_buffer(0, 0, &buffer).unwrap();
}

fn to_shared(id: u16, payload: usize) -> Message {
    let mut message = kernel_message(id, payload);
    message.body[..64].copy_from_slice(&kernel_packet(KERNEL, SHARED.into()));
    message
}

/// Fills the shared queue up with messages 0..8.
fn fill(checked: &mut Checked) {
    for id in 0..8 {
        let outcome = deliver(checked, &to_shared(id, 30)).unwrap();
        assert_eq!(outcome.status, status::OK, "{id}");
    }
}

fn told(outcome: &Outcome) -> u8 {
    Ack::decode(&outcome.ack.unwrap()).unwrap().ni_fail
}

#[test]
fn without_flow_control_a_full_shared_queue_drops_and_works_again_when_drained() {
    let mut checked = with_atomics(NodeConfig::default());
    fill(&mut checked);
    for id in 8..10 {
        let outcome = deliver(&mut checked, &to_shared(id, 30)).unwrap();
        assert_eq!(outcome.status, status::QUEUE_FULL);
        assert_eq!(told(&outcome), ni_fail::DROPPED);
    }
    assert!(checked.node.portal_enabled(0, 0).unwrap());
    drain(&mut checked.node, 0, &shared());
    let outcome = deliver(&mut checked, &to_shared(10, 30)).unwrap();
    assert_eq!(outcome.task.unwrap().packet_id, 8);
}

#[test]
fn with_flow_control_a_full_shared_queue_disables_the_entry_until_the_host_enables_it() {
    let mut checked = with_atomics(NodeConfig::default());
    flow_control(&mut checked);
    fill(&mut checked);
    for round in 0..3 {
        let outcome = deliver(&mut checked, &to_shared(8, 30)).unwrap();
        assert_eq!(outcome.status, status::QUEUE_FULL);
        assert_eq!(told(&outcome), ni_fail::PT_DISABLED);
        let event = outcome.event.unwrap().1;
        assert_eq!(EVENT.get(&event, "kind"), u64::from(kind::PT_DISABLED));
        assert!(!checked.node.portal_enabled(0, 0).unwrap());
        let later = deliver(&mut checked, &to_shared(9, 30)).unwrap();
        assert_eq!(later.status, status::PT_DISABLED);
        assert_eq!(later.event, None, "one PT_DISABLED event");
        if round == 1 {
            drain(&mut checked.node, 0, &shared());
        }
        checked.node.enable_portal(0, 0).unwrap();
        if round == 1 {
            fill(&mut checked);
        }
    }
}

#[test]
fn a_message_of_several_packets_ends_when_another_disabled_its_entry_meanwhile() {
    let mut checked = with_atomics(NodeConfig::default());
    flow_control(&mut checked);
    let long = Message {
        source_node: 9,
        ..to_shared(40, 5000)
    };
    let packets = long.packets();
    assert_eq!(deliver_packets(&mut checked, &packets[..1]), None);
    fill(&mut checked);
    deliver(&mut checked, &to_shared(8, 30)).unwrap();
    let outcome = deliver_packets(&mut checked, &packets[1..]).unwrap();
    assert_eq!(outcome.status, status::PT_DISABLED);
    assert_eq!(told(&outcome), ni_fail::PT_DISABLED);
    let event = outcome.event.expect("it holds a place").1;
    assert_eq!(EVENT.get(&event, "kind"), u64::from(kind::XTQ_PUT));
}

/// Kind and status of the events, `ni_fail` of the acknowledgements.
fn reports(node: &mut Node) -> (Vec<(u8, u8)>, Vec<u8>) {
    let events = node.take_events(0).unwrap();
    let events = events.iter().map(|event| {
        let get = |name| EVENT.get(event, name) as u8;
        (get("kind"), get("status"))
    });
    let acks = node.transmitted();
    let acks = acks.iter().map(|ack| Ack::decode(ack).unwrap().ni_fail);
    (events.collect(), acks.collect())
}

#[test]
fn of_several_messages_in_flight_when_the_queue_fills_one_disables_the_entry() {
    let mut config = NodeConfig::default();
    // The swaps take so long that all messages are admitted before the ninth finds the queue full.
    config.timing.write_latency = 150..=150;
    let node = &mut with_atomics(config).node;
    let buffer = Buffer {
        flow_control: true,
        ..Buffer::new(BUFFER, BUFFER_BYTES)
    };
    node.post_buffer(0, 0, &buffer).unwrap();
    for round in 0..2 {
        let seen = node.transmitted().len();
        for id in 0..12 {
            node.send(&to_shared(id, 30));
        }
        node.run_to_quiescence(50_000).unwrap();
        let (events, acks) = reports(node);
        let ok = (kind::XTQ_PUT, status::OK);
        let disabled = (kind::PT_DISABLED, status::QUEUE_FULL);
        let late = (kind::XTQ_PUT, status::PT_DISABLED);
        assert_eq!(events[..8], [ok; 8], "round {round}");
        assert_eq!(events[8..], [disabled, late, late, late]);
        assert_eq!(acks[seen..][..8], [ni_fail::OK; 8]);
        assert_eq!(acks[seen..][8..], [ni_fail::PT_DISABLED; 4]);
        assert!(!node.portal_enabled(0, 0).unwrap());
        drain(node, 0, &shared());
        node.enable_portal(0, 0).unwrap();
    }
}

/// First words of the packet that the rival enqueues.
const RIVAL: u64 = 0x5249_5641_4C00_0000;

/// Another producer of the shared queue, and its consumer; both see and change the memory between two cycles.
#[derive(Default)]
struct Rival {
    sent: u64,
    /// Ids below this were announced, by the rival or the NIC.
    announced: u64,
    eaten: Vec<[u64; 8]>,
}

impl Rival {
    /// Enqueues a packet, if there is room; all of it at once.
    fn produce(&mut self, node: &mut Node) {
        let (queue, memory) = (shared(), node.memory.memory_mut(0));
        let write = memory.read_u64(queue.write_index_address);
        let read = memory.read_u64(queue.read_index_address);
        if write - read >= u64::from(queue.size) {
            return;
        }
        memory.write_u64(queue.write_index_address, write + 1);
        let slot = queue.base + write % u64::from(queue.size) * 64;
        for word in 1..8 {
            memory.write_u64(slot + 8 * word, RIVAL + self.sent);
        }
        memory.write_u64(slot, packet_type::KERNEL_DISPATCH.into());
        self.sent += 1;
        self.announced = self.announced.max(write + 1);
    }

    /// Takes the oldest packet if a doorbell announced it and its header is there. The NIC's doorbells only grow, so
    /// the last one in memory says all.
    fn consume(&mut self, node: &mut Node) {
        let (queue, memory) = (shared(), node.memory.memory_mut(0));
        let read = memory.read_u64(queue.read_index_address);
        let bell = memory.read_u64(queue.doorbell_address);
        self.announced = self.announced.max(bell);
        if read >= self.announced {
            return;
        }
        let slot = queue.base + read % u64::from(queue.size) * 64;
        let packet: [u64; 8] = std::array::from_fn(|i| memory.read_u64(slot + 8 * i as u64));
        if packet[0] as u8 == packet_type::INVALID {
            return;
        }
        memory.write_u16(slot, packet_type::INVALID.into());
        memory.write_u64(queue.read_index_address, read + 1);
        self.eaten.push(packet);
    }

    /// What it ate: packets of the rival, unharmed and in order; the others in order.
    fn others(&self) -> Vec<[u64; 8]> {
        type Packets = Vec<[u64; 8]>;
        let (rivals, others): (Packets, Packets) =
            self.eaten.iter().partition(|packet| packet[7] >= RIVAL);
        for (number, packet) in rivals.iter().enumerate() {
            assert_eq!(packet[1..], [RIVAL + number as u64; 7]);
        }
        assert_eq!(rivals.len() as u64, self.sent);
        others
    }
}

#[test]
fn a_rival_that_always_wins_makes_a_message_give_up_and_holds_no_other_up() {
    let mut checked = with_atomics(NodeConfig::default());
    flow_control(&mut checked);
    let node = &mut checked.node;
    let mut rival = Rival::default();
    let exclusive = kernel_message(2, 30);
    let put = Message {
        ack_request: 1,
        ..Message::put(3, pattern(100, 3))
    };
    node.send(&to_shared(1, 30));
    node.send(&exclusive);
    node.send(&put);
    for _ in 0..5000 {
        rival.produce(node);
        rival.consume(node);
        node.cycle().unwrap();
    }
    let (events, acks) = reports(node);
    let expected = [
        (kind::PT_DISABLED, status::QUEUE_FULL),
        (kind::XTQ_PUT, status::OK),
        (kind::PUT, status::OK),
    ];
    assert_eq!(events, expected);
    assert_eq!(acks, [ni_fail::PT_DISABLED, ni_fail::OK, ni_fail::OK]);
    let swaps = node.memory.log().iter().filter(|write| write.id == SWAP);
    assert_eq!(swaps.count(), 64);
    assert!(rival.others().is_empty());
    // The rival rests: the next message is enqueued.
    node.enable_portal(0, 0).unwrap();
    node.send(&to_shared(4, 30));
    node.run_to_quiescence(5000).unwrap();
    rival.consume(node);
    assert_eq!(rival.others().len(), 1);
    assert_eq!(reports(node).0, [(kind::XTQ_PUT, status::OK)]);
}

/// A fault of writes to the line of this address.
fn write_fault(address: u64, count: Option<u32>) -> Fault {
    Fault {
        context: Some(0),
        addresses: address..=address + 3,
        access: Access::Write,
        response: ErrorResponse::SlaveError,
        code: 5,
        count,
    }
}

#[test]
fn whatever_fails_what_a_shared_queue_holds_is_as_the_golden_model_says() {
    let (queue, timing) = (shared(), MemoryTiming::fixed_write(100));
    let slot = |id: u64| queue.base + 64 * id;
    let once = |address| write_fault(address, Some(1));
    let for_ever = |address| write_fault(address, None);
    // Slot body, header word, repair and its header word of one of the places; doorbell; swap.
    let faults = [
        (once(slot(1)), 0),
        (once(slot(1)), 1),
        (for_ever(queue.doorbell_address), 0),
        (once(queue.write_index_address), 2),
    ];
    for (fault, spared) in faults {
        let mut checked = with_atomics(NodeConfig {
            timing: timing.clone(),
            ..NodeConfig::default()
        });
        checked.inject(fault.clone(), spared);
        // Of the places that are filled after a doorbell, one cannot be.
        checked.inject(once(slot(3)), 1);
        let packets: Vec<_> = (1..=7).flat_map(|id| to_shared(id, 30).packets()).collect();
        let differs = |error| panic!("{fault:?} behind {spared}: {error}");
        let outcomes = checked.deliver(&packets, 50_000).unwrap_or_else(differs);
        let codes: Vec<u8> = outcomes.iter().map(|outcome| outcome.status).collect();
        assert!(codes.contains(&status::MEMORY_ERROR), "{codes:?}");
        let unclaimed = |outcome: &&Outcome| outcome.accepted && outcome.task.is_none();
        let number = outcomes.iter().filter(unclaimed).count();
        assert!(number >= 2, "{number} went without a place: {codes:?}");
        let later = deliver(&mut checked, &to_shared(9, 30)).unwrap();
        assert_eq!(later.status, status::BAD_QUEUE_INDEX);
        assert!(!later.accepted);
    }
}

#[test]
fn places_that_a_rival_took_meanwhile_are_passed_over() {
    let mut checked = with_atomics(NodeConfig::default());
    let mut rival = Rival::default();
    for round in 0..20 {
        let outcome = deliver(&mut checked, &to_shared(round, 30)).unwrap();
        let id = outcome.task.map(|task| task.packet_id);
        let claimed = u64::from(round) + rival.sent;
        assert_eq!((outcome.status, id), (status::OK, Some(claimed)));
        for _ in 0..round % 3 {
            rival.produce(&mut checked.node);
        }
        // The consumer takes what came up to this message: the queue is never full.
        while checked
            .node
            .memory
            .memory(0)
            .read_u64(shared().read_index_address)
            <= claimed
        {
            rival.consume(&mut checked.node);
        }
    }
}

#[test]
fn behind_a_doorbell_that_failed_the_rivals_packets_are_reached() {
    let timing = MemoryTiming::fixed_write(100);
    let mut checked = with_atomics(NodeConfig {
        timing,
        ..NodeConfig::default()
    });
    let node = &mut checked.node;
    let fault = write_fault(shared().doorbell_address, Some(1));
    node.memory.inject_after(fault, 0);
    for id in 1..=6 {
        node.send(&to_shared(id, 30));
    }
    node.run_to_quiescence(20_000).unwrap();
    let codes: Vec<u8> = reports(node).0.iter().map(|event| event.1).collect();
    assert_eq!(codes[0], status::MEMORY_ERROR);
    assert_eq!(codes[3..], [status::BAD_QUEUE_INDEX; 3]);
    // The last ones claimed nothing; what the others claimed is passed by the consumer.
    let swaps = node.memory.log().iter().filter(|write| write.id == SWAP);
    let claimed = swaps.count();
    assert!((3..6).contains(&claimed), "{claimed} claims");
    let mut rival = Rival::default();
    rival.produce(node);
    for _ in 0..8 {
        rival.consume(node);
    }
    assert_eq!(rival.others().len(), claimed);
    assert_eq!(rival.eaten.last().unwrap()[7], RIVAL);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two producers and a consumer: every packet comes out once, whole, in the order of its producer.
    #[test]
    fn no_packet_of_two_producers_is_lost(
        seed in any::<u64>(), messages in 5u16..12, rivalry in 1u64..6, appetite in 10u64..60,
    ) {
        let config = NodeConfig::random(seed);
        // One rival packet in so many longest round trips: against a faster rival most messages give up, 64 round trips
        // each.
        let timing = &config.timing;
        let round_trip = 40 + timing.read_latency.end() + timing.write_latency.end();
        let rivalry = rivalry * u64::from(round_trip);
        let mut checked = with_atomics(config);
        let node = &mut checked.node;
        let mut rival = Rival::default();
        for id in 0..messages {
            node.send(&to_shared(id, usize::from(id) * 3));
        }
        let mut cycle = 0;
        while node.transmitted().len() < usize::from(messages) {
            cycle += 1;
            prop_assert!(cycle < 60_000, "{} of {messages} ended", node.transmitted().len());
            if cycle % rivalry == 0 {
                rival.produce(node);
            }
            if cycle % appetite == 0 {
                rival.consume(node);
            }
            node.cycle().unwrap();
        }
        node.run_to_quiescence(20_000).unwrap();
        for _ in 0..16 {
            rival.consume(node);
        }
        let (events, acks) = reports(node);
        let delivered = events.iter().filter(|(_, code)| *code == status::OK).count();
        let full = events.iter().filter(|(_, code)| *code == status::QUEUE_FULL).count();
        prop_assert_eq!(delivered + full, usize::from(messages));
        prop_assert_eq!(acks.iter().filter(|code| **code == ni_fail::OK).count(), delivered);
        // Word 5 is the address of the arguments: it grows with each message that lands.
        let ours = rival.others();
        prop_assert_eq!(ours.len(), delivered);
        prop_assert!(ours.is_sorted_by_key(|packet| packet[5]));
        prop_assert!(ours.iter().all(|packet| packet[4] == KERNEL_OBJECT && packet[7] == KERNEL_SIGNAL));
        let memory = node.memory.memory(0);
        let indices = [shared().write_index_address, shared().read_index_address].map(|at| memory.read_u64(at));
        prop_assert_eq!(indices[0], indices[1]);
    }
}
