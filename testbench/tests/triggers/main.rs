//! Counters and triggered operations.

use xtq_catalogue as _;
mod counter_bank;
mod counter_unit;
mod trigger_engine;
