//! `ExactHeaders`: the unexpected headers of an exact matcher, by their numbers.
//!
//! **Purpose.** Numbers and facts of the messages that wait in a table of [`ExactMatch`](super::ExactMatch), which
//! knows only numbers.
//!
//! ```text
//!   owner           -->+--------------+--> free, number, name
//!   keep, new_facts -->| ExactHeaders |
//!   look_at, remove -->+--------------+--> facts   (a cycle later)
//! ```
//!
//! **Contract.** `keep` only while `free`, which says that `owner` has less than its fourth of the headers: the header
//! is `number`, and is called `name`. `facts` are those of header `look_at` of the cycle before; `remove` gives that
//! number back, for `owner`. Not both in one cycle. Reset frees all.
//!
//! **Names.** As those of a match unit's headers (`HeaderStore`): the number with a turn bit of the context, which
//! changes whenever the context keeps a header of this number.
//!
//! **Internals.** A pool, a memory, four counts, and turn bits.

use crate::leaf::{ContextCounts, LutRam, NumberPool, Ram};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::exact_match::ExactHeader;

/// `2^H` headers, `2^(H - 2)` for each context; `N` = `H + 1`.
#[block]
pub struct ExactHeaders<const H: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; frees all.
    pub rst: Signal<In, Bit>,
    /// Context that is asked for, and whose header is kept or removed.
    pub owner: Signal<In, Bits<2>>,
    /// It may have one more.
    pub free: Signal<Out, Bit>,
    /// Number of that one.
    pub number: Signal<Out, Bits<12>>,
    /// Its name.
    pub name: Signal<Out, Bits<13>>,
    /// Keep it.
    pub keep: Signal<In, Bit>,
    /// Its facts; the name is filled in here.
    pub new_facts: Signal<In, ExactHeader>,
    /// Header to read.
    pub look_at: Signal<In, Bits<12>>,
    /// A cycle later: its facts.
    pub facts: Signal<Out, ExactHeader>,
    /// Give number `look_at` back.
    pub remove: Signal<In, Bit>,
    records: Ram<ExactHeader, H>,
    pool: NumberPool<H, N>,
    used: ContextCounts<N>,
    /// By number: a turn bit for each context.
    turns: LutRam<Bits<4>, H>,
    one: Signal<Local, Bits<4>>,
    turn: Signal<Local, Bits<13>>,
    named: Signal<Local, Bits<13>>,
    #[value((1u64 << (H - 2)).to_bits())]
    share: Constant<Bits<N>>,
}

#[kernel]
impl<const H: usize, const N: usize> Logic for ExactHeaders<H, N> {
    fn update(&mut self) {
        self.used.owner.next = self.owner.val();
        self.used.up.next = self.keep.val();
        self.used.down.next = self.remove.val();
        self.free.next = self.used.count.val() != self.share.val();
        self.pool.take.next = self.keep.val();
        self.pool.freed.data.next = bit_cast::<H, 12>(self.look_at.val());
        self.pool.freed.valid.next = self.remove.val();
        self.number.next = bit_cast::<12, H>(self.pool.number.data.val());

        // Names.
        self.one.next = 1.into();
        self.turns.read_addr.next = self.pool.number.data.val();
        self.turns.write_addr.next = self.pool.number.data.val();
        self.turns.write_data.next =
            self.turns.read_data.val() ^ (self.one.val() << self.owner.val());
        self.turns.write_en.next = self.keep.val();
        self.turn.next = 0.into();
        if self.turns.read_data.val().get_bit(self.owner.val().index()) {
            self.turn.next = 1.into();
        }
        self.named.next = (bit_cast::<13, H>(self.pool.number.data.val()) << 1) | self.turn.val();
        self.name.next = self.named.val();

        // Facts.
        self.records.write_addr.next = self.pool.number.data.val();
        self.records.write_en.next = self.keep.val();
        self.records.write_data.next = self.new_facts.val();
        self.records.write_data.next.name = self.named.val();
        self.records.read_addr.next = bit_cast::<H, 12>(self.look_at.val());
        self.facts.next = self.records.read_data.val();
    }
}
