//! `MatchUnit` against a naive model, each rule of Portals by name, and its rates.

mod commands;
mod common;
mod engines;
mod lengths;
pub mod model;
mod mpi;
mod races;
mod random;
mod rates;
mod requests;
mod stores;
mod unit;
pub mod words;
