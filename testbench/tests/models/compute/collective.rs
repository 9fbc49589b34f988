//! Reductions whose operations are tasks of the ranks' own GPUs, and no host acts.

use xtq_cdag::arithmetic::{Datatype, Operation, Own};
use xtq_cdag::collectives::{Built, Parameters, VARIANTS};
use xtq_cdag::compile::{Options, Protocol, compile};
use xtq_cdag::graph::{ANY_TAG, Graph};
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play;
use xtq_cdag::plan::{Limits, Plan};
use xtq_cdag::schedule::{Action, Schedule};
use xtq_compute::collective::{CollectiveError, RankRun, gpu_tasks, latency, run};
use xtq_compute::{Machine, MachineConfig};
use xtq_engine::Engine;
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::node::Stores;

/// Counters and entries of a context.
const PLACES: u16 = 64;

fn options() -> RunOptions {
    RunOptions {
        until: 5_000_000,
        ..RunOptions::default()
    }
}

fn build(
    name: &str,
    algorithm: &str,
    nodes: usize,
    bytes: u64,
    how: (Operation, Datatype),
) -> Built {
    let mut variants = VARIANTS.iter();
    let variant = variants.find(|one| (one.collective, one.algorithm) == (name, algorithm));
    let parameters = Parameters {
        nodes,
        root: 0,
        bytes,
        k: 2,
        segments: 1,
        operation: how.0,
        datatype: how.1,
    };
    variant
        .expect("a variant")
        .build(&parameters)
        .expect("a graph")
}

/// Floats near 1, so that products stay finite.
fn near_one(graph: &Graph) -> Vec<Vec<u8>> {
    let memory = |rank: usize| {
        let floats = graph.memory(rank) / 4;
        let float = |place: u64| 1.0 + ((place * 7 + rank as u64 * 3) % 8) as f32 / 8.0;
        (0..floats)
            .flat_map(|place| float(place).to_le_bytes())
            .collect()
    };
    (0..graph.ranks()).map(memory).collect()
}

/// What is left in a NIC is what the plan says: all entries, and no operation.
fn is_as_planned(machine: &Machine, rank: usize, entries: usize) {
    machine.with_node(rank, |node| {
        let engine: &dyn Engine = node.engine();
        let stores = Stores::find(engine).expect("the stores of the NIC");
        let used = (0..PLACES).filter(|place| stores.is_used(engine, 0, *place).expect("an entry"));
        assert_eq!(used.count(), entries, "entries of rank {rank}");
        let waiting = (0..PLACES).map(|place| stores.waiting(engine, 0, place).expect("a counter"));
        assert_eq!(waiting.sum::<usize>(), 0, "operations left of rank {rank}");
    });
}

/// Compiles for GPUs, runs, and compares with the interpreter and with the plan.
fn ran(graph: &Graph, memory: &[Vec<u8>], from: u64, options: &Options) -> (Plan, Vec<RankRun>) {
    let options = Options {
        gpu: Some(gpu_tasks(from)),
        ..*options
    };
    let schedule = compile(graph, &options).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let after = interpret(graph, memory, 1).expect("it ends");
    for seed in 0..5 {
        let played = play(&schedule, memory, seed).expect("it ends");
        same(graph, &played, &after);
    }
    // Memory with its spread, and hosts that begin late if the NICs have a barrier.
    let config = MachineConfig {
        start_skew_ns: if options.barrier { 900 } else { 0 },
        ..MachineConfig::default()
    };
    let (ranks, machine) =
        run(&schedule, &plan, memory, &config, &self::options()).expect("it runs");
    let memories: Vec<Vec<u8>> = ranks.iter().map(|rank| rank.memory.clone()).collect();
    same(graph, &memories, &after);
    for (number, program) in schedule.programs.iter().enumerate() {
        let used_once = program.entries.iter().filter(|entry| entry.once).count();
        let mut triggered = program.triggered.iter().map(|one| one.action);
        let appended = triggered
            .by_ref()
            .filter(|one| matches!(one, Action::Append { .. }));
        let gone = used_once + appended.count();
        is_as_planned(&machine, number, plan.needs[number].entries - gone);
    }
    for (rank, needs) in ranks.iter().zip(&plan.needs) {
        assert_eq!(
            rank.events, 1,
            "a host is told of the end and of nothing else"
        );
        assert_eq!(rank.kernels.len(), needs.tasks);
    }
    (plan, ranks)
}

fn same(graph: &Graph, found: &[Vec<u8>], wanted: &[Vec<u8>]) {
    for rank in 0..graph.ranks() {
        for part in graph.results(rank) {
            let part = part.at as usize..part.end() as usize;
            assert_eq!(found[rank][part.clone()], wanted[rank][part], "rank {rank}");
        }
    }
}

#[test]
fn products_of_floats_are_reduced_by_gpus_while_all_hosts_sleep() {
    let how = (Operation::Prod, Datatype::Float);
    for (name, algorithm) in [
        ("reduce", "knomial"),
        ("allreduce", "butterfly"),
        ("allreduce", "tree"),
        ("reduce_scatter", "pairwise"),
        ("scan", "linear"),
    ] {
        for nodes in [2, 3, 5] {
            let built = build(name, algorithm, nodes, 64, how);
            let options = Options {
                barrier: nodes == 3,
                ..Options::default()
            };
            let memory = near_one(&built.graph);
            let (plan, ranks) = ran(&built.graph, &memory, 0, &options);
            assert!(plan.tasks() >= nodes - 1, "{name} {algorithm}");
            // A start, and a look at the end.
            assert!(ranks.iter().all(|rank| rank.busy_ns < 400.0), "{ranks:?}");
        }
    }
}

/// The greatest common divisor of each two values: none of MPI's.
const DIVISOR: Own = Own {
    name: "gcd",
    combine: |datatype, target, source| {
        let bytes = datatype.bytes() as usize;
        let pairs = target
            .chunks_exact_mut(bytes)
            .zip(source.chunks_exact(bytes));
        for (target, source) in pairs {
            let value = |bytes: &[u8]| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            };
            let (mut one, mut other) = (value(target), value(source));
            while other != 0 {
                (one, other) = (other, one % other);
            }
            target.copy_from_slice(&one.to_le_bytes()[..bytes]);
        }
    },
    instructions: 40,
};

/// What `docs/how-to/collective.md` shows.
#[test]
fn an_operation_of_ones_own_is_a_task_of_gpus() {
    let how = (Operation::Own(DIVISOR), Datatype::Uint32);
    for (name, algorithm) in [
        ("reduce", "knomial"),
        ("allreduce", "butterfly"),
        ("allreduce", "dissemination"),
        ("reduce_scatter", "pairwise"),
        ("scan", "linear"),
    ] {
        for nodes in [2, 3, 5] {
            let built = build(name, algorithm, nodes, 64, how);
            let refused = compile(&built.graph, &Options::default());
            let refused = refused.expect_err("no GPU").to_string();
            assert!(
                refused.contains("the NIC does no gcd of uint32 values"),
                "{refused}"
            );
            // Rank r has multiples of 6 (r + 2), so the divisor of all is a multiple of 6.
            let multiple = |rank: usize, place: u64| 6 * (rank as u32 + 2) * (place as u32 % 3 + 1);
            let memory: Vec<Vec<u8>> = (0..nodes)
                .map(|rank| {
                    let values = 0..built.graph.memory(rank) / 4;
                    values
                        .flat_map(|place| multiple(rank, place).to_le_bytes())
                        .collect()
                })
                .collect();
            let options = Options {
                barrier: nodes == 3,
                ..Options::default()
            };
            let (plan, ranks) = ran(&built.graph, &memory, u64::MAX, &options);
            assert!(plan.tasks() >= nodes - 1, "{name} {algorithm}");
            assert!(ranks.iter().all(|rank| rank.busy_ns < 400.0), "{ranks:?}");
            if (name, algorithm) == ("allreduce", "butterfly") {
                let divisor = |place: u64| {
                    let all = (0..nodes).map(|rank| multiple(rank, place));
                    all.reduce(|one, other| {
                        (1..=one)
                            .rev()
                            .find(|n| one % n == 0 && other % n == 0)
                            .unwrap_or(1)
                    })
                };
                for (rank, ran) in ranks.iter().enumerate() {
                    let values = ran.memory[..64].chunks_exact(4);
                    for (place, value) in values.enumerate() {
                        let value = u32::from_le_bytes(value.try_into().expect("4 bytes"));
                        assert_eq!(Some(value), divisor(place as u64), "rank {rank}, {place}");
                    }
                }
            }
        }
    }
}

/// Ranks race to a rank whose GPU multiplies what comes.
#[test]
fn what_comes_from_any_source_is_combined_by_a_task() {
    let mut graph = Graph::new(4).expect("a graph");
    let product = graph.buffer(0, 64).expect("memory");
    for rank in 1..4 {
        let from = graph.buffer(rank, 64).expect("memory");
        graph.send(rank, from, 0, rank as u32).expect("a send");
        let scratch = graph.scratch(0, 64).expect("memory");
        let recv = graph.recv_from_any(0, scratch, ANY_TAG);
        let op = graph.op(0, Operation::Prod, Datatype::Float, scratch, product);
        let (recv, op) = (recv.expect("a receive"), op.expect("an operation"));
        graph.after(op, recv).expect("an edge");
    }
    let memory = near_one(&graph);
    let (plan, _) = ran(&graph, &memory, 0, &Options::default());
    assert_eq!((plan.tasks(), plan.needs[0].entries), (3, 4));
}

#[test]
fn every_protocol_waits_for_tasks() {
    let how = (Operation::Prod, Datatype::Double);
    for protocol in [
        Protocol::Eager,
        Protocol::Rendezvous,
        Protocol::Get,
        Protocol::Unmatched,
        Protocol::Literal,
    ] {
        let built = build("allreduce", "butterfly", 4, 128, how);
        let memory: Vec<Vec<u8>> = (0..4)
            .map(|rank| {
                let doubles = built.graph.memory(rank) / 8;
                let double = |place: u64| (1 + (place + rank as u64) % 5) as f64;
                (0..doubles)
                    .flat_map(|place| double(place).to_le_bytes())
                    .collect()
            })
            .collect();
        let options = Options {
            protocol,
            ..Options::default()
        };
        ran(&built.graph, &memory, 0, &options);
    }
}

#[test]
fn long_sums_are_tasks_from_a_size_on_and_then_take_less_time() {
    let how = (Operation::Sum, Datatype::Uint32);
    let of = |bytes: u64, from: u64| {
        let built = build("reduce", "knomial", 2, bytes, how);
        let memory = built.memory(Datatype::Uint32, 1);
        let (plan, ranks) = ran(&built.graph, &memory, from, &Options::default());
        (plan.tasks(), latency(&ranks))
    };
    assert_eq!(of(2048, 4096).0, 0, "an ATOMIC");
    let (tasks, by_gpu) = of(32_768, 4096);
    let (atomics, by_nic) = of(32_768, u64::MAX);
    assert_eq!((tasks, atomics), (1, 0));
    assert!(
        by_gpu < by_nic,
        "{by_gpu} ns by the GPU, {by_nic} ns by the NIC"
    );
}

/// Two ranks add to one accumulator, and a third of them is long: all are tasks, or their additions could be lost.
#[test]
fn operations_that_need_no_order_are_all_tasks_or_none() {
    let mut graph = Graph::new(1).expect("a graph");
    let sum = graph.buffer(0, 4096).expect("memory");
    for length in [64, 4096, 128] {
        let from = graph.buffer(0, length).expect("memory");
        let into = sum.part(0, length);
        let op = graph.op(0, Operation::Sum, Datatype::Uint64, from, into);
        op.expect("an operation");
    }
    let memory = vec![(0..graph.memory(0)).map(|place| place as u8).collect()];
    let (plan, _) = ran(&graph, &memory, 4096, &Options::default());
    assert_eq!(plan.tasks(), 3);
    let (plan, _) = ran(&graph, &memory, 4097, &Options::default());
    assert_eq!(plan.tasks(), 0);
}

#[test]
fn what_cannot_run_there_is_refused() {
    let mut graph = Graph::new(1).expect("a graph");
    graph.work(0, 100).expect("work");
    let schedule = compile(&graph, &Options::default()).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let refused = |schedule: &Schedule, plan: &Plan| {
        let ran = run(schedule, plan, &[], &MachineConfig::default(), &options());
        ran.map(|_| ()).expect_err("refused")
    };
    let error = refused(&schedule, &plan);
    assert!(matches!(error, CollectiveError::HostWorks { rank: 0 }));
    let built = build(
        "broadcast",
        "linear",
        2,
        64,
        (Operation::Sum, Datatype::Float),
    );
    let mut long = built.graph.clone();
    for _ in 0..200 {
        let (from, to) = (
            long.buffer(0, 8).expect("memory"),
            long.buffer(1, 8).expect("memory"),
        );
        long.send(0, from, 1, 5).expect("a send");
        long.recv(1, to, 0, Some(5)).expect("a receive");
    }
    let schedule = compile(&long, &Options::default()).expect("it compiles");
    let plan = Plan::new(&schedule, Limits::NIC).expect("it fits");
    let text = refused(&schedule, &plan).to_string();
    assert!(
        text.ends_with("126 can wait beside the one that tells of the end"),
        "{text}"
    );
}
