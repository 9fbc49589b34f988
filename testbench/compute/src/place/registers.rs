//! `Registers`: the accesses of a node's programs to the NIC's registers, on their way.
//!
//! Writes are posted: they arrive in the order in which they were done, a while later. A read waits until the writes
//! before it have been answered.

use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;
use xtq_testbench::bytes::SparseMemory;
use xtq_testbench::host::NicPort;
use xtq_testbench::node::{Node, NodeError};

/// The register with this address must be read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("register {0:#06x} must be read first")]
pub(crate) struct Ask(pub(crate) u16);

#[derive(Clone, Copy, Debug)]
enum Access {
    Write(u16, u32),
    /// For whom it is read.
    Read(u16, u64),
}

/// Register accesses on their way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    /// With the time of arrival, ns.
    coming: VecDeque<(f64, Access)>,
    /// Who waits for the register that is being read.
    reading: Option<u64>,
    answers: BTreeMap<u64, u32>,
    tickets: u64,
}

impl Registers {
    fn push(&mut self, due: f64, access: Access) {
        let due = self.coming.back().map_or(due, |(last, _)| last.max(due));
        self.coming.push_back((due, access));
    }

    /// A write that arrives at `due`, ns, or after those before it.
    pub(crate) fn write(&mut self, due: f64, address: u16, value: u32) {
        self.push(due, Access::Write(address, value));
    }

    /// A read that arrives then; the number of its answer.
    pub(crate) fn read(&mut self, due: f64, address: u16) -> u64 {
        self.tickets += 1;
        self.push(due, Access::Read(address, self.tickets));
        self.tickets
    }

    /// The answer of a read, once.
    pub(crate) fn take_answer(&mut self, ticket: u64) -> Option<u32> {
        self.answers.remove(&ticket)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.coming.is_empty() && self.reading.is_none()
    }

    /// First cycle in which an access arrives; `u64::MAX`: there is none.
    pub(crate) fn next_event(&self) -> u64 {
        let first = self.coming.front();
        first.map_or(u64::MAX, |(due, _)| due.ceil() as u64)
    }

    /// Hands over what has arrived in cycle `now`, and takes an answer that has come. Errors: the NIC refused an
    /// access.
    pub(crate) fn serve(&mut self, now: u64, node: &mut Node) -> Result<(), NodeError> {
        if self.reading.is_some() && node.registers_idle() {
            let value = node.last_answer()?;
            if let Some(ticket) = self.reading.take() {
                self.answers.insert(ticket, value);
            }
        }
        while self.reading.is_none()
            && let Some((due, access)) = self.coming.front().copied()
            && due <= now as f64
        {
            match access {
                Access::Write(address, value) => node.post_register(address, value),
                Access::Read(address, ticket) if node.registers_idle() => {
                    node.last_answer()?;
                    node.post_read(address);
                    self.reading = Some(ticket);
                }
                Access::Read(..) => break,
            }
            self.coming.pop_front();
        }
        Ok(())
    }
}

/// The port of the host library for a call at one instant: memory is there, writes of registers are gathered, a read
/// needs an answer from before.
pub(crate) struct InstantPort<'a> {
    pub(crate) memory: &'a mut SparseMemory,
    pub(crate) answer: Option<(u16, u32)>,
    pub(crate) posted: Vec<(u16, u32)>,
}

impl NicPort for InstantPort<'_> {
    type Error = Ask;

    fn memory(&self, _context: u8) -> &SparseMemory {
        self.memory
    }

    fn memory_mut(&mut self, _context: u8) -> &mut SparseMemory {
        self.memory
    }

    fn post(&mut self, address: u16, value: u32) {
        self.posted.push((address, value));
    }

    fn read(&mut self, address: u16) -> Result<u32, Ask> {
        match self.answer.take() {
            Some((read, value)) if read == address => Ok(value),
            _ => Err(Ask(address)),
        }
    }
}
