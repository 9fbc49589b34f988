//! The rules of locks, each by name.

use super::memory::Timing;
use super::rig::{Ask, End, FULL, MIDDLE, Rig, SMALL, Who};
use xtq_rtl::types::l2::{cause, op, status};

const CU: Who = Who::Cu(3);
const A: Who = Who::Cp(1);
const B: Who = Who::Cp(2);

fn ask(who: Who, op: u8, line: u64) -> Ask {
    Ask::new(who, op, line)
}

fn lock(rig: &mut Rig, who: Who, line: u64) {
    let answer = rig.done(ask(who, op::RMW_READ, line));
    assert_eq!((answer.status, answer.uncached), (status::OK, false));
}

fn locked_store(rig: &mut Rig, line: u64, word: u64) -> bool {
    rig.done(ask(CU, op::LOCKED_STORE, line).with(word))
        .uncached
}

/// Streams loads of other lines through the set.
fn stream(rig: &mut Rig, set: u64) {
    for number in 100..100 + 3 * rig.shape.ways as u64 {
        let line = rig.line(set, number);
        rig.done(ask(CU, op::LOAD, line));
    }
}

#[test]
fn an_rmw_pair_is_atomic_against_threads_and_compute_units() {
    for hit_first in [false, true] {
        let mut rig = Rig::simple(SMALL);
        if hit_first {
            rig.done(ask(CU, op::LOAD, 4));
        }
        lock(&mut rig, A, 4);
        let others = [
            (B, op::LOAD),
            (CU, op::STORE),
            (CU, op::ATOMIC_ADD),
            (B, op::RMW_READ),
            (CU, op::LOCKED_STORE),
            (CU, op::WRITE_BACK),
            (B, op::ATOMIC_SWAP),
        ];
        let first = rig.answers.len();
        for (who, op) in others.into_iter().take(3) {
            rig.ask(ask(who, op, 4).with(1));
        }
        rig.run(30);
        assert_eq!(rig.answers.len(), first, "all wait");
        rig.ask(ask(A, op::RMW_WRITE, 4).with(50));
        rig.finish_within(40);
        let answers = &rig.answers[first..];
        assert_eq!(answers[0].ask.who, A);
        let waited: Vec<_> = answers[1..]
            .iter()
            .map(|answer| (answer.ask.who, answer.ask.op, answer.data[0]))
            .collect();
        assert_eq!(
            waited,
            [
                (B, op::LOAD, 50),
                (CU, op::STORE, 50),
                (CU, op::ATOMIC_ADD, 1)
            ]
        );
        assert!(
            answers
                .iter()
                .all(|answer| answer.hit && answer.status == status::OK)
        );
        for (who, op) in others.into_iter().skip(3) {
            let mut rig = Rig::simple(SMALL);
            lock(&mut rig, A, 4);
            rig.ask(ask(who, op, 4).with(1));
            rig.run(20);
            assert_eq!(rig.unanswered(), 1, "{who:?} {op}");
            rig.ask(ask(A, op::RMW_WRITE, 4).with(50));
            rig.finish_within(40);
        }
    }
}

#[test]
fn waiters_are_served_in_the_order_of_arrival() {
    let mut rig = Rig::simple(FULL);
    lock(&mut rig, A, 4);
    for i in 0..14 {
        rig.ask(ask(Who::Cu(i), op::ATOMIC_ADD, 4).with(1));
    }
    rig.run(30);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(0));
    rig.finish_within(100);
    for (i, answer) in rig.answers[2..].iter().enumerate() {
        assert_eq!(
            (answer.ask.who, answer.data[0]),
            (Who::Cu(i as u8), i as u64)
        );
    }
}

#[test]
fn an_rmw_write_unlocks_at_once_and_never_waits_behind_requests() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    for i in 0..12 {
        rig.ask(ask(Who::Cu(i), op::LOAD, 4));
    }
    rig.run(30);
    assert!(rig.unaccepted() > 0, "the queue is full");
    rig.ask(ask(A, op::RMW_WRITE, 4).with(1));
    let from = rig.engine_cycle();
    while rig.answers.last().unwrap().ask.op != op::RMW_WRITE {
        rig.run(1);
    }
    let answer = rig.answers.last().unwrap();
    assert_eq!((answer.accepted, answer.cycle), (from, from + 3));
    assert_eq!(
        rig.ends(),
        [End {
            cause: cause::RELEASE,
            rmw: true,
            owner: 1,
            age: rig.ends()[0].age,
            line: 4
        }]
    );
    rig.finish_within(100);
}

#[test]
fn the_oldest_waiter_is_next_after_the_unlock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(B, op::RMW_READ, 4));
    rig.run(10);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.ask(ask(A, op::RMW_WRITE, 4).with(9));
    rig.run(20);
    let answers: Vec<_> = rig
        .answers
        .iter()
        .map(|answer| (answer.ask.who, answer.data[0]))
        .collect();
    assert_eq!(answers[2..], [(B, 9)], "the load waits for B's lock");
    rig.ask(ask(B, op::RMW_WRITE, 4).with(10));
    rig.finish_within(30);
    assert_eq!(rig.answers.last().unwrap().data[0], 10);
}

#[test]
fn an_rmw_write_of_anybody_else_is_refused_and_changes_nothing() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    for who in [B, Who::Cu(1), Who::Cp(17)] {
        let answer = rig.done(ask(who, op::RMW_WRITE, 4).with(66));
        assert_eq!(answer.status, status::REFUSED);
    }
    assert_eq!(rig.out("locked_lines"), 1);
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 2).with(66)).status,
        status::REFUSED,
        "not there"
    );
    rig.done(ask(CU, op::LOAD, 2));
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 2).with(66)).status,
        status::REFUSED,
        "not locked"
    );
    let read = rig.done(ask(A, op::LOAD, 4));
    assert_eq!(read.data, super::memory::initial(4, 1));
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 4).with(5)).status,
        status::OK
    );
    assert_eq!(
        rig.done(ask(A, op::RMW_WRITE, 4).with(66)).status,
        status::REFUSED,
        "unlocked"
    );
    assert_eq!(rig.done(ask(CU, op::LOAD, 4)).data, [5]);
}

#[test]
fn refused_rmw_writes_do_not_stop_requests() {
    let mut rig = Rig::simple(SMALL);
    rig.done(ask(CU, op::LOAD, 4));
    for _ in 0..200 {
        rig.ask(ask(B, op::RMW_WRITE, 4));
    }
    for _ in 0..40 {
        rig.ask(ask(CU, op::LOAD, 4));
    }
    rig.run(86);
    let loads = rig
        .answers
        .iter()
        .filter(|answer| answer.ask.op == op::LOAD);
    assert_eq!(loads.count(), 41, "one every second cycle");
}

#[test]
fn the_owner_is_served_and_keeps_the_lock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(10);
    for op in [
        op::LOAD,
        op::STORE,
        op::ATOMIC_ADD,
        op::LOCKED_STORE,
        op::RMW_READ,
        op::WRITE_BACK,
    ] {
        rig.ask(ask(A, op, 4).with(1));
        rig.run(8);
        assert_eq!(rig.answers.last().unwrap().ask.op, op, "ahead of the other");
        assert_eq!(rig.out("locked_lines"), 1);
    }
    rig.ask(ask(A, op::RMW_WRITE, 4).with(1));
    rig.finish_within(20);
}

#[test]
fn an_owners_request_that_waited_goes_ahead_once_it_has_the_lock() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, B, 4);
    for (who, op) in [(A, op::RMW_READ), (CU, op::LOAD), (A, op::LOAD)] {
        rig.ask(ask(who, op, 4));
    }
    rig.run(20);
    rig.ask(ask(B, op::RMW_WRITE, 4).with(3));
    rig.run(20);
    let who: Vec<_> = rig
        .answers
        .iter()
        .map(|answer| (answer.ask.who, answer.ask.op))
        .collect();
    assert_eq!(who[2..], [(A, op::RMW_READ), (A, op::LOAD)]);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(4));
    rig.finish_within(20);
}

#[test]
fn requests_of_an_owner_are_in_order_again_when_the_lock_has_ended() {
    let mut rig = Rig::simple(FULL);
    rig.limits(10_000, 16);
    for number in 0..15 {
        let line = rig.line(0, number);
        assert!(!locked_store(&mut rig, line, 1));
    }
    let (line, last) = (rig.line(0, 20), rig.line(0, 21));
    rig.memory.held = true;
    rig.ask(ask(A, op::RMW_READ, line));
    rig.ask(ask(B, op::STORE, line).with(7));
    rig.ask(ask(A, op::LOAD, line));
    // Fills that keep all who wait from being tried again, until the last one takes the line's place.
    for number in 0..10 {
        let other = rig.line(1 + number, 40);
        rig.ask(ask(CU, op::LOAD, other));
    }
    rig.ask(ask(CU, op::LOAD, last));
    rig.run(40);
    rig.memory.held = false;
    let first = rig.answers.len();
    while rig.answers.len() == first {
        rig.run(1);
    }
    assert_eq!(rig.answers[first].ask.op, op::RMW_READ);
    rig.ask(ask(A, op::RMW_WRITE, line).with(5));
    rig.finish_within(100);
    let fetched = rig.memory.read_log.iter().filter(|read| read.1 == line);
    assert_eq!(fetched.count(), 2, "for the lock, and once for both");
    let owners = rig
        .answers
        .iter()
        .rfind(|it| it.ask.op == op::LOAD && it.ask.line == line);
    assert_eq!(owners.expect("answered").data[0], 7, "behind the store");
    assert_eq!(rig.done(ask(CU, op::LOAD, line)).data[0], 7);
}

#[test]
fn other_lines_of_the_set_are_served_while_one_is_locked() {
    let mut rig = Rig::simple(SMALL);
    lock(&mut rig, A, 4);
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(5);
    rig.ask(ask(CU, op::STORE, 6).with(1));
    rig.ask(ask(CU, op::LOAD, 8));
    rig.run(40);
    assert_eq!(rig.unanswered(), 1);
    rig.ask(ask(A, op::RMW_WRITE, 4));
    rig.finish_within(20);
}

#[test]
fn a_store_locked_line_outlives_any_stream_and_an_unlocked_one_does_not() {
    for shape in [SMALL, MIDDLE, FULL] {
        let mut rig = Rig::simple(shape);
        let (locked, plain) = (rig.line(1, 1), rig.line(1, 2));
        rig.limits(shape.longest_limit, 15);
        rig.done(ask(CU, op::STORE, plain).with(8));
        locked_store(&mut rig, locked, 7);
        stream(&mut rig, 1);
        assert_eq!(rig.out("locked_lines"), 1);
        let read = rig.done(ask(A, op::LOAD, locked));
        assert_eq!((read.hit, read.data[0]), (true, 7));
        let read = rig.done(ask(A, op::LOAD, plain));
        assert_eq!((read.hit, read.data[0]), (false, 8));
    }
}

#[test]
fn compute_units_are_served_on_a_store_locked_line_and_any_cp_access_clears_it() {
    for op in [
        op::LOAD,
        op::STORE,
        op::ATOMIC_ADD,
        op::LOCKED_STORE,
        op::WRITE_BACK,
        op::INVALIDATE,
    ] {
        let mut rig = Rig::simple(SMALL);
        locked_store(&mut rig, 4, 7);
        for op in [
            op::LOAD,
            op::STORE,
            op::ATOMIC_ADD,
            op::WRITE_BACK,
            op::LOCKED_STORE,
        ] {
            assert!(rig.done(ask(Who::Cu(9), op, 4)).hit);
            assert_eq!(rig.out("locked_lines"), 1);
        }
        assert_eq!(rig.done(ask(A, op, 4)).status, status::OK);
        assert_eq!(rig.out("locked_lines"), 0, "{op}");
        let end = rig.ends()[0];
        assert_eq!(
            (end.cause, end.rmw, end.owner, end.line),
            (cause::RELEASE, false, 3, 4)
        );
    }
}

#[test]
fn an_rmw_read_turns_a_store_lock_into_its_own() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7);
    lock(&mut rig, A, 4);
    assert_eq!(rig.out("locked_lines"), 1);
    assert_eq!(
        rig.ends()
            .iter()
            .map(|end| (end.cause, end.rmw))
            .collect::<Vec<_>>(),
        [(cause::RELEASE, false)]
    );
    rig.ask(ask(CU, op::LOAD, 4));
    rig.run(15);
    assert_eq!(rig.unanswered(), 1);
    rig.ask(ask(A, op::RMW_WRITE, 4));
    rig.finish_within(20);
    assert_eq!(rig.out("locked_lines"), 0);
}

#[test]
fn a_locked_store_beyond_the_limit_is_a_plain_store_and_counted() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 3);
    let lines: Vec<u64> = (0..4).map(|number| rig.line(0, number)).collect();
    for &line in &lines {
        assert!(!locked_store(&mut rig, line, line));
    }
    assert_eq!((rig.out("locked_lines"), rig.out("lock_overflows")), (3, 1));
    assert!(!locked_store(&mut rig, lines[3], 5), "a hit, still no lock");
    assert!(!locked_store(&mut rig, lines[0], 5), "it has one");
    rig.run(3);
    assert_eq!((rig.out("locked_lines"), rig.out("lock_overflows")), (3, 2));
    stream(&mut rig, 0);
    assert!(!rig.done(ask(CU, op::LOAD, lines[3])).hit);
    assert!(rig.done(ask(CU, op::LOAD, lines[0])).hit);
    let other = rig.line(1, 0);
    locked_store(&mut rig, other, 1);
    assert_eq!(rig.out("locked_lines"), 4, "the limit is the set's");
}

#[test]
fn with_all_ways_locked_the_rest_is_served_uncached_and_right() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 16);
    for number in 0..4 {
        let line = rig.line(0, number);
        locked_store(&mut rig, line, line);
    }
    let line = rig.line(0, 9);
    let before = super::memory::initial(line, 2);
    let read = rig.done(ask(CU, op::LOAD, line));
    assert_eq!(
        (read.uncached, read.hit, read.data),
        (true, false, before.clone())
    );
    assert!(
        rig.done(Ask {
            strobe: 1,
            ..ask(CU, op::STORE, line).with(0xee)
        })
        .uncached
    );
    assert!(
        rig.done(Ask {
            byte: 8,
            ..ask(A, op::ATOMIC_ADD, line).with(3)
        })
        .uncached
    );
    assert!(
        rig.done(Ask {
            byte: 8,
            compare: 1,
            ..ask(A, op::ATOMIC_CAS, line).with(0)
        })
        .uncached
    );
    assert_eq!(rig.out("lock_overflows"), 0);
    let last = rig.line(0, 10);
    assert!(locked_store(&mut rig, last, 44), "written through");
    rig.run(20);
    assert_eq!(rig.out("lock_overflows"), 1);
    assert_eq!(
        rig.memory.line(line),
        [before[0] & !0xff | 0xee, before[1] + 3]
    );
    assert_eq!(rig.memory.line(rig.line(0, 10)), [44, 44]);
    assert_eq!(
        rig.memory
            .write_log
            .iter()
            .map(|write| write.2)
            .collect::<Vec<_>>(),
        [1, 0xff00, 0xff00, 0xffff]
    );
    assert_eq!(rig.out("locked_lines"), 4);
}

#[test]
fn rmw_locks_leave_one_way_and_the_next_waits_its_turn() {
    let mut rig = Rig::simple(MIDDLE);
    for number in 0..3 {
        let line = rig.line(0, number);
        lock(&mut rig, Who::Cp(number as u8), line);
    }
    // Two more threads on other lines of the set, one of them in the cache.
    let (there, absent) = (rig.line(0, 3), rig.line(0, 4));
    rig.done(ask(CU, op::LOAD, there));
    rig.ask(ask(Who::Cp(11), op::RMW_READ, absent));
    rig.run(30);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there));
    rig.run(30);
    assert_eq!(rig.unanswered(), 2);
    // Others still use the way that is left, and the other set has locks of its own.
    let stream = rig.line(0, 40);
    assert!(!rig.done_among(ask(CU, op::LOAD, stream)).uncached);
    let other = rig.line(1, 0);
    rig.done_among(ask(Who::Cp(13), op::RMW_READ, other));
    // One unlock serves the first that came, though its line has to be fetched again.
    let first = rig.line(0, 0);
    rig.done_among(ask(Who::Cp(0), op::RMW_WRITE, first));
    rig.run(40);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(11));
    assert_eq!(rig.unanswered(), 1);
    rig.done_among(ask(Who::Cp(11), op::RMW_WRITE, absent));
    rig.run(40);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(12));
}

/// A set with three RMW locks of threads 0 to 2, a line in its fourth way, and thread 11 that waits for a lock on a line that is not there; the two lines.
fn full_set_with_a_waiter(rig: &mut Rig) -> (u64, u64) {
    for number in 0..3 {
        let line = rig.line(0, number);
        lock(rig, Who::Cp(number as u8), line);
    }
    let (there, absent) = (rig.line(0, 3), rig.line(0, 4));
    rig.done(ask(CU, op::LOAD, there));
    rig.ask(ask(Who::Cp(11), op::RMW_READ, absent));
    rig.run(60);
    assert_eq!(rig.unanswered(), 1);
    (there, absent)
}

#[test]
fn a_thread_that_waits_for_an_rmw_lock_is_not_overtaken_while_its_line_is_fetched() {
    let mut rig = Rig::new(MIDDLE, Timing::fixed(30), 0.0);
    let (there, _) = full_set_with_a_waiter(&mut rig);
    let first = rig.line(0, 0);
    rig.ask(ask(Who::Cp(0), op::RMW_WRITE, first));
    rig.run(3);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there)); // a hit, and there is room
    rig.run(80);
    assert_eq!(rig.answers.last().unwrap().ask.who, Who::Cp(11));
    assert_eq!(rig.unanswered(), 1);
    let second = rig.line(0, 1);
    rig.ask(ask(Who::Cp(1), op::RMW_WRITE, second));
    rig.finish_within(80);
}

#[test]
fn a_thread_that_waited_behind_another_is_served_when_that_one_has_its_lock() {
    let mut rig = Rig::new(MIDDLE, Timing::fixed(30), 0.0);
    let (there, _) = full_set_with_a_waiter(&mut rig);
    rig.ask(ask(Who::Cp(12), op::RMW_READ, there));
    rig.run(10);
    for number in 0..2 {
        let line = rig.line(0, number);
        rig.ask(ask(Who::Cp(number as u8), op::RMW_WRITE, line));
    }
    // Both unlocks come while the first waiter's line is fetched; no other follows.
    rig.finish_within(100);
    let served: Vec<Who> = rig
        .answers
        .iter()
        .rev()
        .take(2)
        .map(|answer| answer.ask.who)
        .collect();
    assert_eq!(served, [Who::Cp(12), Who::Cp(11)]);
}

#[test]
fn an_rmw_read_drops_the_oldest_store_lock_if_all_other_ways_are_locked() {
    let mut rig = Rig::simple(MIDDLE);
    rig.limits(1000, 16);
    let order = [2, 0, 3, 1];
    for number in order {
        let line = rig.line(0, number);
        locked_store(&mut rig, line, 70 + number);
    }
    let line = rig.line(0, 9);
    lock(&mut rig, A, line);
    assert_eq!(rig.out("locked_lines"), 4);
    rig.run(3);
    assert_eq!(rig.out("dropped_locks"), 1);
    let end = rig.ends()[0];
    assert_eq!(
        (end.cause, end.rmw, end.line),
        (cause::DROPPED, false, rig.line(0, 2))
    );
    rig.run(20);
    assert_eq!(rig.memory.line(rig.line(0, 2)), [72, 72], "it was dirty");
    // Two more; then every way but one is RMW-locked.
    for (number, owner) in [(10, 2), (11, 3)] {
        let line = rig.line(0, number);
        lock(&mut rig, Who::Cp(owner), line);
    }
    assert_eq!(rig.ends()[1].line, rig.line(0, 0));
    assert_eq!(rig.ends()[2].line, rig.line(0, 3));
    rig.ask(ask(Who::Cp(4), op::RMW_READ, rig.line(0, 12)));
    rig.run(60);
    assert_eq!(rig.unanswered(), 1, "the last way keeps its STORE lock");
    rig.ask(ask(A, op::RMW_WRITE, line));
    rig.finish_within(60);
    assert_eq!(rig.out("dropped_locks"), 3, "the unlocked way was enough");
}

#[test]
fn invalidate_waits_for_either_lock_and_holds_up_nobody_else() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7);
    rig.ask(ask(CU, op::INVALIDATE, 4));
    rig.run(10);
    assert_eq!(rig.unanswered(), 1);
    assert!(rig.done_among(ask(Who::Cu(5), op::LOAD, 4)).hit);
    assert!(rig.done_among(ask(A, op::LOAD, 4)).hit); // unlocks
    rig.finish_within(20);
    rig.run(20);
    assert_eq!(rig.memory.line(4), [7]);
    assert!(!rig.done(ask(CU, op::LOAD, 4)).hit);

    lock(&mut rig, A, 4);
    for who in [CU, B, A] {
        rig.ask(ask(who, op::INVALIDATE, 4));
    }
    rig.run(15);
    assert_eq!(rig.unanswered(), 3);
    rig.ask(ask(A, op::RMW_WRITE, 4).with(8));
    rig.finish_within(30);
    rig.run(20);
    assert_eq!(rig.memory.line(4), [8]);
}

#[test]
fn a_write_back_that_waits_is_served_while_lines_come_faster_than_memory_writes() {
    for shape in [SMALL, MIDDLE] {
        // A line comes after two cycles, a write is acknowledged every twelve, and every line that comes evicts a dirty one.
        let mut rig = Rig::new(shape, Timing::fixed(2), 0.0);
        rig.memory.acknowledges_every = 12;
        rig.limits(1000, 1);
        lock(&mut rig, A, 0);
        rig.ask(ask(CU, op::WRITE_BACK, 0));
        for number in 1..1000 {
            let line = rig.line(number % 2, number);
            rig.ask(ask(Who::Cu(5), op::STORE, line).with(number));
        }
        rig.run(200);
        let unlocked = rig.engine_cycle();
        rig.ask(ask(A, op::RMW_WRITE, 0).with(7));
        rig.run(300);
        let answered = rig.answers.iter().find(|a| a.ask.op == op::WRITE_BACK);
        let cycle = answered.expect("it is served").cycle;
        assert!(cycle - unlocked < 150, "after {} cycles", cycle - unlocked);
        assert!(rig.unaccepted() > 500, "the stream goes on");
        rig.finish_within(30_000);
        assert_eq!(rig.memory.line(0)[0], 7);
    }
}

#[test]
fn a_dead_owner_loses_its_lock_to_the_watchdog_and_its_late_write_is_refused() {
    for shape in [SMALL, MIDDLE, FULL] {
        let mut rig = Rig::simple(shape);
        for limit in [0, 1, 20, shape.longest_limit] {
            rig.limits(limit, 3);
            rig.done(ask(CU, op::LOAD, 4));
            lock(&mut rig, A, 4);
            rig.ask(ask(CU, op::STORE, 4).with(9));
            let before = rig.ends().len();
            rig.finish_within(limit + shape.sets + 40);
            let end = rig.ends()[before];
            assert_eq!(
                (end.cause, end.rmw, end.owner, end.line),
                (cause::WATCHDOG, true, 1, 4)
            );
            let latest = limit + shape.sets + 4 + 4;
            assert!(
                (limit..=latest).contains(&end.age),
                "{end:?}, limit {limit}, at most {latest}"
            );
            assert_eq!(
                rig.done(ask(A, op::RMW_WRITE, 4).with(1)).status,
                status::REFUSED
            );
            assert_eq!(rig.done(ask(CU, op::LOAD, 4)).data[0], 9);
        }
        assert_eq!(rig.out("watchdog_drops"), 4);
    }
}

#[test]
fn the_watchdog_drops_store_locks_too_and_all_that_are_due() {
    let mut rig = Rig::simple(FULL);
    rig.limits(1500, 12);
    let lines: Vec<u64> = (0..96)
        .map(|number| rig.line(number % 8 * 16, number / 8))
        .collect();
    for &line in &lines {
        rig.ask(ask(CU, op::LOCKED_STORE, line));
    }
    rig.finish_within(1400);
    assert_eq!(rig.out("locked_lines"), 96);
    rig.run(3000);
    assert_eq!(
        (rig.out("locked_lines"), rig.out("watchdog_drops")),
        (0, 96)
    );
    let ends = rig.ends();
    let mut seen: Vec<u64> = ends.iter().map(|end| end.line).collect();
    seen.sort_unstable();
    let mut expected = lines.clone();
    expected.sort_unstable();
    assert_eq!(seen, expected);
    let latest = 1500 + 128 + 4 * 96 + 4;
    assert!(
        ends.iter().all(|end| !end.rmw
            && end.cause == cause::WATCHDOG
            && (1500..=latest).contains(&end.age))
    );
}

#[test]
fn a_lock_is_timed_from_its_first_store() {
    let mut rig = Rig::simple(MIDDLE);
    locked_store(&mut rig, 4, 1);
    rig.run(100);
    locked_store(&mut rig, 4, 2);
    rig.run(100);
    rig.done(ask(A, op::LOAD, 4));
    let age = rig.ends()[0].age;
    assert!((200..230).contains(&age), "{age}");
}

#[test]
fn the_kth_waiter_is_served_within_k_watchdog_periods() {
    // Every thread dies with the lock; each waiter has it for one period.
    for seed in 1..6 {
        let timing = Timing {
            latency: 20,
            pauses: 0.2,
            errors: 0.0,
            seed,
        };
        let mut rig = Rig::new(MIDDLE, timing, 0.2);
        let limit = 200;
        rig.limits(limit, 3);
        let from = rig.engine_cycle();
        for thread in 0..7 {
            rig.ask(ask(Who::Cp(thread), op::RMW_READ, 6));
        }
        let period = limit + 2 + 4 + 4;
        rig.finish_within(8 * period + 100);
        for (k, answer) in rig.answers.iter().enumerate() {
            assert_eq!(answer.ask.who, Who::Cp(k as u8));
            assert!(
                answer.cycle - from <= k as u64 * (period + 20) + 150,
                "waiter {k} at {}",
                answer.cycle - from
            );
        }
    }
}

#[test]
fn cp_and_cu_hits_are_counted_apart_and_waiting_for_a_lock_is_no_miss() {
    let mut rig = Rig::simple(SMALL);
    locked_store(&mut rig, 4, 7); // miss
    lock(&mut rig, A, 4); // hit
    rig.ask(ask(CU, op::LOAD, 4)); // hit, after a wait
    rig.run(10);
    rig.ask(ask(A, op::RMW_WRITE, 4)); // not counted
    rig.finish_within(20);
    rig.done(ask(B, op::LOAD, 6)); // miss
    rig.done(ask(B, op::WRITE_BACK, 6)); // not counted
    rig.run(2);
    let counts = ["cp_hits", "cp_misses", "cu_hits", "cu_misses"].map(|name| rig.out(name));
    assert_eq!(counts, [1, 1, 1, 1]);
}
