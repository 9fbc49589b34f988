//! `SizeLimits`: the most bytes of a message that each process lets others move.
//!
//! **Purpose.** What PtlNIInit promises as `max_msg_size` and `max_atomic_size`, each process for itself: the registers
//! MAX_MESSAGE_SIZE and MAX_ATOMIC_SIZE of the four contexts.
//!
//! ```text
//!   owner, atomic -->+------------+--> word
//!   write, data   -->| SizeLimits |--> max_message_sizes
//!                    +------------+--> max_atomic_sizes    (both to MatchStage)
//! ```
//!
//! **Contract.** `word` is the register of context `owner`, in the same cycle; `write` counts at the edge. After reset
//! a message may have 2^32 - 1 bytes and an atomic 512. More than 512 is taken as 512: that is what
//! [`AtomicUnit`](crate::atomics::atomic_unit::AtomicUnit) can do.
//!
//! **Internals.** Registers begin with 0, so each holds the bits that differ from the value after reset.

use crate::leaf::Reg;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Limits of four contexts.
#[block]
pub struct SizeLimits {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Context that is accessed.
    pub owner: Signal<In, Bits<2>>,
    /// Which register: MAX_ATOMIC_SIZE, else MAX_MESSAGE_SIZE.
    pub atomic: Signal<In, Bit>,
    /// Write it.
    pub write: Signal<In, Bit>,
    /// Value to write, bytes.
    pub data: Signal<In, Bits<32>>,
    /// Its value.
    pub word: Signal<Out, Bits<32>>,
    /// The most bytes of a message, 32 bits a context, context 0 lowest.
    pub max_message_sizes: Signal<Out, Bits<128>>,
    /// The most bytes of an atomic, 10 bits a context.
    pub max_atomic_sizes: Signal<Out, Bits<40>>,
    messages_q: [Reg<Bits<32>>; 4],
    atomics_q: [Reg<Bits<10>>; 4],
    one: Signal<Local, Bits<4>>,
    hot: Signal<Local, Bits<4>>,
    most: Signal<Local, Bits<10>>,
    low: Signal<Local, Bits<10>>,
    after_reset: Signal<Local, Bits<40>>,
    atomics_changed: Signal<Local, Bits<40>>,
    atomic_size: Signal<Local, Bits<10>>,
    messages_changed: Signal<Local, Bits<128>>,
    message_sizes: Signal<Local, Bits<128>>,
    atomic_sizes: Signal<Local, Bits<40>>,
}

#[kernel]
impl Logic for SizeLimits {
    fn update(&mut self) {
        self.one.next = 1.into();
        self.hot.next = self.one.val() << self.owner.val();
        self.low.next = self.data.val().get_bits::<10>(0);
        self.most.next = self.low.val();
        if self.data.val() > 512 {
            self.most.next = 512.into();
        }
        for i in 0..4 {
            self.messages_q[i].d.next = !self.data.val();
            self.messages_q[i].en.next =
                self.write.val() & !self.atomic.val() & self.hot.val().get_bit(i);
            self.atomics_q[i].d.next = self.most.val() ^ 512;
            self.atomics_q[i].en.next =
                self.write.val() & self.atomic.val() & self.hot.val().get_bit(i);
        }
        self.messages_changed.next = bit_cast::<128, 32>(self.messages_q[0].q.val())
            | (bit_cast::<128, 32>(self.messages_q[1].q.val()) << 32)
            | (bit_cast::<128, 32>(self.messages_q[2].q.val()) << 64)
            | (bit_cast::<128, 32>(self.messages_q[3].q.val()) << 96);
        self.message_sizes.next = !self.messages_changed.val();
        self.atomics_changed.next = bit_cast::<40, 10>(self.atomics_q[0].q.val())
            | (bit_cast::<40, 10>(self.atomics_q[1].q.val()) << 10)
            | (bit_cast::<40, 10>(self.atomics_q[2].q.val()) << 20)
            | (bit_cast::<40, 10>(self.atomics_q[3].q.val()) << 30);
        // 512 in each.
        self.after_reset.next = 0x80_2008_0200_u64.into();
        self.atomic_sizes.next = self.atomics_changed.val() ^ self.after_reset.val();
        self.max_message_sizes.next = self.message_sizes.val();
        self.max_atomic_sizes.next = self.atomic_sizes.val();

        self.atomic_size.next = self.atomic_sizes.val().get_bits::<10>(0);
        self.word.next = self.message_sizes.val().get_bits::<32>(0);
        match self.owner.val().index() {
            0 => {
                self.atomic_size.next = self.atomic_sizes.val().get_bits::<10>(0);
                self.word.next = self.message_sizes.val().get_bits::<32>(0);
            }
            1 => {
                self.atomic_size.next = self.atomic_sizes.val().get_bits::<10>(10);
                self.word.next = self.message_sizes.val().get_bits::<32>(32);
            }
            2 => {
                self.atomic_size.next = self.atomic_sizes.val().get_bits::<10>(20);
                self.word.next = self.message_sizes.val().get_bits::<32>(64);
            }
            _ => {
                self.atomic_size.next = self.atomic_sizes.val().get_bits::<10>(30);
                self.word.next = self.message_sizes.val().get_bits::<32>(96);
            }
        }
        if self.atomic.val() {
            self.word.next = bit_cast::<32, 10>(self.atomic_size.val());
        }
    }
}
