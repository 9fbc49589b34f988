//! `Fifo`, `RamFifo`, `Skid`: words in order, none lost, none twice; depth, latency and rate as promised. `QueueRoom`
//! beside a `Fifo`.

use proptest::prelude::*;
use rust_hdl::prelude::{Bits, Block};
use xtq_engine::Engine;
use xtq_rtl::leaf::{Fifo, QueueRoom, RamFifo, Skid};
use xtq_testbench::bus::{Bench, Gaps};
use xtq_testbench::by_name::Hardware;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

macro_rules! queue_tests {
    ($module:ident, $block:ty, room: $room:expr, latency: $latency:expr) => {
        mod $module {
            use super::*;

            fn engine() -> impl Engine {
                pins!(<$block>::default() => clk; in: rst, write.data, write.valid, read.ready;
                    out: write.ready, read.data, read.valid)
                .unwrap()
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(24))]

                #[test]
                fn words_leave_in_order_whatever_pauses(
                    words in prop::collection::vec(any::<u64>(), 1..60),
                    pauses in (0.0..0.9f64, 0.0..0.9f64), seed in any::<u64>(),
                ) {
                    let mut engine = engine();
                    let mut bench = Bench::new(&mut engine).unwrap();
                    let input = bench.source("write", Gaps::random(pauses.0, seed)).unwrap();
                    let output = bench.sink("read", Gaps::random(pauses.1, !seed)).unwrap();
                    for word in &words {
                        bench.sources[input].push(&[word & 0xff_ffff_ffff]);
                    }
                    bench.run_until(|b| b.sinks[output].received().len() == words.len(), 5000).unwrap();
                    // Nothing comes twice.
                    for _ in 0..5 {
                        bench.cycle().unwrap();
                    }
                    let got: Vec<u64> = bench.sinks[output].received().iter().map(|(_, w)| w[0]).collect();
                    prop_assert_eq!(got, words.iter().map(|w| w & 0xff_ffff_ffff).collect::<Vec<_>>());
                    bench.check_ready_paths().unwrap();
                }
            }

            #[test]
            fn a_word_takes_the_stated_cycles_and_then_one_comes_each_cycle() {
                let mut engine = engine();
                let mut bench = Bench::new(&mut engine).unwrap();
                let input = bench.source("write", Gaps::none()).unwrap();
                let output = bench.sink("read", Gaps::none()).unwrap();
                for word in 0..40 {
                    bench.sources[input].push(&[word]);
                }
                bench.run_until(|b| b.sinks[output].received().len() == 40, 100).unwrap();
                let accepted = bench.sources[input].accepted().to_vec();
                let received: Vec<u64> = bench.sinks[output].received().iter().map(|(cycle, _)| *cycle).collect();
                assert_eq!(accepted, (accepted[0]..accepted[0] + 40).collect::<Vec<_>>());
                assert_eq!(received, accepted.iter().map(|cycle| cycle + $latency).collect::<Vec<_>>());
            }

            #[test]
            fn it_takes_exactly_what_fits_and_gives_it_back() {
                let mut engine = engine();
                let mut bench = Bench::new(&mut engine).unwrap();
                let input = bench.source("write", Gaps::none()).unwrap();
                for word in 0..100 {
                    bench.sources[input].push(&[word]);
                }
                bench.set("read_ready", &[0]).unwrap();
                for _ in 0..50 {
                    bench.cycle().unwrap();
                }
                assert_eq!(bench.sources[input].accepted().len(), $room);
                let output = bench.sink("read", Gaps::none()).unwrap();
                bench.run_until(|b| b.sinks[output].received().len() == 100, 300).unwrap();
                assert!(bench.sinks[output].received().iter().map(|(_, w)| w[0]).eq(0..100));
            }

            #[test]
            fn reset_empties_it() {
                let mut engine = engine();
                let mut bench = Bench::new(&mut engine).unwrap();
                let input = bench.source("write", Gaps::none()).unwrap();
                bench.sources[input].push(&[1]);
                bench.sources[input].push(&[2]);
                bench.set("read_ready", &[0]).unwrap();
                for _ in 0..6 {
                    bench.cycle().unwrap();
                }
                assert_eq!(bench.get("read_valid").unwrap(), [1]);
                bench.engine.reset(1).unwrap();
                bench.engine.eval().unwrap();
                assert_eq!(bench.get("read_valid").unwrap(), [0]);
                assert_eq!(bench.get("write_ready").unwrap(), [1]);
            }

            #[test]
            fn third_party_tools_accept_the_verilog() {
                let mut block = <$block>::default();
                block.connect_all();
                accept(stringify!($module), &block).unwrap();
            }
        }
    };
}

queue_tests!(fifo_of_2, Fifo<rust_hdl::prelude::Bits<40>, 1, 2>, room: 2, latency: 1);
queue_tests!(fifo_of_8, Fifo<rust_hdl::prelude::Bits<40>, 3, 4>, room: 8, latency: 1);
queue_tests!(ram_fifo_of_4, RamFifo<rust_hdl::prelude::Bits<40>, 2>, room: 4, latency: 2);
queue_tests!(ram_fifo_of_16, RamFifo<rust_hdl::prelude::Bits<40>, 4>, room: 16, latency: 2);
queue_tests!(skid, Skid<rust_hdl::prelude::Bits<40>>, room: 2, latency: 1);

macro_rules! room_tests {
    ($($name:ident, $below:literal, $pointer:literal;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(24))]

            $(#[test]
            fn $name(
                run in prop::collection::vec((any::<bool>(), any::<bool>(), prop::bool::weighted(0.02)), 1..300), bias in 0..3u8,
            ) {
                let mut fifo = Hardware::new(pins!(Fifo::<Bits<40>, $below, $pointer>::default() => clk;
                    in: rst, write.data, write.valid, read.ready; out: write.ready, read.data, read.valid).unwrap());
                let mut room = Hardware::new(pins!(QueueRoom::<$pointer>::default() => clk; in: rst, come, leave; out: free).unwrap());
                for (cycle, (write, read, reset)) in run.into_iter().enumerate() {
                    // Mostly full, mostly empty, or between.
                    let (write, read) = (write || bias == 1, read || bias == 2);
                    fifo.set("rst", &[reset.into()]);
                    fifo.set("write_valid", &[write.into()]);
                    fifo.set("read_ready", &[read.into()]);
                    fifo.eval();
                    let leaves = read && fifo.get("read_valid") == [1];
                    room.set("rst", &[reset.into()]);
                    room.set("come", &[write.into()]);
                    room.set("leave", &[leaves.into()]);
                    room.eval();
                    prop_assert_eq!(room.get("free"), fifo.get("write_ready"), "cycle {}", cycle);
                    fifo.step();
                    room.step();
                }
            })*
        }
    };
}

room_tests! {
    room_of_2_is_what_the_fifo_beside_it_says, 1, 2;
    room_of_4_is_what_the_fifo_beside_it_says, 2, 3;
    room_of_16_is_what_the_fifo_beside_it_says, 4, 5;
}
