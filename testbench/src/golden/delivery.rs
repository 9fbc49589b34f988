//! The delivery of packets, one after the other, on bytes.
//!
//! Packets are given in order of arrival; each is done with before the next comes. The hardware works on several messages at
//! once, so a scenario avoids what depends on time: a consumer that moves read indices of a queue that may fill up, events
//! taken while a ring may fill up (or a ring that fills up while messages post only one kind of event), faults on a queue
//! with several messages under way, and a shared queue that fills up while several messages to a portal entry with flow control are. Of a message that fails after its payload was
//! begun the buffer's bytes are undefined ([`Delivery::undefined`]).

use xtq_rtl::types::event::{access, status};
use xtq_rtl::types::tables::table_id;
use xtq_rtl::types::wire_header::MTU;

use super::arrival::Head;
use super::outcome::Outcome;
use super::rewrite::TaskEntry;
use super::state::{CONTEXTS, NicState, PORTALS};
use crate::aql::{Header, Packet as AqlPacket, field, packet_type};
use crate::bus::{Access, Fault};
use crate::bytes::{Bytes, SparseMemory};
use crate::node::format::{BYTES, QUEUE_ENTRY};

const LINE: u64 = BYTES as u64;
/// Entries of a context's queue table that can be used.
const QUEUES: u64 = 64;
/// Messages of several packets that can be followed at once.
const OPEN_MESSAGES: usize = 16;

/// A message of which more packets are to come.
#[derive(Clone, Debug)]
pub struct OpenMessage {
    pub(super) message: Accepted,
    /// Offset in the message of the next packet.
    expected: u64,
    /// A packet had the wrong length.
    bad: bool,
    /// Which of the [`OPEN_MESSAGES`] places it takes.
    place: usize,
}

/// A message that passed every test at its first packet.
#[derive(Clone, Debug)]
pub(super) struct Accepted {
    pub(super) outcome: Outcome,
    pub(super) reports: Reports,
    pub(super) command: Option<Command>,
}

/// What an XTQ put becomes.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) entry: TaskEntry,
    /// Queue table entry.
    pub(super) queue: [u8; BYTES],
    pub(super) queue_index: u16,
    /// The packet for the slot; rewritten when the message lands.
    pub(super) packet: AqlPacket,
}

/// What is to be reported of a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reports {
    pub(super) success: bool,
    pub(super) failure: bool,
    /// A place in the event ring is held.
    pub(super) reserved: bool,
    pub(super) queue_index: u16,
}

/// The golden model: state, memories, and what became of the messages so far.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// What the NIC knows.
    pub state: NicState,
    /// Memory of each context, with everything the NIC wrote.
    pub memories: [SparseMemory; CONTEXTS],
    /// Faults that stay (`count` is not looked at).
    pub faults: Vec<Fault>,
    /// Built with atomics: shared queues work.
    pub atomics: bool,
    /// Messages in the order of their events and acknowledgements.
    pub outcomes: Vec<Outcome>,
    /// Packets dropped whole by the parser.
    pub dropped: u64,
    /// Buffer bytes of failed messages: context, address, length.
    pub undefined: Vec<(u8, u64, u64)>,
}

impl Delivery {
    /// A model that starts from `state` and `memories`.
    pub fn new(state: NicState, memories: [SparseMemory; CONTEXTS]) -> Self {
        Self {
            state,
            memories,
            faults: Vec::new(),
            atomics: false,
            outcomes: Vec::new(),
            dropped: 0,
            undefined: Vec::new(),
        }
    }

    /// A packet arrives: header beat and body.
    pub fn packet(&mut self, packet: &[u8]) {
        let Some(head) = self.parse(packet) else {
            self.dropped += 1;
            return;
        };
        let first = head.offset == 0;
        let source = (
            head.get("source_node") as u16,
            head.get("source_context") as u8,
            head.context,
        );
        let open = self.state.open.remove(&source);
        let continues = |open: &OpenMessage| {
            let id = u64::from(open.message.outcome.message_id());
            !first && open.expected == head.offset && id == head.get("message_id")
        };
        let mut open = match open {
            Some(open) if continues(&open) => open,
            Some(open) => {
                self.complete(open.message, true);
                return self.packet(packet);
            }
            None if !first => return,
            None => match self.accept(&head) {
                Ok(message) => OpenMessage {
                    message,
                    expected: 0,
                    bad: false,
                    place: self.free_place(),
                },
                Err((outcome, reports)) => return self.report(*outcome, reports),
            },
        };
        self.land(&mut open, &head);
        open.bad |= head.bad;
        open.expected += MTU as u64;
        if head.last {
            self.complete(open.message, open.bad);
        } else {
            self.state.open.insert(source, open);
        }
    }

    /// The host disables a context: its open messages are broken off, the one in the highest place first.
    pub fn disable(&mut self, context: u8) {
        self.state.contexts[usize::from(context)].enabled = false;
        let here = self
            .state
            .open
            .iter()
            .filter(|(source, _)| source.2 == context);
        let mut places: Vec<_> = here.map(|(source, open)| (open.place, *source)).collect();
        places.sort_unstable();
        for (_, source) in places.into_iter().rev() {
            if let Some(open) = self.state.open.remove(&source) {
                self.complete(open.message, true);
            }
        }
    }

    /// The highest place that no open message takes.
    fn free_place(&self) -> usize {
        let taken = |place: &usize| self.state.open.values().any(|open| open.place == *place);
        (0..OPEN_MESSAGES)
            .rev()
            .find(|place| !taken(place))
            .unwrap_or(0)
    }

    /// The tests at the first packet; commits what an accepted message takes.
    fn accept(&mut self, head: &Head) -> Result<Accepted, (Box<Outcome>, Reports)> {
        let mut outcome = Outcome {
            header: head.header,
            context: head.context,
            status: status::OK,
            access: access::NONE,
            landing: None,
            offset: 0,
            task: None,
            disabled: false,
            event: None,
            ack: None,
        };
        let mut reports = Reports::default();
        let refuse = |mut outcome: Outcome, status, access, reports| {
            (outcome.status, outcome.access) = (status, access);
            Err((Box::new(outcome), reports))
        };
        let index = head.get("portal_index") as usize;
        if index >= PORTALS {
            return refuse(outcome, status::NO_PORTAL, access::NONE, reports);
        }
        let portal = self.state.contexts[usize::from(head.context)].portals[index];
        outcome.offset = portal.offset;
        if head.xtq {
            outcome.offset = portal.offset.next_multiple_of(LINE);
            reports.queue_index = field::RESERVED2.read(head.body) as u16;
        }
        let landing = portal.start.wrapping_add(outcome.offset);
        outcome.landing = Some((landing, head.length));
        if !portal.enabled {
            return refuse(outcome, status::PT_DISABLED, access::NONE, reports);
        }
        let needed = outcome.offset - portal.offset + head.length;
        let context = &self.state.contexts[usize::from(head.context)];
        let wants_event = portal.event_success || portal.event_failure;
        let flow_portals = context
            .portals
            .iter()
            .filter(|p| p.enabled && p.flow_control);
        let has_room = context.events.free() > flow_portals.count() as u32;
        let mut command = None;
        let verdict = if needed > portal.remaining {
            Err((status::BUFFER_TOO_SMALL, access::NONE))
        } else if portal.flow_control && wants_event && !has_room {
            Err((status::PT_DISABLED, access::NONE))
        } else if !head.last && self.state.open.len() >= OPEN_MESSAGES {
            Err((status::NO_MESSAGE_SLOT, access::NONE))
        } else if head.xtq {
            self.check_task(head, landing)
                .map(|found| command = Some(found))
        } else {
            Ok(())
        };
        let exhausted = matches!(
            verdict,
            Err((
                status::BUFFER_TOO_SMALL
                    | status::PT_DISABLED
                    | status::NO_MESSAGE_SLOT
                    | status::QUEUE_FULL,
                _
            ))
        );
        outcome.disabled = exhausted && portal.flow_control;
        let context = &mut self.state.contexts[usize::from(head.context)];
        let place = match outcome.disabled {
            true => context.events.free() > 0,
            false => wants_event && has_room,
        };
        if place {
            context.events.reserved += 1;
        } else if wants_event {
            context.events.dropped = context.events.dropped.saturating_add(1);
        }
        reports.reserved = place;
        (reports.success, reports.failure) = (portal.event_success, portal.event_failure);
        let entry = &mut context.portals[index];
        entry.enabled &= !outcome.disabled;
        if let Err((status, access)) = verdict {
            return refuse(outcome, status, access, reports);
        }
        entry.offset = outcome.offset.wrapping_add(head.length);
        entry.remaining -= needed;
        Ok(Accepted {
            outcome,
            reports,
            command,
        })
    }

    /// The tests of an XTQ put; gives what is needed to enqueue it.
    fn check_task(&mut self, head: &Head, landing: u64) -> Result<Command, (u8, u8)> {
        let (packet, _) = head
            .body
            .split_first_chunk::<BYTES>()
            .unwrap_or((&[0; BYTES], &[]));
        let plain = |status| (status, access::NONE);
        let (table, index, wrong) = match Header::of(packet).kind {
            packet_type::KERNEL_DISPATCH => {
                let index = field::KERNEL_OBJECT.read(packet);
                (table_id::KERNEL, index, status::BAD_KERNEL_INDEX)
            }
            packet_type::AGENT_DISPATCH => {
                let index = field::RETURN_ADDRESS.read(packet);
                (table_id::FUNCTION, index, status::BAD_FUNCTION_INDEX)
            }
            _ => return Err(plain(status::BAD_TYPE)),
        };
        if !landing.is_multiple_of(LINE) {
            return Err(plain(status::BAD_ALIGNMENT));
        }
        let bytes = self.table_entry(head.context, table, index, wrong)?;
        let agent = table == table_id::FUNCTION;
        let entry = TaskEntry { bytes, agent };
        if !entry.registered() {
            return Err(plain(wrong));
        }
        let command_length = head.get("command_length");
        entry.check_length(command_length).map_err(plain)?;
        let wrong = status::BAD_QUEUE_INDEX;
        let index = field::RESERVED2.read(packet);
        let queue = self.table_entry(head.context, table_id::QUEUE, index, wrong)?;
        if index >= QUEUES || QUEUE_ENTRY.get(&queue, "registered") == 0 {
            return Err(plain(wrong));
        }
        let queue_index = index as u16;
        self.promise(head.context, queue_index, &queue)?;
        let packet = *packet;
        Ok(Command {
            entry,
            queue,
            queue_index,
            packet,
        })
    }

    fn table_entry(
        &self,
        context: u8,
        table: u8,
        index: u64,
        wrong: u8,
    ) -> Result<[u8; BYTES], (u8, u8)> {
        let known = self.state.contexts[usize::from(context)].tables[usize::from(table)];
        if index >= u64::from(known.entries) {
            return Err((wrong, access::NONE));
        }
        let address = known.base.wrapping_add(index * LINE);
        if self.fails(context, Access::Read, address, LINE) {
            return Err((status::MEMORY_ERROR, access::TABLE));
        }
        let mut bytes = [0; BYTES];
        self.memories[usize::from(context)].read(address, &mut bytes);
        Ok(bytes)
    }
}
