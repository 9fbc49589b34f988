//! The places that the recipes of `docs/how-to` name and that neither the compiler nor a test of what they do asks for.

use super::blocks::{all_blocks, all_pages, read};
use super::truth::all_files;
use super::{markdown_in, root};
use std::collections::BTreeSet;
use xtq_cdag::collectives::VARIANTS;
use xtq_types::command::operation;
use xtq_types::register_list::{
    Access, CONTEXT_REGISTERS, GLOBAL_INITIATOR_REGISTERS, GLOBAL_REGISTERS, INITIATOR_REGISTERS,
    RegisterInfo,
};

/// The text of all Rust files below a folder, but of those in a folder that a part of the path names.
fn text_below(folder: &str, without: &str) -> String {
    let files = all_files().into_iter();
    let files = files.filter(|file| file.starts_with(folder) && file.ends_with(".rs"));
    let files = files.filter(|file| without.is_empty() || !file.contains(without));
    let text: String = files.map(|file| read(&root().join(file))).collect();
    assert!(!text.is_empty(), "{folder} has no source");
    text
}

/// The words of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect()
}

#[test]
fn every_operation_has_a_command_of_the_host_library() {
    let text = text_below("testbench/src/host/", "/tests/");
    let words = words(&text);
    for code in operation::CODES {
        assert!(
            words.contains(code.name),
            "no function of testbench/src/host makes a {}",
            code.name
        );
    }
}

#[test]
fn every_command_of_the_host_library_has_its_bytes_in_a_test() {
    let library = text_below("testbench/src/host/", "/tests/");
    let tests = text_below("testbench/src/host/tests/", "");
    let functions = library.split("\npub fn ").skip(1).filter_map(|rest| {
        let (head, _) = rest.split_once('{')?;
        let name = head.split(['(', '<']).next()?;
        head.trim_end().ends_with("-> Command").then_some(name)
    });
    let functions: Vec<&str> = functions.collect();
    assert!(functions.len() > 20, "{functions:?}");
    let tested = words(&tests);
    for name in functions {
        assert!(
            tested.contains(name),
            "no test of testbench/src/host/tests calls {name}"
        );
    }
}

#[test]
fn every_output_of_the_registers_is_connected_and_read_by_a_test() {
    let source = read(&root().join("rtl/src/host/registers.rs"));
    let fields = source
        .split("pub struct Registers")
        .nth(1)
        .expect("a struct");
    let fields = fields.split("\n}").next().unwrap_or_default();
    let ports = fields
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub "));
    let outputs = ports.filter_map(|line| {
        let (name, kind) = line.split_once(": ")?;
        let kind = kind.split('<').next()?;
        (kind.ends_with("Out") || line.contains("<Out,")).then_some(name)
    });
    let outputs: Vec<&str> = outputs.collect();
    assert!(outputs.len() > 10, "{outputs:?}");
    let top = read(&root().join("rtl/src/nic.rs"));
    // The rig names all ports.
    let tests = text_below("testbench/tests/host/registers", "/rig.rs");
    for name in outputs {
        let port = format!("self.registers.{name}");
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let connected = top.split(&port).skip(1).any(is_end);
        assert!(connected, "rtl/src/nic.rs does not read {port}");
        assert!(
            tests.contains(&format!("\"{name}")),
            "no test of testbench/tests/host/registers reads {name}"
        );
    }
}

#[test]
fn every_page_of_a_block_names_its_tests() {
    for page in all_pages(&root()) {
        let text = read(&root().join("docs/blocks").join(&page.file));
        let tests = text.split("\n## Tests\n").nth(1);
        let tests = tests.unwrap_or_else(|| panic!("{} has no section Tests", page.file));
        // A top is tested by scenarios.
        assert!(
            tests.contains("`testbench/tests/") || page.title == "XtqTarget",
            "the section Tests of {} names no file of testbench/tests",
            page.file
        );
    }
}

/// Blocks with a page that are in no budget, for the reasons that `NOT_MEASURED` in `fpga/area/report.py` has.
const WITHOUT_BUDGET: [&str; 4] = ["reg", "hash_match", "exact_match", "partitioned_match"];

#[test]
fn every_block_with_a_page_has_a_budget() {
    let text = read(&root().join("fpga/budget.json"));
    let budgets: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (blocks, pages) = (all_blocks(&root()), all_pages(&root()));
    for block in blocks {
        let name = block.path.rsplit('/').next().unwrap_or_default();
        let name = name.trim_end_matches(".rs");
        if !pages.iter().any(|page| page.is_of(&block)) || WITHOUT_BUDGET.contains(&name) {
            continue;
        }
        assert!(
            budgets["blocks"][name].is_object(),
            "{name} has no budget: `fpga/run report --update {name}` sets it"
        );
    }
}

#[test]
fn every_variant_of_a_collective_is_on_the_page() {
    let page = read(&root().join("docs/collectives.md"));
    let table = page.split("\n| collective | algorithms |\n").nth(1);
    let table = table.and_then(|rest| rest.split("\n\n").next());
    let rows = table.expect("a table of collectives").lines().skip(1);
    let on_page: BTreeSet<(&str, &str)> = rows
        .filter_map(|row| row.trim_matches(['|', ' ']).split_once(" | "))
        .flat_map(|(names, algorithms)| {
            let algorithms = algorithms.split('`').skip(1).step_by(2);
            algorithms.flat_map(move |one| names.split(", ").map(move |name| (name, one)))
        })
        .collect();
    let there = VARIANTS.iter();
    let there: BTreeSet<(&str, &str)> = there
        .map(|variant| (variant.collective, variant.algorithm))
        .collect();
    assert_eq!(on_page, there, "on docs/collectives.md, and in VARIANTS");
}

#[test]
fn every_test_of_the_night_that_a_recipe_names_is_said_to_be_one() {
    let settings: toml::Table =
        toml::from_str(&read(&root().join(".config/nextest.toml"))).expect("TOML");
    let filter = settings["profile"]["default"]["default-filter"].as_str();
    let tests = filter.expect("a filter").split("test(=").skip(1);
    let nightly = tests.filter_map(|rest| rest.split(')').next()?.rsplit("::").next());
    let nightly: Vec<&str> = nightly.collect();
    assert!(nightly.len() > 10, "{nightly:?}");
    let (mut wrong, mut named) = (Vec::new(), 0);
    for page in markdown_in("docs/how-to") {
        let text = read(&root().join(&page));
        // A row of a table speaks for itself, else the whole paragraph.
        let parts = text
            .split("\n\n")
            .flat_map(|part| match part.starts_with('|') {
                true => part.lines().collect(),
                false => vec![part],
            });
        for part in parts {
            let tests = nightly.iter().filter(|name| part.contains(*name));
            let tests: Vec<&&str> = tests.collect();
            named += tests.len();
            if !tests.is_empty() && !part.contains("night") {
                wrong.push(format!("{page}: {tests:?}"));
            }
        }
    }
    assert!(named > 0, "no recipe names any of {nightly:?}");
    assert!(wrong.is_empty(), "nightly only: {wrong:#?}");
}

#[test]
fn every_register_that_is_not_read_as_it_was_written_is_on_the_page_of_registers() {
    let page = read(&root().join("docs/blocks/host/registers.md"));
    let own_words = page.split("<!-- end of ports -->").nth(1).expect("a table");
    let named = words(own_words);
    let registers = [
        GLOBAL_REGISTERS.as_slice(),
        &GLOBAL_INITIATOR_REGISTERS,
        &CONTEXT_REGISTERS,
        &INITIATOR_REGISTERS,
    ];
    let special = |register: &RegisterInfo| {
        matches!(register.access, Access::WriteOnly | Access::WriteOneToClear)
    };
    let special = registers.concat().into_iter().filter(special);
    let special: Vec<&str> = special.map(|register| register.name).collect();
    assert!(special.len() > 2, "{special:?}");
    let missing: Vec<&&str> = (special.iter().filter(|name| !named.contains(*name))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
