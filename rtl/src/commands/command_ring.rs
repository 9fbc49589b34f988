//! `CommandRing`: fetches the commands of the contexts' rings in host memory, in order for each context, ahead of their
//! execution.
//!
//! **Purpose.** The host posts commands by writing them to its ring and ringing the doorbell (TAIL). Here they are read
//! before CommandStage asks for them, so that it need not wait for memory. Nothing of a command is looked at.
//!
//! ```text
//!                  +-------------+
//!   cfg_*       -->|             |--> status_data           (next cycle)
//!   status_addr -->|             |--> bad_tail
//!   enabled     -->| CommandRing |--> request, request_valid
//!   result      -->|             |<-- request_ready
//!   choose      -->|             |--> waiting
//!   choose_next -->|             |--> command               (of choose)
//!   take        -->|             |
//!                  +-------------+
//! ```
//!
//! **Contract.** Commands of a context are given in the order of its ring, each once, at most 64 ahead. One fetch a
//! cycle at most, round robin over the contexts, 64 under way at most; a fetch is one burst of two lines and `result`
//! gives their lines in the order of the requests. `command` is that of context `choose`, in the same cycle, if its bit
//! of `waiting` is set and `choose` was `choose_next` in the cycle before; `take` takes it at the edge, also if the
//! context has been disabled meanwhile. `error`: one of its lines could not be read; the next command is not affected.
//! Doorbell in cycle *n*: request in *n + 3*; second line in *m*: `waiting` in *m + 2*. A TAIL that would post more
//! commands than the ring has free places, or take posted ones back, is ignored, `bad_tail` in the cycle after the
//! write. Writing SIZE begins an empty ring at BASE with HEAD = TAIL = 0; another value than a power of two up to
//! 32,768 means no ring. What is under way then is thrown away when it comes. BASE is written before SIZE; window
//! writes are at least two cycles apart. A context that is not enabled begins no fetch and gives nothing; what it has
//! waits. Reset: no ring.
//!
//! **Internals.** One [`CommandPointers`](crate::commands::command_pointers::CommandPointers) a context; a memory for
//! the first lines of the commands and one for the second, 64 places a context, so that commands follow each other
//! without a gap although a read takes a hundred cycles; a FIFO of the places that the results under way belong to.

use crate::bundle::{PulseIn, PulseOut, ReadBackIn, StreamOut, WindowIn};
use crate::commands::command_pointers::CommandPointers;
use crate::leaf::per_context::PerContext;
use crate::leaf::{Delay, Fifo, Ram, Reg, RoundRobin};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::memory::{BurstRequest, BurstResult};
use xtq_types::send::RingCommand;

/// Half a command.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Line {
    data: Bits<512>,
    error: Bits<1>,
}

/// The command rings of `C` contexts. One that is not there has no ring.
#[block]
pub struct CommandRing<const C: usize = 4> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From Registers: window, {context 2, word 2}, [`command_word`](xtq_types::register_map::command_word): BASE_LO,
    /// BASE_HI, SIZE, TAIL.
    pub cfg: WindowIn<4>,
    /// From Registers: word to read, {context 2, word 3}: as in the window, 4 HEAD; the others are 0.
    pub status: ReadBackIn<5>,
    /// To Registers: the context of a TAIL that was refused.
    pub bad_tail: PulseOut<Bits<2>>,
    /// From Registers, one bit per context: it may send.
    pub enabled: Signal<In, Bits<4>>,

    /// To ReadPort: two lines.
    pub request: StreamOut<BurstRequest>,
    /// From ReadPort: a line.
    pub result: PulseIn<BurstResult>,

    /// To CommandStage, one bit per context: a command is there.
    pub waiting: Signal<Out, Bits<4>>,
    /// From CommandStage: context.
    pub choose: Signal<In, Bits<2>>,
    /// From CommandStage: context of the next cycle.
    pub choose_next: Signal<In, Bits<2>>,
    /// Its next command, in the same cycle.
    pub command: Signal<Out, RingCommand>,
    /// From CommandStage: it is taken (pulse).
    pub take: Signal<In, Bit>,

    rings: PerContext<CommandPointers, C>,
    arbiter: RoundRobin<4>,
    /// {context 2, place 6} of each fetch under way.
    places: Fifo<Bits<8>, 6, 7>,
    first_lines: Ram<Line, 8>,
    second_lines: Ram<Line, 8>,
    /// The second line of this context is written, and can be read from now on.
    arrived_q: Delay<Bits<4>>,
    request_q: Reg<BurstRequest>,
    request_valid_q: Reg<Bit>,
    status_q: Delay<Bits<32>>,
    bad_context_q: Reg<Bits<2>>,

    one: Signal<Local, Bits<4>>,
    cfg_context: Signal<Local, Bits<2>>,
    cfg_hot: Signal<Local, Bits<4>>,
    take_hot: Signal<Local, Bits<4>>,
    arrived_context: Signal<Local, Bits<2>>,
    arrived_hot: Signal<Local, Bits<4>>,
    status_context: Signal<Local, Bits<2>>,
    status_hot: Signal<Local, Bits<4>>,
    next_hot: Signal<Local, Bits<4>>,
    slot_in: Signal<Local, Bits<6>>,
    slot_next: Signal<Local, Bits<6>>,
    winner: Signal<Local, Bits<2>>,
    want: Signal<Local, Bits<4>>,
    some: Signal<Local, Bits<4>>,
    bad: Signal<Local, Bits<4>>,
    open: Signal<Local, Bit>,
    grant: Signal<Local, Bits<4>>,
    granted: Signal<Local, BurstRequest>,
    place: Signal<Local, Bits<8>>,
    line: Signal<Local, Line>,
    first: Signal<Local, Line>,
    second: Signal<Local, Line>,
    next_place: Signal<Local, Bits<8>>,
}

impl<const C: usize> CommandRing<C> {
    /// Rings whose running counts start at `first` instead of 0: for tests, see [`CommandPointers::counting_from`].
    pub fn counting_from(first: u32) -> Self {
        Self {
            rings: PerContext::of(|| CommandPointers::counting_from(first)),
            ..Self::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for CommandRing<C> {
    fn update(&mut self) {
        // To the rings.
        self.one.next = 1.into();
        self.cfg_context.next = self.cfg.addr.val().get_bits::<2>(2);
        self.cfg_hot.next = self.one.val() << self.cfg_context.val();
        self.take_hot.next = 0.into();
        if self.take.val() {
            self.take_hot.next = self.one.val() << self.choose.val();
        }
        self.arrived_context.next = self.places.read.data.val().get_bits::<2>(6);
        self.arrived_hot.next = 0.into();
        if self.result.valid.val() & self.result.data.val().last.any() {
            self.arrived_hot.next = self.one.val() << self.arrived_context.val();
        }
        self.arrived_q.d.next = self.arrived_hot.val();
        self.next_hot.next = self.one.val() << self.choose_next.val();
        self.status_context.next = self.status.addr.val().get_bits::<2>(3);
        self.status_hot.next = self.one.val() << self.status_context.val();
        self.want.next = 0.into();
        self.some.next = 0.into();
        self.bad.next = 0.into();
        self.slot_next.next = 0.into();
        self.status_q.d.next = 0.into();
        for i in 0..C {
            self.rings[i].cfg_write.next = self.cfg.write.val() & self.cfg_hot.val().get_bit(i);
            self.rings[i].cfg_word.next = self.cfg.addr.val().get_bits::<2>(0);
            self.rings[i].cfg_data.next = self.cfg.data.val();
            self.rings[i].status_word.next = self.status.addr.val().get_bits::<3>(0);
            self.rings[i].enabled.next = self.enabled.val().get_bit(i);
            self.rings[i].arrived.next = self.arrived_q.q.val().get_bit(i);
            self.rings[i].take.next = self.take_hot.val().get_bit(i);
            self.want.next = self.want.val().replace_bit(i, self.rings[i].wants.val());
            self.some.next = self.some.val().replace_bit(i, self.rings[i].waiting.val());
            self.bad.next = self.bad.val().replace_bit(i, self.rings[i].bad_tail.val());
            if self.next_hot.val().get_bit(i) {
                self.slot_next.next = self.rings[i].slot_next.val();
            }
            if self.status_hot.val().get_bit(i) {
                self.status_q.d.next = self.rings[i].status_data.val();
            }
        }

        // Fetch: the register holds one request until it is taken.
        self.open.next = (!self.request_valid_q.q.val() | self.request.ready.val())
            & self.places.write.ready.val();
        self.arbiter.request.next = self.want.val();
        self.arbiter.advance.next = self.open.val();
        self.grant.next = 0.into();
        if self.open.val() {
            self.grant.next = self.arbiter.grant.val();
        }
        self.winner.next = 0.into();
        if self.grant.val().get_bit(1) {
            self.winner.next = 1.into();
        }
        if self.grant.val().get_bit(2) {
            self.winner.next = 2.into();
        }
        if self.grant.val().get_bit(3) {
            self.winner.next = 3.into();
        }
        self.granted.next.length = 1.into();
        self.granted.next.context = self.winner.val();
        self.granted.next.address = 0.into();
        self.slot_in.next = 0.into();
        for i in 0..C {
            self.rings[i].fetch.next = self.grant.val().get_bit(i);
            if self.grant.val().get_bit(i) {
                self.granted.next.address = self.rings[i].address.val();
                self.slot_in.next = self.rings[i].slot_in.val();
            }
        }
        self.place.next =
            (bit_cast::<8, 2>(self.winner.val()) << 6) | bit_cast::<8, 6>(self.slot_in.val());
        self.request_q.d.next = self.granted.val();
        self.request_q.en.next = self.grant.val().any();
        self.request_valid_q.d.next = self.grant.val().any();
        self.request_valid_q.en.next = self.grant.val().any() | self.request.ready.val();
        self.request.data.next = self.request_q.q.val();
        self.request.valid.next = self.request_valid_q.q.val();
        self.places.write.data.next = self.place.val();
        self.places.write.valid.next = self.grant.val().any();

        // Results are in the order of the requests.
        self.places.read.ready.next = self.result.valid.val() & self.result.data.val().last.any();
        self.line.next.data = self.result.data.val().data;
        self.line.next.error = self.result.data.val().error;
        self.first_lines.write_addr.next = self.places.read.data.val();
        self.first_lines.write_data.next = self.line.val();
        self.first_lines.write_en.next =
            self.result.valid.val() & !self.result.data.val().last.any();
        self.second_lines.write_addr.next = self.places.read.data.val();
        self.second_lines.write_data.next = self.line.val();
        self.second_lines.write_en.next =
            self.result.valid.val() & self.result.data.val().last.any();

        // To CommandStage.
        self.waiting.next = self.some.val();
        self.next_place.next = (bit_cast::<8, 2>(self.choose_next.val()) << 6)
            | bit_cast::<8, 6>(self.slot_next.val());
        self.first_lines.read_addr.next = self.next_place.val();
        self.second_lines.read_addr.next = self.next_place.val();
        self.first.next = self.first_lines.read_data.val();
        self.second.next = self.second_lines.read_data.val();
        self.command.next.command = (bit_cast::<1024, 512>(self.second.val().data) << 512)
            | bit_cast::<1024, 512>(self.first.val().data);
        self.command.next.error = self.first.val().error | self.second.val().error;

        // To Registers.
        self.bad_context_q.d.next = self.cfg_context.val();
        self.bad_context_q.en.next = self.cfg.write.val();
        self.bad_tail.data.next = self.bad_context_q.q.val();
        self.bad_tail.valid.next = self.bad.val().any();
        self.status.data.next = self.status_q.q.val();
    }
}
