//! The functional model of Portals 4: every rule of `portals.md` 2 to 9, atomics against other formulations, and the state machines of
//! Schneider et al. as programs.

mod append;
mod arithmetic;
mod beside;
mod codes;
mod commands;
mod counters;
mod extremes;
mod flow_control;
mod initiator;
mod land;
mod protocols;
mod search;
mod setup;
mod target;
mod triggered;
