//! The tape on Verilator: our export, a main program in C++ that does what [`xtq_engine::Player`] does.

use super::engines::Sample;
use super::{BenchError, built, write_file};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use xtq_engine::{Direction, Tape};

/// A Verilator that is installed.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its program.
    pub program: PathBuf,
    /// What its rows name as engine.
    pub engine: &'static str,
}

/// A simulator that Verilator built.
#[derive(Debug)]
pub struct Model {
    program: PathBuf,
    /// Seconds on the wall to build it.
    pub build: f64,
}

/// Options for the C++ compiler, of which the fastest counts.
pub const OPTIONS: [&str; 2] = ["-O3 -march=native", "-O2"];

/// Verilator's own options.
const VERILATOR: [&str; 10] = [
    "--cc",
    "--exe",
    "-O3",
    "--threads",
    "1",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
];

/// Arguments of make: the options must stand in its own variables, for it puts them after those of `-CFLAGS`, and of
/// several `-O` the last one counts.
fn make_arguments(objects: &str, compiler: &str) -> Vec<String> {
    let variables = ["OPT_FAST", "OPT_SLOW", "OPT_GLOBAL"];
    // All of it: a make that was ended may have left half of an object file, newer than its source.
    let start = ["-B", "-C", objects, "-f", "Vtop.mk"].map(str::to_owned);
    let settings = variables.map(|variable| format!("{variable}={compiler}"));
    // Most of a benchmark's time goes here.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let start = start.into_iter().chain([format!("-j{cores}")]);
    start.chain(settings).collect()
}

/// The rows of the Verilator that is the ruler, the one of the system.
pub const RULER: &str = "verilator";
/// The rows of another one, which stands beside it.
pub const NEWER: &str = "newer verilator";

/// Version of this Verilator. Errors: it is not there, or fails.
pub fn version(tool: &Tool) -> Result<String, BenchError> {
    let output = run(Command::new(&tool.program).arg("--version"))?;
    Ok(output.trim().to_owned())
}

/// Builds the Verilog files in `folder`, whose top is `top`, with the options of this `number`; or finds what an
/// earlier run has built there from the same. Errors: a tool is missing or fails.
pub fn build(
    tool: &Tool,
    folder: &Path,
    top: &str,
    files: &[String],
    tape: &Tape,
    number: usize,
) -> Result<Model, BenchError> {
    write_file(&folder.join("main.cpp"), program(top, tape).as_bytes())?;
    let objects = format!("{}_{number}", tool.engine.replace(' ', "_"));
    let place = folder.join(&objects);
    let program = place.join("Vtop");
    let (version, name) = (version(tool)?, tool.program.to_string_lossy());
    let words = [
        &*version,
        &*name,
        top,
        OPTIONS[number],
        &VERILATOR.join(" "),
    ];
    let sources: Vec<String> = files.iter().cloned().chain(["main.cpp".into()]).collect();
    let made_from = built::made_from(&words, folder, &sources)?;
    if let Some(build) = built::found(&place, &program, made_from) {
        return Ok(Model { program, build });
    }
    built::forget(&place)?;
    let start = Instant::now();
    run(Command::new(&tool.program)
        .args(VERILATOR)
        .args(["-Wno-fatal", "--prefix", "Vtop"])
        .args(["--top-module", top, "--Mdir", &objects])
        .args(&sources)
        .current_dir(folder))?;
    run(Command::new("make")
        .args(make_arguments(&objects, OPTIONS[number]))
        .current_dir(folder))?;
    let build = start.elapsed().as_secs_f64();
    built::note(&place, made_from, build)?;
    Ok(Model { program, build })
}

impl Model {
    /// Plays `cycles` of the tape in the file to so many instances. Errors: it does not end well.
    pub fn play(&self, tape: &Path, cycles: usize, instances: usize) -> Result<Sample, BenchError> {
        let output = run(Command::new(&self.program)
            .arg(tape)
            .args([cycles.to_string(), instances.to_string()]))?;
        let mut words = output.split_whitespace();
        let mut seconds = || words.next().and_then(|word| word.parse::<f64>().ok());
        let (seconds, wall) = (seconds(), seconds());
        let digest = words
            .next()
            .and_then(|word| u64::from_str_radix(word, 16).ok());
        match (seconds, wall, digest) {
            (Some(seconds), Some(wall), Some(digest)) => Ok(Sample {
                rate: (cycles * instances) as f64 / seconds,
                wall: Some((cycles * instances) as f64 / wall),
                digest,
                slept: 0.0,
            }),
            _ => Err(BenchError::new("the model printed", output)),
        }
    }
}

fn run(command: &mut Command) -> Result<String, BenchError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|source| BenchError::NoTool {
        tool: name.clone(),
        source,
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(BenchError::new(
            &name,
            String::from_utf8_lossy(&output.stderr),
        )),
    }
}

/// The main program: arguments are the tape's file, cycles, instances; prints seconds of processor time and on the
/// wall, and the digest of all instances.
fn program(top: &str, tape: &Tape) -> String {
    let (mut set, mut get, mut word, mut out) = (String::new(), String::new(), 0, 0);
    for port in tape.ports() {
        let (name, words, halves) = (&port.name, port.width.div_ceil(64), port.width.div_ceil(32));
        // A string takes everything.
        let _ = match (port.direction, port.width > 64) {
            (Direction::In, false) => writeln!(set, "    top.{name} = in[{word}];"),
            (Direction::In, true) => {
                writeln!(set, "    memcpy(&top.{name}, in + {word}, {});", halves * 4)
            }
            (Direction::Out, false) => writeln!(get, "    out[{out}] = top.{name};"),
            (Direction::Out, true) => (0..words).try_for_each(|i| {
                let high = match 2 * i + 1 < halves {
                    true => format!(" | uint64_t(top.{name}[{}]) << 32", 2 * i + 1),
                    false => String::new(),
                };
                let low = format!("uint64_t(top.{name}[{}])", 2 * i);
                writeln!(get, "    out[{}] = {low}{high};", out + i)
            }),
        };
        match port.direction {
            Direction::In => word += words,
            Direction::Out => out += words,
        }
    }
    include_str!("verilator_main.cpp")
        .replace("@TOP@", top)
        .replace("@WORDS@", &word.to_string())
        .replace("@OUT_WORDS@", &out.to_string())
        .replace("@SET@", set.trim_end())
        .replace("@GET@", get.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, RULER, Tool, VERILATOR, build, make_arguments, run};
    use std::process::Command;
    use xtq_engine::blocks;
    use xtq_engine::elaborate::elaborate;
    use xtq_engine::stimulus::Stimulus;
    use xtq_engine::verilog::{Options, write};
    use xtq_engine::{EngineKind, Tape, build_place};

    #[test]
    fn the_options_of_the_compiler_are_the_last_ones_it_gets() {
        let folder = tempfile::tempdir_in(build_place().unwrap()).unwrap();
        let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        file(
            "top.v",
            "module top(input wire a, output wire b);\nassign b = a;\nendmodule\n",
        );
        file("main.cpp", "int main() {}\n");
        run(Command::new("verilator")
            .args(VERILATOR)
            .args(["--prefix", "Vtop", "--Mdir", "model", "top.v", "main.cpp"])
            .current_dir(folder.path()))
        .unwrap();
        for compiler in OPTIONS {
            let commands = run(Command::new("make")
                .args(make_arguments("model", compiler))
                .arg("-n")
                .current_dir(folder.path()))
            .unwrap();
            let compiles = commands.lines().filter(|line| line.contains(" -c "));
            let levels: Vec<_> = compiles
                .map(|line| line.split(' ').rfind(|word| word.starts_with("-O")))
                .collect();
            assert!(levels.len() > 1, "{commands}");
            let wanted = compiler.split(' ').next();
            assert!(levels.iter().all(|level| *level == wanted), "{levels:?}");
        }
    }

    #[test]
    fn the_program_plays_a_tape_as_the_engines_do_and_sees_one_changed_input() {
        let folder = tempfile::tempdir_in(build_place().unwrap()).unwrap();
        let block = "fifo";
        let mut engine = blocks::engine(block, EngineKind::Jit).unwrap();
        let mut stimulus = Stimulus::new(engine.ports(), 3);
        let mut tape = Tape::new(engine.as_ref());
        for _ in 0..500 {
            for (name, _, words) in stimulus.values() {
                let port = engine.port(name).unwrap();
                engine.set(port, words).unwrap();
            }
            tape.record(engine.as_ref());
            stimulus.advance();
        }
        let design = elaborate(blocks::design(block).unwrap().as_ref()).unwrap();
        let mut files = Vec::new();
        for file in write(
            &design,
            &Options {
                top: Some(block),
                ..Options::default()
            },
        ) {
            let name = format!("{}.v", file.name);
            std::fs::write(folder.path().join(&name), file.text).unwrap();
            files.push(name);
        }
        let tool = Tool {
            program: "verilator".into(),
            engine: RULER,
        };
        let model = build(&tool, folder.path(), block, &files, &tape, 0).unwrap();
        let again = build(&tool, folder.path(), block, &files, &tape, 0).unwrap();
        assert_eq!(again.build, model.build, "built a second time");
        let mut engine = blocks::engine(block, EngineKind::Jit).unwrap();
        engine.reset(2).unwrap();
        let mut player = tape.player(engine.as_ref()).unwrap();
        let mut digest = 0;
        for cycle in 0..tape.cycles() {
            digest = player.cycle(engine.as_mut(), cycle, digest).unwrap();
        }
        let file = folder.path().join("a.tape");
        let mut bytes = tape.bytes();
        let play = |bytes: &[u8], instances| {
            std::fs::write(&file, bytes).unwrap();
            model.play(&file, tape.cycles(), instances).unwrap().digest
        };
        assert_eq!(play(&bytes, 1), digest);
        assert_eq!(play(&bytes, 3), digest);
        // The lowest bit of the first input in the middle.
        let middle = bytes.len() / tape.cycles() * (tape.cycles() / 2);
        bytes[middle] ^= 1;
        assert_ne!(play(&bytes, 1), digest);
    }
}
