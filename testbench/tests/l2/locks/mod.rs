//! The rules of locks, each by name: here who asks and how, by subject in the files beside.

mod full_sets;
mod rmw;
mod store;
mod waiting;
mod watchdog;

use super::memory;
use super::rig::{self, Ask, Rig, Who};
use xtq_types::l2::{op, status};

pub const CU: Who = Who::Cu(3);
pub const A: Who = Who::Cp(1);
pub const B: Who = Who::Cp(2);

pub fn ask(who: Who, op: u8, line: u64) -> Ask {
    Ask::new(who, op, line)
}

pub fn lock(rig: &mut Rig, who: Who, line: u64) {
    let answer = rig.done(ask(who, op::RMW_READ, line));
    assert_eq!((answer.status, answer.uncached), (status::OK, false));
}

pub fn locked_store(rig: &mut Rig, line: u64, word: u64) -> bool {
    rig.done(ask(CU, op::LOCKED_STORE, line).with(word))
        .uncached
}

/// Streams loads of other lines through the set.
pub fn stream(rig: &mut Rig, set: u64) {
    for number in 100..100 + 3 * rig.shape.ways as u64 {
        let line = rig.line(set, number);
        rig.done(ask(CU, op::LOAD, line));
    }
}
