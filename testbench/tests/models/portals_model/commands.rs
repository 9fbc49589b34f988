//! Commands that no other test refuses: portals, descriptors, queues. And a network with a node missing.

use crate::portals_model::setup::*;
use std::collections::BTreeMap;
use xtq_testbench::portals::{
    AckRequest, Command, CounterId, EventKind, Limits, MdId, MdOption, MemoryDescriptor, Network,
    NiFail, NodeConfig, Portal, PortalOptions, QueueId, Rank, Refusal, RequestError, Transfer,
};

#[test]
fn portals_are_allocated_once_and_up_to_the_last_index() {
    let mut node = node();
    assert_eq!(
        node.post(Command::PtAlloc(PORTAL, PLAIN)),
        Err(Refusal::InUse)
    );
    assert_eq!(node.post(Command::PtAlloc(Portal(63), PLAIN)), Ok(()));
    assert_eq!(
        node.post(Command::PtAlloc(Portal(64), PLAIN)),
        Err(Refusal::ArgInvalid)
    );
    let no_queue = PortalOptions {
        queue: Some(QueueId(2)),
        ..PLAIN
    };
    assert_eq!(
        node.post(Command::PtAlloc(Portal(5), no_queue)),
        Err(Refusal::ArgInvalid)
    );
    for command in [Command::PtEnable(Portal(5)), Command::PtDisable(Portal(5))] {
        assert_eq!(node.post(command), Err(Refusal::ArgInvalid));
    }
}

#[test]
fn descriptors_are_limited_and_name_what_exists() {
    let limits = Limits {
        max_mds: 1,
        ..Limits::default()
    };
    let mut node = node_with(limits, PLAIN);
    let md = MemoryDescriptor::default();
    for wrong in [
        MemoryDescriptor {
            queue: Some(QueueId(7)),
            ..md
        },
        MemoryDescriptor {
            counter: Some(CounterId(70)),
            ..md
        },
    ] {
        assert_eq!(
            node.post(Command::MdBind(MdId(1), wrong)),
            Err(Refusal::ArgInvalid)
        );
    }
    assert_eq!(node.post(Command::MdBind(MdId(1), md)), Ok(()));
    assert_eq!(node.post(Command::MdBind(MdId(1), md)), Err(Refusal::InUse));
    assert_eq!(
        node.post(Command::MdBind(MdId(2), md)),
        Err(Refusal::NoSpace)
    );
}

fn lone_network() -> Network {
    let mut network = Network::new(&BTreeMap::from([(Rank(0), config(Limits::default()))]));
    furnish(network.node_mut(Rank(0)).unwrap(), PLAIN);
    let bind = Command::MdBind(
        MdId(1),
        MemoryDescriptor {
            options: [MdOption::CtAck].into_iter().collect(),
            counter: Some(CounterId(1)),
            queue: Some(MD_EVENTS),
            ..MemoryDescriptor::default()
        },
    );
    network.post(Rank(0), None, bind).unwrap();
    network
}

#[test]
fn what_goes_to_no_node_is_undeliverable() {
    let mut network = lone_network();
    let put = Transfer {
        ack: AckRequest::Ack,
        target: Rank(9),
        ..send(1, 0)
    };
    network.post(Rank(0), None, Command::Transfer(put)).unwrap();
    let node = |network: &Network| count(network.node(Rank(0)).unwrap(), 1);
    assert_eq!(
        node(&network),
        (0, 0),
        "nothing moves before it is delivered"
    );
    network.deliver().unwrap();
    assert_eq!(node(&network), (0, 1));
    let queue = network.node(Rank(0)).unwrap().queue(MD_EVENTS).unwrap();
    let last = queue.events().last().unwrap();
    assert_eq!(
        (last.kind, last.ni_fail),
        (EventKind::Ack, NiFail::Undeliverable)
    );
    assert!(network.answered(Rank(9)).is_empty());
    assert_eq!(network.sent(Rank(0)).len(), 1);
}

#[test]
fn a_host_of_no_node_is_refused() {
    let mut network = lone_network();
    assert_eq!(
        network.post(Rank(9), None, inc(1, 1)),
        Err(Refusal::ArgInvalid)
    );
    assert!(network.node(Rank(9)).is_none());
}

#[test]
fn requests_that_cannot_be_change_nothing() {
    let mut node = node();
    append(
        &mut node,
        1,
        entry(&[xtq_testbench::portals::MeOption::OpPut]),
    );
    let mut short = put(0, &[1, 2, 3]);
    short.rlength = 4;
    assert_eq!(
        node.receive(&short),
        Err(RequestError::Data { wanted: 4, got: 3 })
    );
    let mut loaded = get(0, 4);
    loaded.data = vec![1];
    assert_eq!(
        node.receive(&loaded),
        Err(RequestError::Data { wanted: 0, got: 1 })
    );
    assert_eq!((kinds(&node).len(), bytes(&node, 256, 3)), (1, vec![0; 3]));
}

#[test]
fn memory_is_in_pieces_and_nothing_lies_between_them() {
    let node_config = NodeConfig {
        memory: vec![(1 << 40, 8), (u64::MAX - 7, 8)],
        ..NodeConfig::default()
    };
    let mut node = xtq_testbench::portals::Node::new(Rank(0), &node_config);
    let memory = node.memory_mut();
    assert!(memory.write(1 << 40, &[1; 8]).is_ok());
    assert!(memory.write((1 << 40) + 1, &[2; 8]).is_err());
    assert!(memory.write(u64::MAX - 7, &[3; 8]).is_ok());
    assert!(memory.write(u64::MAX, &[4; 2]).is_err());
    assert!(memory.write(0, &[]).is_ok(), "no bytes are everywhere");
    assert!(memory.read(0, 1).is_err());
    assert_eq!(memory.read(1 << 40, 8), Ok(&[1; 8][..]));
    assert!(memory.read(1 << 40, u64::MAX).is_err());
}
