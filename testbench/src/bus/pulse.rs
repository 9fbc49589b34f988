//! `PulseMonitor`: records pulses, which have no ready.

use xtq_engine::{Engine, Result};

use super::{Model, Pin, Violation};

/// Records each cycle in which a pin is high, with the values of the pins that go with it. Drives nothing.
#[derive(Clone, Debug)]
pub struct PulseMonitor {
    pulse: Pin,
    payload: Vec<Pin>,
    seen: Vec<(u64, Vec<u64>)>,
}

impl PulseMonitor {
    /// A monitor of the port `pulse` and its data, the ports `payload`. Errors: a port is missing or of a wrong width.
    pub fn new(engine: &dyn Engine, pulse: &str, payload: &[&str]) -> Result<Self> {
        let payload = payload.iter().map(|name| Pin::any(engine, name));
        Ok(Self {
            pulse: Pin::any(engine, pulse)?.of_width(pulse, 1)?,
            payload: payload.collect::<Result<_>>()?,
            seen: Vec::new(),
        })
    }

    /// Cycle and data of each pulse so far; each port begins a new 64-bit word.
    pub fn seen(&self) -> &[(u64, Vec<u64>)] {
        &self.seen
    }
}

impl Model for PulseMonitor {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if self.pulse.is_high(engine) {
            let words = self.payload.iter().flat_map(|pin| pin.get_words(engine));
            self.seen.push((cycle, words.collect()));
        }
        Ok(())
    }
}
