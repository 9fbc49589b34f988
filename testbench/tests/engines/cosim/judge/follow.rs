//! The model does the steps, one by one; what it sends is compared at once.

use super::order::Step;
use super::since::Read;
use super::{Judge, Posted, bytes, handle};
use std::collections::VecDeque;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::rtl::Message;
use xtq_testbench::portals::{Action, Command, Place, Refusal, Request, RequestKind, Response};

impl Judge {
    pub fn step(&mut self, step: Step, sent: &mut VecDeque<Message>) -> Result<(), NotRun> {
        self.steps += 1;
        let before = bytes(self.model.memory()).to_vec();
        let mut answers = None;
        let (mut executed, mut places) = (None, [const { Vec::new() }; 2]);
        let (mut long, mut atomic) = (false, false);
        let action = match step {
            Step::Request(message) => {
                answers = Some((message.source(), handle(&message)));
                let request = message.request()?;
                long = message.packets().len() > 1;
                atomic = request.kind.operation().is_some();
                Action::Request(request)
            }
            Step::Answer(message) => {
                let handle = handle(&message);
                let Some((request, place)) = self.asked.get(&handle) else {
                    return Err(self.failed("an answer to what the model has not asked"));
                };
                if message.is_silent() {
                    self.model.forget(request.handle);
                    return Ok(());
                }
                let response = message.response(request);
                let handle = request.handle;
                let bytes = place.iter().take(response.data.len());
                self.since.replied.extend(bytes);
                Action::Response(Response {
                    handle,
                    ..response.comparable()
                })
            }
            Step::Ring(posted) => {
                let posted = *posted;
                if posted.trigger.is_some() {
                    self.triggered.push(posted.clone());
                }
                places = self.places(&posted.command);
                executed = Some(posted.clone());
                Action::Command(posted.trigger, posted.command)
            }
            Step::Fired(bytes) => {
                let (place, command) = self.place(&bytes)?;
                places = self.places(&command);
                Action::FireAt(place)
            }
        };
        let request = matches!(action, Action::Request(_));
        let effects = self.model.step(action).map_err(|why| self.failed(why))?;
        let landed = match request {
            true => self.places_of(self.model.landed()),
            false => Vec::new(),
        };
        if long {
            self.since.straggling.extend(&landed);
        }
        if atomic {
            self.since.atomic.extend(&landed);
        }
        if let (Some(of), Some(response)) = (answers, effects.response) {
            if !landed.is_empty() {
                let mut places = landed;
                places.truncate(response.data.len());
                let seen = places.iter().map(|place| self.since.values(*place).len());
                let read = Read {
                    seen: seen.collect(),
                    places,
                    atomic,
                };
                self.since.reads.insert(of, read);
            }
            self.since.answers.insert(of, response);
        }
        if let Some(posted) = executed {
            let told = effects.refusal.map(Refusal::told);
            self.since.refusals.push((posted, told));
        }
        for (place, (old, new)) in before.iter().zip(bytes(self.model.memory())).enumerate() {
            if old != new {
                let values = self
                    .since
                    .written
                    .entry(place)
                    .or_insert_with(|| vec![*old]);
                values.push(*new);
            }
        }
        for request in effects.sent {
            self.compare_sent(request, std::mem::take(&mut places), sent.pop_front())?;
        }
        for (queue, events) in effects.events {
            self.since
                .effects
                .events
                .entry(queue)
                .or_default()
                .extend(events);
        }
        Ok(())
    }

    /// Which of the operations that the model has reached these bytes are.
    fn place(&mut self, fired: &[u8]) -> Result<(usize, Command), NotRun> {
        let Some(at) = self
            .triggered
            .iter()
            .position(|posted| posted.fired() == fired)
        else {
            return Err(self.failed("what fires was not posted"));
        };
        let posted = self.triggered.remove(at);
        let reached: Vec<_> = self.model.triggers().reached().collect();
        let Some(place) = reached
            .iter()
            .position(|command| **command == posted.command)
        else {
            return Err(self.failed(format!("what fires is not reached: {posted:?}")));
        };
        // Of the same threshold, so reached at once: in the order of posting.
        let same =
            |other: &&Posted| other.trigger == posted.trigger && reached.contains(&&other.command);
        if let Some(other) = self.triggered[..at].iter().find(same) {
            return Err(self.failed(format!("{posted:?} fires before {other:?}")));
        }
        Ok((place, posted.command))
    }

    fn compare_sent(
        &mut self,
        request: Request,
        [from, into]: [Vec<usize>; 2],
        got: Option<Message>,
    ) -> Result<(), NotRun> {
        let Some(message) = got else {
            return Err(self.failed(format!("it does not send {request:?}")));
        };
        let got = Request {
            handle: request.handle,
            ..message.request()?
        };
        let mut expected = request.clone();
        for ((place, byte), other) in from.iter().zip(&mut expected.data).zip(&got.data) {
            if byte != other {
                self.since.doubtful.push((*place, *other));
                *byte = *other;
            }
        }
        if got != expected {
            return Err(self.failed(format!("sends: expected {request:?}, got {got:?}")));
        }
        self.asked.insert(handle(&message), (request, into));
        Ok(())
    }

    /// The places of the bytes that a command sends, and of those that it asks for.
    fn places(&self, command: &Command) -> [Vec<usize>; 2] {
        let Command::Transfer(transfer) = command else {
            return [const { Vec::new() }; 2];
        };
        let of = |place: Option<Place>, length| {
            let spans = place.map(|place| self.model.spans(place, length));
            self.places_of(&spans.unwrap_or_default())
        };
        let first = match transfer.kind {
            RequestKind::XtqPut { command_length } => command_length.into(),
            _ => transfer.length,
        };
        let sent = [
            of(transfer.from, first),
            of(transfer.payload, transfer.length),
        ];
        [sent.concat(), of(transfer.into, transfer.length)]
    }

    /// The place in memory of each byte of these spans, if it is there.
    fn places_of(&self, spans: &[(u64, u64)]) -> Vec<usize> {
        let end = bytes(self.model.memory()).len();
        let place = |at: u64| usize::try_from(at).unwrap_or(end).min(end);
        let places = |(address, length): &(u64, u64)| {
            place(*address)..place(address.saturating_add(*length))
        };
        spans.iter().flat_map(places).collect()
    }
}
