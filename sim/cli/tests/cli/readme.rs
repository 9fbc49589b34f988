//! The README shows what `cargo run --release` prints; `docs/update.sh` writes it.

use std::fs;
use std::path::Path;
use std::process::Command;

const FROM: &str = "```text\n$ cargo run --release\n";
const TO: &str = "```";

/// The text without the numbers that the machine's clock decides.
fn without_speed(text: &str) -> String {
    let words = text.split(' ').collect::<Vec<_>>();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let kept = words.iter().enumerate().map(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let units = ["cycles/s,", "node-cycles/s,", "s,", "s;", "KiB"];
        match is_number(word) && units.contains(&next) {
            true => "N",
            false => word,
        }
    });
    kept.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_readme_shows_what_the_default_run_prints() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtq"))
        .output()
        .expect("xtq runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{printed}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(&file).expect("README.md");
    let start = readme.find(FROM).expect("the README has a transcript") + FROM.len();
    let end = start + readme[start..].find(TO).expect("the transcript ends");
    let same = without_speed(&readme[start..end]) == without_speed(&printed);
    if !same && std::env::var_os("UPDATE_DOCS").is_some() {
        let new = format!("{}{printed}{}", &readme[..start], &readme[end..]);
        fs::write(file, new).expect("README.md can be written");
        return;
    }
    assert!(
        same,
        "README.md is out of date: run docs/update.sh; it should show:\n{printed}"
    );
}
