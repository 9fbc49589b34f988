//! An untimed NIC: plays a schedule in random order, to show that no order of messages and commands breaks it.
//!
//! It has the rules that schedules rely on and nothing else. Triggered operations fire when their counter is there, in
//! posting order. What has fired is done one after the other. A put reads its bytes when it is done. Messages between
//! two ranks keep their order, and take the first entry of the list that takes them. A message that no entry takes is
//! dropped, which is a fault of the schedule, but for what figure 6 of the paper sends to find out.

mod rank;

use crate::arithmetic::apply;
use crate::graph::Slice;
use crate::random::Random;
use crate::reuse;
use crate::schedule::{Action, Entry, Schedule, may_be_dropped};
use rank::Rank;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Why a schedule did not end as it should.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // The messages say what the fields are.
pub enum Failure {
    #[error("a message from rank {from} with bits {bits:#x} finds no entry at rank {to}")]
    Dropped { from: usize, to: usize, bits: u64 },
    #[error("rank {rank} has done {left} triggered operations less or more often than it was used")]
    Left { rank: usize, left: usize },
    #[error("rank {rank} is not done: its counter has {count}, not {threshold}")]
    NotDone {
        rank: usize,
        count: u64,
        threshold: u64,
    },
    #[error("rank {rank} goes beyond its start barrier before others have started")]
    TooEarly { rank: usize },
}

/// A message on its way.
struct Message {
    /// What sent it.
    action: Action,
    bytes: Vec<u8>,
    /// It answers a GET.
    reply: bool,
}

impl Message {
    /// A message without bytes.
    fn new(action: Action) -> Self {
        Self {
            action,
            bytes: Vec::new(),
            reply: false,
        }
    }
}

/// One of the things that may happen next.
#[derive(Clone, Copy, Debug)]
enum Next {
    Start(usize),
    Fire(usize),
    Deliver(usize, usize),
    /// A rank counts, which may be later than what it counts: a GET that it has answered, work of its host.
    Counts(usize, usize),
    /// What a rank has done first waits again.
    Rearm(usize),
    /// The GPU of a rank begins the task at its front, and ends it. It does one after the other.
    Begin(usize),
    End(usize),
}

/// Plays a schedule on the ranks' memories and gives what they hold at the end. Errors: something was dropped, is left,
/// or is not done.
pub fn play(schedule: &Schedule, memory: &[Vec<u8>], seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
    let ends = play_uses(schedule, &[memory.to_vec()], seed)?;
    Ok(ends.into_iter().next().unwrap_or_default())
}

/// The same for several uses, posted once ([`reuse`]), of which each has data of its own. What has been done waits
/// again at any time later, in the order in which it was done. Each rank starts a use when its part of the one before
/// is complete; without a start barrier when all have come so far.
pub fn play_uses(
    schedule: &Schedule,
    before: &[Vec<Vec<u8>>],
    seed: u64,
) -> Result<Vec<Vec<Vec<u8>>>, Failure> {
    let uses = before.len();
    let mut random = Random::new(seed);
    let counts = reuse::counts(schedule);
    let mut ranks: Vec<Rank> = schedule
        .programs
        .iter()
        .enumerate()
        .map(|(rank, program)| {
            let data = before.iter().map(|memory| {
                let mut memory = memory.get(rank).cloned().unwrap_or_default();
                memory.resize(schedule.memory[rank] as usize, 0);
                memory
            });
            Rank::new(
                program,
                data.collect(),
                &counts[rank],
                schedule.starts.max(1),
            )
        })
        .collect();
    let mut network = Network {
        queues: BTreeMap::new(),
        may: (0..ranks.len()).map(Next::Start).collect(),
    };
    while !network.may.is_empty() {
        let next = random.below(network.may.len());
        let next = network.may.swap_remove(next);
        let touched = match next {
            Next::Start(rank) => {
                let before = ranks[rank].fired.len();
                ranks[rank].starts += 1;
                if !ranks[rank].starts.is_multiple_of(ranks[rank].of_use) {
                    network.may.push(Next::Start(rank));
                }
                let start = ranks[rank].program.start;
                ranks[rank].count(start);
                (rank, before)
            }
            Next::Counts(rank, counter) => {
                let before = ranks[rank].fired.len();
                ranks[rank].count(counter);
                (rank, before)
            }
            Next::Begin(rank) => {
                ranks[rank].begin_task();
                network.may.push(Next::End(rank));
                (rank, ranks[rank].fired.len())
            }
            Next::End(rank) => {
                let before = ranks[rank].fired.len();
                ranks[rank].end_task();
                if !ranks[rank].tasks.is_empty() {
                    network.may.push(Next::Begin(rank));
                }
                (rank, before)
            }
            Next::Fire(rank) => {
                let before = ranks[rank].fired.len();
                let Some(number) = ranks[rank].fired.pop_front() else {
                    continue;
                };
                if schedule.barrier && is_early(&ranks, rank, number) {
                    return Err(Failure::TooEarly { rank });
                }
                fire(&mut ranks[rank], rank, number, &mut network);
                if ranks[rank].leave(number) {
                    network.may.push(Next::Rearm(rank));
                }
                (rank, before - 1)
            }
            Next::Rearm(rank) => {
                let before = ranks[rank].fired.len();
                ranks[rank].rearm();
                (rank, before)
            }
            Next::Deliver(from, to) => {
                let queue = network.queues.get_mut(&(from, to));
                let Some(message) = queue.and_then(VecDeque::pop_front) else {
                    continue;
                };
                let before = ranks[to].fired.len();
                deliver(&mut ranks[to], (from, to), message, &mut network)?;
                (to, before)
            }
        };
        let (rank, before) = touched;
        let more = ranks[rank].fired.len().saturating_sub(before);
        let fires = std::iter::repeat_n(Next::Fire(rank), more);
        network.may.extend(fires);
        // Until all have started no rank has heard from all, so no rank of several is done with a barrier.
        let started = ranks.iter().map(Rank::started).min().unwrap_or(0);
        if schedule.barrier && ranks.len() > 1 && ranks[rank].uses_done() > started {
            return Err(Failure::TooEarly { rank });
        }
        let all_ended = ranks.iter().map(Rank::uses_ended).min().unwrap_or(0);
        for (number, rank) in ranks.iter_mut().enumerate() {
            let so_far = if schedule.barrier {
                rank.uses_ended()
            } else {
                all_ended
            };
            if so_far == rank.asked && so_far < uses {
                rank.write_next();
                network.may.push(Next::Start(number));
            }
        }
    }
    for (number, rank) in ranks.iter().enumerate() {
        let left = rank.not_done();
        if left > 0 {
            return Err(Failure::Left { rank: number, left });
        }
        if let Some(done) = rank.done.get(rank.uses_done()) {
            return Err(Failure::NotDone {
                rank: number,
                count: rank.counters[done.counter],
                threshold: done.threshold,
            });
        }
    }
    for rank in &mut ranks {
        rank.after.push(std::mem::take(&mut rank.memory));
    }
    let of_use = |number: usize| {
        ranks
            .iter()
            .map(|rank| rank.after[number].clone())
            .collect()
    };
    Ok((0..uses).map(of_use).collect())
}

/// Whether an operation of a rank is done before all ranks have started its use, though it is none of a start barrier.
fn is_early(ranks: &[Rank], rank: usize, operation: usize) -> bool {
    let of_barrier = match ranks[rank].triggered[operation].action {
        Action::Count { .. } => true,
        Action::Send { target, bits, .. } => {
            let mut entries = ranks[target].program.entries.iter();
            entries.any(|entry| entry.early && entry.takes(rank, bits))
        }
        _ => false,
    };
    let number = ranks[rank].times[operation];
    !of_barrier && ranks.iter().any(|other| !other.begun(number))
}

/// Messages between ranks, and what may happen next.
struct Network {
    queues: BTreeMap<(usize, usize), VecDeque<Message>>,
    may: Vec<Next>,
}

impl Network {
    fn send(&mut self, from: usize, to: usize, message: Message) {
        let queue = self.queues.entry((from, to)).or_default();
        queue.push_back(message);
        self.may.push(Next::Deliver(from, to));
    }
}

fn fire(rank: &mut Rank, number: usize, operation: usize, network: &mut Network) {
    let action = rank.triggered[operation].action;
    match action {
        Action::Count { counter } => rank.count(counter),
        Action::Append { number, entry } => rank.list.push((Some(number), entry)),
        Action::Unlink { number } => rank.list.retain(|(other, _)| *other != Some(number)),
        // Its host counts some time.
        Action::Work { counter, .. } => {
            let counts = counter.map(|counter| Next::Counts(number, counter));
            network.may.extend(counts);
        }
        Action::Task { .. } => {
            if rank.tasks.is_empty() {
                network.may.push(Next::Begin(number));
            }
            rank.tasks.push_back(operation);
        }
        Action::Get { target, .. } => network.send(number, target, Message::new(action)),
        Action::Send {
            descriptor,
            from,
            target,
            ..
        } => {
            let bytes = rank.memory[from.range()].to_vec();
            let message = Message {
                bytes,
                ..Message::new(action)
            };
            network.send(number, target, message);
            if let Some(counter) = rank.program.descriptors[descriptor].counter {
                rank.count(counter);
            }
        }
    }
}

fn deliver(
    rank: &mut Rank,
    (from, to): (usize, usize),
    message: Message,
    network: &mut Network,
) -> Result<(), Failure> {
    let program = rank.program;
    let (bits, at) = match message.action {
        Action::Count { .. }
        | Action::Append { .. }
        | Action::Unlink { .. }
        | Action::Work { .. }
        | Action::Task { .. } => return Ok(()),
        // It is back at the rank that has asked.
        Action::Get {
            descriptor, into, ..
        } if message.reply => {
            rank.memory[into.range()].copy_from_slice(&message.bytes);
            if let Some(counter) = program.descriptors[descriptor].counter {
                rank.count(counter);
            }
            return Ok(());
        }
        Action::Get { bits, at, .. } | Action::Send { bits, at, .. } => (bits, at),
    };
    let gets = matches!(message.action, Action::Get { .. });
    let takes = |entry: &Entry| entry.takes(from, bits) && (entry.gives || !gets);
    let Some(place) = rank.list.iter().position(|(_, entry)| takes(entry)) else {
        return match may_be_dropped(bits) {
            true => Ok(()),
            false => Err(Failure::Dropped { from, to, bits }),
        };
    };
    let (_, entry) = rank.list[place];
    if entry.once {
        rank.list.remove(place);
    }
    let at = entry.into.map_or(at, |into| into.at + at);
    let length = match message.action {
        Action::Get { into, .. } => into.length,
        _ => message.bytes.len() as u64,
    };
    let here = Slice { at, length }.range();
    let end = here.end.min(rank.memory.len());
    let here = &mut rank.memory[here.start.min(end)..end];
    match message.action {
        Action::Get { .. } => {
            let mut bytes = here.to_vec();
            bytes.resize(length as usize, 0);
            let reply = Message {
                bytes,
                reply: true,
                ..message
            };
            network.send(to, from, reply);
            // It is counted when its bytes are with the link, which may be after messages that came later.
            let given = entry.counter.map(|counter| Next::Counts(to, counter));
            network.may.extend(given);
            return Ok(());
        }
        Action::Send {
            arithmetic: Some((operation, datatype)),
            ..
        } => apply(operation, datatype, here, &message.bytes),
        _ => here.copy_from_slice(&message.bytes[..here.len()]),
    }
    if let Some(counter) = entry.counter {
        rank.count(counter);
    }
    Ok(())
}
