//! Packets of puts and of atomics as they reach the fork, and what they do to a memory in which nothing else happens.

use xtq_testbench::bytes::{Bytes, SparseMemory};
use xtq_types::Wire;
use xtq_types::atomic::operation as o;
use xtq_types::pipe::{AtomicNote, WriteBeat};

use crate::model::size_of;
use crate::unit::message::{BadLine, Message};

/// Refused, bad, failed in memory.
pub type Ending = [bool; 3];

/// Bytes of a put that go to one place.
#[derive(Clone, Debug)]
pub struct Put {
    pub slot: u64,
    pub context: u8,
    pub address: u64,
    pub body: Vec<u8>,
    /// The packet is the last of its message.
    pub last: bool,
    /// It had the wrong length.
    pub bad: bool,
    /// An earlier packet of the message had.
    pub was_bad: bool,
}

/// A packet.
#[derive(Clone, Debug)]
pub enum Packet {
    Put(Put),
    Atomic(Message),
}

impl Packet {
    pub fn slot(&self) -> u64 {
        match self {
            Self::Put(put) => put.slot,
            Self::Atomic(message) => message.slot,
        }
    }

    /// What admission notes of its message; of a put noise beside the bit that says so.
    pub fn note(&self) -> AtomicNote {
        match self {
            Self::Put(put) => AtomicNote {
                atomic: 0.into(),
                fetch: 1.into(),
                operation: (put.address & 255).into(),
                datatype: 8.into(),
            },
            Self::Atomic(message) => AtomicNote {
                atomic: 1.into(),
                fetch: u64::from(message.fetch).into(),
                operation: u64::from(message.operation).into(),
                datatype: u64::from(message.datatype).into(),
            },
        }
    }

    /// Its beats, with noise in what counts in the first one only and after the last byte.
    pub fn beats(&self) -> Vec<WriteBeat> {
        let (slot, context, address, limit, last, bad, body) = match self {
            Self::Put(put) => {
                let limit = put.body.len() as u64;
                let body = put.body.clone();
                (
                    put.slot,
                    put.context,
                    put.address,
                    limit,
                    put.last,
                    put.bad,
                    body,
                )
            }
            Self::Atomic(message) => {
                let limit = message.length as u64;
                let mut body = message.body.clone();
                if message.operation > o::SWAP && message.operation <= o::MSWAP {
                    // One datum, zeros, the operand.
                    body.resize(body.len().min(size_of(message.datatype)), 0);
                    body.resize(8, 0);
                    body.extend(message.operand.to_le_bytes());
                }
                let (address, bad) = (message.address, message.bad);
                (
                    message.slot,
                    message.context,
                    address,
                    limit,
                    true,
                    bad,
                    body,
                )
            }
        };
        let count = body.len().div_ceil(64).max(1);
        let beat = |i: usize| {
            let chunk = &body[(64 * i).min(body.len())..body.len().min(64 * i + 64)];
            let byte = |k: usize| chunk.get(k).copied().unwrap_or(0x5A ^ k as u8);
            let word = |w: usize| u64::from_le_bytes(std::array::from_fn(|k| byte(8 * w + k)));
            let words: Vec<u64> = (0..8).map(word).collect();
            let ends = i + 1 == count;
            WriteBeat {
                slot: slot.into(),
                context: u64::from(context).into(),
                limit: if i == 0 { limit } else { 0x1555 }.into(),
                first: u64::from(i == 0).into(),
                last: u64::from(ends).into(),
                message_last: u64::from(last).into(),
                bad: u64::from(ends && bad).into(),
                lost: 0.into(),
                bytes: (chunk.len() as u64).into(),
                address: if i == 0 { address } else { !address }.into(),
                data: Wire::from_words(&words),
            }
        };
        (0..count).map(beat).collect()
    }

    /// What it does; how its message ends if it is the last packet; the reply.
    pub fn perform(
        &self,
        memories: &mut [SparseMemory; 4],
        bad_lines: &[BadLine],
    ) -> (Option<Ending>, Option<Vec<u8>>) {
        match self {
            Self::Put(put) => {
                memories[usize::from(put.context)].write(put.address, &put.body);
                let ending = [false, put.bad || put.was_bad, false];
                (put.last.then_some(ending), None)
            }
            Self::Atomic(message) => {
                let memory = &mut memories[usize::from(message.context)];
                let (ending, reply) = message.perform(memory, bad_lines);
                (Some(ending.1), reply)
            }
        }
    }
}
