//! A node to try rules on, and short ways to say what happens to it.

use std::collections::BTreeMap;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, Command, Counter, CounterId, Datatype, Detail, EntryId, Event, EventKind,
    Limits, List, MatchEntry, MdId, MdOption, MeOption, MemoryDescriptor, NiFail, Node, NodeConfig,
    Operation, Place, Portal, PortalOptions, QueueId, Rank, Refusal, Request, RequestKind,
    Response, Search, TargetDetail, Transfer, Trigger,
};

/// The portal of most tests.
pub const PORTAL: Portal = Portal(0);
/// Bytes of memory of a node, from address 0.
pub const MEMORY: usize = 4096;
/// Events of portals.
pub const EVENTS: QueueId = QueueId(0);
/// Events of memory descriptors.
pub const MD_EVENTS: QueueId = QueueId(1);

pub const PLAIN: PortalOptions = PortalOptions {
    flowctrl: false,
    matching: true,
    queue: Some(EVENTS),
};

pub fn config(limits: Limits) -> NodeConfig {
    NodeConfig {
        limits,
        memory: vec![(0, MEMORY)],
        queues: vec![1000, 1000],
        fires_by_step: false,
        aligned_atomics: false,
    }
}

/// Gives a node portal 0, and counters 1 to 6.
pub fn furnish(node: &mut Node, options: PortalOptions) {
    node.post(Command::PtAlloc(PORTAL, options)).unwrap();
    for counter in 1..=6 {
        node.post(Command::CtAlloc(CounterId(counter))).unwrap();
    }
}

pub fn node_with(limits: Limits, options: PortalOptions) -> Node {
    let mut node = Node::new(Rank(0), &config(limits));
    furnish(&mut node, options);
    node
}

pub fn node() -> Node {
    node_with(Limits::default(), PLAIN)
}

/// An entry of 64 bytes at 256 that takes every match bits.
pub fn entry(options: &[MeOption]) -> MatchEntry {
    MatchEntry {
        start: 256,
        length: 64,
        options: options.iter().copied().collect(),
        ignore_bits: u64::MAX,
        ..MatchEntry::default()
    }
}

/// An append under this number, which is the user pointer too.
pub fn append_to(list: List, id: u32, me: MatchEntry) -> Command {
    Command::MeAppend {
        id: EntryId(id),
        portal: PORTAL,
        list,
        me: MatchEntry {
            user_ptr: id.into(),
            ..me
        },
    }
}

pub fn append(node: &mut Node, id: u32, me: MatchEntry) {
    node.post(append_to(List::Priority, id, me)).unwrap();
}

pub fn append_overflow(node: &mut Node, id: u32, me: MatchEntry) {
    node.post(append_to(List::Overflow, id, me)).unwrap();
}

pub fn search(node: &mut Node, kind: Search, user_ptr: u64, me: MatchEntry) {
    let me = MatchEntry { user_ptr, ..me };
    let portal = PORTAL;
    node.post(Command::MeSearch { portal, kind, me }).unwrap();
}

/// A put from node 1 that asks for an ACK.
pub fn put(match_bits: u64, data: &[u8]) -> Request {
    Request {
        kind: RequestKind::Put,
        source: Rank(1),
        uid: 1,
        target: Rank(0),
        portal: PORTAL,
        match_bits,
        roffset: 0,
        rlength: data.len() as u64,
        ack: AckRequest::Ack,
        hdr_data: 0,
        data: data.to_vec(),
        operand: Vec::new(),
        handle: 0,
    }
}

pub fn get(match_bits: u64, rlength: u64) -> Request {
    Request {
        kind: RequestKind::Get,
        rlength,
        ..put(match_bits, &[])
    }
}

pub fn operation(op: AtomicOp, datatype: Datatype) -> Operation {
    Operation { op, datatype }
}

pub fn receive(node: &mut Node, request: &Request) -> Option<Response> {
    node.receive(request).unwrap()
}

/// What a put does: the failure, and the bytes moved, that its ACK reports.
pub fn outcome(node: &mut Node, request: &Request) -> (NiFail, u64) {
    let response = receive(node, request).expect("a response was asked for");
    (response.ni_fail, response.mlength)
}

pub fn events(node: &Node) -> Vec<Event> {
    node.queue(EVENTS).unwrap().events().copied().collect()
}

/// Kind and user pointer of each event.
pub fn kinds(node: &Node) -> Vec<(EventKind, u64)> {
    let events = events(node).into_iter();
    events
        .map(|event| (event.kind, event.user_ptr.unwrap_or(u64::MAX)))
        .collect()
}

/// The messages that events report.
pub fn details(node: &Node) -> Vec<TargetDetail> {
    let detail = |event: Event| match event.detail {
        Detail::Target(detail) => Some(detail),
        _ => None,
    };
    events(node).into_iter().filter_map(detail).collect()
}

pub fn bytes(node: &Node, address: u64, length: u64) -> Vec<u8> {
    node.memory().read(address, length).unwrap().to_vec()
}

pub fn linked(node: &Node, list: List) -> Vec<u32> {
    let portal = &node.portals()[&PORTAL];
    let list = match list {
        List::Priority => &portal.priority,
        List::Overflow => &portal.overflow,
    };
    list.iter().map(|id| id.0).collect()
}

pub fn headers(node: &Node) -> usize {
    node.portals()[&PORTAL].unexpected.len()
}

/// Success and failure of a counter.
pub fn count(node: &Node, counter: u32) -> (u64, u64) {
    let Counter { success, failure } = node.counters()[&CounterId(counter)];
    (success, failure)
}

pub fn value(success: u64, failure: u64) -> Counter {
    Counter { success, failure }
}

pub fn inc(counter: u32, success: u64) -> Command {
    Command::CtInc(CounterId(counter), value(success, 0))
}

pub fn set(counter: u32, success: u64, failure: u64) -> Command {
    Command::CtSet(CounterId(counter), value(success, failure))
}

pub fn when(
    node: &mut Node,
    counter: u32,
    threshold: u64,
    command: Command,
) -> Result<(), Refusal> {
    let counter = CounterId(counter);
    node.post_triggered(Trigger { counter, threshold }, command)
}

/// Binds descriptor 1: 64 bytes at 512, with an event queue and counter 1.
pub fn bind(node: &mut Node, options: &[MdOption]) {
    let md = MemoryDescriptor {
        start: 512,
        length: 64,
        options: options.iter().copied().collect(),
        queue: Some(MD_EVENTS),
        counter: Some(CounterId(1)),
    };
    node.post(Command::MdBind(MdId(1), md)).unwrap();
}

pub const MD: Place = Place {
    md: MdId(1),
    offset: 0,
};

/// A put of so many bytes of descriptor 1 to node 1, with these bits.
pub fn send(match_bits: u64, length: u64) -> Transfer {
    Transfer {
        kind: RequestKind::Put,
        from: Some(MD),
        payload: None,
        into: None,
        length,
        ack: AckRequest::None,
        target: Rank(1),
        portal: PORTAL,
        match_bits,
        roffset: 0,
        hdr_data: 0,
        operand: Vec::new(),
        user_ptr: 77,
    }
}

/// Match bits of what was sent since the last call.
pub fn sent_bits(node: &mut Node) -> Vec<u64> {
    node.take_sent()
        .iter()
        .map(|request| request.match_bits)
        .collect()
}

/// Number of operations that wait on each counter.
pub fn pending(node: &Node) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    for (trigger, _) in node.triggers().pending() {
        *counts.entry(trigger.counter.0).or_default() += 1;
    }
    counts
}
