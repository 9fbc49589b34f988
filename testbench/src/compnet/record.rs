//! `Ledger`: what became of every call.
//!
//! The work-group notes what it asked for, the service thread what it read; a call that is lost, done twice, done out
//! of order or read wrongly is a fault.

use super::queue::Call;
use serde::Serialize;
use std::collections::VecDeque;

/// A call that is not complete.
struct Open {
    call: Call,
    called: u64,
    found: Option<u64>,
    performed: bool,
    complete: bool,
}

/// The calls of one queue.
#[derive(Default)]
struct Row {
    /// Index of the first open call.
    first: u64,
    /// That and those after it, in order.
    open: VecDeque<Open>,
}

impl Row {
    fn at(&mut self, index: u64) -> Option<&mut Open> {
        let position = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.open.get_mut(position)
    }
}

/// Cycles that the phases of a call took, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Phases {
    /// Complete calls.
    pub calls: u64,
    /// Cycles from the work-group's setting the status to the service thread's finding it.
    pub waited: u64,
    /// Cycles from there to the work-group's seeing the completion.
    pub served: u64,
}

impl Phases {
    /// What has been added since `earlier`.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            calls: self.calls - earlier.calls,
            waited: self.waited - earlier.waited,
            served: self.served - earlier.served,
        }
    }
}

/// The calls of all queues.
#[derive(Default)]
pub struct Ledger {
    rows: Vec<Row>,
    phases: Phases,
    faults: Vec<String>,
}

impl Ledger {
    /// The calls of so many queues.
    pub fn new(queues: usize) -> Self {
        Self {
            rows: (0..queues).map(|_| Row::default()).collect(),
            ..Self::default()
        }
    }

    /// What the calls took so far.
    pub fn phases(&self) -> Phases {
        self.phases
    }

    /// What went wrong, in order.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// A work-group has made a call: it is about to set the status.
    pub fn called(&mut self, queue: u64, call: Call, cycle: u64) {
        if let Some(row) = self.rows.get_mut(queue as usize) {
            row.open.push_back(Open {
                call,
                called: cycle,
                found: None,
                performed: false,
                complete: false,
            });
        }
    }

    /// The service thread has found the call ready.
    pub fn found(&mut self, queue: u64, index: u64, cycle: u64) {
        if let Some(open) = self.row(queue).and_then(|row| row.at(index)) {
            open.found = Some(cycle);
        }
    }

    /// The service thread has performed the call that it read; `payload` is whether that was the call's, too.
    pub fn performed(&mut self, queue: u64, index: u64, read: Call, payload: bool) {
        let Some(open) = self.row(queue).and_then(|row| row.at(index)) else {
            let fault = format!("queue {queue}: performed call {index}, which nobody made");
            self.faults.push(fault);
            return;
        };
        let (made, twice) = (open.call, std::mem::replace(&mut open.performed, true));
        if twice {
            let fault = format!("queue {queue}: performed call {index} twice");
            self.faults.push(fault);
        }
        if made != read {
            let fault = format!("queue {queue}, call {index}: made {made:?}, read {read:?}");
            self.faults.push(fault);
        }
        if !payload {
            let fault = format!("queue {queue}, call {index}: the payload is another call's");
            self.faults.push(fault);
        }
    }

    /// The work-group has seen that the call is complete. A blocking call may be complete after calls that were made
    /// later.
    pub fn completed(&mut self, queue: u64, index: u64, cycle: u64) {
        let Some(row) = self.row(queue) else {
            return;
        };
        let Some(open) = row.at(index).filter(|open| !open.complete) else {
            let fault = format!("queue {queue}: call {index} complete, which was not open");
            self.faults.push(fault);
            return;
        };
        open.complete = true;
        let (called, performed) = (open.called, open.performed);
        let found = open.found.unwrap_or(called).max(called);
        while row.open.front().is_some_and(|open| open.complete) {
            row.open.pop_front();
            row.first += 1;
        }
        if !performed {
            let fault = format!("queue {queue}: call {index} complete before it was performed");
            self.faults.push(fault);
            return;
        }
        self.phases.calls += 1;
        self.phases.waited += found - called;
        self.phases.served += cycle.saturating_sub(found);
    }

    fn row(&mut self, queue: u64) -> Option<&mut Row> {
        self.rows.get_mut(queue as usize)
    }
}
