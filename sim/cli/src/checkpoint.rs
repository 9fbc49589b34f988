//! Checkpoints of a run of several nodes: the files, and the run that goes on from one.

use crate::error::CliError;
use crate::files::Files;
use crate::output::write_file;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xtq_testbench::scenario::NodesRun;
use xtq_testbench::scenario::nodes::{Checkpoint, CheckpointError, Head, Keep, MARK};

/// Cycles between two checkpoints if nobody says how many.
const EVERY: u64 = 100_000;

/// How the state of several nodes is kept, and where it comes from
#[derive(clap::Args, Default)]
pub struct CheckpointArgs {
    /// Several nodes: keep the state in this file, each time instead of the last one: now and then, at the last cycle
    /// that --max-cycles allows, and when a signal ends the run
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Cycles between two checkpoints [default: 100000]
    #[arg(long, requires = "checkpoint", value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Several nodes: go on from the checkpoint in this file, of the same scenario and the same program
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

impl CheckpointArgs {
    /// The files among the others of the command line.
    pub fn declare(&self, files: Files) -> Files {
        files
            .writes("--checkpoint", &self.checkpoint)
            .reads("--resume", &self.resume)
    }

    /// What was asked for, by name.
    pub fn given(&self) -> [(&'static str, bool); 2] {
        [
            ("--checkpoint", self.checkpoint.is_some()),
            ("--resume", self.resume.is_some()),
        ]
    }

    /// Lets a run go on from a checkpoint and keep its own. Errors: the file is no checkpoint of this scenario; the
    /// engine cannot.
    pub fn apply(&self, run: &mut NodesRun) -> Result<Kept, CliError> {
        if let Some(file) = &self.resume {
            let checkpoint = read(file)?;
            let resumed = run.resume(&checkpoint);
            resumed.map_err(|error| refused("--resume", file, &error))?;
        }
        let kept = Kept::default();
        if let Some(file) = &self.checkpoint {
            let every = self.checkpoint_every.unwrap_or(EVERY);
            let keeper = kept.keeper(file.clone());
            let keeps = run.keep_checkpoints(every, keeper);
            keeps.map_err(|error| refused("--checkpoint", file, &error))?;
        }
        Ok(kept)
    }
}

/// The last checkpoint, or why there is none.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<LastKept>>>);

/// Where the last checkpoint is, and of what; or why it could not be written.
type LastKept = Result<(PathBuf, Head), CliError>;

impl Kept {
    /// Who writes checkpoints into `file`.
    fn keeper(&self, file: PathBuf) -> Keep {
        let last = self.clone();
        Box::new(move |checkpoint| {
            let written = write(&file, checkpoint);
            let told = written.as_ref().map_err(ToString::to_string).copied();
            let head = checkpoint.head().clone();
            let mut place = last.0.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some(written.map(|()| (file.clone(), head)));
            told
        })
    }

    /// What to say when the run was ended before it came to rest. Errors: the last checkpoint was not written.
    pub fn told(&self) -> Result<Option<String>, CliError> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = place.take().transpose()?;
        Ok(last.map(|(file, head)| {
            let file = file.display();
            format!(
                "the state at cycle {} is in {file}: --resume {file} goes on from there\n",
                head.cycle
            )
        }))
    }
}

fn write(file: &Path, checkpoint: &Checkpoint) -> Result<(), CliError> {
    let bytes = checkpoint.to_bytes();
    let bytes = bytes.map_err(|error| refused("--checkpoint", file, &error.into()))?;
    write_file(file, &bytes)
}

/// Reads a checkpoint. Errors: the file cannot be read, or is none.
fn read(file: &Path) -> Result<Checkpoint, CliError> {
    let failed = |source: io::Error| CliError::Read {
        file: file.display().to_string(),
        source,
    };
    let mut open = File::open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    // Something else may be endless.
    let mut begin = open.by_ref().take(MARK.len() as u64);
    begin.read_to_end(&mut bytes).map_err(failed)?;
    if bytes == MARK.as_bytes() {
        open.read_to_end(&mut bytes).map_err(failed)?;
    }
    Checkpoint::of_bytes(&bytes).map_err(|error| refused("--resume", file, &error))
}

fn refused(argument: &str, file: &Path, error: &CheckpointError) -> CliError {
    let help = match error {
        CheckpointError::NoCheckpoint => "--checkpoint writes checkpoints",
        CheckpointError::Format(_) | CheckpointError::Program(_) => {
            "run it to its end with the program that wrote it, or run the scenario again"
        }
        CheckpointError::Scenario { .. } => {
            "give the scenario that the run had; only its title and `max_cycles` may differ"
        }
        CheckpointError::Engine => "the engines jit, interp and aot can",
        CheckpointError::Damaged => "run the scenario again",
    };
    CliError::Usage {
        argument: argument.to_owned(),
        message: format!("{}: {error}", file.display()),
        help: help.to_owned(),
    }
}
