//! Modules import in one direction: no two of a crate use each other, directly or through others.

use super::root;
use crate::blocks::{names_in, read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A path in a crate, from its root.
type Module = Vec<String>;

/// The modules below a folder, with their text but for tests and comments.
fn modules(folder: &Path, at: &Module, found: &mut BTreeMap<Module, String>) {
    for name in names_in(folder) {
        let path = folder.join(&name);
        let stem = name.strip_suffix(".rs").unwrap_or(&name).to_owned();
        if stem == "tests" {
            continue;
        }
        let inner: Module = at.iter().cloned().chain([stem.clone()]).collect();
        if path.is_dir() {
            modules(&path, &inner, found);
            continue;
        }
        let text = read(&path);
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        let lines: Vec<&str> = lines.collect();
        let is_root = ["mod", "lib", "main"].contains(&stem.as_str());
        let module = if is_root { at.clone() } else { inner };
        found.insert(module, lines.join("\n"));
    }
}

/// The paths that begin with `rest`, after `before`: `a::{b, c::d}` is `a::b` and `a::c::d`. Gives how much was read.
fn expand(before: &str, rest: &str, found: &mut Vec<String>) -> usize {
    let is_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    let end = rest.find(|letter| !is_path(letter)).unwrap_or(rest.len());
    let path = format!("{before}{}", &rest[..end]);
    if !rest[end..].starts_with('{') {
        found.push(path);
        return end;
    }
    let mut at = end + 1;
    while let Some(letter) = rest[at..].chars().next() {
        match letter {
            '}' => return at + 1,
            letter if is_path(letter) => at += expand(&path, &rest[at..], found),
            _ => at += letter.len_utf8(),
        }
    }
    at
}

/// What the text names from the root of its crate, and from outside of the module.
fn named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            if !before.is_alphanumeric() && !"_:$".contains(before) {
                expand("", &text[at..], &mut found);
            }
        }
    }
    found
}

/// The module that a path names, seen from one; `handed` are the names that the crate's root hands on.
fn resolve(
    path: &str,
    from: &Module,
    modules: &BTreeMap<Module, String>,
    handed: &BTreeMap<String, Module>,
) -> Module {
    let mut full = from.clone();
    for part in path.split("::").filter(|part| !part.is_empty()) {
        match part {
            "crate" => full.clear(),
            "self" => {}
            "super" => _ = full.pop(),
            _ => full.push(part.to_owned()),
        }
    }
    let handed = full.first().and_then(|name| handed.get(name));
    let mut full = handed
        .filter(|_| !modules.contains_key(&full[..1]))
        .cloned()
        .unwrap_or(full);
    while !full.is_empty() && !modules.contains_key(&full) {
        full.pop();
    }
    full
}

/// Pairs of modules, at most so deep, of which each reaches the other.
fn circles(modules: &BTreeMap<Module, String>, depth: usize) -> BTreeSet<String> {
    let cut = |module: &Module| module[..module.len().min(depth)].to_vec();
    let mut handed = BTreeMap::new();
    for line in modules
        .get(&vec![])
        .into_iter()
        .flat_map(|text| text.split("pub use ").skip(1))
    {
        let mut found = Vec::new();
        expand("", line, &mut found);
        for path in found {
            let path: Module = path.split("::").map(str::to_owned).collect();
            handed.insert(path.last().cloned().unwrap_or_default(), path);
        }
    }
    let mut uses: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (module, text) in modules {
        for path in named(text) {
            let (from, to) = (cut(module), cut(&resolve(&path, module, modules, &handed)));
            // A module and what is inside it belong together.
            if !from.starts_with(&to) && !to.starts_with(&from) {
                uses.entry(from).or_default().insert(to);
            }
        }
    }
    let reach = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            let inner = uses.get(&module).into_iter().flatten();
            next.extend(inner.filter(|to| seen.insert((*to).clone())).cloned());
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        uses.keys().map(|module| (module, reach(module))).collect();
    let back = |from: &Module, to: &Module| reached.get(to).is_some_and(|all| all.contains(from));
    let pairs = reached
        .iter()
        .flat_map(|(from, all)| all.iter().map(move |to| (*from, to)));
    let pairs = pairs.filter(|(from, to)| from < to && back(from, to));
    pairs
        .map(|(from, to)| format!("{} and {}", from.join("::"), to.join("::")))
        .collect()
}

#[test]
fn no_two_modules_use_each_other() {
    let folders = [
        "sim/engine/src",
        "sim/cli/src",
        "testbench/src",
        "testbench/cdag/src",
        "testbench/compute/src",
        "testbench/mpitrace/src",
        "rtl/src",
        "rtl/types/src",
    ];
    for folder in folders {
        let mut found = BTreeMap::new();
        modules(&root().join(folder), &Vec::new(), &mut found);
        for depth in 1..=3 {
            let circles = circles(&found, depth);
            assert!(circles.is_empty(), "{folder}, depth {depth}: {circles:#?}");
        }
    }
}

#[test]
fn two_modules_that_use_each_other_are_found() {
    let module = |name: &str, text: &str| (vec![name.to_owned()], text.to_owned());
    let texts = [
        (vec![], "pub use b::{C, D};".to_owned()),
        module("a", "use crate::{D, other::Thing};"),
        module("b", "use super::c::E;"),
        module("c", "fn f(x: crate::a::X) {}"),
    ];
    let found = circles(&texts.into(), 1);
    let wanted = ["a and b", "a and c", "b and c"].map(str::to_owned);
    assert_eq!(found, wanted.into());
}
