//! Until everything is answered, and whether it is what model and rules say.

use super::{Accepted, Unit};
use crate::list_unit::rules::{Told, told, waits};
use crate::match_unit::words::{Command, Request};
use xtq_engine::Engine;
use xtq_types::matching::match_op;

impl Unit {
    /// Runs until everything offered is answered, and compares all of it with model and rules, in order for each
    /// context.
    pub fn settle(&mut self) {
        let limit = self.engine.cycle() + 200_000;
        let quiet = |unit: &Self| {
            let mut commands = unit.commands.iter().zip(unit.listing);
            unit.pending() == (0, 0)
                && commands.all(|(commands, listing)| commands.is_empty() && !listing)
                && unit.results as u64 == unit.accepted
        };
        while !quiet(self) {
            self.cycle();
            assert!(self.engine.cycle() < limit, "no end");
        }
        self.idle(20);
        self.judge();
    }

    fn judge(&mut self) {
        let mut expected = Vec::new();
        let mut lines = 0;
        for accepted in std::mem::take(&mut self.order) {
            match accepted {
                Accepted::Request(request) => {
                    self.model.request(&request);
                }
                Accepted::Command(command) => {
                    let responses = self.model.command(&command);
                    expected.extend(told(&command, &responses, &self.ended));
                    lines += usize::from(waits(&responses));
                }
                Accepted::Stop(portal) => {
                    let (context, portal) = (portal >> 6, portal & 63);
                    let stop = Command::portal(match_op::PT_DISABLE, context, portal);
                    self.model.command(&stop);
                }
            }
        }
        let new = self.told[self.judged..].iter();
        let new: Vec<_> = new.map(|(_, told)| told.clone()).collect();
        for context in 0..4 {
            let own = |told: &&Told| told.context() == context;
            let told: Vec<_> = new.iter().filter(own).collect();
            let expected: Vec<_> = expected.iter().filter(own).collect();
            assert_eq!(told, expected, "context {context}");
        }
        assert_eq!(
            self.line_pulses, lines,
            "a line for each command that waits"
        );
        self.line_pulses = 0;
        self.judged = self.told.len();
    }

    /// Gives a command, and gives what it reported, which the rules have confirmed.
    pub fn command(&mut self, command: Command) -> Vec<Told> {
        self.give(command);
        self.settle_new()
    }

    /// What was reported since the last time everything was settled.
    pub fn settle_new(&mut self) -> Vec<Told> {
        let before = self.judged;
        self.settle();
        self.told[before..]
            .iter()
            .map(|(_, told)| told.clone())
            .collect()
    }

    /// A request, until it is delivered.
    pub fn request(&mut self, request: Request) {
        self.offer(request);
        self.settle();
    }
}
