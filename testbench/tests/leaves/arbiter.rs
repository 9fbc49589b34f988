//! `RoundRobin` against a list that is walked round; `Lowest`, `Largest` and `Ones`.

use super::Hardware;
use proptest::prelude::*;
use rust_hdl::prelude::Block;
use xtq_engine::Engine;
use xtq_rtl::leaf::{Largest, Lowest, Ones, RoundRobin};
use xtq_testbench::bus::Pin;
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
fn the_ones_of_every_value_are_counted() {
    let mut block = pins!(Ones::default(); in: bits; out: count).unwrap();
    let pin = |name| Pin::any(&block, name).expect("is a port");
    let [bits, count] = ["bits", "count"].map(pin);
    for value in 0..=u64::from(u16::MAX) {
        bits.set(&mut block, value).expect("is an input");
        block.eval().expect("settles");
        let ones = (0..16).filter(|bit| value >> bit & 1 == 1).count();
        assert_eq!(count.get(&block), ones as u64, "{value:#b}");
    }
}

/// Numbers of 20 bits, side by side in words of 64, the first lowest.
fn side_by_side(numbers: &[u64; 16]) -> [u64; 5] {
    let mut words = [0; 5];
    for (bit, place) in (0..20).flat_map(|bit| (0..16).map(move |place| (bit, place))) {
        let at = place * 20 + bit;
        words[at / 64] |= (numbers[place] >> bit & 1) << (at % 64);
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Numbers that differ in few bits too, and equal ones.
    #[test]
    fn the_largest_numbers_are_found(numbers in any::<[u32; 16]>(), mask in prop_oneof![Just(0xf_ffff_u64), Just(3), Just(0xc_0000)]) {
        let mut block = pins!(Largest::default(); in: numbers; out: places).unwrap();
        let pin = |block: &_, name| Pin::any(block, name).expect("is a port");
        let (input, places) = (pin(&block, "numbers"), pin(&block, "places"));
        for turn in 0..16 {
            // Each place has each number once.
            let mut given = numbers.map(|number| u64::from(number) & mask);
            given.rotate_left(turn);
            input.set_words(&mut block, &side_by_side(&given)).expect("is an input");
            block.eval().expect("settles");
            let largest = given.iter().max();
            let want = (0..16).filter(|place| given.get(*place) == largest);
            let want = want.map(|place| 1 << place).sum::<u64>();
            prop_assert_eq!(places.get(&block), want, "{:x?}", given);
        }
    }
}
