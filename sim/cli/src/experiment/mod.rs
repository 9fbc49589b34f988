//! How the results of experiments are shown: tables, plots.

pub mod hitrate_csv;
pub mod hitrate_plot;
pub mod hitrate_table;
