//! The order of events in so far as it is fixed: all of it, but for AUTO_FREE (rules 3 of `docs/portals-model.md`).

use super::event::Event;
use crate::tables::EventKind;

/// An event, as far as its place among others goes.
pub trait Placed: PartialEq {
    /// Kind.
    fn kind(&self) -> EventKind;
    /// Whether both are about the same entry.
    fn same_entry(&self, other: &Self) -> bool;
}

impl Placed for Event {
    fn kind(&self) -> EventKind {
        self.kind
    }

    fn same_entry(&self, other: &Self) -> bool {
        (self.portal, self.user_ptr) == (other.portal, other.user_ptr)
    }
}

/// Events with a place, and AUTO_FREEs with the number of those before them.
fn split<E: Placed>(events: &[E]) -> (Vec<&E>, Vec<(usize, &E)>) {
    let (mut placed, mut floating) = (Vec::new(), Vec::new());
    for event in events {
        match event.kind() {
            EventKind::AutoFree => floating.push((placed.len(), event)),
            _ => placed.push(event),
        }
    }
    (placed, floating)
}

/// Whether the events are the same but for places of AUTO_FREE that are all allowed: later than expected, or earlier as
/// far as its entry's AUTO_UNLINK and the overflow events before it.
pub fn only_auto_free_floats<E: Placed>(expected: &[E], got: &[E]) -> bool {
    let (placed, floating) = split(expected);
    let (placed_got, mut floating_got) = split(got);
    for (place, event) in &floating {
        let needed = |before: &&E| {
            let unlinked = before.kind() == EventKind::AutoUnlink && before.same_entry(event);
            unlinked || before.kind().is_overflow()
        };
        let first = placed[..*place]
            .iter()
            .rposition(needed)
            .map_or(0, |last| last + 1);
        let mut found = floating_got.iter();
        let Some(found) = found.position(|(at, other)| *at >= first && other == event) else {
            return false;
        };
        floating_got.remove(found);
    }
    placed == placed_got && floating_got.is_empty()
}
