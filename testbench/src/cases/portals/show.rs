//! What a node shows, in the words of the case.

use super::expect::{
    AckKind, AckResult, EventResult, ListsResult, NodeResult, SentKind, SentResult, StatusResult,
};
use super::names::Names;
use super::nodes::Observed;
use crate::cases::hex_bytes::HexBytes;
use crate::portals::{Detail, Event, Lists, NiFail, Request, RequestKind, Response, ResponseKind};

/// The result of a node that had this memory at first and whose calls returned these codes.
pub(super) fn node_result(
    names: &Names,
    returns: &[String],
    memory: &[u8],
    observed: &Observed,
) -> NodeResult {
    let lists = |lists: &Lists| {
        let named = |list: &[u64]| list.iter().map(|ptr| names.entry_name(*ptr)).collect();
        ListsResult {
            priority: named(&lists.priority),
            overflow: named(&lists.overflow),
            unexpected: lists.unexpected,
            enabled: lists.enabled,
        }
    };
    let state = &observed.state;
    let (counters, pending) = (state.counters.iter(), state.pending.iter());
    let memory_now = state.memory.pieces().get(&0).map_or(&[][..], Vec::as_slice);
    let (events, all_lists) = (observed.events.iter(), state.lists.iter());
    NodeResult {
        ct: counters
            .map(|(id, ct)| (id.0, (ct.success, ct.failure)))
            .collect(),
        pending: pending.map(|(id, count)| (id.0, *count)).collect(),
        events: events.map(|event| event_result(names, event)).collect(),
        acks: observed.responses.iter().map(ack_result).collect(),
        sent: observed.sent.iter().map(sent_result).collect(),
        returns: returns.to_vec(),
        status: StatusResult {
            drop: state.status.drop,
            perm: state.status.permission_violations,
            op: state.status.operation_violations,
        },
        mem_diff: mem_diff(memory, memory_now),
        lists: all_lists.map(|(pt, list)| (pt.0, lists(list))).collect(),
    }
}

fn event_result(names: &Names, event: &Event) -> EventResult {
    let target = match event.detail {
        Detail::Target(detail) => Some(detail),
        Detail::None | Detail::Task(_) | Detail::Initiator(_) => None,
    };
    let tells = target.is_some() || event.ni_fail != NiFail::Ok;
    EventResult {
        kind: event.kind,
        pt: event.portal.map(|portal| portal.0),
        // A search may have no name.
        user_ptr: event
            .user_ptr
            .map(|ptr| names.entry_name(ptr))
            .filter(|name| !name.is_empty()),
        start: target.map(|detail| detail.start),
        initiator: target.map(|detail| detail.initiator.0),
        match_bits: target.map(|detail| detail.match_bits),
        rlength: target.map(|detail| detail.rlength),
        mlength: target.map(|detail| detail.mlength),
        remote_offset: target.map(|detail| detail.remote_offset),
        hdr_data: target.map(|detail| detail.hdr_data),
        list: target.map(|detail| detail.list),
        ni_fail: tells.then_some(event.ni_fail),
    }
}

fn ack_result(response: &Response) -> AckResult {
    let (kind, carried) = match response.kind {
        ResponseKind::Ack => (AckKind::Ack, 2),
        ResponseKind::CtAck => (AckKind::CtAck, 1),
        ResponseKind::OcAck => (AckKind::OcAck, 0),
        ResponseKind::Reply => (AckKind::Reply, 3),
    };
    AckResult {
        kind,
        ni_fail: (carried > 0).then_some(response.ni_fail),
        mlength: (carried > 0).then_some(response.mlength),
        moffset: (carried > 1).then_some(response.moffset),
        data: (carried > 2).then(|| HexBytes(response.data.clone())),
        to: response.to.0,
    }
}

fn sent_result(request: &Request) -> SentResult {
    let op = match request.kind {
        RequestKind::Put => SentKind::Put,
        RequestKind::Get => SentKind::Get,
        RequestKind::Atomic(_) => SentKind::Atomic,
        RequestKind::Fetch(_) => SentKind::Fetch,
        RequestKind::Swap(_) => SentKind::Swap,
        RequestKind::XtqPut { .. } => SentKind::XtqPut,
    };
    let operation = request.kind.operation();
    SentResult {
        op,
        dst: request.target.0,
        pt: request.portal.0,
        match_bits: request.match_bits,
        rlength: request.rlength,
        roffset: request.roffset,
        hdr_data: request.hdr_data,
        data: HexBytes(request.data.clone()),
        aop: operation.map(|operation| operation.op),
        dtype: operation.map(|operation| operation.datatype),
        operand: operation.map(|_| HexBytes(request.operand.clone())),
    }
}

/// Maximal runs of bytes that differ, with the bytes that are there now.
fn mem_diff(before: &[u8], after: &[u8]) -> Vec<(u64, HexBytes)> {
    let mut runs: Vec<(u64, HexBytes)> = Vec::new();
    for (address, (old, new)) in before.iter().zip(after).enumerate() {
        match runs.last_mut() {
            _ if old == new => {}
            Some((start, HexBytes(run))) if *start as usize + run.len() == address => {
                run.push(*new)
            }
            _ => runs.push((address as u64, HexBytes(vec![*new]))),
        }
    }
    runs
}
