//! `xtq run` of several nodes: figure 6 between two of them, the other examples, what is wrong in files and programs.

mod faults;
mod waveform;

use crate::common::{Folder, report, root, xtq};
use serde_json::Value;

/// The cycles of a message's stations.
fn stations(message: &Value) -> Vec<Option<u64>> {
    [
        "command",
        "first_beat",
        "last_beat",
        "arrived",
        "parsed",
        "admitted",
        "rewritten",
        "payload_written",
        "enqueued",
        "doorbell",
        "launched",
        "signal",
        "event",
        "acknowledged",
    ]
    .iter()
    .map(|name| message[name].as_u64())
    .collect()
}

/// Figure 6 with one text replaced, which must be there.
fn changed(from: &str, to: &str) -> String {
    let good = std::fs::read_to_string(root().join("scenarios/figure6.toml")).unwrap();
    assert!(good.contains(from), "{from}");
    good.replacen(from, to, 1)
}

/// The line of a text in a file, from 1.
fn line(text: &str, part: &str) -> usize {
    text[..text.find(part).unwrap()].matches('\n').count() + 1
}

#[test]
fn bare_xtq_runs_figure_6_from_one_node_to_another() {
    let ran = xtq::<&str>(&[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for part in [
        "XTQ paper, figure 6: index 42, from one node to another\n",
        "ok, queue 42 packet 0\n",
        "node 0 (initiator): ",
        "  sender (context 0): 6 of 6 steps, ended in cycle ",
        "node 1 (target): ",
        "  receiver (context 0): 9 of 9 steps, ended in cycle ",
        "  signal 0x40000000 (context 0): 1 -> 0\n",
        "  queue 42 (context 0): write index 1, read index 1\n",
        "all programs have ended, and found what they expect\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
}

/// The hardware decides these numbers, and nothing else does.
#[test]
fn figure_6_takes_these_cycles_on_every_engine() {
    for engine in ["jit", "interp", "aot"] {
        let (code, report) = report(&["--engine", engine]);
        assert_eq!((code, &report["engine"]), (0, &engine.into()));
        assert_eq!(report["messages"].as_array().unwrap().len(), 1);
        let message = &report["messages"][0];
        let cycles: Vec<u64> = stations(message).into_iter().flatten().collect();
        assert_eq!(cycles, FIGURE_6, "{engine}");
        assert_eq!(
            (&message["from"], &message["to"], &message["status"]),
            (&"sender".into(), &"receiver".into(), &"ok".into())
        );
        // Two links of 10 cycles, and 20 through the switch.
        assert_eq!(cycles[3] - cycles[1], 40);
        // The kernel runs for 200 cycles.
        assert_eq!(cycles[11] - cycles[10], 200);
    }
}

const FIGURE_6: [u64; 14] = [
    611, 618, 631, 658, 669, 693, 695, 704, 707, 710, 740, 940, 717, 757,
];

#[test]
fn there_is_no_generated_code_of_the_whole_nic_with_atomics() {
    let folder = Folder::new("aot-atomics");
    let text = std::fs::read_to_string(root().join("scenarios/figure6.toml")).unwrap();
    let file = folder.write("s.toml", &format!("atomics = true\n{text}"));
    assert_eq!(xtq(&["run", &file]).code, 0);
    let ran = xtq(&["run", &file, "--engine", "aot"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("FAILED: "), "{}", ran.stdout);
}

#[test]
fn balls_fly_between_hosts_that_sleep() {
    let (code, report) = report(&["scenarios/ping-pong.toml"]);
    assert_eq!((code, &report["failure"]), (0, &"".into()));
    let messages = report["messages"].as_array().unwrap();
    let names: Vec<&str> = messages
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "ping 1", "pong 1", "ping 2", "pong 2", "ping 3", "pong 3", "ping 4", "pong 4"
        ]
    );
    let first: Vec<u64> = messages
        .iter()
        .map(|message| message["first_beat"].as_u64().unwrap())
        .collect();
    let flights: Vec<u64> = first.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(flights, [FLIGHT; 7]);
}

/// Cycles from the first beat of a ball to that of its answer.
const FLIGHT: u64 = 85;

#[test]
fn unexpected_messages_are_found_and_unwanted_ones_told() {
    let (code, report) = report(&["scenarios/lists.toml"]);
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
    let status = |name: &str, from: &str| {
        let messages = report["messages"].as_array().unwrap();
        let found = messages
            .iter()
            .find(|m| m["name"] == name && m["from"] == from);
        found.unwrap()["status"].clone()
    };
    assert_eq!(status("expected", "worker 1"), "ok");
    assert_eq!(status("early", "worker 2"), "ok");
    assert_eq!(status("unwanted", "worker 1"), "no_match");
    assert_eq!(report["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn a_put_sets_off_a_get() {
    let (code, report) = report(&["scenarios/get.toml"]);
    assert_eq!((code, &report["failure"]), (0, &"".into()));
    let messages = report["messages"].as_array().unwrap();
    let get = messages.iter().find(|message| message["call"] == "ptl_get");
    let get = get.expect("a row of the get");
    assert_eq!(
        (&get["from"], &get["to"]),
        (&"reader".into(), &"writer".into())
    );
    // It left after the put that set it off, and the reply has come.
    let cycles = stations(get);
    assert!(cycles[1] > stations(&messages[0])[3]);
    assert!(cycles[13] > cycles[3], "{cycles:?}");
}

#[test]
fn two_workers_draw_every_ticket_once_and_pass_a_lock() {
    let folder = Folder::new("nodes-atomics");
    let dump = |place: &str, name: &str| format!("{place}:0x3000_0000:24:{}", folder.path(name));
    let (code, report) = report(&[
        "scenarios/atomics.toml",
        "--dump-memory",
        &dump("0.1", "first.bin"),
        "--dump-memory",
        &dump("1.0", "second.bin"),
    ]);
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
    // What came back is what was there before each addition: so no two are equal, unless the bonus of 10 lies between.
    let drawn = ["first.bin", "second.bin"].map(|name| std::fs::read(folder.path(name)).unwrap());
    let mut tickets: Vec<u64> = drawn
        .concat()
        .chunks(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    tickets.sort();
    let gap = tickets.windows(2).find(|pair| pair[1] != pair[0] + 1);
    assert_eq!((tickets.len(), tickets[0]), (6, 100));
    assert!(
        gap.is_none_or(|pair| pair[1] == pair[0] + 11),
        "{tickets:?}"
    );
    // Each message has its row, with the answer that came.
    let messages = report["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 11);
    for message in messages {
        assert_eq!(message["status"], "ok", "{message}");
        assert!(message["acknowledged"].is_u64(), "{message}");
    }
    let calls = |call: &str| messages.iter().filter(|one| one["call"] == call).count();
    assert_eq!(
        ["ptl_atomic", "ptl_fetch_atomic", "ptl_swap"].map(calls),
        [2, 6, 3]
    );
}

/// Runs a file of this text, which must not pass, and gives what it printed.
fn failing(name: &str, text: &str) -> String {
    let ran = xtq(&["run", &Folder::new(name).write("s.toml", text)]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

#[test]
fn a_failure_that_nobody_waits_for_is_told() {
    // The second event finds the ring of one full; the third is the command that fails.
    let lost = r#"
[[nodes]]
name = "n"

[[nodes.processes]]
name = "p"
events = 1
program = [
  { nop = {}, completion = true },
  { nop = {}, completion = true },
  { ptl_md_release = { md = "m" } },
  { ptl_md_bind = { md = "m", start = 0, length = 4 } },
]
"#;
    let told = failing("nodes-lost", lost);
    assert!(
        told.contains("2 events were lost: the event ring was full"),
        "{told}"
    );
    // A process that waits has not looked at its events.
    let waits = r#"
[[nodes]]
name = "n"

[[nodes.processes]]
name = "p"
signals = [{ name = "s", handle = 0x4000_0000, value = 1 }]
program = [
  { ptl_md_bind = { md = "m", start = 0, length = 4 } },
  { ptl_pt_alloc = { pt = "x" } },
  { name = "bad", ptl_put = { md = "m", length = 8, target = "p", pt = "x" } },
  { wait_signal = { signal = "s", value = 0 } },
]
"#;
    let told = failing("nodes-waits", waits);
    assert!(
        told.contains("the command ended with 'descriptor_overflow'"),
        "{told}"
    );
    assert!(told.contains("signal 's' to be 0"), "{told}");
    // Nobody takes the acknowledgement, which says that no entry matched.
    let unmatched = waits
        .replace("length = 8, target", "length = 4, ack = \"ack\", target")
        .replace("length = 4 } },", "length = 4, options = [\"events\"] } },")
        .replace("value = 0", "value = 1");
    let told = failing("nodes-unmatched", &unmatched);
    assert!(
        told.contains("an event 'ack' that nobody took ended with 'no_match'"),
        "{told}"
    );
    // A packet that the packet processor refuses.
    let told = failing("nodes-queue", &changed("setup = 1", "setup = 0"));
    assert!(
        told.contains("node 1 receiver, queue 'gpu': packet 0: "),
        "{told}"
    );
}

#[test]
fn a_buffer_at_the_end_of_the_addresses_is_no_accident() {
    let text = changed(
        "start = 0x2000_0000, length = 0x1_0000, options",
        "start = 0xffff_ffff_ffff_ff40, length = 0xc0, options",
    );
    let told = failing("nodes-end", &text);
    assert!(told.contains("(expect_memory, line "), "{told}");
}

#[test]
fn what_is_not_as_expected_is_named_and_told_by_the_exit_code() {
    let folder = Folder::new("nodes-expect");
    let text = changed(
        "from = \"sender\", length = 160",
        "from = \"receiver\", length = 161",
    );
    let text = text.replacen(
        "bytes = { text = \"64 bytes",
        "bytes = { text = \"46 bytes",
        2,
    );
    let text = text.replacen(
        "bytes = { text = \"46 bytes",
        "bytes = { text = \"64 bytes",
        1,
    );
    let ran = xtq(&["run", &folder.write("s.toml", &text)]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    for part in [
        format!(
            "DIFFERS: node 1 receiver, step 8 (wait_event, line {}): length is 0xa0, not 0xa1\n",
            line(&text, "length = 161")
        ),
        "it is from context 0 of node 0, not from 'receiver'\n".to_owned(),
        "(expect_memory, line ".to_owned(),
        "2 of 64 bytes differ, the first at 0x20000060: 0x36, not 0x34\n".to_owned(),
    ] {
        assert!(ran.stdout.contains(&part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("all programs have ended"));
}

#[test]
fn a_program_that_waits_for_ever_is_named_with_what_it_waits_for() {
    let folder = Folder::new("nodes-deadlock");
    for (from, to, what) in [
        (
            "kind = \"ack\", of = \"xtq_put\", length = 160",
            "kind = \"reply\"",
            "node 0 sender, step 6 (wait_event, line LINE) waits for event 'reply'",
        ),
        (
            "signal = \"done\", value = 0",
            "signal = \"done\", value = -5",
            "node 1 receiver, step 7 (wait_signal, line LINE) waits for signal 'done' to be -5",
        ),
        (
            "{ barrier = { name = \"registered\" } },\n  # (3)",
            "{ barrier = { name = \"registered\" } },\n  { wait_memory = { address = 0, bytes = \"ff\" } },\n  # (3)",
            "node 0 sender, step 4 (wait_memory, line LINE) waits for bytes at 0x0; node 1 receiver, step 7 (wait_signal, line ",
        ),
    ] {
        let text = changed(from, to);
        let ran = xtq(&["run", &folder.write("s.toml", &text)]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        let part = to.lines().nth(1).unwrap_or(to);
        let what = what.replace("LINE", &line(&text, part).to_string());
        let want = "FAILED: cycle ";
        assert!(ran.stdout.contains(want), "{}", ran.stdout);
        let want = format!("nothing happens any more, but {what}");
        assert!(ran.stdout.contains(&want), "{want}: {}", ran.stdout);
    }
}

#[test]
fn a_run_that_takes_too_long_says_who_has_not_ended() {
    let ran = xtq(&["run", "--max-cycles", "30"]);
    assert_eq!(ran.code, 1);
    for part in ["not done after 30 cycles (", "node 1 receiver, step "] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn what_the_hardware_refuses_has_the_commands_error() {
    let folder = Folder::new("nodes-refused");
    let put = "{ name = \"too far\", ptl_put = { md = \"payload\", length = 65, target = \"receiver\", pt = \"tasks\" } },\n  # (3)";
    let text = changed("# (3)", put);
    let file = folder.write("s.toml", &text);
    let (code, report) = report(&[&file]);
    assert_eq!(code, 1);
    let messages = report["messages"].as_array().unwrap();
    let refused = messages.iter().find(|m| m["name"] == "too far").unwrap();
    assert_eq!(refused["status"], "descriptor_overflow");
    let told = report["differences"][0].as_str().unwrap();
    assert!(
        told.starts_with("node 0 sender, step 4 'too far' (ptl_put, line ")
            && told.ends_with("the command ended with 'descriptor_overflow'"),
        "{told}"
    );
    // Who waits for it knows.
    let waits = text.replace(
        "  # (3)",
        "  { wait_event = { kind = \"command\", of = \"too far\", status = \"descriptor_overflow\" } },\n  # (3)",
    );
    let ran = xtq(&["run", &folder.write("s.toml", &waits)]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn memory_of_each_node_can_be_saved() {
    let folder = Folder::new("nodes-dump");
    let file = folder.path("payload.bin");
    let ran = xtq(&[
        "run",
        "--dump-memory",
        &format!("1.0:0x2000_0060:64:{file}"),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        std::fs::read(file).unwrap(),
        b"64 bytes of data that the initiator sends along with the command"[..64]
    );
    let ran = xtq(&["run", "--dump-memory", "2.0:0:1:x"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no node 2"), "{}", ran.stderr);
}
