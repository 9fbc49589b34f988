//! What a rank has before the start: bytes in memory, and the commands that its NIC takes.

use crate::Layout;
use crate::gpu::KernelPacket;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::graph::Slice;
use xtq_cdag::schedule::{Action, Descriptor, Entry, Gate, Program, Schedule};
use xtq_testbench::aql::{PACKET_BYTES, field};
use xtq_testbench::host::{
    self, Atomic, AtomicOp, Command, CounterValue, Ct, Get, HostQueue, Kernel, MatchEntry, Md, Me,
    MemoryDescriptor, ProcessId, Pt, Put, Trigger, XtqPut, md_option, me_option, nop,
    portal_option, ptl_atomic, ptl_ct_alloc, ptl_ct_inc, ptl_get, ptl_md_bind, ptl_me_append,
    ptl_me_unlink, ptl_pt_alloc, ptl_put, xtq_put, xtq_register_kernel, xtq_register_queue,
};
use xtq_types::register_map::{context as reg, context_address};

/// Address of the first byte of a rank's memory.
pub(super) const BASE: u64 = Layout::HEAP + (1 << 33);
/// Index of the queue of the GPU.
pub(super) const QUEUE: u16 = 0;

/// Packets with their arguments: as they are sent, and as they land.
const SENT: u64 = Layout::HEAP;
const LANDED: u64 = Layout::HEAP + (1 << 32);
/// Five words, and three that nobody reads.
const ARGUMENTS: u64 = 64;
const COMMAND: u64 = PACKET_BYTES as u64 + ARGUMENTS;

/// Messages of the schedule, and tasks.
const LISTS: Pt = Pt(0);
const TASKS: Pt = Pt(1);

/// What is done, and to what.
type How = (Operation, Datatype);

/// The operations of all tasks of a schedule, each once; their places are the indices of kernels.
pub(super) fn kernels(schedule: &Schedule) -> Vec<How> {
    let programs = schedule.programs.iter();
    let triggered = programs.flat_map(|program| &program.triggered);
    let mut kernels: Vec<How> = triggered
        .filter_map(|triggered| match triggered.action {
            Action::Task { arithmetic, .. } => Some(arithmetic),
            _ => None,
        })
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels
}

/// Handle of kernel `number`.
pub(super) fn handle(number: usize) -> u64 {
    0x6364_6100 + number as u64
}

/// A task of the rank; its place among them names its packet.
struct Task {
    from: Slice,
    into: Slice,
    arithmetic: How,
    counter: Option<usize>,
}

/// A rank before the start.
pub(super) struct Rank<'a> {
    program: &'a Program,
    rank: usize,
    /// Bytes of its memory.
    length: u64,
    kernels: Vec<How>,
    tasks: Vec<Task>,
}

impl<'a> Rank<'a> {
    pub(super) fn new(schedule: &'a Schedule, rank: usize) -> Self {
        let program = &schedule.programs[rank];
        let triggered = program.triggered.iter();
        let tasks = triggered.filter_map(|triggered| match triggered.action {
            Action::Task {
                from,
                into,
                arithmetic,
                counter,
            } => Some(Task {
                from,
                into,
                arithmetic,
                counter,
            }),
            _ => None,
        });
        Self {
            program,
            rank,
            length: schedule.memory[rank],
            kernels: kernels(schedule),
            tasks: tasks.collect(),
        }
    }

    /// What is in memory: the rank's own bytes, packets with arguments, and signals that count.
    pub(super) fn contents(&self, own: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut contents = vec![(BASE, own.to_vec())];
        for (number, task) in self.tasks.iter().enumerate() {
            contents.push((SENT + number as u64 * COMMAND, self.command(task)));
        }
        let mailbox = Layout::register(context_address(0, reg::CT_INC));
        let counters = self.tasks.iter().filter_map(|task| task.counter);
        contents.extend(counters.map(|counter| {
            let event = (counter as u64) << 24 | 1;
            (
                Layout::signal(counter as u64),
                words(&[0, 1, mailbox, event]),
            )
        }));
        contents
    }

    /// Packet and arguments. Tasks of a rank are done one after the other: two into the same bytes need no order of the
    /// graph.
    fn command(&self, task: &Task) -> Vec<u8> {
        let elements = task.into.length / task.arithmetic.1.bytes();
        let kernel = self.kernels.binary_search(&task.arithmetic);
        let kernel = kernel.unwrap_or_default() as u16;
        let mut packet = KernelPacket::xtq(kernel, QUEUE, elements as u32, true);
        if let Some(counter) = task.counter {
            field::COMPLETION_SIGNAL.write(&mut packet, Layout::signal(counter as u64));
        }
        let arguments = words(&[0, 0, elements, task.into.at, task.from.at, 0, 0, 0]);
        [&packet[..], &arguments].concat()
    }

    /// All commands, triggered ones last. The last of them reports the end to the host.
    pub(super) fn commands(&self, queue: &HostQueue) -> Vec<Command> {
        let Program {
            counters,
            entries,
            descriptors,
            triggered,
            done,
            ..
        } = self.program;
        let mut commands = vec![ptl_pt_alloc(LISTS, portal_option::MATCHING)];
        commands.extend((0..*counters).map(|number| ptl_ct_alloc(Ct(number as u16))));
        let bound = descriptors.iter().enumerate();
        commands.extend(bound.map(|(number, one)| self.descriptor(number, one)));
        let appended = entries.iter().enumerate();
        commands.extend(appended.map(|(number, one)| self.entry(Me(number as u16), one)));
        if !self.tasks.is_empty() {
            commands.extend(self.for_tasks(queue));
        }
        let mut tasks = 0;
        for one in triggered {
            let command = self.call(one.action, tasks);
            tasks += u64::from(matches!(one.action, Action::Task { .. }));
            commands.extend(command.map(|command| command.triggered(trigger(one.gate))));
        }
        commands.push(nop().with_completion().triggered(trigger(*done)));
        commands
    }

    /// Queue, kernels, and where packets and arguments are read and land.
    fn for_tasks(&self, queue: &HostQueue) -> Vec<Command> {
        let length = self.tasks.len() as u64 * COMMAND;
        let mut commands = vec![
            ptl_pt_alloc(TASKS, portal_option::MATCHING),
            ptl_md_bind(&MemoryDescriptor {
                md: self.task_md(),
                start: SENT,
                length,
                ..MemoryDescriptor::default()
            }),
            ptl_me_append(&MatchEntry {
                me: Me(self.program.entries.len() as u16),
                pt_index: TASKS,
                start: LANDED,
                length,
                options: me_option::OP_PUT | me_option::LINK_DISABLE | me_option::COMM_DISABLE,
                ..MatchEntry::default()
            }),
            xtq_register_queue(QUEUE, queue),
        ];
        commands.extend((0..self.kernels.len()).map(|number| {
            let kernel = Kernel {
                kernel: handle(number),
                kernarg_size: ARGUMENTS as u32,
                buffer_pointer: BASE,
                ..Kernel::default()
            };
            xtq_register_kernel(number as u16, &kernel)
        }));
        commands
    }

    fn task_md(&self) -> Md {
        Md(self.program.descriptors.len() as u16)
    }

    fn descriptor(&self, number: usize, descriptor: &Descriptor) -> Command {
        let counts = match descriptor.replies {
            true => md_option::CT_REPLY,
            false => md_option::CT_SEND,
        };
        let counter = descriptor.counter.map(|counter| Ct(counter as u16));
        ptl_md_bind(&MemoryDescriptor {
            md: Md(number as u16),
            start: BASE,
            length: self.length,
            options: counter.map_or(0, |_| counts),
            counter,
        })
    }

    /// An entry that is appended by a trigger: its number comes after those that are there before, and that of tasks.
    fn appended(&self, number: usize) -> Me {
        Me((self.program.entries.len() + 1 + number) as u16)
    }

    fn entry(&self, me: Me, entry: &Entry) -> Command {
        let option = |is_set: bool, option: u32| if is_set { option } else { 0 };
        let all = Slice {
            at: 0,
            length: self.length,
        };
        let into = entry.into.unwrap_or(all);
        ptl_me_append(&MatchEntry {
            me,
            pt_index: LISTS,
            start: BASE + into.at,
            length: into.length,
            source_node: entry.source.map(|rank| rank as u16),
            counter: entry.counter.map(|counter| Ct(counter as u16)),
            options: me_option::OP_PUT
                | me_option::COMM_DISABLE
                | me_option::LINK_DISABLE
                | me_option::UNLINK_DISABLE
                | option(entry.gives, me_option::OP_GET)
                | option(entry.once, me_option::USE_ONCE)
                | option(entry.counter.is_some(), me_option::CT_COMM),
            match_bits: entry.bits,
            ignore_bits: entry.ignore,
            ..MatchEntry::default()
        })
    }

    /// The command of an action; `task` tasks of the rank were before it. `None`: a host does it.
    fn call(&self, action: Action, task: u64) -> Option<Command> {
        Some(match action {
            Action::Count { counter } => {
                let once = CounterValue {
                    success: 1,
                    failure: 0,
                };
                ptl_ct_inc(Ct(counter as u16), once)
            }
            Action::Append { number, entry } => self.entry(self.appended(number), &entry),
            Action::Unlink { number } => ptl_me_unlink(self.appended(number)),
            Action::Work { .. } => return None,
            Action::Task { .. } => xtq_put(&XtqPut {
                command_md: self.task_md(),
                command_offset: task * COMMAND,
                command_length: COMMAND as u16,
                payload: Put {
                    md: self.task_md(),
                    target: process(self.rank),
                    pt_index: TASKS,
                    remote_offset: task * COMMAND,
                    ..Put::default()
                },
            }),
            Action::Get {
                descriptor,
                into,
                target,
                bits,
                at,
            } => ptl_get(&Get {
                md: Md(descriptor as u16),
                local_offset: into.at,
                length: into.length,
                target: process(target),
                pt_index: LISTS,
                match_bits: bits,
                remote_offset: at,
                ..Get::default()
            }),
            Action::Send {
                descriptor,
                from,
                target,
                bits,
                at,
                arithmetic,
            } => {
                let put = Put {
                    md: Md(descriptor as u16),
                    local_offset: from.at,
                    length: from.length,
                    target: process(target),
                    pt_index: LISTS,
                    match_bits: bits,
                    remote_offset: at,
                    ..Put::default()
                };
                match arithmetic {
                    None => ptl_put(&put),
                    Some((operation, datatype)) => ptl_atomic(&Atomic {
                        put,
                        operation: atomic(operation)?,
                        datatype: values(datatype),
                    }),
                }
            }
        })
    }
}

fn process(rank: usize) -> ProcessId {
    ProcessId {
        node: rank as u16,
        context: 0,
    }
}

fn trigger(gate: Gate) -> Trigger {
    Trigger {
        counter: Ct(gate.counter as u16),
        threshold: gate.threshold,
    }
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `None`: the NIC has none.
fn atomic(operation: Operation) -> Option<AtomicOp> {
    Some(match operation {
        Operation::Sum => AtomicOp::Sum,
        Operation::Prod => AtomicOp::Prod,
        Operation::Min => AtomicOp::Min,
        Operation::Max => AtomicOp::Max,
        Operation::Band => AtomicOp::Band,
        Operation::Bor => AtomicOp::Bor,
        Operation::Bxor => AtomicOp::Bxor,
        Operation::Own(_) => return None,
    })
}

fn values(datatype: Datatype) -> host::Datatype {
    match datatype {
        Datatype::Int8 => host::Datatype::Int8,
        Datatype::Uint8 => host::Datatype::Uint8,
        Datatype::Int16 => host::Datatype::Int16,
        Datatype::Uint16 => host::Datatype::Uint16,
        Datatype::Int32 => host::Datatype::Int32,
        Datatype::Uint32 => host::Datatype::Uint32,
        Datatype::Int64 => host::Datatype::Int64,
        Datatype::Uint64 => host::Datatype::Uint64,
        Datatype::Float => host::Datatype::Float,
        Datatype::Double => host::Datatype::Double,
        Datatype::FloatComplex => host::Datatype::FloatComplex,
        Datatype::DoubleComplex => host::Datatype::DoubleComplex,
    }
}
