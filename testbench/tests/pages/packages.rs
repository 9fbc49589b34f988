//! `docs/how-to/build.md` against the manifests: every crate of the workspace, every dependency in several versions.

use super::blocks::read;
use super::{check_between, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const PAGE: &str = "docs/how-to/build.md";

/// A package of `Cargo.lock`.
struct Package {
    name: String,
    version: String,
    /// Whether it is in the workspace.
    ours: bool,
    /// Name, and version where there are several.
    needs: Vec<(String, Option<String>)>,
}

impl Package {
    fn wants(&self, other: &Package) -> bool {
        let mut needs = self.needs.iter().filter(|(name, _)| *name == other.name);
        needs.any(|(_, version)| version.as_ref().is_none_or(|one| *one == other.version))
    }

    /// Its name, with the version if others have the name too.
    fn says(&self, packages: &[Package]) -> String {
        let same = packages.iter().filter(|other| other.name == self.name);
        match same.count() {
            1 => format!("`{}`", self.name),
            _ => format!("`{}` {}", self.name, series(&self.version)),
        }
    }
}

fn table(path: &str) -> toml::Table {
    toml::from_str(&read(&root().join(path))).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn packages(lock: &toml::Table) -> Vec<Package> {
    let text = |value: &toml::Value| value.as_str().expect("a string").to_owned();
    let all = lock["package"].as_array().expect("packages").iter();
    let all = all.map(|package| Package {
        name: text(&package["name"]),
        version: text(&package["version"]),
        ours: package.get("source").is_none(),
        needs: (package.get("dependencies").and_then(toml::Value::as_array))
            .into_iter()
            .flatten()
            .map(|need| {
                let mut words = need.as_str().expect("a string").split(' ');
                let name = words.next().expect("a name").to_owned();
                (name, words.next().map(str::to_owned))
            })
            .collect(),
    });
    all.collect()
}

/// What a requirement tells apart: `1`, `0.13`.
fn series(version: &str) -> &str {
    let mut dots = version.match_indices('.').map(|(at, _)| at);
    let end = match version.starts_with("0.") {
        true => dots.nth(1),
        false => dots.next(),
    };
    &version[..end.unwrap_or(version.len())]
}

/// Who wants a package; of each whom we do not ask for, what we ask for that brings it.
fn users(of: &Package, packages: &[Package]) -> String {
    let direct = |of: &Package| {
        packages
            .iter()
            .filter(|user| user.wants(of))
            .collect::<Vec<_>>()
    };
    let is_asked_for = |of: &&Package| of.ours || direct(of).iter().any(|user| user.ours);
    let said = direct(of).into_iter().map(|user| {
        let (mut above, mut seen) = (vec![user], BTreeSet::new());
        while !above.is_empty() && !above.iter().any(is_asked_for) {
            let next = above.iter().flat_map(|package| direct(package));
            above = next
                .filter(|package| seen.insert((&package.name, &package.version)))
                .collect();
        }
        above.retain(is_asked_for);
        let said = above.iter().map(|package| package.says(packages));
        let said: BTreeSet<String> = said.collect();
        match is_asked_for(&user) || said.is_empty() {
            true => user.says(packages),
            false => {
                let by = said.into_iter().collect::<Vec<_>>().join(", ");
                format!("{} (of {by})", user.says(packages))
            }
        }
    });
    let said: BTreeSet<String> = said.collect();
    said.into_iter().collect::<Vec<_>>().join(", ")
}

/// The rows of packages that are there in several versions.
fn rows(packages: &[Package]) -> String {
    let mut by_name: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        by_name.entry(&package.name).or_default().push(package);
    }
    by_name.retain(|_, versions| versions.len() > 1);
    // Those for which the same is to say stand in one row.
    let mut rows: Vec<(String, String)> = Vec::new();
    for (name, versions) in by_name {
        let said = versions.into_iter().map(|package| {
            let users = users(package, packages);
            format!("{}: {users}", series(&package.version))
        });
        let said = said.collect::<Vec<_>>().join("; ");
        match rows.iter_mut().find(|(_, other)| *other == said) {
            Some((names, _)) => *names += &format!(", `{name}`"),
            None => rows.push((format!("`{name}`"), said)),
        }
    }
    rows.iter().fold(String::new(), |mut text, (names, said)| {
        // A string takes everything.
        let _ = writeln!(text, "| {names} | {said} |");
        text
    })
}

#[test]
fn every_dependency_in_several_versions_says_who_wants_which() {
    let packages = packages(&table("Cargo.lock"));
    let rows = rows(&packages);
    assert!(rows.contains("| `syn` | 1: "), "{rows}");
    check_between(
        PAGE,
        "<!-- versions: written by docs/update.sh -->\n",
        "<!-- end of versions -->",
        &format!("\n| crate | version: who wants it |\n|---|---|\n{rows}\n"),
    );
}

#[test]
fn a_row_says_for_each_version_who_wants_it_and_who_brings_that() {
    let lock = "
        package = [
            { name = 'ours', version = '0.1.0', dependencies = ['big 2.0.0', 'leaf 1.2.3'] },
            { name = 'big', version = '2.0.0', source = 'r', dependencies = ['middle'] },
            { name = 'big', version = '1.0.0', source = 'r', dependencies = ['leaf 0.13.1'] },
            { name = 'middle', version = '0.4.0', source = 'r', dependencies = ['big 1.0.0'] },
            { name = 'leaf', version = '0.13.1', source = 'r' },
            { name = 'leaf', version = '1.2.3', source = 'r' },
        ]
    ";
    let packages = packages(&toml::from_str(lock).expect("TOML"));
    let wanted = "| `big` | 2: `ours`; 1: `middle` (of `big` 2) |\n\
                  | `leaf` | 0.13: `big` 1 (of `big` 2); 1: `ours` |\n";
    assert_eq!(rows(&packages), wanted);
}

#[test]
fn every_crate_of_the_workspace_is_in_the_table_with_its_level() {
    let (manifest, page) = (table("Cargo.toml"), read(&root().join(PAGE)));
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    for member in members {
        let folder = member.as_str().expect("a path");
        let name = &table(&format!("{folder}/Cargo.toml"))["package"]["name"];
        let overrides = manifest["profile"]["release"].get("package");
        let level = overrides.and_then(|all| all.get(name.as_str()?)?.get("opt-level"));
        let level = level.and_then(toml::Value::as_integer).unwrap_or(3);
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{folder}`")));
        let row = row.unwrap_or_else(|| panic!("{PAGE} has no row of {folder}"));
        assert!(row.contains(&format!(" | {level} | ")), "{row}: {level}");
    }
}

#[test]
fn every_crate_of_the_workspace_has_a_link_on_the_page_of_its_folder() {
    let manifest = table("Cargo.toml");
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    for member in members {
        let folder = member.as_str().expect("a path");
        let (top, inside) = folder.split_once('/').unwrap_or((folder, ""));
        let links = |page: &str, to: &str| {
            let page = root().join(page);
            let begins = [format!("]({to})"), format!("]({to}/")];
            page.exists() && begins.iter().any(|begin| read(&page).contains(begin))
        };
        assert!(
            links("README.md", folder) || links(&format!("{top}/README.md"), inside),
            "neither README.md nor {top}/README.md has a link to {folder}"
        );
    }
}
