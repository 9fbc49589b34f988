//! `xtq export`: the Verilog is accepted by Yosys, Icarus and Verilator, and nothing foreign is overwritten.

mod beside;
mod budget;
mod heads;
mod names;
mod plain;
mod registers;
mod warnings;

use crate::common::{Folder, xtq};
use std::sync::atomic::{AtomicUsize, Ordering};
use xtq_engine::blocks;
use xtq_engine::verilog::File;
use xtq_testbench::verilog_tools::accept_files;

/// The ports of the contract (docs: design of the NIC), by prefix where there are several.
const PORTS: [&str; 11] = [
    "clk",
    "rst",
    "s_axis_net_tdata",
    "m_axis_net_tdata",
    "s_axis_ans_tdata",
    "m_axis_ans_tdata",
    "m_axi_awaddr",
    "m_axi_awatop",
    "m_axi_rdata",
    "s_axil_awaddr",
    "irq",
];

/// The files that the list in a folder names, in its order.
fn exported(dir: &str) -> Vec<File> {
    let list = std::fs::read_to_string(format!("{dir}/files.f")).unwrap();
    let names = list.lines().filter(|line| !line.starts_with("//"));
    let file = |name: &str| File {
        name: name.strip_suffix(".v").unwrap().into(),
        text: std::fs::read_to_string(format!("{dir}/{name}")).unwrap(),
    };
    names.map(file).collect()
}

/// The files beside the modules, as the list names them. Each is there, and nothing else is.
fn beside(dir: &str) -> Vec<String> {
    let list = std::fs::read_to_string(format!("{dir}/files.f")).unwrap();
    let mut lines = list.lines();
    let names = lines.find_map(|line| line.strip_prefix("// Beside them: "));
    let names: Vec<String> = names.unwrap().split(' ').map(String::from).collect();
    let known = |name: &str| names.iter().any(|beside| beside.starts_with(name));
    for entry in std::fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name.ends_with(".v") || name == "files.f" || known(&name),
            "{name}"
        );
    }
    for name in &names {
        assert!(std::fs::exists(format!("{dir}/{name}")).unwrap(), "{name}");
    }
    names
}

/// Exports, and gives the result to the three tools.
fn is_accepted(top: &str, module: &str, atomics: bool) {
    let folder = Folder::new(&format!("export-{top}-{atomics}"));
    let dir = folder.path("new/dir");
    let mut arguments = vec!["export", &dir];
    // The whole NIC needs no name.
    if top != "nic" {
        arguments.extend(["--top", top]);
    }
    arguments.extend(atomics.then_some("--atomics"));
    let ran = xtq(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let files = exported(&dir);
    let count = files.len();
    let beside = beside(&dir);
    for kind in ["core", "sdc", "xdc", "lpf"] {
        assert!(beside.contains(&format!("{module}.{kind}")), "{beside:?}");
    }
    let said = format!("{dir}/files.f: module {module}, {count} modules, ");
    assert!(ran.stdout.starts_with(&said), "{}", ran.stdout);
    let (_, declaration) = files[count - 1]
        .text
        .split_once(&format!("\nmodule {module}"))
        .unwrap_or_else(|| panic!("{}", files[count - 1].text));
    let (declaration, _) = declaration.split_once(");").unwrap();
    let word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let names: Vec<&str> = declaration.split(word).collect();
    for port in PORTS {
        assert!(names.contains(&port), "{port}: {declaration}");
    }
    let memories = files
        .iter()
        .filter(|file| file.text.contains(" storage [0:"));
    let memories = memories.count();
    assert!(memories > 10, "{memories}");
    accept_files("export", &files, memories).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_export_of_the_nic_is_accepted_by_the_three_tools_without_a_warning() {
    is_accepted("nic", "nic", false);
}

#[test]
fn the_export_of_the_nic_with_atomics_is_accepted_too() {
    is_accepted("nic", "nic", true);
}

#[test]
fn the_export_of_the_small_nic_is_accepted_and_has_the_registers_of_two_contexts() {
    is_accepted("nic-small", "nic_3", false);
    let folder = Folder::new("export-small");
    let dir = folder.path("");
    let named = ["--top", "nic-small", "--name", "nic_small", "-q"];
    assert_eq!(
        xtq(&[&["export", dir.as_str()], &named[..]].concat()).code,
        0
    );
    let read = |name: &str| std::fs::read_to_string(format!("{dir}/{name}")).unwrap();
    let header = read("registers.h");
    assert!(header.contains("#define XTQ_CONTEXTS 2u\n"), "{header}");
    let users = header.matches("#define XTQ_USER_ID_").count();
    assert_eq!(users, 2, "{header}");
    let rdl = read("registers.rdl");
    for part in [
        " CONTEXT[2] @ 0x1000 ",
        "VALUE[31:0] = 32'h48401002; } BUILD",
    ] {
        assert!(rdl.contains(part), "{part}: {rdl}");
    }
    let page = read("registers.md");
    assert!(page.contains("**This hardware has 2 contexts.**"), "{page}");
}

#[test]
fn the_export_of_both_builds_of_the_target_side_is_accepted_too() {
    is_accepted("target", "xtq_target", false);
    is_accepted("target", "xtq_target", true);
}

#[test]
fn any_block_is_exported_by_its_name_and_one_that_is_not_there_is_refused_with_the_list() {
    let folder = Folder::new("export-blocks");
    for (called, module) in [
        ("lookup-cache", "lookup_cache"),
        ("lookup_cache", "lookup_cache"),
        ("match", "match_unit"),
        ("trigger", "trigger_engine"),
        // A word of Verilog.
        ("reg", "reg_"),
    ] {
        let dir = folder.path(called);
        let ran = xtq(&["export", &dir, "--top", called]);
        assert_eq!(ran.code, 0, "{called}: {}", ran.stderr);
        let said = format!("{dir}/files.f: module {module}");
        assert!(ran.stdout.starts_with(&said), "{}", ran.stdout);
    }
    let ran = xtq(&["export", &folder.path("none"), "--top", "no-such"]);
    assert_eq!(ran.code, 2);
    for known in ["no-such", "nic", "lookup_cache", "target (xtq_target)"] {
        assert!(ran.stderr.contains(known), "{known}: {}", ran.stderr);
    }
    let ran = xtq(&["export", &folder.path("none"), "--top", "fifo", "--atomics"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--atomics"), "{}", ran.stderr);
}

#[test]
fn what_an_earlier_export_left_is_removed_and_nothing_else() {
    let folder = Folder::new("export-again");
    let dir = folder.path("");
    let at = |name: &str| format!("{dir}/{name}");
    assert_eq!(xtq(&["export", &dir, "--name", "old_nic", "-q"]).code, 0);
    folder.write("mine.v", "module mine(); endmodule\n");
    // Named by the list, but not written by the program.
    let list = std::fs::read_to_string(at("files.f")).unwrap();
    std::fs::write(at("files.f"), list + "mine.v\n").unwrap();
    assert_eq!(xtq(&["export", &dir, "--name", "new_nic", "-q"]).code, 0);
    assert!(!std::fs::exists(at("old_nic.v")).unwrap());
    assert!(std::fs::exists(at("new_nic.v")).unwrap());
    assert!(std::fs::exists(at("mine.v")).unwrap());
    assert!(!std::fs::exists(at("old_nic.core")).unwrap());
    assert!(!std::fs::exists(at("sim/tb_old_nic.v")).unwrap());
    assert_eq!(beside(&dir)[0], "new_nic.core");
    // What only the whole NIC has goes when a block without registers takes its place.
    assert!(std::fs::exists(at("registers.rdl")).unwrap());
    assert_eq!(xtq(&["export", &dir, "--top", "fifo", "-q"]).code, 0);
    assert!(!std::fs::exists(at("registers.rdl")).unwrap());
    assert!(std::fs::exists(at("mine.v")).unwrap());
    // A list that names what is outside the folder removes nothing there.
    let outside = folder.write("outside.md", "<!-- Written by `xtq export` -->\n");
    let inner = folder.path("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(
        format!("{inner}/files.f"),
        "// Written by `xtq export`\n// Beside them: ../outside.md\n",
    )
    .unwrap();
    assert_eq!(xtq(&["export", &inner, "--top", "fifo", "-q"]).code, 0);
    assert!(std::fs::exists(&outside).unwrap());
}

#[test]
fn its_own_file_is_overwritten_and_no_other() {
    let folder = Folder::new("export-twice");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "-q"]).code, 0);
    assert_eq!(xtq(&["export", &dir, "-q"]).code, 0);
    let mine = folder.write("mine.v", "module mine(); endmodule\n");
    let ran = xtq(&["export", &dir, "--name", "mine"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("was not written by `xtq export`"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        std::fs::read_to_string(&mine).unwrap(),
        "module mine(); endmodule\n"
    );
    let ran = xtq(&["export", &mine]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("is a file, not a folder"),
        "{}",
        ran.stderr
    );
    assert_eq!(xtq(&["export", &format!("{mine}/below")]).code, 2);
}

#[test]
fn the_page_names_every_port_once_and_the_frequency_is_in_all_constraints() {
    let folder = Folder::new("export-page");
    let dir = folder.path("");
    assert_eq!(xtq(&["export", &dir, "--frequency", "125", "-q"]).code, 0);
    let read = |name: &str| std::fs::read_to_string(format!("{dir}/{name}")).unwrap();
    let page = read("README.md");
    let size = "4 contexts, 256 match entries, 128 unexpected headers";
    let parameters = format!("Parameters: {size} (E = 8, EN = 9, H = 7, HN = 8, R = 9, C = 4)");
    for (file, end) in [
        ("README.md", "; the head of `nic.v` says"),
        ("nic.core", ".'\n"),
    ] {
        assert!(
            read(file).contains(&format!("{parameters}{end}")),
            "{}",
            read(file)
        );
    }
    for port in PORTS {
        assert_eq!(page.matches(&format!("| `{port}` |")).count(), 1, "{port}");
    }
    assert!(
        page.contains(
            "| `s_axis_net_tdata` | in | 512 | Requests from the network: bytes, lane 0 first. |"
        ),
        "{page}"
    );
    for (file, text) in [
        ("nic.sdc", "-period 8.000"),
        ("nic.xdc", "-period 8.000"),
        ("nic.lpf", "125.000 MHZ"),
    ] {
        assert!(read(file).contains(text), "{file}: {}", read(file));
    }
}

/// Runs the exported test bench in Icarus Verilog: whether it agreed, and what it printed.
fn test_bench(dir: &str, top: &str) -> (bool, String) {
    let run = |tool: &str, arguments: &[&str]| {
        let output = std::process::Command::new(tool)
            .args(arguments)
            .current_dir(dir)
            .output();
        let output = output.unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    };
    let bench = format!("sim/tb_{top}.v");
    let built = run(
        "iverilog",
        &["-g2005", "-o", "tb.vvp", "-f", "files.f", &bench],
    );
    assert_eq!(built, (true, String::new()));
    run("vvp", &["-N", "tb.vvp"])
}

#[test]
fn the_exported_test_bench_agrees_and_finds_a_bit_that_is_wrong() {
    let folder = Folder::new("export-bench");
    // One without reset, one without clock, one with both, and the whole.
    for (block, module) in [
        ("reg", "reg_"),
        ("outcome", "outcome"),
        ("fifo", "fifo"),
        ("nic", "nic"),
        ("nic-small", "nic_3"),
    ] {
        let dir = folder.path(block);
        assert_eq!(xtq(&["export", &dir, "--top", block, "-q"]).code, 0);
        let (agreed, said) = test_bench(&dir, module);
        assert!(
            agreed && said.contains("256 cycles agree"),
            "{block}: {said}"
        );
    }
    let dir = folder.path("fifo");
    let file = format!("{dir}/fifo.v");
    let text = std::fs::read_to_string(&file).unwrap();
    let at = text.rfind("    assign ").unwrap();
    let line = text[at..].lines().next().unwrap();
    let broken = line.replacen("= ", "= ~", 1);
    std::fs::write(&file, text.replace(line, &broken)).unwrap();
    let (agreed, said) = test_bench(&dir, "fifo");
    assert!(!agreed && said.contains("expected"), "{broken}: {said}");
}

/// Longer exports are not played here: Icarus takes too long for them. The whole NIC is played above.
const MOST_LINES: usize = 6_000;

/// Exports a block, looks at what is stated of its ports, and plays its test bench: what went wrong, and whether it was
/// played.
fn plays(folder: &Folder, block: &str) -> Result<bool, String> {
    let dir = folder.path(block);
    let ran = xtq(&["export", &dir, "--top", block]);
    let words: Vec<&str> = ran.stdout.split_whitespace().collect();
    // "<list>: module <name>, <n> modules, <n> lines"
    let [_, "module", module, _, "modules,", lines, "lines"] = words[..] else {
        return Err(format!("{block}: {}{}", ran.stdout, ran.stderr));
    };
    let module = module.trim_end_matches(',');
    beside::agree(&dir, module).map_err(|error| format!("{block}: {error}"))?;
    if lines.parse::<usize>().unwrap() > MOST_LINES {
        return Ok(false);
    }
    match test_bench(&dir, module) {
        (true, said) if said.contains("256 cycles agree") => Ok(true),
        (_, said) => Err(format!("{block}: {said}")),
    }
}

#[test]
fn the_exported_test_bench_of_every_block_agrees_and_every_port_has_its_meaning() {
    let folder = Folder::new("export-benches");
    let names = blocks::names();
    let (next, played) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut wrong = Vec::new();
        while let Some(block) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            match plays(&folder, block) {
                Ok(true) => drop(played.fetch_add(1, Ordering::Relaxed)),
                Ok(false) => println!("{block} is too long"),
                Err(text) => wrong.push(text),
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let played = played.into_inner();
    assert!(played * 10 > names.len() * 8, "only {played} were played");
}
