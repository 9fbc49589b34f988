//! `xtq run --wave` with a window that no cycle of the run is in.

use crate::common::child::last_time;
use crate::common::{Folder, xtq};
use std::path::Path;

/// One scenario of each kind, with its first cycle after the reset.
const RUNS: [(&str, u64); 3] = [
    ("scenarios/figure6-target.toml", 2),
    ("scenarios/figure6.toml", 5),
    ("scenarios/l2-lock.toml", 2),
];

/// The last cycle, as a waveform of everything ends with it.
fn last_cycle(folder: &Folder, scenario: &str) -> u64 {
    let wave = folder.path("whole.vcd");
    assert_eq!(xtq(&["-q", "run", scenario, "--wave", &wave]).code, 0);
    last_time(&wave) / 1000 - 1
}

// THU-DSP-LAB/ventus-gpgpu#67, verilator/verilator#1922
#[test]
fn a_window_after_the_end_is_an_error_that_names_the_last_cycle() {
    for (scenario, _) in RUNS {
        let folder = Folder::new("window-after");
        let last = last_cycle(&folder, scenario);
        for (format, from) in [("vcd", last + 1), ("fst", 100_000_000)] {
            let [wave, json] = ["run.vcd", "run.json"].map(|name| folder.path(name));
            let (wave, from) = (wave.replace("vcd", format), from.to_string());
            let ran = xtq(&[
                "run", scenario, "--wave", &wave, "--from", &from, "--json", &json,
            ]);
            let told = format!("--from: cycle {from} is after the last cycle of the run, {last}\n");
            assert_eq!(ran.code, 2, "{scenario}");
            assert!(ran.stderr.contains(&told), "{}", ran.stderr);
            // The run is reported all the same.
            assert!(ran.stdout.contains(" on engine jit"), "{}", ran.stdout);
            assert!(Path::new(&json).exists());
            for name in [format, "gtkw", "sucl", "surf.ron"] {
                let file = folder.path(&format!("run.{name}"));
                assert!(!Path::new(&file).exists(), "{file}");
            }
        }
        let (wave, from) = (folder.path("run.fst"), last.to_string());
        let ran = xtq(&["run", scenario, "--wave", &wave, "--from", &from]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(last_time(&wave), 1000 * (last + 1));
    }
}

#[test]
fn a_window_before_the_run_is_an_error_that_names_its_first_cycle() {
    let folder = Folder::new("window-before");
    let wave = folder.path("run.vcd");
    for (scenario, first) in RUNS {
        let to = (first - 1).to_string();
        let ran = xtq(&["run", scenario, "--wave", &wave, "--to", &to]);
        let told = format!("--to: cycle {to} is before the first cycle of the run, {first}\n");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{scenario}");
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        assert!(!Path::new(&wave).exists());
        let ran = xtq(&["run", scenario, "--wave", &wave, "--to", &first.to_string()]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(last_time(&wave), 1000 * (first + 1));
        std::fs::remove_file(&wave).unwrap();
    }
}

#[test]
fn a_window_that_ends_after_the_run_is_cut() {
    let folder = Folder::new("window-cut");
    for (scenario, _) in RUNS {
        let last = last_cycle(&folder, scenario);
        let wave = folder.path("run.vcd");
        let ran = xtq(&["run", scenario, "--wave", &wave, "--to", "100000000"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(last_time(&wave), 1000 * (last + 1));
    }
}

/// The network has nothing to do while the host opens its processes, and is in the waveform all the same.
#[test]
fn the_network_alone_is_shown_from_the_first_cycle_on() {
    let folder = Folder::new("window-network");
    let wave = folder.path("run.vcd");
    let arguments = ["run", "--wave", &wave, "--scope", "network", "--to", "8"];
    assert_eq!(xtq(&arguments).code, 0);
    let text = std::fs::read_to_string(&wave).unwrap();
    assert!(text.contains("\n#5000\n$dumpvars\n"), "{text}");
    assert!(text.ends_with("\n#9000\n"), "{text}");
}

// THU-DSP-LAB/ventus-gpgpu#67
#[test]
fn a_window_after_the_end_leaves_an_older_waveform_and_its_files_as_they_were() {
    for (scenario, _) in RUNS {
        for format in ["vcd", "fst"] {
            let folder = Folder::new(&format!("window-old-{format}"));
            let wave = folder.path(&format!("old.{format}"));
            assert_eq!(xtq(&["-q", "run", scenario, "--wave", &wave]).code, 0);
            let contents = || {
                let names = [format, "gtkw", "sucl", "surf.ron"];
                names.map(|name| std::fs::read(folder.path(&format!("old.{name}"))).unwrap())
            };
            let before = contents();
            let arguments = ["-q", "run", scenario, "--wave", &wave, "--from", "9999999"];
            assert_eq!(xtq(&arguments).code, 2);
            assert!(contents() == before, "{scenario} {format}");
        }
    }
}

#[test]
fn a_window_after_the_end_changes_neither_a_link_nor_a_device() {
    let folder = Folder::new("window-link");
    let (file, link) = (folder.write("file.vcd", "old"), folder.path("link.vcd"));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let arguments = ["-q", "run", "--wave", &link, "--from", "9999999"];
    assert_eq!(xtq(&arguments).code, 2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    let device = ["-q", "run", "--wave", "/dev/null", "--from", "9999999"];
    assert_eq!(xtq(&device).code, 2);
    assert!(Path::new("/dev/null").exists());
}
