//! Lists the source files of the hardware, which `xtq lint` and `xtq export` read as text.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .unwrap_or_default()
    };
    let root = variable("CARGO_MANIFEST_DIR")
        .join("../..")
        .canonicalize()?;
    let mut files = Vec::new();
    for folder in ["rtl/src", "rtl/types/src"] {
        collect(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        let _ = writeln!(list, "({name:?}, include_str!({file:?})),");
    }
    list.push(']');
    std::fs::write(variable("OUT_DIR").join("sources.rs"), list)
}

/// Adds the Rust files of a folder and of those inside; cargo looks for changes in all of them.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
