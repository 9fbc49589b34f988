//! `xtq run --checkpoint` and `--resume`: a run that was ended goes on in another process, and nothing is lost on the
//! way.

use crate::common::child::Running;
use crate::common::{Folder, report, xtq};

/// A ring that is not over at once.
const RING: &str = "ring --nodes 4 --rounds 20 --pause 500 --jitter 9";

#[test]
fn a_run_that_was_given_up_goes_on_with_the_same_digest() {
    let folder = Folder::new("checkpoint-resumed");
    let file = folder.path("ring.checkpoint");
    let whole = report(&["--make", RING]).1;
    let ran = xtq(&[
        "run",
        "--make",
        RING,
        "--max-cycles",
        "5000",
        "--checkpoint",
        &file,
    ]);
    ran.check(1, "not done after 5000 cycles");
    ran.check(
        1,
        &format!("is in {file}: --resume {file} goes on from there"),
    );
    let head = std::fs::read(&file).unwrap();
    assert!(head.starts_with(b"xtq checkpoint 2\n{\"program\":"));
    let more = ["--make", RING, "--resume", &file, "--threads", "2"];
    let (code, resumed) = report(&more);
    assert_eq!(code, 0);
    assert_eq!(resumed["resumed"], 5059);
    for key in ["digest", "cycles", "messages", "nodes"] {
        assert_eq!(resumed[key], whole[key], "{key}");
    }
}

#[test]
fn a_signal_leaves_a_checkpoint() {
    let folder = Folder::new("checkpoint-signal");
    let [file, wave] = ["long.checkpoint", "long.vcd"].map(|name| folder.path(name));
    let long = "ring --nodes 2 --rounds 3 --pause 1000000";
    let mut run = Running::start(&[
        "run",
        "--make",
        long,
        "--checkpoint",
        &file,
        "--wave",
        &wave,
    ]);
    run.wait_for(&wave);
    run.signal("TERM");
    let ended = run.end();
    assert_eq!(ended.code, 128 + 15, "{}", ended.stderr);
    let whole = report(&["--make", long]).1;
    let (code, resumed) = report(&["--make", long, "--resume", &file]);
    assert_eq!((code, &resumed["digest"]), (0, &whole["digest"]));
}

#[test]
fn the_last_of_several_checkpoints_stays() {
    let folder = Folder::new("checkpoint-every");
    let file = folder.path("ring.checkpoint");
    let every = ["--checkpoint", &file, "--checkpoint-every", "1000"];
    let (code, whole) = report(&[&["--make", RING][..], &every].concat());
    assert_eq!(code, 0);
    let last = whole["cycles"].as_u64().unwrap() / 1000 * 1000;
    let resumed = report(&["--make", RING, "--resume", &file]).1;
    assert_eq!(
        (&resumed["resumed"], &resumed["digest"]),
        (&last.into(), &whole["digest"])
    );
}

#[test]
fn what_is_no_checkpoint_of_the_scenario_is_refused() {
    let folder = Folder::new("checkpoint-refused");
    let file = folder.path("ring.checkpoint");
    let made = [
        "run",
        "--make",
        RING,
        "--max-cycles",
        "100",
        "--checkpoint",
        &file,
    ];
    xtq(&made).check(1, "not done after 100 cycles");
    let refused = |scenario: &str, file: &str, part: &str| {
        let ran = xtq(&["run", "--make", scenario, "--resume", file]);
        ran.check(2, part);
        assert!(ran.stderr.contains("--resume"), "{}", ran.stderr);
    };
    let other = "it is of another scenario, 'ring, 4 nodes' with 4 nodes";
    refused(
        "ring --nodes 4 --rounds 21 --pause 500 --jitter 9",
        &file,
        other,
    );
    refused("barrier --nodes 5", &file, other);
    refused(RING, "scenarios/figure6.toml", "it is no checkpoint");
    refused(RING, "/dev/zero", "it is no checkpoint");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(folder.path("damaged"), &bytes).unwrap();
    refused(RING, &folder.path("damaged"), "it is damaged");
    let old = String::from_utf8_lossy(&bytes).replacen("checkpoint 2", "checkpoint 1", 1);
    std::fs::write(folder.path("old"), old).unwrap();
    refused(
        RING,
        &folder.path("old"),
        "a checkpoint of version 1; this program reads version 2",
    );
    let missing = folder.path("missing");
    xtq(&["run", "--make", RING, "--resume", &missing]).check(2, "cannot be read");
}

#[test]
fn no_checkpoint_is_written_over_an_input_or_for_one_node() {
    let folder = Folder::new("checkpoint-inputs");
    let file = folder.path("ring.checkpoint");
    let made = [
        "run",
        "--make",
        RING,
        "--max-cycles",
        "100",
        "--checkpoint",
        &file,
    ];
    xtq(&made).check(1, "not done after 100 cycles");
    let both = [&made[..], &["--resume", &file]].concat();
    xtq(&both).check(2, "is the same file as");
    let made = xtq(&["make", "wait", "--nodes", "1"]).stdout;
    let scenario = folder.write("wait.toml", &made);
    xtq(&["run", &scenario, "--checkpoint", &scenario]).check(2, "is the same file as");
    for option in ["--checkpoint", "--resume"] {
        let ran = xtq(&["run", "scenarios/mixed.toml", option, &file]);
        ran.check(2, "the scenario has no network of nodes");
    }
    let oracle = ["run", "--make", "wait --nodes 1", "--engine", "oracle"];
    let other = folder.path("other");
    xtq(&[&oracle[..], &["--checkpoint", &other]].concat())
        .check(2, "the engine cannot save its state");
}

#[test]
fn a_full_disk_ends_the_run_with_what_it_has_reached() {
    let full = ["--checkpoint", "/dev/full", "--checkpoint-every", "1000"];
    let ran = xtq(&[&["run", "--make", RING][..], &full].concat());
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let failure = "FAILED: cycle 1000: the checkpoint cannot be kept: /dev/full: cannot be written";
    assert!(ran.stdout.contains(failure), "{}", ran.stdout);
    assert!(ran.stdout.contains("cycles of 4 nodes"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("No space left on device"),
        "{}",
        ran.stderr
    );
}
