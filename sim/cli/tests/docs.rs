//! The generated parts of the documentation are up to date. `XTQ_BLESS=1 cargo test -p xtq --test docs` writes them.

mod common;

use common::root;
use xtq_testbench::scenario::{json_schema, reference::markdown, report_schema};

/// Compares the text between `<!-- NAME: ... -->` and `<!-- end -->` of a page with `want`, or writes it.
fn check(page: &str, name: &str, want: &str) {
    let path = root().join("docs").join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find(&format!("<!-- {name}: ")).unwrap();
    let start = start + text[start..].find('\n').unwrap() + 1;
    let end = start + text[start..].find("<!-- end -->").unwrap();
    let want = format!("\n{}\n\n", want.trim());
    if std::env::var_os("XTQ_BLESS").is_some() {
        std::fs::write(path, format!("{}{want}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert!(
        text[start..end] == want,
        "docs/{page} is not up to date: XTQ_BLESS=1 cargo test -p xtq --test docs"
    );
}

#[test]
fn the_reference_of_scenarios_is_up_to_date() {
    check(
        "scenario.md",
        "reference",
        &markdown("The file", &json_schema()),
    );
}

#[test]
fn the_reference_of_the_report_is_up_to_date() {
    check(
        "user-guide.md",
        "report",
        &markdown("The report", &report_schema()),
    );
}

#[test]
fn the_example_of_the_scenario_page_can_be_read() {
    let page = std::fs::read_to_string(root().join("docs/scenario.md")).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let plan =
        xtq_testbench::scenario::parse("docs/scenario.md", example, std::path::Path::new("."));
    assert_eq!(
        plan.unwrap_or_else(|error| panic!("{error}"))
            .messages
            .len(),
        1
    );
}
