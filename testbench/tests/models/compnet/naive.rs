//! A memory with the L2's interface and nothing of its inside: every line is there once it has been touched, a response
//! takes a few cycles.

use std::collections::{BTreeMap, VecDeque};
use xtq_testbench::bus::BenchError;
use xtq_testbench::compnet::Bank;
use xtq_testbench::compnet::access::{
    Cause, Line, LockEnd, Op, Request, Requester, Response, Status, line_of,
};

/// Cycles from request to response.
const LATENCY: u64 = 4;

/// A memory that locks lines.
#[derive(Default)]
pub struct Naive {
    pub lines: BTreeMap<u64, Line>,
    /// Line to the CP thread that has read it and not written it.
    owners: BTreeMap<u64, Requester>,
    /// Line to the cycle since which it is locked by a locked store.
    locked: BTreeMap<u64, u64>,
    entries: [Option<Request>; 2],
    /// What waits for an owner's write, in order of arrival.
    waiting: VecDeque<Request>,
    answers: VecDeque<(u64, Response)>,
    ends: Vec<(u64, LockEnd)>,
    now: u64,
    /// Cycles before a store is seen and acknowledged; loads go past it.
    pub store_delay: u64,
    /// Such stores, with their cycle.
    late: VecDeque<(u64, Request)>,
    /// Every request, in order.
    pub seen: Vec<Request>,
    /// The cycle of each.
    pub seen_at: Vec<u64>,
}

impl Naive {
    fn held_up(&self, request: &Request) -> bool {
        let owner = self.owners.get(&line_of(request.address));
        owner.is_some_and(|owner| *owner != request.requester)
    }

    fn perform(&mut self, request: Request) {
        let address = line_of(request.address);
        let hit = self.lines.contains_key(&address);
        let line = self.lines.entry(address).or_insert([0; 64]);
        let data = *line;
        let (mut status, cp) = (
            Status::Ok,
            matches!(request.requester, Requester::CpThread(_)),
        );
        if cp && let Some(since) = self.locked.remove(&address) {
            let end = LockEnd {
                cause: Cause::Release,
                rmw: false,
                owner: 0,
                age: self.now - since,
                line: address,
            };
            self.ends.push((self.now, end));
        }
        let mut write = || {
            for (i, byte) in line.iter_mut().enumerate() {
                if request.strobes >> i & 1 == 1 {
                    *byte = request.data[i];
                }
            }
        };
        match request.op {
            Op::Load => {}
            Op::Store => write(),
            Op::LockedStore => {
                write();
                self.locked.entry(address).or_insert(self.now);
            }
            Op::RmwRead => {
                self.owners.insert(address, request.requester);
            }
            Op::RmwWrite if self.owners.get(&address) == Some(&request.requester) => {
                write();
                self.owners.remove(&address);
            }
            _ => status = Status::Refused,
        }
        let response = Response {
            requester: request.requester,
            tag: request.tag,
            hit,
            uncached: false,
            status,
            data,
        };
        self.answers.push_back((self.now + LATENCY, response));
    }
}

impl Bank for Naive {
    fn has_room(&self, op: Op) -> bool {
        self.entries[usize::from(op == Op::RmwWrite)].is_none()
    }

    fn submit(&mut self, request: Request) {
        self.seen.push(request.clone());
        self.seen_at.push(self.now);
        let entry = usize::from(request.op == Op::RmwWrite);
        self.entries[entry] = Some(request);
    }

    fn cycle(&mut self) -> Result<Option<Response>, BenchError> {
        if let Some(request) = self.entries[1].take() {
            self.perform(request);
        }
        if self.late.front().is_some_and(|(due, _)| *due <= self.now)
            && let Some((_, request)) = self.late.pop_front()
        {
            self.perform(request);
        }
        let free = |request: &Request| !self.held_up(request);
        if let Some(position) = self.waiting.iter().position(free) {
            let request = self.waiting.remove(position).unwrap();
            self.perform(request);
        } else if let Some(request) = self.entries[0].take() {
            match self.held_up(&request) {
                false if request.op == Op::Store && self.store_delay > 0 => {
                    self.late.push_back((self.now + self.store_delay, request));
                }
                true => self.waiting.push_back(request),
                false => self.perform(request),
            }
        }
        self.now += 1;
        let due = self
            .answers
            .front()
            .is_some_and(|(due, _)| *due <= self.now);
        Ok(due.then(|| self.answers.pop_front().unwrap().1))
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        std::mem::take(&mut self.ends)
    }
}
