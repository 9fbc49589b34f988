//! The sources of the hardware, as this program was built with: `xtq lint` checks them, `xtq export` takes names and
//! comments from them.

/// Name and text of every file.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
