//! A worker: some of the lanes and trunks, epoch after epoch.
//!
//! An epoch ends at a multiple of the lookahead at the latest, and earlier if it shall be shorter. What was sent in it
//! counts after it, so lanes run it one after the other, or at the same time, and see nothing of each other. If nothing
//! can happen for a while, all go on to the cycle in which something can.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use super::deal::{Deal, Place};
use super::exchange::{Exchange, Lost, Summary};
use super::lane::{Fault, Lane};
use super::options::RunOptions;
use crate::network::{Board, Flight, Post, Station, Trunk};
use crate::watch::{Ended, Watch};

/// Why a worker stopped, if no station did.
#[derive(Debug)]
pub(super) enum Ending {
    /// Nothing will happen any more.
    Over,
    /// The last cycle was reached.
    Late,
    /// Who looks on has ended it.
    Ended(Ended),
    /// Another worker has stopped.
    Stopped,
}

/// Some of the stations, and what all have posted.
pub(super) struct Worker<'a, S, X> {
    pub(super) lanes: Vec<Lane<'a, S>>,
    pub(super) trunks: Vec<&'a mut Trunk>,
    pub(super) deal: &'a Deal,
    pub(super) exchange: X,
    pub(super) board: Board,
    pub(super) options: RunOptions,
    /// In cycles.
    pub(super) lookahead: u64,
    /// Of the worker that shows how far the run is.
    pub(super) watch: Option<&'a mut Watch>,
}

/// A worker's result.
pub(super) struct Worked<E> {
    pub(super) result: Result<Ending, Fault<E>>,
    pub(super) board: Board,
    /// How long it waited for others.
    pub(super) waited: Duration,
}

impl<S: Station, X: Exchange> Worker<'_, S, X> {
    /// Runs from cycle `now` on.
    pub(super) fn run(mut self, now: u64) -> Worked<S::Error> {
        let mut waited = Duration::ZERO;
        let result = self.run_epochs(now, &mut waited);
        Worked {
            result,
            board: self.board,
            waited,
        }
    }

    /// Errors: the first station of these lanes that stopped.
    fn run_epochs(
        &mut self,
        mut now: u64,
        waited: &mut Duration,
    ) -> Result<Ending, Fault<S::Error>> {
        let (_, workers) = self.exchange.place();
        let mut boxes: Vec<Vec<Flight>> = vec![Vec::new(); workers];
        let mut posts = Vec::new();
        loop {
            let ended = self.watch.as_mut().map_or(Ok(()), |watch| watch.check(now));
            let to = self.end_of_epoch(now);
            // A worker that panicked must not let the others wait for ever.
            let ran = match &ended {
                Ok(()) => catch_unwind(AssertUnwindSafe(|| self.run_epoch(now, to))),
                Err(_) => Ok(Ok(())),
            };
            self.collect(&mut boxes, &mut posts);
            let met = timed(waited, || self.exchange.exchange(&mut boxes, &mut posts));
            let all = met.and_then(|()| {
                self.deliver(&mut boxes, &mut posts);
                let summary = self.summary(to, !matches!(ran, Ok(Ok(()))) || ended.is_err());
                timed(waited, || self.exchange.reduce(summary))
            });
            let (ended, all) = match (ended, all) {
                (Err(ended), _) => (Some(ended), None),
                (Ok(()), Err(Lost(reason))) => (Some(Ended { cycle: to, reason }), None),
                (Ok(()), Ok(all)) => (None, Some(all)),
            };
            match ran {
                Err(panic) => resume_unwind(panic),
                Ok(Err(fault)) => return Err(fault),
                Ok(Ok(())) => {}
            }
            let next = match (ended, all) {
                (Some(ended), _) => return Ok(Ending::Ended(ended)),
                (_, Some(all)) if all.over && !all.stopped => return Ok(Ending::Over),
                (_, Some(all)) if !all.stopped => all.next,
                _ => return Ok(Ending::Stopped),
            };
            if to >= self.options.until {
                return Ok(Ending::Late);
            }
            now = match self.options.skips {
                true => next.min(self.options.until).max(to),
                false => to,
            };
            if now >= self.options.until {
                let mut lanes = self.lanes.iter_mut();
                lanes.try_for_each(|lane| lane.catch_up(now))?;
                return Ok(Ending::Late);
            }
        }
    }

    /// Puts what was sent and posted in the epoch into the boxes of those whom it is for.
    fn collect(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) {
        let mut send = |flight: Flight| boxes[self.deal.worker(flight.hop)].push(flight);
        for lane in &mut self.lanes {
            lane.port.take_flights().for_each(&mut send);
            lane.station.take_posts(posts);
        }
        for trunk in &mut self.trunks {
            trunk.take_flights().for_each(&mut send);
        }
    }

    /// Gives what came to lanes and trunks.
    fn deliver(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) {
        for flight in boxes.iter_mut().flat_map(|flights| flights.drain(..)) {
            match self.deal.place(flight.hop) {
                Place::Lane(number) => self.lanes[number].port.deliver(flight),
                Place::Trunk(number) => self.trunks[number].deliver(flight),
            }
        }
        if !posts.is_empty() {
            posts.drain(..).for_each(|post| self.board.add(post));
            for lane in &mut self.lanes {
                lane.station.read_board(&self.board);
            }
        }
    }

    /// What it knows at the end of an epoch; `now` comes next.
    fn summary(&self, now: u64, stopped: bool) -> Summary {
        let lanes = self.lanes.iter().map(|lane| lane.next_event(now));
        let trunks = self.trunks.iter().map(|trunk| trunk.next_event(now));
        Summary {
            next: lanes.chain(trunks).min().unwrap_or(u64::MAX),
            over: self.lanes.iter().all(|lane| lane.is_over(now))
                && self.trunks.iter().all(|trunk| trunk.is_empty()),
            stopped,
        }
    }

    fn end_of_epoch(&self, now: u64) -> u64 {
        let boundary = (now / self.lookahead + 1).saturating_mul(self.lookahead);
        let end = now.saturating_add(self.options.epoch.max(1));
        end.min(boundary).min(self.options.until.max(now + 1))
    }

    fn run_epoch(&mut self, from: u64, to: u64) -> Result<(), Fault<S::Error>> {
        for trunk in &mut self.trunks {
            trunk.run(from, to, self.options.skips);
        }
        let mut first: Result<(), Fault<S::Error>> = Ok(());
        for lane in &mut self.lanes {
            if let Err(fault) = lane.run(from, to, self.options.skips)
                && first
                    .as_ref()
                    .err()
                    .is_none_or(|known| (fault.cycle, fault.node) < (known.cycle, known.node))
            {
                first = Err(fault);
            }
        }
        first
    }
}

/// Adds the time that something takes.
fn timed<T>(sum: &mut Duration, does: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = does();
    *sum += started.elapsed();
    done
}
