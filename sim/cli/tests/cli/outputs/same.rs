//! Outputs that are inputs or other outputs, by any path.

use super::*;
use std::os::unix::fs::symlink;

/// Refused at once, with the names of both options; the files are as before.
fn refused(folder: &Folder, arguments: &[&str], options: [&str; 2]) {
    let before = listing(folder);
    let ran = xtq(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.is_empty(), "{arguments:?}: {}", ran.stdout);
    for option in options {
        assert!(
            ran.stderr.contains(option),
            "{option}, {arguments:?}: {}",
            ran.stderr
        );
    }
    assert!(ran.stderr.contains("is the same file as"), "{}", ran.stderr);
    assert_eq!(listing(folder), before, "{arguments:?}");
}

// facebook/zstd#1422, mapequation/infomap#907, mjmlio/mjml#1775, rspeer/python-ftfy#78
#[test]
fn a_scenario_is_not_written_over_by_whatever_path() {
    let folder = Folder::new("same-scenario");
    let text = std::fs::read_to_string(root().join(TARGET)).unwrap();
    let file = folder.write("s.toml", &text);
    symlink("s.toml", folder.path("link")).unwrap();
    std::fs::hard_link(&file, folder.path("hard")).unwrap();
    std::fs::create_dir(folder.path("d")).unwrap();
    symlink("../d", folder.path("d/d")).unwrap();
    for path in ["s.toml", "link", "hard", "./d/../s.toml", "d/d/d/../s.toml"] {
        let path = folder.path(path);
        let dump = format!("0:1:{path}");
        for (option, value) in [
            ("--wave", &path),
            ("--json", &path),
            ("--trace", &path),
            ("--dump-memory", &dump),
        ] {
            refused(
                &folder,
                &["run", &file, option, value],
                ["SCENARIO.toml", option],
            );
        }
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

#[test]
fn a_file_that_a_scenario_names_is_not_written_over() {
    let folder = Folder::new("same-named");
    let from = root().join("scenarios");
    let file = folder.path("s.toml");
    std::fs::copy(from.join("aql-file.toml"), &file).unwrap();
    std::fs::create_dir(folder.path("aql-file")).unwrap();
    for name in ["packets.aql", "arguments.bin", "payload.bin"] {
        let name = format!("aql-file/{name}");
        std::fs::copy(from.join(&name), folder.path(&name)).unwrap();
    }
    for name in ["packets.aql", "arguments.bin", "payload.bin"] {
        let path = folder.path(&format!("aql-file/{name}"));
        let before = std::fs::read(&path).unwrap();
        for option in ["--json", "--wave"] {
            let arguments = ["run", &file, option, &path];
            refused(&folder, &arguments, ["SCENARIO.toml", option]);
        }
        assert_eq!(std::fs::read(path).unwrap(), before);
    }
}

#[test]
fn two_outputs_are_not_one_file_even_if_it_does_not_exist_yet() {
    let folder = Folder::new("same-outputs");
    std::fs::create_dir(folder.path("d")).unwrap();
    symlink("d/new", folder.path("link")).unwrap();
    let new = folder.path("d/new");
    for path in ["d/new", "d/../d/new", "link"] {
        let path = folder.path(path);
        let dump = format!("0:1:{new}");
        let other = format!("0:2:{path}");
        let run = ["run", TARGET, "--dump-memory", &dump];
        refused(
            &folder,
            &[&run[..], &["--json", &path]].concat(),
            ["--dump-memory", "--json"],
        );
        refused(
            &folder,
            &["run", TARGET, "--json", &new, "--trace", &path],
            ["--json", "--trace"],
        );
        refused(
            &folder,
            &[&run[..], &["--wave", &path]].concat(),
            ["--dump-memory", "--wave"],
        );
        refused(
            &folder,
            &[&run[..], &["--dump-memory", &other]].concat(),
            ["--dump-memory"; 2],
        );
        refused(
            &folder,
            &["check", CASES, "--out", &new, "--json", &path],
            ["--out", "--json"],
        );
        refused(
            &folder,
            &[
                "experiment",
                "compnet-hitrate",
                "--quick",
                "--csv",
                &new,
                "--svg",
                &path,
            ],
            ["--csv", "--svg"],
        );
    }
}

#[test]
fn the_files_beside_a_waveform_are_outputs_too() {
    let folder = Folder::new("same-viewers");
    let wave = folder.path("r.vcd");
    for name in ["r.gtkw", "r.sucl", "r.surf.ron"] {
        let file = folder.path(name);
        refused(
            &folder,
            &["run", TARGET, "--wave", &wave, "--json", &file],
            ["--wave", "--json"],
        );
    }
    let inside = folder.path(".surfer/mappings/xtq_opcode");
    std::fs::create_dir_all(folder.path(".surfer/mappings")).unwrap();
    let ran = xtq(&["run", TARGET, "--wave", &wave, "--json", &inside]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--wave") && ran.stderr.contains("--json"),
        "{}",
        ran.stderr
    );
}

#[test]
fn inputs_of_other_verbs_are_kept_too() {
    let folder = Folder::new("same-verbs");
    let copy = |name: &str, from: &str| {
        folder.write(name, &std::fs::read_to_string(root().join(from)).unwrap())
    };
    let cases = copy("c.json", CASES);
    refused(
        &folder,
        &["check", &cases, "--out", &cases],
        ["CASES", "--out"],
    );
    refused(
        &folder,
        &["check", &cases, "--json", &cases],
        ["CASES", "--json"],
    );
    let source = copy("s.rs", "rtl/src/leaf/reg.rs");
    refused(
        &folder,
        &["lint", &source, "--json", &source],
        ["FILES", "--json"],
    );
    let hitrate = ["experiment", "compnet-hitrate", "--quick"];
    let parameters = copy(
        "compnet-hitrate.csv",
        "scenarios/experiments/compnet-hitrate.toml",
    );
    for option in ["--json", "--csv", "--svg", "--png"] {
        let arguments = [&hitrate[..], &[&parameters, option, &parameters]].concat();
        refused(&folder, &arguments, ["PARAMETERS.toml", option]);
    }
    let out = folder.path("");
    refused(
        &folder,
        &[&hitrate[..], &[&parameters, "--out", &out]].concat(),
        ["PARAMETERS.toml", "--out"],
    );
    let new = folder.path("new");
    let inside = folder.path("new/compnet-hitrate.png");
    refused(
        &folder,
        &[&hitrate[..], &["--out", &new, "--png", &inside]].concat(),
        ["--out", "--png"],
    );
    let page = folder.write(
        "page.md",
        "<!-- bench -->\n<!-- end of bench -->\n<!-- contract -->\n<!-- end of contract -->\n",
    );
    refused(
        &folder,
        &["bench", "--contract", "--markdown", &page, "--json", &page],
        ["--markdown", "--json"],
    );
    let build = folder.path("");
    let wave = folder.path("wave.vcd");
    refused(
        &folder,
        &[
            "bench",
            "--no-verilator",
            "--folder",
            &build,
            "--json",
            &wave,
        ],
        ["--folder", "--json"],
    );
}

#[test]
fn standard_output_may_not_be_a_file_that_is_named_too() {
    let folder = Folder::new("same-stdout");
    let file = folder.write(
        "s.toml",
        &std::fs::read_to_string(root().join(TARGET)).unwrap(),
    );
    let append = |path: &str| {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap()
    };
    let ran = printed_to(&["run", &file], append(&file));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("standard output"), "{}", ran.stderr);
    let report = folder.path("r.json");
    let ran = printed_to(&["run", TARGET, "--json", &report], append(&report));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("standard output"), "{}", ran.stderr);
}

#[test]
fn standard_output_devices_and_pipes_may_stand_twice() {
    let ran = xtq(&[
        "check",
        CASES,
        "-q",
        "--out",
        "/dev/null",
        "--json",
        "/dev/null",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for stdout in ["/dev/stdout", "-"] {
        let ran = xtq(&["check", CASES, "--out", stdout, "--json", "-"]);
        assert_eq!(ran.code, 0);
        assert!(ran.stderr.contains(" passed, "), "{}", ran.stderr);
        let values = serde_json::Deserializer::from_str(&ran.stdout);
        let mut values = values.into_iter::<serde_json::Value>();
        assert!(values.next().unwrap().unwrap().get("cases").is_none());
        assert!(values.next().unwrap().unwrap().get("cases").is_some());
    }
    // A regular file, by the name of the stream: what is printed before stays.
    let folder = Folder::new("stdout-file");
    let to = File::create(folder.path("out")).unwrap();
    let ran = printed_to(&["check", CASES, "--out", "/dev/stdout"], to);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let text = std::fs::read_to_string(folder.path("out")).unwrap();
    let (table, results) = text.split_once("{\n").unwrap();
    assert!(table.contains(" passed, "), "{text}");
    assert!(
        serde_json::from_str::<serde_json::Value>(&format!("{{{results}")).is_ok(),
        "{text}"
    );
}

#[test]
fn a_pipe_is_written_directly_and_may_be_written_twice() {
    let folder = Folder::new("fifo");
    let pipe = crate::common::named_pipe(&folder);
    let child = command(&["check", CASES, "-q", "--out", &pipe, "--json", &pipe]).spawn();
    // Stays open, so that the second output comes too.
    let keep = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    let mut child = child.unwrap();
    assert!(child.wait().unwrap().success());
    drop(keep);
    assert_eq!(listing(&folder), ["pipe"]);
}

// facebook/zstd#1422
#[test]
fn a_waveform_on_standard_output_that_is_a_file_is_alone_in_it() {
    let folder = Folder::new("same-wave");
    let whole = folder.path("whole.vcd");
    assert_eq!(xtq(&["run", TARGET, "-q", "--wave", &whole]).code, 0);
    let whole = std::fs::read(whole).unwrap();
    let file = folder.path("out.vcd");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        // Text keeps away.
        for more in [&[][..], &["-q"], &["-v"]] {
            let arguments = [&["run", TARGET, "--wave", name], more].concat();
            let ran = printed_to(&arguments, File::create(&file).unwrap());
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
            assert!(std::fs::read(&file).unwrap() == whole, "{arguments:?}");
        }
        // Other outputs are refused, and the file is as it was.
        for more in [
            ["--json", "-"],
            ["--json", "/dev/stdout"],
            ["--dump-memory", "0:1:-"],
        ] {
            let arguments = [&["run", TARGET, "-q", "--wave", name], &more[..]].concat();
            let ran = printed_to(&arguments, File::create(&file).unwrap());
            assert_eq!(ran.code, 2, "{arguments:?}");
            assert!(ran.stderr.contains("is the same file as"), "{}", ran.stderr);
            assert_eq!(std::fs::read(&file).unwrap(), b"");
        }
        std::fs::write(&file, "before\n").unwrap();
        let to = OpenOptions::new().append(true).open(&file).unwrap();
        let ran = printed_to(&["run", TARGET, "-q", "--wave", name], to);
        assert_eq!(ran.code, 2, "{name}");
        assert_eq!(std::fs::read(&file).unwrap(), b"before\n");
    }
    // Errors would stand in it.
    let mut to_stderr = command(&["run", TARGET, "-q", "--wave", "/dev/stderr"]);
    let to_stderr = to_stderr.stderr(File::create(&file).unwrap()).output();
    assert_eq!(to_stderr.unwrap().status.code(), Some(2));
    // A link has a folder, in which nothing is written beside it.
    symlink("/dev/stdout", folder.path("link.vcd")).unwrap();
    let before = listing(&folder);
    let wave = folder.path("link.vcd");
    let ran = printed_to(
        &["run", TARGET, "--wave", &wave],
        File::create(&file).unwrap(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(std::fs::read(&file).unwrap() == whole);
    assert_eq!(listing(&folder), before);
}
