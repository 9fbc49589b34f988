//! Models around a design's pins and the protocol checkers.
//!
//! Every model follows the cycle protocol of [`run_cycle`]: all models drive their inputs from their own state, the
//! logic settles, all models sample the pins and take note of the handshakes of this cycle, then the clock rises. No
//! model looks at an output before it drives an input of the same cycle.
//!
//! Sinks carry the checker of their stream, so that a test cannot forget it.

mod axi_checker;
mod axi_lite;
mod axi_memory;
mod axi_pins;
mod axi_sides;
mod beat;
mod bench;
mod channel_names;
mod gaps;
mod memory_config;
mod memory_reads;
mod memory_writes;
mod pin;
mod pulse;
mod stream;
mod word_stream;

pub use axi_checker::{AxiChecker, BeatCounts};
pub use axi_lite::{AxiLiteChecker, AxiLiteMaster, LiteResult};
pub use axi_memory::AxiMemory;
pub use axi_pins::{
    ATOMIC_COMPARE, Address, BURST_INCR, BURST_WRAP, Handshakes, LINE_BYTES, Reply, WriteData,
};
pub use beat::{BEAT_BYTES, Beat};
pub use bench::{Bench, BenchError};
pub use gaps::Gaps;
pub use memory_config::{
    Access, ErrorResponse, Fault, MemoryTiming, Stalls, WatchedWrite, WriteRecord,
};
pub use pin::Pin;
pub use pulse::PulseMonitor;
pub use stream::{Packet, StreamChecker, StreamDriver, StreamMonitor};
pub use word_stream::{WordChecker, WordSink, WordSource};

use thiserror::Error;
use xtq_engine::{Engine, Tape};

/// A broken rule of a protocol.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cycle {cycle}, channel {channel}: {rule} ({detail})")]
pub struct Violation {
    /// Clock cycle of the sample that broke the rule.
    pub cycle: u64,
    /// Name of the channel, as its pins are called without the suffix (`m_axi_aw`).
    pub channel: String,
    /// The rule, always the same words.
    pub rule: &'static str,
    /// What was seen.
    pub detail: String,
}

/// Something attached to the pins of a design.
pub trait Model {
    /// Sets the model's input pins for this cycle, from its own state only. Errors: the engine refuses a pin.
    fn drive(&mut self, engine: &mut dyn Engine) -> xtq_engine::Result<()>;
    /// Reads the settled pins of `cycle` and updates the model's state. Errors: a protocol rule is broken.
    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> Result<(), Violation>;
}

/// A tape records the inputs of every cycle.
impl Model for Tape {
    fn drive(&mut self, _engine: &mut dyn Engine) -> xtq_engine::Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, _cycle: u64) -> Result<(), Violation> {
        self.record(engine);
        Ok(())
    }
}

/// One clock cycle: every model drives, the logic settles, every model samples, the clock rises.
///
/// Errors: of the engine, or the first violation; then the clock has not risen.
pub fn run_cycle(engine: &mut dyn Engine, models: &mut [&mut dyn Model]) -> Result<(), BenchError> {
    drive(engine, models)?;
    engine.eval()?;
    sample(engine, models)?;
    engine.step()?;
    Ok(())
}

/// Every model drives. Errors: of the engine.
pub fn drive(engine: &mut dyn Engine, models: &mut [&mut dyn Model]) -> xtq_engine::Result<()> {
    models.iter_mut().try_for_each(|model| model.drive(engine))
}

/// Every model samples; the logic has settled. Errors: the first violation.
pub fn sample(engine: &dyn Engine, models: &mut [&mut dyn Model]) -> Result<(), Violation> {
    let cycle = engine.cycle();
    let mut models = models.iter_mut();
    models.try_for_each(|model| model.sample(engine, cycle))
}
