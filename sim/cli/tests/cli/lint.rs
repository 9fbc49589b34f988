//! `xtq lint`: the hardware keeps all rules, and a kernel that does not is found.

use crate::common::{Folder, xtq};
use serde_json::Value;

const BAD: &str = "impl Logic for Bad {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() + LIMIT;
    }
}
";

#[test]
fn the_hardware_keeps_all_rules() {
    let ran = xtq(&["lint"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let words: Vec<&str> = ran.stdout.split_ascii_whitespace().collect();
    let [tops, "tops,", files, "source", "files:", "0", "findings"] = words[..] else {
        panic!("the summary and nothing else: {}", ran.stdout);
    };
    for count in [tops, files] {
        assert!(count.parse::<usize>().unwrap() > 50, "{}", ran.stdout);
    }
}

#[test]
fn a_bad_kernel_is_found_with_file_and_line_in_text_and_json() {
    let folder = Folder::new("lint");
    let file = folder.write("bad.rs", BAD);
    let ran = xtq(&["lint", &file, "--json", "-"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains(&format!("unknown-name: {file}:4: LIMIT: ")),
        "{}",
        ran.stderr
    );
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["passed"], false);
    assert!(report["tops"].as_array().unwrap().len() > 50);
    let finding = &report["sources"]["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["line"]),
        (&"unknown-name".into(), &4.into())
    );
}

#[test]
fn a_file_that_is_missing_or_not_rust_is_named() {
    let folder = Folder::new("lint-broken");
    let broken = folder.write("broken.rs", "fn a( {}\n");
    for file in ["no/such.rs", &broken] {
        let ran = xtq(&["lint", file]);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(file) && ran.stdout.is_empty(),
            "{}",
            ran.stderr
        );
    }
}
