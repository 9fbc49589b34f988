//! `QueueAdmission` against a naive model.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use proptest::prelude::*;
use xtq_types::event::{access, status};

use super::queue_admission::{Bench, FAILS};
use super::queues::Queue;

#[derive(Clone, Debug)]
enum Step {
    Admit(usize),
    Consume(usize, u64),
    Fail(usize, usize),
    Invalidate(usize),
    Break(usize, bool),
    Mend,
}

const QUEUES: [Queue; 9] = [
    Queue::new(0, 0, 1),
    Queue::new(1, 0, 4),
    Queue::new(2, 0, 2),
    Queue::new(3, 0, 8),
    Queue::new(0, 63, 2),
    Queue::new(3, 63, 4),
    Queue::new(2, 17, 3),
    Queue::new(1, 17, 2).shared(),
    Queue::new(1, 80, 4),
];

fn step() -> impl Strategy<Value = Step> {
    let queue = 0..QUEUES.len();
    prop_oneof![
        12 => queue.clone().prop_map(Step::Admit),
        5 => (queue.clone(), 1..5u64).prop_map(|(queue, count)| Step::Consume(queue, count)),
        1 => (queue.clone(), 0..FAILS.len()).prop_map(|(queue, port)| Step::Fail(queue, port)),
        2 => queue.clone().prop_map(Step::Invalidate),
        1 => (queue, any::<bool>()).prop_map(|(queue, write)| Step::Break(queue, write)),
        2 => Just(Step::Mend),
    ]
}

/// What is known of a queue: promises given and read index; nothing if it failed.
type Known = HashMap<u64, Option<(u64, u64)>>;

/// The rules, in the simplest words.
fn expected(
    known: &mut Known,
    queue: Queue,
    memory: [u64; 2],
    broken: [bool; 2],
    atomics: bool,
) -> (u8, u8, usize) {
    let error = |reads| (status::MEMORY_ERROR, access::INDEX, reads);
    if queue.index > 63 || known.get(&queue.key()) == Some(&None) {
        return (status::BAD_QUEUE_INDEX, access::NONE, 0);
    }
    if !queue.size.is_power_of_two() {
        return (status::BAD_QUEUE_SIZE, access::NONE, 0);
    }
    if queue.shared && !atomics {
        return (status::SHARED_REFUSED, access::NONE, 0);
    }
    let (mut reads, mut fresh) = (0, false);
    if let Entry::Vacant(closed) = known.entry(queue.key()) {
        if broken[0] || broken[1] {
            return error(if broken[0] { 1 } else { 2 });
        }
        closed.insert(Some((memory[0], memory[1])));
        (reads, fresh) = (2, true);
    }
    let Some(Some((promised, read))) = known.get_mut(&queue.key()) else {
        unreachable!()
    };
    if queue.shared {
        return (status::OK, access::NONE, reads);
    }
    if promised.wrapping_sub(*read) >= queue.size && !fresh {
        reads = 1;
        if broken[1] {
            return error(1);
        }
        *read = memory[1];
    }
    if promised.wrapping_sub(*read) >= queue.size {
        return (status::QUEUE_FULL, access::NONE, reads);
    }
    *promised = promised.wrapping_add(1);
    (status::OK, access::NONE, reads)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_are_those_of_the_naive_model(steps in prop::collection::vec(step(), 1..80), atomics: bool, seed in 0..1000u64, gaps in 0..3u32) {
        let mut bench = Bench::new(atomics, f64::from(gaps) * 0.3, (1, 12), seed);
        let mut known = Known::new();
        let start = |queue: Queue| (u64::MAX - 3).wrapping_add(queue.key() % 5);
        for queue in QUEUES {
            bench.set_indices(queue, start(queue), start(queue));
        }
        for step in steps {
            match step {
                Step::Admit(i) => {
                    let queue = QUEUES[i];
                    let addresses = [queue.write_index(), queue.read_index()];
                    let memory = addresses.map(|address| bench.rig.memory.word(queue.context, address));
                    let broken = addresses.map(|address| bench.broken.borrow().contains(&(queue.context, address)));
                    let expected = expected(&mut known, queue, memory, broken, atomics);
                    prop_assert_eq!(bench.admit(queue), expected, "{:?}", queue);
                }
                Step::Consume(i, count) => {
                    let queue = QUEUES[i];
                    if let Some(Some((promised, _))) = known.get(&queue.key()) {
                        let read = bench.rig.memory.word(queue.context, queue.read_index());
                        let read = read.wrapping_add(count.min(promised.wrapping_sub(read)));
                        bench.rig.memory.set_word(queue.context, queue.read_index(), read);
                    }
                }
                Step::Fail(i, port) if QUEUES[i].index < 64 => {
                    bench.fail(port, QUEUES[i]);
                    known.insert(QUEUES[i].key(), None);
                }
                Step::Invalidate(i) if QUEUES[i].index < 64 => {
                    bench.invalidate(QUEUES[i]);
                    known.remove(&QUEUES[i].key());
                }
                Step::Fail(..) | Step::Invalidate(_) => {}
                Step::Break(i, write) => {
                    let queue = QUEUES[i];
                    let address = if write { queue.write_index() } else { queue.read_index() };
                    bench.broken.borrow_mut().insert((queue.context, address));
                }
                Step::Mend => bench.broken.borrow_mut().clear(),
            }
            for queues in QUEUES[..8].windows(3) {
                let queues = [queues[0], queues[1], queues[2]];
                let open = |queue: Queue| matches!(known.get(&queue.key()), Some(Some(_)));
                prop_assert_eq!(bench.open(queues), queues.map(open));
            }
        }
    }

    /// Failures in any cycle of other admissions: refused if the failure came before the question was taken.
    #[test]
    fn a_failure_in_any_cycle_is_kept(at in 0..40u64, port in 0..FAILS.len(), latency in 1..6u64, seed in 0..1000u64) {
        let mut bench = Bench::new(false, 0.0, (latency, latency), seed);
        let (queue, other) = (Queue::new(2, 9, 64), Queue::new(2, 10, 1));
        for i in 0..12 {
            bench.ask(if i % 2 == 0 { queue } else { other });
        }
        bench.rig.run(at);
        bench.rig.source(FAILS[port]).push(&[queue.key()]);
        bench.rig.run_until(500, |rig| rig.received("admitted").len() == 12);
        let failed = bench.rig.source(FAILS[port]).accepted()[0];
        for i in (0..12).step_by(2) {
            let asked = bench.rig.source("admit").accepted()[i];
            let (answered, words) = &bench.rig.received("admitted")[i];
            if failed < asked {
                prop_assert_eq!(words[0] as u8, status::BAD_QUEUE_INDEX);
            } else if failed > *answered {
                prop_assert_eq!(words[0] as u8, status::OK);
            }
        }
        prop_assert_eq!(bench.admit(queue).0, status::BAD_QUEUE_INDEX);
    }
}
