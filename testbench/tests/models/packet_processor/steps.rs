//! Random histories of producers, hosts and tasks, played to the processor.

use crate::packet_processor::setup::{BASE, Queue, READ_INDEX, packet};
use proptest::prelude::*;
use xtq_testbench::aql::Packet;
use xtq_testbench::packet_check::Checks;
use xtq_testbench::packet_processor::QueueConfig;

/// One thing that happens outside the processor. Ids count from the queue's first one.
#[derive(Clone, Debug)]
pub enum Step {
    /// A producer writes the next packet if its slot is free.
    PublishNext(Packet),
    /// A producer writes any slot, perhaps against the rules.
    PublishAny(u64, Packet),
    /// A doorbell store of the newest id.
    RingNewest,
    /// A doorbell store, of any value.
    Doorbell(u64),
    /// A store to a signal.
    Store(u64, i64),
    /// The end of one of the running tasks, if there is one.
    FinishRunning(prop::sample::Index),
    /// The end of a task, which may not even run.
    Finish(u64),
}

/// A history: the queue and the steps.
#[derive(Clone, Debug)]
pub struct History {
    pub config: QueueConfig,
    pub steps: Vec<Step>,
}

/// What was played and what the processor logged, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    Publish(u64, Packet),
    Doorbell(u64),
    Store(u64, i64),
    Finish(u64),
    Log(String),
}

/// The signals of a history.
pub const SIGNALS: [u64; 4] = [0x100, 0x200, 0x300, 0x400];

fn any_handle() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0), 3 => prop::sample::select(SIGNALS.to_vec())]
}

fn any_packet() -> impl Strategy<Value = Packet> {
    let kind = prop_oneof![
        30 => Just(2_u8),
        10 => Just(4),
        14 => Just(3),
        8 => Just(5),
        2 => prop::sample::select(vec![0_u8, 1, 6, 255]),
    ];
    // Nothing, the barrier bit, or the system acquire scope.
    let high = prop_oneof![3 => Just(0_u8), 1 => Just(1), 1 => Just(4)];
    let deps = (any_handle(), any_handle(), any_handle());
    (kind, high, deps, any_handle()).prop_map(|(kind, high, (a, b, c), signal)| {
        let deps = if kind == 2 { [0; 5] } else { [a, 0, b, 0, c] };
        packet(kind, high, deps, signal)
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let signal = prop::sample::select(SIGNALS.to_vec());
    prop_oneof![
        20 => any_packet().prop_map(Step::PublishNext),
        1 => (0..16_u64, any_packet()).prop_map(|(id, packet)| Step::PublishAny(id, packet)),
        10 => Just(Step::RingNewest),
        4 => (0..24_u64).prop_map(Step::Doorbell),
        14 => (signal, -1..2_i64).prop_map(|(handle, value)| Step::Store(handle, value)),
        16 => any::<prop::sample::Index>().prop_map(Step::FinishRunning),
        2 => (0..20_u64).prop_map(Step::Finish),
    ]
}

/// Histories on rings of 1 to 8 slots.
pub fn any_history() -> impl Strategy<Value = History> {
    let first_id = prop::sample::select(vec![0, 3, u64::from(u32::MAX)]);
    let steps = prop::collection::vec(any_step(), 0..80);
    (0..4, first_id, steps).prop_map(|(log_size, first_id, steps)| History {
        config: QueueConfig {
            base: BASE,
            size: 1_u64 << log_size,
            first_id,
            read_index_address: Some(READ_INDEX),
            checks: Checks::Format,
            ..QueueConfig::default()
        },
        steps,
    })
}

/// Plays a history to the processor; the entries end with all that was logged.
pub fn play(history: &History) -> (Queue, Vec<Entry>) {
    let mut queue = Queue::with(history.config);
    let first = history.config.first_id;
    let mut next = first;
    let mut entries = Vec::new();
    for step in &history.steps {
        let entry = match step {
            Step::PublishNext(_) if next >= queue.processor.read_index() + queue.size => continue,
            Step::PublishNext(packet) => {
                next += 1;
                Entry::Publish(next - 1, *packet)
            }
            Step::PublishAny(id, packet) => Entry::Publish(first + id, *packet),
            Step::RingNewest if next == first => continue,
            Step::RingNewest => Entry::Doorbell(next - 1),
            Step::Doorbell(id) => Entry::Doorbell(first + id),
            Step::Store(handle, value) => Entry::Store(*handle, *value),
            Step::FinishRunning(index) => {
                let running: Vec<u64> = queue.processor.running().collect();
                if running.is_empty() {
                    continue;
                }
                Entry::Finish(*index.get(&running))
            }
            Step::Finish(id) => Entry::Finish(first + id),
        };
        let log = match &entry {
            Entry::Publish(id, packet) => {
                queue.publish(*id, *packet);
                queue.step()
            }
            Entry::Doorbell(id) => queue.ring(*id),
            Entry::Store(handle, value) => queue.store(*handle, *value),
            Entry::Finish(id) if queue.processor.running().any(|i| i == *id) => queue.finish(*id),
            Entry::Finish(_) | Entry::Log(_) => Vec::new(),
        };
        entries.push(entry);
        entries.extend(log.into_iter().map(Entry::Log));
    }
    (queue, entries)
}
