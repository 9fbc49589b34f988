//! A node as a station of a cluster, and as the port of a host program.

use super::config::NodeError;
use super::harness::Node;
use crate::bus::Beat;
use crate::bytes::SparseMemory;
use crate::host::NicPort;
use crate::network::{Class, Station};
use xtq_engine::Engine;

impl Station for Node {
    type Error = NodeError;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.cycle_count()
    }

    fn connect(&mut self) {
        self.streams.set_open([false; 2]);
    }

    fn has_room(&self, class: Class) -> bool {
        self.streams.has_room(class)
    }

    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.note_beat(self.streams.lane(class), beat);
        self.streams.push_beat(class, beat);
    }

    fn drive(&mut self, ready: [bool; 2]) -> Result<(), NodeError> {
        self.streams.set_open(ready);
        Self::drive(self)
    }

    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        Some(&mut *self.engine)
    }

    fn sample(&mut self) -> Result<(), NodeError> {
        Self::sample(self)
    }

    fn collect(&mut self) -> Result<[Option<Beat>; 2], NodeError> {
        Self::collect(self)?;
        self.streams.set_open([false; 2]);
        Ok(self.streams.sent_now().map(Option::<&Beat>::cloned))
    }

    fn busy(&self) -> Option<&'static str> {
        Self::busy(self)
    }

    fn quiet_cycles(&self) -> u64 {
        Self::quiet_cycles(self)
    }

    fn settle(&mut self) {
        Self::settle(self);
    }

    fn next_event(&self, now: u64) -> u64 {
        Self::next_event(self, now)
    }

    fn pass(&mut self, cycle: u64) -> Result<(), NodeError> {
        Self::pass(self, cycle)
    }

    fn is_over(&self, now: u64) -> bool {
        Self::next_event(self, now) == u64::MAX || self.is_quiet()
    }

    fn wake(&mut self) {
        Self::wake(self);
    }
}

impl NicPort for Node {
    type Error = NodeError;

    fn memory(&self, context: u8) -> &SparseMemory {
        self.memory.memory(context)
    }

    fn memory_mut(&mut self, context: u8) -> &mut SparseMemory {
        self.memory.memory_mut(context)
    }

    fn post(&mut self, address: u16, value: u32) {
        self.post_register(address, value);
    }

    fn read(&mut self, address: u16) -> Result<u32, NodeError> {
        self.read_register(address)
    }
}
