//! Queues that fail while messages are under way: which observed outcomes are lawful.
//!
//! Places in shared queues are claimed and header words and doorbells are written in the order of the messages' last
//! packets, and a stage that finds the queue failed stops a message there. So the messages of a queue come less and
//! less far: [`QueueFailure::gate`] only falls. A compare-and-swap that fails is found where places are claimed; a
//! write of a slot or of the index, where header words are written. One of a header word, where doorbells are written;
//! everything after it stops there at the latest. One of a doorbell is found when it is answered, and what was rung by
//! then counts. But what comes to a stage after the message that failed left the NIC ([`QueueFailure::known`]) is
//! stopped in any case. Messages in front of the one that fails can be stopped at a stage after the one that finds it:
//! then the failure must still be met.

use super::delivery::Delivery;
use super::difference::Difference;
use crate::tables::{QueueFailure, Stop, Task};

impl Delivery {
    /// Whether a queue refuses a message at admission. From the first refusal on it refuses all.
    pub(super) fn refuses(&mut self, key: (u8, u16), number: Option<usize>) -> bool {
        let queue = self.state.queues.get_mut(&key);
        let Some(failure) = queue.and_then(|queue| queue.failure.as_mut()) else {
            return false;
        };
        let seen = match (&self.witness, number) {
            (Some(witness), Some(number)) => {
                witness.refused(number) || witness.is_parsed_after(number, failure.known)
            }
            _ => true,
        };
        failure.refuses |= failure.met && seen;
        failure.refuses
    }

    /// Whether a message whose payload is in this buffer goes for the place at `slot` of a shared queue (if there is
    /// room): not if the queue has failed by then. From the first that does not on none does.
    pub(super) fn claims(
        &mut self,
        key: (u8, u16),
        number: Option<usize>,
        slot: Option<u64>,
        (start, length): (u64, u64),
    ) -> bool {
        let queue = self.state.queues.get_mut(&key);
        let failure = queue.and_then(|queue| queue.failure.as_mut());
        let Some(failure) = failure.filter(|failure| failure.met) else {
            return true;
        };
        let seen = match (&self.witness, number) {
            (Some(witness), Some(number)) => {
                witness.is_unclaimed(number, key.0, slot)
                    || witness.landed((key.0, start, length)) >= failure.known
            }
            _ => true,
        };
        if seen {
            failure.gate = Stop::Claim;
        }
        failure.gate > Stop::Claim
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
        let watched = self.witness.as_ref().zip(number);
        let (seen, repaired) = match watched {
            Some((witness, number)) => (witness.stop(number, key.0, task), witness.repaired(place)),
            // Begun before everything that was observed, and nothing was under way any more.
            None => (Stop::Header, false),
        };
        // Where a failure after it can stop a message: only a swap is tried in front of other messages' header words.
        let unmet = match task.shared {
            true => Stop::Header,
            false => Stop::Doorbell,
        };
        let Some(queue) = self.state.queues.get_mut(&key) else {
            return (Stop::Not, false);
        };
        let stop = match &mut queue.failure {
            Some(failure) => {
                let before = failure.gate;
                let latest = watched.map_or(Stop::Not, |(witness, number)| {
                    witness.latest(number, key.0, task, failure.known)
                });
                let highest = before.min(latest);
                let lowest = if failure.met { Stop::Header } else { unmet };
                failure.gate = seen.clamp(lowest.min(highest), highest);
                // A queue that is closed when the message's turn comes is not repaired.
                return (failure.gate, repaired && before > Stop::Header);
            }
            None if watched.is_some() && (unmet..Stop::Not).contains(&seen) => {
                queue.failure = Some(QueueFailure {
                    gate: seen,
                    met: false,
                    known: u64::MAX,
                    refuses: false,
                });
                seen
            }
            None => Stop::Not,
        };
        (stop, repaired)
    }

    /// A write of a message to its queue failed; where the messages after it are stopped at the latest.
    pub(super) fn fail_queue(&mut self, key: (u8, u16), number: Option<usize>, latest: Stop) {
        let watched = self.witness.as_ref().zip(number);
        let done = watched.map_or(u64::MAX, |(witness, number)| witness.done(number));
        if let Some(queue) = self.state.queues.get_mut(&key) {
            let before = queue.failure;
            queue.failure = Some(QueueFailure {
                gate: before.map_or(latest, |failure| failure.gate.min(latest)),
                met: true,
                known: before.map_or(done, |failure| failure.known.min(done)),
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
                failure.known = 0;
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
