//! `IovecReader`: pieces and bursts of random lists, which are forgotten in any cycle, and its contract in cycles.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::Engine;
use xtq_testbench::bus::{Gaps, Model, Pin, Violation, WordSource, run_cycle};
use xtq_types::Wire;
use xtq_types::send::{IovecJob, IovecPiece};

use crate::iovec::engine;
use crate::iovec::list::{List, TIMINGS};
use crate::iovec::memory::Memory;

/// Address and length of a piece; nothing if it could not be read.
type Piece = Option<(u64, u64)>;

/// Who takes the pieces, wants them, and forgets the list.
struct User {
    ready: Pin,
    wanted: Pin,
    stop: Pin,
    valid: Pin,
    piece: Pin,
    pauses: Gaps,
    wishes: Gaps,
    /// Instead of what is drawn.
    wants: Option<bool>,
    stops: bool,
    takes: bool,
    /// What waits to be taken must stay.
    waiting: Option<Vec<u64>>,
    got: Vec<(u64, Piece)>,
}

impl User {
    fn new(engine: &dyn Engine, pauses: Gaps, wishes: Gaps) -> Self {
        let input = |name| Pin::input(engine, name).unwrap();
        let output = |name| Pin::output(engine, name).unwrap();
        Self {
            ready: input("piece_ready"),
            wanted: input("wanted"),
            stop: input("stop"),
            valid: output("piece_valid"),
            piece: output("piece"),
            pauses,
            wishes,
            wants: None,
            stops: false,
            takes: false,
            waiting: None,
            got: Vec::new(),
        }
    }
}

impl Model for User {
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        self.takes = !self.pauses.pause();
        let wants = self.wants.unwrap_or(!self.wishes.pause());
        self.ready.set(engine, self.takes.into())?;
        self.wanted.set(engine, wants.into())?;
        self.stop.set(engine, self.stops.into())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let here = self.valid.get(engine) == 1;
        let words = self.piece.get_words(engine);
        if let Some(waiting) = self.waiting.take() {
            assert!(here && words == waiting, "cycle {cycle}: it did not wait");
        }
        if here && self.takes {
            let piece = IovecPiece::from_words(&words);
            let place = (u64::from(piece.start), u64::from(piece.length));
            self.got
                .push((cycle, (!piece.error.any()).then_some(place)));
        } else if here && !self.stops {
            self.waiting = Some(words);
        }
        Ok(())
    }
}

struct Harness {
    engine: Box<dyn Engine>,
    jobs: WordSource,
    memory: Memory,
    user: User,
}

impl Harness {
    fn new(latency: std::ops::RangeInclusive<u64>, pauses: [f64; 3], seed: u64) -> Self {
        let engine = engine("iovec_reader");
        let jobs = WordSource::new(&*engine, "job", Gaps::none()).unwrap();
        let memory = Memory::new(&*engine, latency, pauses[1], seed);
        let wishes = Gaps::random(pauses[0], seed + 1);
        let user = User::new(&*engine, Gaps::random(pauses[2], seed + 2), wishes);
        Self {
            engine,
            jobs,
            memory,
            user,
        }
    }

    /// Is about to be given a plain list of so many pieces.
    fn reading(latency: u64, pieces: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut harness = Self::new(latency..=latency, [0.0; 3], 1);
        let mut list = plain(pieces);
        list.store(&mut harness.memory, false, &mut rng);
        harness.push(&list, &mut rng);
        harness
    }

    fn cycle(&mut self) {
        let (bursts, idle) = (self.memory.bursts.len(), self.memory.is_idle());
        let run = run_cycle(
            &mut *self.engine,
            &mut [&mut self.jobs, &mut self.memory, &mut self.user],
        );
        run.unwrap_or_else(|error| panic!("{error}"));
        let asks = self.memory.bursts.len() > bursts;
        assert!(idle || !asks, "two bursts at a time");
    }

    /// Offers a list; what the reader does not look at is noise.
    fn push(&mut self, list: &List, rng: &mut ChaCha8Rng) {
        self.jobs.push_value(IovecJob {
            context: list.context.to_bits(),
            list: list.address.to_bits(),
            pieces: (list.pieces.len() as u64).to_bits(),
            offset: rng.random::<u64>().to_bits(),
            length: u64::from(rng.random::<u32>()).to_bits(),
            follows: rng.random_range(0..2u64).to_bits(),
        });
    }

    /// Runs until so many pieces came, and some cycles more.
    fn run(&mut self, pieces: usize) {
        let end = self.engine.cycle() + 100_000;
        while self.user.got.len() < pieces {
            let got = self.user.got.len();
            assert!(self.engine.cycle() < end, "{got} of {pieces} pieces");
            self.cycle();
        }
        (0..30).for_each(|_| self.cycle());
    }

    /// Runs until the job number `number` is taken.
    fn run_to_job(&mut self, number: usize) {
        let end = self.engine.cycle() + 100_000;
        while self.jobs.accepted().len() <= number {
            assert!(self.engine.cycle() < end, "job {number} is not taken");
            self.cycle();
        }
    }

    fn stop(&mut self) {
        self.user.stops = true;
        self.cycle();
        self.user.stops = false;
    }

    /// Pieces from the one with this number on.
    fn pieces(&self, from: usize) -> Vec<Piece> {
        self.user.got[from..]
            .iter()
            .map(|(_, piece)| *piece)
            .collect()
    }

    /// Bursts in the lines of a list.
    fn bursts(&self, list: &List) -> Vec<(u64, u64, u64)> {
        let end = list.address + 16 * list.pieces.len() as u64;
        let all = self.memory.bursts.iter();
        let here = all.filter(|burst| (list.address & !63..end).contains(&burst.2));
        here.map(|(_, context, address, lines)| (*context, *address, *lines))
            .collect()
    }
}

/// What a list gives if it is read to its end.
fn pieces(list: &List) -> Vec<Piece> {
    let readable = list.broken.unwrap_or(list.pieces.len());
    let pieces = list.pieces.iter().enumerate();
    pieces
        .map(|(number, piece)| (number < readable).then_some(*piece))
        .collect()
}

/// How it is read then: to each multiple of 1 KiB, and to the last of its lines.
fn bursts(list: &List) -> Vec<(u64, u64, u64)> {
    let (mut at, end) = (
        list.address & !63,
        list.address + 16 * list.pieces.len() as u64,
    );
    let mut bursts = Vec::new();
    while at < end && !list.pieces.is_empty() {
        let next = (at / 1024 * 1024 + 1024).min(end.next_multiple_of(64));
        bursts.push((list.context, at, (next - at) / 64));
        at = next;
    }
    bursts
}

/// A list of so many pieces at the begin of a KiB.
fn plain(pieces: u64) -> List {
    List {
        context: 1,
        address: 0x8000,
        pieces: (0..pieces)
            .map(|number| (0x1000 * number, number + 8))
            .collect(),
        broken: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pieces_and_bursts_are_those_of_the_list_until_it_is_forgotten(seed in any::<u64>(), timing in prop::sample::select(TIMINGS.to_vec())) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (least, most, pauses) = timing;
        let seed = seed >> 2;
        let mut harness = Harness::new(least..=most, pauses, seed);
        let mut lists = Vec::new();
        for number in 0..12u64 {
            let mut list = List::draw(&mut rng, 0x10_0000 * (number + 1));
            let (bad, forgotten) = (rng.random_bool(0.2), rng.random_bool(0.5));
            list.store(&mut harness.memory, bad, &mut rng);
            let (from, all) = (harness.user.got.len(), pieces(&list));
            harness.push(&list, &mut rng);
            if forgotten {
                harness.run_to_job(lists.len());
                (0..rng.random_range(0..200)).for_each(|_| harness.cycle());
                harness.stop();
                let got = harness.pieces(from);
                prop_assert!(all.starts_with(&got), "{:?} of {:?}", got, all);
            } else {
                harness.run(from + all.len());
                prop_assert_eq!(harness.pieces(from), all);
            }
            lists.push((list, forgotten));
        }
        harness.run(0);
        let mut count = 0;
        for (list, forgotten) in &lists {
            let (got, all) = (harness.bursts(list), bursts(list));
            prop_assert!(all.starts_with(&got) && (*forgotten || got == all), "{:x?} of {:x?}", got, all);
            count += got.len();
        }
        prop_assert_eq!(count, harness.memory.bursts.len(), "lines of no list");
    }
}

#[test]
fn a_list_is_forgotten_in_any_cycle_and_the_next_is_right() {
    // Also one that is at its end, and also if the next one is offered in the cycle of `stop`.
    let cases = [(130, false), (130, true), (2, false), (2, true)];
    for (at, (length, together)) in (0..120).flat_map(|at| cases.map(|case| (at, case))) {
        let mut rng = ChaCha8Rng::seed_from_u64(at);
        let mut harness = Harness::new(5..=5, [0.0; 3], at);
        let mut list = plain(length);
        list.store(&mut harness.memory, false, &mut rng);
        // Somewhere else, as the memory may still be reading the other.
        let mut next = List {
            address: 0x1_0008,
            pieces: vec![(0x77, 5), (0x99, 6)],
            ..plain(0)
        };
        next.store(&mut harness.memory, false, &mut rng);
        harness.push(&list, &mut rng);
        harness.run_to_job(0);
        (0..at).for_each(|_| harness.cycle());
        if together {
            harness.push(&next, &mut rng);
        }
        harness.stop();
        let from = harness.user.got.len();
        if !together {
            harness.push(&next, &mut rng);
        }
        harness.run(from + 2);
        assert_eq!(harness.pieces(from), pieces(&next), "forgotten after {at}");
    }
}

#[test]
fn a_job_is_a_request_in_the_next_cycle_and_a_piece_takes_two_cycles() {
    let mut harness = Harness::reading(1, 64);
    harness.run(64);
    let accepted = harness.jobs.accepted()[0];
    let (request, _, _, lines) = harness.memory.bursts[0];
    assert_eq!((request, lines), (accepted + 1, 16));
    let cycles: Vec<u64> = harness.user.got.iter().map(|piece| piece.0).collect();
    assert!(
        cycles.windows(2).all(|pair| pair[1] == pair[0] + 2),
        "{cycles:?}"
    );
}

#[test]
fn behind_the_first_burst_a_list_is_read_only_when_a_piece_is_wanted() {
    let mut harness = Harness::reading(3, 130);
    for (bursts, pieces) in [(1, 64), (2, 128), (3, 130)] {
        harness.user.wants = Some(false);
        (0..300).for_each(|_| harness.cycle());
        assert_eq!(
            (harness.memory.bursts.len(), harness.user.got.len()),
            (bursts, pieces)
        );
        harness.user.wants = Some(true);
        harness.cycle();
    }
}
