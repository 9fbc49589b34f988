//! A worker: some of the lanes, epoch after epoch.
//!
//! An epoch ends at a multiple of the lookahead at the latest, and earlier if it shall be shorter. What was sent in it
//! counts after it, so lanes run it one after the other, or at the same time, and see nothing of each other. If nothing
//! can happen for a while, all go on to the cycle in which something can.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::exchange::{Exchange, Summary};
use super::lane::{Fault, Lane};
use super::options::RunOptions;
use crate::network::{Board, Flight, Station};
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
    /// Runs from cycle `now` on. Errors: the first station of these lanes that stopped.
    pub(super) fn run(mut self, mut now: u64) -> Worked<S::Error> {
        let (me, workers) = self.exchange.place();
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
            for lane in &mut self.lanes {
                for flight in lane.port.take_flights() {
                    boxes[flight.target as usize % workers].push(flight);
                }
                lane.station.take_posts(&mut posts);
            }
            self.exchange.exchange(&mut boxes, &mut posts);
            for flight in boxes.iter_mut().flat_map(|flights| flights.drain(..)) {
                self.lanes[(flight.target as usize - me) / workers]
                    .port
                    .deliver(flight);
            }
            if !posts.is_empty() {
                posts.drain(..).for_each(|post| self.board.add(post));
                for lane in &mut self.lanes {
                    lane.station.read_board(&self.board);
                }
            }
            let next = self.lanes.iter().map(|lane| lane.next_event(to)).min();
            let all = self.exchange.reduce(Summary {
                next: next.unwrap_or(u64::MAX),
                over: self.lanes.iter().all(|lane| lane.is_over(to)),
                stopped: !matches!(ran, Ok(Ok(()))) || ended.is_err(),
            });
            let ending = match (ran, ended) {
                (Err(panic), _) => resume_unwind(panic),
                (Ok(Err(fault)), _) => return (Err(fault), self.board),
                (_, Err(ended)) => Some(Ending::Ended(ended)),
                _ if all.stopped => Some(Ending::Stopped),
                _ if all.over => Some(Ending::Over),
                _ if to >= self.options.until => Some(Ending::Late),
                _ => None,
            };
            if let Some(ending) = ending {
                return (Ok(ending), self.board);
            }
            now = match self.options.skips {
                true => all.next.min(self.options.until).max(to),
                false => to,
            };
            if now >= self.options.until {
                let mut lanes = self.lanes.iter_mut();
                let late = lanes.try_for_each(|lane| lane.catch_up(now));
                return (late.map(|()| Ending::Late), self.board);
            }
        }
    }

    fn end_of_epoch(&self, now: u64) -> u64 {
        let boundary = (now / self.lookahead + 1).saturating_mul(self.lookahead);
        let end = now.saturating_add(self.options.epoch.max(1));
        end.min(boundary).min(self.options.until.max(now + 1))
    }

    fn run_epoch(&mut self, from: u64, to: u64) -> Result<(), Fault<S::Error>> {
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
