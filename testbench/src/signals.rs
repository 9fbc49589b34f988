//! HSA signals: an opaque 64-bit handle with a signed 64-bit value.

use crate::bytes::{Bytes, SparseMemory};

/// Memory that also holds the values of signals.
///
/// By default a signal is an `amd_signal_t` at address *handle*, its value at handle + 8. A memory whose handles are
/// not addresses overrides the two methods.
pub trait Signals: Bytes {
    /// The visible value of the signal. Handle 0 is "no signal" and never asked for.
    fn load_signal(&self, handle: u64) -> i64 {
        self.read_u64(handle.wrapping_add(VALUE_OFFSET)) as i64
    }

    /// Stores a value.
    fn store_signal(&mut self, handle: u64, value: i64) {
        self.write_u64(handle.wrapping_add(VALUE_OFFSET), value as u64);
    }
}

/// Byte offset of the value in `amd_signal_t`.
pub const VALUE_OFFSET: u64 = 8;

impl Signals for SparseMemory {}
