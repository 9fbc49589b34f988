//! `Machine`: cores, the way to the L2 and back, and the banks of the L2, run cycle by cycle.
//!
//! A core sends one request a cycle. Its way to the bank and the way of the response back are those of [`Routes`]; at
//! the bank requests wait in order of arrival, and a core takes one response a cycle.

use super::access::{LockEnd, Op, Request, Requester, Response};
use super::bank::Bank;
use super::core::Core;
use super::counts::Counts;
use super::record::{Ledger, Phases};
use super::routes::{HostSide, Routes};
use super::thread::Thread;
use crate::bus::BenchError;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use thiserror::Error;

/// Why a run stopped.
#[derive(Debug, Error)]
pub enum MachineError {
    /// A bank could not be run.
    #[error("bank {bank}: {error}")]
    Bank {
        /// Its number.
        bank: usize,
        /// Why.
        error: BenchError,
    },
    /// The L2 did not do what a core asked for.
    #[error("cycle {cycle}, {requester:?}: {what}")]
    Access {
        /// When.
        cycle: u64,
        /// Who asked.
        requester: Requester,
        /// What came back.
        what: String,
    },
    /// The queue protocol went wrong.
    #[error("cycle {cycle}: {what}")]
    Protocol {
        /// When.
        cycle: u64,
        /// What.
        what: String,
    },
    /// No call was completed for a long time.
    #[error("cycle {cycle}: no call has been completed for {cycles} cycles")]
    Stuck {
        /// When it was given up.
        cycle: u64,
        /// How long nothing happened.
        cycles: u64,
    },
}

/// A program, as the compiler makes one of an `async fn`.
type Program = Pin<Box<dyn Future<Output = ()>>>;

/// What waits in front of a bank.
#[derive(Default)]
struct Entrance {
    requests: VecDeque<Request>,
    rmw_writes: VecDeque<Request>,
}

/// Cores and the L2.
pub struct Machine<B> {
    cores: Vec<Rc<RefCell<Core>>>,
    programs: Vec<Program>,
    banks: Vec<B>,
    entrances: Vec<Entrance>,
    routes: Routes,
    /// On their way to a bank, by the cycle of arrival and the order in which they left.
    towards: BTreeMap<(u64, u64), (usize, Request)>,
    /// By core.
    back: Vec<BTreeMap<(u64, u64), Response>>,
    /// What left so far.
    left: u64,
    now: u64,
    ledger: Rc<RefCell<Ledger>>,
    lock_ends: Vec<LockEnd>,
}

impl<B: Bank> Machine<B> {
    /// A machine without cores: its banks, a power of two of them; cycles to a bank and back; the calls' ledger.
    pub fn new(banks: Vec<B>, ways: [u64; 2], ledger: Ledger) -> Self {
        Self {
            cores: Vec::new(),
            programs: Vec::new(),
            entrances: banks.iter().map(|_| Entrance::default()).collect(),
            routes: Routes::new(ways, banks.len()),
            banks,
            towards: BTreeMap::new(),
            back: Vec::new(),
            left: 0,
            now: 0,
            ledger: Rc::new(RefCell::new(ledger)),
            lock_ends: Vec::new(),
        }
    }

    /// Makes the last bank the memory of a host.
    pub fn set_host(&mut self, host: HostSide) {
        self.routes.set_host(host);
    }

    /// Where requests go.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Adds a core; its number.
    pub fn add_core(&mut self, core: Core) -> usize {
        self.cores.push(Rc::new(RefCell::new(core)));
        self.back.push(BTreeMap::new());
        self.cores.len() - 1
    }

    /// Starts a program on a core.
    pub fn start<F: Future<Output = ()> + 'static>(
        &mut self,
        core: usize,
        program: impl FnOnce(Thread, Rc<RefCell<Ledger>>) -> F,
    ) {
        let thread = Thread::new(self.cores[core].clone());
        let program = program(thread, self.ledger.clone());
        self.programs.push(Box::pin(program));
    }

    /// Cycles so far.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The banks.
    pub fn banks(&self) -> &[B] {
        &self.banks
    }

    /// The banks, to look at what is below them.
    pub fn banks_mut(&mut self) -> &mut [B] {
        &mut self.banks
    }

    /// The bank that an address lies in.
    pub fn bank_of(&mut self, address: u64) -> &mut B {
        let bank = self.routes.bank(address);
        &mut self.banks[bank]
    }

    /// Hits and misses so far of the cores for which `wanted` holds.
    pub fn counts(&self, wanted: impl Fn(Requester) -> bool) -> Counts {
        let mut counts = Counts::default();
        for core in &self.cores {
            let core = core.borrow();
            if wanted(core.requester()) {
                counts.merge(core.counts());
            }
        }
        counts
    }

    /// Requests under way of the cores for which `wanted` holds.
    pub fn under_way(&self, wanted: impl Fn(Requester) -> bool) -> u64 {
        let cores = self.cores.iter().map(|core| core.borrow());
        let wanted = cores.filter(|core| wanted(core.requester()));
        wanted.map(|core| core.under_way()).sum()
    }

    /// What the calls took so far.
    pub fn phases(&self) -> Phases {
        self.ledger.borrow().phases()
    }

    /// The locks that have ended since the last call.
    pub fn take_lock_ends(&mut self) -> Vec<LockEnd> {
        std::mem::take(&mut self.lock_ends)
    }

    /// Runs so many cycles. Errors: as [`MachineError`]; `patience` cycles without a completed call.
    pub fn run(&mut self, cycles: u64, patience: u64) -> Result<(), MachineError> {
        let (mut calls, mut since) = (self.phases().calls, self.now);
        for _ in 0..cycles {
            self.cycle()?;
            let done = self.phases().calls;
            if done != calls {
                (calls, since) = (done, self.now);
            }
            if self.now - since > patience {
                return Err(MachineError::Stuck {
                    cycle: self.now,
                    cycles: patience,
                });
            }
        }
        Ok(())
    }

    /// A clock cycle.
    pub fn cycle(&mut self) -> Result<(), MachineError> {
        self.deliver();
        let mut context = Context::from_waker(Waker::noop());
        self.programs
            .retain_mut(|program| program.as_mut().poll(&mut context) == Poll::Pending);
        self.send();
        self.run_banks()?;
        self.check()?;
        self.now += 1;
        Ok(())
    }

    fn deliver(&mut self) {
        for (core, back) in self.cores.iter().zip(&mut self.back) {
            let core = &mut *core.borrow_mut();
            core.begin_cycle(self.now);
            if let Some(first) = back.first_entry()
                && first.key().0 <= self.now
            {
                core.deliver(first.remove());
            }
        }
    }

    fn send(&mut self) {
        for core in &self.cores {
            if let Some(request) = core.borrow_mut().send() {
                let (bank, due) = self.routes.there(&request, self.now);
                self.towards.insert((due, self.left), (bank, request));
                self.left += 1;
            }
        }
        while let Some(first) = self.towards.first_entry()
            && first.key().0 <= self.now
        {
            let (bank, request) = first.remove();
            let entrance = &mut self.entrances[bank];
            match request.op {
                Op::RmwWrite => entrance.rmw_writes.push_back(request),
                _ => entrance.requests.push_back(request),
            }
        }
    }

    fn run_banks(&mut self) -> Result<(), MachineError> {
        for (number, (bank, entrance)) in self.banks.iter_mut().zip(&mut self.entrances).enumerate()
        {
            for (op, waiting) in [
                (Op::Load, &mut entrance.requests),
                (Op::RmwWrite, &mut entrance.rmw_writes),
            ] {
                if bank.has_room(op)
                    && let Some(request) = waiting.pop_front()
                {
                    bank.submit(request);
                }
            }
            let failed = |error| MachineError::Bank {
                bank: number,
                error,
            };
            let response = bank.cycle().map_err(failed)?;
            let ends = bank.take_lock_ends();
            self.lock_ends.extend(ends.into_iter().map(|(_, end)| end));
            if let Some(response) = response {
                let asked = |core: &Rc<RefCell<Core>>| {
                    core.borrow().number_of(response.requester).is_some()
                };
                let Some(core) = self.cores.iter().position(asked) else {
                    return Err(MachineError::Access {
                        cycle: self.now,
                        requester: response.requester,
                        what: "an answer for a core that there is not".into(),
                    });
                };
                let label = (response.requester, response.tag);
                let due = self.routes.back(label, number, self.now);
                self.back[core].insert((due, self.left), response);
                self.left += 1;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), MachineError> {
        for core in &self.cores {
            let core = core.borrow();
            if let Some(what) = core.failure() {
                return Err(MachineError::Access {
                    cycle: self.now,
                    requester: core.requester(),
                    what: what.to_owned(),
                });
            }
        }
        match self.ledger.borrow().faults().first() {
            None => Ok(()),
            Some(what) => Err(MachineError::Protocol {
                cycle: self.now,
                what: what.clone(),
            }),
        }
    }
}
