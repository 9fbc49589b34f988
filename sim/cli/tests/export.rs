//! `xtq export`: the Verilog is accepted by Yosys, Icarus and Verilator, and nothing foreign is overwritten.

mod common;

use common::{Folder, xtq};
use xtq_testbench::verilog_tools::accept_top;

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

#[test]
fn the_exported_top_is_accepted_by_the_three_tools() {
    let folder = Folder::new("export");
    let ran = xtq(&["export", &folder.path("new/dir")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let file = folder.path("new/dir/xtq_target.v");
    assert!(
        ran.stdout
            .starts_with(&format!("{file}: module xtq_target, ")),
        "{}",
        ran.stdout
    );
    let verilog = std::fs::read_to_string(file).unwrap();
    let (_, declaration) = verilog.split_once("\nmodule xtq_target").unwrap();
    let (declaration, _) = declaration.split_once(");").unwrap();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let names: Vec<&str> = declaration.split(word).collect();
    for port in PORTS {
        assert!(names.contains(&port), "{port}: {declaration}");
    }
    accept_top("export", "xtq_target", &verilog).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn its_own_file_is_overwritten_and_no_other() {
    let folder = Folder::new("export-twice");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "--top", "nic", "-q"]).code, 0);
    assert_eq!(xtq(&["export", &dir, "--top", "nic", "-q"]).code, 0);
    let mine = folder.write("mine.v", "module mine(); endmodule\n");
    let ran = xtq(&["export", &dir, "--top", "mine"]);
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
