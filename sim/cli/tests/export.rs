//! `xtq export`: the Verilog is accepted by Yosys, Icarus and Verilator, and nothing foreign is overwritten.

mod common;

use common::{Folder, xtq};
use xtq_engine::verilog::File;
use xtq_testbench::verilog_tools::accept_files;

/// The ports of the contract (docs: design of the NIC), by prefix where there are several.
const PORTS: [&str; 9] = [
    "clk",
    "rst",
    "s_axis_net_tdata",
    "m_axis_net_tdata",
    "m_axi_awaddr",
    "m_axi_awatop",
    "m_axi_rdata",
    "s_axil_awaddr",
    "irq",
];

/// The files that the list in a folder names, in its order.
fn exported(dir: &str) -> Vec<File> {
    let list = std::fs::read_to_string(format!("{dir}/files.f")).unwrap();
    let names = list.lines().filter(|line| !line.starts_with("//"));
    let file = |name: &str| File {
        name: name.strip_suffix(".v").unwrap().into(),
        text: std::fs::read_to_string(format!("{dir}/{name}")).unwrap(),
    };
    names.map(file).collect()
}

/// Exports, and gives the result to the three tools.
fn is_accepted(top: &str, module: &str, atomics: bool) {
    let folder = Folder::new(&format!("export-{top}-{atomics}"));
    let dir = folder.path("new/dir");
    let mut arguments = vec!["export", &dir];
    // The whole NIC needs no name.
    if top != "nic" {
        arguments.extend(["--top", top]);
    }
    arguments.extend(atomics.then_some("--atomics"));
    let ran = xtq(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let files = exported(&dir);
    let count = files.len();
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), count + 1);
    let said = format!("{dir}/files.f: module {module}, {count} modules, ");
    assert!(ran.stdout.starts_with(&said), "{}", ran.stdout);
    let (_, declaration) = files[count - 1]
        .text
        .split_once(&format!("\nmodule {module}"))
        .unwrap_or_else(|| panic!("{}", files[count - 1].text));
    let (declaration, _) = declaration.split_once(");").unwrap();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let names: Vec<&str> = declaration.split(word).collect();
    for port in PORTS {
        assert!(names.contains(&port), "{port}: {declaration}");
    }
    let memories = files
        .iter()
        .filter(|file| file.text.contains(" storage [0:"));
    let memories = memories.count();
    assert!(memories > 10, "{memories}");
    accept_files("export", &files, memories).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_export_of_the_nic_is_accepted_by_the_three_tools_without_a_warning() {
    is_accepted("nic", "nic", false);
}

#[test]
fn the_export_of_the_nic_with_atomics_is_accepted_too() {
    is_accepted("nic", "nic", true);
}

#[test]
fn the_export_of_both_builds_of_the_target_side_is_accepted_too() {
    is_accepted("target", "xtq_target", false);
    is_accepted("target", "xtq_target", true);
}

#[test]
fn any_block_is_exported_by_its_name_and_one_that_is_not_there_is_refused_with_the_list() {
    let folder = Folder::new("export-blocks");
    for (called, module) in [
        ("lookup-cache", "lookup_cache"),
        ("lookup_cache", "lookup_cache"),
        ("match", "match_unit"),
        ("trigger", "trigger_engine"),
        // A word of Verilog.
        ("reg", "reg_"),
    ] {
        let dir = folder.path(called);
        let ran = xtq(&["export", &dir, "--top", called]);
        assert_eq!(ran.code, 0, "{called}: {}", ran.stderr);
        let said = format!("{dir}/files.f: module {module}");
        assert!(ran.stdout.starts_with(&said), "{}", ran.stdout);
    }
    let ran = xtq(&["export", &folder.path("none"), "--top", "no-such"]);
    assert_eq!(ran.code, 2);
    for known in ["no-such", "nic", "lookup_cache", "target (xtq_target)"] {
        assert!(ran.stderr.contains(known), "{known}: {}", ran.stderr);
    }
    let ran = xtq(&["export", &folder.path("none"), "--top", "fifo", "--atomics"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--atomics"), "{}", ran.stderr);
}

#[test]
fn what_an_earlier_export_left_is_removed_and_nothing_else() {
    let folder = Folder::new("export-again");
    let dir = folder.path("");
    let at = |name: &str| format!("{dir}/{name}");
    assert_eq!(xtq(&["export", &dir, "--name", "old_nic", "-q"]).code, 0);
    folder.write("mine.v", "module mine(); endmodule\n");
    // Named by the list, but not written by the program.
    let list = std::fs::read_to_string(at("files.f")).unwrap();
    std::fs::write(at("files.f"), list + "mine.v\n").unwrap();
    assert_eq!(xtq(&["export", &dir, "--name", "new_nic", "-q"]).code, 0);
    assert!(!std::fs::exists(at("old_nic.v")).unwrap());
    assert!(std::fs::exists(at("new_nic.v")).unwrap());
    assert!(std::fs::exists(at("mine.v")).unwrap());
    let files = exported(&dir);
    // These, the list and mine.
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), files.len() + 2);
}

#[test]
fn its_own_file_is_overwritten_and_no_other() {
    let folder = Folder::new("export-twice");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "-q"]).code, 0);
    assert_eq!(xtq(&["export", &dir, "-q"]).code, 0);
    let mine = folder.write("mine.v", "module mine(); endmodule\n");
    let ran = xtq(&["export", &dir, "--name", "mine"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("was not written by `xtq export`"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        std::fs::read_to_string(&mine).unwrap(),
        "module mine(); endmodule\n"
    );
    let ran = xtq(&["export", &mine]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("is a file, not a folder"),
        "{}",
        ran.stderr
    );
    assert_eq!(xtq(&["export", &format!("{mine}/below")]).code, 2);
}
