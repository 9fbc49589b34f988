//! `L2Bank` and its parts: every rule by name, a naive model of a coherent memory with locks, and all interleavings of
//! a few requesters.

use xtq_catalogue as _;
mod bank;
mod cp_ways;
mod exhaustive;
mod locks;
mod memory;
mod model;
mod ones;
mod parts;
mod random;
mod rig;
mod whole;
