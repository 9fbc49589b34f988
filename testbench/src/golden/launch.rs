//! XTQ puts of which a model of match lists decides where they land: tests, rewriting, queues and doorbells.

use xtq_types::event::{access, status};
use xtq_types::tables::table_id;
use xtq_types::wire_header::{MTU, opcode};

use super::delivery::Delivery;
use super::delivery::Head;
use super::faults::Faults;
use crate::bus::{Access, ErrorResponse, Fault};
use crate::bytes::{Bytes, SparseMemory};
use crate::tables::format::{BYTES, WIRE};
use crate::tables::{Accepted, NicState, Outcome, Reports, Table};

/// Where the tables lie: beyond the memory of any case.
const TABLES: u64 = 1 << 48;
/// Bytes between two tables: more than the largest has.
const TABLE_BYTES: u64 = 1 << 22;
const LINE: u64 = BYTES as u64;

/// The kernels, functions and queues of a process, and its memory. Messages are done with one after the other.
#[derive(Clone, Debug)]
pub struct Tasks(Delivery);

/// A fault of every access to memory that is not there: all but the lines of these pieces and the tables.
fn missing(pieces: &[(u64, usize)]) -> Faults {
    let pieces = pieces.iter().filter(|(_, length)| *length > 0);
    let last = |(start, length): &(u64, usize)| start.saturating_add(*length as u64 - 1);
    let mut there: Vec<(u64, u64)> = pieces
        .map(|piece| (piece.0 / LINE * LINE, last(piece) | (LINE - 1)))
        .collect();
    there.push((TABLES, TABLES + 3 * TABLE_BYTES - 1));
    there.sort_unstable();
    let mut gaps = Vec::new();
    let mut next = Some(0);
    for (first, last) in there {
        if let Some(from) = next.filter(|from| *from < first) {
            gaps.push(from..=first - 1);
        }
        next = next.and_then(|from: u64| Some(from.max(last.checked_add(1)?)));
    }
    gaps.extend(next.map(|from| from..=u64::MAX));
    let fault = |addresses| Fault {
        context: None,
        addresses,
        access: Access::Both,
        response: ErrorResponse::DecodeError,
        code: 0,
        count: None,
    };
    gaps.into_iter().map(fault).collect()
}

impl Tasks {
    /// Tables of so many entries each, none of which is registered. `pieces`: address and bytes of the memory that is
    /// there.
    pub fn new(entries: u32, pieces: &[(u64, usize)]) -> Self {
        let mut state = NicState::default();
        for (table, base) in state.contexts[0].tables.iter_mut().zip(0..) {
            *table = Table {
                base: TABLES + base * TABLE_BYTES,
                entries,
            };
        }
        let mut delivery = Delivery::new(state, Default::default());
        delivery.faults = missing(pieces);
        Self(delivery)
    }

    /// The memory, for who has it too.
    pub fn memory(&mut self) -> &mut SparseMemory {
        &mut self.0.memories[0]
    }

    /// Writes the entry of a table ([`table_id`]). A queue is opened again.
    pub fn register(&mut self, table: u8, index: u16, entry: &[u8; BYTES]) {
        let Table { base, .. } = self.0.state.contexts[0].tables[usize::from(table)];
        self.memory().write(base + LINE * u64::from(index), entry);
        if table == table_id::QUEUE {
            self.0.state.queues.remove(&(0, index));
        }
    }

    /// An XTQ put lands here, whole: \[packet and arguments, `command_length` bytes\]\[payload\]. Nothing has changed
    /// if it is not [`accepted`](Outcome::accepted).
    pub fn launch(&mut self, message: &[u8], command_length: u64, landing: u64) -> Outcome {
        let delivery = &mut self.0;
        let length = message.len() as u64;
        let header = WIRE.pack(&[
            ("opcode", opcode::XTQ_PUT.into()),
            ("message_length", length),
            ("command_length", command_length),
        ]);
        let mut parts: Vec<Head> = Vec::new();
        for (offset, body) in (0..).step_by(MTU).zip(message.chunks(MTU)) {
            parts.push(Head {
                header,
                body,
                context: 0,
                xtq: true,
                offset,
                length,
                last: offset + body.len() as u64 == length,
                bad: false,
            });
        }
        let outcome = Outcome {
            header,
            context: 0,
            status: status::OK,
            access: access::NONE,
            landing: Some((landing, length)),
            accepted: true,
            offset: 0,
            task: None,
            disabled: false,
            event: None,
            ack: None,
        };
        let number = Some(delivery.admissions);
        delivery.admissions += 1;
        let first = parts.first().ok_or((status::BAD_LENGTH, access::NONE));
        let command = first.and_then(|head| delivery.check_task(head, landing, number));
        let command = match command {
            Ok(command) => command,
            Err((status, access)) => {
                return Outcome {
                    status,
                    access,
                    accepted: false,
                    ..outcome
                };
            }
        };
        let mut accepted = Accepted {
            number,
            outcome: outcome.clone(),
            reports: Reports::default(),
            command: Some(command),
        };
        for head in &parts {
            delivery.land(&mut accepted, head);
        }
        delivery.complete(accepted, false);
        delivery.outcomes.pop().unwrap_or(outcome)
    }
}
