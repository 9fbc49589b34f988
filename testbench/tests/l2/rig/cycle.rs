//! One clock cycle of the rig.

use rand::Rng;
use rust_hdl::prelude::ToBits;
use xtq_engine::{Engine, PortId};
use xtq_types::Wire;
use xtq_types::l2::{L2Request, L2Response, LockEnd};

use super::{Answer, Ask, End, Rig, Who};

impl Rig {
    fn pause(&mut self) -> bool {
        self.gaps > 0.0 && self.rng.random_bool(self.gaps)
    }

    fn offer(&mut self, ask: Option<(Ask, u8)>, pins: ([PortId; 2], [PortId; 2])) {
        let ([payload, valid], [strobe, data]) = pins;
        self.engine
            .set(valid, &[ask.is_some().into()])
            .expect("is an input");
        if let Some((ask, tag)) = ask {
            let request = L2Request {
                op: u64::from(ask.op).to_bits(),
                wide: u64::from(ask.wide).to_bits(),
                cp: u64::from(ask.who.is_cp()).to_bits(),
                requester: u64::from(ask.who.number()).to_bits(),
                tag: u64::from(tag).to_bits(),
                address: (ask.line * 64 + ask.byte).to_bits(),
                compare: ask.compare.to_bits(),
            };
            let mut words = [0; 3];
            request.to_words(&mut words);
            self.engine.set(payload, &words).expect("is an input");
            self.engine.set(strobe, &[ask.strobe]).expect("is an input");
            self.engine.set(data, &ask.data).expect("is an input");
        }
    }

    /// One clock cycle; its number.
    pub fn cycle(&mut self) -> u64 {
        let now = self.engine.cycle();
        self.memory.drive(&mut self.engine, now);
        let request = if self.pause() {
            None
        } else {
            self.requests.front().cloned()
        };
        let rmw_write = if self.pause() {
            None
        } else {
            self.rmw_writes.front().cloned()
        };
        let (asks, writes) = (request.is_some(), rmw_write.is_some());
        let [payload, valid, _] = self.pins.request;
        self.offer(request, ([payload, valid], self.pins.request_side));
        self.offer(rmw_write, (self.pins.rmw_write, self.pins.rmw_write_side));
        let listens = !self.deaf && !self.pause();
        self.engine
            .set(self.pins.response[2], &[listens.into()])
            .expect("is an input");
        self.engine.eval().expect("settles");

        self.memory.sample(&self.engine, now);
        if asks && self.get(self.pins.request_ready) == 1 {
            let (ask, tag) = self.requests.pop_front().expect("was offered");
            self.open.push((ask, tag, now));
        }
        if writes && self.get(self.pins.rmw_write_ready) == 1 {
            let (ask, tag) = self.rmw_writes.pop_front().expect("was offered");
            self.open.push((ask, tag, now));
        }
        if self.engine.peek("s2_respond_q.q").expect("is a register") == [1] {
            self.pushed.push_back(now);
        }
        if self.get(self.pins.lock_end[1]) == 1 {
            let mut words = [0; 2];
            self.engine.get(self.pins.lock_end[0], &mut words);
            let end = LockEnd::from_words(&words);
            let end = End {
                cause: end.cause.to_u8(),
                rmw: end.rmw.any(),
                owner: end.owner.to_u8(),
                age: end.age.to_u64(),
                line: end.line.to_u64(),
            };
            self.steps.entry(now).or_default().end = Some(end);
        }
        if listens && self.get(self.pins.response[1]) == 1 {
            let mut words = [0];
            self.engine.get(self.pins.response[0], &mut words);
            let response = L2Response::from_words(&words);
            let number = response.requester.to_u8();
            let who = if response.cp.any() {
                Who::Cp(number)
            } else {
                Who::Cu(number)
            };
            let tag = response.tag.to_u8();
            let at = self
                .open
                .iter()
                .position(|(ask, its, _)| ask.who == who && *its == tag);
            let at = at.unwrap_or_else(|| {
                panic!("cycle {now}: an answer to {who:?}, tag {tag}, that nobody waits for")
            });
            let (ask, _, accepted) = self.open.remove(at);
            let mut data = vec![0; self.shape.words];
            self.engine.get(self.pins.response[3], &mut data);
            let status = response.status.to_u8();
            let (hit, uncached) = (response.hit.any(), response.uncached.any());
            let answer = Answer {
                ask,
                accepted,
                cycle: now,
                hit,
                uncached,
                status,
                data,
            };
            let pushed = self.pushed.pop_front().expect("an answer that was pushed");
            self.steps.entry(pushed).or_default().answer = Some(answer.clone());
            self.answers.push(answer);
        }
        self.engine.step().expect("settles");
        now
    }
}
