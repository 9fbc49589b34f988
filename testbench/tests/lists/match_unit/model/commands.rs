//! What commands do to lists and portal entries.

use xtq_types::matching::{match_code, match_op, me_option, portal_option};

use super::super::words::{Command, Response};
use super::keys::needs_lists;
use super::{Entry, Header, Model, Portal, Rules};

/// What a partitioned matcher refuses.
fn concerns_several_parts(command: &Command) -> bool {
    let has = |option| command.options & option != 0;
    match command.op {
        match_op::ME_APPEND if command.list == 1 => {
            has(me_option::USE_ONCE) || has(me_option::MANAGE_LOCAL)
        }
        match_op::ME_APPEND | match_op::ME_SEARCH_ONLY | match_op::ME_SEARCH_DELETE => {
            command.any_node
        }
        match_op::PT_ALLOC => has(portal_option::FLOW_CONTROL) || !has(portal_option::MATCHING),
        _ => false,
    }
}

impl Model {
    pub(super) fn execute(&mut self, command: &Command, responses: &mut Vec<Response>) -> u8 {
        let at = Self::portal_at(command.portal, command.context);
        let refused = match self.rules {
            Rules::Lists => false,
            Rules::Parts => concerns_several_parts(command),
            Rules::Keys(_) => needs_lists(command),
        };
        if refused {
            return match_code::BAD_COMMAND;
        }
        match command.op {
            match_op::ME_UNLINK => return self.unlink(command),
            op if op > match_op::PT_DISABLE => return match_code::BAD_COMMAND,
            _ => {}
        }
        let Some(at) = at else {
            return match_code::BAD_PORTAL;
        };
        if command.op == match_op::PT_ALLOC {
            if self.portals[at].is_some() {
                return match_code::PORTAL_IN_USE;
            }
            self.portals[at] = Some(Portal {
                enabled: command.options & portal_option::DISABLED == 0,
                flow_control: command.options & portal_option::FLOW_CONTROL != 0,
                matching: command.options & portal_option::MATCHING != 0,
                lists: Default::default(),
                headers: Vec::new(),
            });
            self.region(command, true);
            return match_code::OK;
        }
        let Some(portal) = &mut self.portals[at] else {
            return match_code::BAD_PORTAL;
        };
        match command.op {
            match_op::PT_ENABLE => portal.enabled = true,
            match_op::PT_DISABLE => portal.enabled = false,
            match_op::PT_FREE => {
                if !portal.headers.is_empty() || portal.lists.iter().any(|list| !list.is_empty()) {
                    return match_code::PORTAL_IN_USE;
                }
                self.portals[at] = None;
                self.region(command, false);
            }
            match_op::ME_APPEND => return self.append(at, command, responses),
            _ => return self.search(at, command, responses),
        }
        match_code::OK
    }

    /// The entry of a command, as its portal entry takes it.
    fn entry(&self, at: usize, command: &Command) -> Entry {
        let mut me = command.clone();
        if !self.portals[at].as_ref().unwrap().matching {
            me.options &= !(me_option::MANAGE_LOCAL
                | me_option::NO_TRUNCATE
                | me_option::LOCAL_INC_UH_RLENGTH);
        }
        Entry {
            me,
            offset: 0,
            linked: true,
        }
    }

    fn append(&mut self, at: usize, command: &Command, responses: &mut Vec<Response>) -> u8 {
        let Some(id) = self.entry_at(command.id, command.context) else {
            return match_code::NO_SPACE;
        };
        if self.entries[id].is_some() {
            return match_code::ID_BUSY;
        }
        let mut entry = self.entry(at, command);
        if command.list == 0 {
            while let Some(header) = self.take(at, &entry, command) {
                self.tell(&entry, &header, responses);
                self.free_if_drained(header.entry, command, responses);
                if entry.has(me_option::USE_ONCE) {
                    return match_code::CONSUMED;
                }
                if entry.has(me_option::LOCAL_INC_UH_RLENGTH) && entry.has(me_option::MANAGE_LOCAL)
                {
                    entry.offset = entry.offset.saturating_add(header.request.length);
                    if entry.is_full(entry.offset) {
                        return match_code::CONSUMED;
                    }
                }
            }
        }
        if command.list == 0 && !self.entry_waits(id, command) {
            return match_code::NO_SPACE;
        }
        self.entries[id] = Some(entry);
        let portal = self.portals[at].as_mut().unwrap();
        portal.lists[usize::from(command.list)].push(id);
        match_code::LINKED
    }

    fn search(&mut self, at: usize, command: &Command, responses: &mut Vec<Response>) -> u8 {
        let entry = self.entry(at, command);
        let once = entry.has(me_option::USE_ONCE);
        let mut found = 0;
        if command.op == match_op::ME_SEARCH_ONLY {
            let portal = self.portals[at].as_ref().unwrap();
            let matching = portal
                .headers
                .iter()
                .filter(|header| portal.matches(&entry, &header.request, true));
            for header in matching.take(if once { 1 } else { usize::MAX }) {
                self.tell(&entry, header, responses);
                found += 1;
            }
        } else {
            while let Some(header) = self.take(at, &entry, command) {
                self.tell(&entry, &header, responses);
                self.free_if_drained(header.entry, command, responses);
                found += 1;
                if once {
                    break;
                }
            }
        }
        match found {
            0 => match_code::NOT_FOUND,
            _ => match_code::FOUND,
        }
    }

    /// Removes the oldest header that matches.
    fn take(&mut self, at: usize, entry: &Entry, command: &Command) -> Option<Header> {
        let portal = self.portals[at].as_mut().unwrap();
        let mut headers = portal.headers.iter();
        let place = headers.position(|header| portal.matches(entry, &header.request, true))?;
        let header = portal.headers.remove(place);
        let part = self.part(header.request.node);
        self.free_headers[command.context as usize][part] += 1;
        self.header_goes(header.serial, &header.request);
        Some(header)
    }

    fn tell(&self, entry: &Entry, header: &Header, responses: &mut Vec<Response>) {
        let (me, request) = (&entry.me, &header.request);
        let buffer = self.entries[header.entry].as_ref().unwrap();
        responses.push(Response::Hit(vec![
            header.serial,
            me.handle,
            me.context,
            me.portal,
            (header.entry % self.share) as u64,
            me.options.into(),
            me.counter,
            me.user_ptr,
            buffer.me.start,
            header.offset,
            header.mlength,
            request.kind.into(),
            request.node,
            request.source_context,
            request.user,
            request.bits,
            request.length,
            request.offset,
            request.header_data,
        ]));
    }

    fn free_if_drained(&mut self, id: usize, command: &Command, responses: &mut Vec<Response>) {
        let entry = self.entries[id].as_ref().unwrap();
        if entry.linked || self.needed(id) > 0 {
            return;
        }
        let me = &entry.me;
        responses.push(Response::AutoFree(
            command.handle,
            (id % self.share) as u64,
            me.options.into(),
            me.counter,
            me.user_ptr,
            me.start,
        ));
        self.entries[id] = None;
    }

    fn unlink(&mut self, command: &Command) -> u8 {
        let id = self.entry_at(command.id, command.context);
        let Some((id, entry)) = id.and_then(|id| Some((id, self.entries[id].as_ref()?))) else {
            return match_code::NOT_LINKED;
        };
        if self.needed(id) > 0 {
            return match_code::IN_USE;
        }
        let me = entry.me.clone();
        let at = Self::portal_at(me.portal, command.context).unwrap();
        let list = usize::from(me.list);
        if list == 0 {
            self.entry_leaves(id, &me);
        }
        self.portals[at].as_mut().unwrap().lists[list].retain(|other| *other != id);
        self.entries[id] = None;
        match_code::UNLINKED
    }

    /// No entry of a priority list matches an unexpected header of its portal entry, unless the header came first and
    /// was not wanted: true while every portal entry's priority entries were appended to it by `append`, and entries
    /// that keep the offset are left aside.
    pub fn check_invariant(&self) {
        for portal in self.portals.iter().flatten() {
            for &id in &portal.lists[0] {
                let entry = self.entries[id].as_ref().unwrap();
                for header in &portal.headers {
                    let local = entry.has(me_option::MANAGE_LOCAL);
                    assert!(
                        local || !portal.matches(entry, &header.request, true),
                        "priority entry {id} matches an unexpected header"
                    );
                }
            }
        }
    }
}
