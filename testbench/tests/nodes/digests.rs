//! Whole NICs in a cluster: what they do depends neither on the length of epochs, nor on threads, nor on cycles that
//! are left out, nor on engines that sleep.

use std::path::Path;

use xtq_engine::EngineKind;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::scenario::make::{Making, Pattern, make};
use xtq_testbench::scenario::{File, NodesPlan, NodesReport, NodesRun, parse_file};

pub(crate) fn plan(text: &str) -> NodesPlan {
    match parse_file("made", text, Path::new("")) {
        Ok(File::Nodes(plan)) => plan,
        Ok(_) => panic!("no nodes"),
        Err(error) => panic!("{error}"),
    }
}

fn run(text: &str, options: RunOptions, sleeps: bool) -> NodesReport {
    let mut run = NodesRun::with_sleep(plan(text), EngineKind::default(), sleeps).unwrap();
    run.set_options(options);
    run.finish()
}

/// A put without bytes to a node that did nothing for longer than its pipeline is, and whose counter fires a put back.
const TO_AN_IDLE_NODE: &str = r#"
[[nodes]]
name = "a"
[[nodes.processes]]
name = "pa"
program = [
  { ptl_pt_alloc = { pt = "in" } },
  { ptl_ct_alloc = { ct = "back" } },
  { ptl_md_bind = { md = "m", start = 0x2000_0000, length = 64 } },
  { name = "me", ptl_me_append = { me = "e", pt = "in", start = 0, length = 0, ct = "back", options = ["op_put", "ct_comm", "comm_disable"] } },
  { wait_event = { kind = "link", of = "me" } },
  { barrier = { name = "r" } },
  { delay = { cycles = 600 } },
  { name = "ping", ptl_put = { md = "m", length = 0, target = "pb", pt = "in" } },
  { ptl_ct_wait = { ct = "back", threshold = 1 } },
]
[[nodes]]
name = "b"
[[nodes.processes]]
name = "pb"
program = [
  { ptl_pt_alloc = { pt = "in" } },
  { ptl_ct_alloc = { ct = "hit" } },
  { ptl_md_bind = { md = "m", start = 0x2000_0000, length = 64 } },
  { name = "pong", ptl_put = { md = "m", length = 0, target = "pa", pt = "in" }, trigger = { ct = "hit", threshold = 1 } },
  { name = "me", ptl_me_append = { me = "e", pt = "in", start = 0, length = 0, ct = "hit", options = ["op_put", "ct_comm", "comm_disable"] } },
  { wait_event = { kind = "link", of = "me" } },
  { barrier = { name = "r" } },
]
"#;

/// The same with a network in which sources wait for places.
fn with_small_buffers(text: &str) -> String {
    let small = text.replacen("network = { ", "network = { buffer_beats = 65, ", 1);
    assert_ne!(small, text);
    small
}

/// Each puts more to all others than the small buffers hold and the latencies carry.
fn crowd() -> String {
    let crowd = Making {
        bytes: 8000,
        latency: (40, 40),
        ..Making::new(Pattern::Alltoall, 4)
    };
    make(&crowd).unwrap()
}

/// The patterns of the table.
pub(crate) fn patterns() -> Vec<(&'static str, String)> {
    let of = |pattern, nodes| Making::new(pattern, nodes);
    let ring = Making {
        rounds: 2,
        pause: 300,
        ..of(Pattern::Ring, 4)
    };
    let random = Making {
        rounds: 12,
        bytes: 3000,
        seed: 3,
        ..of(Pattern::Random, 4)
    };
    let jitter = Making {
        jitter: 50,
        pause: 60,
        bytes: 200,
        ..random
    };
    let leaves = Making {
        leaves: Some((2, 2)),
        ..random
    };
    let alltoall = Making {
        bytes: 700,
        latency: (3, 4),
        ..of(Pattern::Alltoall, 3)
    };
    let text = |making: &Making| make(making).unwrap();
    let stalls = text(&alltoall).replacen(
        "name = \"n{rank}\"",
        "name = \"n{rank}\"\nmemory = { timing = \"random\", seed = 5 }",
        1,
    );
    let fault = "{ address = 0x4000_0000, length = 1, access = \"write\" }";
    let faults = text(&ring).replacen(
        "name = \"n{rank}\"",
        &format!("name = \"n{{rank}}\"\nfaults = [{fault}]"),
        1,
    );
    vec![
        ("ring", text(&ring)),
        ("barrier", text(&of(Pattern::Barrier, 5))),
        ("allreduce", text(&of(Pattern::Allreduce, 4))),
        ("random", text(&random)),
        ("jitter", text(&jitter)),
        ("alltoall, memory that pauses", stalls),
        ("ring, faults", faults),
        ("random, leaves", text(&leaves)),
        ("put to an idle node", TO_AN_IDLE_NODE.to_owned()),
        ("alltoall, full buffers", with_small_buffers(&crowd())),
        ("random, full buffers", with_small_buffers(&text(&random))),
    ]
}

/// Else the table would say nothing of places that come back.
#[test]
fn small_buffers_of_the_table_are_full() {
    let wide = run(&crowd(), RunOptions::default(), true);
    let small = run(&with_small_buffers(&crowd()), RunOptions::default(), true);
    let cycles = |report: &NodesReport| report.cycles - report.setup_cycles;
    let (wide, small) = ((cycles(&wide), wide), (cycles(&small), small));
    assert!(2 * small.0 > 3 * wide.0, "{} and {}", small.0, wide.0);
    for node in &small.1.nodes {
        assert!(
            node.sending < 0.4,
            "link {} of node {}",
            node.sending,
            node.number
        );
    }
}

#[test]
fn a_cluster_has_one_digest() {
    let all = RunOptions::default();
    let plain = RunOptions {
        epoch: 1,
        skips: false,
        ..all
    };
    for (name, text) in patterns() {
        let wanted = run(&text, plain, true);
        assert_eq!(
            wanted.passed,
            name != "ring, faults",
            "{name}: {}",
            wanted.failure
        );
        let others = [
            (all, true),
            (RunOptions { epoch: 1, ..all }, true),
            (
                RunOptions {
                    epoch: 7,
                    threads: 2,
                    ..all
                },
                true,
            ),
            (RunOptions { threads: 3, ..all }, true),
            (
                RunOptions {
                    threads: 2,
                    skips: false,
                    ..all
                },
                true,
            ),
            (RunOptions { epoch: 7, ..all }, false),
        ];
        for (options, sleeps) in others {
            let report = run(&text, options, sleeps);
            let place = format!("{name}, {options:?}, sleeps {sleeps}");
            assert_eq!(report.failure, wanted.failure, "{place}");
            assert_eq!(report.digest, wanted.digest, "{place}");
            assert_eq!(report.cycles, wanted.cycles, "{place}");
            let nodes = |report: &NodesReport| -> Vec<String> {
                report
                    .nodes
                    .iter()
                    .map(|node| node.digest.clone())
                    .collect()
            };
            assert_eq!(nodes(&report), nodes(&wanted), "{place}");
        }
    }
}
