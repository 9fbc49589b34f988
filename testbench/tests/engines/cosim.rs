//! Real NICs with the functional model of Portals beside them.

mod coverage;
mod judge;
mod program;
mod race;
mod replay;
mod step_by_step;
mod tasks;
