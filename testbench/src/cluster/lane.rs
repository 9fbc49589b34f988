//! `Lane`: a station and its ends of the network, for as many cycles as they need not know of the others.
//!
//! A lane knows the first cycle in which something may happen in it. Until then it costs one comparison an epoch, and
//! its station's clock stays where it is; who needs the clock lets it [catch up](Lane::catch_up).

use crate::network::{Board, Class, Flight, Port, Station};

/// A station with its port.
pub(super) struct Lane<'a, S> {
    pub(super) station: &'a mut S,
    pub(super) port: &'a mut Port,
    /// First cycle in which something may happen here by itself, as of the last [look](Self::look).
    next: u64,
    /// Whether nothing will happen here any more if nothing reaches it, as of then.
    over: bool,
    /// Its station stopped: its clock stays where that was.
    stopped: bool,
}

/// A station stopped in a cycle.
#[derive(Debug)]
pub(super) struct Fault<E> {
    pub(super) cycle: u64,
    pub(super) node: usize,
    pub(super) error: E,
}

impl<'a, S: Station> Lane<'a, S> {
    /// A lane of which nobody knows when something happens.
    pub(super) fn new(station: &'a mut S, port: &'a mut Port) -> Self {
        Self {
            station,
            port,
            next: 0,
            over: false,
            stopped: false,
        }
    }

    /// First cycle in which something may happen here by itself; `u64::MAX`: never.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Whether nothing will happen here any more if nothing reaches it.
    pub(super) fn over(&self) -> bool {
        self.over
    }

    /// Finds out when something happens, in `now` or later: after it has [run](Self::run) and what it sent is taken.
    pub(super) fn look(&mut self, now: u64) {
        self.next = self.next_event(now);
        self.over = self.is_over(now);
    }

    /// First cycle, from `now` on, in which something may happen here by itself, if all cycles before have run.
    pub(super) fn next_event(&self, now: u64) -> u64 {
        let station = match self.station.clock() {
            // A station that has run ahead is waited for.
            clock if clock > now => now,
            _ => self.station.next_event(now),
        };
        match station {
            next if next <= now => now,
            next => next.min(self.port.next_event(now)),
        }
    }

    /// Whether nothing will happen here any more, as far as can be seen in cycle `now`.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let level = self.station.clock() <= now;
        level && self.station.is_over(now) && self.is_at_rest(now)
    }

    /// Whether nothing is on its way here; places that come back may be what the station waits for.
    fn is_at_rest(&self, now: u64) -> bool {
        self.port.is_empty() && self.port.next_event(now) == u64::MAX
    }

    /// Its station has stopped.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        // Nothing that it would send goes anywhere.
        self.station.connect();
    }

    /// Takes what another end of the network has sent, before cycle `now`.
    pub(super) fn deliver(&mut self, flight: Flight, now: u64) {
        self.port.deliver(flight);
        // The station knows nothing of it.
        self.next = self.next.min(self.port.next_event(now));
        self.over &= self.is_at_rest(now);
    }

    /// There is something new on the board before cycle `now`.
    pub(super) fn read_board(&mut self, board: &Board, now: u64) {
        self.station.read_board(board);
        self.look(now);
    }

    /// Lets the station go on to `cycle`, before which nothing happens in it. Errors: the station's.
    pub(super) fn catch_up(&mut self, cycle: u64) -> Result<(), Fault<S::Error>> {
        match !self.stopped && self.station.clock() < cycle {
            true => self
                .station
                .pass(cycle)
                .map_err(|error| self.fault(cycle, error)),
            false => Ok(()),
        }
    }

    /// The first part of cycle `now`, up to the inputs of the hardware; whether the station takes part, which it does
    /// not while it has run ahead. Errors: the station's.
    pub(super) fn drive(&mut self, now: u64) -> Result<bool, Fault<S::Error>> {
        self.port.begin(now);
        if self.station.clock() != now {
            return Ok(false);
        }
        let ready = self.port.ready(now);
        for class in Class::ALL {
            if self.station.has_room(class)
                && let Some(beat) = self.port.take(now, class)
            {
                self.station.receive_beat(class, &beat);
            }
        }
        let driven = self.station.drive(ready);
        driven.map_err(|error| self.fault(now, error))?;
        Ok(true)
    }

    /// The last part of cycle `now` of a station that took part. Errors: the station's.
    pub(super) fn collect(&mut self, now: u64) -> Result<(), Fault<S::Error>> {
        let sent = self.station.collect();
        let sent = sent.map_err(|error| self.fault(now, error))?;
        for (class, beat) in Class::ALL.into_iter().zip(sent) {
            if let Some(beat) = beat {
                self.port.accept(now, class, beat);
            }
        }
        Ok(())
    }

    /// That its station stopped in cycle `now`.
    pub(super) fn fault(&self, cycle: u64, error: S::Error) -> Fault<S::Error> {
        let node = self.port.node() as usize;
        Fault { cycle, node, error }
    }
}
