//! `xtq run`: table, JSON, waveform, dump, exit codes.

use crate::common::{Folder, report, root, xtq};
use serde_json::Value;

/// The target side of figure 6.
const TARGET: &str = "scenarios/figure6-target.toml";

#[test]
fn the_target_side_of_figure_6_runs_and_the_signal_falls() {
    let ran = xtq(&["run", TARGET]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let title = "XTQ paper, figure 6: index 42, target side alone\n";
    assert!(ran.stdout.starts_with(title));
    assert!(
        ran.stdout.contains("ok, queue 42 packet 0"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("signal 0x40000000 (context 0): 1 -> 0"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("as the golden model expects"));
    assert_eq!(ran.stderr, "");
}

fn statuses(report: &Value) -> Vec<&str> {
    let messages = report["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["status"].as_str().unwrap())
        .collect()
}

#[test]
fn the_stations_of_a_message_follow_each_other() {
    let (code, report) = report(&[TARGET]);
    assert_eq!((code, &report["passed"]), (0, &Value::Bool(true)));
    let message = &report["messages"][0];
    assert_eq!(
        (&message["task_lookup"], &message["queue_lookup"]),
        (&"miss".into(), &"miss".into())
    );
    let stations = [
        "arrived",
        "parsed",
        "admitted",
        "rewritten",
        "payload_written",
        "enqueued",
        "doorbell",
        "launched",
        "signal",
    ];
    let cycles: Vec<u64> = stations
        .iter()
        .map(|name| message[name].as_u64().unwrap())
        .collect();
    assert!(cycles.is_sorted_by(|a, b| a < b), "{cycles:?}");
    assert_eq!(
        message["signal"].as_u64().unwrap() - message["launched"].as_u64().unwrap(),
        200
    );
}

#[test]
fn a_full_queue_refuses_and_takes_the_messages_when_they_come_again() {
    let (code, report) = report(&["scenarios/queue-full.toml"]);
    assert_eq!(
        statuses(&report),
        [
            "ok",
            "ok",
            "ok",
            "ok",
            "queue_full",
            "pt_disabled",
            "ok",
            "ok"
        ]
    );
    assert_eq!(report["queues"][0]["write_index"], 6);
    assert_eq!(report["signals"][0]["after"], 0);
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
}

#[test]
fn every_error_of_the_errors_scenario_is_named_and_the_last_message_is_delivered() {
    let (code, report) = report(&["scenarios/errors.toml"]);
    let want = [
        "dropped",
        "dropped",
        "dropped",
        "no_portal",
        "pt_disabled",
        "buffer_too_small",
        "bad_type",
        "bad_alignment",
        "bad_kernel_index",
        "bad_kernel_index",
        "bad_function_index",
        "bad_kernarg_size",
        "bad_kernarg_size",
        "bad_queue_index",
        "bad_queue_size",
        "bad_length",
        "memory_error",
        "ok",
        "dropped",
    ];
    assert_eq!(statuses(&report), want);
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
}

#[test]
fn mixed_traffic_over_a_slow_memory_is_as_the_golden_model_expects() {
    let (code, report) = report(&["scenarios/mixed.toml"]);
    assert_eq!(statuses(&report), ["ok"; 6]);
    // Nothing starts the count of quiet cycles again before the run ends.
    assert_eq!(report["cycles"], 1374);
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
}

#[test]
fn a_run_that_does_not_come_to_rest_fails_and_says_why() {
    let ran = xtq(&["run", TARGET, "--max-cycles", "10"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("FAILED: ") && ran.stdout.contains("not done after 10 cycles"),
        "{}",
        ran.stdout
    );
}

#[test]
fn quiet_prints_nothing_and_still_tells_by_its_exit_code() {
    let ran = xtq(&["run", TARGET, "-q"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn the_waveform_shows_the_scope_and_the_window() {
    let folder = Folder::new("wave");
    let file = folder.path("w.vcd");
    let ran = xtq(&[
        "run",
        TARGET,
        "--wave",
        &file,
        "--scope",
        "m_axi_awvalid",
        "--from",
        "100",
        "--to",
        "200",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("m_axi_awvalid") && !text.contains("s_axis_net_tdata"));
    assert!(
        text.contains("#100000") && !text.contains("#202000"),
        "{text}"
    );
}

#[test]
fn the_report_says_which_engine_wrote_the_waveform() {
    let folder = Folder::new("wave-aot");
    let files = ["jit", "aot"].map(|engine| {
        let file = folder.path(engine);
        let ran = xtq(&[
            "run", TARGET, "--engine", engine, "--wave", &file, "--to", "300",
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let note = "aot writes no waveform: jit ran\n";
        assert_eq!(
            ran.stdout.starts_with(note),
            engine == "aot",
            "{}",
            ran.stdout
        );
        std::fs::read(&file).unwrap()
    });
    assert!(files[0].len() > 1000);
    assert!(files[0] == files[1]);
}

#[test]
fn a_scope_that_does_not_exist_is_wrong_usage() {
    let folder = Folder::new("scope");
    let ran = xtq(&[
        "run",
        TARGET,
        "--wave",
        &folder.path("w.vcd"),
        "--scope",
        "nowhere",
    ]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
    assert_eq!(
        xtq(&["run", TARGET, "--wave", &folder.path("no/w.vcd")]).code,
        2
    );
}

#[test]
fn dumped_memory_is_what_the_message_brought() {
    let folder = Folder::new("dump");
    let file = folder.path("payload.bin");
    let dump = format!("0x2000_0060:64:{file}");
    let ran = xtq(&[
        "run",
        TARGET,
        "--dump-memory",
        &dump,
        "--json",
        &folder.path("r.json"),
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        std::fs::read(file).unwrap(),
        b"64 bytes of data that the initiator sends along with the command"
    );
    let json = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["engine"], "jit");
    assert_eq!(
        xtq(&[
            "run",
            TARGET,
            "--dump-memory",
            &format!("0:1:{}", folder.path("no/x"))
        ])
        .code,
        2
    );
}

#[test]
fn memory_errors_on_each_kind_of_access_are_reported_and_nothing_hangs() {
    let folder = Folder::new("faults");
    let good = std::fs::read_to_string(root().join(TARGET)).unwrap();
    // Table entry, write index, slot body and header, doorbell.
    for (address, access) in [
        ("0x1000_0a80", "read"),
        ("0x3001_0000", "read"),
        ("0x3001_0000", "write"),
        ("0x3000_0000", "write"),
        ("0x3002_0000", "write"),
        ("0x2000_0000", "write"),
    ] {
        let fault = format!(
            "\n[[faults]]\naddress = {address}\nlength = 8\naccess = \"{access}\"\nresponse = \"decerr\"\n"
        );
        let file = folder.write("s.toml", &(good.clone() + &fault));
        let (code, report) = report(&[&file]);
        assert_eq!(statuses(&report), ["memory_error"], "{address} {access}");
        assert_eq!(
            (code, &report["failure"], &report["differences"]),
            (0, &"".into(), &Value::Array(vec![])),
            "{address} {access}"
        );
    }
}

/// Figure 6 with so many messages.
fn figure_6_with(messages: usize) -> String {
    let good = std::fs::read_to_string(root().join(TARGET)).unwrap();
    let (setup, message) = good.split_once("[[messages]]").unwrap();
    let named = |number| message.replace("xtq_put", &format!("put {number}"));
    let messages: Vec<String> = (0..messages)
        .map(|number| format!("[[messages]]{}", named(number)))
        .collect();
    format!("{setup}{}", messages.join("\n"))
}

#[test]
fn a_shared_queue_that_fails_under_traffic_is_as_the_golden_model_expects() {
    let folder = Folder::new("shared");
    let text = figure_6_with(6)
        .replace("alone\"\n", "alone\"\natomics = true\n")
        .replace("[[queues]]", "[[queues]]\nshared = true");
    let fault = "\n[[faults]]\naddress = 0x3002_0000\nlength = 8\naccess = \"write\"\n";
    let (code, report) = report(&[&folder.write("s.toml", &(text + fault))]);
    let statuses = statuses(&report);
    assert_eq!(statuses[0], "memory_error");
    assert_eq!(statuses[5], "bad_queue_index");
    assert_eq!((code, &report["differences"]), (0, &Value::Array(vec![])));
    let claimed = report["queues"][0]["write_index"].as_u64().unwrap();
    assert!(claimed < 6, "{claimed} places claimed");
}

/// Figure 6 twice with a fault that strikes once; the queue is registered again between the two.
fn twice_with(fault: &str) -> String {
    let text = figure_6_with(2).replace("\"put 1\"", "\"again\"\nphase = 1");
    format!(
        "{text}
[[faults]]
{fault}
access = \"write\"
count = 1

[[host]]
before_phase = 1
action = \"register_queue\"
queue = 42
"
    )
}

#[test]
fn a_fault_that_strikes_once_is_repaired_by_registering_the_queue_again() {
    let folder = Folder::new("count");
    // Slot, buffer, event.
    for (fault, first) in [
        ("address = 0x3000_0000\nlength = 64", "memory_error"),
        ("address = 0x2000_0000\nlength = 8", "memory_error"),
        ("address = 0x1000_8000\nlength = 4096", "ok"),
    ] {
        let (code, report) = report(&[&folder.write("s.toml", &twice_with(fault))]);
        assert_eq!(statuses(&report), [first, "ok"], "{fault}");
        assert_eq!((code, &report["compared"]), (0, &true.into()), "{fault}");
        assert_eq!(report["passed"], true, "{fault}");
    }
}

#[test]
fn a_run_that_cannot_be_compared_is_not_said_to_be_right() {
    let folder = Folder::new("uncompared");
    // Doorbells, which may be merged, and several slots at once.
    for fault in [
        "address = 0x3002_0000\nlength = 8",
        "address = 0x3000_0000\nlength = 128",
    ] {
        let file = folder.write("s.toml", &twice_with(fault));
        let (code, report) = report(&[&file]);
        assert_eq!((code, &report["compared"]), (3, &false.into()), "{fault}");
        assert_eq!(
            (&report["passed"], &report["failure"]),
            (&false.into(), &"".into())
        );
        let ran = xtq(&["run", &file]);
        assert!(ran.stdout.contains("NOT COMPARED: a fault has a `count`"));
        assert!(!ran.stdout.contains("as the golden model expects"));
    }
}

#[test]
fn the_report_says_what_ran_and_keeps_building_apart() {
    let ran = xtq(&["run", TARGET, "--engine", "interp", "--json", "-"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let number = |name: &str| report[name].as_f64().unwrap();
    assert_eq!(report["engine"], "interp");
    assert!(number("build_seconds") > 0.0 && number("seconds") > 0.0);
    let speed = number("cycles") / number("seconds");
    assert!((number("cycles_per_second") / speed - 1.0).abs() < 0.01);
    let asleep = number("asleep");
    assert!(0.0 < asleep && asleep < 1.0, "{asleep}");
    let text = xtq(&["run", TARGET]).stdout;
    let line = text
        .lines()
        .find(|line| line.contains(" cycles/s, "))
        .unwrap();
    assert!(
        line.contains("on engine jit: ") && line.contains(" % of the cycles asleep; built in ")
    );
}

#[test]
fn every_engine_reports_the_same_run_under_its_own_name() {
    // What the clock of the machine decides, and what only some engines can do.
    const OWN: [&str; 5] = [
        "engine",
        "asleep",
        "build_seconds",
        "seconds",
        "cycles_per_second",
    ];
    let run = |engine: &str| {
        let ran = xtq(&["run", TARGET, "--engine", engine, "--json", "-"]);
        assert_eq!(ran.code, 0, "{engine}: {}", ran.stderr);
        let mut report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["engine"], engine);
        let fields = report.as_object_mut().unwrap();
        OWN.iter().for_each(|field| _ = fields.remove(*field));
        report
    };
    let oracle = run("oracle");
    for engine in ["interp", "jit", "aot"] {
        assert_eq!(run(engine), oracle, "{engine}");
    }
}

#[test]
fn an_enabled_portal_entry_may_be_enabled_again() {
    let folder = Folder::new("enabled");
    let full = std::fs::read_to_string(root().join("scenarios/queue-full.toml")).unwrap();
    let text = full.replace("before_phase = 1", "before_phase = 0");
    let (code, report) = report(&[&folder.write("s.toml", &text)]);
    assert_eq!((code, &report["failure"]), (0, &"".into()));
    assert_eq!(statuses(&report)[6..], ["pt_disabled", "pt_disabled"]);
}
