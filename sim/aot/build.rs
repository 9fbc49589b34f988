//! Writes the shipped tops as Rust into `OUT_DIR`, with parts for the inputs in `training/`.

use std::error::Error;
use std::path::Path;

use xtq_catalogue as _;
use xtq_engine::{Tape, blocks, write_ahead};

/// Name of the code, block, its argument, and the inputs that it is trained with.
const TOPS: [(&str, &str, u64, &str); 3] = [
    ("XTQ_TARGET", "xtq_target", 0, "training/xtq_target.tape"),
    (
        "XTQ_TARGET_ATOMICS",
        "xtq_target",
        1,
        "training/xtq_target.tape",
    ),
    ("NIC", "nic", 0, "training/nic.tape"),
];

fn main() -> Result<(), Box<dyn Error>> {
    // Changes of the hardware or the engine change this script's dependencies, and so the script.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let mut text = String::new();
    for (name, block, argument, file) in TOPS {
        println!("cargo::rerun-if-changed={file}");
        let design = blocks::design_of(block, argument)?;
        let tape = Tape::unpacked(&std::fs::read(file)?)?;
        text += &match write_ahead(design.as_ref(), name, Some(&tape)) {
            Ok(code) => code,
            // Slower code is right, too.
            Err(xtq_engine::Error::Unsupported { .. }) => {
                println!(
                    "cargo::warning={file} is of a {block} with other ports: `cargo run --release -- bench --training sim/aot/training` records it anew"
                );
                write_ahead(design.as_ref(), name, None)?
            }
            Err(error) => return Err(error.into()),
        };
    }
    std::fs::write(Path::new(&folder).join("tops.rs"), text)?;
    Ok(())
}
