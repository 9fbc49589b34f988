//! The naive admission: one function that decides about a packet, on plain maps.

use std::collections::BTreeMap;

use super::task_check::{Task, judge};
use xtq_types::event::{access, status};
use xtq_types::pipe::PortalEntry;

/// A portal entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Portal {
    pub enabled: bool,
    pub flow_control: bool,
    pub event_success: bool,
    pub event_failure: bool,
    pub start: u64,
    pub offset: u64,
    pub remaining: u64,
}

impl Portal {
    /// As the portal table gives it.
    pub fn to_entry(&self) -> PortalEntry {
        let bit = |flag: bool| u64::from(flag).into();
        PortalEntry {
            enabled: bit(self.enabled),
            flow_control: bit(self.flow_control),
            event_success: bit(self.event_success),
            event_failure: bit(self.event_failure),
            start: self.start.into(),
            offset: self.offset.into(),
            remaining: self.remaining.into(),
        }
    }
}

/// What the packet says, and what its lookups and its queue will answer.
#[derive(Clone, Debug)]
pub struct Packet {
    pub xtq: bool,
    pub first: bool,
    pub last: bool,
    pub context: u8,
    pub portal: u16,
    pub source: u16,
    pub message: u16,
    pub packet_offset: u32,
    pub length: u32,
    pub body_bytes: u16,
    pub task: Task,
    pub queue_answer: (u8, u8),
}

/// What leaves admission.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A promise is asked for.
    Admit { context: u8, queue: u16 },
    /// slot, context, discard, has_body, message_last, command, address, payload address
    Job {
        slot: u8,
        context: u8,
        discard: bool,
        has_body: bool,
        message_last: bool,
        command: bool,
        address: u64,
        payload: u64,
    },
    /// slot, context, xtq, has_payload, status, access
    Record {
        slot: u8,
        context: u8,
        xtq: bool,
        has_payload: bool,
        status: u8,
        access: u8,
    },
    /// slot, status; event place held; portal entry disabled; landing address
    Info {
        slot: u8,
        status: u8,
        reserved: bool,
        disabled: bool,
    },
    /// The event that is due has no place.
    Lost { context: u8 },
    /// portal, offset, remaining, disable
    Commit {
        portal: usize,
        offset: u64,
        remaining: u64,
        disable: bool,
    },
}

#[derive(Clone)]
struct Open {
    /// Places 16 to 31 are those of context 1, and so on.
    place: usize,
    slot: u8,
    xtq: bool,
    message: u16,
    expected: u32,
    address: u64,
    /// Bytes of the message that are to come, by the length that its first packet says.
    left: u32,
}

impl Open {
    /// A full packet has come; one of which nothing is written changes no address.
    fn advance(&mut self) {
        self.expected += 4096;
        if self.left > 4096 {
            self.address = self.address.wrapping_add(4096);
        }
        self.left = self.left.saturating_sub(4096);
    }
}

/// State of the naive admission.
#[derive(Clone)]
pub struct Model {
    pub portals: Vec<Portal>,
    pub room: [bool; 4],
    pub room_flow: [bool; 4],
    open: BTreeMap<(u16, u8), Open>,
    next_slot: u8,
}

impl Model {
    pub fn new(portals: Vec<Portal>) -> Self {
        Self {
            portals,
            room: [false; 4],
            room_flow: [false; 4],
            open: BTreeMap::new(),
            next_slot: 0,
        }
    }

    /// Messages of this context of which packets are to come.
    pub fn open_messages(&self, context: u8) -> usize {
        self.open.keys().filter(|key| key.1 == context).count()
    }

    /// Whether the packet is the next one of its source's open message.
    pub fn continues(&self, p: &Packet) -> bool {
        self.open.get(&(p.source, p.context)).is_some_and(|open| {
            !p.first && open.message == p.message && open.expected == p.packet_offset
        })
    }

    /// The source's open message ends.
    pub fn abort(&mut self, p: &Packet) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.end((p.source, p.context), &mut effects);
        effects
    }

    /// Source and slot of the open messages of these contexts (a bit each), in the order in which they are ended: the
    /// one in the highest place first.
    pub fn orphans(&self, contexts: u64) -> Vec<((u16, u8), u8)> {
        let here = self
            .open
            .iter()
            .filter(|(key, _)| contexts >> key.1 & 1 == 1);
        let here = here.map(|(key, open)| (open.place, (*key, open.slot)));
        let mut places: Vec<_> = here.collect();
        places.sort_unstable();
        places.into_iter().rev().map(|(_, orphan)| orphan).collect()
    }

    /// These messages are ended, as far as they are the ones that are open now.
    pub fn disable(&mut self, orphans: &[((u16, u8), u8)]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (key, slot) in orphans {
            if self.open.get(key).is_some_and(|open| open.slot == *slot) {
                self.end(*key, &mut effects);
            }
        }
        effects
    }

    /// Everything that happens for one packet, in a fixed order; `gone`: its portal entry was disabled since it was
    /// read.
    pub fn packet(&mut self, p: &Packet, gone: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        let key = (p.source, p.context);
        let continues = self.continues(p);
        if !continues {
            self.end(key, &mut effects);
        }
        if continues {
            self.go_on(p, key, &mut effects);
        } else if p.first {
            self.first(p, key, gone, &mut effects);
        } else {
            self.discard(p, 0, &mut effects);
        }
        effects
    }

    fn end(&mut self, key: (u16, u8), effects: &mut Vec<Effect>) {
        let Some(open) = self.open.remove(&key) else {
            return;
        };
        effects.push(Effect::Job {
            slot: open.slot,
            context: key.1,
            discard: false,
            has_body: false,
            message_last: true,
            command: false,
            address: open.address,
            payload: 0,
        });
        effects.push(Effect::Record {
            slot: open.slot,
            context: key.1,
            xtq: open.xtq,
            has_payload: true,
            status: status::OK,
            access: access::NONE,
        });
    }

    fn discard(&self, p: &Packet, slot: u8, effects: &mut Vec<Effect>) {
        let command = if p.xtq && p.first { 64 } else { 0 };
        if p.body_bytes > command {
            effects.push(Effect::Job {
                slot,
                context: p.context,
                discard: true,
                has_body: true,
                message_last: p.last,
                command: false,
                address: 0,
                payload: 0,
            });
        }
    }

    fn go_on(&mut self, p: &Packet, key: (u16, u8), effects: &mut Vec<Effect>) {
        let open = self.open.get_mut(&key).expect("continues");
        effects.push(Effect::Job {
            slot: open.slot,
            context: p.context,
            discard: false,
            has_body: true,
            message_last: p.last,
            command: false,
            address: open.address,
            payload: 0,
        });
        if p.last {
            effects.push(Effect::Record {
                slot: open.slot,
                context: p.context,
                xtq: open.xtq,
                has_payload: true,
                status: status::OK,
                access: access::NONE,
            });
            self.open.remove(&key);
        } else {
            open.advance();
        }
    }

    fn first(&mut self, p: &Packet, key: (u16, u8), gone: bool, effects: &mut Vec<Effect>) {
        let index = usize::from(p.context) * 16 + usize::from(p.portal % 16);
        let portal = self.portals[index].clone();
        let context = usize::from(p.context);
        let wants_event = portal.event_success || portal.event_failure;
        let usable = p.portal < 16 && portal.enabled;
        let offset = if p.xtq {
            portal.offset.next_multiple_of(64)
        } else {
            portal.offset
        };
        let need = offset - portal.offset + u64::from(p.length);
        let landing = portal.start.wrapping_add(offset);
        let mut task = p.task.clone();
        task.misaligned = !portal.start.is_multiple_of(64);

        let (code, failed) = if p.portal >= 16 {
            (status::NO_PORTAL, access::NONE)
        } else if !portal.enabled {
            (status::PT_DISABLED, access::NONE)
        } else if need > portal.remaining {
            (status::BUFFER_TOO_SMALL, access::NONE)
        } else if portal.flow_control && wants_event && !self.room[context] {
            (status::PT_DISABLED, access::NONE)
        } else if !p.last && self.open_messages(p.context) == 16 {
            (status::NO_MESSAGE_SLOT, access::NONE)
        } else if p.xtq && judge(&task).0 != status::OK {
            judge(&task)
        } else if p.xtq {
            effects.push(Effect::Admit {
                context: p.context,
                queue: task.queue_index as u16,
            });
            p.queue_answer
        } else {
            (status::OK, access::NONE)
        };

        let exhausted = [
            status::QUEUE_FULL,
            status::BUFFER_TOO_SMALL,
            status::NO_MESSAGE_SLOT,
            status::PT_DISABLED,
        ];
        let exhausted = usable && portal.flow_control && exhausted.contains(&code);
        // It ends like a message that came after the entry was disabled.
        let late = exhausted && gone;
        let disabled = exhausted && !gone;
        let code = if late { status::PT_DISABLED } else { code };
        let wants_event = wants_event && !late;
        let place = if disabled {
            self.room_flow[context]
        } else {
            usable && wants_event && self.room[context]
        };
        let slot = self.next_slot;
        self.next_slot += 1;
        effects.push(Effect::Info {
            slot,
            status: code,
            reserved: place,
            disabled,
        });
        if usable && wants_event && !place {
            effects.push(Effect::Lost { context: p.context });
        }
        if code == status::OK {
            let entry = &mut self.portals[index];
            entry.offset = offset.wrapping_add(p.length.into());
            entry.remaining -= need;
            effects.push(Effect::Commit {
                portal: index,
                offset: entry.offset,
                remaining: entry.remaining,
                disable: false,
            });
            let has_body = p.body_bytes > if p.xtq { 64 } else { 0 };
            if has_body || p.xtq {
                let payload = if p.xtq {
                    landing.wrapping_add(task.command_length)
                } else {
                    0
                };
                effects.push(Effect::Job {
                    slot,
                    context: p.context,
                    discard: false,
                    has_body,
                    message_last: p.last,
                    command: p.xtq,
                    address: landing,
                    payload,
                });
            }
        } else {
            if disabled {
                self.portals[index].enabled = false;
                effects.push(Effect::Commit {
                    portal: index,
                    offset: portal.offset,
                    remaining: portal.remaining,
                    disable: true,
                });
            }
            self.discard(p, slot, effects);
        }
        if code != status::OK || p.last {
            effects.push(Effect::Record {
                slot,
                context: p.context,
                xtq: p.xtq,
                has_payload: code == status::OK && p.length > 0,
                status: code,
                access: failed,
            });
        } else {
            let first = 16 * usize::from(p.context);
            let taken = |place: &usize| self.open.values().any(|open| open.place == *place);
            let place = (first..first + 16).rev().find(|place| !taken(place));
            let mut open = Open {
                place: place.expect("a place is free"),
                slot,
                xtq: p.xtq,
                message: p.message,
                expected: 0,
                address: landing,
                left: p.length,
            };
            open.advance();
            self.open.insert(key, open);
        }
    }
}
