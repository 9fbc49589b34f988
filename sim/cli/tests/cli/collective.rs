//! `xtq collective`: runs on the real NIC, plans, scenarios and GOAL files that it writes, and what is refused.

use crate::common::{Folder, root, xtq};
use serde_json::Value;
use xtq_cdag::collectives::VARIANTS;

/// The end of every run that came out right.
const RIGHT: &str = "all programs have ended, and found what they expect";

fn collective(arguments: &[&str]) -> crate::common::Ran {
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
        "--start-barrier",
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
    let ran = collective(&["allreduce", "--nodes", "64", "--bytes", "512", "--plan"]);
    ran.check(
        0,
        "triggered operations                   13              127\n",
    );
    assert!(!ran.stdout.contains(RIGHT));
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
        "more than fits at once: hosts post 1225 operations after the start, and wait with 28 commands\n",
    );
}

#[test]
fn a_schedule_is_used_again_as_often_as_it_fits() {
    let used = |uses: &str| collective(&["reduce", "--nodes", "3", "--root", "2", "--uses", uses]);
    let ran = used("4");
    ran.check(0, RIGHT);
    for part in [
        "triggered operations                    8              127\n",
        "most of them that wait                  8              127\n",
        "uses that fit at once: 63\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    used("64").check(2, "64 uses do not fit into the NIC at once, 63 do");
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
fn a_graph_that_was_written_as_goal_runs_on_both_backends() {
    let folder = Folder::new("collective-goal");
    let file = folder.path("g.goal");
    let ran = collective(&["broadcast", "--nodes", "3", "--write-goal", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for backend in ["offloaded", "host"] {
        collective(&["--goal", &file, "--backend", backend]).check(0, RIGHT);
    }
    let clash = collective(&["--goal", &file, "--json", &file]);
    assert_eq!(clash.code, 2, "{}", clash.stdout);
}

/// Binary GOAL of a rank: tasks of kind, peer and bytes, of which each waits for the one before.
fn binary_rank(tasks: &[(u8, u32, u64)]) -> Vec<u8> {
    let mut rank = (tasks.len() as u32).to_le_bytes().to_vec();
    rank.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    for (number, (kind, peer, bytes)) in tasks.iter().enumerate() {
        let more = u32::from(number + 1 < tasks.len());
        rank.extend([0, 0, 0, 0, *kind]);
        rank.extend(peer.to_le_bytes());
        rank.extend(bytes.to_le_bytes());
        rank.extend([0; 6]);
        for word in [more, number as u32, 0, 0] {
            rank.extend(word.to_le_bytes());
        }
    }
    (1..tasks.len() as u32).for_each(|number| rank.extend(number.to_le_bytes()));
    rank
}

#[test]
fn a_binary_goal_file_runs_on_both_backends() {
    let (send, recv) = (1, 2);
    let ranks = [
        binary_rank(&[(send, 1, 640), (recv, 2, 64)]),
        binary_rank(&[(recv, 0, 640), (send, 2, 640)]),
        binary_rank(&[(recv, 1, 640), (send, 0, 64)]),
    ];
    let mut file = 4223u64.to_le_bytes().to_vec();
    file.extend((ranks.len() as u32).to_le_bytes());
    file.extend([1, 1]);
    let mut at = (file.len() + 16 * ranks.len() - 8) as u64;
    for rank in &ranks {
        file.extend(at.to_le_bytes());
        at += rank.len() as u64;
        file.extend(at.to_le_bytes());
    }
    file.extend(ranks.concat());
    let folder = Folder::new("collective-binary");
    let path = folder.path("g.bin");
    std::fs::write(&path, &file).unwrap();
    for backend in ["offloaded", "host"] {
        let ran = collective(&["--goal", &path, "--backend", backend]);
        ran.check(0, RIGHT);
        ran.check(0, "3 nodes");
    }
    std::fs::write(&path, &file[..file.len() - 1]).unwrap();
    let cut = collective(&["--goal", &path]);
    assert_eq!(cut.code, 2, "{}", cut.stdout);
    assert!(cut.stderr.contains("g.bin"), "{}", cut.stderr);
}

#[test]
fn goal_of_the_docs_runs_on_both_backends() {
    let page = std::fs::read_to_string(root().join("docs/collectives.md")).unwrap();
    let folder = Folder::new("collective-docs");
    let blocks = page.split("```text\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    let goals: Vec<&str> = blocks.filter(|text| text.contains("num_ranks")).collect();
    assert!(!goals.is_empty());
    for goal in goals {
        let file = folder.write("g.goal", goal);
        for backend in ["offloaded", "host"] {
            collective(&["--goal", &file, "--backend", backend]).check(0, RIGHT);
        }
    }
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
fn a_calc_is_a_host_action_and_takes_its_time() {
    let folder = Folder::new("collective-calc");
    let cycles = |calc: u64, backend: &str| {
        let text = format!(
            "num_ranks 2\nrank 0 {{ a: recv 8b from 1 tag 1 b: calc {calc} c: send 8b to 1 tag 2\nb requires a c requires b }}\nrank 1 {{ send 8b to 0 tag 1 recv 8b from 0 tag 2 }}\n"
        );
        let (goal, json) = (folder.write("g.goal", &text), folder.path("report.json"));
        let ran = collective(&["--goal", &goal, "--backend", backend, "--json", &json]);
        ran.check(0, RIGHT);
        if backend == "offloaded" {
            ran.check(0, "host actions after the start: 1\n");
            ran.check(0, &format!("cycles of host work: {calc}\n"));
        }
        let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        report["cycles"].as_u64().unwrap()
    };
    for backend in ["offloaded", "host"] {
        let more = cycles(20_001, backend) - cycles(1, backend);
        assert!((19_900..20_200).contains(&more), "{backend}: {more}");
    }
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
            "needs 380 counters, a context of the NIC has 64",
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

/// Two ranks race to a rank that answers both.
const RACE: &str = "num_ranks 3
rank 0 { a: recv 8b from -1 tag -1   b: recv 8b from -1   c: send 8b to 1   d: send 8b to 2
b requires a   c requires b   d requires b }
rank 1 { a: send 8b to 0 tag 0   recv 8b from -1 }
rank 2 { send 8b to 0   recv 8b from 0 tag -1 }
";

#[test]
fn any_source_and_any_tag_of_goal_run_on_both_backends_and_with_every_protocol() {
    let folder = Folder::new("collective-race");
    let file = folder.write("race.goal", RACE);
    for backend in ["offloaded", "host"] {
        let ran = collective(&["--goal", &file, "--backend", backend]);
        ran.check(0, RIGHT);
        ran.check(
            0,
            "16 bytes of memory depend on what arrives first, and are not compared\n",
        );
    }
    for protocol in ["eager", "rendezvous", "get", "unmatched", "literal"] {
        let ran = collective(&["--goal", &file, "--protocol", protocol, "--start-barrier"]);
        ran.check(0, RIGHT);
        ran.check(0, "host actions after the start: 0\n");
    }
    let by_hosts = [
        "--goal",
        &file,
        "--protocol",
        "unmatched",
        "--backend",
        "host",
    ];
    let refused = collective(&by_hosts);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(
        refused.stderr.contains("hosts do the operations"),
        "{}",
        refused.stderr
    );
    // Rank 2 may get what only rank 0's second receive can take.
    let stuck = "num_ranks 3\nrank 0 { recv 8b from -1   recv 8b from 2 }\n\
                 rank 1 { send 8b to 0 }\nrank 2 { send 8b to 0 }\n";
    let stuck = collective(&["--goal", &folder.write("stuck.goal", stuck)]);
    assert_eq!(stuck.code, 2, "{}", stuck.stdout);
    assert!(
        stuck
            .stderr
            .contains("the graph cannot end: the interpreter stops"),
        "{}",
        stuck.stderr
    );
}
