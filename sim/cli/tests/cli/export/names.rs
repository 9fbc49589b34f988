//! Names that `--name` takes are taken by every tool, also by a Verilator years newer; and those it refuses are
//! refused.

use crate::common::{Folder, root, xtq};
use std::fs;
use std::process::Command;
use xtq_engine::verilog::is_identifier;

/// Words that mean something to a tool or in a language near Verilog, and are no keywords of it: built-in packages,
/// classes and methods of SystemVerilog, words of Verilog-AMS, of C, C++ and SystemC, of Verilator's C++, of cells and
/// of YAML, and names in the test bench. Some 5,000 strings out of the programs of Icarus Verilog 11, Yosys 0.23,
/// Verilator 5.006 and 5.48 were tried the same way once, and gave no other name that is refused.
const CANDIDATES: &str = "std randomize process mailbox semaphore weak_reference rand_mode constraint_mode pre_randomize post_randomize \
srandom get_randstate set_randstate self status kill await suspend resume size num exists first last next prev insert push_back pop_front find \
find_first_index min max sort rsort reverse shuffle sum product unique_index item index len putc getc toupper compare substr atoi itoa name triggered \
matched option type_option sample get_coverage start stop get put try_get peek root unit step ps ns us ms fs s infinite error warning info fatal abs access \
acos ac_stim aliasparam absdelay analog analysis asin atan branch ceil connect connectmodule connectrules continuous cos ddt ddx discipline discrete domain \
driver_update endconnectrules enddiscipline endnature endparamset exclude exp final_step flow from ground hypot idt inf initial_step ln log merged nature \
net_resolution paramset potential pow resolveto sin slew split sqrt tan timer transition units wreal wone above abstol main exit errno linux unix i386 stdin \
stdout stderr EOF NAN INFINITY major minor offsetof size_t time_t FILE printf malloc free memcpy abs round trunc rand srand clock signal raise fork_ select wait_ \
y0 y1 yn j0 j1 gamma div remove eval eval_step trace contextp rootp vlSymsp threads Syms Vtop TOP top Top Verilated VlWide VL_IN8 CData IData vl_time_stamp64 \
sc_time_stamp typeof __asm__ restrict_ _Bool _Complex on off yes no On Off Yes No y n null_ dut vectors word got expected cycle differ fail file tb wrap block \
in_q si so fold0 bench string_ tuple pair any optional variant span function_ mutex future promise async chrono regex complex_ limits numeric memory move swap \
sc_module sc_core sc_main sc_logic LUT4 TRELLIS_FF CCU2C DP16KD MULT18X18D FDRE BUFG IBUF OBUF CARRY4 RAMB36E2 DSP48E2 VCC GND _ __ a__b Z X z x h o b";

/// The small Verilog of a block whose top is called `zz_name`, to be called otherwise.
struct Package {
    dir: String,
    /// Modules below the top, as one text.
    parts: String,
    /// Top, test bench and frame.
    named: [(&'static str, String); 3],
}

impl Package {
    fn new(folder: &Folder) -> Self {
        let dir = folder.path("export");
        let ran = xtq(&["-q", "export", &dir, "--top", "fifo", "--name", "zz_name"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let read = |name: &str| fs::read_to_string(format!("{dir}/{name}")).unwrap();
        let list = read("files.f");
        let parts = list
            .lines()
            .filter(|line| line.ends_with(".v") && !line.starts_with("//"));
        let parts = parts
            .filter(|line| *line != "zz_name.v")
            .map(read)
            .collect();
        let named = [
            ("", read("zz_name.v")),
            ("tb_", read("sim/tb_zz_name.v")),
            ("wrap_", read("pnr/wrap_zz_name.v")),
        ];
        Self {
            dir: folder.path(""),
            parts,
            named,
        }
    }

    /// Whether the text of the top has the word: the writer then gives another to what is inside, which an exchange of
    /// words does not.
    fn has(&self, word: &str) -> bool {
        let mut words = (self.named[0]
            .1
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .chain(
            self.parts
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_'),
        );
        words.any(|own| own == word)
    }

    /// Writes all under these names; the files.
    fn write(&self, words: &[&str]) -> Vec<String> {
        let dir = &self.dir;
        let mut files = vec!["zz_parts.v".to_owned()];
        fs::write(format!("{dir}/zz_parts.v"), &self.parts).unwrap();
        for word in words {
            for (before, text) in &self.named {
                let file = format!("{before}{word}.v");
                fs::write(format!("{dir}/{file}"), text.replace("zz_name", word)).unwrap();
                files.push(file);
            }
        }
        files
    }

    /// What a tool prints if it does not take the files.
    fn refused(&self, tool: &str, arguments: &[&str], files: &[String]) -> Option<String> {
        let mut command = Command::new(tool);
        command.args(arguments).args(files);
        let output = command.current_dir(&self.dir).output();
        let output =
            output.unwrap_or_else(|error| panic!("{tool}: {error}; ./test.sh installs it"));
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        // Newer ones end with a report of what they did.
        let wrong = !output.status.success() || text.contains("%Warning");
        wrong.then_some(text)
    }
}

const ICARUS: [&str; 3] = ["-g2005", "-o", "names.vvp"];
/// All test benches in one call: many tops, and files that are not called like their modules.
const VERILATOR: [&str; 8] = [
    "--lint-only",
    "--timing",
    "-Wall",
    "-Wno-MULTITOP",
    "-Wno-DECLFILENAME",
    "-Wno-STMTDLY",
    "-Wno-WIDTH",
    "-Wno-UNUSED",
];

/// The second Verilator.
fn second_verilator() -> String {
    let output = Command::new(root().join("fpga/verilator/provide"))
        .arg("pinned")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    format!("{}/verilator", text.trim_end())
}

// verilator/verilator#3206, B-Lang-org/bsc#998, MikePopoloski/slang#1574, ghdl/ghdl#2093
#[test]
fn every_tool_takes_the_names_that_are_not_refused() {
    let folder = Folder::new("export-names");
    let package = Package::new(&folder);
    let mut words: Vec<&str> = CANDIDATES.split_ascii_whitespace().collect();
    words.sort_unstable();
    words.dedup();
    words.retain(|word| is_identifier(word) && !package.has(word));
    assert!(words.len() > 250, "{}", words.len());
    let files = package.write(&words);
    let second = second_verilator();
    for (tool, arguments) in [
        ("iverilog", &ICARUS[..]),
        ("verilator", &VERILATOR),
        (&second, &VERILATOR),
    ] {
        let refused = package.refused(tool, arguments, &files);
        assert_eq!(refused, None, "{tool}");
    }
    let synthesis: Vec<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|file| !file.starts_with("tb_"))
        .collect();
    let script = format!(
        "read_verilog {}; hierarchy -check; proc",
        synthesis.join(" ")
    );
    assert_eq!(package.refused("yosys", &["-q", "-p", &script], &[]), None);
}

#[test]
fn names_that_a_tool_has_taken_are_refused_by_it_and_by_the_export() {
    let folder = Folder::new("export-taken");
    let package = Package::new(&folder);
    let second = second_verilator();
    for (word, tool, arguments) in [
        ("std", second.as_str(), &VERILATOR[..]),
        ("randomize", &second, &VERILATOR),
        ("TOP", &second, &VERILATOR),
        ("wone", "iverilog", &ICARUS),
        ("wreal", "iverilog", &ICARUS),
    ] {
        let files = package.write(&[word]);
        assert!(
            package.refused(tool, arguments, &files).is_some(),
            "{word} is taken by {tool} by now"
        );
        let dir = folder.path("refused");
        let ran = xtq(&["export", &dir, "--top", "fifo", "--name", word]);
        assert_eq!(ran.code, 2, "{word}");
        assert!(ran.stderr.contains("a module is called"), "{}", ran.stderr);
        assert!(!fs::exists(&dir).unwrap(), "{word}");
    }
}

// verilator/verilator#3206
#[test]
fn the_longest_names_are_taken_by_every_tool_and_longer_ones_refused() {
    let folder = Folder::new("export-long");
    let package = Package::new(&folder);
    let second = second_verilator();
    for (letters, most) in [("a", 122), ("_", 40), ("a__", 53)] {
        let long = |count: usize| letters.chars().cycle().take(count).collect::<String>();
        let word = long(most);
        assert!(is_identifier(&word), "{word}");
        let files = package.write(&[&word]);
        // In the order of `write`: what the top has below it, the top, and who is above.
        let (top, above) = (&files[..2], &files[2..]);
        for above in above {
            let module = above.trim_end_matches(".v");
            let files = [top, std::slice::from_ref(above)].concat();
            let verilator = [&VERILATOR[..], &["--top-module", module]].concat();
            let verilator: Vec<_> = (verilator.iter().copied())
                .filter(|option| *option != "-Wno-MULTITOP")
                .collect();
            let script = format!("read_verilog {}; hierarchy -top {module}", files.join(" "));
            for (tool, arguments) in [
                ("iverilog", &[&ICARUS[..], &["-s", module]].concat()),
                ("verilator", &verilator),
                (&second, &verilator),
            ] {
                let refused = package.refused(tool, arguments, &files);
                assert_eq!(refused, None, "{tool}: {above}");
            }
            if module.starts_with("wrap_") {
                let refused = package.refused("yosys", &["-q", "-p", &script], &[]);
                assert_eq!(refused, None, "{above}");
            }
        }
        for more in [1, 6, 128] {
            let dir = folder.path("refused");
            let longer = long(most + more);
            let ran = xtq(&["export", &dir, "--top", "fifo", "--name", &longer]);
            assert_eq!(ran.code, 2, "{longer}");
            assert!(ran.stderr.contains("at most 122"), "{}", ran.stderr);
            assert!(!fs::exists(&dir).unwrap(), "{longer}");
        }
    }
}

/// FuseSoC reads the core as YAML, to which these are no names.
#[test]
fn words_of_yaml_are_quoted_in_the_core() {
    let folder = Folder::new("export-yaml");
    for word in ["on", "off", "yes", "No"] {
        let dir = folder.path(word);
        let ran = xtq(&["-q", "export", &dir, "--top", "fifo", "--name", word]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let core = fs::read_to_string(format!("{dir}/{word}.core")).unwrap();
        let tops = core.lines().filter(|line| line.contains("toplevel:"));
        assert!(tops.clone().count() > 5, "{core}");
        // `tb_on` is no word of YAML.
        tops.for_each(|line| assert!(!line.ends_with(&format!(": {word}")), "{line}"));
    }
}
