//! `xtq run` that is ended by a signal: what it has come to is written and told. One that is killed leaves a waveform that can be read.

mod common;

use common::Folder;
use common::child::{Running, last_time, size};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// Cycles for which a scenario of this page would run.
const LONG: u64 = 1_000_000_000;

/// A target side that gets its message late.
fn target() -> String {
    format!(
        "title = \"target\"\nmax_cycles = {LONG}\n[[portals]]\nindex = 0\nstart = 0x2000_0000\nlength = 0x1_0000\n\
         [[messages]]\nname = \"late\"\nat = {LONG}\npayload = {{ text = \"late\" }}\n"
    )
}

/// A bank of the L2 with a request that comes late.
fn l2() -> String {
    format!(
        "title = \"l2\"\nmax_cycles = {LONG}\n[[steps]]\nname = \"late\"\ncycle = {}\nrequester = \"cu0\"\nop = \"load\"\naddress = 0x1000\n",
        LONG - 1
    )
}

/// Two nodes, of which one sends so many puts to the other.
fn nodes(puts: usize) -> String {
    let put = "{ ptl_put = { md = \"m\", length = 9000, target = \"pe1\", pt = \"in\" } },\n";
    format!(
        r#"
title = "nodes"
max_cycles = {LONG}
[[nodes]]
name = "a"
[[nodes.processes]]
name = "pe0"
data = [{{ address = 0x2000_0000, bytes = {{ fill = {{ byte = 0x5a, length = 9000 }} }} }}]
program = [
  {{ ptl_md_bind = {{ md = "m", start = 0x2000_0000, length = 9000 }} }},
  {{ barrier = {{ name = "ready" }} }},
  {}
  {{ delay = {{ cycles = {LONG} }} }},
]
[[nodes]]
name = "b"
[[nodes.processes]]
name = "pe1"
program = [
  {{ ptl_pt_alloc = {{ pt = "in" }} }},
  {{ name = "me", ptl_me_append = {{ me = "m", pt = "in", start = 0x4000_0000, length = 0x8000, options = ["op_put"] }} }},
  {{ wait_event = {{ kind = "link", of = "me" }} }},
  {{ barrier = {{ name = "ready" }} }},
]
"#,
        put.repeat(puts)
    )
}

/// Signals and their numbers.
const SIGNALS: [(&str, i32); 3] = [("HUP", 1), ("INT", 2), ("TERM", 15)];

// verilator/verilator#4251, ghdl/ghdl#2617
#[test]
fn a_signal_closes_the_waveform_writes_what_was_reached_and_is_the_exit_code() {
    let scenarios = [target(), nodes(40), l2()];
    for (scenario, (signal, number)) in scenarios.iter().zip(SIGNALS) {
        for format in ["vcd", "fst"] {
            let folder = Folder::new(&format!("signal-{signal}-{format}"));
            let file = folder.write("long.toml", scenario);
            let [wave, json] = ["run.vcd", "report.json"].map(|name| folder.path(name));
            let wave = wave.replace("vcd", format);
            let mut run = Running::start(&["run", &file, "--wave", &wave, "--json", &json]);
            run.wait_for(&wave);
            std::thread::sleep(Duration::from_millis(300));
            run.signal(signal);
            let ran = run.end();
            assert_eq!(ran.code, 128 + number, "{}{}", ran.stdout, ran.stderr);
            let report = std::fs::read_to_string(&json).unwrap();
            let report: Value = serde_json::from_str(&report).unwrap();
            assert_eq!(report["interrupted"], true);
            assert_eq!(report["passed"], false);
            let failure = report["failure"].as_str().unwrap();
            let cycle = failure.split([' ', ':']).nth(1).unwrap();
            assert_eq!(failure, format!("cycle {cycle}: ended by SIG{signal}"));
            let told = format!("INTERRUPTED: {failure}");
            assert!(ran.stdout.contains(&told), "{}", ran.stdout);
            let cycle: u64 = cycle.parse().unwrap();
            assert_eq!(last_time(&wave), 1000 * (cycle + 1), "{failure}");
            for viewer in ["gtkw", "sucl", "surf.ron"] {
                assert!(size(folder.path(&format!("run.{viewer}"))) > 0, "{viewer}");
            }
        }
    }
}

#[test]
fn a_second_signal_ends_a_run_that_cannot_write_at_once() {
    let folder = Folder::new("signal-second");
    let file = folder.write("long.toml", &l2());
    let [wave, pipe] = ["run.vcd", "pipe"].map(|name| folder.path(name));
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // Nobody reads the pipe, so the report is not written.
    let mut run = Running::start(&["run", &file, "--wave", &wave, "--json", &pipe]);
    run.wait_for(&wave);
    run.signal("INT");
    std::thread::sleep(Duration::from_millis(500));
    assert!(run.is_running());
    run.signal("TERM");
    assert_eq!(run.end().code, 128 + 15);
}

#[test]
fn a_run_under_nohup_goes_on_when_the_terminal_is_closed() {
    let folder = Folder::new("signal-nohup");
    let file = folder.write("long.toml", &l2());
    let wave = folder.path("run.vcd");
    let program = env!("CARGO_BIN_EXE_xtq");
    let command = format!("trap '' HUP; exec '{program}' run '{file}' --wave '{wave}'");
    let mut run = Running::of(Command::new("sh").args(["-c", &command]));
    run.wait_for(&wave);
    run.signal("HUP");
    std::thread::sleep(Duration::from_millis(500));
    assert!(run.is_running());
    run.signal("TERM");
    assert_eq!(run.end().code, 128 + 15);
}

#[test]
fn a_signal_before_the_window_leaves_no_waveform() {
    let folder = Folder::new("signal-window");
    let file = folder.write("long.toml", &l2());
    let wave = folder.path("run.fst");
    let from = LONG.to_string();
    let mut run = Running::start(&["run", &file, "--wave", &wave, "--from", &from]);
    run.wait_for(&wave);
    run.signal("INT");
    let ran = run.end();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("after the last cycle"),
        "{}",
        ran.stderr
    );
    assert!(!std::path::Path::new(&wave).exists());
}

// verilator/verilator#5498, verilator/verilator#7990, x-heep/x-heep#1027
#[test]
fn a_waveform_can_be_read_at_whatever_moment_its_run_is_killed() {
    let mut seed = std::process::id() as u64;
    eprintln!("seed {seed}");
    let folder = Folder::new("signal-kill");
    // Wide values that change: sections are soon full.
    let file = folder.write("long.toml", &nodes(400));
    for format in ["vcd", "fst"] {
        let wave = folder.path(&format!("run.{format}"));
        let mut reached = 0;
        for attempt in 0..6 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            let _ = std::fs::remove_file(&wave);
            let mut run = Running::start(&["-q", "run", &file, "--wave", &wave]);
            run.wait_for(&wave);
            let some = size(&wave) + (seed >> 47);
            match attempt % 2 {
                0 => std::thread::sleep(Duration::from_millis(seed >> 54)),
                // While something is being written.
                _ => run.wait_until("more in the file", || size(&wave) > some),
            }
            run.kill();
            reached = reached.max(last_time(&wave));
        }
        assert!(reached > 0, "{format}: no run got far enough");
    }
}
