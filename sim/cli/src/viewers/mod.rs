//! Files beside a waveform that set up the viewers GTKWave and Surfer: signals by stage, codes by name, the first
//! message in view.
//!
//! `run.vcd` gets `run.gtkw`, `run.surf.ron`, `run.sucl`, and for each code among the signals
//! `.surfer/mappings/xtq_<code>`, which both viewers read.

mod codes;
mod gtkwave;
mod layout;
mod stages;
mod surfer;
mod surfer_format;
mod surfer_state;

use crate::error::CliError;
use crate::files::Files;
use crate::names;
use crate::output::{Output, write_file};
use crate::paths::{self, DASH};
use layout::{Layout, Part, Variables};
use stages::{L2_BANK, LINK, NIC, Side, Stage};
use std::io::ErrorKind;
use std::path::Path;
use surfer_state::Wave;
use xtq_engine::{WaveFormat, WaveOptions};
use xtq_testbench::scenario::nodes::{MessageRow, NodeState};
use xtq_testbench::scenario::{L2Report, NodesReport, Report, Row};

/// First line of each file. One without it is somebody's own.
const MARK: &str = "written by xtq run, anew each time; save your own view under another name";
/// Extensions of the files beside a waveform.
const GTKWAVE: &str = "gtkw";
const SURFER: &str = "sucl";
const SURFER_STATE: &str = "surf.ron";
/// Where Surfer looks for names of values, in the folder where it is started.
const MAPPINGS: &str = ".surfer/mappings";

/// Names of stations, and their cycles.
type Stations = Vec<(&'static str, u64)>;

/// What is to be seen of a run.
pub struct View {
    /// Parts of the design.
    parts: Vec<Part>,
    /// When the first message was where.
    stations: Stations,
    /// From the first to the last station in the hardware.
    window: Option<(u64, u64)>,
    /// Last cycle of the run.
    last: u64,
    /// Length of a cycle.
    period_ps: u64,
}

impl View {
    /// Of nodes: the sender's stages are open where messages begin, the receiver's where they go.
    pub fn of_nodes(report: &NodesReport, period_ps: u64) -> Self {
        let is_of = |node: &NodeState, process: &str| {
            let mut processes = node.processes.iter();
            processes.any(|own| own.name == process)
        };
        let mut parts = Vec::new();
        for node in &report.nodes {
            let sends = report.messages.iter().any(|row| is_of(node, &row.from));
            let receives = report.messages.iter().any(|row| is_of(node, &row.to));
            let is_open = |stage: &Stage| match stage.side {
                Side::Initiator => sends,
                Side::Target => receives,
                Side::Both => sends || receives,
            };
            parts.push(Part {
                scope: format!("node{}", node.number),
                title: Some(format!("node {} {}", node.number, names::line(&node.name))),
                stages: NIC.iter().map(|stage| (stage, is_open(stage))).collect(),
            });
        }
        parts.extend(report.nodes.iter().map(|node| Part {
            scope: format!("network.link{}", node.number),
            title: Some(format!("network link {}", node.number)),
            stages: LINK.iter().map(|stage| (stage, true)).collect(),
        }));
        let begun = report.messages.iter().filter(|row| row.command.is_some());
        let first = begun.min_by_key(|row| row.command);
        let (nic, gpu) = first.map(stations_of_nodes).unwrap_or_default();
        Self::new(parts, nic, gpu, report.cycles, period_ps)
    }

    /// Of the target side of a NIC.
    pub fn of_target(report: &Report, period_ps: u64) -> Self {
        let stages = NIC.iter().filter(|stage| stage.side != Side::Initiator);
        let begun = report.messages.iter().filter(|row| row.arrived.is_some());
        let first = begun.min_by_key(|row| row.arrived);
        let (nic, gpu) = first.map(stations_of_target).unwrap_or_default();
        Self::new(vec![whole(stages)], nic, gpu, report.cycles, period_ps)
    }

    /// Of a bank of the L2, whose report counts from cycle `start` of the waveform.
    pub fn of_l2(report: &L2Report, start: u64, period_ps: u64) -> Self {
        let begun = report.steps.iter().filter(|row| row.taken.is_some());
        let first = begun.min_by_key(|row| row.taken);
        let at = |cycle: Option<u64>| cycle.map(|cycle| start + cycle);
        let stations =
            first.map(|row| reached([("taken", at(row.taken)), ("answered", at(row.answered))]));
        let parts = vec![whole(L2_BANK.iter())];
        let (stations, last) = (stations.unwrap_or_default(), start + report.cycles);
        Self::new(parts, stations, Vec::new(), last, period_ps)
    }

    fn new(parts: Vec<Part>, hardware: Stations, gpu: Stations, last: u64, period_ps: u64) -> Self {
        let cycles = || hardware.iter().map(|(_, cycle)| *cycle);
        Self {
            window: cycles().min().zip(cycles().max()),
            stations: [hardware, gpu].concat(),
            parts,
            last,
            period_ps,
        }
    }

    /// The cycles to be seen at first: those of the first message, and a bit around them.
    fn shown(&self) -> Option<(u64, u64)> {
        let (first, last) = self.window?;
        let margin = (last - first) / 20 + 2;
        Some((first.saturating_sub(margin), last + margin))
    }

    /// Writes the files beside the waveform of `options`. A signal of the table that is not in it is left out and
    /// named. Errors: a file cannot be written.
    pub fn write(&self, options: &WaveOptions, output: &mut Output) -> Result<(), CliError> {
        let wave = &options.path;
        if !paths::is_regular(wave) {
            return Ok(());
        }
        let shown = wave.display().to_string();
        let shown = names::line(&shown);
        let variables = match Variables::of(wave) {
            Ok(variables) => variables,
            Err(error) => {
                output.text(&format!(
                    "{shown} cannot be read back, so no viewer is set up: {error}\n"
                ));
                return Ok(());
            }
        };
        let layout = Layout::of(&self.parts, &variables, options.scope.as_deref());
        for path in &layout.missing {
            output.text(&format!(
                "{shown} has no signal {path}: left out of the files for viewers\n"
            ));
        }
        let save = wave.with_extension(GTKWAVE);
        let text = gtkwave::save_file(&layout, self, &file_name(&save), &file_name(wave));
        write_own(&save, &text, output)?;
        let text = surfer::command_file(&layout, self);
        write_own(&wave.with_extension(SURFER), &text, output)?;
        self.write_state(&layout, options, output)?;
        let folder = wave.parent().unwrap_or(Path::new(""));
        let mappings = folder.join(MAPPINGS);
        if !layout.codes.is_empty() {
            std::fs::create_dir_all(&mappings).map_err(|source| CliError::Write {
                file: mappings.display().to_string(),
                source,
            })?;
        }
        for code in &layout.codes {
            let file = folder.join(mapping_path(code.module));
            write_own(&file, &surfer::mapping(code), output)?;
        }
        Ok(())
    }

    /// The state file of Surfer. Errors: it cannot be written.
    fn write_state(
        &self,
        layout: &Layout,
        options: &WaveOptions,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let file = options.path.with_extension(SURFER_STATE);
        let wave = Wave {
            name: &file_name(&options.path),
            format: WaveFormat::of(&options.path),
            last: options.to.unwrap_or(self.last).min(self.last),
        };
        let text = surfer_state::state_file(layout, self, &wave);
        let text = text.map_err(|error| CliError::Write {
            file: file.display().to_string(),
            source: std::io::Error::other(error),
        })?;
        write_own(&file, &text, output)
    }
}

/// Declares the files beside a waveform: those for viewers, which are kept if they are somebody's own, and the names of
/// codes. Beside a device or a standard stream there are none.
pub fn declare(wave: &Path, files: Files) -> Files {
    if !paths::is_regular(wave) {
        return files;
    }
    let beside = [GTKWAVE, SURFER, SURFER_STATE].map(|extension| wave.with_extension(extension));
    let folder = wave.parent().unwrap_or(Path::new(""));
    // Which of the mappings are written is known after the run.
    let mappings = std::fs::read_dir(folder.join(MAPPINGS));
    let mappings = mappings.into_iter().flatten().flatten();
    let mappings = mappings.filter(|file| file.file_name().to_string_lossy().starts_with("xtq_"));
    let beside = beside.into_iter().chain(mappings.map(|file| file.path()));
    let (foreign, own): (Vec<_>, Vec<_>) = beside.partition(|file| is_foreign(file));
    // A waveform makes no folder for itself.
    let exists = folder.as_os_str().is_empty() || folder.is_dir();
    files
        .writes("--wave", own)
        .keeps("--wave", foreign)
        .whole_folders("--wave", exists.then(|| folder.join(MAPPINGS)))
}

/// Errors: it is standard output; a waveform of this name would be overwritten by a file for a viewer, or taken for
/// one.
pub fn check_name(wave: &Path) -> Result<(), CliError> {
    if wave.as_os_str() == DASH {
        return Err(CliError::Usage {
            argument: "--wave".to_owned(),
            message: "a waveform is no text to be printed".to_owned(),
            help: "name a file, .vcd or .fst".to_owned(),
        });
    }
    let name = file_name(wave);
    let is_ours = |extension: &str| name.ends_with(&format!(".{extension}"));
    if ![GTKWAVE, SURFER, SURFER_STATE].into_iter().any(is_ours) {
        return Ok(());
    }
    Err(CliError::Usage {
        argument: "--wave".to_owned(),
        message: format!(
            "{}: that is the name of a file that is written beside the waveform",
            wave.display()
        ),
        help: "call it .vcd or .fst".to_owned(),
    })
}

/// A part that is all there is.
fn whole(stages: impl Iterator<Item = &'static Stage>) -> Part {
    Part {
        scope: String::new(),
        title: None,
        stages: stages.map(|stage| (stage, true)).collect(),
    }
}

/// The columns of the table of several nodes: in the NICs, and after the doorbell.
fn stations_of_nodes(row: &MessageRow) -> (Stations, Stations) {
    let nic = reached([
        ("command", row.command),
        ("first", row.first_beat),
        ("last", row.last_beat),
        ("arrive", row.arrived),
        ("decide", row.admitted),
        ("payload", row.payload_written),
        ("doorbell", row.doorbell),
        ("event", row.event),
        ("ack", row.acknowledged),
    ]);
    (nic, behind_doorbell(row.launched, row.signal))
}

/// Those of the table of a target side.
fn stations_of_target(row: &Row) -> (Stations, Stations) {
    let nic = reached([
        ("arrive", row.arrived),
        ("parse", row.parsed),
        ("decide", row.admitted),
        ("rewrite", row.rewritten),
        ("payload", row.payload_written),
        ("enqueue", row.enqueued),
        ("doorbell", row.doorbell),
    ]);
    (nic, behind_doorbell(row.launched, row.signal))
}

fn behind_doorbell(launched: Option<u64>, signal: Option<u64>) -> Stations {
    reached([("launch", launched), ("signal", signal)])
}

/// The stations that were reached.
fn reached<const N: usize>(stations: [(&'static str, Option<u64>); N]) -> Stations {
    let reached = stations.into_iter();
    let reached = reached.filter_map(|(name, cycle)| Some((name, cycle?)));
    reached.collect()
}

/// Name of the names of a code, as a format of Surfer.
fn mapping_name(module: &str) -> String {
    format!("xtq_{}", module.replace("::", "_"))
}

/// The file with the names of a code, from the folder of the waveform.
fn mapping_path(module: &str) -> String {
    format!("{MAPPINGS}/{}", mapping_name(module))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Writes a file, but over none that has another origin. Errors: it cannot be written.
fn write_own(file: &Path, text: &str, output: &mut Output) -> Result<(), CliError> {
    if is_foreign(file) {
        let file = file.display().to_string();
        let file = names::line(&file);
        output.text(&format!("{file} is not of xtq run: left as it is\n"));
        return Ok(());
    }
    write_file(file, text.as_bytes())
}

/// Whether a file exists and is somebody's own: without the mark, and not empty; or no regular file, of which a read
/// might not end.
fn is_foreign(file: &Path) -> bool {
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        return true;
    }
    match std::fs::read(file) {
        Ok(old) => {
            let first = old.split(|byte| *byte == b'\n').next();
            !old.is_empty() && !first.is_some_and(|line| line.ends_with(MARK.as_bytes()))
        }
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}
