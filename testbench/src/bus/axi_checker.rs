//! `AxiChecker`: the rules of an AXI4 port, watched on all five channels.
//!
//! The engines are two-state, so there is no rule about unknown values. Write data may come before their address, as
//! AXI allows; `early_data` counts how often. A response must come at least one cycle after what it answers.

use std::collections::{BTreeMap, VecDeque};

use xtq_engine::{Engine, Result};

use super::axi_pins::{
    ATOMIC_COMPARE, Address, BURST_INCR, BURST_WRAP, Channels, Handshakes, Reply, WriteData,
};
use super::{Model, Violation};
use crate::saved::saved;

/// Handshakes of each channel since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BeatCounts {
    /// Write addresses.
    pub aw: u64,
    /// Write data beats.
    pub w: u64,
    /// Write responses.
    pub b: u64,
    /// Read addresses.
    pub ar: u64,
    /// Read data beats.
    pub r: u64,
}

/// Watches an AXI4 port. Drives nothing.
#[derive(Clone, Debug)]
pub struct AxiChecker {
    prefix: String,
    channels: Channels,
    counts: BeatCounts,
    early_data: u64,
    /// Write bursts whose data are not complete, with the beats seen.
    open_writes: VecDeque<(Address, u64)>,
    /// Data that came before their address.
    open_data: VecDeque<WriteData>,
    /// Write bursts with all data and without a response, by id.
    unanswered: BTreeMap<u8, u64>,
    /// Beats still to come of each read, by id.
    reads: BTreeMap<u8, VecDeque<u64>>,
    /// Responses still to come of each atomic, by id.
    atomics: BTreeMap<u8, u32>,
}

saved!(AxiChecker {
    channels, counts, early_data, open_writes, open_data, unanswered, reads, atomics;
    keeps prefix
});

impl AxiChecker {
    /// Only INCR bursts (an atomic with its address in the upper half of its container: WRAP).
    pub const BURST: &'static str = "burst type is not INCR";
    /// A beat has at most 64 bytes.
    pub const SIZE: &'static str = "beat is wider than the data";
    /// No burst crosses a 4 KiB boundary.
    pub const BOUNDARY: &'static str = "burst crosses 4 KiB";
    /// The only atomic is an AtomicCompare of one 16-byte beat with an 8-byte aligned address.
    pub const ATOMIC: &'static str = "atomic is not an AtomicCompare of 16 bytes";
    /// While an atomic is outstanding no other transaction uses its id.
    pub const ATOMIC_ID: &'static str = "id of an atomic is in use";
    /// `wlast` comes with the last beat of the burst and no other.
    pub const WRITE_LAST: &'static str = "wlast disagrees with awlen";
    /// Strobes lie in the lanes of the beat; those of an atomic fill them.
    pub const STROBES: &'static str = "strobes do not fit the lanes of the beat";
    /// A write response answers a write of its id that has all its data.
    pub const WRITE_REPLY: &'static str = "B answers no finished write of its id";
    /// A read beat answers a read of its id.
    pub const READ_REPLY: &'static str = "R answers no read of its id";
    /// `rlast` comes with the last beat of the burst and no other.
    pub const READ_LAST: &'static str = "rlast disagrees with arlen";
    /// Without exclusive accesses there is no EXOKAY.
    pub const EXOKAY: &'static str = "EXOKAY without an exclusive access";
    /// At the end of a run every transaction is complete.
    pub const OUTSTANDING: &'static str = "a transaction is not complete at the end";

    /// A checker for the port with this prefix. Errors: a pin is missing or has a wrong width.
    pub fn new(engine: &dyn Engine, prefix: &str) -> Result<Self> {
        Ok(Self {
            prefix: prefix.into(),
            channels: Channels::find(engine, prefix)?,
            counts: BeatCounts::default(),
            early_data: 0,
            open_writes: VecDeque::new(),
            open_data: VecDeque::new(),
            unanswered: BTreeMap::new(),
            reads: BTreeMap::new(),
            atomics: BTreeMap::new(),
        })
    }

    /// Handshakes so far.
    pub fn counts(&self) -> BeatCounts {
        self.counts
    }

    /// Write data beats that came before their address.
    pub fn early_data(&self) -> u64 {
        self.early_data
    }

    /// Whether no transaction is outstanding.
    pub fn is_idle(&self) -> bool {
        self.open_writes.is_empty()
            && self.open_data.is_empty()
            && self.unanswered.is_empty()
            && self.reads.is_empty()
            && self.atomics.is_empty()
    }

    /// The rule for the end of a run. Errors: a transaction is outstanding.
    pub fn finish(&self, cycle: u64) -> std::result::Result<(), Violation> {
        if self.is_idle() {
            return Ok(());
        }
        let detail = format!(
            "writes without all data {}, data without address {}, writes without B by id {:?}, reads by id {:?}",
            self.open_writes.len(),
            self.open_data.len(),
            self.unanswered,
            self.reads.keys()
        );
        self.fail(cycle, "", Self::OUTSTANDING, detail)
    }

    pub(super) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// Checks this cycle and gives its handshakes. Errors: the first broken rule.
    pub fn observe(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<Handshakes, Violation> {
        let seen = self.channels.observe(engine, cycle)?;
        if let Some(reply) = &seen.b {
            self.counts.b += 1;
            self.write_reply(cycle, reply)?;
        }
        if let Some(reply) = &seen.r {
            self.counts.r += 1;
            self.read_reply(cycle, reply)?;
        }
        if let Some(address) = &seen.aw {
            self.counts.aw += 1;
            self.address(cycle, "aw", address)?;
            self.write_address(cycle, address)?;
        }
        if let Some(address) = &seen.ar {
            self.counts.ar += 1;
            self.address(cycle, "ar", address)?;
            self.read_address(cycle, address)?;
        }
        if let Some(data) = &seen.w {
            self.counts.w += 1;
            self.early_data += u64::from(self.open_writes.is_empty());
            self.open_data.push_back(data.clone());
        }
        self.match_data(cycle)?;
        Ok(seen)
    }

    fn fail<T>(
        &self,
        cycle: u64,
        channel: &str,
        rule: &'static str,
        detail: String,
    ) -> std::result::Result<T, Violation> {
        Err(Violation {
            cycle,
            channel: format!("{}{channel}", self.prefix),
            rule,
            detail,
        })
    }

    fn address(
        &self,
        cycle: u64,
        channel: &str,
        address: &Address,
    ) -> std::result::Result<(), Violation> {
        let upper_half = address.atop != 0 && address.address & 8 != 0;
        let burst = if upper_half { BURST_WRAP } else { BURST_INCR };
        let (first, last) = address.span();
        let atomic_fits = address.atop == ATOMIC_COMPARE
            && (address.size, address.len) == (4, 0)
            && address.address.is_multiple_of(8);
        let rule = if address.size > 6 {
            Self::SIZE
        } else if address.atop != 0 && !atomic_fits {
            Self::ATOMIC
        } else if address.burst != burst {
            Self::BURST
        } else if first / 4096 != last / 4096 {
            Self::BOUNDARY
        } else if self.atomics.contains_key(&address.id) {
            Self::ATOMIC_ID
        } else {
            return Ok(());
        };
        self.fail(cycle, channel, rule, format!("{address:x?}"))
    }

    fn write_address(
        &mut self,
        cycle: u64,
        address: &Address,
    ) -> std::result::Result<(), Violation> {
        self.open_writes.push_back((*address, 0));
        if address.atop == 0 {
            return Ok(());
        }
        let id = address.id;
        let writing = self
            .open_writes
            .iter()
            .filter(|(open, _)| open.id == id)
            .count()
            > 1;
        if writing || self.unanswered.contains_key(&id) || self.reads.contains_key(&id) {
            return self.fail(cycle, "aw", Self::ATOMIC_ID, format!("{address:x?}"));
        }
        self.atomics.insert(id, 2);
        Ok(())
    }

    fn read_address(
        &mut self,
        cycle: u64,
        address: &Address,
    ) -> std::result::Result<(), Violation> {
        if address.atop != 0 {
            return self.fail(cycle, "ar", Self::ATOMIC, format!("{address:x?}"));
        }
        let beats = self.reads.entry(address.id).or_default();
        beats.push_back(address.beats());
        Ok(())
    }

    /// Gives the write data seen to the write addresses seen, in order.
    fn match_data(&mut self, cycle: u64) -> std::result::Result<(), Violation> {
        while let Some((address, beat)) = self.open_writes.front().copied() {
            let Some(data) = self.open_data.pop_front() else {
                return Ok(());
            };
            let lanes = address.lanes(beat);
            let strobes_fit =
                data.strobes & !lanes == 0 && (address.atop == 0 || data.strobes == lanes);
            if !strobes_fit {
                let detail = format!(
                    "strobes {:016x}, lanes {lanes:016x}, beat {beat} of {address:x?}",
                    data.strobes
                );
                return self.fail(cycle, "w", Self::STROBES, detail);
            }
            let is_last = beat + 1 == address.beats();
            if data.last != is_last {
                let detail = format!("wlast {} at beat {beat} of {address:x?}", data.last);
                return self.fail(cycle, "w", Self::WRITE_LAST, detail);
            }
            self.open_writes.pop_front();
            if !is_last {
                self.open_writes.push_front((address, beat + 1));
                continue;
            }
            *self.unanswered.entry(address.id).or_default() += 1;
            if address.atop != 0 {
                self.reads.entry(address.id).or_default().push_back(1);
            }
        }
        Ok(())
    }

    fn write_reply(&mut self, cycle: u64, reply: &Reply) -> std::result::Result<(), Violation> {
        if reply.resp == 1 {
            return self.fail(cycle, "b", Self::EXOKAY, format!("{reply:?}"));
        }
        let Some(count) = self.unanswered.get_mut(&reply.id) else {
            return self.fail(cycle, "b", Self::WRITE_REPLY, format!("{reply:?}"));
        };
        *count -= 1;
        if *count == 0 {
            self.unanswered.remove(&reply.id);
        }
        self.atomic_reply(reply.id);
        Ok(())
    }

    fn read_reply(&mut self, cycle: u64, reply: &Reply) -> std::result::Result<(), Violation> {
        if reply.resp == 1 {
            return self.fail(cycle, "r", Self::EXOKAY, format!("{reply:?}"));
        }
        let Some(beats) = self.reads.get_mut(&reply.id).and_then(VecDeque::front_mut) else {
            return self.fail(cycle, "r", Self::READ_REPLY, format!("{reply:?}"));
        };
        *beats -= 1;
        let beats = *beats;
        if reply.last != (beats == 0) {
            return self.fail(
                cycle,
                "r",
                Self::READ_LAST,
                format!("{reply:?}, {beats} beats still to come"),
            );
        }
        if beats == 0 {
            if let Some(queue) = self.reads.get_mut(&reply.id) {
                queue.pop_front();
            }
            self.reads.retain(|_, queue| !queue.is_empty());
            self.atomic_reply(reply.id);
        }
        Ok(())
    }

    fn atomic_reply(&mut self, id: u8) {
        if let Some(replies) = self.atomics.get_mut(&id) {
            *replies -= 1;
            if *replies == 0 {
                self.atomics.remove(&id);
            }
        }
    }
}

impl Model for AxiChecker {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.observe(engine, cycle).map(|_| ())
    }
}
