//! `ArgumentPatch`: writes buffer pointer and payload address into the kernel arguments as they pass.
//!
//! **Purpose.** The part of [`RewriteEngine`](super::RewriteEngine) that works on one body beat.
//!
//! ```text
//!                      +---------------+
//!   data            -->|               |
//!   index           -->|               |
//!   rewrite_offset  -->| ArgumentPatch |--> patched
//!   patch           -->|               |
//!   buffer_valid    -->|               |
//!   buffer_pointer  -->|               |
//!   payload_address -->|               |
//!                      +---------------+
//! ```
//!
//! **Contract.** Combinational. Beat `index` holds the argument bytes from `64 * index` on. If `patch`, the 8 bytes at
//! `rewrite_offset` (a multiple of 8) become `buffer_pointer` if `buffer_valid`, the next 8 bytes become
//! `payload_address`; all other bytes pass.
//!
//! **Internals.** A beat is eight words. The pair lies in two beats if its first word is the last of a beat.
#![allow(missing_docs)] // the derive macros make undocumented accessors; wire_struct! demands a doc for every field

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::wire_struct;

wire_struct! {
    /// A beat as eight 64-bit words.
    pub struct BeatWords / BeatWordsUnpack : 512 {
        /// Bytes 7:0.
        word0: 64,
        /// Bytes 15:8.
        word1: 64,
        /// Bytes 23:16.
        word2: 64,
        /// Bytes 31:24.
        word3: 64,
        /// Bytes 39:32.
        word4: 64,
        /// Bytes 47:40.
        word5: 64,
        /// Bytes 55:48.
        word6: 64,
        /// Bytes 63:56.
        word7: 64,
    }
}

/// Patches the argument pair in one beat.
#[block]
pub struct ArgumentPatch {
    /// Bytes, lane 0 first.
    pub data: Signal<In, Bits<512>>,
    /// Beats before this one, counted from the first argument byte.
    pub index: Signal<In, Bits<10>>,
    /// There is a pair to write.
    pub patch: Signal<In, Bit>,
    /// Write the first word of the pair.
    pub buffer_valid: Signal<In, Bit>,
    /// Where the pair stands in the arguments in bytes, a multiple of 8.
    pub rewrite_offset: Signal<In, Bits<16>>,
    /// First word of the pair.
    pub buffer_pointer: Signal<In, Bits<64>>,
    /// Second word of the pair.
    pub payload_address: Signal<In, Bits<64>>,
    /// The bytes with the pair in them.
    pub patched: Signal<Out, Bits<512>>,
    unpack: BeatWordsUnpack,
    words: Signal<Local, BeatWords>,
    place: Signal<Local, Bits<3>>,
    beat: Signal<Local, Bits<10>>,
    next_beat: Signal<Local, Bits<10>>,
}

#[kernel]
impl Logic for ArgumentPatch {
    fn update(&mut self) {
        self.unpack.raw.next = self.data.val();
        self.place.next = self.rewrite_offset.val().get_bits::<3>(3);
        self.beat.next = self.rewrite_offset.val().get_bits::<10>(6);
        self.next_beat.next = self.beat.val() + 1;

        self.words.next = self.unpack.fields.val();
        if self.patch.val() & (self.index.val() == self.beat.val()) {
            if self.buffer_valid.val() {
                match self.place.val().index() {
                    0 => self.words.next.word0 = self.buffer_pointer.val(),
                    1 => self.words.next.word1 = self.buffer_pointer.val(),
                    2 => self.words.next.word2 = self.buffer_pointer.val(),
                    3 => self.words.next.word3 = self.buffer_pointer.val(),
                    4 => self.words.next.word4 = self.buffer_pointer.val(),
                    5 => self.words.next.word5 = self.buffer_pointer.val(),
                    6 => self.words.next.word6 = self.buffer_pointer.val(),
                    _ => self.words.next.word7 = self.buffer_pointer.val(),
                }
            }
            match self.place.val().index() {
                0 => self.words.next.word1 = self.payload_address.val(),
                1 => self.words.next.word2 = self.payload_address.val(),
                2 => self.words.next.word3 = self.payload_address.val(),
                3 => self.words.next.word4 = self.payload_address.val(),
                4 => self.words.next.word5 = self.payload_address.val(),
                5 => self.words.next.word6 = self.payload_address.val(),
                6 => self.words.next.word7 = self.payload_address.val(),
                _ => {}
            }
        }
        if self.patch.val()
            & (self.index.val() == self.next_beat.val())
            & (self.place.val() == 7)
            & self.index.val().any()
        {
            self.words.next.word0 = self.payload_address.val();
        }
        self.patched.next = self.words.val().into();
    }
}
