//! The match unit as a program: lists are vectors, and each rule is a line.

mod commands;
mod keys;

use xtq_types::matching::{me_option, outcome, request_kind};

use xtq_testbench::node::PortalLists;

use super::words::{Command, EntryPart, Outcome, Request, Response};
use crate::hash_match::model::Model as Table;

#[derive(Clone, Debug)]
struct Entry {
    /// As given, but without the options that a portal entry that does not match takes away.
    me: Command,
    /// Where the next message lands, if the entry keeps the offset.
    offset: u64,
    linked: bool,
}

impl Entry {
    fn has(&self, option: u32) -> bool {
        self.me.options & option != 0
    }

    /// Bytes after an offset.
    fn room(&self, offset: u64) -> u64 {
        self.me.length.saturating_sub(offset)
    }

    /// Whether it is to be unlinked when this is the offset.
    fn is_full(&self, offset: u64) -> bool {
        self.has(me_option::MANAGE_LOCAL)
            && self.me.min_free != 0
            && self.room(offset) < self.me.min_free
    }

    /// Offset at which a message lands; an XTQ put is rounded up to 64 (mathematically, so beyond 64 bits).
    fn lands_at(&self, request: &Request) -> u128 {
        if !self.has(me_option::MANAGE_LOCAL) {
            return request.offset.into();
        }
        match request.kind {
            request_kind::XTQ_PUT => u128::from(self.offset).next_multiple_of(64),
            _ => self.offset.into(),
        }
    }

    fn keeps_header(&self) -> bool {
        self.me.list == 1 && !self.has(me_option::UNEXPECTED_HDR_DISABLE)
    }
}

#[derive(Clone, Debug)]
struct Header {
    /// How many came before it.
    serial: u64,
    request: Request,
    offset: u64,
    mlength: u64,
    entry: usize,
}

#[derive(Clone, Debug)]
struct Portal {
    enabled: bool,
    flow_control: bool,
    matching: bool,
    lists: [Vec<usize>; 2],
    headers: Vec<Header>,
}

impl Portal {
    /// The match test. `header`: the message is an unexpected header, of which only the requested length counts.
    fn matches(&self, entry: &Entry, request: &Request, header: bool) -> bool {
        let me = &entry.me;
        if !self.matching {
            return true;
        }
        let source = (me.any_node || me.node == request.node)
            && (me.any_context || me.source_context == request.source_context);
        let offset = match header && entry.has(me_option::MANAGE_LOCAL) {
            true => entry.offset.into(),
            false => entry.lands_at(request),
        };
        let fits = !entry.has(me_option::NO_TRUNCATE)
            || offset + u128::from(request.length) <= u128::from(me.length);
        source && fits && (me.bits ^ request.bits) & !me.ignore == 0
    }
}

/// The status counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    pub drop: u64,
    pub permission: u64,
    pub operation: u64,
}

/// Whose rules the model has.
#[derive(Clone, Debug)]
pub enum Rules {
    /// Those of a match unit.
    Lists,
    /// Senders are shared out among four parts, and what could concern several is refused.
    Parts,
    /// Priority entries have no wildcards, and a table of keys has a place for them and for the headers.
    Keys(Table),
}

/// The model.
#[derive(Clone, Debug)]
pub struct Model {
    /// 64 for each context.
    portals: Vec<Option<Portal>>,
    /// A share for each context.
    entries: Vec<Option<Entry>>,
    share: usize,
    /// Of each context, and of each part of the senders.
    free_headers: [[usize; 4]; 4],
    rules: Rules,
    /// Headers that were kept so far.
    kept: u64,
    pub status: [Status; 4],
}

impl Model {
    /// With parts each has so many headers.
    pub fn new(entries: usize, headers: usize, rules: Rules) -> Self {
        Self {
            portals: vec![None; 4 * 64],
            entries: vec![None; entries],
            share: entries / 4,
            free_headers: [[headers / 4; 4]; 4],
            rules,
            kept: 0,
            status: Default::default(),
        }
    }

    /// The part of a node; 0 if there are none.
    pub fn part(&self, node: u64) -> usize {
        let pairs = (0..8).map(|pair| node as usize >> (2 * pair) & 3);
        match self.rules {
            Rules::Parts => pairs.fold(0, |part, pair| part ^ pair),
            _ => 0,
        }
    }

    /// Place of a portal entry.
    fn portal_at(portal: u64, context: u64) -> Option<usize> {
        (portal < 64).then_some((context * 64 + portal) as usize)
    }

    /// Place of an entry.
    fn entry_at(&self, id: u64, context: u64) -> Option<usize> {
        let id = usize::try_from(id).ok().filter(|id| *id < self.share)?;
        Some(context as usize * self.share + id)
    }

    /// What a portal entry has.
    pub fn lists(&self, context: u64, portal: u64) -> PortalLists {
        let at = Self::portal_at(portal, context);
        let Some(portal) = at.and_then(|at| self.portals[at].as_ref()) else {
            return PortalLists::default();
        };
        let pointers = |list: usize| {
            let entries = portal.lists[list].iter();
            let entries = entries.map(|id| self.entries[*id].as_ref().unwrap().me.user_ptr);
            entries.collect()
        };
        PortalLists {
            allocated: true,
            enabled: portal.enabled,
            priority: pointers(0),
            overflow: pointers(1),
            unexpected: portal.headers.len(),
        }
    }

    /// Whether an entry exists, linked or not.
    pub fn has_entry(&self, context: u64, id: u64) -> bool {
        let at = self.entry_at(id, context);
        at.is_some_and(|at| self.entries[at].is_some())
    }

    /// Enabled portal entries with flow control of each context.
    pub fn flow_portals(&self) -> [usize; 4] {
        let open = |portal: &&Portal| portal.enabled && portal.flow_control;
        std::array::from_fn(|context| {
            let own = &self.portals[context * 64..][..64];
            own.iter().flatten().filter(open).count()
        })
    }

    /// What becomes of a request.
    pub fn request(&mut self, request: &Request) -> Outcome {
        let mut told = Outcome {
            handle: request.handle,
            outcome: outcome::MATCHED,
            context: request.context,
            portal: request.portal & 63,
            portal_disabled: false,
            entry: None,
            landing: None,
            auto_unlink: false,
            auto_free: false,
            unexpected: false,
            crowded: false,
        };
        self.decide(request, &mut told);
        let status = &mut self.status[request.context as usize];
        match told.outcome {
            outcome::MATCHED => {}
            outcome::PERM_VIOLATION => status.permission += 1,
            outcome::OP_VIOLATION => status.operation += 1,
            _ => status.drop += 1,
        }
        told
    }

    fn decide(&mut self, request: &Request, told: &mut Outcome) {
        // 1.
        let context = request.context as usize;
        let at = Self::portal_at(request.portal, request.context);
        let Some((at, portal)) = at.and_then(|at| Some((at, self.portals[at].clone()?))) else {
            told.outcome = outcome::NO_PORTAL;
            return;
        };
        if !portal.enabled {
            told.outcome = outcome::PT_DISABLED;
            return;
        }
        let keyed = matches!(self.rules, Rules::Keys(_));
        if keyed && keys::reads(request) {
            told.outcome = outcome::OP_VIOLATION;
            return;
        }
        // 2.
        let mut candidates = portal.lists.iter().flatten();
        let found = candidates.find(|id| {
            let entry = self.entries[**id].as_ref().unwrap();
            portal.matches(entry, request, false)
        });
        // 3.
        let Some(&id) = found else {
            self.exhausted(at, told);
            return;
        };
        let mut entry = self.entries[id].clone().unwrap();
        told.entry = Some(EntryPart {
            id: (id % self.share) as u64,
            list: entry.me.list.into(),
            options: entry.me.options.into(),
            counter: entry.me.counter,
            user_ptr: entry.me.user_ptr,
            start: entry.me.start,
        });
        // 4.
        if !entry.me.any_user && entry.me.user != request.user {
            told.outcome = outcome::PERM_VIOLATION;
            return;
        }
        let (carries, wants) = match request.kind {
            request_kind::GET => (false, true),
            request_kind::FETCH | request_kind::SWAP => (true, true),
            _ => (true, false),
        };
        let whole = ![request_kind::PUT, request_kind::GET].contains(&request.kind);
        if carries && !entry.has(me_option::OP_PUT)
            || wants && !entry.has(me_option::OP_GET)
            || whole && entry.has(me_option::IOVEC)
        {
            told.outcome = outcome::OP_VIOLATION;
            return;
        }
        // 5.
        let may_unlink = entry.has(me_option::USE_ONCE)
            || entry.has(me_option::MANAGE_LOCAL) && entry.me.min_free != 0;
        let comm_events = u64::from(!entry.has(me_option::COMM_DISABLE));
        let unlink_events = match may_unlink && !entry.has(me_option::UNLINK_DISABLE) {
            false => 0,
            true if entry.me.list == 1 && !entry.keeps_header() => 2,
            true => 1,
        };
        let no_events = portal.flow_control && request.event_room < comm_events + unlink_events;
        let no_header =
            entry.keeps_header() && self.free_headers[context][self.part(request.node)] == 0;
        // An exact matcher looks for a place for the header when the message has its room.
        if no_header && !keyed || no_events || request.crowded {
            told.crowded = request.crowded && !portal.flow_control;
            self.exhausted(at, told);
            return;
        }
        // 6.
        let offset = entry.lands_at(request);
        let room = u128::from(entry.me.length).saturating_sub(offset);
        let mlength = u128::from(request.length.min(request.limit)).min(room) as u64;
        told.landing = Some((offset as u64, mlength));
        // 7.
        if entry.has(me_option::MANAGE_LOCAL) {
            let behind = offset + u128::from(mlength);
            entry.offset = behind.min(entry.me.length.max(entry.offset).into()) as u64;
        }
        // 8.
        told.auto_unlink = entry.has(me_option::USE_ONCE) || entry.is_full(entry.offset);
        told.unexpected = entry.keeps_header();
        entry.linked = !told.auto_unlink;
        let (keeps, list) = (entry.keeps_header(), entry.me.list);
        self.entries[id] = Some(entry);
        if list == 0 && told.auto_unlink {
            self.entry_goes(id, request);
        }
        if keeps && (no_header || !self.header_waits(self.kept, request)) {
            (told.landing, told.unexpected) = (None, false);
            self.exhausted(at, told);
            return;
        }
        let part = self.part(request.node);
        let portal = self.portals[at].as_mut().unwrap();
        if told.auto_unlink {
            portal.lists[usize::from(list)].retain(|other| *other != id);
        }
        if keeps {
            self.free_headers[context][part] -= 1;
            portal.headers.push(Header {
                serial: self.kept,
                request: request.clone(),
                offset: offset as u64,
                mlength,
                entry: id,
            });
            self.kept += 1;
        }
        if told.auto_unlink && self.needed(id) == 0 {
            self.entries[id] = None;
            told.auto_free = list == 1;
        }
    }

    fn exhausted(&mut self, at: usize, told: &mut Outcome) {
        let portal = self.portals[at].as_mut().unwrap();
        told.outcome = outcome::DROPPED;
        if portal.flow_control {
            portal.enabled = false;
            told.outcome = outcome::PT_DISABLED;
            told.portal_disabled = true;
        }
    }

    /// Headers that are in an entry's buffer.
    fn needed(&self, id: usize) -> usize {
        let headers = self
            .portals
            .iter()
            .flatten()
            .flat_map(|portal| &portal.headers);
        headers.filter(|header| header.entry == id).count()
    }

    /// What a command does.
    pub fn command(&mut self, command: &Command) -> Vec<Response> {
        let mut responses = Vec::new();
        let code = self.execute(command, &mut responses);
        responses.push(Response::Final(command.handle, code, command.id & 1023));
        responses
    }
}
