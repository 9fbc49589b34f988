//! The scoreboard's test of the end of a message: event and acknowledgement after the last of its writes.

use crate::fixture::*;
use xtq_testbench::bus::{Packet, WriteRecord};
use xtq_testbench::bytes::SparseMemory;
use xtq_testbench::golden::{Delivery, Difference, Observed, compare};
use xtq_testbench::node::{Message, NodeConfig};
use xtq_testbench::tables::CONTEXTS;
use xtq_types::event::status;

/// One message on a node of its own, and what was observed of it.
struct Delivered {
    golden: Delivery,
    before: [SparseMemory; CONTEXTS],
    log: Vec<WriteRecord>,
    events: [Vec<[u8; 64]>; CONTEXTS],
    acks: Vec<Packet>,
}

impl Delivered {
    fn new(packets: &[Vec<u8>]) -> Self {
        let node = &mut checked(&NodeConfig::default()).node;
        let before = std::array::from_fn(|context| node.memory.memory(context as u8).clone());
        let mut golden = Delivery::new(node.state.clone(), before.clone());
        for packet in packets {
            node.send_packet(packet);
            golden.packet(packet);
        }
        node.run_to_quiescence(20_000).unwrap();
        let mut events: [Vec<[u8; 64]>; CONTEXTS] = Default::default();
        events[0] = node.take_events(0).unwrap();
        let log = node.memory.log().to_vec();
        let acks = node.acknowledgements().to_vec();
        Self {
            golden,
            before,
            log,
            events,
            acks,
        }
    }

    fn differences(&self, log: &[WriteRecord], acks: &[Packet]) -> Vec<Difference> {
        let observed = Observed {
            before: &self.before,
            log,
            events: &self.events,
            acks,
        };
        compare(&self.golden, &observed)
    }
}

#[test]
fn an_event_or_acknowledgement_in_front_of_any_write_of_its_message_is_told() {
    let put = Message {
        ack_request: 1,
        ..Message::put(1, pattern(5000, 1))
    };
    let task = kernel_message(2, 100);
    let mut truncated = kernel_message(3, 100).packets();
    truncated[0].truncate(250);
    let messages = [put.packets(), task.packets(), truncated];
    for (packets, code) in messages
        .iter()
        .zip([status::OK, status::OK, status::BAD_LENGTH])
    {
        let delivered = Delivered::new(packets);
        assert_eq!(delivered.golden.outcomes[0].status, code);
        let (log, acks) = (&delivered.log, &delivered.acks);
        assert_eq!(delivered.differences(log, acks), []);
        let event = log.iter().position(|write| write.id == 4).unwrap();
        for place in (0..log.len()).filter(|place| *place != event) {
            let mut late = log.clone();
            late[place].b_cycle = late[event].aw_cycle;
            let told = delivered.differences(&late, acks);
            assert_eq!(told.len(), 1, "{:?}", late[place]);
            let mut early = acks.clone();
            early[0].offered_cycle = log[place].b_cycle;
            let told = delivered.differences(log, &early);
            assert_eq!(told.len(), 1, "{:?}", log[place]);
        }
    }
}
