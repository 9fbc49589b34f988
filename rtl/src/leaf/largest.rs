//! `Largest`: which of 16 numbers of 20 bits is the largest.
//!
//! **Purpose.** A choice by size whose delay grows with the logarithm of the number of numbers, where a chain of comparisons would grow with the number.
//!
//! ```text
//!   numbers -->+---------+--> places
//!              | Largest |
//!              +---------+
//! ```
//!
//! **Contract.** Combinational. `numbers`: 20 bits each, the first lowest; who has fewer leaves the others 0. `places`: a bit for each number that is as large as the largest, so several if some are equal.
//!
//! **Internals.** Pairs, pairs of pairs and so on: four comparisons behind each other; then every number is compared with the largest.

use rust_hdl::prelude::*;

/// Finds the largest.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct Largest {
    /// Numbers to choose from.
    pub numbers: Signal<In, Bits<320>>,
    /// Those that are the largest.
    pub places: Signal<Out, Bits<16>>,

    low: Signal<Local, Bits<20>>,
    high: Signal<Local, Bits<20>>,
    largest: Signal<Local, Bits<20>>,
    number: Signal<Local, Bits<20>>,
    found: Signal<Local, Bits<16>>,
    one: Signal<Local, Bits<20>>,
    other: Signal<Local, Bits<20>>,
    of_2: Signal<Local, Bits<160>>,
    of_4: Signal<Local, Bits<80>>,
    of_8: Signal<Local, Bits<40>>,
}

impl Logic for Largest {
    #[hdl_gen]
    fn update(&mut self) {
        self.of_2.next = 0.into();
        for i in 0..8 {
            self.one.next = self.numbers.val().get_bits::<20>(i * 40);
            self.other.next = self.numbers.val().get_bits::<20>(i * 40 + 20);
            if self.other.val() > self.one.val() {
                self.one.next = self.other.val();
            }
            self.of_2.next = (self.of_2.val() << 20) | bit_cast::<160, 20>(self.one.val());
        }
        self.of_4.next = 0.into();
        for i in 0..4 {
            self.one.next = self.of_2.val().get_bits::<20>(i * 40);
            self.other.next = self.of_2.val().get_bits::<20>(i * 40 + 20);
            if self.other.val() > self.one.val() {
                self.one.next = self.other.val();
            }
            self.of_4.next = (self.of_4.val() << 20) | bit_cast::<80, 20>(self.one.val());
        }
        self.of_8.next = 0.into();
        for i in 0..2 {
            self.one.next = self.of_4.val().get_bits::<20>(i * 40);
            self.other.next = self.of_4.val().get_bits::<20>(i * 40 + 20);
            if self.other.val() > self.one.val() {
                self.one.next = self.other.val();
            }
            self.of_8.next = (self.of_8.val() << 20) | bit_cast::<40, 20>(self.one.val());
        }
        self.low.next = self.of_8.val().get_bits::<20>(0);
        self.high.next = self.of_8.val().get_bits::<20>(20);
        self.largest.next = self.low.val();
        if self.high.val() > self.low.val() {
            self.largest.next = self.high.val();
        }
        self.found.next = 0.into();
        for i in 0..16 {
            self.number.next = self.numbers.val().get_bits::<20>(i * 20);
            self.found.next = self
                .found
                .val()
                .replace_bit(i, self.number.val() == self.largest.val());
        }
        self.places.next = self.found.val();
    }
}
