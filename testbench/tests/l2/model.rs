//! A naive memory with locks: it replays what a bank did, one access after the other, and says where that is not what
//! the rules demand.
//!
//! It holds every line that was written as words and every lock with its time, and knows nothing of ways, queues or
//! pipelines. Because the bank answers in the order of its accesses, a run that the model accepts is linearisable: the
//! order of the answers is the order.

use std::collections::HashMap;

use super::memory::initial;
use super::rig::{Ask, End, Shape, Step, Who};
use xtq_types::l2::{cause, op, status};

/// Most cycles from a try that finds a way, or none, to what is seen of it.
const TRIED: u64 = 4;

/// A lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lock {
    rmw: bool,
    owner: u8,
    since: u64,
}

/// The memory, and what was counted.
pub struct Model {
    shape: Shape,
    /// Age at which the watchdog may drop a lock.
    limit: u64,
    /// Locked ways of a set from which on there are no more STORE locks.
    ways_limit: usize,
    /// Ways that a miss of a compute unit does not fill, a bit each, and from which cycle on.
    cp_ways: Vec<(u64, u64)>,
    lines: HashMap<u64, Vec<u64>>,
    locks: HashMap<u64, Lock>,
    pub overflows: u64,
    pub dropped: u64,
    pub expired: u64,
    pub hits: [u64; 2],
    pub misses: [u64; 2],
}

impl Model {
    pub fn new(shape: Shape, limit: u64, ways_limit: u64) -> Self {
        Self {
            shape,
            limit,
            ways_limit: ways_limit as usize,
            cp_ways: vec![(0, 0)],
            lines: HashMap::new(),
            locks: HashMap::new(),
            overflows: 0,
            dropped: 0,
            expired: 0,
            hits: [0; 2],
            misses: [0; 2],
        }
    }

    /// The same, with ways kept for the command processor: a bit each, and from which cycle on.
    pub fn keeping(self, cp_ways: Vec<(u64, u64)>) -> Self {
        Self { cp_ways, ..self }
    }

    pub fn line(&self, line: u64) -> Vec<u64> {
        self.lines
            .get(&line)
            .cloned()
            .unwrap_or_else(|| initial(line, self.shape.words))
    }

    pub fn locked(&self) -> usize {
        self.locks.len()
    }

    /// Fewest ways that a miss of `who` may have found open in the cycles before.
    fn open(&self, time: u64, who: Who) -> usize {
        let later = |at: usize| self.cp_ways.get(at + 1).map_or(u64::MAX, |next| next.0);
        let masks = self.cp_ways.iter().enumerate();
        let near =
            masks.filter(|(at, mask)| mask.0 <= time && later(*at).saturating_add(TRIED) >= time);
        let kept = near.map(|(_, mask)| mask.1.count_ones() as usize).max();
        match who.is_cp() {
            true => self.shape.ways,
            false => self.shape.ways - kept.unwrap_or(0),
        }
    }

    fn in_set(&self, line: u64) -> impl Iterator<Item = (&u64, &Lock)> {
        let sets = self.shape.sets;
        self.locks
            .iter()
            .filter(move |(other, _)| **other % sets == line % sets)
    }

    /// One access, seen at `time`. Errors: what the rules forbid.
    pub fn step(&mut self, time: u64, step: &Step) -> Result<(), String> {
        let mut expected = None;
        if let Some(answer) = &step.answer {
            let ask = &answer.ask;
            if let Some(wrong) = self.status(ask, answer.status) {
                return Err(format!("{wrong}: {answer:?}"));
            }
            let counted = !matches!(ask.op, op::RMW_WRITE | op::INVALIDATE | op::WRITE_BACK)
                && answer.status != status::REFUSED;
            if counted {
                let class = usize::from(ask.who.is_cp());
                if answer.hit {
                    self.hits[class] += 1
                } else {
                    self.misses[class] += 1
                }
            }
            if answer.status == status::OK {
                if counted && answer.data != self.line(ask.line) {
                    return Err(format!(
                        "the line is {:x?}: {answer:x?}",
                        self.line(ask.line)
                    ));
                }
                let held = self.locks.get(&ask.line).copied();
                if answer.uncached
                    && (held.is_some() || self.in_set(ask.line).count() < self.open(time, ask.who))
                {
                    return Err(format!("uncached, but a way is not locked: {answer:?}"));
                }
                expected = self.locking(time, ask, answer.uncached, step.end)?;
                self.write(ask);
            }
        }
        match (expected, step.end) {
            (None, None) => Ok(()),
            (None, Some(end)) => self.expire(time, end),
            (Some(expected), Some(end)) if expected == end => Ok(()),
            (expected, end) => Err(format!(
                "the end of a lock is {end:?}, must be {expected:?}"
            )),
        }
    }

    /// What is wrong with the status.
    fn status(&self, ask: &Ask, given: u8) -> Option<&'static str> {
        let lock = self.locks.get(&ask.line);
        let rmw = lock.filter(|lock| lock.rmw);
        let owns = ask.who.is_cp() && rmw.is_some_and(|lock| lock.owner == ask.who.number());
        let refused = match ask.op {
            op::RMW_WRITE => !owns,
            op::RMW_READ => !ask.who.is_cp(),
            known => known > op::RMW_WRITE,
        };
        if refused != (given == status::REFUSED) {
            return Some("refused or not");
        }
        if refused || given != status::OK {
            return None;
        }
        if rmw.is_some() && !owns {
            return Some("served on a line that another has locked");
        }
        if ask.op == op::INVALIDATE && lock.is_some() && (rmw.is_some() || !ask.who.is_cp()) {
            return Some("a locked line is invalidated");
        }
        None
    }

    /// What the access does to locks; the end of a lock that it must bring. Errors: a lock that must not be dropped
    /// was.
    fn locking(
        &mut self,
        time: u64,
        ask: &Ask,
        uncached: bool,
        seen: Option<End>,
    ) -> Result<Option<End>, String> {
        let line = ask.line;
        let lock = self.locks.get(&line).copied();
        let end = |cause, lock: Lock, line| {
            Some(End {
                cause,
                rmw: lock.rmw,
                owner: lock.owner,
                age: time - lock.since,
                line,
            })
        };
        let mut ended = None;
        if let Some(lock) = lock {
            if ask.op == op::RMW_WRITE || (!lock.rmw && ask.who.is_cp()) {
                ended = end(cause::RELEASE, lock, line);
                self.locks.remove(&line);
            }
        }
        let already_rmw = lock.is_some_and(|lock| lock.rmw);
        if ask.op == op::RMW_READ && !already_rmw {
            let set: Vec<(u64, Lock)> = self
                .in_set(line)
                .map(|(line, lock)| (*line, *lock))
                .collect();
            if set.iter().filter(|(_, lock)| lock.rmw).count() >= self.shape.ways - 1 {
                return Err("too many RMW locks in a set".into());
            }
            // The line was not there and all ways are locked: the oldest STORE lock goes.
            if set.len() == self.shape.ways {
                let stores = set.iter().filter(|(_, lock)| !lock.rmw);
                let Some((oldest, lock)) = stores.min_by_key(|(_, lock)| lock.since) else {
                    return Err("no STORE lock to drop".into());
                };
                ended = end(cause::DROPPED, *lock, *oldest);
                self.locks.remove(oldest);
                self.dropped += 1;
            } else if seen.is_some_and(|end| end.cause == cause::DROPPED) {
                return Err(format!("a way was not locked, and still {seen:?}"));
            }
            self.locks.insert(
                line,
                Lock {
                    rmw: true,
                    owner: ask.who.number(),
                    since: time,
                },
            );
        }
        if ask.op == op::LOCKED_STORE && !ask.who.is_cp() && lock.is_none() {
            if uncached || self.in_set(line).count() >= self.ways_limit {
                self.overflows += 1;
            } else {
                self.locks.insert(
                    line,
                    Lock {
                        rmw: false,
                        owner: ask.who.number(),
                        since: time,
                    },
                );
            }
        }
        Ok(ended)
    }

    fn expire(&mut self, time: u64, end: End) -> Result<(), String> {
        let lock = self
            .locks
            .remove(&end.line)
            .ok_or(format!("no such lock: {end:?}"))?;
        let (age, locked) = (time - lock.since, self.locks.len() as u64 + 1);
        let latest = self.limit + self.shape.sets + 4 * locked + 4;
        let same = (end.rmw, end.owner, end.age) == (lock.rmw, lock.owner, age);
        if end.cause != cause::WATCHDOG || !same || age < self.limit || age > latest {
            return Err(format!(
                "{lock:?} ended at {time} by {end:?}, limit {}, at most {latest}",
                self.limit
            ));
        }
        self.expired += 1;
        Ok(())
    }

    /// What the access does to memory.
    fn write(&mut self, ask: &Ask) {
        let mut line = self.line(ask.line);
        match ask.op {
            op::STORE | op::LOCKED_STORE | op::RMW_WRITE => {
                for byte in 0..8 * line.len() {
                    if ask.strobe >> byte & 1 == 1 {
                        let mut bytes = line[byte / 8].to_le_bytes();
                        bytes[byte % 8] = ask.data[byte / 8].to_le_bytes()[byte % 8];
                        line[byte / 8] = u64::from_le_bytes(bytes);
                    }
                }
            }
            op::ATOMIC_ADD | op::ATOMIC_SWAP | op::ATOMIC_CAS => {
                let at = ask.byte as usize % (8 * line.len());
                let (word, old, operand) = (at / 8, line[at / 8], ask.data[at / 8]);
                let result = |old: u64, operand: u64, compare: u64| match ask.op {
                    op::ATOMIC_ADD => old.wrapping_add(operand),
                    op::ATOMIC_SWAP => operand,
                    _ if old == compare => operand,
                    _ => old,
                };
                line[word] = if ask.wide {
                    result(old, operand, ask.compare)
                } else {
                    let shift = at % 8 / 4 * 32;
                    let low = |value: u64| value >> shift & 0xffff_ffff;
                    let narrow =
                        result(low(old), low(operand), ask.compare & 0xffff_ffff) & 0xffff_ffff;
                    old & !(0xffff_ffff << shift) | narrow << shift
                };
            }
            _ => return,
        }
        self.lines.insert(ask.line, line);
    }
}

/// Replays all that a bank did. Errors: the first access that the rules forbid, with its time.
pub fn replay(
    model: &mut Model,
    steps: &std::collections::BTreeMap<u64, Step>,
) -> Result<(), String> {
    for (time, step) in steps {
        model
            .step(*time, step)
            .map_err(|wrong| format!("access seen in cycle {time}: {wrong}"))?;
    }
    Ok(())
}

/// Threads and units of the same numbers.
pub fn requesters(threads: u8, units: u8) -> Vec<Who> {
    (0..threads)
        .map(Who::Cp)
        .chain((0..units).map(Who::Cu))
        .collect()
}
