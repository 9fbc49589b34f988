//! An untimed NIC: plays a schedule in random order, to show that no order of messages and commands breaks it.
//!
//! It has the rules that schedules rely on and nothing else. Triggered operations fire when their counter is there, in
//! posting order. What has fired is done one after the other. A put reads its bytes when it is done. Messages between
//! two ranks keep their order. A message that no entry takes is dropped, which is a fault of the schedule.

use crate::arithmetic::apply;
use crate::graph::Slice;
use crate::random::Random;
use crate::schedule::{Action, Program, Schedule};
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Why a schedule did not end as it should.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // The messages say what the fields are.
pub enum Failure {
    #[error("a message from rank {from} with bits {bits:#x} finds no entry at rank {to}")]
    Dropped { from: usize, to: usize, bits: u64 },
    #[error("rank {rank} has {left} triggered operations left")]
    Left { rank: usize, left: usize },
    #[error("rank {rank} is not done: its counter has {count}, not {threshold}")]
    NotDone {
        rank: usize,
        count: u64,
        threshold: u64,
    },
    #[error("rank {rank} is done before others have started")]
    TooEarly { rank: usize },
}

/// A message on its way.
struct Message {
    bits: u64,
    at: u64,
    bytes: Vec<u8>,
    action: Action,
}

struct Rank<'a> {
    program: &'a Program,
    memory: Vec<u8>,
    counters: Vec<u64>,
    /// What waits for each counter, in posting order.
    waiting: Vec<Vec<usize>>,
    fired: VecDeque<usize>,
    used: Vec<bool>,
    started: bool,
}

impl<'a> Rank<'a> {
    fn new(program: &'a Program, memory: Vec<u8>) -> Self {
        let mut waiting = vec![Vec::new(); program.counters];
        for (number, triggered) in program.triggered.iter().enumerate() {
            waiting[triggered.gate.counter].push(number);
        }
        Self {
            program,
            memory,
            counters: vec![0; program.counters],
            waiting,
            fired: VecDeque::new(),
            used: vec![false; program.entries.len()],
            started: false,
        }
    }

    fn count(&mut self, counter: usize) {
        self.counters[counter] += 1;
        let count = self.counters[counter];
        let program = self.program;
        let (fires, waits) = std::mem::take(&mut self.waiting[counter])
            .into_iter()
            .partition(|number| program.triggered[*number].gate.threshold <= count);
        self.waiting[counter] = waits;
        self.fired.extend::<Vec<usize>>(fires);
    }

    fn is_done(&self) -> bool {
        self.counters[self.program.done.counter] >= self.program.done.threshold
    }
}

/// One of the things that may happen next.
#[derive(Clone, Copy, Debug)]
enum Next {
    Start(usize),
    Fire(usize),
    Deliver(usize, usize),
}

/// Plays a schedule on the ranks' memories and gives what they hold at the end. Errors: something was dropped, is left,
/// or is not done.
pub fn play(schedule: &Schedule, memory: &[Vec<u8>], seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
    let mut random = Random::new(seed);
    let mut ranks: Vec<Rank> = schedule
        .programs
        .iter()
        .enumerate()
        .map(|(rank, program)| {
            let mut memory = memory.get(rank).cloned().unwrap_or_default();
            memory.resize(schedule.memory[rank] as usize, 0);
            Rank::new(program, memory)
        })
        .collect();
    let mut network: BTreeMap<(usize, usize), VecDeque<Message>> = BTreeMap::new();
    let mut may: Vec<Next> = (0..ranks.len()).map(Next::Start).collect();
    while !may.is_empty() {
        let next = may.swap_remove(random.below(may.len()));
        let touched = match next {
            Next::Start(rank) => {
                ranks[rank].started = true;
                let start = ranks[rank].program.start;
                let before = ranks[rank].fired.len();
                ranks[rank].count(start);
                (rank, before)
            }
            Next::Fire(rank) => {
                let before = ranks[rank].fired.len();
                let Some(number) = ranks[rank].fired.pop_front() else {
                    continue;
                };
                fire(&mut ranks[rank], rank, number, &mut network, &mut may);
                (rank, before - 1)
            }
            Next::Deliver(from, to) => {
                let Some(message) = network.get_mut(&(from, to)).and_then(VecDeque::pop_front)
                else {
                    continue;
                };
                let before = ranks[to].fired.len();
                deliver(&mut ranks[to], from, to, message)?;
                (to, before)
            }
        };
        let (rank, before) = touched;
        let more = ranks[rank].fired.len().saturating_sub(before);
        may.extend(std::iter::repeat_n(Next::Fire(rank), more));
        let all_started = ranks.iter().all(|rank| rank.started);
        // Until then no rank has heard from all, so no rank of several is done with a barrier.
        if schedule.barrier && ranks.len() > 1 && !all_started && ranks[rank].is_done() {
            return Err(Failure::TooEarly { rank });
        }
    }
    for (number, rank) in ranks.iter().enumerate() {
        let left = rank.waiting.iter().map(Vec::len).sum();
        if left > 0 {
            return Err(Failure::Left { rank: number, left });
        }
        if !rank.is_done() {
            return Err(Failure::NotDone {
                rank: number,
                count: rank.counters[rank.program.done.counter],
                threshold: rank.program.done.threshold,
            });
        }
    }
    Ok(ranks.into_iter().map(|rank| rank.memory).collect())
}

fn fire(
    rank: &mut Rank,
    number: usize,
    operation: usize,
    network: &mut BTreeMap<(usize, usize), VecDeque<Message>>,
    may: &mut Vec<Next>,
) {
    let action = rank.program.triggered[operation].action;
    match action {
        Action::Count { counter } => rank.count(counter),
        Action::Send {
            descriptor,
            from,
            target,
            bits,
            at,
            ..
        } => {
            let bytes = rank.memory[from.range()].to_vec();
            network
                .entry((number, target))
                .or_default()
                .push_back(Message {
                    bits,
                    at,
                    bytes,
                    action,
                });
            may.push(Next::Deliver(number, target));
            if let Some(counter) = rank.program.descriptors[descriptor].counter {
                rank.count(counter);
            }
        }
    }
}

fn deliver(rank: &mut Rank, from: usize, to: usize, message: Message) -> Result<(), Failure> {
    let Message {
        bits,
        at,
        bytes,
        action,
    } = message;
    let entries = rank.program.entries.iter().enumerate();
    let found = entries
        .into_iter()
        .find(|(number, entry)| entry.bits == bits && !rank.used[*number]);
    let Some((number, entry)) = found else {
        return Err(Failure::Dropped { from, to, bits });
    };
    rank.used[number] = entry.once;
    let into = Slice {
        at,
        length: bytes.len() as u64,
    };
    let end = into.range().end.min(rank.memory.len());
    let target = &mut rank.memory[into.range().start.min(end)..end];
    match action {
        Action::Send {
            arithmetic: Some((operation, datatype)),
            ..
        } => apply(operation, datatype, target, &bytes),
        _ => {
            let length = target.len();
            target.copy_from_slice(&bytes[..length]);
        }
    }
    if let Some(counter) = entry.counter {
        rank.count(counter);
    }
    Ok(())
}
