//! The step of which reductions are made: a part of the window goes to one rank, what another sends is combined with
//! another part.
//!
//! A part goes in segments of at most `slot_bytes`, of which `slots` may be under way: with one segment the step is not
//! pipelined; with more, one segment travels while the one before it is combined. Before a segment of XTQ its target
//! says with a message without data that the landing place is free, as section V-C of the paper has it: "zero-length
//! send/receive pairs between initiators and targets".

use super::codes::Below;
use super::layout::landing_address;
use super::requests::{Pending, Request};
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
    fn segments(self, most: u64) -> Vec<Part> {
        let starts = (0..self.bytes).step_by(most.max(1) as usize);
        starts
            .map(|start| Part {
                offset: self.offset + start,
                bytes: most.min(self.bytes - start),
            })
            .collect()
    }
}

/// What is known of the signal that an exchange waits for: the one of its kernels, or of the tasks of a rank.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    /// Nothing: it is to be read.
    Unknown,
    /// Whether another kernel or task has ended.
    Known(bool),
}

/// An exchange that has begun: parts go out in segments, others come in.
#[derive(Debug)]
pub(super) struct Exchange {
    tag: u32,
    to: usize,
    out: Vec<Part>,
    from: usize,
    into: Vec<Part>,
    /// Segments sent, and messages or puts of which the bytes may still be read.
    sent: usize,
    pub(super) sends: VecDeque<Request>,
    /// Segments that were asked for: by a receive, or over XTQ by the message that there is room.
    asked: usize,
    receives: VecDeque<Request>,
    /// Number of the kernel of each segment combined; 0: none.
    kernels: Vec<u64>,
    /// XTQ: receives of the message that there is room, begun so far; tasks that have ended.
    rooms: usize,
    ended: usize,
}

impl Exchange {
    pub(super) fn new(
        most: u64,
        tag: u32,
        out: Option<(usize, Part)>,
        into: Option<(usize, Part)>,
    ) -> Self {
        let segments = |end: Option<(usize, Part)>| match end {
            Some((rank, part)) => (rank, part.segments(most)),
            None => (0, Vec::new()),
        };
        let ((to, out), (from, into)) = (segments(out), segments(into));
        Self {
            tag,
            to,
            out,
            from,
            into,
            sent: 0,
            sends: VecDeque::new(),
            asked: 0,
            receives: VecDeque::new(),
            kernels: Vec::new(),
            rooms: 0,
            ended: 0,
        }
    }
}

impl Mpi {
    /// The signal that lets an exchange go on, if it waits for one.
    pub(super) fn signal_of(&self, run: &Exchange) -> Option<Below> {
        match self.job.options.way {
            Way::Xtq => (run.ended < run.into.len()).then(|| self.tasks.next_of(run.from)),
            _ => self.kernels.next_to_end(),
        }
    }

    /// Does of an exchange what can be done now; whether it is over: all that comes is combined, and all that goes is
    /// posted. What `sends` has then may still be read. Errors: a message or a kernel failed.
    pub(super) async fn exchange(
        &mut self,
        run: &mut Exchange,
        signal: &mut Signal,
    ) -> Result<bool, ProgramError> {
        match self.job.options.way {
            Way::Xtq => self.exchange_tasks(run, signal).await,
            _ => self.exchange_messages(run, signal).await,
        }
    }

    /// Whether the signal of an exchange is below a value. Errors: none of the host's.
    async fn is_below(
        &self,
        Below { handle, below }: Below,
        signal: &mut Signal,
    ) -> Result<bool, ProgramError> {
        match signal {
            Signal::Unknown => Ok(self.signal(handle).await? < below),
            Signal::Known(is_below) => Ok(std::mem::take(is_below)),
        }
    }

    /// Takes the oldest message if it is over.
    fn take_done(&mut self, messages: &mut VecDeque<Request>) -> bool {
        let is_done = messages.front().is_some_and(|oldest| self.is_done(oldest));
        if is_done && let Some(oldest) = messages.pop_front() {
            self.requests.take(oldest.0);
        }
        is_done
    }

    async fn exchange_messages(
        &mut self,
        run: &mut Exchange,
        signal: &mut Signal,
    ) -> Result<bool, ProgramError> {
        let (options, window) = (self.job.options, self.job.options.window.address);
        let (slots, from) = (options.slots as usize, run.from);
        let place = |segment: usize| landing_address(&options, from, segment as u64);
        loop {
            if let Some(ended) = self.kernels.next_to_end()
                && self.is_below(ended, signal).await?
            {
                self.kernels.one_has_ended();
            }
            // A landing place is free when the kernel that reads it has ended.
            while let Some(part) = run.into.get(run.asked)
                && (run.asked < slots
                    || (run.kernels.get(run.asked - slots))
                        .is_some_and(|kernel| self.kernels.has_ended(*kernel)))
            {
                let (address, bytes) = (place(run.asked), part.bytes);
                let receive = self.irecv(Some(from), run.tag, address, bytes).await?;
                run.receives.push_back(receive);
                run.asked += 1;
            }
            while let Some(part) = run.out.get(run.sent)
                && run.sends.len() < slots
            {
                let address = window + part.offset;
                let send = self.isend(run.to, run.tag, address, part.bytes).await?;
                run.sends.push_back(send);
                run.sent += 1;
            }
            let mut moved = self.take_done(&mut run.sends);
            if self.take_done(&mut run.receives) {
                let number = run.kernels.len();
                let Part { offset, bytes } = run.into[number];
                let kernel = self.apply(offset, place(number), bytes).await?;
                run.kernels.push(kernel);
                moved = true;
            }
            if !moved {
                break;
            }
        }
        let is_combined = run.kernels.len() == run.into.len();
        let have_ended = run.kernels.iter().all(|one| self.kernels.has_ended(*one));
        let is_sent = run.sent == run.out.len() && run.sends.is_empty();
        Ok(is_combined && have_ended && is_sent)
    }

    async fn exchange_tasks(
        &mut self,
        run: &mut Exchange,
        signal: &mut Signal,
    ) -> Result<bool, ProgramError> {
        let (options, window) = (self.job.options, self.job.options.window.address);
        let slots = options.slots as usize;
        let asks = options.library.synchronise;
        loop {
            while asks && run.rooms < run.out.len() && run.receives.len() < slots {
                let room = self.irecv(Some(run.to), run.tag, 0, 0).await?;
                run.receives.push_back(room);
                run.rooms += 1;
            }
            while asks && run.asked < run.into.len().min(run.ended + slots) {
                self.send(run.from, run.tag, 0, 0).await?;
                run.asked += 1;
            }
            let mut moved = false;
            if run.sent < run.out.len() && (!asks || self.take_done(&mut run.receives)) {
                let Part { offset, bytes } = run.out[run.sent];
                let put = self.requests.add(Pending::Sending);
                self.put_task(run.to, offset, window + offset, bytes, Some(put))
                    .await?;
                run.sends.push_back(Request(put));
                run.sent += 1;
                moved = true;
            }
            if run.ended < run.into.len()
                && self.is_below(self.tasks.next_of(run.from), signal).await?
            {
                self.tasks.ended_of[run.from] += 1;
                run.ended += 1;
                moved = true;
            }
            if !moved {
                return Ok(run.sent == run.out.len() && run.ended == run.into.len());
            }
        }
    }
}
