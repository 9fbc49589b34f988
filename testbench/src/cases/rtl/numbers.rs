//! Numbers of a case, and those that its process gives the hardware.

use crate::cases::NotRun;
use crate::host::{Ct, Me};
use crate::portals::{CounterId, EntryId, MdId, MemoryDescriptor, Portal, PortalOptions, Rank};
use crate::tables::Shares;
use std::collections::BTreeMap;

/// Descriptors and portal entries of a context.
pub(super) const SHARE: u16 = 64;

/// What the process knows of its things, as a host library does.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Its rank.
    pub(super) rank: Rank,
    /// What a context has.
    shares: Shares,
    entries: BTreeMap<EntryId, Me>,
    counters: BTreeMap<CounterId, Ct>,
    /// What [`limits`](super::limits) needs.
    spare_counter: Option<Ct>,
    spare_entry: Option<Me>,
    pub(super) mds: BTreeMap<MdId, MemoryDescriptor>,
    pub(super) portals: BTreeMap<Portal, PortalOptions>,
}

/// The lowest number below `share` that is not taken.
fn lowest(share: u16, taken: impl Fn(u16) -> bool) -> Option<u16> {
    (0..share).find(|number| !taken(*number))
}

impl Numbers {
    /// Nothing yet, of what a context has.
    pub(super) fn new(rank: Rank, shares: Shares) -> Self {
        Self {
            rank,
            shares,
            entries: BTreeMap::new(),
            counters: BTreeMap::new(),
            spare_counter: None,
            spare_entry: None,
            mds: BTreeMap::new(),
            portals: BTreeMap::new(),
        }
    }

    /// Number of a counter, a new one if it has none. Errors: all are taken.
    pub(super) fn counter(&mut self, id: CounterId) -> Result<Ct, NotRun> {
        if let Some(ct) = self.counters.get(&id) {
            return Ok(*ct);
        }
        let taken = |number| self.taken_counter(number);
        let share = self.shares.counters;
        let many = || NotRun::unsupported("COUNTERS", format!("a context has {share}"));
        let ct = Ct(lowest(share, taken).ok_or_else(many)?);
        self.counters.insert(id, ct);
        Ok(ct)
    }

    /// A counter that the case does not know. Errors: all are taken.
    pub(super) fn spare_counter(&mut self) -> Result<Ct, NotRun> {
        let taken = |number| self.taken_counter(number);
        let share = self.shares.counters;
        let many = || NotRun::unsupported("COUNTERS", format!("a context has {share}"));
        let ct = Ct(lowest(share, taken).ok_or_else(many)?);
        self.spare_counter = Some(ct);
        Ok(ct)
    }

    fn taken_counter(&self, number: u16) -> bool {
        self.spare_counter == Some(Ct(number)) || self.counters.values().any(|ct| ct.0 == number)
    }

    pub(super) fn has_counter(&self, id: CounterId) -> bool {
        self.counters.contains_key(&id)
    }

    /// The counters and their numbers.
    pub(super) fn known_counters(&self) -> BTreeMap<CounterId, Ct> {
        self.counters.clone()
    }

    /// Forgets the counters that were not known then.
    pub(super) fn restore_counters(&mut self, known: BTreeMap<CounterId, Ct>) {
        self.counters = known;
    }

    /// Forgets a counter.
    pub(super) fn free_counter(&mut self, id: CounterId) {
        self.counters.remove(&id);
    }

    /// The counters.
    pub(super) fn counters(&self) -> impl Iterator<Item = (CounterId, Ct)> {
        self.counters.iter().map(|(id, ct)| (*id, *ct))
    }

    /// The last portal entry that the case has not.
    pub(super) fn spare_portal(&self) -> Option<Portal> {
        let mut all = (0..u32::from(SHARE)).rev().map(Portal);
        all.find(|portal| !self.portals.contains_key(portal))
    }

    /// Number of a match entry, if it has one.
    pub(super) fn known_entry(&self, id: EntryId) -> Option<Me> {
        self.entries.get(&id).copied()
    }

    /// Number of a match entry, one that nobody has if it has none. Errors: there is none.
    pub(super) fn entry_number(&mut self, id: EntryId) -> Result<Me, NotRun> {
        if let Some(me) = self.known_entry(id) {
            return Ok(me);
        }
        let me = self.free_entry()?;
        self.entries.insert(id, me);
        Ok(me)
    }

    /// The hardware has no more match entries.
    pub(super) fn too_many_entries(&self) -> NotRun {
        NotRun::unsupported("ENTRIES", format!("a context has {}", self.shares.entries))
    }

    fn free_entry(&self) -> Result<Me, NotRun> {
        let taken = |number| {
            self.spare_entry == Some(Me(number)) || self.entries.values().any(|me| me.0 == number)
        };
        let many = || self.too_many_entries();
        lowest(self.shares.entries, taken).map(Me).ok_or_else(many)
    }

    /// A match entry that the case does not know. Errors: all are taken.
    pub(super) fn spare_entry(&mut self) -> Result<Me, NotRun> {
        let me = self.free_entry()?;
        self.spare_entry = Some(me);
        Ok(me)
    }

    /// Forgets the entries that are not wanted any more.
    pub(super) fn forget_entries(
        &mut self,
        mut is_wanted: impl FnMut(Me) -> Result<bool, NotRun>,
    ) -> Result<(), NotRun> {
        for (id, me) in std::mem::take(&mut self.entries) {
            if is_wanted(me)? {
                self.entries.insert(id, me);
            }
        }
        Ok(())
    }
}
