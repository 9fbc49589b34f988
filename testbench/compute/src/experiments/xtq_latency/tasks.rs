//! The microbenchmark: a task on another node's GPU, again and again, and the stations of each.
//!
//! The paper's is "very similar to the API code example presented in Figure 6" (section V-B). Here the kernel adds the
//! payload, floats, to a buffer; the target says by a message of no bytes that it has seen the signal, and the next
//! task begins.

use super::row::{Phases, Way};
use crate::combine::Combine;
use crate::gpu::{CombineKernel, KernelPacket};
use crate::host::HostThread;
use crate::layout::Layout;
use crate::machine::{Machine, MachineError};
use crate::place::ProgramError;
use std::sync::Arc;
use xtq_testbench::host::{
    Datatype, Kernel, MatchEntry, Md, Me, MemoryDescriptor, ProcessId, Pt, Put, XtqPut, me_option,
    portal_option, ptl_md_bind, ptl_me_append, ptl_pt_alloc, ptl_put, xtq_put, xtq_register_kernel,
    xtq_register_queue,
};
use xtq_testbench::signals::VALUE_OFFSET;

/// Initiator and target.
const INITIATOR: usize = 0;
const TARGET: usize = 1;
/// At the initiator: packet and arguments, then the payload. At the target: where messages land, the buffer that
/// kernels add to, and arguments that the host writes.
const COMMAND: u64 = Layout::HEAP;
const PAYLOAD: u64 = Layout::HEAP + 0x1000;
const LANDING: u64 = Layout::HEAP;
const BUFFER: u64 = Layout::HEAP + 0x1000_0000;
const ARGUMENTS: u64 = Layout::HEAP + 0x2000_0000;
/// Bytes of a kernel's arguments, and of packet and arguments.
const ARGUMENT_BYTES: u64 = 32;
const COMMAND_BYTES: u16 = 96;
/// The one entry of each list, kernel and queue.
const PT: Pt = Pt(0);
const KERNEL: u16 = 42;
const HANDLE: u64 = 0x5000_0000;

/// A run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    pub(super) way: Way,
    /// Bytes of the payload.
    pub(super) payload: u64,
    /// Tasks.
    pub(super) rounds: u64,
}

/// A message of no bytes to the other node.
fn done(target: usize) -> xtq_testbench::host::Command {
    ptl_put(&Put {
        target: process(target),
        pt_index: PT,
        ..Put::default()
    })
}

fn process(node: usize) -> ProcessId {
    ProcessId {
        node: node as u16,
        context: 0,
    }
}

fn words(words: [u64; 4]) -> Vec<u8> {
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

impl Remote {
    fn elements(self) -> u64 {
        self.payload / 4
    }

    /// Element `number` of the payload.
    fn element(number: u64) -> f32 {
        (number % 1000 + 1) as f32
    }

    /// Descriptors, lists, tables and contents. Errors: of the machine.
    pub(super) fn set_up(self, machine: &mut Machine) -> Result<(), MachineError> {
        let payload = (0..self.elements()).flat_map(|i| Self::element(i).to_le_bytes());
        let payload: Vec<u8> = payload.collect();
        machine.write(INITIATOR, PAYLOAD, &payload);
        let packet = KernelPacket::xtq(KERNEL, 0, self.elements() as u32, true);
        machine.write(INITIATOR, COMMAND, &packet);
        let arguments = words([0, 0, self.elements(), 0]);
        machine.write(INITIATOR, COMMAND + 64, &arguments);
        let md = |md, start, length| {
            ptl_md_bind(&MemoryDescriptor {
                md: Md(md),
                start,
                length,
                ..MemoryDescriptor::default()
            })
        };
        let entry = |start, length, options| {
            ptl_me_append(&MatchEntry {
                me: Me(0),
                pt_index: PT,
                start,
                length,
                options: options | me_option::OP_PUT | me_option::LINK_DISABLE,
                ..MatchEntry::default()
            })
        };
        let list = ptl_pt_alloc(PT, portal_option::MATCHING);
        machine.set_up(
            INITIATOR,
            &[
                md(0, COMMAND, u64::from(COMMAND_BYTES)),
                md(1, PAYLOAD, self.payload),
                list.clone(),
                entry(LANDING + 0x1000_0000, 64, 0),
            ],
        )?;
        let queue = machine.create_queue(TARGET, 0)?;
        let sum = Combine::sum(Datatype::Float);
        machine.add_kernel(HANDLE, Arc::new(CombineKernel(sum)));
        let signal = Layout::signal(0);
        let value = (self.rounds as i64).to_le_bytes();
        machine.write(TARGET, signal + VALUE_OFFSET, &value);
        // Messages of tasks lie one after the other, each in lines of its own.
        let message = u64::from(COMMAND_BYTES) + self.payload;
        let landing = match self.way {
            Way::Xtq => entry(
                LANDING,
                self.rounds * message.next_multiple_of(64),
                me_option::MANAGE_LOCAL | me_option::SUCCESS_DISABLE,
            ),
            Way::Hsa => entry(LANDING, self.payload, 0),
        };
        let kernel = Kernel {
            kernel: HANDLE,
            kernarg_size: ARGUMENT_BYTES as u32,
            buffer_pointer: BUFFER,
            completion_signal: signal,
            ..Kernel::default()
        };
        machine.set_up(
            TARGET,
            &[
                md(0, LANDING, 64),
                list,
                landing,
                xtq_register_kernel(KERNEL, &kernel),
                xtq_register_queue(0, &queue),
            ],
        )
    }

    /// The put of a task.
    fn put(self) -> xtq_testbench::host::Command {
        let payload = Put {
            md: Md(1),
            length: self.payload,
            target: process(TARGET),
            pt_index: PT,
            ..Put::default()
        };
        match self.way {
            Way::Xtq => xtq_put(&XtqPut {
                command_md: Md(0),
                command_offset: 0,
                command_length: COMMAND_BYTES,
                payload,
            }),
            Way::Hsa => ptl_put(&payload),
        }
    }

    pub(super) fn start(self, machine: &mut Machine) {
        machine.start(INITIATOR, "initiator", move |host| self.initiate(host));
        machine.start(TARGET, "target", move |host| self.serve(host));
    }

    async fn initiate(self, host: HostThread) -> Result<(), ProgramError> {
        for _ in 0..self.rounds {
            host.mark("put");
            host.post(&[self.put()]).await?;
            host.mark("posted");
            host.event().await?;
        }
        Ok(())
    }

    async fn serve(self, host: HostThread) -> Result<(), ProgramError> {
        let signal = Layout::signal(0);
        for round in 0..self.rounds {
            if self.way == Way::Hsa {
                host.event().await?;
                let costs = host.costs();
                host.work(costs.progress + costs.search(0)).await;
                let arguments = words([BUFFER, LANDING, self.elements(), 0]);
                host.store(ARGUMENTS, &arguments).await?;
                let packet = KernelPacket {
                    kernel: HANDLE,
                    kernarg: ARGUMENTS,
                    work_items: self.elements() as u32,
                    signal,
                    barrier: true,
                };
                host.dispatch(&Layout::queue(0), &packet).await?;
            }
            host.wait_signal(signal, (self.rounds - round) as i64).await;
            host.mark("seen");
            host.post(&[done(INITIATOR)]).await?;
        }
        Ok(())
    }

    /// Errors: the buffer does not hold the sum of all payloads.
    pub(super) fn check(self, machine: &Machine) -> Result<(), String> {
        let found = machine.read(TARGET, BUFFER, self.payload as usize);
        for (number, bytes) in (0..).zip(found.chunks_exact(4)) {
            let mut word = [0; 4];
            word.copy_from_slice(bytes);
            let mut wanted = 0.0;
            for _ in 0..self.rounds {
                wanted += Self::element(number);
            }
            let found = f32::from_le_bytes(word);
            if found != wanted {
                return Err(format!("element {number} is {found}, not {wanted}"));
            }
        }
        Ok(())
    }
}

/// The marks of a program.
fn marks(machine: &Machine, node: usize, name: &str) -> Vec<u64> {
    let threads = machine.threads(node);
    let marks = threads.iter().flat_map(|thread| &thread.marks);
    let found = marks.filter(|(known, _)| known == name);
    found.map(|(_, cycle)| *cycle).collect()
}

/// The last of each `rounds`-th part of some cycles, in order. Errors: they are not as many for each.
fn last_of_each(what: &str, cycles: &[u64], rounds: u64) -> Result<Vec<u64>, String> {
    let count = cycles.len() as u64;
    if count == 0 || !count.is_multiple_of(rounds) {
        return Err(format!("{count} {what} for {rounds} tasks"));
    }
    let parts = cycles.chunks((count / rounds) as usize);
    Ok(parts.filter_map(|part| part.last().copied()).collect())
}

/// The phases of each task. Errors: a station is missing, or two are in the wrong order.
pub(super) fn stations(machine: &Machine, remote: &Remote) -> Result<Vec<Phases>, String> {
    let rounds = remote.rounds;
    let sent: Vec<u64> = machine.with_node(INITIATOR, |node| {
        let packets = node.acknowledgements().iter();
        packets.map(|packet| packet.last_cycle).collect()
    });
    let came: Vec<u64> = machine.with_node(TARGET, |node| node.received_beats().to_vec());
    let events: Vec<u64> = machine.with_node(TARGET, |node| {
        let ring = Layout::events();
        let writes = node.memory.log().iter();
        let written = writes.filter(|record| ring.contains(&record.line));
        let first = machine.start_cycle();
        let visible = written.filter_map(|record| record.visible_cycle);
        visible.filter(|cycle| *cycle >= first).collect()
    });
    let kernels = machine.kernels(TARGET);
    let here = match remote.way {
        Way::Xtq => kernels.iter().map(|run| run.rung).collect(),
        Way::Hsa => events,
    };
    let (started, ended): (Vec<u64>, Vec<u64>) = kernels
        .iter()
        .filter_map(|run| Some((run.started?, run.ended?)))
        .unzip();
    let stations = [
        last_of_each("puts", &marks(machine, INITIATOR, "put"), rounds)?,
        last_of_each("doorbells", &marks(machine, INITIATOR, "posted"), rounds)?,
        last_of_each("packets", &sent, rounds)?,
        last_of_each("beats", &came, rounds)?,
        last_of_each("arrivals", &here, rounds)?,
        last_of_each("kernels", &started, rounds)?,
        last_of_each("ends", &ended, rounds)?,
        last_of_each("signals seen", &marks(machine, TARGET, "seen"), rounds)?,
    ];
    (0..rounds as usize)
        .map(|round| {
            let mut phases = Phases::default();
            for (number, phase) in phases.iter_mut().enumerate() {
                let (from, to) = (stations[number][round], stations[number + 1][round]);
                if to < from {
                    return Err(format!("task {round}: phase {number} from {from} to {to}"));
                }
                *phase = (to - from) as f64;
            }
            Ok(phases)
        })
        .collect()
}
