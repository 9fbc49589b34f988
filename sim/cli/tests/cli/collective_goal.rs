//! `xtq collective --goal`: GOAL files, text and binary.

use crate::collective::{RIGHT, collective};
use crate::common::{Folder, root};
use serde_json::Value;

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
        let ran = collective(&["--goal", &file, "--protocol", protocol]);
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
