//! Progress is drawn on a terminal, and nowhere else. `script` (util-linux) is the terminal.

use crate::common::{Folder, ran, root, xtq};
use std::process::Command;

/// What a terminal shows of `xtq` with these arguments.
fn on_a_terminal(arguments: &str) -> String {
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_xtq"));
    let output = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(root())
        .output();
    let ran = ran(output.expect("script of util-linux is installed"));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    ran.stdout
}

#[test]
fn a_long_run_counts_its_cycles_on_a_terminal() {
    let scenario = "scenarios/queue-full.toml";
    let shown = on_a_terminal(&format!("run {scenario}"));
    assert!(shown.contains(" cycle 1"), "{shown}");
    assert!(!on_a_terminal(&format!("run -q {scenario}")).contains("cycle"));
    assert_eq!(xtq(&["run", scenario]).stderr, "");
}

#[test]
fn programs_of_several_nodes_are_counted_with_the_time_left() {
    let shown = on_a_terminal("run --make \"ring --nodes 3 --rounds 40\"");
    assert!(
        shown.contains(" step ") && shown.contains(" left)"),
        "{shown}"
    );
    let steps = shown.split(" step ").skip(1);
    let all: Vec<&str> = steps
        .filter_map(|step| step.split([' ', ',']).nth(2))
        .collect();
    // Five to set up, three in a round, one at the end.
    assert!(all.iter().all(|all| *all == "378"), "{all:?}");
    let ran = xtq(&["run", "--make", "ring --nodes 3 --rounds 2"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn check_counts_its_cases_on_a_terminal() {
    let cases = "testbench/cases/aql-xtq.json";
    let shown = on_a_terminal(&format!("check {cases}"));
    assert!(shown.contains(" case 1 of "), "{shown}");
    let folder = Folder::new("progress");
    let file = folder.path("r.json");
    for arguments in [&["check", cases][..], &["check", cases, "--json", &file]] {
        let ran = xtq(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(!ran.stdout.contains(" of "), "{}", ran.stdout);
    }
}
