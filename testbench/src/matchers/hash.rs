//! `HashMatch` as a matcher.

use super::streams::{Communicators, Numbers, PATIENCE, Stream, settle, stuck};
use super::{Came, Matcher, Played, Step};
use crate::by_name::{field, pack};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use xtq_engine::{Body, Compiled, Engine, Error};
use xtq_mpi_trace::{Happening, Post};
use xtq_types::hash_match::{HashRequest, HashResult, hash_mode, hash_op, hash_outcome};

/// A hash matcher with an open region in portal entry 0 of context 0.
pub struct HashMatcher {
    engine: Compiled,
    request: Stream,
    result: Stream,
    posts: Numbers,
    messages: Numbers,
    /// Receives that wait, by number.
    receives: BTreeMap<u64, Post>,
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
        let mut matcher = Self {
            engine,
            request,
            result,
            posts: Numbers::below(1024),
            messages: Numbers::below(1024),
            receives: BTreeMap::new(),
            communicators: Communicators::default(),
        };
        let open = pack(HashRequest::FIELDS, &[("op", hash_op::OPEN.into())]);
        matcher.one(&open)?;
        Ok(matcher)
    }

    /// A request that is none of the steps; its result.
    fn one(&mut self, words: &[u64]) -> Result<Vec<u64>, Error> {
        let mut offered = Some(words);
        for _ in 0..PATIENCE {
            self.request.offer(&mut self.engine, offered)?;
            self.engine.eval()?;
            if self.request.takes(&self.engine) {
                offered = None;
            }
            let said = self.result.comes(&self.engine);
            self.engine.step()?;
            if let Some(said) = said {
                return Ok(said);
            }
        }
        Err(stuck())
    }

    /// The request of a receive.
    fn post_words(&mut self, number: u64, post: &Post, mode: u8) -> Result<Vec<u64>, Error> {
        let wildcard = || Error::BadDesign("a wildcard, which a hash matcher cannot have".into());
        let from = post.from.ok_or_else(wildcard)?;
        let tag = post.tag.ok_or_else(wildcard)?;
        let bits = self.bits(from, tag, post.comm)?;
        let values = [
            ("op", hash_op::POST.into()),
            ("mode", mode.into()),
            ("number", number),
            ("source_node", from.into()),
            ("match_bits", bits),
        ];
        Ok(pack(HashRequest::FIELDS, &values))
    }

    fn bits(&mut self, from: u32, tag: i32, comm: u64) -> Result<u64, Error> {
        let comm = self.communicators.number(comm)?;
        Ok(comm << 48 | u64::from(from) << 32 | u64::from(tag as u32))
    }

    /// The request, if there is a number for it.
    fn words(&mut self, step: &Step) -> Result<Option<Vec<u64>>, Error> {
        let (number, what) = *step;
        match what {
            Happening::Post(post) => {
                let Some(given) = self.posts.take(number) else {
                    return Ok(None);
                };
                self.receives.insert(given, post);
                self.post_words(given, &post, hash_mode::WAIT).map(Some)
            }
            Happening::Arrive(message) => {
                let Some(given) = self.messages.take(number) else {
                    return Ok(None);
                };
                let bits = self.bits(message.from, message.tag, message.comm)?;
                let values = [
                    ("op", hash_op::ARRIVE.into()),
                    ("number", given),
                    ("source_node", message.from.into()),
                    ("match_bits", bits),
                ];
                Ok(Some(pack(HashRequest::FIELDS, &values)))
            }
        }
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

    fn search(&mut self, wanted: &Post, take: bool) -> Result<Option<usize>, Error> {
        let mode = if take {
            hash_mode::TAKE
        } else {
            hash_mode::LOOK
        };
        let words = self.post_words(0, wanted, mode)?;
        let said = self.one(&words)?;
        let of = |name| field(HashResult::FIELDS, &said, name);
        if of("outcome") != u64::from(hash_outcome::MATCHED) {
            return Ok(None);
        }
        let header = of("partner");
        Ok(match take {
            true => self.messages.give(header),
            false => self.messages.step(header),
        })
    }

    fn cancel(&mut self, number: usize) -> Result<bool, Error> {
        let Some(given) = self.posts.of(number) else {
            return Ok(false);
        };
        let Some(post) = self.receives.get(&given).copied() else {
            return Ok(false);
        };
        let words = self.post_words(given, &post, hash_mode::CANCEL)?;
        let said = self.one(&words)?;
        let outcome = field(HashResult::FIELDS, &said, "outcome");
        let gone = outcome == u64::from(hash_outcome::CANCELLED);
        if gone {
            self.posts.give(given);
        }
        Ok(gone)
    }
}
