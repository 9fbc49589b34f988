//! `Place`: a bank of the L2, or the host's memory.

use super::access::{LockEnd, Op, Request, Response};
use super::bank::Bank;
use super::host_memory::HostMemory;
use super::rtl_bank::RtlBank;
use crate::bus::BenchError;

/// Where lines lie.
pub enum Place {
    /// A bank of the L2: the hardware.
    L2(Box<RtlBank>),
    /// The host's memory.
    Host(Box<HostMemory>),
}

impl Bank for Place {
    fn has_room(&self, op: Op) -> bool {
        match self {
            Self::L2(bank) => bank.has_room(op),
            Self::Host(memory) => memory.has_room(op),
        }
    }

    fn submit(&mut self, request: Request) {
        match self {
            Self::L2(bank) => bank.submit(request),
            Self::Host(memory) => memory.submit(request),
        }
    }

    fn cycle(&mut self) -> Result<Option<Response>, BenchError> {
        match self {
            Self::L2(bank) => bank.cycle(),
            Self::Host(memory) => memory.cycle(),
        }
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        match self {
            Self::L2(bank) => bank.take_lock_ends(),
            Self::Host(memory) => memory.take_lock_ends(),
        }
    }
}
