//! The judge of a node: the functional model, driven in the order in which the hardware decided.
//!
//! | of the hardware's own choosing, followed | known by |
//! |---|---|
//! | order of messages and changes of lists and portal entries | [`Decision::Message`], [`Decision::Listed`] |
//! | when a command of the ring is executed, or posted, beside them | [`Decision::Taken`] |
//! | which of the operations that are reached fires next (never the later one of two of the same counter and threshold), and when | [`Decision::Fired`] |
//! | when an acknowledgement is taken | [`Decision::Answer`] |
//! | when a reply is in memory | [`Decision::Reply`] |
//!
//! Everything else is determined and compared: what becomes of each message and each command; counters, pending
//! operations, lists, status; every event and its contents, messages sent, in order, and answers, by message. The order
//! of events is compared as far as it is fixed: those of messages of one packet among each other, those of what
//! commands find and link, SENDs, acknowledgements. Memory is compared byte for byte, but a byte to which several
//! messages went since the node was quiet last may have what any of them brought.
//!
//! A get is read some time after its match. So a byte of its reply may be what it was then, which is what all that came
//! before made of it, or what came to it later; never what it was before that.
//!
//! Atomics are done one by one in the order in which they were decided, so a byte that one of them was at has no
//! choice, neither in memory nor in the answer. But of a message of several packets, and of a reply, nobody says when
//! its bytes came between atomics: where both were since the node was quiet last, the bytes are [open](Since::is_open).

mod compare;
mod events;
mod follow;
mod order;
mod since;

use since::Since;
use std::collections::{BTreeMap, VecDeque};
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::rtl::{Message, RtlNode};
use xtq_testbench::host;
use xtq_testbench::portals::{
    Action, Command, Memory, Node, NodeConfig, Rank, Refusal, Request, Trigger,
};
use xtq_testbench::tables::format::WIRE;
use xtq_types::command::flag;

/// A command that the hardware was given.
#[derive(Clone, Debug)]
pub struct Posted {
    pub trigger: Option<Trigger>,
    pub command: Command,
    pub encoded: host::Command,
    pub user_ptr: u64,
}

impl Posted {
    /// Its bytes when it has fired.
    fn fired(&self) -> Vec<u8> {
        let mut bytes = self.encoded.bytes().to_vec();
        // The flags are the second byte.
        bytes[1] &= !flag::TRIGGERED;
        bytes
    }
}

pub struct Judge {
    rank: Rank,
    model: Node,
    since: Since,
    /// Triggered commands that the model holds, in the order of posting.
    triggered: Vec<Posted>,
    /// The model's request, by the handle that the hardware gave it, and where each byte of its answer goes.
    asked: BTreeMap<u64, (Request, Vec<usize>)>,
    steps: usize,
}

/// Under which number its sender waits, or waited, for the answer.
pub fn handle(message: &Message) -> u64 {
    WIRE.get(&message.packets()[0], "initiator_handle")
}

fn bytes(memory: &Memory) -> &[u8] {
    memory.pieces().get(&0).map_or(&[], Vec::as_slice)
}

impl Judge {
    pub fn new(rank: Rank, config: &NodeConfig) -> Self {
        let config = NodeConfig {
            fires_by_step: true,
            ..config.clone()
        };
        Self {
            rank,
            model: Node::new(rank, &config),
            since: Since::default(),
            triggered: Vec::new(),
            asked: BTreeMap::new(),
            steps: 0,
        }
    }

    pub fn posted(&mut self, posted: Posted) {
        self.since.posted.push(posted);
    }

    pub fn offered(&mut self, packet: &[u8]) {
        self.since.offered.push(packet.to_vec());
    }

    pub fn left(&mut self, packet: &[u8]) {
        self.since.left.push(packet.to_vec());
    }

    /// A command that was executed while the node was quiet; what is reported to its caller.
    pub fn execute(&mut self, command: Command) -> Result<Result<(), Refusal>, NotRun> {
        let effects = self.model.step(Action::Command(None, command));
        let effects = effects.map_err(|why| self.failed(why))?;
        Ok(effects.refusal.map_or(Ok(()), |why| Err(why.told())))
    }

    /// The host writes, while the node is quiet.
    pub fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), NotRun> {
        let written = self.model.memory_mut().write(address, bytes);
        written.map_err(|_| NotRun::Malformed(format!("{address}: outside memory")))
    }

    fn failed(&self, why: impl std::fmt::Display) -> NotRun {
        NotRun::Failed(format!("node {}, step {}: {why}", self.rank.0, self.steps))
    }

    /// Has the model do what a quiet node did, and compares.
    pub fn judge(&mut self, node: &mut RtlNode) -> Result<(), NotRun> {
        let ended = node.take_events()?;
        let decisions = node.node.take_decisions();
        let steps = self.order(decisions)?;
        let mut sent: VecDeque<Message> =
            Message::of_packets(self.since.left.iter().map(Vec::as_slice)).into();
        sent.retain(|message| !message.is_answer());
        let mut trail = Vec::new();
        for step in steps {
            trail.push(step.name());
            let done = self.step(step, &mut sent);
            done.map_err(|why| {
                NotRun::Failed(format!("{why}\n  steps: {}", trail.join("\n    ")))
            })?;
        }
        let mut lines = Vec::new();
        for message in sent {
            lines.push(format!(
                "sent: nothing expected, got {:?}",
                message.request()?
            ));
        }
        let reached: Vec<_> = self.model.triggers().reached().collect();
        if !reached.is_empty() {
            lines.push(format!("reached and not fired: {reached:?}"));
        }
        for (place, byte) in &self.since.doubtful {
            let values = self.since.values(*place);
            if !values.contains(byte) && !self.since.is_open(*place) {
                lines.push(format!(
                    "sends {byte:#04x} from {place:#x}, where it never was: {values:02x?}"
                ));
            }
        }
        self.compare_returns(&ended, &mut lines)?;
        self.compare_events(node, &mut lines);
        self.compare_answers(&mut lines);
        let got = node.observe()?;
        self.tolerate(&got.state.memory)?;
        lines.extend(self.model.state().differences(&got.state));
        // The reads of the counters are commands too.
        node.node.take_decisions();
        self.since = Since::default();
        match lines.is_empty() {
            true => Ok(()),
            false => {
                let lines = lines.join("\n  ");
                Err(self.failed(format!(
                    "\n  {lines}\n  steps:\n    {}",
                    trail.join("\n    ")
                )))
            }
        }
    }
}
