//! The step of which reductions are made: a part of the window goes to one rank, what another sends is combined with
//! another part.
//!
//! A part goes in segments of at most `slot_bytes`, of which `slots` may be under way: with one segment the step is not
//! pipelined; with more, one segment travels while the one before it is combined. Before a segment of XTQ its target
//! says with a message without data that the landing place is free, as section V-C of the paper has it: "zero-length
//! send/receive pairs between initiators and targets".

use super::layout::landing_address;
use super::{Mpi, Way};
use crate::ProgramError;
use std::collections::VecDeque;

/// A part of the window, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

impl Part {
    /// Its segments of at most so many bytes.
    pub(super) fn segments(self, most: u64) -> Vec<Part> {
        let starts = (0..self.bytes).step_by(most.max(1) as usize);
        starts
            .map(|start| Part {
                offset: self.offset + start,
                bytes: most.min(self.bytes - start),
            })
            .collect()
    }
}

impl Mpi {
    /// Sends a part to a rank, and combines what comes from another with a part. Messages are distinguished by `tag`.
    /// Returns when both parts may be changed. Errors: a message or a kernel failed.
    pub(super) async fn exchange(
        &mut self,
        tag: u32,
        out: Option<(usize, Part)>,
        into: Option<(usize, Part)>,
    ) -> Result<(), ProgramError> {
        let most = self.job.options.slot_bytes;
        let segments = |end: Option<(usize, Part)>| match end {
            Some((rank, part)) => (rank, part.segments(most)),
            None => (0, Vec::new()),
        };
        match self.job.options.way {
            Way::Xtq => {
                self.exchange_tasks(tag, segments(out), segments(into))
                    .await
            }
            _ => {
                self.exchange_messages(tag, segments(out), segments(into))
                    .await
            }
        }
    }

    async fn exchange_messages(
        &mut self,
        tag: u32,
        (to, out): (usize, Vec<Part>),
        (from, into): (usize, Vec<Part>),
    ) -> Result<(), ProgramError> {
        let (options, window) = (self.job.options, self.job.options.window.address);
        let slots = options.slots as usize;
        let place = |segment: usize| landing_address(&options, from, segment as u64);
        let mut receives = VecDeque::new();
        for (number, part) in into.iter().enumerate().take(slots) {
            receives.push_back(
                self.irecv(Some(from), tag, place(number), part.bytes)
                    .await?,
            );
        }
        let (mut sends, mut left) = (VecDeque::new(), out.into_iter());
        for part in left.by_ref().take(slots) {
            sends.push_back(
                self.isend(to, tag, window + part.offset, part.bytes)
                    .await?,
            );
        }
        // Number of the kernel that reads each landing place.
        let mut kernels = vec![0; slots];
        for (number, part) in into.iter().enumerate() {
            if let Some(receive) = receives.pop_front() {
                self.wait(receive).await?;
            }
            let kernel = self.apply(part.offset, place(number), part.bytes).await?;
            kernels[number % slots] = kernel;
            if let Some(next) = into.get(number + slots) {
                self.kernel_over(kernel).await?;
                let receive = self
                    .irecv(Some(from), tag, place(number), next.bytes)
                    .await?;
                receives.push_back(receive);
            }
            if let Some(next) = left.next() {
                if let Some(oldest) = sends.pop_front() {
                    self.wait(oldest).await?;
                }
                sends.push_back(
                    self.isend(to, tag, window + next.offset, next.bytes)
                        .await?,
                );
            }
        }
        while let Some(oldest) = sends.pop_front() {
            self.wait(oldest).await?;
            if let Some(next) = left.next() {
                sends.push_back(
                    self.isend(to, tag, window + next.offset, next.bytes)
                        .await?,
                );
            }
        }
        for kernel in kernels {
            self.kernel_over(kernel).await?;
        }
        Ok(())
    }

    async fn exchange_tasks(
        &mut self,
        tag: u32,
        (to, out): (usize, Vec<Part>),
        (from, into): (usize, Vec<Part>),
    ) -> Result<(), ProgramError> {
        let (slots, window) = (
            self.job.options.slots as usize,
            self.job.options.window.address,
        );
        // The other says for each segment that there is room.
        let mut rooms = VecDeque::new();
        let asks = self.job.options.library.synchronise;
        for _ in out.iter().take(slots).filter(|_| asks) {
            rooms.push_back(self.irecv(Some(to), tag, 0, 0).await?);
        }
        let (mut offered, mut sent, mut ended) = (0, 0, 0);
        loop {
            while asks && offered < into.len().min(ended + slots) {
                self.send(from, tag, 0, 0).await?;
                offered += 1;
            }
            while sent < out.len()
                && (!asks || rooms.front().is_some_and(|room| self.is_done(room)))
            {
                if let Some(room) = rooms.pop_front() {
                    self.wait(room).await?;
                }
                let Part { offset, bytes } = out[sent];
                self.put_task(to, offset, window + offset, bytes).await?;
                sent += 1;
                if asks && sent + rooms.len() < out.len() {
                    rooms.push_back(self.irecv(Some(to), tag, 0, 0).await?);
                }
            }
            if sent == out.len() && ended == into.len() {
                return Ok(());
            }
            let next = (ended < into.len()).then(|| self.tasks.next_of(from));
            if self.progress(next).await? {
                self.tasks.ended_of[from] += 1;
                ended += 1;
            }
        }
    }
}
