//! `IovecGather`: spans of messages, with and without lists.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_testbench::bus::{Bench, Gaps, WordSink, WordSource, run_cycle};
use xtq_types::send::{GatherJob, SpanJob};

use crate::iovec::engine;
use crate::iovec::list::{List, TIMINGS};
use crate::iovec::memory::Memory;

/// A part of a message: bytes in one place, or in a list after an offset.
#[derive(Clone, Debug)]
enum Part {
    Place(u64, u64),
    Listed(List, u64, u64),
}

impl Part {
    fn draw(rng: &mut ChaCha8Rng, place: u64, memory: &mut Memory, context: u64) -> Self {
        let length = [0, 1, 64, 100, 5000][rng.random_range(0..5)];
        if rng.random_bool(0.4) {
            return Self::Place(rng.random(), length);
        }
        let mut list = List::draw(rng, place);
        list.context = context;
        if list.pieces.is_empty() {
            // One without pieces has no bytes, and no descriptor lets a message begin.
            list.pieces.push((5, 5));
        }
        let bad = rng.random_bool(0.15);
        list.store(memory, bad, rng);
        let offset = rng.random_range(0..=list.length());
        Self::Listed(list, offset, length)
    }

    fn length(&self) -> u64 {
        match self {
            Self::Place(_, length) | Self::Listed(_, _, length) => *length,
        }
    }

    /// Address, length, pieces, offset.
    fn fields(&self) -> [u64; 4] {
        match self {
            Self::Place(address, length) => [*address, *length, 0, 0],
            Self::Listed(list, offset, length) => {
                [list.address, *length, list.pieces.len() as u64, *offset]
            }
        }
    }

    /// Address, length, and whether they are read, of what lies one after the other.
    fn spans(&self) -> Vec<(u64, u64, bool)> {
        match self {
            _ if self.length() == 0 => Vec::new(),
            Self::Place(address, length) => vec![(*address, *length, true)],
            Self::Listed(list, offset, length) => {
                let spans = list.spans(*offset, *length).into_iter();
                spans
                    .map(|span| match span {
                        Ok((address, length)) => (address, length, true),
                        Err(length) => (0, length, false),
                    })
                    .collect()
            }
        }
    }
}

fn job(context: u64, first: &Part, second: &Part) -> GatherJob {
    let (first, second) = (first.fields(), second.fields());
    GatherJob {
        context: context.to_bits(),
        first_address: first[0].to_bits(),
        first_length: first[1].to_bits(),
        first_pieces: first[2].to_bits(),
        first_offset: first[3].to_bits(),
        second_address: second[0].to_bits(),
        second_length: second[1].to_bits(),
        second_pieces: second[2].to_bits(),
        second_offset: second[3].to_bits(),
    }
}

/// Spans of a message: its context, and of each address, length, and whether it could be read.
type Spans = (u64, Vec<(u64, u64, bool)>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_spans_of_a_message_are_its_bytes_in_order(seed in any::<u64>(), timing in prop::sample::select(TIMINGS.to_vec())) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (least, most, pauses) = timing;
        let mut engine = engine("iovec_gather");
        let mut memory = Memory::new(&*engine, least..=most, pauses[1], seed);
        let mut jobs = WordSource::new(&*engine, "job", Gaps::random(pauses[0], seed)).unwrap();
        let mut out = WordSink::new(&*engine, "spans", Gaps::random(pauses[2], seed + 1)).unwrap();
        let mut expected = Vec::new();
        for number in 0..14u64 {
            let context = rng.random_range(0..4);
            let first = Part::draw(&mut rng, 0x20_0000 * (number + 1), &mut memory, context);
            let second = Part::draw(&mut rng, 0x20_0000 * (number + 1) + 0x10_0000, &mut memory, context);
            if first.length() + second.length() == 0 {
                continue;
            }
            jobs.push_value(job(context, &first, &second));
            let spans = [first.spans(), second.spans()].concat();
            expected.push((context, spans));
        }
        let mut messages: Vec<Spans> = Vec::new();
        for _ in 0..100_000 {
            run_cycle(&mut *engine, &mut [&mut jobs, &mut memory, &mut out])?;
            let ended = out.values::<SpanJob>().iter().filter(|job| !job.more.any()).count();
            if ended == expected.len() && jobs.waiting() == 0 {
                break;
            }
        }
        (0..20).try_for_each(|_| run_cycle(&mut *engine, &mut [&mut jobs, &mut memory, &mut out]))?;
        let mut begins = true;
        for job in out.values::<SpanJob>() {
            if begins {
                messages.push((u64::from(job.context), Vec::new()));
            }
            begins = !job.more.any();
            let spans = &mut messages.last_mut().unwrap().1;
            for (address, length) in [(job.first_address, job.first_length), (job.second_address, job.second_length)] {
                if length.any() {
                    let read = !job.unread.any();
                    let address = if read { u64::from(address) } else { 0 };
                    spans.push((address, u64::from(length), read));
                }
            }
        }
        prop_assert_eq!(messages, expected);
    }
}

/// Forty messages without lists; the cycles in which they came, and those in which they left.
fn forty_without_lists(pauses: Gaps) -> (Vec<u64>, Vec<u64>) {
    let mut engine = engine("iovec_gather");
    let mut bench = Bench::new(&mut *engine).unwrap();
    let input = bench.source("job", Gaps::random(0.3, 1)).unwrap();
    let output = bench.sink("spans", pauses).unwrap();
    bench.sink("request", Gaps::none()).unwrap();
    for i in 0..40 {
        let (first, second) = (Part::Place(i, 10 * i), Part::Place(1000 + i, 1));
        bench.sources[input].push_value(job(i % 4, &first, &second));
    }
    for _ in 0..300 {
        bench.check_ready_paths().unwrap();
        bench.cycle().unwrap();
    }
    let left = bench.sinks[output].received().iter().map(|job| job.0);
    (bench.sources[input].accepted().to_vec(), left.collect())
}

#[test]
fn a_message_without_lists_passes_in_the_same_cycle_and_no_valid_follows_a_ready() {
    let (came, left) = forty_without_lists(Gaps::none());
    assert_eq!(came.len(), 40);
    assert_eq!(left, came);
}

#[test]
fn up_to_eight_messages_wait() {
    let (came, left) = forty_without_lists(Gaps::random(0.6, 2));
    assert_eq!((came.len(), left.len()), (40, 40));
    let waits = |cycle: &u64| came.iter().filter(|it| *it <= cycle).count();
    let gone = |cycle: &u64| left.iter().filter(|it| *it <= cycle).count();
    let most = came.iter().map(|cycle| waits(cycle) - gone(cycle)).max();
    assert_eq!(most, Some(8));
}
