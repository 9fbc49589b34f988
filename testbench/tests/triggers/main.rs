//! Counters and triggered operations.

use xtq_catalogue as _;
mod counter_bank;
mod trigger_engine;
