//! `xtq-mpi`: several nodes, run by several processes, each with its own nodes. Rank 0 reports.

use crate::cluster::check_memory;
use crate::cmd_run::{self, Playing, RunArgs};
use crate::error::CliError;
use crate::files::Files;
use crate::output::Output;
use crate::paths::DASH;
use crate::played::Reported;
use crate::rank_hello::Hello;
use crate::signals::Signals;
use crate::table_nodes::render_brief;
use crate::{EXIT_CODES, Verdict, Volume, progress, waveform};
use clap::{Parser, Subcommand};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xtq_engine::WaveOptions;
use xtq_testbench::cluster::{Lost, Mail, Ranks, RunOptions};
use xtq_testbench::scenario::{File, NodesPlan, NodesReport, NodesRun, Part};

/// `xtq run` for scenarios of several nodes, by several processes that MPI starts
///
/// The nodes are dealt among the ranks, and rank 0 prints the report that `xtq run` prints; the digest is the same.
/// Without `mpirun` there is one rank, which is `xtq run`. docs/how-to/cluster.md says how to run on several machines.
#[derive(Parser)]
#[command(name = "xtq-mpi", version, after_help = EXIT_CODES)]
pub struct RankCli {
    #[command(subcommand)]
    verb: RankVerb,
    #[command(flatten)]
    volume: Volume,
}

#[derive(Subcommand)]
enum RankVerb {
    Run(Box<RunArgs>),
}

impl RankCli {
    /// How much a rank says.
    pub fn volume_of(&self, rank: usize) -> Volume {
        Volume {
            quiet: self.volume.quiet || rank > 0,
            ..self.volume
        }
    }
}

/// Runs the scenario as a rank. Errors: this rank, or another, cannot.
pub fn run(cli: RankCli, mail: impl Mail, output: &mut Output) -> Result<Verdict, CliError> {
    let RankVerb::Run(args) = cli.verb;
    let place = mail.place();
    if args.print_schema {
        stay_out(mail);
        return match place {
            (0, _) => cmd_run::run(&args, output),
            _ => Ok(Verdict::Good),
        };
    }
    if place == (0, 1) {
        return cmd_run::run(&args, output);
    }
    let mut team = Team::new(mail)?;
    let (loaded, hello) = match load(&args, place.1) {
        Ok((plan, hello)) => (Ok(plan), hello),
        Err(error) => (Err(error), Hello::default()),
    };
    let plan = team.agree(loaded)?;
    let here = team.greet(&hello)?;
    let args = of_rank(args.playing, &plan, place);
    let built = build(plan, &args, place, here, output);
    let (mut run, wave) = team.agree(built)?;
    let bar = match place {
        (0, _) => progress::bar(output, "cycle", None),
        _ => ProgressBar::hidden(),
    };
    let fails = wave.as_ref().and_then(waveform::failure);
    let signals = team.signals.clone();
    run.watch(cmd_run::watch(bar.clone(), None, signals, fails));
    let part = run.finish_part(&mut team.ranks);
    bar.finish_and_clear();
    let wave = wave.map(|options| waveform::close(&mut run, options));
    let wave = wave.transpose().map(drop);
    let whole = wave.is_ok();
    let saved = cmd_run::save(&args, &mut run, output);
    let told = team.report(run.plan(), part, (&args, whole), output);
    let (told, verdict) = match told {
        Ok(verdict) => (Ok(()), verdict),
        Err(error) => (Err(error), Verdict::Bad),
    };
    output.all([saved, wave, told]).map(|()| verdict)
}

/// Says to the others that this rank runs nothing, so that none of them waits for it.
pub fn stay_out(mail: impl Mail) {
    // Nobody is left to report to when this fails.
    let _ = Ranks::new(mail).share(b"it runs nothing with its arguments");
}

/// The scenario, and what each of so many `ranks` is about to do. Errors: it cannot be read, is wrong, or has no
/// network of nodes; a rank would have none.
fn load(args: &RunArgs, ranks: usize) -> Result<(NodesPlan, Hello), CliError> {
    let text = match (&args.make, &args.scenario) {
        (Some(made), _) => made.text()?.into_bytes(),
        (None, Some(path)) => std::fs::read(path).unwrap_or_default(),
        (None, None) => Vec::new(),
    };
    let refused = |argument: &str, message: &str, help: &str| CliError::Usage {
        argument: argument.to_owned(),
        message: message.to_owned(),
        help: help.to_owned(),
    };
    if args
        .playing
        .cluster
        .threads
        .is_some_and(|threads| threads > 1)
    {
        let help = "start more ranks: mpirun -n";
        return Err(refused("--threads", "a rank has one thread", help));
    }
    let mut given = args.playing.checkpoint.given().into_iter();
    if let Some((argument, _)) = given.find(|(_, given)| *given) {
        let help = "without mpirun, or with `xtq run`, a run keeps checkpoints";
        return Err(refused(argument, "ranks keep no checkpoints", help));
    }
    args.playing.check_wave()?;
    match cmd_run::load(args)? {
        File::Nodes(mut plan) => {
            let written = plan.scenario.max_cycles;
            plan.scenario.max_cycles = args.playing.max_cycles.unwrap_or(written);
            let nodes = plan.scenario.nodes.len();
            cmd_run::check_dumps(&args.playing, nodes)?;
            let has_some = |rank| (0..nodes).any(|node| plan.rank_of(node, ranks) == rank);
            if !(0..ranks).all(has_some) {
                let help = "start at most one rank for each node, or for each leaf";
                return Err(refused("-n", "a rank would have no node", help));
            }
            Ok((plan, Hello::of(args, &text)))
        }
        File::Target(_) | File::L2(_) => Err(refused(
            "SCENARIO.toml",
            "the scenario has no network of nodes, which ranks could share",
            "without mpirun, or with `xtq run`, it runs",
        )),
    }
}

/// What a rank of the command line writes: a waveform of its own nodes, their memory, and a report of its own if it can
/// ask no other. Rank 0 writes that of all.
fn of_rank(args: Playing, plan: &NodesPlan, (rank, ranks): (usize, usize)) -> Playing {
    let own = |node| plan.rank_of(node, ranks) == rank;
    let dumps = args.dump_memory.into_iter();
    Playing {
        wave: args.wave.map(|wave| with_rank(&wave, rank)),
        json: match rank {
            0 => args.json,
            _ => args.json.and_then(|file| of_part(&file, rank)),
        },
        trace: args.trace.clone().filter(|_| rank == 0),
        // A trace shows the messages of all ranks.
        log: args.log || args.trace.is_some(),
        dump_memory: dumps.filter(|dump| own(dump.node)).collect(),
        ..args
    }
}

/// `run.vcd` of rank 1 is `run.rank1.vcd`.
fn with_rank(path: &Path, rank: usize) -> PathBuf {
    let rank = format!("rank{rank}");
    match path.extension() {
        None => path.with_extension(rank),
        Some(end) => path.with_extension(format!("{rank}.{}", end.to_string_lossy())),
    }
}

/// The file for the report of a rank's own nodes; none beside standard output.
fn of_part(path: &Path, rank: usize) -> Option<PathBuf> {
    (path.as_os_str() != DASH).then(|| with_rank(path, rank))
}

/// Builds the nodes of a rank, of which there are so many `here` on its machine, and its waveform. Errors: there is no
/// memory for it, a file cannot be written, the engine cannot run it.
fn build(
    plan: NodesPlan,
    args: &Playing,
    (rank, ranks): (usize, usize),
    here: usize,
    output: &mut Output,
) -> Result<(NodesRun, Option<WaveOptions>), CliError> {
    let files = Files::default()
        .streams("--wave", &args.wave)
        .writes("--json", &args.json)
        .writes("--trace", &args.trace);
    let dumps = args.dump_memory.iter().map(|dump| &dump.file);
    files.writes("--dump-memory", dumps).check(output)?;
    check_memory(&plan, (here, ranks))?;
    let nodes = plan.scenario.nodes.len();
    let built = NodesRun::of_rank(plan, args.engine, true, (rank, ranks));
    let mut run = built.map_err(|error| CliError::Ranks(error.to_string()))?;
    run.set_options(RunOptions {
        threads: 1,
        ..args.cluster.options(nodes)
    });
    if args.log {
        run.keep_logs(true);
    }
    let wave = args.wave_options();
    if let Some(options) = &wave {
        waveform::check_window(options, run.cycle_count())?;
        waveform::arrived(run.attach_wave(options))?;
    }
    Ok((run, wave))
}

/// What a rank sends to the one that reports.
#[derive(Serialize, Deserialize)]
struct Sent {
    part: Part,
    wave: Option<String>,
}

/// A rank among the others.
struct Team<M> {
    ranks: Ranks<M>,
    signals: Signals,
    rank: usize,
}

fn gone(Lost(why): Lost) -> CliError {
    CliError::Ranks(why)
}

impl<M: Mail> Team<M> {
    fn new(mail: M) -> Result<Self, CliError> {
        let (rank, _) = mail.place();
        let signals = cmd_run::catch()?;
        let mut ranks = Ranks::new(mail);
        let asked = signals.clone();
        ranks.give_up_when(Box::new(move || {
            Some(format!("ended by {}", asked.came()?.name))
        }));
        Ok(Self {
            ranks,
            signals,
            rank,
        })
    }

    /// Goes on if all ranks can. Errors: this rank's, or that of the first that has one.
    fn agree<T>(&mut self, own: Result<T, CliError>) -> Result<T, CliError> {
        let text = own.as_ref().err().map(ToString::to_string);
        let all = self.ranks.share(text.unwrap_or_default().as_bytes());
        let own = own?;
        let all = all.map_err(gone)?;
        match all.iter().enumerate().find(|(_, text)| !text.is_empty()) {
            None => Ok(own),
            Some((rank, text)) => {
                let text = String::from_utf8_lossy(text);
                Err(CliError::Ranks(format!("rank {rank}: {text}")))
            }
        }
    }

    /// Makes sure that all ranks are about to do the same; gives how many are on this machine. Errors: they are not.
    fn greet(&mut self, hello: &Hello) -> Result<usize, CliError> {
        let all = self.ranks.share(&as_bytes(hello)).map_err(gone)?;
        let read = |(rank, bytes): (usize, &Vec<u8>)| {
            let hello = serde_json::from_slice(bytes);
            hello.map_err(|_| CliError::Ranks(format!("rank {rank} is another program")))
        };
        let all: Result<Vec<Hello>, _> = all.iter().enumerate().map(read).collect();
        hello.compare(&all?)
    }

    /// Rank 0 reports what all did, or each rank what it did if another is gone; `whole` says whether the own waveform
    /// was written. Errors: the report cannot be written.
    fn report(
        &mut self,
        plan: &NodesPlan,
        part: Part,
        (args, whole): (&Playing, bool),
        output: &mut Output,
    ) -> Result<Verdict, CliError> {
        let wave = args.wave.as_ref().filter(|_| whole);
        let sent = Sent {
            part,
            wave: wave.map(|path| path.display().to_string()),
        };
        let gathered = match self.ranks.is_lost() {
            true => Vec::new(),
            false => self.ranks.gather(as_bytes(&sent)).unwrap_or_default(),
        };
        if self.ranks.is_lost() {
            return self.report_alone(plan, sent, args, output);
        }
        if self.rank > 0 {
            // Rank 0 reports meanwhile: `mpirun` ends all others when one has failed.
            let _ = self.ranks.share(&[]);
            return Ok(Verdict::Good);
        }
        let read = |bytes: &Vec<u8>| serde_json::from_slice(bytes);
        let all: Result<Vec<Sent>, _> = gathered.iter().map(read).collect();
        let all = match all {
            Ok(all) => all,
            Err(error) => {
                // The others wait for this one.
                let _ = self.ranks.share(&[]);
                return Err(CliError::Ranks(format!("no report of a rank: {error}")));
            }
        };
        let waves = all.iter().filter_map(|sent| sent.wave.clone()).collect();
        let parts = all.into_iter().map(|sent| sent.part).collect();
        let report = NodesReport {
            waves,
            ..NodesReport::of(plan, parts)
        };
        // The files first: `mpirun` that is ended by a signal reads no more, and soon sends SIGKILL.
        let written = cmd_run::write(args, output, &report);
        let table = match report.interrupted {
            true => render_brief(&report, args.json.as_deref()),
            false => report.render(output.is_verbose()),
        };
        cmd_run::show(args, output, &report, &table);
        let _ = self.ranks.share(&[]);
        written.map(|()| self.verdict(&report))
    }

    /// What a rank reports of its own nodes.
    fn report_alone(
        &self,
        plan: &NodesPlan,
        sent: Sent,
        args: &Playing,
        output: &mut Output,
    ) -> Result<Verdict, CliError> {
        let report = NodesReport {
            waves: sent.wave.into_iter().collect(),
            ..NodesReport::of(plan, vec![sent.part])
        };
        let file = match self.rank {
            0 => args.json.as_deref().and_then(|file| of_part(file, 0)),
            _ => args.json.clone(),
        };
        // In this order, and brief, as above.
        let written = file
            .as_deref()
            .map_or(Ok(()), |file| output.json(file, &report));
        output.stdout(&format!(
            "rank {}, its own nodes only:\n{}",
            self.rank,
            render_brief(&report, file.as_deref())
        ));
        written?;
        Ok(self.verdict(&report))
    }

    fn verdict(&self, report: &NodesReport) -> Verdict {
        match self.signals.came().filter(|_| report.is_interrupted()) {
            Some(signal) => Verdict::Ended(signal.number),
            None => report.verdict(),
        }
    }
}

/// What ranks send each other, as bytes.
fn as_bytes(value: &impl Serialize) -> Vec<u8> {
    // No map with keys that are no text, which alone could fail.
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{of_part, with_rank};
    use std::path::{Path, PathBuf};

    #[test]
    fn files_of_a_rank_have_its_number_before_their_ending() {
        let named = |path: &str| with_rank(Path::new(path), 3);
        assert_eq!(named("a/run.vcd"), PathBuf::from("a/run.rank3.vcd"));
        assert_eq!(named("a.b/run"), PathBuf::from("a.b/run.rank3"));
        assert_eq!(of_part(Path::new("-"), 3), None);
    }
}
