//! The shell scripts: where they are called, and what the environment says, does not change what they do.

use crate::common::{Folder, Ran, ran, root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A program that is there and makes nothing, in place of `xtq`: enough to see which one a script calls.
const STAND_IN: &str = "#!/bin/sh\necho \"called from $0: $*\"\n";

/// A copy of `fpga/run` alone, in a folder of this name below the test's.
fn copy(folder: &Folder, name: &str) -> String {
    let fpga = folder.0.join(name).join("fpga");
    fs::create_dir_all(&fpga).unwrap();
    fs::copy(root().join("fpga/run"), fpga.join("run")).unwrap();
    fpga.join("run").display().to_string()
}

/// Writes a program.
fn program(folder: &Folder, name: &str, text: &str) {
    let file = folder.write(name, text);
    let done = Command::new("chmod").args(["+x", &file]).status();
    assert!(done.unwrap().success());
}

/// Runs `fpga/run export fifo` in the folder with these variables.
fn export(folder: &Folder, script: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(script);
    command.args(["export", "fifo"]).current_dir(&folder.0);
    command.env_remove("XTQ").envs(variables.iter().copied());
    ran(command.output().unwrap())
}

// craftr-build/craftr#33, microsoft/DirectXShaderCompiler#29
#[test]
fn a_program_is_looked_for_where_the_user_is() {
    let folder = Folder::new("scripts-relative");
    let script = copy(&folder, "checkout");
    fs::create_dir(folder.0.join("built")).unwrap();
    program(&folder, "built/xtq", STAND_IN);
    for name in ["built/xtq", "./built/xtq", "checkout/../built/xtq"] {
        let run = export(&folder, &script, &[("XTQ", name)]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(run.stdout.contains("export "), "{name}: {}", run.stdout);
    }
    for name in ["xtq", "built", "built/other"] {
        let run = export(&folder, &script, &[("XTQ", name)]);
        assert_eq!(run.code, 2, "{name}: {}", run.stdout);
        assert!(run.stderr.contains("is no program"), "{}", run.stderr);
    }
}

// gchq/sleeper#1241, shopware/recipes#128
#[test]
fn no_script_goes_to_another_folder_for_cdpath() {
    let folder = Folder::new("scripts-cdpath");
    copy(&folder, "checkout");
    fs::create_dir_all(folder.0.join("other/fpga/.venv")).unwrap();
    folder.write("other/fpga/.venv/keep", "keep");
    program(&folder, "xtq", STAND_IN);
    let at = |name: &str| folder.path(name);
    let (xtq, other) = (at("xtq"), at("other"));
    let variables = [("XTQ", xtq.as_str()), ("CDPATH", other.as_str())];
    let mut command = Command::new("fpga/run");
    command.args(["export", "fifo"]).envs(variables);
    let run = ran(command.current_dir(at("checkout")).output().unwrap());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let wanted = at("checkout/fpga/build/export/fifo");
    assert!(run.stdout.contains(&wanted), "{}", run.stdout);
    // `rm -rf .venv` was at home there.
    assert!(Path::new(&at("other/fpga/.venv/keep")).exists());
}

/// The scripts for a shell: by their first line, or by their name.
fn shell_scripts() -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("ls-files").current_dir(root());
    let listed = ran(git.output().unwrap()).stdout;
    let is_shell = |name: &&str| {
        let text = fs::read(root().join(name)).unwrap_or_default();
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
        let first = String::from_utf8_lossy(first);
        first.starts_with("#!") && first.ends_with("sh") || name.ends_with(".sh")
    };
    let names = listed.lines().filter(is_shell);
    names.map(String::from).collect()
}

/// What a script of bash does first: paths of the user are made full, then it goes to its own folder, or one that is
/// found from there.
const PROLOGUE: &str = r#"
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"#;

/// Commands of a script that go to a folder for which `cd` looks in CDPATH too. What is quoted, as the text of a help,
/// counts as well.
fn searches(script: &str) -> Vec<&str> {
    let code = script
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let commands = code.flat_map(|line| line.split([';', '&', '|', '(', '`', '{', '\'', '"']));
    let moves = commands.map(str::trim).filter(|command| {
        let mut words = command.split_whitespace().skip_while(|word| {
            let before = [
                "if", "then", "else", "while", "do", "!", "builtin", "command",
            ];
            before.contains(word) || word.contains('=')
        });
        let Some("cd" | "pushd") = words.next() else {
            return false;
        };
        let to = words.find(|word| !word.starts_with('-')).unwrap_or("");
        !to.starts_with('/') && !to.starts_with("./") && to.split('/').next() != Some("..")
    });
    moves.collect()
}

#[test]
fn commands_that_search_for_a_folder_are_found_wherever_they_stand() {
    for script in [
        "cd fpga",
        "(cd fpga && ls)",
        "ls && cd fpga",
        "pushd fpga",
        "if true; then cd fpga; fi",
        "while ! cd -P fpga",
        "x=$(cd fpga && pwd)",
        "x=`cd fpga`",
        "A=b cd \"$folder\"",
        "sh -c 'cd fpga'",
        "command cd -- fpga",
        "go() { cd fpga; }",
        "ls || builtin cd .hidden",
        "    cd",
    ] {
        assert_eq!(searches(script).len(), 1, "{script}");
    }
    for script in [
        "# cd fpga",
        "cd ..",
        "(cd ../x)",
        "cd ./x",
        "cd /",
        "abcd x",
        "ls --cd x",
    ] {
        assert_eq!(searches(script), [""; 0], "{script}");
    }
}

// gchq/sleeper#1241, shopware/recipes#128
#[test]
fn every_script_finds_its_folder_by_a_full_path() {
    let scripts = shell_scripts();
    for name in [
        ".ci/run",
        "docs/update.sh",
        "docs/waveform.sh",
        "fpga/run",
        "fpga/verilator/provide",
        "test.sh",
    ] {
        assert!(scripts.iter().any(|script| script == name), "{name}");
    }
    for name in scripts {
        let text = fs::read_to_string(root().join(&name)).unwrap();
        let (before, after) = (text.split_once(PROLOGUE))
            .unwrap_or_else(|| panic!("{name} does not begin with:{PROLOGUE}"));
        assert!(
            before.lines().all(|line| line.starts_with('#')),
            "{name}: {before}"
        );
        assert_eq!(searches(after), [""; 0], "{name}");
    }
}

// craftr-build/craftr#33
#[test]
fn a_script_makes_the_paths_full_for_those_that_it_calls() {
    let folder = Folder::new("scripts-environment");
    let checkout = folder.0.join("checkout");
    fs::create_dir_all(checkout.join(".ci")).unwrap();
    fs::copy(root().join(".ci/run"), checkout.join(".ci/run")).unwrap();
    let show = "#!/bin/sh\necho \"$XTQ $TMPDIR $CARGO_TARGET_DIR\"\n";
    program(&folder, "checkout/test.sh", show);
    let mut command = Command::new(checkout.join(".ci/run"));
    let names = ["XTQ", "TMPDIR", "CARGO_TARGET_DIR"];
    command.envs(names.map(|name| (name, "a")));
    let run = ran(command.current_dir(&folder.0).output().unwrap());
    let full = folder.0.canonicalize().unwrap().join("a");
    assert_eq!(run.stdout, format!("{0} {0} {0}\n", full.display()));
}

#[test]
fn the_verilator_to_use_is_one_of_three() {
    let folder = Folder::new("scripts-verilator");
    let script = copy(&folder, "checkout");
    let mut command = Command::new(script);
    command
        .args(["lint", "fifo"])
        .env("XTQ_VERILATOR", "latest");
    let run = ran(command.output().unwrap());
    assert_eq!(run.code, 2, "{}", run.stdout);
    let told = "XTQ_VERILATOR=latest is none of system, pinned and newest";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

// verilator/verilator#2341
#[test]
fn a_blank_in_the_path_of_the_second_verilator_is_named() {
    let folder = Folder::new("scripts-blank");
    let there = folder.0.join("a b");
    fs::create_dir(&there).unwrap();
    fs::copy(root().join("fpga/verilator/provide"), there.join("provide")).unwrap();
    let run = ran(Command::new(there.join("provide"))
        .arg("pinned")
        .output()
        .unwrap());
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(
        run.stderr.contains("there is a blank in '"),
        "{}",
        run.stderr
    );
}

/// FuseSoC as far as make is concerned: it works in the folder that is named, which must be without blanks.
const FUSESOC: &str = "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n  case $1 in --work-root) work=$2 ;; esac\n  shift\ndone\nmkdir -p \"$work\"\n\
    case $(realpath \"$work\") in *' '*) echo 'make cannot build here'; exit 2 ;; esac\necho built >\"$work/made\"\n";

// freechipsproject/chisel-testers#170, verilator/verilator#2341
#[test]
fn a_flow_of_a_checkout_in_a_path_with_a_blank_works_where_there_is_none() {
    let folder = Folder::new("scripts-flow");
    copy(&folder, "a b");
    let fpga = folder.0.join("a b/fpga");
    fs::create_dir_all(fpga.join(".venv/bin")).unwrap();
    for name in ["requirements.txt", ".venv/requirements.txt"] {
        fs::write(fpga.join(name), "nothing").unwrap();
    }
    fs::copy(root().join("fpga/check_log.py"), fpga.join("check_log.py")).unwrap();
    program(&folder, "a b/fpga/.venv/bin/fusesoc", FUSESOC);
    let python = "#!/bin/sh\nexec python3 \"$@\"\n";
    program(&folder, "a b/fpga/.venv/bin/python", python);
    let export = "#!/bin/sh\nmkdir -p \"$2\" && echo fifo.v >\"$2/files.f\"\n";
    program(&folder, "xtq", export);
    fs::create_dir(folder.0.join("c d")).unwrap();
    for temporary in ["/tmp", "c d"] {
        let mut command = Command::new(fpga.join("run"));
        command.args(["sim_verilator", "fifo"]);
        command.envs([("XTQ", "xtq"), ("TMPDIR", temporary)]);
        let run = ran(command.current_dir(&folder.0).output().unwrap());
        assert_eq!(run.code, 0, "{temporary}: {}", run.stderr);
        let made = fpga.join("build/sim_verilator/fifo/made");
        assert!(made.exists(), "{temporary}: {}", run.stdout);
    }
}
