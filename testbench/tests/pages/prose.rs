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

/// What a recipe's example would add.
const EXAMPLES: [&str; 2] = ["compnet-latency.toml", "compnet_latency/mod.rs"];

#[test]
fn every_file_that_is_cited_is_there() {
    let files = all_files();
    // Of a path the end is enough.
    let there = |name: &str| {
        let name = name.trim_start_matches("./").trim_start_matches("../");
        let end = format!("/{name}");
        WRITTEN.contains(&name)
            || EXAMPLES.iter().any(|example| name.ends_with(example))
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
        if path.ends_with("CHANGELOG.md") || !(page || source) {
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

/// What a line has between backticks, if it could name a test: words in small letters, five or more. After `file::` the
/// beginning of a name is enough.
fn tests_named(line: &str) -> Vec<(&str, bool)> {
    let quoted = line.split('`').skip(1).step_by(2);
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let names = quoted.map(|name| match name.rsplit_once("::") {
        Some((_, name)) => (name, true),
        None => (name, false),
    });
    names
        .filter(|(name, _)| name.chars().all(small) && name.split('_').count() > 4)
        .collect()
}

#[test]
fn every_test_that_a_page_names_is_there() {
    let sources = all_files().into_iter().filter(|path| path.ends_with(".rs"));
    let sources: String = sources.map(|path| read(&root().join(path))).collect();
    let functions: BTreeSet<&str> = sources
        .split("fn ")
        .filter_map(|rest| rest.split(['(', '<']).next())
        .collect();
    let (mut wrong, mut found) = (Vec::new(), 0);
    for page in pages() {
        if page.ends_with("CHANGELOG.md") {
            continue;
        }
        for (number, line) in prose(&read(&root().join(&page))) {
            let names = tests_named(line);
            found += names.len();
            let gone = names.into_iter().filter(|(name, begins)| {
                !functions
                    .iter()
                    .any(|one| one == name || *begins && one.starts_with(name))
            });
            wrong.extend(gone.map(|(name, _)| format!("{page}:{number}: {name}")));
        }
    }
    assert!(found > 50, "pages name only {found} tests");
    assert!(wrong.is_empty(), "no such test:\n{}", wrong.join("\n"));
}

/// The most words of a sentence.
const WORDS: usize = 40;

/// The sentences of a page's paragraphs and points, without tables and headings, each with the line that it begins in.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut last, mut open, mut by_hand, mut list) = (0, false, true, false);
    for (number, line) in prose(text) {
        let line = line.trim();
        let first = line.split(' ').next().unwrap_or_default();
        // What stands between two marks is written by a program; sources are a list.
        by_hand = line.starts_with("<!-- end") || by_hand && !line.starts_with("<!-- ");
        list = number == last + 1 && list && !line.is_empty() || first == "Source:";
        let point = ["*", "-"].contains(&first)
            || first.ends_with('.') && first.starts_with(|c: char| c.is_ascii_digit());
        open &= number == last + 1 && !point;
        last = number;
        if line.is_empty() || line.starts_with(['|', '#', '<', '!']) || list || !by_hand {
            open = false;
            continue;
        }
        for word in line.split_whitespace() {
            let end = word.trim_end_matches(['*', ')', '"', '`']);
            let ends = end.ends_with(['.', '?', '!']);
            if !word.contains(char::is_alphanumeric) {
                open &= !ends;
                continue;
            }
            match found.last_mut().filter(|_| open) {
                Some((_, sentence)) => *sentence += &format!(" {word}"),
                None => found.push((number, word.to_owned())),
            }
            open = !ends;
        }
    }
    found
}

#[test]
fn no_sentence_of_a_page_is_too_long() {
    let mut wrong = Vec::new();
    for page in pages() {
        if page.starts_with("docs/reference/") || page.starts_with("docs/experiments/") {
            continue;
        }
        for (number, sentence) in sentences(&read(&root().join(&page))) {
            let words = sentence.split(' ').count();
            if words > WORDS {
                wrong.push(format!("{page}:{number}: {words} words: {sentence}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "more than {WORDS} words:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_sentence_begins_after_a_full_stop_and_in_a_point_of_a_list() {
    let text = "# Head\n\nOne two\nthree (`a.b`). Four!\n\n| five | six |\n\n* seven\n* eight nine\n  ten\n";
    let found: Vec<String> = sentences(text).into_iter().map(|(_, one)| one).collect();
    let wanted = ["One two three (`a.b`).", "Four!", "seven", "eight nine ten"];
    assert_eq!(found, wanted);
}

/// The most columns of a line of prose.
const WIDTH: usize = 120;

#[test]
fn no_line_of_prose_is_wider_than_a_screen() {
    let mut wrong = Vec::new();
    let mut look = |path: &str, number: usize, line: &str| {
        // A word without a blank cannot be wrapped, nor can a row of a table.
        let words = line
            .trim()
            .trim_start_matches(['/', '!', '#', '*', '-', ' ']);
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
    let sources = all_files().into_iter().filter(|path| {
        let ends = [".rs", ".v", ".vh", ".py", ".sh", ".toml", "/run"];
        ends.iter().any(|end| path.ends_with(end))
    });
    for path in sources {
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
