//! `Port`: what the programs of a node share with its NIC and with who looks on.

use super::entry::{CallKind, Entry};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A blocking call that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What was done.
    pub operation: CallKind,
    /// The other node.
    pub pe: usize,
    /// Address here.
    pub local: u64,
    /// Address there.
    pub remote: u64,
    /// Bytes.
    pub length: u64,
    /// GPU cycles from the call to its end.
    pub cycles: u64,
}

/// Shared by the programs of a node.
pub(super) type Shared = Rc<RefCell<Port>>;

#[derive(Default)]
pub(super) struct Port {
    /// The NIC's cycle that runs next.
    pub(super) now: u64,
    /// Cycles of the NIC from a thread to its registers.
    pub(super) way: u64,
    /// Register writes on their way, with the cycle of their arrival.
    pub(super) coming: VecDeque<(u64, u16, u32)>,
    /// Programs of work-groups that have not ended.
    pub(super) running: usize,
    /// Blocking calls that have ended since somebody looked.
    pub(super) ended: Vec<Ended>,
    /// By context, what work-groups have asked for and no command has been posted for.
    pub(super) asked: BTreeMap<u16, VecDeque<Entry>>,
    /// Commands posted for calls so far.
    pub(super) posted: u64,
    /// Why a program cannot go on.
    pub(super) fault: Option<String>,
}

impl Port {
    /// A posted write of a register.
    pub(super) fn write(&mut self, register: u16, value: u32) {
        self.coming
            .push_back((self.now + self.way, register, value));
    }

    /// The next register write that has arrived.
    pub(super) fn arrived(&mut self) -> Option<(u16, u32)> {
        let (due, register, value) = *self.coming.front()?;
        (due <= self.now).then(|| {
            self.coming.pop_front();
            (register, value)
        })
    }

    /// A work-group asks for something.
    pub(super) fn ask(&mut self, entry: Entry) {
        self.asked
            .entry(entry.context)
            .or_default()
            .push_back(entry);
    }

    /// A service thread has read a call in a context's queue and posts its command: it must be the next that was asked
    /// for there.
    pub(super) fn post(&mut self, context: u16, entry: Entry) {
        self.posted += 1;
        let asked = self.asked.entry(context).or_default().pop_front();
        if asked != Some(entry) {
            self.fail(format!(
                "context {context}: {entry:?} was found, {asked:?} asked for"
            ));
        }
    }

    /// Keeps the first reason why a program cannot go on.
    pub(super) fn fail(&mut self, why: String) {
        self.fault.get_or_insert(why);
    }
}
