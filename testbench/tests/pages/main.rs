//! README and book against the sources: every block has its page, every list is complete, every link leads somewhere.
//!
//! `docs/update.sh` writes again what is generated: the tables of blocks in `rtl/README.md`, the book's list of pages,
//! the interfaces on the pages of blocks, and the pages of formats, registers and signals.

mod blocks;
mod figures;
mod formats;
mod house;
mod imports;
mod modules;
mod packages;
mod places;
mod ports;
mod prose;
mod rooms;
mod signals;
mod truth;

use blocks::{all_blocks, all_pages, capitalised, first_paragraph, names_in, read, room};
use formats::{formats_page, registers_page};
use ports::port_table;
use signals::{signals_page, struct_places};
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = above.find(|folder| folder.join("test.sh").exists());
    root.expect("the crate lies in the repository")
        .to_path_buf()
}

/// Paths of the Markdown files of a folder, from the root.
fn markdown_in(folder: &str) -> Vec<String> {
    let names = names_in(&root().join(folder)).into_iter();
    let pages = names.filter(|name| name.ends_with(".md"));
    pages.map(|name| format!("{folder}/{name}")).collect()
}

/// Paths of the Markdown files in a folder and in those inside it.
fn markdown_below(folder: &str) -> Vec<String> {
    let inner = names_in(&root().join(folder)).into_iter();
    let inner = inner.map(|name| format!("{folder}/{name}"));
    let inner = inner.filter(|path| root().join(path).is_dir());
    let below = inner.flat_map(|path| markdown_below(&path));
    markdown_in(folder).into_iter().chain(below).collect()
}

/// Compares what lies between two lines of a file with what should; or writes it there.
fn check_between(path: &str, from: &str, to: &str, wanted: &str) {
    let text = read(&root().join(path));
    let start = text
        .find(from)
        .unwrap_or_else(|| panic!("{path} has no line '{from}'"))
        + from.len();
    let length = text[start..]
        .find(to)
        .unwrap_or_else(|| panic!("{path} has no line '{to}' after '{from}'"));
    let wanted = format!("{}{wanted}{}", &text[..start], &text[start + length..]);
    check_file(path, &wanted);
}

/// Compares a file with what it should be; or writes it.
fn check_file(path: &str, wanted: &str) {
    let file = root().join(path);
    if fs::read_to_string(&file).is_ok_and(|text| text == wanted) {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_DOCS").is_some(),
        "{path} is out of date: run docs/update.sh; it should be:\n{wanted}"
    );
    fs::write(file, wanted).unwrap_or_else(|error| panic!("{path}: {error}"));
}

#[test]
fn every_block_is_in_the_source_paragraph_of_a_page() {
    let pages = all_pages(&root());
    let blocks = all_blocks(&root()).into_iter();
    let missing: Vec<String> = blocks
        .filter(|block| !pages.iter().any(|page| page.describes(block)))
        .map(|block| block.path)
        .collect();
    assert!(
        missing.is_empty(),
        "no paragraph 'Source: ...' in docs/blocks names {missing:?}"
    );
}

#[test]
fn every_page_is_named_after_a_block_that_it_describes() {
    let blocks = all_blocks(&root());
    for page in all_pages(&root()) {
        let block = blocks.iter().find(|block| page.is_of(block));
        assert!(
            block.is_some_and(|block| page.describes(block)),
            "docs/blocks/{} ('{}') is not the page of a block of that name",
            page.file,
            page.title
        );
    }
}

/// The rooms of `rtl/src` in the order of a message: in, out, and what all use. The empty one is what stands beside
/// them.
const ROOMS: [&str; 18] = [
    "",
    "network",
    "lists",
    "lookup",
    "admission",
    "delivery",
    "queue",
    "events",
    "commands",
    "messages",
    "triggers",
    "atomics",
    "memory",
    "host",
    "codes",
    "bundle",
    "leaf",
    "l2",
];

/// What the first paragraph of a room's `mod.rs` says of it.
fn about_room(name: &str) -> String {
    let text = read(&root().join(format!("rtl/src/{name}/mod.rs")));
    let about = first_paragraph(&text);
    assert!(
        !about.is_empty(),
        "rtl/src/{name}/mod.rs does not begin with //!"
    );
    let own = format!("Room `{name}`: ");
    capitalised(about.strip_prefix(own.as_str()).unwrap_or(&about))
}

#[test]
fn the_readme_lists_every_block() {
    let (pages, blocks) = (all_pages(&root()), all_blocks(&root()));
    for block in &blocks {
        assert!(
            ROOMS.contains(&room(&block.path)),
            "{} is in no room that rtl/README.md lists",
            block.path
        );
    }
    // A block with a page of its own is a row; a part is named in the row of each block that has it.
    let has_page = |path: &str| {
        let block = blocks.iter().find(|block| block.path == path);
        block.is_some_and(|block| pages.iter().any(|page| page.is_of(block)))
    };
    let mut tables = String::from("\n");
    for name in ROOMS {
        tables += &match name {
            "" => String::from("## The tops\n\nWires between the blocks of the rooms.\n\n"),
            _ => format!("## {name}\n\n{}\n\n", about_room(name)),
        };
        let rows: Vec<String> = blocks
            .iter()
            .filter(|block| room(&block.path) == name)
            .filter_map(|block| {
                let page = pages.iter().find(|page| page.is_of(block))?;
                let parts: Vec<String> = blocks
                    .iter()
                    .filter(|part| page.describes(part) && !has_page(&part.path))
                    .map(|part| format!("[{}](src/{})", part.name, part.path))
                    .collect();
                Some(format!(
                    "| [`{}`](src/{}) | [page](../docs/blocks/{}) | {} | {} |\n",
                    block.name,
                    block.path,
                    page.file,
                    block.purpose,
                    parts.join(", ")
                ))
            })
            .collect();
        if rows.is_empty() {
            tables += "No block with a page of its own.\n\n";
            continue;
        }
        tables += "| block | page | what it does | parts |\n|---|---|---|---|\n";
        tables += &rows.concat();
        tables += "\n";
    }
    check_between(
        "rtl/README.md",
        "<!-- blocks: written by docs/update.sh -->\n",
        "<!-- end of blocks -->",
        &tables,
    );
}

#[test]
fn the_book_lists_every_page() {
    let mut list = String::from("\n");
    for page in all_pages(&root()) {
        list += &format!("- [{}](blocks/{})\n", page.title, page.file);
    }
    check_between("docs/SUMMARY.md", "# Blocks\n", "\n# ", &list);
    let summary = read(&root().join("docs/SUMMARY.md"));
    for page in markdown_below("docs") {
        let page = page.replacen("docs/", "", 1);
        assert!(
            page == "SUMMARY.md" || summary.contains(&format!("({page})")),
            "docs/SUMMARY.md does not list docs/{page}"
        );
    }
}

#[test]
fn the_formats_are_those_of_the_hardware() {
    check_file("docs/reference/formats.md", &formats_page());
}

#[test]
fn the_register_map_is_that_of_the_hardware() {
    check_file("docs/reference/registers.md", &registers_page());
}

/// The sources of what travels between blocks.
fn signal_sources() -> Vec<(&'static str, String)> {
    let files = [
        "pipe.rs",
        "queue.rs",
        "send.rs",
        "memory.rs",
        "matching.rs",
        "atomic.rs",
        "counter.rs",
        "l2.rs",
    ];
    let text = |file| (file, read(&root().join("rtl/types/src").join(file)));
    files.into_iter().map(text).collect()
}

#[test]
fn the_signals_are_those_of_the_hardware() {
    check_file(
        "docs/reference/signals.md",
        &signals_page(&signal_sources()),
    );
}

#[test]
fn the_interface_of_every_block_is_that_of_its_source() {
    let (blocks, structs) = (all_blocks(&root()), struct_places(&signal_sources()));
    let bundles = root().join("rtl/src/bundle");
    let bundles: String = (names_in(&bundles).iter())
        .map(|name| read(&bundles.join(name)))
        .collect();
    for page in all_pages(&root()) {
        let block = blocks.iter().find(|block| page.is_of(block));
        let block = block.unwrap_or_else(|| panic!("{} is of no block", page.file));
        let source = read(&root().join("rtl/src").join(&block.path));
        let up = vec![".."; page.file.split('/').count()].join("/");
        let table = port_table(&source, &block.name, &structs, &up, &bundles);
        let path = format!("docs/blocks/{}", page.file);
        let (from, to) = (
            "<!-- ports: written by docs/update.sh -->\n",
            "<!-- end of ports -->",
        );
        check_between(&path, from, to, &table);
    }
}

/// The anchors of a page, as GitHub makes them of its headings: small letters, digits, `-` and `_`; the second of a
/// name ends in `-1`.
fn anchors(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, line) in truth::prose(text) {
        let level = line.len() - line.trim_start_matches('#').len();
        let Some(heading) = line[level..].strip_prefix(' ').filter(|_| level > 0) else {
            continue;
        };
        // Of a link only the text is seen.
        let parts = heading.split("](").enumerate().map(|(at, part)| match at {
            0 => part,
            _ => part.split_once(')').map_or("", |(_, rest)| rest),
        });
        let seen = parts.collect::<String>().trim().to_lowercase();
        let letters = seen
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        names.push(letters.collect::<String>().replace(' ', "-"));
    }
    let numbered = (0..names.len()).map(|at| {
        let before = names[..at].iter().filter(|name| **name == names[at]);
        match before.count() {
            0 => names[at].clone(),
            count => format!("{}-{count}", names[at]),
        }
    });
    numbered.collect()
}

#[test]
fn every_link_leads_to_a_file_and_to_a_heading_of_it() {
    let mut wrong = Vec::new();
    for page in truth::pages() {
        let text = read(&root().join(&page));
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") || link.contains("::") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let here = root().join(&page);
            let target = match file {
                "" => here,
                _ => here.with_file_name("").join(file),
            };
            if !target.exists() {
                wrong.push(format!("{page}: the link to {link} leads nowhere"));
            } else if !anchor.is_empty() && !anchors(&read(&target)).iter().any(|one| one == anchor)
            {
                wrong.push(format!("{page}: {link}: no such heading"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn anchors_are_those_of_github() {
    let text =
        "# Of `a_b`, & c\n\n## [Link](x.md) - it\n\n```\n# none\n```\n\n## Twice\n\n## Twice\n";
    let wanted = ["of-a_b--c", "link---it", "twice", "twice-1"];
    assert_eq!(anchors(text), wanted);
}

#[test]
fn every_dependency_is_explained() {
    let manifest: toml::Table =
        toml::from_str(&read(&root().join("Cargo.toml"))).expect("Cargo.toml is TOML");
    let dependencies = manifest["workspace"]["dependencies"]
        .as_table()
        .expect("a table of dependencies");
    let page = read(&root().join("docs/dependencies.md"));
    for (name, dependency) in dependencies {
        let ours = dependency.get("path").is_some();
        assert!(
            ours || page.contains(&format!("`{name}` ")),
            "docs/dependencies.md does not explain {name}"
        );
    }
}
