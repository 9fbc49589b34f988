//! What documents and comments say of the hardware and of the repository is so.

use super::blocks::{names_in, read};
use super::{markdown_below, markdown_in, root};
use std::collections::BTreeSet;

/// The pages that people read: those beside the sources, and the book.
pub fn pages() -> Vec<String> {
    let beside = [".", "rtl", "sim", "fpga"]
        .into_iter()
        .flat_map(markdown_in);
    beside.chain(markdown_below("docs")).collect()
}

/// Paths of all files of the repository, from the root.
pub fn all_files() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for name in names_in(&root().join(&folder)) {
            let path = format!("{folder}{name}");
            // What tools leave there.
            let foreign = ["target", "build", "__pycache__"].contains(&name.as_str());
            let hidden = name.starts_with('.') && ![".cargo", ".config"].contains(&name.as_str());
            if foreign || hidden {
                continue;
            }
            match root().join(&path).is_dir() {
                true => folders.push(format!("{path}/")),
                false => found.push(path),
            }
        }
    }
    found
}

/// The lines of a page outside of its blocks of code and drawings, with their numbers.
pub fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut code = false;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    });
    lines.collect()
}

/// The comment of a line of a source file, if it has one.
pub fn comment<'a>(path: &str, line: &'a str) -> Option<&'a str> {
    let line = line.trim_start();
    match path.rsplit('.').next() {
        Some("rs" | "v" | "vh") => line.strip_prefix("//"),
        _ => line.strip_prefix('#'),
    }
}

/// The words of a line in capitals with an underline: `NO_PORTAL`.
fn capital_names(line: &str) -> Vec<&str> {
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = line.split(|c| !letters(c));
    let capitals = |word: &&str| {
        word.contains('_')
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.ends_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
            && !word.contains(|c: char| c.is_ascii_lowercase())
    };
    words.filter(capitals).collect()
}

/// What is stated of Portals 4 and is no code of the hardware.
const PORTALS: [&str; 8] = [
    "ALLOC_DISABLED",
    "ARG_INVALID",
    "MATCH_UNORDERED",
    "NID_ANY",
    "OC_ACK",
    "ONLY_TRUNCATE",
    "ONLY_USE_ONCE",
    "UID_ANY",
];

/// What case files lack by name, and a list in a script.
const OTHERS: [&str; 2] = ["INDEX_FIELD", "NOT_MEASURED"];

#[test]
fn every_name_in_capitals_is_a_code_of_the_hardware() {
    let sources = names_in(&root().join("rtl/types/src")).into_iter();
    let sources: Vec<String> = sources
        .map(|name| read(&root().join("rtl/types/src").join(name)))
        .collect();
    let text = sources.concat();
    // Constants, also those of a list: `pub const NAME: u8 = 1;`, `NAME = 1,`.
    let constants = text.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub const ");
        line.split([':', ' ']).next()
    });
    // Registers are named in tables.
    let codes: BTreeSet<&str> = constants.chain(text.split('"')).collect();
    // Variables of the environment are named where they are read.
    let scripts = all_files().into_iter().filter(|path| {
        [".sh", ".py", ".rs", "/run"]
            .iter()
            .any(|end| path.ends_with(end))
            && !path.starts_with("testbench/tests/pages/")
    });
    let scripts: String = scripts.map(|path| read(&root().join(path))).collect();
    let variables: BTreeSet<&str> = capital_names(&scripts).into_iter().collect();
    let mut wrong = Vec::new();
    for page in pages() {
        // A log may speak of what is gone, a recipe of what is not there yet.
        if page.ends_with("CHANGELOG.md") || page.starts_with("docs/how-to/") {
            continue;
        }
        for (number, line) in prose(&read(&root().join(&page))) {
            for name in capital_names(line) {
                let variable = ["XTQ_", "UPDATE_", "CARGO_", "COCOTB_"];
                let variable = variable.iter().any(|start| name.starts_with(start));
                let known = match (name.strip_prefix("PTL_"), variable) {
                    (Some(name), _) => {
                        name.starts_with("SR_") || name == "IOVEC" || PORTALS.contains(&name)
                    }
                    (_, true) => codes.contains(name) || variables.contains(name),
                    _ => [
                        codes.contains(name),
                        PORTALS.contains(&name),
                        OTHERS.contains(&name),
                    ]
                    .contains(&true),
                };
                if !known {
                    wrong.push(format!("{page}:{number}: {name}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "no code of rtl/types/src:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_child_of_a_top_is_in_its_picture() {
    let tops = [
        ("nic.rs", "docs/nic.md"),
        ("initiator.rs", "docs/initiator.md"),
        ("target_pipeline.rs", "docs/target-pipeline.md"),
    ];
    for (source, page) in tops {
        let source = read(&root().join("rtl/src").join(source));
        let fields = source.split("pub struct ").nth(1).expect("a struct");
        let fields = fields.split("\n}").next().unwrap_or_default();
        // A child is a private field that is no signal.
        let children = fields
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("pub "));
        let children = children.filter_map(|line| line.split_once(": "));
        let children =
            children.filter(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        let types = children.map(|(_, kind)| kind.split(['<', ',']).next().unwrap_or_default());
        let children: BTreeSet<&str> = types.filter(|kind| *kind != "Signal").collect();
        assert!(
            children.len() > 5,
            "the children of {page} were not found: {children:?}"
        );
        let text = read(&root().join(page));
        let picture = text.split("```").nth(1).expect("a picture");
        let words: BTreeSet<&str> = picture.split(|c: char| !c.is_alphanumeric()).collect();
        for child in children {
            assert!(
                words.contains(child),
                "{child} is not in the picture of {page}"
            );
        }
    }
}
