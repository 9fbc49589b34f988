//! How the results of experiments are shown: tables, plots.

pub mod hitrate_plot;
pub mod hitrate_table;
