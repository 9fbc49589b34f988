//! The files that `xtq run --wave` writes for GTKWave and Surfer: they name what the waveform has, and only that.

mod state;
mod surfer;

use crate::common::{Folder, root, xtq};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A waveform in VCD, read by a few lines of this test.
#[derive(Default)]
struct Vcd {
    /// Bits by path; 0 is a text.
    bits: HashMap<String, usize>,
    /// Values by path, each once.
    values: HashMap<String, HashSet<u64>>,
}

impl Vcd {
    fn read(file: &str) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        let (mut vcd, mut scopes) = (Self::default(), Vec::new());
        let mut names: HashMap<&str, Vec<String>> = HashMap::new();
        for line in text.lines() {
            let words: Vec<_> = line.split_whitespace().collect();
            match words[..] {
                ["$scope", _, name, "$end"] => scopes.push(name),
                ["$upscope", "$end"] => {
                    scopes.pop();
                }
                ["$var", kind, bits, id, name, "$end"] => {
                    let path = [&scopes[..], &[name]].concat().join(".");
                    let bits = if kind == "string" { "0" } else { bits };
                    vcd.bits.insert(path.clone(), bits.parse().unwrap());
                    names.entry(id).or_default().push(path);
                }
                [value, id] if value.starts_with('b') && value.len() <= 65 => {
                    let value = u64::from_str_radix(&value[1..], 2).unwrap();
                    for path in names.get(id).into_iter().flatten() {
                        vcd.values.entry(path.clone()).or_default().insert(value);
                    }
                }
                _ => {}
            }
        }
        vcd
    }
}

/// A signal of a save file.
struct Signal {
    /// The groups around it, and whether each is open.
    groups: Vec<(String, bool)>,
    label: String,
    path: String,
    bits: usize,
    flags: u32,
    /// File with names, if the flags ask for it.
    names: Option<String>,
}

/// The signals of a save file, in order; groups must open and close.
fn signals(save_file: &str) -> Vec<Signal> {
    let (mut signals, mut flags, mut names) = (Vec::new(), 0, None);
    let mut groups: Vec<(String, bool)> = Vec::new();
    for line in save_file.lines() {
        if let Some(digits) = line.strip_prefix('@') {
            flags = u32::from_str_radix(digits, 16).unwrap();
        } else if let Some(name) = line.strip_prefix('-') {
            match flags & 0x180_0200 {
                0x80_0200 => groups.push((name.to_owned(), flags & 0x40_0000 == 0)),
                0x100_0200 => assert_eq!(groups.pop().unwrap().0, name, "the last group ends"),
                _ => panic!("{line}: neither begin nor end of a group"),
            }
        } else if let Some(file) = line.strip_prefix("^1 ") {
            names = Some(file.to_owned());
        } else if let Some(signal) = line.strip_prefix("+{") {
            assert!(!groups.is_empty(), "{line} is in no group");
            let (label, path) = signal.split_once("} ").unwrap();
            let (path, bits) = match path.strip_suffix(":0]") {
                Some(path) => path.split_once('[').unwrap(),
                None => (path, "0"),
            };
            signals.push(Signal {
                groups: groups.clone(),
                label: label.to_owned(),
                path: path.to_owned(),
                bits: bits.parse::<usize>().unwrap() + 1,
                flags,
                names: names.take().filter(|_| flags & 0x2000 != 0),
            });
        }
    }
    assert!(groups.is_empty(), "{groups:?} does not end");
    signals
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{:?}: {e}", path.as_ref()))
}

/// Runs with a waveform `file` of the folder, which must have every signal of the table: its path.
fn run(folder: &Folder, file: &str, arguments: &[&str]) -> String {
    let file = folder.path(file);
    let ran = xtq(&[&["run", "--wave", &file], arguments].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("has no signal"), "{}", ran.stdout);
    file
}

/// Values and names in a file of names.
fn names(text: &str) -> HashMap<u64, &str> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let named = lines.filter_map(|(value, name)| Some((value.parse().ok()?, name)));
    named.collect()
}

#[test]
fn the_save_file_names_signals_of_the_waveform_with_their_width() {
    let folder = Folder::new("viewers-gtkw");
    let vcd = Vcd::read(&run(&folder, "run.vcd", &[]));
    let text = read(folder.path("run.gtkw"));
    for line in ["[dumpfile] \"run.vcd\"", "[savefile] \"run.gtkw\""] {
        assert!(text.lines().any(|found| found == line), "{line}");
    }
    let signals = signals(&text);
    for signal in &signals {
        let bits = vcd.bits.get(&signal.path);
        let bits = bits.unwrap_or_else(|| panic!("the waveform has no {}", signal.path));
        assert_eq!(signal.bits, (*bits).max(1), "{}", signal.path);
    }
    for node in ["node0", "node1"] {
        let of_node = signals.iter().filter(|signal| signal.path.contains(node));
        assert!(of_node.count() > 100, "{node}");
    }
}

/// Both nodes have all stages; open are those of what each does with the message.
#[test]
fn the_stages_of_the_sender_and_of_the_receiver_are_open() {
    let folder = Folder::new("viewers-open");
    run(&folder, "run.vcd", &[]);
    let text = read(folder.path("run.gtkw"));
    let (sender, receiver) = text.split_once("-node 1 target").unwrap();
    for (node, open, closed) in [(sender, "gather", "parser"), (receiver, "parser", "gather")] {
        assert!(node.contains(&format!("@800200\n-{open}\n")), "{open}");
        assert!(node.contains(&format!("@c00200\n-{closed}\n")), "{closed}");
        assert!(node.contains(&format!("@1401200\n-{closed}\n")), "{closed}");
    }
}

#[test]
fn the_first_message_is_in_view_with_a_marker_for_each_station() {
    let folder = Folder::new("viewers-view");
    let report = folder.path("report.json");
    run(&folder, "run.vcd", &["--json", &report]);
    let report: serde_json::Value = serde_json::from_str(&read(report)).unwrap();
    let message = &report["messages"][0];
    let time = |station: &str| 1000 * message[station].as_u64().unwrap();
    let text = read(folder.path("run.gtkw"));
    let start = text
        .lines()
        .find_map(|line| line.strip_prefix("[timestart] "));
    let start: u64 = start.unwrap().parse().unwrap();
    assert!(start < time("command") && start + 50_000 > time("command"));
    let zoom = text.lines().find(|line| line.starts_with('*')).unwrap();
    let markers: Vec<u64> = zoom
        .split(' ')
        .skip(2)
        .map(|at| at.parse().unwrap())
        .collect();
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("[markername] "));
    let names: Vec<_> = names.collect();
    assert_eq!(names.len(), markers.len());
    for (name, station) in [
        ("Acommand", "command"),
        ("Darrive", "arrived"),
        ("Ksignal", "signal"),
    ] {
        let place = names.iter().position(|found| *found == name).unwrap();
        assert_eq!(markers[place], time(station), "{name}");
    }
}

/// The numbers of a module, found as text.
fn constants(module: &str) -> HashMap<u64, String> {
    let (file, module) = module.split_once("::").unwrap();
    let source = read(root().join(format!("rtl/types/src/{file}.rs")));
    let (_, body) = source.split_once(&format!("pub mod {module}: u8")).unwrap();
    let (body, _) = body.split_once("\n}").unwrap();
    let lines = body.lines().filter_map(|line| {
        let (name, value) = line.trim().split_once(" = ")?;
        let value = value.split([' ', ',']).next()?;
        Some((value.parse().ok()?, name.to_owned()))
    });
    lines.collect()
}

#[test]
fn every_value_of_a_code_has_the_name_of_its_constant() {
    let folder = Folder::new("viewers-names");
    let vcd = Vcd::read(&run(&folder, "run.vcd", &[]));
    let signals = signals(&read(folder.path("run.gtkw")));
    let named = signals.iter().filter(|signal| signal.flags & 0x2000 != 0);
    let mut files = HashSet::new();
    for signal in named {
        let file = signal.names.clone();
        let file = file.unwrap_or_else(|| panic!("{} has no names", signal.path));
        let text = read(folder.path(&file));
        let names = names(&text);
        for value in vcd.values.get(&signal.path).into_iter().flatten() {
            let named = *value == 0 || names.contains_key(value);
            assert!(named, "{}: {value} has no name", signal.path);
        }
        assert!(
            text.contains(&format!("\nBits = {}\n", signal.bits)),
            "{file}: {text}"
        );
        files.insert(file);
    }
    for module in ["wire_header::opcode", "event::status", "command::operation"] {
        let name = format!("xtq_{}", module.replace("::", "_"));
        let file = format!(".surfer/mappings/{name}");
        assert!(files.contains(&file), "{file}");
        let text = read(folder.path(&file));
        assert!(text.contains(&format!("\nName = {name}\n")), "{text}");
        let expected = constants(module);
        let expected = expected.iter().map(|(value, name)| (*value, name.as_str()));
        assert_eq!(names(&text), expected.collect(), "{module}");
    }
}

#[test]
fn the_command_file_formats_the_signals_that_it_adds() {
    let folder = Folder::new("viewers-sucl");
    run(&folder, "run.vcd", &[]);
    let (mut items, mut focus, mut formats) = (Vec::new(), None, HashMap::new());
    let text = read(folder.path("run.sucl"));
    for line in text.lines() {
        let (command, argument) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "#" | "cursor_set" => {}
            "divider_add" | "variable_add" => {
                assert!(!argument.contains(' '), "{line}: one word");
                items.push((command, argument));
            }
            "item_focus" => {
                let digit = |c: char| usize::from(c as u8 - b'a');
                let letters = argument.strip_suffix('_').unwrap().chars();
                focus = Some(letters.fold(0, |place, c| 16 * place + digit(c)));
            }
            "item_set_format" => {
                let (kind, path) = items[focus.unwrap()];
                assert_eq!(kind, "variable_add", "{line}");
                formats.insert(path, argument);
            }
            "item_unfocus" => focus = None,
            _ => panic!("{line}"),
        }
    }
    let added = items.iter().filter(|(kind, _)| *kind == "variable_add");
    let added: Vec<_> = added.map(|(_, path)| (*path).to_owned()).collect();
    let signals = signals(&read(folder.path("run.gtkw")));
    let paths: Vec<_> = signals.iter().map(|signal| signal.path.clone()).collect();
    assert_eq!(added, paths, "both viewers show the same");
    for signal in &signals {
        let format = formats.get(signal.path.as_str()).copied();
        assert_eq!(format, surfer_format(signal), "{}", signal.path);
    }
}

/// The form in a file of Surfer of a signal of a save file.
fn surfer_format(signal: &Signal) -> Option<&str> {
    let names = signal.names.as_ref().map(|file| file.rsplit_once('/'));
    match signal.flags {
        0x24 => Some("Unsigned"),
        0x820 => Some("ASCII"),
        _ => names.flatten().map(|(_, name)| name),
    }
}

/// No warning of a signal that is missing: `run` looks.
#[test]
fn every_kind_of_scenario_and_of_file_has_the_signals_of_its_table() {
    let folder = Folder::new("viewers-kinds");
    for (file, scenario, part) in [
        (
            "target.vcd",
            "scenarios/figure6-target.toml",
            "top.pipeline.parser.state_q.q",
        ),
        ("bank.vcd", "scenarios/l2-lock.toml", "top.request$address"),
        (
            "mixed.fst",
            "scenarios/mixed.toml",
            "top.pipeline.parser.state_q.q$text",
        ),
        (
            "nodes.fst",
            "scenarios/get.toml",
            "top.node1.pipeline.parser.state_q.q$text",
        ),
    ] {
        let wave = run(&folder, file, &[scenario]);
        surfer::check_state(&wave);
        let save = Path::new(&wave).with_extension("gtkw");
        let signals = signals(&read(save));
        let wave = wellen::simple::read(&wave).unwrap();
        let hierarchy = wave.hierarchy();
        let vars = hierarchy.iter_vars().map(|var| var.full_name(hierarchy));
        let vars: HashSet<_> = vars.collect();
        for signal in &signals {
            assert!(vars.contains(&signal.path), "{file}: {}", signal.path);
        }
        assert!(
            signals.iter().any(|signal| signal.path == part),
            "{file}: {part}"
        );
    }
}

#[test]
fn a_scope_leaves_only_its_stages() {
    let folder = Folder::new("viewers-scope");
    surfer::check_state(&run(
        &folder,
        "run.vcd",
        &["--scope", "node1.pipeline.rewrite"],
    ));
    let signals = signals(&read(folder.path("run.gtkw")));
    assert!(!signals.is_empty());
    for signal in signals {
        assert!(signal.path.starts_with("top.node1.pipeline.rewrite."));
    }
}

#[test]
fn a_view_that_somebody_saved_is_kept() {
    let folder = Folder::new("viewers-kept");
    let own = [
        ("run.gtkw", "[*] GTKWave Analyzer\n[*] my view\n"),
        ("run.surf.ron", "(\n    show_hierarchy: None,\n"),
    ];
    let files = own.map(|(name, text)| folder.write(name, text));
    for _ in 0..2 {
        let ran = xtq(&["run", "--wave", &folder.path("run.vcd")]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for file in &files {
            assert!(ran.stdout.contains(&format!("{file} is not of xtq run")));
        }
        assert!(
            !ran.stdout.contains("run.sucl"),
            "its own file is written anew"
        );
    }
    for (file, (_, text)) in files.iter().zip(own) {
        assert_eq!(read(file), text);
    }
}

// darccio/zas#54
#[test]
fn what_a_full_disk_left_of_a_file_is_written_again() {
    let folder = Folder::new("viewers-leftover");
    let arguments = ["run", "--wave", &folder.path("run.vcd")];
    xtq(&arguments);
    let whole = read(folder.path("run.gtkw"));
    let mark = whole.find('\n').unwrap();
    for bytes in [0, mark, whole.len() / 2] {
        let file = folder.write("run.gtkw", &whole[..bytes]);
        let ran = xtq(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains("left as it is"), "{}", ran.stdout);
        assert_eq!(read(file), whole, "{bytes} bytes");
    }
    // What has less than the mark may be anybody's.
    for bytes in [1, mark - 1] {
        let file = folder.write("run.gtkw", &whole[..bytes]);
        let ran = xtq(&arguments);
        assert!(ran.stdout.contains("left as it is"), "{}", ran.stdout);
        assert_eq!(read(file), whole[..bytes], "{bytes} bytes");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_with_its_name() {
    for (name, is_folder) in [
        ("run.gtkw", true),
        ("run.sucl", true),
        ("run.surf.ron", true),
        (".surfer", false),
    ] {
        let folder = Folder::new(&format!("viewers-{name}"));
        match is_folder {
            true => std::fs::create_dir(folder.path(name)).unwrap(),
            false => std::fs::write(folder.path(name), "").unwrap(),
        }
        let ran = xtq(&["run", "--wave", &folder.path("run.vcd")]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        let shown = ran.stderr.contains(&folder.path(name)) && ran.stderr.contains("xtq::write");
        assert!(shown, "{name}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{name}: before the run");
    }
    let folder = Folder::new("viewers-extension");
    for file in ["run.gtkw", "run.sucl", "run.surf.ron"] {
        let file = folder.path(file);
        let ran = xtq(&["run", "--wave", &file]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(&file), "{}", ran.stderr);
        assert!(!Path::new(&file).exists(), "{file}");
    }
}

#[test]
fn the_help_names_what_is_written() {
    let help = xtq(&["run", "--help"]).stdout;
    for name in ["run.gtkw", "run.surf.ron", "run.sucl", ".surfer/mappings"] {
        assert!(help.contains(name), "{name}");
    }
}
