//! Every source file is a module of its crate: one that is not named is not compiled, and nobody would say so.

use super::root;
use crate::blocks::{names_in, read};
use std::path::Path;

/// The files below a folder that no `mod` names, as paths from the root.
fn unnamed(folder: &Path, above: &[String], found: &mut Vec<String>) {
    let names = names_in(folder);
    // Files of the folder itself may name each other's neighbours: `#[path]`, `block.rs` with `block/`.
    let here = names.iter().filter(|name| name.ends_with(".rs"));
    let here: Vec<String> = here.map(|name| read(&folder.join(name))).collect();
    let has_root = ["main.rs", "lib.rs"]
        .iter()
        .any(|name| names.contains(&(*name).to_owned()));
    for name in &names {
        let path = folder.join(name);
        if path.is_dir() {
            unnamed(&path, &[above, &here].concat(), found);
            continue;
        }
        let Some(stem) = name.strip_suffix(".rs") else {
            continue;
        };
        // `#[path]` and `include!` name the file.
        let declared = [format!("mod {stem};"), format!("{stem}.rs\"")];
        let texts = || above.iter().chain(&here);
        let is_root = ["mod", "main", "lib"].contains(&stem) || (above.is_empty() && !has_root);
        if !is_root && !texts().any(|text| declared.iter().any(|one| text.contains(one))) {
            found.push(path.display().to_string());
        }
    }
}

#[test]
fn every_source_file_is_compiled() {
    let folders = [
        "rtl/src",
        "rtl/types/src",
        "rtl/kernel/src",
        "rtl/macros/src",
        "sim/engine/src",
        "sim/engine/tests",
        "sim/cli/src",
        "sim/cli/tests",
        "testbench/src",
        "testbench/tests",
    ];
    let mut found = Vec::new();
    for folder in folders {
        unnamed(&root().join(folder), &[], &mut found);
    }
    assert!(found.is_empty(), "no `mod` names {found:#?}");
}
