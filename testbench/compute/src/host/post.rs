//! Commands for the NIC.

use super::{HostThread, ProgramError};
use crate::layout::Layout;
use crate::place::{Ask, COMMAND_BYTES, Spent, World};
use xtq_testbench::host::{Command, ProcessError};

impl HostThread {
    /// Gives commands to the NIC, all or none at one instant, with one doorbell. Each takes the instructions of a put
    /// and its stores. Waits while the ring is full. Errors: more commands than the ring has places.
    pub async fn post(&self, commands: &[Command]) -> Result<(), ProgramError> {
        let instructions = self.with(|world| world.costs.put) * commands.len() as u64;
        self.work(instructions).await;
        let ns = self.with(|world| {
            let places = 0..commands.len() as u64;
            let stores = places.map(|place| {
                let address = world.next_command_place(place);
                world.access(self.id, address, COMMAND_BYTES, true)
            });
            stores.sum::<f64>()
        });
        self.spend(ns, Spent::Busy).await;
        let mut answer = None;
        loop {
            let (posted, taken) = self.with(|world| {
                let due = world.threads[self.id].clock + world.system.cpu.mmio_write_ns;
                let posted = world.post(due, commands, answer.take());
                (posted, world.commands_taken())
            });
            match posted {
                Ok(()) => return Ok(()),
                Err(ProcessError::Port(Ask(register))) => {
                    answer = Some((register, self.mmio_read(register).await));
                }
                Err(ProcessError::Full { .. }) if commands.len() <= Layout::COMMANDS as usize => {
                    self.room(taken).await;
                }
                Err(error) => return Err(ProgramError::new(error)),
            }
        }
    }

    /// Waits until the NIC has taken more commands than `taken`.
    async fn room(&self, taken: u64) {
        let start = self.with(|world| {
            let thread = &mut world.threads[self.id];
            thread.waits_for = "room in the command ring".to_owned();
            thread.clock
        });
        let more = |world: &mut World| (world.commands_taken() > taken).then_some(());
        self.until(u64::MAX, more).await;
        self.with(|world| {
            let thread = &mut world.threads[self.id];
            thread.report.idle_ns += thread.clock - start;
        });
    }
}
