//! `xtq bench`: every engine gives the same outputs, and the report says what ran.

use crate::common::child::Running;
use crate::common::{Folder, xtq};
use serde_json::Value;
use std::process::Command;

#[test]
fn a_short_benchmark_agrees_and_reports_every_row() {
    let folder = Folder::new("bench");
    let page = folder.write(
        "page.md",
        "before\n<!-- bench -->\nold\n<!-- end of bench -->\nafter\n<!-- contract -->\nold\n<!-- end of contract -->\n",
    );
    let run = xtq(&[
        "bench",
        "--no-verilator",
        "--rounds",
        "1",
        "--messages",
        "5",
        "--markdown",
        &page,
        "--json",
        "-",
    ]);
    // The engines agree; the contract is missed (`testbench/tests/models/contract.rs` names what).
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["agree"], true);
    let rows = report["rows"].as_array().unwrap();
    for engine in ["oracle", "interp", "jit", "aot"] {
        let of = rows.iter().filter(|row| row["engine"] == engine);
        for row in of.clone() {
            assert_eq!(row["rates"].as_array().unwrap().len(), 1, "{row}");
            assert_eq!(row["digest"].as_str().unwrap().len(), 16, "{row}");
        }
        assert!(of.count() > 0, "{engine}");
    }
    let profile = &report["profile"];
    assert!(profile["operations"].as_u64().unwrap() > 1000, "{profile}");
    let changed = profile["changed"].as_f64().unwrap();
    assert!(changed > 0.001 && changed < 0.9, "{profile}");
    let slept = |variant: &str| {
        let mut of = rows.iter().filter(|row| {
            row["traffic"] == "nearly idle" && row["variant"] == variant && row["engine"] == "jit"
        });
        of.next().unwrap()["slept"].as_f64().unwrap()
    };
    assert!(slept("") > 0.9);
    assert_eq!(slept("no sleep"), 0.0);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("before\n<!-- bench -->\n\nCommand: `xtq bench "));
    assert!(page.contains("\n<!-- end of bench -->\nafter\n<!-- contract -->\n\n| contract"));
    assert!(page.ends_with("\n<!-- end of contract -->\n") && !page.contains("old\n"));
    let contract = report["contract"].as_array().unwrap();
    assert!(contract.len() > 15, "{contract:?}");
    assert!(page.contains("| not measured |"), "{page}");
}

#[test]
fn a_page_without_marks_is_refused() {
    let folder = Folder::new("bench-page");
    let page = folder.write("page.md", "no marks\n");
    let arguments = [
        "bench",
        "--no-verilator",
        "--rounds",
        "1",
        "--messages",
        "1",
    ];
    let run = xtq(&[&arguments[..], &["--markdown", &page]].concat());
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("has no marks"), "{}", run.stderr);
}

#[test]
fn the_contract_alone_is_the_page_in_the_book() {
    let folder = Folder::new("bench-contract");
    let book = include_str!("../../../../docs/performance.md");
    let page = folder.write("page.md", book);
    let run = xtq(&["bench", "--contract", "--markdown", &page, "--json", "-"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let figures = report["contract"].as_array().unwrap();
    let missed = figures.iter().any(|figure| figure["met"] == false);
    assert_eq!(report["passed"], !missed);
    assert_eq!(run.code, i32::from(missed), "{}{}", run.stdout, run.stderr);
    let missing = figures.iter().filter(|figure| figure["measured"].is_null());
    assert_eq!(missing.count(), 1, "the clock only: {figures:?}");
    // The figures are exact: `cargo run --release -- bench --contract --markdown docs/performance.md` writes them.
    assert_eq!(std::fs::read_to_string(page).unwrap(), book);
    let refused = xtq(&["bench", "--contract", "--rounds", "2"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

#[test]
fn a_benchmark_of_clusters_has_a_verdict_for_each_bar() {
    let folder = Folder::new("bench-cluster");
    let page = folder.write(
        "page.md",
        "before\n<!-- cluster -->\nold\n<!-- end of cluster -->\n",
    );
    let run = xtq(&["bench", "--cluster", "--markdown", &page, "--json", "-"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = report["cluster"].as_array().unwrap();
    let of = |row: &Value| (row["name"].to_string(), row["nodes"].as_u64().unwrap());
    assert!(
        rows.iter()
            .any(|row| of(row) == ("\"barrier\"".into(), 1024))
    );
    let mut met = true;
    for row in rows {
        let bars = row["bars"].as_array().unwrap();
        assert!(!bars.is_empty() && row["digest"].is_string(), "{row}");
        // Ranks of MPI are other processes, whose memory is not told.
        let ranks = row["name"].as_str().unwrap().contains("MPI");
        let memory = row["peak_bytes"].as_u64();
        let is_some = memory.is_some_and(|bytes| bytes > 1 << 20 && bytes < 1 << 36);
        assert!(is_some || ranks && memory.is_none(), "{row}");
        met &= bars.iter().all(|bar| bar["met"] == true);
    }
    assert_eq!(run.code, i32::from(!met), "{}", run.stderr);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("before\n<!-- cluster -->\n\n| what"));
    assert_eq!(
        page.lines()
            .filter(|line| line.contains(" cycles/s: "))
            .count(),
        3
    );
    let refused = xtq(&["bench", "--cluster", "--rounds", "2"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
}

// verilator/verilator#4251
#[test]
fn a_signal_removes_the_temporary_folder_of_a_benchmark() {
    let folder = Folder::new("bench-signal");
    let entries = || std::fs::read_dir(&folder.0).unwrap().count();
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtq"));
        let mut run = Running::of(
            command
                .args(["bench", "--no-verilator", "--rounds", "1000"])
                .env("TMPDIR", &folder.0),
        );
        run.wait_until("the folder", || entries() > 0);
        run.signal(signal);
        assert_eq!(run.end().code, 128 + number);
        assert_eq!(entries(), 0, "SIG{signal}");
    }
}
