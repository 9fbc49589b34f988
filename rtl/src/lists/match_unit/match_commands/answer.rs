//! What a command says to the process: its response.

use super::MatchCommands;
use xtq_kernel::kernel;

#[kernel]
impl<const E: usize, const H: usize> MatchCommands<E, H> {
    /// What is reported.
    pub(super) fn answer(&mut self) {
        self.told.next.handle = self.command.data.val().handle;
        self.told.next.kind = self.codes.last.val().get_bits::<2>(0);
        self.told.next.code = self.code_q.q.val();
        self.told.next.context = self.command.data.val().context;
        self.portal_index.next = self.command.data.val().portal_index;
        self.told.next.portal = self.portal_index.val().get_bits::<6>(0);
        self.given_id.next = self.command.data.val().id;
        self.told.next.entry_id = self.given_id.val().get_bits::<10>(0);
        self.overflow_id.next = self.entry_q.q.val();
        self.told.next.options = self.decode.options.val();
        self.told.next.counter = self.command.data.val().counter;
        self.told.next.user_ptr = self.command.data.val().user_ptr;
        self.told.next.start = self.facts.val().start;
        self.told.next.offset = self.record.val().offset;
        self.told.next.mlength = self.record.val().mlength;
        self.told.next.request_kind = self.record.val().kind;
        self.told.next.source_node = self.found.val().source_node;
        self.told.next.source_context = self.found.val().source_context;
        self.told.next.user_id = self.record.val().user_id;
        self.told.next.match_bits = self.found.val().match_bits;
        self.told.next.length = self.found.val().length;
        self.told.next.remote_offset = self.record.val().remote_offset;
        self.told.next.header_data = self.record.val().header_data;
        self.told.next.header = self.found.val().id;
    }
}
