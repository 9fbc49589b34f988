//! `Ones`: every value of some widths.

use xtq_engine::Engine;
use xtq_rtl::l2::Ones;
use xtq_testbench::bus::Pin;
use xtq_testbench::pins;

/// `Ones` of `N` bits, for each value that they can have.
fn ones_of_every_value<const N: usize>() {
    let mut block = pins!(Ones::<N>::default(); in: bits; out: count).unwrap();
    let pin = |name| Pin::any(&block, name).expect("is a port");
    let [bits, count] = ["bits", "count"].map(pin);
    for value in 0..1u64 << N {
        bits.set(&mut block, value).expect("is an input");
        block.eval().expect("settles");
        let ones = u64::from(value.count_ones());
        assert_eq!(count.get(&block), ones, "{value:#b}");
    }
}

#[test]
fn the_ones_of_every_value_are_counted() {
    ones_of_every_value::<1>();
    ones_of_every_value::<2>();
    ones_of_every_value::<9>();
    ones_of_every_value::<16>();
}

#[test]
#[should_panic(expected = "Ones: 17 bits, must be 1 to 16")]
fn more_bits_than_are_counted_are_refused() {
    let _ = Ones::<17>::default();
}
