//! All interleavings of up to three requesters with up to six operations.
//!
//! What is enumerated: every multiset of one to three programs from [`PROGRAMS`] (a program is the operations of one
//! requester; a read-modify-write counts as two) with at most six operations in all, except that two programs with a
//! read-modify-write are of two threads. For each, every order in which the operations arrive (every merge of the
//! programs; an operation arrives as soon as its turn has come and the one before it of the same requester is answered;
//! where the answer waits for an operation that comes later in the merge, that one is let through first). For each of
//! these every [`SPACING`] of arrivals and every latency of memory in [`LATENCIES`], on one line, and on two lines of
//! one set of the two-way bank whose ways the programs fight for. Each run is replayed by the naive model: the order of
//! the answers is a legal order, each value read is the one written last in it, and no other write lies between the
//! halves of a read-modify-write.

use std::collections::BTreeMap;

use super::memory::Timing;
use super::model::{Model, replay};
use super::rig::{Ask, Rig, SMALL, Who};
use xtq_types::l2::op;

/// Operations of one requester; `R` is a read-modify-write: RMW_READ, then RMW_WRITE of the value plus one. Small
/// letters go to the second line.
const PROGRAMS: [&str; 16] = [
    "R", "RR", "RL", "LR", "RS", "A", "AA", "S", "SL", "X", "XL", "C", "W", "SW", "Rr", "Xs",
];

/// Cycles between two arrivals: one after the other, and so that the later meets the earlier in each stage.
const SPACING: [u64; 3] = [0, 1, 4];

/// Latencies of memory.
const LATENCIES: [u64; 2] = [1, 9];

/// Operations that a program is.
fn size(program: &str) -> usize {
    program
        .bytes()
        .map(|letter| {
            if letter.eq_ignore_ascii_case(&b'r') {
                2
            } else {
                1
            }
        })
        .sum()
}

/// A run of programs: whose next operation comes when.
struct Run<'a> {
    programs: &'a [&'a str],
    /// Requester of each arrival.
    order: &'a [usize],
    spacing: u64,
    latency: u64,
}

/// What comes next of a program.
#[derive(Clone, Copy)]
struct At {
    letter: usize,
    /// The read of a read-modify-write is answered with this.
    read: Option<u64>,
    busy: bool,
}

impl Run<'_> {
    fn who(&self, number: usize) -> Who {
        let threads = self.programs[number].contains(['R', 'L', 'C', 'W']);
        if threads {
            Who::Cp(number as u8)
        } else {
            Who::Cu(number as u8)
        }
    }

    fn next(&self, rig: &Rig, number: usize, at: At) -> Option<Ask> {
        let letter = *self.programs[number].as_bytes().get(at.letter)?;
        let line = rig.line(1, if letter.is_ascii_uppercase() { 0 } else { 1 });
        let who = self.who(number);
        let word = 1000 * (number as u64 + 1) + at.letter as u64;
        Some(match letter.to_ascii_uppercase() {
            b'R' => match at.read {
                None => Ask::new(who, op::RMW_READ, line),
                Some(value) => Ask::new(who, op::RMW_WRITE, line).with(value + 1),
            },
            b'A' => Ask::new(who, op::ATOMIC_ADD, line).with(1),
            b'S' => Ask::new(who, op::STORE, line).with(word),
            b'X' => Ask::new(who, op::LOCKED_STORE, line).with(word),
            b'C' => Ask::new(who, op::INVALIDATE, line),
            b'W' => Ask::new(who, op::WRITE_BACK, line),
            _ => Ask::new(who, op::LOAD, line),
        })
    }

    /// Runs it. Errors: what the model does not accept.
    fn run(&self, rig: &mut Rig) -> Result<(), String> {
        let mut at = vec![
            At {
                letter: 0,
                read: None,
                busy: false
            };
            self.programs.len()
        ];
        let mut order: Vec<usize> = self.order.to_vec();
        let (mut wait, mut seen, mut cycles) = (0, 0, 0);
        while !order.is_empty() || rig.unanswered() > 0 {
            // The first arrival that is not held up by its own requester.
            if wait == 0 && rig.unaccepted() == 0 {
                let blocked = order.first().is_some_and(|number| at[*number].busy);
                // A requester that is stuck is passed over only when nothing moves without.
                let passes = blocked && cycles > 24;
                let place = order
                    .iter()
                    .position(|number| !at[*number].busy)
                    .filter(|place| *place == 0 || passes);
                if let Some(place) = place {
                    let number = order.remove(place);
                    let ask = self
                        .next(rig, number, at[number])
                        .ok_or("the order is longer than the program")?;
                    rig.ask(ask);
                    at[number].busy = true;
                    wait = self.spacing;
                    cycles = 0;
                }
            }
            wait = wait.saturating_sub(1);
            rig.cycle();
            cycles += 1;
            if cycles > 300 {
                return Err("it does not end".into());
            }
            while let Some(answer) = rig.answers.get(seen) {
                seen += 1;
                cycles = 0;
                let number = usize::from(answer.ask.who.number());
                at[number].busy = false;
                at[number].read = (answer.ask.op == op::RMW_READ).then_some(answer.data[0]);
                if at[number].read.is_none() {
                    at[number].letter += 1;
                }
            }
        }
        rig.run(2);
        let mut model = Model::new(SMALL, 1000, 2);
        replay(&mut model, &rig.steps)?;
        if rig.out("watchdog_drops") > 0 || rig.out("locked_lines") != model.locked() as u64 {
            return Err("a lock was lost".into());
        }
        Ok(())
    }
}

/// Calls `visit` for each merge of so many operations of each requester.
fn merges(left: &mut Vec<usize>, order: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    if left.iter().all(|left| *left == 0) {
        return visit(order);
    }
    for number in 0..left.len() {
        if left[number] > 0 {
            left[number] -= 1;
            order.push(number);
            merges(left, order, visit);
            order.pop();
            left[number] += 1;
        }
    }
}

/// Calls `visit` for each multiset of up to three programs of at most six operations.
fn programs(from: usize, chosen: &mut Vec<&'static str>, visit: &mut impl FnMut(&[&'static str])) {
    if !chosen.is_empty() {
        visit(chosen);
    }
    if chosen.len() == 3 {
        return;
    }
    for (number, &program) in PROGRAMS.iter().enumerate().skip(from) {
        chosen.push(program);
        if chosen.iter().map(|program| size(program)).sum::<usize>() <= 6 {
            programs(number, chosen, visit);
        }
        chosen.pop();
    }
}

#[test]
fn every_interleaving_of_three_requesters_and_six_operations_is_linearisable() {
    let mut rig = Rig::new(SMALL, Timing::fixed(1), 0.0);
    rig.limits(1000, 2);
    let start = rig.start();
    let (mut runs, mut sets) = (0u64, BTreeMap::new());
    programs(0, &mut Vec::new(), &mut |programs| {
        let mut left: Vec<usize> = programs.iter().map(|program| size(program)).collect();
        merges(&mut left, &mut Vec::new(), &mut |order| {
            for spacing in SPACING {
                for latency in LATENCIES {
                    rig.restart(&start, Timing::fixed(latency));
                    let run = Run {
                        programs,
                        order,
                        spacing,
                        latency,
                    };
                    if let Err(wrong) = run.run(&mut rig) {
                        panic!(
                            "{wrong}\nprograms {programs:?}, order {order:?}, spacing {spacing}, latency {}",
                            run.latency
                        );
                    }
                    runs += 1;
                }
            }
        });
        *sets.entry(programs.len()).or_insert(0u64) += 1;
    });
    // So that nobody makes the enumeration smaller without noticing.
    println!("{runs} runs, program sets by requesters: {sets:?}");
    assert_eq!(
        (runs, sets),
        (105_192, BTreeMap::from([(1, 16), (2, 127), (3, 451)]))
    );
}
