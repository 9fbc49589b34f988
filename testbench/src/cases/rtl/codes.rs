//! Codes of the wire and of events, in the words of a case.

use crate::portals::{AckRequest, NiFail, RequestKind};
use xtq_rtl::types::command::operation;
use xtq_rtl::types::wire_header::{ack, ni_fail, opcode};

/// Opcode of a request.
pub(super) fn opcode_of(kind: RequestKind) -> u8 {
    match kind {
        RequestKind::Put => opcode::PUT,
        RequestKind::Get => opcode::GET,
        RequestKind::Atomic(_) => operation::ATOMIC,
        RequestKind::Fetch(_) => operation::FETCH_ATOMIC,
        RequestKind::Swap(_) => operation::SWAP,
    }
}

/// Code of an acknowledgement that is asked for.
pub(super) fn ack_code(request: AckRequest) -> u8 {
    match request {
        AckRequest::None => ack::NONE,
        AckRequest::Ack => ack::ACK,
        AckRequest::Ct => ack::CT,
        AckRequest::Oc => ack::OC,
    }
}

/// The operand of a swap, at most 8 bytes, as commands and headers carry it.
pub(super) fn operand(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// What became of a message, from its code on the wire and in events.
pub(super) fn ni_fail_of(code: u8) -> Option<NiFail> {
    Some(match code {
        ni_fail::OK => NiFail::Ok,
        ni_fail::UNDELIVERABLE => NiFail::Undeliverable,
        ni_fail::DROPPED => NiFail::Dropped,
        ni_fail::PT_DISABLED => NiFail::PtDisabled,
        ni_fail::PERM_VIOLATION => NiFail::PermViolation,
        ni_fail::OP_VIOLATION => NiFail::OpViolation,
        ni_fail::NO_MATCH => NiFail::NoMatch,
        ni_fail::SEGV => NiFail::Segv,
        _ => return None,
    })
}
