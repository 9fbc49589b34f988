//! `ActiveLaunch`: a kernel from its packet to its last store.

use super::fault::GpuFault;
use super::kernel::{Effect, Kernel, Launch, Span};
use super::queue::Read;
use crate::channel::{Channel, Stream};
use crate::cores::{CONTEXT, Cores, Line};
use crate::system::GpuConfig;
use std::sync::Arc;
use xtq_testbench::aql::{Packet, field};
use xtq_testbench::bytes::{Bytes, SparseMemory};

/// Byte offsets of `event_mailbox_ptr` and `event_id` in `amd_signal_t`.
const MAILBOX_OFFSET: u64 = 16;
const EVENT_OFFSET: u64 = 24;

/// What a GPU shares with the rest of its node.
pub(crate) struct Surroundings<'a> {
    pub(crate) memory: &'a mut SparseMemory,
    pub(crate) channel: &'a mut Channel,
    pub(crate) cores: &'a mut Cores,
    /// Stores to the mailboxes of signals: address and value.
    pub(crate) mail: Vec<(u64, u32)>,
}

impl Surroundings<'_> {
    /// A signal has changed: its event goes to its mailbox, if it has one (`amd_signal_t`).
    pub(super) fn notify(&mut self, signal: u64) {
        let word = |offset| self.memory.read_u64(signal.wrapping_add(offset));
        let (mailbox, event) = (word(MAILBOX_OFFSET), word(EVENT_OFFSET));
        if signal != 0 && mailbox != 0 {
            self.mail.push((mailbox, event as u32));
        }
    }

    /// The GPU has written these bytes: no core has them any more.
    pub(super) fn outdate(&mut self, address: u64, bytes: u64) {
        for line in Line::all(CONTEXT, address, bytes) {
            self.cores.outdate(line);
        }
    }
}

/// Where a launch is, with the time in ns at which the step ends.
enum Stage {
    /// It is dispatched; then it waits for slots.
    Dispatch(f64),
    /// It reads its arguments.
    Arguments(f64),
    /// Its first access is under way.
    Access(f64),
    /// Operands come; not over before.
    Operands(Stream, f64),
    /// Its last store is under way.
    Store(f64),
}

/// What it does, known once it has its arguments.
struct Work {
    reads: Vec<Span>,
    writes: Vec<Span>,
    effect: Effect,
    /// What it has read.
    operands: Vec<Vec<u8>>,
    /// Of each wavefront.
    instructions: u64,
}

fn copy(memory: &SparseMemory, span: Span) -> Vec<u8> {
    let mut bytes = vec![0; span.bytes as usize];
    memory.read(span.address, &mut bytes);
    bytes
}

/// A launch that has not ended.
pub(super) struct ActiveLaunch {
    /// Number of the queue.
    pub(super) queue: usize,
    /// Number of its record.
    pub(super) run: usize,
    /// Packet id.
    pub(super) id: u64,
    packet: Packet,
    kernel: Arc<dyn Kernel>,
    wavefronts: u64,
    /// Wavefront slots that it holds.
    pub(super) slots: u64,
    stage: Stage,
    work: Option<Work>,
}

impl ActiveLaunch {
    /// A launch of which the packet was read in cycle `now`.
    pub(super) fn new(
        config: &GpuConfig,
        now: u64,
        queue: usize,
        run: usize,
        read: &Read,
        kernel: Arc<dyn Kernel>,
    ) -> Self {
        Self {
            queue,
            run,
            id: read.id,
            packet: read.packet,
            wavefronts: read.work_items().div_ceil(config.lanes.into()),
            kernel,
            slots: 0,
            stage: Stage::Dispatch(now as f64 + config.dispatch_ns),
            work: None,
        }
    }

    /// Whether it waits for slots in cycle `now`.
    pub(super) fn waits(&self, now: u64) -> bool {
        matches!(self.stage, Stage::Dispatch(due) if due <= now as f64)
    }

    /// Takes slots, of which so many are free, in cycle `now`.
    pub(super) fn start(&mut self, now: u64, free: u64, cores: &mut Cores) {
        self.slots = self.wavefronts.min(free);
        self.stage = Stage::Arguments(now as f64 + cores.memory_ns());
    }

    /// When it may go on by itself, ns; `free`: slots that are free. The end of its operands is the channel's.
    pub(super) fn due(&self, free: u64) -> Option<f64> {
        match self.stage {
            Stage::Dispatch(due) => (free > 0).then_some(due),
            Stage::Operands(_, least) => Some(least),
            Stage::Arguments(due) | Stage::Access(due) | Stage::Store(due) => Some(due),
        }
    }

    /// The signal that is decremented at its end; 0: none.
    pub(super) fn signal(&self) -> u64 {
        field::COMPLETION_SIGNAL.read(&self.packet)
    }

    fn fault(&self, why: String) -> GpuFault {
        GpuFault::Kernel {
            name: self.kernel.name(),
            id: self.id,
            why,
        }
    }

    /// Goes on in cycle `now` if it can; whether it did, and whether its last store is done. Errors: the kernel cannot
    /// do what it is asked; an operand was overwritten.
    pub(super) fn advance(
        &mut self,
        config: &GpuConfig,
        now: u64,
        around: &mut Surroundings,
    ) -> Result<(bool, bool), GpuFault> {
        let now = now as f64;
        match self.stage {
            Stage::Arguments(due) if due <= now => {
                self.read(config, around)?;
                self.stage = Stage::Access(due + around.cores.memory_ns());
            }
            Stage::Access(due) if due <= now => {
                let (bytes, least) = self.demand(config, around.cores);
                let stream = around.channel.begin(now, bytes, f64::INFINITY);
                self.stage = Stage::Operands(stream, due + least);
            }
            Stage::Operands(stream, least) if least <= now && around.channel.has_ended(stream) => {
                around.channel.end(stream);
                self.stage = Stage::Store(now + around.cores.memory_ns());
            }
            Stage::Store(due) if due <= now => {
                self.write(around)?;
                return Ok((true, true));
            }
            _ => return Ok((false, false)),
        }
        Ok((true, false))
    }

    /// Plans, and reads the operands.
    fn read(&mut self, config: &GpuConfig, around: &Surroundings) -> Result<(), GpuFault> {
        let memory = &*around.memory;
        let launch = Launch {
            packet: &self.packet,
            memory,
            combine_instructions: config.combine_instructions,
            copy_instructions: config.copy_instructions,
        };
        let plan = self.kernel.plan(&launch).map_err(|why| self.fault(why))?;
        let operands = plan.reads.iter().map(|span| copy(memory, *span));
        self.work = Some(Work {
            operands: operands.collect(),
            reads: plan.reads,
            writes: plan.writes,
            effect: plan.effect,
            instructions: plan.instructions,
        });
        Ok(())
    }

    /// Bytes to move, and the time that it needs at least, ns.
    fn demand(&self, config: &GpuConfig, cores: &Cores) -> (f64, f64) {
        let Some(work) = &self.work else {
            return (0.0, 0.0);
        };
        let spans = work.reads.iter().chain(&work.writes);
        let bytes: f64 = spans.map(|span| span.bytes as f64).sum();
        let rounds = self.wavefronts.div_ceil(self.slots.max(1));
        let further = rounds.saturating_sub(1) as f64 * cores.memory_latency_ns();
        let compute = config.compute_ns(self.wavefronts, work.instructions);
        (bytes, further.max(compute))
    }

    /// Compares the operands, and writes the result.
    fn write(&mut self, around: &mut Surroundings) -> Result<(), GpuFault> {
        let Some(work) = self.work.take() else {
            return Ok(());
        };
        for (span, operand) in work.reads.iter().zip(&work.operands) {
            let found = copy(around.memory, *span);
            if let Some(at) = found.iter().zip(operand).position(|(a, b)| a != b) {
                return Err(GpuFault::Overwritten {
                    name: self.kernel.name(),
                    id: self.id,
                    address: span.address + at as u64,
                });
            }
        }
        let results = (work.effect)(&work.operands).map_err(|why| self.fault(why))?;
        if results.len() != work.writes.len() {
            let (made, wanted) = (results.len(), work.writes.len());
            return Err(self.fault(format!("it made {made} results for {wanted} buffers")));
        }
        for (span, result) in work.writes.iter().zip(results) {
            if result.len() as u64 != span.bytes {
                let (made, wanted) = (result.len(), span.bytes);
                let why = format!("it made {made} bytes for a buffer of {wanted}");
                return Err(self.fault(why));
            }
            around.memory.write(span.address, &result);
            around.outdate(span.address, span.bytes);
        }
        Ok(())
    }
}
