//! Collectives that NICs carry out alone: every variant of table I of Schneider et al., compiled and run on real NICs.
//!
//! Each run is the proof of offload. The start is the last command of each host; when all is complete the NIC has taken
//! as many commands as the plan says and no more. There are no events but those that hosts asked for, nothing was
//! dropped, no operation is left, the entries are those of the plan, and memory is what the interpreter leaves.

mod again;
mod hosts;
mod outstanding;

use std::path::Path;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::{Parameters, VARIANTS, Variant, variant};
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::emit::{Contents, Surroundings, emit};
use xtq_cdag::graph::{Graph, Slice};
use xtq_cdag::interpret::interpret;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::schedule::Schedule;
use xtq_engine::{Engine, EngineKind};
use xtq_testbench::node::Stores;
use xtq_testbench::scenario::{File, NodesReport, NodesRun, parse_file};
use xtq_types::register_map::context;

/// Memories of the nodes.
const MEMORIES: [&str; 4] = [
    "{ timing = \"ideal\" }",
    "{ timing = \"fixed\", read_latency = 80, write_latency = 80 }",
    "{ timing = \"fixed\", read_latency = [5, 90], write_latency = [5, 90], reorder = true, beats = [1, 3], seed = 3 }",
    "{ timing = \"random\", seed = 4 }",
];

/// A network that holds packets up.
const NETWORK: &str =
    "latency = 3, bandwidth = [25, 2], switch_latency = 20, jitter = 300, seed = 9";

/// Commands of a host beside counters, descriptors, entries and operations: the portal entry, the end, the report that
/// all is posted, the start. With a start barrier there is one more report.
const MORE_COMMANDS: usize = 4;

fn parameters(nodes: usize, bytes: u64, segments: u64) -> Parameters {
    Parameters {
        nodes,
        root: 0,
        bytes,
        k: 2,
        segments,
        operation: Operation::Sum,
        datatype: Datatype::Float,
    }
}

/// What ranks have in memory after so many uses, by the interpreter.
fn after(graph: &Graph, memory: &[Vec<u8>], uses: u64) -> Vec<Vec<(u64, Vec<u8>)>> {
    let mut end = memory.to_vec();
    for _ in 0..uses {
        end = interpret(graph, &end, 1).expect("the interpreter runs it");
    }
    let of = |(rank, memory): (usize, Vec<u8>)| {
        let bytes = |slice: Slice| {
            (
                slice.at,
                memory[slice.at as usize..slice.end() as usize].to_vec(),
            )
        };
        graph.results(rank).into_iter().map(bytes).collect()
    };
    end.into_iter().enumerate().map(of).collect()
}

/// A run on hardware, with what was planned.
struct Ran {
    schedule: Schedule,
    plan: Plan,
    run: NodesRun,
    report: NodesReport,
}

fn run(graph: &Graph, memory: &[Vec<u8>], options: &Options, surroundings: &Surroundings) -> Ran {
    let schedule = compile(graph, options).expect("it compiles");
    let contents = Contents {
        before: memory,
        after: &after(graph, memory, surroundings.again + 1),
    };
    run_schedule(schedule, contents, surroundings)
}

fn run_schedule(schedule: Schedule, contents: Contents, surroundings: &Surroundings) -> Ran {
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let text = emit(&schedule, &plan, contents, surroundings).expect("a scenario");
    let file = parse_file("the schedule", &text, Path::new("."));
    let Ok(File::Nodes(nodes)) = file else {
        panic!("{}: {:?}", surroundings.title, file.err());
    };
    let mut run = NodesRun::new(nodes, EngineKind::default()).expect("it is built");
    // However many messages there are: each is counted.
    run.keep_logs(true);
    let report = run.finish();
    assert!(
        report.passed,
        "{}: {} {:?}",
        surroundings.title, report.failure, report.differences
    );
    Ran {
        schedule,
        plan,
        run,
        report,
    }
}

/// A register of a rank's context.
fn register(ran: &mut Ran, rank: usize, register: u32) -> u32 {
    let node = ran.run.node_mut(rank).expect("a node");
    let address = (context::PAGE_BYTES + register) as u16;
    node.read_register(address).expect("a register")
}

/// Commands that the NIC of a rank has taken.
fn taken(ran: &mut Ran, rank: usize) -> usize {
    register(ran, rank, context::CQ_HEAD) as usize
}

/// Hosts have given the commands of the plan and the start, and nothing but the end was reported to them.
fn hosts_sleep(title: &str, ran: &mut Ran) {
    let barrier = usize::from(ran.schedule.barrier);
    let more_starts = ran.schedule.starts as usize - 1;
    for rank in 0..ran.plan.needs.len() {
        let needs = ran.plan.needs[rank];
        // Other entries are appended by triggered operations.
        let entries = ran.schedule.programs[rank].entries.len();
        let objects = needs.counters + needs.descriptors + entries;
        assert_eq!(
            taken(ran, rank),
            MORE_COMMANDS + more_starts + barrier + objects + needs.triggered,
            "{title}: commands of rank {rank}"
        );
        let process = &ran.report.nodes[rank].processes[0];
        let kinds: Vec<&str> = process
            .events
            .iter()
            .map(|event| event.kind.as_str())
            .collect();
        assert_eq!(
            kinds,
            vec!["command"; 2 + barrier],
            "{title}: events of rank {rank}"
        );
    }
}

/// No message was dropped, and no event lost.
fn nothing_is_dropped(title: &str, ran: &mut Ran) {
    for rank in 0..ran.plan.needs.len() {
        for (number, what) in [
            (context::DROP_COUNT, "messages dropped by"),
            (context::EQ_DROPPED, "events lost by"),
        ] {
            let count = register(ran, rank, number);
            assert_eq!(count, 0, "{title}: {what} rank {rank}");
        }
    }
}

/// When a rank was at a step of its program: when it began, and when it was done.
fn at(ran: &Ran, rank: usize, step: &str) -> (u64, u64) {
    let timeline = &ran.report.nodes[rank].processes[0].timeline;
    let row = timeline.iter().find(|row| row.name == step);
    let times = row.and_then(|row| row.begun.zip(row.done));
    times.expect("it has been there")
}

/// With a start barrier no rank hears of the end before the last has started.
fn nobody_ends_before_all_have_started(title: &str, ran: &Ran) {
    let ranks = 0..ran.plan.needs.len();
    let started = ranks.clone().map(|rank| at(ran, rank, "start").0).max();
    let ended = ranks.map(|rank| at(ran, rank, "end").1).min();
    assert!(ended > started, "{title}: {ended:?} after {started:?}");
}

/// Nothing but the NICs has worked since the start, and they have used what was planned.
fn is_offloaded(title: &str, mut ran: Ran) {
    hosts_sleep(title, &mut ran);
    if ran.schedule.barrier {
        nobody_ends_before_all_have_started(title, &ran);
    }
    nothing_is_dropped(title, &mut ran);
    for (rank, needs) in ran.plan.needs.iter().enumerate() {
        let node = ran.run.node_mut(rank).expect("a node");
        let engine: &dyn Engine = node.engine();
        let stores = Stores::find(engine).expect("the stores of the NIC");
        let used = (0..64).filter(|entry| stores.is_used(engine, 0, *entry).expect("an entry"));
        assert_eq!(
            used.count(),
            needs.entries,
            "{title}: entries of rank {rank}"
        );
        let counters = stores.counters(engine, 0).expect("the counters of the NIC");
        assert_eq!(
            counters as usize, needs.counters,
            "{title}: counters of rank {rank}"
        );
        let descriptors = stores.descriptors(engine, 0);
        let descriptors = descriptors.expect("the descriptors of the NIC");
        assert_eq!(
            descriptors as usize, needs.descriptors,
            "{title}: descriptors of rank {rank}"
        );
        let waiting = |counter| stores.waiting(engine, 0, counter).expect("a counter");
        let waiting: usize = (0..64).map(waiting).sum();
        assert_eq!(waiting, 0, "{title}: operations left of rank {rank}");
    }
    let planned: usize = ran.plan.needs.iter().map(|needs| needs.messages).sum();
    assert_eq!(ran.report.messages.len(), planned, "{title}: messages");
}

/// All variants on so many nodes, each on so many of the memories, with and without a start barrier of their own.
fn every_variant(nodes: usize, memories: usize, of: impl Fn(&Variant) -> Parameters) {
    for (number, variant) in VARIANTS.iter().enumerate() {
        let parameters = of(variant);
        let built = variant.build(&parameters).expect("a graph");
        for run_number in 0..2 * memories {
            let barrier = run_number % 2 == 0;
            let memory = (number + nodes + run_number / 2) % MEMORIES.len();
            let title = format!(
                "{} {}, {nodes} nodes, memory {memory}, start barrier: {barrier}",
                variant.collective, variant.algorithm
            );
            let options = Options {
                barrier,
                schedule: number as u64,
                ..Options::default()
            };
            let surroundings = Surroundings {
                title: title.clone(),
                network: NETWORK.to_owned(),
                memory: MEMORIES[memory].to_owned(),
                max_cycles: 2_000_000,
                late: (0..nodes as u64).map(|rank| rank * 7919 % 1500).collect(),
                ..Surroundings::default()
            };
            let memory = built.memory(parameters.datatype, 3);
            is_offloaded(&title, run(&built.graph, &memory, &options, &surroundings));
        }
    }
}

/// The rank that is late in [`who_is_late_holds_all_up`], by cycles.
const LATE: u64 = 20_000;

#[test]
fn who_is_late_holds_all_up() {
    for (collective, algorithm) in [
        ("barrier", "tree"),
        ("barrier", "linear"),
        ("barrier", "butterfly"),
        ("allreduce", "tree"),
        ("allgather", "ring"),
    ] {
        let built = variant(collective, algorithm).expect("it is in the list");
        let built = built.build(&parameters(3, 64, 1)).expect("a graph");
        let memory = built.memory(Datatype::Float, 3);
        for late in 0..3 {
            let title = format!("{collective} {algorithm}, rank {late} is late");
            let surroundings = Surroundings {
                title: title.clone(),
                max_cycles: 400_000,
                late: (0..3).map(|rank| LATE * u64::from(rank == late)).collect(),
                ..Surroundings::default()
            };
            let ended = |barrier| {
                let options = Options {
                    barrier,
                    ..Options::default()
                };
                let ran = run(&built.graph, &memory, &options, &surroundings);
                (0..3).map(|rank| at(&ran, rank, "end").1).min()
            };
            assert!(ended(true) > Some(LATE), "{title}");
            // Hosts that have met have been there, and the NICs need no more.
            if late == 0 && collective == "barrier" {
                assert!(ended(false) < Some(LATE), "{title}");
            }
        }
    }
}

#[test]
fn every_variant_is_offloaded_on_two_nodes() {
    every_variant(2, 2, |_| parameters(2, 40, 1));
}

#[test]
fn every_variant_is_offloaded_on_three_nodes() {
    every_variant(3, MEMORIES.len(), |_| parameters(3, 64, 2));
}

#[test]
fn every_variant_is_offloaded_on_five_nodes() {
    every_variant(5, 2, |_| parameters(5, 64, 2));
}

#[test]
fn every_variant_is_offloaded_on_eight_twelve_and_sixteen_nodes() {
    every_variant(8, 2, |_| parameters(8, 600, 3));
    every_variant(12, 2, |_| parameters(12, 200, 2));
    every_variant(16, 1, |_| parameters(16, 128, 2));
}

#[test]
fn every_variant_is_offloaded_on_sixty_four_nodes() {
    every_variant(64, 1, |_| parameters(64, 64, 1));
}

/// One variant, with all memory as `memory_for` has it.
fn one_variant(collective: &str, algorithm: &str, parameters: &Parameters) {
    let variant = variant(collective, algorithm).expect("it is in the list");
    let built = variant.build(parameters).expect("a graph");
    let title = format!("{collective} {algorithm}, {parameters:?}");
    let surroundings = Surroundings {
        title: title.clone(),
        network: NETWORK.to_owned(),
        memory: MEMORIES[2].to_owned(),
        max_cycles: 400_000,
        ..Surroundings::default()
    };
    let memory = built.memory_for(parameters.operation, parameters.datatype, 3);
    is_offloaded(
        &title,
        run(&built.graph, &memory, &Options::default(), &surroundings),
    );
}

#[test]
fn products_and_complex_numbers_are_offloaded() {
    let complex = [Datatype::FloatComplex, Datatype::DoubleComplex];
    let floats = [Datatype::Float, Datatype::Double];
    let products = complex.into_iter().chain(floats);
    let products = products.map(|datatype| (Operation::Prod, datatype));
    let sums = complex.map(|datatype| (Operation::Sum, datatype));
    for (operation, datatype) in products.chain(sums) {
        // The second is more than an ATOMIC carries, so it goes in pieces.
        for (algorithm, bytes) in [("butterfly", 96), ("tree", 1040)] {
            let parameters = Parameters {
                operation,
                datatype,
                ..parameters(5, bytes, 1)
            };
            one_variant("allreduce", algorithm, &parameters);
        }
    }
}

#[test]
fn trees_of_every_k_are_offloaded() {
    for (collective, algorithm, k) in [
        ("broadcast", "knomial", 3),
        ("broadcast", "kary", 4),
        ("gather", "kary", 3),
        ("scatter", "knomial", 4),
        ("reduce", "knomial", 3),
        ("reduce", "kary", 1),
        ("allreduce", "tree", 4),
    ] {
        for nodes in [5, 13] {
            let parameters = Parameters {
                k,
                ..parameters(nodes, 128, 2)
            };
            one_variant(collective, algorithm, &parameters);
        }
    }
}

#[test]
fn every_protocol_is_offloaded() {
    for (collective, algorithm) in [
        ("allreduce", "butterfly"),
        ("exscan", "linear"),
        ("allgather", "ring"),
    ] {
        let built = variant(collective, algorithm).expect("it is in the list");
        let built = built.build(&parameters(3, 64, 2)).expect("a graph");
        let memory = built.memory(Datatype::Float, 3);
        for (protocol, eager) in [
            (Protocol::Eager, 0),
            (Protocol::Rendezvous, 0),
            (Protocol::Get, 0),
            (Protocol::Literal, 0),
            (Protocol::Literal, 4096),
            (Protocol::Unmatched, 0),
        ] {
            let options = Options {
                protocol,
                eager,
                ..Options::default()
            };
            let title = format!("{collective} {algorithm}, {protocol:?} up to {eager} bytes");
            let surroundings = Surroundings {
                title: title.clone(),
                network: NETWORK.to_owned(),
                max_cycles: 200_000,
                late: vec![0, 900, 300],
                ..Surroundings::default()
            };
            let mut ran = run(&built.graph, &memory, &options, &surroundings);
            match protocol {
                // Entries that are used once are gone.
                Protocol::Literal => {
                    hosts_sleep(&title, &mut ran);
                    nothing_is_dropped(&title, &mut ran);
                }
                // Figure 6 finds out by messages that are dropped.
                Protocol::Unmatched => hosts_sleep(&title, &mut ran),
                _ => is_offloaded(&title, ran),
            }
        }
    }
}
