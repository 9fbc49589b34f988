//! `LineUpdate`: what a store or an atomic makes of a line.
//!
//! **Purpose.** The arithmetic of [`L2Bank`](super::L2Bank): atomics of 4 and 8 bytes as GPUs do them at their shared
//! cache. The NIC's atomics of Portals, on all types, are in [`AtomicAlu`](crate::atomics::atomic_alu).
//!
//! ```text
//!   request              -->+------------+--> line
//!   old, operand, strobe -->| LineUpdate |--> changed
//!                           +------------+
//! ```
//!
//! **Contract.** Combinational. `line` is `old` with the bytes in `changed` replaced: by a store (also locked, also the
//! write of a read-modify-write) those of `strobe` by `operand`'s; by an atomic its word, 4 or 8 bytes, aligned down.
//! Other requests change nothing. A compare-and-swap that finds another value writes its word as it was.
//!
//! **Internals.** The words of `old` and `operand` are shifted down, the result and its mask up.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::Wire;
use xtq_types::l2::L2Request;

/// Stores and atomics on lines of `D` bits, `B` = `D / 8` bytes.
#[block]
#[check(
    D == 8 * B && (64..=512).contains(&D) && D.is_power_of_two(),
    "LineUpdate: lines of {D} bits and {B} bytes, must be a power of two from 64 to 512 bits"
)]
pub struct LineUpdate<const D: usize, const B: usize> {
    /// What to do.
    pub request: Signal<In, L2Request>,
    /// The line as it is.
    pub old: Signal<In, Bits<D>>,
    /// Bytes to store, or the operand in the word's lanes.
    pub operand: Signal<In, Bits<D>>,
    /// Bytes of a store.
    pub strobe: Signal<In, Bits<B>>,
    /// The line as it will be.
    pub line: Signal<Out, Bits<D>>,
    /// Bytes that are written.
    pub changed: Signal<Out, Bits<B>>,
    #[value((0..B).map(lane).collect())]
    lanes: Vec<Constant<Bits<D>>>,
    #[value((0..B).map(|i| Constant::new(Wire::from_words(&[1 << i]))).collect())]
    hot: Vec<Constant<Bits<B>>>,
    #[value((D as u64 / 32 - 1).to_bits())]
    word_index: Constant<Bits<9>>,
    #[value((D as u64 / 32 - 2).to_bits())]
    wide_index: Constant<Bits<9>>,
    #[value(0xffff_ffffu64.to_bits())]
    narrow: Constant<Bits<64>>,
    #[value(u64::MAX.to_bits())]
    wide: Constant<Bits<64>>,
    #[value(0xfu64.to_bits())]
    narrow_bytes: Constant<Bits<8>>,
    #[value(0xffu64.to_bits())]
    wide_bytes: Constant<Bits<8>>,
    address: Signal<Local, Bits<64>>,
    place: Signal<Local, Bits<9>>,
    shift: Signal<Local, Bits<9>>,
    byte_shift: Signal<Local, Bits<9>>,
    is_wide: Signal<Local, Bit>,
    shifted_old: Signal<Local, Bits<D>>,
    shifted_operand: Signal<Local, Bits<D>>,
    word: Signal<Local, Bits<64>>,
    argument: Signal<Local, Bits<64>>,
    ones: Signal<Local, Bits<64>>,
    bytes: Signal<Local, Bits<8>>,
    equal: Signal<Local, Bit>,
    result: Signal<Local, Bits<64>>,
    is_store: Signal<Local, Bit>,
    is_atomic: Signal<Local, Bit>,
    wide_result: Signal<Local, Bits<D>>,
    wide_ones: Signal<Local, Bits<D>>,
    wide_strobe: Signal<Local, Bits<B>>,
    mask: Signal<Local, Bits<D>>,
    data: Signal<Local, Bits<D>>,
    written: Signal<Local, Bits<B>>,
}

/// The bits of byte `i` of a line.
fn lane<const D: usize>(i: usize) -> Constant<Bits<D>> {
    let mut words = vec![0u64; D / 64];
    words[i / 8] = 0xff << (8 * (i % 8));
    Constant::new(Wire::from_words(&words))
}

#[kernel]
impl<const D: usize, const B: usize> Logic for LineUpdate<D, B> {
    fn update(&mut self) {
        // The word of an atomic.
        self.address.next = self.request.val().address;
        self.is_wide.next = self.request.val().wide.any();
        self.place.next = self.address.val().get_bits::<9>(2) & self.word_index.val();
        self.ones.next = self.narrow.val();
        self.bytes.next = self.narrow_bytes.val();
        if self.is_wide.val() {
            self.place.next = self.address.val().get_bits::<9>(2) & self.wide_index.val();
            self.ones.next = self.wide.val();
            self.bytes.next = self.wide_bytes.val();
        }
        self.shift.next = self.place.val() << 5;
        self.byte_shift.next = self.place.val() << 2;
        self.shifted_old.next = self.old.val() >> self.shift.val();
        self.shifted_operand.next = self.operand.val() >> self.shift.val();
        self.word.next = self.shifted_old.val().get_bits::<64>(0) & self.ones.val();
        self.argument.next = self.shifted_operand.val().get_bits::<64>(0) & self.ones.val();
        self.equal.next = self.word.val() == (self.request.val().compare & self.ones.val());

        self.is_store.next = false;
        self.is_atomic.next = false;
        self.result.next = self.word.val();
        match self.request.val().op.index() {
            1 => self.is_store.next = true,
            2 => self.is_store.next = true,
            4 => {
                self.is_atomic.next = true;
                self.result.next = self.word.val() + self.argument.val();
            }
            5 => {
                self.is_atomic.next = true;
                self.result.next = self.argument.val();
            }
            6 => {
                self.is_atomic.next = true;
                if self.equal.val() {
                    self.result.next = self.argument.val();
                }
            }
            9 => self.is_store.next = true,
            _ => self.is_store.next = false,
        }

        self.written.next = 0.into();
        self.mask.next = 0.into();
        self.data.next = self.operand.val();
        self.wide_result.next = bit_cast::<D, 64>(self.result.val());
        self.wide_ones.next = bit_cast::<D, 64>(self.ones.val());
        self.wide_strobe.next = bit_cast::<B, 8>(self.bytes.val());
        if self.is_store.val() {
            self.written.next = self.strobe.val();
            for i in 0..B {
                if (self.strobe.val() & self.hot[i].val()).any() {
                    self.mask.next = self.mask.val() | self.lanes[i].val();
                }
            }
        }
        if self.is_atomic.val() {
            self.data.next = self.wide_result.val() << self.shift.val();
            self.mask.next = self.wide_ones.val() << self.shift.val();
            self.written.next = self.wide_strobe.val() << self.byte_shift.val();
        }
        self.line.next = (self.old.val() & !self.mask.val()) | (self.data.val() & self.mask.val());
        self.changed.next = self.written.val();
    }
}
