//! `HashMatch` as a matcher.

use super::streams::{Communicators, Numbers, PATIENCE, Stream, settle, stuck};
use super::{Came, Matcher, Played, Step};
use crate::by_name::{field, pack};
use std::collections::VecDeque;
use std::sync::Arc;
use xtq_engine::{Body, Compiled, Engine, Error};
use xtq_mpi_trace::Happening;
use xtq_types::hash_match::{HashRequest, HashResult, hash_op, hash_outcome};

/// A hash matcher with an open region in portal entry 0 of context 0.
pub struct HashMatcher {
    engine: Compiled,
    request: Stream,
    result: Stream,
    posts: Numbers,
    messages: Numbers,
    communicators: Communicators,
}

impl HashMatcher {
    /// After reset. Errors: of the engine.
    pub fn new(body: &Arc<Body>) -> Result<Self, Error> {
        let mut engine = Compiled::new(body.clone());
        engine.reset(2)?;
        let request = Stream::new(&engine, "request")?;
        let result = Stream::new(&engine, "result")?;
        result.open(&mut engine)?;
        settle(&mut engine, &request)?;
        let open = pack(HashRequest::FIELDS, &[("op", hash_op::OPEN.into())]);
        request.offer(&mut engine, Some(&open))?;
        engine.step()?;
        request.offer(&mut engine, None)?;
        for _ in 0..8 {
            engine.step()?;
        }
        Ok(Self {
            engine,
            request,
            result,
            posts: Numbers::below(1024),
            messages: Numbers::below(1024),
            communicators: Communicators::default(),
        })
    }

    /// The request, if there is a number for it.
    fn words(&mut self, step: &Step) -> Result<Option<Vec<u64>>, Error> {
        let (number, what) = *step;
        let wildcard = || Error::BadDesign("a wildcard, which a hash matcher cannot have".into());
        let (op, given, from, tag, comm) = match what {
            Happening::Post(post) => {
                let (from, tag) = (
                    post.from.ok_or_else(wildcard)?,
                    post.tag.ok_or_else(wildcard)?,
                );
                (hash_op::POST, self.posts.take(number), from, tag, post.comm)
            }
            Happening::Arrive(message) => {
                let given = self.messages.take(number);
                (
                    hash_op::ARRIVE,
                    given,
                    message.from,
                    message.tag,
                    message.comm,
                )
            }
        };
        let comm = self.communicators.number(comm)?;
        let bits = comm << 48 | u64::from(from) << 32 | u64::from(tag as u32);
        Ok(given.map(|given| {
            let values = [
                ("op", op.into()),
                ("number", given),
                ("source_node", from.into()),
                ("match_bits", bits),
            ];
            pack(HashRequest::FIELDS, &values)
        }))
    }

    fn outcome(&mut self, words: &[u64]) -> Came {
        let of = |name| field(HashResult::FIELDS, words, name);
        let (mine, others) = match of("op") as u8 {
            hash_op::POST => (&mut self.posts, &mut self.messages),
            _ => (&mut self.messages, &mut self.posts),
        };
        match of("outcome") as u8 {
            hash_outcome::MATCHED => {
                mine.give(of("number"));
                let partner = others.give(of("partner"));
                partner.map_or(Came::Refused, Came::Matched)
            }
            hash_outcome::WAITS => Came::Waits,
            _ => {
                mine.give(of("number"));
                Came::Refused
            }
        }
    }
}

impl Matcher for HashMatcher {
    fn play(&mut self, steps: &[Step]) -> Result<Played, Error> {
        let mut came = vec![Came::Refused; steps.len()];
        let mut asked = VecDeque::new();
        let (mut next, mut quiet, mut cycle, mut last) = (0, 0, 0, 0);
        let mut offered = None;
        while next < steps.len() || !asked.is_empty() || offered.is_some() {
            while offered.is_none() && next < steps.len() {
                match self.words(&steps[next])? {
                    Some(words) => offered = Some((next, words)),
                    // All numbers are in use; some may come back.
                    None if !asked.is_empty() => break,
                    None => {}
                }
                next += 1;
            }
            let words = offered.as_ref().map(|(_, words)| &words[..]);
            self.request.offer(&mut self.engine, words)?;
            self.engine.eval()?;
            quiet += 1;
            if let Some(words) = self.result.comes(&self.engine) {
                let step: usize = asked.pop_front().ok_or_else(stuck)?;
                came[step] = self.outcome(&words);
                (quiet, last) = (0, cycle);
            }
            if self.request.takes(&self.engine)
                && let Some((step, _)) = offered.take()
            {
                asked.push_back(step);
            }
            if quiet > PATIENCE {
                return Err(stuck());
            }
            self.engine.step()?;
            cycle += 1;
        }
        self.request.offer(&mut self.engine, None)?;
        let cycles = last + u64::from(!steps.is_empty());
        Ok(Played { came, cycles })
    }
}
