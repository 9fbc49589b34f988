//! `MatchUnit`, or `PartitionedMatch` or `ExactMatch` with its ports, as a matcher: a receive is a USE_ONCE entry of
//! the priority list, a message without a receive leaves a header of an overflow entry that takes all.

use super::streams::{Communicators, Numbers, PATIENCE, Stream, settle, stuck};
use super::{Came, Matcher, Played, Step};
use crate::by_name::{field, pack};
use std::collections::VecDeque;
use std::sync::Arc;
use xtq_engine::{Body, Compiled, Engine, Error};
use xtq_mpi_trace::{Arrival, Happening, Post};
use xtq_types::Field;
use xtq_types::matching::{
    MatchCommand, MatchRequest, MatchResponse, MatchResult, list, match_code, match_op, me_option,
    outcome, portal_option, request_kind, response_kind,
};

const COMMAND: &[Field] = MatchCommand::FIELDS;

/// The number of the overflow entry.
const POOL: u64 = 1023;

/// A match unit, four of them, or an exact matcher, with a matching portal entry 0 of context 0.
pub struct ListMatcher {
    engine: Compiled,
    request: Stream,
    result: Stream,
    command: Stream,
    response: Stream,
    entries: Numbers,
    communicators: Communicators,
    /// Arrivals and posts whose outcome has not come, by their place among the steps.
    arrivals: VecDeque<usize>,
    posts: VecDeque<(usize, u64)>,
    /// The message that the post under way has found.
    hit: Option<usize>,
}

/// What is offered; a request with its step.
enum Offer {
    Request(usize, Vec<u64>),
    Command(Vec<u64>),
}

impl ListMatcher {
    /// After reset. Without `unexpected` a message without a receive is refused, and the overflow entry's number is a
    /// receive's. Errors: of the engine.
    pub fn new(body: &Arc<Body>, unexpected: bool) -> Result<Self, Error> {
        let mut engine = Compiled::new(body.clone());
        engine.reset(2)?;
        let request = Stream::new(&engine, "request")?;
        let result = Stream::new(&engine, "result")?;
        let command = Stream::new(&engine, "command")?;
        let response = Stream::new(&engine, "response")?;
        result.open(&mut engine)?;
        response.open(&mut engine)?;
        settle(&mut engine, &request)?;
        let mut matcher = Self {
            engine,
            request,
            result,
            command,
            response,
            entries: Numbers::below(if unexpected { POOL } else { POOL + 1 }),
            communicators: Communicators::default(),
            arrivals: VecDeque::new(),
            posts: VecDeque::new(),
            hit: None,
        };
        let options = portal_option::MATCHING.into();
        let alloc = [("op", match_op::PT_ALLOC.into()), ("options", options)];
        matcher.order(&pack(COMMAND, &alloc))?;
        if unexpected {
            matcher.link_pool()?;
        }
        Ok(matcher)
    }

    /// A command that is none of the steps: how it ends, and the message that it finds.
    fn order(&mut self, words: &[u64]) -> Result<(u8, Option<usize>), Error> {
        self.command.offer(&mut self.engine, Some(words))?;
        let (mut taken, mut end, mut found) = (false, None, None);
        for _ in 0..PATIENCE {
            self.engine.eval()?;
            if let Some(words) = self.response.comes(&self.engine) {
                let of = |name| field(MatchResponse::FIELDS, &words, name);
                match of("kind") as u8 {
                    response_kind::HIT => found = Some(of("header_data") as usize),
                    response_kind::FINAL => end = Some(of("code") as u8),
                    _ => {}
                }
            }
            taken |= self.command.takes(&self.engine);
            self.engine.step()?;
            if taken {
                self.command.offer(&mut self.engine, None)?;
            }
            if taken && let Some(end) = end {
                return Ok((end, found));
            }
        }
        Err(stuck())
    }

    /// Links the overflow entry.
    fn link_pool(&mut self) -> Result<(), Error> {
        let words = pack(
            COMMAND,
            &[
                ("op", match_op::ME_APPEND.into()),
                ("id", POOL),
                ("list", list::OVERFLOW.into()),
                ("options", me_option::OP_PUT.into()),
                ("any_node", 1),
                ("any_context", 1),
                ("any_user", 1),
                ("ignore_bits", u64::MAX),
                ("length", 1 << 20),
            ],
        );
        self.order(&words).map(|_| ())
    }

    fn command_words(&mut self, op: u8, id: u64, post: &Post) -> Result<Vec<u64>, Error> {
        let comm = self.communicators.number(post.comm)?;
        let source: u64 = post.from.unwrap_or(0).into();
        let tag = u64::from(post.tag.unwrap_or(0) as u32);
        let any_source = if post.from.is_none() { 0xFFFF << 32 } else { 0 };
        let any_tag = if post.tag.is_none() { 0xFFFF_FFFF } else { 0 };
        let options = me_option::OP_PUT | me_option::USE_ONCE;
        Ok(pack(
            COMMAND,
            &[
                ("op", op.into()),
                ("id", id),
                ("list", list::PRIORITY.into()),
                ("options", options.into()),
                ("any_node", post.from.is_none().into()),
                ("source_node", source),
                ("any_user", 1),
                ("match_bits", comm << 48 | source << 32 | tag),
                ("ignore_bits", any_source | any_tag),
                ("length", 1 << 20),
            ],
        ))
    }

    fn request_words(&mut self, number: usize, message: &Arrival) -> Result<Vec<u64>, Error> {
        let comm = self.communicators.number(message.comm)?;
        let source = u64::from(message.from);
        let tag = u64::from(message.tag as u32);
        Ok(pack(
            MatchRequest::FIELDS,
            &[
                ("kind", request_kind::PUT.into()),
                ("event_room", 3),
                ("source_node", source),
                ("match_bits", comm << 48 | source << 32 | tag),
                ("length", 8),
                ("limit", 1 << 20),
                ("header_data", number as u64),
            ],
        ))
    }

    /// What to offer for a step; nothing if there is no entry for it now.
    fn offer(&mut self, at: usize, step: &Step) -> Result<Option<Offer>, Error> {
        let (number, what) = step;
        Ok(Some(match what {
            Happening::Arrive(message) => Offer::Request(at, self.request_words(*number, message)?),
            Happening::Post(post) => {
                let Some(id) = self.entries.take(*number) else {
                    return Ok(None);
                };
                // A response may come in the cycle in which the command is taken.
                self.posts.push_back((at, id));
                Offer::Command(self.command_words(match_op::ME_APPEND, id, post)?)
            }
        }))
    }

    fn outcome(&mut self, words: &[u64]) -> Came {
        let of = |name| field(MatchResult::FIELDS, words, name);
        if of("outcome") != u64::from(outcome::MATCHED) {
            return Came::Refused;
        }
        if of("list") == u64::from(list::OVERFLOW) {
            return Came::Waits;
        }
        let post = self.entries.give(of("entry_id"));
        post.map_or(Came::Refused, Came::Matched)
    }

    /// What the end of the oldest post says; nothing before its end.
    fn end_of_post(&mut self, words: &[u64]) -> Option<(usize, Came)> {
        let of = |name| field(MatchResponse::FIELDS, words, name);
        if of("kind") == u64::from(response_kind::HIT) {
            self.hit = Some(of("header_data") as usize);
            return None;
        }
        if of("kind") != u64::from(response_kind::FINAL) {
            return None;
        }
        let (at, id) = self.posts.pop_front()?;
        let hit = self.hit.take();
        if of("code") == u64::from(match_code::LINKED) {
            return Some((at, Came::Waits));
        }
        self.entries.give(id);
        Some((at, hit.map_or(Came::Refused, Came::Matched)))
    }
}

impl Matcher for ListMatcher {
    fn play(&mut self, steps: &[Step]) -> Result<Played, Error> {
        let mut came = vec![Came::Refused; steps.len()];
        let (mut next, mut quiet, mut cycle, mut last) = (0, 0, 0, 0);
        let mut offered = None;
        loop {
            let busy = !self.arrivals.is_empty() || !self.posts.is_empty();
            while offered.is_none() && next < steps.len() {
                offered = self.offer(next, &steps[next])?;
                if offered.is_none() && busy {
                    // All entries are in use; some may come back.
                    break;
                }
                next += 1;
            }
            if next == steps.len() && offered.is_none() && !busy {
                break;
            }
            let (request, command) = match &offered {
                Some(Offer::Request(_, words)) => (Some(&words[..]), None),
                Some(Offer::Command(words)) => (None, Some(&words[..])),
                None => (None, None),
            };
            self.request.offer(&mut self.engine, request)?;
            self.command.offer(&mut self.engine, command)?;
            self.engine.eval()?;
            quiet += 1;
            match offered.take() {
                Some(Offer::Request(at, _)) if self.request.takes(&self.engine) => {
                    self.arrivals.push_back(at);
                }
                Some(Offer::Command(_)) if self.command.takes(&self.engine) => {}
                waits => offered = waits,
            }
            if let Some(words) = self.result.comes(&self.engine) {
                let at = self.arrivals.pop_front().ok_or_else(stuck)?;
                came[at] = self.outcome(&words);
                (quiet, last) = (0, cycle);
            }
            if let Some(words) = self.response.comes(&self.engine)
                && let Some((at, what)) = self.end_of_post(&words)
            {
                came[at] = what;
                (quiet, last) = (0, cycle);
            }
            if quiet > PATIENCE {
                return Err(stuck());
            }
            self.engine.step()?;
            cycle += 1;
        }
        self.request.offer(&mut self.engine, None)?;
        self.command.offer(&mut self.engine, None)?;
        let cycles = last + u64::from(!steps.is_empty());
        Ok(Played { came, cycles })
    }

    fn search(&mut self, wanted: &Post, take: bool) -> Result<Option<usize>, Error> {
        let op = match take {
            true => match_op::ME_SEARCH_DELETE,
            false => match_op::ME_SEARCH_ONLY,
        };
        let words = self.command_words(op, 0, wanted)?;
        Ok(self.order(&words)?.1)
    }

    fn cancel(&mut self, number: usize) -> Result<bool, Error> {
        let Some(id) = self.entries.of(number) else {
            return Ok(false);
        };
        let unlink = [("op", match_op::ME_UNLINK.into()), ("id", id)];
        let (end, _) = self.order(&pack(COMMAND, &unlink))?;
        let gone = end == match_code::UNLINKED;
        if gone {
            self.entries.give(id);
        }
        Ok(gone)
    }
}
