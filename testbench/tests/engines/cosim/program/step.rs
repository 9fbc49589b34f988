//! What happens in a program, one thing at a time, and the same in a program with fewer atomics.

use xtq_testbench::portals::{
    Command, List, MatchEntry, MeOption, MeOptions, MemoryDescriptor, Request, RequestKind, Search,
    Transfer,
};

/// Bytes of the longest datum.
const ALIGNED: u64 = 8;

#[derive(Clone, Debug)]
pub enum Step {
    Call(u32, Call),
    Triggered(u32, u32, u64, Call),
    /// A request from outside; its data are as long as it says.
    Arrive(Request),
    /// All that is in a queue has been consumed: of a node, the number of the queue.
    Consume(u32, u16),
    Deliver,
}

impl Step {
    /// The same step in a program whose atomics are all done: addresses, offsets and lengths are multiples of
    /// [`ALIGNED`], and no entry keeps its own offset.
    pub fn aligned(self) -> Self {
        let down = |number: u64| number / ALIGNED * ALIGNED;
        let list = |me: &MatchEntry| me.options.has(MeOption::Iovec);
        let entry = |me: MatchEntry| MatchEntry {
            start: down(me.start),
            length: if list(&me) {
                me.length
            } else {
                down(me.length)
            },
            // The offset that it keeps would be one after data of one byte.
            options: MeOptions(me.options.0 & !(1 << MeOption::ManageLocal as u32)),
            ..me
        };
        let call = |call| match call {
            Call::Append(portal, list, me) => Call::Append(portal, list, entry(me)),
            Call::Transfer(transfer) => {
                let plain = transfer.kind.operation().is_none();
                Call::Transfer(Transfer {
                    roffset: down(transfer.roffset),
                    length: if plain {
                        down(transfer.length)
                    } else {
                        transfer.length
                    },
                    ..transfer
                })
            }
            other => other,
        };
        match self {
            Self::Call(node, one) => Self::Call(node, call(one)),
            Self::Triggered(node, counter, threshold, one) => {
                Self::Triggered(node, counter, threshold, call(one))
            }
            Self::Arrive(request) => {
                let length = match request.kind.operation() {
                    None => down(request.rlength),
                    Some(_) => request.rlength,
                };
                let mut data = request.data;
                data.truncate(length as usize);
                Self::Arrive(Request {
                    roffset: down(request.roffset),
                    rlength: length,
                    data,
                    ..request
                })
            }
            other => other,
        }
    }

    /// The same step in a program without atomics: puts in their place.
    pub fn without_atomics(self) -> Self {
        let plain = |kind: RequestKind| match kind.operation() {
            Some(_) => RequestKind::Put,
            None => kind,
        };
        let call = |call| match call {
            Call::Transfer(transfer) => {
                let kind = plain(transfer.kind);
                let into = transfer.into.filter(|_| kind.wants_data());
                Call::Transfer(Transfer {
                    kind,
                    into,
                    operand: Vec::new(),
                    ..transfer
                })
            }
            other => other,
        };
        match self {
            Self::Call(node, one) => Self::Call(node, call(one)),
            Self::Triggered(node, counter, threshold, one) => {
                Self::Triggered(node, counter, threshold, call(one))
            }
            Self::Arrive(request) => Self::Arrive(Request {
                kind: plain(request.kind),
                operand: Vec::new(),
                ..request
            }),
            other => other,
        }
    }
}

/// What a host calls. Entries have no number yet.
#[derive(Clone, Debug)]
pub enum Call {
    Append(u32, List, MatchEntry),
    /// The entry that was appended so many appends ago.
    Unlink(usize),
    Search(u32, Search, MatchEntry),
    Transfer(Transfer),
    Release(u32),
    Bind(u32, MemoryDescriptor),
    /// What needs no more.
    Plain(Command),
}
