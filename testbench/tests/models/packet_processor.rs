//! The packet processor: every rule of the HSA queue protocol as a test, and random histories against a naive
//! formulation that recomputes everything from the whole history.

mod barriers;
mod contract;
mod history;
mod rules;
mod setup;
mod steps;
