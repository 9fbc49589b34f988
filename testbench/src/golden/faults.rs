//! The memory faults the golden model knows of.

use crate::bus::{Access, Fault};
use crate::tables::format::BYTES;

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
        match access {
            Access::Read => self.meet(context, access, (address, last)),
            Access::Write | Access::Both => {
                self.meet(context, access, (address & !line, last | line))
            }
        }
    }

    /// Whether a compare-and-swap of a 64-bit word fails: it has the 16 bytes around the word on the bus.
    pub(super) fn strike_swap(&mut self, context: u8, address: u64) -> bool {
        self.meet(context, Access::Write, (address & !15, address | 15))
    }

    fn meet(&mut self, context: u8, access: Access, (first, last): (u64, u64)) -> bool {
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
