//! `xtq collective`: runs on the real NIC, plans, scenarios and GOAL files that it writes, and what is refused.

use crate::common::{Folder, xtq};
use serde_json::Value;
use xtq_cdag::collectives::VARIANTS;

/// The end of every run that came out right.
pub const RIGHT: &str = "all programs have ended, and found what they expect";

pub fn collective(arguments: &[&str]) -> crate::common::Ran {
    xtq(&[&["collective"][..], arguments].concat())
}

#[test]
fn the_list_has_every_variant() {
    let ran = collective(&["--list"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let words = |line: &str| {
        line.split_whitespace()
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let listed: Vec<Vec<String>> = ran.stdout.lines().map(words).collect();
    let wanted = VARIANTS
        .iter()
        .map(|variant| vec![variant.collective.to_owned(), variant.algorithm.to_owned()]);
    assert_eq!(listed, wanted.collect::<Vec<_>>());
}

#[test]
fn a_collective_is_planned_run_and_compared() {
    let ran = collective(&[
        "allreduce",
        "--nodes",
        "3",
        "--bytes",
        "64",
        "--datatype",
        "float",
    ]);
    ran.check(0, RIGHT);
    for part in [
        "allreduce butterfly, 3 nodes, 64 bytes\n",
        "plan of the rank that needs most    needs    a context has\n",
        "host actions after the start: 0\n",
        "node 2 (n2): ",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn a_plan_runs_nothing() {
    let large = ["allreduce", "--nodes", "64", "--bytes", "512", "--plan"];
    let ran = collective(&large);
    ran.check(
        0,
        "triggered operations                   26              127\n",
    );
    assert!(!ran.stdout.contains(RIGHT));
    // The barrier of the NICs is 13 of them; hosts do not need it.
    for without in [&["--no-start-barrier"][..], &["--backend", "host"]] {
        collective(&[&large[..], without].concat()).check(
            0,
            "triggered operations                   13              127\n",
        );
    }
    let ran = collective(&[
        "broadcast",
        "--algorithm",
        "linear",
        "--segments",
        "300",
        "--bytes",
        "4096",
        "--plan",
    ]);
    ran.check(
        0,
        "more than fits at once: hosts post 1274 operations after the start, and wait with 84 commands\n",
    );
}

#[test]
fn a_schedule_is_used_again_as_often_as_wanted_and_needs_no_more() {
    let used = |uses: &str| collective(&["reduce", "--nodes", "3", "--root", "2", "--uses", uses]);
    let ran = used("4");
    ran.check(0, RIGHT);
    for part in [
        "triggered operations                    7              127\n",
        "most of them that wait                  7              127\n",
        "used again without being posted: as often as wanted\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    used("19").check(0, RIGHT);
    let windows = [
        "broadcast",
        "--nodes",
        "2",
        "--segments",
        "200",
        "--bytes",
        "4096",
        "--uses",
        "2",
    ];
    let ran = collective(&windows);
    ran.check(2, "2 uses have to be posted one by one");
    let no = "used again without being posted: no, each use has to be posted\n";
    assert!(ran.stdout.contains(no), "{}", ran.stdout);
}

#[test]
fn hosts_carry_out_libnbcs_rounds() {
    let arguments = [
        "barrier",
        "--algorithm",
        "linear",
        "--nodes",
        "3",
        "--rounds",
    ];
    collective(&[&arguments[..], &["--backend", "host"]].concat()).check(0, RIGHT);
    collective(&arguments).check(0, RIGHT);
}

#[test]
fn a_schedule_that_was_written_is_a_scenario() {
    let folder = Folder::new("collective-emit");
    let file = folder.path("s.toml");
    let ran = collective(&["barrier", "--nodes", "2", "--emit", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains(RIGHT));
    xtq(&["run", &file]).check(0, RIGHT);
}

#[test]
fn complex_numbers_are_added_and_multiplied_by_the_nics() {
    let of = |more: &[&str]| {
        let all = ["allreduce", "--nodes", "3", "--bytes", "640", "--datatype"];
        collective(&[&all[..], more].concat())
    };
    of(&["float_complex"]).check(0, RIGHT);
    let same = "memory is what the interpreter of the graph leaves";
    of(&["double_complex", "--operation", "prod", "--gpu"]).check(0, same);
    let refused = of(&["double_complex", "--operation", "max"]);
    refused.check(2, "there is no max of double_complex values");
}

#[test]
fn operations_are_tasks_of_gpus_if_that_is_asked_for() {
    // The NIC does them too.
    let prod = ["allreduce", "--operation", "prod", "--datatype", "float"];
    collective(&prod).check(0, "all programs have ended, and found what they expect\n");
    let what = ["allreduce", "--nodes", "3", "--operation", "prod"];
    let how = [
        "--datatype",
        "float",
        "--bytes",
        "256",
        "--gpu=1",
        "--json",
        "-",
    ];
    let ran = collective(&[&what[..], &how].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("memory is what the interpreter"),
        "{}",
        ran.stderr
    );
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["passed"], true);
    let ranks = report["ranks"].as_array().unwrap();
    let tasks: u64 = ranks
        .iter()
        .map(|rank| rank["tasks"].as_u64().unwrap())
        .sum();
    assert_eq!((ranks.len(), Some(tasks)), (3, report["tasks"].as_u64()));
    assert!(
        tasks >= 2 && report["latency_ns"].as_u64() > Some(1000),
        "{report}"
    );
    assert!(
        ranks.iter().all(|rank| rank["host_events"] == 1),
        "{report}"
    );
    // In whatever order they are multiplied.
    let ran = collective(&[
        "reduce_scatter",
        "--operation",
        "prod",
        "--datatype",
        "float",
        "--gpu=1",
    ]);
    ran.check(0, "memory is what the interpreter of the graph leaves\n");
    let ran = collective(&["reduce", "--gpu=1", "--max-cycles", "1"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("FAILED: cycle "), "{}", ran.stdout);
    let most = u64::MAX.to_string();
    collective(&["reduce", "--nodes", "2", "--gpu", "--max-cycles", &most])
        .check(0, "memory is what");
    // Sums are the NIC's unless they are long.
    for (gpu, tasks) in [("--gpu", 0), ("--gpu=256", 2), ("--gpu=257", 0)] {
        let ran = collective(&["reduce", "--nodes", "3", "--bytes", "256", gpu, "--plan"]);
        let line = format!("tasks of GPUs: {tasks}\n");
        assert_eq!(
            ran.stdout.contains(&line),
            tasks > 0,
            "{gpu}: {}",
            ran.stdout
        );
    }
    // So are products of floats that are short.
    let prod = ["--operation", "prod", "--datatype", "float", "--gpu"];
    for (bytes, tasks) in [("64", false), ("128", true)] {
        let what = ["reduce", "--nodes", "3", "--plan", "--bytes", bytes];
        let ran = collective(&[&what[..], &prod].concat());
        assert_eq!(ran.stdout.contains("tasks of GPUs: "), tasks, "{bytes}");
    }
    for (more, part) in [
        (
            &["--backend", "host"][..],
            "with --gpu the NICs carry it out",
        ),
        (&["--log"], "--log: is not there with --gpu"),
        (&["--engine", "interp"], "--engine: is not there with --gpu"),
        (&["--trace", "t.json"], "--trace: is not there with --gpu"),
        (&["--emit", "f.toml"], "cannot be used with"),
    ] {
        collective(&[&["reduce", "--gpu"][..], more].concat()).check(2, part);
    }
}

#[test]
fn more_than_can_be_run_is_refused_before_it_is_tried() {
    let folder = Folder::new("collective-large");
    let of = |text: &str, more: &[&str]| {
        let file = folder.write("large.goal", text);
        collective(&[&["--goal", &file][..], more].concat())
    };
    let one = "num_ranks 65536 rank 0 { send 8b to 1 } rank 1 { recv 8b from 0 }";
    of(one, &[]).check(
        2,
        "65536 ranks are more than the 1024 nodes that can be run",
    );
    let mut many = "num_ranks 65536 rank 0 {".to_owned();
    let sends = (0..500).map(|number| format!(" send 8b to 1 tag {number}"));
    many.extend(sends);
    many.push_str(" } rank 1 {");
    many.extend((0..500).map(|number| format!(" recv 8b from 0 tag {number}")));
    many.push_str(" }");
    of(&many, &["--plan"]).check(2, "are too many to be ordered");
    for algorithm in ["kary", "knomial"] {
        let wide = [
            "broadcast",
            "--algorithm",
            algorithm,
            "--nodes",
            "16",
            "--plan",
        ];
        let ran = collective(&[&wide[..], &["--k", "4294967295"]].concat());
        ran.check(0, "host actions after the start: 0");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let folder = Folder::new("collective-faults");
    let goal = folder.write("g.goal", "num_ranks 2\nrank 0 { send 8b to 5 }\n");
    for (arguments, part) in [
        (&["alltoone"][..], "there is no collective 'alltoone'"),
        (
            &["scan", "--algorithm", "ring"],
            "scan has no algorithm 'ring'",
        ),
        (
            &["allreduce", "--operation", "bor", "--datatype", "double"],
            "there is no bor of double values",
        ),
        (
            &["scatter", "--nodes", "4", "--root", "4"],
            "rank 4 does not exist: the graph has ranks 0 to 3",
        ),
        (
            &["reduce", "--bytes", "6"],
            "6 bytes are no whole number of uint32 values",
        ),
        (
            &[
                "allgather",
                "--nodes",
                "64",
                "--protocol",
                "literal",
                "--plan",
            ],
            "needs 387 counters, a context of the NIC has 64",
        ),
        (
            &["allgather", "--nodes", "128", "--bytes", "1000000"],
            "bytes of memory are more than 268435456",
        ),
        (
            &[
                "scan",
                "--nodes",
                "128",
                "--segments",
                "256",
                "--bytes",
                "4096",
            ],
            "are too many to be ordered",
        ),
        (
            &["--goal", &goal],
            "line 2: rank 5 does not exist: the graph has ranks 0 to 1",
        ),
        (
            &["--goal", "no/such.goal"],
            "does the file exist, and may you read it?",
        ),
        (&[], "the following required arguments were not provided"),
    ] {
        collective(arguments).check(2, part);
    }
}
