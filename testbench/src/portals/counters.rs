//! Counting, and what it sets off (rules 6, 7 of `docs/portals-model.md`).

use super::ids::CounterId;
use super::node::Node;
use super::objects::Counter;
use crate::tables::NiFail;

impl Node {
    /// An event that counts: one, or its bytes, to success; a failed one adds exactly 1 to failure, never bytes (rules
    /// 6 of `docs/portals-model.md`).
    pub(super) fn count(&mut self, id: Option<CounterId>, ni_fail: NiFail, amount: u64) {
        let by = match ni_fail {
            NiFail::Ok => Counter {
                success: amount,
                failure: 0,
            },
            _ => Counter {
                success: 0,
                failure: 1,
            },
        };
        if let Some(id) = id {
            self.add(id, by);
        }
    }

    /// Adds to a counter; one that was freed counts nothing. Sums wrap.
    pub(super) fn add(&mut self, id: CounterId, by: Counter) {
        if let Some(old) = self.counters.get(&id).copied() {
            let new = Counter {
                success: old.success.wrapping_add(by.success),
                failure: old.failure.wrapping_add(by.failure),
            };
            self.set(id, new);
        }
    }

    /// Gives a counter a value, and lets what it reaches fire (rule 7.2 of `docs/portals-model.md`). One that was freed
    /// has none.
    pub(super) fn set(&mut self, id: CounterId, value: Counter) {
        if let Some(counter) = self.counters.get_mut(&id) {
            *counter = value;
            self.triggers.reach(id, value);
        }
    }
}
