//! Combining data with the window: by the CPU at once, or by the GPU.

use super::codes::Below;
use super::layout::{self, KERNEL, kernargs, kernel_signal};
use super::{Mpi, Way};
use crate::ProgramError;
use crate::gpu::KernelPacket;
use std::collections::VecDeque;

/// Kernels that the host has started.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    /// How many were started.
    started: u64,
    /// How many are known to have ended.
    ended: u64,
    /// Accumulates that are over when their kernel is: number of the kernel, origin, landing place.
    waiting: VecDeque<(u64, usize, u64)>,
}

impl Kernels {
    /// What shows that the next kernel has ended, if one runs.
    pub(super) fn next_to_end(&self) -> Option<Below> {
        (self.started > self.ended).then(|| ended(self.ended + 1))
    }

    /// The next one has ended.
    pub(super) fn one_has_ended(&mut self) {
        self.ended += 1;
    }

    /// Whether a kernel is known to have ended; number 0 is none.
    pub(super) fn has_ended(&self, number: u64) -> bool {
        number <= self.ended
    }

    /// What shows that the next accumulate is over.
    pub(super) fn next(&self) -> Option<Below> {
        self.waiting.front().map(|(number, ..)| ended(*number))
    }
}

/// What shows that so many kernels have ended.
fn ended(count: u64) -> Below {
    Below {
        handle: kernel_signal(),
        below: 1 - count as i64,
    }
}

impl Mpi {
    /// Combines `bytes` at `source` with those of the window at `displacement`; the number of the kernel that does it,
    /// or 0 if it is done. Errors: the queue cannot take the packet; the operands changed meanwhile.
    pub(super) async fn apply(
        &mut self,
        displacement: u64,
        source: u64,
        bytes: u64,
    ) -> Result<u64, ProgramError> {
        let combine = self.job.options.combine;
        let target = self.job.options.window.address + displacement;
        let elements = bytes / self.element()?;
        if self.job.options.way != Way::Hsa {
            self.host.combine(combine, target, source, elements).await?;
            return Ok(0);
        }
        let arguments = [target, source, elements, 0].map(u64::to_le_bytes);
        // Arguments are read until their kernel has ended.
        if self.kernels.started - self.kernels.ended >= layout::IN_TURN {
            self.kernel_ended(self.kernels.started + 1 - layout::IN_TURN)
                .await;
        }
        self.kernels.started += 1;
        let kernarg = kernargs(self.kernels.started);
        self.host.store(kernarg, &arguments.concat()).await?;
        let packet = KernelPacket {
            kernel: KERNEL,
            kernarg,
            work_items: elements as u32,
            signal: kernel_signal(),
            barrier: true,
        };
        let queue = self.job.queue;
        self.host.dispatch(&queue, &packet).await?;
        Ok(self.kernels.started)
    }

    /// Waits until a kernel of [`apply`](Self::apply) has ended, without progress: events may be handled already.
    async fn kernel_ended(&mut self, number: u64) {
        if number > self.kernels.ended {
            let Below { handle, below } = ended(number);
            self.host.wait_signal(handle, below).await;
            self.kernels.ended = number;
        }
    }

    /// An accumulate has come to a landing place: it is combined, and the place can be used again.
    pub(super) async fn combine_landed(
        &mut self,
        origin: usize,
        landing: u64,
        displacement: u64,
        bytes: u64,
    ) -> Result<(), ProgramError> {
        let source = layout::landing_address(&self.job.options, self.rank(), landing);
        match self.apply(displacement, source, bytes).await? {
            0 => self.accumulate_is_over(origin, landing).await,
            kernel => {
                self.kernels.waiting.push_back((kernel, origin, landing));
                Ok(())
            }
        }
    }

    /// Ends the accumulate whose kernel has ended.
    pub(super) async fn collect(&mut self) -> Result<(), ProgramError> {
        match self.kernels.waiting.pop_front() {
            None => Ok(()),
            Some((kernel, origin, landing)) => {
                self.kernels.ended = self.kernels.ended.max(kernel);
                self.accumulate_is_over(origin, landing).await
            }
        }
    }
}
