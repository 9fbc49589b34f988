//! `LookupStage`: contract tests with exact cycles, and random packets against a naive model.

mod latency;
mod packet;
mod random_packets;
mod stage;
mod surroundings;
mod tables;
mod waiting;
