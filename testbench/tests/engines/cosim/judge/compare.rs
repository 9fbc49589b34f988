//! What is compared when a node is quiet: return codes, events, answers, memory.

use super::events::{Class, answers, of_commands, of_replies, of_short_messages, sends};
use super::{Judge, bytes, handle};
use std::collections::BTreeSet;
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::portals::{MD_EVENTS, PORTAL_EVENTS};
use xtq_testbench::cases::rtl::{Ended, Message, RtlNode};
use xtq_testbench::portals::{Event, Memory};

impl Judge {
    pub fn compare_returns(&self, ended: &[Ended], lines: &mut Vec<String>) -> Result<(), NotRun> {
        for (posted, expected) in &self.since.refusals {
            let mut told = ended
                .iter()
                .filter(|ended| ended.user_ptr == Some(posted.user_ptr));
            let told = told.next();
            let got = match told {
                Some(ended) => ended.refusal()?,
                None => None,
            };
            let missing = posted.trigger.is_none() && told.is_none();
            // Of a triggered command also says what happened when it fired, which the model reports to nobody.
            let other = if posted.trigger.is_some() {
                expected.is_some() && got.is_none()
            } else {
                got != *expected
            };
            if missing || other {
                lines.push(format!(
                    "{:?} returns: expected {expected:?}, got {told:?}",
                    posted.command
                ));
            }
        }
        Ok(())
    }

    pub fn compare_events(&self, node: &mut RtlNode, lines: &mut Vec<String>) {
        let portal: &[Class] = &[
            ("messages", of_short_messages),
            ("gets", of_replies),
            ("commands", of_commands),
        ];
        let md: &[Class] = &[("sends", sends), ("answers", answers)];
        let got = [
            std::mem::take(&mut node.events),
            std::mem::take(&mut node.transfers),
        ];
        for ((queue, classes), got) in [(PORTAL_EVENTS, portal), (MD_EVENTS, md)]
            .into_iter()
            .zip(got)
        {
            let expected = self
                .since
                .effects
                .events
                .get(&queue)
                .cloned()
                .unwrap_or_default();
            let mut rest: Vec<&Event> = expected.iter().collect();
            for event in &got {
                match rest.iter().position(|other| *other == event) {
                    Some(place) => drop(rest.remove(place)),
                    None => lines.push(format!("event that is not expected: {event:?}")),
                }
            }
            lines.extend(
                rest.iter()
                    .map(|event| format!("event that does not come: {event:?}")),
            );
            for (what, class) in classes {
                let one: Vec<_> = expected.iter().filter(class).collect();
                let other: Vec<_> = got.iter().filter(class).collect();
                if one != other && lines.is_empty() {
                    lines.push(format!(
                        "order of events of {what}: expected {one:#?}, got {other:#?}"
                    ));
                }
            }
        }
    }

    pub fn compare_answers(&self, lines: &mut Vec<String>) {
        let offered = Message::of_packets(self.since.offered.iter().map(Vec::as_slice));
        let left = Message::of_packets(self.since.left.iter().map(Vec::as_slice));
        let mut expected = self.since.answers.clone();
        for answer in left
            .iter()
            .filter(|message| message.is_answer() && !message.is_silent())
        {
            let of = (answer.target(), handle(answer));
            let asked = |message: &&Message| {
                !message.is_answer() && (message.source(), handle(message)) == of
            };
            let request = offered
                .iter()
                .find(asked)
                .and_then(|message| message.request().ok());
            let got = request.map(|request| answer.response(&request).comparable());
            let mut wanted = expected.remove(&of).map(|response| response.comparable());
            if let (Some(wanted), Some(got), Some(read)) =
                (&mut wanted, &got, self.since.reads.get(&of))
            {
                let bytes = wanted.data.iter_mut().zip(&got.data).zip(&read.seen);
                for (place, ((byte, got), seen)) in read.places.iter().zip(bytes) {
                    if self.since.may_answer(read, *place, *seen, *got) {
                        *byte = *got;
                    }
                }
            }
            if wanted.is_none() || wanted != got {
                lines.push(format!(
                    "answer to {of:?}: expected {wanted:?}, got {got:?}"
                ));
            }
        }
        lines.extend(
            expected
                .iter()
                .map(|(of, response)| format!("no answer to {of:?}: {response:?}")),
        );
    }

    /// Takes over bytes that may have several values.
    pub fn tolerate(&mut self, got: &Memory) -> Result<(), NotRun> {
        let now = bytes(self.model.memory()).to_vec();
        let places: BTreeSet<usize> = self
            .since
            .written
            .keys()
            .chain(&self.since.atomic)
            .copied()
            .collect();
        for place in places {
            let byte = bytes(got).get(place).copied().unwrap_or_default();
            let values = self.since.values(place);
            // The first value is the one from before; one writer leaves no choice.
            let several = values.len() > 2 && values[1..].contains(&byte);
            let other = several && !self.since.atomic.contains(&place);
            if byte != now[place] && (other || self.since.is_open(place)) {
                let written = self.model.memory_mut().write(place as u64, &[byte]);
                written.map_err(|_| NotRun::Malformed("outside memory".to_owned()))?;
            }
        }
        Ok(())
    }
}
