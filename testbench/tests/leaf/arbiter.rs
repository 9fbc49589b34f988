//! `RoundRobin` against a list that is walked round, `Lowest` and `RingSize`.

use proptest::prelude::*;
use rust_hdl::prelude::Block;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_rtl::leaf::{Lowest, RoundRobin};
use xtq_testbench::bus::Pin;
use xtq_testbench::by_name::Hardware;
use xtq_testbench::pins;
use xtq_testbench::verilog_tools::accept;

macro_rules! arbiter_tests {
    ($module:ident, $n:literal) => {
        mod $module {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(24))]

                #[test]
                fn grants_go_round(run in prop::collection::vec((any::<u64>(), any::<bool>()), 1..100)) {
                    let mut arbiter = Hardware::new(
                        pins!(RoundRobin::<$n>::default() => clk; in: rst, request, advance; out: grant).unwrap());
                    let mut first = 0;
                    let mut waited = [0; $n];
                    for (request, advance) in run {
                        arbiter.set("request", &[request]);
                        arbiter.set("advance", &[advance.into()]);
                        arbiter.eval();
                        let winner = (0..$n).map(|i| (first + i) % waited.len()).find(|i| request >> i & 1 == 1);
                        prop_assert_eq!(arbiter.get("grant"), [winner.map_or(0, |i| 1u64 << i)]);
                        if let Some(winner) = winner.filter(|_| advance) {
                            first = (winner + 1) % waited.len();
                            for (i, wait) in waited.iter_mut().enumerate() {
                                *wait = if i == winner || request >> i & 1 == 0 { 0 } else { *wait + 1 };
                                prop_assert!(*wait < $n, "requester {} waits for the {}th grant", i, *wait);
                            }
                        }
                        arbiter.step();
                    }
                }
            }

            #[test]
            fn third_party_tools_accept_the_verilog() {
                let mut block = RoundRobin::<$n>::default();
                block.connect_all();
                accept(stringify!($module), &block).unwrap();
            }
        }
    };
}

arbiter_tests!(one, 1);
arbiter_tests!(three, 3);
arbiter_tests!(eight, 8);

/// `Lowest` of `N` bits, for each value that they can have.
fn lowest_of_every_value<const N: usize>() {
    let mut block = pins!(Lowest::<N>::default(); in: bits; out: first, above).unwrap();
    let pin = |name| Pin::any(&block, name).expect("is a port");
    let [bits, first, above] = ["bits", "first", "above"].map(pin);
    let every = (1 << N) - 1;
    for value in 0..=every {
        bits.set(&mut block, value).expect("is an input");
        block.eval().expect("settles");
        let lowest = value & value.wrapping_neg();
        let behind = lowest
            .checked_sub(1)
            .map_or(0, |below| every & !below & !lowest);
        assert_eq!(first.get(&block), lowest, "{value:#b}");
        assert_eq!(above.get(&block), behind, "{value:#b}");
    }
}

#[test]
fn the_lowest_bit_and_those_above_it_are_found_in_every_value() {
    lowest_of_every_value::<1>();
    lowest_of_every_value::<2>();
    lowest_of_every_value::<9>();
    lowest_of_every_value::<16>();
}

#[test]
#[should_panic(expected = "Lowest: 17 bits, must be 1 to 16")]
fn more_bits_than_the_steps_reach_are_refused() {
    let _ = Lowest::<17>::default();
}

#[test]
fn a_ring_has_a_power_of_two_of_places_or_none() {
    let mut block = blocks::engine("ring_size", EngineKind::Jit).unwrap();
    let pin = |name| Pin::any(&block, name).expect("is a port");
    let [wanted, size, last] = ["wanted", "size", "last"].map(pin);
    // All short ones, and all with one or two bits and their neighbours.
    let pairs = (0..32).flat_map(|a| (0..32).map(move |b| 1_u32 << a | 1 << b));
    let near = pairs.flat_map(|pair| [pair - 1, pair, pair.wrapping_add(1), !pair]);
    for value in (0..1 << 12).chain(near) {
        wanted.set(&mut block, value.into()).expect("is an input");
        block.eval().expect("settles");
        let is_size = value.is_power_of_two();
        assert_eq!(
            size.get(&block),
            if is_size { value.into() } else { 0 },
            "{value:#x}"
        );
        if is_size {
            assert_eq!(last.get(&block), u64::from(value - 1), "{value:#x}");
        }
    }
}
