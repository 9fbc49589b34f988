//! `IndexSwap` against a memory in which others move the indices, and a queue that is closed at any time.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_types::Wire;
use xtq_types::memory::{ReadRequest, ReadResult, WriteRequest};
use xtq_types::queue::QueueInfo;

use xtq_testbench::by_name::Hardware;

/// Swaps that a message tries.
const TRIES: u32 = 64;

/// What a reservation came to.
#[derive(Debug, PartialEq)]
enum End {
    Claimed(u64),
    Full,
    Broken,
    Closed,
    Unread,
}

/// The block, the queue in memory, and what it was asked.
struct Swap {
    part: Hardware,
    rng: ChaCha8Rng,
    size: u64,
    /// In memory.
    write: u64,
    read: u64,
    /// Lanes of the indices.
    lanes: (u64, u64),
    cycle: u64,
    /// Cycles in which the old value, the acknowledgement and the read index come.
    due: [Option<u64>; 3],
    old: u64,
    errors: f64,
    closed_in_last_try: bool,
}

impl Swap {
    fn new(seed: u64, size: u64, errors: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = [0, u64::MAX - 3, rng.random()][rng.random_range(0..3)];
        Self {
            part: Hardware::block("index_swap"),
            size,
            write: start,
            read: start,
            lanes: (rng.random_range(0..8), rng.random_range(0..8)),
            cycle: 0,
            due: [None; 3],
            old: 0,
            errors,
            closed_in_last_try: false,
            rng,
        }
    }

    fn addresses(&self) -> (u64, u64) {
        (0x8000 + 8 * self.lanes.0, 0x9000 + 8 * self.lanes.1)
    }

    fn drive_queue(&mut self) {
        let (write, read) = self.addresses();
        let queue = QueueInfo {
            size: self.size.to_bits(),
            write_index_address: write.to_bits(),
            read_index_address: read.to_bits(),
            ..QueueInfo::default()
        };
        let mut words = [0; 5];
        queue.to_words(&mut words);
        self.part.set("queue", &words);
        self.part.drive("mask", self.size - 1);
        self.part.drive("owner", 2u64);
    }

    /// A line with `value` in `lane` and noise elsewhere.
    fn result(&mut self, lane: u64, value: u64, error: bool) -> [u64; 9] {
        let mut line: [u64; 8] = self.rng.random();
        line[lane as usize] = value;
        let result = ReadResult {
            error: u64::from(error).to_bits(),
            data: Bits::from_words(&line),
            ..ReadResult::default()
        };
        let mut words = [0; 9];
        result.to_words(&mut words);
        words
    }

    fn soon(&mut self) -> Option<u64> {
        Some(self.cycle + self.rng.random_range(1..12))
    }

    /// One reservation. `rivalry`: probability in each cycle that another producer takes a place; `closing`: that the
    /// queue is closed for that cycle and those after it.
    fn reserve(
        &mut self,
        known: (u64, u64),
        rivalry: f64,
        appetite: f64,
        closing: f64,
    ) -> Result<End, TestCaseError> {
        self.drive_queue();
        let mut start = true;
        // What the block must have seen.
        let (mut open, mut was_open) = (true, true);
        let (mut latest, mut fresh) = (known, false);
        let (mut tries, mut offered) = (0, false);
        let (mut swapped, mut lost, mut failed) = (None, false, false);
        loop {
            prop_assert!(self.cycle < 200_000, "it goes on for ever");
            if self.rng.random_bool(rivalry) && self.write.wrapping_sub(self.read) < self.size {
                self.write = self.write.wrapping_add(1);
            }
            if self.rng.random_bool(appetite) && self.write != self.read {
                self.read = self.read.wrapping_add(1);
            }
            open &= !self.rng.random_bool(closing);
            open &= !(self.closed_in_last_try && tries == TRIES);
            self.part.drive("start", start);
            // Old values count only with `start`.
            let noise: [u64; 2] = self.rng.random();
            self.part
                .drive("write", if start { known.0 } else { noise[0] });
            self.part
                .drive("read", if start { known.1 } else { noise[1] });
            self.part.drive("open", open);
            let (take_swap, take_read) = (self.rng.random_bool(0.6), self.rng.random_bool(0.6));
            self.part.drive("atomic_ready", take_swap);
            self.part.drive("read_index_ready", take_read);
            let [old, acknowledged, index] = self.due.map(|due| due == Some(self.cycle));
            let errors = [(); 3].map(|()| self.rng.random_bool(self.errors));
            let line = self.result(self.lanes.0, self.old, errors[0]);
            self.part.set("atomic_result", &line);
            self.part.drive("atomic_result_valid", old);
            self.part.drive("atomic_done", acknowledged);
            self.part.drive("atomic_error", errors[1]);
            let line = self.result(self.lanes.1, self.read, errors[2]);
            self.part.set("read_result", &line);
            self.part.drive("read_result_valid", index);
            self.part.eval();
            failed |= old && errors[0] || acknowledged && errors[1];

            if self.part.high("atomic_valid") {
                prop_assert!(offered || was_open, "a try in a closed queue");
                offered = !take_swap;
                let request = WriteRequest::from_words(&self.part.get("atomic"));
                let (address, _) = self.addresses();
                prop_assert_eq!(
                    (request.address.to_u64(), request.atomic.to_u64()),
                    (address, 1)
                );
                prop_assert_eq!(request.context.to_u64(), 2);
                let pair = self.lanes.0 & 6;
                prop_assert_eq!(request.strobe.to_u64(), 0xffff << (8 * pair));
                let mut line = [0; 8];
                request.data.to_words(&mut line);
                let (compare, new) = (
                    line[self.lanes.0 as usize],
                    line[(self.lanes.0 ^ 1) as usize],
                );
                prop_assert_eq!((compare, new), (latest.0, latest.0.wrapping_add(1)));
                let used = latest.0.wrapping_sub(latest.1);
                prop_assert!(
                    used >> 63 == 1 || used < self.size,
                    "a try in a queue that it knows is full"
                );
                if take_swap {
                    tries += 1;
                    self.old = self.write;
                    lost = self.write != compare;
                    if !lost {
                        self.write = new;
                    }
                    swapped = Some(compare);
                    self.due[0] = self.soon();
                    self.due[1] = self.soon();
                }
            }
            if self.part.high("read_index_valid") && take_read {
                let request = ReadRequest::from_words(&self.part.get("read_index"));
                let (_, address) = self.addresses();
                prop_assert_eq!(
                    (request.address.to_u64(), request.size.to_u64()),
                    (address, 3)
                );
                prop_assert!(!fresh, "a second read for the same write index");
                self.due[2] = self.soon();
            }
            let unread = index && errors[2];
            if index {
                latest.1 = self.read;
                fresh = true;
            }
            let both = swapped.is_some()
                && self.due[..2]
                    .iter()
                    .all(|due| due.is_some_and(|due| due < self.cycle));
            if self.part.high("finished") {
                let [claimed, full, broken, closed] =
                    ["claimed", "full", "broken", "closed"].map(|name| self.part.high(name));
                let end = match (claimed, full, broken, closed) {
                    (true, false, false, false) => End::Claimed(self.part.word("id")),
                    (false, true, false, false) => End::Full,
                    (false, false, true, false) => End::Broken,
                    (false, false, false, true) => End::Closed,
                    (false, false, false, false) => End::Unread,
                    all => return Err(TestCaseError::fail(format!("{all:?}"))),
                };
                let used = latest.0.wrapping_sub(latest.1);
                match end {
                    End::Claimed(id) => {
                        prop_assert!(both && !lost && !failed && swapped == Some(id))
                    }
                    End::Broken => prop_assert!(both && failed),
                    End::Unread => prop_assert!(unread),
                    End::Closed if swapped.is_some() => {
                        prop_assert!(!open && both && lost && tries == TRIES)
                    }
                    End::Closed => prop_assert!(!open),
                    End::Full if swapped.is_some() => {
                        prop_assert!(open && both && lost && tries == TRIES)
                    }
                    End::Full => {
                        prop_assert!(fresh && used >> 63 == 0 && used >= self.size && open)
                    }
                }
                if end != End::Unread {
                    prop_assert_eq!(self.part.word("read_kept"), latest.1);
                }
                self.due = [None; 3];
                self.part.step();
                self.cycle += 1;
                self.part.drive("start", false);
                return Ok(end);
            }
            prop_assert!(!both || lost && !failed, "it does not end");
            prop_assert!(!both || tries < TRIES, "another try");
            if both {
                // The next try knows the value that this one found, and no read index after it.
                latest.0 = self.old;
                fresh = false;
                swapped = None;
                self.due = [None; 3];
            }
            was_open = open;
            start = false;
            self.part.step();
            self.cycle += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_place_is_reserved_once_and_only_where_there_is_room(
        seed: u64, size in 0u32..5, rivalry in prop_oneof![Just(0.0), Just(0.05), Just(0.3)], appetite in prop_oneof![Just(0.0), Just(0.1), Just(0.5)],
        errors in prop_oneof![Just(0.0), Just(0.03)], closing in prop_oneof![Just(0.0), Just(0.01)],
    ) {
        let mut swap = Swap::new(seed, 1 << size, errors);
        let mut known = (swap.write, swap.read);
        for _ in 0..30 {
            match swap.reserve(known, rivalry, appetite, closing)? {
                End::Claimed(id) => known = (id.wrapping_add(1), swap.part.word("read_kept")),
                _ if swap.rng.random() => known = (swap.write, swap.read),
                _ => {}
            }
        }
    }
}

#[test]
fn a_queue_closed_during_the_last_try_is_not_full() {
    let mut swap = Swap::new(3, 1 << 16, 0.0);
    swap.closed_in_last_try = true;
    let known = (swap.write, swap.read);
    assert_eq!(swap.reserve(known, 1.0, 1.0, 0.0).unwrap(), End::Closed);
}

#[test]
fn every_try_is_lost_to_a_rival_that_is_always_faster_until_the_queue_is_closed() {
    let seen: Vec<End> = [(0.0, 3), (0.01, 4)]
        .into_iter()
        .map(|(closing, seed)| {
            let mut swap = Swap::new(seed, 1 << 16, 0.0);
            let known = (swap.write, swap.read);
            swap.reserve(known, 1.0, 1.0, closing).unwrap()
        })
        .collect();
    assert_eq!(seen, [End::Full, End::Closed]);
}
