//! The store of triggered operations (rules 7, 9 of `docs/portals-model.md`).
//!
//! An operation is *pending* until its threshold is reached and *reached* from then on: it will run, whatever happens
//! to the counter (7.6). Reached operations run in the order in which they were reached, those of one change of a
//! counter in the order of posting (7.4). What an operation sets off is reached after its siblings and so runs after
//! them (7.5).

use super::command::{Command, Trigger};
use super::ids::{CounterId, EntryId};
use super::objects::Counter;
use std::collections::VecDeque;

/// Triggered operations of a node.
#[derive(Clone, Debug, Default)]
pub struct TriggerStore {
    /// In the order of posting.
    pending: Vec<(Trigger, Command)>,
    /// In the order of being reached.
    reached: VecDeque<Command>,
}

impl TriggerStore {
    /// Adds an operation of which the threshold is not reached.
    pub(super) fn wait(&mut self, trigger: Trigger, command: Command) {
        self.pending.push((trigger, command));
    }

    /// Adds an operation of which the threshold is reached already (7.3).
    pub(super) fn run(&mut self, command: Command) {
        self.reached.push_back(command);
    }

    /// A counter has a new value: every operation whose threshold it reaches is reached, however many (7.10).
    pub(super) fn reach(&mut self, counter: CounterId, value: Counter) {
        for (trigger, command) in std::mem::take(&mut self.pending) {
            match trigger.counter == counter && value.reaches(trigger.threshold) {
                true => self.reached.push_back(command),
                false => self.pending.push((trigger, command)),
            }
        }
    }

    /// Forgets what is pending on a counter; what it has reached still runs (PtlCTCancelTriggered, rules 6 of
    /// `docs/portals-model.md`).
    pub(super) fn cancel(&mut self, counter: CounterId) {
        self.pending
            .retain(|(trigger, _)| trigger.counter != counter);
    }

    /// The operation that was reached so many operations after the first one.
    pub(super) fn take_at(&mut self, place: usize) -> Option<Command> {
        self.reached.remove(place)
    }

    /// Entry numbers promised to appends that have not happened (rules 9 of `docs/portals-model.md`).
    pub(super) fn promised_entries(&self) -> impl Iterator<Item = EntryId> {
        let pending = self.pending.iter().map(|(_, command)| command);
        let commands = pending.chain(&self.reached);
        commands.filter_map(|command| match command {
            Command::MeAppend { id, .. } => Some(*id),
            _ => None,
        })
    }

    /// Operations that are reached and have not run, in the order in which they will.
    pub fn reached(&self) -> impl Iterator<Item = &Command> {
        self.reached.iter()
    }

    /// Operations that have not been reached, in the order of posting.
    pub fn pending(&self) -> &[(Trigger, Command)] {
        &self.pending
    }
}
