//! The tests that `docs/portals-model.md` names exist.

use std::path::Path;

#[test]
fn every_test_that_the_page_names_exists() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    };
    let page = read(&root.join("../docs/portals-model.md"));
    let (_, rules) = page
        .split_once("| rule | place | tests |")
        .expect("the table of the rules");
    let (rules, _) = rules.split_once("\n\n").expect("an end of the table");
    let mut named = 0;
    for text in rules.split('`').filter(|text| text.contains("::")) {
        let (file, test) = text.split_once("::").expect("it contains ::");
        // `Type::function` is a place in the model.
        if file.starts_with(char::is_uppercase) {
            continue;
        }
        let source = read(&root.join(format!("tests/models/portals_model/{file}.rs")));
        assert!(source.contains(&format!("fn {test}")), "{text}");
        named += 1;
    }
    assert!(named > 80, "only {named} tests are named");
}
