//! Outputs of every verb: standard output that cannot be written, files that are inputs or other outputs, trials before
//! the work, writers that were ended, names with control characters, help that names the cause.

mod ended;
mod names;
mod same;
mod tried;

use crate::common::{Folder, Ran, ran, root, xtq};
use std::fs::{File, OpenOptions};
use std::process::{Command, Stdio};

/// The target side of figure 6: a short run.
const TARGET: &str = "scenarios/figure6-target.toml";
/// Cases that take no time.
const CASES: &str = "testbench/cases/aql-xtq.json";

/// A command at the root of the repository.
fn command<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtq"));
    command.args(arguments).current_dir(root());
    command
}

/// Runs it with this standard output.
fn printed_to<A: AsRef<std::ffi::OsStr>>(arguments: &[A], stdout: impl Into<Stdio>) -> Ran {
    ran(command(arguments).stdout(stdout).output().unwrap())
}

/// Names of what is in a folder and below, sorted.
fn listing(folder: &Folder) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.0.clone()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&folder.0).unwrap();
            names.push(name.display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names.sort();
    names
}

/// Everything that prints, and its exit code when that arrives. Files go to this folder.
fn printers(folder: &Folder) -> Vec<(Vec<String>, i32)> {
    let dir = folder.path("build");
    let page = folder.write("page.md", "<!-- contract -->\n<!-- end of contract -->\n");
    let printers = [
        (vec!["run", TARGET], 0),
        (vec!["run", TARGET, "--json", "-"], 0),
        (vec!["run", TARGET, "-q", "--trace", "-"], 0),
        (vec!["run", TARGET, "--max-cycles", "10"], 1),
        (vec!["run", TARGET, "--json", "/dev/stdout", "-q"], 0),
        (
            vec!["run", TARGET, "-q", "--dump-memory", "0x2000_0060:64:-"],
            0,
        ),
        (vec!["run", "--print-schema"], 0),
        (vec!["completions", "bash"], 0),
        (vec!["export", &dir, "--top", "fifo"], 0),
        (vec!["lint"], 0),
        // 1: a line of the contract is missed.
        (vec!["bench", "--contract", "--markdown", &page], 1),
        (vec!["experiment", "compnet-hitrate", "--print-schema"], 0),
        (vec!["lockstep", "--list"], 0),
        (
            vec![
                "lockstep", "fifo", "--engine", "interp", "--engine", "jit", "--cycles", "9",
            ],
            0,
        ),
        (vec!["check", CASES], 0),
        (vec!["check", CASES, "-q", "--json", "-"], 0),
        (vec!["check", CASES, "-q", "--out", "-"], 0),
        (vec!["--help"], 0),
        (vec!["run", "--help"], 0),
        (vec!["help", "run"], 0),
        (vec!["--version"], 0),
    ];
    let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    printers.map(|(words, code)| (owned(words), code)).into()
}

/// Whether the error names standard output, or a file of the system that is the same.
fn names_stdout(ran: &Ran) -> bool {
    let names = ["standard output", "/dev/stdout"];
    names
        .iter()
        .any(|name| ran.stderr.contains(&format!("{name}: cannot be written: ")))
}

// uutils/coreutils#9782, sharkdp/fd#737, torognes/vsearch#243
#[test]
fn standard_output_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = Folder::new("full");
    for (arguments, _) in printers(&folder) {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        // The standard library takes this one for a success.
        let not_for_writing = File::open("/dev/null").unwrap();
        for stdout in [full, not_for_writing] {
            let ran = printed_to(&arguments, stdout);
            assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
            assert!(names_stdout(&ran), "{arguments:?}: {}", ran.stderr);
        }
    }
}

// uutils/coreutils#9795
#[test]
fn standard_output_that_is_closed_is_an_error_that_names_it() {
    let folder = Folder::new("closed");
    let shell = |line: &str, arguments: &[String]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line, env!("CARGO_BIN_EXE_xtq")]);
        ran(shell.args(arguments).current_dir(root()).output().unwrap())
    };
    for (arguments, _) in printers(&folder) {
        let ran = shell("exec \"$0\" \"$@\" >&-", &arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(names_stdout(&ran), "{arguments:?}: {}", ran.stderr);
    }
    // Nothing is printed, so nothing is lost.
    let quiet = ["run", "-q", TARGET].map(str::to_owned);
    assert_eq!(shell("exec \"$0\" \"$@\" >&-", &quiet).code, 0);
    // Text for people goes to standard error here.
    let json = ["run", TARGET, "--json", "-"].map(str::to_owned);
    assert_eq!(shell("exec \"$0\" \"$@\" 2>&-", &json).code, 2);
    // Others open the null device for reading and writing, too.
    let table = ["run", TARGET].map(str::to_owned);
    for to in [">/dev/null", "1<>/dev/null", "<&- >/dev/null"] {
        let ran = shell(&format!("exec \"$0\" \"$@\" {to}"), &table);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{to}");
    }
}

#[test]
fn a_pipe_that_is_closed_is_silent_and_no_failure() {
    let folder = Folder::new("closed-pipe");
    for (arguments, code) in printers(&folder) {
        let mut child = command(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("Error") && !ran.stderr.contains("written"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn an_error_of_a_verb_and_one_of_standard_output_are_both_reported() {
    let folder = Folder::new("both");
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let dump = format!("0:1:{}", folder.path("full"));
    std::os::unix::fs::symlink("/dev/full", folder.path("full")).unwrap();
    let ran = printed_to(&["run", TARGET, "--dump-memory", &dump], full);
    assert_eq!(ran.code, 2);
    for part in [&folder.path("full"), "standard output: cannot be written"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

// vshulcz/deja-vu#906
#[test]
fn the_help_of_a_waveform_names_the_cause() {
    let folder = Folder::new("wave-help");
    std::fs::create_dir(folder.path("d.vcd")).unwrap();
    let help = |more: &[&str]| {
        let ran = xtq(&[&["run", TARGET, "--wave"], more].concat());
        assert_eq!(ran.code, 2, "{more:?}: {}", ran.stderr);
        let help = ran
            .stderr
            .split_once("help: ")
            .unwrap_or_else(|| panic!("{}", ran.stderr));
        help.1.trim_end().to_owned()
    };
    let file = folder.path("w.vcd");
    let of_files = "does the folder exist, and may you write there?";
    assert_eq!(
        help(&["/dev/full"]),
        "the disk is full: make room, or write elsewhere"
    );
    assert_eq!(help(&[&folder.path("no/w.vcd")]), of_files);
    assert_eq!(help(&[&folder.path("d.vcd")]), of_files);
    assert!(help(&[&file, "--scope", "nowhere"]).contains("path of a block"));
    assert!(help(&[&file, "--from", "9", "--to", "3"]).contains("--from"));
    let ran = xtq(&["run", TARGET, "--wave", &file, "--from", "9", "--to", "3"]);
    assert!(ran.stderr.contains("--from and --to: "), "{}", ran.stderr);
}

#[test]
fn the_help_of_a_file_that_cannot_be_read_is_that_of_files() {
    for verb in [
        &["check"][..],
        &["lint"],
        &["run"],
        &["experiment", "compnet-hitrate"],
    ] {
        let ran = xtq(&[verb, &["no/such"]].concat());
        assert_eq!(ran.code, 2);
        let help = "does the file exist, and may you read it?";
        assert!(ran.stderr.contains(help), "{verb:?}: {}", ran.stderr);
    }
}

// vshulcz/deja-vu#906
#[test]
fn the_help_of_a_file_that_is_not_utf_8_says_so_and_where() {
    let folder = Folder::new("utf-16");
    let file = folder.path("u");
    // UTF-16, as some editors save it.
    let text = "title = 1\n".encode_utf16().flat_map(u16::to_le_bytes);
    std::fs::write(
        &file,
        [0xff, 0xfe].into_iter().chain(text).collect::<Vec<_>>(),
    )
    .unwrap();
    for verb in [
        &["run"][..],
        &["check"],
        &["lint"],
        &["experiment", "compnet-hitrate"],
        &["bench", "--contract", "--markdown"],
    ] {
        let ran = xtq(&[verb, &[&file]].concat());
        assert_eq!(ran.code, 2, "{verb:?}: {}", ran.stderr);
        for part in ["byte 1 (0xff, in line 1)", "help: save it as UTF-8"] {
            assert!(ran.stderr.contains(part), "{verb:?}: {}", ran.stderr);
        }
    }
}
