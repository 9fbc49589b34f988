//! What the completer is to say about messages, by the rules.

use rust_hdl::prelude::{Bits, ToBits};
use xtq_types::counter::CounterCount;
use xtq_types::event::{Event, kind, status};
use xtq_types::memory::WriteRequest;
use xtq_types::wire_header::{self, WireHeader, ni_fail, opcode};

use crate::completer::message::Message;
use crate::completer::{NODE, number};

/// What the completer is to say about a message.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    pub events: Vec<WriteRequest>,
    pub acks: Vec<WireHeader>,
    /// Entries disabled.
    pub late: Vec<u64>,
    pub releases: Vec<u64>,
    pub posts: Vec<u64>,
    pub unreserves: Vec<u64>,
    pub visible: Vec<u64>,
    pub event_failed: Vec<u64>,
    pub memory_errors: Vec<u64>,
    /// Delivered, failed.
    pub counts: (usize, usize),
    /// On the counters of match entries.
    pub amounts: Vec<CounterCount>,
    /// Messages of the lists: context and colour.
    pub of_lists: Vec<[u64; 2]>,
    /// Of unexpected messages: context and header; status, access and `ni_fail`.
    pub ended: Vec<[u64; 2]>,
    /// Contexts of messages that an entry took and that were dropped.
    pub late_drops: Vec<u64>,
}

/// Where the n-th event of a context goes, and how many were lost before it.
pub fn place(context: u64, count: u64) -> (u64, u64) {
    ((context << 60) | (64 * count), (7 * count + context) % 256)
}

pub fn expect(messages: &[Message]) -> Told {
    let mut told = Told::default();
    let mut counts = [0; 4];
    for message in messages {
        let (completion, info) = (message.completion, message.info);
        let context = number(completion.context);
        let found = number(completion.status) as u8;
        let early = info.portal_disabled == 1u64;
        let (flow, enabled) = message.portal;
        let late = found == status::QUEUE_FULL && flow && !early;
        let disabled = early || (late && enabled);
        let code = if late && !enabled {
            status::PT_DISABLED
        } else {
            found
        };
        let ok = code == status::OK;
        if late && enabled {
            told.late
                .push((context << 6) | (number(info.portal_index) % 64));
        }
        let wanted = if ok {
            info.event_success
        } else {
            info.event_failure
        };
        let wanted = wanted == 1u64 || disabled;
        let fail = match code {
            status::OK => ni_fail::OK,
            _ if disabled => ni_fail::PT_DISABLED,
            status::PT_DISABLED => ni_fail::PT_DISABLED,
            status::MEMORY_ERROR => ni_fail::SEGV,
            status::PERM_VIOLATION => ni_fail::PERM_VIOLATION,
            status::OP_VIOLATION => ni_fail::OP_VIOLATION,
            _ => ni_fail::DROPPED,
        };
        let delivered = if ok {
            info.delivered_length
        } else {
            Bits::default()
        };
        told.releases.push(number(completion.slot));
        if ok {
            told.counts.0 += 1;
        } else {
            told.counts.1 += 1;
        }
        if code == status::MEMORY_ERROR {
            told.memory_errors.push(context);
        }
        let lists = info.lists == 1u64;
        if lists {
            told.of_lists.push([context, number(info.colour)]);
            if info.unexpected == 1u64 {
                let outcome = [u64::from(code), number(completion.access), fail.into()];
                let outcome = outcome[0] | outcome[1] << 8 | outcome[2] << 16;
                told.ended
                    .push([context << 13 | number(info.header), outcome]);
            }
            let dropped = [ni_fail::DROPPED, ni_fail::PT_DISABLED].contains(&fail);
            if dropped && info.matched == 1u64 {
                told.late_drops.push(context);
            }
        }
        let (offset, queue, last) = match (lists, info.xtq == 1u64) {
            (true, true) => (info.user_pointer, info.queue_index, completion.packet_id),
            (true, false) => (
                info.remote_offset,
                number(info.list).into(),
                info.user_pointer,
            ),
            _ => (info.remote_offset, info.queue_index, completion.packet_id),
        };
        let mut event = Event {
            kind: Bits::default(),
            status: code.to_bits(),
            access: completion.access,
            ni_fail: fail.to_bits(),
            source_node: info.source_node,
            portal_index: info.portal_index,
            user_id: info.user_id,
            queue_index: queue,
            source_context: info.source_context,
            dropped: Bits::default(),
            match_bits: info.match_bits,
            header_data: info.header_data,
            start: info.start,
            requested_length: info.message_length,
            delivered_length: delivered,
            remote_offset: offset,
            packet_id: last,
        };
        let mut tell = |what: u8, event: &mut Event, told: &mut Told| {
            let (address, dropped) = place(context, counts[context as usize]);
            counts[context as usize] += 1;
            event.kind = what.to_bits();
            event.dropped = dropped.into();
            told.events.push(WriteRequest {
                first: 1.into(),
                last: 1.into(),
                atomic: 0.into(),
                context: completion.context,
                length: 0.into(),
                address: address.into(),
                strobe: u64::MAX.into(),
                data: (*event).into(),
            });
            told.posts.push(context);
            told.visible.push(context);
            if message.event_error {
                told.event_failed.push(context);
            }
        };
        match (wanted, info.event_reserved == 1u64) {
            (true, true) => {
                let what = match info.xtq == 1u64 {
                    _ if disabled => kind::PT_DISABLED,
                    _ if info.atomic == 1u64 => kind::ATOMIC,
                    true => kind::XTQ_PUT,
                    false => kind::PUT,
                };
                tell(what, &mut event, &mut told);
            }
            (false, true) => told.unreserves.push(context),
            (_, false) => {}
        }
        if info.counted == 1u64 && !disabled {
            let bytes = info.counts_bytes == 1u64;
            let amount = if bytes {
                number(info.delivered_length)
            } else {
                1
            };
            told.amounts.push(CounterCount {
                context: completion.context,
                counter: info.counter,
                success: if ok { amount } else { 0 }.into(),
                failure: u64::from(!ok).into(),
            });
        }
        event = Event {
            portal_index: info.portal_index,
            packet_id: info.user_pointer,
            ..Event::default()
        };
        if info.tells_unlink == 1u64 {
            tell(kind::AUTO_UNLINK, &mut event, &mut told);
        }
        if info.tells_free == 1u64 {
            event.start = info.start - info.offset;
            tell(kind::AUTO_FREE, &mut event, &mut told);
        }
        if info.ack_request != 0u64 {
            told.acks.push(WireHeader {
                version: wire_header::VERSION.to_bits(),
                opcode: opcode::ACK.to_bits(),
                ack_request: number(info.ack_silent).into(),
                ni_fail: fail.to_bits(),
                source_node: NODE.into(),
                target_node: info.source_node,
                source_context: context.into(),
                target_context: info.source_context,
                portal_index: info.portal_index,
                // What was not delivered used no offset.
                remote_offset: if completion.status == u64::from(status::OK) {
                    info.offset
                } else {
                    0.into()
                },
                message_length: delivered,
                message_id: info.message_id,
                initiator_handle: info.initiator_handle,
                operation: code.to_bits(),
                ..WireHeader::default()
            });
        }
    }
    told
}
