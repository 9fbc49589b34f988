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
        for (option, value) in [
            ("--json", bad),
            ("--trace", bad),
            ("--wave", bad),
            ("--dump-memory", &dump),
        ] {
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
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    }
    let ran = xtq(&["export", &plain]);
    let told = format!("{plain}: is a file, not a folder");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    refused(&folder, &["export", &in_plain], &in_plain);
    for bad in [&missing, &in_plain, &itself] {
        // It is read first: its marks say where the table goes.
        let ran = xtq(&["bench", "--contract", "--markdown", bad]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(bad.as_str()), "{}", ran.stderr);
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

// sharkdp/hyperfine#306
#[test]
fn files_beside_others_are_tried_too() {
    for name in [
        "r.gtkw",
        "r.sucl",
        "r.surf.ron",
        ".surfer/mappings/xtq_opcode",
    ] {
        let folder = Folder::new("tried-viewers");
        std::fs::create_dir_all(folder.path(name)).unwrap();
        let wave = folder.path("r.vcd");
        refused(
            &folder,
            &["run", TARGET, "--wave", &wave],
            &folder.path(name),
        );
    }
    for name in ["r.gtkw", "r.sucl", "r.surf.ron"] {
        let folder = Folder::new("tried-links");
        std::os::unix::fs::symlink("no/x", folder.path(name)).unwrap();
        let wave = folder.path("r.vcd");
        refused(
            &folder,
            &["run", TARGET, "--wave", &wave],
            &folder.path(name),
        );
    }
    for name in [".surfer", ".surfer/mappings"] {
        let folder = Folder::new("tried-surfer");
        std::fs::create_dir_all(folder.path(name)).unwrap();
        std::fs::remove_dir(folder.path(name)).unwrap();
        folder.write(name, "");
        let wave = folder.path("r.vcd");
        refused(
            &folder,
            &["run", TARGET, "--wave", &wave],
            &folder.path(name),
        );
    }
    let folder = Folder::new("tried-module");
    std::fs::create_dir(folder.path("fifo.v")).unwrap();
    let arguments = ["export", &folder.path(""), "--top", "fifo"];
    refused(&folder, &arguments, &folder.path("fifo.v"));
}

// 99designs/gqlgen#4262
#[test]
fn what_is_not_ours_beside_a_waveform_is_left_as_it_is() {
    let folder = Folder::new("tried-own");
    let wave = folder.path("r.vcd");
    assert_eq!(xtq(&["run", TARGET, "--wave", &wave, "--to", "5"]).code, 0);
    let save = folder.path("r.gtkw");
    let own = std::fs::read(&save).unwrap();
    // Text of others, and a device that has no end.
    for target in ["/proc/self/cmdline", "/dev/zero"] {
        std::fs::remove_file(&save).unwrap();
        std::os::unix::fs::symlink(target, &save).unwrap();
        let ran = xtq(&["run", TARGET, "--wave", &wave, "--to", "5"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("is not of xtq run: left as it is"));
    }
    std::fs::remove_file(&save).unwrap();
    // Less than the line with the mark may be anybody's.
    for kept in [1, own.iter().position(|byte| *byte == b'\n').unwrap() - 1] {
        std::fs::write(&save, &own[..kept]).unwrap();
        let ran = xtq(&["run", TARGET, "--wave", &wave, "--to", "5"]);
        assert!(ran.stdout.contains("left as it is"), "{}", ran.stdout);
        assert_eq!(std::fs::read(&save).unwrap(), own[..kept]);
    }
}
