//! Writes the shipped tops as Rust into `OUT_DIR`.

use std::error::Error;
use std::path::Path;

use xtq_catalogue as _;
use xtq_engine::{blocks, write_ahead};

fn main() -> Result<(), Box<dyn Error>> {
    // Changes of the hardware or the engine change this script's dependencies, and so the script.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let top = |atomics, name| {
        let design = blocks::design_of("xtq_target", atomics)?;
        write_ahead(design.as_ref(), name, None)
    };
    let text = top(0, "XTQ_TARGET")? + &top(1, "XTQ_TARGET_ATOMICS")?;
    std::fs::write(Path::new(&folder).join("tops.rs"), text)?;
    Ok(())
}
