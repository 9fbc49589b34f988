//! Events for which there is no place: counted when the message is decided about, reported by the next event that is
//! posted.
//!
//! Which event that is depends on time: one of an earlier message may still be on its way. So an event may report
//! losses of later messages, as observed; they must follow, and none is reported twice.

use super::delivery::Delivery;
use super::difference::Difference;

impl Delivery {
    /// A message that wants an event finds no place.
    pub(super) fn lose_event(&mut self, context: u8) {
        self.counts.lose_event(context);
        let told = &mut self.told_early[usize::from(context)];
        let ring = &mut self.state.contexts[usize::from(context)].events;
        match told {
            0 => ring.dropped = ring.dropped.saturating_add(1),
            _ => *told -= 1,
        }
    }

    /// An event is posted: the losses that it reports.
    pub(super) fn tell_losses(&mut self, context: u8) -> u8 {
        let index = usize::from(context);
        let known = std::mem::take(&mut self.state.contexts[index].events.dropped);
        let seen = self
            .witness
            .as_ref()
            .and_then(|witness| witness.losses(context, self.posted[index]));
        self.posted[index] += 1;
        let told = seen.unwrap_or(known).max(known);
        self.told_early[index] += usize::from(told - known);
        told
    }

    /// Contexts whose events reported losses that did not come.
    pub(super) fn invented_losses(&self) -> impl Iterator<Item = Difference> {
        let contexts = self.told_early.iter().enumerate();
        contexts
            .filter(|(_, told)| **told > 0)
            .map(|(context, told)| Difference {
                message: None,
                place: None,
                expected: format!("events of context {context} that tell of no loss that was not"),
                got: format!("{told} lost too many"),
            })
    }
}
