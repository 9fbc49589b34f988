//! What the pipeline has to do with the initiator, and the way of both to memory.

use super::TargetPipeline;
use xtq_kernel::kernel;

#[kernel]
impl<const C: usize, const P: usize, const N: usize, const I: usize, const T: usize>
    TargetPipeline<C, P, N, I, T>
{
    /// Messages that are answered, the initiator's reads and writes, and the memory port.
    pub(super) fn initiator(&mut self) {
        // Requests from which nothing follows any more.
        self.dropped.next = self.parser.dropped.val();
        self.fetch_dropped.next = self.parser.fetch_dropped.val();
        self.closed.next = self.completer.closed.val();
        self.fetch_closed.next = self.completer.fetch_closed.val();

        // GETs and fetches that leave to be answered and come back, and replies to messages of this node.
        connect!(self.completer.get => self.get);
        self.get_outcome.next = self.completer.get_outcome.val();
        connect!(self.replied => self.completer.replied);
        self.completer.replied_outcome.next = self.replied_outcome.val();
        connect!(self.completer.reply => self.reply);
        self.reply_place.next = self.admission.reply_place.val();
        self.admission.reply_target.next = self.reply_target.val();
        self.reply_claim.next = self.admission.reply_claim.val();

        // The initiator's way to memory.
        connect!(self.table_write => self.write_port.table_entry);
        self.table_write_done.next = self.write_port.table_entry_done.val();
        self.table_write_error.next = self.write_port.table_entry_error.val();
        connect!(self.gather_request => self.read_port.gather_request);
        connect!(self.read_port.gather_result => self.gather_result);
        connect!(self.sum_list_request => self.read_port.sum_list_request);
        connect!(self.read_port.sum_list_result => self.sum_list_result);
        connect!(self.gather_list_request => self.read_port.gather_list_request);
        connect!(self.read_port.gather_list_result => self.gather_list_result);
        connect!(self.reply_gather_request => self.read_port.reply_gather_request);
        connect!(self.read_port.reply_gather_result => self.reply_gather_result);
        connect!(self.reply_list_request => self.read_port.reply_list_request);
        connect!(self.read_port.reply_list_result => self.reply_list_result);
        connect!(self.command_request => self.read_port.command_request);
        connect!(self.read_port.command_result => self.command_result);

        // Memory.
        connect!(self.write_port.aw => self.aw);
        connect!(self.write_port.w => self.w);
        connect!(self.b => self.write_port.b);
        connect!(self.read_port.ar => self.ar);
        connect!(self.r => self.read_port.r);
    }
}
