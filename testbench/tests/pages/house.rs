//! Rules of the house that a change breaks without noticing: sizes of files, and who may depend on the hardware.

use crate::blocks::read;
use crate::root;
use crate::truth::all_files;

/// Lines of the longest source file, and bytes of the README.
const LINES: usize = 450;
const README_BYTES: usize = 8 << 10;

#[test]
fn no_source_file_and_no_readme_is_longer_than_the_house_allows() {
    let files = all_files().into_iter();
    let sources = files.filter(|file| file.ends_with(".rs") || file.ends_with(".py"));
    let long: Vec<String> = sources
        .map(|file| (read(&root().join(&file)).lines().count(), file))
        .filter(|(lines, _)| *lines > LINES)
        .map(|(lines, file)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "longer than {LINES}: {long:#?}");
    let bytes = read(&root().join("README.md")).len();
    assert!(bytes <= README_BYTES, "README.md has {bytes} bytes");
}

/// Models and engine ask for blocks by name, so a line changed in a block does not compile them again.
#[test]
fn the_libraries_of_engine_and_testbench_do_not_depend_on_the_hardware() {
    let packages = [
        "sim/engine",
        "testbench",
        "testbench/cdag",
        "testbench/compute",
    ];
    for package in packages {
        let manifest = format!("{package}/Cargo.toml");
        let table: toml::Table = toml::from_str(&read(&root().join(&manifest))).unwrap();
        let needs = table["dependencies"].as_table().unwrap();
        for hardware in ["xtq-rtl", "xtq-catalogue"] {
            assert!(!needs.contains_key(hardware), "{manifest}: {hardware}");
        }
    }
}
