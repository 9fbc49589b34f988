//! `xtq collective`: a collective as a graph, compiled to triggered operations and run on the hardware.

use crate::Verdict;
use crate::cmd_run::play_file;
use crate::collective_args::CollectiveArgs;
use crate::error::CliError;
use crate::expected::Expected;
use crate::files::Files;
use crate::names::line;
use crate::on_gpus::{self, OnGpus};
use crate::output::{Output, write_file};
use std::fmt::Write;
use std::path::Path;
use xtq_cdag::collectives::{Built, VARIANTS, Variant};
use xtq_cdag::compile::compile;
use xtq_cdag::emit::{Backend, Contents, Surroundings, emit};
use xtq_cdag::error::GraphError;
use xtq_cdag::goal;
use xtq_cdag::goal_binary;
use xtq_cdag::graph::Graph;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::rounds::in_rounds;
use xtq_testbench::input::utf8;
use xtq_testbench::scenario;
use xtq_testbench::scenario::nodes::MOST_NODES;

/// Cycles that a message may take at most, and those of a run beside its messages and the work of hosts.
const CYCLES_OF_A_MESSAGE: u64 = 2_000;
const CYCLES_BESIDE: u64 = 200_000;

/// Nodes that compute take longer, as their hosts and GPUs take time: so many times at most.
const LONGER_ON_GPUS: u64 = 10;

/// Bytes of memory of all nodes together.
const MOST_MEMORY: u64 = 1 << 28;

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
    if args.uses > 1 && !plan.again {
        return Err(too_often(args.uses));
    }
    if task.graph.ranks() > MOST_NODES {
        return Err(CliError::Usage {
            argument: "the graph".to_owned(),
            message: format!(
                "{} ranks are more than the {MOST_NODES} nodes that can be run",
                task.graph.ranks()
            ),
            help: "--plan says what it needs without running it".to_owned(),
        });
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
            true => goal_binary::text(&bytes, args.layout())
                .map_err(|error| wrong(error.to_string()))?,
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

fn too_often(uses: u64) -> CliError {
    CliError::Usage {
        argument: "--uses".to_owned(),
        message: format!("{uses} uses have to be posted one by one"),
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
            worst.triggered + 1,
            limits.triggered,
        ),
        ("most of them that wait", plan.waiting(), limits.triggered),
        ("counters", worst.counters, limits.counters),
        ("match entries", worst.entries, limits.entries),
        ("memory descriptors", worst.descriptors, limits.descriptors),
    ];
    for (name, needs, has) in rows {
        let _ = writeln!(text, "{name:<32}{needs:>9}{has:>17}");
    }
    let again = match plan.again {
        true => "as often as wanted",
        false => "no, each use has to be posted",
    };
    let _ = writeln!(text, "used again without being posted: {again}");
    let works = plan.works() as u64 * args.uses;
    let worked = match works {
        0 => String::new(),
        works => format!("; they work {works} times"),
    };
    let after = match (args.backend(), plan.late_posts()) {
        (Backend::Host, _) => "the hosts carry it out".to_owned(),
        (Backend::Offloaded, 0) => format!("host actions after the start: {works}"),
        (Backend::Offloaded, late) if args.gpu.is_some() => {
            format!("more than fits at once: {late} operations, which --gpu does not run")
        }
        (Backend::Offloaded, late) => {
            let waits = plan.late_waits();
            format!(
                "more than fits at once: hosts post {late} operations after the start, and wait with {waits} commands{worked}"
            )
        }
    };
    let _ = writeln!(text, "{after}");
    if plan.tasks() > 0 {
        let _ = writeln!(text, "tasks of GPUs: {}", plan.tasks());
    }
    if plan.works() > 0 {
        let cycles = plan.work_cycles.saturating_mul(args.uses);
        let _ = writeln!(text, "cycles of host work: {cycles}");
    }
    text
}
