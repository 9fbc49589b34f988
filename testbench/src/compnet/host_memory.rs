//! `HostMemory`: the host's caches and memory, as a bank after the L2's.
//!
//! Coherent: what a host thread finds in its own cache is what was written last. How long an access takes follows from
//! who touched the line before: the thread itself, another thread of the host, or another device, whose line comes from
//! memory. No capacity: what the service threads poll fits the caches of table 1.

use super::access::{Line, LockEnd, Op, Request, Requester, Response, Status, line_of};
use super::bank::Bank;
use crate::bus::{BenchError, LINE_BYTES};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Cycles of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTimes {
    /// A line that the thread itself has: its L1.
    pub own: u64,
    /// A line that another thread of the host has written: the shared cache.
    pub shared: u64,
    /// A line that another device has written, and all accesses of other devices: memory.
    pub memory: u64,
}

/// Accesses of host threads by where they found their line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostCounts {
    /// In their own cache.
    pub own: u64,
    /// In the shared cache.
    pub shared: u64,
    /// In memory.
    pub memory: u64,
}

/// A line, and who has it.
struct Held {
    line: Line,
    /// Host threads that have it in their own cache, a bit each.
    sharers: u32,
    /// A host thread has written it last.
    by_host: bool,
}

/// The host's memory.
pub struct HostMemory {
    times: HostTimes,
    lines: HashMap<u64, Held>,
    /// Who has read a line to modify it, and not written it.
    owners: HashMap<u64, Requester>,
    /// Requests that wait for an owner, in order.
    waiting: VecDeque<Request>,
    arrived: VecDeque<Request>,
    answers: BTreeMap<(u64, u64), Response>,
    sequence: u64,
    now: u64,
    counts: HostCounts,
    /// Lines written since they were taken; `None`: nobody wants to know.
    written: Option<Vec<u64>>,
}

impl HostMemory {
    /// Memory of zeros.
    pub fn new(times: HostTimes) -> Self {
        Self {
            times,
            lines: HashMap::new(),
            owners: HashMap::new(),
            waiting: VecDeque::new(),
            arrived: VecDeque::new(),
            answers: BTreeMap::new(),
            sequence: 0,
            now: 0,
            counts: HostCounts::default(),
            written: None,
        }
    }

    /// Takes note from now on of which lines are written.
    pub fn note_lines(&mut self) {
        self.written = Some(Vec::new());
    }

    /// Addresses of the lines written since the last call, if they are [noted](Self::note_lines).
    pub fn take_lines(&mut self) -> Vec<u64> {
        self.written.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// The line of an address.
    pub fn line(&self, address: u64) -> Line {
        let held = self.lines.get(&line_of(address));
        held.map_or([0; LINE_BYTES as usize], |held| held.line)
    }

    /// A device that is no requester writes a line, at once.
    pub fn set_line(&mut self, address: u64, line: &Line) {
        let held = Held {
            line: *line,
            sharers: 0,
            by_host: false,
        };
        self.lines.insert(line_of(address), held);
    }

    /// Accesses of host threads so far.
    pub fn counts(&self) -> HostCounts {
        self.counts
    }

    /// Performs a request; others to a line that somebody modifies wait.
    fn take(&mut self, request: Request) {
        let address = line_of(request.address);
        match self.owners.get(&address) {
            Some(owner) if *owner != request.requester => self.waiting.push_back(request),
            _ => self.perform(request),
        }
    }

    fn perform(&mut self, request: Request) {
        let address = line_of(request.address);
        let thread = match request.requester {
            Requester::CpThread(number) => Some(1u32 << (number % 32)),
            Requester::ComputeUnit(_) => None,
        };
        let held = self.lines.entry(address).or_insert(Held {
            line: [0; 64],
            sharers: 0,
            by_host: false,
        });
        let (cycles, counted) = match thread {
            Some(bit) if held.sharers & bit != 0 => (self.times.own, &mut self.counts.own),
            Some(_) if held.by_host => (self.times.shared, &mut self.counts.shared),
            _ => (self.times.memory, &mut self.counts.memory),
        };
        // The halves of a read-modify-write are one access.
        if thread.is_some() && request.op != Op::RmwWrite {
            *counted += 1;
        }
        let data = held.line;
        let owns = self.owners.get(&address) == Some(&request.requester);
        let (writes, status) = match request.op {
            Op::Load => (false, Status::Ok),
            Op::Store | Op::LockedStore => (true, Status::Ok),
            Op::RmwRead => {
                self.owners.insert(address, request.requester);
                (false, Status::Ok)
            }
            Op::RmwWrite if owns => {
                self.owners.remove(&address);
                (true, Status::Ok)
            }
            _ => (false, Status::Refused),
        };
        if writes {
            for (i, byte) in held.line.iter_mut().enumerate() {
                if request.strobes >> i & 1 == 1 {
                    *byte = request.data[i];
                }
            }
            (held.sharers, held.by_host) = (0, thread.is_some());
            if let Some(written) = &mut self.written {
                written.push(address);
            }
        }
        held.sharers |= thread.unwrap_or(0);
        let response = Response {
            requester: request.requester,
            tag: request.tag,
            hit: cycles == self.times.own,
            uncached: false,
            status,
            data,
        };
        let due = (self.now + cycles, self.sequence);
        self.answers.insert(due, response);
        self.sequence += 1;
        if request.op == Op::RmwWrite {
            for request in std::mem::take(&mut self.waiting) {
                self.take(request);
            }
        }
    }
}

impl Bank for HostMemory {
    fn has_room(&self, _: Op) -> bool {
        true
    }

    fn submit(&mut self, request: Request) {
        self.arrived.push_back(request);
    }

    fn cycle(&mut self) -> Result<Option<Response>, BenchError> {
        while let Some(request) = self.arrived.pop_front() {
            self.take(request);
        }
        let due = self.answers.first_entry();
        let due = due.filter(|entry| entry.key().0 <= self.now);
        let answer = due.map(|entry| entry.remove());
        self.now += 1;
        Ok(answer)
    }

    fn take_lock_ends(&mut self) -> Vec<(u64, LockEnd)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: HostTimes = HostTimes {
        own: 1,
        shared: 8,
        memory: 50,
    };

    /// Asks, and gives the cycles until the answer and its first byte.
    fn ask(memory: &mut HostMemory, request: Request) -> (u64, u8) {
        memory.submit(request);
        for cycles in 0..200 {
            if let Some(response) = memory.cycle().unwrap() {
                return (cycles, response.data[0]);
            }
        }
        panic!("no answer");
    }

    #[test]
    fn a_line_comes_from_who_wrote_it_last() {
        let (unit, a, b) = (
            Requester::ComputeUnit(0),
            Requester::CpThread(0),
            Requester::CpThread(1),
        );
        let mut memory = HostMemory::new(TIMES);
        assert_eq!(ask(&mut memory, Request::store(unit, 0, 64, &[7])).0, 50);
        assert_eq!(ask(&mut memory, Request::load(a, 0, 64)), (50, 7));
        assert_eq!(ask(&mut memory, Request::load(a, 0, 64)), (1, 7));
        assert_eq!(ask(&mut memory, Request::store(a, 0, 64, &[8])).0, 1);
        assert_eq!(ask(&mut memory, Request::load(b, 0, 64)), (8, 8));
        assert_eq!(ask(&mut memory, Request::store(unit, 0, 64, &[9])).0, 50);
        assert_eq!(ask(&mut memory, Request::load(b, 0, 64)), (50, 9));
        let counts = memory.counts();
        assert_eq!((counts.own, counts.shared, counts.memory), (2, 1, 2));
    }

    #[test]
    fn a_read_modify_write_keeps_others_out_until_its_write() {
        let (a, b) = (Requester::CpThread(0), Requester::CpThread(1));
        let mut memory = HostMemory::new(TIMES);
        ask(&mut memory, Request::load(a, 0, 0).with(Op::RmwRead));
        memory.submit(Request::load(b, 1, 0).with(Op::RmwRead));
        for _ in 0..100 {
            assert_eq!(memory.cycle().unwrap(), None);
        }
        memory.submit(Request::store(a, 2, 0, &[1]).with(Op::RmwWrite));
        let answers: Vec<_> = (0..100).filter_map(|_| memory.cycle().unwrap()).collect();
        assert_eq!(answers.len(), 2);
        assert_eq!((answers[0].tag, answers[1].tag), (2, 1));
        assert_eq!(answers[1].data[0], 1);
    }
}
