//! The judge of a node: the functional model, driven in the order in which the hardware decided.
//!
//! | of the hardware's own choosing, followed | told by |
//! |---|---|
//! | order of messages and changes of lists and portal entries | [`Decision::Message`], [`Decision::Listed`] |
//! | when a command of the ring is executed, or posted, beside them | [`Decision::Taken`] |
//! | which of the operations that are reached fires next (never the later one of two of the same counter and threshold), and when | [`Decision::Fired`] |
//! | when an acknowledgement is taken | [`Decision::Answer`] |
//! | when a reply is in memory | [`Decision::Reply`] |
//!
//! Everything else is determined and compared: what becomes of each message and each command; counters, pending operations, lists, status; every event and its
//! contents, messages sent, in order, and answers, by message. The order of events is compared as far as it is fixed: those of messages of one packet among each
//! other, those of what commands find and link, SENDs, acknowledgements. Memory is compared byte for byte, but a byte to which several messages went since the node was quiet last may
//! have what any of them brought.
//!
//! A get is read some time behind its match. So a byte of its reply may be what it was then, which is what all that came before made of it, or what came to
//! it later; never what it was before that.
//!
//! Atomics are done one by one in the order in which they were decided, so a byte that one of them was at has no choice, neither in memory nor in the answer. But of a message of
//! several packets, and of a reply, nobody says when its bytes came between atomics: where both were since the node was quiet last, the bytes are [open](Since::is_open).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xtq_rtl::types::command::flag;
use xtq_rtl::types::wire_header::MTU;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::portals::{MD_EVENTS, PORTAL_EVENTS};
use xtq_testbench::cases::rtl::{Ended, Message, RtlNode};
use xtq_testbench::host;
use xtq_testbench::node::Decision;
use xtq_testbench::node::format::WIRE;
use xtq_testbench::portals::{
    Action, Command, Detail, Effects, Event, EventKind, Memory, Node, NodeConfig, Place, Rank,
    Refusal, Request, RequestKind, Response, Trigger,
};

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

/// What happened to a node since it was quiet last, and what the model made of it.
#[derive(Default)]
struct Since {
    posted: Vec<Posted>,
    /// Packets that it was offered.
    offered: Vec<Vec<u8>>,
    /// Packets that it sent.
    left: Vec<Vec<u8>>,
    effects: Effects,
    /// The model's answers, by the message that they answer.
    answers: BTreeMap<(Rank, u64), Response>,
    /// Where their bytes were read.
    reads: BTreeMap<(Rank, u64), Read>,
    /// Refusals by user pointer of the command, if it was executed or posted.
    refusals: Vec<(Posted, Option<Refusal>)>,
    /// Bytes that were sent and are not the model's, with their addresses.
    doubtful: Vec<(usize, u8)>,
    /// What each byte that was written was before, and then.
    written: BTreeMap<usize, Vec<u8>>,
    /// Bytes of messages of several packets: what comes behind one need not wait for all of them.
    straggling: BTreeSet<usize>,
    /// Bytes of replies, which are in memory before they are told of.
    replied: BTreeSet<usize>,
    /// Bytes that atomics were at.
    atomic: BTreeSet<usize>,
}

/// Where the bytes of an answer were read.
struct Read {
    /// The place of each.
    places: Vec<usize>,
    /// How many values each byte had had until then.
    seen: Vec<usize>,
    /// By an atomic.
    atomic: bool,
}

impl Since {
    fn values(&self, place: usize) -> &[u8] {
        self.written.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether this byte may be anything: what an atomic makes of it depends on when the bytes of another message came.
    fn is_open(&self, place: usize) -> bool {
        let other = self.straggling.contains(&place) || self.replied.contains(&place);
        self.atomic.contains(&place) && other
    }

    /// Whether this byte of an answer may be another than the model's.
    fn may_answer(&self, read: &Read, place: usize, seen: usize, byte: u8) -> bool {
        self.is_open(place) || (!read.atomic && self.may_read(place, seen, byte))
    }

    /// Whether a get that was matched when this byte had had `seen` values may read this one, which is not the last of them.
    fn may_read(&self, place: usize, seen: usize, byte: u8) -> bool {
        let values = self.values(place);
        // The first value is the one from before.
        let (before, behind) = values.split_at(seen.max(1).min(values.len()));
        let several = before.len() > 2 && before[1..].contains(&byte);
        let straggles = self.straggling.contains(&place) && before.contains(&byte);
        behind.contains(&byte) || several || straggles
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

/// Events of messages.
fn comm(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::Put
            | EventKind::XtqPut
            | EventKind::Get
            | EventKind::Atomic
            | EventKind::FetchAtomic
    )
}

/// Events of messages of one packet, but for those that are told of when their reply has left.
fn of_short_messages(event: &&Event) -> bool {
    let comm = comm(event) && !of_replies(event);
    let rlength = match event.detail {
        Detail::Target(detail) => detail.rlength,
        Detail::Task(detail) => detail.rlength,
        Detail::None | Detail::Initiator(_) => return false,
    };
    comm && rlength <= MTU as u64
}

/// Events of gets and of atomics that fetch.
fn of_replies(event: &&Event) -> bool {
    event.kind == EventKind::Get || event.kind == EventKind::FetchAtomic
}

/// Events of what commands link and find.
fn of_commands(event: &&Event) -> bool {
    event.kind == EventKind::Link || event.kind == EventKind::Search || event.kind.is_overflow()
}

fn sends(event: &&Event) -> bool {
    event.kind == EventKind::Send
}

fn answers(event: &&Event) -> bool {
    event.kind != EventKind::Send
}

/// A class of events of which the order is compared.
type Class = (&'static str, fn(&&Event) -> bool);

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

    /// A command that was executed while the node was quiet; what its caller is told.
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

    /// What is done in which order: commands stand where they change lists, else where they are taken.
    fn order(&self, decisions: Vec<(u64, Decision)>) -> Result<Vec<Step>, NotRun> {
        let mut posted = self.since.posted.iter().cloned();
        let offered = Message::of_packets(self.since.offered.iter().map(Vec::as_slice));
        let (answers, requests): (Vec<_>, Vec<_>) =
            offered.into_iter().partition(Message::is_answer);
        let (mut replies, answers): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(Message::is_reply);
        let (mut answers, mut requests) = (answers.into_iter(), requests.into_iter());
        let mut steps = Vec::new();
        // A command of lists that has been taken and has not changed them.
        let mut held: Option<Step> = None;
        let none = |what| self.failed(format!("it takes {what} that nobody gave it"));
        for (_, decision) in decisions {
            let command = match decision {
                Decision::Message => {
                    steps.push(Step::Request(
                        requests.next().ok_or_else(|| none("a message"))?,
                    ));
                    continue;
                }
                Decision::Answer => {
                    steps.push(Step::Answer(
                        answers.next().ok_or_else(|| none("an answer"))?,
                    ));
                    continue;
                }
                Decision::Reply(wanted) => {
                    let place = replies.iter().position(|reply| handle(reply) == wanted);
                    let place = place.ok_or_else(|| none("a reply"))?;
                    steps.push(Step::Answer(replies.remove(place)));
                    continue;
                }
                Decision::Listed => {
                    steps.push(held.take().ok_or_else(|| none("a command of lists"))?);
                    continue;
                }
                Decision::Taken => {
                    Step::Ring(Box::new(posted.next().ok_or_else(|| none("a command"))?))
                }
                Decision::Fired(bytes) => Step::Fired(bytes),
            };
            // One that does not get to the lists after all is done with when the next one is taken.
            steps.extend(held.take());
            match command.changes_lists() {
                true => held = Some(command),
                false => steps.push(command),
            }
        }
        steps.extend(held);
        let answers = answers.count() + replies.len();
        let left = (posted.count(), requests.count(), answers);
        match left {
            (0, 0, 0) => Ok(steps),
            _ => Err(self.failed(format!(
                "commands, messages and answers that it has not taken: {left:?}"
            ))),
        }
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

    fn step(&mut self, step: Step, sent: &mut VecDeque<Message>) -> Result<(), NotRun> {
        self.steps += 1;
        let before = bytes(self.model.memory()).to_vec();
        let mut answers = None;
        let (mut executed, mut places) = (None, [const { Vec::new() }; 2]);
        let (mut long, mut atomic) = (false, false);
        let action = match step {
            Step::Request(message) => {
                answers = Some((message.source(), handle(&message)));
                let request = message.request()?;
                long = message.packets().len() > 1;
                atomic = request.kind.operation().is_some();
                Action::Request(request)
            }
            Step::Answer(message) => {
                let handle = handle(&message);
                let Some((request, place)) = self.asked.get(&handle) else {
                    return Err(self.failed("an answer to what the model has not asked"));
                };
                if message.is_silent() {
                    self.model.forget(request.handle);
                    return Ok(());
                }
                let response = message.response(request);
                let handle = request.handle;
                let bytes = place.iter().take(response.data.len());
                self.since.replied.extend(bytes);
                Action::Response(Response {
                    handle,
                    ..response.comparable()
                })
            }
            Step::Ring(posted) => {
                let posted = *posted;
                if posted.trigger.is_some() {
                    self.triggered.push(posted.clone());
                }
                places = self.places(&posted.command);
                executed = Some(posted.clone());
                Action::Command(posted.trigger, posted.command)
            }
            Step::Fired(bytes) => {
                let (place, command) = self.place(&bytes)?;
                places = self.places(&command);
                Action::FireAt(place)
            }
        };
        let request = matches!(action, Action::Request(_));
        let effects = self.model.step(action).map_err(|why| self.failed(why))?;
        let landed = match request {
            true => self.places_of(self.model.landed()),
            false => Vec::new(),
        };
        if long {
            self.since.straggling.extend(&landed);
        }
        if atomic {
            self.since.atomic.extend(&landed);
        }
        if let (Some(of), Some(response)) = (answers, effects.response) {
            if !landed.is_empty() {
                let mut places = landed;
                places.truncate(response.data.len());
                let seen = places.iter().map(|place| self.since.values(*place).len());
                let read = Read {
                    seen: seen.collect(),
                    places,
                    atomic,
                };
                self.since.reads.insert(of, read);
            }
            self.since.answers.insert(of, response);
        }
        if let Some(posted) = executed {
            let told = effects.refusal.map(Refusal::told);
            self.since.refusals.push((posted, told));
        }
        for (place, (old, new)) in before.iter().zip(bytes(self.model.memory())).enumerate() {
            if old != new {
                let values = self
                    .since
                    .written
                    .entry(place)
                    .or_insert_with(|| vec![*old]);
                values.push(*new);
            }
        }
        for request in effects.sent {
            self.compare_sent(request, std::mem::take(&mut places), sent.pop_front())?;
        }
        for (queue, events) in effects.events {
            self.since
                .effects
                .events
                .entry(queue)
                .or_default()
                .extend(events);
        }
        Ok(())
    }

    /// Which of the operations that the model has reached these bytes are.
    fn place(&mut self, fired: &[u8]) -> Result<(usize, Command), NotRun> {
        let Some(at) = self
            .triggered
            .iter()
            .position(|posted| posted.fired() == fired)
        else {
            return Err(self.failed("what fires was not posted"));
        };
        let posted = self.triggered.remove(at);
        let reached: Vec<_> = self.model.triggers().reached().collect();
        let Some(place) = reached
            .iter()
            .position(|command| **command == posted.command)
        else {
            return Err(self.failed(format!("what fires is not reached: {posted:?}")));
        };
        // Of the same threshold, so reached at once: in the order of posting.
        let same =
            |other: &&Posted| other.trigger == posted.trigger && reached.contains(&&other.command);
        if let Some(other) = self.triggered[..at].iter().find(same) {
            return Err(self.failed(format!("{posted:?} fires before {other:?}")));
        }
        Ok((place, posted.command))
    }

    fn compare_sent(
        &mut self,
        request: Request,
        [from, into]: [Vec<usize>; 2],
        got: Option<Message>,
    ) -> Result<(), NotRun> {
        let Some(message) = got else {
            return Err(self.failed(format!("it does not send {request:?}")));
        };
        let got = Request {
            handle: request.handle,
            ..message.request()?
        };
        let mut expected = request.clone();
        for ((place, byte), other) in from.iter().zip(&mut expected.data).zip(&got.data) {
            if byte != other {
                self.since.doubtful.push((*place, *other));
                *byte = *other;
            }
        }
        if got != expected {
            return Err(self.failed(format!("sends: expected {request:?}, got {got:?}")));
        }
        self.asked.insert(handle(&message), (request, into));
        Ok(())
    }

    /// The places of the bytes that a command sends, and of those that it asks for.
    fn places(&self, command: &Command) -> [Vec<usize>; 2] {
        let Command::Transfer(transfer) = command else {
            return [const { Vec::new() }; 2];
        };
        let of = |place: Option<Place>, length| {
            let spans = place.map(|place| self.model.spans(place, length));
            self.places_of(&spans.unwrap_or_default())
        };
        let first = match transfer.kind {
            RequestKind::XtqPut { command_length } => command_length.into(),
            _ => transfer.length,
        };
        let sent = [
            of(transfer.from, first),
            of(transfer.payload, transfer.length),
        ];
        [sent.concat(), of(transfer.into, transfer.length)]
    }

    /// The place in memory of each byte of these spans, if it is there.
    fn places_of(&self, spans: &[(u64, u64)]) -> Vec<usize> {
        let end = bytes(self.model.memory()).len();
        let place = |at: u64| usize::try_from(at).unwrap_or(end).min(end);
        let places = |(address, length): &(u64, u64)| {
            place(*address)..place(address.saturating_add(*length))
        };
        spans.iter().flat_map(places).collect()
    }

    fn compare_returns(&self, ended: &[Ended], lines: &mut Vec<String>) -> Result<(), NotRun> {
        for (posted, expected) in &self.since.refusals {
            let mut told = ended
                .iter()
                .filter(|ended| ended.user_ptr == Some(posted.user_ptr));
            let told = told.next();
            let got = match told {
                Some(ended) => ended.refusal()?,
                None => None,
            };
            let missing = posted.trigger.is_none() && told.is_none();
            // Of a triggered command also tells what happened when it fired, of which nobody is told in the model.
            let other = if posted.trigger.is_some() {
                expected.is_some() && got.is_none()
            } else {
                got != *expected
            };
            if missing || other {
                lines.push(format!(
                    "{:?} returns: expected {expected:?}, got {told:?}",
                    posted.command
                ));
            }
        }
        Ok(())
    }

    fn compare_events(&self, node: &mut RtlNode, lines: &mut Vec<String>) {
        let portal: &[Class] = &[
            ("messages", of_short_messages),
            ("gets", of_replies),
            ("commands", of_commands),
        ];
        let md: &[Class] = &[("sends", sends), ("answers", answers)];
        let got = [
            std::mem::take(&mut node.events),
            std::mem::take(&mut node.transfers),
        ];
        for ((queue, classes), got) in [(PORTAL_EVENTS, portal), (MD_EVENTS, md)]
            .into_iter()
            .zip(got)
        {
            let expected = self
                .since
                .effects
                .events
                .get(&queue)
                .cloned()
                .unwrap_or_default();
            let mut rest: Vec<&Event> = expected.iter().collect();
            for event in &got {
                match rest.iter().position(|other| *other == event) {
                    Some(place) => drop(rest.remove(place)),
                    None => lines.push(format!("event that is not expected: {event:?}")),
                }
            }
            lines.extend(
                rest.iter()
                    .map(|event| format!("event that does not come: {event:?}")),
            );
            for (what, class) in classes {
                let one: Vec<_> = expected.iter().filter(class).collect();
                let other: Vec<_> = got.iter().filter(class).collect();
                if one != other && lines.is_empty() {
                    lines.push(format!(
                        "order of events of {what}: expected {one:#?}, got {other:#?}"
                    ));
                }
            }
        }
    }

    fn compare_answers(&self, lines: &mut Vec<String>) {
        let offered = Message::of_packets(self.since.offered.iter().map(Vec::as_slice));
        let left = Message::of_packets(self.since.left.iter().map(Vec::as_slice));
        let mut expected = self.since.answers.clone();
        for answer in left
            .iter()
            .filter(|message| message.is_answer() && !message.is_silent())
        {
            let of = (answer.target(), handle(answer));
            let asked = |message: &&Message| {
                !message.is_answer() && (message.source(), handle(message)) == of
            };
            let request = offered
                .iter()
                .find(asked)
                .and_then(|message| message.request().ok());
            let got = request.map(|request| answer.response(&request).comparable());
            let mut wanted = expected.remove(&of).map(|response| response.comparable());
            if let (Some(wanted), Some(got), Some(read)) =
                (&mut wanted, &got, self.since.reads.get(&of))
            {
                let bytes = wanted.data.iter_mut().zip(&got.data).zip(&read.seen);
                for (place, ((byte, got), seen)) in read.places.iter().zip(bytes) {
                    if self.since.may_answer(read, *place, *seen, *got) {
                        *byte = *got;
                    }
                }
            }
            if wanted.is_none() || wanted != got {
                lines.push(format!(
                    "answer to {of:?}: expected {wanted:?}, got {got:?}"
                ));
            }
        }
        lines.extend(
            expected
                .iter()
                .map(|(of, response)| format!("no answer to {of:?}: {response:?}")),
        );
    }

    /// Takes over bytes that may have several values.
    fn tolerate(&mut self, got: &Memory) -> Result<(), NotRun> {
        let now = bytes(self.model.memory()).to_vec();
        let places: BTreeSet<usize> = self
            .since
            .written
            .keys()
            .chain(&self.since.atomic)
            .copied()
            .collect();
        for place in places {
            let byte = bytes(got).get(place).copied().unwrap_or_default();
            let values = self.since.values(place);
            // The first value is the one from before; one writer leaves no choice.
            let several = values.len() > 2 && values[1..].contains(&byte);
            let other = several && !self.since.atomic.contains(&place);
            if byte != now[place] && (other || self.since.is_open(place)) {
                let written = self.model.memory_mut().write(place as u64, &[byte]);
                written.map_err(|_| NotRun::Malformed("outside memory".to_owned()))?;
            }
        }
        Ok(())
    }
}

/// What the model is to do.
enum Step {
    Request(Message),
    Answer(Message),
    Ring(Box<Posted>),
    Fired(Vec<u8>),
}

impl Step {
    fn changes_lists(&self) -> bool {
        use xtq_rtl::types::command::operation as op;
        let (operation, triggered) = match self {
            Step::Ring(posted) => (posted.encoded.bytes()[0], posted.trigger.is_some()),
            Step::Fired(bytes) => (bytes[0], false),
            Step::Request(_) | Step::Answer(_) => return false,
        };
        !triggered && (op::ME_APPEND..=op::PT_FREE).contains(&operation)
    }

    fn name(&self) -> String {
        match self {
            Step::Request(message) => format!("message {:?}", message.request()),
            Step::Answer(message) => format!("answer {} {}", message.source().0, message.id()),
            Step::Ring(posted) => format!("{:?} {:?}", posted.trigger, posted.command),
            Step::Fired(bytes) => format!("fires {:02x?}", &bytes[..32]),
        }
    }
}
