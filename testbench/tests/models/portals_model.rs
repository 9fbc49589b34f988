//! The functional model of Portals 4: the open cases, every rule of `docs/portals-model.md`, 2 to 9, that no open case
//! covers, random matching and atomics against other formulations, and the state machines of Schneider et al. as
//! programs.

mod append;
mod arithmetic;
mod beside;
mod cases;
mod codes;
mod commands;
mod counters;
mod extremes;
mod flow_control;
mod initiator;
mod iovec;
mod land;
mod matching;
mod page;
mod perturbed;
mod protocols;
mod search;
mod setup;
mod steps;
mod target;
mod tasks;
mod triggered;
