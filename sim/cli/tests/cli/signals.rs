//! `xtq run` that is ended by a signal: what it has reached is written and reported. One that is killed leaves a
//! waveform that can be read.

use crate::common::child::{Running, has_section, last_time, size};
use crate::common::{Folder, named_pipe};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// The program.
const XTQ: &str = env!("CARGO_BIN_EXE_xtq");
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
            // A VCD shows how far the run is, an FST not until a section is full.
            if format == "vcd" {
                run.wait_for_more(&wave);
            }
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
    let [wave, text] = ["run.vcd", "text"].map(|name| folder.path(name));
    let pipe = named_pipe(&folder);
    // Nobody reads the pipe, so the report is not written.
    let command = format!(r#"exec "$0" run '{file}' --wave '{wave}' --json '{pipe}' >'{text}'"#);
    let mut run = Running::of(Command::new("sh").args(["-c", &command, XTQ]));
    run.wait_for(&wave);
    run.signal("INT");
    run.wait_until("the report's text", || {
        std::fs::read_to_string(&text).is_ok_and(|text| text.contains("ended by SIGINT"))
    });
    run.signal("TERM");
    assert_eq!(run.end().code, 128 + 15);
}

#[test]
fn a_signal_that_is_ignored_at_the_start_ends_no_run() {
    let folder = Folder::new("signal-ignored");
    let file = folder.write("long.toml", &l2());
    for (place, (ignored, _)) in SIGNALS.into_iter().enumerate() {
        let (other, number) = SIGNALS[(place + 1) % SIGNALS.len()];
        let wave = folder.path(&format!("{ignored}.vcd"));
        let command = format!(r#"trap '' {ignored}; exec "$0" run '{file}' --wave '{wave}'"#);
        let mut run = Running::of(Command::new("sh").args(["-c", &command, XTQ]));
        run.wait_for(&wave);
        run.signal(ignored);
        run.wait_for_more(&wave);
        run.signal(other);
        assert_eq!(run.end().code, 128 + number, "{ignored} ignored");
    }
}

#[test]
fn a_signal_before_the_window_leaves_no_waveform() {
    let folder = Folder::new("signal-window");
    let file = folder.write("long.toml", &l2());
    let wave = folder.path("run.fst");
    let from = LONG.to_string();
    let mut run = Running::start(&["run", &file, "--wave", &wave, "--from", &from]);
    run.wait_to_catch(2);
    std::thread::sleep(Duration::from_millis(200));
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

/// Kills for each format in the suite; `./test.sh --nightly` tries as many as `XTQ_KILLS` says, ten times.
const KILLS: u64 = 2;

fn kills() -> u64 {
    match std::env::var("XTQ_KILLS") {
        Ok(text) => text.parse().expect("XTQ_KILLS is a number"),
        Err(_) => KILLS,
    }
}

/// Where kills come: another one in every repetition of the nightly profile; `XTQ_KILL_SEED` for one that failed.
fn kill_seed() -> u64 {
    if let Ok(text) = std::env::var("XTQ_KILL_SEED") {
        return text.parse().expect("XTQ_KILL_SEED is a number");
    }
    let repetition = std::env::var("NEXTEST_STRESS_CURRENT").ok();
    repetition.and_then(|text| text.parse().ok()).unwrap_or(0)
}

// verilator/verilator#5498, verilator/verilator#7990, x-heep/x-heep#1027
#[test]
fn a_waveform_can_be_read_at_whatever_moment_its_run_is_killed() {
    let mut seed = kill_seed();
    eprintln!("XTQ_KILL_SEED={seed}");
    let folder = Folder::new("signal-kill");
    // Wide values that change: sections are soon full.
    let file = folder.write("long.toml", &nodes(400));
    for format in ["vcd", "fst"] {
        let wave = folder.path(&format!("run.{format}"));
        for attempt in 0..kills() {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let _ = std::fs::remove_file(&wave);
            let mut run = Running::start(&["-q", "run", &file, "--wave", &wave]);
            run.wait_for(&wave);
            let begun = size(&wave);
            if attempt % 2 == 0 {
                // While something is being written.
                run.wait_until("more in the file", || size(&wave) > begun);
            } else {
                // When there is something to see, or somewhat later.
                match format {
                    "vcd" => run.wait_for_more(&wave),
                    _ => run.wait_until("a section", || has_section(&wave, begun)),
                }
                std::thread::sleep(Duration::from_micros(seed >> 47));
            }
            run.kill();
            let last = last_time(&wave);
            assert!(attempt % 2 == 0 || last > 0, "{format}: no cycle is in it");
        }
    }
}
