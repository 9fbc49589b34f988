//! The state machines of Schneider et al. (rules 9 of `docs/portals-model.md`) as programs of two nodes whose hosts
//! sleep after posting.
//!
//! Node 0 sends, node 1 receives. Counter 1 of either is E, the enabled counter of the operation; counter 6 is the E of
//! a successor.

mod eager;

use crate::portals_model::setup::*;
use std::collections::BTreeMap;
use xtq_testbench::portals::{
    Command, CounterId, EntryId, Limits, List, MatchEntry, MdId, MdOption, MeOption,
    MemoryDescriptor, Network, Place, PortalOptions, Rank, Transfer, Trigger,
};

const SENDER: u32 = 0;
const RECEIVER: u32 = 1;
const E: u32 = 1;
const DONE: u32 = 6;
/// What is sent, and where it lies and lands.
const DATA: [u8; 8] = *b"messages";
const USER: u64 = 100;
const SHADOW: u64 = 200;

/// Tags: type, instance of the schedule, user tag.
fn tag(kind: u64, instance: u64) -> u64 {
    kind << 62 | instance << 32 | 9
}
const RTR: u64 = 1;
const RTS: u64 = 2;
const MESSAGE: u64 = 3;

struct Nodes(Network);

impl Nodes {
    /// Two nodes without event queues; descriptor 1 is the data at [`USER`] and counts sends at 3, 2 is nothing, 3 the
    /// shadow.
    fn new() -> Self {
        let nodes = [SENDER, RECEIVER].map(|rank| (Rank(rank), config(Limits::default())));
        let mut nodes = Self(Network::new(&BTreeMap::from(nodes)));
        for rank in [SENDER, RECEIVER] {
            let node = nodes.0.node_mut(Rank(rank)).unwrap();
            furnish(
                node,
                PortalOptions {
                    queue: None,
                    ..PLAIN
                },
            );
            for (id, start, length, counter) in [
                (1, USER, 8, Some(CounterId(3))),
                (2, 0, 0, None),
                (3, SHADOW, 8, None),
            ] {
                let options = [MdOption::CtSend].into_iter().collect();
                let md = MemoryDescriptor {
                    start,
                    length,
                    options,
                    counter,
                    ..MemoryDescriptor::default()
                };
                node.post(Command::MdBind(MdId(id), md)).unwrap();
            }
        }
        let sender = nodes.0.node_mut(Rank(SENDER)).unwrap();
        sender.memory_mut().write(USER, &DATA).unwrap();
        nodes
    }

    fn post(&mut self, rank: u32, command: Command) {
        self.0.post(Rank(rank), None, command).unwrap();
    }

    /// `counter >= threshold`: do this.
    fn when(&mut self, rank: u32, counter: u32, threshold: u64, command: Command) {
        let counter = CounterId(counter);
        self.0
            .post(Rank(rank), Some(Trigger { counter, threshold }), command)
            .unwrap();
    }

    /// A predecessor is done.
    fn enable(&mut self, rank: u32) {
        self.post(rank, inc(E, 1));
    }

    fn deliver(&mut self) {
        self.0.deliver().unwrap();
    }

    fn count(&self, rank: u32, counter: u32) -> u64 {
        let (success, failure) = count(self.0.node(Rank(rank)).unwrap(), counter);
        assert_eq!(failure, 0);
        success
    }

    /// Tags of what a node sent.
    fn sent(&self, rank: u32) -> Vec<u64> {
        self.0
            .sent(Rank(rank))
            .iter()
            .map(|request| request.match_bits >> 62)
            .collect()
    }

    fn drops(&self, rank: u32) -> u64 {
        self.0.node(Rank(rank)).unwrap().status().drop
    }

    fn entries(&self, rank: u32) -> Vec<u32> {
        linked(self.0.node(Rank(rank)).unwrap(), List::Priority)
    }

    fn pending(&self, rank: u32) -> BTreeMap<u32, usize> {
        pending(self.0.node(Rank(rank)).unwrap())
    }

    fn received(&self) -> Vec<u8> {
        bytes(self.0.node(Rank(RECEIVER)).unwrap(), USER, 8)
    }

    /// The message arrived once, its sender and its receiver are done, no entry is left.
    fn assert_done(&self) {
        assert_eq!(self.received(), DATA);
        let messages = self
            .sent(SENDER)
            .iter()
            .filter(|kind| **kind == MESSAGE)
            .count();
        assert_eq!(messages, 1);
        assert_eq!(
            (self.count(SENDER, DONE), self.count(RECEIVER, DONE)),
            (1, 1)
        );
        assert_eq!(
            (self.entries(SENDER), self.entries(RECEIVER)),
            (vec![], vec![])
        );
    }
}

/// An entry for one message with this tag, that counts.
fn once(id: u32, tag: u64, counter: u32, start: u64) -> Command {
    let me = MatchEntry {
        start,
        length: 8,
        match_bits: tag,
        ignore_bits: 0,
        counter: Some(CounterId(counter)),
        ..entry(&[MeOption::OpPut, MeOption::UseOnce, MeOption::CtComm])
    };
    append_to(List::Priority, id, me)
}

fn put_of(md: u32, length: u64, to: u32, tag: u64) -> Command {
    Command::Transfer(Transfer {
        from: Some(Place {
            md: MdId(md),
            offset: 0,
        }),
        target: Rank(to),
        ..send(tag, length)
    })
}

/// The message itself.
fn data(instance: u64) -> Command {
    put_of(1, 8, RECEIVER, tag(MESSAGE, instance))
}

/// A control message.
fn control(kind: u64, instance: u64, to: u32) -> Command {
    put_of(2, 0, to, tag(kind, instance))
}

/// A. Rendezvous, pre-matched (figure 5): every entry is linked before the start. `predecessors` of either side.
fn pre_matched(predecessors: u64) -> Nodes {
    let mut nodes = Nodes::new();
    nodes.post(SENDER, once(1, tag(RTR, 0), E, 0));
    nodes.when(SENDER, E, predecessors + 1, data(0));
    nodes.when(SENDER, 3, 1, inc(DONE, 1));
    nodes.post(RECEIVER, once(1, tag(MESSAGE, 0), 2, USER));
    nodes.when(RECEIVER, E, predecessors, control(RTR, 0, SENDER));
    nodes.when(RECEIVER, 2, 1, inc(DONE, 1));
    nodes
}

#[test]
fn a_sender_that_is_ready_first_waits_for_the_receiver() {
    let mut nodes = pre_matched(1);
    nodes.enable(SENDER);
    nodes.deliver();
    assert!(nodes.sent(SENDER).is_empty());
    nodes.enable(RECEIVER);
    nodes.deliver();
    nodes.assert_done();
}

#[test]
fn a_receiver_that_is_ready_first_waits_for_the_sender() {
    let mut nodes = pre_matched(1);
    nodes.enable(RECEIVER);
    nodes.deliver();
    assert!(nodes.sent(SENDER).is_empty());
    nodes.enable(SENDER);
    nodes.deliver();
    nodes.assert_done();
}

#[test]
fn every_predecessor_must_be_done() {
    for order in [[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0], [1, 0, 0, 1]] {
        let mut nodes = pre_matched(2);
        for (number, rank) in order.into_iter().enumerate() {
            assert_ne!(nodes.received(), DATA, "{order:?} before {number}");
            nodes.enable(rank);
            nodes.deliver();
        }
        nodes.assert_done();
        assert_eq!((nodes.drops(SENDER), nodes.drops(RECEIVER)), (0, 0));
        assert!(nodes.pending(SENDER).is_empty() && nodes.pending(RECEIVER).is_empty());
    }
}

/// B. Rendezvous, not pre-matched (figure 6). X is counter 2 of the sender; Y and D are counters 2 and 4 of the
/// receiver.
fn not_pre_matched(nodes: &mut Nodes, instance: u64, step: u64) {
    // Appends before puts: the order of posting is a need.
    let entry = |number: u32| 10 * instance as u32 + number;
    nodes.when(SENDER, E, step, once(entry(1), tag(RTR, instance), 2, 0));
    nodes.when(SENDER, E, step, control(RTS, instance, RECEIVER));
    nodes.when(SENDER, 2, step, data(instance));
    nodes.when(SENDER, 3, step, inc(DONE, 1));
    nodes.when(RECEIVER, E, step, once(entry(1), tag(RTS, instance), 2, 0));
    nodes.when(
        RECEIVER,
        E,
        step,
        once(entry(2), tag(MESSAGE, instance), 4, USER),
    );
    nodes.when(RECEIVER, E, step, control(RTR, instance, SENDER));
    nodes.when(RECEIVER, 2, step, control(RTR, instance, SENDER));
    nodes.when(RECEIVER, 4, step, Command::MeUnlink(EntryId(entry(1))));
    nodes.when(RECEIVER, 4, step, inc(DONE, 1));
}

fn started() -> Nodes {
    let mut nodes = Nodes::new();
    not_pre_matched(&mut nodes, 0, 1);
    nodes
}

#[test]
fn sender_first_the_rts_is_dropped_and_the_stale_entry_unlinked() {
    let mut nodes = started();
    nodes.enable(SENDER);
    nodes.deliver();
    assert_eq!((nodes.drops(RECEIVER), nodes.entries(SENDER)), (1, vec![1]));
    nodes.enable(RECEIVER);
    nodes.deliver();
    nodes.assert_done();
    assert_eq!(nodes.sent(RECEIVER), [RTR]);
    // The hazard: nothing triggers the second RTR any more, nor its cancelling. The host must.
    assert_eq!(nodes.pending(RECEIVER), BTreeMap::from([(2, 1)]));
    nodes.post(RECEIVER, Command::CtCancel(CounterId(2)));
    assert!(nodes.pending(RECEIVER).is_empty());
}

#[test]
fn receiver_first_the_rts_provokes_a_second_rtr() {
    let mut nodes = started();
    nodes.enable(RECEIVER);
    nodes.deliver();
    assert_eq!(
        (nodes.drops(SENDER), nodes.entries(RECEIVER)),
        (1, vec![1, 2])
    );
    nodes.enable(SENDER);
    nodes.deliver();
    nodes.assert_done();
    assert_eq!(nodes.sent(RECEIVER), [RTR, RTR]);
    assert_eq!((nodes.drops(SENDER), nodes.drops(RECEIVER)), (1, 0));
    assert!(nodes.pending(RECEIVER).is_empty());
}

#[test]
fn crossing_one_rtr_is_spare_and_dropped() {
    for order in [[SENDER, RECEIVER], [RECEIVER, SENDER]] {
        let mut nodes = started();
        for rank in order {
            nodes.enable(rank);
        }
        nodes.deliver();
        nodes.assert_done();
        assert_eq!(nodes.sent(RECEIVER), [RTR, RTR]);
        assert_eq!((nodes.drops(SENDER), nodes.drops(RECEIVER)), (1, 0));
    }
}

/// Two sends one after the other, of which the second has this instance number. Both cross.
fn twice(instance: u64) -> Nodes {
    let mut nodes = started();
    for rank in [SENDER, RECEIVER] {
        nodes.enable(rank);
    }
    // Entry numbers differ even if the tags do not.
    nodes.when(SENDER, E, 2, once(21, tag(RTR, instance), 2, 0));
    nodes.when(SENDER, 2, 2, data(instance));
    nodes.enable(SENDER);
    nodes.deliver();
    nodes
}

#[test]
fn a_spare_rtr_matches_a_later_send_with_the_same_tag_unless_it_has_an_instance_number() {
    // The second receive was never posted: its data must not leave.
    let hazard = twice(0);
    assert_eq!(
        (hazard.sent(SENDER), hazard.drops(RECEIVER)),
        (vec![RTS, MESSAGE, MESSAGE], 1)
    );
    let safe = twice(1);
    assert_eq!(
        (safe.sent(SENDER), safe.drops(RECEIVER)),
        (vec![RTS, MESSAGE], 0)
    );
}

#[test]
fn a_schedule_is_used_again_after_a_triggered_reset() {
    let mut nodes = Nodes::new();
    for instance in 0..3 {
        // A reset as the last operation of a counter: the others of the same threshold run all the same.
        nodes.when(
            SENDER,
            E,
            1,
            once(instance as u32, tag(RTR, instance), 2, 0),
        );
        nodes.when(SENDER, E, 1, control(RTS, instance, RECEIVER));
        nodes.when(SENDER, 2, 1, data(instance));
        nodes.when(SENDER, E, 1, set(E, 0, 0));
        nodes.when(SENDER, 2, 1, set(2, 0, 0));
        nodes.post(RECEIVER, once(instance as u32, tag(RTS, instance), 2, 0));
        nodes.post(
            RECEIVER,
            once(100 + instance as u32, tag(MESSAGE, instance), 4, USER),
        );
        nodes.when(RECEIVER, 2, 1, set(2, 0, 0));
        nodes.when(RECEIVER, 2, 1, control(RTR, instance, SENDER));
        nodes.enable(SENDER);
        nodes.deliver();
        assert_eq!(
            (
                nodes.count(SENDER, E),
                nodes.count(SENDER, 2),
                nodes.count(RECEIVER, 2)
            ),
            (0, 0, 0)
        );
        assert_eq!(nodes.count(RECEIVER, 4), instance + 1);
        assert!(nodes.pending(SENDER).is_empty() && nodes.pending(RECEIVER).is_empty());
    }
    assert_eq!(nodes.received(), DATA);
}

#[test]
fn a_response_stands_before_what_its_request_triggered_and_behind_what_was_under_way() {
    let mut nodes = Nodes::new();
    // Counter 2 of the sender sees the acknowledgement of the first put and the arrival of what that put triggered.
    let node = nodes.0.node_mut(Rank(SENDER)).unwrap();
    let md = MemoryDescriptor {
        options: [MdOption::CtAck].into_iter().collect(),
        counter: Some(CounterId(2)),
        ..MemoryDescriptor::default()
    };
    node.post(Command::MdBind(MdId(9), md)).unwrap();
    nodes.post(RECEIVER, once(1, tag(RTS, 0), 2, 0));
    nodes.when(RECEIVER, 2, 1, control(RTR, 0, SENDER));
    nodes.post(SENDER, once(1, tag(RTR, 0), 4, 0));
    // Reached by the acknowledgement and by the arrival; both happen before the second put's acknowledgement.
    nodes.when(SENDER, 2, 1, control(1, 77, 9));
    nodes.when(SENDER, 4, 1, control(2, 78, 9));
    nodes.when(SENDER, 2, 2, control(3, 79, 9));
    for instance in 0..2 {
        let put = Transfer {
            from: Some(Place {
                md: MdId(9),
                offset: 0,
            }),
            ack: xtq_testbench::portals::AckRequest::Ct,
            ..send(tag(RTS, instance), 0)
        };
        nodes.post(
            SENDER,
            Command::Transfer(Transfer {
                target: Rank(RECEIVER),
                ..put
            }),
        );
    }
    nodes.deliver();
    // The second put is dropped, so its acknowledgement is a failure, which counts for thresholds.
    assert_eq!(nodes.sent(SENDER), [RTS, RTS, 1, 2, 3]);
}
