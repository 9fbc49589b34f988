//! How the results of experiments are shown: tables and records as text, charts as pictures, all of them as a page.

pub mod all;
pub mod page;
pub mod plot;
pub mod text;

/// The file with the parameters of an experiment that are built in.
pub fn built_in(name: &str) -> String {
    format!("scenarios/experiments/{name}.toml")
}
