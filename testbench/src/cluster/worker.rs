//! A worker: some of the lanes and trunks, epoch after epoch.
//!
//! An epoch ends at a multiple of the lookahead at the latest, and earlier if it shall be shorter. What was sent in it
//! counts after it, so lanes run it one after the other, or at the same time, and see nothing of each other. A lane in
//! which nothing can happen is left out; if that is so of all, they go on to the cycle in which something can.

use std::time::{Duration, Instant};

use super::deal::{Deal, Place};
use super::exchange::{Exchange, Lost, Summary};
use super::lane::{Fault, Lane};
use super::options::RunOptions;
use super::together::run_together;
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
    /// Runs from cycle `now` on; at the end all clocks are equal, unless a station stopped.
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
        let until = self.options.until;
        for lane in &mut self.lanes {
            lane.look(now);
        }
        loop {
            let to = self.end_of_epoch(now);
            let ran = self.run_epoch(now, to, &mut boxes, &mut posts);
            let met = timed(waited, || self.exchange.exchange(&mut boxes, &mut posts));
            let ended = self.watch.as_mut().map_or(Ok(()), |watch| watch.check(to));
            let all = met.and_then(|()| {
                self.deliver(&mut boxes, &mut posts, to);
                let summary = self.summary(to, ran.is_err() || ended.is_err());
                timed(waited, || self.exchange.reduce(summary))
            });
            let (ending, next) = match (ended, all) {
                (Err(ended), _) => (Some(Ending::Ended(ended)), to),
                (Ok(()), Err(Lost(reason))) => {
                    (Some(Ending::Ended(Ended { cycle: to, reason })), to)
                }
                (Ok(()), Ok(all)) if all.stopped => (Some(Ending::Stopped), to),
                (Ok(()), Ok(all)) if all.over => (Some(Ending::Over), to),
                (Ok(()), Ok(all)) => ((to >= until).then_some(Ending::Late), all.next),
            };
            now = match self.options.skips {
                true => next.min(until).max(to),
                false => to,
            };
            let ending = ending.or_else(|| (now >= until).then_some(Ending::Late));
            if let Some(ending) = ending {
                let end = match ending {
                    Ending::Late => now,
                    _ => to,
                };
                let mut lanes = self.lanes.iter_mut();
                let level = lanes.try_for_each(|lane| lane.catch_up(end));
                return ran.and(level).map(|()| ending);
            }
        }
    }

    /// Gives what came, before cycle `now`, to lanes and trunks.
    fn deliver(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>, now: u64) {
        for flight in boxes.iter_mut().flat_map(|flights| flights.drain(..)) {
            match self.deal.place(flight.hop) {
                Place::Lane(number) => self.lanes[number].deliver(flight, now),
                Place::Trunk(number) => self.trunks[number].deliver(flight),
            }
        }
        if !posts.is_empty() {
            posts.drain(..).for_each(|post| self.board.add(post));
            for lane in &mut self.lanes {
                lane.read_board(&self.board, now);
            }
        }
    }

    /// What it knows at the end of an epoch; `now` comes next.
    fn summary(&self, now: u64, stopped: bool) -> Summary {
        let lanes = self.lanes.iter().map(Lane::next);
        let trunks = self.trunks.iter().map(|trunk| trunk.next_event(now));
        Summary {
            next: lanes.chain(trunks).min().unwrap_or(u64::MAX),
            over: self.lanes.iter().all(Lane::over)
                && self.trunks.iter().all(|trunk| trunk.is_empty()),
            stopped,
        }
    }

    /// Not later than the network allows. Between epochs it is looked whether the run is to end, so none is long.
    fn end_of_epoch(&self, now: u64) -> u64 {
        const LONGEST: u64 = 4096;
        let boundary = (now / self.lookahead + 1).saturating_mul(self.lookahead);
        let end = now.saturating_add(self.options.epoch.clamp(1, LONGEST));
        end.min(boundary).min(self.options.until.max(now + 1))
    }

    /// Runs the trunks, and the lanes in which something happens before `to`. What they send goes into the boxes of
    /// those whom it is for.
    fn run_epoch(
        &mut self,
        from: u64,
        to: u64,
        boxes: &mut [Vec<Flight>],
        posts: &mut Vec<Post>,
    ) -> Result<(), Fault<S::Error>> {
        let (skips, deal) = (self.options.skips, self.deal);
        let mut send = |flight: Flight| boxes[deal.worker(flight.hop)].push(flight);
        for trunk in &mut self.trunks {
            trunk.run(from, to, skips);
            trunk.take_flights().for_each(&mut send);
        }
        let lanes = self.lanes.iter_mut();
        let mut due: Vec<_> = lanes.filter(|lane| !skips || lane.next() < to).collect();
        let ran = run_together(&mut due, from, to, skips);
        for lane in due {
            lane.port.take_flights().for_each(&mut send);
            lane.station.take_posts(posts);
            lane.look(to);
        }
        ran
    }
}

/// Adds the time that something takes.
fn timed<T>(sum: &mut Duration, does: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = does();
    *sum += started.elapsed();
    done
}
