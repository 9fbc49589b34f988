//! `Station`: what can be connected to a network.

use super::board::{Board, Post};
use super::class::Class;
use crate::bus::Beat;
use xtq_engine::Engine;

/// Hardware that somebody has for a while.
pub trait Held {
    /// Its engine.
    fn engine(&mut self) -> &mut dyn Engine;
}

impl Held for &mut dyn Engine {
    fn engine(&mut self) -> &mut dyn Engine {
        &mut **self
    }
}

/// Something with a clock and a link.
pub trait Station {
    /// Why it stops.
    type Error: std::error::Error + From<xtq_engine::Error>;
    /// Its [hardware](Self::hardware), while somebody has it.
    type Hardware<'a>: Held
    where
        Self: 'a;

    /// Cycles that it has run.
    fn clock(&self) -> u64;
    /// From now on a network decides when it may send: it sends only what [`drive`](Self::drive) admits.
    fn connect(&mut self);
    /// Whether a beat of a class can be given to it.
    fn has_room(&self, class: Class) -> bool;
    /// Takes a beat of a class, in the order of its packets; only when it [has room](Self::has_room) for it.
    fn receive_beat(&mut self, class: Class, beat: &Beat);
    /// The first part of a cycle in which the network is `ready` for a beat of each class or not: all that needs no
    /// look at the hardware. Errors: of the station.
    fn drive(&mut self, ready: [bool; 2]) -> Result<(), Self::Error>;
    /// The hardware, which settles after [`drive`](Self::drive) and takes its step after [`sample`](Self::sample): so
    /// that hardware of several stations can be computed together. `None`: there is none.
    fn hardware(&mut self) -> Option<Self::Hardware<'_>>;
    /// The part in which the outputs are looked at. Errors: of the station.
    fn sample(&mut self) -> Result<(), Self::Error>;
    /// The last part, after the step; gives the beats that were sent. Errors: of the station.
    fn collect(&mut self) -> Result<[Option<Beat>; 2], Self::Error>;
    /// What is not idle.
    fn busy(&self) -> Option<&'static str>;
    /// Cycles in which it must not be busy until nothing can happen any more.
    fn quiet_cycles(&self) -> u64;
    /// The cluster found it quiet.
    fn settle(&mut self);

    /// First cycle, from `now` on, in which something may happen in it although nothing reaches it and the network is
    /// as ready as in its last cycle; `u64::MAX`: never. [`pass`](Self::pass) leaves the cycles before out. One that
    /// does not know runs every cycle.
    fn next_event(&self, now: u64) -> u64 {
        now
    }
    /// Its clock goes on to `cycle`; nothing happens in it before. Only for one that has a [next
    /// event](Self::next_event) later than now. Errors: of the station.
    fn pass(&mut self, _cycle: u64) -> Result<(), Self::Error> {
        Ok(())
    }
    /// Whether nothing will happen in it any more if nothing reaches it, also if it cannot leave cycles out.
    fn is_over(&self, now: u64) -> bool {
        self.next_event(now) == u64::MAX
    }
    /// Something outside may have changed it: it must look again before cycles are left out.
    fn wake(&mut self) {}
    /// What it has to report to all stations, since the last call.
    fn take_posts(&mut self, _posts: &mut Vec<Post>) {}
    /// There is something new on the board.
    fn read_board(&mut self, _board: &Board) {}
}
