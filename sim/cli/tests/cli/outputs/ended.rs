//! Writers that were ended: the next run succeeds, and nothing of the first is left.

use super::*;
use std::time::{Duration, Instant, SystemTime};

/// Numbers that look random (xorshift), from a seed that is printed; `XTQ_TEST_SEED` sets it.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let given = std::env::var("XTQ_TEST_SEED").ok();
        let seed = given.map_or_else(
            || {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                now.unwrap().as_nanos() as u64
            },
            |seed| seed.parse().expect("XTQ_TEST_SEED is a number"),
        );
        println!("XTQ_TEST_SEED={seed}");
        Self(seed | 1)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Names of what is in a folder. A file that is being written, or only tried, is none yet.
fn whole_files(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(&folder.0).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with(".part")).collect()
}

/// Starts it, and kills it when so many whole files are in the folder and a little time has passed; whether it was
/// still running.
fn kill_in(folder: &Folder, arguments: &[&str], files: usize, more: Duration) -> bool {
    let mut child = command(arguments).stdout(Stdio::null()).spawn().unwrap();
    let count = || whole_files(folder).len();
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

/// The contents of a folder, by name.
fn contents(folder: &Folder) -> Vec<(String, Option<Vec<u8>>)> {
    let names = listing(folder).into_iter();
    names
        .map(|name| {
            let text = std::fs::read(folder.path(&name)).ok();
            (name, text)
        })
        .collect()
}

/// Kills of an export at most, until one has left a part of the files.
const MOST: u32 = 100;

/// Kills exports of `killed`, so many and more until one has left a part of the files, and after each exports `next`,
/// which must be as in an empty folder.
fn exported_after(killed: &str, next: &str, attempts: u32) {
    let [clean, of_killed] =
        ["next", "whole"].map(|name| Folder::new(&format!("ended-{killed}-{next}-{name}")));
    assert_eq!(xtq(&["export", &clean.path(""), "--top", next]).code, 0);
    assert_eq!(
        xtq(&["export", &of_killed.path(""), "--top", killed]).code,
        0
    );
    let (wanted, whole) = (contents(&clean), whole_files(&of_killed));
    let mut random = Random::new();
    let mut parts = 0;
    for attempt in 0.. {
        if attempt >= attempts && parts > 0 {
            break;
        }
        assert!(attempt < MOST, "no kill left a part of {killed}");
        let folder = Folder::new(&format!("ended-{killed}-{next}"));
        let export = |top| ["export", &folder.path(""), "--top", top].map(str::to_owned);
        let files = 1 + random.below(whole.len() as u64 - 1) as usize;
        let more = Duration::from_micros(random.below(500));
        let first = export(killed);
        let first: Vec<&str> = first.iter().map(String::as_str).collect();
        kill_in(&folder, &first, files, more);
        let left = whole_files(&folder);
        let named = left.iter().filter(|name| whole.contains(name)).count();
        parts += u32::from((1..whole.len()).contains(&named));
        println!("{named} of {} files of {killed} were left", whole.len());
        let ran = xtq(&export(next));
        assert_eq!(ran.code, 0, "after {files} files: {}", ran.stderr);
        assert_eq!(listing(&folder), listing(&clean), "after {files} files");
        assert!(contents(&folder) == wanted, "after {files} files");
    }
}

// skvadrik/re2c#245, darccio/zas#54, 99designs/gqlgen#4262, atusy/kakehashi#799, The-OpenROAD-Project/OpenROAD#5109
#[test]
fn an_export_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    exported_after("target", "target", 3);
}

// skvadrik/re2c#245, 99designs/gqlgen#4262
#[test]
fn an_export_of_another_block_leaves_nothing_of_one_that_was_killed() {
    exported_after("nic", "fifo", 3);
    exported_after("fifo", "target", 1);
}

/// An export that was killed while it removed what an earlier one had written.
#[test]
fn an_export_names_the_files_of_an_earlier_one_until_they_are_removed() {
    let folder = Folder::new("ended-list");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "--top", "target"]).code, 0);
    // As it is left in between.
    let list = folder.path("files.f");
    let old = std::fs::read_to_string(&list).unwrap();
    let all = format!("{old}// Beside them: left.v\n");
    std::fs::write(&list, all).unwrap();
    let head = old.lines().next().unwrap();
    folder.write("left.v", &format!("{head}\n"));
    let ran = xtq(&["export", &dir, "--top", "fifo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let clean = Folder::new("ended-list-clean");
    assert_eq!(xtq(&["export", &clean.path(""), "--top", "fifo"]).code, 0);
    assert!(
        contents(&folder) == contents(&clean),
        "{:?}",
        listing(&folder)
    );
}

/// Kills a verb some time after its start, and then lets it end: what it writes is as in an empty folder.
fn written_after(test: &str, attempts: u32, arguments: impl Fn(&Folder) -> Vec<String>) {
    let clean = Folder::new(&format!("{test}-clean"));
    let start = Instant::now();
    let ran = xtq(&arguments(&clean));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let takes = start.elapsed().as_micros() as u64;
    let wanted = listing(&clean);
    let mut random = Random::new();
    let folder = Folder::new(test);
    let owned = arguments(&folder);
    let words: Vec<&str> = owned.iter().map(String::as_str).collect();
    let (mut running, mut ended) = (0, 0);
    for attempt in 0.. {
        if attempt >= attempts && running > 0 {
            break;
        }
        assert!(ended < 30, "no {words:?} was killed");
        // In thousandths of what a run took; sooner each time that it had ended before, as the machine is faster now.
        let part = random.below(1000) >> ended;
        let more = Duration::from_micros(takes * part / 1000);
        match kill_in(&folder, &words, 0, more) {
            true => running += 1,
            false => ended += 1,
        }
        let ran = xtq(&words);
        assert_eq!(ran.code, 0, "after {part} of 1000: {}", ran.stderr);
        assert_eq!(listing(&folder), wanted, "after {part} of 1000");
    }
}

// skvadrik/re2c#245, darccio/zas#54
#[test]
fn a_run_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    written_after("ended-run", 6, |folder| {
        let dump = format!("0x2000_0060:64:{}", folder.path("r.bin"));
        let [wave, json] = ["r.vcd", "r.json"].map(|name| folder.path(name));
        [
            "run",
            TARGET,
            "-q",
            "--wave",
            &wave,
            "--json",
            &json,
            "--dump-memory",
            &dump,
        ]
        .map(str::to_owned)
        .into()
    });
}

// skvadrik/re2c#245, darccio/zas#54
#[test]
fn a_check_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    written_after("ended-check", 6, |folder| {
        let [out, json] = ["o.json", "r.json"].map(|name| folder.path(name));
        ["check", CASES, "-q", "--out", &out, "--json", &json]
            .map(str::to_owned)
            .into()
    });
}

// skvadrik/re2c#245, darccio/zas#54
#[test]
fn an_experiment_after_one_that_was_killed_succeeds_and_leaves_nothing_of_it() {
    written_after("ended-experiment", 1, |folder| {
        [
            "experiment",
            "compnet-hitrate",
            "--quick",
            "-q",
            "--out",
            &folder.path("d"),
        ]
        .map(str::to_owned)
        .into()
    });
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
