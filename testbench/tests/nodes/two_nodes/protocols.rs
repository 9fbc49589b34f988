//! Offloaded protocols: the hosts post everything and sleep (Schneider et al., section IV; rules 9 of
//! `docs/portals-model.md`).

use xtq_testbench::host::{
    AckRequest, Command, CounterValue, Ct, Get, MatchEntry, Md, Me, MemoryDescriptor, ProcessId,
    Pt, Put, Trigger, md_option, me_option, portal_option, ptl_ct_alloc, ptl_ct_get, ptl_ct_inc,
    ptl_md_bind, ptl_me_append, ptl_pt_alloc, ptl_triggered_ct_inc, ptl_triggered_get,
    ptl_triggered_me_append, ptl_triggered_me_unlink, ptl_triggered_put,
};

use super::fixture::{SOURCE, TARGET, World, pattern};

const LISTS: Pt = Pt(20);
const BUFFER: u64 = 0x5100_0000;
const SHADOW: u64 = 0x5200_0000;
const INITIATOR: ProcessId = ProcessId {
    node: 0,
    context: 0,
};

/// Kinds of message, in the match bits.
const RTR: u64 = 1 << 62;
const RTS: u64 = 2 << 62;
const DATA: u64 = 3 << 62;

fn at(counter: u16, threshold: u64) -> Trigger {
    Trigger {
        counter: Ct(counter),
        threshold,
    }
}

fn one() -> CounterValue {
    CounterValue {
        success: 1,
        failure: 0,
    }
}

/// An entry that counts, without events.
fn counting(
    me: u16,
    match_bits: u64,
    start: u64,
    length: u64,
    counter: u16,
    once: u32,
) -> MatchEntry {
    MatchEntry {
        me: Me(me),
        pt_index: LISTS,
        start,
        length,
        options: me_option::OP_PUT
            | me_option::CT_COMM
            | me_option::COMM_DISABLE
            | me_option::LINK_DISABLE
            | me_option::UNLINK_DISABLE
            | once,
        match_bits,
        counter: Some(Ct(counter)),
        ..MatchEntry::default()
    }
}

fn once(me: u16, match_bits: u64, start: u64, length: u64, counter: u16) -> MatchEntry {
    counting(me, match_bits, start, length, counter, me_option::USE_ONCE)
}

fn put(target: ProcessId, match_bits: u64, offset: u64, length: u64) -> Put {
    Put {
        local_offset: offset,
        length,
        ack: AckRequest::None,
        target,
        pt_index: LISTS,
        match_bits,
        ..Put::default()
    }
}

/// Two nodes with lists and counters 0 to 9.
fn world(seed: Option<u64>) -> World {
    let mut world = World::new(2, seed, &Default::default());
    for node in 0..2 {
        let mut commands = vec![ptl_pt_alloc(LISTS, portal_option::MATCHING)];
        commands.extend((0..10).map(|ct| ptl_ct_alloc(Ct(ct))));
        world.post(node, &commands);
    }
    world.settle();
    world.write(0, SOURCE, &pattern(20_000, 1));
    world
}

/// Successes counted.
fn count(world: &mut World, node: usize, counter: u16) -> u64 {
    world.post(node, &[ptl_ct_get(Ct(counter)).with_completion()]);
    world.settle();
    let event = world.events(node).pop().expect("a completion");
    assert_eq!(event.result(), Some(Ok(())));
    assert_eq!(event.counter().failure, 0);
    event.counter().success
}

fn seeds() -> impl Iterator<Item = Option<u64>> {
    [None, Some(1), Some(2), Some(3)].into_iter()
}

#[test]
fn ping_pong_without_the_hosts() {
    const ROUNDS: u64 = 20;
    for seed in seeds() {
        let mut world = world(seed);
        for (node, other) in [(0, TARGET), (1, INITIATOR)] {
            // The n-th message that comes sends the n-th answer; node 0 begins, so it answers one less.
            let mut commands = vec![ptl_me_append(&counting(1, DATA, BUFFER, 4096, 0, 0))];
            let answers = if node == 0 { ROUNDS - 1 } else { ROUNDS };
            commands.extend(
                (1..=answers).map(|n| ptl_triggered_put(&put(other, DATA, 100 * n, 8), at(0, n))),
            );
            world.post(node, &commands);
        }
        world.settle();
        // From here on no host does anything.
        world.post(0, &[xtq_testbench::host::ptl_put(&put(TARGET, DATA, 0, 8))]);
        world.settle();
        assert_eq!(
            (count(&mut world, 0, 0), count(&mut world, 1, 0)),
            (ROUNDS, ROUNDS)
        );
        assert_eq!(world.events(0).len() + world.events(1).len(), 0);
    }
}

#[test]
fn rendezvous_with_everything_matched_before() {
    for seed in seeds() {
        let mut world = world(seed);
        // Sender: RTR counts on 1; the data leave when the predecessor (1) and the RTR are there.
        let sender = [
            ptl_me_append(&once(1, RTR, BUFFER, 0, 1)),
            ptl_triggered_put(&put(TARGET, DATA, 0, 10_000), at(1, 2)),
            ptl_ct_inc(Ct(1), one()),
        ];
        // Receiver: enabled by counter 0, sends RTR; the data count on 2, which enables the successor 3.
        let receiver = [
            ptl_me_append(&once(1, DATA, BUFFER, 10_000, 2)),
            ptl_triggered_put(&put(INITIATOR, RTR, 0, 0), at(0, 1)),
            ptl_triggered_ct_inc(Ct(3), one(), at(2, 1)),
        ];
        world.post(0, &sender);
        world.post(1, &receiver);
        world.settle();
        assert_eq!(
            world.read(1, BUFFER, 1),
            [0],
            "nothing comes before the receiver is ready"
        );
        world.post(1, &[ptl_ct_inc(Ct(0), one())]);
        world.settle();
        assert_eq!(world.read(1, BUFFER, 10_000), pattern(20_000, 1)[..10_000]);
        assert_eq!(count(&mut world, 1, 3), 1);
    }
}

/// Schneider et al., figure 6: nobody knows whether the other is ready.
#[test]
fn rendezvous_without_matching_before_whoever_comes_first() {
    for seed in seeds() {
        for order in ["sender", "receiver", "both"] {
            let mut world = world(seed);
            let sender: Vec<Command> = vec![
                ptl_triggered_me_append(&once(1, RTR, BUFFER, 0, 1), at(0, 1)),
                ptl_triggered_put(&put(TARGET, RTS, 0, 0), at(0, 1)),
                ptl_triggered_put(&put(TARGET, DATA, 0, 10_000), at(1, 1)),
            ];
            let receiver: Vec<Command> = vec![
                ptl_triggered_me_append(&once(1, RTS, SHADOW, 0, 1), at(0, 1)),
                ptl_triggered_me_append(&once(2, DATA, BUFFER, 10_000, 2), at(0, 1)),
                ptl_triggered_put(&put(INITIATOR, RTR, 0, 0), at(0, 1)),
                ptl_triggered_put(&put(INITIATOR, RTR, 0, 0), at(1, 1)),
                ptl_triggered_me_unlink(Me(1), at(2, 1)),
                ptl_triggered_ct_inc(Ct(3), one(), at(2, 1)),
            ];
            world.post(0, &sender);
            world.post(1, &receiver);
            world.settle();
            let enable = [ptl_ct_inc(Ct(0), one())];
            let first = match order {
                "sender" => vec![0],
                "receiver" => vec![1],
                _ => vec![],
            };
            for node in first {
                world.post(node, &enable);
                world.settle();
                assert_eq!(count(&mut world, 1, 3), 0, "{order} first");
            }
            for node in 0..2 {
                if order == ["sender", "receiver"][node] {
                    continue;
                }
                world.post(node, &enable);
            }
            world.settle();
            assert_eq!(
                world.read(1, BUFFER, 10_000),
                pattern(20_000, 1)[..10_000],
                "{order} first, {seed:?}"
            );
            assert_eq!(count(&mut world, 1, 3), 1, "{order} first, {seed:?}");
            assert_eq!(count(&mut world, 1, 2), 1);
        }
    }
}

/// Schneider et al., figure 7: the message waits in a shadow buffer; the NIC copies it when the receive is posted.
#[test]
fn eager_messages_are_copied_by_the_nic() {
    for seed in seeds() {
        for first in ["message", "receive"] {
            let mut world = world(seed);
            let myself = TARGET;
            let mut copy = put(myself, DATA | 1, 0, 3000);
            copy.md = xtq_testbench::host::Md(1);
            let receiver = [
                super::fixture::bind(1, SHADOW, 3000),
                ptl_me_append(&once(1, DATA, SHADOW, 3000, 1)),
                ptl_me_append(&MatchEntry {
                    source_node: Some(1),
                    ..once(2, DATA | 1, BUFFER, 3000, 2)
                }),
                ptl_triggered_put(&copy, at(1, 2)),
                ptl_triggered_ct_inc(Ct(3), one(), at(2, 1)),
            ];
            world.post(1, &receiver);
            world.settle();
            let message = [xtq_testbench::host::ptl_put(&put(TARGET, DATA, 0, 3000))];
            let posted = [ptl_ct_inc(Ct(1), one())];
            if first == "message" {
                world.post(0, &message);
                world.settle();
                assert_eq!(world.read(1, BUFFER, 1), [0]);
                world.post(1, &posted);
            } else {
                world.post(1, &posted);
                world.settle();
                world.post(0, &message);
            }
            world.settle();
            assert_eq!(
                world.read(1, BUFFER, 3000),
                pattern(20_000, 1)[..3000],
                "{first} first"
            );
            assert_eq!(count(&mut world, 1, 3), 1);
        }
    }
}

/// Rendezvous by a GET: the sender offers its buffer and says so; the receiver's NIC fetches it when both are ready.
#[test]
fn rendezvous_by_a_get_whoever_comes_first() {
    for seed in seeds() {
        for order in ["sender", "receiver"] {
            let mut world = world(seed);
            let offered = MatchEntry {
                start: SOURCE + 1,
                options: me_option::OP_GET
                    | me_option::USE_ONCE
                    | me_option::CT_COMM
                    | me_option::COMM_DISABLE
                    | me_option::LINK_DISABLE
                    | me_option::UNLINK_DISABLE,
                ..once(1, DATA, 0, 10_000, 2)
            };
            // Sender: the offer first, then RTS; the buffer is its own again when the GET has counted on 2.
            let sender = [
                ptl_me_append(&offered),
                ptl_triggered_put(&put(TARGET, RTS, 0, 0), at(0, 1)),
                ptl_triggered_ct_inc(Ct(3), one(), at(2, 1)),
            ];
            // Receiver: RTS counts on 1, and so does the receive; with both the GET leaves. Its reply counts on 2.
            let into = ptl_md_bind(&MemoryDescriptor {
                md: Md(1),
                start: BUFFER,
                length: 10_000,
                options: md_option::CT_REPLY,
                counter: Some(Ct(2)),
            });
            let fetch = Get {
                md: Md(1),
                length: 10_000,
                target: INITIATOR,
                pt_index: LISTS,
                match_bits: DATA,
                ..Get::default()
            };
            let receiver = [
                into,
                ptl_me_append(&once(1, RTS, SHADOW, 0, 1)),
                ptl_triggered_get(&fetch, at(1, 2)),
                ptl_triggered_ct_inc(Ct(3), one(), at(2, 1)),
            ];
            world.post(0, &sender);
            world.post(1, &receiver);
            world.settle();
            let ready = [(0, ptl_ct_inc(Ct(0), one())), (1, ptl_ct_inc(Ct(1), one()))];
            let [sender, receiver] = ready;
            let (first, second) = match order {
                "sender" => (sender, receiver),
                _ => (receiver, sender),
            };
            world.post(first.0, &[first.1]);
            world.settle();
            assert_eq!(world.read(1, BUFFER, 1), [0], "{order} first");
            world.post(second.0, &[second.1]);
            world.settle();
            assert_eq!(world.read(1, BUFFER, 10_000), pattern(20_000, 1)[1..10_001]);
            assert_eq!((count(&mut world, 0, 3), count(&mut world, 1, 3)), (1, 1));
        }
    }
}
