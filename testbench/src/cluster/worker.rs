//! A worker: some of the lanes, epoch after epoch.
//!
//! An epoch ends at a multiple of the lookahead at the latest, and earlier if it shall be shorter. What was sent in it
//! counts after it, so lanes run it one after the other, or at the same time, and see nothing of each other. A lane in
//! which nothing can happen is left out; if that is so of all, they go on to the cycle in which something can.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::exchange::{Exchange, Summary};
use super::lane::{Fault, Lane};
use super::options::RunOptions;
use crate::network::{Board, Flight, Post, Station};
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
    pub(super) exchange: X,
    pub(super) board: Board,
    pub(super) options: RunOptions,
    /// In cycles.
    pub(super) lookahead: u64,
    /// Of the worker that shows how far the run is.
    pub(super) watch: Option<&'a mut Watch>,
}

/// A worker's result, and its board.
pub(super) type Worked<E> = (Result<Ending, Fault<E>>, Board);

impl<S: Station, X: Exchange> Worker<'_, S, X> {
    /// Runs from cycle `now` on; at the end all clocks are equal. Errors: the first station of these lanes that
    /// stopped.
    pub(super) fn run(mut self, mut now: u64) -> Worked<S::Error> {
        let (me, workers) = self.exchange.place();
        let mut boxes: Vec<Vec<Flight>> = vec![Vec::new(); workers];
        let mut posts = Vec::new();
        for lane in &mut self.lanes {
            lane.look(now);
        }
        loop {
            let to = self.end_of_epoch(now);
            // A worker that panicked must not let the others wait for ever.
            let ran = catch_unwind(AssertUnwindSafe(|| {
                self.run_epoch(now, to, &mut boxes, &mut posts)
            }));
            self.exchange.exchange(&mut boxes, &mut posts);
            for flight in boxes.iter_mut().flat_map(|flights| flights.drain(..)) {
                let lane = (flight.target as usize - me) / workers;
                self.lanes[lane].deliver(flight, to);
            }
            if !posts.is_empty() {
                posts.drain(..).for_each(|post| self.board.add(post));
                for lane in &mut self.lanes {
                    lane.read_board(&self.board, to);
                }
            }
            let ended = self.watch.as_mut().map_or(Ok(()), |watch| watch.check(to));
            let all = self.exchange.reduce(Summary {
                next: self.lanes.iter().map(Lane::next).min().unwrap_or(u64::MAX),
                over: self.lanes.iter().all(Lane::over),
                stopped: !matches!(ran, Ok(Ok(()))) || ended.is_err(),
            });
            let ran = ran.unwrap_or_else(|panic| resume_unwind(panic));
            let ending = match ended {
                Err(ended) => Some(Ending::Ended(ended)),
                Ok(()) if all.stopped => Some(Ending::Stopped),
                Ok(()) if all.over => Some(Ending::Over),
                Ok(()) if to >= self.options.until => Some(Ending::Late),
                Ok(()) => None,
            };
            now = match self.options.skips {
                true => all.next.min(self.options.until).max(to),
                false => to,
            };
            let ending = ending.or_else(|| (now >= self.options.until).then_some(Ending::Late));
            if let Some(ending) = ending {
                let end = match ending {
                    Ending::Late => now,
                    _ => to,
                };
                let level = self
                    .lanes
                    .iter_mut()
                    .try_for_each(|lane| lane.catch_up(end));
                return (ran.and(level).map(|()| ending), self.board);
            }
        }
    }

    fn end_of_epoch(&self, now: u64) -> u64 {
        let boundary = (now / self.lookahead + 1).saturating_mul(self.lookahead);
        let end = now.saturating_add(self.options.epoch.max(1));
        end.min(boundary).min(self.options.until.max(now + 1))
    }

    /// Runs the lanes in which something happens before `to`, and takes what they send.
    fn run_epoch(
        &mut self,
        from: u64,
        to: u64,
        boxes: &mut [Vec<Flight>],
        posts: &mut Vec<Post>,
    ) -> Result<(), Fault<S::Error>> {
        let mut first: Result<(), Fault<S::Error>> = Ok(());
        let skips = self.options.skips;
        let mut lanes = self.lanes.iter_mut();
        while let Some(lane) = lanes.find(|lane| !skips || lane.next() < to) {
            if let Err(fault) = lane.run(from, to, skips)
                && first
                    .as_ref()
                    .err()
                    .is_none_or(|known| (fault.cycle, fault.node) < (known.cycle, known.node))
            {
                first = Err(fault);
            }
            for flight in lane.port.take_flights() {
                boxes[flight.target as usize % boxes.len()].push(flight);
            }
            lane.station.take_posts(posts);
            lane.look(to);
        }
        first
    }
}
