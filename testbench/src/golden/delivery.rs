//! The delivery of packets, one after the other, on bytes.
//!
//! Packets are given in order of arrival; each is done with before the next comes. The hardware works on several
//! messages at once, so a scenario avoids what depends on time. That is a consumer that moves read indices of a queue
//! that may fill up, events taken while a ring may fill up (or a ring that fills up while messages post only one kind
//! of event). It is also faults in what may be cached, and a shared queue that fills up while several messages to a
//! portal entry with flow control are under way. What became of the messages around the failure of their queue the
//! [`Witness`] reports; without one, each message is done with before the next comes. Of a message whose payload fails
//! or has a wrong length the buffer's bytes are undefined ([`Delivery::undefined`]).

use xtq_types::event::{access, status};
use xtq_types::wire_header::MTU;

use super::counts::{Counts, Drop};
use super::faults::Faults;
use super::refusal::refusal;
use super::witness::Witness;
use crate::aql::field;
use crate::bytes::SparseMemory;
use crate::tables::format::{BYTES, WIRE};
use crate::tables::{Accepted, CONTEXTS, NicState, OpenMessage, Outcome, PORTALS, Reports};

const LINE: u64 = BYTES as u64;
/// Messages of several packets of one context that can be followed at once.
const OPEN_MESSAGES: usize = 16;

/// The golden model: state, memories, and what became of the messages so far.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// What the NIC knows.
    pub state: NicState,
    /// Memory of each context, with everything the NIC wrote.
    pub memories: [SparseMemory; CONTEXTS],
    /// Faults of the memory.
    pub faults: Faults,
    /// What was observed of messages whose queue failed.
    pub witness: Option<Witness>,
    /// Messages decided about so far.
    pub(super) admissions: usize,
    /// Events posted so far, by context.
    pub(super) posted: [usize; CONTEXTS],
    /// Losses of events that were reported before they came, by context.
    pub(super) told_early: [usize; CONTEXTS],
    /// Built with atomics: shared queues work.
    pub atomics: bool,
    /// Messages in the order of their events and acknowledgements.
    pub outcomes: Vec<Outcome>,
    /// Answers to messages whose context takes none, in order.
    pub refusals: Vec<[u8; BYTES]>,
    /// Packets dropped whole by the parser.
    pub dropped: u64,
    /// What the registers should count.
    pub counts: Counts,
    /// Buffer bytes of failed messages: context, address, length.
    pub undefined: Vec<(u8, u64, u64)>,
}

/// A header the parser let through.
pub(super) struct Head<'a> {
    pub(super) header: [u8; BYTES],
    pub(super) body: &'a [u8],
    pub(super) context: u8,
    pub(super) xtq: bool,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) last: bool,
    pub(super) bad: bool,
}

impl Head<'_> {
    pub(super) fn get(&self, name: &str) -> u64 {
        WIRE.get(&self.header, name)
    }
}

impl Delivery {
    /// A model that starts from `state` and `memories`.
    pub fn new(state: NicState, memories: [SparseMemory; CONTEXTS]) -> Self {
        Self {
            state,
            memories,
            faults: Faults::default(),
            witness: None,
            admissions: 0,
            posted: [0; CONTEXTS],
            told_early: [0; CONTEXTS],
            atomics: false,
            outcomes: Vec::new(),
            refusals: Vec::new(),
            dropped: 0,
            counts: Counts::default(),
            undefined: Vec::new(),
        }
    }

    /// A packet arrives: header beat and body.
    pub fn packet(&mut self, packet: &[u8]) {
        self.counts.packets += 1;
        match self.parse(packet) {
            Ok(head) => {
                if head.bad {
                    self.counts.drop(Drop::Length);
                }
                self.take(&head);
            }
            Err(cause) => {
                self.dropped += 1;
                self.counts.drop(cause);
                if let (Drop::Context, Some(header)) = (cause, packet.first_chunk()) {
                    self.refusals.extend(refusal(header, self.state.node));
                }
            }
        }
    }

    /// A packet that the parser let through.
    fn take(&mut self, head: &Head) {
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
                return self.take(head);
            }
            None if !first => {
                self.counts.strays += 1;
                return;
            }
            None => match self.accept(head) {
                Ok(message) => OpenMessage {
                    message,
                    expected: 0,
                    bad: false,
                    place: self.free_place(head.context).unwrap_or(0),
                },
                Err((outcome, reports)) => return self.report(*outcome, reports),
            },
        };
        self.land(&mut open.message, head);
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

    /// The highest place that no open message of the context takes.
    fn free_place(&self, context: u8) -> Option<usize> {
        let here = self.state.open.iter().filter(|(key, _)| key.2 == context);
        let taken: Vec<usize> = here.map(|(_, open)| open.place).collect();
        (0..OPEN_MESSAGES)
            .rev()
            .find(|place| !taken.contains(place))
    }

    /// The tests at the first packet; commits what an accepted message takes.
    fn accept(&mut self, head: &Head) -> Result<Accepted, (Box<Outcome>, Reports)> {
        let number = Some(self.admissions);
        self.admissions += 1;
        let mut outcome = Outcome {
            header: head.header,
            context: head.context,
            status: status::OK,
            access: access::NONE,
            landing: None,
            accepted: false,
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
            let pad = portal.offset.wrapping_neg() % LINE;
            outcome.offset = portal.offset.wrapping_add(pad);
            reports.queue_index = field::RESERVED2.read(head.body) as u16;
        }
        let landing = portal.start.wrapping_add(outcome.offset);
        outcome.landing = Some((landing, head.length));
        if !portal.enabled {
            return refuse(outcome, status::PT_DISABLED, access::NONE, reports);
        }
        let needed = outcome.offset.wrapping_sub(portal.offset) + head.length;
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
        } else if !head.last && self.free_place(head.context).is_none() {
            Err((status::NO_MESSAGE_SLOT, access::NONE))
        } else if head.xtq {
            self.check_task(head, landing, number)
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
        }
        reports.reserved = place;
        (reports.success, reports.failure) = (portal.event_success, portal.event_failure);
        let entry = &mut context.portals[index];
        entry.enabled &= !outcome.disabled;
        if wants_event && !place {
            self.lose_event(head.context);
        }
        if let Err((status, access)) = verdict {
            return refuse(outcome, status, access, reports);
        }
        let entry = &mut self.state.contexts[usize::from(head.context)].portals[index];
        entry.offset = outcome.offset.wrapping_add(head.length);
        entry.remaining -= needed;
        outcome.accepted = true;
        Ok(Accepted {
            number,
            outcome,
            reports,
            command,
        })
    }
}
