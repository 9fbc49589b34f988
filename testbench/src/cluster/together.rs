//! Several lanes through the same cycles, their hardware computed together.
//!
//! What lanes send counts after the epoch, so they could run one after the other. But the code of a NIC is larger than
//! a processor's nearest caches. So [`eval_all`] and [`step_all`] run each function of it for all lanes of a group
//! before the next function.

use std::ops::Range;

use super::lane::{Fault, Lane};
use crate::network::{Held, Station};
use xtq_engine::{Engine, eval_all, step_all};

/// Lanes of a group: with more the state of all no longer stays in the caches.
const GROUP: usize = 16;

/// A lane on its way through an epoch.
struct Turn<'l, 'a, S> {
    lane: &'l mut Lane<'a, S>,
    /// Its next cycle.
    at: u64,
    /// Its station takes part in the cycle.
    runs: bool,
}

/// Runs lanes through the cycles from `from` to before `to`; with `skips`, only those in which something may happen. A
/// lane whose station stops is left where it is, and the others go on. Errors: of the station that stopped first.
pub(super) fn run_together<S: Station>(
    lanes: &mut [&mut Lane<'_, S>],
    from: u64,
    to: u64,
    skips: bool,
) -> Result<(), Fault<S::Error>> {
    let mut first = None;
    for group in lanes.chunks_mut(GROUP) {
        run_group(group, from..to, skips, &mut first);
    }
    first.map_or(Ok(()), Err)
}

fn run_group<S: Station>(
    lanes: &mut [&mut Lane<'_, S>],
    cycles: Range<u64>,
    skips: bool,
    first: &mut Option<Fault<S::Error>>,
) {
    let next = |lane: &Lane<'_, S>, now| if skips { lane.next_event(now) } else { now };
    let mut turns = Vec::with_capacity(lanes.len());
    for lane in lanes {
        if let Err(fault) = lane.catch_up(cycles.start) {
            note(first, lane, fault);
            continue;
        }
        turns.push(Turn {
            at: next(lane, cycles.start),
            lane: &mut **lane,
            runs: false,
        });
    }
    loop {
        let now = turns.iter().map(|turn| turn.at).min();
        let Some(now) = now.filter(|now| *now < cycles.end) else {
            break;
        };
        let mut due: Vec<_> = turns.iter_mut().filter(|turn| turn.at == now).collect();
        cycle(&mut due, now, |turn, fault| {
            turn.at = u64::MAX;
            note(first, turn.lane, fault);
        });
        for turn in due.into_iter().filter(|turn| turn.at == now) {
            turn.lane.port.end(now);
            turn.at = next(turn.lane, now + 1);
        }
    }
    for turn in turns {
        if let Err(fault) = turn.lane.catch_up(cycles.end) {
            note(first, turn.lane, fault);
        }
    }
}

/// Keeps the first fault; the lane's station stays where it is.
fn note<S: Station>(
    first: &mut Option<Fault<S::Error>>,
    lane: &mut Lane<'_, S>,
    fault: Fault<S::Error>,
) {
    lane.stop();
    let known = first.as_ref();
    if known.is_none_or(|known| (fault.cycle, fault.node) < (known.cycle, known.node)) {
        *first = Some(fault);
    }
}

/// One cycle of lanes which have one; `fails` gets those that stop in it.
fn cycle<S: Station>(
    due: &mut [&mut Turn<'_, '_, S>],
    now: u64,
    mut fails: impl FnMut(&mut Turn<'_, '_, S>, Fault<S::Error>),
) {
    for turn in &mut *due {
        let driven = turn.lane.catch_up(now).and_then(|()| turn.lane.drive(now));
        turn.runs = *driven.as_ref().unwrap_or(&false);
        if let Err(fault) = driven {
            fails(turn, fault);
        }
    }
    compute(due, now, eval_all, &mut fails);
    for turn in due.iter_mut().filter(|turn| turn.runs) {
        if let Err(error) = turn.lane.station.sample() {
            turn.runs = false;
            let fault = turn.lane.fault(now, error);
            fails(turn, fault);
        }
    }
    compute(due, now, step_all, &mut fails);
    for turn in due.iter_mut().filter(|turn| turn.runs) {
        if let Err(fault) = turn.lane.collect(now) {
            fails(turn, fault);
        }
    }
}

/// Engines together; the one that failed, by its place.
type Compute = fn(&mut [&mut dyn Engine]) -> Result<(), (usize, xtq_engine::Error)>;

/// Computes the hardware of those that take part.
fn compute<S: Station>(
    due: &mut [&mut Turn<'_, '_, S>],
    now: u64,
    all: Compute,
    fails: &mut impl FnMut(&mut Turn<'_, '_, S>, Fault<S::Error>),
) {
    let mut held = Vec::with_capacity(due.len());
    let mut places = Vec::with_capacity(due.len());
    for (place, turn) in due.iter_mut().enumerate().filter(|(_, turn)| turn.runs) {
        if let Some(hardware) = turn.lane.station.hardware() {
            held.push(hardware);
            places.push(place);
        }
    }
    let mut engines: Vec<&mut dyn Engine> = held.iter_mut().map(Held::engine).collect();
    let done = all(&mut engines);
    drop(held);
    if let Err((number, error)) = done {
        // Others may have failed as well: all stay where they are, as the run is over.
        for turn in due.iter_mut().filter(|turn| turn.runs) {
            turn.runs = false;
            turn.at = u64::MAX;
            turn.lane.stop();
        }
        let turn = &mut due[places[number]];
        let fault = turn.lane.fault(now, error.into());
        fails(turn, fault);
    }
}
