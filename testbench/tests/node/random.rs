//! Random mixes of messages against the golden model, under random memories and pauses.

use crate::fixture::*;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use xtq_testbench::golden::Checked;
use xtq_testbench::node::format::WIRE;
use xtq_testbench::node::{Buffer, HostQueue, Message, Node, NodeConfig};

/// Kernels: index, argument bytes, rewrite offset. The last one's arguments do not fit one packet.
const KERNELS: [(u16, u32, u32); 5] = [
    (42, 64, 0),
    (43, 0, 0),
    (44, 16, 0),
    (45, 136, 104),
    (46, 4100, 4000),
];
const FUNCTIONS: [u16; 2] = [3, 4];
const QUEUES: [u16; 4] = [5, 6, 7, 8];
const CONTEXTS: [u8; 2] = [0, 3];

/// What one message is.
#[derive(Clone, Debug)]
struct Plan {
    source_node: u16,
    context: u8,
    portal: u16,
    task: Task,
    queue: u64,
    payload: usize,
    /// Bytes added to or taken from the arguments.
    argument_surplus: i64,
    ack_request: u8,
    fault: Damage,
}

#[derive(Clone, Debug)]
enum Task {
    Kernel(u64),
    Agent(u64),
    Type(u8),
    Put,
}

/// What is wrong with the packets.
#[derive(Clone, Debug)]
enum Damage {
    None,
    Truncated(Index),
    Oversized(usize),
    Field(&'static str, u64),
    Lost(Index),
}

fn index(good: Vec<u64>) -> impl Strategy<Value = u64> {
    prop_oneof![
        12 => select(good),
        1 => select(vec![9, 63, 64, 1 << 16 | 42, 1 << 32 | 5, u64::MAX]),
    ]
}

fn task() -> impl Strategy<Value = Task> {
    let kernels = KERNELS
        .iter()
        .map(|(index, ..)| u64::from(*index))
        .collect();
    let functions = FUNCTIONS.iter().map(|index| u64::from(*index)).collect();
    prop_oneof![
        6 => index(kernels).prop_map(Task::Kernel),
        3 => index(functions).prop_map(Task::Agent),
        1 => select(vec![0, 1, 3, 5, 6, 255]).prop_map(Task::Type),
        4 => Just(Task::Put),
    ]
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        20 => Just(Damage::None),
        2 => any::<Index>().prop_map(Damage::Truncated),
        1 => (1usize..200).prop_map(Damage::Oversized),
        1 => any::<Index>().prop_map(Damage::Lost),
        1 => select(vec![("version", 3), ("opcode", 2), ("target_node", 9), ("target_context", 2)])
            .prop_map(|(name, value)| Damage::Field(name, value)),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let payload = prop_oneof![
        9 => 0usize..200,
        1 => 3900usize..4300,
        1 => Just(8192usize),
    ];
    let queue = index(QUEUES.iter().map(|queue| u64::from(*queue)).collect());
    let surplus = prop_oneof![12 => Just(0i64), 1 => select(vec![-8, 1, 64])];
    let portal = prop_oneof![12 => 0u16..5, 1 => select(vec![5u16, 15, 16, 300])];
    let place = (1u16..4, select(CONTEXTS.to_vec()), portal);
    (place, task(), queue, payload, surplus, 0u8..4, damage()).prop_map(
        |(
            (source_node, context, portal),
            task,
            queue,
            payload,
            argument_surplus,
            ack_request,
            fault,
        )| Plan {
            source_node,
            context,
            portal,
            task,
            queue,
            payload,
            argument_surplus,
            ack_request,
            fault,
        },
    )
}

impl Plan {
    fn message(&self, id: u16) -> Message {
        let payload = pattern(self.payload, id.into());
        let arguments = |length: u32| {
            let length = (i64::from(length) + self.argument_surplus).max(0) as usize;
            pattern(length, 3 + usize::from(id))
        };
        let message = match self.task {
            Task::Put => Message::put(id, payload),
            Task::Type(kind) => {
                let mut packet = kernel_packet(KERNEL, self.queue);
                packet[0] = kind;
                Message::xtq(id, &packet, &arguments(64), &payload)
            }
            Task::Agent(function) => Message::xtq(
                id,
                &agent_packet(function, self.queue),
                &arguments(0),
                &payload,
            ),
            Task::Kernel(kernel) => {
                let known = KERNELS
                    .iter()
                    .find(|(index, ..)| u64::from(*index) == kernel);
                let length = known.map_or(64, |(_, size, _)| *size);
                Message::xtq(
                    id,
                    &kernel_packet(kernel, self.queue),
                    &arguments(length),
                    &payload,
                )
            }
        };
        Message {
            source_node: self.source_node,
            source_context: 1,
            target_context: self.context,
            portal_index: self.portal,
            ack_request: self.ack_request,
            user_id: u32::from(id) << 8,
            match_bits: u64::from(id) << 40,
            header_data: !u64::from(id),
            remote_offset: u64::from(id) * 3,
            initiator_handle: id ^ 0x5555,
            ..message
        }
    }

    fn packets(&self, id: u16) -> Vec<Vec<u8>> {
        let mut packets = self.message(id).packets();
        let last = packets.len() - 1;
        match &self.fault {
            Damage::None => {}
            Damage::Truncated(at) => {
                let length = packets[last].len();
                packets[last].truncate(64 + at.index(length - 63));
            }
            Damage::Oversized(surplus) => packets[last].extend(pattern(*surplus, 77)),
            Damage::Field(name, value) => {
                packets.iter_mut().for_each(|p| WIRE.set(p, name, *value))
            }
            Damage::Lost(at) => drop(packets.remove(at.index(packets.len()))),
        }
        packets
    }
}

/// The packets of each source in order, the sources mixed.
fn interleave(plans: &[Plan], first_id: usize, picks: &[Index]) -> Vec<Vec<u8>> {
    let mut sources: Vec<(u16, std::collections::VecDeque<Vec<u8>>)> = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        let packets = plan.packets((first_id + number) as u16);
        match sources
            .iter_mut()
            .find(|(node, _)| *node == plan.source_node)
        {
            Some((_, queue)) => queue.extend(packets),
            None => sources.push((plan.source_node, packets.into())),
        }
    }
    let mut mixed = Vec::new();
    let mut picks = picks.iter().cycle();
    while !sources.is_empty() {
        let at = picks.next().map_or(0, |pick| pick.index(sources.len()));
        mixed.extend(sources[at].1.pop_front());
        sources.retain(|(_, packets)| !packets.is_empty());
    }
    mixed
}

fn post_buffers(node: &mut Node, context: u8, round: u64) {
    let base = BUFFER + round * (1 << 24);
    let buffer = |entry: u64, length| Buffer::new(base + entry * (1 << 20), length);
    let buffers = [
        Buffer {
            flow_control: true,
            ..buffer(0, 1 << 16)
        },
        Buffer {
            offset: 100,
            ..buffer(1, 1 << 16)
        },
        Buffer {
            event_success: false,
            event_failure: false,
            ..buffer(2, 1 << 18)
        },
        Buffer {
            flow_control: round == 0,
            ..buffer(3, 700)
        },
        Buffer {
            start: base + (4 << 20) + 29,
            ..buffer(4, 1 << 16)
        },
    ];
    for (entry, buffer) in buffers.iter().enumerate() {
        node.post_buffer(context, entry as u8, buffer).unwrap();
    }
}

fn queues() -> [(u16, HostQueue); 4] {
    [
        (5, queue(5)),
        (
            6,
            HostQueue {
                size: 4,
                doorbell_plus_one: true,
                ..queue(6)
            },
        ),
        (
            7,
            HostQueue {
                size: 5,
                ..queue(7)
            },
        ),
        (
            8,
            HostQueue {
                size: 1,
                ..queue(8)
            },
        ),
    ]
}

fn node(config: &NodeConfig) -> Checked {
    let mut checked = checked(config);
    let node = &mut checked.node;
    set_up(node, 3);
    for context in CONTEXTS {
        for (index, size, offset) in KERNELS {
            let (buffer, signal) = match index % 2 {
                0 => (TARGET_BUFFER + u64::from(context), 0),
                _ => (0, KERNEL_SIGNAL),
            };
            let object = KERNEL_OBJECT + u64::from(index);
            node.register_kernel(context, index, buffer, size, offset, signal, object)
                .unwrap();
        }
        node.register_function(context, 4, 0, FUNCTION_POINTER + 64)
            .unwrap();
        for (index, queue) in queues() {
            node.create_queue(context, &queue);
            node.register_queue(context, index, queue).unwrap();
        }
    }
    checked
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_of_messages_is_delivered_as_the_golden_model_says(
        seed in any::<u64>(),
        rounds in prop::collection::vec(prop::collection::vec(plan(), 1..9), 2),
        picks in prop::collection::vec(any::<Index>(), 16),
    ) {
        let mut checked = node(&NodeConfig::random(seed));
        for (round, plans) in rounds.iter().enumerate() {
            for context in CONTEXTS {
                post_buffers(&mut checked.node, context, round as u64);
                for (_, queue) in queues() {
                    drain(&mut checked.node, context, &queue);
                }
            }
            let packets = interleave(plans, 100 * round, &picks);
            if let Err(error) = checked.deliver(&packets, 200_000) {
                return Err(TestCaseError::fail(format!("round {round}: {error}")));
            }
        }
    }
}
