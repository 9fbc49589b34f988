//! The rows of the benchmark: which traffic, how many NICs, on what.

use super::BenchError;
use super::engines::{self, Play, Sample, TOP};
use super::report::Row;
use super::verilator::{self, Model};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xtq_engine::verilog::{Options, write};
use xtq_engine::{Body, EngineKind, Error, Tape, elaborate};
use xtq_testbench::blocks;

/// Cycles that the slow engines play.
const ORACLE_CYCLES: usize = 300;
const INTERP_CYCLES: usize = 2_000;

/// What runs a row.
enum Runner {
    Oracle,
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
        slept: 0.0,
        build: 0.0,
        digest: String::new(),
    }
}

/// Format of a waveform, and the block it shows if not all.
type Shown = (&'static str, Option<&'static str>);

/// A block to look at: the one that publishes packets.
const WATCHED: &str = "pipeline.header";

/// Name of a tape.
pub const SATURATED: &str = "saturated";
/// Name of a tape.
pub const IDLE: &str = "nearly idle";

/// Cycles to play to so many instances: of saturated traffic fewer to many, but enough that setting up is a small part.
fn shortened(tape: &Tape, traffic: &str, instances: usize) -> usize {
    match traffic {
        SATURATED => tape.cycles() / instances.min(4),
        _ => tape.cycles(),
    }
}

/// The rows of our engines. Errors: of the compiler.
pub fn ours<'a>(
    saturated: &'a Tape,
    idle: &'a Tape,
    folder: &Path,
) -> Result<Vec<Case<'a>>, BenchError> {
    let mut cases = vec![Case {
        row: row(
            SATURATED,
            1,
            "oracle",
            "",
            ORACLE_CYCLES.min(saturated.cycles()),
        ),
        tape: saturated,
        runner: Runner::Oracle,
    }];
    for kind in [EngineKind::Interp, EngineKind::Jit, EngineKind::Aot] {
        let Some((build, body)) = engines::build(kind)? else {
            continue;
        };
        let mut add = |traffic, instances: usize, sleep: bool, wave: Option<Shown>| {
            let tape = if traffic == IDLE { idle } else { saturated };
            let most = if kind == EngineKind::Interp {
                INTERP_CYCLES
            } else {
                tape.cycles()
            };
            let variant = match (sleep, wave) {
                (false, _) => "no sleep".into(),
                (true, None) => String::new(),
                (true, Some((format, None))) => format.into(),
                (true, Some((format, Some(scope)))) => format!("{format} of {scope}"),
            };
            let cycles = shortened(tape, traffic, instances).min(most);
            let mut row = row(traffic, instances, kind.name(), &variant, cycles);
            row.build = build;
            let file = |format: &str| folder.join(format!("wave.{}", format.to_lowercase()));
            let wave = wave.map(|(format, scope)| (file(format), scope));
            let runner = Runner::Compiled {
                body: body.clone(),
                sleep,
                wave,
            };
            cases.push(Case { row, tape, runner });
        };
        add(SATURATED, 1, true, None);
        if kind == EngineKind::Interp {
            continue;
        }
        for instances in [16, 64] {
            add(SATURATED, instances, true, None);
        }
        for instances in [1, 16, 64] {
            add(IDLE, instances, true, None);
            add(IDLE, instances, false, None);
        }
        if kind == EngineKind::Jit {
            add(SATURATED, 1, false, None);
            for scope in [None, Some(WATCHED)] {
                add(SATURATED, 1, true, Some(("VCD", scope)));
                add(SATURATED, 1, true, Some(("FST", scope)));
            }
        }
    }
    Ok(cases)
}

/// The rows of Verilator, built in `folder`. Errors: a tool is missing or fails; a file cannot be written.
pub fn theirs<'a>(
    saturated: &'a Tape,
    idle: &'a Tape,
    folder: &Path,
    bar: &ProgressBar,
) -> Result<Vec<Case<'a>>, BenchError> {
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let written = std::fs::write(&path, bytes);
        written.map_err(|error| BenchError::new(&path.display().to_string(), error))?;
        Ok::<_, BenchError>(path)
    };
    let design = elaborate::elaborate(blocks::design(TOP)?.as_ref()).map_err(Error::Findings)?;
    let options = Options {
        catalogue: None,
        top: Some(TOP),
    };
    let mut files = Vec::new();
    for module in write(&design, &options) {
        let name = format!("{}.v", module.name);
        file(&name, module.text.as_bytes())?;
        files.push(name);
    }
    let tapes = [
        (
            SATURATED,
            saturated,
            file("saturated.tape", &saturated.bytes())?,
        ),
        (IDLE, idle, file("idle.tape", &idle.bytes())?),
    ];
    let mut cases = Vec::new();
    for (number, compiler) in verilator::OPTIONS.iter().enumerate() {
        bar.set_message(format!("building with Verilator, {compiler}"));
        let model = Arc::new(verilator::build(folder, TOP, &files, saturated, number)?);
        for (traffic, tape, path) in &tapes {
            for instances in [1, 16, 64] {
                let mut row = row(
                    traffic,
                    instances,
                    "verilator",
                    compiler,
                    shortened(tape, traffic, instances),
                );
                row.build = model.build;
                let runner = Runner::Verilator {
                    model: model.clone(),
                    tape: path.clone(),
                };
                cases.push(Case { row, tape, runner });
            }
        }
    }
    Ok(cases)
}

/// Digest of the JIT for each tape and number of cycles that a case plays: what every row is compared with.
pub struct Reference(Vec<(&'static str, usize, String)>);

impl Reference {
    /// Plays what the cases play, to one instance. Errors: of the engine.
    pub fn new(cases: &[Case]) -> Result<Self, BenchError> {
        let Some((_, body)) = engines::build(EngineKind::Jit)? else {
            return Err(BenchError::new("the reference", "there is no JIT"));
        };
        let mut known: Vec<(&'static str, usize, String)> = Vec::new();
        for Case { row, tape, .. } in cases {
            if known
                .iter()
                .any(|(traffic, cycles, _)| (*traffic, *cycles) == (row.traffic, row.cycles))
            {
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
            Runner::Oracle => engines::reference(self.tape, cycles),
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
