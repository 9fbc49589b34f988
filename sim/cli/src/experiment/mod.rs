//! How the results of experiments are shown: tables and records as text, charts as pictures.

pub mod plot;
pub mod text;
