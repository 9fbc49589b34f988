//! `CommandClass`: what a command needs before it can be taken.
//!
//! **Purpose.** Found from its operation alone, so that
//! [`CommandChoice`](crate::commands::command_choice::CommandChoice) need not decode commands.
//!
//! ```text
//!   operation -->+--------------+--> sends
//!                | CommandClass |--> lists
//!                +--------------+
//! ```
//!
//! **Contract.** Combinational. `sends`: a message begins, which needs a place in
//! [`MessageTable`](crate::messages::message_table::MessageTable). `lists`:
//! [`ListUnit`](crate::lists::list_unit::ListUnit) executes it, one of a context at a time.
//!
//! **Internals.** Compares.

use crate::codes::command_codes::CommandCodes;
use rust_hdl::prelude::*;
use xtq_kernel::{block, kernel};

/// Classes of operations.
#[block]
pub struct CommandClass {
    /// See [`operation`](xtq_types::command::operation).
    pub operation: Signal<In, Bits<8>>,
    /// It sends a message.
    pub sends: Signal<Out, Bit>,
    /// It is a command of lists.
    pub lists: Signal<Out, Bit>,

    codes: CommandCodes,
}

#[kernel]
impl Logic for CommandClass {
    fn update(&mut self) {
        self.sends.next = (self.operation.val() == self.codes.put.val())
            | (self.operation.val() == self.codes.atomic.val())
            | (self.operation.val() == self.codes.fetch_atomic.val())
            | (self.operation.val() == self.codes.swap.val())
            | (self.operation.val() == self.codes.get.val())
            | (self.operation.val() == self.codes.xtq_put.val());
        self.lists.next = (self.operation.val() == self.codes.me_append.val())
            | (self.operation.val() == self.codes.me_unlink.val())
            | (self.operation.val() == self.codes.me_search.val())
            | (self.operation.val() == self.codes.pt_alloc.val())
            | (self.operation.val() == self.codes.pt_free.val())
            | (self.operation.val() == self.codes.pt_enable.val())
            | (self.operation.val() == self.codes.pt_disable.val());
    }
}
