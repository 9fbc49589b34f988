//! `fpga/area/budget.py`: what makes a run fail, and what it measures; `fpga/area/page.py`: the tables;
//! `fpga/area/sdf.py`, `seeds.py`: the path of a block that is placed, and the median of seeds; `fpga/area/sta.py`,
//! `memories.py`: the path in standard cells.

use crate::common::root;
use std::process::Command;

#[test]
fn a_block_that_grows_or_gets_slower_fails_the_run_and_is_named_with_its_path() {
    let mut python = Command::new("python3");
    python.args([
        "-B",
        "-m",
        "unittest",
        "test_budget",
        "test_page",
        "test_sdf",
        "test_memories",
        "test_sta",
        "test_seeds",
    ]);
    let ran = python.current_dir(root().join("fpga/area")).output();
    let ran = ran.unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("Ran 59 tests"), "{said}");
}
