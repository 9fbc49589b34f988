//! The golden model's tests of an XTQ put: type, landing, the entries of its tables.

use xtq_types::event::{access, status};
use xtq_types::tables::table_id;

use super::delivery::Delivery;
use super::delivery::Head;
use crate::aql::{Header, field, packet_type};
use crate::bus::Access;
use crate::bytes::Bytes;
use crate::tables::format::{BYTES, QUEUE_ENTRY};
use crate::tables::{Command, TaskEntry};

const LINE: u64 = BYTES as u64;
/// Entries of a context's queue table that can be used.
const QUEUES: u64 = 64;

impl Delivery {
    /// The tests of an XTQ put; gives what is needed to enqueue it.
    pub(super) fn check_task(
        &mut self,
        head: &Head,
        landing: u64,
        number: Option<usize>,
    ) -> Result<Command, (u8, u8)> {
        let (packet, _) = head
            .body
            .split_first_chunk::<BYTES>()
            .unwrap_or((&[0; BYTES], &[]));
        let plain = |status| (status, access::NONE);
        let (table, index, wrong) = match Header::of(packet).kind {
            packet_type::KERNEL_DISPATCH => {
                let index = field::KERNEL_OBJECT.read(packet);
                (table_id::KERNEL, index, status::BAD_KERNEL_INDEX)
            }
            packet_type::AGENT_DISPATCH => {
                let index = field::RETURN_ADDRESS.read(packet);
                (table_id::FUNCTION, index, status::BAD_FUNCTION_INDEX)
            }
            _ => return Err(plain(status::BAD_TYPE)),
        };
        if !landing.is_multiple_of(LINE) {
            return Err(plain(status::BAD_ALIGNMENT));
        }
        let bytes = self.table_entry(head.context, table, index, wrong)?;
        let agent = table == table_id::FUNCTION;
        let entry = TaskEntry { bytes, agent };
        if !entry.registered() {
            return Err(plain(wrong));
        }
        let command_length = head.get("command_length");
        entry.check_length(command_length).map_err(plain)?;
        let wrong = status::BAD_QUEUE_INDEX;
        let index = field::RESERVED2.read(packet);
        let queue = self.table_entry(head.context, table_id::QUEUE, index, wrong)?;
        if index >= QUEUES || QUEUE_ENTRY.get(&queue, "registered") == 0 {
            return Err(plain(wrong));
        }
        let queue_index = index as u16;
        self.promise(head.context, queue_index, &queue, number)?;
        let packet = *packet;
        Ok(Command {
            entry,
            queue,
            queue_index,
            packet,
        })
    }

    fn table_entry(
        &mut self,
        context: u8,
        table: u8,
        index: u64,
        wrong: u8,
    ) -> Result<[u8; BYTES], (u8, u8)> {
        let known = self.state.contexts[usize::from(context)].tables[usize::from(table)];
        if index >= u64::from(known.entries) {
            return Err((wrong, access::NONE));
        }
        let address = known.base.wrapping_add(index * LINE);
        if self.faults.strike(context, Access::Read, address, LINE) {
            return Err((status::MEMORY_ERROR, access::TABLE));
        }
        let mut bytes = [0; BYTES];
        self.memories[usize::from(context)].read(address, &mut bytes);
        Ok(bytes)
    }
}
