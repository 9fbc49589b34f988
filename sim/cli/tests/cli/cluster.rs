//! Many nodes: `xtq make`, `xtq run --make`, and the options that change nothing of what comes out.

use crate::common::{Folder, report, root, xtq};
use serde_json::Value;
use std::process::Command;

#[test]
fn what_is_made_runs_and_has_one_digest_whatever_the_options() {
    let made = ["--make", "barrier --nodes 6"];
    let digest = |more: &[&str]| {
        let (code, report) = report(&[&made, more].concat());
        assert_eq!((code, &report["failure"]), (0, &"".into()));
        let cycles = report["cycles"].as_u64().unwrap();
        (report["digest"].as_str().unwrap().to_owned(), cycles)
    };
    let plain = digest(&[]);
    assert_eq!(plain.0.len(), 16);
    for more in [
        &["--threads", "3"][..],
        &["--epoch", "1", "--no-skip"],
        &["--epoch", "7", "--threads", "2", "--engine", "interp"],
    ] {
        assert_eq!(digest(more), plain, "{more:?}");
    }
}

/// A message of no bytes reaches a node that has done nothing for long: nothing says for some cycles that it is there.
#[test]
fn a_waveform_and_no_skipping_change_nothing_of_a_run_whose_nodes_rest() {
    let folder = Folder::new("cluster-rest");
    let scenario = root().join("scenarios/rendezvous.toml");
    let digest = |more: &[&str]| {
        let (code, report) = report(&[&[scenario.to_str().unwrap()], more].concat());
        assert_eq!((code, &report["failure"]), (0, &"".into()), "{more:?}");
        report["digest"].as_str().unwrap().to_owned()
    };
    let plain = digest(&[]);
    let wave = folder.path("w.fst");
    for more in [&["--no-skip"][..], &["--wave", &wave]] {
        assert_eq!(digest(more), plain, "{more:?}");
    }
}

#[test]
fn bad_input_is_told_before_any_work() {
    let wrong = |arguments: &[&str], part: &str| xtq(arguments).check(2, part);
    wrong(&["run", "--threads", "0"], "'0'");
    wrong(&["run", "--epoch", "0"], "'0'");
    wrong(
        &["make", "ring", "--nodes", "1"],
        "1 nodes; a pattern has 2 to 1024",
    );
    wrong(
        &["make", "ring", "--nodes", "1025"],
        "1025 nodes; a pattern has 2 to 1024",
    );
    wrong(&["make", "allreduce", "--nodes", "65"], "128 commands");
    wrong(
        &["make", "allreduce", "--nodes", "4", "--bytes", "12"],
        "12 bytes",
    );
    wrong(&["run", "--make", "circle --nodes 3"], "circle");
    wrong(&["run", "--make", "ring"], "--nodes");
    wrong(
        &["run", "--make", "ring --nodes 2", "scenarios/figure6.toml"],
        "--make",
    );
    for option in [
        &["--threads", "2"][..],
        &["--epoch", "3"],
        &["--no-skip"],
        &["--log"],
    ] {
        let arguments = [&["run", "scenarios/mixed.toml"], option].concat();
        wrong(&arguments, "the scenario has no network of nodes");
    }
}

#[test]
fn messages_are_listed_when_they_are_few_or_asked_for() {
    let made = "ring --nodes 2 --rounds 1 --bytes 1000";
    let few = report(&["--make", made]).1;
    assert_eq!(few["followed"], true);
    assert_eq!(few["messages"].as_array().unwrap().len(), 2);
    let made = "ring --nodes 16 --rounds 300 --bytes 1";
    let many = report(&["--make", made, "--max-cycles", "2000"]).1;
    assert_eq!(
        (&many["followed"], &many["messages"]),
        (&false.into(), &Value::Array(vec![]))
    );
    let ran = xtq(&["run", "--make", made, "--max-cycles", "2000"]);
    ran.check(1, "messages were not followed (--log follows them)");
    ran.check(1, "not done after 2000 cycles");
    let logged = xtq(&["run", "--make", made, "--max-cycles", "2000", "--log"]);
    logged.check(1, "m0");
}

#[test]
fn leaves_and_spines_have_one_digest_and_the_load_of_each_of_their_links() {
    let made = "alltoall --nodes 5 --bytes 300 --leaf-ports 2 --spines 3";
    let made = ["--make", made];
    let (code, plain) = report(&made);
    assert_eq!((code, &plain["failure"]), (0, &"".into()));
    for more in [
        &["--threads", "3"][..],
        &["--epoch", "1", "--no-skip"],
        &["--epoch", "7", "--threads", "2"],
    ] {
        let (_, other) = report(&[&made, more].concat());
        assert_eq!(other["digest"], plain["digest"], "{more:?}");
        assert_eq!(other["spine_links"], plain["spine_links"], "{more:?}");
    }
    let links = plain["spine_links"].as_array().unwrap();
    let places: Vec<_> = links
        .iter()
        .map(|link| (&link["leaf"], &link["spine"]))
        .collect();
    assert_eq!(places.len(), 3 * 3, "{places:?}");
    // Each node of the first two leaves sends to three others beyond its leaf, all over some spine.
    let up = links.iter().map(|link| link["up"].as_f64().unwrap());
    let down = links.iter().map(|link| link["down"].as_f64().unwrap());
    let (up, down) = (up.sum::<f64>(), down.sum::<f64>());
    assert!(up > 0.0 && (up - down).abs() < 1e-9, "{up} {down}");
    let star = report(&["--make", "alltoall --nodes 5 --bytes 300"]).1;
    assert_eq!(star["spine_links"], Value::Array(vec![]));
    assert_ne!(star["digest"], plain["digest"]);
    let ran = xtq(&["run", made[0], made[1]]);
    ran.check(0, "leaf 0 and spine ");
    ran.check(0, "1 more links of spines, used less (--verbose)");
}

#[test]
fn what_is_wrong_with_leaves_and_spines_is_named_with_its_line() {
    let folder = Folder::new("leaves");
    let made = xtq(&[
        "make",
        "ring",
        "--nodes",
        "4",
        "--leaf-ports",
        "2",
        "--spines",
        "2",
    ]);
    let kind = "kind = \"leaf_spine\"";
    for (from, to, fault) in [
        (
            "spines = 2",
            "spines = 0",
            "network.spines: 0 spines; 1 to 1024 are possible",
        ),
        (
            "leaf_ports = 2",
            "leaf_ports = 0",
            "network.leaf_ports: a leaf with ports for 0 nodes",
        ),
        (
            ", spines = 2",
            "",
            "network.kind: a network of leaves and spines needs 'spines'",
        ),
        (
            kind,
            "kind = \"star\"",
            "network.leaf_ports: a star has no spines",
        ),
        (
            kind,
            "kind = \"ring\"",
            "network.kind: unknown variant `ring`",
        ),
        (
            "spines = 2",
            "spines = 2, spine_latency = 0",
            "network.spine_latency: a spine link",
        ),
        (
            "spines = 2",
            "spines = 2, spine_bandwidth = [0, 1]",
            "network.spine_bandwidth: a spine",
        ),
    ] {
        let text = made.stdout.replacen(from, to, 1);
        assert_ne!(text, made.stdout, "{from}");
        let ran = xtq(&["run", &folder.write("leaves.toml", &text)]);
        ran.check(2, fault);
        ran.check(2, "leaves.toml:3:");
    }
    xtq(&["make", "ring", "--nodes", "4", "--spines", "2"]).check(2, "--leaf-ports");
}

#[test]
fn the_share_of_waiting_is_that_of_each_thread() {
    let made = ["--make", "ring --nodes 4 --rounds 1"];
    let waiting = |more: &[&str]| {
        let (code, report) = report(&[&made, more].concat());
        assert_eq!(code, 0);
        let waiting = report["waiting"].as_array().unwrap().iter();
        let waiting: Vec<f64> = waiting.map(|share| share.as_f64().unwrap()).collect();
        assert!(
            waiting.iter().all(|share| (0.0..=1.0).contains(share)),
            "{waiting:?}"
        );
        waiting
    };
    assert_eq!(waiting(&["--threads", "1"]).len(), 1);
    let of_three = waiting(&["--threads", "3"]);
    assert!(
        of_three.len() == 3 && of_three.iter().any(|share| *share > 0.0),
        "{of_three:?}"
    );
    let ran = xtq(&["run", made[0], made[1], "--threads", "3"]);
    ran.check(0, "3 workers waited for each other");
    let ran = xtq(&["run", made[0], made[1], "--threads", "1"]);
    assert!(
        !ran.stdout.contains("waited for each other"),
        "{}",
        ran.stdout
    );
}

/// The last event may be long ago.
#[test]
fn a_run_that_is_given_up_counts_the_cycles_that_it_has_run() {
    let arguments = ["--make", "wait --nodes 2", "--max-cycles", "5000"];
    for more in [&[][..], &["--threads", "2"], &["--no-skip"]] {
        let (code, report) = report(&[&arguments, more].concat());
        assert_eq!(code, 1);
        let number = |key: &str| report[key].as_f64().unwrap();
        assert_eq!(number("cycles") - number("setup_cycles"), 5000.0);
        let counted = number("cycles_per_second") * number("seconds");
        assert!((counted - 5000.0).abs() < 1.0, "{counted}");
    }
}

/// Memory for 64 nodes, but not for as many threads.
#[test]
fn a_run_for_which_there_are_too_few_threads_is_done_by_those_that_there_are() {
    let made = "wait --nodes 64 --pause 200";
    let (_, wanted) = report(&["--make", made, "--threads", "1"]);
    let mut shell = Command::new("sh");
    let line = r#"ulimit -v 1000000; exec timeout 100 "$0" "$@""#;
    shell.args(["-c", line, env!("CARGO_BIN_EXE_xtq"), "run", "--json", "-"]);
    shell.args(["--make", made, "--threads", "64"]);
    let ran = crate::common::ran(shell.output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["digest"], wanted["digest"]);
    let workers = report["waiting"].as_array().unwrap().len();
    assert!((1..64).contains(&workers), "{workers}");
}

#[test]
fn what_does_not_fit_into_the_memory_of_the_process_is_refused_with_both_numbers() {
    let folder = Folder::new("cluster-memory");
    let filled = "{ fill = { byte = 1, length = 0x100_0000 } }";
    let [node, many] = [1, 4000].map(|many| {
        let data = format!("{{ for = {{ k = {many} }}, address = \"{{k}}\", bytes = {filled} }}");
        format!("[[nodes]]\nname = \"n\"\n[[nodes.processes]]\nname = \"p\"\ndata = [{data}]\nprogram = []\n")
    });
    let [node, many] =
        [("one", node), ("many", many)].map(|(name, text)| folder.write(name, &text));
    for (arguments, message) in [
        (["--make", "wait --nodes 1024"], "the nodes need about "),
        (
            [&many[..], "-q"],
            "what the file describes up to here takes about ",
        ),
    ] {
        let mut shell = Command::new("sh");
        let line = r#"ulimit -v 1000000; exec "$0" "$@""#;
        shell
            .args(["-c", line, env!("CARGO_BIN_EXE_xtq"), "run"])
            .args(arguments);
        let ran = crate::common::ran(shell.output().unwrap());
        ran.check(2, message);
        assert!(ran.stderr.contains(" MiB are free"), "{}", ran.stderr);
    }
    assert_eq!(report(&[&node]).0, 0);
}

#[test]
fn a_full_disk_while_what_was_followed_is_written_is_told_with_the_table() {
    let made = ["run", "--make", "ring --nodes 2 --rounds 40", "--log"];
    let ran = xtq(&[&made[..], &["--json", "/dev/full"]].concat());
    ran.check(2, "/dev/full: cannot be written: No space left on device");
    assert!(ran.stdout.contains("\nm39 "), "{}", ran.stdout);
    assert!(ran.stdout.contains("cycles of 2 nodes"), "{}", ran.stdout);
}

#[test]
fn a_scenario_chooses_the_nic_of_each_node() {
    let folder = Folder::new("nics");
    let made = xtq(&["make", "ring", "--nodes", "3", "--rounds", "1"]).stdout;
    let run = |text: &str| report(&[&folder.write("nics.toml", text)]);
    let (code, plain) = run(&made);
    assert_eq!(code, 0);
    let large = xtq(&[
        "make",
        "ring",
        "--nodes",
        "3",
        "--rounds",
        "1",
        "--nic",
        "nic-large",
    ]);
    assert_ne!(large.stdout, made);
    let (code, of_large) = run(&large.stdout);
    assert_eq!((code, &of_large["passed"]), (0, &true.into()));
    let small = made.replacen(
        "name = \"n{rank}\"",
        "name = \"n{rank}\"\nnic = \"nic-small\"",
        1,
    );
    assert_eq!(run(&small).0, 0);
    // A limit is seen in the cycles: each waits for the acknowledgement of its only message.
    let burst = xtq(&["make", "alltoall", "--nodes", "3", "--bytes", "500"]).stdout;
    let burst = burst.replacen(
        "% 3}\", pt = \"in\"",
        "% 3}\", pt = \"in\", ack = \"ack\"",
        1,
    );
    assert!(burst.contains("ack = "), "{burst}");
    let limit = "name = \"n{rank}\"\nmessage_limit = 1\nmessage_timeout = 20";
    let limited = burst.replacen("name = \"n{rank}\"", limit, 1);
    let (free, limited) = (run(&burst).1, run(&limited).1);
    assert_eq!(limited["passed"], true);
    assert!(limited["cycles"].as_u64() > free["cycles"].as_u64());
    assert_ne!(plain["digest"], free["digest"]);
}

#[test]
fn what_a_nic_has_not_is_an_error_with_file_line_and_key() {
    let folder = Folder::new("nics-refused");
    let made = xtq(&["make", "ring", "--nodes", "2", "--rounds", "1"]).stdout;
    let node = "name = \"n{rank}\"";
    let refused = |from: &str, to: &str, part: &str| {
        let text = made.replacen(from, to, 1);
        assert_ne!(text, made);
        let ran = xtq(&["run", &folder.write("wrong.toml", &text)]);
        ran.check(2, part);
        assert!(ran.stderr.contains("wrong.toml:"), "{}", ran.stderr);
    };
    let with = |key: &str| format!("{node}\n{key}");
    refused(
        node,
        &with("message_limit = 0"),
        "nodes[0].message_limit: 0 is not from 1 to 64",
    );
    refused(
        node,
        &with("message_timeout = 32"),
        "nodes[0].message_timeout: 32 is not from 0 to 31",
    );
    refused(node, &with("nic = \"nic-huge\""), "nic-huge");
    let process = "name = \"p{rank}\"";
    let atomic = format!("{process}\nmax_atomic_size = 513");
    let place = "nodes[0].processes[0].max_atomic_size: 513 is not from 1 to 512";
    refused(process, &atomic, place);
    let one = "[[nodes.processes]]\n";
    let three = format!("{one}name = \"a{{rank}}\"\n{one}name = \"b{{rank}}\"\n{one}");
    let small = made.replacen(node, &with("nic = \"nic-small\""), 1);
    let text = small.replacen(one, &three, 1);
    let ran = xtq(&["run", &folder.write("three.toml", &text)]);
    ran.check(2, "a 'nic-small' has 2 contexts");
    let entry = "me = \"mN\", pt = \"in\", start = 0x4000_0000, length = 8, options = [\"op_put\"]";
    let entry = |n: usize| entry.replace('N', &n.to_string());
    let entry = |n| format!("{{ ptl_me_append = {{ {} }} }},\n", entry(n));
    let entries: String = (0..33).map(entry).collect();
    let program = "program = [\n    { ptl_pt_alloc = { pt = \"in\" } },\n";
    let many = format!("{program}{entries}");
    let ran = |text: &str| {
        xtq(&[
            "run",
            &folder.write("many.toml", &text.replacen(program, &many, 1)),
        ])
    };
    ran(&small).check(2, "a process has at most 32 of a kind (match entry)");
}
