//! `xtq run` on scenarios of the L2: the shipped ones, what is not as expected, wrong files, waveforms.

use crate::common::{Folder, report, root, xtq};

const SCENARIOS: [&str; 6] = [
    "lock",
    "overflow",
    "full-set",
    "watchdog",
    "dead-owner",
    "contention",
];

#[test]
fn the_shipped_scenarios_find_what_they_expect() {
    for name in SCENARIOS {
        let file = format!("scenarios/l2-{name}.toml");
        let (code, report) = report(&[&file]);
        assert_eq!(code, 0, "{name}: {}", report["differences"]);
        assert_eq!(report["passed"], true, "{name}");
        assert!(!report["steps"].as_array().unwrap().is_empty());
    }
}

#[test]
fn all_engines_answer_in_the_same_cycles() {
    for name in SCENARIOS {
        let file = format!("scenarios/l2-{name}.toml");
        let run = |engine| {
            let (code, report) = report(&[&file, "--engine", engine]);
            assert_eq!(code, 0, "{name}, {engine}");
            let keys = ["steps", "locks", "counters"];
            keys.map(|key| report[key].clone())
        };
        let jit = run("jit");
        assert_eq!(run("interp"), jit, "{name}");
        assert_eq!(run("oracle"), jit, "{name}");
    }
}

/// The contents of a shipped scenario with one text replaced, which must be there.
fn changed(name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(root().join(format!("scenarios/l2-{name}.toml"))).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn what_is_not_as_expected_is_named_and_fails() {
    let folder = Folder::new("l2-differences");
    let expectations = [
        (
            "lock",
            "hit = false, data = [41]",
            "hit = true, data = [41]",
            "step read: hit is false, expected true",
        ),
        (
            "lock",
            "hit = true, data = [42]",
            "hit = true, data = [43]",
            "step after the pair: data is 2a",
        ),
        (
            "lock",
            "status = \"refused\"",
            "status = \"ok\"",
            "step twice unlocked: status is Refused, expected Ok",
        ),
        ("lock", "rmw = true", "rmw = false", "lock 0: "),
        (
            "overflow",
            "lock_overflows = 2",
            "lock_overflows = 3",
            "lock_overflows is 2, expected 3",
        ),
        (
            "watchdog",
            "cycles = [500, 640]",
            "cycles = [1, 2]",
            "lock 0: ",
        ),
        (
            "contention",
            "after = \"cp0 writes\"",
            "after = \"cp2 writes\"",
            "not after cp2 writes",
        ),
    ];
    for (name, from, to, message) in expectations {
        let file = folder.write("s.toml", &changed(name, from, to));
        let ran = xtq(&["run", &file]);
        assert_eq!(ran.code, 1, "{name}: {to}");
        assert!(ran.stdout.contains(message), "{to}: {}", ran.stdout);
    }
}

#[test]
fn a_step_that_is_never_answered_ends_the_run() {
    let folder = Folder::new("l2-unanswered");
    let text = changed(
        "dead-owner",
        "watchdog_cycles = 800",
        "watchdog_cycles = 60000\nmax_cycles = 3000",
    );
    // Without the steps that come from the lock's owner.
    let (text, _) = text
        .split_once("\n[[steps]]\nname = \"too late\"")
        .expect("a step of the scenario");
    let file = folder.write("s.toml", text);
    let ran = xtq(&["run", &file]);
    ran.check(1, "step waits first: not answered within 3000 cycles");
}

#[test]
fn wrong_files_are_named_with_line_and_key() {
    let folder = Folder::new("l2-wrong");
    let faults = [
        ("op = \"rmw_read\"", "op = \"fly\"", "steps[0].op"),
        (
            "requester = \"cp0\"",
            "requester = \"cp32\"",
            "steps[0].requester",
        ),
        ("data = [42]", "data = []", "steps[1].data"),
        (
            "data = { text = \"a call\" }",
            "data = { fill = { byte = 1, length = 57 } }",
            "steps[4].data",
        ),
        ("name = \"write\"", "name = \"read\"", "steps[1].name"),
        ("cycle = 400", "cycle = 10000", "steps[6].cycle"),
        (
            "hit = false, data = [41]",
            "hat = false",
            "steps[0].expect.hat",
        ),
    ];
    for (from, to, key) in faults {
        let file = folder.write("s.toml", &changed("lock", from, to));
        let ran = xtq(&["run", &file]);
        assert_eq!(ran.code, 2, "{to}");
        assert!(
            ran.stderr.contains(&format!("{key}: ")),
            "{to}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains("s.toml:"), "{to}: {}", ran.stderr);
    }
}

#[test]
fn a_waveform_shows_the_bank() {
    let folder = Folder::new("l2-wave");
    let file = folder.path("run.vcd");
    let ran = xtq(&["run", "scenarios/l2-lock.toml", "--wave", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("request_valid") && text.contains("lock_end_valid"));
}

#[test]
fn there_is_no_memory_of_a_node_to_save() {
    let folder = Folder::new("l2-dump");
    let dump = format!("0:64:{}", folder.path("m.bin"));
    let ran = xtq(&["run", "scenarios/l2-lock.toml", "--dump-memory", &dump]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--dump-memory"), "{}", ran.stderr);
}
