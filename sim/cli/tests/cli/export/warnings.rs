//! `fpga/check_log.py`: a flow whose log has a warning that is not known fails, and names it.

use crate::common::{Folder, root};
use std::process::Command;

/// What the script says of a log, and whether the flow succeeds. Each test has a folder of its own.
fn check(test: &str, log: &str) -> (bool, String) {
    let folder = Folder::new(test);
    let file = folder.path("flow.log");
    std::fs::write(&file, log).unwrap();
    let script = root().join("fpga/check_log.py");
    let mut python = Command::new("python3");
    let ran = python.arg("-B").arg(script).arg(file).output().unwrap();
    let said = String::from_utf8([ran.stdout, ran.stderr].concat()).unwrap();
    (ran.status.success(), said)
}

#[test]
fn a_log_without_warnings_or_with_known_ones_passes() {
    for log in [
        "",
        "Yosys 0.23\nWarnings: 3 unique messages, 7 total\n",
        "ABC: Warning: The network is combinational (run \"fraig\" or \"fraig_sweep\").\n",
        "\x1b[1;33mABC: Warning: The network is combinational (run \"fraig\" or \"fraig_sweep\").\x1b[0m\n",
        "Warning: Resizing cell port fifo.mem.storage.0.12.ADDRARDADDR from 5 bits to 15 bits.\n",
        "     0.00ns WARNING  gpi                                vpi_iterate returned NULL for type vpiInstance for object NULL\n",
        "Warning: Max frequency for clock '$glbnet$clk$TRELLIS_IO_IN': 81.20 MHz (FAIL at 200.00 MHz)\n",
    ] {
        assert_eq!(check("known", log), (true, String::new()), "{log}");
    }
}

#[test]
fn a_warning_that_is_not_known_fails() {
    for warning in [
        "%Warning-WIDTH: nic.v:12:3: Operator ASSIGN expects 4 bits",
        "nic.v:7: warning: implicit definition of wire 'x'.",
        "Warning: Wire nic.\\x is used but has no driver.",
        "WARNING: Parse error. Could not read file",
        "5.00ns WARNING  cocotb.nic                         valid is X",
        "test.py:7: RuntimeWarning: coroutine 'idle' was never awaited",
        // A port that is no memory's, and more after a known text.
        "Warning: Resizing cell port nic.parser.data from 5 bits to 15 bits.",
        "Warning: Resizing cell port a.storage.0.1.ADDRA from 5 bits to 15 bits. And more.",
    ] {
        let (passed, said) = check(
            "unknown",
            &format!("before\n  {warning}\n{warning}\nafter\n"),
        );
        assert!(!passed, "{warning}");
        // The line once, and what to do.
        assert_eq!(said.matches(warning).count(), 1, "{said}");
        assert!(
            said.contains("(1): mend what they are about, or add them with the reason"),
            "{said}"
        );
    }
}
