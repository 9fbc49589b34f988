//! Queues that fail while messages are under way: which observed outcomes are lawful.
//!
//! Header words and doorbells are written in the order of the messages' last packets, and a stage that finds the queue failed stops a
//! message there. So the messages of a queue come less and less far: [`QueueFailure::gate`] only falls. A write of a
//! slot or of the index that fails is found where header words are written, so everything behind it stops there; one of a
//! header word, where doorbells are written; one of a doorbell when it is answered, and what was rung by then counts.
//! Messages in front of a slot that fails can be stopped at their doorbells: then the failure must still be met.

use xtq_rtl::types::event::access;

use super::delivery::Delivery;
use super::outcome::Task;
use super::scoreboard::Difference;
use super::state::QueueFailure;
use super::witness::Stop;

impl Delivery {
    /// Whether a queue refuses a message at admission. From the first refusal on it refuses all.
    pub(super) fn refuses(&mut self, key: (u8, u16), number: Option<usize>) -> bool {
        let Some(failure) = self
            .state
            .queues
            .get_mut(&key)
            .and_then(|queue| queue.failure.as_mut())
        else {
            return false;
        };
        let seen = match (&self.witness, number) {
            (Some(witness), Some(number)) => witness.refused(number),
            _ => true,
        };
        failure.refuses |= failure.met && seen;
        failure.refuses
    }

    /// Where the message with this task is stopped, and whether its slot may have been repaired by then: as
    /// observed, if that is lawful, else the lawful outcome next to it.
    pub(super) fn stop(
        &mut self,
        key: (u8, u16),
        number: Option<usize>,
        task: &Task,
    ) -> (Stop, bool) {
        let place = (key.0, task.slot);
        let (seen, repaired) = match (&self.witness, number) {
            (Some(witness), Some(number)) => {
                (witness.stop(number, key.0, task), witness.repaired(place))
            }
            // Begun before everything that was observed, and nothing was under way any more.
            _ => (Stop::Header, false),
        };
        let Some(queue) = self.state.queues.get_mut(&key) else {
            return (Stop::Not, false);
        };
        let stop = match &mut queue.failure {
            Some(failure) => {
                let lowest = if failure.met {
                    Stop::Header
                } else {
                    Stop::Doorbell
                };
                let before = failure.gate;
                failure.gate = seen.clamp(lowest.min(before), before);
                // A queue that is closed when the message's turn comes is not repaired.
                return (failure.gate, repaired && before > Stop::Header);
            }
            None if seen == Stop::Doorbell => {
                queue.failure = Some(QueueFailure {
                    gate: Stop::Doorbell,
                    met: false,
                    refuses: false,
                });
                Stop::Doorbell
            }
            None => Stop::Not,
        };
        (stop, repaired)
    }

    /// A write of a message to its queue failed.
    pub(super) fn fail_queue(&mut self, key: (u8, u16), failed: u8) {
        let latest = match failed {
            access::SLOT | access::INDEX => Stop::Header,
            access::HEADER => Stop::Doorbell,
            _ => Stop::Not,
        };
        if let Some(queue) = self.state.queues.get_mut(&key) {
            let before = queue.failure;
            queue.failure = Some(QueueFailure {
                gate: before.map_or(latest, |failure| failure.gate.min(latest)),
                met: true,
                refuses: before.is_some_and(|failure| failure.refuses),
            });
        }
    }

    /// Everything is done with: a queue that has failed refuses from now on. Gives what was observed without a cause.
    pub fn finish(&mut self) -> Vec<Difference> {
        let mut differences: Vec<Difference> = self.invented_losses().collect();
        for ((context, index), queue) in &mut self.state.queues {
            if let Some(failure) = &mut queue.failure {
                failure.refuses = true;
                if !failure.met {
                    differences.push(Difference {
                        message: None,
                        place: None,
                        expected: format!("queue {index} of context {context} not to have failed"),
                        got: "messages stopped".to_owned(),
                    });
                }
            }
        }
        for open in self.state.open.values_mut() {
            open.message.number = None;
        }
        differences
    }
}
