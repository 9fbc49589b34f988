//! Loads and stores, of memory and of registers.

use super::{HostThread, ProgramError};
use crate::place::Spent;
use xtq_testbench::bytes::Bytes;

/// Most bytes of one load or store.
const MOST: usize = 1 << 20;

/// Errors: more bytes than a load or store has.
fn check(bytes: usize) -> Result<(), ProgramError> {
    match bytes <= MOST {
        true => Ok(()),
        false => Err(ProgramError::new(format!(
            "an access of {bytes} bytes; {MOST} are the most"
        ))),
    }
}

impl HostThread {
    async fn access(&self, address: u64, bytes: usize, writes: bool) {
        let ns = self.with(|world| world.access(self.id, address, bytes as u64, writes));
        self.spend(ns, Spent::Busy).await;
    }

    /// Loads bytes; lines come side by side, as many as the core has under way. Errors: more than 1 MiB.
    pub async fn load(&self, address: u64, bytes: usize) -> Result<Vec<u8>, ProgramError> {
        check(bytes)?;
        self.access(address, bytes, false).await;
        let mut found = vec![0; bytes];
        self.with(|world| world.memory().read(address, &mut found));
        Ok(found)
    }

    /// Stores bytes, which are visible to all devices when the call returns. Errors: more than 1 MiB.
    pub async fn store(&self, address: u64, bytes: &[u8]) -> Result<(), ProgramError> {
        check(bytes.len())?;
        self.access(address, bytes.len(), true).await;
        self.with(|world| {
            world.memory_mut().write(address, bytes);
            world.changed = true;
        });
        Ok(())
    }

    /// Stores a register of the NIC. The store is posted: the call returns at once, and the register has its value a
    /// while later, after those that were stored before.
    pub async fn mmio_write(&self, register: u16, value: u32) {
        self.work(1).await;
        self.with(|world| {
            let due = world.threads[self.id].clock + world.system.cpu.mmio_write_ns;
            world.registers.write(due, register, value);
        });
    }

    /// Loads a register of the NIC, after the stores before.
    pub async fn mmio_read(&self, register: u16) -> u32 {
        self.work(1).await;
        let (ticket, back) = self.with(|world| {
            let way = world.system.cpu.mmio_read_ns / 2.0;
            let due = world.threads[self.id].clock + way;
            world.threads[self.id].waits_for = format!("register {register:#06x}");
            (world.registers.read(due, register), way)
        });
        let start = self.with(|world| world.threads[self.id].clock);
        let value = self
            .until(u64::MAX, |world| world.registers.take_answer(ticket))
            .await;
        self.with(|world| {
            let thread = &mut world.threads[self.id];
            thread.report.busy_ns += thread.clock - start;
        });
        self.spend(back, Spent::Busy).await;
        value
    }
}
