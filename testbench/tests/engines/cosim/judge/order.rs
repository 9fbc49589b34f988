//! What the hardware decided, as steps for the model.

use super::{Judge, Posted, handle};
use xtq_testbench::cases::NotRun;
use xtq_testbench::cases::rtl::Message;
use xtq_testbench::node::Decision;

impl Judge {
    /// What is done in which order: commands stand where they change lists, else where they are taken.
    pub fn order(&self, decisions: Vec<(u64, Decision)>) -> Result<Vec<Step>, NotRun> {
        let mut posted = self.since.posted.iter().cloned();
        let offered = Message::of_packets(self.since.offered.iter().map(Vec::as_slice));
        let (answers, requests): (Vec<_>, Vec<_>) =
            offered.into_iter().partition(Message::is_answer);
        let (mut replies, answers): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(Message::is_reply);
        let (mut answers, mut requests) = (answers.into_iter(), requests.into_iter());
        let mut steps = Vec::new();
        // A command of lists that has been taken and has not changed them.
        let mut held: Option<Step> = None;
        let none = |what| self.failed(format!("it takes {what} that nobody gave it"));
        for (_, decision) in decisions {
            let command = match decision {
                Decision::Message => {
                    steps.push(Step::Request(
                        requests.next().ok_or_else(|| none("a message"))?,
                    ));
                    continue;
                }
                Decision::Answer => {
                    steps.push(Step::Answer(
                        answers.next().ok_or_else(|| none("an answer"))?,
                    ));
                    continue;
                }
                Decision::Reply(wanted) => {
                    let place = replies.iter().position(|reply| handle(reply) == wanted);
                    let place = place.ok_or_else(|| none("a reply"))?;
                    steps.push(Step::Answer(replies.remove(place)));
                    continue;
                }
                Decision::Listed => {
                    steps.push(held.take().ok_or_else(|| none("a command of lists"))?);
                    continue;
                }
                Decision::Taken => {
                    Step::Ring(Box::new(posted.next().ok_or_else(|| none("a command"))?))
                }
                Decision::Fired(bytes) => Step::Fired(bytes),
            };
            // One that does not get to the lists after all is done with when the next one is taken.
            steps.extend(held.take());
            match command.changes_lists() {
                true => held = Some(command),
                false => steps.push(command),
            }
        }
        steps.extend(held);
        let answers = answers.count() + replies.len();
        let left = (posted.count(), requests.count(), answers);
        match left {
            (0, 0, 0) => Ok(steps),
            _ => Err(self.failed(format!(
                "commands, messages and answers that it has not taken: {left:?}"
            ))),
        }
    }
}

/// What the model is to do.
pub enum Step {
    Request(Message),
    Answer(Message),
    Ring(Box<Posted>),
    Fired(Vec<u8>),
}

impl Step {
    fn changes_lists(&self) -> bool {
        use xtq_types::command::operation as op;
        let (operation, triggered) = match self {
            Step::Ring(posted) => (posted.encoded.bytes()[0], posted.trigger.is_some()),
            Step::Fired(bytes) => (bytes[0], false),
            Step::Request(_) | Step::Answer(_) => return false,
        };
        !triggered && (op::ME_APPEND..=op::PT_FREE).contains(&operation)
    }

    pub fn name(&self) -> String {
        match self {
            Step::Request(message) => format!("message {:?}", message.request()),
            Step::Answer(message) => format!("answer {} {}", message.source().0, message.id()),
            Step::Ring(posted) => format!("{:?} {:?}", posted.trigger, posted.command),
            Step::Fired(bytes) => format!("fires {:02x?}", &bytes[..32]),
        }
    }
}
