//! `OpenMessages`: the messages of several packets of which more packets are to come.
//!
//! **Purpose.** A message is matched once, by its first packet; the others find here where they go. Packets of one
//! class of one pair (source node and context, target context) come in order and a message's packets follow each other,
//! so a pair has at most one open message of each class.
//!
//! ```text
//!                 +--------------+
//!   source     -->|              |--> hit                   (same cycle)
//!   store      -->| OpenMessages |--> kept_index, kept      (one cycle later)
//!   store_*    -->|              |--> free, free_index
//!   close      -->|              |--> orphan, orphan_source
//!   enabled,   -->|              |--> pending
//!   timeout       +--------------+
//! ```
//!
//! **Contract.** 16 messages of each context, so that one context takes no place of another; 64 in the large
//! configuration, of all contexts together 240, so that 16 of the 256 message slots are left for messages that end.
//! `store` (pulse) writes `new_message` for `store_source` into `store_index` (`free_index`, the highest free place of
//! its context, to open; that of the message to go on); `close` (pulse) frees the place of `source`. Both take effect
//! at the edge. `kept_index` is the place that the `source` of one cycle ago had, also if the message was closed since,
//! and `kept` what is stored there now. `orphan`, `orphan_source` and `pending` are those of [`OrphanMessages`].
//!
//! **Internals.** A place is {context 2, number `P`}. [`OpenPlaces`] of each context compare all sources with `source`
//! at once; at most one is its, so the number is an OR of those that hit, not a choice. Each context has a register for
//! the place that its comparison found, and a [`LutRam`] with the rest, read after it; whose word counts is chosen
//! last. [`Highest`] finds the free place.

use crate::admission::message_tracker::highest::Highest;
use crate::admission::message_tracker::open_places::OpenPlaces;
use crate::admission::message_tracker::orphan_messages::OrphanMessages;
use crate::leaf::per_context::PerContext;
use crate::leaf::{Delay, LutRam, Reg};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::OpenMessage;

/// Content-addressed store of open messages, `2^P` for each of `C` contexts. `N` = `2^P`, `I` = `P + 2`, `T` = `4 N`;
/// `P` is 4 or 6.
#[block]
pub struct OpenMessages<
    const C: usize = 4,
    const P: usize = 4,
    const N: usize = 16,
    const I: usize = 6,
    const T: usize = 64,
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Whose message: {reply 1, source node 16, source context 8, target context 2}.
    pub source: Signal<In, Bits<27>>,
    /// The source has an open message.
    pub hit: Signal<Out, Bit>,
    /// The place of the `source` of the cycle before, if it had one.
    pub kept_index: Signal<Out, Bits<I>>,
    /// What is known of the message in it.
    pub kept: Signal<Out, OpenMessage>,
    /// The context of `source` has a free place.
    pub free: Signal<Out, Bit>,
    /// A free place.
    pub free_index: Signal<Out, Bits<I>>,
    /// Write `new_message`.
    pub store: Signal<In, Bit>,
    /// Where to.
    pub store_index: Signal<In, Bits<I>>,
    /// Whose it is, as `source`.
    pub store_source: Signal<In, Bits<27>>,
    /// What.
    pub new_message: Signal<In, OpenMessage>,
    /// Free the place of `source`.
    pub close: Signal<In, Bit>,
    /// One bit per context: takes messages.
    pub enabled: Signal<In, Bits<4>>,
    /// Logarithm to base 2 of the cycles in which a message must go on; 0: for ever.
    pub timeout: Signal<In, Bits<5>>,
    /// There is an orphan.
    pub orphan: Signal<Out, Bit>,
    /// Its source.
    pub orphan_source: Signal<Out, Bits<27>>,
    /// There are orphans.
    pub pending: Signal<Out, Bit>,
    /// {reply 1, source node 16, source context 8} of each place.
    places: PerContext<OpenPlaces<N>, C>,
    /// Context of the `source` of the cycle before; place that each context had for it.
    owner_q: Delay<Bits<2>>,
    near_q: PerContext<Delay<Bits<P>>, C>,
    /// What is known of the messages.
    rest: PerContext<LutRam<OpenMessage, P>, C>,
    vacancy: Highest,
    orphans: OrphanMessages<N, I, T>,
    /// Messages that are open; it matters only where there are more places than slots.
    open_q: Reg<Bits<9>>,
    #[value(u64::from(T > 240).to_bits())]
    bounded: Constant<Bits<1>>,
    /// Where the places of each context begin.
    #[value((0..4).map(|context| Constant::new((context * N as u64).to_bits())).collect())]
    begins: Vec<Constant<Bits<I>>>,
    /// Places whose number has this bit.
    #[value((0..P).map(|bit| Constant::new(ones((0..N).filter(|place| place >> bit & 1 == 1)))).collect())]
    numbered: Vec<Constant<Bits<N>>>,
    owner: Signal<Local, Bits<2>>,
    context_one: Signal<Local, Bits<4>>,
    owner_hot: Signal<Local, Bits<4>>,
    kept_hot: Signal<Local, Bits<4>>,
    store_owner: Signal<Local, Bits<2>>,
    store_hot: Signal<Local, Bits<4>>,
    own_hits: Signal<Local, Bits<N>>,
    near: Signal<Local, Bits<P>>,
    kept_near: Signal<Local, Bits<P>>,
    used: Signal<Local, Bits<T>>,
    here: Signal<Local, Bits<N>>,
    taken: Signal<Local, Bits<N>>,
    vacant: Signal<Local, Bits<N>>,
    vacant_index: Signal<Local, Bits<6>>,
    lowest: Signal<Local, Bits<I>>,
    one: Signal<Local, Bits<T>>,
    stores: Signal<Local, Bits<T>>,
    own_stores: Signal<Local, Bits<T>>,
    closes: Signal<Local, Bits<T>>,
    opens: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    crowded: Signal<Local, Bit>,
}

/// These bits.
fn ones<const N: usize>(bits: impl Iterator<Item = usize>) -> Bits<N> {
    bits.fold(Bits::default(), |word, bit| word.replace_bit(bit, true))
}

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize> Logic
    for OpenMessages<C, P, N, I, T>
{
    fn update(&mut self) {
        // The place of the source: one at most, of its context.
        self.owner.next = self.source.val().get_bits::<2>(0);
        self.context_one.next = 1.into();
        self.owner_hot.next = self.context_one.val() << self.owner.val();
        self.one.next = 1.into();
        self.stores.next = 0.into();
        if self.store.val() {
            self.stores.next = self.one.val() << self.store_index.val();
        }
        self.used.next = 0.into();
        self.here.next = 0.into();
        self.taken.next = 0.into();
        self.closes.next = 0.into();
        for i in 0..C {
            self.places[i].source.next = self.source.val().get_bits::<25>(2);
            self.places[i].owner.next = self.store_source.val().get_bits::<25>(2);
            self.own_stores.next = self.stores.val() >> self.begins[i].val();
            self.places[i].stores.next = self.own_stores.val().get_bits::<N>(0);
            self.places[i].closes.next = 0.into();
            self.used.next = self.used.val()
                | (bit_cast::<T, N>(self.places[i].used.val()) << self.begins[i].val());
            if self.owner_hot.val().get_bit(i) {
                self.here.next = self.places[i].hits.val();
                self.taken.next = self.places[i].used.val();
                if self.close.val() {
                    self.places[i].closes.next = self.places[i].hits.val();
                }
            }
            self.closes.next = self.closes.val()
                | (bit_cast::<T, N>(self.places[i].closes.val()) << self.begins[i].val());
        }
        self.lowest.next = self.begins[0].val();
        for i in 0..4 {
            if self.owner_hot.val().get_bit(i) {
                self.lowest.next = self.begins[i].val();
            }
        }
        self.vacant.next = !self.taken.val();
        self.vacancy.bits.next = bit_cast::<64, N>(self.vacant.val());

        // Written when a message is opened or goes on; a cycle later each context reads at the place that it found.
        self.owner_q.d.next = self.owner.val();
        self.kept_hot.next = self.context_one.val() << self.owner_q.q.val();
        self.store_owner.next = self.store_source.val().get_bits::<2>(0);
        self.store_hot.next = self.context_one.val() << self.store_owner.val();
        self.kept.next = self.rest[0].read_data.val();
        self.kept_near.next = self.near_q[0].q.val();
        for i in 0..C {
            self.own_hits.next = self.places[i].hits.val();
            self.near.next = 0.into();
            for bit in 0..P {
                self.near.next = self
                    .near
                    .val()
                    .replace_bit(bit, (self.own_hits.val() & self.numbered[bit].val()).any());
            }
            self.near_q[i].d.next = self.near.val();
            self.rest[i].write_addr.next = self.store_index.val().get_bits::<P>(0);
            self.rest[i].write_data.next = self.new_message.val();
            self.rest[i].write_en.next = self.store.val() & self.store_hot.val().get_bit(i);
            self.rest[i].read_addr.next = self.near_q[i].q.val();
            if self.kept_hot.val().get_bit(i) {
                self.kept.next = self.rest[i].read_data.val();
                self.kept_near.next = self.near_q[i].q.val();
            }
        }
        self.kept_index.next = bit_cast::<I, P>(self.kept_near.val());
        for i in 0..4 {
            if self.kept_hot.val().get_bit(i) {
                self.kept_index.next =
                    bit_cast::<I, P>(self.kept_near.val()) | self.begins[i].val();
            }
        }

        // Those that nothing more will come for.
        self.orphans.used.next = self.used.val();
        self.orphans.stores.next = self.stores.val();
        self.orphans.closes.next = self.closes.val();
        self.orphans.source.next = self.source.val();
        self.orphans.store.next = self.store.val();
        self.orphans.store_index.next = self.store_index.val();
        self.orphans.store_source.next = self.store_source.val();
        self.orphans.close.next = self.close.val();
        self.orphans.enabled.next = self.enabled.val();
        self.orphans.timeout.next = self.timeout.val();
        self.orphan.next = self.orphans.orphan.val();
        self.orphan_source.next = self.orphans.orphan_source.val();
        self.pending.next = self.orphans.pending.val();

        self.hit.next = self.here.val().any();
        self.vacant_index.next = self.vacancy.index.val();
        self.free_index.next =
            self.lowest.val() | bit_cast::<I, P>(self.vacant_index.val().get_bits::<P>(0));

        // Where there are more places than slots some slots stay for messages that end.
        self.opens.next = self.store.val() & !(self.stores.val() & self.used.val()).any();
        self.ends.next = self.close.val() & self.here.val().any();
        self.open_q.en.next = self.opens.val() != self.ends.val();
        self.open_q.d.next = self.open_q.q.val() - 1;
        if self.opens.val() {
            self.open_q.d.next = self.open_q.q.val() + 1;
        }
        self.crowded.next = (self.bounded.val() == 1) & (self.open_q.q.val() >= 240);
        self.free.next = self.vacancy.some.val() & !self.crowded.val();
    }
}
