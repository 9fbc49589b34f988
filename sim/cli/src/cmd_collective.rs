//! `xtq collective`: a collective as a graph, compiled to triggered operations and run on the hardware.

use crate::Verdict;
use crate::cmd_run::{Playing, play_file};
use crate::error::CliError;
use crate::expected::Expected;
use crate::files::Files;
use crate::names::line;
use crate::on_gpus::{self, OnGpus};
use crate::output::{Output, write_file};
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::{Built, Parameters, VARIANTS, Variant};
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::emit::{Backend, Contents, Surroundings, emit};
use xtq_cdag::error::GraphError;
use xtq_cdag::goal;
use xtq_cdag::goal_binary;
use xtq_cdag::graph::Graph;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::rounds::in_rounds;
use xtq_compute::collective::gpu_tasks;
use xtq_testbench::input::utf8;
use xtq_testbench::scenario;

/// Cycles that a message may take at most, and those of a run beside its messages and the work of hosts.
const CYCLES_OF_A_MESSAGE: u64 = 2_000;
const CYCLES_BESIDE: u64 = 200_000;

/// Nodes that compute take longer, as their hosts and GPUs take time: so many times at most.
const LONGER_ON_GPUS: u64 = 10;

/// Bytes of memory of all nodes together.
const MOST_MEMORY: u64 = 1 << 28;

/// Run a collective, which the NICs carry out alone
///
/// The collective is a graph of sends, receives and operations. It is compiled to triggered operations, which the hosts
/// post; then each host starts its part with one command and sleeps until its NIC says that all is complete. What is in
/// memory at the end is compared with what an interpreter of the graph gives. docs/collectives.md explains algorithms,
/// protocols and the plan.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq collective --list\n  xtq collective allreduce --nodes 5 --bytes 512\n  xtq collective broadcast --algorithm kary --k 3 --segments 4 --nodes 13 --bytes 4096 --plan\n  xtq collective barrier --nodes 8 --start-barrier --emit barrier.toml\n  xtq collective --goal communication.goal --backend host\n  xtq collective allreduce --uses 5\n  xtq collective broadcast --rounds --backend host"
)]
pub struct CollectiveArgs {
    /// Collective, as --list names it
    #[arg(required_unless_present_any = ["list", "goal"])]
    collective: Option<String>,
    /// Algorithm [default: the first that --list names]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Nodes, a rank each
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=128))]
    nodes: u32,
    /// Root of a broadcast, scatter, gather or reduce
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    root: u32,
    /// Bytes of the vector, or of the block of each rank
    #[arg(long, value_name = "B", default_value_t = 64)]
    bytes: u64,
    /// Children of a node of k-ary and k-nomial trees
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    k: u32,
    /// Segments in which vectors go through trees and chains
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    segments: u32,
    /// Operation of a reduction
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = PossibleValuesParser::new(Operation::ALL.map(Operation::name)))]
    operation: String,
    /// What the bytes of a reduction are
    #[arg(long, value_name = "NAME", default_value = "uint32", value_parser = PossibleValuesParser::new(Datatype::ALL.map(Datatype::name)))]
    datatype: String,
    /// What becomes of a message that may come before its receive
    #[arg(long, value_name = "NAME", value_enum, default_value_t = ProtocolName::Auto)]
    protocol: ProtocolName,
    /// Bytes up to which such a message waits in a shadow buffer; larger ones wait at the sender
    #[arg(long, value_name = "B", default_value_t = 4096)]
    eager: u64,
    /// Who carries the schedule out
    #[arg(long, value_name = "WHO", value_enum, default_value_t = BackendName::Offloaded)]
    backend: BackendName,
    /// Do it in libNBC's rounds: a round of a rank starts when all of the one before is complete
    #[arg(long)]
    rounds: bool,
    /// Begin with a barrier of the NICs, so that ranks may start at any time
    #[arg(long)]
    start_barrier: bool,
    /// Use the schedule so often, posted once; --plan says how often it fits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=127))]
    uses: u64,
    /// Operations that the NIC does not do are tasks of the node's GPU, which the NIC launches; with a number also all
    /// others of at least so many bytes. Hosts and GPUs take time then
    #[arg(long, value_name = "BYTES", num_args = 0..=1, require_equals = true, default_missing_value = "18446744073709551615", conflicts_with_all = ["emit", "goal", "uses"])]
    gpu: Option<u64>,
    /// Print what the schedule needs of the NIC, and run nothing
    #[arg(long)]
    plan: bool,
    /// Write the schedule as a scenario for `xtq run`, and run nothing
    #[arg(long, value_name = "FILE.toml")]
    emit: Option<PathBuf>,
    /// Run the graph of a GOAL file, text or binary, instead
    #[arg(long, value_name = "FILE", conflicts_with = "collective")]
    goal: Option<PathBuf>,
    /// Write the graph as GOAL text, and run nothing
    #[arg(long, value_name = "FILE")]
    write_goal: Option<PathBuf>,
    /// Print all collectives with their algorithms, and run nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    playing: Playing,
}

/// [`Protocol`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ProtocolName {
    /// It goes straight to its place where nobody can tell; else by its size
    Auto,
    /// All messages wait in shadow buffers
    Eager,
    /// All senders wait for their receivers
    Rendezvous,
    /// All receivers fetch what senders have said to be there
    Get,
    /// Senders and receivers tell each other that they are there, and entries come and go; without the passes
    Unmatched,
    /// By size, and without the passes that save resources
    Literal,
}

/// [`Backend`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum BackendName {
    /// The NICs, while the hosts sleep
    Offloaded,
    /// The hosts, a command for each operation
    Host,
}

impl CollectiveArgs {
    fn parameters(&self) -> Parameters {
        let operation = Operation::ALL
            .into_iter()
            .find(|operation| operation.name() == self.operation);
        let datatype = Datatype::ALL
            .into_iter()
            .find(|datatype| datatype.name() == self.datatype);
        Parameters {
            nodes: self.nodes as usize,
            root: self.root as usize,
            bytes: self.bytes,
            k: self.k as usize,
            segments: self.segments.into(),
            operation: operation.unwrap_or(Operation::Sum),
            datatype: datatype.unwrap_or(Datatype::Uint32),
        }
    }

    fn options(&self) -> Options {
        Options {
            protocol: match self.protocol {
                ProtocolName::Auto => Protocol::Auto,
                ProtocolName::Eager => Protocol::Eager,
                ProtocolName::Rendezvous => Protocol::Rendezvous,
                ProtocolName::Get => Protocol::Get,
                ProtocolName::Unmatched => Protocol::Unmatched,
                ProtocolName::Literal => Protocol::Literal,
            },
            eager: self.eager,
            barrier: self.start_barrier,
            gpu: self.gpu.map(gpu_tasks),
            ..Options::default()
        }
    }

    fn backend(&self) -> Backend {
        match self.backend {
            BackendName::Offloaded => Backend::Offloaded,
            BackendName::Host => Backend::Host,
        }
    }
}

/// A graph with what is in memory before.
struct Task {
    title: String,
    graph: Graph,
    memory: Vec<Vec<u8>>,
}

/// Compiles and runs; whether the hardware did as the interpreter.
pub fn run(args: &CollectiveArgs, output: &mut Output) -> Result<Verdict, CliError> {
    if args.list {
        output.stdout(&list());
        return Ok(Verdict::Good);
    }
    args.playing.check_wave()?;
    if args.gpu.is_some() {
        on_gpus::check(&args.playing)?;
        by_nics(args)?;
    }
    Files::default()
        .reads("--goal", &args.goal)
        .writes("--emit", &args.emit)
        .writes("--write-goal", &args.write_goal)
        .writes("--json", args.gpu.and(args.playing.json.as_ref()))
        .check(output)?;
    let mut task = task(args)?;
    if args.rounds {
        task.graph = in_rounds(&task.graph).map_err(of_graph)?;
    }
    if let Some(file) = &args.write_goal {
        write_file(file, goal::write(&task.graph).as_bytes())?;
        return Ok(Verdict::Good);
    }
    let schedule = compile(&task.graph, &args.options()).map_err(of_graph)?;
    let plan = Plan::new(&schedule, Limits::NIC).map_err(of_graph)?;
    let title = line(&task.title).into_owned();
    output.text(&format!("{}\n", plan_text(&title, &plan, args)));
    if args.plan {
        return Ok(Verdict::Good);
    }
    if args.uses > plan.uses as u64 {
        return Err(too_often(args.uses, plan.uses));
    }
    let expected = Expected::new(&task.graph, &task.memory, args.uses).map_err(of_graph)?;
    if args.gpu.is_some() {
        let what = OnGpus {
            schedule: &schedule,
            plan: &plan,
            before: &task.memory,
            after: &expected.compared(&task.graph),
            until: longest(&plan, args.uses).saturating_mul(LONGER_ON_GPUS),
        };
        return on_gpus::play(&what, &args.playing, output);
    }
    let open = expected.open_bytes(&task.graph);
    if open > 0 {
        output.text(&format!(
            "{open} bytes of memory depend on what arrives first, and are not compared\n"
        ));
    }
    let surroundings = Surroundings {
        title: task.title,
        max_cycles: longest(&plan, args.uses),
        backend: args.backend(),
        again: args.uses - 1,
        ..Surroundings::default()
    };
    let contents = Contents {
        before: &task.memory,
        after: &expected.compared(&task.graph),
    };
    let text = emit(&schedule, &plan, contents, &surroundings).map_err(of_graph)?;
    if let Some(file) = &args.emit {
        write_file(file, text.as_bytes())?;
        return Ok(Verdict::Good);
    }
    let file = scenario::parse_file("the schedule", &text, Path::new("."))?;
    play_file(
        file,
        &args.playing,
        Files::default().reads("--goal", &args.goal),
        output,
    )
}

/// Cycles in which so many uses have ended, unless something is stuck.
fn longest(plan: &Plan, uses: u64) -> u64 {
    let messages: u64 = plan.needs.iter().map(|needs| needs.messages as u64).sum();
    let of_a_use = (CYCLES_OF_A_MESSAGE * messages).saturating_add(plan.work_cycles);
    of_a_use.saturating_mul(uses).saturating_add(CYCLES_BESIDE)
}

/// Errors: hosts shall carry out what has tasks of GPUs.
fn by_nics(args: &CollectiveArgs) -> Result<(), CliError> {
    match args.backend() {
        Backend::Offloaded => Ok(()),
        Backend::Host => Err(CliError::Usage {
            argument: "--backend".to_owned(),
            message: "with --gpu the NICs carry it out".to_owned(),
            help: "leave one of the two out".to_owned(),
        }),
    }
}

/// The graph that is asked for. Errors: there is no such collective or algorithm; a GOAL file that is wrong.
fn task(args: &CollectiveArgs) -> Result<Task, CliError> {
    if let Some(path) = &args.goal {
        let file = path.display().to_string();
        let wrong = |message: String| CliError::Usage {
            argument: file.clone(),
            message,
            help: "docs/collectives.md has the form of GOAL files".to_owned(),
        };
        let read = |source| CliError::Read {
            file: file.clone(),
            source,
        };
        let bytes = std::fs::read(path).map_err(read)?;
        let text = match goal_binary::is_binary(&bytes) {
            true => goal_binary::text(&bytes).map_err(|error| wrong(error.to_string()))?,
            false => utf8::read(path).map_err(read)?,
        };
        let graph = goal::read(&text).map_err(|error| wrong(error.to_string()))?;
        fits(&graph)?;
        return Ok(Task {
            title: file,
            memory: goal::memory(&graph),
            graph,
        });
    }
    let variant = chosen(args)?;
    let parameters = args.parameters();
    let built: Built = variant.build(&parameters).map_err(of_graph)?;
    fits(&built.graph)?;
    Ok(Task {
        title: format!(
            "{} {}, {} nodes, {} bytes",
            variant.collective, variant.algorithm, args.nodes, args.bytes
        ),
        memory: built.memory_for(parameters.operation, parameters.datatype, 0),
        graph: built.graph,
    })
}

/// Errors: the memories are larger than this machine should be asked for.
fn fits(graph: &Graph) -> Result<(), CliError> {
    let memory: u64 = (0..graph.ranks()).map(|rank| graph.memory(rank)).sum();
    match memory <= MOST_MEMORY {
        true => Ok(()),
        false => Err(CliError::Usage {
            argument: "the graph".to_owned(),
            message: format!("{memory} bytes of memory are more than {MOST_MEMORY}"),
            help: "fewer bytes or nodes".to_owned(),
        }),
    }
}

fn chosen(args: &CollectiveArgs) -> Result<&'static Variant, CliError> {
    let name = args.collective.as_deref().unwrap_or_default();
    let unknown = |message: String| CliError::Usage {
        argument: "COLLECTIVE".to_owned(),
        message,
        help: "xtq collective --list names all".to_owned(),
    };
    let of_name = VARIANTS.iter().filter(|variant| variant.collective == name);
    let Some(first) = of_name.clone().next() else {
        return Err(unknown(format!("there is no collective '{}'", line(name))));
    };
    let Some(algorithm) = &args.algorithm else {
        return Ok(first);
    };
    let found = of_name
        .clone()
        .find(|variant| variant.algorithm == algorithm);
    found.ok_or_else(|| unknown(format!("{name} has no algorithm '{}'", line(algorithm))))
}

fn of_graph(error: GraphError) -> CliError {
    let help = match error {
        GraphError::NotInHardware { .. } => "--gpu gives it to the GPU, if that has a kernel",
        _ => {
            "xtq collective --plan shows what a schedule needs; docs/collectives.md says what helps"
        }
    };
    CliError::Usage {
        argument: "the graph".to_owned(),
        message: error.to_string(),
        help: help.to_owned(),
    }
}

fn list() -> String {
    let mut text = String::new();
    for variant in VARIANTS {
        let _ = writeln!(
            text,
            "{:<16}{:<16}{}",
            variant.collective, variant.algorithm, variant.about
        );
    }
    text
}

fn too_often(uses: u64, fit: usize) -> CliError {
    CliError::Usage {
        argument: "--uses".to_owned(),
        message: format!("{uses} uses do not fit into the NIC at once, {fit} do"),
        help: "docs/collectives.md says what a schedule that is used again needs".to_owned(),
    }
}

/// What the rank with most needs, beside what a context has.
fn plan_text(title: &str, plan: &Plan, args: &CollectiveArgs) -> String {
    let worst = plan.worst();
    let limits = Limits::NIC;
    let mut text =
        format!("{title}\n\nplan of the rank that needs most    needs    a context has\n");
    let rows = [
        (
            "triggered operations",
            (worst.triggered + 1) * args.uses as usize,
            limits.triggered,
        ),
        (
            "most of them that wait",
            plan.waiting(args.uses as usize),
            limits.triggered,
        ),
        ("counters", worst.counters, limits.counters),
        ("match entries", worst.entries, limits.entries),
        ("memory descriptors", worst.descriptors, limits.descriptors),
    ];
    for (name, needs, has) in rows {
        let _ = writeln!(text, "{name:<32}{needs:>9}{has:>17}");
    }
    let _ = writeln!(text, "uses that fit at once: {}", plan.uses);
    let after = match (args.backend(), plan.late_posts()) {
        (Backend::Host, _) => "the hosts carry it out".to_owned(),
        (Backend::Offloaded, 0) => format!("host actions after the start: {}", plan.works()),
        (Backend::Offloaded, late) if args.gpu.is_some() => {
            format!("more than fits at once: {late} operations, which --gpu does not run")
        }
        (Backend::Offloaded, late) => {
            let waits = plan.late_waits();
            format!(
                "more than fits at once: hosts post {late} operations after the start, and wait with {waits} commands"
            )
        }
    };
    let _ = writeln!(text, "{after}");
    if plan.tasks() > 0 {
        let _ = writeln!(text, "tasks of GPUs: {}", plan.tasks());
    }
    if plan.works() > 0 {
        let _ = writeln!(text, "cycles of host work: {}", plan.work_cycles);
    }
    text
}
