//! What the others say when a rank dies.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{mpirun, text};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(240);

/// Processes that a process has started, and their names.
fn children(parent: u32) -> Vec<u32> {
    let file = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

/// Whether a process handles SIGTERM, so that the ranks are about to run.
fn catches(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> 14 & 1 == 1)
}

/// Hundredths of a second that a process has computed.
fn ticks(process: u32) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let (_, fields) = line.rsplit_once(") ").unwrap_or_default();
    let times = fields.split(' ').skip(11).take(2);
    times.filter_map(|time| time.parse::<u64>().ok()).sum()
}

/// Ends `mpirun` if a test fails.
struct Started(Option<Child>);

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Three ranks with these arguments, of which the last is killed once `runs` holds for their numbers.
fn with_one_that_dies(arguments: &[&str], runs: impl Fn(&[u32]) -> bool) -> Output {
    let mut command = mpirun();
    // More than the second that a slow machine may need.
    command.args(["--mca", "odls_base_sigkill_timeout", "5"]);
    command.args(["-n", "3", env!("CARGO_BIN_EXE_xtq-mpi"), "run"]);
    command.args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut started = Started(Some(command.spawn().unwrap()));
    let mpirun = started.0.as_ref().unwrap().id();
    let begun = Instant::now();
    let run = loop {
        let run: Vec<u32> = children(mpirun)
            .into_iter()
            .filter(|id| catches(*id))
            .collect();
        if run.len() == 3 && runs(&run) {
            break run;
        }
        assert!(begun.elapsed() < PATIENCE, "{run:?} of mpirun {mpirun}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let dead = run[2];
    let killed = Command::new("kill")
        .args(["-KILL", &dead.to_string()])
        .status();
    assert!(killed.unwrap().success());
    started.0.take().unwrap().wait_with_output().unwrap()
}

/// The report of a rank's own nodes, beside `report.json`.
fn report_of(rank: u32, folder: &Path) -> Value {
    let report = folder.join(format!("report.rank{rank}.json"));
    serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap()
}

/// That the ranks that are left have said how far they came, and in which order.
fn have_said(told: &str) {
    for rank in [0, 1] {
        let head = format!("rank {rank}, its own nodes only:\nINTERRUPTED: ");
        assert!(told.contains(&head), "{told}");
    }
    assert_eq!(told.matches("ended by SIGTERM").count(), 2, "{told}");
}

#[test]
fn ranks_say_how_far_they_came_when_one_dies() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let grows = |rank: u32| {
        let wave = folder.path().join(format!("run.rank{rank}.vcd"));
        std::fs::metadata(wave).is_ok_and(|file| file.len() > 5 << 18)
    };
    let made = ["--make", "ring --nodes 3 --rounds 3000"];
    let files = ["--json", &path("report.json"), "--wave", &path("run.vcd")];
    let ran = with_one_that_dies(
        &[made, [files[0], files[1]], [files[2], files[3]]].concat(),
        |_| (0..3).all(grows),
    );
    assert!(!ran.status.success());
    let told = text(&ran.stdout);
    have_said(&told);
    assert!(!told.contains("left out here"), "{told}");
    for rank in [0, 1] {
        let report = report_of(rank, folder.path());
        assert_eq!(report["interrupted"], true);
        assert_eq!(report["nodes"][0]["number"], rank);
        assert!(report["cycles"].as_u64() > report["setup_cycles"].as_u64());
    }
    let wave = std::fs::read_to_string(folder.path().join("run.rank0.vcd")).unwrap();
    assert!(wave.ends_with('\n'), "the waveform ends with a whole line");
}

#[test]
fn ranks_with_many_nodes_or_followed_messages_write_all_of_their_report_when_one_dies() {
    for (made, nodes, follows) in [
        ("wait --nodes 256 --pause 90000000", 86, false),
        ("ring --nodes 4 --rounds 800 --pause 3000", 2, true),
    ] {
        let folder = TempDir::new().unwrap();
        let json = folder.path().join("report.json").display().to_string();
        let arguments = ["--make", made, "--no-skip", "--json", &json];
        let ran = with_one_that_dies(&arguments, |run| run.iter().all(|id| ticks(*id) > 200));
        let told = text(&ran.stdout);
        have_said(&told);
        assert!(told.contains("left out here: "), "{told}");
        assert!(told.contains("report.rank1.json"), "{told}");
        let most = 2 * (1 << 12);
        assert!(told.len() < most, "{} bytes: {told}", told.len());
        let report = report_of(0, folder.path());
        assert_eq!(report["nodes"].as_array().unwrap().len(), nodes);
        let messages = report["messages"].as_array().unwrap();
        assert_eq!(!messages.is_empty(), follows, "{made}");
    }
}
