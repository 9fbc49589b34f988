//! Whether outputs can be written is known before the work.

use super::*;

/// Refused before anything was computed or printed; nothing new is in the folder.
fn refused(folder: &Folder, arguments: &[&str], file: &str) {
    let before = listing(folder);
    let ran = xtq(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.is_empty(), "{arguments:?}: {}", ran.stdout);
    assert!(
        ran.stderr.contains("xtq::write"),
        "{arguments:?}: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains(file), "{arguments:?}: {}", ran.stderr);
    assert_eq!(listing(folder), before, "{arguments:?}");
}

// sharkdp/hyperfine#306, model-checking/kani#4727
#[test]
fn outputs_that_cannot_be_written_are_found_before_the_work() {
    let folder = Folder::new("tried");
    let plain = folder.write("plain", "");
    let in_plain = format!("{plain}/x");
    let missing = folder.path("no/x");
    let long = folder.path(&"x".repeat(300));
    let itself = folder.path("");
    for bad in [&missing, &in_plain, &long, &itself] {
        let dump = format!("0:1:{bad}");
        for (option, value) in [("--json", bad), ("--wave", bad), ("--dump-memory", &dump)] {
            refused(&folder, &["run", TARGET, option, value], bad);
        }
        for option in ["--out", "--json"] {
            refused(
                &folder,
                &["check", "testbench/cases/portals-mpi.json", option, bad],
                bad,
            );
        }
        for option in ["--json", "--csv", "--svg", "--png"] {
            refused(
                &folder,
                &["experiment", "compnet-hitrate", option, bad],
                bad,
            );
        }
        refused(&folder, &["lint", "--json", bad], bad);
        refused(&folder, &["lockstep", "all", "--json", bad], bad);
        refused(&folder, &["bench", "--json", bad], bad);
    }
    for bad in [&plain, &in_plain] {
        refused(
            &folder,
            &["experiment", "compnet-hitrate", "--out", bad],
            bad,
        );
        refused(&folder, &["bench", "--folder", bad], bad);
        let ran = xtq(&["export", bad]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
    }
}

#[test]
fn a_trial_leaves_nothing_when_the_run_fails_for_another_reason() {
    let folder = Folder::new("tried-nothing");
    let (json, wave) = (folder.path("r.json"), folder.path("w.vcd"));
    let ran = xtq(&[
        "run", TARGET, "--json", &json, "--wave", &wave, "--scope", "nowhere",
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = xtq(&["check", &folder.path("absent.json"), "--out", &json]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(listing(&folder), Vec::<String>::new());
    // Nor does it change a file that exists.
    let old = folder.write("old.json", "old");
    xtq(&[
        "run", TARGET, "--json", &old, "--wave", &wave, "--scope", "nowhere",
    ]);
    assert_eq!(std::fs::read_to_string(old).unwrap(), "old");
}
