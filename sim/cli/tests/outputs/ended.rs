//! Writers that were ended: the next run succeeds, and nothing of the first is left.

use super::*;
use std::time::{Duration, Instant, SystemTime};

/// Numbers that look random (xorshift), from a seed that is printed.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap();
        let seed = now.as_nanos() as u64 | 1;
        println!("seed {seed}");
        Self(seed)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Starts it, and kills it when so many files are in the folder and a little time has passed; whether it was still running.
fn kill_in(folder: &Folder, arguments: &[&str], files: usize, more: Duration) -> bool {
    let mut child = command(arguments).stdout(Stdio::null()).spawn().unwrap();
    let count = || std::fs::read_dir(&folder.0).map_or(0, Iterator::count);
    let start = Instant::now();
    while count() < files && start.elapsed() < Duration::from_secs(60) {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
    }
    std::thread::sleep(more);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

// skvadrik/re2c#245, darccio/zas#54, 99designs/gqlgen#4262, atusy/kakehashi#799, The-OpenROAD-Project/OpenROAD#5109
#[test]
fn an_export_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    let clean = Folder::new("ended-clean");
    assert_eq!(xtq(&["export", &clean.path(""), "--top", "target"]).code, 0);
    let wanted = listing(&clean);
    let mut random = Random::new();
    for _ in 0..6 {
        let folder = Folder::new("ended");
        let arguments = ["export", &folder.path(""), "--top", "target"];
        let files = 1 + random.below(wanted.len() as u64 - 1) as usize;
        let more = Duration::from_micros(random.below(2_000));
        kill_in(&folder, &arguments, files, more);
        let ran = xtq(&arguments);
        assert_eq!(ran.code, 0, "after {files} files: {}", ran.stderr);
        assert_eq!(listing(&folder), wanted, "after {files} files");
        for name in &wanted {
            let read = |folder: &Folder| std::fs::read(folder.path(name)).ok();
            assert!(read(&folder) == read(&clean), "{name}");
        }
    }
}

#[test]
fn a_run_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    let arguments = |folder: &Folder| {
        [
            "run",
            TARGET,
            "-q",
            "--wave",
            &folder.path("r.vcd"),
            "--json",
            &folder.path("r.json"),
            "--dump-memory",
        ]
        .map(str::to_owned)
        .into_iter()
        .chain([format!("0x2000_0060:64:{}", folder.path("r.bin"))])
        .collect::<Vec<_>>()
    };
    let clean = Folder::new("ended-run-clean");
    let start = Instant::now();
    assert_eq!(xtq(&arguments(&clean)).code, 0);
    let takes = start.elapsed().as_micros() as u64;
    let wanted = listing(&clean);
    let mut random = Random::new();
    let folder = Folder::new("ended-run");
    let owned = arguments(&folder);
    let words: Vec<&str> = owned.iter().map(String::as_str).collect();
    for _ in 0..6 {
        let more = random.below(takes);
        kill_in(&folder, &words, 0, Duration::from_micros(more));
        let ran = xtq(&words);
        assert_eq!(ran.code, 0, "after {more} us: {}", ran.stderr);
        assert_eq!(listing(&folder), wanted, "after {more} us");
    }
}

#[test]
fn what_writers_left_that_were_ended_is_recognised() {
    let folder = Folder::new("ended-left");
    // Of a disk that was full, and of a program that was killed.
    let top = folder.write("fifo.v", "");
    folder.write(".xtq-a1B2c3.part", "// half of a");
    let ran = xtq(&["export", &folder.path(""), "--top", "fifo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        std::fs::read_to_string(top)
            .unwrap()
            .contains("module fifo")
    );
    assert!(!listing(&folder).iter().any(|name| name.ends_with(".part")));
    let save = folder.write("r.gtkw", "");
    let ran = xtq(&["run", TARGET, "--wave", &folder.path("r.vcd"), "--to", "5"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::metadata(save).unwrap().len() > 0);
    // What is somebody's own is still kept.
    let own = folder.write("fifo.v", "module mine;\n");
    assert_eq!(xtq(&["export", &folder.path(""), "--top", "fifo"]).code, 2);
    assert_eq!(std::fs::read_to_string(own).unwrap(), "module mine;\n");
}
