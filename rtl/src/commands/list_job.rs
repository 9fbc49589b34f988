//! `ListJob`: a command of lists or portal entries, as the match unit takes it.
//!
//! **Purpose.** The part of [`CommandStage`](crate::commands::command_stage::CommandStage) that knows where a command
//! keeps what a [`MatchCommand`] asks for.
//!
//! ```text
//!   command   -->+---------+
//!   owner     -->| ListJob |--> job
//!   op        -->|         |
//!   length, pieces -->+----+
//! ```
//!
//! **Contract.** Combinational. The counter gets the context in front; without a counter, CT_COMM and CT_OVERFLOW are
//! taken out of the options, so that nobody counts on counter 63. Of the options, those of Portals stay (bits 0 to 19);
//! the sources that are not looked at (bits 29 to 31) become `any_*`. `handle` is 0.
//!
//! **Internals.** Wires, and one mask.

use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};
use xtq_types::command::Command;
use xtq_types::matching::MatchCommand;
use xtq_types::matching::me_option::{CT_COMM, CT_OVERFLOW};

/// What a command asks the match unit for.
#[block]
pub struct ListJob {
    /// The command.
    pub command: Signal<In, Command>,
    /// Who gave it.
    pub owner: Signal<In, Bits<2>>,
    /// Operation, see [`match_op`](xtq_types::matching::match_op).
    pub op: Signal<In, Bits<4>>,
    /// Bytes of its buffer.
    pub length: Signal<In, Bits<64>>,
    /// Pieces of its list; 0: it has none.
    pub pieces: Signal<In, Bits<11>>,
    /// To ListUnit.
    pub job: Signal<Out, MatchCommand>,
    options: Signal<Local, Bits<32>>,
    counter: Signal<Local, Bits<16>>,
    list: Signal<Local, Bits<8>>,
    kept: Signal<Local, Bits<20>>,
    #[value(u64::from(CT_COMM | CT_OVERFLOW).to_bits())]
    counting: Constant<Bits<20>>,
}

#[kernel]
impl Logic for ListJob {
    fn update(&mut self) {
        self.options.next = self.command.val().options;
        self.counter.next = self.command.val().counter;
        self.list.next = self.command.val().list;
        self.kept.next = self.options.val().get_bits::<20>(0);
        if self.counter.val().all() {
            self.kept.next = self.options.val().get_bits::<20>(0) & !self.counting.val();
        }
        self.job.next.op = self.op.val();
        self.job.next.context = self.owner.val();
        self.job.next.portal_index = self.command.val().portal_index;
        self.job.next.id = self.command.val().entry;
        self.job.next.list = self.list.val().get_bits::<1>(0);
        self.job.next.options = self.kept.val();
        self.job.next.any_node = self.options.val().get_bits::<1>(29);
        self.job.next.any_context = self.options.val().get_bits::<1>(30);
        self.job.next.any_user = self.options.val().get_bits::<1>(31);
        self.job.next.source_node = self.command.val().node;
        self.job.next.source_context = self.command.val().context;
        self.job.next.user_id = self.command.val().user_id;
        self.job.next.match_bits = self.command.val().match_bits;
        self.job.next.ignore_bits = self.command.val().ignore_bits;
        self.job.next.start = self.command.val().start;
        self.job.next.length = self.length.val();
        self.job.next.pieces = self.pieces.val();
        self.job.next.min_free = self.command.val().remote_offset;
        self.job.next.counter = self.counter.val().get_bits::<8>(0);
        self.job.next.user_ptr = self.command.val().user_pointer;
        self.job.next.handle = 0.into();
    }
}
