//! The tools that read the Verilog: they must accept it without a word, and simulate it as the oracle does.
#![allow(dead_code)] // each test uses a part

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use xtq_engine::build_place;
use xtq_engine::design::{Design, SignalKind};
use xtq_engine::verilog::{File, Options, first_values, write};

/// A folder that is removed at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let name = format!("xtq-engine-verilog-{}-{call}", std::process::id());
        let place = build_place().expect("there is a folder for temporary files");
        let path = place.join(name);
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Self(path)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the folder can be written");
    }

    /// What the tool prints; it must succeed.
    pub fn run(&self, tool: &str, arguments: &[&str]) -> String {
        let output = Command::new(self.path(tool))
            .args(arguments)
            .current_dir(&self.0)
            .output();
        let output =
            output.unwrap_or_else(|error| panic!("{tool}: {error}; ./test.sh installs it"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{tool} {arguments:?}:\n{stdout}{stderr}"
        );
        stdout + &stderr
    }

    /// Programs built in the folder go before those of the system.
    fn path(&self, tool: &str) -> PathBuf {
        let built = self.0.join(tool);
        match built.exists() {
            true => built,
            false => Path::new(tool).into(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Verilator, Icarus and Yosys must read the files and print nothing at all; Yosys must find no latch and `memories`
/// memories.
pub fn accept(files: &[File], top: &str, memories: usize) {
    let memories = format!(
        "memory_collect; select -assert-count {memories} t:$mem_v2; select -assert-none t:$meminit*"
    );
    read(files, top, &[], &memories);
}

/// Verilator's warnings of comparisons with what turns out to be constant, as in designs that nobody wrote.
const CONSTANT: [&str; 2] = ["-Wno-UNSIGNED", "-Wno-CMPCONST"];

/// The same for a design that nobody wrote.
pub fn accept_drawn(files: &[File], top: &str) {
    read(files, top, &CONSTANT, "check -assert");
}

fn read(files: &[File], top: &str, allowed: &[&str], more: &str) {
    let scratch = Scratch::new();
    let name = |file: &File| format!("{}.v", file.name);
    for file in files {
        scratch.write(&name(file), &file.text);
    }
    let names: Vec<String> = files.iter().map(name).collect();
    quiet(&scratch, &names, top, allowed, more);
}

/// Runs the tools over files in a folder, Verilator with more options and Yosys with more commands.
fn quiet(scratch: &Scratch, names: &[String], top: &str, allowed: &[&str], more: &str) {
    let quiet = |tool: &str, arguments: &[&str]| {
        let printed = scratch.run(tool, arguments);
        assert_eq!(printed, "", "{tool} has something to say of {top}");
    };
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let verilator = ["--lint-only", "-Wall", "--top-module", top];
    quiet("verilator", &[&verilator, allowed, &files].concat());
    let icarus = ["-g2005", "-Wall", "-o", "out.vvp", "-s", top];
    quiet("iverilog", &[&icarus, &files[..]].concat());
    let script = format!(
        "read_verilog {}; hierarchy -check -top {top}; proc; check -assert; \
         select -assert-none t:$dlatch t:$adlatch; flatten; opt_clean; {more}",
        names.join(" ")
    );
    quiet("yosys", &["-q", "-p", &script]);
}

/// The same for all designs, in one run of each tool.
pub fn accept_all(benches: &[Bench]) {
    let scratch = Scratch::new();
    let mut names = vec!["all.v".to_string()];
    let (mut ports, mut instances) = (Vec::new(), String::new());
    let has_clock = |bench: &Bench| bench.design.top().signals.iter().any(|signal| signal.clock);
    ports.extend(
        benches
            .iter()
            .any(has_clock)
            .then(|| "input wire clk".to_string()),
    );
    for (at, bench) in benches.iter().enumerate() {
        names.extend(bench.write(&scratch));
        let port =
            |direction: &str, kind| format!("{direction} wire [{}:0]", bench.width(&kind) - 1);
        ports.push(format!("{} in{at}", port("input", SignalKind::Input)));
        ports.push(format!("{} out{at}", port("output", SignalKind::Output)));
        instances += &bench.instance(at);
    }
    let text = format!("module all ({});\n{instances}endmodule\n", ports.join(", "));
    scratch.write("all.v", &text);
    let merged = "memory_collect; select -assert-none t:$meminit*";
    quiet(&scratch, &names, "all", &CONSTANT, merged);
}

/// A design with what goes in and what must come out.
pub struct Bench {
    pub name: String,
    pub design: Design,
    /// All inputs but the clock, in the order of the ports, cycle by cycle.
    pub inputs: Vec<Vec<Vec<u64>>>,
    /// All outputs, in the order of the ports, cycle by cycle, before the edge.
    pub outputs: Vec<Vec<Vec<u64>>>,
}

impl Bench {
    /// Name and width of its inputs or outputs, the clock excepted.
    fn ports(&self, kind: &SignalKind) -> Vec<(String, usize)> {
        let signals = self.design.top().signals.iter();
        let ports = signals.filter(|signal| signal.kind == *kind && !signal.clock);
        ports
            .map(|signal| (signal.name.replace('$', "_"), signal.ty.width))
            .collect()
    }

    fn width(&self, kind: &SignalKind) -> usize {
        self.ports(kind).iter().map(|(_, width)| width).sum()
    }

    /// All values of a cycle as one number, the first port lowest.
    fn line(&self, kind: &SignalKind, values: &[Vec<u64>]) -> String {
        let mut bits = String::new();
        for ((_, width), words) in self.ports(kind).iter().zip(values).rev() {
            let bit = |bit: usize| {
                words
                    .get(bit / 64)
                    .is_some_and(|w| w >> (bit % 64) & 1 == 1)
            };
            bits.extend((0..*width).rev().map(|at| if bit(at) { '1' } else { '0' }));
        }
        bits
    }

    fn options(&self) -> Options<'_> {
        Options {
            top: Some(&self.name),
            ..Options::default()
        }
    }

    /// Writes a file for each module; their names.
    fn write(&self, scratch: &Scratch) -> Vec<String> {
        let files = write(&self.design, &self.options());
        let file = |file: &File| {
            // Modules of different designs may have the same name: the top's goes before it.
            let name = match file.name == self.name {
                true => format!("{}.v", file.name),
                false => format!("{}_{}.v", self.name, file.name),
            };
            scratch.write(&name, &apart(&file.text, &files, &self.name));
            name
        };
        files.iter().map(file).collect()
    }

    /// An instance whose inputs and outputs are gathered in `in` and `out` with the number after.
    fn instance(&self, at: usize) -> String {
        let mut pins = Vec::new();
        for (kind, bundle) in [(SignalKind::Input, "in"), (SignalKind::Output, "out")] {
            let mut low = 0;
            for (port, width) in self.ports(&kind) {
                pins.push(format!(".{port}({bundle}{at}[{low} +: {width}])"));
                low += width;
            }
        }
        if let Some(clock) = self.design.top().signals.iter().find(|signal| signal.clock) {
            pins.push(format!(".{}(clk)", clock.name));
        }
        format!("{} dut{at} ({});\n", self.name, pins.join(", "))
    }

    /// Declarations, instance, and the part of the loop before and after the edge.
    fn text(&self, at: usize) -> (String, String) {
        let [ins, outs] = [SignalKind::Input, SignalKind::Output].map(|kind| self.width(&kind));
        let cycles = self.inputs.len();
        let mut text = format!(
            "reg [{}:0] vectors{at} [0:{}];\nreg [{}:0] in{at};\nwire [{}:0] out{at};\n\
             initial $readmemb(\"{at}.mem\", vectors{at});\n",
            ins - 1,
            cycles - 1,
            ins - 1,
            outs - 1,
        );
        text += &self.instance(at);
        let first = first_values(&self.design, &self.options(), &format!("dut{at}"));
        writeln!(text, "initial begin\n{}\nend", first.join("\n")).expect("a string");
        (text, format!("in{at} = vectors{at}[n];"))
    }
}

/// Runs all designs in one simulation of each simulator; what they print must be what is expected.
pub fn simulate(benches: &[Bench]) {
    let scratch = Scratch::new();
    let mut names = Vec::new();
    let (mut parts, mut drive, mut show) = (String::new(), String::new(), String::new());
    for (at, bench) in benches.iter().enumerate() {
        names.extend(bench.write(&scratch));
        let lines = bench
            .inputs
            .iter()
            .map(|v| bench.line(&SignalKind::Input, v) + "\n");
        scratch.write(&format!("{at}.mem"), &lines.collect::<String>());
        let (part, set) = bench.text(at);
        parts += &part;
        writeln!(drive, "            {set}").expect("a string");
        writeln!(show, "            $display(\"%b\", out{at});").expect("a string");
    }
    let cycles = benches[0].inputs.len();
    let text = format!(
        "`timescale 1ns/1ns\nmodule bench;\n    reg clk;\n    integer n;\n{parts}    initial begin\n        clk = 1'b0;\n\
         \x20       for (n = 0; n < {cycles}; n = n + 1) begin\n{drive}            #1;\n{show}            clk = 1'b1;\n            #1;\n\
         \x20           clk = 1'b0;\n        end\n        $finish;\n    end\nendmodule\n"
    );
    scratch.write("bench.v", &text);
    names.push("bench.v".into());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();

    let icarus = ["-g2005", "-o", "bench.vvp", "-s", "bench"];
    scratch.run("iverilog", &[&icarus[..], &names].concat());
    check(benches, "Icarus", &scratch.run("vvp", &["-n", "bench.vvp"]));

    let verilator = [
        "--binary",
        "--timing",
        "-Wno-fatal",
        "-O3",
        "-CFLAGS",
        "-O1",
        "-j",
        "2",
        "--top-module",
        "bench",
        "--Mdir",
        "obj",
        "-o",
        "../bench",
    ];
    scratch.run("verilator", &[&verilator[..], &names].concat());
    check(benches, "Verilator", &scratch.run("bench", &[]));
}

/// The text with the prefix before every module name but the top's.
fn apart(text: &str, files: &[File], top: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut words = line.trim_start().splitn(3, ' ');
        let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let name = if first == "module" { second } else { first };
        let ours = name != top && files.iter().any(|file| file.name == name);
        // Heads and instances, not statements of a signal with the name.
        let line = match ours && line.ends_with(" (") && !line.starts_with("//") {
            true => line.replacen(name, &format!("{top}_{name}"), 1),
            false => line.into(),
        };
        out += &(line + "\n");
    }
    out
}

/// The last `digits` of what was printed, if those before are zeros: Verilator prints an output that it has found to be
/// constant with the 32 digits of its constants.
fn cut(found: &str, digits: usize) -> &str {
    let (zeros, rest) = found.split_at(found.len().saturating_sub(digits));
    match zeros.chars().all(|digit| digit == '0') {
        true => rest,
        false => found,
    }
}

fn check(benches: &[Bench], tool: &str, printed: &str) {
    let mut lines = printed
        .lines()
        .filter(|line| line.chars().all(|c| "01xz".contains(c)));
    for cycle in 0..benches[0].outputs.len() {
        for bench in benches {
            let expected = bench.line(&SignalKind::Output, &bench.outputs[cycle]);
            let found = lines.next().unwrap_or("nothing");
            let found = cut(found, expected.len());
            assert_eq!(
                found, expected,
                "{tool}, {}, cycle {cycle}, inputs {:x?}",
                bench.name, bench.inputs[cycle]
            );
        }
    }
}
