//! What messages launch: kernels, functions, queues.

use super::Compiler;
use crate::host;
use crate::input::KeyFault;
use crate::scenario::nodes::calls::{RegisterFunction, RegisterKernel, RegisterQueue};
use crate::scenario::nodes::schema::QueueTable;
use crate::scenario::schema::DoorbellKind;
use crate::tables::HostQueue;

impl Compiler<'_> {
    pub(super) fn register_kernel(&self, a: &RegisterKernel) -> Result<host::Command, KeyFault> {
        let signal = match &a.completion_signal {
            Some(name) => self.signal("completion_signal", name)?,
            None => 0,
        };
        let kernel = host::Kernel {
            kernel: a.kernel,
            kernarg_size: a.kernarg_size,
            rewrite_offset: a.rewrite_offset,
            buffer_pointer: a.buffer_pointer,
            completion_signal: signal,
        };
        Ok(host::xtq_register_kernel(a.index, &kernel))
    }

    pub(super) fn register_queue(&self, a: &RegisterQueue) -> Result<host::Command, KeyFault> {
        let place = self.own.queues.get(&self.at("queue"), &a.queue)?;
        let queue = host_queue(&self.process.queues[place]);
        Ok(host::xtq_register_queue(a.index, &queue))
    }
}

pub(super) fn register_function(a: &RegisterFunction) -> host::Command {
    let function = host::Function {
        function: a.function,
        buffer_pointer: a.buffer_pointer,
    };
    host::xtq_register_function(a.index, &function)
}

/// A queue as it is registered.
pub(in crate::scenario::nodes) fn host_queue(queue: &QueueTable) -> HostQueue {
    HostQueue {
        base: queue.base,
        size: queue.size,
        write_index_address: queue.write_index_address,
        read_index_address: queue.read_index_address,
        doorbell_address: queue.doorbell_address,
        doorbell_plus_one: queue.kind == DoorbellKind::Amd,
        shared: queue.shared,
    }
}
