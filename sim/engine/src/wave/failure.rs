//! Whether a waveform could not be written, for those who look on while it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a waveform could not be written: that which has this, or a copy of it, as
/// [`WaveOptions::failure`](super::WaveOptions::failure). The simulation goes on without the waveform; why it could not
/// be written, [`finish_wave`](crate::Engine::finish_wave) says.
///
/// ```
/// let options = xtq_engine::WaveOptions::new("run.vcd");
/// let failure = options.failure.clone();
/// assert!(!failure.has_come());
/// ```
#[derive(Clone, Debug, Default)]
pub struct WaveFailure(Arc<AtomicBool>);

impl WaveFailure {
    /// Whether something could not be written.
    pub fn has_come(&self) -> bool {
        self.0.load(Relaxed)
    }

    /// Something could not be written.
    pub(super) fn set(&self) {
        self.0.store(true, Relaxed);
    }

    /// What threads set.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Of the same waveforms.
impl PartialEq for WaveFailure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for WaveFailure {}
