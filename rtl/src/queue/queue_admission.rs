//! `QueueAdmission`: promises places in user-mode queues, or says why there is none.
//!
//! **Purpose.** Decides, before a byte of a message is written, whether its packet will find a free place. Keeps the
//! state of the queues (closed, open, failed). It writes nothing to memory; that is the enqueuer's business.
//!
//! ```text
//!                      +----------------+
//!   admit, _context -->|                |--> admitted, admit_status, admit_access (pulse)
//!   invalidate ------->|                |--> opened, opened_write, opened_read    (pulse)
//!   enqueue_fail ----->| QueueAdmission |
//!   slot_fail -------->|                |--> read
//!   header_fail ------>|                |<-- read_result                          (pulse)
//!   doorbell_fail ---->|                |
//!   claim_queue ------>|                |--> claim_open                           (same cycle)
//!   header_queue ----->|                |--> header_open                          (same cycle)
//!   ring_queue ------->|                |--> ring_open                            (same cycle)
//!                      +----------------+
//! ```
//!
//! **Contract.** An answer to an open queue comes at most 2 cycles after `admit` was accepted, one more memory read
//! later if the queue looks full, two reads later if it is closed. Tests in this order: index above 63 or queue failed
//! (BAD_QUEUE_INDEX), size (BAD_QUEUE_SIZE), shared without `atomics` (SHARED_REFUSED), reads (MEMORY_ERROR, INDEX; a
//! closed queue stays closed), room (QUEUE_FULL). An admission reads the read index at most once. Differences wrap
//! modulo 2^64. `invalidate` is taken between admissions; it is for queues to which no message is on its way. A `fail`
//! that comes together with it wins. `claim_open`, `header_open`, `ring_open`: the queue beside it is open and has not
//! failed; a `fail` is seen from the next cycle on.
//!
//! **Internals.** `promised` and `cached` hold an index a queue, [`QueueStates`] the rest; a state machine does one
//! 64-bit step a cycle. The size is a power of two, so that "used >= size" is "a bit of used above the mask", without a
//! carry.
//!
//! ```text
//!   Idle -> Decide -> Room -> Idle
//!             |  ^      |
//!  AskWrite <-+  |      | full, not read yet
//!  WaitWrite     |      |
//!  AskRead <-----|------+
//!  WaitRead -----+
//! ```

use crate::bundle::{PulseIn, PulseOut, StreamIn, StreamOut};
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

use crate::codes::status_codes::StatusCodes;
use crate::leaf::{LutRam, Reg};
use crate::queue::queue_key::QueueKey;
use crate::queue::queue_states::QueueStates;
use xtq_types::memory::{ReadRequest, ReadResult};
use xtq_types::queue::QueueInfo;

/// What an admission is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum State {
    Idle,
    Decide,
    Room,
    AskWrite,
    WaitWrite,
    AskRead,
    WaitRead,
}

/// The states of 256 queues, {context 2, index 6}, and the promises given.
#[block]
pub struct QueueAdmission {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset; closes all queues.
    pub rst: Signal<In, Bit>,

    /// From admission: the queue a message is for.
    pub admit: StreamIn<QueueInfo>,
    /// Its context.
    pub admit_context: Signal<In, Bits<2>>,
    /// The answer (pulse).
    pub admitted: Signal<Out, Bit>,
    /// With `admitted`: see [`status`](xtq_types::event::status).
    pub admit_status: Signal<Out, Bits<8>>,
    /// With `admitted`: see [`access`](xtq_types::event::access).
    pub admit_access: Signal<Out, Bits<8>>,

    /// From the enqueuer: queue whose write index could not be swapped.
    pub enqueue_fail: PulseIn<Bits<8>>,
    /// From the header writer: queue of which the write of a slot or of the write index failed.
    pub slot_fail: PulseIn<Bits<8>>,
    /// From the doorbell writer: queue of which the write of a header word failed.
    pub header_fail: PulseIn<Bits<8>>,
    /// From the doorbell writer: queue of which the write of a doorbell failed.
    pub doorbell_fail: PulseIn<Bits<8>>,
    /// From the enqueuer: queue in which it would claim a place.
    pub claim_queue: Signal<In, Bits<8>>,
    /// It is open, in the same cycle.
    pub claim_open: Signal<Out, Bit>,
    /// From the header writer: queue that it would publish in.
    pub header_queue: Signal<In, Bits<8>>,
    /// It is open, in the same cycle.
    pub header_open: Signal<Out, Bit>,
    /// From the doorbell writer: queue that it would ring.
    pub ring_queue: Signal<In, Bits<8>>,
    /// It is open, in the same cycle.
    pub ring_open: Signal<Out, Bit>,
    /// From the registers: queue to close.
    pub invalidate: StreamIn<Bits<8>>,

    /// To the enqueuer: queue that was opened.
    pub opened: PulseOut<Bits<8>>,
    /// With `opened`: write index in memory.
    pub opened_write: Signal<Out, Bits<64>>,
    /// With `opened`: read index in memory.
    pub opened_read: Signal<Out, Bits<64>>,

    /// To the read port: read of an index.
    pub read: StreamOut<ReadRequest>,
    /// From the read port.
    pub read_result: PulseIn<ReadResult>,

    promised: LutRam<Bits<64>, 8>,
    cached: LutRam<Bits<64>, 8>,
    states: QueueStates,
    state_q: Reg<State>,
    info_q: Reg<QueueInfo>,
    context_q: Reg<Bits<2>>,
    key_q: Reg<Bits<8>>,
    beyond_q: Reg<Bit>,
    is_open_q: Reg<Bit>,
    is_failed_q: Reg<Bit>,
    fresh_q: Reg<Bit>,
    mask_q: Reg<Bits<32>>,
    write_q: Reg<Bits<64>>,
    read_q: Reg<Bits<64>>,
    used_q: Reg<Bits<64>>,
    next_q: Reg<Bits<64>>,
    codes: StatusCodes,
    #[value(false)]
    atomics: Constant<Bit>,
    key: QueueKey,
    index: Signal<Local, Bits<16>>,
    new_size: Signal<Local, Bits<32>>,
    size: Signal<Local, Bits<32>>,
    shared: Signal<Local, Bit>,
    size_bad: Signal<Local, Bit>,
    surplus: Signal<Local, Bits<32>>,
    full: Signal<Local, Bit>,
    index_address: Signal<Local, Bits<64>>,
    lane: Signal<Local, Bits<3>>,
    word_bit: Signal<Local, Bits<9>>,
    line: Signal<Local, Bits<512>>,
    word: Signal<Local, Bits<64>>,
    read_failed: Signal<Local, Bit>,
    opening: Signal<Local, Bit>,
}

impl QueueAdmission {
    /// `atomics`: shared queues are served, because the memory takes AtomicCompare; else they are refused.
    pub fn new(atomics: bool) -> Self {
        Self {
            atomics: Constant::new(atomics),
            ..Self::default()
        }
    }
}

#[kernel]
impl Logic for QueueAdmission {
    fn update(&mut self) {
        // The queue asked for, and what the state machine takes from memory.
        self.index.next = self.admit.data.val().index;
        self.key.owner.next = self.admit_context.val();
        self.key.index.next = self.index.val();
        self.new_size.next = self.admit.data.val().size;
        self.size.next = self.info_q.q.val().size;
        self.shared.next = self.info_q.q.val().shared == 1;
        self.size_bad.next = !self.size.val().any() | (self.size.val() & self.mask_q.q.val()).any();
        self.surplus.next = self.used_q.q.val().get_bits::<32>(0) & !self.mask_q.q.val();
        self.full.next = self.used_q.q.val().get_bits::<32>(32).any() | self.surplus.val().any();
        self.index_address.next = self.info_q.q.val().read_index_address;
        if (self.state_q.q.val() == State::AskWrite) | (self.state_q.q.val() == State::WaitWrite) {
            self.index_address.next = self.info_q.q.val().write_index_address;
        }
        self.lane.next = self.index_address.val().get_bits::<3>(3);
        self.word_bit.next = bit_cast::<9, 3>(self.lane.val()) << 6;
        self.line.next = self.read_result.data.val().data;
        self.word.next = self.line.val().get_bits::<64>(self.word_bit.val().index());
        self.read_failed.next = self.read_result.data.val().error == 1;

        self.read.data.next.address = self.index_address.val() & 0xFFFF_FFFF_FFFF_FFF8_u64;
        self.read.data.next.context = self.context_q.q.val();
        self.read.data.next.size = 3.into();
        self.read.data.next.tag = 0.into();
        self.read.valid.next = false;
        self.admit.ready.next = false;
        self.invalidate.ready.next = false;
        self.admitted.next = false;
        self.admit_status.next = self.codes.ok.val();
        self.admit_access.next = self.codes.none.val();
        self.opening.next = false;

        self.info_q.d.next = self.admit.data.val();
        self.info_q.en.next = false;
        self.context_q.d.next = self.admit_context.val();
        self.context_q.en.next = false;
        self.key_q.d.next = self.key.key.val();
        self.key_q.en.next = false;
        self.beyond_q.d.next = self.index.val().get_bits::<10>(6).any();
        self.beyond_q.en.next = false;
        self.states.queue.next = self.key_q.q.val();
        self.states.open.next = false;
        self.states.closed.next = self.invalidate.data.val();
        self.states.close.next = false;
        connect!(self.enqueue_fail => self.states.enqueue_fail);
        connect!(self.slot_fail => self.states.slot_fail);
        connect!(self.header_fail => self.states.header_fail);
        connect!(self.doorbell_fail => self.states.doorbell_fail);
        self.states.claim_queue.next = self.claim_queue.val();
        self.claim_open.next = self.states.claim_open.val();
        self.states.header_queue.next = self.header_queue.val();
        self.header_open.next = self.states.header_open.val();
        self.states.ring_queue.next = self.ring_queue.val();
        self.ring_open.next = self.states.ring_open.val();
        self.is_open_q.d.next = self.states.is_open.val();
        self.is_open_q.en.next = false;
        self.is_failed_q.d.next = self.states.is_failed.val();
        self.is_failed_q.en.next = false;
        self.fresh_q.d.next = false;
        self.fresh_q.en.next = false;
        self.mask_q.d.next = self.new_size.val() - 1;
        self.mask_q.en.next = false;
        self.write_q.d.next = self.promised.read_data.val();
        self.write_q.en.next = false;
        self.read_q.d.next = self.cached.read_data.val();
        self.read_q.en.next = false;
        self.used_q.d.next = self.write_q.q.val() - self.read_q.q.val();
        self.used_q.en.next = false;
        self.next_q.d.next = self.write_q.q.val() + 1;
        self.next_q.en.next = false;
        self.promised.read_addr.next = self.key_q.q.val();
        self.promised.write_addr.next = self.key_q.q.val();
        self.promised.write_data.next = self.next_q.q.val();
        self.promised.write_en.next = false;
        self.cached.read_addr.next = self.key_q.q.val();
        self.cached.write_addr.next = self.key_q.q.val();
        self.cached.write_data.next = self.word.val();
        self.cached.write_en.next = false;
        self.state_q.d.next = State::Idle;
        self.state_q.en.next = false;

        match self.state_q.q.val() {
            State::Idle => {
                // The state is loaded in the cycle in which the admission is taken.
                self.states.queue.next = self.key.key.val();
                self.promised.read_addr.next = self.key.key.val();
                self.cached.read_addr.next = self.key.key.val();
                self.is_open_q.en.next = true;
                self.is_failed_q.en.next = true;
                self.fresh_q.en.next = true;
                self.mask_q.en.next = true;
                self.write_q.en.next = true;
                self.read_q.en.next = true;
                self.invalidate.ready.next = true;
                self.states.close.next = self.invalidate.valid.val();
                self.admit.ready.next = !self.invalidate.valid.val();
                self.info_q.en.next = true;
                self.context_q.en.next = true;
                self.key_q.en.next = true;
                self.beyond_q.en.next = true;
                self.state_q.d.next = State::Decide;
                self.state_q.en.next = self.admit.valid.val() & !self.invalidate.valid.val();
            }
            State::Decide => {
                self.used_q.en.next = true;
                self.next_q.en.next = true;
                self.state_q.en.next = true;
                if self.beyond_q.q.val() | self.is_failed_q.q.val() {
                    self.admitted.next = true;
                    self.admit_status.next = self.codes.bad_queue_index.val();
                } else if self.size_bad.val() {
                    self.admitted.next = true;
                    self.admit_status.next = self.codes.bad_queue_size.val();
                } else if self.shared.val() & !self.atomics.val() {
                    self.admitted.next = true;
                    self.admit_status.next = self.codes.shared_refused.val();
                } else if !self.is_open_q.q.val() {
                    self.state_q.d.next = State::AskWrite;
                } else if self.shared.val() {
                    self.admitted.next = true;
                } else {
                    self.state_q.d.next = State::Room;
                }
            }
            State::Room => {
                self.state_q.en.next = true;
                if !self.full.val() {
                    self.admitted.next = true;
                    self.promised.write_en.next = true;
                } else if self.fresh_q.q.val() {
                    self.admitted.next = true;
                    self.admit_status.next = self.codes.queue_full.val();
                } else {
                    self.state_q.d.next = State::AskRead;
                }
            }
            State::AskWrite => {
                self.read.valid.next = true;
                self.state_q.d.next = State::WaitWrite;
                self.state_q.en.next = self.read.ready.val();
            }
            State::WaitWrite => {
                self.write_q.d.next = self.word.val();
                self.write_q.en.next = self.read_result.valid.val();
                self.state_q.d.next = State::AskRead;
                self.state_q.en.next = self.read_result.valid.val();
                if self.read_failed.val() {
                    self.admitted.next = self.read_result.valid.val();
                    self.admit_status.next = self.codes.memory_error.val();
                    self.admit_access.next = self.codes.index_access.val();
                    self.state_q.d.next = State::Idle;
                }
            }
            State::AskRead => {
                self.read.valid.next = true;
                self.state_q.d.next = State::WaitRead;
                self.state_q.en.next = self.read.ready.val();
            }
            State::WaitRead => {
                self.read_q.d.next = self.word.val();
                self.read_q.en.next = self.read_result.valid.val();
                self.fresh_q.d.next = true;
                self.fresh_q.en.next = true;
                self.state_q.d.next = State::Decide;
                self.state_q.en.next = self.read_result.valid.val();
                if self.read_failed.val() {
                    self.admitted.next = self.read_result.valid.val();
                    self.admit_status.next = self.codes.memory_error.val();
                    self.admit_access.next = self.codes.index_access.val();
                    self.state_q.d.next = State::Idle;
                } else {
                    self.cached.write_en.next = self.read_result.valid.val();
                    self.opening.next = self.read_result.valid.val() & !self.is_open_q.q.val();
                }
            }
            _ => {}
        }

        self.opened.data.next = self.key_q.q.val();
        self.opened.valid.next = self.opening.val();
        self.opened_write.next = self.write_q.q.val();
        self.opened_read.next = self.word.val();
        if self.opening.val() {
            self.states.open.next = true;
            self.is_open_q.d.next = true;
            self.is_open_q.en.next = true;
            self.promised.write_data.next = self.write_q.q.val();
            self.promised.write_en.next = true;
        }
    }
}
