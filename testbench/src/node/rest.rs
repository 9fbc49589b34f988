//! When a node does nothing by itself, and the digest of what it does.
//!
//! **Rest.** A cycle may be left out if it would change nothing: the engine slept in the cycle before (a still state,
//! and inputs that stay), no model is about to drive another value, no byte became visible, no GPU did anything. What
//! a node at rest waits for has a cycle ([`next_event`](Node::next_event)), or comes from outside. A node that draws a
//! pause in each cycle never rests, nor does one of which the inputs are recorded, or one on an engine that does not
//! sleep. These are called [quiet](Node::is_quiet) when nothing was busy for as long as the pipeline is; their cycles
//! are run all the same.

use super::config::NodeError;
use super::digest::{Digest, words};
use super::harness::Node;
use crate::bus::{LiteResult, WatchedWrite};
use crate::network::Class;
use crate::tables::format::BYTES;

/// Kinds of events in a digest.
mod kind {
    pub(super) const SENT: u64 = 1;
    pub(super) const TAKEN: u64 = 2;
    pub(super) const WRITTEN: u64 = 3;
    pub(super) const ANSWERED: u64 = 4;
    pub(super) const STEP: u64 = 5;
    pub(super) const SENT_INSIDE: u64 = 6;
    pub(super) const TAKEN_INSIDE: u64 = 7;
}

impl Node {
    /// Adds what happened in `cycle`, which has just run, to the digest.
    pub(super) fn note(&mut self, cycle: u64) {
        let digest: &mut Digest = &mut self.digest;
        for (class, beat) in Class::ALL.into_iter().zip(self.streams.sent_now()) {
            if let Some(beat) = beat {
                let marks = [u64::from(beat.last), class.index() as u64];
                digest.note(cycle, kind::SENT, words(&beat.bytes).chain(marks));
            }
        }
        for class in self.streams.taken_now() {
            digest.note(cycle, kind::TAKEN, [class.index() as u64]);
        }
        let (sent, taken) = (self.inside.sent_now(), self.inside.taken_now());
        for class in Class::ALL {
            if let Some(beat) = sent[class.index()] {
                let marks = [u64::from(beat.last), class.index() as u64];
                digest.note(cycle, kind::SENT_INSIDE, words(&beat.bytes).chain(marks));
            }
            if taken[class.index()].is_some() {
                digest.note(cycle, kind::TAKEN_INSIDE, [class.index() as u64]);
            }
        }
        for write in self.memory.answered() {
            let place = [u64::from(write.context), write.line, write.strobes];
            let place = place.into_iter().chain([u64::from(write.resp)]);
            digest.note(cycle, kind::WRITTEN, place.chain(words(&write.data)));
        }
        for result in self.registers.answered_in(cycle) {
            let LiteResult { address, data, .. } = *result;
            let access = [u64::from(address), u64::from(data), u64::from(result.resp)];
            digest.note(cycle, kind::ANSWERED, access);
        }
    }

    /// Adds a step of a host program to the digest: where it is now.
    pub fn note_step(&mut self, cycle: u64, place: [u64; 3]) {
        self.digest.note(cycle, kind::STEP, place);
    }

    /// Takes note of whether the cycle that has just run did anything; `acted`: memory or GPU did.
    pub(super) fn note_rest(&mut self, acted: bool) {
        let slept = self.engine.slept();
        self.rest.still = slept > self.rest.slept && !acted;
        self.rest.slept = slept;
        // What has just come is not decided about for some cycles, in which nothing says that it is there.
        let busy = acted || self.moved() || self.busy().is_some();
        self.rest.quiet = if busy { 0 } else { self.rest.quiet + 1 };
    }

    /// Whether a beat came or left in the cycle that has just run.
    fn moved(&self) -> bool {
        let streams = self.streams.sent_now().iter().any(Option::is_some)
            || self.streams.taken_now().next().is_some();
        let inside = [self.inside.sent_now(), self.inside.taken_now()];
        streams || inside.iter().flatten().any(Option::is_some)
    }

    /// Something outside has changed what it sees: the next cycle runs.
    pub(super) fn wake(&mut self) {
        (self.rest.still, self.rest.quiet) = (false, 0);
    }

    /// First cycle, from `now` on, in which something may happen in it although nothing reaches it; `u64::MAX`: never.
    pub fn next_event(&self, now: u64) -> u64 {
        let rests = self.rest.still && !self.rest.pauses && self.registers.is_done();
        if !rests || self.tape.is_some() {
            return now;
        }
        let gpus = self.gpus.iter().map(|gpu| gpu.next_event(now));
        let models = [self.memory.next_event(now), self.streams.next_event(now)];
        gpus.chain(models).min().unwrap_or(u64::MAX)
    }

    /// Whether it was not [busy](Self::busy) for so long that nothing will happen any more if nothing reaches it.
    pub fn is_quiet(&self) -> bool {
        self.rest.quiet > self.quiet_cycles()
    }

    /// Its clock goes on to `cycle`, before which nothing happens in it. Errors: of the engine.
    pub fn pass(&mut self, cycle: u64) -> Result<(), NodeError> {
        let cycles = cycle.saturating_sub(self.engine.cycle());
        self.engine.pass(cycles)?;
        self.rest.slept = self.engine.slept();
        Ok(())
    }

    /// Counts from now on the events that become visible in the ring of a context: `places` at `base`.
    pub fn watch_events(&mut self, context: u8, base: u64, places: u32) {
        let bytes = (u64::from(places) * BYTES as u64).max(1);
        let ring = base..=base.wrapping_add(bytes - 1);
        self.memory.watch(context, ring.clone());
        self.event_rings.insert(context, (ring, 0));
    }

    /// Events that became visible in the ring of a context since it is [watched](Self::watch_events).
    pub fn events_visible(&self, context: u8) -> u64 {
        self.event_rings
            .get(&context)
            .map_or(0, |(_, count)| *count)
    }

    pub(super) fn note_event(&mut self, write: &WatchedWrite) {
        if let Some((ring, count)) = self.event_rings.get_mut(&write.context)
            && ring.contains(&write.address)
        {
            *count += 1;
        }
    }
}
