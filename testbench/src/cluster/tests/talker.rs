//! `Talker`: a station that talks as a plan says, and keeps a digest of all that it did.

use std::collections::VecDeque;

use super::Broken;
use crate::bus::Beat;
use crate::network::{Board, Class, Post, Station};
use crate::node::Digest;
use xtq_engine::Engine;

/// A station that sends packets when its plan says so, takes beats with pauses, and meets the others at barriers.
#[derive(Clone)]
pub(super) struct Talker {
    pub(super) number: u16,
    clock: u64,
    /// Packets: cycle from which it may begin, class, target, beats.
    plan: VecDeque<(u64, Class, u16, usize)>,
    /// By class.
    sending: [VecDeque<Beat>; 2],
    /// It takes a beat of each class in one of so many cycles.
    slow: u64,
    incoming: bool,
    taken: u64,
    pub(super) digest: Digest,
    /// Cycle in which it comes to a barrier of all, how many there are, and whether it has gone on.
    pub(super) barrier: (u64, usize, bool),
    posts: Vec<Post>,
    board: Board,
    lookahead: u64,
    /// Cycles that it has run.
    pub(super) ran: u64,
    /// In this cycle.
    sent: [Option<Beat>; 2],
}

impl Talker {
    /// With its plan and its barrier; `lookahead` of the network.
    pub(super) fn new(
        number: u16,
        plan: VecDeque<(u64, Class, u16, usize)>,
        barrier: (u64, usize, bool),
        lookahead: u64,
    ) -> Self {
        Self {
            number,
            clock: 0,
            plan,
            sending: Default::default(),
            slow: [3, 1, 2, 1, 5][usize::from(number % 5)],
            incoming: false,
            taken: 0,
            digest: Digest::default(),
            barrier,
            posts: Vec::new(),
            board: Board::default(),
            lookahead,
            ran: 0,
            sent: [None, None],
        }
    }

    fn sends_nothing(&self) -> bool {
        self.sending.iter().all(VecDeque::is_empty)
    }

    fn next_packet(&self) -> u64 {
        match self.sends_nothing() {
            true => self.plan.front().map_or(u64::MAX, |packet| packet.0),
            false => 0,
        }
    }

    fn gate(&self) -> u64 {
        let (at, of, passed) = self.barrier;
        match passed {
            true => u64::MAX,
            false if self.clock <= at => at,
            false => self.board.opens(0, of, self.lookahead).unwrap_or(u64::MAX),
        }
    }
}

impl Station for Talker {
    type Error = Broken;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.clock
    }
    fn connect(&mut self) {}
    fn has_room(&self, class: Class) -> bool {
        (self.clock + class.index() as u64).is_multiple_of(self.slow)
    }
    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.incoming = true;
        self.taken += 1;
        let bytes = beat.bytes.iter().map(|byte| u64::from(*byte));
        let bytes = bytes.chain([class.index() as u64]);
        self.digest.note(self.clock, 1, bytes);
    }
    fn drive(&mut self, ready: [bool; 2]) -> Result<(), Broken> {
        let now = self.clock;
        self.ran += 1;
        self.incoming = false;
        if now == self.barrier.0 {
            self.posts.push(Post {
                topic: 0,
                cycle: now,
            });
        }
        if self.gate() <= now && now > self.barrier.0 {
            self.barrier.2 = true;
            self.digest.note(now, 3, []);
        }
        if let Some((_, class, target, beats)) = self.plan.front().copied().filter(|p| p.0 <= now)
            && self.sending[class.index()].is_empty()
        {
            self.plan.pop_front();
            let mut bytes = vec![self.taken as u8; 64 * beats];
            bytes[4..6].copy_from_slice(&self.number.to_le_bytes());
            bytes[6..8].copy_from_slice(&target.to_le_bytes());
            self.sending[class.index()].extend(Beat::cut(&bytes));
        }
        self.sent = [None, None];
        let open = Class::ALL.map(Class::index).into_iter();
        for class in open.filter(|class| ready[*class]) {
            self.sent[class] = self.sending[class].pop_front();
            if self.sent[class].is_some() {
                self.digest.note(now, 2, [class as u64]);
            }
        }
        Ok(())
    }
    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        None
    }
    fn sample(&mut self) -> Result<(), Broken> {
        Ok(())
    }
    fn collect(&mut self) -> Result<[Option<Beat>; 2], Broken> {
        self.clock += 1;
        Ok(std::mem::take(&mut self.sent))
    }
    fn busy(&self) -> Option<&'static str> {
        None
    }
    fn quiet_cycles(&self) -> u64 {
        0
    }
    fn settle(&mut self) {}
    fn next_event(&self, now: u64) -> u64 {
        let own = if self.sends_nothing() {
            self.next_packet()
        } else {
            now
        };
        own.min(self.gate()).max(now)
    }
    fn pass(&mut self, cycle: u64) -> Result<(), Broken> {
        self.clock = cycle;
        Ok(())
    }
    fn take_posts(&mut self, posts: &mut Vec<Post>) {
        posts.append(&mut self.posts);
    }
    fn read_board(&mut self, board: &Board) {
        self.board.clone_from(board);
    }
}
