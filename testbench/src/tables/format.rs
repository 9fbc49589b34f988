//! The packed formats of the hardware as bytes: fields by name, places from the definitions in `xtq_types`.

use xtq_types::Field;
use xtq_types::command::Command;
use xtq_types::counter::Floor;
use xtq_types::event::Event;
use xtq_types::match_lists::{EntryFacts, EntryHold, EntryKey, PortalState};
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry};
use xtq_types::wire_header::WireHeader;

/// Bytes of every format but the command: a beat, an AQL packet, a table entry, an event.
pub const BYTES: usize = 64;

/// A packed format: 64 bytes, a command 128, what the NIC keeps as long as its fields are.
#[derive(Clone, Copy, Debug)]
pub struct Format(&'static [Field]);

/// Header beat of a packet.
pub const WIRE: Format = Format(WireHeader::FIELDS);
/// Kernel table entry.
pub const KERNEL_ENTRY: Format = Format(KernelEntry::FIELDS);
/// Function table entry.
pub const FUNCTION_ENTRY: Format = Format(FunctionEntry::FIELDS);
/// Queue table entry.
pub const QUEUE_ENTRY: Format = Format(QueueEntry::FIELDS);
/// Event.
pub const EVENT: Format = Format(Event::FIELDS);
/// Command.
pub const COMMAND: Format = Format(Command::FIELDS);
/// What is kept of a portal entry.
pub const PORTAL_STATE: Format = Format(PortalState::FIELDS);
/// What is kept of a match entry where its list is searched.
pub const ENTRY_KEY: Format = Format(EntryKey::FIELDS);
/// What else is kept of it.
pub const ENTRY_FACTS: Format = Format(EntryFacts::FIELDS);
/// Whether it exists.
pub const ENTRY_HOLD: Format = Format(EntryHold::FIELDS);
/// The lowest threshold that is pending on a counter.
pub const FLOOR: Format = Format(Floor::FIELDS);

impl Format {
    /// The fields in order.
    pub fn fields(self) -> &'static [Field] {
        self.0
    }

    fn field(self, name: &str) -> &'static Field {
        let found = self.0.iter().find(|field| field.name == name);
        found.unwrap_or_else(|| panic!("the format has no field '{name}'"))
    }

    /// Value of the field `name` (a name of the definition; another panics); bytes past the end count as 0.
    pub fn get(self, bytes: &[u8], name: &str) -> u64 {
        let Field { offset, width, .. } = *self.field(name);
        let bit = |i: usize| bytes.get(i / 8).map_or(0, |byte| byte >> (i % 8) & 1);
        (0..width.min(64)).fold(0, |value, i| value | u64::from(bit(offset + i)) << i)
    }

    /// Replaces the field `name` (as in [`get`](Self::get)) by the low bits of `value`; bytes past the end are left
    /// out.
    pub fn set(self, bytes: &mut [u8], name: &str, value: u64) {
        let Field { offset, width, .. } = *self.field(name);
        for i in 0..width.min(64) {
            let (at, mask) = ((offset + i) / 8, 1 << ((offset + i) % 8));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = *byte & !mask | if value >> i & 1 == 1 { mask } else { 0 };
            }
        }
    }

    /// The bytes of these fields of a 64-byte format; the others are 0.
    pub fn pack(self, fields: &[(&str, u64)]) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (name, value) in fields {
            self.set(&mut bytes, name, *value);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_was_set_reads_back_and_touches_no_other() {
        for format in [
            WIRE,
            KERNEL_ENTRY,
            FUNCTION_ENTRY,
            QUEUE_ENTRY,
            EVENT,
            COMMAND,
        ] {
            for field in format.fields().iter().filter(|field| field.width <= 64) {
                let mut bytes = [0; 2 * BYTES];
                format.set(&mut bytes, field.name, u64::MAX);
                let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
                assert_eq!(ones as usize, field.width, "{}", field.name);
                let want = u64::MAX >> (64 - field.width);
                assert_eq!(format.get(&bytes, field.name), want, "{}", field.name);
            }
        }
    }
}
