//! Better parts for the JIT, from what its own run shows.
//!
//! The first body has parts that were chosen without a run. When its instances have been awake for [`WARM`] cycles, one
//! of them looks at the next ones ([`Sampler`]). A thread then chooses parts anew and compiles them. When they are
//! there, each instance goes over at the end of a step. Any partition gives the same, so only the speed depends on when
//! that is.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::instance::{Compiled, Looking};
use super::sampler::Sampler;

/// Awake cycles before anything is looked at: a run that is shorter would not get back what the thread takes.
const WARM: u64 = 20_000;
/// Awake cycles that an instance counts for itself.
const COUNTED: u64 = 1 << 10;

impl Compiled {
    /// Whether its code is the last there will be. The JIT's is when the run has shown what to compute together.
    pub fn is_tuned(&self) -> bool {
        self.body.tuning.is_none()
    }

    /// Looks at the cycle, if this instance is the one that does.
    pub(super) fn look(&mut self) {
        let Some(looking) = &mut self.looking else {
            return;
        };
        let (body, buffer) = (&*self.body, &self.state.buffer);
        let more = match &mut looking.sampler {
            Some(sampler) => sampler.sample(&body.netlist, &body.plan, buffer),
            None => true,
        };
        if !more && let Some(sampler) = looking.sampler.take() {
            let body = looking.body.clone();
            self.looking = None;
            let tune = move || {
                // What cannot be compiled goes on as it is.
                if let (Some(tuning), Ok(next)) = (&body.tuning, body.tuned(sampler.activity())) {
                    let _ = tuning.next.set(Arc::new(next));
                }
            };
            // Without a thread too.
            let _ = std::thread::Builder::new().name("parts".into()).spawn(tune);
        }
    }

    /// After an awake cycle: goes over to the next body, if it is there.
    pub(super) fn tune(&mut self) {
        let Some(tuning) = &self.body.tuning else {
            return;
        };
        self.awake += 1;
        if self.awake.is_multiple_of(COUNTED) {
            let awake = COUNTED + tuning.awake.fetch_add(COUNTED, Relaxed);
            if awake >= WARM && !tuning.taken.swap(true, Relaxed) {
                self.looking = Some(Looking {
                    body: self.body.clone(),
                    sampler: Some(Sampler::new(&self.body.netlist)),
                });
            }
        }
        // Everything is computed afterwards, so in a cycle that is awake anyway: when it comes is not to be seen.
        if let Some(next) = tuning.next.get().filter(|_| self.state.awake) {
            self.change_body(next.clone());
        }
    }
}
