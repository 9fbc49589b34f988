//! `Junction`: two streams in, one out, in turns.

use proptest::prelude::*;
use rust_hdl::prelude::Bits;
use xtq_engine::Engine;
use xtq_rtl::leaf::Junction;
use xtq_testbench::bus::{Bench, Gaps};
use xtq_testbench::pins;

fn engine() -> impl Engine {
    pins!(Junction::<Bits<40>>::default() => clk;
        in: rst, first.data, first.valid, second.data, second.valid, read.ready;
        out: first.ready, second.ready, read.data, read.valid)
    .unwrap()
}

/// What comes out, of so many words of each stream; the second stream's begin at 1,000.
fn run(words: [u64; 2], pauses: [f64; 3], seed: u64) -> Vec<u64> {
    let mut engine = engine();
    let mut bench = Bench::new(&mut engine).unwrap();
    let inputs = [
        bench
            .source("first", Gaps::random(pauses[0], seed))
            .unwrap(),
        bench
            .source("second", Gaps::random(pauses[1], !seed))
            .unwrap(),
    ];
    // The sink sees that what is offered stays.
    let output = bench
        .sink("read", Gaps::random(pauses[2], seed ^ 99))
        .unwrap();
    for (input, (words, base)) in inputs.into_iter().zip([(words[0], 0), (words[1], 1000)]) {
        for word in 0..words {
            bench.sources[input].push(&[base + word]);
        }
    }
    let all = words.iter().sum::<u64>() as usize;
    bench
        .run_until(|b| b.sinks[output].received().len() == all, 5000)
        .unwrap();
    let received = bench.sinks[output].received();
    received.iter().map(|(_, word)| word[0]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn words_of_each_stream_leave_in_order_whatever_pauses(
        words in prop::array::uniform2(0u64..40),
        pauses in prop::array::uniform3(0.0..0.9f64),
        seed: u64,
    ) {
        let got = run(words, pauses, seed);
        let (first, second): (Vec<u64>, Vec<u64>) = got.iter().partition(|word| **word < 1000);
        prop_assert_eq!(first, (0..words[0]).collect::<Vec<_>>());
        prop_assert_eq!(second, (1000..1000 + words[1]).collect::<Vec<_>>());
    }

    #[test]
    fn who_waits_is_second_at_most(pause in 0.0..0.9f64, seed: u64) {
        // Both always wait: they take turns.
        let got = run([20, 20], [0.0, 0.0, pause], seed);
        for (turn, word) in got.iter().enumerate() {
            prop_assert_eq!(*word >= 1000, turn % 2 == 1, "{:?}", got);
        }
    }
}

#[test]
fn it_adds_no_cycle_and_one_word_leaves_in_each() {
    let mut engine = engine();
    let mut bench = Bench::new(&mut engine).unwrap();
    let input = bench.source("second", Gaps::none()).unwrap();
    let output = bench.sink("read", Gaps::none()).unwrap();
    bench.set("first_valid", &[0]).unwrap();
    for word in 0..20 {
        bench.sources[input].push(&[word]);
    }
    bench
        .run_until(|b| b.sinks[output].received().len() == 20, 100)
        .unwrap();
    let accepted = bench.sources[input].accepted().to_vec();
    let received: Vec<u64> = bench.sinks[output]
        .received()
        .iter()
        .map(|(cycle, _)| *cycle)
        .collect();
    assert_eq!(received, accepted);
    assert_eq!(
        accepted,
        (accepted[0]..accepted[0] + 20).collect::<Vec<_>>()
    );
}
