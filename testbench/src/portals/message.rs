//! What travels between nodes: requests and the responses they cause (rules 2, 5 of `docs/portals-model.md`).

use super::atomics::{Operation, OperationError};
use super::ids::{Portal, Rank};
use crate::aql::PACKET_BYTES;
use crate::tables::{AckRequest, NiFail};
use thiserror::Error;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Write.
    Put,
    /// Read.
    Get,
    /// Change.
    Atomic(Operation),
    /// Change, and give back what was there.
    Fetch(Operation),
    /// Exchange, perhaps under a condition, and give back what was there.
    Swap(Operation),
    /// Write, and launch a task. The data are [AQL packet][kernel arguments][payload].
    XtqPut {
        /// Bytes of packet and arguments.
        command_length: u16,
    },
}

impl RequestKind {
    /// Whether the request has data.
    pub fn carries_data(self) -> bool {
        self != Self::Get
    }

    /// Whether the response has data: such a request always has a response (rules 5 of `docs/portals-model.md`).
    pub fn wants_data(self) -> bool {
        !matches!(self, Self::Put | Self::Atomic(_) | Self::XtqPut { .. })
    }

    /// The atomic operation.
    pub fn operation(self) -> Option<Operation> {
        match self {
            Self::Put | Self::Get | Self::XtqPut { .. } => None,
            Self::Atomic(operation) | Self::Fetch(operation) | Self::Swap(operation) => {
                Some(operation)
            }
        }
    }
}

/// A message to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it asks for.
    pub kind: RequestKind,
    /// Sender; written by its NIC.
    pub source: Rank,
    /// User of the sender; written by its NIC.
    pub uid: u32,
    /// Receiver.
    pub target: Rank,
    /// Portal of the receiver.
    pub portal: Portal,
    /// Bits to match.
    pub match_bits: u64,
    /// Offset asked for.
    pub roffset: u64,
    /// Bytes asked for.
    pub rlength: u64,
    /// Acknowledgement asked for.
    pub ack: AckRequest,
    /// Given back in events.
    pub hdr_data: u64,
    /// `rlength` bytes, none of a get.
    pub data: Vec<u8>,
    /// The operand of conditional and masked swaps: one item.
    pub operand: Vec<u8>,
    /// Number under which the sender waits for the response.
    pub handle: u64,
}

/// A request that cannot be: no sender makes it and no parser admits it. Or one that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The operation.
    #[error(transparent)]
    Operation(#[from] OperationError),
    /// Data that are not as long as the request says.
    #[error("{got} bytes of data, not {wanted}")]
    Data {
        /// As the request says.
        wanted: u64,
        /// As there are.
        got: usize,
    },
    /// A command that is shorter than an AQL packet, or longer than the data.
    #[error("a command of {0} bytes")]
    Command(u16),
    /// An operand that is not one item.
    #[error("an operand of {got} bytes, not {wanted}")]
    Operand {
        /// Bytes of an item.
        wanted: usize,
        /// Bytes there are.
        got: usize,
    },
}

impl Request {
    /// Whether such a request can be.
    pub fn check(&self) -> Result<(), RequestError> {
        let wanted = if self.kind.carries_data() {
            self.rlength
        } else {
            0
        };
        let got = self.data.len();
        if got as u64 != wanted {
            return Err(RequestError::Data { wanted, got });
        }
        if let RequestKind::XtqPut { command_length } = self.kind
            && !(PACKET_BYTES..=got).contains(&command_length.into())
        {
            return Err(RequestError::Command(command_length));
        }
        check_operation(self.kind, &self.operand)
    }
}

/// Whether an operation can be done, with this operand.
pub(super) fn check_operation(kind: RequestKind, operand: &[u8]) -> Result<(), RequestError> {
    let Some(operation) = kind.operation() else {
        return Ok(());
    };
    operation.check(matches!(kind, RequestKind::Swap(_)))?;
    let (wanted, got) = (operation.datatype.size(), operand.len());
    match operation.uses_operand() && wanted != got {
        true => Err(RequestError::Operand { wanted, got }),
        false => Ok(()),
    }
}

/// Kind of a response (rules 5 of `docs/portals-model.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseKind {
    /// To a put or an atomic: event and count.
    Ack,
    /// Count only.
    CtAck,
    /// Counts as one operation, whatever became of it.
    OcAck,
    /// Data.
    Reply,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Kind.
    pub kind: ResponseKind,
    /// What became of the request; always OK in an `OcAck`.
    pub ni_fail: NiFail,
    /// Bytes that were moved; 0 in an `OcAck`.
    pub mlength: u64,
    /// Offset actually used; only of an `Ack` and a `Reply`.
    pub moffset: u64,
    /// `mlength` bytes of a `Reply`.
    pub data: Vec<u8>,
    /// Who asked.
    pub to: Rank,
    /// The request's.
    pub handle: u64,
}

/// What became of a request, before it is known to whom it is reported.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    pub(super) ni_fail: NiFail,
    pub(super) mlength: u64,
    pub(super) moffset: u64,
    pub(super) data: Vec<u8>,
}

impl Outcome {
    /// A request that did nothing.
    pub(super) fn failed(ni_fail: NiFail) -> Self {
        Self {
            ni_fail,
            ..Self::default()
        }
    }
}

impl Response {
    /// What can be compared of it: what its kind carries. Handles are the initiator's own.
    pub fn comparable(&self) -> Self {
        let plain = Self {
            handle: 0,
            ..self.clone()
        };
        match self.kind {
            ResponseKind::Ack => Self {
                data: Vec::new(),
                ..plain
            },
            ResponseKind::CtAck => Self {
                moffset: 0,
                data: Vec::new(),
                ..plain
            },
            ResponseKind::OcAck => Self {
                ni_fail: NiFail::Ok,
                mlength: 0,
                moffset: 0,
                data: Vec::new(),
                ..plain
            },
            ResponseKind::Reply => plain,
        }
    }

    /// What is reported to the initiator (rules 5 of `docs/portals-model.md`); `None` if it did not ask.
    pub(super) fn to(request: &Request, outcome: Outcome) -> Option<Self> {
        let kind = match (request.kind.wants_data(), request.ack) {
            (true, _) => ResponseKind::Reply,
            (false, AckRequest::None) => return None,
            (false, AckRequest::Ack) => ResponseKind::Ack,
            (false, AckRequest::Ct) => ResponseKind::CtAck,
            (false, AckRequest::Oc) => ResponseKind::OcAck,
        };
        let Outcome {
            ni_fail,
            mlength,
            moffset,
            data,
        } = match kind {
            ResponseKind::OcAck => Outcome::default(),
            ResponseKind::CtAck => Outcome {
                moffset: 0,
                ..outcome
            },
            ResponseKind::Ack | ResponseKind::Reply => outcome,
        };
        Some(Self {
            kind,
            ni_fail,
            mlength,
            moffset,
            data,
            to: request.source,
            handle: request.handle,
        })
    }
}
