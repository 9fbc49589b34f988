//! `Place`: a bank of the L2 or all of them, or the host's memory.

use super::access::{Line, LockEnd, Op, Request, Response, line_of};
use super::bank::Bank;
use super::host_memory::HostMemory;
use super::rtl_bank::RtlBank;
use super::rtl_l2::RtlL2;
use crate::bus::{AxiMemory, BenchError, LINE_BYTES};
use crate::bytes::Bytes;

/// Where lines lie.
pub enum Place {
    /// A bank of the L2: the hardware.
    L2(Box<RtlBank>),
    /// All banks of the L2 with its ports: the hardware.
    Whole(Box<RtlL2>),
    /// The host's memory.
    Host(Box<HostMemory>),
}

impl Place {
    fn bank(&self) -> &dyn Bank {
        match self {
            Self::L2(bank) => &**bank,
            Self::Whole(l2) => &**l2,
            Self::Host(memory) => &**memory,
        }
    }

    fn bank_mut(&mut self) -> &mut dyn Bank {
        match self {
            Self::L2(bank) => &mut **bank,
            Self::Whole(l2) => &mut **l2,
            Self::Host(memory) => &mut **memory,
        }
    }

    /// The GPU's memory below the hardware; `None`: it is the host's.
    fn gpu_memory(&mut self) -> Option<&mut AxiMemory> {
        match self {
            Self::L2(bank) => Some(bank.memory()),
            Self::Whole(l2) => Some(l2.memory()),
            Self::Host(_) => None,
        }
    }

    /// Takes note from now on of which lines are written in memory.
    pub fn note_lines(&mut self) {
        match self {
            Self::Host(memory) => memory.note_lines(),
            _ => {
                if let Some(memory) = self.gpu_memory() {
                    memory.note_lines(true);
                }
            }
        }
    }

    /// Addresses of the lines written in memory since the last call, if they are [noted](Self::note_lines).
    pub fn take_lines(&mut self) -> Vec<u64> {
        if let Self::Host(memory) = self {
            return memory.take_lines();
        }
        let lines = self.gpu_memory().map(AxiMemory::take_lines);
        let lines = lines.unwrap_or_default().into_iter();
        lines.map(|(_, line)| line).collect()
    }

    /// What memory has in the line of an address; caches in front of it may have something newer.
    pub fn line(&mut self, address: u64) -> Line {
        if let Self::Host(memory) = self {
            return memory.line(address);
        }
        let mut line = [0; LINE_BYTES as usize];
        if let Some(memory) = self.gpu_memory() {
            memory.memory(0).read(line_of(address), &mut line);
        }
        line
    }

    /// A device that is no requester writes a line of memory, at once; caches do not know of it.
    pub fn set_line(&mut self, address: u64, line: &Line) {
        match self {
            Self::Host(memory) => memory.set_line(address, line),
            _ => {
                if let Some(memory) = self.gpu_memory() {
                    memory.memory_mut(0).write(line_of(address), line);
                }
            }
        }
    }
}

impl Bank for Place {
    fn has_room(&self, op: Op) -> bool {
        self.bank().has_room(op)
    }

    fn submit(&mut self, request: Request) {
        self.bank_mut().submit(request);
    }

    fn cycle(&mut self) -> Result<Option<Response>, BenchError> {
        self.bank_mut().cycle()
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        self.bank_mut().take_lock_ends()
    }
}
