//! Compiled schedules on the untimed NIC, in random order: the same results as the interpreter's, whatever overtakes
//! what. And each pass has a fault that some schedule shows.

use crate::common::{NODES, parameters, visible};
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::{Built, Parameters, VARIANTS, variant};
use xtq_cdag::compile::{Flaw, GpuTasks, Options, Protocol, compile};
use xtq_cdag::error::GraphError;
use xtq_cdag::graph::Graph;
use xtq_cdag::interpret::interpret;
use xtq_cdag::machine::play;
use xtq_cdag::plan::{Limits, Plan};

/// What is wrong with a schedule, in one of so many random runs.
pub fn fault(graph: &Graph, memory: &[Vec<u8>], options: &Options, seeds: u64) -> Option<String> {
    let schedule = match compile(graph, options) {
        Ok(schedule) => schedule,
        Err(error) => return Some(error.to_string()),
    };
    let wanted = visible(
        graph,
        &interpret(graph, memory, 1).expect("the interpreter runs it"),
    );
    (0..seeds).find_map(|seed| match play(&schedule, memory, seed) {
        Err(failure) => Some(format!("seed {seed}: {failure}")),
        Ok(found) if visible(graph, &found) != wanted => Some(format!("seed {seed}: other bytes")),
        Ok(_) => None,
    })
}

fn right(name: &str, built: &Built, parameters: &Parameters, options: &Options, seeds: u64) {
    let memory = built.memory(parameters.datatype, 3);
    if let Some(fault) = fault(&built.graph, &memory, options, seeds) {
        panic!("{name}, {parameters:?}, {options:?}: {fault}");
    }
}

#[test]
fn every_variant_compiled_gives_what_the_interpreter_gives() {
    for variant in VARIANTS {
        for nodes in NODES {
            let name = format!("{} {}", variant.collective, variant.algorithm);
            let parameters = parameters(nodes);
            let built = variant.build(&parameters).expect("a graph");
            for barrier in [false, true] {
                let options = Options {
                    barrier,
                    ..Options::default()
                };
                right(
                    &name,
                    &built,
                    &parameters,
                    &options,
                    if nodes > 16 { 2 } else { 8 },
                );
            }
        }
    }
}

#[test]
fn every_protocol_gives_the_same() {
    for variant in VARIANTS {
        let parameters = parameters(6);
        let built = variant.build(&parameters).expect("a graph");
        for protocol in [
            Protocol::Auto,
            Protocol::Eager,
            Protocol::Rendezvous,
            Protocol::Get,
            Protocol::Unmatched,
            Protocol::Literal,
        ] {
            for eager in [0, 4096] {
                for barrier in [false, true] {
                    let options = Options {
                        protocol,
                        eager,
                        barrier,
                        ..Options::default()
                    };
                    let name = format!("{} {}", variant.collective, variant.algorithm);
                    right(&name, &built, &parameters, &options, 6);
                }
            }
        }
    }
}

#[test]
fn vectors_beyond_a_packet_and_an_atomic_are_cut() {
    for variant in VARIANTS {
        for (nodes, bytes) in [(5, 10_000), (20, 4100)] {
            let parameters = Parameters {
                bytes,
                segments: 2,
                ..parameters(nodes)
            };
            let built = variant.build(&parameters).expect("a graph");
            right(
                variant.collective,
                &built,
                &parameters,
                &Options::default(),
                1,
            );
        }
    }
}

/// A graph of two ranks in which one buffer is used for three messages, each of which is sent on.
fn relay() -> (Graph, Vec<Vec<u8>>) {
    let mut graph = Graph::new(3).expect("three ranks");
    let from = graph.buffer(0, 192).expect("memory");
    let through = graph.buffer(1, 64).expect("memory");
    let into = graph.buffer(2, 192).expect("memory");
    let mut last = None;
    for number in 0..3 {
        graph
            .send(0, from.part(number * 64, 64), 1, number as u32)
            .expect("a send");
        let recv = graph
            .recv(1, through, 0, Some(number as u32))
            .expect("a receive");
        let send = graph.send(1, through, 2, number as u32).expect("a send");
        graph.after(send, recv).expect("an edge");
        if let Some(last) = last {
            graph.after(recv, last).expect("an edge");
        }
        last = Some(send);
        graph
            .recv(2, into.part(number * 64, 64), 1, Some(number as u32))
            .expect("a receive");
    }
    (graph, vec![(0..192).collect(), vec![0; 64], vec![0; 192]])
}

#[test]
fn a_buffer_that_is_used_again_is_kept_by_each_protocol() {
    let (graph, memory) = relay();
    for protocol in [
        Protocol::Auto,
        Protocol::Eager,
        Protocol::Rendezvous,
        Protocol::Get,
        Protocol::Unmatched,
        Protocol::Literal,
    ] {
        for eager in [0, 4096] {
            let options = Options {
                protocol,
                eager,
                ..Options::default()
            };
            assert_eq!(fault(&graph, &memory, &options, 100), None, "{options:?}");
        }
    }
}

/// Two messages of a pair of ranks of which the second may leave first: it waits for a third rank only.
fn crossing() -> (Graph, Vec<Vec<u8>>) {
    let mut graph = Graph::new(4).expect("four ranks");
    for rank in 0..4 {
        graph.buffer(rank, 64).expect("memory");
    }
    let bytes = |number: u64| xtq_cdag::graph::Slice {
        at: number * 8,
        length: 8,
    };
    for (number, source) in [(0, 1), (1, 2)] {
        graph.send(source, bytes(number), 0, 0).expect("a send");
        let came = graph
            .recv(0, bytes(number), source, Some(0))
            .expect("a receive");
        let send = graph
            .send(0, bytes(number), 3, number as u32)
            .expect("a send");
        graph.after(send, came).expect("an edge");
        let recv = graph
            .recv(3, bytes(number), 0, Some(number as u32))
            .expect("a receive");
        let back = graph.send(3, bytes(number), source, 9).expect("a send");
        graph.after(back, recv).expect("an edge");
        graph
            .recv(source, bytes(number + 4), 3, Some(9))
            .expect("a receive");
    }
    (graph, (0..4).map(|rank| vec![rank as u8 + 1; 64]).collect())
}

#[test]
fn messages_of_a_pair_without_an_order_have_counters_of_their_own() {
    let (graph, memory) = crossing();
    assert_eq!(fault(&graph, &memory, &Options::default(), 200), None);
}

/// Whether one of the schedules shows the fault.
fn is_caught(flaw: Flaw, graphs: &[(Graph, Vec<Vec<u8>>)]) -> bool {
    graphs.iter().any(|(graph, memory)| {
        let options = Options {
            flaw: Some(flaw),
            eager: 0,
            ..Options::default()
        };
        fault(graph, memory, &options, 200).is_some()
    })
}

#[test]
fn a_fault_in_any_pass_is_caught() {
    let on = |nodes, collective, algorithm| {
        let parameters = parameters(nodes);
        let built = variant(collective, algorithm)
            .expect("it is in the list")
            .build(&parameters)
            .expect("a graph");
        let memory = built.memory(parameters.datatype, 1);
        (built.graph, memory)
    };
    let of = |collective, algorithm| on(5, collective, algorithm);
    let all = [
        (Flaw::AlwaysDirect, vec![relay()]),
        (Flaw::NoOffset, vec![of("alltoall", "pairwise")]),
        (Flaw::OneStream, vec![crossing()]),
        (Flaw::DropsCount, vec![of("barrier", "dissemination")]),
        (Flaw::LowThreshold, vec![of("allreduce", "butterfly")]),
        (Flaw::ForgetsEarlier, vec![on(16, "allgather", "butterfly")]),
        (Flaw::FusesAll, vec![of("allreduce", "butterfly")]),
    ];
    for (flaw, graphs) in all {
        assert!(is_caught(flaw, &graphs), "{flaw:?} is not caught");
    }
}

/// Three sums into the same bytes, which need no order; one of them is long.
fn sums_of_two_lengths() -> (Graph, Vec<Vec<u8>>) {
    let mut graph = Graph::new(1).expect("a graph");
    let sum = graph.buffer(0, 64).expect("memory");
    for length in [8, 64, 16] {
        let from = graph.buffer(0, length).expect("memory");
        let op = graph.op(
            0,
            Operation::Sum,
            Datatype::Uint64,
            from,
            sum.part(0, length),
        );
        op.expect("an operation");
    }
    let memory = (0..graph.memory(0)).map(|place| place as u8).collect();
    (graph, vec![memory])
}

#[test]
fn a_task_beside_an_atomic_on_the_same_bytes_is_caught() {
    let (graph, memory) = sums_of_two_lengths();
    let of = |from, flaw| Options {
        gpu: Some(GpuTasks {
            from,
            knows: |_, _| true,
        }),
        flaw,
        ..Options::default()
    };
    for from in [0, 17, 64, 65] {
        assert_eq!(fault(&graph, &memory, &of(from, None), 50), None, "{from}");
    }
    assert!(fault(&graph, &memory, &of(64, Some(Flaw::SomeTasks)), 200).is_some());
}

/// T, CT, ME and MD of the rank that needs most, of 64 ranks, with 512 bytes in so many segments.
fn worst_of(collective: &str, algorithm: &str, segments: u64) -> [usize; 4] {
    let parameters = Parameters {
        bytes: 512,
        segments,
        ..parameters(64)
    };
    let variant = variant(collective, algorithm).expect("it is in the list");
    let built = variant.build(&parameters).expect("a graph");
    let schedule = compile(&built.graph, &Options::default()).expect("it compiles");
    let worst = Plan::new(&schedule, Limits::NIC).expect("it fits").worst();
    [
        worst.triggered,
        worst.counters,
        worst.entries,
        worst.descriptors,
    ]
}

/// docs/collectives.md says why these are not those of the design.
#[test]
fn resources_of_four_segments_are_those_of_the_page() {
    for (collective, algorithm, wanted) in [
        ("broadcast", "knomial", [24, 2, 1, 1]),
        ("broadcast", "linear", [4, 2, 1, 1]),
        ("broadcast", "round-optimal", [9, 5, 4, 1]),
        ("scatter", "linear", [9, 8, 4, 1]),
        ("gather", "linear", [9, 8, 4, 1]),
        ("reduce", "knomial", [12, 8, 6, 1]),
        ("allreduce", "tree", [32, 12, 10, 2]),
        ("scan", "linear", [4, 2, 1, 1]),
        ("exscan", "linear", [8, 3, 2, 2]),
    ] {
        let found = worst_of(collective, algorithm, 4);
        assert_eq!(found, wanted, "{collective} {algorithm}");
    }
}

/// The table of the design: T, CT, ME and MD of the rank that needs most, 64 ranks, a segment of 512 bytes.
#[test]
fn resources_at_64_ranks_are_those_of_the_table() {
    let table = [
        ("broadcast", "knomial", [6, 2, 1, 1]),
        ("broadcast", "kary", [2, 2, 1, 1]),
        ("broadcast", "linear", [1, 2, 1, 1]),
        ("broadcast", "round-optimal", [6, 2, 1, 1]),
        ("scatter", "knomial", [6, 2, 1, 1]),
        ("scatter", "kary", [2, 2, 1, 1]),
        ("scatter", "linear", [1, 2, 1, 1]),
        ("gather", "knomial", [1, 3, 1, 1]),
        ("gather", "kary", [1, 3, 1, 1]),
        ("gather", "linear", [1, 2, 1, 1]),
        ("allgather", "ring", [64, 2, 1, 1]),
        ("allgather", "butterfly", [10, 7, 6, 1]),
        ("allgather", "pairwise", [63, 2, 1, 1]),
        ("allgather", "dissemination", [15, 8, 7, 1]),
        ("allgather", "tree", [6, 4, 2, 2]),
        ("barrier", "dissemination", [12, 7, 6, 1]),
        ("barrier", "butterfly", [12, 7, 6, 1]),
        ("barrier", "pairwise", [64, 2, 1, 1]),
        ("barrier", "tree", [6, 3, 2, 1]),
        ("barrier", "linear", [63, 2, 1, 1]),
        ("alltoall", "pairwise", [63, 2, 1, 1]),
        ("reduce", "knomial", [1, 3, 1, 1]),
        ("reduce", "kary", [1, 3, 1, 1]),
        ("reduce", "linear", [1, 2, 1, 1]),
        ("reduce_scatter", "pairwise", [63, 2, 1, 1]),
        ("reduce_scatter", "tree", [69, 4, 2, 2]),
        ("allreduce", "butterfly", [12, 8, 7, 7]),
        ("allreduce", "dissemination", [12, 8, 7, 7]),
        ("allreduce", "tree", [6, 4, 2, 2]),
        ("scan", "linear", [1, 2, 1, 1]),
        ("exscan", "linear", [2, 3, 2, 2]),
    ];
    assert_eq!(table.len(), VARIANTS.len());
    for (collective, algorithm, wanted) in table {
        let found = worst_of(collective, algorithm, 1);
        println!("{collective} {algorithm}: {found:?}, table {wanted:?}");
        assert_eq!(found, wanted, "{collective} {algorithm}");
    }
}

#[test]
fn all_variants_fit_the_nic_at_64_ranks_with_their_start_barrier() {
    for variant in VARIANTS {
        let parameters = Parameters {
            bytes: 64,
            segments: 1,
            ..parameters(64)
        };
        let built = variant.build(&parameters).expect("a graph");
        let options = Options {
            barrier: true,
            ..Options::default()
        };
        let schedule = compile(&built.graph, &options).expect("it compiles");
        let plan = Plan::new(&schedule, Limits::NIC)
            .unwrap_or_else(|error| panic!("{}: {error}", variant.collective));
        let worst = plan.worst();
        println!(
            "{} {}: {worst:?}, late posts {}",
            variant.collective,
            variant.algorithm,
            plan.late_posts()
        );
    }
}

#[test]
fn what_the_literal_lowering_needs_beyond_the_nic_is_told_with_both_numbers() {
    let parameters = Parameters {
        bytes: 64,
        segments: 1,
        ..parameters(64)
    };
    let built = variant("allgather", "ring")
        .expect("it is in the list")
        .build(&parameters)
        .expect("a graph");
    let options = Options {
        protocol: Protocol::Literal,
        ..Options::default()
    };
    let schedule = compile(&built.graph, &options).expect("it compiles");
    match Plan::new(&schedule, Limits::NIC) {
        Err(GraphError::TooLarge {
            needed, limit: 64, ..
        }) => assert!(needed > 64, "{needed}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_start_barrier_of_64_ranks_needs_13_operations_7_counters_and_6_entries() {
    let built = variant("broadcast", "linear")
        .expect("it is in the list")
        .build(&parameters(64))
        .expect("a graph");
    let needs = [false, true].map(|barrier| {
        let options = Options {
            barrier,
            ..Options::default()
        };
        let schedule = compile(&built.graph, &options).expect("it compiles");
        Plan::new(&schedule, Limits::NIC).expect("it fits").needs[1]
    });
    let more = [
        needs[1].triggered - needs[0].triggered,
        needs[1].counters - needs[0].counters,
        needs[1].entries - needs[0].entries,
    ];
    assert_eq!(more, [13, 7, 6]);
}
