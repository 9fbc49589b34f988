//! Every source file is a module of its crate: one that is not named is not compiled, and nobody would say so.

use super::root;
use super::truth::all_files;
use crate::blocks::read;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The roots of a package's crates, from the root of the repository: what cargo finds by itself, and what the manifest
/// names.
fn crate_roots(package: &str, manifest: &toml::Table, files: &[String]) -> Vec<String> {
    let by_itself = |kind: &str| {
        let key = format!("auto{kind}");
        let section = manifest.get("package").and_then(|package| package.get(key));
        section.and_then(toml::Value::as_bool) != Some(false)
    };
    let is_root = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        match parts[..] {
            ["build.rs"] | ["src", "lib.rs" | "main.rs"] | ["src", "bin", _] => true,
            [kind @ ("tests" | "examples" | "benches"), _]
            | [kind @ ("tests" | "examples" | "benches"), _, "main.rs"] => by_itself(kind),
            _ => false,
        }
    };
    let inside = files.iter().filter_map(|file| file.strip_prefix(package));
    let found = inside.filter(|path| path.ends_with(".rs") && is_root(path));
    let targets = ["lib", "bin", "test", "example", "bench"]
        .iter()
        .filter_map(|kind| manifest.get(*kind))
        .flat_map(|target| target.as_array().cloned().unwrap_or(vec![target.clone()]));
    let named: Vec<String> = targets
        .filter_map(|target| target.get("path")?.as_str().map(str::to_owned))
        .collect();
    let paths = found.map(str::to_owned).chain(named);
    paths.map(|path| format!("{package}{path}")).collect()
}

/// The path without `.` and `..`.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The files that the text of a source file makes modules of the crate, and whether each looks for its own modules
/// beside itself: those of `#[path]`, and `mod.rs`.
fn modules_of(text: &str, file: &Path, beside: bool) -> Vec<(PathBuf, bool)> {
    let folder = file.parent().expect("a file is in a folder");
    let below = match beside {
        true => folder.to_path_buf(),
        false => file.with_extension(""),
    };
    let (mut found, mut path) = (Vec::new(), None);
    for line in text.lines().map(str::trim) {
        let quoted = || {
            line.split('"')
                .nth(1)
                .map(|name| plain_path(&folder.join(name)))
        };
        if line.starts_with("#[path = ") {
            path = quoted();
            continue;
        }
        if line.starts_with("include!(\"") {
            found.extend(quoted().map(|file| (file, beside)));
        }
        let declared = ["", "pub ", "pub(crate) ", "pub(super) "]
            .iter()
            .find_map(|before| {
                let name = line.strip_prefix(before)?.strip_prefix("mod ")?;
                name.strip_suffix(';')
            });
        if let Some(name) = declared {
            match path.take() {
                Some(path) => found.push((path, true)),
                None => {
                    found.push((below.join(format!("{name}.rs")), false));
                    found.push((below.join(name).join("mod.rs"), true));
                }
            }
        }
        if !line.starts_with("#[") {
            path = None;
        }
    }
    found
}

#[test]
fn every_source_file_is_compiled() {
    let files = all_files();
    let (mut compiled, mut next) = (BTreeSet::new(), Vec::new());
    for manifest in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let package = manifest.trim_end_matches("Cargo.toml");
        let text: toml::Table = toml::from_str(&read(&root().join(manifest)))
            .unwrap_or_else(|error| panic!("{manifest}: {error}"));
        let roots = crate_roots(package, &text, &files);
        assert!(
            !roots.is_empty() || text.get("package").is_none(),
            "{manifest} has no crate"
        );
        next.extend(roots.into_iter().map(|path| (PathBuf::from(path), true)));
    }
    while let Some((path, beside)) = next.pop() {
        let file = root().join(&path);
        if file.is_file() && compiled.insert(path.clone()) {
            next.extend(modules_of(&read(&file), &path, beside));
        }
    }
    let sources = files.iter().filter(|file| file.ends_with(".rs"));
    let found: Vec<&String> = sources
        .filter(|file| !compiled.contains(Path::new(file)))
        .collect();
    assert!(found.is_empty(), "no `mod` leads to {found:#?}");
}

#[test]
fn a_module_is_looked_for_where_the_compiler_does() {
    let found = |text: &str, file: &str, beside: bool| -> Vec<String> {
        let found = modules_of(text, Path::new(file), beside).into_iter();
        found.map(|(path, _)| path.display().to_string()).collect()
    };
    assert_eq!(found("mod b;", "s/lib.rs", true), ["s/b.rs", "s/b/mod.rs"]);
    assert_eq!(
        found("pub mod c;", "s/b.rs", false),
        ["s/b/c.rs", "s/b/c/mod.rs"]
    );
    assert_eq!(
        found("#[path = \"../t/x.rs\"]\nmod x;", "s/lib.rs", true),
        ["t/x.rs"]
    );
    assert_eq!(found("// mod b;\nmod d {}", "s/lib.rs", true), [""; 0]);
}

/// The experiments: module and type, found where the trait has an `impl`.
fn experiments() -> Vec<(String, String)> {
    let folders = [
        "testbench/src/experiments/",
        "testbench/compute/src/experiments/",
    ];
    let mut found = Vec::new();
    for file in all_files() {
        let inside = folders.iter().find_map(|folder| file.strip_prefix(folder));
        let Some(module) = inside else {
            continue;
        };
        let module = module.split(['/', '.']).next().unwrap_or_default();
        let text = read(&root().join(&file));
        let types = text
            .lines()
            .filter_map(|line| line.strip_prefix("impl Experiment for "));
        let types = types.map(|rest| rest.trim_end_matches(" {").to_owned());
        found.extend(types.map(|name| (module.to_owned(), name)));
    }
    assert!(!found.is_empty(), "{folders:?} have no experiment");
    found
}

#[test]
fn every_experiment_is_in_the_list() {
    let file = "testbench/compute/src/experiments/mod.rs";
    let text = read(&root().join(file));
    let list = text.split("pub const EXPERIMENTS").nth(1);
    let list = list.and_then(|rest| rest.split("];").next());
    let list = list.expect("a list of experiments");
    for (module, value) in experiments() {
        assert!(
            list.split([',', '[', ' ', '\n', ']', ';'])
                .any(|entry| entry == format!("&{module}::{value}")),
            "EXPERIMENTS of {file} lacks {module}::{value}"
        );
    }
}

#[test]
fn every_experiment_has_tests_of_its_verdict() {
    let tests = all_files().into_iter();
    let tests = tests.filter(|file| file.starts_with("testbench/tests/models/"));
    let tests: String = tests.map(|file| read(&root().join(file))).collect();
    for (module, _) in experiments() {
        assert!(
            tests.contains(&format!("experiments::{module}::")),
            "no file of testbench/tests/models uses experiments::{module}"
        );
    }
}
