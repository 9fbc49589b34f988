//! Names in a case, and the numbers they have in commands.

use crate::cases::NotRun;
use crate::portals::{EntryId, MdId};
use std::collections::BTreeMap;

/// Names of a node's entries and descriptors, and the numbers they have in commands. Every append gets a number of its
/// own; what names an entry means the one appended last, or about to be. User pointers are these numbers.
#[derive(Debug, Default)]
pub(super) struct Names {
    entries: Vec<String>,
    /// Number in use, and whether its append was seen.
    latest: BTreeMap<String, (u32, bool)>,
    pub(super) mds: BTreeMap<String, MdId>,
}

impl Names {
    fn new_entry(&mut self, name: &str, appended: bool) -> EntryId {
        let id = self.searched(name);
        self.latest.insert(name.to_owned(), (id.0, appended));
        id
    }

    /// A search makes no entry: its number is for its events only.
    pub(super) fn searched(&mut self, name: &str) -> EntryId {
        self.entries.push(name.to_owned());
        EntryId(self.entries.len() as u32 - 1)
    }

    pub(super) fn appended(&mut self, name: &str) -> EntryId {
        match self.latest.get_mut(name) {
            Some((number, appended)) if !*appended => {
                *appended = true;
                EntryId(*number)
            }
            _ => self.new_entry(name, true),
        }
    }

    pub(super) fn mentioned(&mut self, name: &str) -> EntryId {
        match self.latest.get(name) {
            Some((number, _)) => EntryId(*number),
            None => self.new_entry(name, false),
        }
    }

    pub(super) fn entry_name(&self, user_ptr: u64) -> String {
        let name = usize::try_from(user_ptr)
            .ok()
            .and_then(|number| self.entries.get(number));
        name.cloned()
            .unwrap_or_else(|| format!("user_ptr {user_ptr}"))
    }

    pub(super) fn md(&self, name: &str) -> Result<MdId, NotRun> {
        let id = self.mds.get(name).copied();
        id.ok_or_else(|| NotRun::Malformed(format!("there is no md \"{name}\"")))
    }
}
