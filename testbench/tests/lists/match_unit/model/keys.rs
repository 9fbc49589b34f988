//! What an exact matcher has of a match unit: no wildcards, and a place in its table for each key.

use xtq_types::hash_match::{hash_mode, hash_op, hash_outcome};
use xtq_types::matching::{match_op, me_option, portal_option, request_kind};

use super::super::words::{Command, Request};
use super::{Model, Rules};
use crate::hash_match::unit::{Ask, Key};

/// What it refuses.
pub(super) fn needs_lists(command: &Command) -> bool {
    let has = |option| command.options & option != 0;
    let inexact = command.any_node
        || command.any_context
        || command.ignore != 0
        || has(me_option::NO_TRUNCATE);
    match command.op {
        match_op::ME_APPEND if command.list == 1 => {
            has(me_option::USE_ONCE) || has(me_option::MANAGE_LOCAL) && command.min_free != 0
        }
        match_op::ME_APPEND => {
            let unfit = me_option::OP_GET | me_option::IOVEC | me_option::MANAGE_LOCAL;
            inexact
                || !command.any_user
                || !has(me_option::USE_ONCE)
                || !has(me_option::OP_PUT)
                || has(unfit)
        }
        match_op::ME_SEARCH_ONLY => inexact || !has(me_option::USE_ONCE),
        match_op::ME_SEARCH_DELETE => inexact,
        match_op::PT_ALLOC => has(portal_option::FLOW_CONTROL) || !has(portal_option::MATCHING),
        _ => false,
    }
}

/// What no priority entry allows.
pub(super) fn reads(request: &Request) -> bool {
    [request_kind::GET, request_kind::FETCH, request_kind::SWAP].contains(&request.kind)
}

fn key_of(request: &Request) -> Key {
    Key {
        context: request.context,
        portal: request.portal,
        source_node: request.node,
        source_context: request.source_context,
        match_bits: request.bits,
    }
}

fn key_of_entry(command: &Command) -> Key {
    Key {
        context: command.context,
        portal: command.portal,
        source_node: command.node,
        source_context: command.source_context,
        match_bits: command.bits,
    }
}

impl Model {
    /// What the table says; nothing if there is none.
    fn ask(&mut self, op: u8, mode: u8, number: u64, key: Key) -> Option<(u8, u64)> {
        let Rules::Keys(table) = &mut self.rules else {
            return None;
        };
        let said = table.ask(&Ask {
            op,
            mode,
            number,
            key,
        });
        Some((said.outcome, said.partner))
    }

    /// The table must say this, if there is one.
    fn expect(&mut self, op: u8, mode: u8, number: u64, key: Key, expected: (u8, u64)) {
        let said = self.ask(op, mode, number, key);
        assert!(said.is_none_or(|said| said == expected), "{said:?}");
    }

    /// A portal entry is there, or not any more.
    pub(super) fn region(&mut self, command: &Command, open: bool) {
        let op = if open { hash_op::OPEN } else { hash_op::CLOSE };
        let done = (hash_outcome::DONE, 0);
        self.expect(op, hash_mode::WAIT, 0, key_of_entry(command), done);
    }

    /// A message takes a priority entry.
    pub(super) fn entry_goes(&mut self, id: usize, request: &Request) {
        let found = (hash_outcome::MATCHED, id as u64);
        self.expect(hash_op::ARRIVE, hash_mode::TAKE, 0, key_of(request), found);
    }

    /// A priority entry is unlinked.
    pub(super) fn entry_leaves(&mut self, id: usize, command: &Command) {
        let gone = (hash_outcome::CANCELLED, 0);
        let key = key_of_entry(command);
        self.expect(hash_op::POST, hash_mode::CANCEL, id as u64, key, gone);
    }

    /// Whether there is a place for a priority entry, which it has then.
    pub(super) fn entry_waits(&mut self, id: usize, command: &Command) -> bool {
        let key = key_of_entry(command);
        let said = self.ask(hash_op::POST, hash_mode::WAIT, id as u64, key);
        said.is_none_or(|(outcome, _)| outcome == hash_outcome::WAITS)
    }

    /// Whether there is a place for the header of a message, which it has then.
    pub(super) fn header_waits(&mut self, serial: u64, request: &Request) -> bool {
        let said = self.ask(hash_op::ARRIVE, hash_mode::WAIT, serial, key_of(request));
        said.is_none_or(|(outcome, _)| outcome == hash_outcome::WAITS)
    }

    /// A header is taken out.
    pub(super) fn header_goes(&mut self, serial: u64, request: &Request) {
        let found = (hash_outcome::MATCHED, serial);
        self.expect(hash_op::POST, hash_mode::TAKE, 0, key_of(request), found);
    }

    /// Keys of the headers that wait, each with how to search for it.
    pub fn searches(&self) -> Vec<Command> {
        let portals = self.portals.iter().flatten();
        let headers = portals.flat_map(|portal| &portal.headers);
        let searches = headers.map(|header| Command {
            op: match_op::ME_SEARCH_DELETE,
            context: header.request.context,
            portal: header.request.portal,
            node: header.request.node,
            source_context: header.request.source_context,
            bits: header.request.bits,
            ..Command::default()
        });
        searches.collect()
    }
}
