//! The host: what a process does to be reached by messages, through its memory and the NIC's registers.
//!
//! Table entries go into memory; then the table-invalidate register informs the NIC. Every call runs the clock until
//! its register accesses are answered.

use xtq_types::register_map::{context as reg, context_address, global};
use xtq_types::tables::table_id;

use super::config::NodeError;
use super::gpu::{Gpu, GpuTiming};
use super::harness::Node;
use crate::aql::packet_type;
use crate::bytes::Bytes;
use crate::packet_check::Checks;
use crate::packet_processor::{DoorbellValue, QueueConfig};
use crate::tables::format::BYTES;
use crate::tables::{EventRing, Function, HostQueue, Kernel, Table};

/// Cycles in which a register access must be answered.
pub(crate) const REGISTER_CYCLES: u64 = 10_000;

/// Where the tables and the event ring of a process lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextConfig {
    /// Kernel, function and queue table: address of entry 0 (64-byte aligned) and entries, at most 65,535.
    pub tables: [(u64, u32); 3],
    /// Event ring: address of place 0 (64-byte aligned) and places, a power of two; 0: no ring.
    pub events: (u64, u32),
}

impl Default for ContextConfig {
    /// 64 entries a table at 0x1000_0000 and the pages after, 64 events at 0x1000_8000.
    fn default() -> Self {
        Self {
            tables: [(0x1000_0000, 64), (0x1000_1000, 64), (0x1000_2000, 64)],
            events: (0x1000_8000, 64),
        }
    }
}

impl Node {
    /// Queues writes and runs until they are answered. Errors: one was refused.
    pub(super) fn write_registers(&mut self, writes: &[(u16, u32)]) -> Result<(), NodeError> {
        for (address, data) in writes {
            self.post_register(*address, *data);
        }
        self.run_until(|node| node.registers.is_done(), REGISTER_CYCLES)?;
        self.last_answer().map(|_| ())
    }

    /// Queues a register write; it is done while the clock runs. That it is refused is reported by the next access that
    /// waits.
    pub fn post_register(&mut self, address: u16, data: u32) {
        self.registers.write(address, data);
    }

    /// Queues a register read.
    pub fn post_read(&mut self, address: u16) {
        self.registers.read(address);
    }

    /// Whether every register access is answered.
    pub fn registers_idle(&self) -> bool {
        self.registers.is_done()
    }

    /// The value of the register access that was answered last. Errors: one of those answered since the last call was
    /// refused.
    pub fn last_answer(&mut self) -> Result<u32, NodeError> {
        let results = self.registers.take_results();
        self.last_value = results.last().map_or(self.last_value, |result| result.data);
        match results.iter().find(|result| result.resp != 0) {
            Some(r) => Err(NodeError::Register {
                cycle: r.cycle,
                address: r.address,
                resp: r.resp,
            }),
            None => Ok(self.last_value),
        }
    }

    /// Writes a register. Errors: refused.
    pub fn write_register(&mut self, address: u16, data: u32) -> Result<(), NodeError> {
        self.write_registers(&[(address, data)])
    }

    /// Reads a register. Errors: refused.
    pub fn read_register(&mut self, address: u16) -> Result<u32, NodeError> {
        self.post_read(address);
        self.run_until(|node| node.registers.is_done(), REGISTER_CYCLES)?;
        self.last_answer()
    }

    /// Reads why a context has failed; 0: nothing has. Errors: refused.
    pub fn error_cause(&mut self, context: u8) -> Result<u32, NodeError> {
        self.read_register(context_address(context.into(), reg::ERROR_CAUSE))
    }

    /// Clears causes why a context has failed. Errors: refused.
    pub fn clear_error_cause(&mut self, context: u8, causes: u32) -> Result<(), NodeError> {
        self.write_register(context_address(context.into(), reg::ERROR_CAUSE), causes)
    }

    /// Sets the node's number. Errors: refused.
    pub fn set_node_id(&mut self, node: u16) -> Result<(), NodeError> {
        self.state.node = node;
        self.write_register(global::NODE as u16, node.into())
    }

    /// Sets how many messages of each context may be under way at once. Errors: refused.
    pub fn set_message_limit(&mut self, messages: u32) -> Result<(), NodeError> {
        self.write_register(global::MESSAGE_LIMIT as u16, messages)
    }

    /// What PtlNIInit promises for a context: sets the most bytes of a message for its lists, and the most of an
    /// atomic, 512 if it is more. Errors: refused.
    pub fn set_size_limits(
        &mut self,
        context: u8,
        message: u32,
        atomic: u32,
    ) -> Result<(), NodeError> {
        let address = |offset| context_address(context.into(), offset);
        self.write_registers(&[
            (address(reg::MAX_MESSAGE_SIZE), message),
            (address(reg::MAX_ATOMIC_SIZE), atomic),
        ])
    }

    /// Gives a context its tables and its event ring and enables it. Errors: refused.
    pub fn open_context(&mut self, context: u8, config: &ContextConfig) -> Result<(), NodeError> {
        let mut writes = Vec::new();
        let words = [
            [reg::KERNEL_BASE_LO, reg::KERNEL_BASE_HI, reg::KERNEL_SIZE],
            [
                reg::FUNCTION_BASE_LO,
                reg::FUNCTION_BASE_HI,
                reg::FUNCTION_SIZE,
            ],
            [reg::QUEUE_BASE_LO, reg::QUEUE_BASE_HI, reg::QUEUE_SIZE],
            [reg::EQ_BASE_LO, reg::EQ_BASE_HI, reg::EQ_SIZE],
        ];
        for (words, (base, size)) in words
            .iter()
            .zip(config.tables.iter().chain([&config.events]))
        {
            let values = [*base as u32, (*base >> 32) as u32, *size];
            writes.extend(
                words
                    .iter()
                    .zip(values)
                    .map(|(w, v)| (context_address(context.into(), *w), v)),
            );
        }
        writes.push((context_address(context.into(), reg::ENABLE), 1));
        let state = &mut self.state.contexts[usize::from(context)];
        state.tables = config.tables.map(|(base, entries)| Table { base, entries });
        let (base, size) = config.events;
        let size = if size.is_power_of_two() { size } else { 0 };
        state.events = EventRing {
            base,
            size,
            ..EventRing::default()
        };
        state.enabled = true;
        self.write_registers(&writes)
    }

    /// Enables a context, or disables it: then it takes no messages, and those of which packets are missing are broken
    /// off. Errors: refused.
    pub fn enable_context(&mut self, context: u8, enabled: bool) -> Result<(), NodeError> {
        self.state.contexts[usize::from(context)].enabled = enabled;
        let address = context_address(context.into(), reg::ENABLE);
        self.write_register(address, enabled.into())
    }

    /// `XtqRegisterKernel`: 0 in `buffer_pointer` or `completion_signal` means not valid; fewer than 16 bytes of
    /// arguments means no rewrite. Errors: refused.
    #[allow(clippy::too_many_arguments)]
    pub fn register_kernel(
        &mut self,
        context: u8,
        id: u16,
        buffer_pointer: u64,
        kernarg_size: u32,
        rewrite_offset: u32,
        completion_signal: u64,
        kernel: u64,
    ) -> Result<(), NodeError> {
        let entry = Kernel {
            kernel,
            kernarg_size,
            rewrite_offset,
            buffer_pointer,
            completion_signal,
        }
        .entry();
        self.write_entry(context, table_id::KERNEL, id, &entry)
    }

    /// `XtqRegisterFunction`: 0 in `buffer_pointer` means not valid. Errors: refused.
    pub fn register_function(
        &mut self,
        context: u8,
        id: u16,
        buffer_pointer: u64,
        function: u64,
    ) -> Result<(), NodeError> {
        let entry = Function {
            function,
            buffer_pointer,
        }
        .entry();
        self.write_entry(context, table_id::FUNCTION, id, &entry)
    }

    /// `XtqRegisterQueue`; also repairs a queue that failed. Errors: refused.
    pub fn register_queue(
        &mut self,
        context: u8,
        id: u16,
        queue: HostQueue,
    ) -> Result<(), NodeError> {
        self.queues.insert((context, id), queue);
        self.write_entry(context, table_id::QUEUE, id, &queue.entry())
    }

    /// Writes a table entry as it is and invalidates it in the NIC. Errors: refused.
    pub fn write_entry(
        &mut self,
        context: u8,
        table: u8,
        id: u16,
        entry: &[u8; BYTES],
    ) -> Result<(), NodeError> {
        let base = self.state.contexts[usize::from(context)].tables[usize::from(table)].base;
        let address = base.wrapping_add(u64::from(id) * BYTES as u64);
        self.memory.memory_mut(context).write(address, entry);
        if table == table_id::QUEUE {
            self.state.queues.remove(&(context, id));
        }
        let word = u32::from(table) << 16 | u32::from(id);
        self.write_register(context_address(context.into(), reg::TABLE_INVALIDATE), word)
    }

    /// A queue that a command registers under an index, so that [`timelines`](Self::timelines) knows it.
    pub fn note_queue(&mut self, context: u8, id: u16, queue: HostQueue) {
        self.queues.insert((context, id), queue);
    }

    /// The queue registered under an index.
    pub fn queue(&self, context: u8, id: u16) -> Option<HostQueue> {
        self.queues.get(&(context, id)).copied()
    }

    /// Creates a queue in memory: every slot INVALID, both indices 0.
    pub fn create_queue(&mut self, context: u8, queue: &HostQueue) {
        let memory = self.memory.memory_mut(context);
        for slot in 0..u64::from(queue.size) {
            memory.write_u16(
                queue.base.wrapping_add(slot * BYTES as u64),
                packet_type::INVALID.into(),
            );
        }
        memory.write_u64(queue.write_index_address, 0);
        memory.write_u64(queue.read_index_address, 0);
    }

    /// Attaches a GPU to a queue, from its present read index on. Errors: the queue cannot exist.
    pub fn attach_gpu(
        &mut self,
        context: u8,
        queue: &HostQueue,
        timing: GpuTiming,
    ) -> Result<(), NodeError> {
        let first_id = self
            .memory
            .memory(context)
            .read_u64(queue.read_index_address);
        let doorbell = match queue.doorbell_plus_one {
            true => DoorbellValue::NextPacketId,
            false => DoorbellValue::PacketId,
        };
        let config = QueueConfig {
            base: queue.base,
            size: queue.size.into(),
            first_id,
            read_index_address: Some(queue.read_index_address),
            doorbell,
            checks: Checks::default(),
        };
        let address = queue.doorbell_address;
        let gpu =
            Gpu::new(context, address, config, timing).map_err(|cause| NodeError::Processor {
                cycle: self.cycle_count(),
                cause,
            })?;
        self.memory.watch(context, address..=address + 7);
        self.gpus.push(gpu);
        Ok(())
    }
}
