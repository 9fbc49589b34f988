//! Appending, searching, unlinking, and the unexpected headers that they find (rules 3 of `docs/portals-model.md`).

use super::codes::MeOption;
use super::command::Refusal;
use super::event::{Detail, Event};
use super::ids::{EntryId, Portal};
use super::message::RequestKind;
use super::node::Node;
use super::objects::{Entry, Header, MatchEntry};
use super::target::target_detail;
use crate::tables::{EventKind, List, NiFail, Search};

impl Node {
    /// PtlMEAppend. An append to the priority list first takes the unexpected headers that match, oldest first, without
    /// a look at permissions: one if it is USE_ONCE, which is then never linked, else all.
    pub(super) fn append(
        &mut self,
        id: EntryId,
        portal: Portal,
        list: List,
        me: MatchEntry,
    ) -> Result<(), Refusal> {
        let Some(entry) = self.portals.get(&portal) else {
            return Err(Refusal::ArgInvalid);
        };
        let length = match list {
            List::Priority => entry.priority.len(),
            List::Overflow => entry.overflow.len(),
        };
        if length as u64 >= self.limits.max_list_size {
            return Err(Refusal::NoSpace);
        }
        let matching = entry.options.matching;
        let mut entry = Entry {
            me: if matching { me } else { me.into_list_entry() },
            portal,
            list,
            local_offset: 0,
            linked: true,
        };
        if list == List::Priority && self.take_headers(&mut entry) {
            self.auto_unlinked(&entry);
            return Ok(());
        }
        if let Some(portal) = self.portals.get_mut(&portal) {
            match list {
                List::Priority => portal.priority.push(id),
                List::Overflow => portal.overflow.push(id),
            }
        }
        if !entry.me.options.has(MeOption::LinkDisable) {
            self.entry_event(&entry, EventKind::Link, NiFail::Ok, Detail::None);
        }
        self.entries.insert(id, entry);
        Ok(())
    }

    /// Takes unexpected headers for an entry that is being appended; whether that used it up.
    fn take_headers(&mut self, entry: &mut Entry) -> bool {
        while let Some(header) = self.take_header(entry) {
            self.overflow_event(entry, &header);
            self.free_if_drained(header.entry);
            if entry.me.options.has(MeOption::UseOnce) {
                return true;
            }
            // API 4.3; plain MANAGE_LOCAL does not move.
            if entry.me.options.has(MeOption::LocalIncUhRlength) {
                entry.local_offset = entry.local_offset.saturating_add(header.request.rlength);
                if entry.me.is_full(entry.local_offset) {
                    return true;
                }
            }
        }
        false
    }

    /// Removes the oldest header that matches.
    fn take_header(&mut self, entry: &Entry) -> Option<Header> {
        let portal = self.portals.get_mut(&entry.portal)?;
        let place = portal.unexpected.iter().position(|header| {
            !portal.options.matching || entry.me.takes(entry.local_offset, &header.request)
        })?;
        Some(portal.unexpected.remove(place))
    }

    /// An unexpected message was taken: event (with the taker's user pointer and the address in the overflow buffer),
    /// count. The count needs neither the event nor an event queue; the reference's does.
    fn overflow_event(&mut self, entry: &Entry, header: &Header) {
        if !entry.me.options.has(MeOption::OverDisable) {
            let kind = overflow_kind(header.request.kind);
            self.header_event(entry, header, kind, header.ni_fail);
        }
        self.count_header(entry, header);
    }

    /// An event about a header.
    fn header_event(&mut self, entry: &Entry, header: &Header, kind: EventKind, ni_fail: NiFail) {
        let detail = target_detail(
            &header.request,
            header.start,
            header.mlength,
            List::Overflow,
        );
        self.entry_event(entry, kind, ni_fail, Detail::Target(detail));
    }

    fn count_header(&mut self, entry: &Entry, header: &Header) {
        if entry.me.options.has(MeOption::CtOverflow) {
            let bytes = entry.me.options.has(MeOption::CtBytes);
            let amount = if bytes { header.mlength } else { 1 };
            self.count(entry.me.counter, header.ni_fail, amount);
        }
    }

    /// PtlMESearch: one hit if USE_ONCE, else all; one SEARCH with NO_MATCH if there is none. API 4.3: with CT_OVERFLOW
    /// hits count, and a failure marks the end of a persistent search, or that nothing was found.
    pub(super) fn search(&mut self, portal: Portal, kind: Search, me: &MatchEntry) {
        let Some(at) = self.portals.get(&portal) else {
            return;
        };
        let matching = at.options.matching;
        let me = if matching {
            me.clone()
        } else {
            me.clone().into_list_entry()
        };
        let once = me.options.has(MeOption::UseOnce);
        let tells = !me.options.has(MeOption::CommDisable);
        let entry = Entry {
            me,
            portal,
            list: List::Priority,
            local_offset: 0,
            linked: false,
        };
        let mut hits = 0;
        match kind {
            Search::Only => {
                let matches = |header: &&Header| !matching || entry.me.takes(0, &header.request);
                let mut found: Vec<Header> =
                    at.unexpected.iter().filter(matches).cloned().collect();
                found.truncate(if once { 1 } else { found.len() });
                for header in &found {
                    if tells {
                        self.header_event(&entry, header, EventKind::Search, NiFail::Ok);
                    }
                    self.count_header(&entry, header);
                }
                hits = found.len();
            }
            Search::Delete => {
                while let Some(header) = self.take_header(&entry) {
                    self.overflow_event(&entry, &header);
                    self.free_if_drained(header.entry);
                    hits += 1;
                    if once {
                        break;
                    }
                }
            }
        }
        if hits == 0 && tells {
            self.entry_event(&entry, EventKind::Search, NiFail::NoMatch, Detail::None);
        }
        if (hits == 0 || !once) && entry.me.options.has(MeOption::CtOverflow) {
            self.count(entry.me.counter, NiFail::NoMatch, 0);
        }
    }

    /// PtlMEUnlink: no event. Refused while unexpected headers need the entry; one that is not there is none (rules 9
    /// of `docs/portals-model.md`).
    pub(super) fn unlink(&mut self, id: EntryId) -> Result<(), Refusal> {
        if self.has_headers(id) {
            return Err(Refusal::InUse);
        }
        self.remove_from_list(id);
        self.entries.remove(&id);
        Ok(())
    }

    pub(super) fn remove_from_list(&mut self, id: EntryId) {
        let portal = self.entries.get(&id).map(|entry| entry.portal);
        if let Some(portal) = portal.and_then(|portal| self.portals.get_mut(&portal)) {
            portal.priority.retain(|linked| *linked != id);
            portal.overflow.retain(|linked| *linked != id);
        }
    }

    /// AUTO_UNLINK, unless it is not wanted.
    pub(super) fn auto_unlinked(&mut self, entry: &Entry) {
        if !entry.me.options.has(MeOption::UnlinkDisable) {
            self.entry_event(entry, EventKind::AutoUnlink, NiFail::Ok, Detail::None);
        }
    }

    /// Forgets an entry that was unlinked automatically, once no header needs it; of an overflow entry AUTO_FREE
    /// reports.
    pub(super) fn free_if_drained(&mut self, id: EntryId) {
        let gone = |entry: &&Entry| !entry.linked;
        if self.has_headers(id) || self.entries.get(&id).filter(gone).is_none() {
            return;
        }
        if let Some(entry) = self.entries.remove(&id)
            && entry.list == List::Overflow
            && !entry.me.options.has(MeOption::UnlinkDisable)
        {
            self.entry_event(&entry, EventKind::AutoFree, NiFail::Ok, Detail::None);
        }
    }

    /// Whether unexpected messages in an entry's buffer have not been taken.
    fn has_headers(&self, id: EntryId) -> bool {
        let mut headers = self.portals.values().flat_map(|portal| &portal.unexpected);
        headers.any(|header| header.entry == id)
    }

    /// An event about an entry, if its portal has a queue.
    pub(super) fn entry_event(
        &mut self,
        entry: &Entry,
        kind: EventKind,
        ni_fail: NiFail,
        detail: Detail,
    ) {
        let queue = self
            .portals
            .get(&entry.portal)
            .and_then(|portal| portal.options.queue);
        let event = Event {
            kind,
            portal: Some(entry.portal),
            user_ptr: Some(entry.me.user_ptr),
            ni_fail,
            detail,
        };
        self.emit(queue, event);
    }
}

/// The event of an unexpected message that is taken.
fn overflow_kind(kind: RequestKind) -> EventKind {
    match kind {
        RequestKind::Put | RequestKind::XtqPut { .. } => EventKind::PutOverflow,
        RequestKind::Get => EventKind::GetOverflow,
        RequestKind::Atomic(_) => EventKind::AtomicOverflow,
        RequestKind::Fetch(_) | RequestKind::Swap(_) => EventKind::FetchAtomicOverflow,
    }
}
