//! Room `triggers`: counters, and the operations that fire when one reaches its threshold.

pub mod counter_bank;
pub mod counter_owners;
pub mod counter_unit;
pub mod trigger_engine;
