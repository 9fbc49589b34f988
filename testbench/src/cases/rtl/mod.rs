//! Cases on real NICs: nodes with the whole NIC, driven by commands in their rings.
//!
//! A process of a case is context 0 of the node of its rank. What its host calls becomes a command of the host library
//! in the ring of that node, and the call returns when the command has ended and nothing in the node moves any more.
//! What a case shows is read where a program can read it: events from the event ring, counters by CT_GET, memory,
//! packets from the link, the status registers. And where it cannot, from the hardware: lists and pending operations
//! from the memories ([`Stores`](crate::node::Stores)).
//!
//! Nothing moves in a case's network before `deliver`, and then in one order. So the network is not the star of
//! [`crate::network`] but a queue of the messages that left the nodes: `deliver` gives them to their targets one at a
//! time, and waits each time until the target is quiet. A NIC keeps messages to itself inside, so here it knows itself
//! by another number, which is exchanged on the way ([`RtlNode::leaves`], [`RtlNode::comes`]).
//!
//! What the hardware does not do is `Unsupported` with its name. A case for which a NIC has too few match entries or
//! unexpected headers is played once more to large NICs ([`LargeRtl`]).

mod calls;
mod codes;
mod events;
mod limits;
mod message;
mod node;
mod numbers;
mod observe;
mod refuse;

use super::NotRun;
use super::portals::{Observed, PortalsNodes, malformed};
use crate::node::Top;
use crate::portals::{
    Command, Datatype, NodeConfig, Operation, OperationError, Rank, Refusal, Request, RequestKind,
    Trigger,
};
pub use message::Message;
pub use node::{Ended, RtlNode};
use std::collections::{BTreeMap, VecDeque};

/// The most bytes of an atomic.
const LONGEST_ATOMIC: u64 = 512;

/// `Ok` if the hardware does the operation of this request, or refuses it because Portals does not have it.
pub fn built(kind: RequestKind) -> Result<(), NotRun> {
    let Some(operation) = kind.operation() else {
        return Ok(());
    };
    let Operation { op, datatype } = operation;
    let missing = match operation.check(matches!(kind, RequestKind::Swap(_))) {
        Err(OperationError::Illegal(_)) => false,
        Err(OperationError::Unsupported(_)) => true,
        // Their operand has 16 bytes, a message's has eight.
        Ok(()) => datatype == Datatype::DoubleComplex && operation.uses_operand(),
    };
    let why = || format!("the hardware has no {op:?} of {datatype:?}");
    match missing {
        true => Err(NotRun::unsupported("DATATYPE", why())),
        false => Ok(()),
    }
}

/// Number by which a node names itself: not its own, as messages of a node to itself would not leave it, and a case
/// says when they arrive.
fn own_number(number: u16) -> u16 {
    !number
}

/// A rank as the number of a node on the wire.
fn node_number(rank: Rank) -> Result<u16, NotRun> {
    u16::try_from(rank.0)
        .map_err(|_| NotRun::unsupported("RANK", format!("{} is beyond 16 bits", rank.0)))
}

/// Nodes with the whole NIC, and the messages between them.
pub struct Rtl {
    nodes: BTreeMap<Rank, RtlNode>,
    /// Messages that left and have not arrived, oldest first.
    network: VecDeque<Message>,
    /// Message number of the next request from outside.
    next_id: u16,
}

/// To whom the answer goes that a node sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker<'a> {
    /// Nobody has asked.
    Nobody,
    /// Somebody outside: the answer leaves the network.
    Outside(&'a Request),
    /// A node.
    Node(&'a Request),
}

impl Rtl {
    /// Nodes as [`open`](PortalsNodes::open) brings them up. With a seed: their memories and links are random, and with
    /// an odd one their engines never sleep.
    pub fn open_with(
        configs: &BTreeMap<Rank, NodeConfig>,
        seed: Option<u64>,
    ) -> Result<Self, NotRun> {
        Self::open_as(configs, seed, Top::Nic)
    }

    fn open_as(
        configs: &BTreeMap<Rank, NodeConfig>,
        seed: Option<u64>,
        top: Top,
    ) -> Result<Self, NotRun> {
        let nodes = configs.iter().map(|(rank, config)| {
            let seed = seed.map(|seed| seed.wrapping_add(1000 * u64::from(rank.0)));
            Ok((*rank, RtlNode::open(*rank, config, seed, top)?))
        });
        Ok(Self {
            nodes: nodes.collect::<Result<_, NotRun>>()?,
            network: VecDeque::new(),
            next_id: 0,
        })
    }

    /// The nodes, for who runs them in another way.
    pub fn into_nodes(self) -> BTreeMap<Rank, RtlNode> {
        self.nodes
    }

    fn node(&mut self, rank: Rank) -> Result<&mut RtlNode, NotRun> {
        let none = || NotRun::Malformed(format!("node: there is no node {}", rank.0));
        self.nodes.get_mut(&rank).ok_or_else(none)
    }

    /// Takes what a quiet node has sent. The answer to a request goes first, then what the request triggered, whatever
    /// the order on the link: the hardware has none between the two.
    fn collect(&mut self, rank: Rank, asker: Asker<'_>) -> Result<(), NotRun> {
        let node = self.node(rank)?;
        let (answers, requests): (Vec<_>, Vec<_>) =
            node.take_sent()?.into_iter().partition(Message::is_answer);
        let mut leaving = Vec::new();
        for answer in answers {
            let (Asker::Outside(request) | Asker::Node(request)) = asker else {
                return Err(node.failed("it acknowledges what nobody has sent"));
            };
            if !answer.is_silent() {
                node.responses.push(answer.response(request));
            }
            if matches!(asker, Asker::Node(_)) {
                leaving.push(answer);
            }
        }
        for request in requests {
            node.sent.push(request.request()?);
            leaving.push(request);
        }
        self.network.extend(leaving);
        Ok(())
    }

    /// Gives a node a message and waits.
    fn arrive(&mut self, rank: Rank, message: &Message) -> Result<(), NotRun> {
        let node = self.node(rank)?;
        if message.is_answer() {
            return node.take(message);
        }
        let request = message.request()?;
        let dropped = node.status()?.drop;
        if request.kind.operation().is_some() {
            Self::arrive_atomic(node, message, &request)?;
        } else {
            node.take(message)?;
        }
        match node.status()?.drop > dropped {
            true => node.may_refuse_message(),
            false => Ok(()),
        }
    }

    fn arrive_atomic(
        node: &mut RtlNode,
        message: &Message,
        request: &Request,
    ) -> Result<(), NotRun> {
        node.takes_atomic(request)?;
        let before = node.late_refusals();
        node.take(message)?;
        match node.late_refusals() > before && !node.aligned_atomics {
            true => Err(NotRun::unsupported(
                "ALIGNMENT",
                "an atomic whose first byte is at no multiple of its datum".to_owned(),
            )),
            false => Ok(()),
        }
    }
}

impl PortalsNodes for Rtl {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Self::open_with(configs, None)
    }

    fn post(
        &mut self,
        rank: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        let result = self.node(rank)?.post(trigger, &command)?;
        self.collect(rank, Asker::Nobody)?;
        Ok(result)
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        built(request.kind)?;
        request.check().map_err(malformed)?;
        let message = Message::from_outside(request, self.next_id)?;
        self.next_id = self.next_id.wrapping_add(1);
        let rank = request.target;
        self.node(rank)?.begin()?;
        self.arrive(rank, &message)?;
        self.collect(rank, Asker::Outside(request))
    }

    fn write_memory(&mut self, rank: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        self.node(rank)?.write_memory(address, bytes)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        while let Some(message) = self.network.pop_front() {
            let rank = message.target();
            if self.nodes.contains_key(&rank) {
                self.arrive(rank, &message)?;
                match message.is_answer() {
                    true => self.collect(rank, Asker::Nobody)?,
                    false => self.collect(rank, Asker::Node(&message.request()?))?,
                }
            } else {
                self.network.extend(message.undeliverable());
            }
        }
        Ok(())
    }

    fn observe(&mut self, rank: Rank) -> Result<Observed, NotRun> {
        self.node(rank)?.observe()
    }
}

/// The same with the large configuration: more match entries and unexpected headers.
pub struct LargeRtl(Rtl);

impl PortalsNodes for LargeRtl {
    fn open(configs: &BTreeMap<Rank, NodeConfig>) -> Result<Self, NotRun> {
        Rtl::open_as(configs, None, Top::LargeNic).map(Self)
    }

    fn post(
        &mut self,
        rank: Rank,
        trigger: Option<Trigger>,
        command: Command,
    ) -> Result<Result<(), Refusal>, NotRun> {
        self.0.post(rank, trigger, command)
    }

    fn receive(&mut self, request: &Request) -> Result<(), NotRun> {
        self.0.receive(request)
    }

    fn write_memory(&mut self, rank: Rank, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        self.0.write_memory(rank, address, bytes)
    }

    fn deliver(&mut self) -> Result<(), NotRun> {
        self.0.deliver()
    }

    fn observe(&mut self, rank: Rank) -> Result<Observed, NotRun> {
        self.0.observe(rank)
    }
}
