//! Random messages: what hosts send, and what comes from outside, but XTQ puts.

use super::values::{ack, bits, length, node, offset, portal};
use proptest::prelude::*;
use xtq_testbench::cases::rtl::built;
use xtq_testbench::portals::{
    AckRequest, AtomicOp, Datatype, MdId, Operation, Place, Portal, Rank, Request, RequestKind,
    Transfer,
};

/// Atomics that the hardware has, 174 pairs of operation and datatype, and those that Portals has not.
fn atomics(exist: bool) -> Vec<RequestKind> {
    let mut all = Vec::new();
    for op in AtomicOp::ALL {
        for datatype in Datatype::ALL {
            let operation = Operation { op, datatype };
            let kinds = [
                RequestKind::Atomic(operation),
                RequestKind::Fetch(operation),
                RequestKind::Swap(operation),
            ];
            all.extend(kinds.into_iter().filter(|kind| {
                let swap = matches!(kind, RequestKind::Swap(_));
                built(*kind).is_ok() && operation.check(swap).is_ok() == exist
            }));
        }
    }
    all
}

/// The kind of a message; from outside come only those that exist.
fn kind(called: bool) -> impl Strategy<Value = RequestKind> {
    prop_oneof![
        6 => Just(RequestKind::Put),
        4 => Just(RequestKind::Get),
        10 => prop::sample::select(atomics(true)),
        1 => prop::sample::select(atomics(!called)),
    ]
}

/// One that is no XTQ put.
pub fn plain_transfer() -> impl Strategy<Value = Transfer> {
    let place = || {
        (
            prop_oneof![8 => 0..3u32, 2 => Just(3u32), 1 => Just(9u32)],
            prop_oneof![3 => Just(0u64), 1 => 0..300u64],
        )
    };
    let target = prop::sample::select(vec![0u32, 0, 0, 0, 0, 1, 1, 7]);
    let what = (
        kind(true),
        length(),
        ack(),
        portal(),
        bits(),
        offset(),
        any::<u16>(),
    );
    (place(), place(), target, what).prop_map(
        |(from, into, target, (kind, length, ack, portal, match_bits, roffset, number))| {
            let at = |(md, offset)| Place {
                md: MdId(md),
                offset,
            };
            Transfer {
                kind,
                from: kind.carries_data().then_some(at(from)),
                payload: None,
                into: kind.wants_data().then_some(at(into)),
                length: whole(kind, length),
                ack: if kind.wants_data() {
                    AckRequest::None
                } else {
                    ack
                },
                target: Rank(target),
                portal: Portal(portal),
                match_bits,
                roffset,
                // A get has none.
                hdr_data: if kind == RequestKind::Get {
                    0
                } else {
                    number.into()
                },
                operand: operand(kind, number),
                user_ptr: u64::from(number) + 1,
            }
        },
    )
}

/// Atomics have whole data, at most 512 bytes or one datum, or, now and then, not.
fn whole(kind: RequestKind, length: u64) -> u64 {
    match kind.operation() {
        Some(_) if length.is_multiple_of(23) => length,
        Some(operation) if operation.uses_operand() => operation.datatype.size() as u64,
        Some(operation) => (length % 520).next_multiple_of(operation.datatype.size() as u64),
        None => length,
    }
}

/// The operand of a swap that has one.
fn operand(kind: RequestKind, number: u16) -> Vec<u8> {
    match kind
        .operation()
        .filter(|operation| operation.uses_operand())
    {
        Some(operation) => (0..operation.datatype.size())
            .map(|at| (at as u16 * 13 + number % 3 * 40) as u8)
            .collect(),
        None => Vec::new(),
    }
}

/// What comes from outside, but XTQ puts.
pub fn plain_arrival() -> impl Strategy<Value = Request> {
    let source = prop::sample::select(vec![1u32, 1, 5, 7]);
    let uid = prop::sample::select(vec![1u32, 1, 5]);
    let what = (
        kind(false),
        length(),
        ack(),
        portal(),
        bits(),
        offset(),
        any::<u16>(),
    );
    (node(), source, uid, what).prop_map(
        |(target, source, uid, (kind, length, ack, portal, match_bits, roffset, number))| {
            // A node sends no other than whole data.
            let length = match kind.operation() {
                Some(operation) if operation.uses_operand() => operation.datatype.size() as u64,
                Some(operation) => {
                    length % 1100 / operation.datatype.size() as u64
                        * operation.datatype.size() as u64
                }
                None => length,
            };
            let carried = if kind.carries_data() { length } else { 0 };
            Request {
                kind,
                source: Rank(source),
                uid,
                target: Rank(target),
                portal: Portal(portal),
                match_bits,
                roffset,
                rlength: length,
                ack: if kind.wants_data() {
                    AckRequest::None
                } else {
                    ack
                },
                hdr_data: number.into(),
                data: (0..carried)
                    .map(|at| (at * 7 + u64::from(number)) as u8)
                    .collect(),
                operand: operand(kind, number),
                handle: 0,
            }
        },
    )
}
