//! Writes the shipped tops as Rust into `OUT_DIR`.

use std::error::Error;
use std::path::Path;

use xtq_engine::write_ahead;
use xtq_rtl::xtq_target::XtqTarget;

/// Bytes of stack on which a top is built: it does not fit the usual one.
const STACK_BYTES: usize = 64 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    // Changes of the hardware or the engine change this script's dependencies, and so the script.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let write = || {
        let plain = write_ahead(&XtqTarget::new(false), "XTQ_TARGET")?;
        let atomics = write_ahead(&XtqTarget::new(true), "XTQ_TARGET_ATOMICS")?;
        Ok::<_, xtq_engine::Error>(plain + &atomics)
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let text = thread
        .spawn(write)?
        .join()
        .map_err(|_| "the top cannot be built")??;
    std::fs::write(Path::new(&folder).join("tops.rs"), text)?;
    Ok(())
}
