//! `CommandRing`: fetches the commands of four rings in host memory, in order for each context, ahead of their execution.
//!
//! **Purpose.** The host posts commands by writing them to its ring and ringing the doorbell (TAIL). Here they are read before
//! CommandStage asks for them, so that it need not wait for memory. Nothing of a command is looked at.
//!
//! ```text
//!                  +-------------+
//!   cfg_*       -->|             |--> status_data           (next cycle)
//!   status_addr -->|             |--> bad_tail
//!   enabled     -->| CommandRing |--> request, request_valid
//!   result      -->|             |<-- request_ready
//!   choose      -->|             |--> waiting
//!   take        -->|             |--> command               (same cycle as choose)
//!                  +-------------+
//! ```
//!
//! **Contract.** Commands of a context are given in the order of its ring, each once, at most four ahead. One fetch a cycle at most, round robin over the contexts, eight under way at most; a
//! fetch is one burst of two lines and `result` gives their lines in the order of the requests. `command` is that of context `choose`, in the same
//! cycle, if its bit of `waiting` is set; `take` takes it at the edge. `error`: one of its lines could not be read; the next command is not affected.
//! Doorbell in cycle *n*: request in *n + 3*; second line in *m*: `waiting` in *m + 1*. A TAIL that would post more commands than the ring has free places, or take posted ones back, is ignored,
//! `bad_tail` in the cycle behind the write. Writing SIZE begins an empty ring at BASE with HEAD = TAIL = 0; another value than a power of two up to 32,768
//! means no ring. What is under way then is thrown away when it comes. BASE is written before SIZE; window writes are at least two cycles apart. A context that is not enabled
//! begins no fetch and gives nothing; what it has waits. Reset: no ring.
//!
//! **Internals.** One [`CommandPointers`](crate::command_pointers::CommandPointers) a context; a memory for the first lines of the commands and one for the second, four places a context; a
//! FIFO of the places that the results under way belong to.

use crate::command_pointers::CommandPointers;
use crate::leaf::{Fifo, LutRam, Reg, RoundRobin};
use crate::types::send::{BurstRequest, BurstResult, RingCommand};
use rust_hdl::prelude::*;

/// Half a command.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Line {
    data: Bits<512>,
    error: Bits<1>,
}

/// The command rings of four contexts.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct CommandRing {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,

    /// From Registers: write a window word.
    pub cfg_write: Signal<In, Bit>,
    /// {context 2, word 2}, [`command_word`](crate::types::register_map::command_word): BASE_LO, BASE_HI, SIZE, TAIL.
    pub cfg_addr: Signal<In, Bits<4>>,
    /// Value.
    pub cfg_data: Signal<In, Bits<32>>,
    /// From Registers: word to read, {context 2, word 3}: as in the window, 4 HEAD; the others are 0.
    pub status_addr: Signal<In, Bits<5>>,
    /// The word, one cycle later.
    pub status_data: Signal<Out, Bits<32>>,
    /// To Registers: a TAIL was refused (pulse).
    pub bad_tail_valid: Signal<Out, Bit>,
    /// Its context.
    pub bad_tail: Signal<Out, Bits<2>>,
    /// From Registers, a bit a context: it may send.
    pub enabled: Signal<In, Bits<4>>,

    /// To ReadPort: two lines.
    pub request: Signal<Out, BurstRequest>,
    /// `request` is valid.
    pub request_valid: Signal<Out, Bit>,
    /// `request` is taken.
    pub request_ready: Signal<In, Bit>,
    /// From ReadPort: a line.
    pub result: Signal<In, BurstResult>,
    /// Pulse.
    pub result_valid: Signal<In, Bit>,

    /// To CommandStage, a bit a context: a command is there.
    pub waiting: Signal<Out, Bits<4>>,
    /// From CommandStage: context.
    pub choose: Signal<In, Bits<2>>,
    /// Its next command, in the same cycle.
    pub command: Signal<Out, RingCommand>,
    /// From CommandStage: it is taken (pulse).
    pub take: Signal<In, Bit>,

    rings: [CommandPointers; 4],
    arbiter: RoundRobin<4>,
    /// {context 2, place 2} of each fetch under way.
    places: Fifo<Bits<4>, 3, 4>,
    first_lines: LutRam<Line, 4>,
    second_lines: LutRam<Line, 4>,
    request_q: Reg<BurstRequest>,
    request_valid_q: Reg<Bit>,
    status_q: Reg<Bits<32>>,
    bad_context_q: Reg<Bits<2>>,

    one: Signal<Local, Bits<4>>,
    cfg_context: Signal<Local, Bits<2>>,
    cfg_hot: Signal<Local, Bits<4>>,
    take_hot: Signal<Local, Bits<4>>,
    arrived_context: Signal<Local, Bits<2>>,
    arrived_hot: Signal<Local, Bits<4>>,
    status_context: Signal<Local, Bits<2>>,
    wants: Signal<Local, Bits<4>>,
    open: Signal<Local, Bit>,
    grant: Signal<Local, Bits<4>>,
    granted: Signal<Local, BurstRequest>,
    place: Signal<Local, Bits<4>>,
    line: Signal<Local, Line>,
    first: Signal<Local, Line>,
    second: Signal<Local, Line>,
    chosen_place: Signal<Local, Bits<4>>,
}

impl CommandRing {
    /// Rings whose running counts start at `first` instead of 0: for tests, see [`CommandPointers::counting_from`].
    pub fn counting_from(first: u32) -> Self {
        Self {
            rings: std::array::from_fn(|_| CommandPointers::counting_from(first)),
            ..Self::default()
        }
    }
}

impl Logic for CommandRing {
    #[hdl_gen]
    fn update(&mut self) {
        self.arbiter.clk.next = self.clk.val();
        self.arbiter.rst.next = self.rst.val();
        self.places.clk.next = self.clk.val();
        self.places.rst.next = self.rst.val();
        self.first_lines.clk.next = self.clk.val();
        self.second_lines.clk.next = self.clk.val();
        self.request_q.clk.next = self.clk.val();
        self.request_q.rst.next = self.rst.val();
        self.request_valid_q.clk.next = self.clk.val();
        self.request_valid_q.rst.next = self.rst.val();
        self.status_q.clk.next = self.clk.val();
        self.status_q.rst.next = self.rst.val();
        self.bad_context_q.clk.next = self.clk.val();
        self.bad_context_q.rst.next = self.rst.val();

        // To the rings.
        self.one.next = 1.into();
        self.cfg_context.next = self.cfg_addr.val().get_bits::<2>(2);
        self.cfg_hot.next = self.one.val() << self.cfg_context.val();
        self.take_hot.next = 0.into();
        if self.take.val() {
            self.take_hot.next = self.one.val() << self.choose.val();
        }
        self.arrived_context.next = self.places.read.val().get_bits::<2>(2);
        self.arrived_hot.next = 0.into();
        if self.result_valid.val() & self.result.val().last.any() {
            self.arrived_hot.next = self.one.val() << self.arrived_context.val();
        }
        for i in 0..4 {
            self.rings[i].clk.next = self.clk.val();
            self.rings[i].rst.next = self.rst.val();
            self.rings[i].cfg_write.next = self.cfg_write.val() & self.cfg_hot.val().get_bit(i);
            self.rings[i].cfg_word.next = self.cfg_addr.val().get_bits::<2>(0);
            self.rings[i].cfg_data.next = self.cfg_data.val();
            self.rings[i].status_word.next = self.status_addr.val().get_bits::<3>(0);
            self.rings[i].enabled.next = self.enabled.val().get_bit(i);
            self.rings[i].arrived.next = self.arrived_hot.val().get_bit(i);
            self.rings[i].take.next = self.take_hot.val().get_bit(i);
        }

        // Fetch: the register holds one request until it is taken.
        self.open.next = (!self.request_valid_q.q.val() | self.request_ready.val())
            & self.places.write_ready.val();
        self.wants.next = bit_cast::<4, 1>(self.rings[0].wants.val().into())
            | (bit_cast::<4, 1>(self.rings[1].wants.val().into()) << 1)
            | (bit_cast::<4, 1>(self.rings[2].wants.val().into()) << 2)
            | (bit_cast::<4, 1>(self.rings[3].wants.val().into()) << 3);
        self.arbiter.request.next = self.wants.val();
        self.arbiter.advance.next = self.open.val();
        self.grant.next = 0.into();
        if self.open.val() {
            self.grant.next = self.arbiter.grant.val();
        }
        for i in 0..4 {
            self.rings[i].fetch.next = self.grant.val().get_bit(i);
        }
        self.granted.next.length = 1.into();
        self.granted.next.context = 0.into();
        self.granted.next.address = self.rings[0].address.val();
        self.place.next = bit_cast::<4, 2>(self.rings[0].slot_in.val());
        if self.grant.val().get_bit(1) {
            self.granted.next.context = 1.into();
            self.granted.next.address = self.rings[1].address.val();
            self.place.next = bit_cast::<4, 2>(self.rings[1].slot_in.val()) | 4;
        }
        if self.grant.val().get_bit(2) {
            self.granted.next.context = 2.into();
            self.granted.next.address = self.rings[2].address.val();
            self.place.next = bit_cast::<4, 2>(self.rings[2].slot_in.val()) | 8;
        }
        if self.grant.val().get_bit(3) {
            self.granted.next.context = 3.into();
            self.granted.next.address = self.rings[3].address.val();
            self.place.next = bit_cast::<4, 2>(self.rings[3].slot_in.val()) | 12;
        }
        self.request_q.d.next = self.granted.val();
        self.request_q.en.next = self.grant.val().any();
        self.request_valid_q.d.next = self.grant.val().any();
        self.request_valid_q.en.next = self.grant.val().any() | self.request_ready.val();
        self.request.next = self.request_q.q.val();
        self.request_valid.next = self.request_valid_q.q.val();
        self.places.write.next = self.place.val();
        self.places.write_valid.next = self.grant.val().any();

        // Results are in the order of the requests.
        self.places.read_ready.next = self.result_valid.val() & self.result.val().last.any();
        self.line.next.data = self.result.val().data;
        self.line.next.error = self.result.val().error;
        self.first_lines.write_addr.next = self.places.read.val();
        self.first_lines.write_data.next = self.line.val();
        self.first_lines.write_en.next = self.result_valid.val() & !self.result.val().last.any();
        self.second_lines.write_addr.next = self.places.read.val();
        self.second_lines.write_data.next = self.line.val();
        self.second_lines.write_en.next = self.result_valid.val() & self.result.val().last.any();

        // To CommandStage.
        self.waiting.next = bit_cast::<4, 1>(self.rings[0].waiting.val().into())
            | (bit_cast::<4, 1>(self.rings[1].waiting.val().into()) << 1)
            | (bit_cast::<4, 1>(self.rings[2].waiting.val().into()) << 2)
            | (bit_cast::<4, 1>(self.rings[3].waiting.val().into()) << 3);
        self.chosen_place.next = bit_cast::<4, 2>(self.rings[0].slot_out.val());
        match self.choose.val().index() {
            1 => self.chosen_place.next = bit_cast::<4, 2>(self.rings[1].slot_out.val()) | 4,
            2 => self.chosen_place.next = bit_cast::<4, 2>(self.rings[2].slot_out.val()) | 8,
            3 => self.chosen_place.next = bit_cast::<4, 2>(self.rings[3].slot_out.val()) | 12,
            _ => self.chosen_place.next = bit_cast::<4, 2>(self.rings[0].slot_out.val()),
        }
        self.first_lines.read_addr.next = self.chosen_place.val();
        self.second_lines.read_addr.next = self.chosen_place.val();
        self.first.next = self.first_lines.read_data.val();
        self.second.next = self.second_lines.read_data.val();
        self.command.next.command = (bit_cast::<1024, 512>(self.second.val().data) << 512)
            | bit_cast::<1024, 512>(self.first.val().data);
        self.command.next.error = self.first.val().error | self.second.val().error;

        // To Registers.
        self.bad_context_q.d.next = self.cfg_context.val();
        self.bad_context_q.en.next = self.cfg_write.val();
        self.bad_tail.next = self.bad_context_q.q.val();
        self.bad_tail_valid.next = self.rings[0].bad_tail.val()
            | self.rings[1].bad_tail.val()
            | self.rings[2].bad_tail.val()
            | self.rings[3].bad_tail.val();
        self.status_context.next = self.status_addr.val().get_bits::<2>(3);
        self.status_q.en.next = true;
        self.status_q.d.next = self.rings[0].status_data.val();
        match self.status_context.val().index() {
            1 => self.status_q.d.next = self.rings[1].status_data.val(),
            2 => self.status_q.d.next = self.rings[2].status_data.val(),
            3 => self.status_q.d.next = self.rings[3].status_data.val(),
            _ => self.status_q.d.next = self.rings[0].status_data.val(),
        }
        self.status_data.next = self.status_q.q.val();
    }
}
