//! The commands that register kernels, functions and queues.

use xtq_types::command::operation;

use super::command::Command;
use crate::tables::{Function, HostQueue, Kernel};

/// `XtqRegisterKernel`: messages that name `index` launch this kernel.
///
/// ```
/// use xtq_testbench::host::{Kernel, xtq_register_kernel};
///
/// let kernel = Kernel { kernel: 0x4000, kernarg_size: 32, ..Kernel::default() };
/// let register = xtq_register_kernel(42, &kernel);
/// assert_eq!((register.get("entry"), &register.bytes()[64..]), (42, &kernel.entry()[..]));
/// ```
pub fn xtq_register_kernel(index: u16, kernel: &Kernel) -> Command {
    Command::with_entry(operation::XTQ_REGISTER_KERNEL, index, &kernel.entry())
}

/// `XtqRegisterFunction`: messages that name `index` call this function.
///
/// ```
/// use xtq_testbench::host::{Function, xtq_register_function};
///
/// let register = xtq_register_function(42, &Function { function: 0x4000, buffer_pointer: 0 });
/// assert_eq!(register.get("entry"), 42);
/// ```
pub fn xtq_register_function(index: u16, function: &Function) -> Command {
    Command::with_entry(operation::XTQ_REGISTER_FUNCTION, index, &function.entry())
}

/// `XtqRegisterQueue`: messages that name `index` go to this queue. Also repairs a queue that failed.
///
/// ```
/// use xtq_testbench::host::{HostQueue, xtq_register_queue};
///
/// let queue = HostQueue { base: 0x8000, size: 64, ..HostQueue::default() };
/// assert_eq!(xtq_register_queue(42, &queue).get("entry"), 42);
/// ```
pub fn xtq_register_queue(index: u16, queue: &HostQueue) -> Command {
    Command::with_entry(operation::XTQ_REGISTER_QUEUE, index, &queue.entry())
}
