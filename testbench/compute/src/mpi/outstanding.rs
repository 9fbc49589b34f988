//! Non-blocking collectives: a program begins some, works, looks now and then whether they are over, and waits at last.
//!
//! Each is a list of [`Step`]s of which the first runs. Whatever can be done without waiting is done when the program
//! calls the library. Collectives of a rank share its landing places, so they are carried out one after the other, in
//! the order in which they were begun, which is the same on all ranks.

use super::apply::ended;
use super::codes::Below;
use super::exchange::Part;
use super::layout::{landing_address, task_signal};
use super::requests::Request;
use super::steps::Step;
use super::{Mpi, Way};
use crate::ProgramError;
use std::collections::VecDeque;
use std::ops::Range;

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
}

/// An exchange that has begun: parts go out in segments, others come in.
#[derive(Debug)]
struct Exchange {
    tag: u32,
    to: usize,
    out: Vec<Part>,
    from: usize,
    into: Vec<Part>,
    /// Segments sent, and messages that are under way.
    sent: usize,
    sends: VecDeque<Request>,
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
    fn new(most: u64, tag: u32, out: Option<(usize, Part)>, into: Option<(usize, Part)>) -> Self {
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
    /// MPI_Ireduce in place, of these bytes of the windows, as [`reduce`](Self::reduce). Collectives that are under way
    /// at a time have different bytes. Errors: bytes that the window does not have; a message or a kernel failed.
    pub async fn ireduce(
        &mut self,
        root: usize,
        bytes: Range<u64>,
    ) -> Result<Ongoing, ProgramError> {
        let part = self.part(&bytes)?;
        let steps = self.reduce_steps(root, part);
        self.begin(steps).await
    }

    /// MPI_Iallreduce in place, of these bytes of the windows. Errors: as of [`ireduce`](Self::ireduce).
    pub async fn iallreduce(&mut self, bytes: Range<u64>) -> Result<Ongoing, ProgramError> {
        let part = self.part(&bytes)?;
        let steps = self.allreduce_steps(part)?;
        self.begin(steps).await
    }

    /// MPI_Test: does what can be done without waiting; whether a collective is over. Errors: a message or a kernel
    /// failed.
    pub async fn test(&mut self, of: &Ongoing) -> Result<bool, ProgramError> {
        while let Some(event) = self.host.try_event().await? {
            self.handle(event).await?;
        }
        self.advance_all().await?;
        Ok(self.is_over(of.0))
    }

    /// MPI_Wait. Errors: a message or a kernel failed.
    pub async fn complete(&mut self, of: Ongoing) -> Result<(), ProgramError> {
        loop {
            self.advance_all().await?;
            if self.is_over(of.0) {
                return Ok(());
            }
            let signal = self.next_signal();
            self.progress(signal).await?;
        }
    }

    /// Waits for all that were begun. Errors: a message or a kernel failed.
    pub(super) async fn complete_all(&mut self) -> Result<(), ProgramError> {
        while let Some((number, _)) = self.outstanding.queue.back() {
            self.complete(Ongoing(*number)).await?;
        }
        Ok(())
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

    async fn begin(&mut self, steps: Vec<Step>) -> Result<Ongoing, ProgramError> {
        self.outstanding.begun += 1;
        let number = self.outstanding.begun;
        let schedule = Schedule {
            steps: steps.into(),
            running: None,
        };
        self.outstanding.queue.push_back((number, schedule));
        self.advance_all().await?;
        Ok(Ongoing(number))
    }

    fn is_over(&self, number: u64) -> bool {
        let mut queue = self.outstanding.queue.iter();
        queue.all(|(other, _)| *other != number)
    }

    /// The signal that lets the oldest go on, if it waits for one.
    fn next_signal(&self) -> Option<Below> {
        let (_, schedule) = self.outstanding.queue.front()?;
        let run = schedule.running.as_ref()?;
        match self.job.options.way {
            Way::Xtq => (run.ended < run.into.len()).then(|| self.tasks.next_of(run.from)),
            _ => self.kernels.next_to_end(),
        }
    }

    /// Carries out what can be done now.
    async fn advance_all(&mut self) -> Result<(), ProgramError> {
        while let Some((number, mut schedule)) = self.outstanding.queue.pop_front() {
            if !self.advance(&mut schedule).await? {
                self.outstanding.queue.push_front((number, schedule));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a collective is over now.
    async fn advance(&mut self, schedule: &mut Schedule) -> Result<bool, ProgramError> {
        while let Some(step) = schedule.steps.front().copied() {
            let is_done = match step {
                Step::Exchange { tag, out, into } => {
                    let most = self.job.options.slot_bytes;
                    let new = || Exchange::new(most, tag, out, into);
                    let run = schedule.running.get_or_insert_with(new);
                    match self.job.options.way {
                        Way::Xtq => self.advance_tasks(run).await?,
                        _ => self.advance_messages(run).await?,
                    }
                }
                Step::Put { to, tag, part } => {
                    self.put_blocks(to, tag, part).await?;
                    true
                }
                Step::Come { from, tag } => self.have_come(from, tag),
            };
            if !is_done {
                return Ok(false);
            }
            schedule.running = None;
            schedule.steps.pop_front();
        }
        Ok(true)
    }

    /// Takes the oldest message if it is over.
    fn take_done(&mut self, messages: &mut VecDeque<Request>) -> bool {
        let is_done = messages.front().is_some_and(|oldest| self.is_done(oldest));
        if is_done && let Some(oldest) = messages.pop_front() {
            self.requests.take(oldest.0);
        }
        is_done
    }

    async fn advance_messages(&mut self, run: &mut Exchange) -> Result<bool, ProgramError> {
        let (options, window) = (self.job.options, self.job.options.window.address);
        let (slots, from) = (options.slots as usize, run.from);
        let place = |segment: usize| landing_address(&options, from, segment as u64);
        loop {
            self.look_at_kernels().await?;
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

    async fn advance_tasks(&mut self, run: &mut Exchange) -> Result<bool, ProgramError> {
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
                self.put_task(run.to, offset, window + offset, bytes)
                    .await?;
                run.sent += 1;
                moved = true;
            }
            if run.ended < run.into.len() {
                let value = self.signal(task_signal(run.from)).await?;
                if value < self.tasks.next_of(run.from).below {
                    self.tasks.ended_of[run.from] += 1;
                    run.ended += 1;
                    moved = true;
                }
            }
            if !moved {
                return Ok(run.sent == run.out.len() && run.ended == run.into.len());
            }
        }
    }
}

impl super::apply::Kernels {
    /// What shows that the next kernel has ended, if one runs.
    fn next_to_end(&self) -> Option<Below> {
        self.is_busy().then(|| ended(self.ended() + 1))
    }

    /// Whether a kernel is known to have ended; number 0 is none.
    fn has_ended(&self, number: u64) -> bool {
        number <= self.ended()
    }
}
