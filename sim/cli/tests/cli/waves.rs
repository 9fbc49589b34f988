//! Waveforms that cannot be written: an error that names the file, and the run is reported all the same.

use crate::common::child::Running;
use crate::common::{Folder, named_pipe, root, xtq};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

/// One scenario of each kind.
const RUNS: [&str; 3] = [
    "scenarios/figure6-target.toml",
    "scenarios/figure6.toml",
    "scenarios/l2-lock.toml",
];

/// The window from the first cycle on, and one that begins in the run.
const WINDOWS: [&[&str]; 2] = [&[], &["--from", "9"]];

/// Checks exit code 2, the named file, and that the hardware is not accused.
fn names_the_file(ran: &crate::common::Ran, wave: &str, what: &str) {
    assert_eq!(ran.code, 2, "{what}: {}{}", ran.stdout, ran.stderr);
    let told = format!("{wave}: cannot be written: ");
    assert!(ran.stderr.contains(&told), "{what}: {}", ran.stderr);
    assert!(ran.stderr.contains("xtq::write"), "{what}: {}", ran.stderr);
    assert!(!ran.stdout.contains("FAILED"), "{what}: {}", ran.stdout);
}

// uutils/coreutils#9782, torognes/vsearch#243
#[test]
fn a_waveform_on_a_full_disk_is_an_error_that_names_it_with_and_without_a_window() {
    let folder = Folder::new("waves-full");
    std::os::unix::fs::symlink("/dev/full", folder.path("full.fst")).unwrap();
    for scenario in RUNS {
        for wave in ["/dev/full", &folder.path("full.fst")] {
            for window in WINDOWS {
                let arguments = [&["run", scenario, "--wave", wave], window].concat();
                names_the_file(&xtq(&arguments), wave, &format!("{arguments:?}"));
            }
        }
    }
}

/// The run of the hardware is reported although its waveform ended in between.
#[test]
fn a_waveform_whose_reader_goes_away_is_an_error_that_names_it_and_the_run_is_reported() {
    let folder = Folder::new("waves-pipe");
    let pipe = named_pipe(&folder);
    for scenario in RUNS {
        for window in WINDOWS {
            let arguments = [&["run", scenario, "--wave", &pipe], window].concat();
            let run = Running::start(&arguments);
            // As `head -c 10`.
            let mut reader = File::open(&pipe).unwrap();
            reader.read_exact(&mut [0; 10]).unwrap();
            drop(reader);
            let ran = run.end();
            let what = format!("{arguments:?}");
            names_the_file(&ran, &pipe, &what);
            // Without a window the waveform ends before the run begins.
            let reported = ran.stdout.contains(" on engine jit");
            assert!(reported || window.is_empty(), "{what}: {}", ran.stdout);
        }
    }
}

/// A file that may not grow further, in the middle of the run.
#[test]
fn a_waveform_beyond_the_limit_of_files_is_an_error_that_names_it() {
    let folder = Folder::new("waves-limit");
    for scenario in RUNS {
        for (number, window) in WINDOWS.into_iter().enumerate() {
            let wave = folder.path(&format!("{number}.vcd"));
            let mut shell = Command::new("sh");
            // In blocks of 512 bytes, or of 1024: less than the head of a design.
            let line = r#"ulimit -f 8; exec "$0" "$@""#;
            shell.args(["-c", line, env!("CARGO_BIN_EXE_xtq")]);
            shell.args(["run", scenario, "--wave", &wave]).args(window);
            let ran = crate::common::ran(shell.current_dir(root()).output().unwrap());
            names_the_file(&ran, &wave, &format!("{scenario} {window:?}"));
        }
    }
}

/// Nobody waits for cycles that are not in the waveform, and no other file that fails hides why.
#[test]
fn a_run_whose_waveform_can_no_longer_be_written_ends_and_says_how_far_it_came() {
    let folder = Folder::new("waves-ended");
    let (wave, json) = (folder.path("run.vcd"), folder.path("run.json"));
    // Two million cycles of which little is to be seen.
    let made = "ring --nodes 2 --rounds 100 --pause 20000";
    for json in [&json[..], "/dev/full"] {
        let mut shell = Command::new("sh");
        // In blocks of 512 bytes, or of 1024: more than the head of the nodes, and than the report.
        let line = r#"ulimit -f 8000; exec "$0" "$@""#;
        shell.args(["-c", line, env!("CARGO_BIN_EXE_xtq")]);
        shell.args(["run", "--make", made, "--wave", &wave, "--json", json]);
        let ran = crate::common::ran(shell.current_dir(root()).output().unwrap());
        names_the_file(&ran, &wave, json);
        assert!(ran.stderr.contains("ulimit -f"), "{}", ran.stderr);
        let told = "the waveform could not be written, before the run was over";
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
        let full = ran.stderr.contains("/dev/full: cannot be written: ");
        assert_eq!(full, json == "/dev/full", "{}", ran.stderr);
    }
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(report["interrupted"], true);
    assert!(report["nodes"][0]["processes"][0]["done"].as_u64() < Some(50));
}

#[test]
fn a_reader_of_a_waveform_on_standard_output_that_goes_away_is_silent_and_no_failure() {
    for scenario in RUNS {
        for wave in ["/dev/stdout", "/dev/fd/1"] {
            for (window, bytes) in [(WINDOWS[0], 0), (WINDOWS[0], 10), (WINDOWS[1], 10)] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_xtq"));
                command.args(["run", "-q", scenario, "--wave", wave]);
                command.args(window).current_dir(root());
                let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
                let mut child = child.spawn().unwrap();
                let mut reader = child.stdout.take().unwrap();
                reader.read_exact(&mut vec![0; bytes]).unwrap();
                drop(reader);
                let ran = crate::common::ran(child.wait_with_output().unwrap());
                let what = format!("{scenario} {wave} {window:?} {bytes}");
                assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{what}");
            }
        }
    }
}
