//! `PortalStop`: closes a portal entry whose queue was found full.
//!
//! **Purpose.** A full GPU queue disables a portal entry with flow control. For an entry with lists that takes a
//! command to [`ListUnit`](crate::lists::list_unit::ListUnit); until it is done, messages that the lists have decided
//! about already must be refused too. One bit per entry says so.
//!
//! ```text
//!   asked          -->+------------+--> stopped               (same cycle)
//!   stop           -->|            |--> shut, shut_valid      (ListUnit)
//!   late, late_*  <-->| PortalStop |<-- enabled, enabled_valid
//!                     |            |<-> portal_late*          (PortalTable)
//!                     +------------+
//! ```
//!
//! **Contract.** `stopped` is that of entry `asked` {context 2, portal 6} at all times. `stop` (pulse) stops `asked`;
//! so does `mark`, when the lists have disabled it themselves. The completer's `late` is an entry of the lists with
//! `late_lists`, else one of PortalTable, to which everything is handed on; `late_flow` is `late_flow_lists` or what
//! PortalTable says, `late_enabled` is false for a stopped entry. `late_valid` with `late_ready` stops it. `enabled`
//! (pulse) ends the stop: the host has enabled or made the entry again. Reset stops nothing.
//!
//! **Internals.** 256 registers, and a queue of commands that has a place for every entry. The lists do a command only
//! when no request is under way, and requests end only while admission takes results, so admission must not wait for a
//! place. Of two that stop in one cycle admission goes first.

use crate::bundle::{PulseIn, StreamIn, StreamOut};
use crate::leaf::{Delay, RamFifo};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Stops portal entries with lists.
#[block]
pub struct PortalStop {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// From Admission: entry of the message at hand.
    pub asked: Signal<In, Bits<8>>,
    /// It is stopped.
    pub stopped: Signal<Out, Bit>,
    /// From Admission: stop `asked` (pulse).
    pub stop: Signal<In, Bit>,
    /// From Admission: the lists have disabled `asked` (pulse).
    pub mark: Signal<In, Bit>,

    /// From Completer: entry of the message at hand. With `late_valid` it is disabled, with `late_ready` at this edge.
    pub late: StreamIn<Bits<8>>,
    /// It has lists.
    pub late_lists: Signal<In, Bit>,
    /// With `late_lists`: it has flow control.
    pub late_flow_lists: Signal<In, Bit>,
    /// It has flow control.
    pub late_flow: Signal<Out, Bit>,
    /// It is enabled.
    pub late_enabled: Signal<Out, Bit>,

    /// To PortalTable: entry {context 2, entry 4}. With `portal_late_valid` it is disabled, with `portal_late_ready` at
    /// this edge.
    pub portal_late: StreamOut<Bits<6>>,
    /// It has flow control.
    pub portal_late_flow: Signal<In, Bit>,
    /// It is enabled.
    pub portal_late_enabled: Signal<In, Bit>,

    /// To ListUnit: disable the entry {context 2, portal 6}. It is taken when that is done.
    pub shut: StreamOut<Bits<8>>,
    /// From ListUnit: the host has enabled or made this entry.
    pub enabled: PulseIn<Bits<8>>,

    stopped_q: Delay<Bits<256>>,
    commands: RamFifo<Bits<8>, 9>,
    one: Signal<Local, Bits<256>>,
    stop_late: Signal<Local, Bit>,
    which: Signal<Local, Bits<8>>,
    sets: Signal<Local, Bits<256>>,
    clears: Signal<Local, Bits<256>>,
    late_context: Signal<Local, Bits<2>>,
    late_low: Signal<Local, Bits<4>>,
}

#[kernel]
impl Logic for PortalStop {
    fn update(&mut self) {
        self.stopped.next = self.stopped_q.q.val().get_bit(self.asked.val().index());

        // The completer's question is for one of two tables.
        self.late_context.next = self.late.data.val().get_bits::<2>(6);
        self.late_low.next = self.late.data.val().get_bits::<4>(0);
        self.portal_late.data.next = (bit_cast::<6, 2>(self.late_context.val()) << 4)
            | bit_cast::<6, 4>(self.late_low.val());
        self.portal_late.valid.next = self.late.valid.val() & !self.late_lists.val();
        self.late_flow.next = self.portal_late_flow.val();
        self.late_enabled.next = self.portal_late_enabled.val();
        self.late.ready.next = self.portal_late.ready.val();
        self.stop_late.next = false;
        if self.late_lists.val() {
            self.late_flow.next = self.late_flow_lists.val();
            self.late_enabled.next = !self.stopped_q.q.val().get_bit(self.late.data.val().index());
            self.late.ready.next = !self.stop.val() & !self.mark.val();
            self.stop_late.next = self.late.valid.val() & !self.stop.val() & !self.mark.val();
        }

        self.which.next = self.asked.val();
        if self.stop_late.val() {
            self.which.next = self.late.data.val();
        }
        self.one.next = 1.into();
        self.sets.next = 0.into();
        if self.stop.val() | self.mark.val() | self.stop_late.val() {
            self.sets.next = self.one.val() << self.which.val();
        }
        self.clears.next = 0.into();
        if self.enabled.valid.val() {
            self.clears.next = self.one.val() << self.enabled.data.val();
        }
        self.stopped_q.d.next = (self.stopped_q.q.val() & !self.clears.val()) | self.sets.val();
        self.commands.write.data.next = self.which.val();
        self.commands.write.valid.next = self.stop.val() | self.stop_late.val();
        connect!(self.commands.read => self.shut);
    }
}
