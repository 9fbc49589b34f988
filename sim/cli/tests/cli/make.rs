//! `xtq make`: what is made, and what cannot be made.

use crate::common::{Folder, report, xtq};

#[test]
fn a_made_file_is_short_and_runs_like_what_is_made() {
    let folder = Folder::new("made");
    let ran = xtq(&["make", "ring", "--nodes", "5", "--rounds", "1"]);
    ran.check(0, "for = { rank = 5 }");
    assert!(ran.stdout.len() < 2000, "{}", ran.stdout);
    let file = folder.path("ring.toml");
    std::fs::write(&file, &ran.stdout).unwrap();
    let from_file = report(&[&file]);
    let made = report(&["--make", "ring --nodes 5 --rounds 1"]);
    assert_eq!((from_file.0, made.0), (0, 0));
    assert_eq!(from_file.1["digest"], made.1["digest"]);
    assert_eq!(from_file.1["messages"].as_array().unwrap().len(), 5);
    // What is wrong with one of many is reported where it stands.
    let wrong = ran
        .stdout
        .replacen("length = 64, target", "length = 99, target", 1);
    let wrong = wrong.replacen(
        "md = \"out\", length = 99",
        "md = \"other\", length = 99",
        1,
    );
    std::fs::write(&file, &wrong).unwrap();
    let line = wrong[..wrong.find("\"other\"").unwrap()]
        .matches('\n')
        .count()
        + 1;
    let ran = xtq(&["run", &file]);
    ran.check(2, "there is no memory descriptor 'other'");
    assert!(
        ran.stderr.contains(&format!("ring.toml:{line}:")),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_a_pattern_has_not_or_no_network_can_have_is_refused() {
    let wrong = |arguments: &[&str], part: &str| xtq(arguments).check(2, part);
    for (made, part) in [
        (
            "barrier --nodes 4 --bytes 17",
            "--bytes: `barrier` does not have it",
        ),
        (
            "barrier --nodes 4 --rounds 3",
            "--rounds: `barrier` does not have it",
        ),
        (
            "wait --nodes 4 --rounds 3",
            "--rounds: `wait` does not have it",
        ),
        (
            "allreduce --nodes 4 --pause 9",
            "--pause: `allreduce` does not have it",
        ),
        (
            "ring --nodes 4 --seed 9",
            "--seed: `ring` draws nothing without --jitter",
        ),
        (
            "ring --nodes 4 --latency 0",
            "--latency: a link with a latency of 0 cycles",
        ),
        (
            "ring --nodes 4 --jitter 9999999999999",
            "--jitter: 9999999999999 cycles are more",
        ),
        (
            "ring --nodes 4 --leaf-ports 0 --spines 2",
            "--leaf-ports: a leaf with ports for 0",
        ),
        (
            "ring --nodes 4 --leaf-ports 2 --spines 99999",
            "--spines: 99999 spines; 1 to 1024",
        ),
        (
            "random --nodes 4 --seed 18446744073709551615",
            "--seed <SEED>",
        ),
        (
            "random --nodes 4 --pause 9223372036854775807",
            "--pause <CYCLES>",
        ),
    ] {
        let arguments: Vec<&str> = ["make"].into_iter().chain(made.split(' ')).collect();
        wrong(&arguments, part);
        wrong(&["run", "--make", made], part);
    }
    xtq(&[
        "make", "ring", "--nodes", "4", "--seed", "9", "--jitter", "1",
    ])
    .check(0, "seed = 9");
}
