//! Collectives of parts of the window, blocking and not: a program begins one, works, looks now and then whether it is
//! over, and waits at last; or it waits at once.
//!
//! Each is a list of [`Step`]s of which the first runs. Whatever can be done without waiting is done when the program
//! calls the library. Collectives of a rank share its landing places, so they are carried out one after the other, in
//! the order in which they were begun, which is the same on all ranks. One is over when the rank may change its part:
//! all that comes is combined, and the NIC has read all that goes.

use super::Mpi;
use super::codes::{Below, Role};
use super::exchange::{Exchange, Part, Signal};
use super::layout;
use super::point_to_point::process;
use super::requests::{Pending, Request};
use super::steps::Step;
use crate::ProgramError;
use std::collections::VecDeque;
use std::ops::Range;
use xtq_testbench::host::{AckRequest, Put, ptl_put};

/// A collective that was begun; [`complete`](Mpi::complete) ends it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a collective goes on only while the library is called"]
pub struct Ongoing(u64);

/// Collectives of a rank that are not over.
#[derive(Debug, Default)]
pub(super) struct Outstanding {
    /// How many were begun.
    begun: u64,
    /// Number and steps, oldest first.
    queue: VecDeque<(u64, Schedule)>,
}

/// What is left of a collective.
#[derive(Debug)]
struct Schedule {
    steps: VecDeque<Step>,
    /// The first step, if it is an exchange that has begun.
    running: Option<Exchange>,
    /// Puts of steps that are over, which the NIC may still read.
    leaving: Vec<Request>,
}

impl Mpi {
    /// MPI_Reduce in place, of the first `bytes` of the windows: that of `root` has the combination of all; the others'
    /// are used up. Errors: bytes that the window does not have; a message or a kernel failed.
    pub async fn reduce(&mut self, root: usize, bytes: u64) -> Result<(), ProgramError> {
        let ongoing = self.begin_reduce(root, &(0..bytes))?;
        self.complete(ongoing).await
    }

    /// MPI_Allreduce in place, of the first `bytes` of the windows: all have the combination of all. Errors: as of
    /// [`reduce`](Self::reduce).
    pub async fn allreduce(&mut self, bytes: u64) -> Result<(), ProgramError> {
        let ongoing = self.begin_allreduce(&(0..bytes))?;
        self.complete(ongoing).await
    }

    /// MPI_Ireduce in place, of these bytes of the windows, as [`reduce`](Self::reduce). Collectives that are under way
    /// at a time have different bytes. Errors: the same.
    pub async fn ireduce(
        &mut self,
        root: usize,
        bytes: Range<u64>,
    ) -> Result<Ongoing, ProgramError> {
        let ongoing = self.begin_reduce(root, &bytes)?;
        self.advance_all(Signal::Unknown).await?;
        Ok(ongoing)
    }

    /// MPI_Iallreduce in place, of these bytes of the windows. Errors: as of [`reduce`](Self::reduce).
    pub async fn iallreduce(&mut self, bytes: Range<u64>) -> Result<Ongoing, ProgramError> {
        let ongoing = self.begin_allreduce(&bytes)?;
        self.advance_all(Signal::Unknown).await?;
        Ok(ongoing)
    }

    /// MPI_Test: does what can be done without waiting; whether a collective is over. Errors: a message or a kernel
    /// failed.
    pub async fn test(&mut self, of: &Ongoing) -> Result<bool, ProgramError> {
        while let Some(event) = self.host.try_event().await? {
            self.handle(event).await?;
        }
        self.advance_all(Signal::Unknown).await?;
        Ok(self.is_over(of.0))
    }

    /// MPI_Wait. Errors: a message or a kernel failed.
    pub async fn complete(&mut self, of: Ongoing) -> Result<(), ProgramError> {
        let mut has_ended = false;
        loop {
            self.advance_all(Signal::Known(has_ended)).await?;
            if self.is_over(of.0) {
                return Ok(());
            }
            let signal = self.next_signal();
            has_ended = self.progress(signal).await?;
        }
    }

    fn part(&self, bytes: &Range<u64>) -> Result<Part, ProgramError> {
        let (window, Range { start, end }) = (self.job.options.window.bytes, bytes.clone());
        match start <= end && end <= window {
            true => Ok(Part {
                offset: start,
                bytes: end - start,
            }),
            false => Err(ProgramError::new(format!(
                "a collective of bytes {start}..{end}: the window has {window}"
            ))),
        }
    }

    fn begin_reduce(&mut self, root: usize, bytes: &Range<u64>) -> Result<Ongoing, ProgramError> {
        let part = self.part(bytes)?;
        let steps = self.reduce_steps(root, part);
        Ok(self.begin(steps))
    }

    fn begin_allreduce(&mut self, bytes: &Range<u64>) -> Result<Ongoing, ProgramError> {
        let part = self.part(bytes)?;
        let steps = self.allreduce_steps(part)?;
        Ok(self.begin(steps))
    }

    fn begin(&mut self, steps: Vec<Step>) -> Ongoing {
        self.outstanding.begun += 1;
        let number = self.outstanding.begun;
        let schedule = Schedule {
            steps: steps.into(),
            running: None,
            leaving: Vec::new(),
        };
        self.outstanding.queue.push_back((number, schedule));
        Ongoing(number)
    }

    fn is_over(&self, number: u64) -> bool {
        let mut queue = self.outstanding.queue.iter();
        queue.all(|(other, _)| *other != number)
    }

    /// The signal that lets the oldest go on, if it waits for one.
    fn next_signal(&self) -> Option<Below> {
        let (_, schedule) = self.outstanding.queue.front()?;
        self.signal_of(schedule.running.as_ref()?)
    }

    /// Carries out what can be done now; `signal` is that of [`next_signal`](Self::next_signal).
    async fn advance_all(&mut self, mut signal: Signal) -> Result<(), ProgramError> {
        while let Some((number, mut schedule)) = self.outstanding.queue.pop_front() {
            if !self.advance(&mut schedule, &mut signal).await? {
                self.outstanding.queue.push_front((number, schedule));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a collective is over now.
    async fn advance(
        &mut self,
        schedule: &mut Schedule,
        signal: &mut Signal,
    ) -> Result<bool, ProgramError> {
        while let Some(step) = schedule.steps.front().copied() {
            match step {
                Step::Exchange { tag, out, into } => {
                    let most = self.job.options.slot_bytes;
                    let new = || Exchange::new(most, tag, out, into);
                    let run = schedule.running.get_or_insert_with(new);
                    if !self.exchange(run, signal).await? {
                        return Ok(false);
                    }
                    schedule.leaving.extend(run.sends.drain(..));
                    schedule.running = None;
                }
                Step::Put { to, tag, part } => {
                    let put = self.put_blocks(to, tag, part).await?;
                    schedule.leaving.push(put);
                }
                Step::Come { from, tag } => {
                    // It says so once.
                    if !self.inbox.puts.remove(&(from, tag.into())) {
                        return Ok(false);
                    }
                }
            }
            schedule.steps.pop_front();
        }
        let requests = &mut self.requests;
        let leaving = &mut schedule.leaving;
        leaving.retain(|put| requests.take(put.0).is_none());
        Ok(leaving.is_empty())
    }

    /// Puts blocks into the same place of another rank's window.
    async fn put_blocks(
        &mut self,
        to: usize,
        tag: u32,
        Part { offset, bytes }: Part,
    ) -> Result<Request, ProgramError> {
        let request = self.requests.add(Pending::Sending);
        let put = ptl_put(&Put {
            md: layout::ALL,
            local_offset: self.job.options.window.address + offset,
            length: bytes,
            ack: AckRequest::None,
            target: process(to),
            pt_index: layout::WINDOW,
            match_bits: tag.into(),
            remote_offset: offset,
            user_ptr: Role::Send.pointer(request as u64),
            ..Put::default()
        });
        self.host.post(&[put]).await?;
        Ok(Request(request))
    }
}
