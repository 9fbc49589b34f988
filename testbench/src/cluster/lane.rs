//! `Lane`: a station and its ends of the network, for as many cycles as they need not know of the others.

use crate::network::{Class, Port, Station};

/// A station with its port.
pub(super) struct Lane<'a, S> {
    pub(super) station: &'a mut S,
    pub(super) port: &'a mut Port,
}

/// A station stopped in a cycle.
#[derive(Debug)]
pub(super) struct Fault<E> {
    pub(super) cycle: u64,
    pub(super) node: usize,
    pub(super) error: E,
}

impl<S: Station> Lane<'_, S> {
    /// First cycle, from `now` on, in which something may happen here by itself.
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

    /// Whether nothing will happen here any more if nothing reaches it.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let level = self.station.clock() <= now;
        level && self.station.is_over(now) && self.port.is_empty()
    }

    /// Runs the cycles from `from` to before `to`; with `skips`, only those in which something may happen. Errors: the
    /// station's.
    pub(super) fn run(&mut self, from: u64, to: u64, skips: bool) -> Result<(), Fault<S::Error>> {
        self.catch_up(from)?;
        let mut now = from;
        while now < to {
            let next = if skips {
                self.next_event(now).min(to)
            } else {
                now
            };
            if next > now {
                let passed = self.station.pass(next);
                passed.map_err(|error| self.fault(now, error))?;
                now = next;
                continue;
            }
            self.port.begin(now);
            if self.station.clock() == now {
                self.cycle(now)?;
            }
            self.port.end(now);
            now += 1;
        }
        Ok(())
    }

    /// Lets the station go on to `cycle`, before which nothing happens in it. Errors: the station's.
    pub(super) fn catch_up(&mut self, cycle: u64) -> Result<(), Fault<S::Error>> {
        match self.station.clock() < cycle {
            true => self
                .station
                .pass(cycle)
                .map_err(|error| self.fault(cycle, error)),
            false => Ok(()),
        }
    }

    fn cycle(&mut self, now: u64) -> Result<(), Fault<S::Error>> {
        let ready = self.port.ready(now);
        for class in Class::ALL {
            if self.station.has_room(class)
                && let Some(beat) = self.port.take(now, class)
            {
                self.station.receive_beat(class, &beat);
            }
        }
        let sent = self.station.connected_cycle(ready);
        let sent = sent.map_err(|error| self.fault(now, error))?;
        for (class, beat) in Class::ALL.into_iter().zip(sent) {
            if let Some(beat) = beat {
                self.port.accept(now, class, beat);
            }
        }
        Ok(())
    }

    fn fault(&self, cycle: u64, error: S::Error) -> Fault<S::Error> {
        let node = self.port.node() as usize;
        Fault { cycle, node, error }
    }
}
