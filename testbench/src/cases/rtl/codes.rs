//! Codes of the wire and of events, in the words of a case.

use crate::portals::{AtomicOp, Datatype, Operation, RequestKind};
use xtq_types::command::operation;
use xtq_types::wire_header::opcode;

/// Codes of operation and datatype.
pub(super) fn operation_codes(operation: Operation) -> (u64, u64) {
    (operation.op as u64, operation.datatype as u64)
}

/// Kind of a request by its opcode, of an atomic by its operation and datatype, of an XTQ put by the length of its
/// command.
pub(super) fn kind_of(
    code: u8,
    (op, datatype): (u64, u64),
    command_length: u64,
) -> Option<RequestKind> {
    let operation = || {
        Some(Operation {
            op: AtomicOp::of(op as u8)?,
            datatype: Datatype::of(datatype as u8)?,
        })
    };
    Some(match code {
        opcode::PUT => RequestKind::Put,
        opcode::GET => RequestKind::Get,
        operation::ATOMIC => RequestKind::Atomic(operation()?),
        operation::FETCH_ATOMIC => RequestKind::Fetch(operation()?),
        operation::SWAP => RequestKind::Swap(operation()?),
        opcode::XTQ_PUT => RequestKind::XtqPut {
            command_length: command_length as u16,
        },
        _ => return None,
    })
}

/// Opcode of a request.
pub(super) fn opcode_of(kind: RequestKind) -> u8 {
    match kind {
        RequestKind::Put => opcode::PUT,
        RequestKind::Get => opcode::GET,
        RequestKind::Atomic(_) => operation::ATOMIC,
        RequestKind::Fetch(_) => operation::FETCH_ATOMIC,
        RequestKind::Swap(_) => operation::SWAP,
        RequestKind::XtqPut { .. } => opcode::XTQ_PUT,
    }
}

/// The operand of a swap, at most 8 bytes, as commands and headers carry it.
pub(super) fn operand(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
}
