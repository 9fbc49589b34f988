//! `PortalTable`: the portal entries of all contexts, each one locally managed receive buffer.
//!
//! **Purpose.** Admission asks here where a message lands and stores how far the buffer is filled; the host sets the
//! entries up through a register window. Not a match list: an entry takes every message while it is enabled.
//!
//! ```text
//!                 +-------------+
//!   lookup     -->|             |--> entry         (same cycle)
//!   hold       -->|             |
//!   commit*    -->| PortalTable |--> flow_portals
//!   late,      -->|             |--> late_flow, late_enabled  (same cycle)
//!   late_valid -->|             |--> late_ready
//!   cfg_*      -->|             |--> cfg_ready
//!   status_addr-->|             |--> status_data   (next cycle)
//!                 |             |--> single
//!                 +-------------+
//! ```
//!
//! **Contract.** `entry` is entry `lookup` {context 2, entry 4} at all times. `commit` is done at the edge: offset and
//! remaining are replaced, `commit_disable` disables. A commit comes only for an entry for which `hold` has been up
//! since the cycle in which it was read as enabled; `hold` on a disabled entry ends after finitely many cycles.
//! `late_flow` and `late_enabled` are those of entry `late` {context 2, entry 4} at all times; `late_valid` with
//! `late_ready` disables it at the edge. A commit goes first, so who asks looks at `late_enabled` in every cycle and
//! withdraws the request when a commit has disabled the entry; a window write waits. A window write is taken in a cycle
//! with `cfg_write` and `cfg_ready`; its words are those of [`portal_word`](xtq_types::register_map::portal_word).
//! START, LENGTH, OFFSET and CONTROL = 1 are refused (`cfg_refused`, nothing changes) while the entry is enabled. While
//! the entry is disabled and `hold` names it `cfg_ready` is low for every word but OPTIONS. So a commit never meets an
//! entry that was set up again meanwhile, and who writes CONTROL = 2 and waits for `cfg_ready` once more knows that
//! nothing is admitted after it. CONTROL = 1: remaining := max(0, length - offset), and enabled in the fourth cycle
//! after it was taken, later by the commits that come then. CONTROL = 2: disabled at the edge. CONTROL = 3: so too, and
//! the entry is no single buffer from then on. Other values of CONTROL do nothing. `status_data` is not valid for an
//! address given while a window write waits or a CONTROL = 1 is at work. Reset disables all entries and clears the
//! options; the other words survive. `single`: one bit per entry, up from its first CONTROL = 1 until CONTROL = 3 or
//! reset: its messages come here, in the whole NIC those of all others go to the lists.
//!
//! **Internals.** Options are one bit an entry in registers; the 64-bit words are memories of 32-bit halves, once for
//! `lookup` (asynchronous) and once for the window (synchronous). A state machine subtracts the halves one after the
//! other. A counter a context follows the enabled flow-control entries, since at most one entry changes in a cycle.

mod half;

use crate::bundle::{PortalCommitIn, ReadBackIn, StreamIn, WindowIn};
use crate::leaf::{Delay, LutRam, Reg};
use half::Half;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::pipe::PortalEntry;

/// What the window is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Step {
    Idle,
    SubtractLow,
    SubtractHigh,
    Store,
}

/// 64 portal entries, 16 a context.
#[block]
pub struct PortalTable {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From Admission: entry to read, {context 2, entry 4}.
    pub lookup: Signal<In, Bits<6>>,
    /// From Admission: it reads or has read entry `lookup` as enabled and has not decided about the message yet.
    pub hold: Signal<In, Bit>,
    /// To Admission: the entry, in the same cycle.
    pub entry: Signal<Out, PortalEntry>,
    /// From Admission: store a message's landing.
    pub commit: PortalCommitIn,

    /// From Completer: entry of a message whose queue was found full, {context 2, entry 4}. With `late_valid` it
    /// is disabled, with `late_ready` at this edge.
    pub late: StreamIn<Bits<6>>,
    /// It has flow control, same cycle.
    pub late_flow: Signal<Out, Bit>,
    /// It is enabled, same cycle.
    pub late_enabled: Signal<Out, Bit>,

    /// From Registers: window, {context 2, entry 4, word 3}; `cfg_write` waits for `cfg_ready`.
    pub cfg: WindowIn<9>,
    /// The word is taken in this cycle.
    pub cfg_ready: Signal<Out, Bit>,
    /// With `cfg_ready`: nothing changes, the entry is enabled.
    pub cfg_refused: Signal<Out, Bit>,
    /// From Registers: word to read back, {context 2, entry 4, word 3}.
    pub status: ReadBackIn<9>,

    /// To EventRings: enabled entries with flow control, 5 bits a context, context 0 lowest.
    pub flow_portals: Signal<Out, Bits<20>>,
    /// To MatchStage, one bit per entry: it is a single buffer.
    pub single: Signal<Out, Bits<64>>,

    step_q: Delay<Step>,
    /// Entry that CONTROL = 1 is at work on; while none is, that of the window.
    entry_q: Reg<Bits<6>>,
    /// length - offset, with borrow: low half, then high half.
    low_q: Reg<Bits<33>>,
    high_q: Reg<Bits<33>>,
    /// START_LO, START_HI, LENGTH_LO, LENGTH_HI, OFFSET_LO, OFFSET_HI.
    halves: [Half; 6],
    remaining_ram: LutRam<Bits<64>, 6>,
    enabled_q: Delay<Bits<64>>,
    single_q: Delay<Bits<64>>,
    flow_q: Delay<Bits<64>>,
    success_q: Reg<Bits<64>>,
    failure_q: Reg<Bits<64>>,
    flow_counts: [Reg<Bits<5>>; 4],
    status_word_q: Delay<Bits<3>>,
    status_options_q: Delay<Bits<3>>,
    status_enabled_q: Delay<Bit>,

    one: Signal<Local, Bits<64>>,
    context_one: Signal<Local, Bits<4>>,
    context_hot: Signal<Local, Bits<4>>,
    cfg_entry: Signal<Local, Bits<6>>,
    cfg_word: Signal<Local, Bits<3>>,
    idle: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    cfg_enabled: Signal<Local, Bit>,
    sets_up: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    here: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    options: Signal<Local, Bit>,
    disables: Signal<Local, Bit>,
    releases: Signal<Local, Bit>,
    working: Signal<Local, Bit>,
    store: Signal<Local, Bit>,
    window_addr: Signal<Local, Bits<6>>,
    target: Signal<Local, Bits<6>>,
    target_context: Signal<Local, Bits<2>>,
    hot: Signal<Local, Bits<64>>,
    cold: Signal<Local, Bits<64>>,
    enabled: Signal<Local, Bits<64>>,
    flow: Signal<Local, Bits<64>>,
    cfg_flow: Signal<Local, Bit>,
    count_up: Signal<Local, Bit>,
    count_down: Signal<Local, Bit>,
    length_low: Signal<Local, Bits<33>>,
    offset_low: Signal<Local, Bits<33>>,
    length_high: Signal<Local, Bits<33>>,
    offset_high: Signal<Local, Bits<33>>,
    borrow: Signal<Local, Bits<33>>,
    found_enabled: Signal<Local, Bit>,
    found_flow: Signal<Local, Bit>,
    found_success: Signal<Local, Bit>,
    found_failure: Signal<Local, Bit>,
    status_entry: Signal<Local, Bits<6>>,
    status_flow: Signal<Local, Bit>,
    status_success: Signal<Local, Bit>,
    status_failure: Signal<Local, Bit>,
}

#[kernel]
impl Logic for PortalTable {
    fn update(&mut self) {
        // Who changes an entry in this cycle: a commit, else the completer, else the window's state machine, else a
        // window write.
        self.taken.next = self.commit.data.val() | self.late.valid.val();
        self.late.ready.next = !self.commit.data.val();
        self.late_flow.next = self.flow_q.q.val().get_bit(self.late.data.val().index());
        self.late_enabled.next = self.enabled_q.q.val().get_bit(self.late.data.val().index());
        self.cfg_entry.next = self.cfg.addr.val().get_bits::<6>(3);
        self.cfg_word.next = self.cfg.addr.val().get_bits::<3>(0);
        self.idle.next = self.step_q.q.val() == Step::Idle;
        self.cfg_enabled.next = self.enabled_q.q.val().get_bit(self.cfg_entry.val().index());
        self.sets_up.next =
            (self.cfg_word.val() != 4) & ((self.cfg_word.val() != 7) | (self.cfg.data.val() == 1));
        self.here.next = self.hold.val() & (self.lookup.val() == self.cfg_entry.val());
        self.held.next = self.here.val() & (self.cfg_word.val() != 4) & !self.cfg_enabled.val();
        self.cfg_refused.next = self.sets_up.val() & self.cfg_enabled.val();
        self.cfg_ready.next = self.idle.val() & !self.taken.val() & !self.held.val();
        // What a write does is found without `cfg_ready`: to disable what is disabled changes nothing, so `held` counts
        // for `sets` and `single` only.
        self.free.next = self.cfg.write.val() & self.idle.val() & !self.taken.val();
        self.sets.next = self.free.val() & !self.here.val() & !self.cfg_enabled.val();
        self.options.next = self.free.val() & (self.cfg_word.val() == 4);
        self.disables.next = self.free.val()
            & (self.cfg_word.val() == 7)
            & ((self.cfg.data.val() == 2) | (self.cfg.data.val() == 3));
        self.releases.next = self.free.val()
            & (self.cfg_word.val() == 7)
            & (self.cfg.data.val() == 3)
            & (!self.here.val() | self.cfg_enabled.val());
        self.working.next = !self.idle.val();
        self.store.next = (self.step_q.q.val() == Step::Store) & !self.taken.val();
        self.target.next = self.cfg_entry.val();
        if self.working.val() {
            self.target.next = self.entry_q.q.val();
        }
        if self.late.valid.val() {
            self.target.next = self.late.data.val();
        }
        if self.commit.data.val() {
            self.target.next = self.commit.index.val();
        }
        self.target_context.next = self.target.val().get_bits::<2>(4);
        self.one.next = 1.into();
        self.context_one.next = 1.into();
        self.context_hot.next = self.context_one.val() << self.target_context.val();
        self.hot.next = self.one.val() << self.target.val();
        self.cold.next = !self.hot.val();

        // CONTROL = 1: two subtractions of halves, then the result.
        self.entry_q.d.next = self.cfg_entry.val();
        self.entry_q.en.next = self.idle.val();
        self.step_q.d.next = Step::Idle;
        self.length_low.next = bit_cast::<33, 32>(self.halves[2].window_data.val());
        self.offset_low.next = bit_cast::<33, 32>(self.halves[4].window_data.val());
        self.low_q.d.next = self.length_low.val() - self.offset_low.val();
        self.low_q.en.next = self.step_q.q.val() == Step::SubtractLow;
        self.length_high.next = bit_cast::<33, 32>(self.halves[3].window_data.val());
        self.offset_high.next = bit_cast::<33, 32>(self.halves[5].window_data.val());
        self.borrow.next = bit_cast::<33, 1>(self.low_q.q.val().get_bits::<1>(32));
        self.high_q.d.next = self.length_high.val() - self.offset_high.val() - self.borrow.val();
        self.high_q.en.next = self.step_q.q.val() == Step::SubtractHigh;
        match self.step_q.q.val() {
            Step::Idle => {
                if self.sets.val() & (self.cfg_word.val() == 7) & (self.cfg.data.val() == 1) {
                    self.step_q.d.next = Step::SubtractLow;
                }
            }
            Step::SubtractLow => {
                self.step_q.d.next = Step::SubtractHigh;
            }
            Step::SubtractHigh => {
                self.step_q.d.next = Step::Store;
            }
            Step::Store => {
                if self.taken.val() {
                    self.step_q.d.next = Step::Store;
                }
            }
            _ => {
                self.step_q.d.next = Step::Idle;
            }
        }

        self.single.next = self.single_q.q.val() | self.enabled_q.q.val();
        self.single_q.d.next = self.single.val();
        if self.releases.val() {
            self.single_q.d.next = self.single.val() & self.cold.val();
        }

        // The words.
        self.window_addr.next = self.status.addr.val().get_bits::<6>(3);
        if self.cfg.write.val() {
            self.window_addr.next = self.cfg_entry.val();
        }
        if self.working.val() {
            self.window_addr.next = self.entry_q.q.val();
        }
        for i in 0..6 {
            self.halves[i].write.next = false;
            self.halves[i].write_addr.next = self.target.val();
            self.halves[i].write_data.next = self.cfg.data.val();
            self.halves[i].lookup_addr.next = self.lookup.val();
            self.halves[i].window_addr.next = self.window_addr.val();
        }
        if self.sets.val() {
            match self.cfg_word.val().index() {
                0 => self.halves[0].write.next = true,
                1 => self.halves[1].write.next = true,
                2 => self.halves[2].write.next = true,
                3 => self.halves[3].write.next = true,
                5 => self.halves[4].write.next = true,
                6 => self.halves[5].write.next = true,
                _ => self.halves[0].write.next = false,
            }
        }
        if self.commit.data.val() {
            self.halves[4].write.next = true;
            self.halves[5].write.next = true;
            self.halves[4].write_data.next = self.commit.offset.val().get_bits::<32>(0);
            self.halves[5].write_data.next = self.commit.offset.val().get_bits::<32>(32);
        }
        self.remaining_ram.read_addr.next = self.lookup.val();
        self.remaining_ram.write_addr.next = self.target.val();
        self.remaining_ram.write_en.next = self.store.val() | self.commit.data.val();
        self.remaining_ram.write_data.next =
            (bit_cast::<64, 32>(self.high_q.q.val().get_bits::<32>(0)) << 32)
                | bit_cast::<64, 32>(self.low_q.q.val().get_bits::<32>(0));
        if self.high_q.q.val().get_bit(32) {
            self.remaining_ram.write_data.next = 0.into();
        }
        if self.commit.data.val() {
            self.remaining_ram.write_data.next = self.commit.remaining.val();
        }

        // Enable bits and options.
        self.enabled.next = self.enabled_q.q.val();
        self.flow.next = self.flow_q.q.val();
        self.success_q.d.next = self.success_q.q.val() & self.cold.val();
        self.success_q.en.next = self.options.val();
        self.failure_q.d.next = self.failure_q.q.val() & self.cold.val();
        self.failure_q.en.next = self.options.val();
        if self.cfg.data.val().get_bit(1) {
            self.success_q.d.next = self.success_q.q.val() | self.hot.val();
        }
        if self.cfg.data.val().get_bit(2) {
            self.failure_q.d.next = self.failure_q.q.val() | self.hot.val();
        }
        if self.options.val() {
            self.flow.next = self.flow_q.q.val() & self.cold.val();
            if self.cfg.data.val().get_bit(0) {
                self.flow.next = self.flow_q.q.val() | self.hot.val();
            }
        }
        if self.store.val() {
            self.enabled.next = self.enabled_q.q.val() | self.hot.val();
        }
        if self.disables.val()
            | (self.commit.data.val() & self.commit.disable.val())
            | (self.late.valid.val() & !self.commit.data.val())
        {
            self.enabled.next = self.enabled_q.q.val() & self.cold.val();
        }
        self.enabled_q.d.next = self.enabled.val();
        self.flow_q.d.next = self.flow.val();

        // Enabled flow-control entries of each context: each source looks up the entry that it names, before it is
        // known whose turn it is.
        self.cfg_flow.next = self.flow_q.q.val().get_bit(self.cfg_entry.val().index());
        self.count_up.next = (self.store.val()
            & !self.enabled_q.q.val().get_bit(self.entry_q.q.val().index())
            & self.flow_q.q.val().get_bit(self.entry_q.q.val().index()))
            | (self.options.val()
                & self.cfg_enabled.val()
                & !self.cfg_flow.val()
                & self.cfg.data.val().get_bit(0));
        self.count_down.next = (self.commit.data.val()
            & self.commit.disable.val()
            & self
                .enabled_q
                .q
                .val()
                .get_bit(self.commit.index.val().index())
            & self.flow_q.q.val().get_bit(self.commit.index.val().index()))
            | (self.late.valid.val()
                & !self.commit.data.val()
                & self.late_enabled.val()
                & self.late_flow.val())
            | (self.options.val()
                & self.cfg_enabled.val()
                & self.cfg_flow.val()
                & !self.cfg.data.val().get_bit(0))
            | (self.disables.val() & self.cfg_enabled.val() & self.cfg_flow.val());
        for i in 0..4 {
            self.flow_counts[i].en.next =
                self.context_hot.val().get_bit(i) & (self.count_up.val() | self.count_down.val());
            self.flow_counts[i].d.next = self.flow_counts[i].q.val() - 1;
            if self.count_up.val() {
                self.flow_counts[i].d.next = self.flow_counts[i].q.val() + 1;
            }
        }
        self.flow_portals.next = bit_cast::<20, 5>(self.flow_counts[0].q.val())
            | (bit_cast::<20, 5>(self.flow_counts[1].q.val()) << 5)
            | (bit_cast::<20, 5>(self.flow_counts[2].q.val()) << 10)
            | (bit_cast::<20, 5>(self.flow_counts[3].q.val()) << 15);

        // Lookup.
        self.found_enabled.next = self.enabled_q.q.val().get_bit(self.lookup.val().index());
        self.found_flow.next = self.flow_q.q.val().get_bit(self.lookup.val().index());
        self.found_success.next = self.success_q.q.val().get_bit(self.lookup.val().index());
        self.found_failure.next = self.failure_q.q.val().get_bit(self.lookup.val().index());
        self.entry.next.enabled = self.found_enabled.val().into();
        self.entry.next.flow_control = self.found_flow.val().into();
        self.entry.next.event_success = self.found_success.val().into();
        self.entry.next.event_failure = self.found_failure.val().into();
        self.entry.next.start = (bit_cast::<64, 32>(self.halves[1].lookup_data.val()) << 32)
            | bit_cast::<64, 32>(self.halves[0].lookup_data.val());
        self.entry.next.offset = (bit_cast::<64, 32>(self.halves[5].lookup_data.val()) << 32)
            | bit_cast::<64, 32>(self.halves[4].lookup_data.val());
        self.entry.next.remaining = self.remaining_ram.read_data.val();

        // Reading back.
        self.status_entry.next = self.status.addr.val().get_bits::<6>(3);
        self.status_flow.next = self.flow_q.q.val().get_bit(self.status_entry.val().index());
        self.status_success.next = self
            .success_q
            .q
            .val()
            .get_bit(self.status_entry.val().index());
        self.status_failure.next = self
            .failure_q
            .q
            .val()
            .get_bit(self.status_entry.val().index());
        self.status_options_q.d.next = bit_cast::<3, 1>(self.status_flow.val().into())
            | (bit_cast::<3, 1>(self.status_success.val().into()) << 1)
            | (bit_cast::<3, 1>(self.status_failure.val().into()) << 2);
        self.status_enabled_q.d.next = self
            .enabled_q
            .q
            .val()
            .get_bit(self.status_entry.val().index());
        self.status_word_q.d.next = self.status.addr.val().get_bits::<3>(0);
        self.status.data.next = 0.into();
        match self.status_word_q.q.val().index() {
            0 => self.status.data.next = self.halves[0].window_data.val(),
            1 => self.status.data.next = self.halves[1].window_data.val(),
            2 => self.status.data.next = self.halves[2].window_data.val(),
            3 => self.status.data.next = self.halves[3].window_data.val(),
            4 => self.status.data.next = bit_cast::<32, 3>(self.status_options_q.q.val()),
            5 => self.status.data.next = self.halves[4].window_data.val(),
            6 => self.status.data.next = self.halves[5].window_data.val(),
            _ => {
                if self.status_enabled_q.q.val() {
                    self.status.data.next = 1.into();
                }
            }
        }
    }
}
