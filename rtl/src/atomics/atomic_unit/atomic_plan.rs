//! `AtomicPlan`: which lines an atomic message reads and which it writes.
//!
//! **Purpose.** The arithmetic of addresses and lengths of [`AtomicUnit`](super::AtomicUnit), in one place.
//!
//! ```text
//!           +------------+--> refused
//!   job --> | AtomicPlan |--> reads, read_span, read_note
//!           +------------+--> writes, write_note
//! ```
//!
//! **Contract.** Combinational. All `length` bytes are read. Written are the whole data among them, of CSWAP to
//! CSWAP_GT and MSWAP the first datum only. `reads`, `writes`: there is something to read, to write; without them the
//! spans mean nothing. `refused`: [`AtomicCheck`] does not let the operation through, or the address is no multiple of
//! the datum's size.
//!
//! **Internals.** Start lane + bytes - 1 is the place of the last byte: the upper bits are the number of lines less
//! one, the lower six the last lane.

use crate::atomics::atomic_check::AtomicCheck;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::atomic::AtomicJob;
use xtq_types::send::{LineSpan, SpanNote};

/// Plans one message.
#[block]
pub struct AtomicPlan {
    /// The message.
    pub job: Signal<In, AtomicJob>,
    /// Nothing is to be done.
    pub refused: Signal<Out, Bit>,
    /// There are bytes to read.
    pub reads: Signal<Out, Bit>,
    /// Their lines.
    pub read_span: Signal<Out, LineSpan>,
    /// The bytes in these lines.
    pub read_note: Signal<Out, SpanNote>,
    /// There are data to write.
    pub writes: Signal<Out, Bit>,
    /// The bytes in the lines that are written, which begin with the first that is read.
    pub write_note: Signal<Out, SpanNote>,
    check: AtomicCheck,
    address: Signal<Local, Bits<64>>,
    start: Signal<Local, Bits<6>>,
    astray: Signal<Local, Bits<4>>,
    length: Signal<Local, Bits<10>>,
    datum: Signal<Local, Bits<10>>,
    whole: Signal<Local, Bits<10>>,
    read_end: Signal<Local, Bits<10>>,
    write_end: Signal<Local, Bits<10>>,
    read_lines: Signal<Local, Bits<4>>,
    write_lines: Signal<Local, Bits<4>>,
    reading: Signal<Local, SpanNote>,
    writing: Signal<Local, SpanNote>,
    span: Signal<Local, LineSpan>,
}

#[kernel]
impl Logic for AtomicPlan {
    fn update(&mut self) {
        self.check.operation.next = self.job.val().operation;
        self.check.datatype.next = self.job.val().datatype;
        self.address.next = self.job.val().address;
        self.start.next = self.address.val().get_bits::<6>(0);
        self.length.next = self.job.val().length;

        // Place in the datum, and whole data.
        self.datum.next = 8.into();
        self.astray.next = self.address.val().get_bits::<4>(0) & 7;
        self.whole.next = self.length.val() & 0x3F8;
        if self.check.size.val() == 0 {
            self.datum.next = 1.into();
            self.astray.next = 0.into();
            self.whole.next = self.length.val();
        } else if self.check.size.val() == 1 {
            self.datum.next = 2.into();
            self.astray.next = self.address.val().get_bits::<4>(0) & 1;
            self.whole.next = self.length.val() & 0x3FE;
        } else if self.check.size.val() == 2 {
            self.datum.next = 4.into();
            self.astray.next = self.address.val().get_bits::<4>(0) & 3;
            self.whole.next = self.length.val() & 0x3FC;
        } else if self.check.size.val() == 4 {
            self.datum.next = 16.into();
            self.astray.next = self.address.val().get_bits::<4>(0);
            self.whole.next = self.length.val() & 0x3F0;
        }
        self.writes.next = self.whole.val().any();
        if self.check.single.val() {
            self.whole.next = self.datum.val();
        }
        self.refused.next =
            self.check.invalid.val() | self.check.unsupported.val() | self.astray.val().any();

        self.read_end.next = self.length.val() + bit_cast::<10, 6>(self.start.val()) - 1;
        self.read_lines.next = self.read_end.val().get_bits::<4>(6);
        self.reads.next = self.length.val().any();
        self.reading.next.start = self.start.val();
        self.reading.next.end_lane = self.read_end.val().get_bits::<6>(0);
        self.reading.next.last = 1.into();
        self.reading.next.unread = 0.into();
        self.reading.next.lines_less_one = bit_cast::<27, 4>(self.read_lines.val());
        self.read_note.next = self.reading.val();
        self.span.next.context = self.job.val().context;
        self.span.next.line = self.address.val().get_bits::<58>(6);
        self.span.next.lines_less_one = bit_cast::<27, 4>(self.read_lines.val());
        self.read_span.next = self.span.val();

        self.write_end.next = self.whole.val() + bit_cast::<10, 6>(self.start.val()) - 1;
        self.write_lines.next = self.write_end.val().get_bits::<4>(6);
        self.writing.next.start = self.start.val();
        self.writing.next.end_lane = self.write_end.val().get_bits::<6>(0);
        self.writing.next.last = 1.into();
        self.writing.next.unread = 0.into();
        self.writing.next.lines_less_one = bit_cast::<27, 4>(self.write_lines.val());
        self.write_note.next = self.writing.val();
    }
}
