//! `MatchUnit` against a naive model, each rule of Portals by name, and its rates.

mod commands;
pub mod common;
mod engines;
mod lengths;
pub mod model;
mod mpi;
mod races;
pub mod random;
mod rates;
mod requests;
mod stores;
pub mod unit;
pub mod words;
