//! What came out, against the model.

use xtq_types::matching::{MatchResult, match_op};

use super::super::words::{Outcome, Response, Words};
use super::{Accepted, Unit};

impl Unit {
    /// Gives the model what was accepted, in that order, and compares what came out.
    pub(super) fn judge(&mut self) {
        let [mut done, mut results, mut responses] = self.judged;
        // Headers in the order in which they were kept and found: context and serial number.
        let mut kept = Vec::new();
        let mut found = Vec::new();
        let mut requests = self.order[..done]
            .iter()
            .filter(|(_, what)| *what == Accepted::Request)
            .count();
        let mut commands = done - requests;
        for (_, what) in &self.order[done..] {
            match what {
                Accepted::Request => {
                    let request = &self.all_requests[requests];
                    let told = self.model.request(request);
                    kept.extend(told.unexpected.then_some((done, request.context)));
                    self.expected_results.push_back(told);
                    requests += 1;
                }
                Accepted::Command => {
                    let command = &self.all_commands[commands];
                    let responses = self.model.command(command);
                    let hits = responses.iter().filter_map(Response::header);
                    let taken = command.op != match_op::ME_SEARCH_ONLY;
                    found.push((done, command.context, taken, hits.collect::<Vec<_>>()));
                    self.expected_responses.extend(responses);
                    commands += 1;
                }
            }
            self.model.check_invariant();
            done += 1;
        }
        while let Some(expected) = self.expected_results.pop_front() {
            let (cycle, words) = &self.results[results];
            let told = Outcome::read(words, &expected);
            let request = &self.all_requests[results];
            assert_eq!(
                told, expected,
                "result {results}, cycle {cycle}: {request:?}"
            );
            if told.unexpected {
                let name = Words(words.clone()).get(MatchResult::FIELDS, "header");
                // Of a partitioned matcher it is the name in one part.
                self.names
                    .push(name | (self.model.part(request.node) as u64) << 16);
            }
            results += 1;
        }
        assert_eq!(results, self.results.len(), "results that nobody expects");
        self.judge_names(&kept, &found);
        while let Some(mut expected) = self.expected_responses.pop_front() {
            let (cycle, words) = &self.responses[responses];
            if let Response::Hit(values) = &mut expected {
                values[0] = self.names[values[0] as usize] & 0xFFFF;
            }
            let told = Response::read(words);
            assert_eq!(told, expected, "response {responses}, cycle {cycle}");
            responses += 1;
        }
        assert_eq!(
            responses,
            self.responses.len(),
            "responses that nobody expects"
        );
        assert_eq!(self.status, self.model.status, "status counters");
        if let Some(port) = self.flow_portals {
            let flow = self.word(port);
            let flow = [0, 7, 14, 21].map(|at| (flow >> at & 127) as usize);
            assert_eq!(flow, self.model.flow_portals(), "flow_portals");
        }
        self.judged = [done, results, responses];
    }

    /// A header has a name that no other of its context has, nor one that the last command of the context that took any
    /// took out.
    fn judge_names(&mut self, kept: &[(usize, u64)], found: &[(usize, u64, bool, Vec<u64>)]) {
        let mut kept = kept.iter().peekable();
        let mut serial = self.names.len() - kept.len();
        let mut keep = |unit: &mut Self, until: usize| {
            while let Some((_, context)) = kept.next_if(|(at, _)| *at < until) {
                let name = unit.names[serial];
                let context = &mut unit.contexts[*context as usize];
                assert!(!context.taken.contains(&name), "name {name} came back");
                assert!(context.there.insert(name), "two headers of name {name}");
                serial += 1;
            }
        };
        for (at, context, taken, hits) in found {
            keep(self, *at);
            let names: Vec<u64> = hits.iter().map(|hit| self.names[*hit as usize]).collect();
            let context = &mut self.contexts[*context as usize];
            if *taken && !names.is_empty() {
                context.there.retain(|name| !names.contains(name));
                context.taken = names;
            }
        }
        keep(self, usize::MAX);
    }
}
