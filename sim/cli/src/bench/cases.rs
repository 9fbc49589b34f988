//! The rows of the benchmark: which traffic, how many NICs, on what.

use super::engines::{self, Play, Sample};
use super::report::Row;
use super::traffic::{SATURATED, Traffic};
use super::verilator::{self, Model, Tool};
use super::{BenchError, write_file};
use indicatif::ProgressBar;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xtq_engine::blocks;
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Body, EngineKind, Error, Tape, elaborate};
use xtq_testbench::node::Top;

/// Cycles that the slow engines play.
const ORACLE_CYCLES: usize = 300;
const INTERP_CYCLES: usize = 2_000;

/// The tops that Verilator builds, each in a folder of its name.
pub const TOPS: [Top; 2] = [Top::Target, Top::Nic];
/// The waveforms that are written, and what their rows say.
pub const WAVES: [(&str, &str); 2] = [("wave.vcd", "VCD"), ("wave.fst", "FST")];

/// What runs a row.
enum Runner {
    Oracle(Top),
    Compiled {
        body: Arc<Body>,
        sleep: bool,
        wave: Option<(PathBuf, Option<&'static str>)>,
    },
    Verilator {
        model: Arc<Model>,
        tape: PathBuf,
    },
}

/// A row, and how to measure it.
pub struct Case<'a> {
    /// What is known of it.
    pub row: Row,
    tape: &'a Tape,
    runner: Runner,
}

fn row(traffic: &'static str, instances: usize, engine: &str, variant: &str, cycles: usize) -> Row {
    Row {
        traffic,
        instances,
        engine: engine.into(),
        variant: variant.into(),
        cycles,
        rates: Vec::new(),
        walls: Vec::new(),
        slept: 0.0,
        build: 0.0,
        warm: None,
        digest: String::new(),
    }
}

/// File and format of a waveform, and the block it shows if not all.
type Shown = ((&'static str, &'static str), Option<&'static str>);

/// A block to look at: the one that publishes packets.
const WATCHED: &str = "pipeline.header";

/// How many NICs play it.
fn instances(traffic: &Traffic) -> &'static [usize] {
    match (traffic.top, traffic.is_idle) {
        (Top::Target, _) => &[1, 16, 64],
        (_, true) => &[1, 16],
        (_, false) => &[1],
    }
}

/// Cycles to play to so many instances: of saturated traffic fewer to many, but enough that setting up is a small part.
fn shortened(traffic: &Traffic, instances: usize) -> usize {
    match traffic.is_idle {
        true => traffic.tape.cycles(),
        false => traffic.tape.cycles() / instances.min(4),
    }
}

/// The rows of our engines; waveforms go into the folder `waves`. Errors: of the compiler.
pub fn ours<'a>(traffic: &'a [Traffic], waves: &Path) -> Result<Vec<Case<'a>>, BenchError> {
    let mut cases = Vec::new();
    for traffic in traffic.iter().filter(|traffic| traffic.name == SATURATED) {
        let cycles = ORACLE_CYCLES.min(traffic.tape.cycles());
        cases.push(Case {
            row: row(traffic.name, 1, "oracle", "", cycles),
            tape: &traffic.tape,
            runner: Runner::Oracle(traffic.top),
        });
    }
    for top in [Top::Target, Top::Nic] {
        for kind in [EngineKind::Interp, EngineKind::Jit, EngineKind::Aot] {
            if engines::runs(top, kind)
                && let Some((build, body)) = engines::build(top, kind)?
            {
                let traffic: Vec<&Traffic> = traffic.iter().filter(|t| t.top == top).collect();
                let busy = traffic.iter().find(|traffic| !traffic.is_idle);
                let (body, warm) = match busy {
                    Some(traffic) if kind == EngineKind::Jit => {
                        let (body, seconds) = engines::warm(body, &traffic.tape)?;
                        (body, Some(seconds))
                    }
                    _ => (body, None),
                };
                cases.extend(of_engine(&traffic, kind, (build, warm), &body, waves));
            }
        }
    }
    Ok(cases)
}

/// The rows of an engine, all on one body.
fn of_engine<'a>(
    traffic: &[&'a Traffic],
    kind: EngineKind,
    (build, warm): (f64, Option<f64>),
    body: &Arc<Body>,
    waves: &Path,
) -> Vec<Case<'a>> {
    let mut cases = Vec::new();
    let mut add = |traffic: &'a Traffic, instances: usize, sleep: bool, wave: Option<Shown>| {
        let most = match kind {
            EngineKind::Interp => INTERP_CYCLES,
            _ => traffic.tape.cycles(),
        };
        let variant = match (sleep, wave) {
            (false, _) => "no sleep".into(),
            (true, None) => String::new(),
            (true, Some(((_, format), None))) => format.into(),
            (true, Some(((_, format), Some(scope)))) => format!("{format} of {scope}"),
        };
        let cycles = shortened(traffic, instances).min(most);
        let mut row = row(traffic.name, instances, kind.name(), &variant, cycles);
        (row.build, row.warm) = (build, warm);
        let wave = wave.map(|((file, _), scope)| (waves.join(file), scope));
        let runner = Runner::Compiled {
            body: body.clone(),
            sleep,
            wave,
        };
        cases.push(Case {
            row,
            tape: &traffic.tape,
            runner,
        });
    };
    for &traffic in traffic {
        let many = instances(traffic);
        if !traffic.is_idle {
            add(traffic, 1, true, None);
        }
        if kind == EngineKind::Interp {
            continue;
        }
        for instances in many {
            match traffic.is_idle {
                true => {
                    add(traffic, *instances, true, None);
                    add(traffic, *instances, false, None);
                }
                false if *instances > 1 => add(traffic, *instances, true, None),
                false => {}
            }
        }
        if kind == EngineKind::Jit && traffic.name == SATURATED {
            add(traffic, 1, false, None);
            for scope in [None, Some(WATCHED)] {
                WAVES
                    .iter()
                    .for_each(|file| add(traffic, 1, true, Some((*file, scope))));
            }
        }
    }
    cases
}

/// The rows of a Verilator, built in `folder`. Errors: a tool is missing or fails; a file cannot be written.
pub fn theirs<'a>(
    tool: &Tool,
    traffic: &'a [Traffic],
    folder: &Path,
    bar: &ProgressBar,
) -> Result<Vec<Case<'a>>, BenchError> {
    let mut cases = Vec::new();
    for top in TOPS {
        let traffic: Vec<&Traffic> = traffic.iter().filter(|t| t.top == top).collect();
        let Some(first) = traffic.first() else {
            continue;
        };
        let folder = folder.join(top.block());
        let files = verilog(top, &folder)?;
        for (number, compiler) in verilator::OPTIONS.iter().enumerate() {
            let block = top.block();
            bar.set_message(format!("building {block} with {}, {compiler}", tool.engine));
            let model = verilator::build(tool, &folder, block, &files, &first.tape, number)?;
            let model = Arc::new(model);
            for traffic in &traffic {
                let path = folder.join(format!("{}.tape", traffic.name.replace([' ', ','], "_")));
                write_file(&path, &traffic.tape.bytes())?;
                for instances in instances(traffic) {
                    let cycles = shortened(traffic, *instances);
                    let mut row = row(traffic.name, *instances, tool.engine, compiler, cycles);
                    row.build = model.build;
                    let runner = Runner::Verilator {
                        model: model.clone(),
                        tape: path.clone(),
                    };
                    cases.push(Case {
                        row,
                        tape: &traffic.tape,
                        runner,
                    });
                }
            }
        }
    }
    Ok(cases)
}

/// Writes the Verilog of the block into a new folder; the names of the files. Errors: they cannot be written.
fn verilog(top: Top, folder: &Path) -> Result<Vec<String>, BenchError> {
    // Not its parents: a signal may have removed them.
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(BenchError::file(folder, error));
        }
        _ => {}
    }
    let design = blocks::design(top.block())?;
    let design = elaborate::elaborate(design.as_ref()).map_err(Error::Findings)?;
    let options = Options {
        top: Some(top.block()),
        ..Options::default()
    };
    let mut files = Vec::new();
    for module in write(&design, &options) {
        let name = format!("{}.v", module.name);
        write_file(&folder.join(&name), module.text.as_bytes())?;
        files.push(name);
    }
    Ok(files)
}

/// Digest of the JIT for each tape and number of cycles that a case plays: what every row is compared with.
pub struct Reference(Vec<(&'static str, usize, String)>);

impl Reference {
    /// Plays what the cases play, to one instance. Errors: of the engine.
    pub fn new(cases: &[Case], traffic: &[Traffic]) -> Result<Self, BenchError> {
        let mut known: Vec<(&'static str, usize, String)> = Vec::new();
        for top in [Top::Target, Top::Nic] {
            let Some((_, body)) = engines::build(top, EngineKind::Jit)? else {
                return Err(BenchError::new("the reference", "there is no JIT"));
            };
            let of_top = |name| traffic.iter().any(|t| (t.name, t.top) == (name, top));
            for Case { row, tape, .. } in cases.iter().filter(|case| of_top(case.row.traffic)) {
                let same = |(traffic, cycles, _): &(&str, usize, String)| {
                    (*traffic, *cycles) == (row.traffic, row.cycles)
                };
                if known.iter().any(same) {
                    continue;
                }
                let play = Play {
                    cycles: row.cycles,
                    instances: 1,
                    sleep: false,
                    wave: None,
                };
                let sample = engines::compiled(&body, tape, play)?;
                known.push((row.traffic, row.cycles, format!("{:016x}", sample.digest)));
            }
        }
        Ok(Self(known))
    }

    /// Whether this row's outputs are the JIT's.
    pub fn agrees(&self, row: &Row) -> bool {
        let mut known = self.0.iter();
        known.any(|(traffic, cycles, digest)| {
            (*traffic, *cycles, digest) == (row.traffic, row.cycles, &row.digest)
        })
    }
}

impl Case<'_> {
    /// Measures once. Errors: of the engine, of the model.
    pub fn sample(&self) -> Result<Sample, BenchError> {
        let Row {
            cycles, instances, ..
        } = self.row;
        match &self.runner {
            Runner::Oracle(top) => engines::reference(*top, self.tape, cycles),
            Runner::Compiled { body, sleep, wave } => {
                let play = Play {
                    cycles,
                    instances,
                    sleep: *sleep,
                    wave: wave.as_ref().map(|(path, scope)| (&**path, *scope)),
                };
                engines::compiled(body, self.tape, play)
            }
            Runner::Verilator { model, tape } => model.play(tape, cycles, instances),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::traffic::IDLE;
    use super::*;

    #[test]
    fn a_row_with_another_digest_tape_or_length_does_not_agree() {
        let reference = Reference(vec![(SATURATED, 10, "ab".into())]);
        let row = |traffic, cycles, digest: &str| Row {
            digest: digest.into(),
            ..row(traffic, 1, "aot", "", cycles)
        };
        assert!(reference.agrees(&row(SATURATED, 10, "ab")));
        assert!(!reference.agrees(&row(SATURATED, 10, "ac")));
        assert!(!reference.agrees(&row(SATURATED, 11, "ab")));
        assert!(!reference.agrees(&row(IDLE, 10, "ab")));
    }
}
