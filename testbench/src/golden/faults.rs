//! The memory faults the golden model knows of.

use crate::bus::{Access, Fault};
use crate::node::format::BYTES;

/// Faults with the number of accesses each still spares.
///
/// A counted fault, or one that spares accesses, must lie where the order of accesses does not depend on time: in the
/// slots of a queue, in the event ring.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<(Fault, u32)>);

impl Faults {
    /// Adds a fault that spares the first `spared` accesses; of several that fit, the first one added counts.
    pub fn inject(&mut self, fault: Fault, spared: u32) {
        self.0.push((fault, spared));
    }

    /// Whether an access fails. The port writes whole lines: a write that touches the fault's line fails.
    pub(super) fn strike(&mut self, context: u8, access: Access, address: u64, bytes: u64) -> bool {
        let last = address.saturating_add(bytes.saturating_sub(1));
        let line = BYTES as u64 - 1;
        let (first, last) = match access {
            Access::Read => (address, last),
            Access::Write | Access::Both => (address & !line, last | line),
        };
        let hit = self.0.iter_mut().find(|(fault, _)| {
            fault.context.is_none_or(|c| c == context)
                && (fault.access == Access::Both || fault.access == access)
                && fault.count != Some(0)
                && *fault.addresses.start() <= last
                && first <= *fault.addresses.end()
        });
        let Some((fault, spared)) = hit else {
            return false;
        };
        if *spared > 0 {
            *spared -= 1;
            return false;
        }
        if let Some(count) = &mut fault.count {
            *count -= 1;
        }
        true
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<T: IntoIterator<Item = Fault>>(faults: T) -> Self {
        Self(faults.into_iter().map(|fault| (fault, 0)).collect())
    }
}
