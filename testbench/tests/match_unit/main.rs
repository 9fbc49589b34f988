//! `MatchUnit` against a naive model, each rule of Portals by name, and its rates.

use xtq_catalogue as _;
mod commands;
mod common;
mod engines;
mod lengths;
mod model;
mod mpi;
mod races;
mod random;
mod rates;
mod requests;
mod stores;
mod unit;
mod words;
