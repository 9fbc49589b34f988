//! The files that pages and comments cite are there, and their lines fit a screen.

use super::blocks::read;
use super::root;
use super::truth::{all_files, comment, pages, prose};
use std::collections::BTreeSet;

/// Endings of the files that are cited.
const ENDINGS: [&str; 8] = [".md", ".rs", ".toml", ".py", ".sh", ".v", ".vh", ".mjs"];

/// The files that a line names, without those whose names only stand for one: `NAME.toml`, `s.toml`.
fn cited(line: &str) -> Vec<&str> {
    let of_path = |c: char| c.is_ascii_alphanumeric() || "_-./<>*".contains(c);
    let words = line
        .split(|c| !of_path(c))
        .map(|word| word.trim_end_matches('.'));
    let file = |word: &&str| {
        let Some(end) = ENDINGS.iter().find(|end| word.ends_with(*end)) else {
            return false;
        };
        let stem = word
            .trim_end_matches(end)
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let stands_for_one = stem.len() < 2
            || stem.chars().all(|c| c.is_ascii_uppercase()) && stem != "README"
            || word.contains(['<', '*']);
        !stands_for_one && !word.contains("//")
    };
    words.filter(file).collect()
}

/// What is written by the program and is no file of the repository.
const WRITTEN: [&str; 3] = ["registers.md", "tops.rs", "my.toml"];

#[test]
fn every_file_that_is_cited_is_there() {
    let files = all_files();
    // Of a path the end is enough.
    let there = |name: &str| {
        let name = name.trim_start_matches("./").trim_start_matches("../");
        let end = format!("/{name}");
        WRITTEN.contains(&name)
            || files
                .iter()
                .any(|file| file == name || file.ends_with(&end))
    };
    let pages: BTreeSet<String> = pages().into_iter().collect();
    let mut wrong = Vec::new();
    for path in &files {
        let page = pages.contains(&format!("./{path}")) || pages.contains(path);
        let source = [".rs", ".py", ".sh", ".v", ".vh", ".toml"]
            .iter()
            .any(|end| path.ends_with(end));
        let skipped = path.ends_with("CHANGELOG.md") || path.starts_with("docs/how-to/add-");
        if skipped || !(page || source) {
            continue;
        }
        let text = read(&root().join(path));
        let lines: Vec<(usize, &str)> = match page {
            true => prose(&text),
            false => (1..)
                .zip(text.lines())
                .filter_map(|(n, line)| Some((n, comment(path, line)?)))
                .collect(),
        };
        for (number, line) in lines {
            let gone = cited(line).into_iter().filter(|name| !there(name));
            wrong.extend(gone.map(|name| format!("{path}:{number}: {name}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "cited and not there:\n{}",
        wrong.join("\n")
    );
}

/// The most columns of a line of prose.
const WIDTH: usize = 120;

#[test]
fn no_line_of_prose_is_wider_than_a_screen() {
    let mut wrong = Vec::new();
    let mut look = |path: &str, number: usize, line: &str| {
        // A word without a blank cannot be wrapped, nor can a row of a table.
        let words = line.trim().trim_start_matches(['/', '!', '*', '-', ' ']);
        if line.chars().count() > WIDTH && words.contains(' ') && !words.starts_with(['|', '<']) {
            wrong.push(format!("{path}:{number}"));
        }
    };
    // What the program writes is as wide as what it is made of.
    let written = ["docs/reference/", "docs/experiments/"];
    for page in pages() {
        if written.iter().any(|folder| page.starts_with(folder)) {
            continue;
        }
        let mut by_hand = true;
        for (number, line) in prose(&read(&root().join(&page))) {
            // Between two marks as well.
            by_hand = line.starts_with("<!-- end") || by_hand && !line.starts_with("<!-- ");
            if by_hand {
                look(&page, number, line);
            }
        }
    }
    for path in all_files().into_iter().filter(|path| path.ends_with(".rs")) {
        let text = read(&root().join(&path));
        let comments = |line| comment(&path, line).map(|text| text.trim_start_matches(['/', '!']));
        // As on a page, examples and drawings are as wide as they are.
        let text: String = text
            .lines()
            .map(|line| match comments(line) {
                Some(text) if text.trim_start().starts_with("```") => {
                    format!("{}\n", text.trim_start())
                }
                Some(_) => format!("{line}\n"),
                None => String::from("\n"),
            })
            .collect();
        for (number, line) in prose(&text) {
            look(&path, number, line);
        }
    }
    assert!(
        wrong.is_empty(),
        "wider than {WIDTH} columns:\n{}",
        wrong.join("\n")
    );
}
