//! `Site`: a node and the programs of its processes, as a station of the cluster. The programs run in the node's time:
//! before each cycle they do what they can.

use std::sync::Arc;

use thiserror::Error;
use xtq_engine::Engine;

use super::meeting::{Barriers, Meeting};
use super::plan::NodesPlan;
use super::player::{AskingPort, Player, Turn};
use super::set_up::open;
use super::steps::Steps;
use crate::bus::Beat;
use crate::host::ProcessError;
use crate::network::{Board, Class, Post, Station};
use crate::node::{Node, NodeError};
use crate::saved::saved;

/// Why a site stopped.
#[derive(Debug, Error)]
pub(super) enum SiteError {
    /// The node did.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A program, which the text names, cannot go on.
    #[error("{0}")]
    Program(String),
}

/// A node and the programs of its processes.
pub(super) struct Site {
    pub(super) node: Node,
    pub(super) number: usize,
    plan: Arc<NodesPlan>,
    barriers: Arc<Barriers>,
    steps: Steps,
    /// Of the network, in cycles.
    lookahead: u64,
    board: Board,
    pub(super) players: Vec<Player>,
    /// Who is asked first: one register access after the other.
    next: usize,
    /// Who waits for a register.
    asking: Option<(usize, u16)>,
    /// A program did something before the cycle that ran last.
    acted: bool,
}

saved!(Site { node, board, players, next, asking, acted; keeps number, plan, barriers, steps, lookahead });

impl Site {
    /// A site of which no process is open.
    pub(super) fn new(
        node: Node,
        number: usize,
        plan: Arc<NodesPlan>,
        barriers: Arc<Barriers>,
        steps: Steps,
        lookahead: u64,
    ) -> Self {
        Self {
            node,
            number,
            plan,
            barriers,
            steps,
            lookahead,
            board: Board::default(),
            players: Vec::new(),
            next: 0,
            asking: None,
            acted: false,
        }
    }

    /// Whether it has a player for each of its processes.
    pub(super) fn has_its_players(&self) -> bool {
        self.players.len() == self.plan.processes_of(self.number).len()
    }

    /// Opens its processes; runs its own clock only. Errors: of the node.
    pub(super) fn open(&mut self) -> Result<(), ProcessError<NodeError>> {
        let processes = open(&mut self.node, self.number, &self.plan)?;
        let planned = self.plan.processes_of(self.number).iter().zip(processes);
        self.players = planned
            .map(|(planned, process)| Player::new(planned, process))
            .collect();
        Ok(())
    }

    /// Runs its own clock to `cycle`. Errors: of the node.
    pub(super) fn level(&mut self, cycle: u64) -> Result<(), NodeError> {
        while self.node.cycle_count() < cycle {
            self.node.cycle()?;
        }
        Ok(())
    }

    /// Lets the players look at what they have not looked at; runs its own clock only. Errors: of the node.
    pub(super) fn drain(&mut self) -> Result<(), ProcessError<NodeError>> {
        for player in &mut self.players {
            player.drain(&mut self.node)?;
        }
        Ok(())
    }

    fn meeting(&self) -> Meeting<'_> {
        Meeting {
            barriers: &self.barriers,
            board: &self.board,
            lookahead: self.lookahead,
        }
    }

    /// The processes do what they can; whether one did anything but look. Errors: the NIC refuses an access, or breaks
    /// a rule.
    fn serve(&mut self) -> Result<bool, SiteError> {
        if self.players.is_empty() || !self.node.registers_idle() {
            return Ok(false);
        }
        let mut answer = None;
        if let Some((player, address)) = self.asking.take() {
            answer = Some((player, (address, self.node.last_answer()?)));
        }
        let cycle = self.node.cycle_count();
        let mut acted = false;
        let count = self.players.len();
        // Who has an answer uses it before it is old.
        let first = answer.map_or(self.next, |(player, _)| player);
        for number in (0..count).map(|i| (first + i) % count) {
            let planned = &self.plan.processes_of(self.number)[number];
            let meeting = Meeting {
                barriers: &self.barriers,
                board: &self.board,
                lookahead: self.lookahead,
            };
            let mut port = AskingPort {
                node: &mut self.node,
                answer: answer.take().filter(|(p, _)| *p == number).map(|(_, a)| a),
            };
            let player = &mut self.players[number];
            let before = player.place();
            let turn = player.turn(&planned.steps, &mut port, cycle, &meeting);
            let turn =
                turn.map_err(|error| SiteError::Program(format!("{}: {error}", planned.title())))?;
            if player.place() != before {
                let [step, op] = player.place();
                self.steps.add(step - before[0]);
                self.node.note_step(cycle, [number as u64, step, op]);
            }
            match turn {
                Turn::Waits => {}
                Turn::Acted => acted = true,
                Turn::Asks(address) => {
                    self.node.post_read(address);
                    self.asking = Some((number, address));
                }
            }
            if !self.node.registers_idle() {
                self.next = (number + 1) % count;
                break;
            }
        }
        Ok(acted)
    }
}

impl From<xtq_engine::Error> for SiteError {
    fn from(error: xtq_engine::Error) -> Self {
        NodeError::from(error).into()
    }
}

impl Station for Site {
    type Error = SiteError;
    type Hardware<'a> = &'a mut dyn Engine;

    fn clock(&self) -> u64 {
        self.node.cycle_count()
    }

    fn connect(&mut self) {
        self.node.connect();
    }

    fn has_room(&self, class: Class) -> bool {
        self.node.has_room(class)
    }

    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.node.receive_beat(class, beat);
    }

    fn drive(&mut self, ready: [bool; 2]) -> Result<(), SiteError> {
        self.acted = self.serve()?;
        Ok(Station::drive(&mut self.node, ready)?)
    }

    fn hardware(&mut self) -> Option<&mut dyn Engine> {
        self.node.hardware()
    }

    fn sample(&mut self) -> Result<(), SiteError> {
        Ok(Station::sample(&mut self.node)?)
    }

    fn collect(&mut self) -> Result<[Option<Beat>; 2], SiteError> {
        Ok(Station::collect(&mut self.node)?)
    }

    fn busy(&self) -> Option<&'static str> {
        self.node.busy()
    }

    fn quiet_cycles(&self) -> u64 {
        self.node.quiet_cycles()
    }

    fn settle(&mut self) {
        Station::settle(&mut self.node);
    }

    fn next_event(&self, now: u64) -> u64 {
        let node = if self.acted {
            now
        } else {
            self.node.next_event(now)
        };
        match node {
            node if node <= now => now,
            node => node.min(self.next_turn(now)),
        }
    }

    fn pass(&mut self, cycle: u64) -> Result<(), SiteError> {
        Ok(self.node.pass(cycle)?)
    }

    fn is_over(&self, now: u64) -> bool {
        !self.acted && self.next_turn(now) == u64::MAX && self.node.is_over(now)
    }

    fn wake(&mut self) {
        self.node.wake();
    }

    fn take_posts(&mut self, posts: &mut Vec<Post>) {
        for player in &mut self.players {
            posts.append(&mut player.posts);
        }
    }

    fn read_board(&mut self, board: &Board) {
        self.board.clone_from(board);
    }
}

impl Site {
    /// First cycle, from `now` on, in which a program may do something although nothing changes at its node.
    fn next_turn(&self, now: u64) -> u64 {
        let meeting = self.meeting();
        let players = self.players.iter().zip(self.plan.processes_of(self.number));
        let turns = players
            .map(|(player, planned)| player.next_event(&planned.steps, &self.node, now, &meeting));
        turns.min().unwrap_or(u64::MAX)
    }
}
