//! `xtq-mpi` on several ranks of one machine: it does what `xtq run` does, and says what is wrong.

mod dying;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use xtq_testbench::scenario::make::{Making, Pattern, make};

/// The program by itself: one rank.
fn alone(arguments: &[&str]) -> Output {
    let program = Command::new(env!("CARGO_BIN_EXE_xtq-mpi"))
        .args(arguments)
        .output();
    program.unwrap()
}

/// `mpirun`; more ranks than cores are well, and so is root.
fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1");
    command.env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.arg("--oversubscribe");
    command
}

/// So many ranks with the same arguments.
fn ranks(count: usize, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_xtq-mpi");
    let mut command = mpirun();
    command.args(["-n", &count.to_string(), program]);
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The report on standard output, without what depends on the machine and on how many workers there are.
fn report(ran: &Output) -> Value {
    let parsed = serde_json::from_slice(&ran.stdout);
    let mut report: Value = parsed.unwrap_or_else(|error| {
        panic!("{error}: {}{}", text(&ran.stdout), text(&ran.stderr));
    });
    let keys = report.as_object_mut().unwrap();
    for key in [
        "asleep",
        "build_seconds",
        "open_seconds",
        "seconds",
        "cycles_per_second",
        "node_cycles_per_second",
        "node_bytes",
        "waiting",
    ] {
        assert!(keys.remove(key).is_some(), "{key}");
    }
    report
}

/// Two puts into memory that cannot be written, and one beside it.
const FAULTS: &str = r#"
[[nodes]]
name = "left"

[[nodes.processes]]
name = "anna"
data = [{ address = 0x2000_0000, bytes = { text = "ping" } }]
program = [
  { ptl_md_bind = { md = "ball", start = 0x2000_0000, length = 4, options = ["events", "send_disable"] } },
  { barrier = { name = "posted" } },
  { name = "lost", ptl_put = { md = "ball", length = 4, target = "bert", pt = "court", ack = "ack" } },
  { wait_event = { kind = "ack", of = "lost", status = "memory_error" } },
  { name = "lost too", ptl_put = { md = "ball", length = 4, target = "bert", pt = "court", ack = "ack", remote_offset = 32 } },
  { wait_event = { kind = "ack", of = "lost too", status = "memory_error" } },
  { name = "there", ptl_put = { md = "ball", length = 4, target = "bert", pt = "court", ack = "ack", remote_offset = 64 } },
  { wait_event = { kind = "ack", of = "there" } },
]

[[nodes]]
name = "right"
faults = [{ address = 0x4000_0000, length = 64, access = "write" }]

[[nodes.processes]]
name = "bert"
program = [
  { ptl_pt_alloc = { pt = "court" } },
  { ptl_me_append = { me = "racket", pt = "court", start = 0x4000_0000, length = 128, options = ["op_put", "comm_disable", "link_disable"] } },
  { name = "last", nop = {}, completion = true },
  { wait_event = { kind = "command", of = "last" } },
  { barrier = { name = "posted" } },
  { wait_memory = { address = 0x4000_0040, bytes = { text = "ping" } } },
]

[[nodes]]
name = "third"
"#;

/// What `xtq-mpi run` reports of this, which must be the same on ranks and threads, with each cycle computed too.
fn has_one_report(arguments: &[&str]) {
    let made = [&["run", "--json", "-"], arguments].concat();
    let wanted = report(&alone(&made));
    assert_eq!(wanted["failure"], "", "{made:?}");
    assert!(!wanted["messages"].as_array().unwrap().is_empty());
    let threads = alone(&[&made[..], &["--threads", "3", "--epoch", "7"]].concat());
    assert_eq!(report(&threads), wanted, "{made:?}, threads");
    for count in [1, 2, 3] {
        let ran = ranks(count, &made);
        assert_eq!(report(&ran), wanted, "{made:?}, {count} ranks");
        assert!(ran.status.success(), "{made:?}, {count} ranks");
    }
    let ran = ranks(2, &[&made[..], &["--no-skip"]].concat());
    assert_eq!(report(&ran), wanted, "{made:?}, 2 ranks, --no-skip");
}

#[test]
fn a_cluster_has_one_report_on_any_number_of_ranks_and_threads() {
    for made in [
        "ring --nodes 4 --rounds 2 --pause 300",
        "barrier --nodes 5",
        "allreduce --nodes 3 --bytes 200",
        "alltoall --nodes 5 --bytes 300 --leaf-ports 2 --spines 2",
    ] {
        has_one_report(&["--make", made]);
    }
}

#[test]
fn a_cluster_with_full_buffers_jitter_or_faults_has_one_report_on_any_number_of_ranks_and_threads()
{
    let jitter = "random --nodes 4 --rounds 6 --bytes 200 --pause 60 --seed 3 --jitter 50";
    has_one_report(&["--make", jitter]);
    let folder = TempDir::new().unwrap();
    let making = |pattern| Making {
        bytes: 3000,
        rounds: 8,
        seed: 3,
        latency: (40, 40),
        ..Making::new(pattern, 4)
    };
    for (number, pattern) in [Pattern::Random, Pattern::Alltoall].into_iter().enumerate() {
        let text = make(&making(pattern)).unwrap();
        let small = text.replacen("network = { ", "network = { buffer_beats = 65, ", 1);
        let [cycles, throttled] = [text, small].map(|text| {
            let file = folder.path().join(format!("buffers{number}.toml"));
            std::fs::write(&file, text).unwrap();
            let ran = alone(&["run", file.to_str().unwrap(), "--json", "-"]);
            let report = report(&ran);
            report["cycles"].as_u64().unwrap() - report["setup_cycles"].as_u64().unwrap()
        });
        // Sources waited for places.
        assert!(4 * throttled > 5 * cycles, "{throttled} and {cycles}");
        let file = folder.path().join(format!("buffers{number}.toml"));
        has_one_report(&[file.to_str().unwrap()]);
    }
    let file = folder.path().join("faults.toml");
    std::fs::write(&file, FAULTS).unwrap();
    has_one_report(&[file.to_str().unwrap()]);
}

#[test]
fn rank_0_prints_the_report_with_the_share_of_waiting() {
    let ran = ranks(2, &["run", "--make", "ring --nodes 4 --rounds 1"]);
    let told = text(&ran.stdout);
    assert_eq!(told.matches("ring, 4 nodes").count(), 1, "{told}");
    assert!(told.contains("2 workers waited for each other"), "{told}");
    assert!(told.contains("all programs have ended"), "{told}");
}

#[test]
fn a_program_that_waits_for_ever_is_named_whichever_rank_has_it() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("waits.toml");
    let process = |wait: &str| {
        format!(
            "[[nodes]]\nname = \"{wait}\"\n[[nodes.processes]]\nname = \"{wait}\"\nprogram = [\n"
        )
    };
    let waits =
        "{ ptl_ct_alloc = { ct = \"c\" } },\n{ ptl_ct_wait = { ct = \"c\", threshold = 1 } },\n]\n";
    let ends = "{ delay = { cycles = 50 } },\n]\n";
    let scenario = format!("{}{ends}{}{waits}", process("ends"), process("waits"));
    std::fs::write(&file, scenario).unwrap();
    let arguments = ["run", file.to_str().unwrap(), "--json", "-"];
    let wanted = report(&alone(&arguments));
    let failure = wanted["failure"].as_str().unwrap();
    assert!(failure.contains("nothing happens any more"), "{failure}");
    let ran = ranks(2, &arguments);
    assert_eq!(report(&ran), wanted);
    assert_eq!(ran.status.code(), Some(1));
}

#[test]
fn each_rank_writes_a_waveform_and_the_memory_of_its_own_nodes() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let dump = |file: &str| format!("1.0:0x40000000:64:{}", path(file));
    let made = ["run", "--make", "ring --nodes 3 --rounds 1", "--json", "-"];
    let arguments = |file: &str| -> Vec<String> {
        let more = [
            "--wave".to_owned(),
            path("run.vcd"),
            "--dump-memory".to_owned(),
            dump(file),
        ];
        made.map(str::to_owned).into_iter().chain(more).collect()
    };
    let plain = arguments("plain.bin");
    let wanted = alone(&plain.iter().map(String::as_str).collect::<Vec<_>>());
    let shared = arguments("shared.bin");
    let ran = ranks(2, &shared.iter().map(String::as_str).collect::<Vec<_>>());
    let report = report(&ran);
    let wanted: Value = serde_json::from_slice(&wanted.stdout).unwrap();
    assert_eq!(report["digest"], wanted["digest"]);
    let waves = [path("run.rank0.vcd"), path("run.rank1.vcd")];
    assert_eq!(report["waves"], serde_json::json!(waves));
    let scopes = |wave: &str| -> Vec<bool> {
        let wave = std::fs::read_to_string(wave).unwrap();
        let has = |node| wave.contains(&format!("$scope module node{node} $end"));
        [0, 1, 2].map(has).to_vec()
    };
    assert_eq!(scopes(&waves[0]), [true, false, true]);
    assert_eq!(scopes(&waves[1]), [false, true, false]);
    let memory = std::fs::read(path("shared.bin")).unwrap();
    assert_eq!(memory, std::fs::read(path("plain.bin")).unwrap());
    assert!(memory.iter().all(|byte| *byte == 0x5a));
}

#[test]
fn ranks_with_another_scenario_or_none_end_with_the_same_error() {
    let program = env!("CARGO_BIN_EXE_xtq-mpi");
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing.toml").display().to_string();
    let ring = ["--make", "ring --nodes 2 --rounds 1"];
    for (other, wanted) in [
        (
            vec!["--make", "ring --nodes 2 --rounds 2"],
            "scenario differs: ",
        ),
        (vec![&missing[..]], "missing.toml"),
        (
            vec![ring[0], ring[1], "--epoch", "3"],
            "--epoch differs: None on rank 0, Some(3) on rank 1",
        ),
        (
            vec![ring[0], ring[1], "--no-such-option"],
            "it runs nothing with its arguments",
        ),
        (
            vec![ring[0], ring[1], "--threads", "2"],
            "a rank has one thread",
        ),
    ] {
        let mut command = mpirun();
        command.args(["-n", "1", program, "run"]).args(ring);
        command.args([":", "-n", "1", program, "run"]).args(&other);
        let ran = command.output().unwrap();
        let told = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{other:?}: {told}");
        let lines = told.lines().filter(|line| line.contains(wanted)).count();
        let least = if wanted.starts_with("it runs") { 1 } else { 2 };
        assert!(lines >= least, "{other:?}: {told}");
    }
}

#[test]
fn scenarios_that_cannot_be_shared_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("scenarios/mixed.toml").display().to_string();
    let ran = ranks(2, &["run", &file]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(
        text(&ran.stderr).contains("no network of nodes"),
        "{}",
        text(&ran.stderr)
    );
    assert_eq!(alone(&["run", &file]).status.code(), Some(0));
}

#[test]
fn a_full_disk_is_an_error_of_the_rank_that_meets_it() {
    let folder = TempDir::new().unwrap();
    let full = folder.path().join("run.rank1.vcd");
    std::os::unix::fs::symlink("/dev/full", full).unwrap();
    let wave = folder.path().join("run.vcd").display().to_string();
    let made = ["run", "--make", "ring --nodes 2 --rounds 1"];
    let ran = ranks(2, &[&made[..], &["--wave", &wave]].concat());
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("run.rank1.vcd: cannot be written"), "{told}");
    let ran = ranks(2, &[&made[..], &["--json", "/dev/full"]].concat());
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("/dev/full: cannot be written"), "{told}");
}
